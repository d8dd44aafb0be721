//! Stages 4 and 5, collect: operands from the register banks, and the bypass.
//!
//! ```text
//! stage 4  register numbers to the banks
//! stage 5  operands from the banks, or from the result that committed in the cycle
//!          before (producer 4 ahead; no consumer comes sooner)
//! ```
//!
//! A lane takes its register numbers from the pipe that owns it (P5). Producers and
//! consumers are compared pipe by pipe, in stage 4; a lane then forwards if the producer really
//! wrote it, so an instruction that was dropped never does (P1).
//!
//! The ALU gets its operands as it needs them, so that stage 6 begins with the addition.

use super::alu::operations;
use super::beats::Pick;
use super::operands::Operands;
use super::registers::Registers;
use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// Per pipe, stage 5.
    pub struct Collect5 [const T: usize] [T] / Collect5D, Collect5Q {
        owner: U<T>,
        /// By pipe: an operand is of the register that it writes.
        meets_a: U<8>,
        meets_b: U<8>,
    }
}

regs! {
    /// Per pipe, what was written in the last cycle.
    pub struct Written [const T: usize] [T] / WrittenD, WrittenQ {
        mask: U<T> = 0,
    }
}

regs! {
    /// Its values.
    pub struct Values [const T: usize] [T] / ValuesD, ValuesQ {
        value: [U<32>; T],
    }
}

regs! {
    /// Register 0 of every warp is written after reset.
    pub struct Start [] [] / StartD, StartQ {
        done: Bit = false,
        warp: U<5> = 0,
    }
}

block! {
    /// See the module.
    pub struct Collect [const T: usize] [T] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub warp_4: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub owner_4: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub insn_4: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            /// In beats: there is an instruction in stage 4, and the group that is picked.
            pub valid_4: Vec<Signal<In, Bit>> = fresh_vec(shape.slow()),
            pub pick: Vec<Signal<In, U<6>>> = fresh_vec(shape.slow()),
            /// There is an instruction, and what is known of it.
            pub valid_5: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub imm_5: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub use_imm_5: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub subtract_5: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub alu_op_5: Vec<Signal<In, U<7>>> = fresh_vec(shape.pipes),
            /// Results of stage 8; of no two pipes in the same lane.
            pub write: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub write_warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub write_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub write_value: [Signal<In, U<32>>; T],
            /// Late results; never for a lane that stage 8 writes.
            pub late: Signal<In, U<T>>,
            pub late_warp: Signal<In, U<5>>,
            pub late_rd: Signal<In, U<5>>,
            /// 0 without a late result.
            pub late_value: [Signal<In, U<32>>; T],
        }
        output {
            /// Nothing may issue yet.
            pub busy: Signal<Out, Bit>,
            pub a_5: Vec<Signal<Out, U<32>>> = fresh_vec(shape.lanes()),
            pub b_5: Vec<Signal<Out, U<32>>> = fresh_vec(shape.lanes()),
            /// See [`Operands`].
            pub second_5: Vec<Signal<Out, U<32>>> = fresh_vec(shape.lanes()),
            pub shifts_5: Vec<Signal<Out, U<32>>> = fresh_vec(shape.lanes()),
        }
        local {
            lane_warp: [Signal<Local, U<5>>; T],
            lane_rs1: [Signal<Local, U<5>>; T],
            lane_rs2: [Signal<Local, U<5>>; T],
            /// Of what stage 8 does not write.
            other_warp: Signal<Local, U<5>>,
            other_rd: Signal<Local, U<5>>,
            all: Signal<Local, U<T>>,
            same: Signal<Local, Bit>,
            meets: Signal<Local, Bit>,
            meets_a: Signal<Local, U<8>>,
            meets_b: Signal<Local, U<8>>,
            /// Lanes that read for a pipe.
            reads: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            /// Lanes that get an operand from what stage 8 wrote in the cycle before.
            far_a: Signal<Local, U<T>>,
            far_b: Signal<Local, U<T>>,
            /// Of a lane's pipe.
            imm: Signal<Local, U<32>>,
            use_imm: Signal<Local, Bit>,
            subtract: Signal<Local, Bit>,
            alu_op: Signal<Local, U<7>>,
        }
        part {
            registers: Registers<T> = Registers::new(shape.warps, shape.lanes()),
            r5: Vec<Collect5<T>> = (0..shape.pipes).map(|_| Collect5::new()).collect(),
            written: Vec<Written<T>> = (0..shape.pipes).map(|_| Written::new()).collect(),
            values: Values<T> = Values::new(),
            operands: Operands<T> = Operands::new(shape.pipes, shape.lanes()),
            pickers: Vec<Pick<T>> =
                (0..shape.slow()).map(|_| Pick::new(shape.lanes())).collect(),
            start: Start = Start::new(),
            last_warp: Constant<U<5>> = Constant::new((shape.warps as u64 - 1).into()),
            bypass: Constant<Bit> = Constant::new(shape.config.bypass),
            ones: Constant<U<T>> = Constant::new(u64::MAX.into()),
        }
        plain {
            _pipes: usize = shape.pipes,
            _slow: usize = shape.slow(),
            _lanes: usize = shape.lanes(),
            /// Lanes that have the bypass: all or none.
            _near: usize = if shape.slow() == 1 { 0 } else { T },
            _operations: usize = operations::<T>(shape.pipes),
        }
    }
}

