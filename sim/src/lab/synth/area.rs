//! `lab area`: what cores and units take of a device, as a whole and by module.

use super::netlist;
use super::runs::{Run, fill};
use super::target::{Area, TOP, Target};
use super::tool::{Tool, work_folder};
use super::which::{Which, named, part_name};
use crate::error::BadInput;
use crate::lab::store::Keyed;
use clap::Args;
use cores::{Part, verilog};
use hdl::config::CoreConfig;
use hdl::rtl::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of `lab area`.
#[derive(Args)]
pub struct AreaArgs {
    #[command(flatten)]
    which: Which,
    /// What to synthesise for, one or more: cycloneive, ecp5, ice40, gowin, xilinx
    #[arg(long, value_name = "NAME,..", default_value = "cycloneive")]
    target: String,
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
    /// The tool and its version.
    pub tool: String,
    /// FNV-1a of the script and of what it reads.
    pub script: String,
    /// Everything mapped as a whole.
    pub total: Area,
    /// Mapped module by module: all instances of a module, without its parts, by its
    /// name within the top module, whose own name is empty.
    pub modules: BTreeMap<String, Area>,
}

/// What tells a run from others. Rows are sorted by it.
pub type Key = (String, String, u32, String, String, String, String);

impl Keyed for Row {
    type Key = Key;

    fn key(&self) -> Key {
        let Row { target, part, threads_per_warp, core, hardware, tool, script, .. } = self.clone();
        (target, part, threads_per_warp, core, hardware, tool, script)
    }

    fn replaces(&self, older: &Row) -> bool {
        (&self.target, &self.part, &self.core) == (&older.target, &older.part, &older.core)
    }
}

/// A run that may not have happened yet.
struct Cell<'a> {
    yosys: &'a Tool,
    target: &'static Target,
    part: Part,
    config: CoreConfig,
    hardware: String,
}

/// The Verilog that is measured.
pub fn design(config: &CoreConfig, part: Part) -> Result<Design, String> {
    Ok(verilog(config, part, TOP)?.design)
}

impl Run for Cell<'_> {
    type Row = Row;

    fn key(&self) -> Key {
        (
            self.target.name.to_string(),
            part_name(self.part).to_string(),
            self.config.threads_per_warp,
            self.config.name(),
            self.hardware.clone(),
            self.yosys.version.clone(),
            self.target.hash(),
        )
    }

    fn name(&self) -> String {
        format!("{} {} on {}", self.config.name(), part_name(self.part), self.target.name)
    }

    /// Synthesises it twice: flattened, for the total, and by module.
    fn measure(&self, _tell: &mut dyn FnMut(&str)) -> Result<Row, String> {
        let design = design(&self.config, self.part)?;
        let mut whole = areas(self.yosys, self.target, &design.text, true)?;
        let modules = areas(self.yosys, self.target, &design.text, false)?;
        let (target, part, threads_per_warp, core, hardware, tool, script) = self.key();
        Ok(Row {
            target,
            part,
            threads_per_warp,
            core,
            divergence: self.config.divergence.name.to_string(),
            options: self.config.flags(),
            hardware,
            tool,
            script,
            total: whole.remove("").ok_or("the netlist has no top module")?,
            modules,
        })
    }
}

/// The modules of a design after synthesis.
fn areas(
    yosys: &Tool,
    target: &Target,
    verilog: &str,
    whole: bool,
) -> Result<BTreeMap<String, Area>, String> {
    let folder = work_folder()?;
    let json = target.synthesise(yosys, folder.path(), verilog, whole, target.ways()[0][0])?;
    let short = |name: &str| name.trim_start_matches(TOP).trim_start_matches('_').to_string();
    let modules = netlist::modules(&json, target)?;
    Ok(modules.iter().map(|(name, cells)| (short(name), target.area(cells))).collect())
}

fn line(row: &Row) -> String {
    let target = Target::named(&row.target).expect("rows are of targets");
    let least = row.total.logic_least.map(|n| format!(" ({n} at least)")).unwrap_or_default();
    format!(
        "lab: {} {} on {}: {} {}{least}, {} flip-flops, {} {}",
        row.core,
        row.part,
        row.target,
        row.total.logic,
        target.logic_unit,
        row.total.flip_flops,
        row.total.ram,
        target.ram_unit,
    )
}

/// Runs the study; the exit code.
pub fn main(args: &AreaArgs) -> Result<u8, BadInput> {
    let targets = args.target.split(',').map(Target::named).collect::<Result<Vec<_>, _>>()?;
    let parts = args.which.cells()?;
    let yosys = &args.which.tool("yosys")?;
    let parts = named(parts, design)?;
    let cells: Vec<_> = parts
        .iter()
        .flat_map(|(part, config, hardware)| {
            targets.iter().map(move |target| Cell {
                yosys,
                target,
                part: *part,
                config: config.clone(),
                hardware: hardware.clone(),
            })
        })
        .collect();
    let (rows, code) = fill(&args.which, "area.jsonl", &cells)?;
    rows.iter().for_each(|row| println!("{}", line(row)));
    Ok(code)
}
