//! Labels to offsets: the last step from a tree to machine code.

use hdl::isa::hint::join_hint;
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;

/// A place in the code, by number.
pub type Label = usize;

/// One or two words of the program, or a label.
pub enum Item {
    /// As it is.
    Word(u32),
    /// A conditional branch, two words.
    Branch(Op, u8, u8, Label),
    /// `jal`
    Jal(u8, Label),
    /// Address of a label, two words.
    La(u8, Label),
    /// A join hint that names a label.
    Hint(Label),
    /// A hint with an offset from nowhere.
    WrongHint(i16),
    /// Address of a label as data.
    Table(Label),
    /// Here is the label.
    Label(Label),
}

/// The words of the items; branches out of reach become a skip over a jump.
pub fn assemble(items: &[Item], labels: usize) -> Vec<u32> {
    let size = |item: &Item| match item {
        Item::Label(_) => 0,
        Item::La(..) | Item::Branch(..) => 2,
        _ => 1,
    };
    let mut at = vec![0i32; labels];
    let mut pc = 0;
    for item in items {
        if let Item::Label(l) = item {
            at[*l] = pc;
        }
        pc += 4 * size(item);
    }
    let mut code: Vec<u32> = Vec::new();
    for item in items {
        let here = 4 * code.len() as i32;
        let to = |l: Label| at[l] - here;
        match item {
            Item::Label(_) => {}
            Item::Word(w) => code.push(*w),
            Item::Branch(op, rs1, rs2, l) if (-4096..4096).contains(&to(*l)) => {
                code.push(Insn::encode(*op, 0, *rs1, *rs2, to(*l)));
                code.push(Insn::encode(Op::Addi, 0, 0, 0, 0));
            }
            Item::Branch(op, rs1, rs2, l) => {
                let opposite = match op {
                    Op::Beq => Op::Bne,
                    Op::Bne => Op::Beq,
                    Op::Blt => Op::Bge,
                    Op::Bge => Op::Blt,
                    Op::Bltu => Op::Bgeu,
                    _ => Op::Bltu,
                };
                code.push(Insn::encode(opposite, 0, *rs1, *rs2, 8));
                code.push(Insn::encode(Op::Jal, 0, 0, 0, to(*l) - 4));
            }
            Item::Jal(rd, l) => code.push(Insn::encode(Op::Jal, *rd, 0, 0, to(*l))),
            Item::La(rd, l) => {
                let low = (to(*l) << 20) >> 20;
                code.push(Insn::encode(Op::Auipc, *rd, 0, 0, to(*l) - low));
                code.push(Insn::encode(Op::Addi, *rd, *rd, 0, low));
            }
            Item::Hint(l) => code.push(join_hint(to(*l)).expect("code is small")),
            Item::WrongHint(offset) => {
                code.push(join_hint(i32::from(*offset) * 4).expect("16 bits fit in 17"));
            }
            Item::Table(l) => code.push(RAM_BASE + at[*l] as u32),
        }
    }
    code
}
