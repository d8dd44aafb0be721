//! `lab matrix`: every ISA test and every kernel on hardware of many shapes with
//! many memories, in lockstep, against the outcomes that
//! `testbenches/progress.toml` promises.
//!
//! Long, because which runs there are, how one is judged and its row say the same thing.

use super::kernels::fnv1a;
use super::store::{Keyed, Store};
use crate::cli::exit;
use crate::engine::Engine;
use crate::error::BadInput;
use crate::golden::{Model, mimd};
use crate::limits::{Outcome, Stuck};
use crate::program::{self, Program};
use crate::rtl::{self, RunOptions, Timing};
use crate::stats::Stats;
use crate::streams::Streams;
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use hdl::cores::in_hardware;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Instructions and cycles after which a run is cut short: twenty times what the
/// largest kernel needs.
const LIMIT: u64 = 100_000_000;
/// T of cores that have to be compiled.
const COMPILED: [u32; 4] = [1, 4, 32, 64];

/// T, W, memory latency and jitter.
pub type Setting = (u32, u32, (u32, u32));

/// Options of `lab matrix`.
#[derive(Args)]
pub struct MatrixArgs {
    /// What runs them: rtl, verilator or twin, both at once, cycle for cycle
    #[arg(long, default_value = "rtl", value_name = "ENGINE")]
    engine: String,
    /// The results, a row per run; runs that have one are not repeated
    /// [default: target/matrix-<engine>.jsonl, with --quick target/quick-<engine>.jsonl, with
    /// --full target/matrix-full-<engine>.jsonl]
    #[arg(long, value_name = "F")]
    rows: Option<PathBuf>,
    /// Run everything again, rows or not
    #[arg(long)]
    fresh: bool,
    /// A small part, in minutes: ISA tests at T = 1, 4 and 32, kernels at 4, 16 and 64
    /// (all at T = 4 if they have to be compiled)
    #[arg(long)]
    quick: bool,
    /// Only the kernels, at the size that scripts/kernels.sh gives them
    #[arg(long, conflicts_with = "quick")]
    full: bool,
}

/// Every T with eight warps and every W with four lanes, each with every memory;
/// some T if they have to be compiled.
pub fn everything(engine: Engine) -> Vec<Setting> {
    let shapes: Vec<(u32, u32)> = match engine {
        Engine::Rtl => {
            let wide = [1, 2, 4, 8, 16, 32, 64].map(|t| (t, 8));
            wide.into_iter().chain([1, 2, 4, 16, 32].map(|w| (4, w))).collect()
        }
        Engine::Verilator | Engine::Twin => COMPILED.map(|t| (t, 8)).into(),
    };
    let memories = [(1, 0), (20, 0), (1, 49)];
    shapes.into_iter().flat_map(|(t, w)| memories.map(|memory| (t, w, memory))).collect()
}

/// The part that `--quick` runs: a setting, for kernels or for ISA tests.
const QUICK: [(Setting, bool); 7] = [
    ((1, 8, (1, 0)), false),
    ((4, 1, (1, 9)), false),
    ((32, 1, (1, 0)), false),
    ((4, 8, (1, 0)), true),
    ((4, 1, (20, 0)), true),
    ((16, 1, (1, 9)), true),
    ((64, 1, (1, 0)), true),
];

/// The same where every shape costs half a minute.
const QUICK_COMPILED: [(Setting, bool); 2] = [((4, 8, (1, 9)), false), ((4, 8, (1, 9)), true)];

/// The runs of `--quick`.
pub fn quick(root: &Path, engine: Engine) -> Result<Vec<Job>, BadInput> {
    let mut all = Vec::new();
    let parts = if engine == Engine::Rtl { &QUICK[..] } else { &QUICK_COMPILED };
    for (setting, kernel) in parts {
        let part = jobs(root, engine, SMALL, &[*setting])?;
        all.extend(part.into_iter().filter(|job| job.kernel == *kernel));
    }
    Ok(all)
}

