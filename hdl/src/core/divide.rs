//! The iterative divider: one warp operation at a time, one bit per cycle.

use crate::rtl::prelude::*;

block! {
    /// A divider per lane, all in step.
    pub struct Divide [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Begin, only while not `busy`.
            pub start: Signal<In, Bit>,
            /// Lanes that divide.
            pub mask: Signal<In, U<T>>,
            pub a: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            /// One of [`divide_op`](super::control::divide_op).
            pub op: Signal<In, U<2>>,
            /// The result is taken in this cycle.
            pub take: Signal<In, Bit>,
        }
        output {
            /// From the cycle after `start` until the result is taken.
            pub busy: Signal<Out, Bit>,
            /// `result` is valid, until `take`.
            pub done: Signal<Out, Bit>,
            pub result: [Signal<Out, U<32>>; T],
        }
    }
}

impl<const T: usize> Logic for Divide<T> {
    fn update(&mut self) {}
}
