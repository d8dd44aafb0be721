//! A program with as many paths as threads, the worst that can happen to a
//! table of paths: what a unit issues too early, it issues alone.

use crate::program::{Program, Segment};
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;

/// Instructions of a block in front of its jump, of the programs that are tried.
pub const LENGTHS: [i32; 2] = [1, 3];

/// A random computed jump to one of 16 blocks of `length` additions, behind each
/// other, all of which jump on to one place behind them, which is the loop's end. The
/// order (depth, PC) executes every block once a round, for all its threads, and the
/// loop's end once for everybody. Whoever comes to the loop's end too early goes
/// round alone. Every thread parks after `ROUNDS`.
pub fn many_paths(length: i32) -> Program {
    const BLOCKS: i32 = 16;
    const ROUNDS: i32 = 60;
    let op = Insn::encode;
    let bytes_of_block = 4 * (length + 1);
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Addi, 5, 5, 0, 77),
        op(Op::Addi, 8, 0, 0, ROUNDS),
        op(Op::Lui, 9, 0, 0, 0x41c6_4000),
        op(Op::Addi, 9, 9, 0, 0x66d),
        op(Op::Addi, 11, 0, 0, bytes_of_block),
        op(Op::Mul, 5, 5, 9, 0),
    ];
    let top = code.len();
    code.extend([
        op(Op::Mul, 5, 5, 9, 0),
        op(Op::Addi, 5, 5, 0, 0x345),
        op(Op::Srli, 7, 5, 0, 20),
        op(Op::Andi, 7, 7, 0, BLOCKS - 1),
        op(Op::Mul, 7, 7, 11, 0),
        op(Op::Auipc, 10, 0, 0, 0),
        op(Op::Add, 7, 7, 10, 0),
        op(Op::Jalr, 0, 7, 0, 12),
    ]);
    for block in 0..BLOCKS {
        code.extend((0..length).map(|_| op(Op::Addi, 6, 6, 0, 1)));
        code.push(op(Op::Jal, 0, 0, 0, 4 + (BLOCKS - 1 - block) * bytes_of_block));
    }
    let back = 4 * (top as i32 - code.len() as i32 - 1);
    code.extend([
        op(Op::Addi, 8, 8, 0, -1),
        op(Op::Bne, 0, 8, 0, back),
        op(Op::Wfi, 0, 0, 0, 0),
        op(Op::Jal, 0, 0, 0, -4),
    ]);
    let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![Segment { addr: RAM_BASE, bytes }],
        tohost: RAM_BASE + 0x10_0000,
        ..Program::default()
    }
}
