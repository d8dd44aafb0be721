//! A core on a bus: its data port as bursts of words, its fetches from an
//! instruction cache, both on one AXI4 master, or pipelined Wishbone behind a
//! bridge (`docs/soc.md`). The core is as it is.

// As in `core/`: kernels are written as the hardware is.
#![allow(clippy::nonminimal_bool)]

pub mod axi4;
pub mod data;
pub mod icache;
pub mod port;
pub mod wishbone;
