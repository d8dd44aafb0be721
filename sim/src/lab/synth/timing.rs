//! `lab timing`: how fast cores and units are after place and route.
//!
//! A core stands in a system on a chip, with memory beside it: what comes out of block
//! RAM comes late in its cycle. Around that, or the unit, goes [`harness::around`].

use super::harness;
use super::place;
use super::retime::{self, Longest};
use super::route::{self, Stretch};
use super::runs::{Run, fill};
use super::target::{TOP, Target, Way};
use super::tool::{Tool, work_folder};
use super::which::{Which, named, number, part_name};
use crate::error::BadInput;
use crate::lab::kernels::fnv1a;
use crate::lab::store::Keyed;
use clap::Args;
use cores::{Part, soc, verilog};
use hdl::config::CoreConfig;
use hdl::platform::{RAM_BASE, RAM_SIZE};
use hdl::rtl::Design;
use hdl::soc::SocOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;
use std::time::Instant;
use tempfile::TempDir;

/// The module within the harness.
const INNER: &str = "dut";
/// Bytes of memory on the chip, unless `--ram-size` says otherwise, and most of them.
const MEMORY: u32 = 64 << 10;
const MEMORY_MOST: u32 = 256 << 10;
/// What is in it when power comes up: `j .`. For place and route any word would do.
const PROGRAM: u32 = 0x6f;
/// Clock cycles per bit of its UART.
const UART: u32 = 217;
/// The device, and that a frequency below the one asked for is a result like any other.
const DEVICE: &[&str] = &[
    "--85k",
    "--package",
    "CABGA756",
    "--speed",
    "6",
    "--timing-allow-fail",
    "--lpf-allow-unconstrained",
    "--quiet",
];
/// The frequency asked for, MHz.
const FREQUENCY: f32 = 100.0;
/// A legal placement, and the delays of its cells.
const PLACE: &[&str] = &[
    "--json",
    "netlist.json",
    "--placer",
    "static",
    "--no-route",
    "--write",
    "placed.json",
    "--sdf",
    "placed.sdf",
];
/// Late wires alone. (Where they take the input of a table that another signal would have,
/// that one may find no way in later.)
const LATE: &[&str] = &[
    "--json",
    "late.json",
    "--placer",
    "sa",
    "--disable-router-lutperm",
    "--write",
    "late-routed.json",
    "--sdf",
    "late.sdf",
];
/// How often late wires are routed, and become shorter by what they came to.
const ROUTINGS: usize = 6;
/// All wires, from a better placement, which has a place for everything but a constant that nothing
/// reads. Whoever is too late in the end is routed again, time and again.
const ROUTE: &[&str] =
    &["--json", "better.json", "--placer", "sa", "--tmg-ripup", "--report", "report.json"];

/// Wires that are held may leave others no way, and then nextpnr looks for one for ever. After so
/// many times the time that all before took none is held.
const PATIENCE: u32 = 3;

/// Options of `lab timing`.
#[derive(Args)]
pub struct TimingArgs {
    #[command(flatten)]
    which: Which,
    /// What to place and route for: ecp5 (LFE5U-85F, speed grade 6)
    #[arg(long, value_name = "NAME", default_value = "ecp5")]
    target: String,
    /// Place and route with seeds 1 to N
    #[arg(long, value_name = "N", default_value = "5")]
    seeds: String,
}

/// One run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// For what.
    pub target: String,
    /// `core` or `unit`.
    pub part: String,
    /// T.
    pub threads_per_warp: u32,
    /// The name of the configuration.
    pub core: String,
    /// The unit.
    pub divergence: String,
    /// The configuration as flags.
    pub options: String,
    /// Version, and hash of the Verilog.
    pub hardware: String,
    /// The tools and their versions.
    pub tools: String,
    /// FNV-1a of the script, the harness and the options of place and route.
    pub script: String,
    /// Of place and route.
    pub seed: u64,
    /// Megahertz.
    pub fmax: f64,
    /// The critical path, module by module.
    pub path: Vec<Stretch>,
    /// Of the device, with the harness.
    pub used: BTreeMap<String, u64>,
}

/// What tells a run from others. Rows are sorted by it.
pub type Key = (String, String, u32, String, String, String, String, u64);

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        let Row { target, part, core, hardware, tools, script, .. } = self.clone();
        (target, part, self.threads_per_warp, core, hardware, tools, script, self.seed)
    }

    fn replaces(&self, older: &Row) -> bool {
        (&self.target, &self.part, &self.core, self.seed)
            == (&older.target, &older.part, &older.core, older.seed)
    }
}

/// The tools.
struct Flow {
    target: &'static Target,
    yosys: Tool,
    nextpnr: Tool,
    hash: String,
}

