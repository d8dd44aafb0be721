//! `hct`: two hot paths per warp and a cold table (Collange & Brunie 2017,
//! section 3.2), one slot, one pipe.
//!
//! The head `x` is the path that executes, the runner-up `y` replaces it at
//! once. An update turns the head into up to two successors, which compact-sort
//! puts in order with the runner-up; a third path goes to the cold table, and so
//! does the runner-up if a better path lies there.
//!
//! ```text
//!              +--------------+        +------+
//!  a, b -----> |              | x ---> | head | ---> lookup, redirect
//!              | compact-sort | y ---> |  y   | <--> cold table: best of the rest
//!        +---> |              | z ------------------> cold table: push
//!        |     +--------------+        +------+
//!        +--------- y of the warp ---------+
//! ```
//!
//! Head and runner-up lie in block RAM; who is asked next is known a cycle before
//! (`soon` for the head, the lookup for the runner-up). Nothing is forwarded past
//! the memories: a warp issues in every fourth cycle at most, `eligible` sees to it.
//!
//! ```text
//! cycle   t-2       t-1            t             t+1                   t+2
//! update  x addr.   lookup         compact-sort: sort; write head,     runner-up against the
//!                   y address      compare       redirect              first of the cold table;
//!                                                                      write runner-up
//! ```
//!
//! When no instruction is in stage 6 in `t-2`, the place in `t` is free for a *pass* of
//! a warp whose runner-up has to come up: because there is no head, or the cold table
//! has become better. It is like an update whose only successor is the head itself.
//! The first passes write the heads after reset.
//!
//! Long, because a kernel has no functions, and all of it decides on the same head.

pub mod cold;
pub mod compact;
pub mod first;
pub mod path;
pub mod rows;

use crate::config::{Ccs, Cct, CoreConfig};
use crate::divergence::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;
use cold::Cold;
use compact::{NetworkSort, ParallelSort};
use path::PathRam;
use rows::Rows;

#[cfg(test)]
mod bench;
#[cfg(test)]
mod compact_tests;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod quality;
#[cfg(test)]
mod tests;

/// Words of a memory with one word per warp: a block of RAM is never smaller, and tools
/// make flip-flops of a memory that looks too small for one.
const WARPS: usize = 32;

const SHAPE: Shape = Shape { slots: 1, pipes: 1, redirects: 1 };

regs! {
    /// A bit per warp each, and the next pass.
    pub struct Places [] [] / PlacesD, PlacesQ {
        /// There is a head.
        alive: U<32> = 0,
        /// The heads are written since reset.
        started: Bit = false,
        /// A pass of this warp; before `started` the next head to write.
        pass: Bit = false,
        pass_warp: U<5> = 0,
        /// The one after it, and whose it was last.
        coming: Bit = false,
        coming_warp: U<5> = 0,
        /// Who is to come when stage 6 is free.
        ready: Bit = false,
        ready_warp: U<5> = 0,
        /// In the last cycle a warp had no head, or waited.
        hurry: Bit = false,
        /// Whose head was read in the last cycle, and in the one before.
        reading: U<32> = 0,
        read_before: U<32> = 0,
        /// Who wanted a pass.
        wishes: U<32> = 0,
        /// Cycles that a warp without head waits for its pass.
        waited: U<4> = 0,
        /// While warps wait for a pass every fourth cycle is left to it.
        pace: U<2> = 0,
        /// Who issued in the cycle before the last.
        rested: U<32> = 0,
        /// Who issued in that cycle or the one before, or waits for a pass; or all, while
        /// nobody may issue.
        rests: U<32> = 0xffff_ffff,
        /// Where the memories were read.
        x_at: U<5>,
        y_at: U<5>,
    }
}

regs! {
    /// The head that was read in the last cycle: a pass needs it, an update its epoch.
    pub struct Held [const T: usize] [T] / HeldD, HeldQ {
        alive: Bit,
        epoch: U<4>,
        /// 0 as long as not all heads are written.
        key: U<38> = 0,
        mask: U<T>,
    }
}

regs! {
    /// What compact-sort is about, in its second cycle.
    pub struct Sorting [] [] / SortingD, SortingQ {
        /// An update, a pass, or one of the first passes.
        update: Bit = false,
        pass: Bit = false,
        start: Bit = false,
        /// An update or one of the first passes, which nothing stops.
        sure: Bit = false,
        warp: U<5>,
        /// The update is refused.
        refused: Bit = false,
        /// It parks threads.
        parks: Bit,
        /// Epoch of the head so far.
        epoch: U<4>,
        /// The ring of `--cct paper`.
        ring: U<20>,
    }
}

