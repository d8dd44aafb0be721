//! `sim torture`: random programs by the thousand.

use super::exit;
use crate::engine::Engine;
use crate::error::BadInput;
use crate::lab::store::{Keyed, Store};
use crate::output::Output;
use crate::torture::{self, Case, Tally};
use clap::Args;
use hdl::cores::in_hardware;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Programs of one row of results.
const CHUNK: u64 = 500;
/// Cores that are compiled unless told otherwise.
const CORES: u64 = 16;
/// Runs that shrinking may take, on the emulator and on hardware.
const SHRINK: [usize; 2] = [4000, 1000];

/// Options of `sim torture`.
#[derive(Args)]
pub struct TortureArgs {
    /// What runs them: emu, every policy of the emulator; rtl, hardware of
    /// random shape, unit and memory latency; verilator, its Verilog; or twin,
    /// both at once, cycle for cycle
    #[arg(long, default_value = "emu", value_name = "ENGINE")]
    engine: String,
    /// Hardware with this divergence unit only (not emu) [default: all]
    #[arg(long, value_name = "UNIT")]
    divergence: Option<String>,
    /// Spread the programs over so many cores, since each has to be compiled
    /// (verilator and twin only) [default: 16]
    #[arg(long, value_name = "N")]
    cores: Option<u64>,
    /// First seed; program n has seed S + n
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Number of programs
    #[arg(long, default_value_t = 2000, value_name = "N")]
    count: u64,
    /// Let threads share plain words: only lockstep is compared
    #[arg(long)]
    races: bool,
    /// Append a row per 500 programs to this file, and skip those it has
    #[arg(long, value_name = "F")]
    rows: Option<PathBuf>,
    /// Where a failing program is written
    #[arg(long, default_value = "target/torture", value_name = "DIR")]
    out: PathBuf,
}

/// The hardware that runs the programs.
struct Hardware {
    engine: Engine,
    units: Vec<&'static str>,
    cores: u64,
}

impl Hardware {
    fn case(&self, seed: u64, races: bool) -> Case {
        match self.engine {
            Engine::Rtl => Case::on_hardware(seed, races, &self.units),
            engine => Case::on_compiled(seed, races, &self.units, (engine, self.cores)),
        }
    }
}

/// Programs that have run.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    seed: u64,
    programs: u64,
    races: bool,
    /// With the unit, if it was one.
    engine: String,
    /// Of what ran them.
    version: String,
    thread_instructions: u64,
    warp_instructions: u64,
    divergences: u64,
    traps: u64,
    cycles: u64,
}

/// First seed, programs, races, engine with its unit, version.
type Key = (u64, u64, bool, String, String);

impl Row {
    fn tally(&self) -> Tally {
        Tally {
            instructions: self.thread_instructions,
            passes: self.warp_instructions,
            divergences: self.divergences,
            traps: self.traps,
            cycles: self.cycles,
        }
    }
}

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        (self.seed, self.programs, self.races, self.engine.clone(), self.version.clone())
    }

    fn replaces(&self, _: &Row) -> bool {
        false
    }
}

impl TortureArgs {
    /// The hardware that is meant, if it is not the emulator.
    fn hardware(&self) -> Result<Option<Hardware>, BadInput> {
        let bad = |text: String| Err(BadInput(text));
        let engine = match self.engine.as_str() {
            "emu" if self.divergence.is_some() => {
                return bad("--divergence: not with --engine emu".to_string());
            }
            "emu" => None,
            name => Some(Engine::from_name(name).ok_or_else(|| {
                BadInput(format!("--engine {name}: not supported, use emu, rtl, verilator, twin"))
            })?),
        };
        let compiled = engine.is_some_and(|engine| engine != Engine::Rtl);
        let cores = match self.cores {
            Some(_) if !compiled => return bad("--cores: only with verilator and twin".to_string()),
            Some(0) => return bad("--cores 0: at least 1".to_string()),
            cores => cores.unwrap_or(CORES),
        };
        let Some(engine) = engine else { return Ok(None) };
        let units = match &self.divergence {
            None => in_hardware(),
            Some(name) => match in_hardware().into_iter().find(|unit| unit == name) {
                Some(unit) => vec![unit],
                None => {
                    let known = in_hardware().join(", ");
                    return bad(format!("--divergence {name}: not in hardware, use {known}"));
                }
            },
        };
        Ok(Some(Hardware { engine, units, cores }))
    }

    /// The engine as rows name it.
    fn engine_name(&self) -> String {
        let unit = self.divergence.iter().map(|unit| format!(" {unit}"));
        let compiled = !matches!(self.engine.as_str(), "emu" | "rtl");
        let cores = compiled.then(|| format!(" {} cores", self.cores.unwrap_or(CORES)));
        self.engine.clone() + &unit.chain(cores).collect::<String>()
    }

