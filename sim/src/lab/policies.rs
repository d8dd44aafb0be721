//! `lab policies`: every kernel under every traversal policy.

use super::kernels::{self, Build, Kernel};
use super::row::{self, End, Row};
use super::store::Store;
use super::view::View;
use super::{chart, table};
use crate::cli::exit;
use crate::error::BadInput;
use crate::output::Output;
use crate::policy::PolicyKind;
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Options of `lab policies`.
#[derive(Args)]
pub struct PoliciesArgs {
    /// Lanes of a warp
    #[arg(long, default_value = "32", value_name = "T")]
    threads_per_warp: String,
    /// Warps of the core
    #[arg(long, default_value = "8", value_name = "W")]
    warps: String,
    /// Folder of the kernels
    #[arg(long, default_value = "target/kernels", value_name = "DIR")]
    kernels: PathBuf,
    /// Folder of the results
    #[arg(long, default_value = "docs/results", value_name = "DIR")]
    out: PathBuf,
    /// Runs at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    jobs: Option<String>,
    /// Run everything again, rows or not: after a change of the emulator
    #[arg(long)]
    fresh: bool,
}

/// The configuration of a study.
pub fn configuration(threads: &str, warps: &str) -> Result<CoreConfig, BadInput> {
    let raw = RawConfig {
        threads_per_warp: Some(threads.to_string()),
        warps: Some(warps.to_string()),
        ..RawConfig::default()
    };
    Ok(raw.validate()?)
}

/// Runs what has no row yet; the rows of all kernels and policies, and how many
/// are new.
pub fn rows(
    config: &CoreConfig,
    kernels: &[Kernel],
    store: Store<Row>,
    fresh: bool,
) -> Result<(Vec<Row>, usize), BadInput> {
    let cells = kernels.iter().flat_map(|k| PolicyKind::ALL.map(|(policy, ..)| (k, policy)));
    let cells: Vec<_> = cells.collect();
    let known = |(k, p): &&(&Kernel, PolicyKind)| store.get(&row::key(config, k, *p)).is_some();
    let missing: Vec<_> = cells.iter().filter(|c| fresh || !known(c)).copied().collect();

    let bar = ProgressBar::new(missing.len() as u64);
    let style = "{bar:40} {pos}/{len} runs, {elapsed} + {eta} {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    let store = Mutex::new(store);
    let done = missing.par_iter().try_for_each(|(kernel, policy)| {
        let row = row::measure(config, kernel, *policy);
        bar.set_message(format!("{} {}", kernel.name, policy.name()));
        bar.inc(1);
        store.lock().expect("no run panics").add(row)
    });
    bar.finish_and_clear();
    done?;

    let store = store.into_inner().expect("no run panics");
    let row = |(k, p): &(&Kernel, PolicyKind)| {
        store.get(&row::key(config, k, *p)).expect("every cell has run").clone()
    };
    let rows: Vec<_> = cells.iter().map(row).collect();
    store.finish(&rows)?;
    Ok((rows, missing.len()))
}

/// The threads of `--jobs`, by default one per processor.
pub fn pool(jobs: Option<&str>) -> Result<ThreadPool, BadInput> {
    let jobs = match jobs.map(|text| (text, text.parse())) {
        None => 0,
        Some((_, Ok(n @ 1..=1024))) => n,
        Some((text, _)) => {
            return Err(BadInput(format!("--jobs {text}: not a number from 1 to 1024")));
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.map_err(|e| BadInput(format!("--jobs: {e}")))
}

/// A file, whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<(), BadInput> {
    let mut output = Output::open(path)?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Runs the study; the exit code.
pub fn main(args: &PoliciesArgs) -> Result<u8, BadInput> {
    let config = configuration(&args.threads_per_warp, &args.warps)?;
    let pool = pool(args.jobs.as_deref())?;
    let kernels = kernels::load(&args.kernels, config.ram_size, Build::Hints)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| BadInput::file(&args.out, format_args!("cannot create: {e}")))?;
    let file = |name: &str| args.out.join(name);
    let store = Store::open(&file("policies.jsonl"))?;
    if let Some(notice) = &store.notice {
        eprintln!("lab: {notice}");
    }
    let (rows, new) = pool.install(|| rows(&config, &kernels, store, args.fresh))?;

    let view = View::new(&rows);
    write(&file("policies.md"), &table::page(&view))?;
    write(&file("policies.svg"), &chart::draw(&view))?;
    // A closed pipe downstream does not concern the study.
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "lab: {new} runs, {} rows taken over", rows.len() - new);
    for name in ["policies.md", "policies.svg", "policies.jsonl"] {
        let _ = writeln!(stdout, "lab: {}", file(name).display());
    }
    let failed: Vec<_> = rows.iter().filter(|r| r.outcome == End::Fails).collect();
    for row in &failed {
        let why = row.reason.as_deref().unwrap_or_default();
        eprintln!("lab: {} under {} fails: {why}", row.kernel, row.policy);
    }
    Ok(if failed.is_empty() { exit::PASS } else { exit::FAIL })
}
