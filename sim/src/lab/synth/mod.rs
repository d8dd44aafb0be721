//! Synthesis: what cores and units cost in area and how fast they are
//! (`docs/synthesis.md`).
//!
//! ```text
//! which.rs -> cores::verilog -> tool.rs: Yosys by a script of target.rs
//!                                  |-> netlist.rs -> area.rs
//!        harness.rs around it  '-> retime -> nextpnr places -> place -> nextpnr routes -> route.rs -> timing.rs
//!                        (of large designs network)           (of large designs wires) -'
//! ```

pub mod area;
pub mod at_once;
pub mod figure4;
pub mod harness;
pub mod netlist;
pub mod network;
pub mod place;
pub mod pnr;
pub mod retime;
pub mod route;
pub mod runs;
pub mod steps;
pub mod target;
pub mod timing;
pub mod tool;
pub mod which;
pub mod wires;
