//! The cold context table that keeps up: per warp T words in block RAM, paths and parked
//! groups, in up to four rings beside each other (`columns`), a memory per ring.
//!
//! A pass of the unit (an update, or a cycle of its own) reads the row of the first words
//! of the warp's rings. Then that row meets the new runner-up: a path at the
//! same place merges with it, and the first path, if it is better, is exchanged for it.
//! (So paths that wait at a join come together although none of them is the first.)
//! What is no better goes behind the last word of its ring, what is pushed behind that of
//! the shortest one, so that none is ever longer than T by the number of rings. (In such a
//! pass the row has to wait: a ring has one write port.) Where the rings begin, how
//! long they are and how many of the words are paths lies in a memory that is read a
//! cycle before.
//!
//! A row of four is a quarter of what there can be at T = 16: after four passes the
//! runner-up is the first of all. With one word per pass, as published (`cold.rs`), it
//! takes fourteen, and a program of short blocks has gone elsewhere by then.
//!
//! ```text
//! cycle 0   address of the rings: who may have a pass next
//! cycle 1   compact-sort compares; address = first words of the warp
//! cycle 2   compact-sort sorts; which is the first path of that row; who of it wakes, and
//!           whether it is looked at (these, or half of them, in cycle 3 where words come out
//!           of block RAM, T >= 32)
//! cycle 3   that and the runner-up: decide; write runner-up, rings, words (the latter in cycle 4
//!           where words come out of block RAM)
//! ```
//!
//! When the head has left and the runner-up took its place, the warp waits until it has
//! looked at more rows, if there are others (`looks`).
//!
//! Threads wake as their groups come by, one group in a pass, and nothing else moves. A
//! group that wakes as a whole is a path from then on. Of another those that wake are
//! pushed, and in the next pass they leave it.
//!
//! Long, because decision, push and next read are one cycle's work on the same words.

use super::first::{First, Limit};
use super::path::{PathIn, PathOut, PathRam};
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits, fresh_vec};

/// Rings of a warp, which is the words of a row.
pub(super) fn columns(t: usize) -> usize {
    match t {
        2 | 8 | 32.. => 2,
        16 => 4,
        _ => 1,
    }
}

/// Words of a ring, at most.
pub(super) fn length(t: usize) -> usize {
    t / columns(t)
}

/// Do words come late out of their memory? From 32 threads on that is block RAM.
fn late(t: usize) -> usize {
    usize::from(t >= 32)
}

/// A memory of words. (The next row of a warp is read two cycles after the last one was decided on, at
/// the earliest: words that come late may go late, too.)
fn words<const T: usize>(depth: usize, late: usize) -> PathRam<T, 39> {
    if late == 0 { PathRam::new(depth) } else { PathRam::patient(depth) }
}

/// Rows to look at before the warp goes on. (At T = 4 that is all there can be.)
fn looks(t: usize) -> usize {
    match t {
        ..4 | 8 => 1,
        4 | 16 => 2,
        _ => 4,
    }
}

regs! {
    /// What the rings are like, while their first words are read.
    pub struct Begun [] [] / BegunD, BegunQ {
        base: [U<5>; 4],
        total: [U<6>; 4],
        some: U<4>,
        shortest: U<4>,
        most: U<6>,
        paths: U<7>,
    }
}

regs! {
    /// Between compact-sort and the runner-up.
    pub struct Seen [const T: usize] [T] / SeenD, SeenQ {
        valid: Bit = false,
        /// The first pass after reset.
        start: Bit = false,
        warp: U<5>,
        /// Its rings, and those with a word, which was read.
        base: [U<5>; 4],
        total: [U<6>; 4],
        some: U<4>,
        /// The shortest one, and how long the longest is.
        shortest: U<4>,
        most: U<6>,
        /// One more, and one less.
        longer: [U<6>; 4],
        shorter: [U<6>; 4],
        /// Words that are paths; one more, and one less.
        paths: U<7>,
        paths_more: U<7>,
        paths_less: U<7>,
        /// The words: key and whether it is a group, and mask.
        info: [U<39>; 4],
        mask: [U<T>; 4],
        /// The first path of them.
        best: U<4>,
        /// Threads of the warp wake.
        ours: Bit,
        /// Nothing is pushed; and the row is looked at and there is no runner-up, but a path that
        /// can be it.
        act: Bit = false,
        fills: Bit = false,
        /// What is not compared with the runner-up: no path, or the row is not looked at.
        skip: U<4> = 15,
        /// Those of this group wake; not all of its threads do, and it is the first pass of that.
        sleeper: U<4> = 0,
        part: Bit = false,
        first_part: Bit = false,
        /// There is no head.
        dead: Bit,
        /// The runner-up has become the head.
        switched: Bit = false,
        /// The runner-up; each bit of its key inverted.
        second: Bit,
        key_not: U<38>,
        second_mask: U<T>,
        push: Bit = false,
        /// What is pushed is a group that parks. (Without a push, the runner-up.)
        park: Bit,
        push_key: U<38>,
        push_mask: U<T>,
    }
}

