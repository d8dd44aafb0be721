//! A random program as a tree of statements.

use hdl::isa::Op;

/// A register that random statements may use: x5 to x24.
pub type Reg = u8;

/// A condition on registers, decided by one branch.
#[derive(Clone, PartialEq, Debug)]
pub struct Cond {
    /// The branch.
    pub op: Op,
    /// Its operands.
    pub rs1: Reg,
    /// See `rs1`.
    pub rs2: Reg,
    /// Compare these bits of the hart number with zero instead.
    pub hart_bits: Option<u8>,
    /// Precede the branch with a join hint.
    pub hint: Hint,
}

/// What a join hint names.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Hint {
    /// There is none.
    None,
    /// The place where the directions meet again.
    Right,
    /// Some other place: allowed, only wasteful.
    Wrong(i16),
}

/// Which memory a statement touches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Area {
    /// The thread's own words.
    Private,
    /// The thread's own words, one after the other's of all threads.
    Striped,
    /// The thread's own bytes likewise: a word belongs to four threads.
    Bytes,
    /// A table that nobody writes.
    Table,
    /// Words that all threads share.
    Shared,
}

/// A trap on purpose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Provoke {
    /// `ecall`
    Ecall,
    /// `ebreak`
    Ebreak,
    /// A word that is no instruction.
    Illegal,
    /// An absent CSR.
    Csr,
    /// A load where nothing is.
    LoadFault,
    /// A store where nothing is.
    StoreFault,
    /// A jump to where nothing is.
    FetchFault,
    /// A jump to an odd word.
    Crooked,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Register, register.
    Alu(Op, Reg, Reg, Reg),
    /// Register, constants with corner values.
    Edge(Op, Reg, u32, u32),
    /// Register, immediate.
    Imm(Op, Reg, Reg, i16),
    /// A load at an index taken from a register; maybe not aligned.
    Load(Op, Reg, Reg, Area, bool),
    /// A store likewise.
    Store(Op, Reg, Reg, Area, bool),
    /// An atomic; rd is x0 where its result depends on order.
    Amo(Op, Reg, Reg, Reg, Area),
    /// LR, then SC.
    LrSc(Reg, Reg, Area),
    /// LR, a trap, SC, which must fail.
    LrTrapSc(Reg, Reg, Area),
    /// Reads the hart number or `minstret`, or swaps `mscratch`, `minstret` or
    /// `mcountinhibit`.
    Csr(u8, Reg, Reg),
    /// A trap.
    Trap(Provoke),
    /// Two directions.
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    /// A loop: trip count is a register's low bits plus one.
    Loop(Reg, u8, Hint, Vec<Stmt>),
    /// A loop that is entered in its middle when the condition holds.
    Irreducible(Cond, u8, Vec<Stmt>, Vec<Stmt>),
    /// Leaves this many enclosing blocks.
    Break(Cond, u8),
    /// One of several blocks through a jump table.
    Switch(Reg, Hint, Vec<Vec<Stmt>>),
    /// A call of function n.
    Call(u8),
    /// A call of function n or m through a register.
    CallEither(Reg, u8, u8, Hint),
    /// Returns early.
    Return(Cond),
}

/// A program: functions (the last one is called by nobody else's successor)
/// and the phases of the main program, with a barrier between phases.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// Bodies; function i calls only functions above i.
    pub functions: Vec<Vec<Stmt>>,
    /// Phases of the main program.
    pub phases: Vec<Vec<Stmt>>,
    /// Where random contents come from.
    pub seed: u64,
}

/// Counted loops of a block: each needs a word of its frame.
pub fn loops(block: &[Stmt]) -> u32 {
    block
        .iter()
        .map(|s| match s {
            Stmt::If(_, a, b) => loops(a) + loops(b),
            Stmt::Irreducible(_, _, a, b) => 1 + loops(a) + loops(b),
            Stmt::Loop(.., body) => 1 + loops(body),
            Stmt::Switch(_, _, arms) => arms.iter().map(|a| loops(a)).sum(),
            _ => 0,
        })
        .sum()
}
