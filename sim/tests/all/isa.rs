//! The directed ISA tests on every way of interpreting a program, on one hart
//! and on all harts at once.
//!
//! Needs `scripts/isa.sh`; `scripts/test.sh` runs it.

use hdl::config::{CoreConfig, RawConfig};
use rayon::prelude::*;
use serde::Deserialize;
use sim::checker::Checker;
use sim::golden::{Model, mimd};
use sim::limits::{Outcome, Stuck};
use sim::policy::PolicyKind;
use sim::program::Program;
use sim::rtl;
use sim::stats::Stats;
use sim::warp::{self, RunOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 100_000_000;

#[derive(Deserialize, Clone)]
struct Test {
    name: String,
    isa: String,
    harts: String,
    progress: String,
    expect: String,
    path: PathBuf,
}

#[derive(Deserialize)]
struct Exception {
    stuck: Vec<String>,
    reason: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn tests() -> Vec<Test> {
    let text = std::fs::read_to_string(root().join("target/isa/index.json"))
        .expect("target/isa/index.json is missing: run scripts/isa.sh first");
    let tests: Vec<Test> = serde_json::from_str(&text).expect("a list of tests");
    assert!(tests.len() >= 50, "only {} tests", tests.len());
    tests
}

fn exceptions() -> BTreeMap<String, Exception> {
    let text = std::fs::read_to_string(root().join("testbenches/progress.toml")).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    table.remove("isa").expect("the table has ISA tests").try_into().unwrap()
}

fn expected(test: &Test) -> Outcome {
    match test.expect.strip_prefix("fail:") {
        Some(code) => Outcome::Exit(code.parse().expect("a code")),
        None => {
            assert_eq!(test.expect, "pass", "{}", test.name);
            Outcome::Exit(0)
        }
    }
}

fn config(test: &Test, t: u32, w: u32, one: bool, isa: &str) -> (CoreConfig, Program) {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(w.to_string()),
        harts: one.then(|| "1".to_string()),
        isa: Some(isa.to_string()),
        ..RawConfig::default()
    };
    let config = raw.validate().unwrap();
    let program = Program::load(&root().join(&test.path), config.ram_size).unwrap();
    (config, program)
}

/// Runs a test; `lockstep` also checks every pass.
fn run(config: &CoreConfig, program: &Program, policy: &str, lockstep: bool) -> Outcome {
    let Some(kind) = PolicyKind::from_name(policy) else {
        let mut model = Model::new(config, program);
        let mut stats = Stats::new(config.threads_per_warp as usize);
        return mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |_, _, _| ());
    };
    let mut checker = Checker::new(config, program);
    let mut observe = |record: &sim::record::Record| checker.check(record).map(|_| ());
    let options = RunOptions {
        policy: kind,
        max_instructions: LIMIT,
        observer: if lockstep { Some(&mut observe) } else { None },
        console: &mut |_| (),
    };
    warp::run(config, program, options).outcome
}

#[test]
fn every_test_everywhere() {
    let exceptions = exceptions();
    assert!(exceptions.values().all(|e| !e.reason.is_empty()));
    let policies: Vec<_> = PolicyKind::ALL.iter().map(|p| p.1).chain(["mimd"]).collect();
    let mut jobs = Vec::new();
    for test in tests() {
        for (t, w) in [(1, 1), (1, 8), (4, 1), (4, 8), (32, 1), (32, 8), (64, 4)] {
            for one in [true, false] {
                if one || test.harts == "any" {
                    jobs.extend(policies.iter().map(|p| (test.clone(), t, w, one, *p)));
                }
            }
        }
    }
    let judge = |(test, t, w, one, policy): (Test, u32, u32, bool, &str)| {
        let (config, program) = config(&test, t, w, one, "rv32ima");
        let spins = exceptions.get(&test.name).is_some_and(|e| e.stuck.iter().any(|p| p == policy));
        assert!(test.progress != "lock" || exceptions.contains_key(&test.name), "{}", test.name);
        let lockstep = t <= 4 || w == 1;
        let outcome = run(&config, &program, policy, lockstep);
        let right =
            if spins && t > 1 && !one { Outcome::Stuck(Stuck::Livelock) } else { expected(&test) };
        let name = &test.name;
        (outcome != right)
            .then(|| format!("{name} T={t} W={w} one={one} {policy}: {outcome:?}, not {right:?}"))
    };
    let wrong: Vec<_> = jobs.into_par_iter().filter_map(judge).collect();
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A build without M or A runs what does not need them and traps on the rest.
#[test]
fn smaller_instruction_sets() {
    for test in tests().into_iter().filter(|t| t.harts == "any" && t.progress == "none") {
        for isa in ["rv32i", "rv32im", "rv32ima"] {
            let (config, program) = config(&test, 4, 2, true, isa);
            let outcome = run(&config, &program, "depth-pc", true);
            let enough = test.isa.len() <= isa.len();
            assert_eq!(outcome == expected(&test), enough, "{} on {isa}: {outcome:?}", test.name);
        }
    }
}

/// Hardware without M, A, traps, counters and bypass does what the emulator of such a
/// build does: runs a test, or ends at its first trap. (On one hart: which of several
/// traps first is nobody's promise.)
#[test]
fn smaller_hardware() {
    let mut jobs = Vec::new();
    for test in tests().into_iter().filter(|t| t.harts == "any" && t.progress == "none") {
        for isa in ["rv32i", "rv32im"] {
            jobs.extend(["hct", "arbiter"].map(|unit| (test.clone(), isa, unit)));
        }
    }
    let ends = |(test, isa, unit): (Test, &str, &str)| {
        let raw = RawConfig {
            threads_per_warp: Some("4".into()),
            warps: Some("2".into()),
            divergence: Some(unit.into()),
            harts: Some("1".into()),
            isa: Some(isa.into()),
            traps: Some("off".into()),
            counters: Some("none".into()),
            bypass: Some("none".into()),
            ..RawConfig::default()
        };
        let mut config = raw.validate().unwrap();
        let program = Program::load(&root().join(&test.path), config.ram_size).unwrap();
        config.reset_pc = program.entry.unwrap();
        let right = run(&config, &program, "depth-pc", false);
        let mut core = rtl::build(&config).unwrap();
        let options = rtl::RunOptions {
            timing: rtl::Timing::default(),
            max_instructions: LIMIT,
            max_cycles: LIMIT,
            lockstep: true,
            observer: None,
            console: &mut |_| (),
            dump: None,
        };
        let outcome = rtl::run(core.as_mut(), &config, &program, options).outcome;
        assert_eq!(outcome, right, "{} on {unit} with {isa}", test.name);
        matches!(outcome, Outcome::Exit(_))
    };
    let (passed, trapped): (Vec<_>, Vec<_>) =
        jobs.into_par_iter().map(ends).partition(|exit| *exit);
    assert!(passed.len() > 60 && trapped.len() > 10, "{} and {}", passed.len(), trapped.len());
}
