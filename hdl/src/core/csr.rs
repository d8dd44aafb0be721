//! The CSRs of all threads: per lane, memories with a word per warp. They are
//! zero at power-up and not touched by `reset`.
//!
//! ```text
//! stage 6   read        plain CSRs, and what a counter needs
//! stage 7   old         counters: now - x, or x while inhibited
//! stage 8   write       CSR instruction, trap, mret; minstret counts
//! ```
//!
//! The counters of the core (cycle and events) run for ever. A hart sees them
//! through a word `x` of its own: while a counter runs for the hart it shows
//! `now - x`, while it is inhibited `x`. So changing an inhibit bit means
//! `x = now - x` in both directions, and so does a write to a running `mcycle`
//! after the new value itself was put into `x`. These steps are made by a walk
//! over the counters ([`Walk`]) that borrows the read path for some cycles.

use crate::config::CoreConfig;
use crate::rtl::Clocked;
use crate::rtl::prelude::*;

mod stages;
mod state;
#[cfg(test)]
mod tests;
mod verilog;

use state::{Build, COUNTERS, Hart, Read, Walk, bits};

block! {
    /// The threads of one lane and cycle are those of one warp. At least six
    /// cycles lie between a write, trap or mret of a thread in stage 8 and its
    /// next read in stage 6.
    pub struct CsrFile [const T: usize] [T] fn new(config: &CoreConfig) {
        input {
            pub clock: Signal<In, Clk>,

            /// Stage 8: the warp in each lane.
            pub write_warp: [Signal<In, U<5>>; T],
            /// A CSR instruction commits, and writes. Never while `busy`.
            pub csr_write: Signal<In, U<T>>,
            /// One of [`csr_op`](super::control::csr_op).
            pub csr_op: [Signal<In, U<2>>; T],
            pub csr_number: [Signal<In, U<12>>; T],
            pub csr_operand: [Signal<In, U<32>>; T],
            /// `old` of stage 7, one stage later.
            pub csr_old: [Signal<In, U<32>>; T],
            /// Threads that complete an instruction (`--counters thread`).
            pub done: Signal<In, U<T>>,
            /// Lanes whose warp has issued one (`--counters warp`).
            pub warp_issue: Signal<In, U<T>>,
        }
        sampled {
            pub reset: Signal<In, Bit>,

            /// Stage 6: lanes with a CSR instruction; the others give old = 0.
            pub read: Signal<In, U<T>>,
            /// There is an instruction...
            pub look: Signal<In, Bit>,
            /// ... of this warp, which may trap or return.
            pub read_warp: [Signal<In, U<5>>; T],
            pub read_number: [Signal<In, U<12>>; T],

            /// Stage 8: threads that trap...
            pub trap: Signal<In, U<T>>,
            /// ... on the instruction here...
            pub trap_pc: [Signal<In, U<30>>; T],
            /// ... because...
            pub trap_cause: [Signal<In, U<4>>; T],
            /// ... of this.
            pub trap_value: [Signal<In, U<32>>; T],
            /// Threads that return from a trap.
            pub mret: Signal<In, U<T>>,

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
            /// Trap vector of `read_warp` where `look`, a word address.
            pub mtvec: [Signal<Out, U<30>>; T],
            /// Its return address, a word address.
            pub mepc: [Signal<Out, U<30>>; T],
            /// Counters are being adjusted after a write: a CSR instruction
            /// in stage 8 must replay.
            pub busy: Signal<Out, Bit>,
        }
        plain {
            pub _build: Build = Build::new(config),
            /// By warp and lane.
            pub _harts: Vec<Hart> = vec![Hart::default(); config.total_harts() as usize],
            pub _read: [Read; T] = [Read::default(); T],
            /// Lanes with a CSR instruction in stage 7.
            pub _valid_7: u64 = 0,
            /// Counter values in stage 8.
            pub _hold_8: [u64; T] = [0; T],
            pub _now: [u64; COUNTERS] = [0; COUNTERS],
            pub _walk: Walk<T> = Walk::default(),
        }
    }
}

impl<const T: usize> Logic for CsrFile<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            let shown = self._valid_7;
            self.clocked();
            for lane in bits(shown & !self._valid_7) {
                self.old[lane].next = U::default();
            }
        }
        for lane in bits(self._valid_7) {
            self.old[lane].next = u64::from(self.old(lane)).into();
        }
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(verilog::text(T, &self._build))
    }
}
