//! The pipeline, one file per stage (`docs/pipeline.md`).

pub mod alu;
pub mod control;
pub mod csr;
pub mod csr_check;
pub mod devices;
pub mod divide;
pub mod gather;
pub mod multiply;
pub mod port;
pub mod scatter;
mod text;
