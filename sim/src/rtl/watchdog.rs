//! Finds livelocks of hardware in lockstep. Cycles differ from round to round,
//! so the emulator's comparison of the whole machine does not apply; but while
//! memory, devices and counters say the same all the time, a warp's future
//! follows from its own state. If then every live warp comes back to a state it
//! was in, again and again, nobody will ever do anything new.
//!
//! A change of memory, a wake, a store to a device or the read of a counter
//! starts the watch anew. Successful SCs that store what was there do not; so a
//! warp has to come back many times.

use crate::csr;
use crate::golden::{Effects, Hart, Model};
use crate::record::Record;
use crate::rtl::track::Track;
use hdl::isa::Op;

/// Records without a change before states are kept at all.
const QUIET: u64 = 2048;
/// Times that every live warp must have come back.
const RETURNS: u32 = 32;

/// A warp's state just after some pass.
struct Anchor {
    pc: u32,
    mask: u64,
    harts: Vec<Hart>,
    reservations: Vec<Option<u32>>,
    returns: u32,
}

/// Watches for states that come back.
pub struct Watchdog {
    changes: u64,
    quiet: u64,
    /// States are kept again after this many quiet records.
    renew: u64,
    anchors: Vec<Option<Anchor>>,
    /// Warps whose anchor has returned often enough.
    settled: usize,
}

impl Watchdog {
    /// For `warps` warps.
    pub fn new(warps: usize) -> Watchdog {
        let anchors = (0..warps).map(|_| None).collect();
        Watchdog { changes: 0, quiet: 0, renew: QUIET, anchors, settled: 0 }
    }

    fn restart(&mut self, changes: u64) {
        self.changes = changes;
        self.quiet = 0;
        self.renew = QUIET;
        if self.anchors.iter().any(Option::is_some) {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.anchors.iter_mut().for_each(|a| *a = None);
        self.settled = 0;
    }

    /// To be called after each checked record: is it a livelock?
    pub fn bites(&mut self, r: &Record, effects: &Effects, model: &Model, track: &Track) -> bool {
        let changes = model.platform.ram.changes;
        let device = r.has_access && r.access.write && super::retire::is_device(leader_addr(r));
        if changes != self.changes || device || effects.parked != 0 || reads_counter(effects) {
            self.restart(changes);
            return false;
        }
        self.quiet += 1;
        if self.quiet < QUIET {
            return false;
        }
        if self.quiet >= self.renew {
            self.renew *= 2;
            self.forget();
        }
        let threads = model.config.threads_per_warp as usize;
        let first = r.warp as usize * threads;
        let harts = &model.harts[first..first + threads];
        let reservations = &model.platform.reservations()[first..first + threads];
        match &mut self.anchors[r.warp as usize] {
            empty @ None => {
                *empty = Some(Anchor {
                    pc: r.path.pc,
                    mask: r.path.mask,
                    harts: harts.to_vec(),
                    reservations: reservations.to_vec(),
                    returns: 0,
                });
                false
            }
            Some(a) => {
                let same = a.pc == r.path.pc
                    && a.mask == r.path.mask
                    && a.reservations == reservations
                    && a.harts.iter().zip(harts).all(|(a, b)| same_state(a, b));
                if !same {
                    return false;
                }
                a.returns += 1;
                if a.returns != RETURNS {
                    return false;
                }
                self.settled += 1;
                let live = (0..self.anchors.len()).filter(|w| track.is_live(*w)).count();
                self.settled >= live
            }
        }
    }
}

fn leader_addr(r: &Record) -> u32 {
    r.access.addr[r.done.trailing_zeros() as usize % r.access.addr.len()]
}

/// All but what only counts.
fn same_state(a: &Hart, b: &Hart) -> bool {
    a.pc == b.pc && a.x == b.x && a.depth == b.depth && a.csr == b.csr && a.parked == b.parked
}

fn reads_counter(effects: &Effects) -> bool {
    let insn = &effects.insn;
    let csr = matches!(insn.op, Op::Csrrw | Op::Csrrs | Op::Csrrc)
        || matches!(insn.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
    csr && insn.rd != 0 && csr::is_counter(insn.imm as u16)
}
