//! Runs of kernels on hardware, in lockstep, as rows: what [`super::units`] and
//! [`super::rates`] are made of.

use super::kernels::Kernel;
use super::store::{Keyed, Store};
use crate::error::BadInput;
use crate::limits::{Outcome, Stuck};
use crate::policy::PolicyKind;
use crate::rtl::{self, RunOptions, Timing};
use crate::warp;
use hdl::config::CoreConfig;
use hdl::platform::BARRIER_ARRIVE;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// Instructions, and cycles, after which a run is cut short: twenty times what
/// the largest kernel needs.
const LIMIT: u64 = 100_000_000;

/// From when all threads have come to a barrier to the next time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Cycles.
    pub cycles: u64,
    /// Passes.
    pub issued: u64,
    /// Of these passes, those after which threads replay.
    pub replays: u64,
}

impl Phase {
    /// Passes per cycle.
    pub fn rate(&self) -> f64 {
        self.issued as f64 / self.cycles.max(1) as f64
    }

    /// This and another one.
    #[must_use]
    pub fn and(&self, other: &Phase) -> Phase {
        Phase {
            cycles: self.cycles + other.cycles,
            issued: self.issued + other.issued,
            replays: self.replays + other.replays,
        }
    }

    /// Passes per cycle after which nobody replays.
    pub fn useful(&self) -> f64 {
        (self.issued - self.replays) as f64 / self.cycles.max(1) as f64
    }
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Which kernel.
    pub kernel: String,
    /// Is what it issues independent of which thread runs first?
    pub order_free: bool,
    /// On what: the name of the configuration.
    pub core: String,
    /// T.
    pub threads_per_warp: u32,
    /// W.
    pub warps: u32,
    /// Cycles to a reply of memory.
    pub latency: u32,
    /// Of the hardware.
    pub version: String,
    /// FNV-1a of the program.
    pub elf: String,
    /// How the hardware ended; in lockstep with the golden model.
    pub outcome: String,
    /// Passes of the emulator under (depth, PC), which always runs the right path.
    pub ideal: u64,
    /// Did the emulator end in the same way?
    pub same_end: bool,
    /// Update sweeps of the simulation.
    pub sweeps: u64,
    /// Instructions dropped in stage 7.
    pub dropped: u64,
    /// Instructions of which nobody completed anything.
    pub stalled: u64,
    /// What was issued, phase by phase.
    pub phases: Vec<Phase>,
}

impl Row {
    /// All phases together.
    pub fn total(&self) -> Phase {
        self.phases.iter().fold(Phase::default(), |sum, p| sum.and(p))
    }

    /// Passes beyond the ideal, as a share of it.
    pub fn extra(&self) -> f64 {
        self.total().issued as f64 / self.ideal as f64 - 1.0
    }
}

/// What tells a run from others. Rows are sorted by it.
pub type Key = (String, String, u32, String, String);

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        let Row { kernel, core, latency, version, elf, .. } = self.clone();
        (kernel, core, latency, version, elf)
    }

    fn replaces(&self, older: &Row) -> bool {
        (&self.kernel, &self.core, self.latency) == (&older.kernel, &older.core, older.latency)
    }
}

fn key(kernel: &Kernel, config: &CoreConfig, latency: u32) -> Key {
    let version = hdl::HARDWARE.to_string();
    (kernel.name.clone(), config.name(), latency, version, kernel.elf.clone())
}

/// `pass`, or what else became of it.
fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(0) => "pass".to_string(),
        Outcome::Exit(code) => format!("exit code {code}"),
        // Programs without an exit park every thread.
        Outcome::Stuck(Stuck::AllParked) => "parked".to_string(),
        Outcome::Stuck(why) => format!("stuck: {why}"),
        Outcome::Error(why) | Outcome::Mismatch(why) => why.clone(),
    }
}

