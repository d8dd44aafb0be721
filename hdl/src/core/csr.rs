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

use super::control::csr_op;
use crate::config::{CoreConfig, Counters, Isa};
use crate::isa::csr::*;
use crate::rtl::Clocked;
use crate::rtl::prelude::*;

#[cfg(test)]
mod tests;
mod verilog;

block! {
    /// The threads of one lane and cycle are those of one warp. At least six
    /// cycles lie between a write, trap or mret of a thread in stage 8 and its
    /// next read in stage 6.
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
            /// A CSR instruction commits, and writes. Never while `busy`.
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

/// Counters with an `x`: cycle, and the six events.
const COUNTERS: usize = 7;
/// Writable bits of `mcountinhibit`.
const INHIBIT: u32 = 0b1_1111_1101;
/// The last cycle of a walk: seven reads, two stages, and two cycles until a
/// read cannot meet the last write.
const LAST_STEP: u8 = 11;

/// What the options make of the block.
#[derive(Clone, Debug)]
pub struct Build {
    warps: usize,
    traps: bool,
    counters: Counters,
    misa: u32,
}

impl Build {
    fn new(config: &CoreConfig) -> Build {
        Build {
            warps: config.warps as usize,
            traps: config.traps,
            counters: config.counters,
            misa: 1 << 30
                | 1 << 8
                | u32::from(config.isa != Isa::Rv32i) << 12
                | u32::from(config.isa == Isa::Rv32ima),
        }
    }
}

/// The CSRs of a thread.
#[derive(Clone, Debug, Default)]
pub struct Hart {
    mie: bool,
    mpie: bool,
    /// Word address.
    mtvec: u32,
    /// Word address.
    mepc: u32,
    mscratch: u32,
    mcause: u32,
    mtval: u32,
    inhibit: u32,
    split: bool,
    instret: u64,
    x: [u64; COUNTERS],
}

/// What stage 7 knows of the CSR that a lane reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    number: u16,
    warp: usize,
    /// Value, of a CSR that is no counter.
    word: u32,
    /// Which counter, [`COUNTERS`] for none.
    counter: usize,
    x: u64,
    inhibited: bool,
}

/// The walk over the counters after a write, all lanes in step.
#[derive(Clone, Copy, Debug)]
pub struct Walk<const T: usize> {
    /// 0 at rest, else 1 to [`LAST_STEP`]. Counter `k` is read in step `k + 1`
    /// and written in step `k + 3`.
    step: u8,
    /// Per lane the counters to change, and whose.
    todo: [(u8, usize); T],
}

impl<const T: usize> Default for Walk<T> {
    fn default() -> Self {
        Walk { step: 0, todo: [(0, 0); T] }
    }
}

impl<const T: usize> Walk<T> {
    fn is_reading(&self) -> bool {
        (1..=COUNTERS as u8).contains(&self.step)
    }

    fn was_reading(&self) -> bool {
        (2..=COUNTERS as u8 + 1).contains(&self.step)
    }
}

/// Bits of a mask, lowest first.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// The number within a block of counters, and its upper half?
fn counter_of(number: u16) -> Option<(u16, bool)> {
    let base = number & !31;
    let high = base == MCYCLEH || base == CYCLEH;
    (high || base == MCYCLE || base == CYCLE).then_some((number & 31, high))
}

/// Index of the `x` of a counter: cycle 0, `mhpmcounter3` 1 and so on.
fn x_index(n: u16) -> usize {
    match n {
        0 => 0,
        3..=8 => usize::from(n) - 2,
        _ => COUNTERS,
    }
}

/// The bit of `mcountinhibit` for such an index.
fn inhibit_bit(k: usize) -> usize {
    if k == 0 { 0 } else { k + 2 }
}

fn half(value: u64, high: bool) -> u32 {
    (if high { value >> 32 } else { value }) as u32
}

fn with_half(value: u64, high: bool, word: u32) -> u64 {
    let low = if high { value & 0xffff_ffff } else { u64::from(word) };
    let top = if high { u64::from(word) } else { value >> 32 };
    top << 32 | low
}

impl<const T: usize> CsrFile<T> {
    fn has_counters(&self) -> bool {
        self._build.counters != Counters::None
    }

    fn warp(&self, warp: U<5>) -> usize {
        warp.index() & (self._build.warps - 1)
    }

