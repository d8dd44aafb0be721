//! `sim PROGRAM`: one run with its files and its report.

use super::exit;
use crate::checker::Checker;
use crate::commit_log;
use crate::error::BadInput;
use crate::golden::{Model, mimd};
use crate::limits::Outcome;
use crate::output::{self, Output};
use crate::platform::Platform;
use crate::policy::PolicyKind;
use crate::program::{self, Program, Segment};
use crate::report::{self, WarpReport};
use crate::stats::Stats;
use crate::warp::{self, RunOptions};
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use hdl::platform::RAM_BASE;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Thread instructions after which a run is cut short unless told otherwise.
const MAX_INSTRUCTIONS: u64 = 10_000_000_000;

/// Options of a run.
#[derive(Args)]
pub struct RunArgs {
    /// What executes the program: emu
    #[arg(long, default_value = "emu", value_name = "ENGINE")]
    engine: String,
    /// Traversal policy instead of the unit's own: mimd, depth-pc, stack,
    /// depth-first, fork-join, breadth-first, majority, minority, maven
    #[arg(long, value_name = "POLICY", conflicts_with = "divergence")]
    policy: Option<String>,
    #[command(flatten)]
    raw: RawConfig,
    /// TOML file with the same keys as the core's options; flags win
    #[arg(long, value_name = "F.toml")]
    config: Option<PathBuf>,
    /// Put a file into memory before the run (repeatable)
    #[arg(long, value_name = "FILE@ADDR")]
    load: Vec<String>,
    /// Write memory to a file after the run (repeatable)
    #[arg(long, value_name = "ADDR:LEN:FILE")]
    dump: Vec<String>,
    /// Thread instructions after which the run is cut short [default: 10^10]
    #[arg(long, value_name = "N")]
    max_instructions: Option<String>,
    /// Threads run this many instructions in turn (mimd only) [default: 64]
    #[arg(long, value_name = "N")]
    quantum: Option<String>,
    /// Statistics as JSON
    #[arg(long, value_name = "F|-")]
    stats: Option<PathBuf>,
    /// Commit log in Spike's form
    #[arg(long, value_name = "F|-")]
    commit_log: Option<PathBuf>,
    /// Words from begin_signature to end_signature
    #[arg(long, value_name = "F|-")]
    signature: Option<PathBuf>,
    /// Check every pass against the golden model
    #[arg(long)]
    lockstep: bool,
    /// The program: a 32-bit RISC-V ELF file with the symbol tohost
    #[arg(required = true)]
    program: Option<PathBuf>,
}

struct Dump {
    addr: u32,
    len: u32,
    output: Output,
}

fn count(option: &str, text: &Option<String>, default: u64) -> Result<u64, BadInput> {
    let Some(text) = text else { return Ok(default) };
    match hdl::config::number(text) {
        Some(n) if n > 0 => Ok(n),
        _ => Err(BadInput(format!("--{option} {text}: not a number above 0"))),
    }
}

/// Is `addr .. addr + len` inside RAM?
fn in_ram(config: &CoreConfig, addr: u64, len: u64) -> bool {
    let base = u64::from(RAM_BASE);
    addr >= base && addr.saturating_add(len) <= base + u64::from(config.ram_size)
}

fn ram_text(config: &CoreConfig) -> String {
    format!("RAM {RAM_BASE:#x}..{:#x}", u64::from(RAM_BASE) + u64::from(config.ram_size))
}

fn parse_load(config: &CoreConfig, text: &str) -> Result<Segment, BadInput> {
    let bad = |why: String| BadInput(format!("--load {text}: {why}"));
    let (file, addr) = text.rsplit_once('@').ok_or_else(|| bad("use FILE@ADDR".into()))?;
    let addr = hdl::config::number(addr).ok_or_else(|| bad(format!("{addr} is no address")))?;
    let bytes = program::read_file(Path::new(file))?;
    if !in_ram(config, addr, bytes.len() as u64) {
        let n = bytes.len();
        return Err(bad(format!("{n} bytes at {addr:#x} are not in {}", ram_text(config))));
    }
    Ok(Segment { addr: addr as u32, bytes })
}

fn parse_dump(config: &CoreConfig, text: &str) -> Result<Dump, BadInput> {
    let bad = |why: String| BadInput(format!("--dump {text}: {why}"));
    let parts: Vec<_> = text.splitn(3, ':').collect();
    let [addr, len, file] = parts[..] else {
        return Err(bad("use ADDR:LEN:FILE".into()));
    };
    let number = |t: &str| hdl::config::number(t).ok_or_else(|| bad(format!("{t} is no number")));
    let (addr, len) = (number(addr)?, number(len)?);
    if !in_ram(config, addr, len) {
        return Err(bad(format!("{len} bytes at {addr:#x} are not in {}", ram_text(config))));
    }
    let output = Output::open(Path::new(file))?;
    Ok(Dump { addr: addr as u32, len: len as u32, output })
}

