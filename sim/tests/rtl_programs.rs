//! Every ISA test and every kernel on hardware, in lockstep: all T and W, slow
//! and random memory, and the outcomes of `testbenches/progress.toml`.
//!
//! Needs `scripts/isa.sh` and `scripts/kernels.sh --size 8 --out
//! target/kernels-small`; `scripts/test.sh` runs them.

use hdl::config::{CoreConfig, RawConfig};
use rayon::prelude::*;
use serde::Deserialize;
use sim::golden::{Model, mimd};
use sim::limits::{Outcome, Stuck};
use sim::program::Program;
use sim::rtl::{self, RunOptions, Timing};
use sim::stats::Stats;
use sim::streams::Streams;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 20_000_000;

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
    order: String,
    progress: String,
    elf: PathBuf,
    hints_elf: PathBuf,
}

#[derive(Deserialize)]
struct Row {
    lock: String,
    lock_hinted: String,
    #[serde(default)]
    except: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Table {
    policy: BTreeMap<String, Row>,
    unit: BTreeMap<String, String>,
    isa: BTreeMap<String, Exception>,
}

#[derive(Deserialize)]
struct Exception {
    stuck: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list<T: for<'a> Deserialize<'a>>(path: &str, made_by: &str, least: usize) -> Vec<T> {
    let text = std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|_| panic!("{path} is missing: run {made_by} first"));
    let list: Vec<T> = serde_json::from_str(&text).expect("a list of programs");
    assert!(list.len() >= least, "only {} programs in {path}", list.len());
    list
}

fn units() -> Vec<&'static str> {
    hdl::cores::in_hardware()
}

fn tests() -> Vec<Test> {
    list("target/isa/index.json", "scripts/isa.sh", 50)
}

fn kernels() -> Vec<Kernel> {
    let made_by = "scripts/kernels.sh --size 8 --out target/kernels-small";
    list("target/kernels-small/index.json", made_by, 24)
}

