//! Finds livelocks for certain: if registers, memory, paths and devices are
//! exactly as they were at an earlier round, they will be so for ever.
//!
//! The state is kept at rounds 2^k and compared with every later one until
//! 2^(k+1), so any period is found once k is large enough. The counters are no
//! part of the state, so a read of one makes it unlike any earlier state: a
//! program that waits for a counter goes on, at worst to the instruction limit.

use super::Engine;
use super::lanes::Row;
use crate::csr::CsrFile;
use crate::path::Path;
use crate::platform::Devices;

/// The first round at which the state is kept.
const FIRST: u64 = 1 << 14;

struct Snapshot<const T: usize> {
    changes: u64,
    counter_reads: u64,
    first: Option<Path>,
    registers: Vec<Box<[Row<T>; 32]>>,
    csrs: Vec<Vec<CsrFile>>,
    paths: Vec<u64>,
    devices: Devices,
    reservations: Vec<Option<u32>>,
}

/// Compares the machine with an earlier state.
pub(super) struct Watchdog<const T: usize> {
    round: u64,
    next: u64,
    kept: Option<Snapshot<T>>,
}

impl<const T: usize> Watchdog<T> {
    pub(super) fn new() -> Self {
        Watchdog { round: 0, next: FIRST, kept: None }
    }

    /// To be called after each round over the warps: is it a livelock?
    #[inline]
    pub(super) fn bites(&mut self, engine: &Engine<'_, T>) -> bool {
        self.round += 1;
        if self.round == self.next {
            self.next *= 2;
            self.kept = Some(Snapshot::of(engine));
            return false;
        }
        self.kept.as_ref().is_some_and(|kept| {
            kept.changes == engine.platform.ram.changes
                && kept.counter_reads == engine.counter_reads
                && kept.first == first(engine)
                && kept.equals(engine)
        })
    }
}

fn first<const T: usize>(engine: &Engine<'_, T>) -> Option<Path> {
    engine.warps.iter().find_map(|w| w.current)
}

fn fingerprint<const T: usize>(engine: &Engine<'_, T>) -> Vec<u64> {
    let mut out = Vec::new();
    for warp in &engine.warps {
        warp.policy.fingerprint(&mut out);
        out.push(u64::MAX);
    }
    out
}

impl<const T: usize> Snapshot<T> {
    fn of(engine: &Engine<'_, T>) -> Self {
        Snapshot {
            changes: engine.platform.ram.changes,
            counter_reads: engine.counter_reads,
            first: first(engine),
            registers: engine.warps.iter().map(|w| w.x.clone()).collect(),
            csrs: engine.warps.iter().map(|w| w.csr.clone()).collect(),
            paths: fingerprint(engine),
            devices: engine.platform.devices.clone(),
            reservations: engine.platform.reservations().to_vec(),
        }
    }

    fn equals(&self, engine: &Engine<'_, T>) -> bool {
        let warps = || engine.warps.iter();
        self.registers.iter().zip(warps()).all(|(x, w)| *x == w.x)
            && self.csrs.iter().zip(warps()).all(|(c, w)| *c == w.csr)
            && self.devices == engine.platform.devices
            && self.reservations == engine.platform.reservations()
            && self.paths == fingerprint(engine)
    }
}
