//! What the CSR file holds: the words of a thread, the steps of the sequencer.

use crate::config::{CoreConfig, Counters, Csrs, Isa};
use crate::isa::csr::*;

/// Counters with an `x`: cycle, and the six events.
pub(super) const COUNTERS: usize = 7;
/// Writable bits of `mcountinhibit`.
pub(super) const INHIBIT: u32 = 0b1_1111_1101;
/// Cycles from the request to stop issue until the sweep: more than there are stages, and beats of
/// the ALU.
const DRAIN: u64 = 15;

/// Words of a thread in the memory of its lane; the counters only if there are any.
pub(super) mod word {
    pub const STATUS: u64 = 0;
    pub const VECTOR: u64 = 1;
    pub const SCRATCH: u64 = 2;
    pub const RETURN: u64 = 3;
    pub const CAUSE: u64 = 4;
    pub const FAULT: u64 = 5;
    pub const INHIBIT: u64 = 6;
    pub const SPLIT: u64 = 7;
    /// Low word of the `x` of counter 0, then high word, then those of counter 1.
    pub const X: u64 = 8;
    /// Low word, then high word.
    pub const INSTRET: u64 = 22;
    /// How many there are, with counters and without.
    pub const ALL: usize = 24;
    pub const PLAIN: usize = 8;
}

/// What is done: 0 a CSR instruction, or one of these.
pub(super) mod kind {
    pub const TRAP: u64 = 1;
    pub const MRET: u64 = 2;
    /// Own business: see the steps.
    pub const SWEEP: u64 = 3;
}

/// Steps of the sequencer, a cycle each. What one reads is there in the next but one.
pub(super) mod step {
    pub const IDLE: u64 = 0;
    /// A CSR instruction: which, and what else is in the value. The first word is read.
    pub const DECODE: u64 = 1;
    /// A word: it comes, it is shown.
    pub const READ: u64 = 2;
    pub const SHOW: u64 = 3;
    /// A counter: does it stand, low word, high word.
    pub const COUNTER: u64 = 4;
    pub const STANDS: u64 = 5;
    pub const LOW: u64 = 6;
    pub const HIGH: u64 = 7;
    /// `minstret`: adds what has been counted beside it.
    pub const INSTRET: u64 = 8;
    pub const ADD_LOW: u64 = 9;
    pub const ADD_HIGH: u64 = 10;
    /// The value is there until it is taken; what is written goes into its word.
    pub const DONE: u64 = 11;
    /// `mcycle` is written: its other half is read, and `x` made of both.
    pub const SET: u64 = 12;
    pub const OLD_LOW: u64 = 13;
    pub const OLD_HIGH: u64 = 14;
    pub const NEW_LOW: u64 = 15;
    pub const NEW_HIGH: u64 = 16;
    /// `mcountinhibit` is written: `x = now - x`, for each counter.
    pub const WALK: u64 = 17;
    pub const WALK_READ: u64 = 18;
    pub const WALK_WAIT: u64 = 19;
    pub const WALK_LOW: u64 = 20;
    pub const WALK_HIGH: u64 = 21;
    /// A trap, in the order of what it writes.
    pub const TRAP: u64 = 22;
    pub const TRAP_CAUSE: u64 = 23;
    pub const TRAP_RETURN: u64 = 24;
    pub const TRAP_FAULT: u64 = 25;
    /// The last of a trap and of a return: `mstatus`.
    pub const STATUS: u64 = 26;
    /// A return: it waits for its word in step 28.
    pub const RETURN: u64 = 27;
    pub const RETURN_STATUS: u64 = 29;
    /// What has been counted of a warp goes into its words, warp by warp.
    pub const SWEEP: u64 = 30;
}

/// What the options make of the block.
#[derive(Clone, Debug)]
pub struct Build {
    pub(super) warps: usize,
    pub(super) traps: bool,
    pub(super) counters: Counters,
    pub(super) misa: u32,
    /// Bits of the count beside `minstret`. When the highest is up, issue stops
    /// for a sweep: there are as many counts left as there were before.
    pub(super) count_bits: usize,
    /// One lane after the other.
    pub(super) serial: bool,
    /// Cycles from the request to stop issue until the sweep.
    pub(super) drain: u64,
}

impl Build {
    pub(super) fn new(config: &CoreConfig) -> Build {
        Build {
            warps: config.warps as usize,
            traps: config.traps,
            counters: config.counters,
            misa: misa(config),
            count_bits: 15,
            serial: config.csrs == Csrs::Serial,
            drain: match config.beats() {
                1 => DRAIN,
                beats => DRAIN + 4 + u64::from(beats),
            },
        }
    }

    pub(super) fn has_counters(&self) -> bool {
        self.counters != Counters::None
    }

    /// Whose count is half full goes through registers: there are many lanes, and time.
    pub(super) fn late(&self) -> bool {
        self.drain > DRAIN
    }

