//! The warp engine: T threads a pass, paths chosen by a policy.
//!
//! [`Engine::step`] issues one pass of one warp: fetch, execute all lanes at
//! once ([`lanes`]), memory by block ([`memory`]), then tell the policy. It
//! shares platform and CSR file with the golden model and nothing else; the
//! checker compares the two.

mod commit;
mod lanes;
mod memory;
mod pass;
mod run;
mod watchdog;

pub use run::{Observer, Report, RunOptions, run};

use crate::csr::{CoreCounts, CsrFile};
use crate::path::Path;
use crate::platform::Platform;
use crate::policy::{Policy, PolicyKind};
use crate::program::Program;
use crate::record::Record;
use crate::stats::Stats;
use hdl::config::CoreConfig;
use lanes::Row;

/// One warp: registers by lane, and its paths.
struct Warp<const T: usize> {
    x: Box<[Row<T>; 32]>,
    csr: Vec<CsrFile>,
    /// `minstret` by lane, less `common`.
    instret: [u64; T],
    /// Instructions that every lane has counted.
    common: u64,
    /// Lanes whose `minstret` runs.
    counting: u64,
    policy: Box<dyn Policy>,
    /// What the policy runs next, and how many paths it has.
    current: Option<Path>,
    live: usize,
    /// Where the parked threads go on.
    parked_at: Vec<(u32, u32)>,
    parked: u64,
}

/// A machine of W warps of T threads.
struct Engine<'a, const T: usize> {
    config: &'a CoreConfig,
    warps: Vec<Warp<T>>,
    platform: Platform,
    stats: Stats,
    cycle: u64,
    /// How often a counter was read: the state does not show it, the future does.
    counter_reads: u64,
    /// The pass under way, if anybody wants to see it.
    record: Option<Box<Record>>,
}

impl<'a, const T: usize> Engine<'a, T> {
    fn new(config: &'a CoreConfig, program: &Program, policy: PolicyKind) -> Self {
        let warp = |w: u32| {
            let start = Path { depth: 0, pc: config.reset_pc, mask: config.initial_mask(w) };
            let policy = policy.start(start);
            Warp {
                x: Box::new([[0; T]; 32]),
                csr: vec![CsrFile::default(); T],
                instret: [0; T],
                common: 0,
                counting: lanes::full(T),
                current: policy.current(),
                live: policy.live(),
                policy,
                parked_at: vec![(0, 0); T],
                parked: 0,
            }
        };
        Engine {
            config,
            warps: (0..config.warps).map(warp).collect(),
            platform: Platform::new(config, program),
            stats: Stats::new(T),
            cycle: 0,
            counter_reads: 0,
            record: None,
        }
    }

    fn counts(&self) -> CoreCounts {
        let s = &self.stats;
        CoreCounts {
            cycle: self.cycle,
            events: [
                s.warp_instructions,
                s.thread_instructions,
                s.divergences,
                s.merges,
                0,
                s.memory_transactions,
            ],
        }
    }

    /// Puts woken threads back, grouped by place.
    fn wake(&mut self) {
        while let Some((w, mut mask)) = self.platform.devices.take_woken() {
            let warp = &mut self.warps[w as usize];
            warp.parked &= !mask;
            while mask != 0 {
                let place = warp.parked_at[mask.trailing_zeros() as usize];
                let same = |m: u64, lane: usize| {
                    if warp.parked_at[lane] == place { m | 1 << lane } else { m }
                };
                let group = crate::record::lanes(mask).fold(0, same);
                mask &= !group;
                let path = Path { depth: place.0, pc: place.1, mask: group };
                self.stats.merges += u64::from(warp.policy.wake(path));
            }
            warp.live = warp.policy.live();
            warp.current = warp.policy.current();
            if let Some(record) = &mut self.record {
                record.events.wake = true;
            }
        }
    }
}
