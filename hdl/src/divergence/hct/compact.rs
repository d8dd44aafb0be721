//! Compact-sort, two versions with one port list (Collange & Brunie 2017,
//! section 3.2). Up to three paths come in: the successors `a` and `b` and the
//! runner-up `c`. They leave in order `x < y < z`, equal ones merged, without
//! gaps. Combinational.
//!
//! ```text
//! network:   three levels of compare-exchange-merge     parallel:
//!   a ---------+===+---------------- x                    a < b, a < c, b < c
//!   b ---+===+-+===+-+===+---------- y                    a = b, a = c, b = c
//!   c ---+===+-------+===+---------- z                    then select by rank
//! ```

use super::path::{PathIn, PathOut};
use crate::rtl::prelude::*;

interface! {
    /// The port of both versions.
    pub struct SortPort [const T: usize] [T] {
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
        /// Known late: `x` is `b`, whether it is said to be there or not, without a property.
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
    }
}

block! {
    /// All comparisons at once, then three-way multiplexers.
    pub struct ParallelSort [const T: usize] [T] fn new() {
        port { pub port: SortPort<T>, }
        local {
            // Sums with an inverse: the carry is the order, and all ones are equal. (With few
            // threads that is found out apart from the sum, which takes less time.)
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
            equal_ab: Signal<Local, Bit>,
            equal_ac: Signal<Local, Bit>,
            equal_bc: Signal<Local, Bit>,
            same_ab: Signal<Local, Bit>,
            same_ac: Signal<Local, Bit>,
            same_bc: Signal<Local, Bit>,
            live_b: Signal<Local, Bit>,
            live_c: Signal<Local, Bit>,
            // In the order of names where they are equal.
            b_before_a: Signal<Local, Bit>,
            c_before_a: Signal<Local, Bit>,
            c_before_b: Signal<Local, Bit>,
            first_a: Signal<Local, Bit>,
            first_b: Signal<Local, Bit>,
            first_c: Signal<Local, Bit>,
            second_a: Signal<Local, Bit>,
            second_b: Signal<Local, Bit>,
            second_c: Signal<Local, Bit>,
            last_a: Signal<Local, Bit>,
            last_b: Signal<Local, Bit>,
            last_c: Signal<Local, Bit>,
            takes: Signal<Local, Bit>,
            // Who is in which.
            x_a: Signal<Local, Bit>,
            x_b: Signal<Local, Bit>,
            x_c: Signal<Local, Bit>,
            y_b: Signal<Local, Bit>,
            y_c: Signal<Local, Bit>,
            z_a: Signal<Local, Bit>,
            z_b: Signal<Local, Bit>,
            three: Signal<Local, Bit>,
            x_mask: Signal<Local, U<T>>,
            y_mask: Signal<Local, U<T>>,
            z_mask: Signal<Local, U<T>>,
        }
        part { none: Constant<U<40>> = Constant::new(U::new(1 << 38)), }
        plain { _apart: usize = usize::from(T <= 8), }
    }
}

