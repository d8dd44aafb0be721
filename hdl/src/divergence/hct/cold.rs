//! The cold context table: per warp a ring of T paths, and the machine that
//! takes the best of them to the runner-up place.
//!
//! The update pushes up to two paths at the tail: an overflow and a group that
//! parks. The machine visits the oldest path of a warp and compares it with the
//! runner-up: a better one is exchanged for it, an equal one merges with it, an
//! empty place takes it, any other goes back to the tail. So nothing is ever
//! removed from the middle, and a visit is one read, one decision and at most
//! two writes in one cycle. It yields to updates that push or change a
//! runner-up, so that no path can be lost or duplicated.
//!
//! - `paper`: one visit per warp in turn, for ever.
//! - `urgent`: the same, but warps whose runner-up got worse are *urgent*: seven of
//!   eight visits are theirs, one each in turn, until a path was better or all have
//!   been seen. (Urgent warps in turn and not one after the other: the first better
//!   path is nearly as good as the best, and the others need theirs as soon.)
//!
//! A path carries the *epoch* of its warp at its last visit, one bit that changes
//! when the runner-up gets worse: a path of this epoch has been seen since.
//!
//! Parked groups live in the ring too. A visit splits off the threads to wake.
//! The ring has two banks by parity of the index: two pushes in one cycle. (One
//! file: decision, push and next read are one cycle's work on the same words.)
//!
//! ```text
//! cycle 1   address = head of the next warp
//! cycle 2   path of warp `turn` there: decide; write tail, head, count, runner-up
//! ```

use super::path::{PathIn, PathOut};
use crate::rtl::prelude::*;

regs! {
    /// The machine.
    pub struct Turn [] [] / TurnD, TurnQ {
        turn: U<5> = 0,
        /// The warp whose turn it is when none is urgent.
        slow: U<5> = 0,
        /// Counts visits.
        beat: U<3> = 0,
        ready: Bit = false,
        urgent: U<32> = 0,
        epoch: U<32> = 0,
        waited: U<4> = 0,
    }
}

