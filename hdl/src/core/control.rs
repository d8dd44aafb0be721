//! Codes of the control signals between decode and the lane blocks.

/// Operations of the ALU: a bit for what gives the result (adder, comparison, logic,
/// left and right shift) above two bits that say more. SLT and SLTU also serve branches.
pub mod alu_op {
    /// The adder.
    pub const ADDS: u64 = 1 << 2;
    /// The sign of the difference.
    pub const COMPARES: u64 = 1 << 3;
    /// The logic functions.
    pub const LOGICAL: u64 = 1 << 4;
    /// Shift left.
    pub const LEFT: u64 = 1 << 5;
    /// Shift right.
    pub const RIGHT: u64 = 1 << 6;
    /// a + b
    pub const ADD: u64 = ADDS;
    /// a - b
    pub const SUB: u64 = ADDS + 1;
    /// a < b, signed
    pub const SLT: u64 = COMPARES;
    /// a < b, unsigned
    pub const SLTU: u64 = COMPARES + 1;
    /// a ^ b
    pub const XOR: u64 = LOGICAL;
    /// a | b
    pub const OR: u64 = LOGICAL + 1;
    /// a & b
    pub const AND: u64 = LOGICAL + 2;
    /// b
    pub const LUI: u64 = LOGICAL + 3;
    /// a << b
    pub const SLL: u64 = LEFT;
    /// a >> b, zeros from the left
    pub const SRL: u64 = RIGHT;
    /// a >> b, sign from the left
    pub const SRA: u64 = RIGHT + 1;
}

/// Operations of the multiplier: `funct3`.
pub mod multiply_op {
    /// Low word.
    pub const MUL: u64 = 0;
    /// High word, signed x signed.
    pub const MULH: u64 = 1;
    /// High word, signed x unsigned.
    pub const MULHSU: u64 = 2;
    /// High word, unsigned x unsigned.
    pub const MULHU: u64 = 3;
}

/// Operations of the divider: low bits of `funct3`.
pub mod divide_op {
    /// Signed quotient.
    pub const DIV: u64 = 0;
    /// Unsigned quotient.
    pub const DIVU: u64 = 1;
    /// Signed remainder.
    pub const REM: u64 = 2;
    /// Unsigned remainder.
    pub const REMU: u64 = 3;
}

/// How a CSR instruction changes the CSR: low bits of `funct3`.
pub mod csr_op {
    /// Replace.
    pub const WRITE: u64 = 1;
    /// Set bits.
    pub const SET: u64 = 2;
    /// Clear bits.
    pub const CLEAR: u64 = 3;
}

/// Sizes of memory accesses: low bits of `funct3`.
pub mod size {
    /// 8 bits.
    pub const BYTE: u64 = 0;
    /// 16 bits.
    pub const HALF: u64 = 1;
    /// 32 bits.
    pub const WORD: u64 = 2;
}
