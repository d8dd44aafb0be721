//! Compact-sort, two versions with one port list (Collange & Brunie 2017,
//! section 3.2). Up to three paths come in: the successors `a` and `b` and the
//! runner-up `c`. They leave in the next cycle, in order `x < y < z`, equal ones merged,
//! without gaps.
//!
//! ```text
//! network:   three levels of compare-exchange-merge     parallel:
//!   a ---------+===+---------------- x                    a < b, a < c, b < c
//!   b ---+===+-+===+-+===+---------- y                    a = b, a = c, b = c
//!   c ---+===+-------+===+---------- z                    in the next cycle select by rank
//! ```
//!
//! The network registers what comes in, the other one what was compared as well.
//!
//! Long, because both versions have the same port and are read side by side.

use super::path::{PathIn, PathOut};
use crate::rtl::prelude::*;

interface! {
    /// The port of both versions.
    pub struct SortPort [const T: usize] [T] {
        /// The clock.
        pub clock: Signal<In, Clk>,
        /// Synchronous reset.
        pub reset: Signal<In, Bit>,
        /// A successor.
        pub a: PathIn<T>,
        /// The other one.
        pub b: PathIn<T>,
        /// The runner-up so far.
        pub c: PathIn<T>,
        /// First: the head.
        pub x: PathOut<T>,
        /// Second: the new runner-up.
        pub y: PathOut<T>,
        /// Third: the overflow. If there is none, key and mask are those of `y`: what has to
        /// leave if something better is found.
        pub z: PathOut<T>,
        /// `x` is `b`, whether it is said to be there or not, without a property.
        /// Then `y` and `z` do not matter.
        pub refused: Signal<In, Bit>,
        /// There are two paths at most, and `z` is to be these threads at the place of `a`.
        /// (Otherwise `park_mask` is 0.)
        pub park: Signal<In, Bit>,
        pub park_mask: Signal<In, U<T>>,
        /// A property of each, of equal paths the same, and that of `x`; without one it has
        /// none.
        pub a_here: Signal<In, Bit>,
        pub b_here: Signal<In, Bit>,
        pub c_here: Signal<In, Bit>,
        pub x_here: Signal<Out, Bit>,
        /// `c` is in the head, so that `y` comes later than `c` did.
        pub passed: Signal<Out, Bit>,
        /// Pairs that have met: so many less went out than came in.
        pub met: Signal<Out, U<2>>,
    }
}

regs! {
    /// What came in, in the cycle after.
    pub struct Taken [const T: usize] [T] / TakenD, TakenQ {
        a: Bit = false,
        a_key: U<38>,
        a_mask: U<T>,
        a_here: Bit,
        b: Bit = false,
        b_key: U<38>,
        b_mask: U<T>,
        b_here: Bit,
        c: Bit = false,
        /// Each bit inverted, as the runner-up lies in its memory.
        c_not: U<38>,
        c_mask: U<T>,
        c_here: Bit,
        refused: Bit = false,
        park: Bit = false,
        park_mask: U<T>,
    }
}

regs! {
    /// How it stands to each other. Who is not there comes after who is.
    pub struct Order [] [] / OrderD, OrderQ {
        b_before_a: Bit,
        c_before_a: Bit,
        c_before_b: Bit,
        equal_ab: Bit,
        equal_ac: Bit,
        equal_bc: Bit,
    }
}