block! {
    /// See the file.
    pub struct Cold [const T: usize] [T] fn new(warps: usize, paper: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// An update of this warp, or head and runner-up change places.
            pub update: Signal<In, Bit>,
            pub up_warp: Signal<In, U<5>>,
            /// It pushes (valid only with `update`)...
            pub overflow: PathIn<T>,
            /// ... and parks.
            pub park: PathIn<T>,
            /// The runner-up of `up_warp` gets worse.
            pub worse: Signal<In, Bit>,
            /// A runner-up is written otherwise in this cycle.
            pub hold: Signal<In, Bit>,
            pub wake: Signal<In, Bit>,
            pub wake_warp: Signal<In, U<5>>,
            pub wake_mask: Signal<In, U<T>>,
            /// Runner-up of `turn`.
            pub second: PathIn<T>,
            /// `turn` has no head.
            pub headless: Signal<In, Bit>,
        }
        output {
            /// The warp that is visited.
            pub turn: Signal<Out, U<5>>,
            /// Its new runner-up, if valid.
            pub better: PathOut<T>,
            /// It is the old one and a path that has met it.
            pub met: Signal<Out, Bit>,
            /// Its runner-up becomes its head (never with `update`).
            pub promote: Signal<Out, Bit>,
            /// A promotion waits for a cycle without update for too long.
            pub starved: Signal<Out, Bit>,
        }
        local {
            head: Signal<Local, U<6>>,
            count: Signal<Local, U<7>>,
            odd: Signal<Local, Bit>,
            info: Signal<Local, U<40>>,
            mask: Signal<Local, U<T>>,
            key: Signal<Local, U<38>>,
            parked: Signal<Local, Bit>,
            woken: Signal<Local, U<T>>,
            rest: Signal<Local, U<T>>,
            live_mask: Signal<Local, U<T>>,
            live: Signal<Local, Bit>,
            asleep: Signal<Local, Bit>,
            pushing: Signal<Local, Bit>,
            call: Signal<Local, Bit>,
            step: Signal<Local, Bit>,
            haste: Signal<Local, Bit>,
            now: Signal<Local, Bit>,
            seen: Signal<Local, Bit>,
            calm: Signal<Local, Bit>,
            worse_bit: Signal<Local, U<32>>,
            set: Signal<Local, U<32>>,
            old: Signal<Local, Bit>,
            visit: Signal<Local, Bit>,
            equal: Signal<Local, Bit>,
            take: Signal<Local, Bit>,
            back: Signal<Local, Bit>,
            next_turn: Signal<Local, U<5>>,
            wrap_turn: Signal<Local, U<5>>,
            found: Signal<Local, Bit>,
            found_turn: Signal<Local, U<5>>,
            above: Signal<Local, Bit>,
            above_turn: Signal<Local, U<5>>,
            clear: Signal<Local, U<32>>,
            head_next: Signal<Local, U<6>>,
            head_after: Signal<Local, U<6>>,
            head_read: Signal<Local, U<6>>,
            read_address: Signal<Local, U<16>>,
            w_warp: Signal<Local, U<5>>,
            w_head: Signal<Local, U<6>>,
            w_count: Signal<Local, U<7>>,
            w_new_count: Signal<Local, U<7>>,
            tail: Signal<Local, U<7>>,
            tail_after: Signal<Local, U<7>>,
            tail_odd: Signal<Local, Bit>,
            one: Signal<Local, Bit>,
            two: Signal<Local, Bit>,
            one_info: Signal<Local, U<40>>,
            one_mask: Signal<Local, U<T>>,
            two_info: Signal<Local, U<40>>,
            two_mask: Signal<Local, U<T>>,
            one_address: Signal<Local, U<16>>,
            two_address: Signal<Local, U<16>>,
            hazard: Signal<Local, Bit>,
            pending: Signal<Local, U<T>>,
            waking: Signal<Local, U<T>>,
        }
        part {
            r: Turn = Turn::new(),
            pub(super) heads: Table<6> = Table::new(warps, 3, 1, 0),
            pub(super) counts: Table<7> = Table::new(warps, 2, 1, 0),
            pub(super) wakes: Table<T> = Table::new(warps, 2, 2, 0),
            pub(super) infos: Vec<Ram<40>> = banks::<T, 40>(warps),
            pub(super) masks: Vec<Ram<T>> = banks::<T, T>(warps),
            paper: Constant<Bit> = Constant::new(paper),
            // Masks that tell synthesis which bits can be set.
            most: Constant<U<7>> = Constant::new(U::new(2 * T as u64 - 1)),
            last: Constant<U<7>> = Constant::new(U::new(T as u64 - 1)),
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            shift: Constant<U<4>> = Constant::new(U::new(bank_words::<T>().ilog2().into())),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
        }
        plain { pub _warps: usize = warps, }
    }
}

/// Words of a bank that belong to one warp.
fn bank_words<const T: usize>() -> usize {
    (T / 2).max(1)
}

fn banks<const T: usize, const N: usize>(warps: usize) -> Vec<Ram<N>> {
    (0..2).map(|_| Ram::new(warps * bank_words::<T>())).collect()
}

