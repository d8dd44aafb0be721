//! Statements about the system: CSR accesses and traps on purpose.

use super::assemble::Item;
use super::emit::{Emitter, RESUME, T};
use super::tree::Provoke;
use hdl::config::Counters;
use hdl::isa::{Op, csr};

impl Emitter {
    pub(super) fn csr(&mut self, which: u8, rd: u8, rs1: u8) {
        // What a warp has issued depends on the order: nobody looks.
        let counted = if self.counters == Counters::Warp { 0 } else { rd };
        let absent = self.counters == Counters::None && !self.traps;
        match which {
            1..=3 if absent => self.op(Op::Csrrs, rd, 0, 0, csr::MISA.into()),
            0 => self.op(Op::Csrrs, rd, 0, 0, csr::MHARTID.into()),
            1 => self.op(Op::Csrrs, counted, 0, 0, csr::MINSTRET.into()),
            2 => self.op(Op::Csrrw, counted, rs1, 0, csr::MINSTRET.into()),
            3 => self.op(Op::Csrrw, rd, rs1, 0, csr::MCOUNTINHIBIT.into()),
            _ => self.op(Op::Csrrw, rd, rs1, 0, csr::MSCRATCH.into()),
        }
    }

    /// Nothing on a core without traps.
    pub(super) fn trap(&mut self, provoke: Provoke) {
        if !self.traps {
            return;
        }
        match provoke {
            Provoke::Ecall => self.op(Op::Ecall, 0, 0, 0, 0),
            Provoke::Ebreak => self.op(Op::Ebreak, 0, 0, 0, 0),
            Provoke::Illegal => self.items.push(Item::Word(0xffff_ffff)),
            Provoke::Csr => self.op(Op::Csrrs, 6, 0, 0, 0x180),
            Provoke::LoadFault => self.op(Op::Lw, 6, 0, 0, 16),
            Provoke::StoreFault => self.op(Op::Sw, 0, 0, 6, 16),
            Provoke::FetchFault | Provoke::Crooked => {
                let back = self.label();
                self.items.push(Item::La(RESUME, back));
                let offset = if provoke == Provoke::Crooked { 2 } else { 0 };
                if offset != 0 {
                    self.op(Op::Jalr, 6, RESUME, 0, offset);
                } else {
                    self.op(Op::Lui, T, 0, 0, 0x4000_0000);
                    self.op(Op::Jalr, 0, T, 0, 0);
                }
                self.place(back);
            }
        }
    }
}