block! {
    /// All comparisons at once, then, in the next cycle, three-way multiplexers.
    pub struct ParallelSort [const T: usize] [T] fn new() {
        port { pub port: SortPort<T>, }
        local {
            // Sums with an inverse: the carry is the order, and all ones are equal.
            // Who is not there comes after who is.
            wide_a: Signal<Local, U<40>>,
            wide_b: Signal<Local, U<40>>,
            wide_not_b: Signal<Local, U<40>>,
            wide_not_c: Signal<Local, U<40>>,
            some: Signal<Local, Bit>,
            not_b: Signal<Local, U<38>>,
            not_c: Signal<Local, U<38>>,
            after_ab: Signal<Local, U<40>>,
            after_ac: Signal<Local, U<40>>,
            after_bc: Signal<Local, U<40>>,
            same_ab: Signal<Local, Bit>,
            same_ac: Signal<Local, Bit>,
            same_bc: Signal<Local, Bit>,
            live_b: Signal<Local, Bit>,
            live_c: Signal<Local, Bit>,
            first_a: Signal<Local, Bit>,
            first_b: Signal<Local, Bit>,
            first_c: Signal<Local, Bit>,
            second_a: Signal<Local, Bit>,
            second_b: Signal<Local, Bit>,
            second_c: Signal<Local, Bit>,
            last_a: Signal<Local, Bit>,
            last_b: Signal<Local, Bit>,
            last_c: Signal<Local, Bit>,
            // Who is in which.
            x_a: Signal<Local, Bit>,
            x_b: Signal<Local, Bit>,
            x_c: Signal<Local, Bit>,
            y_b: Signal<Local, Bit>,
            y_c: Signal<Local, Bit>,
            z_a: Signal<Local, Bit>,
            z_b: Signal<Local, Bit>,
            three: Signal<Local, Bit>,
            second: Signal<Local, Bit>,
            two: Signal<Local, Bit>,
            all: Signal<Local, Bit>,
            pairs: Signal<Local, U<2>>,
            x_mask: Signal<Local, U<T>>,
            y_mask: Signal<Local, U<T>>,
            z_mask: Signal<Local, U<T>>,
        }
        part {
            pub(super) taken: Taken<T> = Taken::new(),
            /// In the order of names where they are equal.
            order: Order = Order::new(),
            none: Constant<U<40>> = Constant::new(U::new(1 << 38)),
        }
    }
}

