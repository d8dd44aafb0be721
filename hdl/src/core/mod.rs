//! The pipeline, one file per stage (`docs/pipeline.md`).

pub mod port;