fn table() -> Table {
    let text = std::fs::read_to_string(root().join("testbenches/progress.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

/// A core and its memory.
#[derive(Clone, Copy, Debug)]
struct Shape {
    unit: &'static str,
    t: u32,
    w: u32,
    one: bool,
    timing: (u32, u32),
}

/// What the test command runs: every T, some W, slow and random memory, wide
/// warps with few of them.
const QUICK: &[(u32, u32, (u32, u32))] = &[
    (1, 8, (1, 0)),
    (2, 8, (1, 0)),
    (4, 8, (1, 0)),
    (8, 8, (1, 0)),
    (16, 2, (1, 0)),
    (32, 1, (1, 0)),
    (64, 1, (1, 0)),
    (4, 1, (1, 0)),
    (4, 4, (1, 0)),
    (4, 2, (20, 0)),
    (8, 2, (1, 49)),
];

/// The rest of the matrix (`scripts/matrix-rtl.sh`): every T with eight warps,
/// every W with four lanes, every memory for some.
const FULL: &[(u32, u32, (u32, u32))] = &[
    (16, 8, (1, 0)),
    (32, 8, (1, 0)),
    (64, 8, (1, 0)),
    (4, 2, (1, 0)),
    (4, 16, (1, 0)),
    (4, 32, (1, 0)),
    (4, 8, (20, 0)),
    (4, 8, (1, 49)),
    (16, 2, (20, 0)),
    (16, 2, (1, 49)),
];

fn shapes(of: &[(u32, u32, (u32, u32))]) -> Vec<Shape> {
    let shape = |(t, w, timing)| {
        units().into_iter().map(move |unit| Shape { unit, t, w, one: false, timing })
    };
    of.iter().copied().flat_map(shape).collect()
}

fn config(shape: Shape, program: &Path) -> (CoreConfig, Program) {
    let raw = RawConfig {
        threads_per_warp: Some(shape.t.to_string()),
        warps: Some(shape.w.to_string()),
        divergence: Some(shape.unit.to_string()),
        harts: shape.one.then(|| "1".to_string()),
        ..RawConfig::default()
    };
    let mut config = raw.validate().unwrap();
    let program = Program::load(program, config.ram_size).unwrap();
    config.reset_pc = program.entry.unwrap();
    (config, program)
}

/// The outcome, and the commit streams of a run that finished.
fn run(shape: Shape, file: &Path) -> (Outcome, Streams) {
    let (config, program) = config(shape, file);
    let mut core = rtl::build(&config).unwrap();
    let mut streams = Streams::new(&config);
    let mut observe = |record: &sim::record::Record, effects: &sim::golden::Effects| {
        streams.add(record.warp * config.threads_per_warp, effects);
    };
    let (latency, jitter) = shape.timing;
    let options = RunOptions {
        timing: Timing { latency, jitter, seed: u64::from(shape.t * 100 + shape.w) },
        max_instructions: LIMIT,
        max_cycles: LIMIT,
        lockstep: true,
        observer: Some(&mut observe),
        console: &mut |_| (),
        dump: None,
    };
    let report = rtl::run(core.as_mut(), &config, &program, options);
    let golden = report.checker.as_ref().expect("in lockstep").model();
    let same = report.platform.ram.words() == golden.platform.ram.words();
    let outcome = if same {
        report.outcome
    } else {
        Outcome::Mismatch(format!("final memory differs, {:?}", report.outcome))
    };
    (outcome, streams)
}

fn fail_if_any(mut wrong: Vec<String>) {
    wrong.sort();
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn expected(test: &Test) -> Outcome {
    match test.expect.strip_prefix("fail:") {
        Some(code) => Outcome::Exit(code.parse().expect("a code")),
        None => Outcome::Exit(0),
    }
}

#[test]
fn every_isa_test() {
    isa_tests(QUICK);
}

#[test]
#[ignore = "takes half an hour: scripts/matrix-rtl.sh runs it"]
fn every_isa_test_on_every_shape() {
    isa_tests(FULL);
}

fn isa_tests(of: &[(u32, u32, (u32, u32))]) {
    let table = table();
    let mut jobs = Vec::new();
    for test in tests() {
        for shape in shapes(of) {
            if test.harts == "any" {
                jobs.push((test.clone(), shape));
            }
            // On one hart too, as the standard test programs are run.
            if [1, 4, 32].contains(&shape.t) && shape.timing == (1, 0) {
                jobs.push((test.clone(), Shape { one: true, ..shape }));
            }
        }
    }
    let judge = |(test, shape): (Test, Shape)| {
        let policy = &table.unit[shape.unit];
        let spins = table.isa.get(&test.name).is_some_and(|e| e.stuck.contains(policy));
        assert!(test.progress != "lock" || table.isa.contains_key(&test.name), "{}", test.name);
        let right = if spins && shape.t > 1 && !shape.one {
            Outcome::Stuck(Stuck::Livelock)
        } else {
            expected(&test)
        };
        let outcome = run(shape, &root().join(&test.path)).0;
        (outcome != right).then(|| format!("{} {shape:?}: {outcome:?}, not {right:?}", test.name))
    };
    fail_if_any(jobs.into_par_iter().filter_map(judge).collect());
}

#[test]
fn every_kernel() {
    all_kernels(QUICK);
}

#[test]
#[ignore = "takes long: scripts/matrix-rtl.sh runs it"]
fn every_kernel_on_every_shape() {
    all_kernels(FULL);
}

fn all_kernels(of: &[(u32, u32, (u32, u32))]) {
    let table = table();
    let mut jobs = Vec::new();
    for kernel in kernels() {
        for shape in shapes(of) {
            jobs.push((kernel.clone(), shape, false));
        }
        for shape in shapes(of).into_iter().filter(|s| s.t == 8) {
            jobs.push((kernel.clone(), shape, true));
        }
    }
    let judge = |(kernel, shape, hints): (Kernel, Shape, bool)| {
        let row = &table.policy[&table.unit[shape.unit]];
        let (cell, value) =
            if hints { ("lock_hinted", &row.lock_hinted) } else { ("lock", &row.lock) };
        let value = row.except.get(cell).and_then(|e| e.get(&kernel.name)).unwrap_or(value);
        let lock = kernel.progress == "lock" && shape.t > 1;
        let right = if lock && value == "stuck" {
            Outcome::Stuck(Stuck::Livelock)
        } else {
            Outcome::Exit(0)
        };
        let file = if hints { &kernel.hints_elf } else { &kernel.elf };
        let file = root().join("target/kernels-small").join(file);
        let (outcome, streams) = run(shape, &file);
        let what = if outcome != right {
            Some(format!("{outcome:?}, not {right:?}"))
        } else if kernel.order == "free" {
            streams.differs(&mimd_streams(shape, &file))
        } else {
            None
        };
        what.map(|what| format!("{} hints={hints} {shape:?}: {what}", kernel.name))
    };
    fail_if_any(jobs.into_par_iter().filter_map(judge).collect());
}

fn mimd_streams(shape: Shape, file: &Path) -> Streams {
    let (config, program) = config(shape, file);
    let t = config.threads_per_warp;
    let mut model = Model::new(&config, &program);
    let mut stats = Stats::new(t as usize);
    let mut streams = Streams::new(&config);
    let outcome = mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |hart, effects, _| {
        streams.add(hart / t * t, effects);
    });
    assert_eq!(outcome, Outcome::Exit(0));
    streams
}
