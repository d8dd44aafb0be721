//! The cold context table that keeps up: per warp T places in block RAM for paths and
//! parked groups, in rows of two or four (`columns`), a memory per column.
//!
//! A pass of the unit (an update, or a cycle of its own) reads one row of the warp. In the
//! next cycle that row meets the new runner-up: a path at the same place merges with it,
//! and the first path, if it is better, is exchanged for it and leaves its place to it.
//! (So paths that wait at a join come together although none of them is the first.)
//! Nothing else moves. Which places are used, and which of them by groups,
//! says a bit each, in a memory that is read a cycle before; so rows without
//! a path are left out, and what a pass pushes goes to the first free place. (In such a
//! pass the row has to wait: the columns share their data.)
//!
//! A row of four is a quarter of what there can be at T = 16: after four passes the
//! runner-up is the first of all. With one word per pass, as published (`cold.rs`), it
//! takes fourteen, and a program of short blocks has gone elsewhere by then.
//!
//! ```text
//! cycle 0   address of the bits: who may have a pass next
//! cycle 1   compact-sort; address = next row of the warp
//! cycle 2   that row and the runner-up: decide; write runner-up, bits, word
//! ```
//!
//! When the head has left and the runner-up took its place, the warp waits until it has
//! looked at one more row, if there is another one with a path; with four rows of four
//! or more, at two.
//!
//! Threads wake as their groups come by. A group that wakes as a whole is a path from
//! then on. Of another those that wake are pushed, and when it comes by next, they leave
//! it.
//!
//! Long, because decision, push and next read are one cycle's work on the same words.

use super::first::First;
use super::path::{PathIn, PathOut, PathRam};
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};

/// Places of a row.
pub(super) fn columns(t: usize) -> usize {
    (t / 4).clamp(2, 4).min(t)
}

/// Rows to look at before the warp goes on.
fn looks(t: usize) -> u64 {
    if t > 8 { 2 } else { 1 }
}

regs! {
    /// Between compact-sort and the runner-up.
    pub struct Seen [const T: usize] [T] / SeenD, SeenQ {
        valid: Bit = false,
        /// The first pass after reset.
        start: Bit = false,
        warp: U<5>,
        /// Its places, and those with groups.
        used: U<T>,
        asleep: U<T>,
        /// The row that was read, if any, its places, and what is there.
        read: Bit = false,
        row: U<4>,
        turn: U<4>,
        places: U<T>,
        paths: U<4>,
        groups: U<4>,
        /// A bit per row with something, up to three.
        filled: U<3>,
        /// There is no head.
        dead: Bit,
        /// The runner-up has become the head.
        switched: Bit = false,
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
    /// A bit per warp.
    pub struct Wishes [] [] / WishesD, WishesQ {
        /// It wants a pass.
        want: U<32> = 0,
        /// It waits for one, for two.
        due: U<32> = 0,
        twice: U<32> = 0,
    }
}

regs! {
    /// Threads to wake.
    pub struct Alarm [const T: usize] [T] / AlarmD, AlarmQ {
        waking: Bit = false,
        warp: U<5>,
        mask: U<T>,
        /// Those of a group that go on are pushed already, the others are still
        /// together with them.
        split: Bit = false,
        /// 2: not all paths were looked at since; when this row was, they were.
        /// 1: the head was not compared since.
        round: U<2> = 0,
        mark: U<4>,
    }
}

block! {
    /// A word per warp, in one memory.
    pub struct PlaceRam [const T: usize] [T] fn new(depth: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub write: Signal<In, Bit>,
            pub write_address: Signal<In, U<16>>,
            pub write_used: Signal<In, U<T>>,
            pub write_asleep: Signal<In, U<T>>,
            pub write_turn: Signal<In, U<4>>,
            pub read_address: Signal<In, U<16>>,
        }
        output {
            /// Places in use, and those of groups.
            pub used: Signal<Out, U<T>>,
            pub asleep: Signal<Out, U<T>>,
            /// The row that is next.
            pub turn: Signal<Out, U<4>>,
        }
        plain { pub _mem: Vec<(U<T>, U<T>, U<4>)> = vec![Default::default(); depth], }
    }
}