impl Flow {
    fn new(which: &Which, target: &'static Target) -> Result<Flow, BadInput> {
        let nothing = Design { text: String::new(), ports: Vec::new() };
        let memory = format!("{MEMORY} {PROGRAM} {UART} {ROUTINGS} {FREQUENCY}");
        let around = harness::around(&nothing, INNER, TOP);
        let options = [DEVICE, PLACE, LATE, ROUTE].concat().concat();
        let again = format!("{:?}", target.again);
        let parts = [target.hash(), again, around, options, memory, retime::what(), place::what()];
        let hash = format!("{:016x}", fnv1a(parts.concat().as_bytes()));
        let (yosys, nextpnr) = (which.tool("yosys")?, which.tool("nextpnr-ecp5")?);
        Ok(Flow { target, yosys, nextpnr, hash })
    }
}

/// A design that is synthesised once for all its seeds.
struct Netlist<'a> {
    flow: &'a Flow,
    part: Part,
    config: CoreConfig,
    hardware: String,
    folder: OnceLock<Result<TempDir, String>>,
}

impl Netlist<'_> {
    /// Of all ways to map it the one with the shortest paths.
    fn make(&self, tell: &mut dyn FnMut(&str)) -> Result<TempDir, String> {
        let design = design(&self.config, self.part)?;
        let text = harness::around(&design, INNER, TOP);
        let Flow { target, .. } = self.flow;
        let mut best: Option<(Longest, TempDir)> = None;
        let [first, further] = target.ways();
        for (number, way) in first.iter().chain(&further).enumerate() {
            let large = best.as_ref().is_some_and(|(longest, _)| longest.of_large);
            if number >= first.len() && !large {
                break;
            }
            let all = first.len() + if large { further.len() } else { 0 };
            tell(&format!("synthesis, {} of {all}", number + 1));
            let (longest, folder) = self.map(&text, *way, tell)?;
            tell(&format!("longest paths: {:.2} ns, not placed", longest.time / 1000.0));
            if best.as_ref().is_none_or(|(least, _)| longest.time < least.time) {
                best = Some((longest, folder));
            }
        }
        best.map(|(_, folder)| folder).ok_or_else(|| format!("{} has no mapping", target.name))
    }

    /// In one way; and how long its longest paths are.
    fn map(
        &self,
        text: &str,
        way: Way,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(Longest, TempDir), String> {
        let folder = work_folder()?;
        let Flow { target, yosys, .. } = self.flow;
        let made = target.synthesise(yosys, folder.path(), text, true, way)?;
        let mut netlist =
            serde_json::from_str(&made).map_err(|e| format!("yosys wrote no JSON: {e}"))?;
        // The registers around a unit are not its own: they would move into it.
        if self.part == Part::Core {
            tell("registers move");
            retime::retime(&mut netlist, tell)?;
            fs::write(folder.path().join("netlist.json"), netlist.to_string())
                .map_err(|e| format!("netlist.json: {e}"))?;
        }
        Ok((retime::longest(&netlist)?, folder))
    }
}

/// How much memory a core has beside it.
fn memory(config: &CoreConfig) -> u32 {
    if config.ram_size == RAM_SIZE { MEMORY } else { config.ram_size }
}

/// The Verilog that is measured, without its harness.
pub fn design(config: &CoreConfig, part: Part) -> Result<Design, String> {
    match part {
        Part::Core => on_chip(config),
        Part::Unit => Ok(verilog(config, part, INNER)?.design),
    }
}

/// The core with its memory.
fn on_chip(config: &CoreConfig) -> Result<Design, String> {
    let config = CoreConfig { ram_size: memory(config), ..config.clone() };
    let mut image = vec![0; config.ram_size as usize / 4];
    image[0] = PROGRAM;
    let tohost = RAM_BASE + config.ram_size - 8;
    let options = SocOptions { image, tohost, uart_divisor: UART, two_ports: true };
    Ok(soc(&config, options, INNER)?.design)
}

/// A run that may not have happened yet.
struct Cell<'a> {
    netlist: &'a Netlist<'a>,
    seed: u64,
}

