//! `sim torture`: random programs by the thousand.

use super::exit;
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
/// Runs that shrinking may take, on the emulator and on hardware.
const SHRINK: [usize; 2] = [4000, 1000];

/// Options of `sim torture`.
#[derive(Args)]
pub struct TortureArgs {
    /// What runs them: emu, every policy of the emulator, or rtl, hardware of
    /// random shape, unit and memory latency
    #[arg(long, default_value = "emu", value_name = "ENGINE")]
    engine: String,
    /// Hardware with this divergence unit only (rtl only) [default: all]
    #[arg(long, value_name = "UNIT")]
    divergence: Option<String>,
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
    /// The units of hardware that are meant; none on the emulator.
    fn units(&self) -> Result<Option<Vec<&'static str>>, BadInput> {
        let bad = |text: String| Err(BadInput(text));
        match (self.engine.as_str(), &self.divergence) {
            ("emu", None) => Ok(None),
            ("emu", Some(_)) => bad("--divergence: only with --engine rtl".to_string()),
            ("rtl", None) => Ok(Some(in_hardware())),
            ("rtl", Some(name)) => match in_hardware().into_iter().find(|u| u == name) {
                Some(unit) => Ok(Some(vec![unit])),
                None => bad(format!(
                    "--divergence {name}: not in hardware, use {}",
                    in_hardware().join(", ")
                )),
            },
            (other, _) => bad(format!("--engine {other}: not supported, use emu or rtl")),
        }
    }

    /// The engine as rows name it.
    fn engine_name(&self) -> String {
        self.divergence.as_ref().map_or(self.engine.clone(), |u| format!("{} {u}", self.engine))
    }

    /// Of what runs the programs.
    fn version(&self) -> &'static str {
        if self.engine == "rtl" { hdl::HARDWARE } else { env!("CARGO_PKG_VERSION") }
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
        more += " --engine rtl";
    }
    if let Some(unit) = &args.divergence {
        more += &format!(" --divergence {unit}");
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
    let units = args.units()?;
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
        let known = store.as_ref().is_some_and(|store| store.get(&args.key(first)).is_some());
        if last - first == CHUNK && known {
            skipped += CHUNK;
            bar.inc(CHUNK);
            first = last;
            continue;
        }
        let results: Vec<_> = (first..last)
            .into_par_iter()
            .map(|seed| {
                let case = match &units {
                    None => Case::new(seed, args.races),
                    Some(units) => Case::on_hardware(seed, args.races, units),
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
    let cycles = match units {
        None => String::new(),
        Some(units) => format!(", {} cycles of {}", total.cycles, units.join(" and ")),
    };
    println!(
        "torture: seeds {}..{end}: {programs} programs pass ({too_large} too large, {skipped} done \
         before), {} thread instructions each way, {} passes, {} divergences, {} traps{cycles}",
        args.seed, total.instructions, total.passes, total.divergences, total.traps
    );
    Ok(exit::PASS)
}
