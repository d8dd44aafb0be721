//! How a run can end.

use std::fmt;

/// Why a run was cut short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// The limit on instructions.
    Limit(u64),
    /// Nobody runs and nobody can wake anybody.
    AllParked,
    /// The whole machine is in a state it was in before and will be again.
    Livelock,
    /// The limit on cycles.
    Cycles(u64),
    /// Hardware retired no instruction for this many cycles: the whole core, or
    /// one warp.
    Silent {
        /// Which one.
        warp: Option<u32>,
        /// For how long.
        cycles: u64,
    },
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stuck::Limit(n) => write!(f, "the limit of {n} instructions is reached"),
            Stuck::AllParked => f.write_str("every thread is parked and none can be woken"),
            Stuck::Livelock => f.write_str("livelock: registers, memory and paths repeat for ever"),
            Stuck::Cycles(n) => write!(f, "the limit of {n} cycles is reached"),
            Stuck::Silent { warp: None, cycles } => {
                write!(f, "the core retires nothing for {cycles} cycles")
            }
            Stuck::Silent { warp: Some(warp), cycles } => {
                write!(f, "warp {warp} retires nothing for {cycles} cycles")
            }
        }
    }
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program's exit code; 0 is a pass.
    Exit(u32),
    /// The program misused the platform.
    Error(String),
    /// Engine and golden model disagree.
    Mismatch(String),
    /// It did not end by itself.
    Stuck(Stuck),
}