block! {
    /// See the file.
    pub struct Hct [const T: usize] [T] fn new(config: &CoreConfig) {
        port { pub port: Shell<T> = Shell::new(SHAPE), }
        local {
            update: Signal<Local, Bit>,
            pass: Signal<Local, Bit>,
            start: Signal<Local, Bit>,
            warp: Signal<Local, U<5>>,
            look_warp: Signal<Local, U<5>>,
            soon_warp: Signal<Local, U<5>>,
            go_depth: Signal<Local, U<8>>,
            other_depth: Signal<Local, U<8>>,
            go_key: Signal<Local, U<38>>,
            other_key: Signal<Local, U<38>>,
            /// Whose first head is written.
            head_warp: Signal<Local, U<5>>,
            a_valid: Signal<Local, Bit>,
            a_key: Signal<Local, U<38>>,
            a_mask: Signal<Local, U<T>>,
            b_valid: Signal<Local, Bit>,
            parks: Signal<Local, Bit>,
            refused: Signal<Local, Bit>,
            c_valid: Signal<Local, Bit>,
            c_key: Signal<Local, U<38>>,
            x1: Signal<Local, Bit>,
            x1_key: Signal<Local, U<38>>,
            x1_mask: Signal<Local, U<T>>,
            // Is a path where the front-end went on?
            x1_here: Signal<Local, Bit>,
            a_here: Signal<Local, Bit>,
            b_here: Signal<Local, Bit>,
            c_here: Signal<Local, Bit>,
            y1: Signal<Local, Bit>,
            y1_key: Signal<Local, U<38>>,
            y1_mask: Signal<Local, U<T>>,
            z1: Signal<Local, Bit>,
            z1_key: Signal<Local, U<38>>,
            z1_mask: Signal<Local, U<T>>,
            passed: Signal<Local, Bit>,
            pairs: Signal<Local, U<2>>,
            merges: Signal<Local, U<2>>,
            goes_on: Signal<Local, Bit>,
            hurry: Signal<Local, U<32>>,
            passes: Signal<Local, Bit>,
            goes: Signal<Local, Bit>,
            moved: Signal<Local, Bit>,
            sort_bit: Signal<Local, U<32>>,
            x_info: Signal<Local, U<43>>,
            y_info: Signal<Local, U<59>>,
            next_epoch: Signal<Local, U<4>>,
            epoch: Signal<Local, U<4>>,
            dead: Signal<Local, U<32>>,
            want: Signal<Local, U<32>>,
            choice: Signal<Local, U<32>>,
            used: Signal<Local, Bit>,
            reads: Signal<Local, Bit>,
            x_warp: Signal<Local, U<5>>,
            x_bit: Signal<Local, U<32>>,
            y_warp: Signal<Local, U<5>>,
            later: Signal<Local, U<32>>,
            found: Signal<Local, Bit>,
            hit: Signal<Local, Bit>,
            first: Signal<Local, U<32>>,
            next: Signal<Local, U<32>>,
            found_warp: Signal<Local, U<5>>,
            next_warp: Signal<Local, U<5>>,
            able: Signal<Local, Bit>,
            stop: Signal<Local, Bit>,
            waits: Signal<Local, U<32>>,
            resting: Signal<Local, U<32>>,
            l_key: Signal<Local, U<38>>,
            l_pc: Signal<Local, U<30>>,
            l_depth: Signal<Local, U<8>>,
            l_epoch: Signal<Local, U<4>>,
            x_state: Signal<Local, U<5>>,
            y_ring: Signal<Local, U<20>>,
            state: Signal<Local, U<5>>,
            // From the cold table.
            wake_ready: Signal<Local, Bit>,
            met: Signal<Local, Bit>,
            cold_write: Signal<Local, Bit>,
            cold_warp: Signal<Local, U<5>>,
            new_ring: Signal<Local, U<20>>,
            best_valid: Signal<Local, Bit>,
            best_not: Signal<Local, U<38>>,
            best_mask: Signal<Local, U<T>>,
            waking: Signal<Local, U<32>>,
            cold_want: Signal<Local, U<32>>,
            cold_due: Signal<Local, U<32>>,
            switched: Signal<Local, Bit>,
        }
        part {
            pub(super) r: Places = Places::new(),
            held: Held<T> = Held::new(),
            pub(super) s: Sorting = Sorting::new(),
            /// With the epoch, and whether it lives.
            pub(super) x: PathRam<T, 43> =
 PathRam::narrow(WARPS, if aside::<T>(config, 5) { 38 } else { 43 }),
            /// With whether there is one, and the ring of `--cct paper`.
            pub(super) y: PathRam<T, 59> =
 PathRam::narrow(WARPS, if config.cct == Cct::Paper && !aside::<T>(config, 20) { 59 } else { 39 }),
            /// What lies beside them, see [`aside`].
            x_states: Vec<Table<5>> = (0..usize::from(aside::<T>(config, 5)))
                .map(|_| Table::data(config.warps as usize, 1, 1))
                .collect(),
            y_rings: Vec<Table<20>> =
                (0..usize::from(config.cct == Cct::Paper && aside::<T>(config, 20)))
                    .map(|_| Table::data(config.warps as usize, 1, 1))
                    .collect(),
            pub(super) parallel: Vec<ParallelSort<T>> =
                (0..usize::from(config.ccs == Ccs::Parallel)).map(|_| ParallelSort::new()).collect(),
            pub(super) network: Vec<NetworkSort<T>> =
                (0..usize::from(config.ccs == Ccs::Network)).map(|_| NetworkSort::new()).collect(),
            /// One of the two.
            pub(super) cold: Vec<Cold<T>> = (0..usize::from(config.cct == Cct::Paper))
                .map(|_| Cold::new(config.warps as usize))
                .collect(),
            pub(super) rows: Vec<Rows<T>> = (0..usize::from(config.cct == Cct::Rows))
                .map(|_| Rows::new(config.warps as usize))
                .collect(),
            // Masks that tell synthesis which bits can be set.
            last_warp: Constant<U<5>> = Constant::new(U::new(u64::from(config.warps) - 1)),
            warps: Constant<U<32>> = Constant::new(U::new((1 << config.warps) - 1)),
            depth_bits: Constant<U<8>> = Constant::new(U::new(key_bits(config) >> 30)),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
            /// Warps that issue nothing while threads of theirs wake: all. (Else warps whose every
            /// instruction is refused, because another wake waits, would leave no room for a pass.)
            holds: Constant<U<32>> = Constant::new(U::new(u64::MAX)),
            every: Constant<U<32>> = Constant::new(U::new(u64::MAX)),
            everyone: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            alive_at_reset: Constant<U<32>> = Constant::new(U::new(alive_at_reset(config).into())),
            reset_key: Constant<U<38>> = Constant::new(U::new(
                (0xff << 30 | u64::from(config.reset_pc / 4)) & key_bits(config)
            )),
            part_warp: Constant<U<5>> = Constant::new(U::new(part_warp(config).into())),
            part_mask: Constant<U<T>> =
                Constant::new(U::new(config.initial_mask(part_warp(config)))),
            trap: Constant<U<4>> = Constant::new(U::new(kind::TRAP)),
            replay: Constant<U<4>> = Constant::new(U::new(kind::REPLAY)),
            fence: Constant<U<4>> = Constant::new(U::new(kind::FENCE)),
        }
        plain {
            pub _parallel: usize = usize::from(config.ccs == Ccs::Parallel),
            pub _network: usize = usize::from(config.ccs == Ccs::Network),
            pub _warps: usize = config.warps as usize,
            pub _alive_at_reset: u32 = alive_at_reset(config),
            pub _cold: usize = usize::from(config.cct == Cct::Paper),
            pub _rows: usize = usize::from(config.cct == Cct::Rows),
            pub _depth_bits: usize = config.depth_bits as usize,
            _x_aside: usize = usize::from(aside::<T>(config, 5)),
            _y_aside: usize =
                usize::from(config.cct == Cct::Paper && aside::<T>(config, 20)),
        }
    }
}