impl<const T: usize> Logic for ParallelSort<T> {
    #[hdl_gen]
    fn update(&mut self) {
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
        self.equal_ab.next = self.after_ab.val().get_bits::<38>(0).all();
        self.equal_ac.next = self.after_ac.val().get_bits::<38>(0).all();
        self.equal_bc.next = self.after_bc.val().get_bits::<38>(0).all();
        for _once in 0..self._apart {
            self.equal_ab.next = self.port.a.key.val() == self.port.b.key.val();
            self.equal_ac.next = self.port.a.key.val() == self.port.c.key.val();
            self.equal_bc.next = self.port.b.key.val() == self.port.c.key.val();
        }
        self.b_before_a.next = self.after_ab.val().get_bit(39);
        self.c_before_a.next = self.after_ac.val().get_bit(39);
        self.c_before_b.next = self.after_bc.val().get_bit(39);

        // Who is first, and who is last, is known before who is equal.
        self.first_a.next = !self.b_before_a.val() && !self.c_before_a.val();
        self.first_b.next = self.b_before_a.val() && !self.c_before_b.val();
        self.first_c.next = self.c_before_a.val() && self.c_before_b.val();
        self.last_a.next = self.port.a.valid.val()
            && (!self.port.b.valid.val() || self.after_ab.val().get_bit(39))
            && (!self.port.c.valid.val() || self.after_ac.val().get_bit(39));
        self.last_b.next = self.port.b.valid.val()
            && (!self.port.a.valid.val() || !self.after_ab.val().get_bit(39))
            && (!self.port.c.valid.val() || self.after_bc.val().get_bit(39));
        self.last_c.next = self.port.c.valid.val()
            && (!self.port.a.valid.val() || !self.after_ac.val().get_bit(39))
            && (!self.port.b.valid.val() || !self.after_bc.val().get_bit(39));

        // Of equal paths the first by name stands for all.
        self.same_ab.next =
            self.port.a.valid.val() && self.port.b.valid.val() && self.equal_ab.val();
        self.same_ac.next =
            self.port.a.valid.val() && self.port.c.valid.val() && self.equal_ac.val();
        self.same_bc.next =
            self.port.b.valid.val() && self.port.c.valid.val() && self.equal_bc.val();
        self.live_b.next = self.port.b.valid.val() && !self.same_ab.val();
        self.live_c.next = self.port.c.valid.val() && !self.same_ac.val() && !self.same_bc.val();
        // (If there is none it may be anybody.)
        self.second_a.next = (self.b_before_a.val() != self.c_before_a.val())
            || (self.b_before_a.val() && self.c_before_a.val() && self.equal_bc.val());
        self.second_b.next = !self.same_ab.val()
            && ((self.b_before_a.val() == self.c_before_b.val())
                || (!self.b_before_a.val() && self.c_before_b.val() && self.equal_ac.val()));
        self.second_c.next = !self.same_ac.val()
            && !self.same_bc.val()
            && ((self.c_before_a.val() != self.c_before_b.val())
                || (!self.c_before_a.val() && !self.c_before_b.val() && self.equal_ab.val()));
        self.three.next = self.port.a.valid.val() && self.live_b.val() && self.live_c.val();

        self.takes.next = self.port.refused.val();
        self.x_b.next =
            self.takes.val() || self.first_b.val() || (self.same_ab.val() && self.first_a.val());
        self.x_a.next = self.first_a.val() && !self.takes.val();
        self.x_c.next = (self.first_c.val()
            || (self.same_ac.val() && self.first_a.val())
            || (self.same_bc.val() && self.first_b.val()))
            && !self.takes.val();
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
        self.z_mask.next = self.port.park_mask.val();
        if self.x_a.val() {
            self.x_mask.next = self.port.a.mask.val();
        }
        if self.x_b.val() {
            self.x_mask.next = self.x_mask.val() | self.port.b.mask.val();
        }
        if self.x_c.val() {
            self.x_mask.next = self.x_mask.val() | self.port.c.mask.val();
        }
        if self.second_a.val() {
            self.y_mask.next = self.port.a.mask.val();
        }
        if self.y_b.val() {
            self.y_mask.next = self.y_mask.val() | self.port.b.mask.val();
        }
        if self.y_c.val() {
            self.y_mask.next = self.y_mask.val() | self.port.c.mask.val();
        }
        if self.z_a.val() && !self.port.park.val() {
            self.z_mask.next = self.z_mask.val() | self.port.a.mask.val();
        }
        if self.z_b.val() && !self.port.park.val() {
            self.z_mask.next = self.z_mask.val() | self.port.b.mask.val();
        }
        if self.last_c.val() && !self.port.park.val() {
            self.z_mask.next = self.z_mask.val() | self.port.c.mask.val();
        }

        self.some.next =
            self.port.a.valid.val() || self.port.b.valid.val() || self.port.c.valid.val();
        self.port.x.valid.next = self.takes.val() || self.some.val();
        self.port.x.mask.next = self.x_mask.val();
        self.port.x.key.next = self.port.c.key.val();
        if self.x_a.val() {
            self.port.x.key.next = self.port.a.key.val();
        } else if self.first_b.val() || self.takes.val() {
            self.port.x.key.next = self.port.b.key.val();
        }
        self.port.y.valid.next = (self.port.a.valid.val()
            && (self.live_b.val() || self.live_c.val()))
            || (self.live_b.val() && self.live_c.val());
        self.port.y.mask.next = self.y_mask.val();
        self.port.y.key.next = self.port.c.key.val();
        if self.second_a.val() {
            self.port.y.key.next = self.port.a.key.val();
        } else if self.second_b.val() {
            self.port.y.key.next = self.port.b.key.val();
        }
        self.port.z.valid.next = self.port.park.val() || self.three.val();
        self.port.z.mask.next = self.z_mask.val();
        self.port.z.key.next = self.port.c.key.val();
        if self.port.park.val() || self.last_a.val() {
            self.port.z.key.next = self.port.a.key.val();
        } else if self.last_b.val() {
            self.port.z.key.next = self.port.b.key.val();
        }
        self.port.x_here.next = self.some.val()
            && !self.takes.val()
            && ((self.first_a.val() && self.port.a_here.val())
                || (self.first_b.val() && self.port.b_here.val())
                || (self.first_c.val() && self.port.c_here.val()));
        self.port.passed.next = self.some.val() && self.x_c.val();
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
        }
        part {
            bc: Exchange<T> = Exchange::new(),
            ab: Exchange<T> = Exchange::new(),
            yz: Exchange<T> = Exchange::new(),
        }
    }
}

