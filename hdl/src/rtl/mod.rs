//! What every hardware module is made of: a native word type, blocks that
//! evaluate only when something changed, register groups, memories, and the
//! clock.
//!
//! Everything here is plain rust-hdl to the rest of the world: blocks are
//! `rust_hdl` blocks with `#[hdl_gen]` kernels and are printed by it. Only the
//! order of evaluation is ours (see [`block!`](crate::block)).

#[macro_use]
mod block;
#[macro_use]
mod regs;
mod clock;
pub mod emit;
pub mod equivalence;
mod memory;
mod signal;
mod word;

pub use block::{
    BlockState, Fresh, Pin, PinVisitor, Pins, Raw, Refresh, Tick, Watch, Watcher, fresh, fresh_vec,
    guard,
};
pub use clock::{Clk, Clocked, Sim};
pub use emit::{Design, Port, design, verilog};
pub use equivalence::{Failure, Vector, equivalent, lint};
pub use memory::{Bank, Ram, Table, address_bits};
pub use regs::{Latch, Preset};
pub use signal::Signal;
pub use word::{ToWord, U};

/// Names that kernels and the macros around them need.
pub mod prelude {
    pub use super::{Bank, BlockState, Clk, Fresh, Ram, Refresh, Signal, Sim, Table, ToWord, U};
    pub use super::{Watch, Watcher};
    pub use super::{fresh, fresh_vec};
    pub use rust_hdl::core::prelude::{
        Bit, Block, Constant, In, Local, Logic, Out, Probe, Synth, Verilog, ast, block, hdl_gen,
        logic, probe,
    };
}
