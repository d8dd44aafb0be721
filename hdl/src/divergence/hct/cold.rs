//! The cold context table as published: per warp a ring of T words in block RAM, paths and
//! parked groups.
//!
//! A pass of the unit (an update, or a cycle of its own) reads the first word of the
//! warp's ring in the same cycle. In the next one that word meets the new runner-up: a
//! better path is exchanged for it, an equal one merges with it, an empty place takes
//! it, and one that is no better goes behind the last. So a warp looks at its paths in
//! turn, one for each of its passes, of which it has one in turn as long as there is
//! anything to look at; and the runner-up is written once, after both.
//! What a pass pushes goes behind the last word; then the first one has to wait,
//! because there is one write port.
//!
//! ```text
//! cycle 0   address of the pointers: who may have a pass next
//! cycle 1   compact-sort; address = first word of the warp
//! cycle 2   that word and the runner-up: decide; write runner-up, pointers, word
//! ```
//!
//! Threads wake as their groups come by. A group that wakes as a whole is a path from
//! then on. Of another those that wake are pushed, and when it comes by next, the
//! others go behind them as the group that they are.
//!
//! Long, because decision, push and next read are one cycle's work on the same words.

use super::path::{PathIn, PathOut, PathRam};
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
        seen: U<7>,
        read: Bit = false,
        /// There is no head.
        dead: Bit,
        second: Bit,
        second_key: U<38>,
        second_mask: U<T>,
        push: Bit = false,
        /// What is pushed is a group that parks. (Without a push, the runner-up.)
        park: Bit,
        push_key: U<38>,
        push_mask: U<T>,
    }
}

regs! {
    /// A bit per warp each.
    pub struct Wants [] [] / WantsD, WantsQ {
        /// It wants a pass.
        want: U<32> = 0,
    }
}

regs! {
    /// Threads to wake.
    pub struct Waker [const T: usize] [T] / WakerD, WakerQ {
        waking: Bit = false,
        warp: U<5>,
        mask: U<T>,
        /// Those of a group that go on are pushed already, the others are still
        /// together with them.
        split: Bit = false,
        /// Not all paths were looked at since; when this one is first they were.
        round: Bit = false,
        mark: U<6>,
    }
}