    /// Stage 6: a CSR that is no counter.
    fn plain(&self, number: u16, warp: usize, lane: usize) -> u32 {
        let hart = &self._harts[warp * T + lane];
        match number {
            MSTATUS => 0x1800 | u32::from(hart.mpie) << 7 | u32::from(hart.mie) << 3,
            MISA => self._build.misa,
            MTVEC => hart.mtvec << 2,
            MSCRATCH => hart.mscratch,
            MEPC => hart.mepc << 2,
            MCAUSE => hart.mcause,
            MTVAL => hart.mtval,
            SPLIT => hart.split.into(),
            MHARTID => (warp * T + lane) as u32,
            MCOUNTINHIBIT => hart.inhibit,
            _ => 0,
        }
    }

    fn read(&self, lane: usize) -> Read {
        let number = self.read_number[lane].val().low() as u16;
        let warp = self.warp(self.read_warp[lane].val());
        let counter = x_index(number & 31);
        let hart = &self._harts[warp * T + lane];
        Read {
            number,
            warp,
            word: self.plain(number, warp, lane),
            counter,
            x: hart.x.get(counter).copied().unwrap_or_default(),
            inhibited: hart.inhibit >> inhibit_bit(counter) & 1 != 0,
        }
    }

    /// Stage 7: `now - x`, or `x` if that stands still.
    fn counter_value(&self, lane: usize, stands: bool) -> u64 {
        let read = &self._read[lane];
        match self._now.get(read.counter) {
            Some(_) if stands => read.x,
            Some(now) => now.wrapping_sub(read.x),
            None => 0,
        }
    }

    fn old(&self, lane: usize) -> u32 {
        let read = &self._read[lane];
        let Some((n, high)) = counter_of(read.number) else { return read.word };
        let value = match n {
            _ if !self.has_counters() => 0,
            1 => self._now[0],
            2 => {
                // The instruction before this one may commit right now.
                let same = self.warp(self.write_warp[lane].val()) == read.warp;
                let count = same && self.counts(lane);
                self._harts[read.warp * T + lane].instret.wrapping_add(count.into())
            }
            _ => self.counter_value(lane, read.inhibited),
        };
        half(value, high)
    }

    /// The value that a CSR instruction in stage 8 writes.
    fn written(&self, lane: usize) -> u32 {
        let (old, operand) = (self.csr_old[lane].val().low(), self.csr_operand[lane].val().low());
        match self.csr_op[lane].val().raw() {
            csr_op::SET => old | operand,
            csr_op::CLEAR => old & !operand,
            _ => operand,
        }
    }

    /// Does `minstret` of the thread in stage 8 go up?
    fn counts(&self, lane: usize) -> bool {
        let number = self.csr_number[lane].val().low() as u16;
        let writes = self.csr_write.val().get_bit(lane);
        if writes && matches!(number, MINSTRET | MINSTRETH) {
            return false;
        }
        if self._build.counters == Counters::Warp {
            return self.warp_issue.val().get_bit(lane);
        }
        let warp = self.warp(self.write_warp[lane].val());
        let inhibit = if writes && number == MCOUNTINHIBIT {
            self.written(lane)
        } else {
            self._harts[warp * T + lane].inhibit
        };
        self.done.val().get_bit(lane) && inhibit & 4 == 0
    }

    /// Stage 8 of one lane: a CSR instruction writes. Counters to walk over.
    fn write(&mut self, lane: usize) -> u8 {
        let number = self.csr_number[lane].val().low() as u16;
        let new = self.written(lane);
        let warp = self.warp(self.write_warp[lane].val());
        let has_counters = self.has_counters();
        let value = with_half(self._hold_8[lane], number == MCYCLEH, new);
        let hart = &mut self._harts[warp * T + lane];
        match number {
            MSTATUS => (hart.mie, hart.mpie) = (new >> 3 & 1 != 0, new >> 7 & 1 != 0),
            MTVEC => hart.mtvec = new >> 2,
            MSCRATCH => hart.mscratch = new,
            MEPC => hart.mepc = new >> 2,
            MCAUSE => hart.mcause = new,
            MTVAL => hart.mtval = new,
            SPLIT => hart.split = new & 1 != 0,
            _ if !has_counters => {}
            MCOUNTINHIBIT => {
                let changed = (hart.inhibit ^ new) & INHIBIT;
                hart.inhibit = new & INHIBIT;
                let bit = |k: usize| (changed >> inhibit_bit(k) & 1) << k;
                return (0..COUNTERS).map(bit).sum::<u32>() as u8;
            }
            MCYCLE | MCYCLEH => {
                hart.x[0] = value;
                return u8::from(hart.inhibit & 1 == 0);
            }
            MINSTRET | MINSTRETH => {
                hart.instret = with_half(hart.instret, number == MINSTRETH, new);
            }
            _ => {}
        }
        0
    }

