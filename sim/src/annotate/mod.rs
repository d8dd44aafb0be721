//! Join hints for compiler assembly (`docs/hints.md`).
//!
//! `parse` and `flow` read assembly, `program` finds its functions, `tables`
//! and `graph` their control flow, `postdom` the reconvergence points, and
//! `insert` writes the hints. `check` verifies them in a linked program.

pub mod check;
mod directive;
mod error;
mod flow;
mod graph;
mod insert;
mod parse;
pub mod postdom;
mod program;
mod record;
mod tables;

pub use error::Error;
pub use insert::{Annotated, annotate};
