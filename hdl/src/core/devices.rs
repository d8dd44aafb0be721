//! The device window: parked threads, wake register, barrier (stage 8,
//! `docs/platform.md`).
//!
//! All state is a bit per hart, numbered as `mhartid`. A store acts on all of
//! it at once; whom it wakes is found out in the cycle after it, and these threads are
//! then handed to the divergence unit one warp per cycle that it takes one. Until all of
//! them are, the window is busy. So it is in the cycle after a store to the barrier's count, in
//! which it is found out whether the barrier is full, or lacks one.

use crate::config::CoreConfig;
use crate::platform as map;
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, fresh_vec};

#[cfg(test)]
mod tests;
mod verilog;

block! {
    /// Never both an access and a `wfi` in one cycle: the access would have no effect. Neither
    /// while it is busy.
    pub struct Devices [const T: usize] [T] fn new(config: &CoreConfig, pipes: usize, ahead: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// A load or store is performed in this cycle...
            pub access: Signal<In, Bit>,
            /// ... which is a store...
            pub write: Signal<In, Bit>,
            /// ... of this word of the window.
            pub offset: Signal<In, U<7>>,
            pub data: Signal<In, U<32>>,
            /// Whose access or `wfi`.
            pub warp: Signal<In, U<5>>,
            /// See `warp`.
            pub lane: Signal<In, U<6>>,
            /// Threads of `warp` execute `wfi`...
            pub park: Signal<In, Bit>,
            /// ... namely these, none of which has parked already.
            pub park_mask: Signal<In, U<T>>,
            /// The pipe that this comes from.
            pub pipe: Signal<In, U<3>>,
            /// Per pipe: whose access or `wfi` may come in the next cycle.
            pub soon_warp: Vec<Signal<In, U<5>>> = fresh_vec(pipes),
            /// In beats: and its lane.
            pub soon_lane: Vec<Signal<In, U<6>>> = fresh_vec(usize::from(config.beats() > 1)),
            /// The unit takes the wake of this cycle.
            pub wake_ready: Signal<In, Bit>,
        }
        output {
            /// Threads of `soon_warp` in the cycle before who would not park.
            pub waits: Vec<Signal<Out, U<T>>> = fresh_vec(pipes),
            /// Wakes are still on their way to the divergence unit, or a store in the cycle
            /// before could have woken somebody, or was to the barrier's count.
            pub busy: Signal<Out, Bit>,
            /// What a load of `offset` gives.
            pub value: Signal<Out, U<32>>,
            /// This access wakes parked threads.
            pub wakes: Signal<Out, Bit>,
            /// Threads go on...
            pub wake: Signal<Out, Bit>,
            /// ... of this warp...
            pub wake_warp: Signal<Out, U<5>>,
            /// ... namely these.
            pub wake_mask: Signal<Out, U<T>>,
        }
        plain {
            /// Constants of the window, by word.
            pub _info: [(u32, u32); 4] = [
                (map::INFO_HARTS, config.harts),
                (map::INFO_LANES, config.threads_per_warp),
                (map::INFO_WARPS, config.warps),
                (map::INFO_RAM_SIZE, config.ram_size),
            ],
            pub _harts: u32 = config.harts,
            pub _sets: Sets = Sets::new(config),
            /// Who has arrived is looked up a cycle before it is needed, for `soon_warp`: more
            /// registers, less time.
            pub _ahead: bool = ahead,
            /// What was looked up, per pipe; in beats of `soon_lane` only.
            pub _arrived: Vec<u64> = vec![0; pipes],
        }
    }
}

/// A mask of lanes per warp for each property of a hart.
#[derive(Clone, Debug)]
pub struct Sets {
    alive: Vec<u64>,
    parked: Vec<u64>,
    pending: Vec<u64>,
    arrived: Vec<u64>,
    /// Woken, and the unit does not know yet.
    waking: Vec<u64>,
    /// The warp among them that the unit is told of next.
    next: Option<usize>,
    /// A store in the cycle before could wake harts: those of a register of the window, with
    /// the bits that it wrote, or without one all that have arrived.
    due: Option<Option<(u32, u32)>>,
    arrivals: u32,
    barrier_count: u32,
    /// The next arrival, or that of a hart that has not arrived yet, lets them go.
    full: bool,
    last: bool,
    /// `barrier_count` was written in the cycle before.
    recount: bool,
}

