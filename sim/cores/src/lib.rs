//! Every core in process, behind one interface ([`Core`]): plain data in, plain
//! data out, one cycle at a time.
//!
//! A crate of its own because it holds the code of seven widths times all units
//! and is long to compile; what runs programs on them changes more often.

pub mod adapter;
pub mod core;
pub mod dispatch;
pub mod verilog;

pub use adapter::{CoreBlock, Drive, Ports, RtlCore};
pub use core::{Core, Inputs, Outputs, Shape};
pub use dispatch::{around, build, unit};
pub use verilog::{Part, soc, verilog};

/// Most lanes a warp can have.
pub const MAX_LANES: usize = 64;

/// A value per lane.
pub type Lanes = [u32; MAX_LANES];