    /// Of what runs the programs.
    fn version(&self) -> &'static str {
        if self.engine == "emu" { env!("CARGO_PKG_VERSION") } else { hdl::HARDWARE }
    }

    fn key(&self, first: u64) -> Key {
        (first, CHUNK, self.races, self.engine_name(), self.version().to_string())
    }
}

fn report(args: &TortureArgs, case: Case, why: &str) -> Result<(), BadInput> {
    eprintln!("torture: seed {} fails, shrinking ...", case.seed);
    let tries = SHRINK[usize::from(case.hardware.is_some())];
    let case = torture::shrink(case, tries, |c| c.run().is_err());
    let why = case.run().err().unwrap_or_else(|| why.to_string());
    let path = args.out.join(format!("{}.txt", case.seed));
    let mut out = Output::open(&path)?;
    out.write(torture::listing(&case, &why).as_bytes())?;
    out.finish()?;
    let mut more = if args.races { " --races" } else { "" }.to_string();
    if case.hardware.is_some() {
        more += &format!(" --engine {}", args.engine);
    }
    if let Some(unit) = &args.divergence {
        more += &format!(" --divergence {unit}");
    }
    if let Some(cores) = args.cores {
        more += &format!(" --cores {cores}");
    }
    eprintln!("torture: seed {}: {why}", case.seed);
    eprintln!("torture: the shrunk program is in {}", path.display());
    eprintln!("torture: again with: sim torture --seed {} --count 1{more}", case.seed);
    Ok(())
}

/// Runs the campaign; the exit code.
pub fn main(args: &TortureArgs) -> Result<u8, BadInput> {
    if args.count == 0 {
        return Err(BadInput("--count 0: at least 1".to_string()));
    }
    let hardware = args.hardware()?;
    let end = args
        .seed
        .checked_add(args.count)
        .ok_or_else(|| BadInput(format!("--seed {}: too large", args.seed)))?;
    let mut store = args.rows.as_deref().map(Store::<Row>::open).transpose()?;
    if let Some(notice) = store.as_ref().and_then(|store| store.notice.as_ref()) {
        eprintln!("torture: {notice}");
    }
    // Find out now, not later, that a failing program cannot be written.
    std::fs::create_dir_all(&args.out).map_err(|e| BadInput::file(&args.out, e))?;
    drop(Output::open(&args.out.join("probe"))?);
    let bar = ProgressBar::new(args.count);
    let style = "{bar:40} {pos}/{len} programs, {elapsed} + {eta}";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    let mut total = Tally::default();
    let (mut programs, mut too_large, mut skipped) = (0, 0, 0);
    let mut first = args.seed;
    while first < end {
        let last = (first + CHUNK).min(end);
        let known = store.as_ref().and_then(|store| store.get(&args.key(first)));
        if let Some(row) = known.filter(|_| last - first == CHUNK) {
            total.add(&row.tally());
            skipped += CHUNK;
            bar.inc(CHUNK);
            first = last;
            continue;
        }
        let results: Vec<_> = (first..last)
            .into_par_iter()
            .map(|seed| {
                let case = match &hardware {
                    None => Case::new(seed, args.races),
                    Some(hardware) => hardware.case(seed, args.races),
                };
                let result = case.run();
                bar.inc(1);
                (case, result)
            })
            .collect();
        let mut chunk = Tally::default();
        for (case, result) in results {
            match result {
                Ok(Some(t)) => chunk.add(&t),
                Ok(None) => too_large += 1,
                Err(why) => {
                    bar.finish_and_clear();
                    report(args, case, &why)?;
                    return Ok(exit::FAIL);
                }
            }
        }
        programs += last - first;
        total.add(&chunk);
        if let Some(store) = &mut store {
            store.add(Row {
                seed: first,
                programs: last - first,
                races: args.races,
                engine: args.engine_name(),
                version: args.version().to_string(),
                thread_instructions: chunk.instructions,
                warp_instructions: chunk.passes,
                divergences: chunk.divergences,
                traps: chunk.traps,
                cycles: chunk.cycles,
            })?;
        }
        first = last;
    }
    bar.finish_and_clear();
    let cycles = match hardware {
        None => String::new(),
        Some(hardware) => format!(", {} cycles of {}", total.cycles, hardware.units.join(" and ")),
    };
    println!(
        "torture: seeds {}..{end}: {programs} programs pass ({too_large} too large, {skipped} done \
         before), {} thread instructions each way, {} passes, {} divergences, {} traps{cycles}",
        args.seed, total.instructions, total.passes, total.divergences, total.traps
    );
    Ok(exit::PASS)
}
