//! What one thread wants to do: the semantics of every instruction, for one
//! thread at a time and without side effects.

use crate::csr::CsrFile;
use hdl::isa::csr::cause;
use hdl::isa::{Insn, Op};

/// Architectural state of one hart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hart {
    /// Registers; x0 stays zero.
    pub x: [u32; 32],
    /// Next instruction.
    pub pc: u32,
    /// Call depth.
    pub depth: u32,
    /// Control and status registers.
    pub csr: CsrFile,
    /// Completed instructions.
    pub instret: u64,
    /// Is it parked, or never started?
    pub parked: bool,
    /// Store clock at its last `fence.i`.
    pub fence_i: u64,
}

/// A memory operation that a thread asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryOp {
    /// Which instruction.
    pub op: Op,
    /// Byte address.
    pub addr: u32,
    /// Store data or AMO operand.
    pub data: u32,
}

impl MemoryOp {
    /// Bytes accessed.
    pub fn size(&self) -> u32 {
        match self.op {
            Op::Lb | Op::Lbu | Op::Sb => 1,
            Op::Lh | Op::Lhu | Op::Sh => 2,
            _ => 4,
        }
    }

    /// Does it count as a load for traps?
    pub fn is_load(&self) -> bool {
        matches!(self.op, Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw | Op::Lr)
    }

    /// SC and AMO: their word may be used once in a pass.
    pub fn is_exclusive(&self) -> bool {
        !self.is_load() && !matches!(self.op, Op::Sb | Op::Sh | Op::Sw)
    }

    /// Plain word accesses are all the device window takes.
    pub fn fits_device(&self) -> bool {
        matches!(self.op, Op::Lw | Op::Sw)
    }

    /// The value that a load of `word` gives.
    pub fn extract(&self, word: u32) -> u32 {
        let shifted = word >> (8 * (self.addr & 3));
        match self.op {
            Op::Lb => shifted as i8 as u32,
            Op::Lbu => shifted & 0xff,
            Op::Lh => shifted as i16 as u32,
            Op::Lhu => shifted & 0xffff,
            _ => word,
        }
    }

    /// Byte enables and data of a store, placed in the word.
    pub fn place(&self) -> (u8, u32) {
        let shift = self.addr & 3;
        let enable = ((1u32 << self.size()) - 1) << shift;
        (enable as u8, self.data << (8 * shift))
    }

    /// The word an AMO leaves behind.
    pub fn combine(&self, old: u32) -> u32 {
        let (a, b) = (old as i32, self.data as i32);
        match self.op {
            Op::Amoadd => old.wrapping_add(self.data),
            Op::Amoxor => old ^ self.data,
            Op::Amoand => old & self.data,
            Op::Amoor => old | self.data,
            Op::Amomin => a.min(b) as u32,
            Op::Amomax => a.max(b) as u32,
            Op::Amominu => old.min(self.data),
            Op::Amomaxu => old.max(self.data),
            _ => self.data,
        }
    }
}

/// What the instruction would do to the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// Write this value to rd and go on.
    Value(u32),
    /// Write the link (or nothing, rd = 0) and go to `target`.
    Jump(u32),
    /// Go to the target or fall through.
    Branch(bool, u32),
    /// Ask memory.
    Memory(MemoryOp),
    /// Read and write a CSR: number, and the operand with what to do with it.
    Csr(u16, CsrWrite),
    /// Return from a trap.
    Mret,
    /// Park.
    Wfi,
    /// `fence.i`
    FenceI,
    /// Nothing.
    Nop,
    /// Trap with cause and value.
    Trap(u32, u32),
}

/// The write half of a CSR instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrWrite {
    /// Only read.
    None,
    /// Replace.
    Set(u32),
    /// Set these bits.
    Or(u32),
    /// Clear these bits.
    Clear(u32),
}

