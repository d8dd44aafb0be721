//! The test bench: the unit, its front-end as it sees it, and a plain array of
//! threads. Every stored path is compared with the array after every cycle.
//!
//! Long, because the front-end it plays has no meaning without the array beside it.

use super::rows::length;
use super::*;
use crate::config::RawConfig;
use crate::divergence::port::PipePort;

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        (self.word() >> 33) % n
    }

    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

pub(super) fn core(t: usize, warps: usize, ccs: &str, cct: &str, harts: usize) -> CoreConfig {
    let text = |s: &str| Some(s.to_string());
    RawConfig {
        threads_per_warp: text(&t.to_string()),
        warps: text(&warps.to_string()),
        ccs: text(ccs),
        cct: text(cct),
        harts: text(&harts.to_string()),
        ..RawConfig::default()
    }
    .validate()
    .unwrap()
}

/// What always redirects.
const FORCED: [u64; 3] = [kind::TRAP, kind::REPLAY, kind::FENCE];

pub(super) const RESET_PC: u64 = 0x2000_0000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Thread {
    key: u64,
    parked: bool,
    exists: bool,
}

pub(super) fn key(depth: u64, pc: u64) -> u64 {
    (!depth & 0xff) << 30 | pc
}

/// What an instruction that hit did.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Outcome {
    pub(super) warp: usize,
    pub(super) kind: u64,
    pub(super) exec: u64,
    pub(super) go: (u64, u64, u64),
    pub(super) other: (u64, u64, u64),
    pub(super) halt: u64,
    pub(super) next: Option<u64>,
}

/// A path that the unit stores.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) place: &'static str,
    pub(super) key: u64,
    pub(super) mask: u64,
    parked: bool,
}

/// Every path that the unit stores of a warp, wherever it is under way.
pub(super) fn inventory<const T: usize>(unit: &Hct<T>, warp: usize) -> Vec<Stored> {
    let mut all = Vec::new();
    let q = &unit.r.q;
    let fresh = !q.started.val() && q.pass_warp.val().index() <= warp;
    let s = &unit.s.q;
    let sorted = s.warp.val().index() == warp;
    let first = sorted && s.start.val();
    let taken = match unit.parallel.first() {
        Some(sort) => &sort.taken.q,
        None => &unit.network[0].taken.q,
    };
    if sorted && s.update.val() {
        // What came in lies nowhere else; of what is refused all are the head.
        let mut put = |place, is: bool, key: U<38>, mask: U<T>, parked| {
            if is {
                all.push(Stored { place, key: key.raw(), mask: mask.raw(), parked });
            }
        };
        let (a, b) =
            ((taken.a_key.val(), taken.a_mask.val()), (taken.b_key.val(), taken.b_mask.val()));
        let refused = s.refused.val();
        put("sorted", taken.a.val() && !refused, a.0, a.1, false);
        put("sorted", taken.b.val() || refused, b.0, b.1, false);
        let parks = taken.park.val() && !refused;
        put("sorted", parks, a.0, taken.park_mask.val(), true);
    } else if first {
        if taken.a.val() {
            let (key, mask) = (taken.a_key.val().raw(), taken.a_mask.val().raw());
            all.push(Stored { place: "reset", key, mask, parked: false });
        }
    } else if q.alive.val().get_bit(warp) {
        let (info, mask) = unit.x.word(warp);
        let key = info.get_bits::<38>(0).raw();
        all.push(Stored { place: "head", key, mask: mask.raw(), parked: false });
    } else if fresh {
        let mask = match warp == unit.part_warp.val().index() {
            true => unit.part_mask.val().raw(),
            false => U::<T>::MAX,
        };
        if unit._alive_at_reset >> warp & 1 != 0 {
            all.push(Stored { place: "reset", key: key(0, RESET_PC), mask, parked: false });
        }
    }
    let (here, second, push) = match unit.cold.first() {
        Some(cold) => {
            let r = &cold.r.q;
            let here = r.valid.val() && r.warp.val().index() == warp;
            let push = (r.push.val(), r.push_key.val(), r.push_mask.val(), r.park.val());
            (here, (r.second.val(), r.second_key.val(), r.second_mask.val()), push)
        }
        None => {
            let r = &unit.rows[0].r.q;
            let here = r.valid.val() && r.warp.val().index() == warp;
            let push = (r.push.val(), r.push_key.val(), r.push_mask.val(), r.park.val());
            (here, (r.second.val(), !r.key_not.val(), r.second_mask.val()), push)
        }
    };
    if here && push.0 {
        let (key, mask, parked) = (push.1.raw(), push.2.raw(), push.3);
        all.push(Stored { place: "cold", key, mask, parked });
    }
    let (key, mask) = match here {
        true => (second.1, second.2),
        false => (!unit.y.word(warp).0.get_bits::<38>(0), unit.y.word(warp).1),
    };
    let waits = !fresh && !first && unit.y.word(warp).0.get_bit(38);
    if if here { second.0 } else { waits } {
        let (key, mask) = (key.raw(), mask.raw());
        all.push(Stored { place: "runner-up", key, mask, parked: false });
    }
    if let Some(cold) = unit.cold.first() {
        // The first pass writes the pointers, a cycle after the head.
        if !(fresh || first || (here && cold.r.q.start.val())) {
            ring(cold, unit.y.word(warp).0.get_bits::<20>(39), warp, &mut all);
        }
    } else if !(fresh || first || (here && unit.rows[0].r.q.start.val())) {
        rows(&unit.rows[0], warp, &mut all);
    }
    all
}

