//! A program with as many paths as threads, the worst that can happen to a
//! table of paths.

use crate::program::{Program, Segment};
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;

/// Threaded code: 32 blocks of 1 to 8 additions, each ending in its own
/// computed jump to a pseudo-random block, so that the threads of a warp stand
/// at as many places as it has threads. Every thread parks after `STEPS`.
pub fn many_paths() -> Program {
    const BLOCKS: u32 = 32;
    const WORDS: u32 = 18;
    const STEPS: i32 = 150;
    let op = Insn::encode;
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Addi, 8, 0, 0, STEPS),
        op(Op::Lui, 9, 0, 0, 0x41c6_4000),
        op(Op::Addi, 9, 9, 0, 0x66d),
        op(Op::Addi, 11, 0, 0, 4 * WORDS as i32),
        op(Op::Auipc, 10, 0, 0, 0),
        op(Op::Addi, 10, 10, 0, 12),
        op(Op::Jal, 0, 0, 0, 4),
    ];
    for block in 0..BLOCKS {
        let first = code.len();
        for _ in 0..1 + block % 8 {
            code.push(op(Op::Addi, 6, 6, 0, 1));
        }
        code.push(op(Op::Addi, 8, 8, 0, -1));
        code.push(op(Op::Bne, 0, 8, 0, 12));
        code.push(op(Op::Wfi, 0, 0, 0, 0));
        code.push(op(Op::Jal, 0, 0, 0, -4));
        code.push(op(Op::Mul, 5, 5, 9, 0));
        code.push(op(Op::Addi, 5, 5, 0, 0x345));
        code.push(op(Op::Srli, 7, 5, 0, 27));
        code.push(op(Op::Mul, 7, 7, 11, 0));
        code.push(op(Op::Add, 7, 7, 10, 0));
        code.push(op(Op::Jalr, 0, 7, 0, 0));
        assert!(code.len() - first <= WORDS as usize);
        code.resize(first + WORDS as usize, op(Op::Addi, 0, 0, 0, 0));
    }
    let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![Segment { addr: RAM_BASE, bytes }],
        tohost: RAM_BASE + 0x10_0000,
        ..Program::default()
    }
}
