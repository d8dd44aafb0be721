//! `lab timing`: how fast cores and units are after place and route.
//!
//! A core stands in a system on a chip, with memory beside it: what comes out of block
//! RAM comes late in its cycle. Around that, or the unit, goes [`harness::around`].

use super::harness;
use super::pnr::Flow;
use super::route::Stretch;
use super::runs::{Run, fill};
use super::target::{TOP, Target};
use super::which::{Which, named, number, part_name};
use crate::error::BadInput;
use crate::lab::store::Keyed;
use clap::Args;
use cores::{Part, soc, verilog};
use hdl::config::CoreConfig;
use hdl::platform::{RAM_BASE, RAM_SIZE};
use hdl::rtl::Design;
use hdl::soc::SocOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The module within the harness.
const INNER: &str = "dut";
/// Bytes of memory on the chip, unless `--ram-size` says otherwise, and most of them.
const MEMORY: u32 = 64 << 10;
const MEMORY_MOST: u32 = 256 << 10;
/// What is in it when power comes up: `j .`. For place and route any word would do.
const PROGRAM: u32 = 0x6f;
/// Clock cycles per bit of its UART.
const UART: u32 = 217;
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
    /// Folder that keeps what runs have come to, mapping by mapping and placement by placement, so
    /// that those that were interrupted go on from there
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Wires give way to each other with more patience and are routed once: more find room where wire is scarce,
    /// by longer ways. A row takes the place of one without
    #[arg(long)]
    patient: bool,
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

/// A design that is synthesised once for all its seeds.
struct Netlist<'a> {
    flow: &'a Flow,
    part: Part,
    config: CoreConfig,
    hardware: String,
    made: OnceLock<Result<String, String>>,
}

impl Netlist<'_> {
    fn make(&self, tell: &mut dyn FnMut(&str)) -> Result<String, String> {
        let text = harness::around(&design(&self.config, self.part)?, INNER, TOP);
        // The registers around a unit are not its own: they would move into it.
        self.flow.netlist(&text, self.part == Part::Core, tell)
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
            flow.tools(),
            flow.hash.clone(),
            self.seed,
        )
    }

    fn name(&self) -> String {
        let Netlist { part, config, .. } = self.netlist;
        format!("{} {}, seed {}", config.name(), part_name(*part), self.seed)
    }

    fn measure(&self, tell: &mut dyn FnMut(&str)) -> Result<Row, String> {
        let Netlist { flow, config, made, .. } = self.netlist;
        tell("synthesis");
        let netlist = made.get_or_init(|| self.netlist.make(tell)).as_ref()?;
        let routed = flow.route(netlist, self.seed, tell)?;
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
    let nothing = Design { text: String::new(), ports: Vec::new() };
    let around = harness::around(&nothing, INNER, TOP);
    let memory = format!("{MEMORY} {PROGRAM} {UART}");
    let flow =
        Flow::new(&args.which, target, args.keep.as_deref(), args.patient, [around, memory])?;
    let netlist = |(part, config, hardware)| {
        let made = OnceLock::new();
        Netlist { flow: &flow, part, config, hardware, made }
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