fn ring<const T: usize>(cold: &Cold<T>, ring: U<20>, warp: usize, all: &mut Vec<Stored>) {
    let base = ring.get_bits::<6>(0).index();
    for i in 0..ring.get_bits::<7>(6).index() {
        let (info, mask) = cold.words.word(warp * T + (base + i) % T);
        let (key, parked) = (info.get_bits::<38>(0).raw(), info.get_bit(38));
        let mut mask = mask.raw();
        let waker = &cold.waker.q;
        if i == 0 && waker.split.val() && waker.warp.val().index() == warp {
            mask &= !waker.mask.val().raw();
        }
        all.push(Stored { place: "cold", key, mask, parked });
    }
}

fn rows<const T: usize>(rows: &Rows<T>, warp: usize, all: &mut Vec<Stored>) {
    let length = length(T);
    let (rings, stored) = rows.rings._mem[warp];
    let waker = &rows.waker.q;
    let mut split = waker.split.val() && waker.warp.val().index() == warp;
    let mut paths = 0;
    for (i, words) in rows.words.iter().enumerate() {
        let (base, total) = (rings[i].0.index(), rings[i].1.index());
        assert!(total <= length, "warp {warp}: {total} words in ring {i}");
        for j in 0..total {
            let (info, mask) = words.word(warp * length + (base + j) % length);
            let (key, parked) = (info.get_bits::<38>(0).raw(), info.get_bit(38));
            paths += usize::from(!parked);
            let mut mask = mask.raw();
            // Who goes on of a group is elsewhere already.
            if split && j == 0 && parked && mask & waker.mask.val().raw() != 0 {
                split = false;
                mask &= !waker.mask.val().raw();
            }
            all.push(Stored { place: "cold", key, mask, parked });
        }
    }
    assert_eq!(stored.index(), paths, "warp {warp}");
}

/// Threads of a warp that the unit is about to wake.
fn waking<const T: usize>(unit: &Hct<T>, warp: usize) -> u64 {
    let (waking, of, mask) = match unit.cold.first() {
        Some(cold) => (&cold.waker.q.waking, &cold.waker.q.warp, &cold.waker.q.mask),
        None => {
            let q = &unit.rows[0].waker.q;
            (&q.waking, &q.warp, &q.mask)
        }
    };
    if waking.val() && of.val().index() == warp { mask.val().raw() } else { 0 }
}

/// The unit, the front-end as it sees it, and the threads.
pub(super) struct Bench<const T: usize> {
    pub(super) unit: Hct<T>,
    threads: Vec<Vec<Thread>>,
    /// Per warp: does the front-end hold a path, where, in which epoch?
    pub(super) front: Vec<(bool, u64, u64)>,
    dead_for: Vec<u64>,
    pub(super) most_paths: usize,
    /// Better runner-ups that took the place of a head nobody looked up.
    pub(super) swaps: usize,
    pub(super) longest_dead: u64,
    /// A wake that the unit has not taken yet.
    pub(super) wake: Option<(usize, u64)>,
    /// The update of the cycle before: its redirect comes in this one.
    last: Option<Outcome>,
}

impl<const T: usize> Bench<T> {
    pub(super) fn new(config: &CoreConfig) -> Bench<T> {
        let mut unit = Hct::new(config);
        unit.power_up();
        let threads = (0..config.warps).map(|w| {
            let mask = config.initial_mask(w);
            let thread =
                |i| Thread { key: key(0, RESET_PC), parked: false, exists: mask >> i & 1 != 0 };
            (0..T).map(thread).collect()
        });
        let alive = unit.alive_at_reset(0);
        let front = (0..config.warps).map(|w| (alive >> w & 1 != 0, RESET_PC, 0));
        let warps = config.warps as usize;
        let mut bench = Bench {
            threads: threads.collect(),
            front: front.collect(),
            dead_for: vec![0; warps],
            most_paths: 0,
            swaps: 0,
            longest_dead: 0,
            wake: None,
            last: None,
            unit,
        };
        // Nobody is asked for before the last head is written.
        // Nobody is asked for before the last head is written.
        for _ in 0..=warps {
            bench.step(None, None, None, None);
        }
        bench
    }

