//! Stage 5, decode: from the instruction word to control signals. One per
//! pipe; what is legal comes from the table of encodings.

use super::csr_check::CsrCheck;
use super::shape::CoreShape;
use crate::config::Isa;
use crate::isa::encoding::{ENCODINGS, Ext};
use crate::rtl::prelude::*;

/// Masks and values of the instructions that a configuration has.
fn rows(isa: Isa, f: fn(u32, u32) -> u32) -> Vec<Constant<U<32>>> {
    ENCODINGS
        .iter()
        .filter(|e| isa.has(e.ext))
        .map(|e| Constant::new(u64::from(f(e.mask, e.bits)).into()))
        .collect()
}

block! {
    /// See the module.
    pub struct Decode [] [] fn new(shape: &CoreShape) {
        input {
            pub insn: Signal<In, U<32>>,
            pub poison: Signal<In, Bit>,
        }
        output {
            /// The word is an instruction of this build.
            pub legal: Signal<Out, Bit>,
            pub imm: Signal<Out, U<32>>,
            pub alu_op: Signal<Out, U<7>>,
            pub use_imm: Signal<Out, Bit>,
            pub auipc: Signal<Out, Bit>,
            /// Destination, 0 for none.
            pub rd: Signal<Out, U<5>>,
            /// The result is the PC after the instruction.
            pub link: Signal<Out, Bit>,
            pub branch: Signal<Out, Bit>,
            /// Taken if less (else if equal), or if not.
            pub branch_less: Signal<Out, Bit>,
            pub branch_not: Signal<Out, Bit>,
            pub jal: Signal<Out, Bit>,
            pub jalr: Signal<Out, Bit>,
            /// Uses the data port.
            pub memory: Signal<Out, Bit>,
            pub store: Signal<Out, Bit>,
            /// AMO, LR, SC.
            pub atomic: Signal<Out, Bit>,
            pub memory_op: Signal<Out, U<4>>,
            /// 0 byte, 1 half, 2 word.
            pub size: Signal<Out, U<2>>,
            pub signed: Signal<Out, Bit>,
            pub multiply: Signal<Out, Bit>,
            pub divide: Signal<Out, Bit>,
            /// Which of the multiplies or divides.
            pub muldiv_op: Signal<Out, U<2>>,
            pub csr: Signal<Out, Bit>,
            /// 1 write, 2 set, 3 clear.
            pub csr_op: Signal<Out, U<2>>,
            pub csr_writes: Signal<Out, Bit>,
            pub csr_imm: Signal<Out, Bit>,
            pub mret: Signal<Out, Bit>,
            pub wfi: Signal<Out, Bit>,
            pub fence_i: Signal<Out, Bit>,
            pub ecall: Signal<Out, Bit>,
            pub ebreak: Signal<Out, Bit>,
            /// Links (call) or returns.
            pub call: Signal<Out, Bit>,
            pub ret: Signal<Out, Bit>,
        }
        local {
            ir: Signal<Local, U<32>>,
            hit: Signal<Local, U<32>>,
            opcode: Signal<Local, U<5>>,
            f3: Signal<Local, U<3>>,
            f5: Signal<Local, U<5>>,
            alternate: Signal<Local, Bit>,
            extended: Signal<Local, Bit>,
            field_d: Signal<Local, U<5>>,
            field_1: Signal<Local, U<5>>,
            fill: Signal<Local, U<32>>,
            imm_i: Signal<Local, U<32>>,
            imm_s: Signal<Local, U<32>>,
            imm_b: Signal<Local, U<32>>,
            imm_j: Signal<Local, U<32>>,
            link_d: Signal<Local, Bit>,
            link_1: Signal<Local, Bit>,
            system: Signal<Local, U<12>>,
        }
        part {
            masks: Vec<Constant<U<32>>> = rows(shape.config.isa, |m, _| m),
            bits: Vec<Constant<U<32>>> = rows(shape.config.isa, |_, b| b),
            check: CsrCheck = CsrCheck::new(&shape.config),
            muldiv: Constant<Bit> = Constant::new(shape.has_muldiv()),
            atomics: Constant<Bit> = Constant::new(shape.config.isa.has(Ext::A)),
            ones: Constant<U<32>> = Constant::new(u64::MAX.into()),
            upper: Constant<U<32>> = Constant::new(0xffff_f000.into()),
        }
        plain { _rows: usize = rows(shape.config.isa, |m, _| m).len(), }
    }
}

