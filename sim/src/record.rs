//! The retirement record: what one pass of one path did, the same type for
//! every engine. Lanes that a field does not concern hold zero.

use crate::path::Path;

pub use cores::{Lanes, MAX_LANES};

/// What happened to the path, besides the instruction itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Events {
    /// The path split in two that both go on.
    pub diverge: bool,
    /// Paths that merged because of this pass.
    pub merges: u32,
    /// Threads that will execute the instruction again.
    pub replay: u64,
    /// The slot goes on elsewhere than at the next instruction.
    pub redirect: bool,
    /// The instruction was a hint.
    pub hint: bool,
    /// Threads that parked.
    pub park: u64,
    /// The pass woke threads.
    pub wake: bool,
}

/// The memory request of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Does it write? AMO and SC that succeed do.
    pub write: bool,
    /// Byte address per served lane.
    pub addr: Lanes,
    /// The word written, in its place within the aligned word.
    pub data: Lanes,
    /// Byte enables of the write.
    pub enable: [u8; MAX_LANES],
}

impl Default for Access {
    fn default() -> Access {
        Access { write: false, addr: [0; MAX_LANES], data: [0; MAX_LANES], enable: [0; MAX_LANES] }
    }
}

/// One pass.
#[derive(Clone, Debug)]
pub struct Record {
    /// When; records are ordered by (cycle, pipe).
    pub cycle: u64,
    /// Which copy of the vector pipeline.
    pub pipe: u32,
    /// Which warp.
    pub warp: u32,
    /// Which slot of the front-end.
    pub slot: u32,
    /// The path that was issued: PC, depth, lanes.
    pub path: Path,
    /// The instruction word.
    pub insn: u32,
    /// Lanes that completed the instruction.
    pub done: u64,
    /// Lanes that took a trap.
    pub trapped: u64,
    /// Their cause.
    pub cause: u32,
    /// Their `mtval`.
    pub tval: Lanes,
    /// Destination register, 0 for none.
    pub rd: u8,
    /// Values written to it.
    pub rd_values: Lanes,
    /// Memory request, if `has_access`.
    pub access: Access,
    /// Was there a memory request?
    pub has_access: bool,
    /// The leading successor.
    pub go: Path,
    /// The other successor, or the threads to replay.
    pub other: Path,
    /// What happened to the path.
    pub events: Events,
    /// The destination is still outstanding; its values follow.
    pub open: bool,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            cycle: 0,
            pipe: 0,
            warp: 0,
            slot: 0,
            path: Path::default(),
            insn: 0,
            done: 0,
            trapped: 0,
            cause: 0,
            tval: [0; MAX_LANES],
            rd: 0,
            rd_values: [0; MAX_LANES],
            access: Access::default(),
            has_access: false,
            go: Path::default(),
            other: Path::default(),
            events: Events::default(),
            open: false,
        }
    }
}

/// The lanes of a mask, lowest first.
pub fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}
