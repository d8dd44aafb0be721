//! Stage 5, decode: from the instruction word to control signals. One per
//! pipe; what is legal comes from the table of encodings. What the ALU does is known already
//! (`operation.rs`).

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
            /// The word is an instruction of this build. If it is not, nothing else that is said
            /// counts, which is left to stage 6: this takes longest.
            pub legal: Signal<Out, Bit>,
            /// A CSR that it accesses exists, which a barrel says in `legal` too.
            pub csr_known: Signal<Out, Bit>,
            pub auipc: Signal<Out, Bit>,
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
            extended: Signal<Local, Bit>,
            field_d: Signal<Local, U<5>>,
            field_1: Signal<Local, U<5>>,
            link_d: Signal<Local, Bit>,
            link_1: Signal<Local, Bit>,
            system: Signal<Local, U<12>>,
            multiplies: Signal<Local, Bit>,
            is_system: Signal<Local, Bit>,
            known: Signal<Local, Bit>,
        }
        part {
            masks: Vec<Constant<U<32>>> = rows(shape.config.isa, |m, _| m),
            bits: Vec<Constant<U<32>>> = rows(shape.config.isa, |_, b| b),
            check: CsrCheck = CsrCheck::new(&shape.config),
            muldiv: Constant<Bit> = Constant::new(shape.has_muldiv()),
            atomics: Constant<Bit> = Constant::new(shape.config.isa.has(Ext::A)),
            barrel: Constant<Bit> = Constant::new(shape.barrel()),
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
        self.extended.next = self.ir.val().get_bit(25);
        self.field_d.next = self.ir.val().get_bits::<5>(7);
        self.field_1.next = self.ir.val().get_bits::<5>(15);
        self.system.next = self.ir.val().get_bits::<12>(20);
        self.link_d.next = (self.field_d.val() == 1) || (self.field_d.val() == 5);
        self.link_1.next = (self.field_1.val() == 1) || (self.field_1.val() == 5);

        self.csr_writes.next = (self.f3.val().get_bits::<2>(0) == 1) || !(self.field_1.val() == 0);
        self.check.number.next = self.system.val();
        self.check.writes.next = self.csr_writes.val();
        self.csr_known.next = self.check.legal.val();
        self.known.next =
            !(self.opcode.val() == 0b11100) || (self.f3.val() == 0) || self.check.legal.val();
        if self.barrel.val() {
            self.legal.next = self.legal.val() && self.known.val();
            self.csr_known.next = true;
        }
        if self.poison.val() {
            self.legal.next = false;
        }

        // Conditions and not branches of one choice: of a register behind a choice between
        // something and 0 synthesis makes one with a clear of its own, and what leads to
        // it is then apart from all other logic.
        self.link.next = (self.opcode.val() == 0b11011) || (self.opcode.val() == 0b11001);
        self.branch.next = self.opcode.val() == 0b11000;
        self.branch_less.next = self.f3.val().get_bit(2);
        self.branch_not.next = self.f3.val().get_bit(0);
        self.jal.next = self.opcode.val() == 0b11011;
        self.jalr.next = self.opcode.val() == 0b11001;
        self.call.next = self.link.val() && self.link_d.val();
        self.ret.next = self.jalr.val() && (self.field_d.val() == 0) && self.link_1.val();
        self.auipc.next = self.opcode.val() == 0b00101;
        self.atomic.next = (self.opcode.val() == 0b01011) && self.atomics.val();
        self.store.next = self.opcode.val() == 0b01000;
        self.memory.next = self.atomic.val() || self.store.val() || (self.opcode.val() == 0b00000);
        self.size.next = self.f3.val().get_bits::<2>(0);
        self.signed.next = !self.f3.val().get_bit(2);
        self.multiplies.next =
            (self.opcode.val() == 0b01100) && self.extended.val() && self.muldiv.val();
        self.multiply.next = self.multiplies.val() && !self.f3.val().get_bit(2);
        self.divide.next = self.multiplies.val() && self.f3.val().get_bit(2);
        self.muldiv_op.next = self.f3.val().get_bits::<2>(0);
        self.is_system.next = self.opcode.val() == 0b11100;
        self.csr.next = self.is_system.val() && !(self.f3.val() == 0);
        self.csr_op.next = self.f3.val().get_bits::<2>(0);
        self.csr_imm.next = self.f3.val().get_bit(2);
        self.is_system.next = self.is_system.val() && (self.f3.val() == 0);
        self.mret.next = self.is_system.val() && (self.system.val() == 0x302);
        self.wfi.next = self.is_system.val() && (self.system.val() == 0x105);
        self.ecall.next = self.is_system.val() && (self.system.val() == 0);
        self.ebreak.next = self.is_system.val() && (self.system.val() == 1);
        self.fence_i.next = (self.opcode.val() == 0b00011) && self.f3.val().get_bit(0);

        self.memory_op.next = 0.into();
        if self.opcode.val() == 0b01000 {
            self.memory_op.next = 1.into();
        } else if (self.opcode.val() == 0b01011) && self.atomics.val() {
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
        }
    }
}