impl Sets {
    fn new(config: &CoreConfig) -> Sets {
        let none = vec![0; config.warps as usize];
        Sets {
            alive: (0..config.warps).map(|w| config.initial_mask(w)).collect(),
            parked: none.clone(),
            pending: none.clone(),
            arrived: none.clone(),
            waking: none,
            next: None,
            due: None,
            arrivals: 0,
            barrier_count: config.harts,
            full: false,
            last: config.harts <= 1,
            recount: false,
        }
    }

    fn reset(&mut self, harts: u32) {
        for set in [&mut self.parked, &mut self.pending, &mut self.arrived, &mut self.waking] {
            set.fill(0);
        }
        self.next = None;
        self.due = None;
        self.arrivals = 0;
        self.barrier_count = harts;
        self.full = false;
        self.last = harts <= 1;
        self.recount = false;
    }
}

/// The word of the window that an address names.
fn word_of(address: u32) -> u32 {
    (address - map::DEVICE_BASE) / 4
}

impl<const T: usize> Devices<T> {
    fn stores(&self) -> bool {
        self.access.val() && self.write.val() && !self.park.val()
    }

    /// The store of this cycle could wake harts, see [`Sets::due`].
    fn could_wake(&self) -> Option<Option<(u32, u32)>> {
        let offset = self.offset.val().low();
        if !self.stores() || offset > word_of(map::BARRIER_ARRIVE) {
            return None;
        }
        if offset < word_of(map::BARRIER_ARRIVE) {
            return Some(Some((offset, self.data.val().low())));
        }
        (self._sets.full || (self._sets.last && self.is_new())).then_some(None)
    }

    /// The hart that accesses has not arrived.
    fn is_new(&self) -> bool {
        let (warp, me) = self.me();
        let pipe = self.pipe.val().index().min(self._arrived.len() - 1);
        let arrived = if self._ahead { self._arrived[pipe] } else { self._sets.arrived[warp] };
        arrived & me == 0
    }

    /// `(warp, mask)` for the harts that such a store wakes if they are alive.
    fn targets(&self, due: Option<Option<(u32, u32)>>) -> Vec<(usize, u64)> {
        let warps = self._sets.alive.len();
        let (offset, data) = match due {
            None => return Vec::new(),
            Some(None) => return self._sets.arrived.iter().copied().enumerate().collect(),
            Some(Some((offset, data))) => (offset, u64::from(data)),
        };
        let first = 32 * offset as usize;
        if T == 64 {
            return Vec::from_iter(
                (first / 64 < warps).then(|| (first / 64, data << (first % 64))),
            );
        }
        let part = |k: usize| data >> (k * T) & U::<T>::MAX;
        let touched = (0..32 / T).map(|k| (first / T + k, part(k)));
        touched.filter(|(w, m)| *w < warps && *m != 0).collect()
    }

    /// Warp and mask of the hart that accesses.
    fn me(&self) -> (usize, u64) {
        let warp = self.warp.val().index() % self._sets.alive.len();
        (warp, 1 << (self.lane.val().index() % T))
    }

    /// Threads of `warp` that park in this cycle, if any do.
    fn parking(&self) -> u64 {
        self.park_mask.val().raw() & !self._sets.pending[self.me().0]
    }

    fn load(&self) -> u32 {
        let offset = self.offset.val().low();
        let sets = &self._sets;
        if offset < word_of(map::BARRIER_ARRIVE) {
            let first = 32 * offset as usize;
            if T == 64 {
                return sets.parked.get(first / 64).map_or(0, |m| (m >> (first % 64)) as u32);
            }
            let part = |k: usize| sets.parked.get(first / T + k).map_or(0, |m| m << (k * T));
            return (0..32 / T).fold(0, |word, k| word | part(k)) as u32;
        }
        if offset == word_of(map::BARRIER_ARRIVE) {
            return sets.arrivals;
        }
        if offset == word_of(map::BARRIER_COUNT) {
            return sets.barrier_count;
        }
        let named = self._info.iter().find(|(address, _)| word_of(*address) == offset);
        named.map_or(0, |(_, value)| *value)
    }