/// `mimd` or a traversal policy.
fn choose_policy(args: &RunArgs, config: &CoreConfig) -> Result<Option<PolicyKind>, BadInput> {
    match args.policy.as_deref() {
        Some("mimd") => Ok(None),
        Some(name) => PolicyKind::from_name(name).map(Some).ok_or_else(|| {
            let names: Vec<_> = PolicyKind::ALL.iter().map(|(_, name, _)| *name).collect();
            BadInput(format!("--policy {name}: not supported, use mimd, {}", names.join(", ")))
        }),
        None => {
            let unit = config.divergence.name;
            let kind = PolicyKind::of_unit(unit);
            kind.map(Some).ok_or_else(|| BadInput(format!("no policy for unit {unit}")))
        }
    }
}

struct Files {
    stats: Option<Output>,
    log: Option<Output>,
    signature: Option<(u32, u32, Output)>,
    dumps: Vec<Dump>,
}

impl Files {
    fn open(args: &RunArgs, config: &CoreConfig, program: &Program) -> Result<Files, BadInput> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::open).transpose();
        let signature = match &args.signature {
            None => None,
            Some(path) => {
                let symbol = |name: &str| {
                    let value = program.symbols.get(name);
                    value.ok_or_else(|| BadInput(format!("--signature: no symbol '{name}'")))
                };
                let (begin, end) = (symbol("begin_signature")?, symbol("end_signature")?);
                let len = u64::from(end.wrapping_sub(begin));
                if begin % 4 != 0 || len % 4 != 0 || !in_ram(config, u64::from(begin), len) {
                    let why = format!("{begin:#x}..{end:#x} is not a range of words in RAM");
                    return Err(BadInput(format!("--signature: {why}")));
                }
                Some((begin, end, Output::open(path)?))
            }
        };
        let files = Files {
            stats: open(&args.stats)?,
            log: open(&args.commit_log)?,
            signature,
            dumps: args.dump.iter().map(|d| parse_dump(config, d)).collect::<Result<_, _>>()?,
        };
        let signature = files.signature.iter().map(|(_, _, out)| out);
        let dumps = files.dumps.iter().map(|d| &d.output);
        let outputs = files.stats.iter().chain(&files.log).chain(signature).chain(dumps);
        let loads = args.load.iter().filter_map(|l| Some(Path::new(l.rsplit_once('@')?.0)));
        let inputs: Vec<&Path> =
            args.program.iter().chain(&args.config).map(PathBuf::as_path).chain(loads).collect();
        Output::all_differ(outputs, &inputs)?;
        Ok(files)
    }

    /// Writes what a finished run leaves.
    fn finish(self, platform: &Platform, stats: &serde_json::Value) -> Result<(), BadInput> {
        let mut outputs = Vec::from_iter(self.log);
        if let Some(mut out) = self.stats {
            let text = serde_json::to_string_pretty(stats).expect("plain data");
            out.write(text.as_bytes())?;
            out.write(b"\n")?;
            outputs.push(out);
        }
        if let Some((begin, end, mut out)) = self.signature {
            for addr in (begin..end).step_by(4) {
                out.write(format!("{:08x}\n", platform.ram.word(addr)).as_bytes())?;
            }
            outputs.push(out);
        }
        for mut dump in self.dumps {
            dump.output.write(&platform.ram.read_bytes(dump.addr, dump.len))?;
            outputs.push(dump.output);
        }
        Output::finish_all(outputs)
    }
}

struct Ended {
    outcome: Outcome,
    stats: Stats,
    platform: Platform,
    warps: Vec<WarpReport>,
}

/// Runs a program from its arguments; the exit code.
pub fn main(args: &RunArgs) -> Result<u8, BadInput> {
    if args.engine != "emu" {
        return Err(BadInput(format!("--engine {}: not supported, use emu", args.engine)));
    }
    let base = args.config.as_deref().map(RawConfig::from_toml).transpose()?.unwrap_or_default();
    let raw = args.raw.clone().over(base);
    let mut config = raw.validate()?;
    let policy = choose_policy(args, &config)?;
    let max = count("max-instructions", &args.max_instructions, MAX_INSTRUCTIONS)?;
    let quantum = count("quantum", &args.quantum, u64::from(mimd::QUANTUM))?;
    let quantum = u32::try_from(quantum)
        .map_err(|_| BadInput(format!("--quantum {quantum}: at most {}", u32::MAX)))?;
    if policy.is_some() && args.quantum.is_some() {
        return Err(BadInput("--quantum: only with --policy mimd".to_string()));
    }
    if policy.is_none() && args.lockstep {
        return Err(BadInput("--lockstep: not with --policy mimd, the golden model".to_string()));
    }
    let path = args.program.as_deref().expect("clap requires it");
    let mut program = Program::load(path, config.ram_size)?;
    if raw.reset_pc.is_none() {
        config.reset_pc = program.entry.unwrap_or(config.reset_pc);
    }
    for load in &args.load {
        program.segments.push(parse_load(&config, load)?);
    }
    let mut files = Files::open(args, &config, &program)?;

    let started = std::time::Instant::now();
    let ended = match policy {
        None => run_mimd(args, &config, &program, (quantum, max), &mut files)?,
        Some(kind) => run_warps(args, &config, &program, kind, max, &mut files)?,
    };
    let about = serde_json::json!({
        "engine": "emu",
        "policy": policy.map_or("mimd", PolicyKind::name),
        "configuration": config,
        "name": config.name(),
        "program": path.display().to_string(),
        "outcome": outcome_text(&ended.outcome),
        "host_seconds": started.elapsed().as_secs_f64(),
    });
    files.finish(&ended.platform, &ended.stats.to_json(about))?;
    Ok(verdict(&ended, &program, policy))
}

