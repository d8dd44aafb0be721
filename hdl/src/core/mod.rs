//! The pipeline, one file per stage (`docs/pipeline.md`).

pub mod collect;
pub mod decode;
pub mod exclusive;
pub mod execute;
pub mod fetch;
pub mod port;
pub mod predecode;
pub mod registers;
pub mod resolve;
pub mod schedule;
pub mod shape;
pub mod stages;
pub mod steer;
pub mod window;
