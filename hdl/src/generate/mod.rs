//! `gen`: a configuration to a folder of Verilog and what goes with it.
//!
//! ```text
//! flags, preset, file -> CoreConfig -> top around the core -> Product -> files -> folder
//! cli.rs, presets.rs     config/       top/, bus/                        files/   folder.rs
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
mod sha256;
mod top;

pub use cli::main;
pub use top::{Print, Printed, TOPS, Top};

use crate::config::CoreConfig;
use bus::Bus;

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
    printed: Printed,
}

impl<'a> Product<'a> {
    fn new(
        config: &'a CoreConfig,
        top: &'static Top,
        bus: &'static Bus,
        cores: Cores,
    ) -> Result<Product<'a>, String> {
        let name = config.name();
        let printed = cores(config, Print { top, name: name.clone() })?
            .map_err(|e| format!("{name} does not print: {e}"))?;
        Ok(Product { name, config, top, bus, printed })
    }

    /// The command that gives this product.
    fn command(&self) -> String {
        let (top, bus) = (self.top.name, self.bus.name);
        format!("gen {} --top {top} --bus {bus}", self.config.flags())
    }

    /// Port groups of top and bus, and what they are.
    fn groups(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        self.top.groups.iter().chain(self.bus.groups)
    }
}
