//! What a run counts, and the JSON it becomes.

use serde::{Deserialize, Serialize};

/// Replayed passes by what made threads wait.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replays {
    /// Memory served only some threads.
    pub memory: u64,
    /// Indirect jumps and returns with several targets.
    pub control: u64,
    /// Some threads trapped, the others had to wait.
    pub trap: u64,
}

/// Counters of one run. A *warp instruction* is one pass: one issue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    lanes: usize,
    /// Passes.
    pub warp_instructions: u64,
    /// Instructions completed, all threads.
    pub thread_instructions: u64,
    /// Passes that were hints.
    pub hint_warp_instructions: u64,
    /// Hints completed, all threads.
    pub hint_thread_instructions: u64,
    /// Passes after which threads had to replay.
    pub replays: Replays,
    /// Traps taken, all threads.
    pub traps: u64,
    /// Paths that split in two.
    pub divergences: u64,
    /// Paths that met.
    pub merges: u64,
    /// Passes that accessed memory.
    pub memory_transactions: u64,
    /// Thread accesses they served.
    pub memory_accesses: u64,
    /// Passes by number of live paths of their warp.
    pub paths: [u64; 65],
    /// Passes by number of active lanes.
    pub active: [u64; 65],
}

impl Stats {
    /// For warps of `lanes` threads.
    pub fn new(lanes: usize) -> Stats {
        Stats {
            lanes,
            warp_instructions: 0,
            thread_instructions: 0,
            hint_warp_instructions: 0,
            hint_thread_instructions: 0,
            replays: Replays::default(),
            traps: 0,
            divergences: 0,
            merges: 0,
            memory_transactions: 0,
            memory_accesses: 0,
            paths: [0; 65],
            active: [0; 65],
        }
    }

    /// Active lanes of an average pass, as a share of T.
    pub fn activity_factor(&self) -> f64 {
        ratio(self.thread_instructions, self.warp_instructions * self.lanes as u64)
    }

    /// Thread accesses of an average transaction, as a share of T.
    pub fn memory_efficiency(&self) -> f64 {
        ratio(self.memory_accesses, self.memory_transactions * self.lanes as u64)
    }

    /// The statistics file. `about` names engine, policy and configuration.
    pub fn to_json(&self, about: serde_json::Value) -> serde_json::Value {
        let histogram = |prefix: &str, counts: &[u64]| {
            let rows = (1..=self.lanes).map(|i| (format!("{prefix}{i}"), counts[i].into()));
            serde_json::Value::Object(rows.collect())
        };
        let maximum = (0..=64).rev().find(|i| self.paths[*i] != 0).unwrap_or(0);
        serde_json::json!({
            "run": about,
            "warp_instructions": self.warp_instructions,
            "thread_instructions": self.thread_instructions,
            "hints": {
                "warp_instructions": self.hint_warp_instructions,
                "thread_instructions": self.hint_thread_instructions,
            },
            "replays": self.replays,
            "traps": self.traps,
            "activity_factor": self.activity_factor(),
            "divergences": self.divergences,
            "merges": self.merges,
            "live_paths": { "maximum": maximum, "histogram": histogram("P", &self.paths) },
            "memory": {
                "transactions": self.memory_transactions,
                "accesses": self.memory_accesses,
                "efficiency": self.memory_efficiency(),
            },
            "active_lanes": histogram("W", &self.active),
        })
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