impl<const T: usize> Logic for Cold<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.reset.next = self.reset.val();
        self.heads.clock.next = self.clock.val();
        self.heads.reset.next = self.reset.val();
        self.counts.clock.next = self.clock.val();
        self.counts.reset.next = self.reset.val();
        self.wakes.clock.next = self.clock.val();
        self.wakes.reset.next = self.reset.val();
        for b in 0..2 {
            self.infos[b].clock.next = self.clock.val();
            self.masks[b].clock.next = self.clock.val();
        }

        // The oldest path of the warp whose turn it is.
        self.turn.next = self.r.q.turn.val();
        self.heads.read_address[1].next = self.r.q.turn.val().to_bits::<8>();
        self.counts.read_address[1].next = self.r.q.turn.val().to_bits::<8>();
        self.wakes.read_address[1].next = self.r.q.turn.val().to_bits::<8>();
        self.head.next = self.heads.read_data[1].val();
        self.count.next = self.counts.read_data[1].val();
        self.odd.next = self.head.val().get_bit(0);
        self.info.next = self.infos[0].read_data.val();
        self.mask.next = self.masks[0].read_data.val();
        if self.odd.val() {
            self.info.next = self.infos[1].read_data.val();
            self.mask.next = self.masks[1].read_data.val();
        }
        self.key.next = self.info.val().get_bits::<38>(0);
        self.parked.next = self.info.val().get_bit(38);
        self.woken.next = self.mask.val() & self.wakes.read_data[1].val();
        self.rest.next = self.mask.val() & !self.wakes.read_data[1].val();
        self.live_mask.next = self.mask.val();
        self.live.next = true;
        self.asleep.next = false;
        if self.parked.val() {
            self.live_mask.next = self.woken.val();
            self.live.next = self.woken.val().any();
            self.asleep.next = self.rest.val().any();
        }

        // Decide.
        self.pushing.next = self.overflow.valid.val() || self.park.valid.val();
        self.call.next = self.headless.val() && self.second.valid.val();
        self.promote.next = self.call.val() && !self.update.val();
        self.visit.next = self.r.q.ready.val()
            && self.count.val().any()
            && !self.call.val()
            && !self.pushing.val()
            && !self.hold.val();
        self.equal.next = self.second.valid.val() && (self.key.val() == self.second.key.val());
        self.take.next = self.live.val()
            && (!self.second.valid.val() || (self.key.val() < self.second.key.val()));
        self.better.valid.next =
            self.visit.val() && self.live.val() && (self.take.val() || self.equal.val());
        self.met.next = self.visit.val() && self.live.val() && self.equal.val();
        self.better.key.next = self.key.val();
        self.better.mask.next = self.live_mask.val();
        if self.equal.val() {
            self.better.mask.next = self.live_mask.val() | self.second.mask.val();
        }
        self.back.next = self.live.val() && !self.equal.val() && self.second.valid.val();

        // Who is next?
        self.step.next =
            self.visit.val() || self.promote.val() || (!self.count.val().any() && !self.call.val());
        self.haste.next =
            self.r.q.urgent.val().any() && self.r.q.beat.val().any() && !self.paper.val();
        self.found.next = false;
        self.found_turn.next = 0.into();
        self.above.next = false;
        self.above_turn.next = 0.into();
        for i in 0..self._warps {
            if self.r.q.urgent.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.found_turn.next = i.to_bits();
            }
        }
        for i in 1..self._warps {
            if self.r.q.urgent.val().get_bit(i)
                && (self.r.q.turn.val() < i.to_bits())
                && !self.above.val()
            {
                self.above.next = true;
                self.above_turn.next = i.to_bits();
            }
        }
        self.wrap_turn.next = (self.r.q.slow.val() + 1) & self.last_warp.val();
        self.next_turn.next = self.r.q.turn.val();
        self.r.d.slow.next = self.r.q.slow.val();
        self.r.d.beat.next = self.r.q.beat.val();
        if self.step.val() {
            self.r.d.beat.next = self.r.q.beat.val() + 1;
            if self.haste.val() && self.above.val() {
                self.next_turn.next = self.above_turn.val();
            } else if self.haste.val() {
                self.next_turn.next = self.found_turn.val();
            } else {
                self.next_turn.next = self.r.q.slow.val();
                self.r.d.slow.next = self.wrap_turn.val();
            }
        }
        self.r.d.turn.next = self.next_turn.val() & self.last_warp.val();

        // Urgent until a better path came or all were seen, and nobody is to wake.
        self.now.next = self.r.q.epoch.val().get_bit(self.r.q.turn.val().index());
        self.seen.next = self.info.val().get_bit(39) == self.now.val();
        self.pending.next = self.wakes.read_data[1].val() & !self.live_mask.val();
        self.calm.next = !self.wakes.read_data[1].val().any()
            || (self.parked.val() && !self.pending.val().any());
        self.clear.next = 0.into();
        if (self.visit.val()
            && self.calm.val()
            && ((self.live.val() && self.take.val()) || (self.seen.val() && !self.equal.val())))
            || !self.count.val().any()
        {
            self.clear.next = self.lsb.val() << self.r.q.turn.val();
        }
        self.worse_bit.next = 0.into();
        if self.update.val() && self.worse.val() && self.counts.read_data[0].val().any() {
            self.worse_bit.next = self.lsb.val() << self.up_warp.val();
        }
        self.set.next = self.worse_bit.val();
        if self.wake.val() {
            self.set.next = self.set.val() | self.lsb.val() << self.wake_warp.val();
        }
        if self.promote.val() {
            self.set.next = self.set.val() | self.lsb.val() << self.r.q.turn.val();
        }
        self.r.d.urgent.next = (self.r.q.urgent.val() & !self.clear.val()) | self.set.val();
        self.r.d.epoch.next = self.r.q.epoch.val() ^ self.worse_bit.val();
        self.r.d.waited.next = 0.into();
        if self.call.val() {
            self.r.d.waited.next = self.r.q.waited.val() + 1;
            if self.r.q.waited.val().all() {
                self.r.d.waited.next = self.r.q.waited.val();
            }
        }
        self.starved.next = self.r.q.waited.val().all();

        // What is pushed: by the update or by the visit, never both.
        self.heads.read_address[0].next = self.up_warp.val().to_bits::<8>();
        self.counts.read_address[0].next = self.up_warp.val().to_bits::<8>();
        self.w_warp.next = self.r.q.turn.val();
        self.w_head.next = self.head.val();
        self.w_count.next = self.count.val();
        self.w_new_count.next = self.count.val() - 1;
        self.one.next = self.visit.val() && (self.back.val() || self.asleep.val());
        self.two.next = self.visit.val() && self.back.val() && self.asleep.val();
        self.one_info.next = self.info.val();
        self.one_mask.next = self.rest.val();
        if self.back.val() && self.take.val() {
            self.one_info.next = self.second.key.val().to_bits::<40>();
            self.one_mask.next = self.second.mask.val();
        } else if self.back.val() {
            self.one_info.next = self.key.val().to_bits::<40>();
            self.one_mask.next = self.live_mask.val();
        }
        self.two_info.next = self.info.val();
        self.two_mask.next = self.rest.val();
        self.old.next = self.now.val();
        if self.pushing.val() {
            self.old.next = self.r.q.epoch.val().get_bit(self.up_warp.val().index());
            self.w_warp.next = self.up_warp.val();
            self.w_head.next = self.heads.read_data[0].val();
            self.w_count.next = self.counts.read_data[0].val();
            self.w_new_count.next = self.counts.read_data[0].val();
            self.one.next = true;
            self.two.next = self.overflow.valid.val() && self.park.valid.val();
            self.two_info.next =
                self.park.key.val().to_bits::<40>() | self.lsb.val().to_bits::<40>() << 38;
            self.two_mask.next = self.park.mask.val();
            self.one_info.next = self.two_info.val();
            self.one_mask.next = self.two_mask.val();
            if self.overflow.valid.val() {
                self.one_info.next = self.overflow.key.val().to_bits::<40>();
                self.one_mask.next = self.overflow.mask.val();
            }
        }
        self.one_info.next = self.one_info.val().replace_bit(39, self.old.val());
        self.two_info.next = self.two_info.val().replace_bit(39, self.old.val());
        self.tail.next = (self.w_head.val().to_bits::<7>() + self.w_count.val()) & self.last.val();
        self.tail_after.next = (self.tail.val() + 1) & self.last.val();
        self.tail_odd.next = self.tail.val().get_bit(0);
        self.one_address.next = self.w_warp.val().to_bits::<16>() << self.shift.val()
            | self.tail.val().to_bits::<16>() >> 1;
        self.two_address.next = self.w_warp.val().to_bits::<16>() << self.shift.val()
            | self.tail_after.val().to_bits::<16>() >> 1;
        for b in 0..2 {
            self.infos[b].write_address.next = self.one_address.val();
            self.infos[b].write_data.next = self.one_info.val();
            self.masks[b].write_address.next = self.one_address.val();
            self.masks[b].write_data.next = self.one_mask.val();
        }
        self.infos[0].write.next = self.two.val() || (self.one.val() && !self.tail_odd.val());
        self.masks[0].write.next = self.two.val() || (self.one.val() && !self.tail_odd.val());
        self.infos[1].write.next = self.two.val() || (self.one.val() && self.tail_odd.val());
        self.masks[1].write.next = self.two.val() || (self.one.val() && self.tail_odd.val());
        if self.tail_odd.val() {
            self.infos[0].write_address.next = self.two_address.val();
            self.infos[0].write_data.next = self.two_info.val();
            self.masks[0].write_address.next = self.two_address.val();
            self.masks[0].write_data.next = self.two_mask.val();
        } else {
            self.infos[1].write_address.next = self.two_address.val();
            self.infos[1].write_data.next = self.two_info.val();
            self.masks[1].write_address.next = self.two_address.val();
            self.masks[1].write_data.next = self.two_mask.val();
        }
        self.counts.write[0].next = self.visit.val() || self.pushing.val();
        self.counts.write_address[0].next = self.w_warp.val().to_bits::<8>();
        self.counts.write_data[0].next = self.w_new_count.val() & self.most.val();
        if self.two.val() {
            self.counts.write_data[0].next = (self.w_new_count.val() + 2) & self.most.val();
        } else if self.one.val() {
            self.counts.write_data[0].next = (self.w_new_count.val() + 1) & self.most.val();
        }

        // The next path to read. A word written in this cycle comes later.
        self.head_after.next = (self.head.val() + 1) & self.last.val().get_bits::<6>(0);
        self.head_next.next = self.head.val();
        if self.visit.val() {
            self.head_next.next = self.head_after.val();
        }
        self.heads.write[0].next = self.visit.val();
        self.heads.write_address[0].next = self.r.q.turn.val().to_bits::<8>();
        self.heads.write_data[0].next = self.head_after.val();
        self.heads.read_address[2].next = self.next_turn.val().to_bits::<8>();
        self.head_read.next = self.heads.read_data[2].val();
        if self.next_turn.val() == self.r.q.turn.val() {
            self.head_read.next = self.head_next.val();
        }
        self.read_address.next = self.next_turn.val().to_bits::<16>() << self.shift.val()
            | self.head_read.val().to_bits::<16>() >> 1;
        for b in 0..2 {
            self.infos[b].read_address.next = self.read_address.val();
            self.masks[b].read_address.next = self.read_address.val();
        }
        self.hazard.next = (self.one.val() && (self.one_address.val() == self.read_address.val()))
            || (self.two.val() && (self.two_address.val() == self.read_address.val()));
        self.r.d.ready.next = !self.hazard.val();

        // Threads to wake: remembered until the visit of their group.
        self.wakes.read_address[0].next = self.wake_warp.val().to_bits::<8>();
        self.wakes.write[0].next = self.visit.val() && self.parked.val();
        self.wakes.write_address[0].next = self.r.q.turn.val().to_bits::<8>();
        self.wakes.write_data[0].next = self.pending.val();
        self.waking.next = self.wakes.read_data[0].val() | self.wake_mask.val();
        if self.visit.val() && self.parked.val() && (self.wake_warp.val() == self.r.q.turn.val()) {
            self.waking.next = self.pending.val() | self.wake_mask.val();
        }
        self.wakes.write[1].next = self.wake.val();
        self.wakes.write_address[1].next = self.wake_warp.val().to_bits::<8>();
        self.wakes.write_data[1].next = self.waking.val();
    }
}