regs! {
    /// Of words that come late, between the same: who wakes is then found out in cycle 3.
    pub struct Roused [] [] / RousedD, RousedQ {
        /// Groups of the row that may wake.
        can: U<4> = 0,
        /// Words of a row that is looked at; and those that end that if they are groups.
        seen: U<4> = 0,
        stirs: U<4> = 0,
        /// Bit n: some wake of threads n, n + 4 and so on; some do not.
        some: [U<4>; 4],
        rest: [U<4>; 4],
        /// It is not the first pass of a group of which not all wake.
        split: Bit,
    }
}

regs! {
    /// A bit per warp.
    pub struct Wishes [] [] / WishesD, WishesQ {
        /// It wants a pass.
        want: U<32> = 0,
        /// It waits for one, for as many more.
        due: [U<32>; 5] = 0,
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
        /// Passes until all paths were looked at since, and the head compared.
        left: U<6> = 0,
    }
}

block! {
    /// A word per warp, in one memory.
    pub struct RingRam [] [] fn new(threads: usize, depth: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub write: Signal<In, Bit>,
            pub write_address: Signal<In, U<16>>,
            pub write_base: Vec<Signal<In, U<5>>> = fresh_vec(columns(threads)),
            pub write_total: Vec<Signal<In, U<6>>> = fresh_vec(columns(threads)),
            pub write_paths: Signal<In, U<7>>,
            pub read_address: Signal<In, U<16>>,
        }
        output {
            /// Where each ring begins, and its length.
            pub base: Vec<Signal<Out, U<5>>> = fresh_vec(columns(threads)),
            pub total: Vec<Signal<Out, U<6>>> = fresh_vec(columns(threads)),
            /// How many of the words are paths.
            pub paths: Signal<Out, U<7>>,
        }
        plain {
            _threads: usize = threads,
            pub _mem: Vec<Rings> = vec![Default::default(); depth],
        }
    }
}

/// Base and length of each ring, and paths.
type Rings = ([(U<5>, U<6>); 4], U<7>);

/// Bits of a base, a length, and the number of paths.
fn field_bits(t: usize) -> [usize; 3] {
    let bits = length(t).ilog2() as usize;
    [bits, bits + 1, t.ilog2() as usize + 1]
}

/// State bits of one warp.
pub(super) fn ring_bits(t: usize) -> usize {
    let [base, total, paths] = field_bits(t);
    columns(t) * (base + total) + paths
}

impl Logic for RingRam {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let read = self._mem.get(self.read_address.at_edge().index()).copied();
        let (rings, paths) = read.unwrap_or_default();
        self.paths.next = paths;
        for (i, (base, total)) in rings.into_iter().enumerate().take(self.base.len()) {
            self.base[i].next = base;
            self.total[i].next = total;
        }
        if self.write.at_edge()
            && let Some(word) = self._mem.get_mut(self.write_address.at_edge().index())
        {
            // What is not stored is zero.
            let [base, total, paths] = field_bits(self._threads).map(|n| (1 << n) - 1);
            for i in 0..self.base.len() {
                word.0[i].0 = self.write_base[i].at_edge() & U::new(base);
                word.0[i].1 = self.write_total[i].at_edge() & U::new(total);
            }
            word.1 = self.write_paths.at_edge() & U::new(paths);
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        let [base, total, paths] = field_bits(self._threads);
        let (mut read, mut write, mut clear) = (Vec::new(), Vec::new(), String::new());
        let mut field = |name: String, width: usize, bits: usize| {
            clear += &format!("{name} <= {width}'d0;\n");
            if bits > 0 {
                read.push(format!("{name}[{}:0]", bits - 1));
                write.push(format!("write_{name}[{}:0]", bits - 1));
            }
        };
        for i in 0..self.base.len() {
            field(format!("base${i}"), 5, base);
            field(format!("total${i}"), 6, total);
        }
        field("paths".into(), 7, paths);
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] mem [0:{}];\n\
             always @(posedge clock) begin\n\
             {clear}\
             {{{}}} <= mem[read_address[{top}:0]];\n\
             if (write) mem[write_address[{top}:0]] <= {{{}}};\n\
             end\n",
            ring_bits(self._threads) - 1,
            depth - 1,
            read.join(", "),
            write.join(", "),
        ))
    }
}