crate::unit_port!([const T: usize] Hct<T>, T);

/// Do `more` bits lie beside a memory of paths, in flip-flops or distributed RAM? In a core
/// without bypass, which is built for little of everything, where it spares a block.
fn aside<const T: usize>(config: &CoreConfig, more: usize) -> bool {
    let blocks = |bits: usize| bits.div_ceil(36);
    !config.bypass && blocks(39 + T + more) > blocks(39 + T)
}

/// Bits of a key that are used.
fn key_bits(config: &CoreConfig) -> u64 {
    u64::from(config.max_depth()) << 30 | 0x3fff_ffff
}

/// Warps with live threads after reset.
fn alive_at_reset(config: &CoreConfig) -> u32 {
    (0..config.warps).filter(|&w| config.initial_mask(w) != 0).fold(0, |all, w| all | 1 << w)
}

/// The last warp with live threads: only that one can be alive in part.
fn part_warp(config: &CoreConfig) -> u32 {
    31 - alive_at_reset(config).leading_zeros()
}

impl<const T: usize> Unit<T> for Hct<T> {
    fn shape(&self) -> Shape {
        SHAPE
    }

    fn alive_at_reset(&self, _slot: usize) -> u32 {
        self._alive_at_reset
    }

    fn late_refusal(&self) -> bool {
        true
    }

    fn redirects_late(&self) -> bool {
        true
    }

    fn state_bits(&self) -> Vec<(&'static str, usize)> {
        let key = 30 + self._depth_bits;
        let mut tables = vec![("head", 1 + key + T + 4), ("runner-up", 1 + key + T)];
        if self._rows != 0 {
            tables.push(("rows", T * (key + 1 + T)));
            tables.push(("rings", rows::ring_bits(T)));
        } else {
            tables.push(("ring", T * (key + 1 + T)));
            tables.push(("pointers", 3 * T.ilog2() as usize + 3));
        }
        tables
    }
}

