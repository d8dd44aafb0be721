//! Random programs on random hardware: shape, unit, options and memory latency follow
//! from the seed, every retired instruction is in lockstep, and what the threads
//! commit is compared with *mimd*.

use super::check::{Case, Tally};
use super::rng::Rng;
use crate::engine::Engine;
use crate::limits::Outcome;
use crate::rtl::timing::FETCH_TAGS;
use crate::rtl::{self, Core, RunOptions, Timing};
use crate::streams::Streams;
use hdl::config::RawConfig;

/// Thread instructions and cycles after which a random program counts as stuck.
const LIMIT: u64 = 5_000_000;
/// Most harts of a random core.
const HARTS: u32 = 128;
/// T of cores that have to be compiled.
const COMPILED: [u32; 4] = [1, 4, 32, 64];

/// What a case runs on, beside its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// What simulates it.
    pub engine: Engine,
    /// The divergence unit and its options, ISA, traps, counters, bypass, load table.
    pub options: RawConfig,
    /// Latency of memory.
    pub timing: Timing,
}

/// Random options of a core with this unit; each default is the likeliest.
fn options(unit: &str, rng: &mut Rng) -> RawConfig {
    let mut pick = |values: &[&'static str]| Some(rng.pick(values).to_string());
    let mut raw = RawConfig {
        divergence: Some(unit.into()),
        isa: pick(&["rv32ima", "rv32ima", "rv32ima", "rv32im", "rv32i"]),
        traps: pick(&["on", "on", "on", "off"]),
        counters: pick(&["thread", "thread", "thread", "warp", "none"]),
        bypass: pick(&["full", "full", "full", "none"]),
        loads: pick(&["12", "12", "1", "2", "5", "15"]),
        ..RawConfig::default()
    };
    match unit {
        "hct" => {
            raw.ccs = pick(&["parallel", "parallel", "network"]);
            raw.cct = pick(&["rows", "rows", "paper"]);
        }
        "arbiter" => raw.arbiter_stages = pick(&["0", "0", "1", "2", "3", "4"]),
        _ => {}
    }
    raw
}

/// Crossbar, dividers, CSRs and lanes of the ALU, seldom others than the default; from numbers of their own, so that a
/// seed's other choices do not depend on them.
fn sizes(options: &mut RawConfig, t: u32, seed: u64) {
    let mut rng = Rng::new(seed ^ 0xc2_055);
    options.crossbar = match rng.pick(&["", "", "full", "serial"]) {
        kind if t < 4 || kind.is_empty() => None,
        kind => Some(kind.into()),
    };
    let dividers = rng.pick(&[t, t, t, t / 2, t / 4, 1]);
    let there_are = options.isa.as_deref() != Some("rv32i");
    options.dividers = (there_are && dividers > 0 && dividers < t).then(|| dividers.to_string());
    let has_file =
        options.traps.as_deref() != Some("off") || options.counters.as_deref() != Some("none");
    options.csrs = (has_file && rng.chance(30)).then(|| "serial".to_string());
    let lanes = rng.pick(&[t, t, t, t / 2, t / 4, 1]);
    let few = options.bypass.as_deref() != Some("none") && lanes > 0 && lanes < t;
    options.lanes = few.then(|| lanes.to_string());
}

/// T, W, threads alive, depth bits of a core.
fn shape(t: u32, depth: u32, rng: &mut Rng) -> [u32; 4] {
    let warps: Vec<u32> = [1, 2, 4, 8, 16, 32].into_iter().filter(|w| w * t <= HARTS).collect();
    let w = rng.pick(&warps);
    let harts = if rng.chance(80) { t * w } else { 1 + rng.below((t * w) as usize) as u32 };
    [t, w, harts, depth]
}

impl Case {
    /// The case of a seed on hardware with one of these units.
    pub fn on_hardware(seed: u64, races: bool, units: &[&'static str]) -> Case {
        let mut case = Case::new(seed, races);
        let mut rng = Rng::new(seed ^ 0x0c1_0c2);
        let [t, _, _, depth] = case.shape;
        case.shape = shape(t, depth, &mut rng);
        let (latency, jitter) =
            rng.pick(&[(1, 0), (1, 0), (2, 0), (20, 0), (1, 3), (1, 49), (5, 9)]);
        let mut options = options(rng.pick(units), &mut rng);
        sizes(&mut options, case.shape[0], seed);
        let requests = rng.pick(&[FETCH_TAGS, FETCH_TAGS, 1, 2, 5]);
        let timing = Timing { latency, jitter, seed, requests };
        case.hardware = Some(Hardware { engine: Engine::Rtl, options, timing });
        case
    }

    /// The case of a seed on one of so many cores: compiling a core costs more than
    /// simulating a thousand programs on it.
    pub fn on_compiled(
        seed: u64,
        races: bool,
        units: &[&'static str],
        (engine, cores): (Engine, u64),
    ) -> Case {
        let mut case = Case::on_hardware(seed, races, units);
        let number = (seed % cores) as usize;
        let mut rng = Rng::new(number as u64 ^ 0xc0_4e);
        let t = COMPILED[number % COMPILED.len()];
        let unit = units[number / COMPILED.len() % units.len()];
        case.shape = shape(t, rng.pick(&[8, 8, 2]), &mut rng);
        let hardware = case.hardware.as_mut().expect("on hardware");
        let mut options = options(unit, &mut rng);
        sizes(&mut options, t, number as u64);
        *hardware = Hardware { engine, options, ..*hardware };
        case
    }

    /// Runs it on a core of its configuration; `None` if it is too large.
    pub fn run_on(&self, core: &mut dyn Core) -> Result<Option<Tally>, String> {
        let config = self.config();
        let Some(program) = self.program() else { return Ok(None) };
        let oracle = self.oracle(&config, &program)?;
        let mut streams = Streams::new(&config);
        let mut observe = |record: &crate::record::Record, effects: &crate::golden::Effects| {
            streams.add(record.warp * config.threads_per_warp, effects);
        };
        let options = RunOptions {
            timing: self.hardware.as_ref().map_or(Timing::default(), |h| h.timing),
            max_instructions: LIMIT,
            max_cycles: LIMIT,
            lockstep: true,
            observer: Some(&mut observe),
            console: &mut |_| (),
            dump: None,
        };
        let report = rtl::run(core, &config, &program, options);
        match report.outcome {
            Outcome::Exit(0) => {}
            Outcome::Mismatch(why) => return Err(why),
            other => {
                let text = crate::report::describe(&report.warps, &program, None);
                return Err(format!("{other:?}\n{text}"));
            }
        }
        let memory = report.platform.ram.words();
        let golden = report.checker.as_ref().expect("in lockstep").model();
        if memory != golden.platform.ram.words() {
            return Err("final memory differs from the golden model's".to_string());
        }
        if !self.races {
            oracle.compare(&streams, memory)?;
        }
        Ok(Some(Tally {
            passes: report.stats.run.warp_instructions,
            divergences: report.stats.run.divergences,
            cycles: report.stats.cycles,
            ..oracle.tally()
        }))
    }
}