impl Run for Cell<'_> {
    type Row = Row;

    fn key(&self) -> Key {
        let Netlist { flow, part, config, hardware, .. } = self.netlist;
        (
            flow.target.name.to_string(),
            part_name(*part).to_string(),
            config.threads_per_warp,
            config.name(),
            hardware.clone(),
            format!("{}, {}", flow.yosys.version, flow.nextpnr.version),
            flow.hash.clone(),
            self.seed,
        )
    }

    fn name(&self) -> String {
        let Netlist { part, config, .. } = self.netlist;
        format!("{} {}, seed {}", config.name(), part_name(*part), self.seed)
    }

    fn measure(&self, tell: &mut dyn FnMut(&str)) -> Result<Row, String> {
        let Netlist { flow, config, .. } = self.netlist;
        tell("synthesis");
        let netlist = self.netlist.folder.get_or_init(|| self.netlist.make(tell)).as_ref()?;
        let (folder, seed) = (work_folder()?, self.seed.to_string());
        // The WebAssembly of a tool sees the folder it runs in and no other.
        let file = |folder: &TempDir| folder.path().join("netlist.json");
        fs::hard_link(file(netlist), file(&folder)).map_err(|e| format!("netlist.json: {e}"))?;
        let wrote = |name| {
            let text = fs::read_to_string(folder.path().join(name));
            text.map_err(|e| format!("nextpnr wrote no {name}: {e}"))
        };
        let nextpnr_within = |limit, options: &[&str], mhz: f32| {
            let run = ["--seed", &seed, "--freq", &mhz.to_string()];
            flow.nextpnr.run_within(limit, folder.path(), &[options, &run, DEVICE].concat())
        };
        let nextpnr = |options: &[&str], mhz: f32| {
            let run = ["--seed", &seed, "--freq", &mhz.to_string()];
            flow.nextpnr.run(folder.path(), &[options, &run, DEVICE].concat())
        };
        let began = Instant::now();
        tell("a legal placement");
        nextpnr(PLACE, FREQUENCY)?;
        let (placed, delays) = (wrote("placed.json")?, wrote("placed.sdf")?);
        let write = |name, text: &str| {
            fs::write(folder.path().join(name), text).map_err(|e| format!("{name}: {e}"))
        };
        let mut placing = place::improve(&placed, &delays, self.seed, tell)?;
        let mut best: Option<(f32, String, String)> = None;
        for routing in 1..=ROUTINGS {
            let placed = placing.placed()?;
            write("late.json", &placed.late.netlist)?;
            tell(&format!("late wires, {routing} of {ROUTINGS}"));
            nextpnr(LATE, FREQUENCY)?;
            let longest = placing.measure(&wrote("late.sdf")?)?;
            tell(&format!("longest paths: {:.2} ns, routed", longest / 1000.0));
            if best.as_ref().is_none_or(|(least, ..)| longest < *least) {
                let held = placed.late.hold(&placed.netlist, &wrote("late-routed.json")?)?;
                best = Some((longest, held, placed.netlist));
            }
            if routing < ROUTINGS {
                placing.shorten(tell)?;
            }
        }
        let (longest, held, free) = best.ok_or("late wires were not routed")?;
        write("better.json", &held)?;
        tell("all wires");
        // No more than is left of it by those who cannot be routed again.
        let mhz = FREQUENCY.min(1e6 / longest);
        if nextpnr_within(PATIENCE * began.elapsed(), ROUTE, mhz)?.is_none() {
            tell("all wires, none held");
            write("better.json", &free)?;
            nextpnr(ROUTE, mhz)?;
        }
        let routed = route::read(&wrote("report.json")?)?;
        let (target, part, threads_per_warp, core, hardware, tools, script, seed) = self.key();
        Ok(Row {
            target,
            part,
            threads_per_warp,
            core,
            divergence: config.divergence.name.to_string(),
            options: config.flags(),
            hardware,
            tools,
            script,
            seed,
            fmax: routed.fmax,
            path: routed.path,
            used: routed.used,
        })
    }
}

/// The row in the middle, by frequency; the lower one of two.
pub fn median<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<&'a Row> {
    let mut rows: Vec<_> = rows.into_iter().collect();
    rows.sort_by(|a, b| a.fmax.total_cmp(&b.fmax));
    rows.get(rows.len().saturating_sub(1) / 2).copied()
}

/// A path in words: `unit.rows 3.1 ns, window 0.9 ns`.
pub fn words(path: &[Stretch]) -> String {
    let name = |module: &str| if module.is_empty() { "top".into() } else { module.to_string() };
    let words: Vec<_> =
        path.iter().map(|s| format!("{} {:.1} ns", name(&s.module), s.ns)).collect();
    words.join(", ")
}

/// Runs the study; the exit code.
pub fn main(args: &TimingArgs) -> Result<u8, BadInput> {
    let target = Target::named(&args.target)?;
    if target.name != "ecp5" {
        let name = target.name;
        return Err(BadInput(format!("--target {name}: no place and route for it, use ecp5")));
    }
    let seeds = number("seeds", &args.seeds, 1000)?;
    let parts = args.which.cells()?;
    for (_, config) in parts.iter().filter(|(part, _)| *part == Part::Core) {
        if config.trace {
            return Err(BadInput("--trace on: there are no pins for it, leave it out".into()));
        }
        if memory(config) > MEMORY_MOST {
            let why = "does not go on the chip, leave it out or use at most 256K";
            return Err(BadInput(format!("--ram-size {}: {why}", config.ram_size)));
        }
    }
    let flow = Flow::new(&args.which, target)?;
    let netlist = |(part, config, hardware)| {
        let folder = OnceLock::new();
        Netlist { flow: &flow, part, config, hardware, folder }
    };
    let netlists: Vec<_> = named(parts, design)?.into_iter().map(netlist).collect();
    let cells = |netlist| (1..=seeds).map(move |seed| Cell { netlist, seed });
    let cells: Vec<_> = netlists.iter().flat_map(cells).collect();
    let (rows, code) = fill(&args.which, "timing.jsonl", &cells)?;
    for rows in rows.chunk_by(|a, b| (&a.core, &a.part) == (&b.core, &b.part)) {
        let row = median(rows).expect("a chunk is not empty");
        let Row { core, part, fmax, path, .. } = row;
        println!("lab: {core} {part}: {fmax} MHz, median of {}: {}", rows.len(), words(path));
    }
    Ok(code)
}
