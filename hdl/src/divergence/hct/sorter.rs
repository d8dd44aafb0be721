//! Keeps the cold table in order: an insertion sort in the background, and the
//! search for parked threads that were woken. One machine for all warps; `Cold`
//! gives it the memory in cycles that no update needs.
//!
//! A warp's ring begins with a sorted list, what was pushed since lies behind it.
//! The machine takes the first word behind the list out of its place, walks from
//! there towards the beginning, moves every greater word up by one and puts it into
//! the hole; or an equal word takes its threads, and the words above close the hole.
//! A parked group is greater than any path, so it lies at the end of the list.
//! Nothing else of the warp has to wait: what is pushed comes behind, what is
//! popped leaves at the beginning.
//!
//! ```text
//!   base                 hole            end
//!    |  sorted  |>  ...  |   | ... sorted | pushed since |
//!    pop <--        <-- walk                       <-- push
//! ```
//!
//! Long, because a kernel has no functions, and half of it declares the port.

use crate::rtl::prelude::*;

regs! {
    /// The machine.
    pub struct Machine [const T: usize] [T] / MachineD, MachineQ {
        /// Whose list is looked at next when there is nothing to do.
        turn: U<5> = 0,
        /// Whose list it works on; what it does; the pointers of that list.
        warp: U<5> = 0,
        load: Bit = false,
        walk: Bit = false,
        close: Bit = false,
        scan: Bit = false,
        base: U<6>,
        total: U<7>,
        sorted: U<7>,
        /// The free place; when it scans the place it looks at.
        hole: U<6> = 0,
        /// The word that was there.
        key: U<39>,
        mask: U<T>,
        /// Threads to wake.
        waking: Bit = false,
        wake_warp: U<5> = 0,
        wake_mask: U<T>,
        /// It has scanned, and looks for a list first.
        scanned: Bit = false,
        /// Those of a group that go on are pushed already, the others still have
        /// to be told apart.
        split: Bit = false,
        /// The word read is the one that the machine has asked for.
        got: Bit = false,
        /// The pointers read are those of this warp.
        seen: Bit = false,
        seen_warp: U<5> = 0,
    }
}

interface! {
    /// The pointers of a ring.
    pub struct RingIn [] [] {
        /// The first word.
        pub base: Signal<In, U<6>>,
        /// Words.
        pub total: Signal<In, U<7>>,
        /// Words of the sorted list.
        pub sorted: Signal<In, U<7>>,
    }
}

interface! {
    /// See [`RingIn`].
    pub struct RingOut [] [] {
        /// See [`RingIn`].
        pub base: Signal<Out, U<6>>,
        /// See [`RingIn`].
        pub total: Signal<Out, U<7>>,
        /// See [`RingIn`].
        pub sorted: Signal<Out, U<7>>,
    }
}