impl<const T: usize> Logic for Hct<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.port.io.clock.val();
        self.r.reset.next = self.port.io.reset.val();
        self.held.clock.next = self.port.io.clock.val();
        self.held.reset.next = self.port.io.reset.val() || !self.r.q.started.val();
        self.s.clock.next = self.port.io.clock.val();
        self.s.reset.next = self.port.io.reset.val();
        self.held.d.key.next = self.x.info.val().get_bits::<38>(0);
        self.x_state.next = self.x.info.val().get_bits::<5>(38);
        for i in 0..self._x_aside {
            self.x_states[i].clock.next = self.port.io.clock.val();
            self.x_states[i].reset.next = self.port.io.reset.val();
            self.x_states[i].read_address[0].next = self.r.q.x_at.val().to_bits::<8>();
            self.x_state.next = self.x_states[i].read_data[0].val();
        }
        self.held.d.epoch.next = self.x_state.val().get_bits::<4>(0);
        self.held.d.alive.next = self.x_state.val().get_bit(4);
        self.held.d.mask.next = self.x.mask.val();
        self.x.clock.next = self.port.io.clock.val();
        self.y.clock.next = self.port.io.clock.val();

        // What the cold table says, one of the two.
        self.wake_ready.next = false;
        self.met.next = false;
        self.cold_write.next = false;
        self.cold_warp.next = 0.into();
        self.new_ring.next = 0.into();
        self.waking.next = 0.into();
        self.cold_want.next = 0.into();
        self.cold_due.next = 0.into();
        self.best_valid.next = false;
        self.best_not.next = 0.into();
        self.best_mask.next = 0.into();
        for i in 0..self._cold {
            self.wake_ready.next = self.cold[i].wake_ready.val();
            self.met.next = self.cold[i].met.val();
            self.cold_write.next = self.cold[i].write.val();
            self.cold_warp.next = self.cold[i].write_warp.val();
            self.new_ring.next = self.cold[i].new_ring.val();
            self.waking.next = self.cold[i].waking.val();
            self.cold_want.next = self.cold[i].want.val();
            self.best_valid.next = self.cold[i].best.valid.val();
            self.best_not.next = self.cold[i].best.key.val();
            self.best_mask.next = self.cold[i].best.mask.val();
        }
        for i in 0..self._rows {
            self.wake_ready.next = self.rows[i].wake_ready.val();
            self.met.next = self.rows[i].met.val();
            self.cold_write.next = self.rows[i].write.val();
            self.cold_warp.next = self.rows[i].write_warp.val();
            self.waking.next = self.rows[i].waking.val();
            self.cold_want.next = self.rows[i].want.val();
            self.cold_due.next = self.rows[i].due.val();
            self.best_valid.next = self.rows[i].best.valid.val();
            self.best_not.next = self.rows[i].best.key.val();
            self.best_mask.next = self.rows[i].best.mask.val();
        }

        // Whose turn is it? An update's, or a pass's where stage 6 had asked for nobody, unless a
        // lookup of the warp is about to read the head, now or in the next cycle.
        self.look_warp.next = self.port.pipe[0].look_warp.val() & self.last_warp.val();
        self.soon_warp.next = self.port.pipe[0].soon_warp.val() & self.last_warp.val();
        self.update.next = self.port.pipe[0].update.val();
        self.start.next = !self.r.q.started.val();
        self.pass.next = self.r.q.pass.val()
            && !(self.port.pipe[0].soon.val()
                && (self.soon_warp.val() == self.r.q.pass_warp.val()));
        self.warp.next = self.r.q.pass_warp.val();
        if self.update.val() {
            self.warp.next = self.port.pipe[0].up_warp.val() & self.last_warp.val();
        }

        // The successors. That of a head that does not execute is itself.
        self.go_depth.next = !self.port.pipe[0].go_depth.val() & self.depth_bits.val();
        self.other_depth.next = !self.port.pipe[0].other_depth.val() & self.depth_bits.val();
        self.go_key.next = self.go_depth.val().to_bits::<38>() << 30
            | self.port.pipe[0].go_pc.val().to_bits::<38>();
        self.other_key.next = self.other_depth.val().to_bits::<38>() << 30
            | self.port.pipe[0].other_pc.val().to_bits::<38>();
        // (Of one that is refused the head stays as it was, which is `b`, and so does all else.)
        self.refused.next = self.update.val() && self.port.pipe[0].refused.val();
        self.b_valid.next = self.update.val() && self.port.pipe[0].splits.val();
        self.parks.next = self.update.val() && self.port.pipe[0].halt_mask.val().any();
        self.c_valid.next = self.y.info.val().get_bit(38) && !self.start.val();
        self.head_warp.next = 0.into();
        self.a_valid.next = self.held.q.alive.val();
        self.a_key.next = self.held.q.key.val();
        self.a_mask.next = self.held.q.mask.val();
        // (In its memory each bit of the runner-up's key is inverted.)
        self.c_key.next = !self.y.info.val().get_bits::<38>(0);
        if self.update.val() {
            self.a_valid.next = self.port.pipe[0].go_mask.val().any();
            self.a_key.next = self.go_key.val();
            self.a_mask.next = self.port.pipe[0].go_mask.val();
        } else if self.start.val() {
            self.head_warp.next = self.r.q.pass_warp.val() & self.last_warp.val();
            self.a_valid.next = self.alive_at_reset.val().get_bit(self.head_warp.val().index());
            // (The key that was read is 0 as long as this lasts.)
            self.a_key.next = self.held.q.key.val() | self.reset_key.val();
            self.a_mask.next = self.everyone.val();
            if self.head_warp.val() == self.part_warp.val() {
                self.a_mask.next = self.part_mask.val();
            }
        }

        // Where would nobody be redirected to? A pass moves the head only if it is another
        // path, alone: one that it takes in is at its place.
        self.goes_on.next = self.port.pipe[0].predicted.val()
            && (self.port.pipe[0].up_kind.val() != self.trap.val())
            && (self.port.pipe[0].up_kind.val() != self.replay.val())
            && (self.port.pipe[0].up_kind.val() != self.fence.val());
        self.a_here.next = !self.update.val()
            || (self.goes_on.val()
                && (self.port.pipe[0].go_pc.val() == self.port.pipe[0].next_pc.val()));
        self.b_here.next = self.goes_on.val()
            && (self.port.pipe[0].other_pc.val() == self.port.pipe[0].next_pc.val());
        self.c_here.next = self.update.val()
            && self.goes_on.val()
            && (self.c_key.val().get_bits::<30>(0) == self.port.pipe[0].next_pc.val());

        // In order.
        self.pairs.next = 0.into();
        self.x1_here.next = false;
        self.x1.next = false;
        self.x1_key.next = 0.into();
        self.x1_mask.next = 0.into();
        self.y1.next = false;
        self.y1_key.next = 0.into();
        self.y1_mask.next = 0.into();
        self.z1.next = false;
        self.z1_key.next = 0.into();
        self.z1_mask.next = 0.into();
        self.passed.next = false;
        for i in 0..self._parallel {
            self.parallel[i].port.clock.next = self.port.io.clock.val();
            self.parallel[i].port.reset.next = self.port.io.reset.val();
            self.parallel[i].port.a.valid.next = self.a_valid.val();
            self.parallel[i].port.a.key.next = self.a_key.val();
            self.parallel[i].port.a.mask.next = self.a_mask.val();
            self.parallel[i].port.b.valid.next = self.b_valid.val();
            self.parallel[i].port.b.key.next = self.other_key.val();
            self.parallel[i].port.b.mask.next = self.port.pipe[0].other_mask.val();
            self.parallel[i].port.c.valid.next = self.c_valid.val();
            self.parallel[i].port.c.key.next = self.c_key.val();
            self.parallel[i].port.c.mask.next = self.y.mask.val();
            self.parallel[i].port.a_here.next = self.a_here.val();
            self.parallel[i].port.b_here.next = self.b_here.val();
            self.parallel[i].port.c_here.next = self.c_here.val();
            self.parallel[i].port.refused.next = self.refused.val();
            self.parallel[i].port.park.next = self.parks.val();
            self.parallel[i].port.park_mask.next = self.port.pipe[0].halt_mask.val();
            self.x1.next = self.parallel[i].port.x.valid.val();
            self.x1_key.next = self.parallel[i].port.x.key.val();
            self.x1_here.next = self.parallel[i].port.x_here.val();
            self.x1_mask.next = self.parallel[i].port.x.mask.val();
            self.y1.next = self.parallel[i].port.y.valid.val();
            self.y1_key.next = self.parallel[i].port.y.key.val();
            self.y1_mask.next = self.parallel[i].port.y.mask.val();
            self.z1.next = self.parallel[i].port.z.valid.val();
            self.z1_key.next = self.parallel[i].port.z.key.val();
            self.z1_mask.next = self.parallel[i].port.z.mask.val();
            self.passed.next = self.parallel[i].port.passed.val();
            self.pairs.next = self.parallel[i].port.met.val();
        }
        for i in 0..self._network {
            self.network[i].port.clock.next = self.port.io.clock.val();
            self.network[i].port.reset.next = self.port.io.reset.val();
            self.network[i].port.a.valid.next = self.a_valid.val();
            self.network[i].port.a.key.next = self.a_key.val();
            self.network[i].port.a.mask.next = self.a_mask.val();
            self.network[i].port.b.valid.next = self.b_valid.val();
            self.network[i].port.b.key.next = self.other_key.val();
            self.network[i].port.b.mask.next = self.port.pipe[0].other_mask.val();
            self.network[i].port.c.valid.next = self.c_valid.val();
            self.network[i].port.c.key.next = self.c_key.val();
            self.network[i].port.c.mask.next = self.y.mask.val();
            self.network[i].port.a_here.next = self.a_here.val();
            self.network[i].port.b_here.next = self.b_here.val();
            self.network[i].port.c_here.next = self.c_here.val();
            self.network[i].port.refused.next = self.refused.val();
            self.network[i].port.park.next = self.parks.val();
            self.network[i].port.park_mask.next = self.port.pipe[0].halt_mask.val();
            self.x1.next = self.network[i].port.x.valid.val();
            self.x1_key.next = self.network[i].port.x.key.val();
            self.x1_here.next = self.network[i].port.x_here.val();
            self.x1_mask.next = self.network[i].port.x.mask.val();
            self.y1.next = self.network[i].port.y.valid.val();
            self.y1_key.next = self.network[i].port.y.key.val();
            self.y1_mask.next = self.network[i].port.y.mask.val();
            self.z1.next = self.network[i].port.z.valid.val();
            self.z1_key.next = self.network[i].port.z.key.val();
            self.z1_mask.next = self.network[i].port.z.mask.val();
            self.passed.next = self.network[i].port.passed.val();
            self.pairs.next = self.network[i].port.met.val();
        }

        self.s.d.update.next = self.update.val();
        self.s.d.pass.next = self.pass.val() && !self.update.val();
        self.s.d.start.next = self.start.val();
        self.s.d.sure.next = self.update.val() || self.start.val();
        self.s.d.warp.next = self.warp.val();
        self.s.d.refused.next = self.refused.val();
        self.s.d.parks.next = self.parks.val();
        self.s.d.epoch.next = self.held.q.epoch.val();

        // A cycle later.
        self.passes.next = self.s.q.pass.val()
            && !(self.port.pipe[0].soon.val() && (self.soon_warp.val() == self.s.q.warp.val()));
        self.sort_bit.next = self.lsb.val() << self.s.q.warp.val();
        self.switched.next = self.s.q.update.val() && self.passed.val();
        self.merges.next = 0.into();
        if (self.s.q.update.val() || self.passes.val()) && !self.s.q.refused.val() {
            self.merges.next = self.pairs.val();
        }
        if self.met.val() {
            self.merges.next = self.merges.val() + 1;
        }
        self.port.io.merges.next = self.merges.val();

        // The cold table gives the runner-up, in the next cycle.
        self.goes.next = self.s.q.sure.val() || self.passes.val();
        for i in 0..self._cold {
            self.cold[i].clock.next = self.port.io.clock.val();
            self.cold[i].reset.next = self.port.io.reset.val();
            self.cold[i].start.next = self.s.q.start.val();
            self.cold[i].pass.next = self.goes.val() && !self.s.q.refused.val();
            self.cold[i].warp.next = self.s.q.warp.val();
            self.cold[i].dead.next = !self.x1.val();
            self.cold[i].second.valid.next = self.y1.val();
            self.cold[i].second.key.next = self.y1_key.val();
            self.cold[i].second.mask.next = self.y1_mask.val();
            self.cold[i].overflow.valid.next = self.z1.val();
            self.cold[i].overflow.key.next = self.z1_key.val();
            self.cold[i].overflow.mask.next = self.z1_mask.val();
            self.cold[i].park.next = self.s.q.parks.val();
            self.cold[i].wake.next = self.port.io.wake.val();
            self.cold[i].wake_warp.next = self.port.io.wake_warp.val();
            self.cold[i].wake_mask.next = self.port.io.wake_mask.val();
        }
        for i in 0..self._rows {
            self.rows[i].clock.next = self.port.io.clock.val();
            self.rows[i].reset.next = self.port.io.reset.val();
            self.rows[i].next_warp.next = self.warp.val();
            self.rows[i].next_start.next = self.start.val();
            self.rows[i].start.next = self.s.q.start.val();
            self.rows[i].pass.next = self.goes.val() && !self.s.q.refused.val();
            self.rows[i].warp.next = self.s.q.warp.val();
            self.rows[i].dead.next = !self.x1.val();
            self.rows[i].switched.next = self.switched.val();
            self.rows[i].second.valid.next = self.y1.val();
            self.rows[i].second.key.next = self.y1_key.val();
            self.rows[i].second.mask.next = self.y1_mask.val();
            self.rows[i].overflow.valid.next = self.z1.val();
            self.rows[i].overflow.key.next = self.z1_key.val();
            self.rows[i].overflow.mask.next = self.z1_mask.val();
            self.rows[i].park.next = self.s.q.parks.val();
            self.rows[i].wake.next = self.port.io.wake.val();
            self.rows[i].wake_warp.next = self.port.io.wake_warp.val();
            self.rows[i].wake_mask.next = self.port.io.wake_mask.val();
        }
        self.port.io.wake_ready.next = self.wake_ready.val();
        self.y.write.next = self.cold_write.val();
        self.y.write_address.next = self.cold_warp.val().to_bits::<16>();
        self.y_info.next =
            self.new_ring.val().to_bits::<59>() << 39 | self.best_not.val().to_bits::<59>();
        for i in 0..self._y_aside {
            self.y_info.next = self.best_not.val().to_bits::<59>();
            self.y_rings[i].clock.next = self.port.io.clock.val();
            self.y_rings[i].reset.next = self.port.io.reset.val();
            self.y_rings[i].write[0].next = self.cold_write.val();
            self.y_rings[i].write_address[0].next = self.cold_warp.val().to_bits::<8>();
            self.y_rings[i].write_data[0].next = self.new_ring.val();
        }
        self.y.write_info.next = self.y_info.val();
        if self.best_valid.val() {
            self.y.write_info.next = self.y_info.val() | self.lsb.val().to_bits::<59>() << 38;
        }
        self.y.write_mask.next = self.best_mask.val();

        // The head. A pass that finds no better one writes what it was.
        self.x.write.next = self.goes.val();
        self.x.write_address.next = self.s.q.warp.val().to_bits::<16>();
        self.x.write_mask.next = self.x1_mask.val();
        self.r.d.alive.next = self.r.q.alive.val();
        if self.goes.val() {
            self.r.d.alive.next = self.r.q.alive.val() & !self.sort_bit.val();
            if self.x1.val() {
                self.r.d.alive.next = self.r.q.alive.val() | self.sort_bit.val();
            }
        }
        self.moved.next =
            (self.s.q.update.val() || (self.passes.val() && self.x1.val())) && !self.x1_here.val();
        self.next_epoch.next = self.s.q.epoch.val() + 1;
        self.epoch.next = self.s.q.epoch.val();
        if self.s.q.start.val() {
            self.epoch.next = 0.into();
        } else if self.moved.val() {
            self.epoch.next = self.next_epoch.val();
        }
        self.state.next = self.epoch.val().to_bits::<5>();
        if self.x1.val() {
            self.state.next = self.state.val() | self.lsb.val().to_bits::<5>() << 4;
        }
        self.x_info.next =
            self.state.val().to_bits::<43>() << 38 | self.x1_key.val().to_bits::<43>();
        for i in 0..self._x_aside {
            self.x_info.next = self.x1_key.val().to_bits::<43>();
            self.x_states[i].write[0].next = self.goes.val();
            self.x_states[i].write_address[0].next = self.s.q.warp.val().to_bits::<8>();
            self.x_states[i].write_data[0].next = self.state.val();
        }
        self.x.write_info.next = self.x_info.val();
        self.port.redirect[0].valid.next = self.moved.val();
        self.port.redirect[0].warp.next = self.s.q.warp.val();
        self.port.redirect[0].slot.next = 0.into();
        self.port.redirect[0].alive.next = self.x1.val();
        self.port.redirect[0].pc.next = self.x1_key.val().get_bits::<30>(0);
        self.port.redirect[0].epoch.next = self.next_epoch.val();
        self.port.redirect[0].from.next = 1.into();

        // Memory is read for who executes, else for the next pass. The head is written three
        // cycles after its address, and the runner-up three after its own.
        self.used.next = self.r.q.ready.val() && !self.port.pipe[0].soon.val();
        self.x_warp.next = self.r.q.ready_warp.val();
        if self.port.pipe[0].soon.val() {
            self.x_warp.next = self.soon_warp.val();
        }
        self.x_bit.next = 0.into();
        self.reads.next = self.r.q.ready.val() || self.port.pipe[0].soon.val();
        if self.reads.val() {
            self.x_bit.next = self.lsb.val() << self.x_warp.val();
        }
        self.y_warp.next = self.r.q.coming_warp.val();
        if self.port.pipe[0].look.val() {
            self.y_warp.next = self.look_warp.val();
        }
        self.r.d.reading.next = self.x_bit.val();
        self.r.d.read_before.next = self.r.q.reading.val();

        // The next pass is chosen a cycle before stage 6 may leave it its place: of warps
        // that want one in turn, first those without head, but none that is on its way
        // through the memories. (Of whom the head is read now is known late: nobody comes
        // then instead.)
        self.waits.next = self.waking.val() & self.holds.val();
        self.dead.next = (self.cold_want.val() & !self.r.q.alive.val()) | self.waits.val();
        self.hurry.next = (self.dead.val() | self.cold_due.val()) & self.warps.val();
        self.r.d.hurry.next = self.hurry.val().any();
        self.want.next = self.cold_want.val();
        if self.r.q.hurry.val() {
            self.want.next = self.hurry.val();
        }
        self.r.d.wishes.next = self.want.val() & self.warps.val();
        self.choice.next =
            self.r.q.wishes.val() & !self.r.q.reading.val() & !self.r.q.read_before.val();
        self.later.next = self.choice.val() & (self.every.val() << self.r.q.coming_warp.val()) << 1;
        // The first of all, and of those behind the last one, at once; and as a bit, so that it need
        // not be known by number who it is.
        self.first.next = 0.into();
        self.found.next = false;
        for w in 0..self._warps {
            self.hit.next = self.choice.val().get_bit(w) && !self.found.val();
            self.first.next = self.first.val().replace_bit(w, self.hit.val());
            self.found.next = self.found.val() || self.choice.val().get_bit(w);
        }
        self.next.next = 0.into();
        self.found.next = false;
        for w in 0..self._warps {
            self.hit.next = self.later.val().get_bit(w) && !self.found.val();
            self.next.next = self.next.val().replace_bit(w, self.hit.val());
            self.found.next = self.found.val() || self.later.val().get_bit(w);
        }
        self.found_warp.next = 0.into();
        self.next_warp.next = 0.into();
        for w in 0..self._warps {
            if self.first.val().get_bit(w) {
                self.found_warp.next = self.found_warp.val() | w.to_bits::<5>();
            }
            if self.next.val().get_bit(w) {
                self.next_warp.next = self.next_warp.val() | w.to_bits::<5>();
            }
        }
        self.able.next = (self.first.val() & !self.x_bit.val()).any();
        if self.found.val() {
            self.able.next = (self.next.val() & !self.x_bit.val()).any();
            self.found_warp.next = self.next_warp.val();
        }
        self.r.d.ready.next = !self.start.val() && self.able.val();
        self.r.d.ready_warp.next = self.found_warp.val();
        self.r.d.coming.next = self.used.val();
        self.r.d.coming_warp.next = self.r.q.coming_warp.val();
        if self.used.val() {
            self.r.d.coming_warp.next = self.r.q.ready_warp.val();
        }
        self.r.d.started.next = self.r.q.started.val();
        self.r.d.pass.next = false;
        self.r.d.pass_warp.next = self.r.q.pass_warp.val();
        if self.start.val() {
            self.r.d.started.next = self.r.q.pass_warp.val() == self.last_warp.val();
            self.r.d.pass_warp.next = (self.r.q.pass_warp.val() + 1) & self.last_warp.val();
        } else if self.r.q.coming.val() {
            // Not if a lookup of the warp has just read the head.
            self.r.d.pass.next = !(self.port.pipe[0].soon.val()
                && (self.soon_warp.val() == self.r.q.coming_warp.val()));
            self.r.d.pass_warp.next = self.r.q.coming_warp.val();
        }
        self.r.d.waited.next = 0.into();
        if self.dead.val().any() {
            self.r.d.waited.next = self.r.q.waited.val() + 1;
            if self.r.q.waited.val().all() {
                self.r.d.waited.next = self.r.q.waited.val();
            }
        }
        self.r.d.pace.next = 0.into();
        if self.cold_due.val().any() {
            self.r.d.pace.next = self.r.q.pace.val() + 1;
        }
        // Nobody issues in the next cycle: it would be the fifteenth of waiting, or a fourth.
        self.stop.next = (self.start.val() && (self.r.q.pass_warp.val() != self.last_warp.val()))
            || (self.dead.val().any() && self.r.q.waited.val().get_bits::<3>(1).all())
            || (self.cold_due.val().any() && (self.r.q.pace.val() == 2));

        // Lookup. Nothing that this cycle writes is read in it.
        self.x.read_address.next = self.x_warp.val().to_bits::<16>();
        self.y.read_address.next = self.y_warp.val().to_bits::<16>();
        self.r.d.x_at.next = self.x_warp.val();
        self.r.d.y_at.next = self.y_warp.val();
        self.y_ring.next = self.y.info.val().get_bits::<20>(39);
        for i in 0..self._y_aside {
            self.y_rings[i].read_address[0].next = self.r.q.y_at.val().to_bits::<8>();
            self.y_ring.next = self.y_rings[i].read_data[0].val();
        }
        self.s.d.ring.next = self.y_ring.val();
        for i in 0..self._cold {
            self.cold[i].ring.next = self.s.q.ring.val();
        }
        for i in 0..self._rows {
            self.rows[i].soon_warp.next = self.y_warp.val();
        }
        self.l_epoch.next = self.x_state.val().get_bits::<4>(0);
        self.l_key.next = self.x.info.val().get_bits::<38>(0);
        self.l_pc.next = self.l_key.val().get_bits::<30>(0);
        self.l_depth.next = !self.l_key.val().get_bits::<8>(30) & self.depth_bits.val();
        self.port.pipe[0].hit.next = self.port.pipe[0].look.val()
            && self.x_state.val().get_bit(4)
            && (self.l_pc.val() == self.port.pipe[0].look_pc.val())
            && (self.l_epoch.val() == self.port.pipe[0].look_epoch.val());
        self.port.pipe[0].mask.next = self.x.mask.val();
        self.port.pipe[0].depth.next = self.l_depth.val();
        self.port.pipe[0].owner.next = self.everyone.val();

        // Who has just issued waits, so that heads and runner-ups are written in time.
        self.resting.next = 0.into();
        if self.port.pipe[0].issued.val() {
            self.resting.next =
                self.lsb.val() << (self.port.pipe[0].issued_warp.val() & self.last_warp.val());
        }
        self.r.d.rested.next = self.resting.val();
        self.r.d.rests.next =
            self.resting.val() | self.r.q.rested.val() | self.waits.val() | self.cold_due.val();
        if self.stop.val() {
            self.r.d.rests.next = self.every.val();
        }
        self.port.io.busy.next = 0.into();
        // (In the next cycle it has nothing to issue anyhow.)
        self.port.slot[0].eligible.next = self.warps.val() & !self.r.q.rests.val();
        self.port.slot[0].priority.next = 0.into();
    }
}

impl<const T: usize> Sim for Hct<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.port.port.io.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.port.port.io.reset
    }
}
