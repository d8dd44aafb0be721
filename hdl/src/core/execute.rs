//! Stage 6, execute: the ALU of each lane, branch outcomes, jump targets, and who
//! traps. A lane takes its operation from the pipe that owns it.

use super::alu::{Alu, operations};
use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct Execute [const T: usize] [T] fn new(shape: &CoreShape) {
        input {
            pub valid: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub owner: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub imm: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub alu_op: Vec<Signal<In, U<7>>> = fresh_vec(shape.pipes),
            pub subtract: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub branch_less: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub branch_not: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub muldiv_op: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            pub mret: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub poison: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub legal: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub ecall: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub ebreak: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub branch: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub jal: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub jalr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub memory: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub atomic: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub size: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            pub a: Vec<Signal<In, U<32>>> = fresh_vec(shape.lanes()),
            /// Immediate or register, inverted to be subtracted.
            pub second: Vec<Signal<In, U<32>>> = fresh_vec(shape.lanes()),
            pub shifts: Vec<Signal<In, U<32>>> = fresh_vec(shape.lanes()),
        }
        output {
            /// Branch or jump target of the pipe's instruction, in bytes; result of `auipc`.
            pub target: Vec<Signal<Out, U<32>>> = fresh_vec(shape.pipes),
            /// A branch whose target is misaligned.
            pub askew: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub result: Vec<Signal<Out, U<32>>> = fresh_vec(shape.lanes()),
            /// The branch condition holds.
            pub taken: Signal<Out, U<T>>,
            /// The instruction as such traps; this, or all return from a trap.
            pub common: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub whole: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// Lanes whose address or target is misaligned; who trap, for this or because
            /// there is no such place or the instruction as such does, or return from a trap;
            /// whose address, if there is such a place, is that of a device.
            pub wrongs: Signal<Out, U<T>>,
            pub faults: Signal<Out, U<T>>,
            pub at_device: Signal<Out, U<T>>,
            /// Some lane is, though it may not execute.
            pub some_device: Signal<Out, Bit>,
            /// Lanes that return from a trap.
            pub returns: Signal<Out, U<T>>,
            /// There is an instruction.
            pub any: Signal<Out, Bit>,
            pub lane_warp: [Signal<Out, U<5>>; T],
            pub lane_op: [Signal<Out, U<2>>; T],
        }
        local {
            base: Vec<Signal<Local, U<32>>> = fresh_vec(shape.pipes),
            op: Signal<Local, U<7>>,
            differs: Signal<Local, Bit>,
            muldiv: Signal<Local, U<2>>,
            warp_i: Signal<Local, U<5>>,
            holds: Signal<Local, U<T>>,
            /// Lanes whose target is misaligned by bit 1; whose address is, for a size.
            jumps: Signal<Local, U<T>>,
            skew: Signal<Local, U<T>>,
            /// A whole word may be at a device.
            word: Signal<Local, Bit>,
            devices: Signal<Local, U<T>>,
            bads: Signal<Local, U<T>>,
            windows: Signal<Local, U<T>>,
            /// Lanes of a pipe.
            mine: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
        }
        part {
            alu: Alu<T> = Alu::new(shape.pipes, shape.lanes(), shape.config.ram_size, !shape.barrel()),
            ones: Constant<U<T>> = Constant::new(u64::MAX.into()),
            /// Without traps `mtvec` and `mepc` are 0.
            vectors: Constant<Bit> = Constant::new(shape.config.traps),
        }
        plain {
            _pipes: usize = shape.pipes,
            _lanes: usize = shape.lanes(),
            _operations: usize = operations::<T>(shape.pipes),
        }
    }
}

