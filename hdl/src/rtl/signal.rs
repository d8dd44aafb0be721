//! [`Signal`]: what a block's fields are made of.
//!
//! It stands where rust-hdl's own signal would, under the same names, so that
//! kernels read, simulate and print alike. That one carries four values more than
//! simulation needs, 64 bytes instead of 16; a core of 32 lanes has ten thousand
//! signals and goes through all of them several times per cycle, so what counts is
//! how many fit into the cache.

use super::Raw;
use rust_hdl::core::prelude::{
    Atom, AtomKind, Block, Direction, In, Local, Logic, Out, PinConstraint, Probe, TypeDescriptor,
    VCDValue, VerilogLiteral,
};
use std::marker::PhantomData;

/// A wire with a direction.
#[derive(Clone, Debug, Default)]
pub struct Signal<D: Direction, T: Raw> {
    /// The value to take, at the next evaluation.
    pub next: T,
    taken: T,
    edge: T::Edge,
    direction: PhantomData<D>,
}

impl<D: Direction, T: Raw> Signal<D, T> {
    /// Takes over `next`; is it another value?
    #[inline(always)]
    pub fn take(&mut self) -> bool {
        let changed = self.taken != self.next;
        self.taken = self.next;
        T::note(&mut self.edge, changed);
        changed
    }

    /// Of a clock: is this evaluation its edge?
    #[inline(always)]
    pub fn edge_state(&self) -> T::Edge {
        self.edge
    }
}

/// An input has the value that it took.
impl<T: Raw> Signal<In, T> {
    /// The value.
    #[inline(always)]
    pub fn val(&self) -> T {
        self.taken
    }
}

/// What a leaf looks at in the clock edge alone need not be taken over before.
impl<T: Raw> Signal<In, T> {
    /// The value at the edge, of an input that was declared as `sampled`.
    #[inline(always)]
    pub fn at_edge(&self) -> T {
        self.next
    }
}

/// An output has the value that it was given last.
impl<T: Raw> Signal<Out, T> {
    /// The value.
    #[inline(always)]
    pub fn val(&self) -> T {
        self.next
    }
}

/// A variable has the value that it was given last.
impl<T: Raw> Signal<Local, T> {
    /// The value.
    #[inline(always)]
    pub fn val(&self) -> T {
        self.next
    }
}

impl<D: Direction, T: Raw> Logic for Signal<D, T> {
    fn update(&mut self) {}
}

impl<D: Direction, T: Raw> Block for Signal<D, T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {
        self.take();
    }

    fn has_changed(&self) -> bool {
        self.taken != self.next
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

/// For who prints it.
impl<D: Direction, T: Raw> Atom for Signal<D, T> {
    fn bits(&self) -> usize {
        T::BITS
    }

    /// That every signal is driven is for the Verilog's lint to say.
    fn connected(&self) -> bool {
        true
    }

    fn changed(&self) -> bool {
        self.has_changed()
    }

    fn kind(&self) -> AtomKind {
        D::KIND
    }

    fn descriptor(&self) -> TypeDescriptor {
        T::descriptor()
    }

    fn vcd(&self) -> VCDValue {
        self.taken.vcd()
    }

    fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn verilog(&self) -> VerilogLiteral {
        self.taken.verilog()
    }

    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}
