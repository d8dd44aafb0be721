//! The report of a run that did not end: each live warp, its paths with
//! symbols, and why they stand where they stand.

use crate::path::Path;
use crate::policy::PolicyKind;
use crate::program::Program;
use std::fmt::Write;

/// What is left of a warp at the end.
#[derive(Clone, Debug)]
pub struct WarpReport {
    /// Its number.
    pub warp: u32,
    /// Its paths, the one that runs first.
    pub paths: Vec<Path>,
    /// How many of them, the last ones, wait at a synchronisation point.
    pub waiting: usize,
    /// Parked threads by place.
    pub parked: Vec<Path>,
}

/// Groups threads by place.
pub(crate) fn group(threads: impl Iterator<Item = (usize, u32, u32)>) -> Vec<Path> {
    let mut groups: Vec<Path> = Vec::new();
    for (lane, depth, pc) in threads {
        match groups.iter_mut().find(|p| (p.depth, p.pc) == (depth, pc)) {
            Some(p) => p.mask |= 1 << lane,
            None => groups.push(Path { depth, pc, mask: 1 << lane }),
        }
    }
    groups
}

/// The report as text, one line per path.
pub fn describe(warps: &[WarpReport], program: &Program, policy: Option<PolicyKind>) -> String {
    let mut s = String::new();
    for w in warps.iter().filter(|w| !w.paths.is_empty() || !w.parked.is_empty()) {
        let _ = writeln!(s, "  warp {}:", w.warp);
        let mut line = |p: &Path, why: &str| {
            let place = program.symbols.describe(p.pc);
            let (n, mask, depth) = (p.threads(), p.mask, p.depth);
            let _ = writeln!(s, "    {n:2} threads {mask:#018x} at {place}, depth {depth}: {why}");
        };
        let runs = w.paths.len() - w.waiting;
        for (i, p) in w.paths.iter().enumerate() {
            let why = match policy {
                None => "takes its turn".to_string(),
                Some(_) if i >= runs => "waits for threads that are due at the same point".into(),
                Some(kind) if i == 0 => format!("runs, first by the order of {}", kind.name()),
                Some(kind) => format!("waits, {} puts it behind", kind.name()),
            };
            line(p, &why);
        }
        for p in &w.parked {
            line(p, "parked by the wfi before it, not woken");
        }
    }
    s
}