block! {
    /// See the file.
    pub struct Sorter [const T: usize] [T] fn new(warps: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub wake: Signal<In, Bit>,
            pub wake_warp: Signal<In, U<5>>,
            pub wake_mask: Signal<In, U<T>>,
            /// The word at `index`, if it was granted in the cycle before.
            pub info: Signal<In, U<39>>,
            pub mask: Signal<In, U<T>>,
            /// Rings have pointers (not right after reset).
            pub run: Signal<In, Bit>,
            /// The pointers of `seek`, in the next cycle.
            pub ring: RingIn,
            /// The read that is asked for takes place, of no word that is written.
            pub granted: Signal<In, Bit>,
            /// The machine may write.
            pub free: Signal<In, Bit>,
            /// `Cold` changes the ring of this warp to that...
            pub changed: Signal<In, Bit>,
            pub changed_warp: Signal<In, U<5>>,
            pub changed_ring: RingIn,
            /// ... takes its first word...
            pub popped: Signal<In, Bit>,
            /// ... and writes one behind the last...
            pub appended: Signal<In, Bit>,
            /// ... here...
            pub tail: Signal<In, U<6>>,
            /// ... namely this.
            pub tail_info: Signal<In, U<39>>,
            pub tail_mask: Signal<In, U<T>>,
        }
        output {
            pub wake_ready: Signal<Out, Bit>,
            /// Whose threads are waking, if not ready.
            pub waking_warp: Signal<Out, U<5>>,
            /// Of which warp the machine wants to see the ring.
            pub seek: Signal<Out, U<5>>,
            /// Its warp.
            pub warp: Signal<Out, U<5>>,
            /// It asks for a word...
            pub reads: Signal<Out, Bit>,
            /// ... of this warp...
            pub read_warp: Signal<Out, U<5>>,
            /// ... namely this.
            pub index: Signal<Out, U<6>>,
            /// It writes a word of it...
            pub writes: Signal<Out, Bit>,
            /// ... here...
            pub place: Signal<Out, U<6>>,
            /// ... this...
            pub new_info: Signal<Out, U<39>>,
            pub new_mask: Signal<Out, U<T>>,
            /// ... and changes its ring.
            pub changes: Signal<Out, Bit>,
            pub new_ring: RingOut,
            /// The first word is another one, or one goes on.
            pub news: Signal<Out, Bit>,
            /// It gets on.
            pub moves: Signal<Out, Bit>,
            /// Two words have met.
            pub met: Signal<Out, Bit>,
            /// The first word of its warp must stay if it lies here...
            pub holds: Signal<Out, Bit>,
            pub hole: Signal<Out, U<6>>,
            /// ... or wherever it lies: what turns round is never found.
            pub holds_all: Signal<Out, Bit>,
        }
        local {
            idle: Signal<Local, Bit>,
            fresh: Signal<Local, Bit>,
            stale: Signal<Local, Bit>,
            walks: Signal<Local, Bit>,
            closes: Signal<Local, Bit>,
            below: Signal<Local, U<6>>,
            below_2: Signal<Local, U<6>>,
            above: Signal<Local, U<6>>,
            above_2: Signal<Local, U<6>>,
            end: Signal<Local, U<7>>,
            end_index: Signal<Local, U<6>>,
            start: Signal<Local, U<7>>,
            offset: Signal<Local, U<6>>,
            outside: Signal<Local, Bit>,
            more: Signal<Local, U<7>>,
            less: Signal<Local, U<7>>,
            longer: Signal<Local, U<7>>,
            same: Signal<Local, Bit>,
            greater: Signal<Local, Bit>,
            at_base: Signal<Local, Bit>,
            last_but_one: Signal<Local, U<7>>,
            catches: Signal<Local, Bit>,
            picks: Signal<Local, Bit>,
            before: Signal<Local, U<6>>,
            closed: Signal<Local, Bit>,
            woken: Signal<Local, U<T>>,
            rest: Signal<Local, U<T>>,
            found: Signal<Local, Bit>,
            shared: Signal<Local, Bit>,
            live_key: Signal<Local, U<38>>,
            put: Signal<Local, Bit>,
            merge: Signal<Local, Bit>,
            shift: Signal<Local, Bit>,
            fill: Signal<Local, Bit>,
            part: Signal<Local, Bit>,
            inside: Signal<Local, Bit>,
            lift: Signal<Local, Bit>,
            cut: Signal<Local, Bit>,
            fewer: Signal<Local, U<7>>,
            unpark: Signal<Local, Bit>,
            stay: Signal<Local, Bit>,
            advances: Signal<Local, Bit>,
            search: Signal<Local, Bit>,
            searches: Signal<Local, Bit>,
        }
        part {
            pub(super) r: Machine<T> = Machine::new(),
            last: Constant<U<7>> = Constant::new(U::new(T as u64 - 1)),
            most: Constant<U<7>> = Constant::new(U::new(2 * T as u64 - 1)),
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
        }
    }
}

