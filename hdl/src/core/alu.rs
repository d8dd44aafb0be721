//! Integer arithmetic of all lanes, combinational (stage 6).

use crate::rtl::prelude::*;

block! {
    /// One adder, one shifter and one logic unit per lane.
    pub struct Alu [const T: usize] [T] fn new() {
        input {
            pub rs1: [Signal<In, U<32>>; T],
            pub rs2: [Signal<In, U<32>>; T],
            pub imm: [Signal<In, U<32>>; T],
            pub pc: [Signal<In, U<30>>; T],
            /// One of [`alu_op`](super::control::alu_op).
            pub op: [Signal<In, U<4>>; T],
            /// The second operand is `imm`, not `rs2`.
            pub use_imm: Signal<In, U<T>>,
            /// The first operand is `pc`, not `rs1`.
            pub use_pc: Signal<In, U<T>>,
        }
        output {
            pub result: [Signal<Out, U<32>>; T],
            pub equal: Signal<Out, U<T>>,
            /// First operand below the second; unsigned for SLTU.
            pub less: Signal<Out, U<T>>,
        }
    }
}

impl<const T: usize> Logic for Alu<T> {
    fn update(&mut self) {}
}
