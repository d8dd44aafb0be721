//! Configuration and encodings, which golden model and hardware share (never
//! semantics), and the hardware in rust-hdl.

#[macro_use]
pub mod rtl;

pub mod bus;
pub mod config;
pub mod core;
pub mod cores;
pub mod divergence;
pub mod generate;
pub mod isa;
pub mod platform;
pub mod soc;
pub mod tools;

/// Which hardware is in this build: the version, and a hash of the sources.
pub const HARDWARE: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("WEFT_HARDWARE"));