impl<const T: usize> Logic for PlaceRam<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let word = self._mem.get(self.read_address.at_edge().index()).copied().unwrap_or_default();
        (self.used.next, self.asleep.next, self.turn.next) = word;
        if self.write.at_edge()
            && let Some(word) = self._mem.get_mut(self.write_address.at_edge().index())
        {
            *word =
                (self.write_used.at_edge(), self.write_asleep.at_edge(), self.write_turn.at_edge());
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        // Of the number of a row the bits that it has.
        let (read, written, bits) = match (T / columns(T)).ilog2() as usize {
            0 => ("".into(), "".into(), 0),
            n => (format!("turn[{0}:0], ", n - 1), format!("write_turn[{0}:0], ", n - 1), n),
        };
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] mem [0:{}];\n\
             always @(posedge clock) begin\n\
             turn <= 4'd0;\n\
             {{{read}asleep, used}} <= mem[read_address[{top}:0]];\n\
             if (write) mem[write_address[{top}:0]] <= {{{written}write_asleep, write_used}};\n\
             end\n",
            2 * T + bits - 1,
            depth - 1
        ))
    }
}

block! {
    /// See the file.
    pub struct Rows [const T: usize] [T] fn new(warps: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// The next cycle may bring a pass of this warp.
            pub soon_warp: Signal<In, U<5>>,
            /// It is the first pass after reset.
            pub start: Signal<In, Bit>,
            /// A pass of this warp...
            pub pass: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// ... leaves no head...
            pub dead: Signal<In, Bit>,
            /// ... or the old runner-up as the head...
            pub switched: Signal<In, Bit>,
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
            /// The runner-up of this warp is written...
            pub write: Signal<Out, Bit>,
            pub write_warp: Signal<Out, U<5>>,
            /// ... one cycle after the pass.
            pub best: PathOut<T>,
            /// The warp whose threads are waking.
            pub waking: Signal<Out, U<32>>,
            /// Two paths have met.
            pub met: Signal<Out, Bit>,
            /// Warps that want a pass.
            pub want: Signal<Out, U<32>>,
            /// Warps that should wait for one.
            pub due: Signal<Out, U<32>>,
        }
        local {
            has: Signal<Local, U<T>>,
            sleeps: Signal<Local, U<T>>,
            some: Signal<Local, U<T>>,
            rows: Signal<Local, U<16>>,
            later: Signal<Local, U<16>>,
            turn: Signal<Local, U<4>>,
            found: Signal<Local, Bit>,
            row: Signal<Local, U<4>>,
            look_at: Signal<Local, U<T>>,
            paths: Signal<Local, U<4>>,
            groups: Signal<Local, U<4>>,
            any: Signal<Local, Bit>,
            there: Signal<Local, Bit>,
            filled: Signal<Local, U<3>>,
            looks: Signal<Local, U<2>>,
            pushing: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            bit: Signal<Local, U<32>>,
            ours: Signal<Local, Bit>,
            hits: Signal<Local, U<4>>,
            hit: Signal<Local, Bit>,
            wakes: Signal<Local, Bit>,
            chosen: Signal<Local, U<4>>,
            offer_key: Signal<Local, U<38>>,
            offer_mask: Signal<Local, U<T>>,
            place: Signal<Local, U<T>>,
            woken: Signal<Local, U<T>>,
            rest: Signal<Local, U<T>>,
            parts: Signal<Local, Bit>,
            first_part: Signal<Local, Bit>,
            same_mask: Signal<Local, U<T>>,
            same_place: Signal<Local, U<T>>,
            equal: Signal<Local, Bit>,
            better: Signal<Local, Bit>,
            take: Signal<Local, Bit>,
            exchange: Signal<Local, Bit>,
            stands: Signal<Local, Bit>,
            adds: Signal<Local, Bit>,
            stays: Signal<Local, Bit>,
            free: Signal<Local, U<T>>,
            free_row: Signal<Local, U<4>>,
            new_key: Signal<Local, U<38>>,
            new_mask: Signal<Local, U<T>>,
            new_row: Signal<Local, U<4>>,
            new_used: Signal<Local, U<T>>,
            new_asleep: Signal<Local, U<T>>,
            more: Signal<Local, Bit>,
            again: Signal<Local, Bit>,
        }
        part {
            pub(super) r: Seen<T> = Seen::new(),
            pub(super) w: Wishes = Wishes::new(),
            pub(super) waker: Alarm<T> = Alarm::new(),
            pub(super) places: PlaceRam<T> = PlaceRam::new(super::WARPS),
            pub(super) words: Vec<PathRam<T, 38>> =
                (0..columns(T)).map(|_| PathRam::new(warps * T / columns(T))).collect(),
            first: First = First::new(columns(T)),
            /// The places of each row and of each column.
            row_places: Vec<Constant<U<T>>> = (0..T / columns(T))
                .map(|r| Constant::new(U::new(((1 << columns(T)) - 1) << (r * columns(T)))))
                .collect(),
            column_places: Vec<Constant<U<T>>> = (0..columns(T))
                .map(|c| {
                    let places = (0..T).filter(|i| i % columns(T) == c);
                    Constant::new(U::new(places.fold(0, |m, i| m | 1 << i)))
                })
                .collect(),
            // Masks that tell synthesis which bits can be set.
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            last_row: Constant<U<4>> = Constant::new(U::new((T / columns(T)) as u64 - 1)),
            shift: Constant<U<4>> = Constant::new(U::new((T / columns(T)).ilog2().into())),
            looks_most: Constant<U<2>> = Constant::new(U::new((1 << looks(T)) - 1)),
            every: Constant<U<16>> = Constant::new(U::new(u64::MAX)),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
        }
        plain {
            _columns: usize = columns(T),
            _rows: usize = T / columns(T),
        }
    }
}

