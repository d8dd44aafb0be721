//! The CSRs of all threads (read in stages 6 and 7, written in stage 8).

use crate::config::CoreConfig;
use crate::rtl::prelude::*;

block! {
    /// Per lane, memories with a word per warp.
    pub struct CsrFile [const T: usize] [T] fn new(config: &CoreConfig) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,

            /// Stage 6: lanes with a CSR instruction; the others give old = 0.
            pub read: Signal<In, U<T>>,
            /// The warp, for every instruction that may trap or return.
            pub read_warp: [Signal<In, U<5>>; T],
            pub read_number: [Signal<In, U<12>>; T],

            /// Stage 8: the warp in each lane.
            pub write_warp: [Signal<In, U<5>>; T],
            /// A CSR instruction commits, and writes.
            pub csr_write: Signal<In, U<T>>,
            /// One of [`csr_op`](super::control::csr_op).
            pub csr_op: [Signal<In, U<2>>; T],
            pub csr_number: [Signal<In, U<12>>; T],
            pub csr_operand: [Signal<In, U<32>>; T],
            /// `old` of stage 7, one stage later.
            pub csr_old: [Signal<In, U<32>>; T],
            /// Threads that trap...
            pub trap: Signal<In, U<T>>,
            /// ... on the instruction here...
            pub trap_pc: [Signal<In, U<30>>; T],
            /// ... because...
            pub trap_cause: [Signal<In, U<4>>; T],
            /// ... of this.
            pub trap_value: [Signal<In, U<32>>; T],
            /// Threads that return from a trap.
            pub mret: Signal<In, U<T>>,
            /// Threads that complete an instruction (`--counters thread`).
            pub done: Signal<In, U<T>>,
            /// Lanes whose warp has issued one (`--counters warp`).
            pub warp_issue: Signal<In, U<T>>,

            /// Events of the core in this cycle: warp instructions.
            pub event_issue: Signal<In, U<3>>,
            /// Thread instructions.
            pub event_threads: Signal<In, U<8>>,
            /// Divergences.
            pub event_diverge: Signal<In, U<3>>,
            /// Merges.
            pub event_merge: Signal<In, U<3>>,
            /// An idle cycle.
            pub event_idle: Signal<In, Bit>,
            /// Memory transactions.
            pub event_memory: Signal<In, U<2>>,
        }
        output {
            /// Stage 7: the value read.
            pub old: [Signal<Out, U<32>>; T],
            /// Trap vector of `read_warp`, a word address.
            pub mtvec: [Signal<Out, U<30>>; T],
            /// Return address of `read_warp`, a word address.
            pub mepc: [Signal<Out, U<30>>; T],
            /// Counters are being adjusted after a write: a CSR instruction
            /// in stage 8 must replay.
            pub busy: Signal<Out, Bit>,
        }
        plain { pub _config: CoreConfig = config.clone(), }
    }
}

impl<const T: usize> Logic for CsrFile<T> {
    fn update(&mut self) {}
}
