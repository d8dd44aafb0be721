//! `--bus axi4`: see `hdl/src/bus/axi4.rs`.

use super::Bus;
use crate::bus::axi4::Axi4;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::{Design, design};

pub const BUS: Bus = Bus {
    name: "axi4",
    summary: "one AXI4 master, 32 bits: bursts, replies in any order, instruction cache",
    icache: 4096,
    groups: &[("axi", "AXI4 master: reads with ID 0 to 15 are data, 16 is the instruction cache")],
};

/// Prints the core with its master.
pub fn print<const T: usize, U: Unit<T>>(
    config: &CoreConfig,
    core: Core<T, U>,
    name: &str,
) -> Result<Design, String> {
    design(&Axi4::around(config, core), name, &["lock"])
}
