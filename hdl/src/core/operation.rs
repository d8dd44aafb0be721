//! Stage 4: what the ALU does, and the immediate. One per pipe, ahead of all else that decode
//! (`decode.rs`) finds out, for all lanes need it at the end of stage 5.

use super::shape::CoreShape;
use crate::isa::encoding::Ext;
use crate::rtl::prelude::*;

block! {
    /// See the module. Of what is not legal nothing matters.
    pub struct Operation [] [] fn new(shape: &CoreShape) {
        input { pub insn: Signal<In, U<32>>, }
        output {
            pub imm: Signal<Out, U<32>>,
            pub alu_op: Signal<Out, U<7>>,
            /// It is a difference or a comparison.
            pub subtract: Signal<Out, Bit>,
            pub use_imm: Signal<Out, Bit>,
        }
        local {
            ir: Signal<Local, U<32>>,
            opcode: Signal<Local, U<5>>,
            f3: Signal<Local, U<3>>,
            alternate: Signal<Local, Bit>,
            fill: Signal<Local, U<32>>,
            imm_i: Signal<Local, U<32>>,
            imm_s: Signal<Local, U<32>>,
            imm_b: Signal<Local, U<32>>,
            imm_j: Signal<Local, U<32>>,
            arithmetic: Signal<Local, Bit>,
            upper_imm: Signal<Local, Bit>,
            // The bits of `alu_op`.
            first: Signal<Local, Bit>,
            second: Signal<Local, Bit>,
            adds: Signal<Local, Bit>,
            compares: Signal<Local, Bit>,
            logical: Signal<Local, Bit>,
            left: Signal<Local, Bit>,
            right: Signal<Local, Bit>,
        }
        part {
            atomics: Constant<Bit> = Constant::new(shape.config.isa.has(Ext::A)),
            ones: Constant<U<32>> = Constant::new(u64::MAX.into()),
            upper: Constant<U<32>> = Constant::new(0xffff_f000.into()),
        }
    }
}

impl Logic for Operation {
    #[hdl_gen]
    fn update(&mut self) {
        self.ir.next = self.insn.val();
        self.opcode.next = self.ir.val().get_bits::<5>(2);
        self.f3.next = self.ir.val().get_bits::<3>(12);
        self.alternate.next = self.ir.val().get_bit(30);
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

        // Of what is not legal no operation matters. Arithmetic is with a register (bit 5 of
        // the word) or an immediate.
        self.arithmetic.next = (self.opcode.val() & 0b10111) == 0b00100;
        self.use_imm.next =
            !(self.opcode.val() == 0b11000) && !(self.arithmetic.val() && self.ir.val().get_bit(5));
        self.upper_imm.next = self.opcode.val() == 0b01101;
        self.right.next = self.arithmetic.val() && (self.f3.val() == 5);
        self.left.next = self.arithmetic.val() && (self.f3.val() == 1);
        self.logical.next = self.upper_imm.val()
            || (self.arithmetic.val() && self.f3.val().get_bit(2) && !(self.f3.val() == 5));
        self.compares.next =
            (self.opcode.val() == 0b11000) || (self.arithmetic.val() && ((self.f3.val() & 6) == 2));
        self.adds.next =
            !self.right.val() && !self.left.val() && !self.logical.val() && !self.compares.val();
        self.second.next = self.upper_imm.val() || (self.arithmetic.val() && (self.f3.val() == 7));
        self.first.next = self.upper_imm.val()
            || ((self.opcode.val() == 0b11000) && self.f3.val().get_bit(1))
            || (self.arithmetic.val()
                && ((self.f3.val() == 3)
                    || (self.f3.val() == 6)
                    || ((self.f3.val() == 5) && self.alternate.val())
                    || ((self.f3.val() == 0) && self.ir.val().get_bit(5) && self.alternate.val())));
        self.subtract.next = self.compares.val() || (self.adds.val() && self.first.val());
        self.alu_op.next = 0.into();
        self.alu_op.next = self.alu_op.val().replace_bit(0, self.first.val());
        self.alu_op.next = self.alu_op.val().replace_bit(1, self.second.val());
        self.alu_op.next = self.alu_op.val().replace_bit(2, self.adds.val());
        self.alu_op.next = self.alu_op.val().replace_bit(3, self.compares.val());
        self.alu_op.next = self.alu_op.val().replace_bit(4, self.logical.val());
        self.alu_op.next = self.alu_op.val().replace_bit(5, self.left.val());
        self.alu_op.next = self.alu_op.val().replace_bit(6, self.right.val());

        // Of what is legal: lui and auipc, jal, branch, store, atomic; the others have an I-type
        // immediate or none.
        self.imm.next = self.imm_i.val();
        if (self.opcode.val() & 0b00101) == 0b00101 {
            self.imm.next = self.ir.val() & self.upper.val();
        } else if (self.opcode.val() & 0b10010) == 0b10010 {
            self.imm.next = self.imm_j.val();
        } else if (self.opcode.val() & 0b10111) == 0b10000 {
            self.imm.next = self.imm_b.val();
        } else if (self.opcode.val() & 0b11110) == 0b01000 {
            self.imm.next = self.imm_s.val();
        } else if ((self.opcode.val() & 0b11010) == 0b01010) && self.atomics.val() {
            self.imm.next = 0.into();
        }
    }
}
