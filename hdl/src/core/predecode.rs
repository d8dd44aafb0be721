//! Stage 2, predecode: the static next PC, the registers an instruction uses,
//! join hints.
//!
//! Branches backward are predicted taken, forward ones not taken. Instructions
//! whose successor only commit knows (`jalr`, CSR access, traps, `wfi`,
//! `fence.i`) stop the view's fetch until the redirect that follows them.

use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

/// What the scheduler must know of an instruction.
pub mod class {
    /// Computes.
    pub const PLAIN: u64 = 0;
    /// Needs the memory port.
    pub const MEMORY: u64 = 1;
    /// Needs the divider.
    pub const DIVIDE: u64 = 2;
    /// Issues only when everything before it in its view has committed.
    pub const SERIAL: u64 = 3;
}

regs! {
    /// A bit per view.
    pub struct PredecodeState [] [] / PredecodeStateD, PredecodeStateQ {
        /// The instruction before was a hint.
        hinted: U<64> = 0,
    }
}

block! {
    /// See the module.
    pub struct Predecode [] [] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub valid_2: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub view_2: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub pc_2: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub insn_2: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub poison_2: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub flush: Signal<In, U<64>>,
            /// The instruction was pushed, in a barrel: it issues.
            pub goes_on: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
        }
        output {
            /// An instruction enters the window of its view, unless that is flushed.
            pub push: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub next_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub stop: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub taken: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub rs1: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub rs2: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub rd: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub class: Vec<Signal<Out, U<2>>> = fresh_vec(shape.pipes),
            pub hint: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub hint_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
        }
        local {
            opcode: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            f3: Vec<Signal<Local, U<3>>> = fresh_vec(shape.pipes),
            wide: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            sign: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            step: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            fill: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            field_d: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            field_1: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            field_2: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            f7: Vec<Signal<Local, U<7>>> = fresh_vec(shape.pipes),
            far_bits: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            near_bits: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            is_hint: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            reach: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            hinted: Signal<Local, U<64>>,
        }
        part {
            state: PredecodeState = PredecodeState::new(),
            /// Per view: the target of the hint just before.
            hints: Table<30> = Table::data(shape.views(), shape.pipes, shape.pipes),
            ones: Constant<U<30>> = Constant::new(u64::MAX.into()),
            barrel: Constant<Bit> = Constant::new(shape.barrel()),
            hints_on: Constant<Bit> = Constant::new(shape.config.divergence.needs_join_hints),
        }
        plain { _pipes: usize = shape.pipes, }
    }
}

