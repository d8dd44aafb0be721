//! The golden emulator, its checker, and the tools around them.

pub mod annotate;
pub mod checker;
pub mod cli;
pub mod commit_log;
pub mod csr;
pub mod engine;
pub mod error;
pub mod golden;
pub mod interrupt;
pub mod lab;
pub mod limits;
pub mod output;
pub mod path;
pub mod platform;
pub mod policy;
pub mod program;
pub mod record;
pub mod report;
pub mod rtl;
pub mod stats;
pub mod streams;
pub mod torture;
pub mod verilator;
pub mod warp;