/// The runs of `--full`.
fn full(root: &Path, engine: Engine) -> Result<Vec<Job>, BadInput> {
    let settings = COMPILED.map(|t| (t, 8, (4, 0)));
    let mut all = jobs(root, engine, FULL, &settings)?;
    all.retain(|job| job.kernel);
    Ok(all)
}

/// Kernels: their folder below `target`, and what builds them.
pub type Kernels = (&'static str, &'static str);
/// In a few thousand cycles.
pub const SMALL: Kernels = ("kernels-small", "scripts/kernels-small.sh");
/// As large as they come.
pub const FULL: Kernels = ("kernels", "scripts/kernels.sh");

#[derive(Deserialize)]
struct Test {
    name: String,
    harts: String,
    progress: String,
    expect: String,
    path: PathBuf,
}

#[derive(Deserialize)]
struct Kernel {
    name: String,
    order: String,
    progress: String,
    elf: PathBuf,
    hints_elf: PathBuf,
}

#[derive(Deserialize)]
struct Promise {
    lock: String,
    lock_hinted: String,
    #[serde(default)]
    except: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Table {
    policy: BTreeMap<String, Promise>,
    unit: BTreeMap<String, String>,
    isa: BTreeMap<String, Exception>,
}

#[derive(Deserialize)]
struct Exception {
    stuck: Vec<String>,
}

/// One run to be made.
#[derive(Clone)]
pub struct Job {
    /// The program.
    pub file: PathBuf,
    /// What runs it.
    pub engine: Engine,
    /// The divergence unit.
    pub unit: &'static str,
    /// Its cold table, if not the default.
    pub cct: Option<&'static str>,
    /// Shape and memory.
    pub setting: Setting,
    /// Only hart 0 is alive, as the standard test programs want it.
    pub one: bool,
    right: Outcome,
    /// Is it a kernel, and not an ISA test?
    pub kernel: bool,
    /// Are the commit streams those of *mimd*?
    free: bool,
}

/// One run that was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What ran it.
    pub engine: String,
    /// Which program.
    pub program: String,
    /// The name of the configuration.
    pub core: String,
    /// Latency and jitter of memory.
    pub memory: (u32, u32),
    /// Of the hardware.
    pub version: String,
    /// FNV-1a of the program.
    pub elf: String,
    /// How long it took.
    pub cycles: u64,
    /// What was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

/// What tells a run from others.
pub type Key = (String, String, String, (u32, u32), String, String);

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        let Row { engine, program, core, memory, version, elf, .. } = self.clone();
        (engine, program, core, memory, version, elf)
    }

    fn replaces(&self, older: &Row) -> bool {
        (&self.engine, &self.program, &self.core, self.memory)
            == (&older.engine, &older.program, &older.core, older.memory)
    }
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path, made_by: &str) -> Result<Vec<T>, BadInput> {
    if !path.is_file() {
        return Err(BadInput::file(path, format_args!("missing, run {made_by}")));
    }
    serde_json::from_slice(&program::read_file(path)?)
        .map_err(|e| BadInput::file(path, format_args!("not a list of programs: {e}")))
}

/// Every unit in hardware, and `hct` with its other cold table.
fn units() -> Vec<(&'static str, Option<&'static str>)> {
    let plain = in_hardware().into_iter().map(|unit| (unit, None));
    plain.chain([("hct", Some("paper"))]).collect()
}

