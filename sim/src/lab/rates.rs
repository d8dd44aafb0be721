//! `lab rates`: what the pipeline issues per cycle, phase by phase of a kernel.

use super::draw::{COLOURS, Drawn, label, rectangle, svg};
use super::hardware::{self, Phase, Row};
use super::kernels::{self, Build};
use super::policies::write;
use super::store::Store;
use super::table::{head, line};
use crate::cli::exit;
use crate::error::BadInput;
use crate::rtl::Timing;
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use hdl::cores::in_hardware;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use std::ops::Range;
use std::path::PathBuf;

/// A kernel and the part of its work for which it is named; elsewhere it makes its
/// data and checks its results.
pub struct Work {
    kernel: &'static str,
    /// The first phase of it: so many barriers are passed.
    from: usize,
    /// Phases after the last one of it; of most kernels it is one phase.
    behind: Option<usize>,
    /// Accesses coalesce, so that no replays are excused.
    coalesces: bool,
}

/// Of every kernel of the study.
pub const WORK: [Work; 5] = [
    Work { kernel: "matmul", from: 1, behind: None, coalesces: true },
    // Sums per thread, and then the tree, with a barrier per level.
    Work { kernel: "reduce", from: 1, behind: Some(2), coalesces: true },
    Work { kernel: "saxpy", from: 0, behind: None, coalesces: true },
    Work { kernel: "spmv", from: 2, behind: None, coalesces: false },
    Work { kernel: "transpose", from: 1, behind: None, coalesces: false },
];

/// What has to be issued per cycle, without replays or with them.
const LEAST: f64 = 0.90;

/// Options of `lab rates`.
#[derive(Args)]
pub struct RatesArgs {
    /// Lanes of a warp
    #[arg(long, default_value = "32", value_name = "T")]
    threads_per_warp: String,
    /// Warps of the core
    #[arg(long, default_value = "8", value_name = "W")]
    warps: String,
    /// Cycles to a reply of memory
    #[arg(long, default_value = "4", value_name = "L")]
    mem_latency: String,
    /// Folder of the kernels
    #[arg(long, default_value = "target/kernels-rates", value_name = "DIR")]
    kernels: PathBuf,
    /// Folder of the results
    #[arg(long, default_value = "docs/results", value_name = "DIR")]
    out: PathBuf,
    /// Run everything again, rows or not
    #[arg(long)]
    fresh: bool,
}

/// One configuration per unit.
pub fn configs(threads: &str, warps: &str) -> Result<Vec<CoreConfig>, BadInput> {
    let config = |unit: &str| {
        let raw = RawConfig {
            threads_per_warp: Some(threads.to_string()),
            warps: Some(warps.to_string()),
            divergence: Some(unit.to_string()),
            ..RawConfig::default()
        };
        Ok(raw.validate()?)
    };
    in_hardware().into_iter().map(config).collect()
}

fn work(row: &Row) -> Option<&'static Work> {
    WORK.iter().find(|work| work.kernel == row.kernel)
}

/// The phases that a kernel is about, and their sum.
pub fn main_phases(row: &Row) -> Option<(Range<usize>, Phase)> {
    let Work { from, behind, .. } = work(row)?;
    let until = match behind {
        None => from + 1,
        Some(behind) => row.phases.len().checked_sub(*behind)?,
    };
    let phases = row.phases.get(*from..until).filter(|phases| !phases.is_empty())?;
    Some((*from..until, phases.iter().fold(Phase::default(), |sum, p| sum.and(p))))
}

/// What should be issued and is not.
fn broken(row: &Row) -> Option<String> {
    let Row { kernel, core, outcome, .. } = row;
    if outcome != "pass" {
        return Some(format!("{kernel} on {core}: {outcome}"));
    }
    let work = work(row)?;
    let Some((_, phase)) = main_phases(row) else {
        return Some(format!("{kernel} on {core}: only {} phases", row.phases.len()));
    };
    let (rate, what) =
        if work.coalesces { (phase.useful(), "useful") } else { (phase.rate(), "issued") };
    (rate < LEAST).then(|| format!("{kernel} on {core}: {rate:.3} {what} per cycle"))
}

