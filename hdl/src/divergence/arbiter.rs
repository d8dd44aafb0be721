//! `arbiter`: one PC per thread and a reduction tree over (depth, PC)
//! (Collange & Brunie 2017, section 3.1). 1 slot, 1 pipe, `stages` register
//! levels in the tree.
//!
//! The head, per warp, is the path with the greatest depth, then lowest PC; it
//! is always exact: while it is not known, the warp is busy.
//!
//! ```text
//! stages = 0   update -> threads -> tree -> head, redirect   one cycle
//! stages = N   update -> threads -> tree, level 1      cycle c: busy
//!                                   ...
//!                                   tree, rest -> head, redirect      cycle c + N
//! ```
//!
//! With stages the key of the *runner-up* is kept too (a second pass of the
//! tree without the head's threads, in a cycle without update). If the better
//! of an update's two successors is strictly before it, it is the next head at
//! once and the warp is not busy: register levels cost nothing on one path.
//! A merge with the runner-up, or its turn, costs a redirect and N cycles
//! (`tests/contract/rate.rs`).
//!
//! Places and heads lie in block RAM; who is asked next is known a cycle before
//! (`soon` for the head, the lookup for the places). Nothing is forwarded past
//! the memories: a warp issues in every third cycle at most, `eligible` sees to
//! it, and what is looked up in the two cycles in which a head changes without an
//! update drops.
//!
//! When no instruction is in stage 6 in cycle t - 2, cycle t has no update, and is
//! free for a *pass*: of woken threads, or for a runner-up. A wake waits for it,
//! its warp busy; while one waits no slot is eligible, so that it comes. The first
//! W passes after reset write places and heads.
//!
//! Long, because a kernel has no functions and its signals want one place.

#[cfg(test)]
mod tests;
pub mod threads;
pub mod tree;

use super::hct::path::PathRam;
use super::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;
use threads::Threads;
use tree::{KEY, TAG, Tree};

/// Depth and inverted PC of a thread.
const PLACE: usize = 38;

/// Words of a memory with one word per warp: a block of RAM is never smaller, and tools
/// make flip-flops of a memory that looks too small for one.
const WARPS: usize = 32;

regs! {
    /// What the unit is at. Of 32 bits: a bit per warp each.
    pub struct Flags [const T: usize] [T] / FlagsD, FlagsQ {
        /// Places and heads are written since reset.
        started: Bit = false,
        /// A pass of this warp, for its runner-up or else its woken threads; before
        /// `started` the next one to write.
        pass: Bit = false,
        pass_warp: U<5> = 0,
        pass_seek: Bit,
        /// The one after it.
        coming: Bit = false,
        coming_warp: U<5>,
        coming_seek: Bit,
        /// Threads to wake.
        waking: Bit = false,
        wake_warp: U<5>,
        wake_mask: U<T>,
        /// Head and epoch of who was looked up, or chosen for a pass, in the last cycle.
        held_mask: U<T>,
        held_epoch: U<4>,
        /// The head is on its way through the tree.
        computing: U<32> = 0,
        /// The head is the one that came out of it.
        side: U<32> = 0,
        /// The key of the runner-up is known.
        known: U<32> = 0xffff_ffff,
        /// It has to be computed.
        wanted: U<32> = 0,
        /// It is on its way through the tree.
        seeking: U<32> = 0,
        /// The head changed in the last cycle, and not by an update.
        changed: U<32> = 0,
        /// Who issued in the cycle before the last.
        issued: Bit = false,
        issued_warp: U<5>,
    }
}

