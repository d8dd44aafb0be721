//! Hardware in process: `--engine rtl`.
//!
//! A [`Core`] is clocked cycle by cycle against a test-bench memory
//! ([`memory`]); what it retires becomes records ([`retire`]) that the checker
//! compares with the golden model ([`run`]). The core may be a rust-hdl circuit
//! ([`cores`]) or anything else with the same ports.
//!
//! ```text
//!            +--------- fetch, data ----------+
//!            v                                |
//!   memory (Platform) <- performed -> retire -+- Core <- edge
//!                                       |
//!                               record -+-> checker, track, stats, watchdog
//! ```

pub mod memory;
pub mod retire;
pub mod run;
pub mod stats;
pub mod timing;
pub mod track;
pub mod vcd;
pub mod watchdog;

pub use cores::core;
pub use cores::{Core, CoreBlock, Drive, Inputs, Outputs, Ports, RtlCore, Shape, around, build};
pub use run::{Report, RunOptions, run};
pub use stats::RtlStats;
pub use timing::Timing;
