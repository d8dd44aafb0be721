//! The command line of `gen`.

use super::bus::{BUSES, Bus};
use super::presets::PRESETS;
use super::system::{System, SystemFlags};
use super::top::{TOPS, Top};
use super::{Cores, Product, files, folder, unfinished};
use crate::config::{CoreConfig, RawConfig, one_line};
use crate::divergence::UNITS;
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Exit code of bad input.
const BAD_INPUT: u8 = 2;

#[derive(Parser)]
#[command(
    name = "gen",
    version,
    about = "Writes the Verilog of a Weft core, and what goes with it, to DIR/<name>/",
    after_help = "<name> comes from the configuration: weft_hct_t8w8. A folder of that name that \
                  gen wrote before is replaced, as a whole. Without --trace the ports retire, \
                  lanes, late and stat are left out.\n\
                  Exit codes: 0 written, 2 bad input (nothing is written); 130 and 143 after Ctrl-C and \
                  SIGTERM (nothing is half-written)."
)]
struct Cli {
    #[command(flatten)]
    raw: RawConfig,
    /// TOML file with the same keys as the core's options; flags win
    #[arg(long, value_name = "F.toml", conflicts_with = "preset")]
    config: Option<PathBuf>,
    /// Start from a named configuration (see --list-presets); flags win
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Top module
    #[arg(long, value_name = "TOP", help = about("Top module", TOPS.iter().map(|t| (t.name, t.summary))))]
    top: Option<String>,
    /// Memory interface
    #[arg(long, value_name = "BUS", help = about("Memory interface", BUSES.iter().map(|b| (b.name, b.summary))))]
    bus: Option<String>,
    #[command(flatten)]
    system: SystemFlags,
    /// Where the folder <name> goes; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "verilog-out")]
    out: PathBuf,
    /// Print the resolved configuration, as a file for --config, and stop
    #[arg(long)]
    print_config: bool,
    /// List the divergence units and stop
    #[arg(long, conflicts_with_all = ["print_config", "list_presets"])]
    list_units: bool,
    /// List the presets and stop
    #[arg(long, conflicts_with = "print_config")]
    list_presets: bool,
}

/// Help of an option: its values, the first of which is the default.
fn about(what: &str, values: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let values: Vec<_> = values.map(|(name, summary)| format!("{name}: {summary}")).collect();
    format!("{what}, by default the first. {}", values.join("; "))
}

/// Runs the command line; the exit code.
pub fn main(cores: Cores) -> u8 {
    let result = match Cli::try_parse() {
        Ok(cli) => unfinished::watch().and_then(|()| run(&cli, cores)),
        Err(e) if !e.use_stderr() => {
            let _ = e.print();
            return 0;
        }
        Err(e) => Err(one_line(&e)),
    };
    match result {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => 0,
            Err(e) => complain(&format!("standard output: {e}")),
        },
        Err(e) => complain(&e),
    }
}

fn complain(e: &str) -> u8 {
    // A file name may hold anything; the message is one line.
    eprintln!("gen: {}", e.replace(['\n', '\r'], " "));
    BAD_INPUT
}

/// What to print on standard output, when the work is done.
fn run(cli: &Cli, cores: Cores) -> Result<String, String> {
    let top = pick("top", &cli.top, TOPS, |top: &Top| top.name)?;
    let bus = pick("bus", &cli.bus, BUSES, |bus: &Bus| bus.name)?;
    let (config, system) = configuration(cli, top, bus)?;
    if cli.list_units {
        return Ok(units());
    }
    if cli.list_presets {
        return Ok(PRESETS.iter().map(|p| format!("{:10} {}\n", p.name, p.about())).collect());
    }
    if cli.print_config {
        return Ok(config.to_toml());
    }
    let product = Product::new(&config, top, bus, system, cores)?;
    let files = files::all(&product);
    let folder = folder::write(&cli.out, &product.name, &files)?;
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let folder = folder.display();
    Ok(format!("{folder}: {} files, {} KB\n", files.len(), bytes.div_ceil(1000)))
}

/// The entry of a list that an option names, by default the first.
fn pick<T>(
    option: &str,
    given: &Option<String>,
    list: &'static [T],
    name: impl Fn(&T) -> &'static str,
) -> Result<&'static T, String> {
    let Some(text) = given else { return Ok(&list[0]) };
    list.iter().find(|entry| name(entry) == text).ok_or_else(|| {
        let names: Vec<_> = list.iter().map(name).collect();
        format!("--{option} {text}: not supported, use {}", names.join(", "))
    })
}

/// The configuration, and what is around the core.
fn configuration(cli: &Cli, top: &Top, bus: &Bus) -> Result<(CoreConfig, Option<System>), String> {
    let base = match (&cli.config, &cli.preset) {
        (Some(path), _) => RawConfig::from_toml(path).map_err(|e| e.to_string())?,
        (None, Some(_)) => pick("preset", &cli.preset, PRESETS, |preset| preset.name)?.options(),
        (None, None) => RawConfig::default(),
    };
    let mut raw = cli.raw.clone().over(base);
    if bus.icache == 0
        && let Some(size) = &raw.icache
    {
        return Err(format!("--icache {size}: only with --bus axi4 or wishbone"));
    }
    if top.name == "soc" {
        if bus.name != "native" {
            return Err(format!("--bus {}: the soc has its memory inside, leave it out", bus.name));
        }
        return cli.system.resolve(raw).map(|(config, system)| (config, Some(system)));
    }
    if let Some(option) = cli.system.given() {
        return Err(format!("{option}: only with --top soc"));
    }
    if bus.icache != 0 && raw.icache.is_none() {
        raw.icache = Some(bus.icache.to_string());
    }
    let config = raw.validate().map_err(|e| e.to_string())?;
    if bus.icache != 0 && config.trace {
        return Err(format!("--trace on: --bus {} has no trace ports, leave it out", bus.name));
    }
    Ok((config, None))
}

fn units() -> String {
    let line = |unit: &crate::divergence::UnitInfo| {
        let place = if unit.hardware { "" } else { " [emulator only]" };
        format!("{:10} {} ({}){place}\n", unit.name, unit.summary, unit.citation)
    };
    UNITS.iter().map(line).collect()
}