impl<const T: usize> Logic for Sorter<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.reset.next = self.reset.val();
        self.r.d.turn.next = self.r.q.turn.val();
        self.r.d.warp.next = self.r.q.warp.val();
        self.r.d.load.next = self.r.q.load.val();
        self.r.d.walk.next = self.r.q.walk.val();
        self.r.d.close.next = self.r.q.close.val();
        self.r.d.scan.next = self.r.q.scan.val();
        self.r.d.base.next = self.r.q.base.val();
        self.r.d.total.next = self.r.q.total.val();
        self.r.d.sorted.next = self.r.q.sorted.val();
        self.r.d.hole.next = self.r.q.hole.val();
        self.r.d.key.next = self.r.q.key.val();
        self.r.d.mask.next = self.r.q.mask.val();
        self.r.d.split.next = self.r.q.split.val();
        self.r.d.scanned.next = self.r.q.scanned.val();

        // Where it stands.
        self.walks.next = self.r.q.walk.val();
        self.closes.next = self.r.q.close.val();
        self.below.next = (self.r.q.hole.val() - 1) & self.last.val().get_bits::<6>(0);
        self.below_2.next = (self.r.q.hole.val() - 2) & self.last.val().get_bits::<6>(0);
        self.above.next = (self.r.q.hole.val() + 1) & self.last.val().get_bits::<6>(0);
        self.above_2.next = (self.r.q.hole.val() + 2) & self.last.val().get_bits::<6>(0);
        self.end.next =
            (self.r.q.base.val().to_bits::<7>() + self.r.q.total.val()) & self.last.val();
        self.end_index.next = self.end.val().get_bits::<6>(0);
        self.offset.next =
            (self.r.q.hole.val() - self.r.q.base.val()) & self.last.val().get_bits::<6>(0);
        self.outside.next = self.offset.val().to_bits::<7>() >= self.r.q.total.val();
        self.more.next = (self.r.q.sorted.val() + 1) & self.most.val();
        self.less.next = (self.r.q.total.val() - 1) & self.most.val();
        self.fewer.next = (self.r.q.sorted.val() - 1) & self.most.val();
        self.longer.next = (self.r.q.total.val() + 1) & self.most.val();
        self.same.next = self.r.q.key.val() == self.info.val();
        self.greater.next = self.r.q.key.val() < self.info.val();
        self.at_base.next = self.r.q.hole.val() == self.r.q.base.val();
        self.closed.next = self.above.val() == self.end_index.val();
        self.woken.next = self.mask.val() & self.r.q.wake_mask.val();
        self.rest.next = self.mask.val() & !self.r.q.wake_mask.val();
        self.found.next = self.info.val().get_bit(38) && self.woken.val().any();
        self.shared.next = self.rest.val().any();
        self.live_key.next = self.info.val().get_bits::<38>(0);

        // What it does.
        self.put.next = self.walks.val()
            && self.free.val()
            && (self.at_base.val()
                || (self.r.q.got.val() && !self.same.val() && !self.greater.val()));
        self.merge.next = self.walks.val()
            && self.free.val()
            && self.r.q.got.val()
            && !self.at_base.val()
            && self.same.val();
        self.shift.next = self.walks.val()
            && self.free.val()
            && self.r.q.got.val()
            && !self.at_base.val()
            && self.greater.val();
        self.fill.next =
            self.closes.val() && self.free.val() && self.r.q.got.val() && !self.closed.val();
        self.part.next = false;
        self.unpark.next = false;
        self.inside.next = false;
        self.lift.next = false;
        self.cut.next = false;
        self.stay.next = false;
        self.advances.next = self.shift.val() || self.fill.val();
        if self.r.q.load.val() && self.r.q.got.val() {
            self.advances.next = true;
            self.r.d.load.next = false;
            self.r.d.walk.next = true;
            self.r.d.key.next = self.info.val();
            self.r.d.mask.next = self.mask.val();
        }
        if self.put.val() {
            self.r.d.walk.next = false;
        }
        if self.merge.val() {
            self.r.d.walk.next = false;
            self.r.d.close.next = !self.closed.val();
        }
        if self.shift.val() {
            self.r.d.hole.next = self.below.val();
        }
        if self.fill.val() {
            self.r.d.hole.next = self.above.val();
        }
        if self.closes.val() && self.closed.val() && self.free.val() {
            self.r.d.close.next = false;
        }
        self.r.d.waking.next = self.r.q.waking.val();
        self.r.d.wake_warp.next = self.r.q.wake_warp.val();
        self.r.d.wake_mask.next = self.r.q.wake_mask.val();
        if self.r.q.scan.val() {
            if !self.r.q.wake_mask.val().any() {
                self.stay.next = true;
                self.r.d.scan.next = false;
                self.r.d.waking.next = false;
                self.r.d.scanned.next = true;
            } else if self.outside.val() {
                self.stay.next = true;
                self.r.d.hole.next = self.r.q.base.val();
            } else if self.r.q.got.val() && self.free.val() {
                // In a list in order what goes on is carried to its place at once: a
                // whole group from where it lies, a part of one from the end.
                self.inside.next = self.offset.val().to_bits::<7>() < self.r.q.sorted.val();
                self.lift.next = self.found.val() && !self.shared.val() && self.inside.val();
                self.cut.next = self.found.val()
                    && self.shared.val()
                    && !self.r.q.split.val()
                    && (self.r.q.sorted.val() == self.r.q.total.val());
                self.part.next = self.found.val()
                    && self.shared.val()
                    && !self.r.q.split.val()
                    && !self.cut.val();
                self.unpark.next =
                    self.found.val() && !self.part.val() && !self.lift.val() && !self.cut.val();
                self.advances.next = !self.part.val();
                self.r.d.split.next = self.part.val();
                if !self.part.val() {
                    self.r.d.hole.next = self.above.val();
                }
                if self.found.val() && !self.part.val() {
                    self.r.d.wake_mask.next = self.r.q.wake_mask.val() & !self.mask.val();
                }
                if self.lift.val() || self.cut.val() {
                    self.advances.next = false;
                    self.r.d.scan.next = false;
                    self.r.d.walk.next = true;
                    self.r.d.key.next = self.live_key.val().to_bits::<39>();
                    self.r.d.mask.next = self.woken.val();
                    self.r.d.hole.next = self.r.q.hole.val();
                    if self.cut.val() {
                        self.r.d.hole.next = self.end_index.val();
                    }
                }
            }
        }

        // What it writes.
        self.writes.next = self.put.val()
            || self.merge.val()
            || self.shift.val()
            || self.fill.val()
            || self.part.val()
            || self.cut.val()
            || self.unpark.val();
        self.place.next = self.r.q.hole.val();
        self.new_info.next = self.info.val();
        self.new_mask.next = self.mask.val();
        if self.put.val() {
            self.new_info.next = self.r.q.key.val();
            self.new_mask.next = self.r.q.mask.val();
        }
        if self.merge.val() {
            self.place.next = self.below.val();
            self.new_mask.next = self.r.q.mask.val() | self.mask.val();
        }
        if self.part.val() {
            self.place.next = self.end_index.val();
        }
        if self.part.val() || (self.unpark.val() && !self.r.q.split.val()) {
            self.new_info.next = self.live_key.val().to_bits::<39>();
            self.new_mask.next = self.woken.val();
        } else if self.unpark.val() || self.cut.val() {
            self.new_mask.next = self.rest.val();
        }
        // The next read would be of the old place.
        if self.put.val() || (self.closes.val() && self.closed.val()) {
            self.stay.next = true;
        }
        self.met.next = self.merge.val();
        self.moves.next = self.advances.val() || self.writes.val() || self.stay.val();
        self.news.next = (self.put.val() && self.at_base.val())
            || self.part.val()
            || (self.unpark.val() && !self.r.q.split.val());

        // The ring. What the machine wakes in its place lies in no order.
        self.new_ring.base.next = self.r.q.base.val();
        self.new_ring.total.next = self.r.q.total.val();
        self.new_ring.sorted.next = self.r.q.sorted.val();
        self.changes.next = false;
        if self.put.val() {
            self.changes.next = true;
            self.new_ring.sorted.next = self.more.val();
        }
        if self.closed.val() && (self.merge.val() || (self.closes.val() && self.free.val())) {
            self.changes.next = true;
            self.new_ring.total.next = self.less.val();
        }
        if self.lift.val() {
            self.changes.next = true;
            self.new_ring.sorted.next = self.fewer.val();
        }
        if self.part.val() || self.cut.val() {
            self.changes.next = true;
            self.new_ring.total.next = self.longer.val();
        }
        if self.unpark.val() && !self.r.q.split.val() {
            self.changes.next = true;
            self.new_ring.sorted.next = 0.into();
        }
        if self.changes.val() {
            self.r.d.total.next = self.new_ring.total.val();
            self.r.d.sorted.next = self.new_ring.sorted.val();
        }
        if self.changed.val() && (self.changed_warp.val() == self.r.q.warp.val()) {
            self.r.d.base.next = self.changed_ring.base.val();
            self.r.d.total.next = self.changed_ring.total.val();
            self.r.d.sorted.next = self.changed_ring.sorted.val();
        }

        // Nothing to do: threads to wake, else a list with words behind it; one of
        // these after each search. A word that comes just now behind a list that is in
        // order goes first, for it need not be read.
        self.idle.next = !self.r.q.load.val()
            && !self.walks.val()
            && !self.closes.val()
            && !self.r.q.scan.val()
            && self.run.val();
        self.search.next = self.r.q.waking.val() && !self.r.q.scanned.val();
        self.seek.next = self.r.q.turn.val();
        if self.search.val() {
            self.seek.next = self.r.q.wake_warp.val();
        }
        // A pointer that is being written is not read.
        self.stale.next = (self.changed.val() && (self.changed_warp.val() == self.seek.val()))
            || (self.changes.val() && (self.r.q.warp.val() == self.seek.val()));
        self.r.d.seen.next = !self.stale.val() && self.run.val();
        self.r.d.seen_warp.next = self.seek.val();
        self.fresh.next = self.r.q.seen.val()
            && (!self.search.val() || (self.r.q.seen_warp.val() == self.r.q.wake_warp.val()))
            && !(self.changed.val() && (self.changed_warp.val() == self.r.q.seen_warp.val()));
        self.start.next =
            (self.ring.base.val().to_bits::<7>() + self.ring.sorted.val()) & self.last.val();
        self.last_but_one.next = (self.changed_ring.total.val() - 1) & self.most.val();
        self.catches.next = self.idle.val()
            && !self.search.val()
            && self.appended.val()
            && (self.last_but_one.val() == self.changed_ring.sorted.val());
        self.picks.next = self.idle.val()
            && !self.search.val()
            && !self.catches.val()
            && self.fresh.val()
            && (self.ring.total.val() != self.ring.sorted.val());
        if self.idle.val() {
            if self.catches.val() {
                self.r.d.warp.next = self.changed_warp.val();
                self.r.d.base.next = self.changed_ring.base.val();
                self.r.d.total.next = self.changed_ring.total.val();
                self.r.d.sorted.next = self.changed_ring.sorted.val();
                self.r.d.hole.next = self.tail.val();
                self.r.d.key.next = self.tail_info.val();
                self.r.d.mask.next = self.tail_mask.val();
                self.r.d.walk.next = true;
                self.r.d.scanned.next = false;
            } else if self.fresh.val() {
                self.r.d.warp.next = self.r.q.seen_warp.val();
                self.r.d.base.next = self.ring.base.val();
                self.r.d.total.next = self.ring.total.val();
                self.r.d.sorted.next = self.ring.sorted.val();
                self.r.d.hole.next = self.start.val().get_bits::<6>(0);
                if self.search.val() {
                    self.r.d.hole.next = self.ring.base.val();
                }
                self.r.d.scan.next = self.search.val();
                self.r.d.load.next = self.picks.val();
            }
            if self.picks.val() {
                self.r.d.scanned.next = false;
            }
            if !self.search.val() && !self.catches.val() {
                if self.r.q.turn.val() == self.last_warp.val() {
                    self.r.d.scanned.next = false;
                }
                self.r.d.turn.next = (self.r.q.turn.val() + 1) & self.last_warp.val();
            }
        }

        // What it reads, as if this cycle's word were done with.
        self.searches.next = self.idle.val() && self.search.val() && self.fresh.val();
        self.reads.next =
            !self.idle.val() || self.catches.val() || self.picks.val() || self.searches.val();
        self.read_warp.next = self.r.q.warp.val();
        self.index.next = self.r.q.hole.val();
        self.before.next = (self.tail.val() - 1) & self.last.val().get_bits::<6>(0);
        if self.catches.val() {
            self.read_warp.next = self.changed_warp.val();
            self.index.next = self.before.val();
        } else if self.idle.val() {
            self.read_warp.next = self.r.q.seen_warp.val();
            self.index.next = self.start.val().get_bits::<6>(0);
            if self.search.val() {
                self.index.next = self.ring.base.val();
            }
        } else if self.walks.val() || (self.r.q.load.val() && self.r.q.got.val()) {
            self.index.next = self.below.val();
            if self.walks.val() && self.r.q.got.val() {
                self.index.next = self.below_2.val();
            }
        } else if self.closes.val() || (self.r.q.scan.val() && self.r.q.got.val()) {
            self.index.next = self.above.val();
            if self.closes.val() && self.r.q.got.val() {
                self.index.next = self.above_2.val();
            }
        }
        self.r.d.got.next = self.granted.val()
            && (self.idle.val()
                || (!(self.popped.val() && (self.changed_warp.val() == self.r.q.warp.val()))
                    && (self.advances.val() || (!self.r.q.got.val() && !self.stay.val()))));

        self.wake_ready.next = !self.r.q.waking.val();
        self.waking_warp.next = self.r.q.wake_warp.val();
        if self.wake.val() && !self.r.q.waking.val() {
            self.r.d.waking.next = true;
            self.r.d.wake_warp.next = self.wake_warp.val();
            self.r.d.wake_mask.next = self.wake_mask.val();
        }
        self.warp.next = self.r.q.warp.val();
        self.hole.next = self.r.q.hole.val();
        self.holds.next = self.r.q.load.val() || self.walks.val() || self.closes.val();
        self.holds_all.next = self.r.q.scan.val();
    }
}
