//! Every kernel on every policy: the table of `testbenches/progress.toml`,
//! commit streams against *mimd*, and lockstep.
//!
//! Needs `scripts/kernels.sh`; `scripts/test.sh` runs it.

use hdl::config::{CoreConfig, RawConfig};
use rayon::prelude::*;
use serde::Deserialize;
use sim::checker::Checker;
use sim::golden::{Model, mimd};
use sim::limits::{Outcome, Stuck};
use sim::policy::PolicyKind;
use sim::program::Program;
use sim::stats::Stats;
use sim::streams::Streams;
use sim::warp::{self, RunOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 300_000_000;

#[derive(Deserialize, Clone, Debug)]
struct Kernel {
    name: String,
    order: String,
    progress: String,
    elf: PathBuf,
    hints_elf: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    none: String,
    barrier: String,
    lock: String,
    lock_hinted: String,
    #[serde(default)]
    except: BTreeMap<String, BTreeMap<String, String>>,
    reason: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn kernels() -> Vec<Kernel> {
    let path = root().join("target/kernels/index.json");
    let text = std::fs::read_to_string(&path)
        .expect("target/kernels/index.json is missing: run scripts/kernels.sh first");
    let kernels: Vec<Kernel> = serde_json::from_str(&text).expect("a list of kernels");
    assert!(kernels.len() >= 24, "only {} kernels", kernels.len());
    for class in ["none", "barrier", "lock"] {
        assert!(kernels.iter().any(|k| k.progress == class), "no kernel of class {class}");
    }
    kernels
}

fn table() -> BTreeMap<String, Row> {
    let text = std::fs::read_to_string(root().join("testbenches/progress.toml")).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    table.remove("policy").expect("the table has policies").try_into().unwrap()
}

impl Kernel {
    fn file(&self, hints: bool) -> PathBuf {
        root().join("target/kernels").join(if hints { &self.hints_elf } else { &self.elf })
    }
}

impl Row {
    fn expects(&self, kernel: &Kernel, hints: bool, threads: u32) -> &str {
        let (cell, value) = match (kernel.progress.as_str(), hints) {
            ("none", _) => ("none", &self.none),
            ("barrier", _) => ("barrier", &self.barrier),
            ("lock", false) => ("lock", &self.lock),
            ("lock", true) => ("lock_hinted", &self.lock_hinted),
            (other, _) => panic!("{}: no progress class {other}", kernel.name),
        };
        if threads == 1 {
            return "finishes";
        }
        self.except.get(cell).and_then(|e| e.get(&kernel.name)).unwrap_or(value)
    }
}

fn config(threads: u32, warps: u32, program: &Path) -> (CoreConfig, Program) {
    let raw = RawConfig {
        threads_per_warp: Some(threads.to_string()),
        warps: Some(warps.to_string()),
        ..RawConfig::default()
    };
    let mut config = raw.validate().unwrap();
    let program = Program::load(program, config.ram_size).unwrap();
    config.reset_pc = program.entry.unwrap();
    (config, program)
}

fn oracle(config: &CoreConfig, program: &Program) -> (Outcome, Streams) {
    let t = config.threads_per_warp;
    let mut model = Model::new(config, program);
    let mut stats = Stats::new(t as usize);
    let mut streams = Streams::new(config);
    let outcome = mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |hart, effects, _| {
        streams.add(hart / t * t, effects);
    });
    (outcome, streams)
}

fn verdict(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Exit(0) => "finishes",
        Outcome::Stuck(Stuck::Livelock) => "stuck",
        _ => "neither",
    }
}

fn fail_if_any(mut wrong: Vec<String>) {
    wrong.sort();
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_progress_table_holds() {
    let table = table();
    let names: Vec<_> = PolicyKind::ALL.iter().map(|(_, name, _)| *name).chain(["mimd"]).collect();
    assert_eq!(table.len(), names.len(), "the table has a row per policy");
    for (name, row) in &table {
        assert!(names.contains(&name.as_str()) && !row.reason.is_empty(), "{name}");
    }
    let mut jobs = Vec::new();
    for kernel in kernels() {
        for (t, w) in [1, 4, 8, 32, 64].into_iter().flat_map(|t| [(t, 1), (t, 8)]) {
            jobs.extend(
                names.iter().flat_map(|p| [false, true].map(|h| (kernel.clone(), *p, h, t, w))),
            );
        }
    }
    let run = |(kernel, policy, hints, t, w): (Kernel, &str, bool, u32, u32)| {
        let (config, program) = config(t, w, &kernel.file(hints));
        let outcome = match PolicyKind::from_name(policy) {
            None => oracle(&config, &program).0,
            Some(kind) => {
                let options = RunOptions {
                    policy: kind,
                    max_instructions: LIMIT,
                    observer: None,
                    console: &mut |_| (),
                };
                warp::run(&config, &program, options).outcome
            }
        };
        let expected = table[policy].expects(&kernel, hints, t);
        let name = &kernel.name;
        (verdict(&outcome) != expected).then(|| {
            format!("{name} hints={hints} {policy} T={t} W={w}: {outcome:?}, table: {expected}")
        })
    };
    fail_if_any(jobs.into_par_iter().filter_map(run).collect());
}

/// In lockstep with the golden model, and thread by thread what mimd does.
#[test]
fn commit_streams_are_those_of_mimd() {
    let table = table();
    let mut jobs = Vec::new();
    for kernel in kernels() {
        for (hints, t, w) in
            [(false, 1, 8), (false, 4, 2), (true, 4, 2), (true, 32, 1), (true, 8, 8)]
        {
            jobs.push((kernel.clone(), hints, t, w));
        }
    }
    let run = |(kernel, hints, t, w): (Kernel, bool, u32, u32)| {
        let (config, program) = config(t, w, &kernel.file(hints));
        let free = kernel.order == "free";
        assert!(free || kernel.order == "dependent", "{}: order {}", kernel.name, kernel.order);
        let reference = free.then(|| oracle(&config, &program).1);
        let mut wrong = Vec::new();
        for (kind, policy, _) in PolicyKind::ALL {
            if table[policy].expects(&kernel, hints, t) != "finishes" {
                continue;
            }
            let mut checker = Checker::new(&config, &program);
            let mut streams = Streams::new(&config);
            let mut observe = |record: &sim::record::Record| {
                let effects = checker.check(record)?;
                if free {
                    streams.add(record.warp * t, effects);
                }
                Ok(())
            };
            let options = RunOptions {
                policy: kind,
                max_instructions: LIMIT,
                observer: Some(&mut observe),
                console: &mut |_| (),
            };
            let report = warp::run(&config, &program, options);
            let what = if report.outcome != Outcome::Exit(0) {
                Some(format!("{:?}", report.outcome))
            } else if !report.registers.iter().eq(checker.model().harts.iter().map(|h| &h.x)) {
                Some("final registers differ from the golden model's".to_string())
            } else if report.platform.ram.words() != checker.model().platform.ram.words() {
                Some("final memory differs from the golden model's".to_string())
            } else {
                reference.as_ref().and_then(|r| streams.differs(r))
            };
            if let Some(what) = what {
                let name = &kernel.name;
                wrong.push(format!("{name} hints={hints} {policy} T={t} W={w}: {what}"));
            }
        }
        wrong
    };
    fail_if_any(jobs.into_par_iter().flat_map_iter(run).collect());
}