impl<const T: usize> Logic for Execute<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._pipes {
            self.base[p].next = self.pc[p].val().to_bits::<32>() << 2;
            self.target[p].next = self.base[p].val() + self.imm[p].val();
        }
        // Lanes that no other pipe owns follow the first one.
        self.mine[0].next = self.ones.val();
        for p in 1..self._pipes {
            self.mine[p].next = self.owner[p].val();
            self.mine[0].next = self.mine[0].val() & !self.owner[p].val();
        }
        self.taken.next = 0.into();
        self.returns.next = 0.into();
        for p in 0..self._pipes {
            self.holds.next = self.alu.equal.val();
            if self.branch_less[p].val() {
                self.holds.next = self.alu.less.val();
            }
            if self.branch_not[p].val() {
                self.holds.next = !self.holds.val();
            }
            self.taken.next = self.taken.val() | (self.holds.val() & self.mine[p].val());
            if self.mret[p].val() {
                self.returns.next = self.returns.val() | self.mine[p].val();
            }
        }
        // Traps.
        self.wrongs.next = 0.into();
        self.at_device.next = 0.into();
        self.bads.next = 0.into();
        self.windows.next = 0.into();
        for p in 0..self._pipes {
            self.common[p].next = self.poison[p].val()
                || !self.legal[p].val()
                || self.ecall[p].val()
                || self.ebreak[p].val();
            self.whole[p].next = self.common[p].val() || (self.mret[p].val() && self.vectors.val());
            if self.whole[p].val() {
                self.bads.next = self.bads.val() | self.mine[p].val();
            }
            // (Who takes a branch to such a place is known late: stage 7 sees to that.)
            self.jumps.next = 0.into();
            if self.target[p].val().get_bit(1) && self.jal[p].val() {
                self.jumps.next = self.ones.val();
            }
            self.askew[p].next = self.target[p].val().get_bit(1) && self.branch[p].val();
            if self.jalr[p].val() {
                self.jumps.next = self.alu.half.val();
            }
            self.word.next = self.size[p].val() == 2;
            if self.word.val() && !self.atomic[p].val() {
                self.windows.next = self.windows.val() | self.mine[p].val();
            }
            self.skew.next = 0.into();
            self.devices.next = 0.into();
            if self.memory[p].val() {
                if !(self.size[p].val() == 0) {
                    self.skew.next = self.alu.odd.val();
                }
                if self.word.val() {
                    self.skew.next = self.skew.val() | self.alu.half.val();
                    if !self.atomic[p].val() {
                        self.devices.next = self.alu.near_window.val();
                    }
                }
                self.bads.next = self.bads.val() | (self.mine[p].val() & self.alu.nowhere.val());
            }
            self.wrongs.next =
                self.wrongs.val() | (self.mine[p].val() & (self.jumps.val() | self.skew.val()));
            self.at_device.next = self.at_device.val() | (self.mine[p].val() & self.devices.val());
        }
        self.some_device.next = self.at_device.val().any();
        self.faults.next = self.wrongs.val() | self.bads.val();
        self.any.next = false;
        for p in 0..self._pipes {
            if self.valid[p].val() {
                self.any.next = true;
            }
        }
        self.alu.enable.next = self.any.val();
        self.alu.may_window.next = self.windows.val();
        for i in 0..self._operations {
            self.op.next = self.alu_op[0].val();
            self.differs.next = self.subtract[0].val();
            for p in 1..self._pipes {
                if self.owner[p].val().get_bit(i) {
                    self.op.next = self.alu_op[p].val();
                    self.differs.next = self.subtract[p].val();
                }
            }
            self.alu.op[i].next = self.op.val();
            self.alu.subtract[i].next = self.differs.val();
        }
        for i in 0..self._lanes {
            self.muldiv.next = self.muldiv_op[0].val();
            self.warp_i.next = self.warp[0].val();
            for p in 1..self._pipes {
                if self.owner[p].val().get_bit(i) {
                    self.muldiv.next = self.muldiv_op[p].val();
                    self.warp_i.next = self.warp[p].val();
                }
            }
            self.alu.rs1[i].next = self.a[i].val();
            self.alu.second[i].next = self.second[i].val();
            self.alu.shifts[i].next = self.shifts[i].val();
            self.result[i].next = self.alu.result[i].val();
            self.lane_warp[i].next = self.warp_i.val();
            self.lane_op[i].next = self.muldiv.val();
        }
        for i in self._lanes..T {
            self.lane_warp[i].next = self.warp[0].val();
            self.lane_op[i].next = self.muldiv_op[0].val();
        }
    }
}
