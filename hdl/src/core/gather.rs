//! From the words of a memory block to lanes: results of loads (stage 9,
//! combinational).

use crate::rtl::prelude::*;

block! {
    /// Every lane picks its word, aligns and extends it.
    pub struct Gather [const T: usize] [T] fn new() {
        input {
            pub words: [Signal<In, U<32>>; T],
            /// Word within the block.
            pub word: [Signal<In, U<6>>; T],
            /// Address bits 1:0, aligned to the size.
            pub byte: [Signal<In, U<2>>; T],
            /// One of [`size`](super::control::size).
            pub size: Signal<In, U<2>>,
            /// Extend by the sign.
            pub signed: Signal<In, Bit>,
            /// Lanes that load; the others give 0.
            pub mask: Signal<In, U<T>>,
        }
        output { pub value: [Signal<Out, U<32>>; T], }
    }
}

impl<const T: usize> Logic for Gather<T> {
    fn update(&mut self) {}
}
