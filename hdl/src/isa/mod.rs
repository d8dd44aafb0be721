//! RISC-V encodings used by emulator, tools and hardware alike.

pub mod hint;
