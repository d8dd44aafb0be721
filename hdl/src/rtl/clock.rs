//! The clock, without test-bench threads.
//!
//! In simulation the clock is a counter that only ever has rising edges, so
//! that a cycle costs one pass over the design and not two; in Verilog it is an
//! ordinary one-bit clock. A leaf sees an edge with [`Clocked::edge`].

use super::{Raw, Signal};
use rust_hdl::core::prelude::{
    Bit, Block, In, Synth, TypeDescriptor, TypeKind, VCDValue, VerilogLiteral,
};

/// A clock: the number of rising edges so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clk(u64);

impl Clk {
    /// The clock after one more rising edge.
    pub fn tick(self) -> Clk {
        Clk(self.0 + 1)
    }

    /// Rising edges so far.
    pub fn edges(self) -> u64 {
        self.0
    }
}

impl Raw for Clk {
    const CLOCK: bool = true;
    type Edge = bool;

    #[inline(always)]
    fn note(edge: &mut bool, changed: bool) {
        *edge = changed;
    }

    fn to_raw(self) -> u64 {
        self.0
    }

    fn from_raw(edges: u64) -> Clk {
        Clk(edges)
    }
}

impl Synth for Clk {
    const BITS: usize = 1;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "clock".into(), kind: TypeKind::Bits(1) }
    }

    fn vcd(self) -> VCDValue {
        (!self.0.is_multiple_of(2)).into()
    }

    fn verilog(self) -> VerilogLiteral {
        false.into()
    }
}

/// Seeing the edge.
pub trait Clocked {
    /// Is this evaluation the rising edge?
    fn edge(&self) -> bool;
}

impl Clocked for Signal<In, Clk> {
    #[inline(always)]
    fn edge(&self) -> bool {
        self.edge_state()
    }
}

/// Driving a block that has a clock and a reset.
///
/// One cycle is: set the inputs, [`Sim::settle`], look at the outputs,
/// [`Sim::tick`]. After the tick the outputs are those of the next cycle with
/// the inputs unchanged.
pub trait Sim: Block + Sized {
    /// The clock input.
    fn clock(&mut self) -> &mut Signal<In, Clk>;
    /// The reset input.
    fn reset(&mut self) -> &mut Signal<In, Bit>;

    /// Lets changed inputs reach every output.
    fn settle(&mut self) {
        self.update_all();
    }

    /// One rising edge.
    fn tick(&mut self) {
        let clock = self.clock();
        clock.next = clock.val().tick();
        self.update_all();
    }

    /// Two cycles in reset.
    fn power_up(&mut self) {
        self.connect_all();
        self.reset().next = true;
        self.settle();
        self.tick();
        self.tick();
        self.reset().next = false;
        self.settle();
    }
}
