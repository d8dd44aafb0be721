//! The two test units in the real core, which knows nothing of them: ISA tests
//! and kernels in lockstep on `pair` (two slots, one pipe) and `shuffle` (two
//! slots, two pipes, lanes and slots shuffled at random or not). And, with the real
//! units, the core whose lanes do one after the other what they can do at once.
//!
//! Needs `scripts/isa.sh` and `scripts/kernels-small.sh`; `scripts/test.sh` runs them.

use hdl::config::{CoreConfig, RawConfig};
use hdl::divergence::testing::pair::Pair;
use hdl::divergence::testing::shuffle::Shuffle;
use rayon::prelude::*;
use serde::Deserialize;
use sim::limits::{Outcome, Stuck};
use sim::program::Program;
use sim::rtl::{self, Core, RunOptions, Timing};
use std::path::{Path, PathBuf};

const T: usize = 4;
/// More than the longest program takes, with the bypass (in beats, too) and without.
const LIMITS: [u64; 2] = [400_000, 300_000];
/// Of programs that may spin for ever on `shuffle`.
const SPIN_LIMIT: u64 = 40_000;

#[derive(Deserialize, Clone)]
struct Test {
    name: String,
    harts: String,
    progress: String,
    expect: String,
    path: PathBuf,
}

#[derive(Deserialize, Clone)]
struct Kernel {
    name: String,
    progress: String,
    elf: PathBuf,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list<L: for<'a> Deserialize<'a>>(path: &str, least: usize) -> Vec<L> {
    let text = std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|_| panic!("{path} is missing: see the head of this file"));
    let list: Vec<L> = serde_json::from_str(&text).expect("a list of programs");
    assert!(list.len() >= least, "only {} programs in {path}", list.len());
    list
}

const UNITS: [&str; 3] = ["pair", "halves", "shuffle"];
const SERIAL: [&str; 2] = ["hct", "arbiter"];

fn build(unit: &str, config: &CoreConfig) -> Box<dyn Core> {
    let masks: Vec<u64> = (0..config.warps).map(|w| config.initial_mask(w)).collect();
    let (w, pc) = (config.warps as usize, u64::from(config.reset_pc / 4));
    match unit {
        "pair" => rtl::around(config, Pair::<T>::new(w, &masks, pc)),
        "halves" => rtl::around(config, Shuffle::<T>::new(w, &masks, pc, false)),
        unit if SERIAL.contains(&unit) => rtl::build(config).unwrap(),
        _ => rtl::around(config, Shuffle::<T>::new(w, &masks, pc, true)),
    }
}

/// Warps, latency and jitter of memory, bypass.
type Setting = (u32, (u32, u32), &'static str);

fn run(unit: &str, setting: Setting, limit: u64, file: &Path) -> Outcome {
    let (warps, timing, bypass) = setting;
    let mut raw = RawConfig {
        bypass: Some(bypass.into()),
        threads_per_warp: Some(T.to_string()),
        warps: Some(warps.to_string()),
        ..RawConfig::default()
    };
    if SERIAL.contains(&unit) {
        raw.divergence = Some(unit.into());
        (raw.crossbar, raw.csrs) = (Some("serial".into()), Some("serial".into()));
        raw.dividers = Some("1".into());
        raw.lanes = (bypass == "full").then(|| "2".into());
        // With register levels who executes is asked about in the very cycle (once a program never
        // ended).
        raw.arbiter_stages = (unit == "arbiter").then(|| "3".into());
    }
    let mut config = raw.validate().unwrap();
    let program = Program::load(file, config.ram_size).unwrap();
    config.reset_pc = program.entry.unwrap();
    let mut core = build(unit, &config);
    let options = RunOptions {
        timing: Timing { latency: timing.0, jitter: timing.1, seed: 7, ..Timing::default() },
        max_instructions: limit,
        max_cycles: limit,
        lockstep: true,
        observer: None,
        console: &mut |_| (),
        dump: None,
    };
    let report = rtl::run(core.as_mut(), &config, &program, options);
    let golden = report.checker.as_ref().expect("in lockstep").model();
    if report.platform.ram.words() != golden.platform.ram.words() {
        return Outcome::Mismatch(format!("final memory differs, {:?}", report.outcome));
    }
    report.outcome
}

/// What may spin on a lock may also live-lock; `shuffle` changes who runs at random,
/// so that no livelock can be proved there, and the limit ends it.
fn judge(
    units: &[&str],
    name: &str,
    lock: bool,
    right: &Outcome,
    file: &Path,
    settings: &[Setting],
) -> Vec<String> {
    let mut wrong = Vec::new();
    for &unit in units {
        for &setting in settings {
            let endless = lock && unit == "shuffle";
            let limit = LIMITS[usize::from(setting.2 == "none")];
            let limit = if endless { SPIN_LIMIT } else { limit };
            let outcome = run(unit, setting, limit, file);
            let stuck = match outcome {
                Outcome::Stuck(Stuck::Livelock) => lock,
                Outcome::Stuck(Stuck::Cycles(_)) => endless,
                _ => false,
            };
            if outcome != *right && !stuck {
                wrong.push(format!("{name} on {unit}, {setting:?}: {outcome:?}"));
            }
        }
    }
    wrong
}

fn fail_if_any(wrong: Vec<Vec<String>>) {
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn isa_tests(units: &[&str], settings: &[Setting]) {
    let tests = list::<Test>("target/isa/index.json", 50);
    let any = tests.into_par_iter().filter(|t| t.harts == "any");
    fail_if_any(
        any.map(|t| {
            let right = match t.expect.strip_prefix("fail:") {
                Some(code) => Outcome::Exit(code.parse().expect("a code")),
                None => Outcome::Exit(0),
            };
            judge(units, &t.name, t.progress == "lock", &right, &root().join(&t.path), settings)
        })
        .collect(),
    );
}

fn kernels(units: &[&str], settings: &[Setting]) {
    let kernels = list::<Kernel>("target/kernels-small/index.json", 24);
    let all = kernels.into_par_iter();
    fail_if_any(
        all.map(|k| {
            let file = root().join("target/kernels-small").join(&k.elf);
            judge(units, &k.name, k.progress == "lock", &Outcome::Exit(0), &file, settings)
        })
        .collect(),
    );
}

#[test]
fn isa_tests_run_on_the_test_units() {
    isa_tests(&UNITS, &[(1, (1, 0), "full"), (2, (1, 0), "none")]);
}

#[test]
fn kernels_run_on_the_test_units() {
    kernels(&UNITS, &[(2, (1, 9), "full"), (2, (1, 9), "none")]);
}

#[test]
fn isa_tests_run_one_lane_after_the_other() {
    isa_tests(&SERIAL, &[(1, (1, 0), "full"), (2, (1, 0), "none"), (2, (3, 9), "full")]);
}

#[test]
fn kernels_run_one_lane_after_the_other() {
    kernels(&SERIAL, &[(2, (1, 9), "full")]);
}
