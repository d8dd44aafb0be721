//! `--top core`: the core and nothing else, with its own ports.

use super::Top;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::{Design, design};

pub const TOP: Top = Top {
    name: "core",
    summary: "the core alone; memory, test bench or system go around it",
    groups: &[
        ("clock", "everything happens at its rising edge"),
        ("reset", "synchronous, active high, for two cycles or more"),
        ("fatal", "the bus has reported an error: nothing issues until reset"),
        ("retire", "what each pipe completes or traps on in this cycle (trace)"),
        ("lanes", "lane data of what retires in this cycle (trace)"),
        ("late", "values of a register that an earlier record left open (trace)"),
        ("stat", "why a pipe issued nothing, and what it dropped (trace)"),
    ],
};

/// Ports that are there with `--trace` only.
const TRACE: [&str; 4] = ["retire", "lanes", "late", "stat"];

/// And one that is for what is built around it.
const HIDDEN: [&str; 5] = ["spread", TRACE[0], TRACE[1], TRACE[2], TRACE[3]];

/// Prints the core.
pub fn print<const T: usize, U: Unit<T>>(
    config: &CoreConfig,
    core: &Core<T, U>,
    name: &str,
) -> Result<Design, String> {
    design(core, name, if config.trace { &HIDDEN[..1] } else { &HIDDEN })
}
