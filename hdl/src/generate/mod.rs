//! `gen`: a configuration to a folder of Verilog and what goes with it.
//!
//! ```text
//! flags, preset, file -> CoreConfig -> top around the core -> Product -> files -> folder
//! cli.rs, presets.rs     config/       top/, bus/                        files/   folder.rs, unfinished.rs
//! ```
//!
//! The same configuration always gives the same bytes: no dates, no paths, and
//! the command in the header is the shortest one, whatever was typed.

mod bus;
mod cli;
mod files;
mod folder;
mod map;
mod presets;
pub mod sha256;
mod system;
mod top;
mod unfinished;

pub use cli::main;
pub use map::{Latency, latencies};
pub use top::{Print, Printed, TOPS, Top};

use crate::config::CoreConfig;
use bus::Bus;
use system::System;

/// Builds the core of a configuration and prints it: `cores::build`, which the
/// program hands in.
pub type Cores = fn(&CoreConfig, Print) -> Result<Result<Printed, String>, String>;

/// What the files are made from.
struct Product<'a> {
    /// Of the configuration, the folder, the files and the top module.
    name: String,
    config: &'a CoreConfig,
    top: &'static Top,
    bus: &'static Bus,
    /// What is around the core, of a soc.
    system: Option<System>,
    printed: Printed,
}

impl<'a> Product<'a> {
    fn new(
        config: &'a CoreConfig,
        top: &'static Top,
        bus: &'static Bus,
        system: Option<System>,
        cores: Cores,
    ) -> Result<Product<'a>, String> {
        let mut name = config.name();
        if bus.name != bus::BUSES[0].name {
            name = format!("{name}_{}", bus.name);
        }
        if let Some(system) = &system {
            name = format!("{name}_{}{}", top.name, system.suffix());
        }
        let options = system.as_ref().map(|system| system.options.clone());
        let printed = cores(config, Print { top, bus, name: name.clone(), system: options })?
            .map_err(|e| format!("{name} does not print: {e}"))?;
        Ok(Product { name, config, top, bus, system, printed })
    }

    /// The command that gives this product.
    fn command(&self) -> String {
        let (top, bus) = (self.top.name, self.bus.name);
        let system = self.system.as_ref().map(System::flags).unwrap_or_default();
        format!("gen {} --top {top} --bus {bus}{system}", self.config.flags())
    }

    /// Port groups of top and bus, and what they are.
    fn groups(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        self.top.groups.iter().chain(self.bus.groups)
    }
}
