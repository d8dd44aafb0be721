//! The cold context table: per warp a ring of T words in block RAM, paths and
//! parked groups.
//!
//! A pass of the unit (an update, or a cycle of its own) that made the runner-up
//! worse reads the first word of the warp's ring in the same cycle. In the next one
//! that word meets the new runner-up: a better path is exchanged for it, an equal
//! one merges with it, an empty place takes it. So the runner-up is written once,
//! after both. What the pass pushes goes behind the last word; then the first one
//! has to wait, because there is one write port.
//!
//! - `sorted`: the [sorter](super::sorter) keeps the ring in order, so that the first
//!   word is the best. The *last* path of a warp has a place of its own: what leaves the
//!   hot places meets it, merges if it is as far, and the nearer of the two goes to the
//!   ring. (Paths that wait for each other at a join come there one after the other;
//!   each would be a word to be sorted.) It comes up when the ring has no path.
//! - `paper`: every pass reads the first word, and one that is no better goes behind
//!   the last. So a warp looks at its paths in turn, one for each of its passes, of
//!   which it has one in turn as long as there is anything to look at.
//!
//! ```text
//! cycle 0   address of the pointers: who may have a pass next
//! cycle 1   compact-sort; address = first word of the warp
//! cycle 2   that word and the runner-up: decide; write runner-up, pointers, word
//! ```
//!
//! Long, because decision, push and next read are one cycle's work on the same words.

use super::path::{PathIn, PathOut, PathRam};
use super::sorter::Sorter;
use crate::rtl::prelude::*;

regs! {
    /// Between compact-sort and the runner-up.
    pub struct Passed [const T: usize] [T] / PassedD, PassedQ {
        valid: Bit = false,
        /// The first pass after reset.
        start: Bit = false,
        warp: U<5>,
        /// Its ring, and whether the first word was read.
        base: U<6>,
        total: U<7>,
        sorted: U<7>,
        read: Bit = false,
        /// A better path is looked for.
        sought: Bit = false,
        /// No update; there is no head; the runner-up may not be the best.
        idle: Bit,
        dead: Bit,
        wanted: Bit,
        second: Bit,
        second_key: U<38>,
        second_mask: U<T>,
        push: Bit = false,
        /// What is pushed is a group that parks.
        park: Bit,
        push_key: U<38>,
        push_mask: U<T>,
    }
}

regs! {
    /// Of all warps.
    pub struct Wants [] [] / WantsD, WantsQ {
        /// Warps that want a pass.
        want: U<32> = 0,
        /// There is a last path.
        tail: U<32> = 0,
        /// Cycles in which the sorter got nowhere.
        patience: U<4> = 0,
        /// The sorter changed pointers in the last cycle, of this warp.
        touched: Bit = false,
        touched_warp: U<5>,
    }
}

regs! {
    /// Of `paper`: threads to wake, as their groups come by.
    pub struct Waker [const T: usize] [T] / WakerD, WakerQ {
        waking: Bit = false,
        warp: U<5> = 0,
        mask: U<T>,
        /// Those of a group that go on are pushed already, the others are still
        /// together with them.
        split: Bit = false,
    }
}