    fn pipe(&mut self) -> &mut PipePort<T> {
        &mut self.unit.port.port.pipe[0]
    }

    fn threads_where(&self, warp: usize, f: impl Fn(&Thread) -> bool) -> u64 {
        let set = self.threads[warp].iter().enumerate().filter(|(_, t)| t.exists && f(t));
        set.fold(0, |mask, (i, _)| mask | 1 << i)
    }

    pub(super) fn parked(&self, warp: usize) -> u64 {
        self.threads_where(warp, |t| t.parked)
    }

    pub(super) fn live(&self, warp: usize) -> u64 {
        self.threads_where(warp, |t| !t.parked)
    }

    /// Depth and PC of a thread.
    pub(super) fn place(&self, warp: usize, thread: usize) -> (u64, u64) {
        let key = self.threads[warp][thread].key;
        (!(key >> 30) & 0xff, key & 0x3fff_ffff)
    }

    fn set_update(&mut self, update: Option<Outcome>) {
        let p = self.pipe();
        p.update.next = update.is_some();
        let o = update.unwrap_or_default();
        p.up_warp.next = (o.warp as u64).into();
        p.up_kind.next = o.kind.into();
        p.exec_mask.next = o.exec.into();
        p.go_mask.next = o.go.0.into();
        p.go_pc.next = o.go.1.into();
        p.go_depth.next = o.go.2.into();
        p.other_mask.next = o.other.0.into();
        p.other_pc.next = o.other.1.into();
        p.other_depth.next = o.other.2.into();
        p.halt_mask.next = o.halt.into();
        p.predicted.next = o.next.is_some();
        p.next_pc.next = o.next.unwrap_or(0).into();
        p.splits.next = o.other.0 != 0;
        // A replay may be known late: then what else is said does not count.
        let mut random = Random::new(o.go.1 ^ o.exec << 17 ^ o.next.unwrap_or(0) << 34);
        let refused = o.kind == kind::REPLAY && random.chance(70);
        p.refused.next = refused;
        if refused {
            p.up_kind.next = if random.chance(30) { kind::HALT } else { kind::PLAIN }.into();
            p.go_mask.next = (random.word() & o.exec).into();
            p.splits.next = random.chance(50);
            p.halt_mask.next = (random.word() & o.exec).into();
        }
    }

    /// An update and what comes of it, then a lookup (warp, PC, epoch). Returns the mask of
    /// a hit.
    pub(super) fn cycle(
        &mut self,
        update: Option<Outcome>,
        look: Option<(usize, u64, u64)>,
        wake: Option<(usize, u64)>,
    ) -> Option<u64> {
        self.step(update, None, None, wake);
        if update.is_some() {
            self.step(None, None, None, None);
        }
        let (warp, ..) = look?;
        self.step(None, None, Some(warp), None);
        self.step(None, look, None, None)
    }