impl Logic for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        self.ir.next = self.insn.val();
        self.legal.next = false;
        for i in 0..self._rows {
            self.hit.next = self.ir.val() & self.masks[i].val();
            if self.hit.val() == self.bits[i].val() {
                self.legal.next = true;
            }
        }
        self.opcode.next = self.ir.val().get_bits::<5>(2);
        self.f3.next = self.ir.val().get_bits::<3>(12);
        self.f5.next = self.ir.val().get_bits::<5>(27);
        self.alternate.next = self.ir.val().get_bit(30);
        self.extended.next = self.ir.val().get_bit(25);
        self.field_d.next = self.ir.val().get_bits::<5>(7);
        self.field_1.next = self.ir.val().get_bits::<5>(15);
        self.system.next = self.ir.val().get_bits::<12>(20);
        self.fill.next = 0.into();
        if self.ir.val().get_bit(31) {
            self.fill.next = self.ones.val();
        }
        self.imm_i.next = self.fill.val() << 12 | self.ir.val().get_bits::<12>(20).to_bits::<32>();
        self.imm_s.next = self.fill.val() << 12
            | self.ir.val().get_bits::<7>(25).to_bits::<32>() << 5
            | self.ir.val().get_bits::<5>(7).to_bits::<32>();
        self.imm_b.next = self.fill.val() << 12
            | self.ir.val().get_bits::<1>(7).to_bits::<32>() << 11
            | self.ir.val().get_bits::<6>(25).to_bits::<32>() << 5
            | self.ir.val().get_bits::<4>(8).to_bits::<32>() << 1;
        self.imm_j.next = self.fill.val() << 20
            | self.ir.val().get_bits::<8>(12).to_bits::<32>() << 12
            | self.ir.val().get_bits::<1>(20).to_bits::<32>() << 11
            | self.ir.val().get_bits::<10>(21).to_bits::<32>() << 1;
        self.link_d.next = (self.field_d.val() == 1) || (self.field_d.val() == 5);
        self.link_1.next = (self.field_1.val() == 1) || (self.field_1.val() == 5);

        self.csr_writes.next = (self.f3.val().get_bits::<2>(0) == 1) || !(self.field_1.val() == 0);
        self.check.number.next = self.system.val();
        self.check.writes.next = self.csr_writes.val();
        if (self.opcode.val() == 0b11100) && !(self.f3.val() == 0) && !self.check.legal.val() {
            self.legal.next = false;
        }
        if self.poison.val() {
            self.legal.next = false;
        }

        self.imm.next = self.imm_i.val();
        self.alu_op.next = 4.into();
        self.use_imm.next = true;
        self.auipc.next = false;
        self.rd.next = self.field_d.val();
        self.link.next = false;
        self.branch.next = false;
        self.branch_less.next = self.f3.val().get_bit(2);
        self.branch_not.next = self.f3.val().get_bit(0);
        self.jal.next = false;
        self.jalr.next = false;
        self.memory.next = false;
        self.store.next = false;
        self.atomic.next = false;
        self.memory_op.next = 0.into();
        self.size.next = self.f3.val().get_bits::<2>(0);
        self.signed.next = !self.f3.val().get_bit(2);
        self.multiply.next = false;
        self.divide.next = false;
        self.muldiv_op.next = self.f3.val().get_bits::<2>(0);
        self.csr.next = false;
        self.csr_op.next = self.f3.val().get_bits::<2>(0);
        self.csr_imm.next = self.f3.val().get_bit(2);
        self.mret.next = false;
        self.wfi.next = false;
        self.fence_i.next = false;
        self.ecall.next = false;
        self.ebreak.next = false;
        self.call.next = false;
        self.ret.next = false;
        if !self.legal.val() {
            self.rd.next = 0.into();
        } else if self.opcode.val() == 0b01101 {
            // lui
            self.alu_op.next = 19.into();
            self.imm.next = self.ir.val() & self.upper.val();
        } else if self.opcode.val() == 0b00101 {
            // auipc
            self.auipc.next = true;
            self.imm.next = self.ir.val() & self.upper.val();
        } else if self.opcode.val() == 0b11011 {
            self.jal.next = true;
            self.link.next = true;
            self.call.next = self.link_d.val();
            self.imm.next = self.imm_j.val();
        } else if self.opcode.val() == 0b11001 {
            self.jalr.next = true;
            self.link.next = true;
            self.call.next = self.link_d.val();
            self.ret.next = (self.field_d.val() == 0) && self.link_1.val();
        } else if self.opcode.val() == 0b11000 {
            // branch: compares rs1 and rs2
            self.branch.next = true;
            self.rd.next = 0.into();
            self.use_imm.next = false;
            self.alu_op.next = 8.into();
            if self.f3.val().get_bit(1) {
                self.alu_op.next = 9.into();
            }
            self.imm.next = self.imm_b.val();
        } else if self.opcode.val() == 0b00000 {
            self.memory.next = true;
        } else if self.opcode.val() == 0b01000 {
            self.memory.next = true;
            self.store.next = true;
            self.memory_op.next = 1.into();
            self.rd.next = 0.into();
            self.imm.next = self.imm_s.val();
        } else if (self.opcode.val() == 0b01011) && self.atomics.val() {
            self.memory.next = true;
            self.atomic.next = true;
            self.imm.next = 0.into();
            self.memory_op.next = 4.into();
            if self.f5.val() == 0b00010 {
                self.memory_op.next = 2.into();
            } else if self.f5.val() == 0b00011 {
                self.memory_op.next = 3.into();
            } else if self.f5.val() == 0b00000 {
                self.memory_op.next = 5.into();
            } else if self.f5.val() == 0b00100 {
                self.memory_op.next = 6.into();
            } else if self.f5.val() == 0b01100 {
                self.memory_op.next = 7.into();
            } else if self.f5.val() == 0b01000 {
                self.memory_op.next = 8.into();
            } else if self.f5.val() == 0b10000 {
                self.memory_op.next = 9.into();
            } else if self.f5.val() == 0b10100 {
                self.memory_op.next = 10.into();
            } else if self.f5.val() == 0b11000 {
                self.memory_op.next = 11.into();
            } else if self.f5.val() == 0b11100 {
                self.memory_op.next = 12.into();
            }
        } else if self.opcode.val() == 0b00011 {
            self.rd.next = 0.into();
            self.fence_i.next = self.f3.val().get_bit(0);
        } else if self.opcode.val() == 0b11100 {
            self.csr.next = !(self.f3.val() == 0);
            if self.f3.val() == 0 {
                self.rd.next = 0.into();
                self.mret.next = self.system.val() == 0x302;
                self.wfi.next = self.system.val() == 0x105;
                self.ecall.next = self.system.val() == 0;
                self.ebreak.next = self.system.val() == 1;
            }
        } else {
            // Arithmetic with a register (bit 5 of the word) or an immediate.
            self.use_imm.next = !self.ir.val().get_bit(5);
            if self.ir.val().get_bit(5) && self.extended.val() && self.muldiv.val() {
                self.multiply.next = !self.f3.val().get_bit(2);
                self.divide.next = self.f3.val().get_bit(2);
            }
            if self.f3.val() == 0 {
                if self.ir.val().get_bit(5) && self.alternate.val() {
                    self.alu_op.next = 5.into();
                }
            } else if self.f3.val() == 1 {
                self.alu_op.next = 32.into();
            } else if self.f3.val() == 2 {
                self.alu_op.next = 8.into();
            } else if self.f3.val() == 3 {
                self.alu_op.next = 9.into();
            } else if self.f3.val() == 4 {
                self.alu_op.next = 16.into();
            } else if self.f3.val() == 5 {
                self.alu_op.next = 64.into();
                if self.alternate.val() {
                    self.alu_op.next = 65.into();
                }
            } else if self.f3.val() == 6 {
                self.alu_op.next = 17.into();
            } else {
                self.alu_op.next = 18.into();
            }
        }
    }
}