block! {
    /// See the file.
    pub struct Cold [const T: usize] [T] fn new(warps: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// It is the first pass after reset.
            pub start: Signal<In, Bit>,
            /// The ring of the warp, as stored with its runner-up: `{seen, total, base}`;
            /// seen are parked groups that came by since a path was pushed.
            pub ring: Signal<In, U<20>>,
            /// A pass of this warp...
            pub pass: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// ... leaves no head...
            pub dead: Signal<In, Bit>,
            /// ... and this runner-up...
            pub second: PathIn<T>,
            /// ... and pushes this one ...
            pub overflow: PathIn<T>,
            /// ..., which is a group that parks.
            pub park: Signal<In, Bit>,
            pub wake: Signal<In, Bit>,
            pub wake_warp: Signal<In, U<5>>,
            pub wake_mask: Signal<In, U<T>>,
        }
        output {
            pub wake_ready: Signal<Out, Bit>,
            /// The runner-up of this warp and its ring are written...
            pub write: Signal<Out, Bit>,
            pub write_warp: Signal<Out, U<5>>,
            pub new_ring: Signal<Out, U<20>>,
            /// ... one cycle after the pass.
            /// (Each bit of its key inverted: so what compares it later adds.)
            pub best: PathOut<T>,
            /// The warp whose threads are waking.
            pub waking: Signal<Out, U<32>>,
            /// Two paths have met.
            pub met: Signal<Out, Bit>,
            /// Warps that want a pass.
            pub want: Signal<Out, U<32>>,
        }
        local {
            pointers: Signal<Local, U<20>>,
            base: Signal<Local, U<6>>,
            total: Signal<Local, U<7>>,
            key: Signal<Local, U<38>>,
            group: Signal<Local, Bit>,
            parked: Signal<Local, Bit>,
            pushing: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            looks: Signal<Local, Bit>,
            bit: Signal<Local, U<32>>,
            ours: Signal<Local, Bit>,
            woken: Signal<Local, U<T>>,
            rest: Signal<Local, U<T>>,
            wakes: Signal<Local, Bit>,
            parts: Signal<Local, Bit>,
            first_part: Signal<Local, Bit>,
            turn_mask: Signal<Local, U<T>>,
            turn_parked: Signal<Local, Bit>,
            distance: Signal<Local, U<39>>,
            equal: Signal<Local, Bit>,
            take: Signal<Local, Bit>,
            exchange: Signal<Local, Bit>,
            rotate: Signal<Local, Bit>,
            pop: Signal<Local, Bit>,
            stands: Signal<Local, Bit>,
            leaves: Signal<Local, Bit>,
            appends: Signal<Local, Bit>,
            tail: Signal<Local, U<7>>,
            tail_info: Signal<Local, U<39>>,
            tail_mask: Signal<Local, U<T>>,
            new_base: Signal<Local, U<6>>,
            new_total: Signal<Local, U<7>>,
            new_seen: Signal<Local, U<7>>,
            again: Signal<Local, Bit>,
            more: Signal<Local, Bit>,
        }
        part {
            pub(super) r: Passed<T> = Passed::new(),
            pub(super) w: Wants = Wants::new(),
            pub(super) waker: Waker<T> = Waker::new(),
            pub(super) words: PathRam<T, 39> = PathRam::new(warps * T),
            // Masks that tell synthesis which bits can be set.
            most: Constant<U<7>> = Constant::new(U::new(2 * T as u64 - 1)),
            wrap: Constant<U<7>> = Constant::new(U::new(T as u64 - 1)),
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            shift: Constant<U<4>> = Constant::new(U::new(T.ilog2().into())),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
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
        self.waker.clock.next = self.clock.val();
        self.waker.reset.next = self.reset.val();
        self.words.clock.next = self.clock.val();

        // Cycle 1.
        self.pointers.next = self.ring.val();
        if self.start.val() {
            self.pointers.next = 0.into();
        }
        self.base.next = self.pointers.val().get_bits::<6>(0);
        self.total.next = self.pointers.val().get_bits::<7>(6);
        self.words.read_address.next =
            self.warp.val().to_bits::<16>() << self.shift.val() | self.base.val().to_bits::<16>();
        self.r.d.valid.next = self.pass.val();
        self.r.d.start.next = self.start.val();
        self.r.d.warp.next = self.warp.val();
        self.r.d.base.next = self.base.val();
        self.r.d.total.next = self.total.val();
        self.r.d.seen.next = self.pointers.val().get_bits::<7>(13);
        self.r.d.read.next = self.total.val().any();
        self.r.d.dead.next = self.dead.val();
        self.r.d.second.next = self.second.valid.val();
        self.r.d.second_key.next = self.second.key.val();
        self.r.d.second_mask.next = self.second.mask.val();
        self.r.d.push.next = self.pass.val() && self.overflow.valid.val();
        self.r.d.park.next = self.park.val();
        self.r.d.push_key.next = self.overflow.key.val();
        self.r.d.push_mask.next = self.overflow.mask.val();

        // Cycle 2. The first word, and who of it wakes.
        self.key.next = self.words.info.val().get_bits::<38>(0);
        self.group.next = self.words.info.val().get_bit(38);
        self.pushing.next = self.r.q.valid.val() && self.r.q.push.val();
        self.act.next = self.r.q.valid.val() && !self.pushing.val();
        self.looks.next = self.act.val() && self.r.q.read.val();
        self.bit.next = self.lsb.val() << self.r.q.warp.val();
        self.ours.next =
            self.waker.q.waking.val() && (self.waker.q.warp.val() == self.r.q.warp.val());
        self.woken.next = self.words.mask.val() & self.waker.q.mask.val();
        self.rest.next = self.words.mask.val() & !self.waker.q.mask.val();
        self.wakes.next =
            self.looks.val() && self.group.val() && self.ours.val() && self.woken.val().any();
        self.parts.next = self.wakes.val() && self.rest.val().any();
        self.first_part.next = self.parts.val() && !self.waker.q.split.val();
        self.parked.next = self.group.val() && (!self.wakes.val() || self.parts.val());
        self.turn_parked.next = self.parked.val() && !self.first_part.val();
        self.turn_mask.next = self.words.mask.val();
        if self.first_part.val() {
            self.turn_mask.next = self.woken.val();
        } else if self.parts.val() {
            self.turn_mask.next = self.rest.val();
        }
        self.waker.d.waking.next = self.waker.q.waking.val()
            && (self.waker.q.mask.val().any() || self.waker.q.round.val());
        self.waker.d.warp.next = self.waker.q.warp.val();
        self.waker.d.mask.next = self.waker.q.mask.val();
        self.waker.d.split.next = self.waker.q.split.val();
        if self.wakes.val() {
            self.waker.d.split.next = self.first_part.val();
            if !self.first_part.val() {
                self.waker.d.mask.next = self.waker.q.mask.val() & !self.words.mask.val();
            }
        }
        if self.wake.val() && !self.waker.q.waking.val() {
            self.waker.d.waking.next = true;
            self.waker.d.warp.next = self.wake_warp.val() & self.last_warp.val();
            self.waker.d.mask.next = self.wake_mask.val();
        }
        self.wake_ready.next = !self.waker.q.waking.val();
        self.waking.next = 0.into();
        if self.waker.q.waking.val() {
            self.waking.next = self.lsb.val() << self.waker.q.warp.val();
        }

        // A path there against the runner-up.
        self.distance.next =
            self.key.val().to_bits::<39>() - self.r.q.second_key.val().to_bits::<39>();
        self.equal.next = self.r.q.second.val() && !self.distance.val().get_bits::<38>(0).any();
        self.take.next = self.looks.val()
            && !self.parts.val()
            && !self.parked.val()
            && (!self.r.q.second.val() || self.equal.val() || self.distance.val().get_bit(38));
        self.exchange.next = self.take.val() && self.r.q.second.val() && !self.equal.val();
        self.rotate.next = self.looks.val() && !self.take.val();
        self.pop.next = self.take.val() || (self.rotate.val() && !self.first_part.val());
        self.stands.next = self.r.q.second.val() || self.take.val();
        self.write.next = self.r.q.valid.val();
        self.write_warp.next = self.r.q.warp.val();
        self.best.valid.next = self.stands.val();
        self.best.key.next = !self.r.q.second_key.val();
        self.best.mask.next = self.r.q.second_mask.val();
        if self.take.val() {
            self.best.key.next = !self.key.val();
            self.best.mask.next = self.words.mask.val();
            if self.equal.val() {
                self.best.mask.next = self.words.mask.val() | self.r.q.second_mask.val();
            }
        }

        // A path that leaves the two hot places.
        self.leaves.next = self.exchange.val() || (self.pushing.val() && !self.r.q.park.val());
        self.appends.next = self.rotate.val() || self.leaves.val() || self.pushing.val();
        self.met.next = self.take.val() && self.equal.val();

        // The ring after it.
        self.tail_info.next = self.key.val().to_bits::<39>();
        if self.turn_parked.val() {
            self.tail_info.next = self.words.info.val();
        }
        self.tail_mask.next = self.turn_mask.val();
        if self.pushing.val() && self.r.q.park.val() {
            self.tail_info.next =
                self.r.q.push_key.val().to_bits::<39>() | self.lsb.val().to_bits::<39>() << 38;
            self.tail_mask.next = self.r.q.push_mask.val();
        } else if self.leaves.val() {
            self.tail_info.next = self.r.q.push_key.val().to_bits::<39>();
            self.tail_mask.next = self.r.q.push_mask.val();
        }
        self.tail.next =
            (self.r.q.base.val().to_bits::<7>() + self.r.q.total.val()) & self.wrap.val();
        self.words.write.next = self.appends.val();
        self.words.write_address.next = self.r.q.warp.val().to_bits::<16>() << self.shift.val()
            | self.tail.val().to_bits::<16>();
        self.words.write_info.next = self.tail_info.val();
        self.words.write_mask.next = self.tail_mask.val();
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
        self.new_seen.next = self.r.q.seen.val();
        if self.rotate.val() && self.turn_parked.val() {
            if self.r.q.seen.val() != self.r.q.total.val() {
                self.new_seen.next = (self.r.q.seen.val() + 1) & self.most.val();
            }
        } else if self.appends.val() {
            self.new_seen.next = 0.into();
        }
        self.new_ring.next = self.new_base.val().to_bits::<20>()
            | self.new_total.val().to_bits::<20>() << 6
            | self.new_seen.val().to_bits::<20>() << 13;

        // Who wakes is in its place when all have been looked at, and the head once more.
        self.waker.d.round.next = self.waker.q.round.val();
        self.waker.d.mark.next = self.waker.q.mark.val();
        if self.wakes.val() {
            self.waker.d.round.next = true;
            self.waker.d.mark.next =
                (self.tail.val().get_bits::<6>(0) + 1) & self.wrap.val().get_bits::<6>(0);
        } else if self.act.val()
            && self.ours.val()
            && (!self.r.q.read.val() || (self.r.q.base.val() == self.waker.q.mark.val()))
        {
            self.waker.d.round.next = false;
        }

        // Does the warp want another pass? Without a head until there is one, or only
        // parked groups are left.
        self.more.next = self.new_total.val().any();
        self.again.next = self.more.val();
        if self.r.q.dead.val() {
            self.again.next = self.stands.val() || self.more.val();
            if self.act.val() && !self.take.val() {
                self.again.next = self.new_seen.val() != self.new_total.val();
            }
        }
        self.w.d.want.next = self.w.q.want.val();
        if self.r.q.valid.val() {
            self.w.d.want.next = self.w.q.want.val() & !self.bit.val();
            if self.again.val() {
                self.w.d.want.next = self.w.q.want.val() | self.bit.val();
            }
        }
        self.want.next = self.w.q.want.val() | self.waking.val();
    }
}
