//! Control flow of machine instructions.

/// Where control goes after an instruction word. Targets are absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Next,
    Branch(u32),
    /// `jal`: its link register and target.
    Jump(u8, u32),
    /// `jalr`: link register, base register and offset.
    JumpRegister(u8, u8, i32),
    TrapReturn,
    /// `unimp`, or no instruction at all.
    Stop,
}

/// Decodes the instruction `word` at `pc`.
pub fn decode(word: u32, pc: u32) -> Step {
    let signed = word as i32;
    let rd = (word >> 7 & 31) as u8;
    let rs1 = (word >> 15 & 31) as u8;
    match word & 0x7f {
        0x63 => {
            let offset = (signed >> 31 << 12) as u32
                | (word >> 7 & 1) << 11
                | (word >> 25 & 0x3f) << 5
                | (word >> 8 & 0xf) << 1;
            Step::Branch(pc.wrapping_add(offset))
        }
        0x6f => {
            let offset = (signed >> 31 << 20) as u32
                | word & 0xff000
                | (word >> 20 & 1) << 11
                | (word >> 21 & 0x3ff) << 1;
            Step::Jump(rd, pc.wrapping_add(offset))
        }
        0x67 => Step::JumpRegister(rd, rs1, signed >> 20),
        _ => match word {
            0x3020_0073 => Step::TrapReturn,
            0xc000_1073 => Step::Stop,
            _ if word & 3 != 3 => Step::Stop,
            _ => Step::Next,
        },
    }
}

/// Register and value that an `auipc` at `pc` computes.
pub fn auipc(word: u32, pc: u32) -> Option<(u8, u32)> {
    let value = pc.wrapping_add(word & 0xffff_f000);
    (word & 0x7f == 0x17).then_some(((word >> 7 & 31) as u8, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_assembler() {
        let pc = 0x100;
        assert_eq!(decode(0x0205_0663, pc), Step::Branch(0x12c)); // beqz a0, +0x2c
        assert_eq!(decode(0xfe05_9ee3, pc), Step::Branch(0xfc)); // bnez a1, -4
        assert_eq!(decode(0x7590_106f, pc), Step::Jump(0, 0x2058)); // j +0x1f58
        assert_eq!(decode(0x8bcf_e06f, 0x1f78), Step::Jump(0, 0x34)); // j -0x1f44
        assert_eq!(decode(0x0000_8067, pc), Step::JumpRegister(0, 1, 0)); // ret
        assert_eq!(decode(0xff87_80e7, pc), Step::JumpRegister(1, 15, -8));
        assert_eq!(decode(0x3020_0073, pc), Step::TrapReturn);
        assert_eq!(decode(0xc000_1073, pc), Step::Stop);
        assert_eq!(decode(0x0000_0000, pc), Step::Stop);
        assert_eq!(decode(0x0050_0513, pc), Step::Next);
        assert_eq!(auipc(0x0000_1097, pc), Some((1, 0x1100)));
        assert_eq!(auipc(0x0050_0513, pc), None);
    }
}
