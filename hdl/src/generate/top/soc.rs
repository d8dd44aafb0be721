//! `--top soc`: the core with memory on the chip, a boot image and a UART.

use super::Top;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::{Design, design};
use crate::soc::SocOptions;
use crate::soc::soc::Soc;

pub const TOP: Top = Top {
    name: "soc",
    summary: "the core with memory on the chip, a boot image and a UART: for a board",
    groups: &[
        ("clock", "everything happens at its rising edge"),
        ("reset", "button, active high, at any time; power-up resets by itself"),
        ("uart_tx", "console: 8 data bits, no parity, 1 stop bit"),
        ("done", "the program has ended"),
        ("fail", "with done: its exit code was not 0, or the host interface was used wrongly"),
    ],
};

/// Prints the core and what is around it.
pub fn print<const T: usize, U: Unit<T>>(
    config: &CoreConfig,
    options: &SocOptions,
    core: Core<T, U>,
    name: &str,
) -> Result<Design, String> {
    design(&Soc::around(config, options, core), name, &[])
}