/// Runs a kernel on the hardware of a configuration and on the emulator.
pub fn measure(kernel: &Kernel, config: &CoreConfig, latency: u32) -> Result<Row, BadInput> {
    let (kernel_name, core_name, latency, version, elf) = key(kernel, config, latency);
    let mut config = config.clone();
    config.reset_pc = kernel.program.entry.unwrap_or(config.reset_pc);
    let ideal = warp::run(
        &config,
        &kernel.program,
        warp::RunOptions {
            policy: PolicyKind::DepthPc,
            max_instructions: LIMIT,
            observer: Some(&mut |_| Ok(())),
            console: &mut |_| (),
        },
    );
    let mut core = rtl::build(&config).map_err(BadInput)?;
    let (mut phases, mut phase, mut began, mut arrived) = (Vec::new(), Phase::default(), 0, 0);
    let mut observe = |r: &crate::record::Record, _: &crate::golden::Effects| {
        phase.issued += 1;
        phase.replays += u64::from(r.events.replay != 0);
        if r.has_access && r.access.write {
            let here = r.access.addr.iter().enumerate().filter(|(_, a)| **a == BARRIER_ARRIVE);
            arrived += here.filter(|(lane, _)| r.done >> lane & 1 != 0).count() as u32;
        }
        if arrived == config.harts {
            arrived = 0;
            phase.cycles = r.cycle - began;
            began = r.cycle;
            phases.push(std::mem::take(&mut phase));
        }
    };
    let report = rtl::run(
        core.as_mut(),
        &config,
        &kernel.program,
        RunOptions {
            timing: Timing { latency, ..Timing::default() },
            max_instructions: LIMIT,
            max_cycles: LIMIT,
            lockstep: true,
            observer: Some(&mut observe),
            console: &mut |_| (),
            dump: None,
        },
    );
    phase.cycles = report.stats.cycles - began;
    phases.push(phase);
    Ok(Row {
        kernel: kernel_name,
        order_free: kernel.order_free,
        core: core_name,
        threads_per_warp: config.threads_per_warp,
        warps: config.warps,
        latency,
        version,
        elf,
        outcome: text(&report.outcome),
        ideal: ideal.stats.warp_instructions,
        same_end: text(&ideal.outcome) == text(&report.outcome),
        sweeps: core.sweeps(),
        dropped: report.stats.dropped,
        stalled: report.stats.stalled,
        phases,
    })
}

/// Runs what has no row yet, longest cores first; all rows, in the order of the
/// cells, and how many are new.
pub fn rows(
    kernels: &[Kernel],
    configs: &[CoreConfig],
    latency: u32,
    store: Store<Row>,
    fresh: bool,
) -> Result<(Vec<Row>, usize), BadInput> {
    let cells: Vec<_> = kernels.iter().flat_map(|k| configs.iter().map(move |c| (k, c))).collect();
    let known =
        |(k, c): &&(&Kernel, &CoreConfig)| store.get(&key(k, c, latency)).is_some() && !fresh;
    let missing: Vec<_> = cells.iter().filter(|c| !known(c)).copied().collect();
    let bar = ProgressBar::new(missing.len() as u64);
    let style = "{bar:40} {pos}/{len} runs, {elapsed} + {eta} {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    let store = Mutex::new(store);
    let done = missing.par_iter().try_for_each(|(kernel, config)| {
        let row = measure(kernel, config, latency)?;
        bar.set_message(format!("{} {}", kernel.name, config.name()));
        bar.inc(1);
        store.lock().expect("no run panics").add(row)
    });
    bar.finish_and_clear();
    done?;
    let store = store.into_inner().expect("no run panics");
    let row = |(k, c): &(&Kernel, &CoreConfig)| {
        store.get(&key(k, c, latency)).expect("every cell has run").clone()
    };
    let rows: Vec<_> = cells.iter().map(row).collect();
    store.finish(&rows)?;
    Ok((rows, missing.len()))
}
