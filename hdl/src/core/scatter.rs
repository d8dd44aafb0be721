//! From lanes to the words of a memory block: data of stores (stage 8,
//! combinational).

use crate::rtl::prelude::*;

block! {
    /// Lanes may share words; per byte the highest lane wins (M2).
    pub struct Scatter [const T: usize] [T] fn new() {
        input {
            /// Lanes that take part.
            pub served: Signal<In, U<T>>,
            /// Word within the block.
            pub word: [Signal<In, U<6>>; T],
            /// Address bits 1:0, aligned to the size.
            pub byte: [Signal<In, U<2>>; T],
            /// One of [`size`](super::control::size).
            pub size: Signal<In, U<2>>,
            pub data: [Signal<In, U<32>>; T],
        }
        output {
            /// Byte enables per word.
            pub enable: [Signal<Out, U<4>>; T],
            /// Data per word.
            pub out: [Signal<Out, U<32>>; T],
        }
    }
}

impl<const T: usize> Logic for Scatter<T> {
    fn update(&mut self) {}
}