fn divide(op: Op, a: u32, b: u32) -> u32 {
    let (x, y) = (a as i32, b as i32);
    match op {
        Op::Div if b == 0 => u32::MAX,
        Op::Div => x.wrapping_div(y) as u32,
        Op::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => x.wrapping_rem(y) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

fn jump(target: u32) -> Want {
    if target.is_multiple_of(4) {
        Want::Jump(target)
    } else {
        Want::Trap(cause::FETCH_MISALIGNED, target)
    }
}

/// Evaluates `insn` for a thread at `hart.pc`.
pub fn evaluate(hart: &Hart, insn: &Insn) -> Want {
    let (a, b) = (hart.x[usize::from(insn.rs1)], hart.x[usize::from(insn.rs2)]);
    let imm = insn.imm as u32;
    let shift = |by: u32| by & 31;
    let wide = |x: i64, y: i64| ((x * y) as u64 >> 32) as u32;
    let memory = |data| Want::Memory(MemoryOp { op: insn.op, addr: a.wrapping_add(imm), data });
    let branch = |taken: bool| {
        let target = hart.pc.wrapping_add(imm);
        if taken && !target.is_multiple_of(4) {
            Want::Trap(cause::FETCH_MISALIGNED, target)
        } else {
            Want::Branch(taken, target)
        }
    };
    let csr = |write| Want::Csr(insn.imm as u16, write);
    let uimm = u32::from(insn.rs1);
    Want::Value(match insn.op {
        Op::Lui => imm,
        Op::Auipc => hart.pc.wrapping_add(imm),
        Op::Addi => a.wrapping_add(imm),
        Op::Slti => u32::from((a as i32) < insn.imm),
        Op::Sltiu => u32::from(a < imm),
        Op::Xori => a ^ imm,
        Op::Ori => a | imm,
        Op::Andi => a & imm,
        Op::Slli => a << shift(imm),
        Op::Srli => a >> shift(imm),
        Op::Srai => (a as i32 >> shift(imm)) as u32,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Sll => a << shift(b),
        Op::Slt => u32::from((a as i32) < b as i32),
        Op::Sltu => u32::from(a < b),
        Op::Xor => a ^ b,
        Op::Srl => a >> shift(b),
        Op::Sra => (a as i32 >> shift(b)) as u32,
        Op::Or => a | b,
        Op::And => a & b,
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => wide(i64::from(a as i32), i64::from(b as i32)),
        Op::Mulhsu => wide(i64::from(a as i32), i64::from(b)),
        Op::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => divide(insn.op, a, b),
        Op::Jal => return jump(hart.pc.wrapping_add(imm)),
        Op::Jalr => return jump(a.wrapping_add(imm) & !1),
        Op::Beq => return branch(a == b),
        Op::Bne => return branch(a != b),
        Op::Blt => return branch((a as i32) < b as i32),
        Op::Bge => return branch(a as i32 >= b as i32),
        Op::Bltu => return branch(a < b),
        Op::Bgeu => return branch(a >= b),
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Lr => return memory(0),
        Op::Sb | Op::Sh | Op::Sw => return memory(b),
        Op::Sc
        | Op::Amoswap
        | Op::Amoadd
        | Op::Amoxor
        | Op::Amoand
        | Op::Amoor
        | Op::Amomin
        | Op::Amomax
        | Op::Amominu
        | Op::Amomaxu => return memory(b),
        Op::Csrrw => return csr(CsrWrite::Set(a)),
        Op::Csrrwi => return csr(CsrWrite::Set(uimm)),
        Op::Csrrs | Op::Csrrc | Op::Csrrsi | Op::Csrrci if insn.rs1 == 0 => {
            return csr(CsrWrite::None);
        }
        Op::Csrrs => return csr(CsrWrite::Or(a)),
        Op::Csrrc => return csr(CsrWrite::Clear(a)),
        Op::Csrrsi => return csr(CsrWrite::Or(uimm)),
        Op::Csrrci => return csr(CsrWrite::Clear(uimm)),
        Op::Fence => return Want::Nop,
        Op::FenceI => return Want::FenceI,
        Op::Ecall => return Want::Trap(cause::ECALL, 0),
        Op::Ebreak => return Want::Trap(cause::BREAKPOINT, hart.pc),
        Op::Mret => return Want::Mret,
        Op::Wfi => return Want::Wfi,
        Op::Illegal => return Want::Trap(cause::ILLEGAL, insn.raw),
    })
}

impl CsrWrite {
    /// The value to write over `old`, if any.
    pub fn apply(self, old: u32) -> Option<u32> {
        match self {
            CsrWrite::None => None,
            CsrWrite::Set(v) => Some(v),
            CsrWrite::Or(v) => Some(old | v),
            CsrWrite::Clear(v) => Some(old & !v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(op: Op, a: u32, b: u32) -> u32 {
        let mut hart = Hart::default();
        (hart.x[1], hart.x[2]) = (a, b);
        match evaluate(&hart, &Insn { op, rd: 3, rs1: 1, rs2: 2, imm: 0, raw: 0 }) {
            Want::Value(v) => v,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn corner_values() {
        const MIN: u32 = 0x8000_0000;
        const NEG: u32 = u32::MAX;
        assert_eq!([value(Op::Div, MIN, NEG), value(Op::Rem, MIN, NEG)], [MIN, 0]);
        assert_eq!([value(Op::Div, 7, 0), value(Op::Rem, 7, 0)], [NEG, 7]);
        assert_eq!([value(Op::Divu, 7, 0), value(Op::Remu, 7, 0)], [NEG, 7]);
        assert_eq!([value(Op::Mulh, MIN, MIN), value(Op::Mulhu, NEG, NEG)], [1 << 30, NEG - 1]);
        assert_eq!([value(Op::Mulhsu, NEG, NEG), value(Op::Mulhsu, MIN, 2)], [NEG, NEG]);
        assert_eq!([value(Op::Sra, MIN, 63), value(Op::Srl, MIN, 31)], [NEG, 1]);
        assert_eq!([value(Op::Slt, MIN, 0), value(Op::Sltu, MIN, 0)], [1, 0]);
    }
}
