//! Programs with as many paths as threads, the worst that can happen to a
//! table of paths: what a unit issues too early, it issues alone.

use crate::program::{Program, Segment};
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;

/// Shape of such a program.
#[derive(Clone, Copy)]
pub struct ManyPaths {
    /// Blocks behind each other, a power of two.
    pub blocks: i32,
    /// Additions of a block in front of its jump.
    pub length: i32,
    /// Places that the blocks go on to, behind them and behind each other.
    pub joins: i32,
}

/// The programs that are tried.
pub const WORST: [ManyPaths; 3] = [
    ManyPaths { blocks: 16, length: 1, joins: 1 },
    ManyPaths { blocks: 16, length: 3, joins: 1 },
    ManyPaths { blocks: 32, length: 0, joins: 8 },
];

impl ManyPaths {
    /// What tables call it; all begin with `(many paths`.
    pub fn name(&self) -> String {
        let of = self.length + 1;
        match self.joins {
            1 => format!("(many paths, blocks of {of})"),
            n => format!("(many paths, blocks of {of}, {n} joins)"),
        }
    }

    /// A random computed jump to one of the blocks, which jump on to one of the joins
    /// behind them; the last join falls into the loop's end. The order (depth, PC)
    /// executes every block once a round, for all its threads, and the joins and the
    /// loop's end once for everybody. Whoever comes to the loop's end too early goes
    /// round alone. Every thread parks after `ROUNDS`.
    pub fn program(&self) -> Program {
        const ROUNDS: i32 = 60;
        let op = Insn::encode;
        let bytes_of_block = 4 * (self.length + 1);
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
            op(Op::Andi, 7, 7, 0, self.blocks - 1),
            op(Op::Mul, 7, 7, 11, 0),
            op(Op::Auipc, 10, 0, 0, 0),
            op(Op::Add, 7, 7, 10, 0),
            op(Op::Jalr, 0, 7, 0, 12),
        ]);
        for block in 0..self.blocks {
            code.extend((0..self.length).map(|_| op(Op::Addi, 6, 6, 0, 1)));
            // (With one join there is nothing to do in it.)
            let join = 4 * (block % self.joins);
            code.push(op(Op::Jal, 0, 0, 0, 4 + (self.blocks - 1 - block) * bytes_of_block + join));
        }
        code.extend((1..self.joins).map(|_| op(Op::Addi, 6, 6, 0, 1)));
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
}