impl<const T: usize> Logic for Collect<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.registers.clock.next = self.clock.val();
        self.values.clock.next = self.clock.val();
        self.values.reset.next = self.reset.val();
        for p in 0..self._pipes {
            self.r5[p].clock.next = self.clock.val();
            self.r5[p].reset.next = self.reset.val();
            self.r5[p].d.owner.next = self.owner_4[p].val();
            self.meets_a.next = 0.into();
            self.meets_b.next = 0.into();
            for w in 0..self._pipes {
                self.same.next =
                    self.bypass.val() && (self.write_warp[w].val() == self.warp_4[p].val());
                self.meets.next = self.same.val()
                    && (self.write_rd[w].val() == self.insn_4[p].val().get_bits::<5>(15));
                self.meets_a.next = self.meets_a.val().replace_bit(w, self.meets.val());
                self.meets.next = self.same.val()
                    && (self.write_rd[w].val() == self.insn_4[p].val().get_bits::<5>(20));
                self.meets_b.next = self.meets_b.val().replace_bit(w, self.meets.val());
            }
            self.r5[p].d.meets_a.next = self.meets_a.val();
            self.r5[p].d.meets_b.next = self.meets_b.val();
        }
        for i in 0..T {
            self.lane_warp[i].next = self.warp_4[0].val();
            self.lane_rs1[i].next = self.insn_4[0].val().get_bits::<5>(15);
            self.lane_rs2[i].next = self.insn_4[0].val().get_bits::<5>(20);
            for p in 1..self._pipes {
                if self.owner_4[p].val().get_bit(i) {
                    self.lane_warp[i].next = self.warp_4[p].val();
                    self.lane_rs1[i].next = self.insn_4[p].val().get_bits::<5>(15);
                    self.lane_rs2[i].next = self.insn_4[p].val().get_bits::<5>(20);
                }
            }
            self.registers.read_warp[i].next = self.lane_warp[i].val();
            self.registers.rs1[i].next = self.lane_rs1[i].val();
            self.registers.rs2[i].next = self.lane_rs2[i].val();
        }

        // Nothing has been computed or loaded yet: stage 8 writes nothing, `late_value` is 0.
        self.start.clock.next = self.clock.val();
        self.start.reset.next = self.reset.val();
        self.busy.next = !self.start.q.done.val();
        self.start.d.done.next =
            self.start.q.done.val() || (self.start.q.warp.val() == self.last_warp.val());
        self.start.d.warp.next = self.start.q.warp.val() + 1;
        self.all.next = self.late.val();
        for p in 0..self._pipes {
            self.all.next = self.all.val() | self.write[p].val();
        }
        self.registers.write.next = self.all.val();
        if self.busy.val() {
            self.registers.write.next = self.ones.val();
        }
        self.other_warp.next = self.late_warp.val();
        self.other_rd.next = self.late_rd.val();
        if self.busy.val() {
            self.other_warp.next = self.start.q.warp.val();
            self.other_rd.next = 0.into();
        }
        for i in 0..T {
            self.registers.write_warp[i].next = self.other_warp.val();
            self.registers.write_rd[i].next = self.other_rd.val();
            self.registers.write_data[i].next = self.late_value[i].val();
            self.values.d.value[i].next = self.write_value[i].val();
        }
        for p in 0..self._pipes {
            if self.write[p].val().any() {
                for i in 0..T {
                    if self.write[p].val().get_bit(i) {
                        self.registers.write_warp[i].next = self.write_warp[p].val();
                        self.registers.write_rd[i].next = self.write_rd[p].val();
                        self.registers.write_data[i].next = self.write_value[i].val();
                    }
                }
            }
        }

        // The bypass.
        self.reads[0].next = self.ones.val();
        for p in 1..self._pipes {
            self.reads[p].next = self.r5[p].q.owner.val();
            self.reads[0].next = self.reads[0].val() & !self.r5[p].q.owner.val();
        }
        self.far_a.next = 0.into();
        self.far_b.next = 0.into();
        for w in 0..self._pipes {
            self.written[w].clock.next = self.clock.val();
            self.written[w].reset.next = self.reset.val();
            self.written[w].d.mask.next = self.write[w].val();
            for p in 0..self._pipes {
                self.all.next = self.written[w].q.mask.val() & self.reads[p].val();
                if self.r5[p].q.meets_a.val().get_bit(w) {
                    self.far_a.next = self.far_a.val() | self.all.val();
                }
                if self.r5[p].q.meets_b.val().get_bit(w) {
                    self.far_b.next = self.far_b.val() | self.all.val();
                }
            }
        }
        for i in 0..self._near {
            self.a_5[i].next = self.registers.a[i].val();
            self.b_5[i].next = self.registers.b[i].val();
        }
        if self.far_a.val().any() {
            for i in 0..self._near {
                if self.far_a.val().get_bit(i) {
                    self.a_5[i].next = self.values.q.value[i].val();
                }
            }
        }
        if self.far_b.val().any() {
            for i in 0..self._near {
                if self.far_b.val().get_bit(i) {
                    self.b_5[i].next = self.values.q.value[i].val();
                }
            }
        }
        // In beats nobody needs it: a consumer comes when the banks have what it needs.
        for s in 0..self._slow {
            self.registers.read[s].next = self.valid_4[s].val();
            self.pickers[s].clock.next = self.clock.val();
            self.pickers[s].at.next = self.pick[s].val();
            for i in 0..T {
                self.pickers[s].a[i].next = self.registers.a[i].val();
                self.pickers[s].b[i].next = self.registers.b[i].val();
            }
            for i in 0..self._lanes {
                self.a_5[i].next = self.pickers[s].some_a[i].val();
                self.b_5[i].next = self.pickers[s].some_b[i].val();
            }
        }

        // What the ALU works on.
        self.operands.enable.next = false;
        for p in 0..self._pipes {
            if self.valid_5[p].val() {
                self.operands.enable.next = true;
            }
        }
        for i in 0..self._operations {
            self.imm.next = self.imm_5[0].val();
            self.use_imm.next = self.use_imm_5[0].val();
            self.subtract.next = self.subtract_5[0].val();
            self.alu_op.next = self.alu_op_5[0].val();
            for p in 1..self._pipes {
                if self.r5[p].q.owner.val().get_bit(i) {
                    self.imm.next = self.imm_5[p].val();
                    self.use_imm.next = self.use_imm_5[p].val();
                    self.subtract.next = self.subtract_5[p].val();
                    self.alu_op.next = self.alu_op_5[p].val();
                }
            }
            self.operands.imm[i].next = self.imm.val();
            self.operands.use_imm[i].next = self.use_imm.val();
            self.operands.invert[i].next = self.subtract.val();
            self.operands.op[i].next = self.alu_op.val();
        }
        for i in 0..self._lanes {
            self.operands.rs1[i].next = self.a_5[i].val();
            self.operands.rs2[i].next = self.b_5[i].val();
            self.second_5[i].next = self.operands.second[i].val();
            self.shifts_5[i].next = self.operands.shifts[i].val();
        }
    }
}
