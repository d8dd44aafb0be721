//! Join hints: `slti x0, rs1, imm12` names the reconvergence PC of the branch
//! or `jalr` that follows it (`docs/platform.md`).

/// Opcode, funct3 and rd of a join hint, and the mask that selects them.
const MATCH: u32 = 0x0000_2013;
const MASK: u32 = 0x0000_7fff;
/// Reach of a hint in words, as `(lowest, highest)` offset.
pub const JOIN_RANGE: (i32, i32) = (-(1 << 16), (1 << 16) - 1);

/// The byte offset from the hint to its reconvergence PC, if `insn` is one.
pub fn join_offset(insn: u32) -> Option<i32> {
    if insn & MASK != MATCH {
        return None;
    }
    let field = ((insn >> 15 & 31) << 12) | insn >> 20;
    Some(((field << 15) as i32 >> 15) * 4)
}

/// The hint whose reconvergence PC lies `bytes` after it; `None` when that is
/// out of reach or not a whole number of words.
pub fn join_hint(bytes: i32) -> Option<u32> {
    let words = bytes / 4;
    if bytes % 4 != 0 || words < JOIN_RANGE.0 || words > JOIN_RANGE.1 {
        return None;
    }
    let field = words as u32 & 0x1ffff;
    Some(MATCH | (field >> 12) << 15 | (field & 0xfff) << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_survives_and_the_next_one_is_refused() {
        for words in JOIN_RANGE.0..=JOIN_RANGE.1 {
            assert_eq!(join_offset(join_hint(words * 4).unwrap()), Some(words * 4));
        }
        assert_eq!(join_hint((JOIN_RANGE.1 + 1) * 4), None);
        assert_eq!(join_hint((JOIN_RANGE.0 - 1) * 4), None);
        assert_eq!(join_hint(6), None);
    }

    #[test]
    fn neighbours_are_not_hints() {
        assert_eq!(join_offset(0x0000_3013), None); // sltiu x0: reserved
        assert_eq!(join_offset(0x0000_2093), None); // slti x1
        assert_eq!(join_offset(0x0000_0013), None); // nop
    }
}