impl<const T: usize> Logic for ParallelSort<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken.clock.next = self.port.clock.val();
        self.taken.reset.next = self.port.reset.val();
        self.order.clock.next = self.port.clock.val();
        self.order.reset.next = self.port.reset.val();
        self.taken.d.a.next = self.port.a.valid.val();
        self.taken.d.a_key.next = self.port.a.key.val();
        self.taken.d.a_mask.next = self.port.a.mask.val();
        // (If there is nobody, anybody may come first.)
        self.taken.d.a_here.next =
            self.port.a_here.val() && self.port.a.valid.val() && !self.port.refused.val();
        self.taken.d.b.next = self.port.b.valid.val();
        self.taken.d.b_key.next = self.port.b.key.val();
        self.taken.d.b_mask.next = self.port.b.mask.val();
        self.taken.d.b_here.next =
            self.port.b_here.val() && self.port.b.valid.val() && !self.port.refused.val();
        self.taken.d.c.next = self.port.c.valid.val();
        self.taken.d.c_not.next = !self.port.c.key.val();
        self.taken.d.c_mask.next = self.port.c.mask.val();
        self.taken.d.c_here.next =
            self.port.c_here.val() && self.port.c.valid.val() && !self.port.refused.val();
        self.taken.d.refused.next = self.port.refused.val();
        self.taken.d.park.next = self.port.park.val();
        self.taken.d.park_mask.next = self.port.park_mask.val();

        // How they stand to each other.
        self.not_b.next = !self.port.b.key.val();
        self.not_c.next = !self.port.c.key.val();
        self.wide_a.next = self.port.a.key.val().to_bits::<40>();
        if !self.port.a.valid.val() {
            self.wide_a.next = self.port.a.key.val().to_bits::<40>() | self.none.val();
        }
        self.wide_b.next = self.port.b.key.val().to_bits::<40>();
        self.wide_not_b.next = self.not_b.val().to_bits::<40>() | self.none.val();
        if !self.port.b.valid.val() {
            self.wide_b.next = self.port.b.key.val().to_bits::<40>() | self.none.val();
            self.wide_not_b.next = self.not_b.val().to_bits::<40>();
        }
        self.wide_not_c.next = self.not_c.val().to_bits::<40>();
        if self.port.c.valid.val() {
            self.wide_not_c.next = self.not_c.val().to_bits::<40>() | self.none.val();
        }
        self.after_ab.next = self.wide_a.val() + self.wide_not_b.val();
        self.after_ac.next = self.wide_a.val() + self.wide_not_c.val();
        self.after_bc.next = self.wide_b.val() + self.wide_not_c.val();
        self.order.d.equal_ab.next = self.after_ab.val().get_bits::<38>(0).all();
        self.order.d.equal_ac.next = self.after_ac.val().get_bits::<38>(0).all();
        self.order.d.equal_bc.next = self.after_bc.val().get_bits::<38>(0).all();
        self.order.d.b_before_a.next = self.after_ab.val().get_bit(39);
        self.order.d.c_before_a.next = self.after_ac.val().get_bit(39);
        self.order.d.c_before_b.next = self.after_bc.val().get_bit(39);

        // A cycle later.
        self.first_a.next = !self.order.q.b_before_a.val() && !self.order.q.c_before_a.val();
        self.first_b.next = self.order.q.b_before_a.val() && !self.order.q.c_before_b.val();
        self.first_c.next = self.order.q.c_before_a.val() && self.order.q.c_before_b.val();
        self.last_a.next = self.taken.q.a.val()
            && (!self.taken.q.b.val() || self.order.q.b_before_a.val())
            && (!self.taken.q.c.val() || self.order.q.c_before_a.val());
        self.last_b.next = self.taken.q.b.val()
            && (!self.taken.q.a.val() || !self.order.q.b_before_a.val())
            && (!self.taken.q.c.val() || self.order.q.c_before_b.val());
        self.last_c.next = self.taken.q.c.val()
            && (!self.taken.q.a.val() || !self.order.q.c_before_a.val())
            && (!self.taken.q.b.val() || !self.order.q.c_before_b.val());

        // Of equal paths the first by name stands for all.
        self.same_ab.next =
            self.taken.q.a.val() && self.taken.q.b.val() && self.order.q.equal_ab.val();
        self.same_ac.next =
            self.taken.q.a.val() && self.taken.q.c.val() && self.order.q.equal_ac.val();
        self.same_bc.next =
            self.taken.q.b.val() && self.taken.q.c.val() && self.order.q.equal_bc.val();
        self.live_b.next = self.taken.q.b.val() && !self.same_ab.val();
        self.live_c.next = self.taken.q.c.val() && !self.same_ac.val() && !self.same_bc.val();
        // (If there is none it may be anybody.)
        self.second_a.next = (self.order.q.b_before_a.val() != self.order.q.c_before_a.val())
            || (self.order.q.b_before_a.val()
                && self.order.q.c_before_a.val()
                && self.order.q.equal_bc.val());
        self.second_b.next = !self.same_ab.val()
            && ((self.order.q.b_before_a.val() == self.order.q.c_before_b.val())
                || (!self.order.q.b_before_a.val()
                    && self.order.q.c_before_b.val()
                    && self.order.q.equal_ac.val()));
        self.second_c.next = !self.same_ac.val()
            && !self.same_bc.val()
            && ((self.order.q.c_before_a.val() != self.order.q.c_before_b.val())
                || (!self.order.q.c_before_a.val()
                    && !self.order.q.c_before_b.val()
                    && self.order.q.equal_ab.val()));
        self.three.next = self.taken.q.a.val() && self.live_b.val() && self.live_c.val();

        self.x_b.next = self.taken.q.refused.val()
            || self.first_b.val()
            || (self.same_ab.val() && self.first_a.val());
        self.x_a.next = self.first_a.val() && !self.taken.q.refused.val();
        self.x_c.next = (self.first_c.val()
            || (self.same_ac.val() && self.first_a.val())
            || (self.same_bc.val() && self.first_b.val()))
            && !self.taken.q.refused.val();
        self.y_b.next = self.second_b.val() || (self.same_ab.val() && self.second_a.val());
        self.y_c.next = self.second_c.val()
            || (self.same_ac.val() && self.second_a.val())
            || (self.same_bc.val() && self.second_b.val());
        self.z_a.next = self.last_a.val()
            || (self.same_ab.val() && self.last_b.val())
            || (self.same_ac.val() && self.last_c.val());
        self.z_b.next = self.last_b.val() || (self.same_bc.val() && self.last_c.val());

        self.x_mask.next = 0.into();
        self.y_mask.next = 0.into();
        self.z_mask.next = self.taken.q.park_mask.val();
        if self.x_a.val() {
            self.x_mask.next = self.taken.q.a_mask.val();
        }
        if self.x_b.val() {
            self.x_mask.next = self.x_mask.val() | self.taken.q.b_mask.val();
        }
        if self.x_c.val() {
            self.x_mask.next = self.x_mask.val() | self.taken.q.c_mask.val();
        }
        if self.second_a.val() {
            self.y_mask.next = self.taken.q.a_mask.val();
        }
        if self.y_b.val() {
            self.y_mask.next = self.y_mask.val() | self.taken.q.b_mask.val();
        }
        if self.y_c.val() {
            self.y_mask.next = self.y_mask.val() | self.taken.q.c_mask.val();
        }
        if self.z_a.val() && !self.taken.q.park.val() {
            self.z_mask.next = self.z_mask.val() | self.taken.q.a_mask.val();
        }
        if self.z_b.val() && !self.taken.q.park.val() {
            self.z_mask.next = self.z_mask.val() | self.taken.q.b_mask.val();
        }
        if self.last_c.val() && !self.taken.q.park.val() {
            self.z_mask.next = self.z_mask.val() | self.taken.q.c_mask.val();
        }

        self.some.next = self.taken.q.a.val() || self.taken.q.b.val() || self.taken.q.c.val();
        self.port.x.valid.next = self.taken.q.refused.val() || self.some.val();
        self.port.x.mask.next = self.x_mask.val();
        self.port.x.key.next = !self.taken.q.c_not.val();
        if self.x_a.val() {
            self.port.x.key.next = self.taken.q.a_key.val();
        } else if self.first_b.val() || self.taken.q.refused.val() {
            self.port.x.key.next = self.taken.q.b_key.val();
        }
        self.second.next = (self.taken.q.a.val() && (self.live_b.val() || self.live_c.val()))
            || (self.live_b.val() && self.live_c.val());
        self.port.y.valid.next = self.second.val();
        self.port.y.mask.next = self.y_mask.val();
        self.port.y.key.next = !self.taken.q.c_not.val();
        if self.second_a.val() {
            self.port.y.key.next = self.taken.q.a_key.val();
        } else if self.second_b.val() {
            self.port.y.key.next = self.taken.q.b_key.val();
        }
        self.port.z.valid.next = self.taken.q.park.val() || self.three.val();
        self.port.z.mask.next = self.z_mask.val();
        self.port.z.key.next = !self.taken.q.c_not.val();
        if self.taken.q.park.val() || self.last_a.val() {
            self.port.z.key.next = self.taken.q.a_key.val();
        } else if self.last_b.val() {
            self.port.z.key.next = self.taken.q.b_key.val();
        }
        self.port.x_here.next = (self.first_a.val() && self.taken.q.a_here.val())
            || (self.first_b.val() && self.taken.q.b_here.val())
            || (self.first_c.val() && self.taken.q.c_here.val());
        self.port.passed.next = self.some.val() && self.x_c.val();
        self.two.next = (self.taken.q.a.val() && self.taken.q.b.val())
            || (self.taken.q.a.val() && self.taken.q.c.val())
            || (self.taken.q.b.val() && self.taken.q.c.val());
        self.all.next = self.taken.q.a.val() && self.taken.q.b.val() && self.taken.q.c.val();
        self.pairs.next = 0.into();
        if self.all.val() && !self.three.val() {
            self.pairs.next = 1.into();
        }
        if self.two.val() && !self.second.val() {
            self.pairs.next = self.pairs.val() + 1;
        }
        self.port.met.next = self.pairs.val();
    }
}