impl RunArgs {
    /// The console goes to standard output as it comes, or out of the way of a
    /// file that was asked for there.
    fn console(&self) -> fn(&[u8]) {
        let files = [&self.stats, &self.commit_log, &self.signature];
        let taken = files.iter().any(|f| f.as_deref().is_some_and(output::is_stdout))
            || self.dump.iter().any(|dump| dump.ends_with(":-"));
        // A closed pipe downstream does not concern the program that runs.
        if taken {
            |bytes| drop(std::io::stderr().write_all(bytes))
        } else {
            |bytes| {
                let mut out = std::io::stdout();
                drop(out.write_all(bytes));
                if out.is_terminal() {
                    drop(out.flush());
                }
            }
        }
    }
}

fn run_mimd(
    args: &RunArgs,
    config: &CoreConfig,
    program: &Program,
    (quantum, max): (u32, u64),
    files: &mut Files,
) -> Result<Ended, BadInput> {
    let console_to = args.console();
    let mut model = Model::new(config, program);
    let mut stats = Stats::new(config.threads_per_warp as usize);
    let mut text = String::new();
    let mut failed = Ok(());
    let outcome = mimd::run(&mut model, quantum, max, &mut stats, |hart, effects, console| {
        if let Some(log) = &mut files.log {
            commit_log::append(
                &mut text,
                hart / config.threads_per_warp * config.threads_per_warp,
                effects,
            );
            if failed.is_ok() {
                failed = log.write(text.as_bytes());
            }
            text.clear();
        }
        console_to(console);
    });
    failed?;
    let warps = model.report();
    Ok(Ended { outcome, stats, platform: model.platform, warps })
}

fn run_warps(
    args: &RunArgs,
    config: &CoreConfig,
    program: &Program,
    policy: PolicyKind,
    max_instructions: u64,
    files: &mut Files,
) -> Result<Ended, BadInput> {
    let mut checker = (args.lockstep || files.log.is_some()).then(|| Checker::new(config, program));
    let mut text = String::new();
    let mut failed = Ok(());
    let mut observe = |record: &crate::record::Record| {
        let Some(checker) = &mut checker else { return Ok(()) };
        let effects = checker.check(record)?;
        if let Some(log) = &mut files.log {
            commit_log::append(&mut text, record.warp * config.threads_per_warp, &effects);
            if failed.is_ok() {
                failed = log.write(text.as_bytes());
            }
            text.clear();
        }
        Ok(())
    };
    let checked = args.lockstep || args.commit_log.is_some();
    let report = warp::run(
        config,
        program,
        RunOptions {
            policy,
            max_instructions,
            observer: if checked { Some(&mut observe) } else { None },
            console: &mut args.console(),
        },
    );
    failed?;
    let mut outcome = report.outcome;
    if let Some(checker) = &checker
        && let Err(why) = checker.finish()
        && matches!(outcome, Outcome::Exit(_))
    {
        outcome = Outcome::Mismatch(why);
    }
    Ok(Ended { outcome, stats: report.stats, platform: report.platform, warps: report.warps })
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(0) => "pass".to_string(),
        Outcome::Exit(code) => format!("fail {code}"),
        Outcome::Error(why) => format!("error: {why}"),
        Outcome::Mismatch(_) => "mismatch".to_string(),
        Outcome::Stuck(why) => format!("stuck: {why}"),
    }
}

/// A policy that merges at join hints only, and a program without any.
fn advise(ended: &Ended, policy: Option<PolicyKind>) {
    let needs = matches!(policy, Some(PolicyKind::Stack | PolicyKind::ForkJoin));
    if needs && ended.stats.divergences > 0 && ended.stats.hint_warp_instructions == 0 {
        eprintln!(
            "sim: note: this policy merges at join hints and the program has none (see annotate)"
        );
    }
}

fn verdict(ended: &Ended, program: &Program, policy: Option<PolicyKind>) -> u8 {
    let _ = std::io::stdout().flush();
    advise(ended, policy);
    match &ended.outcome {
        Outcome::Exit(0) => exit::PASS,
        Outcome::Exit(code) => {
            eprintln!("sim: the program failed with code {code}");
            exit::FAIL
        }
        Outcome::Error(why) => {
            eprintln!("sim: the program failed: {why}");
            exit::FAIL
        }
        Outcome::Mismatch(why) => {
            eprintln!("sim: {why}");
            exit::MISMATCH
        }
        Outcome::Stuck(why) => {
            eprintln!("sim: stuck: {why}");
            eprint!("{}", report::describe(&ended.warps, program, policy));
            exit::STUCK
        }
    }
}
