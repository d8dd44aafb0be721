//! The CSRs of all threads: a memory per lane, 24 words per warp, and one
//! sequencer that works on the same word of all lanes in a cycle. They are zero at
//! power-up and not touched by `reset`.
//!
//! ```text
//! cycle   c      c+1           c+2   c+3   c+4
//!         start  decode, read  wait  show  done: the value waits to be taken, and
//!                                          what the instruction writes is written
//! ```
//!
//! What a step reads goes through a register of its own behind the memory, and is used two
//! cycles later. What a step writes goes into the memory a cycle later, out of registers.
//!
//! The counters of the core (cycle and events) run for ever. A hart sees them
//! through two words `x` of its own: while a counter runs for the hart it shows
//! `now - x`, while it is inhibited `x`; the difference is made in two steps of 32 bits.
//! So changing an inhibit bit means `x = now - x` in both directions: a walk over the
//! counters when `mcountinhibit` has been written.
//!
//! `minstret` is the sum of two words and of a short count in memory of its own, which
//! goes up when the thread completes an instruction. Whoever reads or writes `minstret`
//! first adds the count to the words. When one goes on that is half full issue stops (`hold`),
//! the pipeline runs dry, and a sweep adds those of all threads: once in 16,384
//! instructions of a thread, for as many cycles as it takes to drain and 4 per warp.
//!
//! What stage 7 needs (`mtvec`, and `mepc` of an `mret`) is kept a second time in a
//! memory that stage 6 reads.

use crate::config::{CoreConfig, Counters, Csrs};
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, fresh_vec};

pub mod few;
mod stages;
mod state;
#[cfg(test)]
mod tests;
mod verilog;

use state::{Build, COUNTERS, Count, Lane, Now};

/// Is there anything that needs the sequencer? If not, see [`few`].
pub fn has_file(config: &CoreConfig) -> bool {
    config.traps || config.counters != Counters::None
}

block! {
    /// The threads of one lane and cycle are those of one warp. At least five cycles
    /// lie between `start` and the next look of the same thread in stage 6.
    pub struct CsrFile [const T: usize] [T] fn new(config: &CoreConfig) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub reset: Signal<In, Bit>,

            /// Stage 6: there is an instruction...
            pub look: Signal<In, Bit>,
            /// ... of this warp, which may trap...
            pub read_warp: [Signal<In, U<5>>; T],
            /// ... or returns.
            pub read_return: Signal<In, U<T>>,

            /// Stage 8: begin, only while not `busy`.
            pub start: Signal<In, Bit>,
            /// 0 CSR instruction, 1 trap, 2 `mret`.
            pub kind: Signal<In, U<2>>,
            pub start_warp: Signal<In, U<5>>,
            /// The threads that do it.
            pub start_lanes: Signal<In, U<T>>,
            pub number: Signal<In, U<12>>,
            /// One of [`csr_op`](super::control::csr_op).
            pub op: Signal<In, U<2>>,
            pub writes: Signal<In, Bit>,
            /// The value will be taken.
            pub wants: Signal<In, Bit>,
            pub operand: [Signal<In, U<32>>; T],
            /// The instruction that traps, ...
            pub trap_pc: Signal<In, U<30>>,
            /// ... because...
            pub trap_cause: Signal<In, U<4>>,
            /// ... of this.
            pub trap_value: [Signal<In, U<32>>; T],
            /// The value is taken.
            pub take: Signal<In, Bit>,

            /// Threads that complete an instruction (`--counters thread`).
            pub done: Signal<In, U<T>>,
            /// In beats: if there are any.
            pub counted: Vec<Signal<In, Bit>> = fresh_vec(usize::from(config.beats() > 1)),
            /// Lanes whose warp has issued one (`--counters warp`).
            pub warp_issue: Signal<In, U<T>>,
            /// The warp of each lane.
            pub lane_warp: [Signal<In, U<5>>; T],

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
            /// Stage 7: where `read_warp` goes on, a word address: its trap vector, or its
            /// return address in the lanes of `read_return`.
            pub vector: [Signal<Out, U<30>>; T],
            /// From the cycle after `start` until everything is done.
            pub busy: Signal<Out, Bit>,
            /// `result` is valid, until `take`.
            pub ready: Signal<Out, Bit>,
            pub result: [Signal<Out, U<32>>; T],
            /// With `--csrs serial`: of this lane; and no other will come.
            pub part: Vec<Signal<Out, U<T>>> = fresh_vec(usize::from(config.csrs == Csrs::Serial)),
            pub last: Vec<Signal<Out, Bit>> = fresh_vec(usize::from(config.csrs == Csrs::Serial)),
            /// Nothing may issue: a sweep is near.
            pub hold: Signal<Out, Bit>,
        }
        plain {
            pub _build: Build = Build::new(config),
            /// By word, warp and lane.
            pub _memory: Vec<u32> =
                vec![0; Build::new(config).words() * config.total_harts() as usize],
            /// `mtvec` by warp and lane, then `mepc`.
            pub _vectors: Vec<u32> = vec![0; 2 * config.total_harts() as usize],
            /// By warp and lane.
            pub _counts: Vec<Count> = vec![Count::default(); config.total_harts() as usize],
            pub _lanes: [Lane; T] = [Lane::default(); T],
            pub _s: Now = Now::default(),
            /// Lanes that may count.
            pub _done: u64 = 0,
            pub _now: [u64; COUNTERS] = [0; COUNTERS],
        }
    }
}

impl<const T: usize> CsrFile<T> {
    /// With a shorter count beside `minstret`, so that tests see many sweeps.
    pub fn with_count_bits(mut self, bits: usize) -> Self {
        self._build.count_bits = bits;
        self
    }

    /// With other words of `minstret` in all threads, for tests of the overflow.
    pub fn with_instret(mut self, low: u32, high: u32) -> Self {
        let n = self._counts.len();
        let first = state::word::INSTRET as usize * n;
        self._memory[first..first + n].fill(low);
        self._memory[first + n..first + 2 * n].fill(high);
        self
    }
}

impl<const T: usize> Logic for CsrFile<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            self.clocked();
        }
    }

    fn hdl(&self) -> Verilog {
        let first = state::word::INSTRET as usize * self._counts.len();
        let instret = match self._build.has_counters() {
            true => [self._memory[first], self._memory[first + self._counts.len()]],
            false => [0; 2],
        };
        Verilog::Custom(verilog::text(T, &self._build, instret))
    }
}