    fn trap_or_return(&mut self, lane: usize) {
        let warp = self.warp(self.write_warp[lane].val());
        let hart = &mut self._harts[warp * T + lane];
        if self._build.traps && self.trap.val().get_bit(lane) {
            hart.mepc = self.trap_pc[lane].val().low();
            hart.mcause = self.trap_cause[lane].val().low();
            hart.mtval = self.trap_value[lane].val().low();
            (hart.mie, hart.mpie) = (false, hart.mie);
        } else if self.mret.val().get_bit(lane) {
            (hart.mie, hart.mpie) = (hart.mpie, true);
        }
    }

    /// Stage 8, and the last stage of the walk.
    fn commit(&mut self) {
        let writes = self.csr_write.val().raw();
        let steps = if self._walk.step == 0 { 0 } else { self._walk.step + 1 };
        let mut next = if steps > LAST_STEP { 0 } else { steps };
        if let Some(k) = self._walk.step.checked_sub(3)
            && usize::from(k) < COUNTERS
        {
            for lane in 0..T {
                let (todo, warp) = self._walk.todo[lane];
                if todo >> k & 1 != 0 {
                    self._harts[warp * T + lane].x[usize::from(k)] = self._hold_8[lane];
                }
            }
        }
        if next == 0 && self._walk.step != 0 {
            self._walk.todo.fill((0, 0));
        }
        if self.has_counters() {
            let counting = match self._build.counters {
                Counters::Warp => self.warp_issue.val().raw(),
                _ => self.done.val().raw(),
            };
            for lane in bits(counting).filter(|lane| *lane < T) {
                if self.counts(lane) {
                    let warp = self.warp(self.write_warp[lane].val());
                    let instret = &mut self._harts[warp * T + lane].instret;
                    *instret = instret.wrapping_add(1);
                }
            }
        }
        for lane in bits(writes) {
            let todo = self.write(lane);
            if todo != 0 {
                self._walk.todo[lane] = (todo, self.warp(self.write_warp[lane].val()));
                next = 1;
            }
        }
        for lane in bits(self.trap.val().raw() | self.mret.val().raw()) {
            self.trap_or_return(lane);
        }
        self._walk.step = next;
    }

    fn clocked(&mut self) {
        let reading = self._walk.is_reading();
        let reads = if reading { 0 } else { self.read.val().raw() };
        let mut hold = self._hold_8;
        for lane in bits(self._valid_7) {
            hold[lane] = self.counter_value(lane, self._read[lane].inhibited);
        }
        if self._walk.was_reading() {
            for lane in (0..T).filter(|lane| self._walk.todo[*lane].0 != 0) {
                hold[lane] = self.counter_value(lane, false);
            }
        }
        let mut read = self._read;
        for lane in bits(reads) {
            read[lane] = self.read(lane);
        }
        if reading {
            let counter = usize::from(self._walk.step) - 1;
            for lane in 0..T {
                let (todo, warp) = self._walk.todo[lane];
                if todo != 0 {
                    let x = self._harts[warp * T + lane].x[counter];
                    read[lane] = Read { counter, x, ..read[lane] };
                }
            }
        }
        for lane in 0..T {
            let hart = &self._harts[self.warp(self.read_warp[lane].val()) * T + lane];
            self.mtvec[lane].next = u64::from(hart.mtvec).into();
            self.mepc[lane].next = u64::from(hart.mepc).into();
        }
        self.commit();
        (self._hold_8, self._read, self._valid_7) = (hold, read, reads);
        if self.has_counters() {
            let events = [
                1,
                self.event_issue.val().raw(),
                self.event_threads.val().raw(),
                self.event_diverge.val().raw(),
                self.event_merge.val().raw(),
                self.event_idle.val().into(),
                self.event_memory.val().raw(),
            ];
            for (now, more) in self._now.iter_mut().zip(events) {
                *now = now.wrapping_add(more);
            }
        }
        if self.reset.val() {
            self._now = [0; COUNTERS];
            self._walk = Walk::default();
        }
        self.busy.next = self._walk.step != 0;
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

    fn connect(&mut self) {
        self.old.iter_mut().for_each(Logic::connect);
        self.mtvec.iter_mut().for_each(Logic::connect);
        self.mepc.iter_mut().for_each(Logic::connect);
        self.busy.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(verilog::text(T, &self._build))
    }
}
