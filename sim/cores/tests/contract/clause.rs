//! The clauses of the contract, and what a breach looks like.

use std::fmt;

/// One clause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Clause {
    /// Executing threads have the path's PC and depth.
    Place,
    /// Replayed threads keep their PC and depth.
    Replay,
    /// Parked threads, and those that never were alive, stay out.
    Parked,
    /// No thread executes twice in one cycle.
    Twice,
    /// Only instructions of the current epoch execute.
    Stale,
    /// Nothing of a busy warp executes.
    Busy,
    /// When busy falls every live slot is redirected exactly once.
    Release,
    /// A redirect comes when one is required.
    Required,
    /// None comes when none is.
    Needless,
    /// Redirects name existing slots, and each at most once per cycle.
    Named,
    /// A redirect changes the epoch, to one that nothing in flight carries.
    Epoch,
    /// Warps to which nothing happened are not redirected.
    Disturbed,
    /// Owner masks are disjoint between pipes and contain what executes.
    Owner,
    /// A path inherits the pending writes of all its threads.
    From,
    /// Units that promise order execute the whole deepest, then lowest path.
    Order,
    /// Every live thread executes within a bounded time: none is lost.
    Live,
    /// A wake is taken within a bounded time, whatever else goes on.
    Wake,
}

/// A breach of the contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Of which clause.
    pub clause: Clause,
    /// When.
    pub cycle: u64,
    /// What happened.
    pub what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle {}: {:?}: {}", self.cycle, self.clause, self.what)
    }
}
