//! Decoding, encoding and printing of instructions, all from the one table of
//! [`super::encoding`].

use super::encoding::{ENCODINGS, Ext, Format, Op};
use super::{csr, hint};
use crate::config::Isa;
use std::fmt;

/// A decoded instruction. Operands the format does not have are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Insn {
    /// What it does.
    pub op: Op,
    /// Destination register.
    pub rd: u8,
    /// First source; the immediate of `csrr?i`.
    pub rs1: u8,
    /// Second source.
    pub rs2: u8,
    /// Sign-extended immediate, shift amount or CSR number.
    pub imm: i32,
    /// The word itself.
    pub raw: u32,
}

fn field(raw: u32, low: u32, width: u32) -> u32 {
    raw >> low & ((1 << width) - 1)
}

fn immediate(raw: u32, format: Format) -> i32 {
    let s = raw as i32;
    match format {
        Format::I | Format::Load => s >> 20,
        Format::Shift => field(raw, 20, 5) as i32,
        Format::S => s >> 25 << 5 | field(raw, 7, 5) as i32,
        Format::B => {
            s >> 31 << 12
                | (field(raw, 7, 1) << 11 | field(raw, 25, 6) << 5 | field(raw, 8, 4) << 1) as i32
        }
        Format::U => s & !0xfff,
        Format::J => {
            s >> 31 << 20
                | (field(raw, 12, 8) << 12 | field(raw, 20, 1) << 11 | field(raw, 21, 10) << 1)
                    as i32
        }
        Format::Csr | Format::CsrImm => field(raw, 20, 12) as i32,
        Format::R | Format::Amo | Format::Lr | Format::None => 0,
    }
}

impl Insn {
    /// Decodes a word for a build with the extensions of `isa`.
    pub fn decode(raw: u32, isa: Isa) -> Insn {
        let found = ENCODINGS.iter().find(|e| raw & e.mask == e.bits);
        let Some(e) = found.filter(|e| isa.has(e.ext)) else {
            return Insn { op: Op::Illegal, rd: 0, rs1: 0, rs2: 0, imm: 0, raw };
        };
        let (rd, rs1, rs2) = match e.format {
            Format::R | Format::Amo => (true, true, true),
            Format::I | Format::Shift | Format::Load | Format::Lr => (true, true, false),
            Format::Csr | Format::CsrImm => (true, true, false),
            Format::S | Format::B => (false, true, true),
            Format::U | Format::J => (true, false, false),
            Format::None => (false, false, false),
        };
        let pick = |used: bool, low| if used { field(raw, low, 5) as u8 } else { 0 };
        Insn {
            op: e.op,
            rd: pick(rd, 7),
            rs1: pick(rs1, 15),
            rs2: pick(rs2, 20),
            imm: immediate(raw, e.format),
            raw,
        }
    }

    /// The word of an instruction; operands must fit their fields.
    pub fn encode(op: Op, rd: u8, rs1: u8, rs2: u8, imm: i32) -> u32 {
        let e = op.encoding().expect("an illegal instruction has no encoding");
        let (rd, rs1, rs2) = (u32::from(rd) << 7, u32::from(rs1) << 15, u32::from(rs2) << 20);
        let u = imm as u32;
        e.bits
            | match e.format {
                Format::R | Format::Amo => rd | rs1 | rs2,
                Format::Lr => rd | rs1,
                Format::I | Format::Load => {
                    debug_assert!((-2048..2048).contains(&imm), "{op:?} {imm}");
                    rd | rs1 | u << 20
                }
                Format::Shift => rd | rs1 | (u & 31) << 20,
                Format::S => {
                    debug_assert!((-2048..2048).contains(&imm), "{op:?} {imm}");
                    rs1 | rs2 | (u >> 5 & 0x7f) << 25 | (u & 31) << 7
                }
                Format::B => {
                    debug_assert!((-4096..4096).contains(&imm) && imm & 1 == 0, "{op:?} {imm}");
                    rs1 | rs2
                        | (u >> 12 & 1) << 31
                        | (u >> 5 & 0x3f) << 25
                        | (u >> 1 & 15) << 8
                        | (u >> 11 & 1) << 7
                }
                Format::U => rd | (u & 0xffff_f000),
                Format::J => {
                    debug_assert!((-(1 << 20)..1 << 20).contains(&imm) && imm & 1 == 0);
                    rd | (u >> 20 & 1) << 31
                        | (u >> 1 & 0x3ff) << 21
                        | (u >> 11 & 1) << 20
                        | (u >> 12 & 0xff) << 12
                }
                Format::Csr | Format::CsrImm => rd | rs1 | u << 20,
                Format::None => 0,
            }
    }

