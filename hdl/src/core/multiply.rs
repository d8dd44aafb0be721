//! The multipliers of all lanes (operands in stage 6, result in stage 8).

use crate::rtl::prelude::*;

block! {
    /// One multiplier per lane. Lanes without `enable` keep their operands.
    pub struct Multiply [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub a: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            /// One of [`multiply_op`](super::control::multiply_op).
            pub op: [Signal<In, U<2>>; T],
            pub enable: Signal<In, U<T>>,
        }
        output {
            /// Two edges after the operands.
            pub result: [Signal<Out, U<32>>; T],
        }
    }
}

impl<const T: usize> Logic for Multiply<T> {
    fn update(&mut self) {}
}
