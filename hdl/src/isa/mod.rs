//! RISC-V encodings used by emulator, tools and hardware alike.

pub mod csr;
pub mod encoding;
pub mod hint;
mod insn;

pub use encoding::Op;
pub use insn::Insn;
