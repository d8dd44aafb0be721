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
        /// Third: the overflow.
        pub z: PathOut<T>,
        /// There are two paths at most, and `z` is to be these threads at the place of `a`.
        pub park: Signal<In, Bit>,
        pub park_mask: Signal<In, U<T>>,
        /// A property of each, of equal paths the same, and that of `x`.
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
            // Differences: their sign is the order, and zero is equal.
            from_ab: Signal<Local, U<39>>,
            from_ac: Signal<Local, U<39>>,
            from_bc: Signal<Local, U<39>>,
            less_ab: Signal<Local, Bit>,
            less_ac: Signal<Local, Bit>,
            less_bc: Signal<Local, Bit>,
            same_ab: Signal<Local, Bit>,
            same_ac: Signal<Local, Bit>,
            same_bc: Signal<Local, Bit>,
            live_b: Signal<Local, Bit>,
            live_c: Signal<Local, Bit>,
            b_before_a: Signal<Local, Bit>,
            c_before_a: Signal<Local, Bit>,
            a_before_b: Signal<Local, Bit>,
            c_before_b: Signal<Local, Bit>,
            a_before_c: Signal<Local, Bit>,
            b_before_c: Signal<Local, Bit>,
            first_a: Signal<Local, Bit>,
            first_b: Signal<Local, Bit>,
            first_c: Signal<Local, Bit>,
            second_a: Signal<Local, Bit>,
            second_b: Signal<Local, Bit>,
            second_c: Signal<Local, Bit>,
            third_a: Signal<Local, Bit>,
            third_b: Signal<Local, Bit>,
            third_c: Signal<Local, Bit>,
            mask_a: Signal<Local, U<T>>,
            mask_b: Signal<Local, U<T>>,
        }
    }
}

impl<const T: usize> Logic for ParallelSort<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.from_ab.next =
            self.port.a.key.val().to_bits::<39>() - self.port.b.key.val().to_bits::<39>();
        self.less_ab.next = self.from_ab.val().get_bit(38);
        self.from_ac.next =
            self.port.a.key.val().to_bits::<39>() - self.port.c.key.val().to_bits::<39>();
        self.less_ac.next = self.from_ac.val().get_bit(38);
        self.from_bc.next =
            self.port.b.key.val().to_bits::<39>() - self.port.c.key.val().to_bits::<39>();
        self.less_bc.next = self.from_bc.val().get_bit(38);
        self.same_ab.next = self.port.a.valid.val()
            && self.port.b.valid.val()
            && !self.from_ab.val().get_bits::<38>(0).any();
        self.same_ac.next = self.port.a.valid.val()
            && self.port.c.valid.val()
            && !self.from_ac.val().get_bits::<38>(0).any();
        self.same_bc.next = self.port.b.valid.val()
            && self.port.c.valid.val()
            && !self.from_bc.val().get_bits::<38>(0).any();
        // Of equal paths the first by name stands for all.
        self.live_b.next = self.port.b.valid.val() && !self.same_ab.val();
        self.live_c.next = self.port.c.valid.val() && !self.same_ac.val() && !self.same_bc.val();
        self.mask_a.next = self.port.a.mask.val();
        self.mask_b.next = self.port.b.mask.val();
        if self.same_bc.val() {
            self.mask_b.next = self.port.b.mask.val() | self.port.c.mask.val();
        }
        if self.same_ab.val() && self.same_ac.val() {
            self.mask_a.next =
                self.port.a.mask.val() | self.port.b.mask.val() | self.port.c.mask.val();
        } else if self.same_ab.val() {
            self.mask_a.next = self.port.a.mask.val() | self.port.b.mask.val();
        } else if self.same_ac.val() {
            self.mask_a.next = self.port.a.mask.val() | self.port.c.mask.val();
        }
        self.b_before_a.next = self.live_b.val() && !self.less_ab.val();
        self.c_before_a.next = self.live_c.val() && !self.less_ac.val();
        self.a_before_b.next = self.port.a.valid.val() && self.less_ab.val();
        self.c_before_b.next = self.live_c.val() && !self.less_bc.val();
        self.a_before_c.next = self.port.a.valid.val() && self.less_ac.val();
        self.b_before_c.next = self.live_b.val() && self.less_bc.val();
        self.first_a.next =
            self.port.a.valid.val() && !self.b_before_a.val() && !self.c_before_a.val();
        self.first_b.next = self.live_b.val() && !self.a_before_b.val() && !self.c_before_b.val();
        self.first_c.next = self.live_c.val() && !self.a_before_c.val() && !self.b_before_c.val();
        self.second_a.next =
            self.port.a.valid.val() && (self.b_before_a.val() != self.c_before_a.val());
        self.second_b.next = self.live_b.val() && (self.a_before_b.val() != self.c_before_b.val());
        self.second_c.next = self.live_c.val() && (self.a_before_c.val() != self.b_before_c.val());
        self.third_a.next =
            self.port.a.valid.val() && self.b_before_a.val() && self.c_before_a.val();
        self.third_b.next = self.live_b.val() && self.a_before_b.val() && self.c_before_b.val();
        self.third_c.next = self.live_c.val() && self.a_before_c.val() && self.b_before_c.val();

        self.port.x.valid.next = self.first_a.val() || self.first_b.val() || self.first_c.val();
        self.port.x.key.next = self.port.c.key.val();
        self.port.x.mask.next = self.port.c.mask.val();
        if self.first_a.val() {
            self.port.x.key.next = self.port.a.key.val();
            self.port.x.mask.next = self.mask_a.val();
        } else if self.first_b.val() {
            self.port.x.key.next = self.port.b.key.val();
            self.port.x.mask.next = self.mask_b.val();
        }
        self.port.y.valid.next = self.second_a.val() || self.second_b.val() || self.second_c.val();
        self.port.y.key.next = self.port.c.key.val();
        self.port.y.mask.next = self.port.c.mask.val();
        if self.second_a.val() {
            self.port.y.key.next = self.port.a.key.val();
            self.port.y.mask.next = self.mask_a.val();
        } else if self.second_b.val() {
            self.port.y.key.next = self.port.b.key.val();
            self.port.y.mask.next = self.mask_b.val();
        }
        // Three distinct paths: nothing merged.
        self.port.z.valid.next =
            self.port.park.val() || self.third_a.val() || self.third_b.val() || self.third_c.val();
        self.port.z.key.next = self.port.c.key.val();
        self.port.z.mask.next = self.port.c.mask.val();
        if self.port.park.val() || self.third_a.val() {
            self.port.z.key.next = self.port.a.key.val();
            self.port.z.mask.next = self.port.a.mask.val();
        } else if self.third_b.val() {
            self.port.z.key.next = self.port.b.key.val();
            self.port.z.mask.next = self.port.b.mask.val();
        }
        if self.port.park.val() {
            self.port.z.mask.next = self.port.park_mask.val();
        }
        self.port.x_here.next = (self.first_a.val() && self.port.a_here.val())
            || (self.first_b.val() && self.port.b_here.val())
            || (self.first_c.val() && self.port.c_here.val());
        self.port.passed.next = self.first_c.val()
            || (self.same_ac.val() && self.first_a.val())
            || (self.same_bc.val() && self.first_b.val());
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
        if self.port.park.val() {
            self.port.z.key.next = self.port.a.key.val();
            self.port.z.mask.next = self.port.park_mask.val();
        }
        self.tag_x.next = self.ab.low_tag.val();
        self.port.passed.next = self.tag_x.val().get_bit(0);
        self.port.x_here.next = self.tag_x.val().get_bit(1);
    }
}