    /// Bits that count cycles up to [`Build::drain`].
    pub(super) fn drain_bits(&self) -> u32 {
        self.drain.ilog2() + 1
    }

    /// Words of a thread.
    pub(super) fn words(&self) -> usize {
        if self.has_counters() { word::ALL } else { word::PLAIN }
    }

    /// CSRs that are a word in memory: number, word, and the bits that can be written.
    pub(super) fn plain(&self) -> Vec<(u16, u64, u32)> {
        let mut all = vec![(SPLIT, word::SPLIT, 1)];
        if self.traps {
            all.extend([
                (MSTATUS, word::STATUS, 0x88),
                (MTVEC, word::VECTOR, !3),
                (MSCRATCH, word::SCRATCH, !0),
                (MEPC, word::RETURN, !3),
                (MCAUSE, word::CAUSE, !0),
                (MTVAL, word::FAULT, !0),
            ]);
        }
        if self.has_counters() {
            all.push((MCOUNTINHIBIT, word::INHIBIT, INHIBIT));
        }
        all
    }
}

/// The value of `misa`.
pub(super) fn misa(config: &CoreConfig) -> u32 {
    1 << 30
        | 1 << 8
        | u32::from(config.isa != Isa::Rv32i) << 12
        | u32::from(config.isa == Isa::Rv32ima)
}

/// What the sequencer is doing, common to all lanes.
#[derive(Clone, Debug, Default)]
pub struct Now {
    pub(super) step: u64,
    pub(super) kind: u64,
    pub(super) warp: usize,
    pub(super) lanes: u64,
    pub(super) number: u16,
    pub(super) op: u64,
    pub(super) writes: bool,
    /// Somebody waits for the value.
    pub(super) wants: bool,
    pub(super) pc: u32,
    pub(super) cause: u32,
    /// Of DECODE: a word in memory or not, which, and its writable bits.
    pub(super) in_memory: bool,
    pub(super) word: u64,
    pub(super) mask: u32,
    /// A counter, and which.
    pub(super) is_counter: bool,
    pub(super) counter: usize,
    pub(super) is_hart: bool,
    /// The counter's value when the instruction came, and what is added to in each lane.
    pub(super) snap: u64,
    pub(super) base: u32,
    /// Somebody's count, half full, went on in the cycle before; it did, and for how long this
    /// has been known.
    pub(super) half: bool,
    /// With a step more in between: somebody's did just now.
    pub(super) full: bool,
    pub(super) urgent: bool,
    pub(super) waited: u64,
    /// There is some `vector`.
    pub(super) sets_vector: bool,
    /// One lane after the other.
    pub(super) turns: Turns,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turns {
    pub at: Turn,
    /// The lanes to come, and the one there is.
    pub rest: u64,
    pub lane: usize,
    /// The one that is picked is the first.
    pub first: bool,
}

/// Where the lanes' turns are. What is common to them happens in `Find` (a sweep: in the `Pick`
/// after it).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Turn {
    /// Nothing to do.
    #[default]
    Rest,
    /// The first of all lanes is chosen. (Later ones are while the one before runs.)
    Find,
    /// The lane that is chosen gets its number, ...
    Pick,
    /// ... its operand and count are fetched, ...
    Aim,
    /// ... and the steps are its own, until there is none.
    Run,
    /// Until the value is taken. Then comes the next lane, ...
    Hand,
    /// ... or all had their turn: until stage 6 sees what was written.
    Tail,
    Late,
}

/// Registers of a lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lane {
    pub(super) operand: u32,
    pub(super) acc: u32,
    /// What memory gave, and what it gave before: that is used.
    pub(super) read: u32,
    pub(super) shown: u32,
    pub(super) carry: bool,
    pub(super) stands: bool,
    /// What was written in the cycle before that stage 7 needs: its place, and what.
    pub(super) vector: Option<(usize, u32)>,
    /// The warp whose instruction may count.
    pub(super) warp: usize,
    /// One lane after the other: what came with the instruction, and the count of then.
    pub(super) came: u32,
    pub(super) kept: u32,
}

/// The count of a thread beside its `minstret`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Bit 2 of `mcountinhibit`.
    pub(super) stands: bool,
    pub(super) value: u32,
}

/// Of a counter in a block of 32 (low or high halves, and their views): its number in it.
pub(super) fn counter_of(number: u16) -> Option<u16> {
    let base = number & !0x9f;
    (base == MCYCLE || base == CYCLE).then_some(number & 31)
}

/// Index of the `x` of a counter: cycle 0, `mhpmcounter3` 1 and so on.
pub(super) fn x_index(n: u16) -> Option<usize> {
    match n {
        0 => Some(0),
        3..=8 => Some(usize::from(n) - 2),
        _ => None,
    }
}

/// The bit of `mcountinhibit` for such an index.
pub(super) fn inhibit_bit(k: usize) -> usize {
    if k == 0 { 0 } else { k + 2 }
}
