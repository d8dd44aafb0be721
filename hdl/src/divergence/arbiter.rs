//! `arbiter`: one PC per thread and a reduction tree over (depth, PC)
//! (Collange & Brunie 2017, section 3.1). 1 slot, 1 pipe, `stages` register
//! levels in the tree.
//!
//! The head, per warp, is the path with the greatest depth, then lowest PC; it
//! is always exact: while it is not known, the warp is busy.
//!
//! ```text
//! stages = 0   update -> threads -> tree -> head -> lookup, redirect   one cycle
//! stages = N   update -> threads -> tree, level 1      cycle c: busy
//!                                   ...
//!                                   tree, rest -> head -> redirect      cycle c + N
//! ```
//!
//! With stages the key of the *runner-up* is kept too (a second pass of the
//! tree without the head's threads, in a cycle without update). If the better
//! of an update's two successors is strictly before it, it is the next head at
//! once and the warp is not busy: one warp sustains one instruction per cycle.
//! A merge with the runner-up, or its turn, costs a redirect and N cycles
//! (`tests/contract/rate.rs`).
//!
//! A wake that comes with an update of the same warp is part of it. Any other
//! one waits, its warp busy, for a cycle without update; while one waits no slot
//! is eligible, so that such a cycle comes.
//!
//! Threads' PCs, heads and epochs are tables without reset; a *virgin* warp,
//! not updated since reset, reads as all its threads at the reset PC.
//!
//! Long, because a kernel has no functions and its signals want one place.

#[cfg(test)]
mod tests;
pub mod threads;
pub mod tree;

use super::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;
use threads::Threads;
use tree::{KEY, TAG, Tree};

/// Depth and inverted PC of a thread.
const PLACE: usize = 38;

regs! {
    /// A bit per warp each.
    pub struct Flags [] [] / FlagsD, FlagsQ {
        /// Not updated since reset.
        virgin: U<32> = 0xffff_ffff,
        /// Woken threads wait for the tree.
        waiting: U<32> = 0,
        /// The head is on its way through the tree.
        computing: U<32> = 0,
        /// The key of the runner-up is known.
        known: U<32> = 0xffff_ffff,
        /// It has to be computed.
        wanted: U<32> = 0,
        /// It is on its way through the tree.
        seeking: U<32> = 0,
    }
}