block! {
    /// See the file.
    pub struct Rows [const T: usize] [T] fn new(warps: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// In two cycles there may be a pass of this warp.
            pub soon_warp: Signal<In, U<5>>,
            /// In the next cycle there may be a pass of this warp...
            pub next_warp: Signal<In, U<5>>,
            /// ..., the first one after reset.
            pub next_start: Signal<In, Bit>,
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
            /// ... and pushes this one (if none, it is the runner-up again) ...
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
            /// (Each bit of its key inverted: so what compares it later adds.)
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
            base: Vec<Signal<Local, U<5>>> = fresh_vec(columns(T)),
            total: Vec<Signal<Local, U<6>>> = fresh_vec(columns(T)),
            some: Signal<Local, U<4>>,
            any: Signal<Local, Bit>,
            least: Signal<Local, U<6>>,
            most: Signal<Local, U<6>>,
            shortest: Signal<Local, U<4>>,
            pushing: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            walks: Signal<Local, U<4>>,
            bit: Signal<Local, U<32>>,
            groups: Signal<Local, U<4>>,
            group: Signal<Local, Bit>,
            hits: Signal<Local, U<4>>,
            hit: Signal<Local, Bit>,
            wakes: Signal<Local, Bit>,
            looking: Signal<Local, Bit>,
            some_group: Signal<Local, Bit>,
            rests: Signal<Local, Bit>,
            chosen: Signal<Local, U<4>>,
            offer_key: Signal<Local, U<38>>,
            chief: Signal<Local, U<T>>,
            woken: Signal<Local, U<T>>,
            joined: Signal<Local, U<T>>,
            parts: Signal<Local, Bit>,
            whole: Signal<Local, Bit>,
            first_part: Signal<Local, Bit>,
            stay: Signal<Local, U<T>>,
            merged: Signal<Local, U<4>>,
            equals: Signal<Local, U<4>>,
            equal: Signal<Local, Bit>,
            better: Signal<Local, Bit>,
            fills: Signal<Local, Bit>,
            stands: Signal<Local, Bit>,
            removes: Signal<Local, Bit>,
            adds: Signal<Local, Bit>,
            new_key: Signal<Local, U<39>>,
            new_mask: Signal<Local, U<T>>,
            takes: Signal<Local, Bit>,
            pops: Signal<Local, Bit>,
            appends: Signal<Local, Bit>,
            base_read: Signal<Local, U<5>>,
            total_read: Signal<Local, U<6>>,
            tail: Signal<Local, U<5>>,
            new_base: Signal<Local, U<5>>,
            new_total: Signal<Local, U<6>>,
            new_paths: Signal<Local, U<7>>,
            ours: Signal<Local, Bit>,
            sleepers: Signal<Local, U<4>>,
            sleeper: Signal<Local, U<4>>,
            part: Signal<Local, Bit>,
            up: Signal<Local, U<T>>,
            down: Signal<Local, U<T>>,
            some_up: Signal<Local, U<4>>,
            some_down: Signal<Local, U<4>>,
            again: Signal<Local, Bit>,
            several: Signal<Local, Bit>,
            high: Signal<Local, Bit>,
            deep: Signal<Local, U<5>>,
            rows: Signal<Local, U<5>>,
            more: Signal<Local, Bit>,
            wanted: Signal<Local, Bit>,
        }
        part {
            begun: Begun = Begun::new(),
            pub(super) r: Seen<T> = Seen::new(),
            roused: Vec<Roused> = (0..late(T)).map(|_| Roused::new()).collect(),
            pub(super) w: Wishes = Wishes::new(),
            pub(super) waker: Alarm<T> = Alarm::new(),
            pub(super) rings: RingRam = RingRam::new(T, super::WARPS),
            /// Key, mask, and whether it is a group.
            pub(super) words: Vec<PathRam<T, 39>> =
                (0..columns(T)).map(|_| words(warps * length(T), late(T))).collect(),
            first: First = First::new(columns(T), late(T)),
            limit: Limit = Limit::new(columns(T)),
            // Masks that tell synthesis which bits can be set.
            wrap: Constant<U<5>> = Constant::new(U::new(length(T) as u64 - 1)),
            longest: Constant<U<6>> = Constant::new(U::new(2 * length(T) as u64 - 1)),
            all_paths: Constant<U<7>> = Constant::new(U::new(2 * T as u64 - 1)),
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            shift: Constant<U<4>> = Constant::new(U::new(length(T).ilog2().into())),
            one_of: Vec<Constant<U<4>>> =
                (0..columns(T)).map(|i| Constant::new(U::new(1 << i))).collect(),
            before: Vec<Constant<U<4>>> =
                (0..columns(T)).map(|i| Constant::new(U::new((1 << i) - 1))).collect(),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
            every: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
        }
        plain {
            _columns: usize = columns(T),
            _looks: usize = looks(T),
            _late: usize = late(T),
            _early: usize = 1 - late(T),
            _folds: usize = T / 4,
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
        self.rings.clock.next = self.clock.val();
        self.begun.clock.next = self.clock.val();
        self.begun.reset.next = self.reset.val();

        // Cycle 0.
        self.rings.read_address.next = self.soon_warp.val().to_bits::<16>();

        // Cycle 1. Where the rings begin, and which is the shortest.
        for i in 0..4 {
            self.begun.d.base[i].next = 0.into();
            self.begun.d.total[i].next = 0.into();
        }
        self.some.next = 0.into();
        for i in 0..self._columns {
            self.base[i].next = self.rings.base[i].val() & self.wrap.val();
            self.total[i].next = self.rings.total[i].val() & self.longest.val();
            self.words[i].clock.next = self.clock.val();
            self.words[i].read_address.next = self.next_warp.val().to_bits::<16>()
                << self.shift.val()
                | self.base[i].val().to_bits::<16>();
            self.any.next = self.total[i].val().any();
            self.some.next = self.some.val().replace_bit(i, self.any.val());
            self.begun.d.base[i].next = self.base[i].val();
            self.begun.d.total[i].next = self.total[i].val();
            if self.next_start.val() {
                self.begun.d.total[i].next = 0.into();
            }
        }
        for i in 0..1 {
            self.least.next = self.total[i].val();
            self.most.next = self.total[i].val();
            self.shortest.next = self.one_of[i].val();
        }
        for i in 1..self._columns {
            if self.total[i].val() < self.least.val() {
                self.least.next = self.total[i].val();
                self.shortest.next = self.one_of[i].val();
            }
            if self.total[i].val() >= self.most.val() {
                self.most.next = self.total[i].val();
            }
        }
        self.begun.d.some.next = self.some.val();
        self.begun.d.most.next = self.most.val();
        self.begun.d.shortest.next = self.shortest.val();
        self.begun.d.paths.next = self.rings.paths.val() & self.all_paths.val();
        if self.next_start.val() {
            self.begun.d.some.next = 0.into();
            self.begun.d.most.next = 0.into();
            self.begun.d.paths.next = 0.into();
        }

        // Cycle 2. A group that wakes, and the first path of the row.
        for i in 0..4 {
            self.r.d.base[i].next = self.begun.q.base[i].val();
            self.r.d.total[i].next = self.begun.q.total[i].val();
            self.r.d.longer[i].next = (self.begun.q.total[i].val() + 1) & self.longest.val();
            self.r.d.shorter[i].next = (self.begun.q.total[i].val() - 1) & self.longest.val();
            self.r.d.info[i].next = 0.into();
            self.r.d.mask[i].next = 0.into();
        }
        self.r.d.some.next = self.begun.q.some.val();
        self.r.d.most.next = self.begun.q.most.val();
        self.r.d.shortest.next = self.begun.q.shortest.val();
        self.r.d.paths.next = self.begun.q.paths.val();
        self.r.d.paths_more.next = (self.begun.q.paths.val() + 1) & self.all_paths.val();
        self.r.d.paths_less.next = (self.begun.q.paths.val() - 1) & self.all_paths.val();
        self.ours.next = self.waker.q.waking.val() && (self.waker.q.warp.val() == self.warp.val());
        self.groups.next = 0.into();
        self.sleepers.next = 0.into();
        self.sleeper.next = 0.into();
        self.part.next = false;
        for i in 0..self._columns {
            self.r.d.info[i].next = self.words[i].info.val();
            self.r.d.mask[i].next = self.words[i].mask.val();
            self.group.next = self.words[i].info.val().get_bit(38);
            self.groups.next = self.groups.val().replace_bit(i, self.group.val());
            self.first.key[i].next = self.words[i].info.val().get_bits::<38>(0);
            for _once in 0..self._early {
                self.hit.next = self.ours.val()
                    && self.begun.q.some.val().get_bit(i)
                    && self.group.val()
                    && (self.words[i].mask.val() & self.waker.q.mask.val()).any();
                self.sleepers.next = self.sleepers.val().replace_bit(i, self.hit.val());
            }
        }
        for i in 0..self._columns {
            self.hit.next = self.sleepers.val().get_bit(i) && !self.sleeper.val().any();
            self.sleeper.next = self.sleeper.val().replace_bit(i, self.hit.val());
            if self.hit.val() {
                self.part.next = (self.words[i].mask.val() & !self.waker.q.mask.val()).any();
            }
        }
        self.walks.next = self.begun.q.some.val() & !self.groups.val();
        self.first.valid.next = self.walks.val();
        self.r.d.best.next = self.first.best.val();
        self.r.d.ours.next = self.ours.val();
        // Nobody else changes who is to wake until the next cycle. Only rows without groups are
        // looked at as long as some are to wake: it takes long to know that none of these does.
        self.act.next = self.pass.val() && !self.overflow.valid.val();
        self.some_group.next = (self.begun.q.some.val() & self.groups.val()).any();
        self.rests.next = self.ours.val() && self.some_group.val() && self.waker.q.mask.val().any();
        self.looking.next = self.act.val() && !self.rests.val();
        self.r.d.act.next = self.act.val();
        self.r.d.skip.next = 15.into();
        if self.looking.val() {
            self.r.d.skip.next = !self.walks.val();
        }
        self.r.d.fills.next =
            self.looking.val() && !self.second.valid.val() && self.walks.val().any();
        self.r.d.sleeper.next = 0.into();
        if self.act.val() {
            self.r.d.sleeper.next = self.sleeper.val();
        }
        self.r.d.part.next = self.act.val() && self.part.val();
        self.r.d.first_part.next = self.act.val() && self.part.val() && !self.waker.q.split.val();
        for l in 0..self._late {
            self.roused[l].clock.next = self.clock.val();
            self.roused[l].reset.next = self.reset.val();
            self.roused[l].d.can.next = 0.into();
            if self.act.val() && self.ours.val() {
                self.roused[l].d.can.next = self.begun.q.some.val() & self.groups.val();
            }
            self.roused[l].d.seen.next = 0.into();
            if self.act.val() {
                self.roused[l].d.seen.next = self.begun.q.some.val();
            }
            self.roused[l].d.stirs.next = 0.into();
            if self.ours.val() && self.waker.q.mask.val().any() {
                self.roused[l].d.stirs.next = self.begun.q.some.val();
            }
            self.roused[l].d.split.next = self.waker.q.split.val();
            for i in 0..4 {
                self.roused[l].d.some[i].next = 0.into();
                self.roused[l].d.rest[i].next = 0.into();
            }
            for i in 0..self._columns {
                self.up.next = self.words[i].mask.val() & self.waker.q.mask.val();
                self.down.next = self.words[i].mask.val() & !self.waker.q.mask.val();
                self.some_up.next = self.up.val().get_bits::<4>(0);
                self.some_down.next = self.down.val().get_bits::<4>(0);
                for _fold in 1..self._folds {
                    self.up.next = self.up.val() >> 4;
                    self.down.next = self.down.val() >> 4;
                    self.some_up.next = self.some_up.val() | self.up.val().get_bits::<4>(0);
                    self.some_down.next = self.some_down.val() | self.down.val().get_bits::<4>(0);
                }
                self.roused[l].d.some[i].next = self.some_up.val();
                self.roused[l].d.rest[i].next = self.some_down.val();
            }
        }
        self.r.d.valid.next = self.pass.val();
        self.r.d.start.next = self.start.val();
        self.r.d.warp.next = self.warp.val();
        self.r.d.dead.next = self.dead.val();
        self.r.d.switched.next = self.pass.val() && self.switched.val();
        self.r.d.second.next = self.second.valid.val();
        self.r.d.key_not.next = !self.second.key.val();
        self.r.d.second_mask.next = self.second.mask.val();
        self.r.d.push.next = self.pass.val() && self.overflow.valid.val();
        self.r.d.park.next = self.park.val();
        self.r.d.push_key.next = self.overflow.key.val();
        self.r.d.push_mask.next = self.overflow.mask.val();

        // Cycle 3. A group that wakes, or else the first path of the row.
        self.pushing.next = self.r.q.push.val();
        self.bit.next = self.lsb.val() << self.r.q.warp.val();
        self.hits.next = self.r.q.sleeper.val();
        self.parts.next = self.r.q.part.val();
        self.first_part.next = self.r.q.first_part.val();
        for l in 0..self._late {
            for i in 0..self._columns {
                self.hit.next = self.roused[l].q.can.val().get_bit(i)
                    && self.roused[l].q.some[i].val().any()
                    && !self.hits.val().any();
                self.hits.next = self.hits.val().replace_bit(i, self.hit.val());
                if self.hit.val() {
                    self.parts.next = self.roused[l].q.rest[i].val().any();
                }
            }
            self.first_part.next = self.parts.val() && !self.roused[l].q.split.val();
        }
        self.wakes.next = self.hits.val().any();
        self.limit.bounded.next = self.r.q.second.val();
        self.limit.bound_not.next = self.r.q.key_not.val();
        self.limit.skip.next = self.r.q.skip.val();
        // Which words are groups is known later too, and what follows from that.
        for l in 0..self._late {
            self.groups.next = 0.into();
            for i in 0..self._columns {
                self.group.next = self.r.q.info[i].val().get_bit(38);
                self.groups.next = self.groups.val().replace_bit(i, self.group.val());
            }
            self.walks.next = self.roused[l].q.seen.val() & !self.groups.val();
            if (self.roused[l].q.stirs.val() & self.groups.val()).any() {
                self.walks.next = 0.into();
            }
            self.limit.skip.next = !self.walks.val();
        }
        for i in 0..self._columns {
            self.limit.key[i].next = self.r.q.info[i].val().get_bits::<38>(0);
        }
        self.chosen.next = self.r.q.best.val();
        if self.wakes.val() {
            self.chosen.next = self.hits.val();
        }
        // (If there is none it may be any.)
        for i in 0..1 {
            self.offer_key.next = self.r.q.info[i].val().get_bits::<38>(0);
        }
        for i in 1..self._columns {
            if self.chosen.val().get_bit(i) {
                self.offer_key.next = self.r.q.info[i].val().get_bits::<38>(0);
            }
        }
        self.whole.next = self.wakes.val() && !self.parts.val();
        // One at the place of the runner-up merges with it.
        self.equals.next = self.limit.equal.val();
        self.equal.next = self.equals.val().any();
        self.merged.next = 0.into();
        for i in 0..self._columns {
            self.hit.next =
                self.equals.val().get_bit(i) && !(self.equals.val() & self.before[i].val()).any();
            self.merged.next = self.merged.val().replace_bit(i, self.hit.val());
        }
        // Where there is no runner-up any path is better.
        self.fills.next = self.r.q.fills.val();
        for _once in 0..self._late {
            self.fills.next = !self.r.q.second.val() && self.walks.val().any();
        }
        self.better.next = self.limit.below.val().any();
        self.stands.next = self.r.q.second.val() || self.better.val();
        self.met.next = self.equal.val();
        self.write.next = self.r.q.valid.val();
        self.write_warp.next = self.r.q.warp.val();
        self.best.valid.next = self.stands.val();
        self.best.key.next = self.r.q.key_not.val();
        if self.better.val() {
            self.best.key.next = !self.offer_key.val();
        }
        // Masks of the best path and of the group that wakes, which may be any if there is none, and
        // of what merges. That it does is known last.
        for i in 0..1 {
            self.chief.next = self.r.q.mask[i].val();
            self.woken.next = self.r.q.mask[i].val();
        }
        for i in 1..self._columns {
            if self.r.q.best.val().get_bit(i) {
                self.chief.next = self.r.q.mask[i].val();
            }
            if self.hits.val().get_bit(i) {
                self.woken.next = self.r.q.mask[i].val();
            }
        }
        self.joined.next = 0.into();
        for i in 0..self._columns {
            if self.merged.val().get_bit(i) {
                self.joined.next = self.joined.val() | self.r.q.mask[i].val();
            }
        }
        self.best.mask.next = self.r.q.second_mask.val() | self.joined.val();
        if self.better.val() {
            self.best.mask.next = self.chief.val();
        }

        // A word each goes behind the last: what was the first, or what is new: those of a group
        // that go on, or what is pushed; or the runner-up so far, with what merges with it, in the
        // place of a better path. (Nothing merges where something is pushed.)
        self.adds.next = self.pushing.val() || self.first_part.val();
        self.new_key.next = self.r.q.push_key.val().to_bits::<39>();
        self.new_mask.next = self.r.q.push_mask.val() | self.joined.val();
        if self.first_part.val() {
            self.new_key.next = self.offer_key.val().to_bits::<39>();
            self.new_mask.next = self.woken.val() & self.waker.q.mask.val();
        } else if self.pushing.val() && self.r.q.park.val() {
            self.new_key.next =
                self.r.q.push_key.val().to_bits::<39>() | self.lsb.val().to_bits::<39>() << 38;
        }
        self.stay.next = self.every.val();
        if self.parts.val() {
            self.stay.next = !self.waker.q.mask.val();
        }
        for i in 0..self._columns {
            self.base_read.next = self.r.q.base[i].val();
            self.total_read.next = self.r.q.total[i].val();
            self.takes.next =
                self.adds.val() || (self.better.val() && self.r.q.best.val().get_bit(i));
            self.pops.next = self.r.q.some.val().get_bit(i)
                && ((self.r.q.act.val() && !self.wakes.val())
                    || (self.hits.val().get_bit(i) && !self.first_part.val()));
            self.appends.next = (self.adds.val() && self.r.q.shortest.val().get_bit(i))
                || (self.pops.val()
                    && !self.merged.val().get_bit(i)
                    && !(self.fills.val() && self.r.q.best.val().get_bit(i)));
            self.tail.next =
                (self.base_read.val() + self.total_read.val().get_bits::<5>(0)) & self.wrap.val();
            self.words[i].write.next = self.appends.val();
            self.words[i].write_address.next = self.r.q.warp.val().to_bits::<16>()
                << self.shift.val()
                | self.tail.val().to_bits::<16>();
            self.words[i].write_info.next = self.r.q.info[i].val();
            self.words[i].write_mask.next = self.r.q.mask[i].val() & self.stay.val();
            if self.whole.val() {
                self.words[i].write_info.next =
                    self.r.q.info[i].val().get_bits::<38>(0).to_bits::<39>();
            }
            if self.takes.val() {
                self.words[i].write_info.next = self.new_key.val();
                self.words[i].write_mask.next = self.new_mask.val();
            }
            self.new_base.next = self.base_read.val();
            if self.pops.val() {
                self.new_base.next = (self.base_read.val() + 1) & self.wrap.val();
            }
            // What goes behind the last word, but for one that is new, was the first.
            self.new_total.next = self.total_read.val();
            if self.adds.val() && self.r.q.shortest.val().get_bit(i) {
                self.new_total.next = self.r.q.longer[i].val();
            } else if self.merged.val().get_bit(i)
                || (self.fills.val() && self.r.q.best.val().get_bit(i))
            {
                self.new_total.next = self.r.q.shorter[i].val();
            }
            self.rings.write_base[i].next = self.new_base.val();
            self.rings.write_total[i].next = self.new_total.val();
        }
        self.removes.next = self.equal.val() || self.fills.val();
        self.new_paths.next = self.r.q.paths.val();
        if (self.pushing.val() && !self.r.q.park.val()) || self.first_part.val() || self.whole.val()
        {
            self.new_paths.next = self.r.q.paths_more.val();
        } else if self.removes.val() {
            self.new_paths.next = self.r.q.paths_less.val();
        }
        self.rings.write.next = self.r.q.valid.val();
        self.rings.write_address.next = self.r.q.warp.val().to_bits::<16>();
        self.rings.write_paths.next = self.new_paths.val();

        // Who wakes is in its place when all have been looked at, and the head once more.
        self.waker.d.waking.next = self.waker.q.waking.val()
            && (self.waker.q.mask.val().any() || self.waker.q.left.val().any());
        self.waker.d.warp.next = self.waker.q.warp.val();
        self.waker.d.mask.next = self.waker.q.mask.val();
        self.waker.d.split.next = self.waker.q.split.val();
        self.waker.d.left.next = self.waker.q.left.val();
        if self.wakes.val() {
            self.waker.d.split.next = self.first_part.val();
            if !self.first_part.val() {
                self.waker.d.mask.next = self.waker.q.mask.val() & !self.woken.val();
            }
            self.waker.d.left.next = (self.r.q.most.val() + 1) & self.longest.val();
        } else if self.r.q.act.val() && self.r.q.ours.val() && self.waker.q.left.val().any() {
            self.waker.d.left.next = (self.waker.q.left.val() - 1) & self.longest.val();
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
        self.several.next = self.r.q.paths.val().get_bits::<6>(1).any();
        // (While groups are to wake it wants one anyhow: so the rest need not know.)
        self.again.next = self.several.val()
            || (self.r.q.paths.val().get_bit(0) && !self.removes.val())
            || (self.pushing.val() && !self.r.q.park.val())
            || self.wakes.val()
            || (self.r.q.dead.val() && self.stands.val());
        self.w.d.want.next = self.w.q.want.val();
        if self.r.q.valid.val() {
            self.w.d.want.next = self.w.q.want.val() & !self.bit.val();
            if self.again.val() {
                self.w.d.want.next = self.w.q.want.val() | self.bit.val();
            }
        }
        self.want.next = self.w.q.want.val() | self.waking.val();

        // Who has used its runner-up looks at other rows before it goes on, if there is
        // a path in them.
        // Bit n of `deep`: the longest ring has more than n words.
        self.high.next = self.r.q.most.val().get_bits::<4>(2).any();
        self.deep.next = 0.into();
        self.more.next = self.r.q.most.val().any();
        self.deep.next = self.deep.val().replace_bit(0, self.more.val());
        self.more.next = self.high.val() || self.r.q.most.val().get_bit(1);
        self.deep.next = self.deep.val().replace_bit(1, self.more.val());
        self.more.next = self.high.val() || self.r.q.most.val().get_bits::<2>(0).all();
        self.deep.next = self.deep.val().replace_bit(2, self.more.val());
        self.deep.next = self.deep.val().replace_bit(3, self.high.val());
        self.more.next = self.r.q.most.val().get_bits::<3>(3).any()
            || (self.high.val() && self.r.q.most.val().get_bits::<2>(0).any());
        self.deep.next = self.deep.val().replace_bit(4, self.more.val());
        self.rows.next = 0.into();
        if self.r.q.switched.val() && self.pushing.val() && self.r.q.paths.val().any() {
            self.rows.next = self.deep.val();
        } else if self.r.q.switched.val() && self.several.val() {
            self.rows.next = self.deep.val() >> 1;
        }
        for i in 0..5 {
            self.w.d.due[i].next = 0.into();
        }
        for i in 0..self._looks {
            self.wanted.next = self.rows.val().get_bit(i);
            self.w.d.due[i].next = self.w.q.due[i].val();
            if self.r.q.valid.val() {
                self.w.d.due[i].next = (self.w.q.due[i].val() & !self.bit.val())
                    | (self.w.q.due[i + 1].val() & self.bit.val());
                if self.wanted.val() {
                    self.w.d.due[i].next = self.w.q.due[i].val() | self.bit.val();
                }
            }
        }
        self.due.next = self.w.q.due[0].val();
    }
}
