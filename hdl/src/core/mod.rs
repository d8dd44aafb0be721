//! The pipeline, one file per stage (`docs/pipeline.md`).

// Kernels are written as the hardware is: `!(a == b)` where a mux or an enable
// is meant, and wires spelled out one by one.
#![allow(clippy::nonminimal_bool)]

pub mod alu;
pub mod beats;
pub mod choose;
pub mod collect;
pub mod commit;
pub mod control;
#[allow(clippy::module_inception)]
pub mod core;
pub mod csr;
pub mod csr_check;
pub mod decode;
pub mod devices;
pub mod divide;
pub mod exclusive;
pub mod execute;
pub mod fetch;
pub mod gather;
pub mod lead;
pub mod load_lanes;
pub mod loads;
pub mod multiply;
pub mod operands;
pub mod operation;
pub mod pattern;
pub mod port;
pub mod predecode;
pub mod registers;
pub mod resolve;
pub mod scatter;
pub mod schedule;
pub mod serial_gather;
pub mod serial_scatter;
pub mod shape;
pub mod stages;
pub mod steer;
mod text;
pub mod turn;
pub mod window;
