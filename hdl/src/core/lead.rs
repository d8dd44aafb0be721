//! The leader of an instruction in stage 7 and the one of those who trap, and what is known of
//! them, found a cycle before it is known who agrees with them (`resolve.rs`), where a warp goes
//! through the ALU in beats. Which lane is the lowest one is found another cycle before that.

use crate::rtl::prelude::*;

regs! {
    /// What is found.
    pub struct Found [const T: usize] [T] / FoundD, FoundQ {
        lowest: U<T>,
        first: U<T>,
        first_trap: U<T>,
        chosen: U<T>,
        some: Bit,
        struck: Bit,
        wrong: Bit,
        device: Bit,
        key: U<32>,
        data: U<32>,
        lane: U<6>,
        vector: U<30>,
    }
}

block! {
    /// See the module.
    pub struct Lead [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Threads that execute, a cycle before all else, ...
            pub soon_mask: Signal<In, U<T>>,
            /// ... and with it; those who trap or return if they execute, whose target is misaligned, who
            /// are at a device.
            pub mask: Signal<In, U<T>>,
            pub bad: Signal<In, U<T>>,
            pub wrong: Signal<In, U<T>>,
            pub at_device: Signal<In, U<T>>,
            /// The leader decides for others; somebody may trap or return.
            pub keyed: Signal<In, Bit>,
            pub may_trap: Signal<In, Bit>,
            pub result: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            pub vector: [Signal<In, U<30>>; T],
        }
        output {
            /// A cycle later. Without a leader who decides, or somebody who may trap, 0.
            pub first: Signal<Out, U<T>>,
            pub first_trap: Signal<Out, U<T>>,
            pub key: Signal<Out, U<32>>,
            pub data: Signal<Out, U<32>>,
            pub lane: Signal<Out, U<6>>,
            pub lead_vector: Signal<Out, U<30>>,
            /// Those who trap or return; does anybody execute, does anybody trap or return, has the
            /// first one of those a misaligned target, is the leader at a device?
            pub chosen: Signal<Out, U<T>>,
            pub some: Signal<Out, Bit>,
            pub struck: Signal<Out, Bit>,
            pub lead_wrong: Signal<Out, Bit>,
            pub lead_device: Signal<Out, Bit>,
        }
        local {
            bad_ones: Signal<Local, U<T>>,
            one: Signal<Local, U<T>>,
            one_trap: Signal<Local, U<T>>,
            one_key: Signal<Local, U<32>>,
            one_data: Signal<Local, U<32>>,
            one_lane: Signal<Local, U<6>>,
            one_vector: Signal<Local, U<30>>,
        }
        part {
            found: Found<T> = Found::new(),
            none: Constant<U<T>> = Constant::new(0.into()),
        }
    }
}

impl<const T: usize> Logic for Lead<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.found.clock.next = self.clock.val();
        self.found.reset.next = self.reset.val();
        self.found.d.lowest.next = self.soon_mask.val() & (self.none.val() - self.soon_mask.val());
        self.one.next = self.found.q.lowest.val();
        self.bad_ones.next = self.mask.val() & self.bad.val();
        self.one_trap.next = self.bad_ones.val() & (self.none.val() - self.bad_ones.val());
        self.one_key.next = 0.into();
        self.one_data.next = 0.into();
        self.one_lane.next = 0.into();
        if self.keyed.val() {
            for i in 0..T {
                if self.one.val().get_bit(i) {
                    self.one_key.next = self.one_key.val() | self.result[i].val();
                    self.one_data.next = self.one_data.val() | self.b[i].val();
                    self.one_lane.next = self.one_lane.val() | i.to_bits::<6>();
                }
            }
        }
        self.one_vector.next = 0.into();
        if self.may_trap.val() {
            for i in 0..T {
                if self.one_trap.val().get_bit(i) {
                    self.one_vector.next = self.one_vector.val() | self.vector[i].val();
                }
            }
        }
        self.found.d.first.next = self.one.val();
        self.found.d.first_trap.next = self.one_trap.val();
        self.found.d.chosen.next = self.bad_ones.val();
        self.found.d.some.next = self.mask.val().any();
        self.found.d.struck.next = self.bad_ones.val().any();
        self.found.d.wrong.next = (self.wrong.val() & self.one_trap.val()).any();
        self.found.d.device.next = (self.at_device.val() & self.one.val()).any();
        self.found.d.key.next = self.one_key.val();
        self.found.d.data.next = self.one_data.val();
        self.found.d.lane.next = self.one_lane.val();
        self.found.d.vector.next = self.one_vector.val();
        self.first.next = self.found.q.first.val();
        self.first_trap.next = self.found.q.first_trap.val();
        self.key.next = self.found.q.key.val();
        self.data.next = self.found.q.data.val();
        self.lane.next = self.found.q.lane.val();
        self.lead_vector.next = self.found.q.vector.val();
        self.chosen.next = self.found.q.chosen.val();
        self.some.next = self.found.q.some.val();
        self.struck.next = self.found.q.struck.val();
        self.lead_wrong.next = self.found.q.wrong.val();
        self.lead_device.next = self.found.q.device.val();
    }
}