    /// A link register makes `jal` and `jalr` a call.
    pub fn is_call(&self) -> bool {
        matches!(self.op, Op::Jal | Op::Jalr) && matches!(self.rd, 1 | 5)
    }

    /// `jalr x0` through a link register is a return.
    pub fn is_return(&self) -> bool {
        self.op == Op::Jalr && self.rd == 0 && matches!(self.rs1, 1 | 5)
    }

    /// The byte offset to the reconvergence PC if this is a join hint.
    pub fn join_offset(&self) -> Option<i32> {
        if self.op == Op::Slti && self.rd == 0 { hint::join_offset(self.raw) } else { None }
    }

    /// Is this one of the hints that are counted apart (join, reserved)?
    pub fn is_hint(&self) -> bool {
        matches!(self.op, Op::Slti | Op::Sltiu) && self.rd == 0
    }

    /// Text of the instruction at `pc`, with absolute branch targets.
    pub fn disassemble(&self, pc: u32) -> String {
        let Insn { op, rd, rs1, rs2, imm, raw } = *self;
        let Some(e) = op.encoding() else {
            return format!(".word {raw:#010x}");
        };
        let name = e.name;
        if let Some(offset) = self.join_offset() {
            return format!(
                "{name} x0, x{rs1}, {imm}  # join {:#x}",
                pc.wrapping_add_signed(offset)
            );
        }
        let target = pc.wrapping_add_signed(imm);
        match e.format {
            Format::R => format!("{name} x{rd}, x{rs1}, x{rs2}"),
            Format::I | Format::Shift => format!("{name} x{rd}, x{rs1}, {imm}"),
            Format::Load => format!("{name} x{rd}, {imm}(x{rs1})"),
            Format::S => format!("{name} x{rs2}, {imm}(x{rs1})"),
            Format::B => format!("{name} x{rs1}, x{rs2}, {target:#x}"),
            Format::U => format!("{name} x{rd}, {:#x}", (imm as u32) >> 12),
            Format::J => format!("{name} x{rd}, {target:#x}"),
            Format::Amo => format!("{name} x{rd}, x{rs2}, (x{rs1})"),
            Format::Lr => format!("{name} x{rd}, (x{rs1})"),
            Format::Csr => format!("{name} x{rd}, {}, x{rs1}", csr::name(imm as u16)),
            Format::CsrImm => format!("{name} x{rd}, {}, {rs1}", csr::name(imm as u16)),
            Format::None => name.to_string(),
        }
    }
}

impl fmt::Display for Insn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.disassemble(0))
    }
}

impl Isa {
    /// Does a build with this ISA have the instructions of `ext`?
    pub fn has(self, ext: Ext) -> bool {
        match ext {
            Ext::Base => true,
            Ext::M => self != Isa::Rv32i,
            Ext::A => self == Isa::Rv32ima,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decode_then_encode_gives_the_word_back(word: u32, row in 0..ENCODINGS.len()) {
            let e = &ENCODINGS[row];
            // Bits that no operand shows (aq, rl, fence fields) are cleared.
            let hidden = match e.format {
                Format::None => !e.mask,
                Format::Amo | Format::Lr => 0x0600_0000,
                _ => 0,
            };
            let word = (word & !e.mask | e.bits) & !hidden;
            let i = Insn::decode(word, Isa::Rv32ima);
            prop_assert_eq!(i.op, e.op);
            prop_assert_eq!(Insn::encode(i.op, i.rd, i.rs1, i.rs2, i.imm), word);
        }

        #[test]
        fn any_word_decodes_and_prints(word: u32) {
            let i = Insn::decode(word, Isa::Rv32ima);
            prop_assert_eq!(i.raw, word);
            prop_assert!(!i.disassemble(0x8000_0000).is_empty());
        }
    }

    #[test]
    fn known_words() {
        let text = |raw, pc| Insn::decode(raw, Isa::Rv32ima).disassemble(pc);
        assert_eq!(text(0x0010_0093, 0), "addi x1, x0, 1");
        assert_eq!(text(0xfe20_9ee3, 0x8000_0010), "bne x1, x2, 0x8000000c");
        assert_eq!(text(0xffdf_f0ef, 0x8000_0010), "jal x1, 0x8000000c");
        assert_eq!(text(0x3050_9073, 0), "csrrw x0, mtvec, x1");
        assert_eq!(text(0x00a1_2223, 0), "sw x10, 4(x2)");
        assert_eq!(text(0, 0), ".word 0x00000000");
        assert_eq!(Insn::decode(0x0221_8133, Isa::Rv32i).op, Op::Illegal);
    }
}
