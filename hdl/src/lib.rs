//! What golden model and hardware share: configuration and encodings, never
//! semantics. The RTL joins this crate with the next milestone.

pub mod config;
pub mod divergence;
pub mod isa;
pub mod platform;
