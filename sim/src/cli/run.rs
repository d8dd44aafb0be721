//! `sim PROGRAM`: one run with its files and its report.

use super::exit;
use super::files::{Files, parse_load};
use super::rtl::{RtlArgs, Setup};
use crate::checker::Checker;
use crate::commit_log;
use crate::engine::Engine;
use crate::error::BadInput;
use crate::golden::{Model, mimd};
use crate::limits::Outcome;
use crate::output;
use crate::platform::Platform;
use crate::policy::PolicyKind;
use crate::program::Program;
use crate::report::{self, WarpReport};
use crate::rtl::RtlStats;
use crate::stats::Stats;
use crate::warp::{self, RunOptions};
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Thread instructions after which a run is cut short unless told otherwise.
const MAX_INSTRUCTIONS: u64 = 10_000_000_000;

/// Options of a run.
#[derive(Args)]
pub struct RunArgs {
    /// What executes the program: emu, the emulator; rtl, the hardware in process;
    /// verilator, its Verilog; or twin, both at once, compared cycle for cycle
    #[arg(long, default_value = "emu", value_name = "ENGINE")]
    engine: String,
    /// Traversal policy instead of the unit's own (emu only): mimd, depth-pc, stack,
    /// depth-first, fork-join, breadth-first, majority, minority, maven
    #[arg(long, value_name = "POLICY", conflicts_with = "divergence")]
    policy: Option<String>,
    #[command(flatten)]
    raw: RawConfig,
    /// TOML file with the same keys as the core's options; flags win
    #[arg(long, value_name = "F.toml")]
    pub(super) config: Option<PathBuf>,
    /// Put a file into memory before the run (repeatable)
    #[arg(long, value_name = "FILE@ADDR")]
    pub(super) load: Vec<String>,
    /// Write memory to a file after the run (repeatable)
    #[arg(long, value_name = "ADDR:LEN:FILE")]
    pub(super) dump: Vec<String>,
    /// Thread instructions after which the run is cut short [default: 10^10]
    #[arg(long, value_name = "N")]
    max_instructions: Option<String>,
    /// Threads run this many instructions in turn (mimd only) [default: 64]
    #[arg(long, value_name = "N")]
    quantum: Option<String>,
    /// Statistics as JSON
    #[arg(long, value_name = "F|-")]
    pub(super) stats: Option<PathBuf>,
    /// Commit log in Spike's form
    #[arg(long, value_name = "F|-")]
    pub(super) commit_log: Option<PathBuf>,
    /// Words from begin_signature to end_signature
    #[arg(long, value_name = "F|-")]
    pub(super) signature: Option<PathBuf>,
    /// Check every pass against the golden model [default: off for emu, on for
    /// hardware]
    #[arg(
        long,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    lockstep: Option<String>,
    #[command(flatten)]
    pub(super) rtl: RtlArgs,
    /// The program: a 32-bit RISC-V ELF file with the symbol tohost
    #[arg(required = true)]
    pub(super) program: Option<PathBuf>,
}

pub(super) fn count(option: &str, text: &Option<String>, default: u64) -> Result<u64, BadInput> {
    let Some(text) = text else { return Ok(default) };
    match hdl::config::number(text) {
        Some(n) if n > 0 => Ok(n),
        _ => Err(BadInput(format!("--{option} {text}: not a number above 0"))),
    }
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

pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) stats: Stats,
    pub(super) rtl: Option<RtlStats>,
    /// Update sweeps of the circuit.
    pub(super) sweeps: u64,
    pub(super) platform: Platform,
    pub(super) warps: Vec<WarpReport>,
}

impl Ended {
    fn to_json(&self, about: serde_json::Value) -> serde_json::Value {
        self.rtl
            .as_ref()
            .map_or_else(|| self.stats.to_json(about.clone()), |r| r.to_json(about.clone()))
    }
}

fn lockstep(args: &RunArgs, default: bool) -> Result<bool, BadInput> {
    match args.lockstep.as_deref() {
        None => Ok(default),
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => Err(BadInput(format!("--lockstep={other}: not supported, use on or off"))),
    }
}

