//! `pair`: two slots, one pipe. Shows several slots behind one pipe.
//!
//! Each slot holds a path; all other threads wait. After an update its slot
//! takes the deepest, then lowest path among all threads that are not in the
//! other slot; threads at the other slot's place join that. An empty slot takes
//! the next path. Any redirect inherits the writes of both slots.
//!
//! Wakes wait for a cycle without update; while one waits no slot is eligible.

use super::store::{Lanes, Store, slots};
use crate::divergence::arbiter::tree::{KEY, Tree};
use crate::divergence::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;

const SHAPE: Shape = Shape { slots: 2, pipes: 1, redirects: 2 };

regs! {
    /// Warps with pending wakes.
    pub struct Waiting [] [] / WaitingD, WaitingQ {
        waiting: U<32> = 0,
    }
}

block! {
    /// See the module. `reset_pc` is a word address.
    pub struct Pair [const T: usize] [T] fn new(warps: usize, initial_masks: &[u64], reset_pc: u64) {
        port { pub port: Shell<T> = Shell::new(SHAPE), }
        local {
            up: Signal<Local, Bit>,
            turn: Signal<Local, U<5>>,
            turn_bit: Signal<Local, U<32>>,
            wake_bit: Signal<Local, U<32>>,
            found: Signal<Local, Bit>,
            rouse: Signal<Local, Bit>,
            second: Signal<Local, Bit>,
            act: Signal<Local, Bit>,
            woken: Signal<Local, U<T>>,
            mask: [Signal<Local, U<T>>; 2],
            key: [Signal<Local, U<KEY>>; 2],
            epoch: [Signal<Local, U<4>>; 2],
            this_mask: Signal<Local, U<T>>,
            this_epoch: Signal<Local, U<4>>,
            that_mask: Signal<Local, U<T>>,
            that_key: Signal<Local, U<KEY>>,
            that_epoch: Signal<Local, U<4>>,
            not_go_pc: Signal<Local, U<30>>,
            not_other_pc: Signal<Local, U<30>>,
            go_depth: Signal<Local, U<KEY>>,
            other_depth: Signal<Local, U<KEY>>,
            go_key: Signal<Local, U<KEY>>,
            halt_key: Signal<Local, U<KEY>>,
            other_key: Signal<Local, U<KEY>>,
            place: [Signal<Local, U<KEY>>; T],
            joins: [Signal<Local, Bit>; T],
            join: Signal<Local, U<T>>,
            first_key: Signal<Local, U<KEY>>,
            first_mask: Signal<Local, U<T>>,
            first_pc: Signal<Local, U<30>>,
            stay: Signal<Local, Bit>,
            this_redirect: Signal<Local, Bit>,
            that_redirect: Signal<Local, Bit>,
            new_that_mask: Signal<Local, U<T>>,
            new_that_key: Signal<Local, U<KEY>>,
            new_mask: [Signal<Local, U<T>>; 2],
            new_key: [Signal<Local, U<KEY>>; 2],
            new_epoch: [Signal<Local, U<4>>; 2],
            waiting: Signal<Local, U<32>>,
            look_address: Signal<Local, U<6>>,
            look_mask: Signal<Local, U<T>>,
            look_key: Signal<Local, U<KEY>>,
            look_epoch: Signal<Local, U<4>>,
            look_pc: Signal<Local, U<30>>,
        }
        part {
            r: Waiting = Waiting::new(),
            lanes: Lanes<T> = Lanes::new(initial_masks, start(reset_pc)),
            wakes: Store<T> = Store::new(vec![0; warps], 2, 1),
            masks: Store<T> = Store::new(slots(warps, |s, w| if s == 0 { initial_masks[w] } else { 0 }), 3, 2),
            keys: Store<KEY> = Store::new(slots(warps, |s, _| if s == 0 { start(reset_pc) } else { 0 }), 3, 2),
            epochs: Store<4> = Store::new(slots(warps, |_, _| 0), 3, 2),
            first: Tree<T> = Tree::new(0),
            then: Tree<T> = Tree::new(0),
            one: Constant<U<32>> = Constant::new(U::new(1)),
            all: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            valid: Constant<U<KEY>> = Constant::new(U::new(1 << 38)),
            trap: Constant<U<4>> = Constant::new(U::new(kind::TRAP)),
            replay: Constant<U<4>> = Constant::new(U::new(kind::REPLAY)),
            fence: Constant<U<4>> = Constant::new(U::new(kind::FENCE)),
        }
        plain {
            _warps: usize = warps,
            _alive: u32 = (0..warps).fold(0, |m, w| m | u32::from(initial_masks[w] != 0) << w),
        }
    }
}

