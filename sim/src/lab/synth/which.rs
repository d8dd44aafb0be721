//! What to synthesise and with what: the options that `lab area` and `lab timing`
//! have in common.

use super::tool::Tool;
use crate::error::BadInput;
use crate::lab::kernels::fnv1a;
use clap::Args;
use cores::Part;
use hdl::config::{CoreConfig, RawConfig};
use hdl::cores::in_hardware;
use hdl::rtl::Design;
use hdl::tools::Tools;
use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// The options.
#[derive(Args)]
pub struct Which {
    #[command(flatten)]
    raw: RawConfig,
    /// How much of it, one or both
    #[arg(long, value_name = "core,unit", default_value = "core,unit")]
    part: String,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "docs/results")]
    pub out: PathBuf,
    /// Folder of the tools [default: what scripts/setup.sh installs]
    #[arg(long, value_name = "DIR")]
    tools: Option<PathBuf>,
    /// Runs at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<String>,
    /// Minutes after which a run of a tool is stopped
    #[arg(long, value_name = "N", default_value = "600")]
    limit: String,
    /// Run everything again, rows or not
    #[arg(long)]
    pub fresh: bool,
}

/// A number of an option.
pub fn number(option: &str, text: &str, most: u64) -> Result<u64, BadInput> {
    match text.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(BadInput(format!("--{option} {text}: not a number from 1 to {most}"))),
    }
}

/// The part of that name.
pub fn part(name: &str) -> Result<Part, BadInput> {
    match name {
        "core" => Ok(Part::Core),
        "unit" => Ok(Part::Unit),
        _ => Err(BadInput(format!("--part {name}: not supported, use core, unit"))),
    }
}

/// What has no hardware is known before the first run.
fn has_hardware(config: &CoreConfig) -> Result<(), BadInput> {
    let (unit, names) = (config.divergence, in_hardware());
    if !unit.hardware {
        let names = names.join(", ");
        return Err(BadInput(format!("--divergence {}: not in hardware, use {names}", unit.name)));
    }
    match config.icache {
        0 => Ok(()),
        size => Err(BadInput(format!("--icache {size}: not in hardware, leave it out"))),
    }
}

/// `core` or `unit`.
pub fn part_name(part: Part) -> &'static str {
    match part {
        Part::Core => "core",
        Part::Unit => "unit",
    }
}

/// The name of a hardware in a row: a hash of its Verilog. So a row holds until that very text
/// changes, whatever else does.
pub fn hardware(design: &Design) -> String {
    format!("{:016x}", fnv1a(design.text.as_bytes()))
}

/// Parts of configurations, and the names of what `design` makes of them.
pub fn named(
    parts: Vec<(Part, CoreConfig)>,
    design: impl Fn(&CoreConfig, Part) -> Result<Design, String> + Sync,
) -> Result<Vec<(Part, CoreConfig, String)>, BadInput> {
    let name = |(part, config): (Part, CoreConfig)| {
        let hardware = hardware(&design(&config, part).map_err(BadInput)?);
        Ok((part, config, hardware))
    };
    parts.into_par_iter().map(name).collect()
}

impl Which {
    /// Every part of every configuration.
    pub fn cells(&self) -> Result<Vec<(Part, CoreConfig)>, BadInput> {
        let parts: Vec<_> = self.part.split(',').map(part).collect::<Result<_, _>>()?;
        let mut cells = Vec::new();
        for raw in self.raw.combinations() {
            let config = raw.validate()?;
            has_hardware(&config)?;
            cells.extend(parts.iter().map(|part| (*part, config.clone())));
        }
        cells.sort_by_key(|(_, config)| config.threads_per_warp);
        Ok(cells)
    }

    /// Where the tools are.
    pub fn tools(&self) -> Tools {
        self.tools.as_deref().map_or_else(Tools::of_project, Tools::of)
    }

    /// A tool.
    pub fn tool(&self, name: &'static str) -> Result<Tool, BadInput> {
        let limit = Duration::from_secs(60 * number("limit", &self.limit, 1 << 20)?);
        Tool::new(&self.tools(), name, limit).map_err(BadInput)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

    fn cells(flags: &str) -> Result<Vec<(Part, String)>, String> {
        let command = Which::augment_args(clap::Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(flags.split_whitespace()).unwrap();
        let cells = Which::from_arg_matches(&matches).unwrap().cells().map_err(|e| e.0)?;
        Ok(cells.into_iter().map(|(part, config)| (part, config.name())).collect())
    }

    #[test]
    fn every_combination_small_ones_first() {
        let names = |flags: &str| {
            cells(flags).unwrap().into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            names("--threads-per-warp 4,2 --divergence hct,arbiter --part unit"),
            ["weft_hct_t2w8", "weft_arbiter_t2w8", "weft_hct_t4w8", "weft_arbiter_t4w8"]
        );
        let hct = cells("--threads-per-warp 2 --cct paper").unwrap();
        let name = || "weft_hct_t2w8_paper".to_string();
        assert_eq!(hct, [(Part::Core, name()), (Part::Unit, name())]);
    }

    #[test]
    fn wrong_values_are_one_line() {
        for (flags, expected) in [
            ("--threads-per-warp 2,3", "--threads-per-warp 3"),
            ("--threads-per-warp 2,", "--threads-per-warp"),
            ("--divergence hct,magic", "--divergence magic"),
            ("--part all", "--part all: not supported"),
            ("--divergence stack", "--divergence stack: not in hardware, use hct"),
            ("--icache 1K", "--icache 1024: not in hardware"),
        ] {
            let why = cells(flags).unwrap_err();
            assert!(why.starts_with(expected) && !why.contains('\n'), "{why}");
        }
    }
}