block! {
    /// Compare, exchange, merge: one box of the network. `tag` goes with the path: bit 0
    /// the runner-up is in there, bit 1 its property.
    pub struct Exchange [const T: usize] [T] fn new() {
        port {
            pub p: PathIn<T>,
            pub q: PathIn<T>,
            pub p_tag: Signal<In, U<2>>,
            pub q_tag: Signal<In, U<2>>,
            pub low: PathOut<T>,
            pub high: PathOut<T>,
            pub low_tag: Signal<Out, U<2>>,
            pub high_tag: Signal<Out, U<2>>,
        }
        local {
            equal: Signal<Local, Bit>,
            swapped: Signal<Local, Bit>,
        }
    }
}

impl<const T: usize> Logic for Exchange<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.equal.next =
            self.p.valid.val() && self.q.valid.val() && (self.p.key.val() == self.q.key.val());
        self.swapped.next =
            self.q.valid.val() && (!self.p.valid.val() || (self.q.key.val() < self.p.key.val()));
        self.low.valid.next = self.p.valid.val() || self.q.valid.val();
        self.high.valid.next = self.p.valid.val() && self.q.valid.val() && !self.equal.val();
        self.low.key.next = self.p.key.val();
        self.low.mask.next = self.p.mask.val();
        self.low_tag.next = self.p_tag.val();
        self.high.key.next = self.q.key.val();
        self.high.mask.next = self.q.mask.val();
        self.high_tag.next = self.q_tag.val();
        if self.swapped.val() {
            self.low.key.next = self.q.key.val();
            self.low.mask.next = self.q.mask.val();
            self.low_tag.next = self.q_tag.val();
            self.high.key.next = self.p.key.val();
            self.high.mask.next = self.p.mask.val();
            self.high_tag.next = self.p_tag.val();
        }
        if self.equal.val() {
            self.low.mask.next = self.p.mask.val() | self.q.mask.val();
            self.low_tag.next = self.p_tag.val() | self.q_tag.val();
            self.high_tag.next = 0.into();
        }
    }
}

