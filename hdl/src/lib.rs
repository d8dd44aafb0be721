//! Configuration and encodings, which golden model and hardware share (never
//! semantics), and the hardware in rust-hdl.

#[macro_use]
pub mod rtl;

pub mod config;
pub mod core;
pub mod cores;
pub mod divergence;
pub mod generate;
pub mod isa;
pub mod platform;