fn page(rows: &[Row]) -> String {
    let first = &rows[0];
    let (t, w) = (first.threads_per_warp, first.warps);
    let mut s = format!(
        "# Issue rates\n\n\
         Warp instructions per cycle on the hardware, in lockstep with the golden model: {t} \
         threads per warp, {w} warps, memory replies after {} cycles, Weft {}. Written by\n\n\
         ```\nscripts/rates.sh\n```\n\n\
         from the rows of [rates.jsonl](rates.jsonl). Do not edit.\n\n\
         ![Warp instructions per cycle](rates.svg)\n\n\
         A phase ends when all threads have come to a barrier. In bold what a kernel is named \
         for (of `reduce` that is the tree over the harts, too); in the other phases it makes \
         its data, partly with one thread, and checks its \
         results. *Issued* counts every pass that completed something, *useful* those after \
         which no thread has to execute the instruction again.\n\n",
        first.latency, first.version,
    );
    head(&mut s, "kernel", &["core", "phase", "cycles", "issued", "useful", "replayed"]);
    for row in rows {
        let (main, sum) = main_phases(row).unwrap_or_default();
        let several = main.len() > 1;
        let phases = row.phases.iter().enumerate();
        let phases = phases
            .map(|(i, p)| ((i + 1).to_string(), *p, !several && main.contains(&i)))
            .chain(several.then(|| (format!("{} to {}", main.start + 1, main.end), sum, true)))
            .chain([("all".to_string(), row.total(), false)]);
        for (name, p, strong) in phases {
            let bold = |text: String| if strong { format!("**{text}**") } else { text };
            let replays = p.replays as f64 / p.cycles.max(1) as f64;
            line(
                &mut s,
                [
                    row.kernel.clone(),
                    format!("`{}`", row.core),
                    bold(name),
                    p.cycles.to_string(),
                    bold(format!("{:.3}", p.rate())),
                    bold(format!("{:.3}", p.useful())),
                    bold(format!("{replays:.3}")),
                ],
            );
        }
    }
    s
}

/// Useful and replayed passes of the phases that kernels are named for.
fn chart(rows: &[Row]) -> String {
    const LEFT: i32 = 250;
    const PLOT: i32 = 520;
    const BAR: i32 = 22;
    let shown: Vec<_> = rows.iter().filter_map(|r| Some((r, main_phases(r)?.1))).collect();
    let height = 110 + (BAR + 8) * shown.len() as i32 + 30;
    let x = |v: f64| LEFT + (v * f64::from(PLOT)).round() as i32;
    let paint = |text: &mut String| -> Drawn {
        let size = ((LEFT + PLOT + 70) as u32, height as u32);
        let area = SVGBackend::with_string(text, size).into_drawing_area();
        area.fill(&WHITE)?;
        label(&area, "Warp instructions per cycle", (20, 14), 22, HPos::Left, VPos::Top)?;
        for (i, name) in ["useful", "replayed"].into_iter().enumerate() {
            let at = 20 + 120 * i as i32;
            rectangle(&area, (at, 53), (at + 14, 67), COLOURS[1 + i])?;
            label(&area, name, (at + 20, 60), 16, HPos::Left, VPos::Center)?;
        }
        for tick in 0..=5 {
            let v = f64::from(tick) / 5.0;
            let shade = RGBColor(222, 222, 222);
            area.draw(&PathElement::new([(x(v), 92), (x(v), height - 30)], shade))?;
            label(&area, &format!("{v:.1}"), (x(v), 90), 15, HPos::Center, VPos::Bottom)?;
        }
        for (i, (row, phase)) in shown.iter().enumerate() {
            let y = 100 + (BAR + 8) * i as i32;
            let unit = row.core.split('_').nth(1).unwrap_or_default();
            let name = format!("{}, {unit}", row.kernel);
            label(&area, &name, (LEFT - 10, y + BAR / 2), 16, HPos::Right, VPos::Center)?;
            let (useful, all) = (x(phase.useful()), x(phase.rate()));
            rectangle(&area, (LEFT, y), (useful, y + BAR), COLOURS[1])?;
            if all > useful {
                rectangle(&area, (useful, y), (all, y + BAR), COLOURS[2])?;
            }
            let text = format!("{:.3}", phase.rate());
            label(&area, &text, (all + 6, y + BAR / 2), 15, HPos::Left, VPos::Center)?;
        }
        area.present()
    };
    svg(paint)
}

/// Runs the study; the exit code.
pub fn main(args: &RatesArgs) -> Result<u8, BadInput> {
    let configs = configs(&args.threads_per_warp, &args.warps)?;
    let latency = Timing::parse(&args.mem_latency, 1)
        .map_err(|why| BadInput(format!("--mem-latency {}: {why}", args.mem_latency)))?;
    if latency.jitter != 0 {
        return Err(BadInput(format!("--mem-latency {}: no jitter here", args.mem_latency)));
    }
    let kernels = kernels::load(&args.kernels, configs[0].ram_size, Build::Plain)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| BadInput::file(&args.out, format_args!("cannot create: {e}")))?;
    let store = Store::open(&args.out.join("rates.jsonl"))?;
    if let Some(notice) = &store.notice {
        eprintln!("lab: {notice}");
    }
    let (rows, new) = hardware::rows(&kernels, &configs, latency.latency, store, args.fresh)?;
    write(&args.out.join("rates.svg"), &chart(&rows))?;
    write(&args.out.join("rates.md"), &page(&rows))?;
    println!("lab: {new} runs, {} rows taken over", rows.len() - new);
    println!("lab: {}", args.out.join("rates.md").display());
    let broken: Vec<_> = rows.iter().filter_map(broken).collect();
    for why in &broken {
        eprintln!("lab: {why}");
    }
    Ok(if broken.is_empty() { exit::PASS } else { exit::FAIL })
}
