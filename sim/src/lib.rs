//! The golden emulator, its checker, and the tools around them.

pub mod annotate;
