//! `sim --engine rtl`, `verilator`, `twin`: options and the run of a core.

use super::files::Files;
use super::run::{Ended, RunArgs, count};
use crate::commit_log;
use crate::engine::Engine;
use crate::error::BadInput;
use crate::program::Program;
use crate::rtl::timing::FETCH_TAGS;
use crate::rtl::{self, Core, RunOptions, Timing};
use crate::verilator::{self, Conversion};
use clap::Args;
use hdl::config::CoreConfig;
use std::path::PathBuf;

/// Cycles after which a run is cut short unless told otherwise.
const MAX_CYCLES: u64 = 1_000_000_000;

/// Options of a run of hardware.
#[derive(Args)]
pub struct RtlArgs {
    /// Cycles to a reply of memory, and a random number of further ones up to
    /// JITTER (hardware only) [default: 1]
    #[arg(long, value_name = "L[:JITTER]")]
    mem_latency: Option<String>,
    /// Of the random numbers of JITTER [default: 1]
    #[arg(long, value_name = "N")]
    mem_seed: Option<String>,
    /// Requests that each port of memory has under way at once, at most (hardware
    /// only) [default: as many as there are tags]
    #[arg(long, value_name = "N")]
    mem_requests: Option<String>,
    /// Cycles after which the run is cut short (hardware only) [default: 10^9]
    #[arg(long, value_name = "N")]
    max_cycles: Option<String>,
    /// Inputs, outputs and registers of the circuit as a value change dump
    /// (rtl and twin only)
    #[arg(long, value_name = "F|-")]
    pub(super) vcd: Option<PathBuf>,
    /// Every signal of the Verilog as a compact wave file (verilator only)
    #[arg(long, value_name = "F|-")]
    pub(super) fst: Option<PathBuf>,
}

/// A run of hardware that was asked for.
pub struct Setup {
    core: Box<dyn Core>,
    conversion: Option<Conversion>,
    timing: Timing,
    max_cycles: u64,
    lockstep: bool,
}

impl RtlArgs {
    /// Refuses what does not go with the engine; the emulator is `None`.
    pub fn refuse(&self, engine: Option<Engine>) -> Result<(), BadInput> {
        use Engine::{Rtl, Twin, Verilator};
        let given = [
            ("mem-latency", self.mem_latency.is_some(), &[Rtl, Verilator, Twin][..]),
            ("mem-seed", self.mem_seed.is_some(), &[Rtl, Verilator, Twin]),
            ("mem-requests", self.mem_requests.is_some(), &[Rtl, Verilator, Twin]),
            ("max-cycles", self.max_cycles.is_some(), &[Rtl, Verilator, Twin]),
            ("vcd", self.vcd.is_some(), &[Rtl, Twin]),
            ("fst", self.fst.is_some(), &[Verilator]),
        ];
        let wrong = given.iter().find(|(_, given, with)| {
            *given && !engine.is_some_and(|engine| with.contains(&engine))
        });
        match wrong {
            None => Ok(()),
            Some((option, _, with)) => {
                let names: Vec<&str> = with.iter().map(|engine| engine.name()).collect();
                let names = names.join(", ");
                Err(BadInput(format!("--{option}: only with --engine {names}")))
            }
        }
    }

    /// Builds the core that was asked for.
    pub fn setup(
        &self,
        engine: Engine,
        config: &CoreConfig,
        lockstep: bool,
    ) -> Result<Setup, BadInput> {
        let seed = count("mem-seed", &self.mem_seed, 1)?;
        let mut timing = match &self.mem_latency {
            None => Timing { seed, ..Timing::default() },
            Some(text) => Timing::parse(text, seed)
                .map_err(|why| BadInput(format!("--mem-latency {text}: {why}")))?,
        };
        if self.mem_seed.is_some() && timing.jitter == 0 {
            let why = "only with a jitter in --mem-latency, nothing else is random";
            return Err(BadInput(format!("--mem-seed: {why}")));
        }
        if let Some(text) = &self.mem_requests {
            let number = hdl::config::number(text).and_then(|n| usize::try_from(n).ok());
            timing.requests = number.filter(|n| (1..=FETCH_TAGS).contains(n)).ok_or_else(|| {
                BadInput(format!("--mem-requests {text}: not supported, use 1 to {FETCH_TAGS}"))
            })?;
        }
        let max_cycles = count("max-cycles", &self.max_cycles, MAX_CYCLES)?;
        let (core, conversion) = match &self.fst {
            None => (engine.core(config), None),
            Some(_) => {
                let (waves, conversion) = Conversion::start();
                (verilator::build(config, Some(waves)), Some(conversion))
            }
        };
        Ok(Setup { core: core.map_err(BadInput)?, conversion, timing, max_cycles, lockstep })
    }
}

impl Setup {
    /// For the head of the statistics.
    pub fn about(&self) -> serde_json::Value {
        let Timing { latency, jitter, seed, requests } = self.timing;
        let mut memory =
            serde_json::json!({ "latency": latency, "jitter": jitter, "requests": requests });
        if jitter != 0 {
            memory["seed"] = seed.into();
        }
        serde_json::json!({ "memory": memory, "lockstep": self.lockstep })
    }

    /// Runs the program.
    pub(super) fn run(
        mut self,
        args: &RunArgs,
        config: &CoreConfig,
        program: &Program,
        max_instructions: u64,
        files: &mut Files,
    ) -> Result<Ended, BadInput> {
        let mut text = String::new();
        let mut failed = Ok(());
        let mut log = files.log.as_mut();
        let logs = log.is_some();
        let mut observe = |record: &crate::record::Record, effects: &crate::golden::Effects| {
            if let Some(log) = &mut log {
                commit_log::append(&mut text, record.warp * config.threads_per_warp, effects);
                if failed.is_ok() {
                    failed = log.write(text.as_bytes());
                }
                text.clear();
            }
        };
        let report = rtl::run(
            self.core.as_mut(),
            config,
            program,
            RunOptions {
                timing: self.timing,
                max_instructions,
                max_cycles: self.max_cycles,
                lockstep: self.lockstep || logs,
                observer: if logs { Some(&mut observe) } else { None },
                console: &mut args.console(),
                dump: files.vcd.as_mut(),
            },
        );
        failed?;
        let sweeps = self.core.sweeps();
        // The last of the waves come when the core goes.
        drop(self.core);
        if let (Some(conversion), Some(file)) = (self.conversion, &mut files.fst) {
            conversion.finish(file)?;
        }
        Ok(Ended {
            outcome: report.outcome,
            stats: report.stats.run.clone(),
            sweeps,
            rtl: Some(report.stats),
            platform: report.platform,
            warps: report.warps,
        })
    }
}
