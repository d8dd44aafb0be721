//! A row of the study of policies: one run and all that it counted.

use super::kernels::Kernel;
use super::store::Keyed;
use crate::limits::{Outcome, Stuck};
use crate::policy::PolicyKind;
use crate::stats::{Replays, Stats};
use crate::warp::{self, RunOptions};
use hdl::config::CoreConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Instructions after which a run is cut short: a hundred times what the
/// largest kernel needs.
const LIMIT: u64 = 1_000_000_000;

/// The part of a configuration that decides what the emulator counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// T
    pub threads_per_warp: u32,
    /// W
    pub warps: u32,
    /// Threads alive after reset.
    pub harts: u32,
    /// Bytes of RAM.
    pub ram_size: u32,
    /// Bits of the call depth.
    pub depth_bits: u32,
}

impl Shape {
    /// Of a configuration.
    pub fn of(config: &CoreConfig) -> Shape {
        Shape {
            threads_per_warp: config.threads_per_warp,
            warps: config.warps,
            harts: config.harts,
            ram_size: config.ram_size,
            depth_bits: config.depth_bits,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The program passed its own check.
    Finishes,
    /// The watchdog found a livelock, or nobody can be woken.
    Stuck,
    /// Anything else; a fault of the program or of Weft.
    Fails,
}

/// What a run counted; absent numbers of the histograms are 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Passes, hints included.
    pub warp_instructions: u64,
    /// Completed instructions of all threads, hints included.
    pub thread_instructions: u64,
    /// Passes that were hints.
    pub hint_warp_instructions: u64,
    /// Hints of all threads.
    pub hint_thread_instructions: u64,
    /// Passes after which threads replay.
    pub replays: Replays,
    /// Traps of all threads.
    pub traps: u64,
    /// Paths that split.
    pub divergences: u64,
    /// Paths that met.
    pub merges: u64,
    /// Passes that accessed memory.
    pub memory_transactions: u64,
    /// Thread accesses they served.
    pub memory_accesses: u64,
    /// Passes by number of live paths of their warp.
    pub live_paths: BTreeMap<u32, u64>,
    /// Passes by number of active lanes.
    pub active_lanes: BTreeMap<u32, u64>,
}

impl From<&Stats> for Counts {
    fn from(s: &Stats) -> Counts {
        let histogram = |counts: &[u64]| {
            (0u32..).zip(counts.iter().copied()).filter(|(_, n)| *n != 0).collect()
        };
        Counts {
            warp_instructions: s.warp_instructions,
            thread_instructions: s.thread_instructions,
            hint_warp_instructions: s.hint_warp_instructions,
            hint_thread_instructions: s.hint_thread_instructions,
            replays: s.replays,
            traps: s.traps,
            divergences: s.divergences,
            merges: s.merges,
            memory_transactions: s.memory_transactions,
            memory_accesses: s.memory_accesses,
            live_paths: histogram(&s.paths),
            active_lanes: histogram(&s.active),
        }
    }
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Which kernel.
    pub kernel: String,
    /// Which policy.
    pub policy: String,
    /// On what.
    pub configuration: Shape,
    /// Of Weft.
    pub version: String,
    /// FNV-1a of the program.
    pub elf: String,
    /// How it ended.
    pub outcome: End,
    /// Why, if it did not finish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it counted, to the end or to where it was stuck.
    pub counts: Counts,
}

/// What tells a run from others. Rows are sorted by it.
pub type Key = (Shape, String, String, String, String);

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        let Row { configuration, kernel, policy, version, elf, .. } = self.clone();
        (configuration, kernel, policy, version, elf)
    }

    fn replaces(&self, older: &Row) -> bool {
        (&self.configuration, &self.kernel, &self.policy)
            == (&older.configuration, &older.kernel, &older.policy)
    }
}

/// The key of a run that may not have happened yet.
pub fn key(config: &CoreConfig, kernel: &Kernel, policy: PolicyKind) -> Key {
    let version = env!("CARGO_PKG_VERSION").to_string();
    let policy = policy.name().to_string();
    (Shape::of(config), kernel.name.clone(), policy, version, kernel.elf.clone())
}

/// Runs a kernel under a policy.
pub fn measure(config: &CoreConfig, kernel: &Kernel, policy: PolicyKind) -> Row {
    let mut config = config.clone();
    config.reset_pc = kernel.program.entry.unwrap_or(config.reset_pc);
    // With an observer every turn of a warp is one pass. Without, policies that
    // can look ahead run several in one turn; warps then interleave otherwise,
    // which moves the counts of programs whose warps race.
    let options = RunOptions {
        policy,
        max_instructions: LIMIT,
        observer: Some(&mut |_| Ok(())),
        console: &mut |_| (),
    };
    let report = warp::run(&config, &kernel.program, options);
    let (outcome, reason) = match report.outcome {
        Outcome::Exit(0) => (End::Finishes, None),
        Outcome::Stuck(why @ (Stuck::Livelock | Stuck::AllParked)) => {
            (End::Stuck, Some(why.to_string()))
        }
        Outcome::Stuck(why) => (End::Fails, Some(why.to_string())),
        Outcome::Exit(code) => (End::Fails, Some(format!("exit code {code}"))),
        Outcome::Error(why) | Outcome::Mismatch(why) => (End::Fails, Some(why)),
    };
    let (configuration, kernel, policy, version, elf) = key(&config, kernel, policy);
    let counts = Counts::from(&report.stats);
    Row { kernel, policy, configuration, version, elf, outcome, reason, counts }
}
