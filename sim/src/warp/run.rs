//! Whole runs: warps in turn, one pass each, until the program ends.

use super::Engine;
use super::watchdog::Watchdog;
use crate::limits::{Outcome, Stuck};
use crate::platform::{End, Platform};
use crate::policy::PolicyKind;
use crate::program::Program;
use crate::record::Record;
use crate::report::{WarpReport, group};
use crate::stats::Stats;
use hdl::config::CoreConfig;

/// Sees every record in order; an error ends the run.
pub type Observer<'a> = &'a mut dyn FnMut(&Record) -> Result<(), String>;

/// How to run.
pub struct RunOptions<'o, 'c> {
    /// Which path of a warp is next.
    pub policy: PolicyKind,
    /// Thread instructions after which the run is cut short.
    pub max_instructions: u64,
    /// Who wants to see the records.
    pub observer: Option<Observer<'o>>,
    /// Where the console goes.
    pub console: &'c mut dyn FnMut(&[u8]),
}

/// The end of a run.
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// What it counted.
    pub stats: Stats,
    /// Every warp that is not done.
    pub warps: Vec<WarpReport>,
    /// Registers of every hart.
    pub registers: Vec<[u32; 32]>,
    /// Memory as it was left.
    pub platform: Platform,
}

/// Runs a program; T is dispatched here and nowhere else.
pub fn run(config: &CoreConfig, program: &Program, options: RunOptions<'_, '_>) -> Report {
    match config.threads_per_warp {
        1 => run_lanes::<1>(config, program, options),
        2 => run_lanes::<2>(config, program, options),
        4 => run_lanes::<4>(config, program, options),
        8 => run_lanes::<8>(config, program, options),
        16 => run_lanes::<16>(config, program, options),
        32 => run_lanes::<32>(config, program, options),
        64 => run_lanes::<64>(config, program, options),
        t => unreachable!("validate() lets no {t} threads per warp pass"),
    }
}

fn run_lanes<const T: usize>(
    config: &CoreConfig,
    program: &Program,
    mut options: RunOptions<'_, '_>,
) -> Report {
    let mut engine = Engine::<T>::new(config, program, options.policy);
    if options.observer.is_some() {
        engine.record = Some(Box::default());
    }
    let outcome = engine.run(&mut options);
    Report {
        outcome,
        registers: engine.registers(),
        warps: engine.report(),
        stats: engine.stats,
        platform: engine.platform,
    }
}

impl<const T: usize> Engine<'_, T> {
    fn run(&mut self, options: &mut RunOptions<'_, '_>) -> Outcome {
        let mut watchdog = Watchdog::<T>::new();
        loop {
            let mut idle = true;
            for w in 0..self.warps.len() {
                let Some(path) = self.warps[w].current else { continue };
                idle = false;
                self.step(w, path);
                if let (Some(record), Some(observe)) = (&self.record, &mut options.observer)
                    && let Err(why) = observe(record)
                {
                    return Outcome::Mismatch(why);
                }
                if !self.platform.htif.console.is_empty() {
                    (options.console)(&std::mem::take(&mut self.platform.htif.console));
                }
                match self.platform.htif.end.take() {
                    None => {}
                    Some(End::Exit(code)) => return Outcome::Exit(code),
                    Some(End::Error(why)) => return Outcome::Error(why),
                }
            }
            if idle {
                return Outcome::Stuck(Stuck::AllParked);
            }
            if self.stats.thread_instructions >= options.max_instructions
                || self.stats.warp_instructions >= options.max_instructions
            {
                return Outcome::Stuck(Stuck::Limit(options.max_instructions));
            }
            if watchdog.bites(self) {
                return Outcome::Stuck(Stuck::Livelock);
            }
        }
    }

    fn registers(&self) -> Vec<[u32; 32]> {
        let of = |w: &super::Warp<T>, lane: usize| std::array::from_fn(|r| w.x[r][lane]);
        self.warps.iter().flat_map(|w| (0..T).map(move |lane| of(w, lane))).collect()
    }

    fn report(&self) -> Vec<WarpReport> {
        let warp = |(w, warp): (usize, &super::Warp<T>)| {
            let parked = crate::record::lanes(warp.parked);
            let place = |lane: usize| (lane, warp.parked_at[lane].0, warp.parked_at[lane].1);
            WarpReport {
                warp: w as u32,
                paths: warp.policy.paths(),
                waiting: warp.policy.waiting(),
                parked: group(parked.map(place)),
            }
        };
        self.warps.iter().enumerate().map(warp).collect()
    }
}
