//! Where every thread stands, from the records alone: for the report of a stuck
//! run, for the number of live paths, and to know when all threads are parked.
//! Needs no golden model, so it works with lockstep off.

use super::retire::is_device;
use crate::path::Path;
use crate::platform::Devices;
use crate::record::{Record, lanes};
use crate::report::{WarpReport, group};
use hdl::config::CoreConfig;
use hdl::isa::Op;

struct Warp {
    /// PC and depth by lane.
    at: Vec<(u32, u32)>,
    /// Threads that are not parked.
    live: u64,
    /// Places at which live threads stand.
    places: usize,
    /// Cycle of the last sign of life.
    last: u64,
}

/// All threads.
pub struct Track {
    warps: Vec<Warp>,
    devices: Devices,
}

/// What a record changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Live paths of the warp before it.
    pub paths: usize,
    /// Paths that met because of it.
    pub merges: u32,
}

impl Warp {
    fn mask_at(&self, place: (u32, u32), of: u64) -> u64 {
        lanes(of).filter(|l| self.at[*l] == place).fold(0, |m, l| m | 1 << l)
    }

    fn count(&self, of: u64) -> usize {
        let (mut rest, mut n) = (of, 0);
        while rest != 0 {
            rest &= !self.mask_at(self.at[rest.trailing_zeros() as usize], rest);
            n += 1;
        }
        n
    }
}

impl Track {
    /// After reset.
    pub fn new(config: &CoreConfig) -> Track {
        let warp = |w| {
            let live = config.initial_mask(w);
            let at = vec![(config.reset_pc, 0); config.threads_per_warp as usize];
            Warp { at, live, places: usize::from(live != 0), last: 0 }
        };
        Track { warps: (0..config.warps).map(warp).collect(), devices: Devices::new(config) }
    }

    /// Follows a record of a warp that exists.
    pub fn step(&mut self, r: &Record, op: Op) -> Step {
        let warp = &mut self.warps[r.warp as usize];
        warp.last = r.cycle;
        let paths = warp.places;
        // Threads that have joined the path since stay where they were.
        let stay = if paths > 1 { warp.mask_at((r.path.pc, r.path.depth), warp.live) } else { 0 };
        let staying = usize::from(stay & !r.path.mask != 0);
        for next in [&r.go, &r.other] {
            for lane in lanes(next.mask) {
                warp.at[lane] = (next.pc, next.depth);
            }
        }
        for lane in lanes(r.events.park) {
            warp.at[lane] = (r.path.pc.wrapping_add(4), r.path.depth);
        }
        warp.live &= !r.events.park;
        if op == Op::Wfi {
            // Those with a wake pending lose it and go on.
            self.devices.park(r.warp, r.done);
        }
        let leaving = usize::from(r.go.mask != 0) + usize::from(r.other.mask != 0);
        warp.places = if r.go.mask == warp.live { 1 } else { warp.count(warp.live) };
        warp.places *= usize::from(warp.live != 0);
        let merges = (paths + leaving + staying).saturating_sub(1 + warp.places);
        let mut step = Step { paths, merges: merges as u32 };
        if r.has_access && r.access.write {
            for lane in lanes(r.done).filter(|l| is_device(r.access.addr[*l])) {
                let (addr, data) = (r.access.addr[lane], r.access.data[lane]);
                self.devices.store(addr & !3, data, r.warp, lane as u32);
            }
            step.merges += self.wake(r.cycle);
        }
        step
    }

    fn wake(&mut self, cycle: u64) -> u32 {
        let mut merges = 0;
        while let Some((w, woken)) = self.devices.take_woken() {
            let warp = &mut self.warps[w as usize];
            if warp.live == 0 {
                warp.last = cycle;
            }
            let groups = warp.count(woken);
            let before = warp.places;
            warp.live |= woken;
            warp.places = warp.count(warp.live);
            merges += before + groups - warp.places;
        }
        merges as u32
    }

    /// Is every thread parked?
    pub fn all_parked(&self) -> bool {
        self.warps.iter().all(|w| w.live == 0)
    }

    /// Has the warp a thread that is not parked?
    pub fn is_live(&self, warp: usize) -> bool {
        self.warps[warp].live != 0
    }

    /// The warp with live threads that has been silent longest, and since when.
    pub fn quietest(&self) -> Option<(u32, u64)> {
        let live = self.warps.iter().zip(0..).filter(|(w, _)| w.live != 0);
        live.map(|(w, i)| (i, w.last)).min_by_key(|(_, last)| *last)
    }

    /// Paths and parked threads of every warp, those that run first in front.
    pub fn report(&self, config: &CoreConfig) -> Vec<WarpReport> {
        let warp = |(w, i): (&Warp, u32)| {
            let of = |mask| group(lanes(mask).map(|l| (l, w.at[l].1, w.at[l].0)));
            let mut paths = of(w.live);
            paths.sort_by_key(Path::order);
            let parked = of(config.initial_mask(i) & !w.live);
            WarpReport { warp: i, paths, waiting: 0, parked }
        };
        self.warps.iter().zip(0..).map(warp).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::config::RawConfig;
    use hdl::platform::WAKE;

    fn path(pc: u32, mask: u64) -> Path {
        Path { depth: 0, pc, mask }
    }

    #[test]
    fn paths_part_meet_park_and_wake() {
        let raw = RawConfig {
            threads_per_warp: Some("4".into()),
            warps: Some("1".into()),
            reset_pc: Some("0x80000000".into()),
            ..RawConfig::default()
        };
        let config = raw.validate().unwrap();
        let mut track = Track::new(&config);
        let base = config.reset_pc;
        let mut step = |from: Path, go: Path, other: Path, edit: &dyn Fn(&mut Record)| {
            let mut r = Record { path: from, go, other, done: from.mask, ..Record::default() };
            edit(&mut r);
            let op = if r.events.park != 0 { Op::Wfi } else { Op::Addi };
            let step = track.step(&r, op);
            (step.paths, step.merges, track.all_parked())
        };
        let none = path(0, 0);
        let all = path(base, 15);
        assert_eq!(step(all, path(base + 4, 5), path(base + 8, 10), &|_| ()), (1, 0, false));
        let join = step(path(base + 4, 5), path(base + 8, 5), none, &|_| ());
        assert_eq!(join, (2, 1, false));
        // Two park, two go on; one of these wakes one of those.
        let park = |r: &mut Record| (r.events.park, r.done) = (3, 3);
        assert_eq!(step(path(base + 8, 15), path(base + 12, 12), none, &park), (1, 0, false));
        let wake = |r: &mut Record| {
            (r.has_access, r.access.write, r.done) = (true, true, 4);
            (r.access.addr[2], r.access.data[2]) = (WAKE, 1);
        };
        let woken = step(path(base + 12, 12), path(base + 16, 4), path(base + 12, 8), &wake);
        assert_eq!(woken, (1, 1, false), "the woken one meets the one that replays");
        let rest = |mask| move |r: &mut Record| r.events.park = mask;
        assert_eq!(step(path(base + 12, 9), none, none, &rest(9)), (2, 0, false));
        assert_eq!(step(path(base + 16, 4), none, none, &rest(4)), (1, 0, true));
        let report = track.report(&config);
        assert!(report[0].paths.is_empty());
        let parked: Vec<_> = report[0].parked.iter().map(|p| (p.pc - base, p.mask)).collect();
        assert_eq!(parked, [(16, 9), (12, 2), (20, 4)]);
    }
}
