//! `lab units`: what the divergence units issue, against the (depth, PC) order
//! that they implement, for every kernel.

use super::draw::{COLOURS, Drawn, font, label, rectangle, svg};
use super::hardware::{self, Row};
use super::kernels::{self, Build, Kernel, fnv1a};
use super::many_paths;
use super::policies::write;
use super::store::Store;
use super::table::{head, line};
use crate::cli::exit;
use crate::error::BadInput;
use clap::Args;
use hdl::config::{CoreConfig, RawConfig};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use std::path::PathBuf;

/// What is compared: the unit, its options, what the columns call it.
pub const UNITS: [(&str, Option<&str>, &str); 3] = [
    ("arbiter", None, "arbiter"),
    ("hct", Some("rows"), "hct"),
    ("hct", Some("paper"), "hct --cct paper"),
];

/// Extra instructions that `hct` may issue on kernels, and on many paths: up to 16 threads, and
/// with more, where a warp has as many paths more to look at.
const ALLOWED: [[f64; 2]; 2] = [[0.05, 0.10], [0.05, 0.15]];

/// Names of the programs with as many paths as threads begin so.
pub const WORST: &str = "(many paths";

/// Options of `lab units`.
#[derive(Args)]
pub struct UnitsArgs {
    /// Lanes of a warp, one or more values
    #[arg(long, default_value = "4,8,16,32", value_name = "T,..", value_delimiter = ',')]
    threads_per_warp: Vec<String>,
    /// Warps of the core
    #[arg(long, default_value = "8", value_name = "W")]
    warps: String,
    /// Folder of the kernels
    #[arg(long, default_value = "target/kernels", value_name = "DIR")]
    kernels: PathBuf,
    /// Folder of the results
    #[arg(long, default_value = "docs/results", value_name = "DIR")]
    out: PathBuf,
    /// Run everything again, rows or not
    #[arg(long)]
    fresh: bool,
}

/// The configurations of a study, one per T and unit.
pub fn configs(threads: &[String], warps: &str) -> Result<Vec<CoreConfig>, BadInput> {
    let config = |t: &String, (unit, cct, _): &(&str, Option<&str>, &str)| {
        let raw = RawConfig {
            threads_per_warp: Some(t.clone()),
            warps: Some(warps.to_string()),
            divergence: Some(unit.to_string()),
            cct: cct.map(Into::into),
            ..RawConfig::default()
        };
        Ok(raw.validate()?)
    };
    threads.iter().flat_map(|t| UNITS.iter().map(move |u| config(t, u))).collect()
}

/// The kernels of a folder, and the worst case.
fn programs(args: &UnitsArgs, ram_size: u32) -> Result<Vec<Kernel>, BadInput> {
    let mut kernels = kernels::load(&args.kernels, ram_size, Build::Plain)?;
    for worst in many_paths::WORST {
        let program = worst.program();
        let elf = format!("{:016x}", fnv1a(&program.segments[0].bytes));
        kernels.push(Kernel { name: worst.name(), order_free: true, elf, program });
    }
    Ok(kernels)
}

/// The rows of one kernel at one T, in the order of `UNITS`; rows come kernel by
/// kernel, T by T.
struct Group<'a>(&'a [Row]);

impl Group<'_> {
    fn name(&self) -> &str {
        &self.0[0].kernel
    }

    fn finishes(&self) -> bool {
        self.0.iter().all(|r| r.same_end && (r.outcome == "pass" || r.outcome == "parked"))
    }

    /// Does what is issued depend on who comes first?
    fn races(&self) -> bool {
        !self.0[0].order_free
    }

    /// What is promised and does not hold.
    fn broken(&self) -> Option<String> {
        let (arbiter, hct) = (&self.0[0], &self.0[1]);
        let (name, t) = (self.name(), arbiter.threads_per_warp);
        if let Some(row) = self.0.iter().find(|row| !row.same_end) {
            return Some(format!("{name}, T={t}: {} ends otherwise: {}", row.core, row.outcome));
        }
        if self.races() || !self.finishes() {
            return None;
        }
        let allowed = ALLOWED[usize::from(t > 16)][usize::from(name.starts_with(WORST))];
        if arbiter.total().issued != arbiter.ideal {
            return Some(format!("{name}, T={t}: arbiter does not issue what the order says"));
        }
        let extra = 100.0 * hct.extra();
        (hct.extra() > allowed).then(|| format!("{name}, T={t}: hct issues {extra:.1} % more"))
    }
}