block! {
    /// A sorting network of three levels that merges.
    pub struct NetworkSort [const T: usize] [T] fn new() {
        port { pub port: SortPort<T>, }
        local {
            tag_x: Signal<Local, U<2>>,
            two: Signal<Local, Bit>,
            all: Signal<Local, Bit>,
            pairs: Signal<Local, U<2>>,
        }
        part {
            pub(super) taken: Taken<T> = Taken::new(),
            bc: Exchange<T> = Exchange::new(),
            ab: Exchange<T> = Exchange::new(),
            yz: Exchange<T> = Exchange::new(),
        }
    }
}

impl<const T: usize> Logic for NetworkSort<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken.clock.next = self.port.clock.val();
        self.taken.reset.next = self.port.reset.val();
        self.taken.d.a.next = self.port.a.valid.val();
        self.taken.d.a_key.next = self.port.a.key.val();
        self.taken.d.a_mask.next = self.port.a.mask.val();
        self.taken.d.a_here.next = self.port.a_here.val();
        self.taken.d.b.next = self.port.b.valid.val();
        self.taken.d.b_key.next = self.port.b.key.val();
        self.taken.d.b_mask.next = self.port.b.mask.val();
        self.taken.d.b_here.next = self.port.b_here.val();
        self.taken.d.c.next = self.port.c.valid.val();
        self.taken.d.c_not.next = !self.port.c.key.val();
        self.taken.d.c_mask.next = self.port.c.mask.val();
        self.taken.d.c_here.next = self.port.c_here.val();
        self.taken.d.refused.next = self.port.refused.val();
        self.taken.d.park.next = self.port.park.val();
        self.taken.d.park_mask.next = self.port.park_mask.val();

        self.bc.p.valid.next = self.taken.q.b.val();
        self.bc.p.key.next = self.taken.q.b_key.val();
        self.bc.p.mask.next = self.taken.q.b_mask.val();
        self.bc.p_tag.next = 0.into();
        if self.taken.q.b_here.val() {
            self.bc.p_tag.next = 2.into();
        }
        self.bc.q.valid.next = self.taken.q.c.val();
        self.bc.q.key.next = !self.taken.q.c_not.val();
        self.bc.q.mask.next = self.taken.q.c_mask.val();
        self.bc.q_tag.next = 1.into();
        if self.taken.q.c_here.val() {
            self.bc.q_tag.next = 3.into();
        }
        if !self.taken.q.c.val() {
            self.bc.q_tag.next = 0.into();
        }

        self.ab.p.valid.next = self.taken.q.a.val();
        self.ab.p.key.next = self.taken.q.a_key.val();
        self.ab.p.mask.next = self.taken.q.a_mask.val();
        self.ab.p_tag.next = 0.into();
        if self.taken.q.a_here.val() {
            self.ab.p_tag.next = 2.into();
        }
        self.ab.q.valid.next = self.bc.low.valid.val();
        self.ab.q.key.next = self.bc.low.key.val();
        self.ab.q.mask.next = self.bc.low.mask.val();
        self.ab.q_tag.next = self.bc.low_tag.val();

        self.yz.p.valid.next = self.ab.high.valid.val();
        self.yz.p.key.next = self.ab.high.key.val();
        self.yz.p.mask.next = self.ab.high.mask.val();
        self.yz.p_tag.next = self.ab.high_tag.val();
        self.yz.q.valid.next = self.bc.high.valid.val();
        self.yz.q.key.next = self.bc.high.key.val();
        self.yz.q.mask.next = self.bc.high.mask.val();
        self.yz.q_tag.next = self.bc.high_tag.val();

        self.port.x.valid.next = self.ab.low.valid.val();
        self.port.x.key.next = self.ab.low.key.val();
        self.port.x.mask.next = self.ab.low.mask.val();
        self.port.y.valid.next = self.yz.low.valid.val();
        self.port.y.key.next = self.yz.low.key.val();
        self.port.y.mask.next = self.yz.low.mask.val();
        self.port.z.valid.next = self.taken.q.park.val() || self.yz.high.valid.val();
        self.port.z.key.next = self.yz.high.key.val();
        self.port.z.mask.next = self.yz.high.mask.val();
        if !self.yz.high.valid.val() {
            self.port.z.key.next = self.yz.low.key.val();
            self.port.z.mask.next = self.yz.low.mask.val();
        }
        if self.taken.q.park.val() {
            self.port.z.key.next = self.taken.q.a_key.val();
            self.port.z.mask.next = self.taken.q.park_mask.val();
        }
        self.tag_x.next = self.ab.low_tag.val();
        if self.taken.q.refused.val() {
            self.tag_x.next = 0.into();
            self.port.x.valid.next = true;
            self.port.x.key.next = self.taken.q.b_key.val();
            self.port.x.mask.next = self.taken.q.b_mask.val();
        }
        self.port.passed.next = self.tag_x.val().get_bit(0);
        self.port.x_here.next = self.tag_x.val().get_bit(1) && self.ab.low.valid.val();
        self.two.next = (self.taken.q.a.val() && self.taken.q.b.val())
            || (self.taken.q.a.val() && self.taken.q.c.val())
            || (self.taken.q.b.val() && self.taken.q.c.val());
        self.all.next = self.taken.q.a.val() && self.taken.q.b.val() && self.taken.q.c.val();
        self.pairs.next = 0.into();
        if self.all.val() && !self.yz.high.valid.val() {
            self.pairs.next = 1.into();
        }
        if self.two.val() && !self.yz.low.valid.val() {
            self.pairs.next = self.pairs.val() + 1;
        }
        self.port.met.next = self.pairs.val();
    }
}

impl<const T: usize> Sim for ParallelSort<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.port.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.port.reset
    }
}

impl<const T: usize> Sim for NetworkSort<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.port.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.port.reset
    }
}
