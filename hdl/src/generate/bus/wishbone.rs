//! `--bus wishbone`: see `hdl/src/bus/wishbone.rs`.

use super::Bus;
use crate::bus::wishbone::Wishbone;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::{Design, design};

pub const BUS: Bus = Bus {
    name: "wishbone",
    summary: "one pipelined Wishbone B4 master, 32 bits, instruction cache",
    icache: 4096,
    groups: &[("wb", "Wishbone B4 master, pipelined; adr counts words")],
};

/// Prints the core with its master.
pub fn print<const T: usize, U: Unit<T>>(
    config: &CoreConfig,
    core: Core<T, U>,
    name: &str,
) -> Result<Design, String> {
    design(&Wishbone::new(config, core), name, &[])
}
