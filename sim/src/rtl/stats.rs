//! What a run of hardware counts: everything the emulator does, and cycles.

use super::core::Stat;
use super::retire::is_memory;
use super::track::Step;
use crate::record::Record;
use crate::stats::Stats;
use hdl::core::port::idle;
use hdl::isa::Insn;

/// Causes of idle issue slots, in the order of `hdl::core::port::idle`.
const CAUSES: [(u64, &str); 6] = [
    (idle::NO_WARP, "no_warp"),
    (idle::FETCH, "fetch"),
    (idle::DEPENDENCE, "dependence"),
    (idle::MEMORY, "memory"),
    (idle::UNIT, "unit"),
    (idle::STRUCTURAL, "structural"),
];

/// Counters of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RtlStats {
    /// Those of any engine.
    pub run: Stats,
    /// Copies of the vector pipeline.
    pub pipes: u64,
    /// Cycles since reset.
    pub cycles: u64,
    /// Issue slots by `hdl::core::port::idle`; the first is those that issued.
    pub slots: [u64; 8],
    /// Instructions dropped at stage 7: issued on a path that was not current.
    pub dropped: u64,
    /// Instructions that reached stage 8 and nobody completed.
    pub stalled: u64,
    /// Requests accepted at the instruction ports.
    pub fetches: u64,
}

impl RtlStats {
    /// Nothing counted.
    pub fn new(threads: usize, pipes: usize) -> RtlStats {
        RtlStats {
            run: Stats::new(threads),
            pipes: pipes as u64,
            cycles: 0,
            slots: [0; 8],
            dropped: 0,
            stalled: 0,
            fetches: 0,
        }
    }

    /// One pipe in one cycle.
    pub fn cycle(&mut self, stat: &Stat) {
        self.slots[stat.idle as usize & 7] += 1;
        self.dropped += u64::from(stat.dropped);
        self.stalled += u64::from(stat.stalled);
    }

    /// One record.
    pub fn record(&mut self, r: &Record, insn: &Insn, step: Step) {
        let s = &mut self.run;
        let threads = r.done.count_ones();
        s.warp_instructions += 1;
        s.thread_instructions += u64::from(threads);
        if insn.is_hint() {
            s.hint_warp_instructions += 1;
            s.hint_thread_instructions += u64::from(threads);
        }
        if r.events.replay != 0 {
            if r.trapped != 0 {
                s.replays.trap += 1;
            } else if is_memory(insn.op) {
                s.replays.memory += 1;
            } else {
                s.replays.control += 1;
            }
        }
        s.divergences += u64::from(r.events.diverge);
        s.merges += u64::from(step.merges);
        s.traps += u64::from(r.trapped.count_ones());
        if r.has_access {
            s.memory_transactions += 1;
            s.memory_accesses += u64::from(threads);
        }
        s.paths[step.paths.min(64)] += 1;
        s.active[r.path.threads() as usize] += 1;
    }

    /// Retired warp instructions per cycle.
    pub fn warp_ipc(&self) -> f64 {
        self.per_cycle(self.run.warp_instructions)
    }

    fn per_cycle(&self, n: u64) -> f64 {
        if self.cycles == 0 { 0.0 } else { n as f64 / self.cycles as f64 }
    }

    /// The statistics file.
    pub fn to_json(&self, about: serde_json::Value) -> serde_json::Value {
        let mut json = self.run.to_json(about);
        let idle: serde_json::Map<_, _> = CAUSES
            .iter()
            .map(|(cause, name)| (name.to_string(), self.slots[*cause as usize].into()))
            .collect();
        json["cycles"] = self.cycles.into();
        json["warp_ipc"] = self.warp_ipc().into();
        json["thread_ipc"] = self.per_cycle(self.run.thread_instructions).into();
        json["issue"] = serde_json::json!({
            "slots": self.cycles * self.pipes,
            "issued": self.slots[idle::ISSUED as usize],
            "idle": idle,
            "dropped": self.dropped,
            "stalled": self.stalled,
        });
        json["fetches"] = self.fetches.into();
        json
    }
}