/// All runs of these settings, for every unit. The programs are those
/// that `scripts/isa.sh` and the script of the kernels left under `root`.
pub fn jobs(
    root: &Path,
    engine: Engine,
    (folder, made_by): Kernels,
    settings: &[Setting],
) -> Result<Vec<Job>, BadInput> {
    let progress = root.join("testbenches/progress.toml");
    let text = String::from_utf8_lossy(&program::read_file(&progress)?).into_owned();
    let table: Table = toml::from_str(&text).map_err(|e| BadInput::file(&progress, e))?;
    let tests: Vec<Test> = read(&root.join("target/isa/index.json"), "scripts/isa.sh")?;
    let folder = root.join("target").join(folder);
    let kernels: Vec<Kernel> = read(&folder.join("index.json"), made_by)?;
    let (mut jobs, livelock) = (Vec::new(), Outcome::Stuck(Stuck::Livelock));
    for (unit, cct) in units() {
        let policy = &table.unit[unit];
        for &setting in settings {
            let (t, w, memory) = setting;
            for test in &tests {
                let job = Job {
                    file: root.join(&test.path),
                    engine,
                    unit,
                    cct,
                    setting,
                    one: false,
                    right: match test.expect.strip_prefix("fail:") {
                        Some(code) => Outcome::Exit(code.parse().expect("a code")),
                        None => Outcome::Exit(0),
                    },
                    kernel: false,
                    free: false,
                };
                if test.harts == "any" {
                    let exception = table.isa.get(&test.name);
                    assert!(test.progress != "lock" || exception.is_some(), "{}", test.name);
                    let spins = t > 1 && exception.is_some_and(|e| e.stuck.contains(policy));
                    let right = if spins { livelock.clone() } else { job.right.clone() };
                    jobs.push(Job { right, ..job.clone() });
                }
                if [1, 4, 8, 32].contains(&t) && (memory == (1, 0) || w == 1) {
                    jobs.push(Job { one: true, ..job });
                }
            }
            for kernel in &kernels {
                let promise = &table.policy[policy];
                for (hinted, file) in [(false, &kernel.elf), (true, &kernel.hints_elf)] {
                    // Hints do nothing in these units: one T suffices.
                    if hinted && t != 8 {
                        continue;
                    }
                    let (cell, value) = match hinted {
                        false => ("lock", &promise.lock),
                        true => ("lock_hinted", &promise.lock_hinted),
                    };
                    let except = promise.except.get(cell).and_then(|e| e.get(&kernel.name));
                    let stuck = except.unwrap_or(value) == "stuck";
                    let spins = kernel.progress == "lock" && t > 1 && stuck;
                    jobs.push(Job {
                        file: folder.join(file),
                        engine,
                        unit,
                        cct,
                        setting,
                        one: false,
                        right: if spins { livelock.clone() } else { Outcome::Exit(0) },
                        kernel: true,
                        free: kernel.order == "free",
                    });
                }
            }
        }
    }
    Ok(jobs)
}

impl Job {
    fn configuration(&self) -> Result<CoreConfig, BadInput> {
        let (t, w, _) = self.setting;
        let raw = RawConfig {
            threads_per_warp: Some(t.to_string()),
            warps: Some(w.to_string()),
            divergence: Some(self.unit.to_string()),
            cct: self.cct.map(Into::into),
            harts: self.one.then(|| "1".to_string()),
            ..RawConfig::default()
        };
        Ok(raw.validate()?)
    }

    fn key(&self) -> Result<Key, BadInput> {
        let program = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let elf = format!("{:016x}", fnv1a(&program::read_file(&self.file)?));
        let version = hdl::HARDWARE.to_string();
        let engine = self.engine.name().to_string();
        Ok((engine, program, self.configuration()?.name(), self.setting.2, version, elf))
    }

    /// Makes the run.
    pub fn run(&self) -> Result<Row, BadInput> {
        let (engine, program, core, memory, version, elf) = self.key()?;
        let (cycles, wrong) = self.judge()?;
        Ok(Row { engine, program, core, memory, version, elf, cycles, wrong })
    }

