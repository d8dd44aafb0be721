//! Arithmetic on all lanes of a warp at once, written so that the compiler
//! turns it into vector instructions.

use hdl::isa::{Insn, Op};

/// A register of all lanes.
pub type Row<const T: usize> = [u32; T];

/// The mask of all T lanes.
pub const fn full(t: usize) -> u64 {
    u64::MAX >> (64 - t)
}

/// All ones in the active lanes, zero elsewhere.
#[inline]
fn expand<const T: usize>(mask: u64) -> Row<T> {
    let halves = [mask as u32, (mask >> 32) as u32];
    let mut r = [0; T];
    for i in 0..T {
        let bit = 1u32 << (i % 32);
        r[i] = if halves[i / 32] & bit == bit { u32::MAX } else { 0 };
    }
    r
}

/// Writes the active lanes of a register.
#[inline]
pub fn write<const T: usize>(row: &mut Row<T>, value: &Row<T>, mask: u64) {
    if mask == full(T) {
        *row = *value;
        return;
    }
    let select = expand::<T>(mask);
    for i in 0..T {
        row[i] = row[i] & !select[i] | value[i] & select[i];
    }
}

/// `value` in the active lanes, `other` elsewhere.
#[inline]
pub fn fill<const T: usize>(value: &mut Row<T>, other: u32, mask: u64) {
    if mask != full(T) {
        let select = expand::<T>(mask);
        for i in 0..T {
            value[i] = value[i] & select[i] | other & !select[i];
        }
    }
}

#[inline]
fn map<const T: usize>(a: &Row<T>, b: &Row<T>, f: impl Fn(u32, u32) -> u32) -> Row<T> {
    let mut r = [0; T];
    for i in 0..T {
        r[i] = f(a[i], b[i]);
    }
    r
}

#[inline]
fn each<const T: usize>(a: &Row<T>, f: impl Fn(u32) -> u32) -> Row<T> {
    let mut r = [0; T];
    for i in 0..T {
        r[i] = f(a[i]);
    }
    r
}

/// Division is slow: only the active lanes are computed.
fn divide<const T: usize>(op: Op, a: &Row<T>, b: &Row<T>, mask: u64) -> Row<T> {
    let mut r = [0; T];
    for i in crate::record::lanes(mask) {
        let (n, d) = (a[i], b[i]);
        let overflow = n == 1 << 31 && d == u32::MAX;
        r[i] = match op {
            Op::Divu if d == 0 => u32::MAX,
            Op::Div if d == 0 => u32::MAX,
            Op::Rem | Op::Remu if d == 0 => n,
            Op::Div if overflow => n,
            Op::Rem if overflow => 0,
            Op::Divu => n / d,
            Op::Remu => n % d,
            Op::Div => (n as i32 / d as i32) as u32,
            _ => (n as i32 % d as i32) as u32,
        };
    }
    r
}

/// The result of an instruction that only computes, or `None` if it does
/// something else.
#[inline]
pub fn compute<const T: usize>(
    x: &[Row<T>; 32],
    insn: &Insn,
    pc: u32,
    mask: u64,
) -> Option<Row<T>> {
    let a = &x[usize::from(insn.rs1 & 31)];
    let b = &x[usize::from(insn.rs2 & 31)];
    let imm = insn.imm as u32;
    let signed = |v: u32| v as i32;
    Some(match insn.op {
        Op::Addi => each(a, |a| a.wrapping_add(imm)),
        Op::Add => map(a, b, u32::wrapping_add),
        Op::Mul => map(a, b, u32::wrapping_mul),
        Op::Lui => [imm; T],
        Op::Auipc => [pc.wrapping_add(imm); T],
        Op::Slti => each(a, |a| (signed(a) < insn.imm) as u32),
        Op::Sltiu => each(a, |a| (a < imm) as u32),
        Op::Xori => each(a, |a| a ^ imm),
        Op::Ori => each(a, |a| a | imm),
        Op::Andi => each(a, |a| a & imm),
        Op::Slli => each(a, |a| a << (imm & 31)),
        Op::Srli => each(a, |a| a >> (imm & 31)),
        Op::Srai => each(a, |a| (signed(a) >> (imm & 31)) as u32),
        Op::Sub => map(a, b, u32::wrapping_sub),
        Op::Sll => map(a, b, |a, b| a << (b & 31)),
        Op::Slt => map(a, b, |a, b| (signed(a) < signed(b)) as u32),
        Op::Sltu => map(a, b, |a, b| (a < b) as u32),
        Op::Xor => map(a, b, |a, b| a ^ b),
        Op::Srl => map(a, b, |a, b| a >> (b & 31)),
        Op::Sra => map(a, b, |a, b| (signed(a) >> (b & 31)) as u32),
        Op::Or => map(a, b, |a, b| a | b),
        Op::And => map(a, b, |a, b| a & b),
        Op::Mulh => map(a, b, |a, b| ((i64::from(signed(a)) * i64::from(signed(b))) >> 32) as u32),
        Op::Mulhu => map(a, b, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Op::Mulhsu => map(a, b, |a, b| ((i64::from(signed(a)) * i64::from(b)) >> 32) as u32),
        Op::Div | Op::Divu | Op::Rem | Op::Remu => divide(insn.op, a, b, mask),
        _ => return None,
    })
}

#[inline]
fn pack<const T: usize>(a: &Row<T>, b: &Row<T>, f: impl Fn(u32, u32) -> bool) -> u64 {
    let mut bits = 0;
    for i in 0..T {
        bits |= u64::from(f(a[i], b[i])) << i;
    }
    bits
}

/// The lanes for which a branch holds; `None` if it is not a branch.
#[inline]
pub fn taken<const T: usize>(x: &[Row<T>; 32], insn: &Insn) -> Option<u64> {
    let a = &x[usize::from(insn.rs1 & 31)];
    let b = &x[usize::from(insn.rs2 & 31)];
    let signed = |v: u32| v as i32;
    Some(match insn.op {
        Op::Beq => pack(a, b, |a, b| a == b),
        Op::Bne => pack(a, b, |a, b| a != b),
        Op::Blt => pack(a, b, |a, b| signed(a) < signed(b)),
        Op::Bge => pack(a, b, |a, b| signed(a) >= signed(b)),
        Op::Bltu => pack(a, b, |a, b| a < b),
        Op::Bgeu => pack(a, b, |a, b| a >= b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        assert_eq!([full(1), full(32), full(64)], [1, 0xffff_ffff, u64::MAX]);
        let mut row = [7u32; 64];
        write(&mut row, &[9; 64], 1 << 63 | 1 << 32 | 2);
        let nines: Vec<_> = (0..64).filter(|i| row[*i] == 9).collect();
        assert_eq!(nines, [1, 32, 63]);
        fill(&mut row, 1, 2);
        assert_eq!((row[0], row[1], row[63]), (1, 9, 1));
    }
}