/// Runs a program from its arguments; the exit code.
pub fn main(args: &RunArgs) -> Result<u8, BadInput> {
    let hardware = match args.engine.as_str() {
        "emu" => None,
        name => Some(Engine::from_name(name).ok_or_else(|| {
            BadInput(format!("--engine {name}: not supported, use emu, rtl, verilator or twin"))
        })?),
    };
    let base = args.config.as_deref().map(RawConfig::from_toml).transpose()?.unwrap_or_default();
    let raw = args.raw.clone().over(base);
    let mut config = raw.validate()?;
    let lockstep = lockstep(args, hardware.is_some())?;
    if hardware.is_some() && args.policy.is_some() {
        return Err(BadInput("--policy: only with --engine emu, use --divergence".to_string()));
    }
    args.rtl.refuse(hardware)?;
    let policy = choose_policy(args, &config)?;
    let max = count("max-instructions", &args.max_instructions, MAX_INSTRUCTIONS)?;
    let quantum = count("quantum", &args.quantum, u64::from(mimd::QUANTUM))?;
    let quantum = u32::try_from(quantum)
        .map_err(|_| BadInput(format!("--quantum {quantum}: at most {}", u32::MAX)))?;
    if policy.is_some() && args.quantum.is_some() {
        return Err(BadInput("--quantum: only with --policy mimd".to_string()));
    }
    if policy.is_none() && lockstep {
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
    let setup = hardware.map(|engine| args.rtl.setup(engine, &config, lockstep)).transpose()?;

    let started = std::time::Instant::now();
    let memory = setup.as_ref().map(Setup::about);
    let ended = match (setup, policy) {
        (Some(setup), _) => setup.run(args, &config, &program, max, &mut files)?,
        (None, None) => run_mimd(args, &config, &program, (quantum, max), &mut files)?,
        (None, Some(kind)) => {
            run_warps(args, &config, &program, kind, (max, lockstep), &mut files)?
        }
    };
    let mut about = serde_json::json!({
        "engine": args.engine,
        "policy": policy.map_or("mimd", PolicyKind::name),
        "configuration": config,
        "name": config.name(),
        "program": path.display().to_string(),
        "outcome": outcome_text(&ended.outcome),
        "host_seconds": started.elapsed().as_secs_f64(),
    });
    if let Some(rtl) = &ended.rtl {
        about["sweeps_per_cycle"] = (ended.sweeps as f64 / rtl.cycles.max(1) as f64).into();
    }
    if let Some(serde_json::Value::Object(more)) = memory {
        about.as_object_mut().expect("an object").extend(more);
    }
    files.finish(&ended.platform, &ended.to_json(about))?;
    Ok(verdict(&ended, &program, policy))
}

impl RunArgs {
    /// The console goes to standard output as it comes, or out of the way of a
    /// file that was asked for there.
    pub(super) fn console(&self) -> fn(&[u8]) {
        let (vcd, fst) = (&self.rtl.vcd, &self.rtl.fst);
        let files = [&self.stats, &self.commit_log, &self.signature, vcd, fst];
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
    Ok(Ended { outcome, stats, rtl: None, sweeps: 0, platform: model.platform, warps })
}

fn run_warps(
    args: &RunArgs,
    config: &CoreConfig,
    program: &Program,
    policy: PolicyKind,
    (max_instructions, lockstep): (u64, bool),
    files: &mut Files,
) -> Result<Ended, BadInput> {
    let mut checker = (lockstep || files.log.is_some()).then(|| Checker::new(config, program));
    let mut text = String::new();
    let mut failed = Ok(());
    let mut observe = |record: &crate::record::Record| {
        let Some(checker) = &mut checker else { return Ok(()) };
        let effects = checker.check(record)?;
        if let Some(log) = &mut files.log {
            commit_log::append(&mut text, record.warp * config.threads_per_warp, effects);
            if failed.is_ok() {
                failed = log.write(text.as_bytes());
            }
            text.clear();
        }
        Ok(())
    };
    let checked = lockstep || args.commit_log.is_some();
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
    Ok(Ended {
        outcome,
        stats: report.stats,
        rtl: None,
        sweeps: 0,
        platform: report.platform,
        warps: report.warps,
    })
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
