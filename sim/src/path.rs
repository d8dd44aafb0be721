//! The currency of divergence: a path, and what one pass does to it.

/// Threads of one warp at one PC and call depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// Call depth, saturating.
    pub depth: u32,
    /// Program counter.
    pub pc: u32,
    /// Lanes.
    pub mask: u64,
}

impl Path {
    /// How many threads.
    pub fn threads(&self) -> u32 {
        self.mask.count_ones()
    }

    /// Paths at the same place merge.
    pub fn same_place(&self, other: &Path) -> bool {
        self.pc == other.pc && self.depth == other.depth
    }

    /// Path order: greater depth first, then lower PC. Smaller runs first.
    pub fn order(&self) -> (u32, u32) {
        (u32::MAX - self.depth, self.pc)
    }
}

/// What kind of instruction ended the pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Falls through.
    #[default]
    Plain,
    /// Conditional branch.
    Branch,
    /// `jal`, `jalr`, `mret` without link.
    Jump,
    /// Depth went up.
    Call,
    /// Depth went down.
    Return,
    /// Trap.
    Trap,
    /// `wfi` parked threads.
    Halt,
    /// `fence.i`
    Fence,
}

/// The outcome of a pass: its path splits into at most *go* and *other*
/// (rule P3). Threads in neither have parked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Update {
    /// What happened.
    pub kind: Kind,
    /// The path that ran.
    pub from: Path,
    /// The leading successor: fall-through of a branch, the leader's target,
    /// served or trapping threads. Its mask may be empty.
    pub go: Path,
    /// The rest: taken threads of a branch, or threads to replay.
    pub other: Path,
    /// Are the threads of `other` at an unchanged PC to be executed again?
    pub replay: bool,
    /// Reconvergence PC for the next instruction: this one is a join hint.
    pub hint: Option<u32>,
}
