//! What goes around a core on a chip: memory with a boot image, the host
//! interface on a UART, reset (`docs/soc.md`). The core is as it is; this is
//! other hardware, so it is not under `core/`.

// As in `core/`: kernels are written as the hardware is.
#![allow(clippy::nonminimal_bool)]

pub mod amo;
pub mod ask;
pub mod bank;
pub mod boot;
pub mod htif;
pub mod in_turn;
pub mod memory;
pub mod merge;
pub mod power_up;
pub mod reservations;
#[allow(clippy::module_inception)]
pub mod soc;
pub mod swept;
pub mod uart;

/// What a system on a chip has beside its core.
#[derive(Clone, Debug)]
pub struct SocOptions {
    /// The words of RAM when power comes up.
    pub image: Vec<u32>,
    /// Address of `tohost`.
    pub tohost: u32,
    /// Clock cycles per bit of the UART.
    pub uart_divisor: u32,
    /// Fetches and loads have a read port of RAM each.
    pub two_ports: bool,
}
