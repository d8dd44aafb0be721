//! What the CSR file holds, and how counters are numbered.

use crate::config::{CoreConfig, Counters, Isa};
use crate::isa::csr::{CYCLE, CYCLEH, MCYCLE, MCYCLEH};

/// Counters with an `x`: cycle, and the six events.
pub(super) const COUNTERS: usize = 7;
/// Writable bits of `mcountinhibit`.
pub(super) const INHIBIT: u32 = 0b1_1111_1101;
/// The last cycle of a walk: seven reads, two stages, and two cycles until a
/// read cannot meet the last write.
pub(super) const LAST_STEP: u8 = 11;

/// What the options make of the block.
#[derive(Clone, Debug)]
pub struct Build {
    pub(super) warps: usize,
    pub(super) traps: bool,
    pub(super) counters: Counters,
    pub(super) misa: u32,
}

impl Build {
    pub(super) fn new(config: &CoreConfig) -> Build {
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
    pub(super) mie: bool,
    pub(super) mpie: bool,
    /// Word address.
    pub(super) mtvec: u32,
    /// Word address.
    pub(super) mepc: u32,
    pub(super) mscratch: u32,
    pub(super) mcause: u32,
    pub(super) mtval: u32,
    pub(super) inhibit: u32,
    pub(super) split: bool,
    pub(super) instret: u64,
    pub(super) x: [u64; COUNTERS],
}

/// What stage 7 knows of the CSR that a lane reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    pub(super) number: u16,
    pub(super) warp: usize,
    /// Value, of a CSR that is no counter.
    pub(super) word: u32,
    /// Which counter, [`COUNTERS`] for none.
    pub(super) counter: usize,
    pub(super) x: u64,
    pub(super) inhibited: bool,
}

/// The walk over the counters after a write, all lanes in step.
#[derive(Clone, Copy, Debug)]
pub struct Walk<const T: usize> {
    /// 0 at rest, else 1 to [`LAST_STEP`]. Counter `k` is read in step `k + 1`
    /// and written in step `k + 3`.
    pub(super) step: u8,
    /// Per lane the counters to change, and whose.
    pub(super) todo: [(u8, usize); T],
}

impl<const T: usize> Default for Walk<T> {
    fn default() -> Self {
        Walk { step: 0, todo: [(0, 0); T] }
    }
}

impl<const T: usize> Walk<T> {
    pub(super) fn is_reading(&self) -> bool {
        (1..=COUNTERS as u8).contains(&self.step)
    }

    pub(super) fn was_reading(&self) -> bool {
        (2..=COUNTERS as u8 + 1).contains(&self.step)
    }
}

/// Bits of a mask, lowest first.
pub(super) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// The number within a block of counters, and its upper half?
pub(super) fn counter_of(number: u16) -> Option<(u16, bool)> {
    let base = number & !31;
    let high = base == MCYCLEH || base == CYCLEH;
    (high || base == MCYCLE || base == CYCLE).then_some((number & 31, high))
}

/// Index of the `x` of a counter: cycle 0, `mhpmcounter3` 1 and so on.
pub(super) fn x_index(n: u16) -> usize {
    match n {
        0 => 0,
        3..=8 => usize::from(n) - 2,
        _ => COUNTERS,
    }
}

/// The bit of `mcountinhibit` for such an index.
pub(super) fn inhibit_bit(k: usize) -> usize {
    if k == 0 { 0 } else { k + 2 }
}

pub(super) fn half(value: u64, high: bool) -> u32 {
    (if high { value >> 32 } else { value }) as u32
}

pub(super) fn with_half(value: u64, high: bool, word: u32) -> u64 {
    let low = if high { value & 0xffff_ffff } else { u64::from(word) };
    let top = if high { u64::from(word) } else { value >> 32 };
    top << 32 | low
}