block! {
    /// See the module. `reset_pc` is a word address.
    pub struct Arbiter [const T: usize] [T] fn new(warps: usize, initial_masks: &[u64], reset_pc: u64, stages: usize) {
        port { pub port: Shell<T> = Shell::new(shape(stages)), }
        local {
            update: Signal<Local, Bit>,
            start: Signal<Local, Bit>,
            rouse: Signal<Local, Bit>,
            seek: Signal<Local, Bit>,
            moves: Signal<Local, Bit>,
            turn: Signal<Local, U<5>>,
            turn_bit: Signal<Local, U<32>>,
            soon: Signal<Local, U<5>>,
            look: Signal<Local, U<5>>,
            next_warp: Signal<Local, U<5>>,
            result: Signal<Local, U<5>>,
            result_bit: Signal<Local, U<32>>,
            wake_bit: Signal<Local, U<32>>,
            waking_bit: Signal<Local, U<32>>,
            go_mask: Signal<Local, U<T>>,
            other_mask: Signal<Local, U<T>>,
            fresh: Signal<Local, U<T>>,
            there: Signal<Local, U<T>>,
            alive: Signal<Local, U<T>>,
            woken: Signal<Local, U<T>>,
            part_in: Signal<Local, U<T>>,
            not_go_pc: Signal<Local, U<30>>,
            not_other_pc: Signal<Local, U<30>>,
            go_depth: Signal<Local, U<PLACE>>,
            other_depth: Signal<Local, U<PLACE>>,
            go_place: Signal<Local, U<PLACE>>,
            other_place: Signal<Local, U<PLACE>>,
            place: [Signal<Local, U<PLACE>>; T],
            go_key: Signal<Local, U<KEY>>,
            other_key: Signal<Local, U<KEY>>,
            runner: Signal<Local, U<KEY>>,
            go_first: Signal<Local, Bit>,
            together: Signal<Local, Bit>,
            better: Signal<Local, U<KEY>>,
            worse: Signal<Local, U<KEY>>,
            ahead: Signal<Local, Bit>,
            fast: Signal<Local, Bit>,
            launch: Signal<Local, Bit>,
            tag_epoch: Signal<Local, U<TAG>>,
            tag: Signal<Local, U<TAG>>,
            tag_out: Signal<Local, U<TAG>>,
            root: Signal<Local, U<KEY>>,
            root_mask: Signal<Local, U<T>>,
            now: Signal<Local, Bit>,
            now_key: Signal<Local, U<KEY>>,
            now_mask: Signal<Local, U<T>>,
            now_pc: Signal<Local, U<30>>,
            now_epoch: Signal<Local, U<4>>,
            now_redirect: Signal<Local, Bit>,
            stay: Signal<Local, Bit>,
            late: Signal<Local, Bit>,
            late_runner: Signal<Local, Bit>,
            late_redirect: Signal<Local, Bit>,
            late_epoch: Signal<Local, U<4>>,
            late_pc: Signal<Local, U<30>>,
            waiting: Signal<Local, U<32>>,
            computing: Signal<Local, U<32>>,
            busy: Signal<Local, U<32>>,
            changed: Signal<Local, U<32>>,
            deaf: Signal<Local, U<32>>,
            merges: Signal<Local, U<2>>,
            known: Signal<Local, U<32>>,
            wanted: Signal<Local, U<32>>,
            seeking: Signal<Local, U<32>>,
            roused: Signal<Local, Bit>,
            choice: Signal<Local, U<32>>,
            found: Signal<Local, Bit>,
            found_warp: Signal<Local, U<5>>,
            chosen: Signal<Local, Bit>,
            resting: Signal<Local, U<32>>,
            l_info: Signal<Local, U<HEAD>>,
            l_mask: Signal<Local, U<T>>,
            l_pc: Signal<Local, U<30>>,
        }
        part {
            flags: Flags<T> = Flags::new(),
            threads: Threads<T, KEY> = Threads::new(WARPS),
            /// `{epoch, key}` and mask: of heads known at once, and of late ones.
            heads: Vec<PathRam<T, HEAD>> =
                (0..writes(stages)).map(|_| PathRam::new(WARPS)).collect(),
            /// The head when its warp went into the tree.
            left: Table<T> = Table::data(warps, 1, 1),
            runners: Table<KEY> = Table::data(warps, 1, writes(stages)),
            tree: Tree<T> = Tree::new(stages),
            initial: Vec<Constant<U<T>>> =
                (0..warps).map(|w| Constant::new(U::new(initial_masks[w]))).collect(),
            // Masks that tell synthesis which bits can be set.
            last_warp: Constant<U<5>> = Constant::new(U::new(warps as u64 - 1)),
            warps: Constant<U<32>> = Constant::new(U::new((1 << warps) - 1)),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
            lanes: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            start_place: Constant<U<PLACE>> = Constant::new(U::new(!reset_pc & U::<30>::MAX)),
            valid: Constant<U<KEY>> = Constant::new(U::new(1 << 38)),
            launch_tag: Constant<U<TAG>> = Constant::new(U::new(1 << 10)),
            seek_tag: Constant<U<TAG>> = Constant::new(U::new(1 << 9)),
            trap: Constant<U<4>> = Constant::new(U::new(kind::TRAP)),
            replay: Constant<U<4>> = Constant::new(U::new(kind::REPLAY)),
            fence: Constant<U<4>> = Constant::new(U::new(kind::FENCE)),
            pipelined: Constant<Bit> = Constant::new(stages != 0),
        }
        plain {
            _warps: usize = warps,
            _writes: usize = writes(stages),
            _alive: u32 = (0..warps).fold(0, |m, w| m | u32::from(initial_masks[w] != 0) << w),
        }
    }
}