fn signed(share: f64) -> String {
    let text = format!("{:+.2} %", 100.0 * share);
    if share == 0.0 { "0".to_string() } else { text }
}

/// Cycles, as a table of kernels by T and unit.
fn time(s: &mut String, groups: &[Group<'_>], threads: usize) {
    let columns: Vec<String> = groups[..threads]
        .iter()
        .flat_map(|g| {
            let t = g.0[0].threads_per_warp;
            UNITS.iter().map(move |(_, _, title)| format!("T={t}: {title}"))
        })
        .collect();
    head(s, "kernel", &columns.iter().map(String::as_str).collect::<Vec<_>>());
    for kernel in groups.chunks(threads) {
        let cells = kernel.iter().flat_map(|g| g.0).map(|r| r.total().cycles.to_string());
        line(s, [kernel[0].name().to_string()].into_iter().chain(cells));
    }
}

/// A table of kernels by T and unit.
fn table(s: &mut String, groups: &[Group<'_>], threads: usize) {
    let columns: Vec<String> = groups[..threads]
        .iter()
        .flat_map(|g| {
            let t = g.0[0].threads_per_warp;
            let units = UNITS.iter().map(|(_, _, title)| title.to_string());
            [format!("T={t}: ideal")].into_iter().chain(units).collect::<Vec<_>>()
        })
        .collect();
    head(s, "kernel", &columns.iter().map(String::as_str).collect::<Vec<_>>());
    for kernel in groups.chunks(threads) {
        let cells = kernel.iter().flat_map(|g| {
            let runs = g.0.iter().map(|r| signed(r.extra()));
            [g.0[0].ideal.to_string()].into_iter().chain(runs).collect::<Vec<_>>()
        });
        line(s, [kernel[0].name().to_string()].into_iter().chain(cells));
    }
}

fn page(groups: Vec<Group<'_>>, threads: usize) -> String {
    let first = &groups[0].0[0];
    let mut s = format!(
        "# Order of the divergence units\n\n\
         Every kernel of `testbenches/kernels` on the hardware, in lockstep with the golden \
         model: {} warps, memory replies after {} cycle, Weft {}. Written by\n\n\
         ```\nscripts/units.sh\n```\n\n\
         from the rows of [units.jsonl](units.jsonl). Do not edit.\n\n\
         ![Extra warp instructions](units.svg)\n\n\
         *Ideal* is what the emulator issues under `depth-pc`, which always runs the path that \
         should run; the others are what the hardware issues beyond it. `arbiter` sees every \
         thread and issues exactly the ideal. `hct` sees two paths per warp, and runs on with \
         the better of them until its cold table has brought up a still better one. {WORST}) is \
         a random computed jump to one of 16 short blocks that all go on at one place (or to one \
         of 32, which go on at 8 places behind each other), again and again: the worst that we \
         know, for whoever goes on too early goes round alone.\n\n",
        first.warps, first.latency, first.version,
    );
    let mut parts: [Vec<Group<'_>>; 3] = Default::default();
    let mut rest = groups.into_iter().peekable();
    while rest.peek().is_some() {
        let kernel: Vec<_> = rest.by_ref().take(threads).collect();
        let part =
            if !kernel.iter().all(Group::finishes) { 2 } else { usize::from(kernel[0].races()) };
        parts[part].extend(kernel);
    }
    s += "## Programs whose order is free\n\n";
    table(&mut s, &parts[0], threads);
    s += "\nOrder is not time: their cycles.\n\n";
    time(&mut s, &parts[0], threads);
    if !parts[1].is_empty() {
        s += "\n## Programs that race\n\nWhat these issue depends on who comes first, so on \
              latencies and on how warps interleave: a thread that finds a lock taken, or a \
              barrier open, or a wake already there, runs other instructions or runs them \
              alone. Differences from the emulator, in \
              either direction, say little about order.\n\n";
        table(&mut s, &parts[1], threads);
    }
    if !parts[2].is_empty() {
        s += "\n## Programs that do not finish\n\nThreads spin for others that the order never \
              lets run ([progress.toml](../../testbenches/progress.toml)); the watchdog ends \
              the run.\n\n";
        head(&mut s, "kernel", &["outcome"]);
        for kernel in parts[2].chunks(threads) {
            let mut ends: Vec<_> =
                kernel.iter().flat_map(|g| g.0).map(|r| r.outcome.as_str()).collect();
            ends.sort_unstable();
            ends.dedup();
            line(&mut s, [kernel[0].name().to_string(), ends.join("; ")]);
        }
    }
    s
}

/// Bars of `hct` with both cold tables, a group per kernel and a panel per T.
fn chart(groups: &[Group<'_>]) -> String {
    const BAR: i32 = 10;
    const GAP: i32 = 14;
    const LEFT: i32 = 80;
    const TOP: i32 = 110;
    const PLOT: i32 = 150;
    const SPACE: i32 = 44;
    const FOOT: i32 = 250;
    /// As in `tradeoff.svg`.
    const SHADES: [usize; UNITS.len() - 1] = [1, 3];
    let shown: Vec<_> = groups.iter().filter(|g| !g.races() && g.finishes()).collect();
    let mut names: Vec<&str> = shown.iter().map(|g| g.name()).collect();
    names.dedup();
    let mut threads: Vec<u32> = shown.iter().map(|g| g.0[0].threads_per_warp).collect();
    threads.sort_unstable();
    threads.dedup();
    let step = BAR * (UNITS.len() as i32 - 1) + GAP;
    let width = (LEFT + step * names.len() as i32 + 24).max(820);
    let foot = TOP + (PLOT + SPACE) * threads.len() as i32 - SPACE;
    let paint = |text: &mut String| -> Drawn {
        let area = SVGBackend::with_string(text, (width as u32, (foot + FOOT) as u32));
        let area = area.into_drawing_area();
        area.fill(&WHITE)?;
        let title = "Warp instructions beyond the ideal order (depth, PC)";
        label(&area, title, (LEFT, 14), 22, HPos::Left, VPos::Top)?;
        let mut x = LEFT;
        for (i, (_, _, unit)) in UNITS[1..].iter().enumerate() {
            rectangle(&area, (x, 53), (x + 14, 67), COLOURS[SHADES[i]])?;
            label(&area, unit, (x + 20, 60), 16, HPos::Left, VPos::Center)?;
            x += 48 + 9 * unit.len() as i32;
        }
        for (panel, t) in threads.iter().enumerate() {
            let bottom = TOP + PLOT + (PLOT + SPACE) * panel as i32;
            let mine = || shown.iter().filter(|g| g.0[0].threads_per_warp == *t);
            let most = mine().flat_map(|g| &g.0[1..]).map(Row::extra).fold(0.01, f64::max) * 1.08;
            let y = |v: f64| bottom - (v.max(0.0) / most * f64::from(PLOT)).round() as i32;
            let steps = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
            let tick = steps.into_iter().find(|tick| most / tick <= 5.0).unwrap_or(1.0);
            let title = format!("T={t}");
            label(&area, &title, (LEFT, bottom - PLOT - 24), 16, HPos::Left, VPos::Top)?;
            for at in 0..=(most / tick) as i32 {
                let share = f64::from(at) * tick;
                let ends = [(LEFT, y(share)), (width - 24, y(share))];
                area.draw(&PathElement::new(ends, RGBColor(222, 222, 222)))?;
                let text = format!("{:.1} %", 100.0 * share);
                label(&area, &text, (LEFT - 8, y(share)), 15, HPos::Right, VPos::Center)?;
            }
            for group in mine() {
                let at = names.iter().position(|name| *name == group.name());
                let start = LEFT + GAP / 2 + step * at.expect("it is shown") as i32;
                for (i, row) in group.0[1..].iter().enumerate() {
                    let x = start + BAR * i as i32;
                    let from = (x, y(row.extra()));
                    rectangle(&area, from, (x + BAR - 1, y(0.0)), COLOURS[SHADES[i]])?;
                }
            }
        }
        for (at, name) in names.iter().enumerate() {
            let style = font(15).transform(FontTransform::Rotate90);
            let place = (LEFT + step * at as i32 + step / 2 + 6, foot + 8);
            area.draw(&Text::new(name.to_string(), place, style))?;
        }
        area.present()
    };
    svg(paint)
}

/// Runs the study; the exit code.
pub fn main(args: &UnitsArgs) -> Result<u8, BadInput> {
    let mut threads = args.threads_per_warp.clone();
    threads.dedup();
    let configs = configs(&threads, &args.warps)?;
    let kernels = programs(args, configs[0].ram_size)?;
    std::fs::create_dir_all(&args.out)
        .map_err(|e| BadInput::file(&args.out, format_args!("cannot create: {e}")))?;
    let store = Store::open(&args.out.join("units.jsonl"))?;
    if let Some(notice) = &store.notice {
        eprintln!("lab: {notice}");
    }
    let (rows, new) = hardware::rows(&kernels, &configs, 1, store, args.fresh)?;
    let groups = || rows.chunks(UNITS.len()).map(Group);
    write(&args.out.join("units.svg"), &chart(&groups().collect::<Vec<_>>()))?;
    write(&args.out.join("units.md"), &page(groups().collect(), threads.len()))?;
    println!("lab: {new} runs, {} rows taken over", rows.len() - new);
    println!("lab: {}", args.out.join("units.md").display());
    let broken: Vec<_> = groups().filter_map(|g| g.broken()).collect();
    for why in &broken {
        eprintln!("lab: {why}");
    }
    Ok(if broken.is_empty() { exit::PASS } else { exit::FAIL })
}

#[cfg(test)]
mod tests {
    use super::super::hardware::Phase;
    use super::*;

    /// As many T as one likes, and a kernel that does not finish at all of them.
    #[test]
    fn every_t_has_a_panel() {
        let row = |kernel: &str, t: u32, unit: u64| Row {
            kernel: kernel.into(),
            order_free: true,
            core: String::new(),
            threads_per_warp: t,
            warps: 8,
            latency: 1,
            version: String::new(),
            elf: String::new(),
            outcome: if kernel == "sort" && t == 8 { "stuck" } else { "pass" }.into(),
            ideal: 100,
            same_end: true,
            sweeps: 0,
            dropped: 0,
            stalled: 0,
            phases: vec![Phase { cycles: 200, issued: 100 + 7 * unit, replays: 0 }],
        };
        let threads = [1, 2, 4, 8, 16, 32, 64];
        let runs = ["search", "sort"].into_iter().flat_map(|kernel| threads.map(|t| (kernel, t)));
        let rows: Vec<Vec<Row>> =
            runs.map(|(kernel, t)| [0, 1, 2].map(|unit| row(kernel, t, unit)).into()).collect();
        let groups: Vec<_> = rows.iter().map(|rows| Group(rows)).collect();
        let figure = chart(&groups);
        for t in threads {
            assert!(figure.contains(&format!("\nT={t}\n")), "{figure}");
        }
        let bars = figure.matches("<rect").count();
        // The ground, two in the legend, two of each kernel and T that finishes.
        assert_eq!(bars, 1 + 2 + 2 * 13, "{figure}");
    }
}
