//! `sim torture`: random programs by the thousand.

use super::exit;
use crate::error::BadInput;
use crate::output::Output;
use crate::torture::{self, Case, Tally};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

/// Programs of one row of results.
const CHUNK: u64 = 500;
/// Runs that shrinking may take.
const SHRINK: usize = 4000;

/// Options of `sim torture`.
#[derive(Args)]
pub struct TortureArgs {
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

fn finished(path: &PathBuf) -> Result<HashSet<(u64, bool)>, BadInput> {
    let text = match std::fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(HashSet::new()),
        _ => crate::program::read_file(path)?,
    };
    let text = String::from_utf8(text)
        .map_err(|_| BadInput::file(path, "is not a file of torture rows"))?;
    let row = |(i, line): (usize, &str)| {
        let bad = || BadInput::file(path, format_args!("line {}: not a torture row", i + 1));
        let v: serde_json::Value = serde_json::from_str(line).map_err(|_| bad())?;
        let whole = v["programs"].as_u64() == Some(CHUNK);
        let key = v["seed"].as_u64().zip(v["races"].as_bool()).ok_or_else(bad)?;
        Ok(whole.then_some(key))
    };
    text.lines().enumerate().filter_map(|l| row(l).transpose()).collect()
}

fn append(path: &PathBuf, row: &serde_json::Value) -> Result<(), BadInput> {
    let fail = |e: std::io::Error| BadInput::file(path, format_args!("cannot write: {e}"));
    let mut file = std::fs::File::options().create(true).append(true).open(path).map_err(fail)?;
    // One write: an interruption leaves whole lines.
    file.write_all(format!("{row}\n").as_bytes()).map_err(fail)
}

fn report(args: &TortureArgs, case: Case, why: &str) -> Result<(), BadInput> {
    eprintln!("torture: seed {} fails, shrinking ...", case.seed);
    let case = torture::shrink(case, SHRINK, |c| c.run().is_err());
    let why = case.run().err().unwrap_or_else(|| why.to_string());
    let path = args.out.join(format!("{}.txt", case.seed));
    let mut out = Output::open(&path)?;
    out.write(torture::listing(&case, &why).as_bytes())?;
    out.finish()?;
    let races = if args.races { " --races" } else { "" };
    eprintln!("torture: seed {}: {why}", case.seed);
    eprintln!("torture: the shrunk program is in {}", path.display());
    eprintln!("torture: again with: sim torture --seed {} --count 1{races}", case.seed);
    Ok(())
}

/// Runs the campaign; the exit code.
pub fn main(args: &TortureArgs) -> Result<u8, BadInput> {
    if args.count == 0 {
        return Err(BadInput("--count 0: at least 1".to_string()));
    }
    let end = args
        .seed
        .checked_add(args.count)
        .ok_or_else(|| BadInput(format!("--seed {}: too large", args.seed)))?;
    let done = args.rows.as_ref().map_or(Ok(HashSet::new()), finished)?;
    if let Some(path) = &args.rows {
        // Find out now, not after the first chunk, that rows cannot be kept.
        let file = std::fs::File::options().create(true).append(true).open(path);
        file.map_err(|e| BadInput::file(path, format_args!("cannot write: {e}")))?;
    }
    // Nor that a failing program cannot be written.
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
        if last - first == CHUNK && done.contains(&(first, args.races)) {
            skipped += CHUNK;
            bar.inc(CHUNK);
            first = last;
            continue;
        }
        let results: Vec<_> = (first..last)
            .into_par_iter()
            .map(|seed| {
                let case = Case::new(seed, args.races);
                let result = case.run();
                bar.inc(1);
                (case, result)
            })
            .collect();
        let mut chunk = Tally::default();
        for (case, result) in results {
            match result {
                Ok(Some(t)) => {
                    chunk.instructions += t.instructions;
                    chunk.passes += t.passes;
                    chunk.divergences += t.divergences;
                    chunk.traps += t.traps;
                }
                Ok(None) => too_large += 1,
                Err(why) => {
                    bar.finish_and_clear();
                    report(args, case, &why)?;
                    return Ok(exit::FAIL);
                }
            }
        }
        programs += last - first;
        total.instructions += chunk.instructions;
        total.passes += chunk.passes;
        total.divergences += chunk.divergences;
        total.traps += chunk.traps;
        if let Some(path) = &args.rows {
            append(
                path,
                &serde_json::json!({
                    "seed": first, "programs": last - first, "races": args.races,
                    "thread_instructions": chunk.instructions, "warp_instructions": chunk.passes,
                    "divergences": chunk.divergences, "traps": chunk.traps,
                    "version": env!("CARGO_PKG_VERSION"),
                }),
            )?;
        }
        first = last;
    }
    bar.finish_and_clear();
    println!(
        "torture: seeds {}..{end}: {programs} programs pass ({too_large} too large, {skipped} done \
         before), {} thread instructions each way, {} passes, {} divergences, {} traps",
        args.seed, total.instructions, total.passes, total.divergences, total.traps
    );
    Ok(exit::PASS)
}