impl Logic for Predecode {
    #[hdl_gen]
    fn update(&mut self) {
        self.hints.clock.next = self.clock.val();
        self.hints.reset.next = self.reset.val();
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.hinted.next = self.state.q.hinted.val();
        for p in 0..self._pipes {
            // What a flush of this cycle empties a push cannot fill: only a barrel, which has no
            // window, has to look.
            self.push[p].next = self.valid_2[p].val();
            if self.barrel.val() && self.flush.val().get_bit(self.view_2[p].val().index()) {
                self.push[p].next = false;
            }
            self.opcode[p].next = self.insn_2[p].val().get_bits::<5>(2);
            self.wide[p].next = self.insn_2[p].val().get_bits::<2>(0) == 3;
            self.f3[p].next = self.insn_2[p].val().get_bits::<3>(12);
            self.f7[p].next = self.insn_2[p].val().get_bits::<7>(25);
            self.field_d[p].next = self.insn_2[p].val().get_bits::<5>(7);
            self.field_1[p].next = self.insn_2[p].val().get_bits::<5>(15);
            self.field_2[p].next = self.insn_2[p].val().get_bits::<5>(20);
            self.sign[p].next = self.insn_2[p].val().get_bit(31);
            self.fill[p].next = 0.into();
            if self.sign[p].val() {
                self.fill[p].next = self.ones.val();
            }

            // Word offset of a branch or jump; a target between words traps at
            // resolve and is redirected. (Whatever else begins with these bits stops.)
            self.step[p].next = 1.into();
            self.far_bits[p].next = self.fill[p].val() << 18
                | self.insn_2[p].val().get_bits::<8>(12).to_bits::<30>() << 10
                | self.insn_2[p].val().get_bits::<1>(20).to_bits::<30>() << 9
                | self.insn_2[p].val().get_bits::<9>(22).to_bits::<30>();
            self.near_bits[p].next = self.fill[p].val() << 10
                | self.insn_2[p].val().get_bits::<1>(7).to_bits::<30>() << 9
                | self.insn_2[p].val().get_bits::<6>(25).to_bits::<30>() << 3
                | self.insn_2[p].val().get_bits::<3>(9).to_bits::<30>();
            if self.opcode[p].val().get_bits::<2>(3) == 3 {
                if self.opcode[p].val().get_bit(1) {
                    // jal: imm[20|10:1|11|19:12]
                    self.step[p].next = self.far_bits[p].val();
                } else if self.sign[p].val() {
                    // branch: imm[12|10:5], imm[4:1|11]
                    self.step[p].next = self.near_bits[p].val();
                }
            }
            self.stop[p].next = false;
            self.taken[p].next = false;
            self.rs1[p].next = 0.into();
            self.rs2[p].next = 0.into();
            self.rd[p].next = 0.into();
            self.class[p].next = 0.into();
            self.is_hint[p].next = false;
            if !self.wide[p].val() || self.poison_2[p].val() {
                self.stop[p].next = true;
            } else if self.opcode[p].val() == 0b11011 {
                // jal
                self.rd[p].next = self.field_d[p].val();
            } else if self.opcode[p].val() == 0b11000 {
                // branch
                self.rs1[p].next = self.field_1[p].val();
                self.rs2[p].next = self.field_2[p].val();
                self.taken[p].next = self.sign[p].val();
            } else if self.opcode[p].val() == 0b11001 {
                // jalr
                self.stop[p].next = true;
                self.rs1[p].next = self.field_1[p].val();
                self.rd[p].next = self.field_d[p].val();
            } else if self.opcode[p].val() == 0b00000 {
                // load
                self.class[p].next = 1.into();
                self.rs1[p].next = self.field_1[p].val();
                self.rd[p].next = self.field_d[p].val();
            } else if self.opcode[p].val() == 0b01000 {
                // store
                self.class[p].next = 1.into();
                self.rs1[p].next = self.field_1[p].val();
                self.rs2[p].next = self.field_2[p].val();
            } else if self.opcode[p].val() == 0b01011 {
                // AMO, LR, SC
                self.class[p].next = 1.into();
                self.rs1[p].next = self.field_1[p].val();
                self.rs2[p].next = self.field_2[p].val();
                self.rd[p].next = self.field_d[p].val();
            } else if self.opcode[p].val() == 0b01100 {
                // register-register
                self.rs1[p].next = self.field_1[p].val();
                self.rs2[p].next = self.field_2[p].val();
                self.rd[p].next = self.field_d[p].val();
                if (self.f7[p].val() == 1) && self.f3[p].val().get_bit(2) {
                    self.class[p].next = 2.into();
                }
            } else if self.opcode[p].val() == 0b00100 {
                // register-immediate
                self.rs1[p].next = self.field_1[p].val();
                self.rd[p].next = self.field_d[p].val();
                self.is_hint[p].next =
                    (self.field_d[p].val() == 0) && (self.f3[p].val() == 2) && self.hints_on.val();
            } else if (self.opcode[p].val() == 0b01101) || (self.opcode[p].val() == 0b00101) {
                // lui, auipc
                self.rd[p].next = self.field_d[p].val();
            } else if self.opcode[p].val() == 0b00011 {
                // fence, fence.i
                self.stop[p].next = !(self.f3[p].val() == 0);
            } else {
                // CSR access, traps, mret, wfi, anything illegal
                self.stop[p].next = true;
                self.class[p].next = 3.into();
                self.rs1[p].next = self.field_1[p].val();
                self.rd[p].next = self.field_d[p].val();
            }
            self.next_pc[p].next = self.pc_2[p].val() + self.step[p].val();

            // The hint's 17 bits of words, {rs1, imm12}, from its own PC.
            self.reach[p].next = self.insn_2[p].val().get_bits::<12>(20).to_bits::<30>()
                | self.field_1[p].val().to_bits::<30>() << 12;
            if self.field_1[p].val().get_bit(4) {
                self.reach[p].next = self.reach[p].val() | self.ones.val() << 17;
            }
            self.reach[p].next = self.pc_2[p].val() + self.reach[p].val();
            self.hints.read_address[p].next = self.view_2[p].val().to_bits::<8>();
            self.hint[p].next = self.hinted.val().get_bit(self.view_2[p].val().index());
            self.hint_pc[p].next = self.hints.read_data[p].val();
            self.hints.write[p].next = self.push[p].val() && self.is_hint[p].val();
            self.hints.write_address[p].next = self.view_2[p].val().to_bits::<8>();
            self.hints.write_data[p].next = self.reach[p].val();
            if self.goes_on[p].val() {
                self.hinted.next = self
                    .hinted
                    .val()
                    .replace_bit(self.view_2[p].val().index(), self.is_hint[p].val());
            }
        }
        self.state.d.hinted.next = self.hinted.val() & !self.flush.val();
    }
}