impl<const T: usize> Logic for NetworkSort<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.bc.p.valid.next = self.port.b.valid.val();
        self.bc.p.key.next = self.port.b.key.val();
        self.bc.p.mask.next = self.port.b.mask.val();
        self.bc.p_tag.next = 0.into();
        if self.port.b_here.val() {
            self.bc.p_tag.next = 2.into();
        }
        self.bc.q.valid.next = self.port.c.valid.val();
        self.bc.q.key.next = self.port.c.key.val();
        self.bc.q.mask.next = self.port.c.mask.val();
        self.bc.q_tag.next = 1.into();
        if self.port.c_here.val() {
            self.bc.q_tag.next = 3.into();
        }
        if !self.port.c.valid.val() {
            self.bc.q_tag.next = 0.into();
        }

        self.ab.p.valid.next = self.port.a.valid.val();
        self.ab.p.key.next = self.port.a.key.val();
        self.ab.p.mask.next = self.port.a.mask.val();
        self.ab.p_tag.next = 0.into();
        if self.port.a_here.val() {
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
        self.port.z.valid.next = self.port.park.val() || self.yz.high.valid.val();
        self.port.z.key.next = self.yz.high.key.val();
        self.port.z.mask.next = self.yz.high.mask.val();
        if !self.yz.high.valid.val() {
            self.port.z.key.next = self.yz.low.key.val();
            self.port.z.mask.next = self.yz.low.mask.val();
        }
        if self.port.park.val() {
            self.port.z.key.next = self.port.a.key.val();
            self.port.z.mask.next = self.port.park_mask.val();
        }
        self.tag_x.next = self.ab.low_tag.val();
        if self.port.refused.val() {
            self.tag_x.next = 0.into();
            self.port.x.valid.next = true;
            self.port.x.key.next = self.port.b.key.val();
            self.port.x.mask.next = self.port.b.mask.val();
        }
        self.port.passed.next = self.tag_x.val().get_bit(0);
        self.port.x_here.next = self.tag_x.val().get_bit(1) && self.ab.low.valid.val();
    }
}