/// The key of a live thread at depth 0.
pub(super) fn start(pc: u64) -> u64 {
    1 << 38 | !pc & U::<30>::MAX
}

crate::unit_port!([const T: usize] Pair<T>, T);

impl<const T: usize> Unit<T> for Pair<T> {
    fn shape(&self) -> Shape {
        SHAPE
    }

    fn alive_at_reset(&self, slot: usize) -> u32 {
        if slot == 0 { self._alive } else { 0 }
    }

    fn state_bits(&self) -> Vec<(&'static str, usize)> {
        vec![("threads", T * KEY), ("slots", 2 * (T + KEY + 4)), ("pending wakes", T + 1)]
    }
}

impl<const T: usize> Logic for Pair<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.port.io.clock.val();
        self.r.reset.next = self.port.io.reset.val();
        self.lanes.clock.next = self.port.io.clock.val();
        self.lanes.reset.next = self.port.io.reset.val();
        self.wakes.clock.next = self.port.io.clock.val();
        self.wakes.reset.next = self.port.io.reset.val();
        self.masks.clock.next = self.port.io.clock.val();
        self.masks.reset.next = self.port.io.reset.val();
        self.keys.clock.next = self.port.io.clock.val();
        self.keys.reset.next = self.port.io.reset.val();
        self.epochs.clock.next = self.port.io.clock.val();
        self.epochs.reset.next = self.port.io.reset.val();
        self.first.clock.next = self.port.io.clock.val();
        self.first.reset.next = self.port.io.reset.val();
        self.then.clock.next = self.port.io.clock.val();
        self.then.reset.next = self.port.io.reset.val();
        self.first.tag.next = 0.into();
        self.then.tag.next = 0.into();

        // Whose turn is it? An update's, else a wake's.
        self.up.next = self.port.pipe[0].update.val();
        self.turn.next = 0.into();
        self.found.next = false;
        for w in 0..self._warps {
            if self.r.q.waiting.val().get_bit(w) && !self.found.val() {
                self.turn.next = w.to_bits();
                self.found.next = true;
            }
        }
        self.rouse.next = self.found.val() && !self.up.val();
        if self.up.val() {
            self.turn.next = self.port.pipe[0].up_warp.val();
        }
        self.turn_bit.next = self.one.val() << self.turn.val();
        self.wake_bit.next = self.one.val() << self.port.io.wake_warp.val();
        self.lanes.warp[0].next = self.turn.val();
        self.lanes.warp[1].next = self.turn.val();
        self.wakes.read_address[0].next = self.turn.val().to_bits();
        self.wakes.read_address[1].next = self.port.io.wake_warp.val().to_bits();
        for s in 0..2 {
            self.masks.read_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.keys.read_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.epochs.read_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.mask[s].next = self.masks.read_data[s].val();
            self.key[s].next = self.keys.read_data[s].val();
            self.epoch[s].next = self.epochs.read_data[s].val();
        }

        // This slot is the one of the update, or an empty one for a wake.
        self.second.next = self.mask[0].val().any();
        self.act.next = self.rouse.val() && !(self.mask[0].val().any() && self.mask[1].val().any());
        if self.up.val() {
            self.second.next = self.port.pipe[0].up_slot.val().get_bit(0);
            self.act.next = true;
        }
        self.this_mask.next = self.mask[0].val();
        self.this_epoch.next = self.epoch[0].val();
        self.that_mask.next = self.mask[1].val();
        self.that_key.next = self.key[1].val();
        self.that_epoch.next = self.epoch[1].val();
        if self.second.val() {
            self.this_mask.next = self.mask[1].val();
            self.this_epoch.next = self.epoch[1].val();
            self.that_mask.next = self.mask[0].val();
            self.that_key.next = self.key[0].val();
            self.that_epoch.next = self.epoch[0].val();
        }

        // The threads after it.
        self.not_go_pc.next = !self.port.pipe[0].go_pc.val();
        self.not_other_pc.next = !self.port.pipe[0].other_pc.val();
        self.go_depth.next = self.port.pipe[0].go_depth.val().to_bits();
        self.other_depth.next = self.port.pipe[0].other_depth.val().to_bits();
        self.halt_key.next = (self.go_depth.val() << 30) | self.not_go_pc.val().to_bits();
        self.go_key.next = self.halt_key.val() | self.valid.val();
        self.other_key.next =
            (self.other_depth.val() << 30) | self.not_other_pc.val().to_bits() | self.valid.val();
        self.woken.next = 0.into();
        if self.rouse.val() {
            self.woken.next = self.wakes.read_data[0].val();
        }
        self.lanes.write[0].next = self.woken.val();
        self.lanes.write[1].next = 0.into();
        if self.up.val() {
            self.lanes.write[0].next = self.port.pipe[0].exec_mask.val();
        }
        self.join.next = 0.into();
        for i in 0..T {
            self.place[i].next = self.lanes.q[2 * i].val();
            if self.woken.val().get_bit(i) {
                self.place[i].next = self.lanes.q[2 * i].val() | self.valid.val();
            }
            if self.up.val() && self.port.pipe[0].go_mask.val().get_bit(i) {
                self.place[i].next = self.go_key.val();
            }
            if self.up.val() && self.port.pipe[0].other_mask.val().get_bit(i) {
                self.place[i].next = self.other_key.val();
            }
            if self.up.val() && self.port.pipe[0].halt_mask.val().get_bit(i) {
                self.place[i].next = self.halt_key.val();
            }
            self.lanes.d[2 * i].next = self.place[i].val();
            self.lanes.d[2 * i + 1].next = 0.into();
            self.joins[i].next = (self.place[i].val() == self.that_key.val())
                && self.that_mask.val().any()
                && !self.that_mask.val().get_bit(i);
            self.join.next = self.join.val().replace_bit(i, self.joins[i].val());
            self.first.leaf[i].next = 0.into();
            if self.place[i].val().get_bit(38)
                && !self.joins[i].val()
                && !self.that_mask.val().get_bit(i)
            {
                self.first.leaf[i].next = self.place[i].val();
            }
        }
        self.first_key.next = self.first.root.val();
        self.first_mask.next = 0.into();
        if self.first_key.val().any() {
            self.first_mask.next = self.first.mask.val();
        }
        for i in 0..T {
            self.then.leaf[i].next = 0.into();
            if self.place[i].val().get_bit(38)
                && !self.that_mask.val().any()
                && !self.first_mask.val().get_bit(i)
            {
                self.then.leaf[i].next = self.place[i].val();
            }
        }

        // Both slots after it.
        self.first_pc.next = !self.first_key.val().get_bits::<30>(0);
        self.stay.next = self.port.pipe[0].predicted.val()
            && (self.port.pipe[0].next_pc.val() == self.first_pc.val())
            && (self.port.pipe[0].up_kind.val() != self.trap.val())
            && (self.port.pipe[0].up_kind.val() != self.replay.val())
            && (self.port.pipe[0].up_kind.val() != self.fence.val())
            && self.first_key.val().any()
            && !(self.first_mask.val() & (!self.this_mask.val())).any();
        self.this_redirect.next = self.rouse.val() && self.act.val() && self.first_key.val().any();
        if self.up.val() {
            self.this_redirect.next = !self.stay.val();
        }
        self.new_that_key.next = self.then.root.val();
        self.new_that_mask.next = 0.into();
        if self.new_that_key.val().any() {
            self.new_that_mask.next = self.then.mask.val();
        }
        self.that_redirect.next = self.act.val() && self.new_that_key.val().any();
        if self.that_mask.val().any() {
            self.new_that_key.next = self.that_key.val();
            self.new_that_mask.next = self.that_mask.val() | self.join.val();
            self.that_redirect.next = self.act.val() && self.join.val().any();
        }
        if self.this_redirect.val() {
            self.this_epoch.next = self.this_epoch.val() + 1;
        }
        if self.that_redirect.val() {
            self.that_epoch.next = self.that_epoch.val() + 1;
        }
        self.new_key[0].next = self.first_key.val();
        self.new_mask[0].next = self.first_mask.val();
        self.new_epoch[0].next = self.this_epoch.val();
        self.new_key[1].next = self.new_that_key.val();
        self.new_mask[1].next = self.new_that_mask.val();
        self.new_epoch[1].next = self.that_epoch.val();
        if self.second.val() {
            self.new_key[1].next = self.first_key.val();
            self.new_mask[1].next = self.first_mask.val();
            self.new_epoch[1].next = self.this_epoch.val();
            self.new_key[0].next = self.new_that_key.val();
            self.new_mask[0].next = self.new_that_mask.val();
            self.new_epoch[0].next = self.that_epoch.val();
        }
        for s in 0..2 {
            self.masks.write[s].next = self.act.val();
            self.masks.write_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.masks.write_data[s].next = self.new_mask[s].val();
            self.keys.write[s].next = self.act.val();
            self.keys.write_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.keys.write_data[s].next = self.new_key[s].val();
            self.epochs.write[s].next = self.act.val();
            self.epochs.write_address[s].next = (s.to_bits::<6>() << 5) | self.turn.val().to_bits();
            self.epochs.write_data[s].next = self.new_epoch[s].val();
            self.port.redirect[s].warp.next = self.turn.val();
            self.port.redirect[s].from.next = 3.into();
        }
        self.port.redirect[0].valid.next = self.this_redirect.val();
        self.port.redirect[0].slot.next = self.second.val().to_bits();
        self.port.redirect[0].alive.next = self.first_key.val().any();
        self.port.redirect[0].pc.next = self.first_pc.val();
        self.port.redirect[0].epoch.next = self.this_epoch.val();
        self.port.redirect[1].valid.next = self.that_redirect.val();
        self.port.redirect[1].slot.next = 1.into();
        if self.second.val() {
            self.port.redirect[1].slot.next = 0.into();
        }
        self.port.redirect[1].alive.next = true;
        self.port.redirect[1].pc.next = !self.new_that_key.val().get_bits::<30>(0);
        self.port.redirect[1].epoch.next = self.that_epoch.val();

        // Pending wakes.
        self.waiting.next = self.r.q.waiting.val();
        if self.rouse.val() {
            self.waiting.next = self.waiting.val() & (!self.turn_bit.val());
        }
        self.wakes.write[0].next = self.port.io.wake.val();
        self.wakes.write_address[0].next = self.port.io.wake_warp.val().to_bits();
        self.wakes.write_data[0].next = self.port.io.wake_mask.val();
        if (self.waiting.val() & self.wake_bit.val()).any() {
            self.wakes.write_data[0].next =
                self.port.io.wake_mask.val() | self.wakes.read_data[1].val();
        }
        if self.port.io.wake.val() {
            self.waiting.next = self.waiting.val() | self.wake_bit.val();
        }
        self.r.d.waiting.next = self.waiting.val();

        // Who executes?
        self.look_address.next = self.port.pipe[0].look_warp.val().to_bits();
        if self.port.pipe[0].look_slot.val().get_bit(0) {
            self.look_address.next = self.port.pipe[0].look_warp.val().to_bits::<6>() | 32;
        }
        self.masks.read_address[2].next = self.look_address.val();
        self.keys.read_address[2].next = self.look_address.val();
        self.epochs.read_address[2].next = self.look_address.val();
        self.look_mask.next = self.masks.read_data[2].val();
        self.look_key.next = self.keys.read_data[2].val();
        self.look_epoch.next = self.epochs.read_data[2].val();
        if self.act.val() && (self.turn.val() == self.port.pipe[0].look_warp.val()) {
            self.look_mask.next = self.new_mask[0].val();
            self.look_key.next = self.new_key[0].val();
            self.look_epoch.next = self.new_epoch[0].val();
            if self.port.pipe[0].look_slot.val().get_bit(0) {
                self.look_mask.next = self.new_mask[1].val();
                self.look_key.next = self.new_key[1].val();
                self.look_epoch.next = self.new_epoch[1].val();
            }
        }
        self.look_pc.next = !self.look_key.val().get_bits::<30>(0);
        self.port.pipe[0].hit.next = self.port.pipe[0].look.val()
            && self.look_mask.val().any()
            && (self.look_pc.val() == self.port.pipe[0].look_pc.val())
            && (self.look_epoch.val() == self.port.pipe[0].look_epoch.val());
        self.port.pipe[0].mask.next = self.look_mask.val();
        self.port.pipe[0].depth.next = self.look_key.val().get_bits::<8>(30);
        self.port.pipe[0].owner.next = self.all.val();

        self.port.io.busy.next = 0.into();
        self.port.io.wake_ready.next = true;
        self.port.io.merges.next = 0.into();
        for s in 0..2 {
            self.port.slot[s].priority.next = 0.into();
            self.port.slot[s].eligible.next = 0.into();
            if !self.r.q.waiting.val().any() {
                self.port.slot[s].eligible.next = !self.r.q.waiting.val();
            }
        }
    }
}