impl<const T: usize> Logic for Rows<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.reset.next = self.reset.val();
        self.w.clock.next = self.clock.val();
        self.w.reset.next = self.reset.val();
        self.waker.clock.next = self.clock.val();
        self.waker.reset.next = self.reset.val();
        self.places.clock.next = self.clock.val();

        // Cycle 0.
        self.places.read_address.next = self.soon_warp.val().to_bits::<16>();

        // Cycle 1. The next row with a path; with anything, if it wakes.
        self.has.next = self.places.used.val();
        self.sleeps.next = self.places.asleep.val();
        self.turn.next = self.places.turn.val() & self.last_row.val();
        if self.start.val() {
            self.has.next = 0.into();
            self.sleeps.next = 0.into();
            self.turn.next = 0.into();
        }
        self.some.next = self.has.val() & !self.sleeps.val();
        if self.waker.q.waking.val() && (self.waker.q.warp.val() == self.warp.val()) {
            self.some.next = self.has.val();
        }
        self.rows.next = 0.into();
        for i in 0..self._rows {
            self.any.next = (self.some.val() & self.row_places[i].val()).any();
            self.rows.next = self.rows.val().replace_bit(i, self.any.val());
        }
        self.filled.next = 0.into();
        for i in 0..self._rows {
            if self.rows.val().get_bit(i) {
                self.filled.next = (self.filled.val() << 1) | 1;
            }
        }
        self.later.next = self.rows.val() & self.every.val() << self.turn.val();
        if self.later.val().any() {
            self.rows.next = self.later.val();
        }
        self.found.next = false;
        self.row.next = 0.into();
        self.look_at.next = 0.into();
        for i in 0..self._rows {
            if self.rows.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.row.next = i.to_bits();
                self.look_at.next = self.row_places[i].val();
            }
        }
        self.paths.next = 0.into();
        self.groups.next = 0.into();
        for i in 0..self._columns {
            self.words[i].clock.next = self.clock.val();
            self.words[i].read_address.next = self.warp.val().to_bits::<16>() << self.shift.val()
                | self.row.val().to_bits::<16>();
            self.there.next = (self.has.val()
                & !self.sleeps.val()
                & self.look_at.val()
                & self.column_places[i].val())
            .any();
            self.paths.next = self.paths.val().replace_bit(i, self.there.val());
            self.there.next =
                (self.sleeps.val() & self.look_at.val() & self.column_places[i].val()).any();
            self.groups.next = self.groups.val().replace_bit(i, self.there.val());
        }
        self.r.d.valid.next = self.pass.val();
        self.r.d.start.next = self.start.val();
        self.r.d.warp.next = self.warp.val();
        self.r.d.used.next = self.has.val();
        self.r.d.asleep.next = self.sleeps.val();
        self.r.d.read.next = self.found.val();
        self.r.d.row.next = self.row.val();
        self.r.d.places.next = self.look_at.val();
        self.r.d.turn.next = self.turn.val();
        self.r.d.paths.next = self.paths.val();
        self.r.d.groups.next = self.groups.val();
        self.r.d.filled.next = self.filled.val();
        self.r.d.dead.next = self.dead.val();
        self.r.d.switched.next = self.pass.val() && self.switched.val();
        self.r.d.second.next = self.second.valid.val();
        self.r.d.second_key.next = self.second.key.val();
        self.r.d.second_mask.next = self.second.mask.val();
        self.r.d.push.next = self.pass.val() && self.overflow.valid.val();
        self.r.d.park.next = self.park.val();
        self.r.d.push_key.next = self.overflow.key.val();
        self.r.d.push_mask.next = self.overflow.mask.val();

        // Cycle 2. A group that wakes, or else the first path of the row.
        self.pushing.next = self.r.q.valid.val() && self.r.q.push.val();
        self.act.next = self.r.q.valid.val() && !self.pushing.val();
        self.bit.next = self.lsb.val() << self.r.q.warp.val();
        self.ours.next =
            self.waker.q.waking.val() && (self.waker.q.warp.val() == self.r.q.warp.val());
        self.hits.next = 0.into();
        self.wakes.next = false;
        self.first.valid.next = self.r.q.paths.val();
        self.first.limit.next = self.r.q.second_key.val();
        for i in 0..self._columns {
            self.first.key[i].next = self.words[i].info.val();
            self.hit.next = self.r.q.groups.val().get_bit(i)
                && self.act.val()
                && self.ours.val()
                && !self.wakes.val()
                && (self.words[i].mask.val() & self.waker.q.mask.val()).any();
            self.hits.next = self.hits.val().replace_bit(i, self.hit.val());
            if self.hit.val() {
                self.wakes.next = true;
            }
        }
        self.chosen.next = self.first.best.val();
        if self.wakes.val() {
            self.chosen.next = self.hits.val();
        }
        self.offer_key.next = 0.into();
        self.offer_mask.next = 0.into();
        self.place.next = 0.into();
        for i in 0..self._columns {
            if self.chosen.val().get_bit(i) {
                self.offer_key.next = self.offer_key.val() | self.words[i].info.val();
                self.offer_mask.next = self.offer_mask.val() | self.words[i].mask.val();
                self.place.next =
                    self.place.val() | (self.r.q.places.val() & self.column_places[i].val());
            }
        }
        self.woken.next = self.offer_mask.val() & self.waker.q.mask.val();
        self.rest.next = self.offer_mask.val() & !self.waker.q.mask.val();
        self.parts.next = self.wakes.val() && self.rest.val().any();
        self.first_part.next = self.parts.val() && !self.waker.q.split.val();
        // One at the place of the runner-up merges with it.
        self.same_mask.next = 0.into();
        self.same_place.next = 0.into();
        self.equal.next = false;
        for i in 0..self._columns {
            self.hit.next = self.act.val()
                && !self.wakes.val()
                && self.r.q.second.val()
                && !self.equal.val()
                && self.r.q.paths.val().get_bit(i)
                && self.first.equal.val().get_bit(i);
            if self.hit.val() {
                self.equal.next = true;
                self.same_mask.next = self.words[i].mask.val();
                self.same_place.next = self.r.q.places.val() & self.column_places[i].val();
            }
        }
        self.better.next = self.act.val()
            && !self.wakes.val()
            && self.r.q.paths.val().any()
            && (!self.r.q.second.val() || (self.first.best.val() & self.first.below.val()).any());
        self.take.next = self.better.val() || self.equal.val();
        self.exchange.next = self.better.val() && self.r.q.second.val();
        self.stands.next = self.r.q.second.val() || self.take.val();
        self.met.next = self.equal.val();
        self.write.next = self.r.q.valid.val();
        self.write_warp.next = self.r.q.warp.val();
        self.best.valid.next = self.stands.val();
        self.best.key.next = self.r.q.second_key.val();
        self.best.mask.next = self.r.q.second_mask.val();
        if self.better.val() {
            self.best.key.next = self.offer_key.val();
            self.best.mask.next = self.offer_mask.val();
        } else if self.equal.val() {
            self.best.mask.next = self.r.q.second_mask.val() | self.same_mask.val();
        }

        // One word is written: to a free place, or where the chosen one was.
        self.adds.next = self.pushing.val() || self.first_part.val();
        self.stays.next = self.exchange.val() || (self.parts.val() && self.waker.q.split.val());
        self.free.next = !self.r.q.used.val() & (self.r.q.used.val() + 1);
        self.free_row.next = 0.into();
        for i in 0..self._rows {
            if (self.free.val() & self.row_places[i].val()).any() {
                self.free_row.next = i.to_bits();
            }
        }
        self.new_row.next = self.r.q.row.val();
        if self.adds.val() {
            self.new_row.next = self.free_row.val();
        }
        self.new_key.next = self.r.q.second_key.val();
        self.new_mask.next = self.r.q.second_mask.val() | self.same_mask.val();
        if self.pushing.val() {
            self.new_key.next = self.r.q.push_key.val();
            self.new_mask.next = self.r.q.push_mask.val();
        } else if self.parts.val() {
            self.new_key.next = self.offer_key.val();
            self.new_mask.next = self.rest.val();
            if self.first_part.val() {
                self.new_mask.next = self.woken.val();
            }
        }
        for i in 0..self._columns {
            self.words[i].write.next = (self.adds.val()
                && (self.free.val() & self.column_places[i].val()).any())
                || (self.stays.val() && self.chosen.val().get_bit(i));
            self.words[i].write_address.next = self.r.q.warp.val().to_bits::<16>()
                << self.shift.val()
                | self.new_row.val().to_bits::<16>();
            self.words[i].write_info.next = self.new_key.val();
            self.words[i].write_mask.next = self.new_mask.val();
        }
        self.new_used.next = self.r.q.used.val();
        self.new_asleep.next = self.r.q.asleep.val();
        if self.adds.val() {
            self.new_used.next = self.r.q.used.val() | self.free.val();
            if self.pushing.val() && self.r.q.park.val() {
                self.new_asleep.next = self.r.q.asleep.val() | self.free.val();
            }
        } else if self.equal.val() {
            self.new_used.next = self.r.q.used.val() & !self.same_place.val();
        } else if self.better.val() && !self.exchange.val() {
            self.new_used.next = self.r.q.used.val() & !self.place.val();
        } else if self.wakes.val() && !self.parts.val() {
            self.new_asleep.next = self.r.q.asleep.val() & !self.place.val();
        }
        self.places.write.next = self.r.q.valid.val();
        self.places.write_address.next = self.r.q.warp.val().to_bits::<16>();
        self.places.write_used.next = self.new_used.val();
        self.places.write_asleep.next = self.new_asleep.val();
        self.places.write_turn.next = self.r.q.turn.val();
        if self.first_part.val() {
            self.places.write_turn.next = self.r.q.row.val();
        } else if self.act.val() && self.r.q.read.val() {
            self.places.write_turn.next = (self.r.q.row.val() + 1) & self.last_row.val();
        }

        // Who wakes is in its place when all have been looked at, and the head once more.
        self.waker.d.waking.next = self.waker.q.waking.val()
            && (self.waker.q.mask.val().any() || self.waker.q.round.val().any());
        self.waker.d.warp.next = self.waker.q.warp.val();
        self.waker.d.mask.next = self.waker.q.mask.val();
        self.waker.d.split.next = self.waker.q.split.val();
        self.waker.d.round.next = self.waker.q.round.val();
        self.waker.d.mark.next = self.waker.q.mark.val();
        if self.wakes.val() {
            self.waker.d.split.next = self.first_part.val();
            if !self.first_part.val() {
                self.waker.d.mask.next = self.waker.q.mask.val() & !self.offer_mask.val();
            }
            self.waker.d.round.next = 2.into();
            self.waker.d.mark.next = self.r.q.row.val();
        } else if self.act.val() && self.ours.val() {
            if self.waker.q.round.val().get_bit(0) {
                self.waker.d.round.next = 0.into();
            } else if self.waker.q.round.val().get_bit(1)
                && (!self.r.q.read.val() || (self.r.q.row.val() == self.waker.q.mark.val()))
            {
                self.waker.d.round.next = 1.into();
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

        // Does the warp want another pass? As long as there is a path to look at, or one
        // that can become the head.
        self.more.next = (self.new_used.val() & !self.new_asleep.val()).any();
        self.again.next = self.more.val();
        if self.r.q.dead.val() && self.stands.val() {
            self.again.next = true;
        }
        self.w.d.want.next = self.w.q.want.val();
        if self.r.q.valid.val() {
            self.w.d.want.next = self.w.q.want.val() & !self.bit.val();
            if self.again.val() {
                self.w.d.want.next = self.w.q.want.val() | self.bit.val();
            }
        }
        self.want.next = self.w.q.want.val() | self.waking.val();

        // Who has used its runner-up looks at other rows before it goes on, if there is
        // something in them.
        self.looks.next = self.r.q.filled.val().get_bits::<2>(1) & self.looks_most.val();
        if self.pushing.val() {
            self.looks.next = self.r.q.filled.val().get_bits::<2>(0) & self.looks_most.val();
        }
        self.w.d.due.next = self.w.q.due.val();
        self.w.d.twice.next = self.w.q.twice.val();
        if self.r.q.valid.val() {
            self.w.d.due.next =
                (self.w.q.due.val() & !self.bit.val()) | (self.w.q.twice.val() & self.bit.val());
            self.w.d.twice.next = self.w.q.twice.val() & !self.bit.val();
            if self.r.q.switched.val() && self.looks.val().get_bit(0) {
                self.w.d.due.next = self.w.q.due.val() | self.bit.val();
            }
            if self.r.q.switched.val() && self.looks.val().get_bit(1) {
                self.w.d.twice.next = self.w.q.twice.val() | self.bit.val();
            }
        }
        self.due.next = self.w.q.due.val();
    }
}