/// Bits of a stored head but for its mask: epoch, key.
const HEAD: usize = 4 + KEY;

fn shape(stages: usize) -> Shape {
    Shape { slots: 1, pipes: 1, redirects: writes(stages) }
}

/// Heads that can become known in one cycle.
fn writes(stages: usize) -> usize {
    if stages == 0 { 1 } else { 2 }
}

crate::unit_port!([const T: usize] Arbiter<T>, T);

impl<const T: usize> Unit<T> for Arbiter<T> {
    fn shape(&self) -> Shape {
        Shape { slots: 1, pipes: 1, redirects: self._writes }
    }

    fn alive_at_reset(&self, _slot: usize) -> u32 {
        self._alive
    }

    fn state_bits(&self) -> Vec<(&'static str, usize)> {
        let mut bits = vec![("thread places", T * KEY), ("head", HEAD + T)];
        if self._writes == 1 {
            bits.push(("flags", 1));
        } else {
            bits.extend([("late head", HEAD + T), ("left head", T), ("runner-up", KEY)]);
            bits.push(("flags", 6));
        }
        bits
    }
}

impl<const T: usize> Sim for Arbiter<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.port.port.io.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.port.port.io.reset
    }
}

impl<const T: usize> Logic for Arbiter<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.flags.clock.next = self.port.io.clock.val();
        self.flags.reset.next = self.port.io.reset.val();
        self.left.clock.next = self.port.io.clock.val();
        self.left.reset.next = self.port.io.reset.val();
        self.runners.clock.next = self.port.io.clock.val();
        self.runners.reset.next = self.port.io.reset.val();
        self.tree.clock.next = self.port.io.clock.val();
        self.tree.reset.next = self.port.io.reset.val();
        self.threads.clock.next = self.port.io.clock.val();

        // Whose turn is it? An update's, or else a pass's.
        self.update.next = self.port.pipe[0].update.val();
        self.start.next = !self.flags.q.started.val();
        self.rouse.next = self.flags.q.pass.val() && !self.flags.q.pass_seek.val();
        self.seek.next = self.flags.q.pass.val() && self.flags.q.pass_seek.val();
        self.moves.next = self.update.val() || self.rouse.val();
        self.turn.next = self.flags.q.pass_warp.val();
        if self.update.val() {
            self.turn.next = self.port.pipe[0].up_warp.val() & self.last_warp.val();
        }
        self.turn_bit.next = self.lsb.val() << self.turn.val();
        self.look.next = self.port.pipe[0].look_warp.val() & self.last_warp.val();
        self.soon.next = self.port.pipe[0].soon_warp.val() & self.last_warp.val();

        // Its threads after it. At the start they are all at the reset PC.
        self.not_go_pc.next = !self.port.pipe[0].go_pc.val();
        self.not_other_pc.next = !self.port.pipe[0].other_pc.val();
        self.go_depth.next = self.port.pipe[0].go_depth.val().to_bits();
        self.other_depth.next = self.port.pipe[0].other_depth.val().to_bits();
        self.go_place.next = (self.go_depth.val() << 30) | self.not_go_pc.val().to_bits();
        self.other_place.next = (self.other_depth.val() << 30) | self.not_other_pc.val().to_bits();
        self.go_mask.next = self.port.pipe[0].go_mask.val();
        self.other_mask.next = self.port.pipe[0].other_mask.val();
        self.fresh.next = 0.into();
        if self.update.val() {
            self.fresh.next = self.port.pipe[0].go_mask.val()
                | self.port.pipe[0].other_mask.val()
                | self.port.pipe[0].halt_mask.val();
        }
        if self.start.val() {
            self.go_place.next = self.start_place.val();
            self.go_mask.next = 0.into();
            for w in 0..self._warps {
                if self.turn.val() == w.to_bits() {
                    self.go_mask.next = self.initial[w].val();
                }
            }
            self.other_mask.next = 0.into();
            self.fresh.next = self.lanes.val();
        }
        self.woken.next = 0.into();
        if self.rouse.val() {
            self.woken.next = self.flags.q.wake_mask.val();
        }
        self.there.next = 0.into();
        for i in 0..T {
            self.there.next =
                self.there.val().replace_bit(i, self.threads.read_data[i].val().get_bit(38));
        }
        self.alive.next = (self.there.val() & (!self.fresh.val()))
            | ((self.go_mask.val() | self.other_mask.val()) & self.fresh.val())
            | self.woken.val();
        self.part_in.next = self.alive.val();
        if self.seek.val() {
            self.part_in.next = self.alive.val() & (!self.flags.q.held_mask.val());
        }
        self.threads.write_warp.next = self.turn.val();
        self.threads.write.next = self.fresh.val() | self.woken.val();
        for i in 0..T {
            self.place[i].next = self.threads.read_data[i].val().get_bits::<PLACE>(0);
            if self.fresh.val().get_bit(i) {
                self.place[i].next = self.go_place.val();
                if self.other_mask.val().get_bit(i) {
                    self.place[i].next = self.other_place.val();
                }
            }
            self.threads.write_data[i].next = self.place[i].val().to_bits::<KEY>();
            if self.alive.val().get_bit(i) {
                self.threads.write_data[i].next =
                    self.place[i].val().to_bits::<KEY>() | self.valid.val();
            }
            // Below a key that is valid any other one loses.
            self.tree.leaf[i].next = self.place[i].val().to_bits::<KEY>();
            if self.part_in.val().get_bit(i) {
                self.tree.leaf[i].next = self.place[i].val().to_bits::<KEY>() | self.valid.val();
            }
        }

        // The better successor, if it stays before the runner-up.
        self.runners.read_address[0].next = self.turn.val().to_bits();
        self.runner.next = self.runners.read_data[0].val();
        if self.start.val() {
            self.runner.next = 0.into();
        }
        self.go_key.next = 0.into();
        if self.go_mask.val().any() {
            self.go_key.next = self.go_place.val().to_bits::<KEY>() | self.valid.val();
        }
        self.other_key.next = 0.into();
        if self.other_mask.val().any() {
            self.other_key.next = self.other_place.val().to_bits::<KEY>() | self.valid.val();
        }
        self.go_first.next = self.go_key.val() > self.other_key.val();
        self.together.next = self.go_key.val() == self.other_key.val();
        self.better.next = self.other_key.val();
        self.worse.next = self.go_key.val();
        if self.go_first.val() {
            self.better.next = self.go_key.val();
            self.worse.next = self.other_key.val();
        }
        if self.together.val() {
            self.worse.next = 0.into();
        }
        // Nobody may be left: then there is no runner-up either.
        self.ahead.next = (self.better.val() > self.runner.val())
            || (!self.better.val().any() && !self.runner.val().any());
        self.fast.next = self.pipelined.val()
            && self.update.val()
            && self.ahead.val()
            && self.flags.q.known.val().get_bit(self.turn.val().index());
        self.launch.next = self.moves.val() && !self.fast.val();

        self.tag_epoch.next = self.flags.q.held_epoch.val().to_bits();
        self.tag.next = (self.tag_epoch.val() << 5) | self.turn.val().to_bits();
        if self.seek.val() {
            self.tag.next = self.tag.val() | self.seek_tag.val();
        }
        if self.launch.val() {
            self.tag.next = self.tag.val() | self.launch_tag.val();
        }
        self.tree.tag.next = self.tag.val();
        self.tag_out.next = self.tree.tag_out.val();
        self.root.next = self.tree.root.val();
        self.root_mask.next = 0.into();
        if self.root.val().get_bit(38) {
            self.root_mask.next = self.tree.mask.val();
        }

        // Who waits for woken threads? A wake that comes with an update, too.
        self.waking_bit.next = self.lsb.val() << self.flags.q.wake_warp.val();
        self.wake_bit.next =
            self.lsb.val() << (self.port.io.wake_warp.val() & self.last_warp.val());
        self.port.io.wake_ready.next = !self.flags.q.waking.val();
        self.waiting.next = 0.into();
        if self.flags.q.waking.val() && !self.rouse.val() {
            self.waiting.next = self.waking_bit.val();
        }
        self.flags.d.waking.next = self.flags.q.waking.val() && !self.rouse.val();
        self.flags.d.wake_warp.next = self.flags.q.wake_warp.val();
        self.flags.d.wake_mask.next = self.flags.q.wake_mask.val();
        if self.port.io.wake.val() && !self.flags.q.waking.val() {
            self.waiting.next = self.wake_bit.val();
            self.flags.d.waking.next = true;
            self.flags.d.wake_warp.next = self.port.io.wake_warp.val() & self.last_warp.val();
            self.flags.d.wake_mask.next = self.port.io.wake_mask.val();
        }

        // The head that is known in the cycle of its update.
        self.now.next = self.fast.val() || self.start.val();
        self.now_key.next = self.better.val();
        self.now_mask.next = self.other_mask.val();
        if self.go_first.val() {
            self.now_mask.next = self.go_mask.val();
        }
        if self.together.val() {
            self.now_mask.next = self.go_mask.val() | self.other_mask.val();
        }
        if !self.pipelined.val() {
            self.now.next = self.moves.val() || self.start.val();
            self.now_key.next = self.root.val();
            self.now_mask.next = self.root_mask.val();
        }
        self.now_pc.next = !self.now_key.val().get_bits::<30>(0);
        self.stay.next = self.update.val()
            && self.port.pipe[0].predicted.val()
            && (self.port.pipe[0].next_pc.val() == self.now_pc.val())
            && self.now_key.val().get_bit(38)
            && (self.port.pipe[0].up_kind.val() != self.trap.val())
            && (self.port.pipe[0].up_kind.val() != self.replay.val())
            && (self.port.pipe[0].up_kind.val() != self.fence.val());
        self.now_redirect.next = self.now.val()
            && !self.start.val()
            && !self.stay.val()
            && !self.waiting.val().get_bit(self.turn.val().index());
        self.now_epoch.next = self.flags.q.held_epoch.val();
        if self.start.val() {
            self.now_epoch.next = 0.into();
        } else if self.now_redirect.val() {
            self.now_epoch.next = self.flags.q.held_epoch.val() + 1;
        }

        // The head that comes out of a pipelined tree.
        self.result.next = self.tag_out.val().get_bits::<5>(0);
        self.result_bit.next = (self.lsb.val() << self.result.val()) & self.warps.val();
        self.late.next = self.pipelined.val() && self.tag_out.val().get_bit(10);
        self.late_runner.next = self.pipelined.val()
            && self.tag_out.val().get_bit(9)
            && (self.flags.q.seeking.val() & self.result_bit.val()).any();
        self.late_pc.next = !self.root.val().get_bits::<30>(0);

        // Who has met? A new head of threads both of the old one and not.
        self.left.write[0].next = self.launch.val() && self.pipelined.val();
        self.left.write_address[0].next = self.turn.val().to_bits();
        self.left.write_data[0].next = self.flags.q.held_mask.val();
        self.left.read_address[0].next = self.result.val().to_bits();
        self.merges.next = 0.into();
        if self.now.val()
            && self.moves.val()
            && (self.now_mask.val() & self.flags.q.held_mask.val()).any()
            && (self.now_mask.val() & !self.flags.q.held_mask.val()).any()
        {
            self.merges.next = 1.into();
        }
        if self.late.val()
            && (self.root_mask.val() & self.left.read_data[0].val()).any()
            && (self.root_mask.val() & !self.left.read_data[0].val()).any()
        {
            self.merges.next = self.merges.val() + 1;
        }

        // Who is busy? A result that a wake has overtaken ends nothing.
        self.computing.next = self.flags.q.computing.val();
        if self.late.val() {
            self.computing.next = self.computing.val() & (!self.result_bit.val());
        }
        if self.launch.val() && self.pipelined.val() {
            self.computing.next = self.computing.val() | self.turn_bit.val();
        }
        self.busy.next = self.waiting.val() | self.computing.val();
        self.late_redirect.next =
            self.late.val() && !(self.waiting.val() & self.result_bit.val()).any();
        self.late_epoch.next = self.tag_out.val().get_bits::<4>(5);
        if self.late_redirect.val() {
            self.late_epoch.next = self.late_epoch.val() + 1;
        }
        self.port.io.busy.next = self.busy.val();
        self.port.io.merges.next = self.merges.val();

        // Who knows the runner-up?
        self.known.next = self.flags.q.known.val();
        self.wanted.next = self.flags.q.wanted.val();
        self.seeking.next = self.flags.q.seeking.val();
        if self.late_redirect.val() {
            self.wanted.next = self.wanted.val() | self.result_bit.val();
        }
        if self.late_runner.val() {
            self.known.next = self.known.val() | self.result_bit.val();
            self.seeking.next = self.seeking.val() & (!self.result_bit.val());
        }
        if self.seek.val() {
            self.wanted.next = self.wanted.val() & (!self.turn_bit.val());
            self.seeking.next = self.seeking.val() | self.turn_bit.val();
        }
        // A pass for a new head makes the one for its runner-up void.
        if self.launch.val() {
            self.known.next = self.known.val() & (!self.turn_bit.val());
            self.wanted.next = self.wanted.val() & (!self.turn_bit.val());
            self.seeking.next = self.seeking.val() & (!self.turn_bit.val());
        }
        self.flags.d.computing.next = self.computing.val();
        self.flags.d.known.next = self.known.val();
        self.flags.d.wanted.next = self.wanted.val();
        self.flags.d.seeking.next = self.seeking.val();

        // Writes and redirects, of heads known at once and of late ones.
        self.heads[0].clock.next = self.port.io.clock.val();
        self.heads[0].write.next = self.now.val();
        self.heads[0].write_address.next = self.turn.val().to_bits();
        self.heads[0].write_info.next =
            self.now_epoch.val().to_bits::<HEAD>() << 39 | self.now_key.val().to_bits::<HEAD>();
        self.heads[0].write_mask.next = self.now_mask.val();
        self.runners.write[0].next = self.fast.val() || self.start.val();
        self.runners.write_address[0].next = self.turn.val().to_bits();
        self.runners.write_data[0].next = self.runner.val();
        if self.worse.val() > self.runner.val() {
            self.runners.write_data[0].next = self.worse.val();
        }
        self.port.redirect[0].valid.next = self.now_redirect.val();
        self.port.redirect[0].warp.next = self.turn.val();
        self.port.redirect[0].slot.next = 0.into();
        self.port.redirect[0].alive.next = self.now_key.val().get_bit(38);
        self.port.redirect[0].pc.next = self.now_pc.val();
        self.port.redirect[0].epoch.next = self.now_epoch.val();
        self.port.redirect[0].from.next = 1.into();
        self.flags.d.side.next = self.flags.q.side.val();
        if self.now.val() {
            self.flags.d.side.next = self.flags.q.side.val() & (!self.turn_bit.val());
        }
        self.changed.next = 0.into();
        if self.rouse.val() {
            self.changed.next = self.turn_bit.val();
        }
        for p in 1..(self._writes) {
            self.heads[p].clock.next = self.port.io.clock.val();
            self.heads[p].write.next = self.late.val();
            self.heads[p].write_address.next = self.result.val().to_bits();
            self.heads[p].write_info.next =
                self.late_epoch.val().to_bits::<HEAD>() << 39 | self.root.val().to_bits::<HEAD>();
            self.heads[p].write_mask.next = self.root_mask.val();
            self.runners.write[p].next = self.late_runner.val();
            self.runners.write_address[p].next = self.result.val().to_bits();
            self.runners.write_data[p].next = 0.into();
            if self.root.val().get_bit(38) {
                self.runners.write_data[p].next = self.root.val();
            }
            self.port.redirect[p].valid.next = self.late_redirect.val();
            self.port.redirect[p].warp.next = self.result.val();
            self.port.redirect[p].slot.next = 0.into();
            self.port.redirect[p].alive.next = self.root.val().get_bit(38);
            self.port.redirect[p].pc.next = self.late_pc.val();
            self.port.redirect[p].epoch.next = self.late_epoch.val();
            self.port.redirect[p].from.next = 1.into();
            if self.now.val() {
                self.flags.d.side.next = self.flags.q.side.val() & (!self.turn_bit.val());
                if self.late.val() {
                    self.flags.d.side.next =
                        (self.flags.q.side.val() & (!self.turn_bit.val())) | self.result_bit.val();
                }
            } else if self.late.val() {
                self.flags.d.side.next = self.flags.q.side.val() | self.result_bit.val();
            }
            if self.late.val() {
                self.changed.next = self.changed.val() | self.result_bit.val();
            }
        }
        self.flags.d.changed.next = self.changed.val();

        // The next pass: woken threads as soon as their warp is not in the tree, else a
        // runner-up, unless the warp's memories are being written.
        self.roused.next = self.flags.q.waking.val()
            && !self.flags.q.computing.val().get_bit(self.flags.q.wake_warp.val().index())
            && (!self.flags.q.coming.val() || self.flags.q.coming_seek.val())
            && !self.rouse.val();
        self.choice.next = self.flags.q.wanted.val() & self.warps.val();
        if self.port.pipe[0].look.val() {
            self.choice.next = self.choice.val() & !(self.lsb.val() << self.look.val());
        }
        if self.update.val() || self.flags.q.pass.val() {
            self.choice.next = self.choice.val() & !self.turn_bit.val();
        }
        if self.flags.q.coming.val() {
            self.choice.next =
                self.choice.val() & !(self.lsb.val() << self.flags.q.coming_warp.val());
        }
        self.found.next = self.roused.val();
        self.found_warp.next = self.flags.q.wake_warp.val();
        for w in 0..self._warps {
            if self.choice.val().get_bit(w) && !self.found.val() {
                self.found.next = true;
                self.found_warp.next = w.to_bits();
            }
        }
        self.chosen.next = self.found.val() && !self.port.pipe[0].soon.val() && !self.start.val();
        self.flags.d.coming.next = self.chosen.val();
        self.flags.d.coming_warp.next = self.found_warp.val();
        self.flags.d.coming_seek.next = !self.roused.val();
        self.flags.d.pass.next = self.flags.q.coming.val();
        self.flags.d.pass_warp.next = self.flags.q.coming_warp.val();
        self.flags.d.pass_seek.next = self.flags.q.coming_seek.val();
        self.flags.d.started.next = self.flags.q.started.val();
        if self.start.val() {
            self.flags.d.started.next = self.flags.q.pass_warp.val() == self.last_warp.val();
            self.flags.d.pass_warp.next = self.flags.q.pass_warp.val() + 1;
        }

        // Who executes?
        self.next_warp.next = self.flags.q.coming_warp.val();
        if self.port.pipe[0].look.val() {
            self.next_warp.next = self.look.val();
        }
        self.threads.read_warp.next = self.next_warp.val();
        self.heads[0].read_address.next = self.found_warp.val().to_bits();
        if self.port.pipe[0].soon.val() {
            self.heads[0].read_address.next = self.soon.val().to_bits();
        }
        self.l_info.next = self.heads[0].info.val();
        self.l_mask.next = self.heads[0].mask.val();
        for p in 1..(self._writes) {
            self.heads[p].read_address.next = self.found_warp.val().to_bits();
            if self.port.pipe[0].soon.val() {
                self.heads[p].read_address.next = self.soon.val().to_bits();
            }
            if self.flags.q.side.val().get_bit(self.next_warp.val().index()) {
                self.l_info.next = self.heads[p].info.val();
                self.l_mask.next = self.heads[p].mask.val();
            }
        }
        self.flags.d.held_mask.next = self.l_mask.val();
        self.flags.d.held_epoch.next = self.l_info.val().get_bits::<4>(39);
        self.l_pc.next = !self.l_info.val().get_bits::<30>(0);
        self.deaf.next = self.busy.val() | self.changed.val() | self.flags.q.changed.val();
        self.port.pipe[0].hit.next = self.port.pipe[0].look.val()
            && self.l_info.val().get_bit(38)
            && (self.l_pc.val() == self.port.pipe[0].look_pc.val())
            && (self.l_info.val().get_bits::<4>(39) == self.port.pipe[0].look_epoch.val())
            && !self.deaf.val().get_bit(self.look.val().index());
        self.port.pipe[0].mask.next = self.l_mask.val();
        self.port.pipe[0].depth.next = self.l_info.val().get_bits::<8>(30);

        // Who issued in the cycle before the last waits, so that its memories are written in
        // time. (In the last cycle it has issued, and does not in this one anyhow.)
        self.flags.d.issued.next = self.port.pipe[0].issued.val();
        self.flags.d.issued_warp.next = self.port.pipe[0].issued_warp.val() & self.last_warp.val();
        self.resting.next = 0.into();
        if self.flags.q.issued.val() {
            self.resting.next = self.lsb.val() << self.flags.q.issued_warp.val();
        }
        self.port.pipe[0].owner.next = self.lanes.val();
        self.port.slot[0].priority.next = 0.into();
        self.port.slot[0].eligible.next =
            self.warps.val() & !self.flags.q.computing.val() & !self.resting.val();
        if self.flags.q.waking.val() || self.start.val() {
            self.port.slot[0].eligible.next = 0.into();
        }
    }
}
