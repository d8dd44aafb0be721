//! Traversal policies: which path of a warp runs next and when paths merge
//! (Collange & Brunie 2017, section 2).
//!
//! A policy holds the paths of one warp. The engine asks for the
//! [`Policy::current`] path, runs one pass of it and reports the outcome with
//! [`Policy::update`]. Any policy is correct (each pass makes progress for at
//! least one thread); they differ in how many passes they need and in which
//! spinning programs they can finish.

mod breadth;
mod census;
mod depth_first;
mod sorted;
mod stack;
#[cfg(test)]
mod tests;

use crate::path::{Path, Update};

/// The paths of one warp and the order in which they run.
pub trait Policy: Send {
    /// The path to run next; `None` when every thread is parked.
    fn current(&self) -> Option<Path>;

    /// Takes the outcome of a pass of the current path; how many merges
    /// followed.
    fn update(&mut self, update: &Update) -> u32;

    /// The common case of [`Policy::update`]: all threads of the current path
    /// fall through to the next instruction.
    fn advance(&mut self) -> u32 {
        let from = self.current().expect("a path ran");
        let go = Path { pc: from.pc.wrapping_add(4), ..from };
        self.update(&Update { from, go, ..Update::default() })
    }

    /// How far the current path may run straight on without asking: it stays
    /// the current one and meets nobody before this PC.
    fn horizon(&self) -> u32 {
        0
    }

    /// The current path has run straight on to `pc`, short of the horizon.
    fn skip_to(&mut self, pc: u32) {
        unreachable!("no horizon was given, {pc:#x} cannot be reached");
    }

    /// Adds threads that were woken; how many merges followed.
    fn wake(&mut self, path: Path) -> u32;

    /// Every path that has threads, the current one first.
    fn paths(&self) -> Vec<Path>;

    /// How many paths have threads.
    fn live(&self) -> usize;

    /// How many of them, the last ones, wait at a synchronisation point.
    fn waiting(&self) -> usize {
        0
    }

    /// Appends whatever decides the future, to compare states.
    fn fingerprint(&self, out: &mut Vec<u64>) {
        for path in self.paths() {
            out.extend([u64::from(path.depth) << 32 | u64::from(path.pc), path.mask]);
        }
    }
}

/// What `--policy` accepts, beside `mimd`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PolicyKind {
    /// Greatest depth, then lowest PC: `hct` and `arbiter`.
    DepthPc,
    /// Post-dominator stack on join hints.
    Stack,
    /// Depth first, lower PC first (section 2.1).
    DepthFirst,
    /// Depth first, minority first, merging at joins only (section 2.2).
    ForkJoin,
    /// Breadth first (section 2.3).
    BreadthFirst,
    /// Most threads first (section 2.4, DWF).
    Majority,
    /// Fewest threads first (section 2.4, DWF).
    Minority,
    /// Lowest PC whatever the depth (section 2.4, Maven 1-stack).
    Maven,
}

impl PolicyKind {
    /// Every policy with its name and one line of help.
    pub const ALL: [(PolicyKind, &'static str, &'static str); 8] = [
        (PolicyKind::DepthPc, "depth-pc", "greatest call depth, then lowest PC"),
        (PolicyKind::Stack, "stack", "post-dominator stack on join hints"),
        (PolicyKind::DepthFirst, "depth-first", "stack of directions, lower PC first"),
        (PolicyKind::ForkJoin, "fork-join", "minority first, merging at join hints only"),
        (PolicyKind::BreadthFirst, "breadth-first", "queue of paths, one basic block each"),
        (PolicyKind::Majority, "majority", "most threads first"),
        (PolicyKind::Minority, "minority", "fewest threads first"),
        (PolicyKind::Maven, "maven", "lowest PC (Maven 1-stack)"),
    ];

    /// The policy of that name.
    pub fn from_name(name: &str) -> Option<PolicyKind> {
        PolicyKind::ALL.iter().find(|(_, n, _)| *n == name).map(|(kind, ..)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        PolicyKind::ALL.iter().find(|(kind, ..)| *kind == self).expect("all are listed").1
    }

    /// What the divergence unit of that name does.
    pub fn of_unit(unit: &str) -> Option<PolicyKind> {
        match unit {
            "hct" | "arbiter" => Some(PolicyKind::DepthPc),
            "stack" => Some(PolicyKind::Stack),
            _ => None,
        }
    }

    /// A policy for one warp that starts with `path` (no threads: idle).
    pub fn start(self, path: Path) -> Box<dyn Policy> {
        match self {
            PolicyKind::DepthPc => Box::new(sorted::Sorted::new(sorted::depth_then_pc, path)),
            PolicyKind::Maven => Box::new(sorted::Sorted::new(sorted::pc_then_depth, path)),
            PolicyKind::Stack => Box::new(stack::Stack::new(stack::Order::FallThrough, path)),
            PolicyKind::ForkJoin => Box::new(stack::Stack::new(stack::Order::Minority, path)),
            PolicyKind::DepthFirst => Box::new(depth_first::DepthFirst::new(path)),
            PolicyKind::BreadthFirst => Box::new(breadth::Breadth::new(path)),
            PolicyKind::Majority => Box::new(census::Census::new(true, path)),
            PolicyKind::Minority => Box::new(census::Census::new(false, path)),
        }
    }
}