    /// One cycle: an update, a lookup, the warp of the next one, a wake. Checks
    /// everything that can be seen.
    pub(super) fn step(
        &mut self,
        update: Option<Outcome>,
        look: Option<(usize, u64, u64)>,
        soon: Option<usize>,
        wake: Option<(usize, u64)>,
    ) -> Option<u64> {
        self.set_update(update);
        let p = self.pipe();
        p.soon.next = soon.is_some();
        p.soon_warp.next = (soon.unwrap_or(0) as u64).into();
        p.look.next = look.is_some();
        let (warp, pc, epoch) = look.unwrap_or_default();
        p.look_warp.next = (warp as u64).into();
        p.look_pc.next = pc.into();
        p.look_epoch.next = epoch.into();
        assert!(wake.is_none() || self.wake.is_none());
        self.wake = self.wake.or(wake);
        let (wake_warp, mut wake_mask) = self.wake.unwrap_or_default();
        let io = &mut self.unit.port.port.io;
        io.wake.next = wake_mask != 0;
        io.wake_warp.next = (wake_warp as u64).into();
        io.wake_mask.next = wake_mask.into();
        self.unit.settle();
        match self.unit.port.io.wake_ready.val() {
            true => self.wake = None,
            false => wake_mask = 0,
        }

        // The threads after this cycle.
        if let Some(o) = update {
            let mut set = |mask: u64, depth: u64, pc: u64, parked: bool| {
                for i in 0..T {
                    if mask >> i & 1 != 0 {
                        let t = &mut self.threads[o.warp][i];
                        (t.key, t.parked) = (key(depth, pc), parked);
                    }
                }
            };
            set(o.go.0, o.go.2, o.go.1, false);
            set(o.other.0, o.other.2, o.other.1, false);
            set(o.halt, o.go.2, o.go.1, true);
        }
        for i in 0..T {
            if wake_mask >> i & 1 != 0 {
                assert!(self.threads[wake_warp][i].parked, "driver wakes a running thread");
                self.threads[wake_warp][i].parked = false;
            }
        }

        // Redirects, of the update of the cycle before.
        let last = std::mem::replace(&mut self.last, update);
        let r = &self.unit.port.port.redirect[0];
        let moved = r
            .valid
            .val()
            .then(|| (r.warp.val().index(), r.alive.val(), r.pc.val().raw(), r.epoch.val().raw()));
        assert!(r.slot.val() == 0 && r.from.val() == 1);
        if let Some((w, alive, pc, epoch)) = moved {
            let (was_alive, _, old) = self.front[w];
            assert_eq!(epoch, (old + 1) % 16, "epoch of warp {w}");
            if was_alive && last.is_none_or(|o| o.warp != w) {
                // The runner-up was better and nobody was looking.
                assert!(
                    last.is_none() && look.is_none_or(|l| l.0 != w) && soon != Some(w) && alive
                );
                let paths = inventory(&self.unit, w);
                let key = |place| paths.iter().find(|p| p.place == place).expect("a path").key;
                assert!(key("runner-up") < key("head") && key("runner-up") & 0x3fff_ffff == pc);
                self.swaps += 1;
            }
            if alive {
                assert!(self.threads_where(w, |t| !t.parked && t.key & 0x3fff_ffff == pc) != 0);
            }
            self.front[w] = (alive, pc, epoch);
        }
        if let Some(o) = last
            && moved.is_none_or(|m| m.0 != o.warp)
        {
            assert!(!FORCED.contains(&o.kind));
            self.front[o.warp].1 = o.next.expect("no redirect though the front-end waits");
        }
        if let (Some(o), Some((w, true, pc, _))) = (last, moved) {
            assert!(w != o.warp || o.next != Some(pc) || FORCED.contains(&o.kind));
        }

        // The lookup.
        let p = &self.unit.port.port.pipe[0];
        let hit = p.hit.val().then(|| (p.mask.val().raw(), p.depth.val().raw()));
        let current = look.is_some() && self.front[warp] == (true, pc, epoch);
        assert_eq!(hit.is_some(), current, "hit of {look:?}, front-end at {:?}", self.front[warp]);
        if let Some((mask, depth)) = hit {
            let here = self.threads_where(warp, |t| !t.parked && t.key == key(depth, pc));
            assert!(mask != 0 && mask & !here == 0, "{mask:x} at {pc:x}.{depth}, are {here:x}");
        }
        assert!(p.owner.val().all() && self.unit.port.port.io.busy.val() == 0);

        self.unit.tick();
        for w in 0..self.threads.len() {
            self.check(w);
        }
        hit.map(|h| h.0)
    }

    /// Each thread is in exactly one path, and in the right one.
    fn check(&mut self, warp: usize) {
        let paths = inventory(&self.unit, warp);
        let waking = waking(&self.unit, warp);
        let mut seen = 0;
        for path in &paths {
            assert!(path.mask != 0 && path.mask & seen == 0, "warp {warp}: {paths:x?}");
            seen |= path.mask;
            for (i, t) in self.threads[warp].iter().enumerate() {
                if path.mask >> i & 1 != 0 {
                    assert!(t.exists && t.key == path.key, "warp {warp} thread {i}: {paths:x?}");
                    assert_eq!(t.parked, path.parked && waking >> i & 1 == 0);
                }
            }
        }
        assert_eq!(seen, self.threads_where(warp, |_| true), "warp {warp}: {paths:x?}");
        assert!(paths.len() <= T);
        let cold = paths.iter().filter(|p| p.place == "cold").count();
        self.most_paths = self.most_paths.max(paths.len());
        assert!(cold <= T - (paths.len() - cold));
        if self.last.is_none_or(|o| o.warp != warp) {
            let head = paths.iter().any(|p| ["head", "reset"].contains(&p.place));
            assert_eq!(self.front[warp].0, head);
        }
        match self.front[warp].0 || self.live(warp) == 0 {
            true => self.dead_for[warp] = 0,
            false => self.dead_for[warp] += 1,
        }
        self.longest_dead = self.longest_dead.max(self.dead_for[warp]);
    }
}