block! {
    /// See the file.
    pub struct Cold [const T: usize] [T] fn new(warps: usize, paper: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// The next cycle may bring a pass of this warp...
            pub soon_warp: Signal<In, U<5>>,
            /// ... an update, which nothing can stop.
            pub soon_update: Signal<In, Bit>,
            /// It is the first pass after reset.
            pub start: Signal<In, Bit>,
            /// A pass of this warp...
            pub pass: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// ... that is no update...
            pub idle: Signal<In, Bit>,
            /// ... leaves no head...
            pub dead: Signal<In, Bit>,
            /// ... makes the runner-up worse...
            pub worse: Signal<In, Bit>,
            /// ... namely to this one...
            pub second: PathIn<T>,
            /// ... and pushes this one...
            pub overflow: PathIn<T>,
            /// ... or parks that one; never both.
            pub park: PathIn<T>,
            pub wake: Signal<In, Bit>,
            pub wake_warp: Signal<In, U<5>>,
            pub wake_mask: Signal<In, U<T>>,
        }
        output {
            pub wake_ready: Signal<Out, Bit>,
            /// The runner-up of this warp is written...
            pub write: Signal<Out, Bit>,
            pub write_warp: Signal<Out, U<5>>,
            /// ... one cycle after the pass.
            pub best: PathOut<T>,
            /// The warp whose threads are waking.
            pub waking: Signal<Out, U<32>>,
            /// Two paths have met.
            pub met: Signal<Out, Bit>,
            /// Warps that want a pass...
            pub want: Signal<Out, U<32>>,
            /// ... and must wait for it, because the sorter has waited.
            pub quiet: Signal<Out, Bit>,
            /// The pointers of this warp are not those read in the last cycle.
            pub touched: Signal<Out, Bit>,
            pub touched_warp: Signal<Out, U<5>>,
        }
        local {
            pointers: Signal<Local, U<20>>,
            base: Signal<Local, U<6>>,
            total: Signal<Local, U<7>>,
            sorted: Signal<Local, U<7>>,
            machine: Signal<Local, U<5>>,
            reads: Signal<Local, Bit>,
            read_warp: Signal<Local, U<5>>,
            index: Signal<Local, U<6>>,
            writes: Signal<Local, Bit>,
            place: Signal<Local, U<6>>,
            machine_info: Signal<Local, U<39>>,
            machine_mask: Signal<Local, U<T>>,
            alters: Signal<Local, Bit>,
            machine_ring: Signal<Local, U<20>>,
            news: Signal<Local, Bit>,
            moves: Signal<Local, Bit>,
            sorted_met: Signal<Local, Bit>,
            holds: Signal<Local, Bit>,
            ours: Signal<Local, Bit>,
            woken: Signal<Local, U<T>>,
            rest: Signal<Local, U<T>>,
            wakes: Signal<Local, Bit>,
            shared: Signal<Local, Bit>,
            first_part: Signal<Local, Bit>,
            stays: Signal<Local, Bit>,
            turn_mask: Signal<Local, U<T>>,
            turn_parked: Signal<Local, Bit>,
            comes: Signal<Local, Bit>,
            fetch: Signal<Local, Bit>,
            wanted: Signal<Local, Bit>,
            read_address: Signal<Local, U<16>>,
            sort_address: Signal<Local, U<16>>,
            sort_hazard: Signal<Local, Bit>,
            hazard: Signal<Local, Bit>,
            written: Signal<Local, Bit>,
            info: Signal<Local, U<39>>,
            mask: Signal<Local, U<T>>,
            key: Signal<Local, U<38>>,
            parked: Signal<Local, Bit>,
            pushing: Signal<Local, Bit>,
            blocked: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            has_last: Signal<Local, Bit>,
            use_last: Signal<Local, Bit>,
            from_ring: Signal<Local, Bit>,
            offer_key: Signal<Local, U<38>>,
            offer_mask: Signal<Local, U<T>>,
            leaves: Signal<Local, Bit>,
            leaves_key: Signal<Local, U<38>>,
            leaves_mask: Signal<Local, U<T>>,
            joins: Signal<Local, Bit>,
            beyond: Signal<Local, Bit>,
            keep_last: Signal<Local, Bit>,
            left: Signal<Local, Bit>,
            equal: Signal<Local, Bit>,
            take: Signal<Local, Bit>,
            exchange: Signal<Local, Bit>,
            rotate: Signal<Local, Bit>,
            pop: Signal<Local, Bit>,
            appends: Signal<Local, Bit>,
            changes: Signal<Local, Bit>,
            tail: Signal<Local, U<7>>,
            tail_info: Signal<Local, U<39>>,
            tail_mask: Signal<Local, U<T>>,
            new_base: Signal<Local, U<6>>,
            new_total: Signal<Local, U<7>>,
            new_sorted: Signal<Local, U<7>>,
            unseen: Signal<Local, Bit>,
            stands: Signal<Local, Bit>,
            again: Signal<Local, Bit>,
            passes: Signal<Local, Bit>,
            more: Signal<Local, Bit>,
            wants: Signal<Local, U<32>>,
            bit: Signal<Local, U<32>>,
            write_address: Signal<Local, U<16>>,
            write_info: Signal<Local, U<39>>,
            write_mask: Signal<Local, U<T>>,
            ring_write: Signal<Local, Bit>,
            ring_warp: Signal<Local, U<5>>,
            ring_word: Signal<Local, U<20>>,
            last_key: Signal<Local, U<38>>,
            last_mask: Signal<Local, U<T>>,
            keeps: Signal<Local, Bit>,
            kept_mask: Signal<Local, U<T>>,
        }
        part {
            pub(super) r: Passed<T> = Passed::new(),
            pub(super) w: Wants = Wants::new(),
            /// Of each ring `{sorted, total, base}`.
            pub(super) rings: Ram<20> = Ram::new(super::WARPS),
            pub(super) words: PathRam<T> = PathRam::new(warps * T),
            /// The last path of each warp.
            pub(super) last: Vec<PathRam<T>> =
                (0..usize::from(!paper)).map(|_| PathRam::new(super::WARPS)).collect(),
            /// Copies for the sorter alone; the search has none.
            own_rings: Vec<Ram<20>> =
                (0..usize::from(!paper)).map(|_| Ram::new(super::WARPS)).collect(),
            own_words: Vec<PathRam<T>> =
                (0..usize::from(!paper)).map(|_| PathRam::new(warps * T)).collect(),
            pub(super) sorter: Vec<Sorter<T>> =
                (0..usize::from(!paper)).map(|_| Sorter::new(warps)).collect(),
            pub(super) waker: Vec<Waker<T>> =
                (0..usize::from(paper)).map(|_| Waker::new()).collect(),
            paper: Constant<Bit> = Constant::new(paper),
            // Masks that tell synthesis which bits can be set.
            most: Constant<U<7>> = Constant::new(U::new(2 * T as u64 - 1)),
            wrap: Constant<U<7>> = Constant::new(U::new(T as u64 - 1)),
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            shift: Constant<U<4>> = Constant::new(U::new(T.ilog2().into())),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
        }
        plain {
            pub _own: usize = usize::from(!paper),
            pub _paper: usize = usize::from(paper),
        }
    }
}