block! {
    /// See the module. `reset_pc` is a word address.
    pub struct Arbiter [const T: usize] [T] fn new(warps: usize, initial_masks: &[u64], reset_pc: u64, stages: usize) {
        port { pub port: Shell<T> = Shell::new(shape(stages)), }
        local {
            up: Signal<Local, Bit>,
            look: Signal<Local, U<5>>,
            look_bit: Signal<Local, U<32>>,
            turn: Signal<Local, U<5>>,
            turn_bit: Signal<Local, U<32>>,
            result: Signal<Local, U<5>>,
            result_bit: Signal<Local, U<32>>,
            wake_bit: Signal<Local, U<32>>,
            ready: Signal<Local, U<32>>,
            found: Signal<Local, Bit>,
            rouse: Signal<Local, Bit>,
            seek: Signal<Local, Bit>,
            head_pass: Signal<Local, Bit>,
            absorb: Signal<Local, Bit>,
            queue: Signal<Local, Bit>,
            initial_turn: Signal<Local, U<T>>,
            initial_look: Signal<Local, U<T>>,
            virgin_turn: Signal<Local, Bit>,
            alive: Signal<Local, U<T>>,
            woken: Signal<Local, U<T>>,
            parked: Signal<Local, U<T>>,
            part_in: Signal<Local, U<T>>,
            go_lane: Signal<Local, U<T>>,
            not_go_pc: Signal<Local, U<30>>,
            not_other_pc: Signal<Local, U<30>>,
            go_depth: Signal<Local, U<PLACE>>,
            other_depth: Signal<Local, U<PLACE>>,
            go_place: Signal<Local, U<PLACE>>,
            other_place: Signal<Local, U<PLACE>>,
            place: [Signal<Local, U<PLACE>>; T],
            epoch_turn: Signal<Local, U<4>>,
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
            merges: Signal<Local, U<2>>,
            known: Signal<Local, U<32>>,
            wanted: Signal<Local, U<32>>,
            seeking: Signal<Local, U<32>>,
            look_key: Signal<Local, U<KEY>>,
            look_mask: Signal<Local, U<T>>,
            look_epoch: Signal<Local, U<4>>,
            look_pc: Signal<Local, U<30>>,
        }
        part {
            flags: Flags = Flags::new(),
            threads: Threads<T, PLACE> = Threads::new(warps),
            live: Table<T> = Table::data(warps, 1, 1),
            wakes: Table<T> = Table::data(warps, 2, 1),
            head: Table<KEY> = Table::data(warps, 1, writes(stages)),
            masks: Table<T> = Table::data(warps, 1 + writes(stages), writes(stages)),
            epochs: Table<4> = Table::data(warps, 2, writes(stages)),
            runners: Table<KEY> = Table::data(warps, 1, writes(stages)),
            tree: Tree<T> = Tree::new(stages),
            initial: Vec<Constant<U<T>>> =
                (0..warps).map(|w| Constant::new(U::new(initial_masks[w]))).collect(),
            warps: Constant<U<32>> = Constant::new(U::new((1 << warps) - 1)),
            one: Constant<U<32>> = Constant::new(U::new(1)),
            lanes: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            start: Constant<U<KEY>> = Constant::new(U::new(1 << 38 | !reset_pc & U::<30>::MAX)),
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
        let mut bits = vec![
            ("thread places", T * PLACE),
            ("live threads", T),
            ("pending wakes", T),
            ("head", KEY + T),
            ("epoch", 4),
        ];
        if self._writes == 1 {
            bits.push(("flags", 2));
        } else {
            bits.extend([("runner-up", KEY), ("flags", 6)]);
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
        self.live.clock.next = self.port.io.clock.val();
        self.live.reset.next = self.port.io.reset.val();
        self.wakes.clock.next = self.port.io.clock.val();
        self.wakes.reset.next = self.port.io.reset.val();
        self.head.clock.next = self.port.io.clock.val();
        self.head.reset.next = self.port.io.reset.val();
        self.masks.clock.next = self.port.io.clock.val();
        self.masks.reset.next = self.port.io.reset.val();
        self.epochs.clock.next = self.port.io.clock.val();
        self.epochs.reset.next = self.port.io.reset.val();
        self.runners.clock.next = self.port.io.clock.val();
        self.runners.reset.next = self.port.io.reset.val();
        self.tree.clock.next = self.port.io.clock.val();
        self.tree.reset.next = self.port.io.reset.val();
        self.threads.clock.next = self.port.io.clock.val();

        // Whose turn is it? An update's, else a wake's, else a runner-up's.
        self.up.next = self.port.pipe[0].update.val();
        self.turn.next = 0.into();
        self.found.next = false;
        self.ready.next = self.flags.q.waiting.val() & (!self.flags.q.computing.val());
        for w in 0..self._warps {
            if self.ready.val().get_bit(w) && !self.found.val() {
                self.turn.next = w.to_bits();
                self.found.next = true;
            }
        }
        self.rouse.next = self.found.val() && !self.up.val();
        for w in 0..self._warps {
            if self.flags.q.wanted.val().get_bit(w) && !self.found.val() {
                self.turn.next = w.to_bits();
                self.found.next = true;
            }
        }
        self.seek.next = self.found.val() && !self.rouse.val() && !self.up.val();
        if self.up.val() {
            self.turn.next = self.port.pipe[0].up_warp.val();
        }
        self.head_pass.next = self.up.val() || self.rouse.val();
        self.turn_bit.next = (self.one.val() << self.turn.val()) & self.warps.val();
        self.look.next = self.port.pipe[0].look_warp.val();
        self.look_bit.next = (self.one.val() << self.look.val()) & self.warps.val();
        self.wake_bit.next = 0.into();
        if self.port.io.wake.val() {
            self.wake_bit.next =
                (self.one.val() << self.port.io.wake_warp.val()) & self.warps.val();
        }
        self.absorb.next = self.port.io.wake.val()
            && self.head_pass.val()
            && (self.port.io.wake_warp.val() == self.turn.val());
        self.queue.next = self.port.io.wake.val() && !self.absorb.val();

        self.live.read_address[0].next = self.turn.val().to_bits();
        self.wakes.read_address[0].next = self.turn.val().to_bits();
        self.wakes.read_address[1].next = self.port.io.wake_warp.val().to_bits();
        self.head.read_address[0].next = self.look.val().to_bits();
        self.masks.read_address[0].next = self.look.val().to_bits();
        self.masks.read_address[1].next = self.turn.val().to_bits();
        self.epochs.read_address[0].next = self.look.val().to_bits();
        self.epochs.read_address[1].next = self.turn.val().to_bits();
        self.runners.read_address[0].next = self.turn.val().to_bits();

        // Its threads after the update.
        self.initial_turn.next = 0.into();
        self.initial_look.next = 0.into();
        for w in 0..self._warps {
            if self.turn.val() == w.to_bits() {
                self.initial_turn.next = self.initial[w].val();
            }
            if self.look.val() == w.to_bits() {
                self.initial_look.next = self.initial[w].val();
            }
        }
        self.virgin_turn.next = (self.flags.q.virgin.val() & self.turn_bit.val()).any();
        self.alive.next = self.live.read_data[0].val();
        self.epoch_turn.next = self.epochs.read_data[1].val();
        self.runner.next = self.runners.read_data[0].val();
        if self.virgin_turn.val() {
            self.alive.next = self.initial_turn.val();
            self.epoch_turn.next = 0.into();
            self.runner.next = 0.into();
        }
        self.woken.next = 0.into();
        if self.rouse.val() {
            self.woken.next = self.wakes.read_data[0].val();
        }
        if self.absorb.val() {
            self.woken.next = self.woken.val() | self.port.io.wake_mask.val();
        }
        self.parked.next = 0.into();
        if self.up.val() {
            self.parked.next = self.port.pipe[0].halt_mask.val();
        }
        self.alive.next = (self.alive.val() & (!self.parked.val())) | self.woken.val();
        self.live.write[0].next = self.head_pass.val();
        self.live.write_address[0].next = self.turn.val().to_bits();
        self.live.write_data[0].next = self.alive.val();

        self.not_go_pc.next = !self.port.pipe[0].go_pc.val();
        self.not_other_pc.next = !self.port.pipe[0].other_pc.val();
        self.go_depth.next = self.port.pipe[0].go_depth.val().to_bits();
        self.other_depth.next = self.port.pipe[0].other_depth.val().to_bits();
        self.go_place.next = (self.go_depth.val() << 30) | self.not_go_pc.val().to_bits();
        self.other_place.next = (self.other_depth.val() << 30) | self.not_other_pc.val().to_bits();
        self.go_lane.next = self.port.pipe[0].go_mask.val() | self.port.pipe[0].halt_mask.val();
        self.part_in.next = self.alive.val();
        if self.seek.val() {
            self.part_in.next = self.alive.val() & (!self.masks.read_data[1].val());
        }
        self.threads.read_warp.next = self.turn.val();
        self.threads.write_warp.next = self.turn.val();
        self.threads.write.next = 0.into();
        if self.up.val() {
            self.threads.write.next = self.go_lane.val() | self.port.pipe[0].other_mask.val();
        }
        for i in 0..T {
            self.threads.write_data[i].next = self.go_place.val();
            if self.port.pipe[0].other_mask.val().get_bit(i) {
                self.threads.write_data[i].next = self.other_place.val();
            }
            self.place[i].next = self.threads.read_data[i].val();
            if self.up.val() && self.go_lane.val().get_bit(i) {
                self.place[i].next = self.go_place.val();
            }
            if self.up.val() && self.port.pipe[0].other_mask.val().get_bit(i) {
                self.place[i].next = self.other_place.val();
            }
            self.tree.leaf[i].next = 0.into();
            if self.part_in.val().get_bit(i) {
                self.tree.leaf[i].next = self.place[i].val().to_bits::<KEY>() | self.valid.val();
            }
        }

        // The better successor, if it stays before the runner-up.
        self.go_key.next = 0.into();
        if self.port.pipe[0].go_mask.val().any() {
            self.go_key.next = self.go_place.val().to_bits::<KEY>() | self.valid.val();
        }
        self.other_key.next = 0.into();
        if self.port.pipe[0].other_mask.val().any() {
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
            && self.up.val()
            && self.ahead.val()
            && !self.absorb.val()
            && (self.flags.q.known.val() & self.turn_bit.val()).any();
        self.launch.next = self.head_pass.val() && !self.fast.val();

        self.tag_epoch.next = self.epoch_turn.val().to_bits();
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
        if self.root.val().any() {
            self.root_mask.next = self.tree.mask.val();
        }

        // The head that is known in the cycle of its update.
        self.now.next = self.fast.val();
        self.now_key.next = self.better.val();
        self.now_mask.next = self.port.pipe[0].other_mask.val();
        if self.go_first.val() {
            self.now_mask.next = self.port.pipe[0].go_mask.val();
        }
        if self.together.val() {
            self.now_mask.next =
                self.port.pipe[0].go_mask.val() | self.port.pipe[0].other_mask.val();
        }
        if !self.pipelined.val() {
            self.now.next = self.head_pass.val();
            self.now_key.next = self.root.val();
            self.now_mask.next = self.root_mask.val();
        }
        self.now_pc.next = !self.now_key.val().get_bits::<30>(0);
        self.stay.next = self.up.val()
            && self.port.pipe[0].predicted.val()
            && (self.port.pipe[0].next_pc.val() == self.now_pc.val())
            && self.now_key.val().any()
            && (self.port.pipe[0].up_kind.val() != self.trap.val())
            && (self.port.pipe[0].up_kind.val() != self.replay.val())
            && (self.port.pipe[0].up_kind.val() != self.fence.val());
        self.now_redirect.next = self.now.val() && !self.stay.val();
        self.now_epoch.next = self.epoch_turn.val();
        if self.now_redirect.val() {
            self.now_epoch.next = self.epoch_turn.val() + 1;
        }

        // The head that comes out of a pipelined tree.
        self.result.next = self.tag_out.val().get_bits::<5>(0);
        self.result_bit.next = (self.one.val() << self.result.val()) & self.warps.val();
        self.late.next = self.pipelined.val() && self.tag_out.val().get_bit(10);
        self.late_runner.next = self.pipelined.val()
            && self.tag_out.val().get_bit(9)
            && (self.flags.q.seeking.val() & self.result_bit.val()).any();
        self.late_pc.next = !self.root.val().get_bits::<30>(0);

        // Who has met? A new head of threads both of the old one and not.
        self.merges.next = 0.into();
        if self.now.val()
            && self.up.val()
            && (self.now_mask.val() & self.port.pipe[0].exec_mask.val()).any()
            && (self.now_mask.val() & !self.port.pipe[0].exec_mask.val()).any()
        {
            self.merges.next = 1.into();
        }
        for p in 1..(self._writes) {
            self.masks.read_address[1 + p].next = self.result.val().to_bits();
            if self.late.val()
                && (self.root_mask.val() & self.masks.read_data[1 + p].val()).any()
                && (self.root_mask.val() & !self.masks.read_data[1 + p].val()).any()
            {
                self.merges.next = self.merges.val() + 1;
            }
        }

        // Who is busy? A result that a wake has overtaken ends nothing.
        self.waiting.next = self.flags.q.waiting.val();
        if self.rouse.val() {
            self.waiting.next = self.waiting.val() & (!self.turn_bit.val());
        }
        if self.queue.val() {
            self.waiting.next = self.waiting.val() | self.wake_bit.val();
        }
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
        self.port.io.wake_ready.next = true;
        self.port.io.merges.next = self.merges.val();

        self.wakes.write[0].next = self.queue.val();
        self.wakes.write_address[0].next = self.port.io.wake_warp.val().to_bits();
        self.wakes.write_data[0].next = self.port.io.wake_mask.val();
        if (self.flags.q.waiting.val() & self.wake_bit.val()).any() {
            self.wakes.write_data[0].next =
                self.port.io.wake_mask.val() | self.wakes.read_data[1].val();
        }

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
        self.flags.d.virgin.next = self.flags.q.virgin.val();
        if self.head_pass.val() {
            self.flags.d.virgin.next = self.flags.q.virgin.val() & (!self.turn_bit.val());
        }
        self.flags.d.waiting.next = self.waiting.val();
        self.flags.d.computing.next = self.computing.val();
        self.flags.d.known.next = self.known.val();
        self.flags.d.wanted.next = self.wanted.val();
        self.flags.d.seeking.next = self.seeking.val();

        // Writes and redirects, of heads known at once and of late ones.
        self.head.write[0].next = self.now.val();
        self.head.write_address[0].next = self.turn.val().to_bits();
        self.head.write_data[0].next = self.now_key.val();
        self.masks.write[0].next = self.now.val();
        self.masks.write_address[0].next = self.turn.val().to_bits();
        self.masks.write_data[0].next = self.now_mask.val();
        self.epochs.write[0].next = self.now.val();
        self.epochs.write_address[0].next = self.turn.val().to_bits();
        self.epochs.write_data[0].next = self.now_epoch.val();
        self.runners.write[0].next = self.fast.val();
        self.runners.write_address[0].next = self.turn.val().to_bits();
        self.runners.write_data[0].next = self.runner.val();
        if self.worse.val() > self.runner.val() {
            self.runners.write_data[0].next = self.worse.val();
        }
        self.port.redirect[0].valid.next = self.now_redirect.val();
        self.port.redirect[0].warp.next = self.turn.val();
        self.port.redirect[0].slot.next = 0.into();
        self.port.redirect[0].alive.next = self.now_key.val().any();
        self.port.redirect[0].pc.next = self.now_pc.val();
        self.port.redirect[0].epoch.next = self.now_epoch.val();
        self.port.redirect[0].from.next = 1.into();
        for p in 1..(self._writes) {
            self.head.write[p].next = self.late.val();
            self.head.write_address[p].next = self.result.val().to_bits();
            self.head.write_data[p].next = self.root.val();
            self.masks.write[p].next = self.late.val();
            self.masks.write_address[p].next = self.result.val().to_bits();
            self.masks.write_data[p].next = self.root_mask.val();
            self.epochs.write[p].next = self.late.val();
            self.epochs.write_address[p].next = self.result.val().to_bits();
            self.epochs.write_data[p].next = self.late_epoch.val();
            self.runners.write[p].next = self.late_runner.val();
            self.runners.write_address[p].next = self.result.val().to_bits();
            self.runners.write_data[p].next = self.root.val();
            self.port.redirect[p].valid.next = self.late_redirect.val();
            self.port.redirect[p].warp.next = self.result.val();
            self.port.redirect[p].slot.next = 0.into();
            self.port.redirect[p].alive.next = self.root.val().any();
            self.port.redirect[p].pc.next = self.late_pc.val();
            self.port.redirect[p].epoch.next = self.late_epoch.val();
            self.port.redirect[p].from.next = 1.into();
        }

        // Who executes?
        self.look_key.next = self.head.read_data[0].val();
        self.look_mask.next = self.masks.read_data[0].val();
        self.look_epoch.next = self.epochs.read_data[0].val();
        if (self.flags.q.virgin.val() & self.look_bit.val()).any() {
            self.look_key.next = self.start.val();
            self.look_mask.next = self.initial_look.val();
            self.look_epoch.next = 0.into();
        }
        if self.late.val() && (self.result.val() == self.look.val()) {
            self.look_key.next = self.root.val();
            self.look_mask.next = self.root_mask.val();
            self.look_epoch.next = self.late_epoch.val();
        }
        if self.now.val() && (self.turn.val() == self.look.val()) {
            self.look_key.next = self.now_key.val();
            self.look_mask.next = self.now_mask.val();
            self.look_epoch.next = self.now_epoch.val();
        }
        self.look_pc.next = !self.look_key.val().get_bits::<30>(0);
        self.port.pipe[0].hit.next = self.port.pipe[0].look.val()
            && self.look_mask.val().any()
            && (self.look_pc.val() == self.port.pipe[0].look_pc.val())
            && (self.look_epoch.val() == self.port.pipe[0].look_epoch.val())
            && !(self.busy.val() & self.look_bit.val()).any();
        self.port.pipe[0].mask.next = self.look_mask.val();
        self.port.pipe[0].depth.next = self.look_key.val().get_bits::<8>(30);

        self.port.pipe[0].owner.next = self.lanes.val();
        self.port.slot[0].priority.next = 0.into();
        self.port.slot[0].eligible.next = !self.flags.q.computing.val();
        if self.flags.q.waiting.val().any() {
            self.port.slot[0].eligible.next = 0.into();
        }
    }
}
