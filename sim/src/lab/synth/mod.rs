//! Synthesis: what cores and units cost in area and how fast they are
//! (`docs/synthesis.md`).
//!
//! ```text
//! which.rs -> cores::verilog -> tool.rs: Yosys by a script of target.rs
//!                                  |-> netlist.rs -> area.rs
//!                                  '-> tool.rs: nextpnr -> timing.rs
//! ```

pub mod area;
pub mod netlist;
pub mod runs;
pub mod target;
pub mod tool;
pub mod which;