impl<const T: usize> Logic for Cold<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.reset.next = self.reset.val();
        self.w.clock.next = self.clock.val();
        self.w.reset.next = self.reset.val();
        self.rings.clock.next = self.clock.val();
        self.words.clock.next = self.clock.val();
        for i in 0..self._own {
            self.last[i].clock.next = self.clock.val();
            self.own_rings[i].clock.next = self.clock.val();
            self.own_words[i].clock.next = self.clock.val();
            self.sorter[i].clock.next = self.clock.val();
            self.sorter[i].reset.next = self.reset.val();
        }
        for i in 0..self._paper {
            self.waker[i].clock.next = self.clock.val();
            self.waker[i].reset.next = self.reset.val();
        }

        // What the sorter does.
        self.machine.next = 0.into();
        self.reads.next = false;
        self.read_warp.next = 0.into();
        self.index.next = 0.into();
        self.writes.next = false;
        self.place.next = 0.into();
        self.machine_info.next = 0.into();
        self.machine_mask.next = 0.into();
        self.alters.next = false;
        self.machine_ring.next = 0.into();
        self.news.next = false;
        self.moves.next = false;
        self.sorted_met.next = false;
        self.holds.next = false;
        for i in 0..self._own {
            self.machine.next = self.sorter[i].warp.val();
            self.reads.next = self.sorter[i].reads.val();
            self.read_warp.next = self.sorter[i].read_warp.val();
            self.index.next = self.sorter[i].index.val();
            self.writes.next = self.sorter[i].writes.val();
            self.place.next = self.sorter[i].place.val();
            self.machine_info.next = self.sorter[i].new_info.val();
            self.machine_mask.next = self.sorter[i].new_mask.val();
            self.alters.next = self.sorter[i].changes.val();
            self.machine_ring.next = self.sorter[i].new_ring.base.val().to_bits::<20>()
                | self.sorter[i].new_ring.total.val().to_bits::<20>() << 6
                | self.sorter[i].new_ring.sorted.val().to_bits::<20>() << 13;
            self.news.next = self.sorter[i].news.val();
            self.moves.next = self.sorter[i].moves.val();
            self.sorted_met.next = self.sorter[i].met.val();
            self.holds.next = self.sorter[i].holds_all.val()
                || (self.sorter[i].holds.val()
                    && (self.sorter[i].hole.val() == self.r.q.base.val()));
        }

        // Cycle 0.
        self.rings.read_address.next = self.soon_warp.val().to_bits::<16>();

        // Cycle 1.
        self.pointers.next = self.rings.read_data.val();
        if self.start.val() {
            self.pointers.next = 0.into();
        }
        self.base.next = self.pointers.val().get_bits::<6>(0);
        self.total.next = self.pointers.val().get_bits::<7>(6);
        self.sorted.next = self.pointers.val().get_bits::<7>(13);
        self.wanted.next = self.worse.val()
            || self.dead.val()
            || self.w.q.want.val().get_bit(self.warp.val().index());
        self.fetch.next = self.pass.val()
            && self.total.val().any()
            && (self.wanted.val() || self.paper.val())
            && !self.w.q.patience.val().all();
        self.r.d.valid.next = self.pass.val();
        self.r.d.warp.next = self.warp.val();
        self.r.d.start.next = self.start.val();
        self.r.d.base.next = self.base.val();
        self.r.d.total.next = self.total.val();
        self.r.d.sorted.next = self.sorted.val();
        self.r.d.idle.next = self.idle.val();
        self.r.d.dead.next = self.dead.val();
        self.r.d.wanted.next = self.wanted.val();
        self.r.d.second.next = self.second.valid.val();
        self.r.d.second_key.next = self.second.key.val();
        self.r.d.second_mask.next = self.second.mask.val();
        self.r.d.push.next =
            self.pass.val() && (self.overflow.valid.val() || self.park.valid.val());
        self.r.d.park.next = self.park.valid.val();
        self.r.d.push_key.next = self.overflow.key.val();
        self.r.d.push_mask.next = self.overflow.mask.val();
        if self.park.valid.val() {
            self.r.d.push_key.next = self.park.key.val();
            self.r.d.push_mask.next = self.park.mask.val();
        }
        self.r.d.sought.next = self.pass.val()
            && (self.wanted.val() || self.paper.val())
            && (self.fetch.val() || !self.total.val().any());

        // Cycle 2.
        self.info.next = self.words.info.val();
        self.mask.next = self.words.mask.val();
        self.last_key.next = 0.into();
        self.last_mask.next = 0.into();
        for i in 0..self._own {
            self.last_key.next = self.last[i].info.val().get_bits::<38>(0);
            self.last_mask.next = self.last[i].mask.val();
        }
        self.key.next = self.info.val().get_bits::<38>(0);
        self.parked.next = self.info.val().get_bit(38);
        self.turn_parked.next = self.parked.val();
        self.turn_mask.next = self.mask.val();
        self.pushing.next = self.r.q.valid.val() && self.r.q.push.val();
        self.blocked.next = (self.machine.val() == self.r.q.warp.val()) && self.holds.val();
        self.act.next = self.r.q.valid.val()
            && self.r.q.sought.val()
            && !self.pushing.val()
            && !self.blocked.val();
        self.bit.next = self.lsb.val() << self.r.q.warp.val();
        self.has_last.next = (self.w.q.tail.val() & self.bit.val()).any() && !self.paper.val();
        // A group with threads that wake (`paper`): if it is all of them it is a path now;
        // else they go behind the last word, and the others in their next turn.
        self.first_part.next = false;
        self.wake_ready.next = true;
        self.waking.next = 0.into();
        for i in 0..self._paper {
            self.wake_ready.next = !self.waker[i].q.waking.val();
            if self.waker[i].q.waking.val() {
                self.waking.next = self.lsb.val() << self.waker[i].q.warp.val();
            }
            self.ours.next =
                self.waker[i].q.waking.val() && (self.waker[i].q.warp.val() == self.r.q.warp.val());
            self.woken.next = self.mask.val() & self.waker[i].q.mask.val();
            self.rest.next = self.mask.val() & !self.waker[i].q.mask.val();
            self.shared.next = self.rest.val().any();
            self.wakes.next = self.act.val()
                && self.r.q.read.val()
                && self.parked.val()
                && self.ours.val()
                && self.woken.val().any();
            self.first_part.next =
                self.wakes.val() && self.shared.val() && !self.waker[i].q.split.val();
            self.waker[i].d.split.next = self.waker[i].q.split.val();
            self.waker[i].d.mask.next = self.waker[i].q.mask.val();
            self.waker[i].d.warp.next = self.waker[i].q.warp.val();
            self.waker[i].d.waking.next =
                self.waker[i].q.waking.val() && self.waker[i].q.mask.val().any();
            if self.wakes.val() {
                self.waker[i].d.split.next = self.first_part.val();
                if !self.first_part.val() {
                    self.waker[i].d.mask.next = self.waker[i].q.mask.val() & !self.mask.val();
                }
                self.turn_parked.next = self.shared.val() && !self.first_part.val();
                if self.first_part.val() {
                    self.turn_mask.next = self.woken.val();
                } else if self.shared.val() {
                    self.turn_mask.next = self.rest.val();
                }
                self.parked.next = self.shared.val();
            }
            if self.wake.val() && !self.waker[i].q.waking.val() {
                self.waker[i].d.waking.next = true;
                self.waker[i].d.warp.next = self.wake_warp.val() & self.last_warp.val();
                self.waker[i].d.mask.next = self.wake_mask.val();
            }
        }
        self.use_last.next = !self.r.q.read.val() || self.parked.val();
        self.offer_key.next = self.key.val();
        self.offer_mask.next = self.mask.val();
        if self.use_last.val() && !self.paper.val() {
            self.offer_key.next = self.last_key.val();
            self.offer_mask.next = self.last_mask.val();
        }
        self.equal.next =
            self.r.q.second.val() && (self.offer_key.val() == self.r.q.second_key.val());
        self.take.next = self.act.val()
            && (!self.use_last.val() || self.has_last.val())
            && (!self.r.q.second.val()
                || self.equal.val()
                || (self.offer_key.val() < self.r.q.second_key.val()));
        self.exchange.next = self.take.val() && self.r.q.second.val() && !self.equal.val();
        self.from_ring.next = self.take.val() && !self.use_last.val();
        self.rotate.next =
            self.act.val() && self.r.q.read.val() && !self.take.val() && self.paper.val();
        self.pop.next = self.from_ring.val() || (self.rotate.val() && !self.first_part.val());
        self.write.next = self.r.q.valid.val();
        self.write_warp.next = self.r.q.warp.val();
        self.stands.next = self.r.q.second.val() || self.take.val();
        self.best.valid.next = self.stands.val();
        self.best.key.next = self.r.q.second_key.val();
        self.best.mask.next = self.r.q.second_mask.val();
        if self.take.val() {
            self.best.key.next = self.offer_key.val();
            self.best.mask.next = self.offer_mask.val();
            if self.equal.val() {
                self.best.mask.next = self.offer_mask.val() | self.r.q.second_mask.val();
            }
        }
        // A path that leaves the two hot places: the last of all stays in a place of its
        // own, where the next one that is as far meets it, the other goes to the ring.
        self.leaves.next = self.exchange.val() || (self.pushing.val() && !self.r.q.park.val());
        self.leaves_key.next = self.r.q.second_key.val();
        self.leaves_mask.next = self.r.q.second_mask.val();
        if self.pushing.val() {
            self.leaves_key.next = self.r.q.push_key.val();
            self.leaves_mask.next = self.r.q.push_mask.val();
        }
        self.left.next = self.has_last.val() && !(self.take.val() && self.use_last.val());
        self.joins.next = self.left.val() && (self.leaves_key.val() == self.last_key.val());
        self.beyond.next = self.last_key.val() < self.leaves_key.val();
        self.keep_last.next = self.left.val() && !self.beyond.val();
        self.keeps.next = self.leaves.val() && (self.joins.val() || !self.keep_last.val());
        self.kept_mask.next = self.leaves_mask.val();
        if self.joins.val() {
            self.kept_mask.next = self.leaves_mask.val() | self.last_mask.val();
        }
        for i in 0..self._own {
            self.last[i].read_address.next = self.warp.val().to_bits::<16>();
            self.last[i].write.next = self.keeps.val();
            self.last[i].write_address.next = self.r.q.warp.val().to_bits::<16>();
            self.last[i].write_info.next = self.leaves_key.val().to_bits::<39>();
            self.last[i].write_mask.next = self.kept_mask.val();
        }
        self.w.d.tail.next = self.w.q.tail.val();
        if self.leaves.val() && !self.paper.val() {
            self.w.d.tail.next = self.w.q.tail.val() | self.bit.val();
        } else if self.take.val() && self.use_last.val() {
            self.w.d.tail.next = self.w.q.tail.val() & !self.bit.val();
        }
        self.met.next = (self.take.val() && self.equal.val())
            || (self.leaves.val() && self.joins.val())
            || self.sorted_met.val();

        // The ring after it.
        self.appends.next = self.rotate.val()
            || (self.pushing.val() && self.r.q.park.val())
            || (self.leaves.val() && (self.paper.val() || (self.left.val() && !self.joins.val())));
        self.changes.next = self.appends.val() || self.pop.val() || self.r.q.start.val();
        self.tail_info.next = self.key.val().to_bits::<39>();
        if self.turn_parked.val() {
            self.tail_info.next = self.info.val();
        }
        self.tail_mask.next = self.turn_mask.val();
        if self.pushing.val() && self.r.q.park.val() {
            self.tail_info.next =
                self.r.q.push_key.val().to_bits::<39>() | self.lsb.val().to_bits::<39>() << 38;
            self.tail_mask.next = self.r.q.push_mask.val();
        } else if self.leaves.val() {
            self.tail_info.next = self.leaves_key.val().to_bits::<39>();
            self.tail_mask.next = self.leaves_mask.val();
            if self.beyond.val() && !self.paper.val() {
                self.tail_info.next = self.last_key.val().to_bits::<39>();
                self.tail_mask.next = self.last_mask.val();
            }
        }
        self.tail.next =
            (self.r.q.base.val().to_bits::<7>() + self.r.q.total.val()) & self.wrap.val();
        self.new_base.next = self.r.q.base.val();
        if self.pop.val() {
            self.new_base.next = (self.r.q.base.val() + 1) & self.wrap.val().get_bits::<6>(0);
        }
        self.new_total.next = self.r.q.total.val();
        if self.appends.val() && !self.pop.val() {
            self.new_total.next = (self.r.q.total.val() + 1) & self.most.val();
        } else if self.pop.val() && !self.appends.val() {
            self.new_total.next = (self.r.q.total.val() - 1) & self.most.val();
        }
        self.new_sorted.next = self.r.q.sorted.val();
        if self.paper.val() {
            if self.rotate.val() && self.turn_parked.val() {
                if self.r.q.sorted.val() != self.r.q.total.val() {
                    self.new_sorted.next = (self.r.q.sorted.val() + 1) & self.most.val();
                }
            } else if self.appends.val() {
                self.new_sorted.next = 0.into();
            }
        } else if self.pop.val() && self.r.q.sorted.val().any() {
            self.new_sorted.next = (self.r.q.sorted.val() - 1) & self.most.val();
        }

        // Does the warp want another pass? Without a head until there is one, or
        // only parked groups are left. (Behind a sorted one that is first all are; what
        // goes before it is news.)
        self.unseen.next = self.new_sorted.val() != self.new_total.val();
        self.again.next = self.r.q.idle.val() && self.take.val();
        self.more.next = self.new_total.val().any() || self.left.val();
        if self.r.q.dead.val() {
            self.again.next = self.stands.val() || self.more.val();
            if self.act.val() && !self.take.val() {
                self.again.next = self.unseen.val() && self.paper.val();
            }
        } else if self.paper.val() || (self.r.q.wanted.val() && !self.act.val()) {
            self.again.next = self.more.val();
        }
        self.wants.next = self.w.q.want.val();
        if self.r.q.valid.val() {
            self.wants.next = self.w.q.want.val() & !self.bit.val();
            if self.again.val() {
                self.wants.next = self.w.q.want.val() | self.bit.val();
            }
        }
        self.w.d.want.next = self.wants.val();
        if self.news.val() {
            self.w.d.want.next = self.wants.val() | self.lsb.val() << self.machine.val();
        }
        self.want.next = self.w.q.want.val();
        if self.paper.val() {
            self.want.next = self.w.q.want.val() | self.waking.val();
        }

        // The sorter works where no pass does.
        self.passes.next = self.pass.val() && (self.warp.val() == self.machine.val());
        self.comes.next = self.soon_update.val() && (self.soon_warp.val() == self.machine.val());
        for i in 0..self._own {
            self.sorter[i].wake.next = self.wake.val();
            self.sorter[i].wake_warp.next = self.wake_warp.val() & self.last_warp.val();
            self.sorter[i].wake_mask.next = self.wake_mask.val();
            self.wake_ready.next = self.sorter[i].wake_ready.val();
            if !self.sorter[i].wake_ready.val() {
                self.waking.next = self.lsb.val() << self.sorter[i].waking_warp.val();
            }
            self.sorter[i].run.next = !self.start.val() && !self.r.q.start.val();
            self.own_rings[i].read_address.next = self.sorter[i].seek.val().to_bits::<16>();
            self.sorter[i].ring.base.next = self.own_rings[i].read_data.val().get_bits::<6>(0);
            self.sorter[i].ring.total.next = self.own_rings[i].read_data.val().get_bits::<7>(6);
            self.sorter[i].ring.sorted.next = self.own_rings[i].read_data.val().get_bits::<7>(13);
            self.sorter[i].info.next = self.own_words[i].info.val();
            self.sorter[i].mask.next = self.own_words[i].mask.val();
            self.sorter[i].free.next =
                !self.changes.val() && !self.passes.val() && !self.comes.val();
            self.sorter[i].changed.next = self.changes.val();
            self.sorter[i].changed_warp.next = self.r.q.warp.val();
            self.sorter[i].changed_ring.base.next = self.new_base.val();
            self.sorter[i].changed_ring.total.next = self.new_total.val();
            self.sorter[i].changed_ring.sorted.next = self.new_sorted.val();
            self.sorter[i].popped.next = self.pop.val();
            self.sorter[i].appended.next = self.appends.val();
            self.sorter[i].tail.next = self.tail.val().get_bits::<6>(0);
            self.sorter[i].tail_info.next = self.tail_info.val();
            self.sorter[i].tail_mask.next = self.tail_mask.val();
        }
        self.w.d.touched.next = self.alters.val();
        self.w.d.touched_warp.next = self.machine.val();
        self.touched.next = self.w.q.touched.val();
        self.touched_warp.next = self.w.q.touched_warp.val();
        self.w.d.patience.next = 0.into();
        if self.reads.val() && !self.moves.val() {
            self.w.d.patience.next = self.w.q.patience.val() + 1;
            if self.w.q.patience.val().all() {
                self.w.d.patience.next = self.w.q.patience.val();
            }
        }
        self.quiet.next = self.w.q.patience.val().all();

        // The memory.
        self.read_address.next =
            self.warp.val().to_bits::<16>() << self.shift.val() | self.base.val().to_bits::<16>();
        self.sort_address.next = self.read_warp.val().to_bits::<16>() << self.shift.val()
            | self.index.val().to_bits::<16>();
        self.write_address.next = self.machine.val().to_bits::<16>() << self.shift.val()
            | self.place.val().to_bits::<16>();
        self.write_info.next = self.machine_info.val();
        self.write_mask.next = self.machine_mask.val();
        if self.appends.val() || self.paper.val() {
            self.write_address.next = self.r.q.warp.val().to_bits::<16>() << self.shift.val()
                | self.tail.val().to_bits::<16>();
            self.write_info.next = self.tail_info.val();
            self.write_mask.next = self.tail_mask.val();
        }
        self.written.next = self.appends.val() || self.writes.val();
        self.words.read_address.next = self.read_address.val();
        self.words.write_address.next = self.write_address.val();
        self.words.write_info.next = self.write_info.val();
        self.words.write_mask.next = self.write_mask.val();
        self.words.write.next = self.written.val();
        self.hazard.next = self.written.val()
            && !self.paper.val()
            && (self.read_address.val() == self.write_address.val());
        self.r.d.read.next = self.fetch.val() && !self.hazard.val();
        self.sort_hazard.next =
            self.written.val() && (self.sort_address.val() == self.write_address.val());
        for i in 0..self._own {
            self.own_words[i].read_address.next = self.sort_address.val();
            self.own_words[i].write_address.next = self.write_address.val();
            self.own_words[i].write_info.next = self.write_info.val();
            self.own_words[i].write_mask.next = self.write_mask.val();
            self.own_words[i].write.next = self.written.val();
            self.sorter[i].granted.next = self.reads.val() && !self.sort_hazard.val();
        }

        // The pointers.
        self.ring_write.next = self.changes.val() || self.alters.val();
        self.ring_warp.next = self.machine.val();
        self.ring_word.next = self.machine_ring.val();
        if self.changes.val() || self.paper.val() {
            self.ring_warp.next = self.r.q.warp.val();
            self.ring_word.next = self.new_base.val().to_bits::<20>()
                | self.new_total.val().to_bits::<20>() << 6
                | self.new_sorted.val().to_bits::<20>() << 13;
        }
        self.rings.write.next = self.ring_write.val();
        self.rings.write_address.next = self.ring_warp.val().to_bits::<16>();
        self.rings.write_data.next = self.ring_word.val();
        for i in 0..self._own {
            self.own_rings[i].write.next = self.ring_write.val();
            self.own_rings[i].write_address.next = self.ring_warp.val().to_bits::<16>();
            self.own_rings[i].write_data.next = self.ring_word.val();
        }
    }
}