    fn clocked(&mut self) {
        // What went to the unit in this cycle is out; the next warp follows.
        if !self.wake.val() || self.wake_ready.val() {
            let sets = &mut self._sets;
            let next = sets.next;
            let others = |(w, mask): (usize, &u64)| *mask != 0 && next != Some(w);
            sets.next = sets.waking.iter().enumerate().position(others);
            let mask = next.map_or(0, |w| std::mem::take(&mut sets.waking[w]));
            self.wake.next = next.is_some();
            if let Some(warp) = next {
                self.wake_warp.next = (warp as u64).into();
                self.wake_mask.next = mask.into();
            }
        }

        let due = self.could_wake();
        let arrives = self.stores() && self.offset.val().low() == word_of(map::BARRIER_ARRIVE);
        let is_new = self.is_new();
        for p in 0..self.waits.len() {
            let warp = self.soon_warp[p].val().index() % self._sets.alive.len();
            self.waits[p].next = self._sets.pending[warp].into();
            let (mine, me) = self.me();
            let more = if arrives && mine == warp { me } else { 0 };
            self._arrived[p] = self._sets.arrived[warp] | more;
            if let Some(lane) = self.soon_lane.first() {
                let arrived = self._arrived[p] >> (lane.val().index() % T) & 1;
                self._arrived[p] = if arrived == 1 { u64::MAX } else { 0 };
            }
        }
        // Who is woken by the store of the cycle before, and who parks.
        let was_due = self._sets.due;
        let (targets, parking, (warp, _)) = (self.targets(was_due), self.parking(), self.me());
        let sets = &mut self._sets;
        if self.park.val() {
            sets.pending[warp] &= !self.park_mask.val().raw();
        }
        for (w, mask) in targets {
            let mask = mask & sets.alive[w];
            let woken = mask & sets.parked[w];
            sets.pending[w] |= mask & !woken;
            sets.parked[w] &= !woken;
            sets.waking[w] |= woken;
        }
        if self.park.val() {
            sets.parked[warp] |= parking & sets.alive[warp];
        }
        if was_due == Some(None) {
            self._sets.arrived.fill(0);
        }
        let store = self.stores();
        let offset = self.offset.val().low();
        let (warp, me) = self.me();
        let sets = &mut self._sets;
        let lacks = |n: u32| sets.arrivals + n >= sets.barrier_count;
        if arrives {
            (sets.full, sets.last) = match due {
                None => (false, if is_new { lacks(2) } else { sets.last }),
                Some(_) => (sets.barrier_count == 0, sets.barrier_count <= 1),
            };
            sets.arrivals = match due {
                None => sets.arrivals + u32::from(is_new),
                Some(_) => 0,
            };
            sets.arrived[warp] |= me;
        } else if sets.recount {
            (sets.full, sets.last) = (lacks(0), lacks(1));
        }
        let recount = store && offset == word_of(map::BARRIER_COUNT);
        if recount {
            sets.barrier_count = self.data.val().low();
        }
        sets.recount = recount;
        self._sets.due = due;
        if self.reset.val() {
            self._sets.reset(self._harts);
            self.wake.next = false;
        }
        self.busy.next = !self.reset.val()
            && (due.is_some()
                || recount
                || was_due.is_some()
                || self.wake.val()
                || self._sets.waking.iter().any(|m| *m != 0));
    }
}

impl<const T: usize> Logic for Devices<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            self.clocked();
        }
        self.value.next = u64::from(self.load()).into();
        // An arrival wakes the one that arrives, too.
        let (sets, due) = (&self._sets, self.could_wake());
        let me = if due == Some(None) { self.me() } else { (0, 0) };
        let wakes = |(w, mask): (usize, u64)| mask & sets.alive[w] & sets.parked[w] != 0;
        self.wakes.next = wakes(me) || self.targets(due).into_iter().any(wakes);
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(verilog::text(T, self.waits.len(), self))
    }
}