    /// The cycles that it took, and what is wrong with the hardware, if anything.
    fn judge(&self) -> Result<(u64, Option<String>), BadInput> {
        let mut config = self.configuration()?;
        let program = Program::load(&self.file, config.ram_size)?;
        config.reset_pc = program.entry.unwrap_or(config.reset_pc);
        let mut core = self.engine.core(&config).map_err(BadInput)?;
        let mut streams = Streams::new(&config);
        let mut observe = |record: &crate::record::Record, effects: &crate::golden::Effects| {
            streams.add(record.warp * config.threads_per_warp, effects);
        };
        let (t, w, (latency, jitter)) = self.setting;
        let options = RunOptions {
            timing: Timing { latency, jitter, seed: u64::from(t * 100 + w), ..Timing::default() },
            max_instructions: LIMIT,
            max_cycles: LIMIT,
            lockstep: true,
            observer: Some(&mut observe),
            console: &mut |_| (),
            dump: None,
        };
        let report = rtl::run(core.as_mut(), &config, &program, options);
        let golden = report.checker.as_ref().expect("in lockstep").model();
        let wrong = if report.outcome != self.right {
            Some(format!("{:?}, not {:?}", report.outcome, self.right))
        } else if report.platform.ram.words() != golden.platform.ram.words() {
            Some("final memory differs from the golden model's".to_string())
        } else if self.free {
            streams.differs(&mimd_streams(&config, &program))
        } else {
            None
        };
        Ok((report.stats.cycles, wrong))
    }
}

fn mimd_streams(config: &CoreConfig, program: &Program) -> Streams {
    let t = config.threads_per_warp;
    let mut model = Model::new(config, program);
    let mut stats = Stats::new(t as usize);
    let mut streams = Streams::new(config);
    mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |hart, effects, _| {
        streams.add(hart / t * t, effects);
    });
    streams
}

/// Runs the matrix; the exit code.
pub fn main(args: &MatrixArgs) -> Result<u8, BadInput> {
    let root = Path::new(".");
    let name = &args.engine;
    let engine = Engine::from_name(name).ok_or_else(|| {
        BadInput(format!("--engine {name}: not supported, use rtl, verilator or twin"))
    })?;
    let jobs = match (args.quick, args.full) {
        (true, _) => quick(root, engine)?,
        (_, true) => full(root, engine)?,
        _ => jobs(root, engine, SMALL, &everything(engine))?,
    };
    let part = match (args.quick, args.full) {
        (true, _) => "target/quick",
        (_, true) => "target/matrix-full",
        _ => "target/matrix",
    };
    let rows = args.rows.clone().unwrap_or_else(|| format!("{part}-{name}.jsonl").into());
    let store = Store::<Row>::open(&rows)?;
    if let Some(notice) = &store.notice {
        eprintln!("lab: {notice}");
    }
    let keys: Vec<Key> = jobs.iter().map(Job::key).collect::<Result<_, _>>()?;
    let known = |key: &Key| store.get(key).is_some_and(|row| row.wrong.is_none()) && !args.fresh;
    let missing: Vec<&Job> =
        jobs.iter().zip(&keys).filter(|(_, key)| !known(key)).map(|(job, _)| job).collect();
    let new = missing.len();
    let bar = ProgressBar::new(new as u64);
    let style = "{bar:40} {pos}/{len} runs, {elapsed} + {eta} {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    let store = Mutex::new(store);
    let done = missing.par_iter().try_for_each(|job| {
        let row = job.run()?;
        bar.set_message(format!("{} {}", row.core, row.program));
        bar.inc(1);
        store.lock().expect("no run panics").add(row)
    });
    bar.finish_and_clear();
    done?;
    let store = store.into_inner().expect("no run panics");
    let rows: Vec<Row> =
        keys.iter().map(|key| store.get(key).expect("every job has run").clone()).collect();
    store.finish(&rows)?;
    let wrong: Vec<_> = rows.iter().filter(|row| row.wrong.is_some()).collect();
    for row in &wrong {
        let why = row.wrong.as_deref().unwrap_or_default();
        eprintln!("lab: {} on {}, memory {:?}: {why}", row.program, row.core, row.memory);
    }
    let (all, bad) = (rows.len(), wrong.len());
    let (known, right) = (all - new, all - bad);
    let cycles: u64 = rows.iter().map(|row| row.cycles).sum();
    println!("lab: {all} runs ({known} taken over), {cycles} cycles, {right} right, {bad} wrong");
    Ok(if wrong.is_empty() { exit::PASS } else { exit::FAIL })
}
