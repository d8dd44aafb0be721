//! `shuffle`: two slots, two pipes, slot `s` in pipe `s`. Shows several pipes
//! that execute one warp in the same cycle on disjoint lanes.
//!
//! Every lane belongs to one slot. A slot holds the deepest, then lowest path of
//! its lanes' threads; the others of its lanes wait. After reset the lower half
//! of the lanes is slot 0's, the upper half slot 1's. With `shuffling`, some
//! updates, drawn from a xorshift register, deal the lanes out anew: to random
//! halves, all to one slot (paths at one place merge), or swapped. Both slots are
//! redirected then, with new epochs, and inherit the writes of the slots their
//! lanes come from.
//!
//! A view knows the pending writes of all lanes of its slot, waiting and parked
//! threads included. Lanes are not dealt while the other pipe updates. Wakes
//! wait for a cycle without update; while one waits no slot is eligible.
//!
//! Long, because a kernel has no functions and its signals want one place.

use super::pair::start;
use super::store::{Lanes, Store, slots};
use crate::divergence::arbiter::tree::{KEY, Tree};
use crate::divergence::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;

const SHAPE: Shape = Shape { slots: 2, pipes: 2, redirects: 2 };

regs! {
    /// Warps with pending wakes, and chance.
    pub struct Deal [] [] / DealD, DealQ {
        waiting: U<32> = 0,
        random: U<64> = 0x9e37_79b9_7f4a_7c15,
    }
}

block! {
    /// See the module. `reset_pc` is a word address.
    pub struct Shuffle [const T: usize] [T] fn new(warps: usize, initial_masks: &[u64], reset_pc: u64, shuffling: bool) {
        port { pub port: Shell<T> = Shell::new(SHAPE), }
        local {
            up: [Signal<Local, Bit>; 2],
            random: Signal<Local, U<64>>,
            lot: Signal<Local, U<3>>,
            mix: Signal<Local, Bit>,
            rouse: Signal<Local, Bit>,
            found: Signal<Local, Bit>,
            wakened: Signal<Local, U<5>>,
            wakened_bit: Signal<Local, U<32>>,
            wake_bit: Signal<Local, U<32>>,
            turn: [Signal<Local, U<5>>; 2],
            act: [Signal<Local, Bit>; 2],
            woken: Signal<Local, U<T>>,
            not_go_pc: [Signal<Local, U<30>>; 2],
            not_other_pc: [Signal<Local, U<30>>; 2],
            go_depth: [Signal<Local, U<KEY>>; 2],
            other_depth: [Signal<Local, U<KEY>>; 2],
            go_key: [Signal<Local, U<KEY>>; 2],
            halt_key: [Signal<Local, U<KEY>>; 2],
            other_key: [Signal<Local, U<KEY>>; 2],
            /// Of the threads of slot `s`, the updates of pipe `p` at `2 s + p`.
            hear: [Signal<Local, Bit>; 4],
            go: [Signal<Local, U<T>>; 4],
            other: [Signal<Local, U<T>>; 4],
            halt: [Signal<Local, U<T>>; 4],
            /// Thread `i` as slot `s` sees it, at `2 i + s`.
            place: Vec<Signal<Local, U<KEY>>> = fresh_vec(2 * T),
            dealt: Signal<Local, U<T>>,
            old_owner: [Signal<Local, U<T>>; 2],
            new_owner: [Signal<Local, U<T>>; 2],
            old_key: [Signal<Local, U<KEY>>; 2],
            old_epoch: [Signal<Local, U<4>>; 2],
            new_key: [Signal<Local, U<KEY>>; 2],
            new_mask: [Signal<Local, U<T>>; 2],
            new_epoch: [Signal<Local, U<4>>; 2],
            new_pc: [Signal<Local, U<30>>; 2],
            stay: [Signal<Local, Bit>; 2],
            redirect: [Signal<Local, Bit>; 2],
            from: [Signal<Local, U<8>>; 2],
            waiting: Signal<Local, U<32>>,
            look_mask: [Signal<Local, U<T>>; 2],
            look_key: [Signal<Local, U<KEY>>; 2],
            look_epoch: [Signal<Local, U<4>>; 2],
            look_pc: [Signal<Local, U<30>>; 2],
        }
        part {
            r: Deal = Deal::new(),
            lanes: Lanes<T> = Lanes::new(initial_masks, start(reset_pc)),
            wakes: Store<T> = Store::new(vec![0; warps], 2, 1),
            owners: Store<T> = Store::new(vec![half::<T>(0); warps], 4, 1),
            masks: Store<T> = Store::new(slots(warps, |s, w| initial_masks[w] & half::<T>(s)), 4, 2),
            keys: Store<KEY> = Store::new(slots(warps, |s, w| first_key(initial_masks[w] & half::<T>(s), reset_pc)), 4, 2),
            epochs: Store<4> = Store::new(slots(warps, |_, _| 0), 4, 2),
            tree0: Tree<T> = Tree::new(0),
            tree1: Tree<T> = Tree::new(0),
            one: Constant<U<32>> = Constant::new(U::new(1)),
            lower: Constant<U<T>> = Constant::new(U::new(half::<T>(0))),
            all: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            valid: Constant<U<KEY>> = Constant::new(U::new(1 << 38)),
            shuffling: Constant<Bit> = Constant::new(shuffling),
            trap: Constant<U<4>> = Constant::new(U::new(kind::TRAP)),
            replay: Constant<U<4>> = Constant::new(U::new(kind::REPLAY)),
            fence: Constant<U<4>> = Constant::new(U::new(kind::FENCE)),
        }
        plain {
            _warps: usize = warps,
            _masks: Vec<u64> = initial_masks[..warps].to_vec(),
        }
    }
}

/// Lanes of a slot after reset: the lower half, or all if there is one, and the
/// others.
fn half<const T: usize>(slot: usize) -> u64 {
    let lower = u64::MAX >> (64 - T.div_ceil(2));
    if slot == 0 { lower } else { !lower & U::<T>::MAX }
}

fn first_key(mask: u64, pc: u64) -> u64 {
    if mask == 0 { 0 } else { start(pc) }
}

crate::unit_port!([const T: usize] Shuffle<T>, T);

impl<const T: usize> Unit<T> for Shuffle<T> {
    fn shape(&self) -> Shape {
        SHAPE
    }

    fn alive_at_reset(&self, slot: usize) -> u32 {
        let alive = self._masks.iter().map(|m| u32::from(m & half::<T>(slot) != 0));
        alive.enumerate().fold(0, |m, (w, a)| m | a << w)
    }

    fn state_bits(&self) -> Vec<(&'static str, usize)> {
        vec![
            ("threads", T * KEY),
            ("slots", 2 * (T + KEY + 4)),
            ("owner", T),
            ("pending wakes", T + 1),
        ]
    }
}

impl<const T: usize> Logic for Shuffle<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.port.io.clock.val();
        self.r.reset.next = self.port.io.reset.val();
        self.lanes.clock.next = self.port.io.clock.val();
        self.lanes.reset.next = self.port.io.reset.val();
        self.wakes.clock.next = self.port.io.clock.val();
        self.wakes.reset.next = self.port.io.reset.val();
        self.owners.clock.next = self.port.io.clock.val();
        self.owners.reset.next = self.port.io.reset.val();
        self.masks.clock.next = self.port.io.clock.val();
        self.masks.reset.next = self.port.io.reset.val();
        self.keys.clock.next = self.port.io.clock.val();
        self.keys.reset.next = self.port.io.reset.val();
        self.epochs.clock.next = self.port.io.clock.val();
        self.epochs.reset.next = self.port.io.reset.val();
        self.tree0.clock.next = self.port.io.clock.val();
        self.tree0.reset.next = self.port.io.reset.val();
        self.tree1.clock.next = self.port.io.clock.val();
        self.tree1.reset.next = self.port.io.reset.val();
        self.tree0.tag.next = 0.into();
        self.tree1.tag.next = 0.into();

        self.random.next = self.r.q.random.val() ^ (self.r.q.random.val() << 13);
        self.random.next = self.random.val() ^ (self.random.val() >> 7);
        self.r.d.random.next = self.random.val() ^ (self.random.val() << 17);
        self.lot.next = self.r.q.random.val().get_bits::<3>(40);

        // Each slot's turn is its update's warp; both take that of a wake, and
        // of the one update that deals.
        for s in 0..2 {
            self.up[s].next = self.port.pipe[s].update.val();
        }
        self.wakened.next = 0.into();
        self.found.next = false;
        for w in 0..self._warps {
            if self.r.q.waiting.val().get_bit(w) && !self.found.val() {
                self.wakened.next = w.to_bits();
                self.found.next = true;
            }
        }
        self.rouse.next = self.found.val() && !self.up[0].val() && !self.up[1].val();
        self.mix.next =
            self.shuffling.val() && (self.up[0].val() ^ self.up[1].val()) && (self.lot.val() == 0);
        self.turn[0].next = self.wakened.val();
        self.turn[1].next = self.wakened.val();
        if self.up[0].val() {
            self.turn[0].next = self.port.pipe[0].up_warp.val();
            self.turn[1].next = self.port.pipe[0].up_warp.val();
        }
        if self.up[1].val() {
            self.turn[1].next = self.port.pipe[1].up_warp.val();
        }
        if self.up[1].val() && !self.up[0].val() {
            self.turn[0].next = self.port.pipe[1].up_warp.val();
        }
        self.wakened_bit.next = self.one.val() << self.wakened.val();
        self.wake_bit.next = self.one.val() << self.port.io.wake_warp.val();
        self.wakes.read_address[0].next = self.wakened.val().to_bits();
        self.wakes.read_address[1].next = self.port.io.wake_warp.val().to_bits();
        self.woken.next = 0.into();
        if self.rouse.val() {
            self.woken.next = self.wakes.read_data[0].val();
        }
        for s in 0..2 {
            self.act[s].next = self.up[s].val() || self.rouse.val() || self.mix.val();
            self.lanes.warp[s].next = self.turn[s].val();
            self.owners.read_address[s].next = self.turn[s].val().to_bits();
            self.owners.read_address[2 + s].next = self.port.pipe[s].own_warp.val().to_bits();
            self.masks.read_address[s].next =
                (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.keys.read_address[s].next = (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.epochs.read_address[s].next =
                (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.masks.read_address[2 + s].next =
                (s.to_bits::<6>() << 5) | self.port.pipe[s].look_warp.val().to_bits();
            self.keys.read_address[2 + s].next =
                (s.to_bits::<6>() << 5) | self.port.pipe[s].look_warp.val().to_bits();
            self.epochs.read_address[2 + s].next =
                (s.to_bits::<6>() << 5) | self.port.pipe[s].look_warp.val().to_bits();
            self.old_key[s].next = self.keys.read_data[s].val();
            self.old_epoch[s].next = self.epochs.read_data[s].val();
        }

        // The threads after the updates.
        for p in 0..2 {
            self.not_go_pc[p].next = !self.port.pipe[p].go_pc.val();
            self.not_other_pc[p].next = !self.port.pipe[p].other_pc.val();
            self.go_depth[p].next = self.port.pipe[p].go_depth.val().to_bits();
            self.other_depth[p].next = self.port.pipe[p].other_depth.val().to_bits();
            self.halt_key[p].next =
                (self.go_depth[p].val() << 30) | self.not_go_pc[p].val().to_bits();
            self.go_key[p].next = self.halt_key[p].val() | self.valid.val();
            self.other_key[p].next = (self.other_depth[p].val() << 30)
                | self.not_other_pc[p].val().to_bits()
                | self.valid.val();
        }
        for s in 0..2 {
            for p in 0..2 {
                self.hear[2 * s + p].next =
                    self.up[p].val() && (self.port.pipe[p].up_warp.val() == self.turn[s].val());
                self.go[2 * s + p].next = 0.into();
                self.other[2 * s + p].next = 0.into();
                self.halt[2 * s + p].next = 0.into();
                if self.hear[2 * s + p].val() {
                    self.go[2 * s + p].next = self.port.pipe[p].go_mask.val();
                    self.other[2 * s + p].next = self.port.pipe[p].other_mask.val();
                    self.halt[2 * s + p].next = self.port.pipe[p].halt_mask.val();
                }
            }
            self.lanes.write[s].next = 0.into();
            if self.up[s].val() {
                self.lanes.write[s].next = self.port.pipe[s].exec_mask.val();
            }
        }
        if self.rouse.val() {
            self.lanes.write[0].next = self.woken.val();
        }
        for i in 0..T {
            for s in 0..2 {
                self.place[2 * i + s].next = self.lanes.q[2 * i + s].val();
                if self.woken.val().get_bit(i) {
                    self.place[2 * i + s].next = self.lanes.q[2 * i + s].val() | self.valid.val();
                }
                for p in 0..2 {
                    if self.go[2 * s + p].val().get_bit(i) {
                        self.place[2 * i + s].next = self.go_key[p].val();
                    }
                    if self.other[2 * s + p].val().get_bit(i) {
                        self.place[2 * i + s].next = self.other_key[p].val();
                    }
                    if self.halt[2 * s + p].val().get_bit(i) {
                        self.place[2 * i + s].next = self.halt_key[p].val();
                    }
                }
                self.lanes.d[2 * i + s].next = self.place[2 * i + s].val();
            }
        }

        // Whose lanes are they?
        self.old_owner[0].next = self.owners.read_data[0].val();
        self.old_owner[1].next = !self.owners.read_data[1].val();
        self.dealt.next = self.r.q.random.val().get_bits::<T>(0);
        if self.r.q.random.val().get_bits::<2>(44) == 0 {
            self.dealt.next = !self.old_owner[0].val();
        }
        if self.r.q.random.val().get_bits::<2>(44) == 1 {
            self.dealt.next = self.all.val();
        }
        if self.r.q.random.val().get_bits::<3>(44) == 2 {
            self.dealt.next = self.lower.val();
        }
        self.new_owner[0].next = self.old_owner[0].val();
        self.new_owner[1].next = self.old_owner[1].val();
        if self.mix.val() {
            self.new_owner[0].next = self.dealt.val();
            self.new_owner[1].next = !self.dealt.val();
        }
        self.owners.write[0].next = self.mix.val();
        self.owners.write_address[0].next = self.turn[0].val().to_bits();
        self.owners.write_data[0].next = self.new_owner[0].val();

        // The paths of their threads.
        for i in 0..T {
            self.tree0.leaf[i].next = 0.into();
            self.tree1.leaf[i].next = 0.into();
            if self.place[2 * i].val().get_bit(38) && self.new_owner[0].val().get_bit(i) {
                self.tree0.leaf[i].next = self.place[2 * i].val();
            }
            if self.place[2 * i + 1].val().get_bit(38) && self.new_owner[1].val().get_bit(i) {
                self.tree1.leaf[i].next = self.place[2 * i + 1].val();
            }
        }
        self.new_key[0].next = self.tree0.root.val();
        self.new_key[1].next = self.tree1.root.val();
        self.new_mask[0].next = self.tree0.mask.val();
        self.new_mask[1].next = self.tree1.mask.val();
        for s in 0..2 {
            if !self.new_key[s].val().any() {
                self.new_mask[s].next = 0.into();
            }
            self.new_pc[s].next = !self.new_key[s].val().get_bits::<30>(0);
            self.stay[s].next = self.port.pipe[s].predicted.val()
                && (self.port.pipe[s].next_pc.val() == self.new_pc[s].val())
                && (self.port.pipe[s].up_kind.val() != self.trap.val())
                && (self.port.pipe[s].up_kind.val() != self.replay.val())
                && (self.port.pipe[s].up_kind.val() != self.fence.val())
                && self.new_key[s].val().any();
            self.redirect[s].next =
                self.rouse.val() && (self.new_key[s].val() != self.old_key[s].val());
            if self.up[s].val() {
                self.redirect[s].next = !self.stay[s].val();
            }
            if self.mix.val() {
                self.redirect[s].next = true;
            }
            self.new_epoch[s].next = self.old_epoch[s].val();
            if self.redirect[s].val() {
                self.new_epoch[s].next = self.old_epoch[s].val() + 1;
            }
            self.from[s].next = 0.into();
            if (self.old_owner[0].val() & self.new_owner[s].val()).any() {
                self.from[s].next = 1.into();
            }
            if (self.old_owner[1].val() & self.new_owner[s].val()).any() {
                self.from[s].next = self.from[s].val() | 2;
            }
            self.masks.write[s].next = self.act[s].val();
            self.masks.write_address[s].next =
                (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.masks.write_data[s].next = self.new_mask[s].val();
            self.keys.write[s].next = self.act[s].val();
            self.keys.write_address[s].next =
                (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.keys.write_data[s].next = self.new_key[s].val();
            self.epochs.write[s].next = self.act[s].val();
            self.epochs.write_address[s].next =
                (s.to_bits::<6>() << 5) | self.turn[s].val().to_bits();
            self.epochs.write_data[s].next = self.new_epoch[s].val();
            self.port.redirect[s].valid.next = self.redirect[s].val();
            self.port.redirect[s].warp.next = self.turn[s].val();
            self.port.redirect[s].slot.next = s.to_bits();
            self.port.redirect[s].alive.next = self.new_key[s].val().any();
            self.port.redirect[s].pc.next = self.new_pc[s].val();
            self.port.redirect[s].epoch.next = self.new_epoch[s].val();
            self.port.redirect[s].from.next = self.from[s].val();
        }

        // Pending wakes.
        self.waiting.next = self.r.q.waiting.val();
        if self.rouse.val() {
            self.waiting.next = self.waiting.val() & (!self.wakened_bit.val());
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
        self.port.io.busy.next = 0.into();
        self.port.io.wake_ready.next = true;
        self.port.io.merges.next = 0.into();
        for s in 0..2 {
            self.look_mask[s].next = self.masks.read_data[2 + s].val();
            self.look_key[s].next = self.keys.read_data[2 + s].val();
            self.look_epoch[s].next = self.epochs.read_data[2 + s].val();
            if self.act[s].val() && (self.turn[s].val() == self.port.pipe[s].look_warp.val()) {
                self.look_mask[s].next = self.new_mask[s].val();
                self.look_key[s].next = self.new_key[s].val();
                self.look_epoch[s].next = self.new_epoch[s].val();
            }
            self.look_pc[s].next = !self.look_key[s].val().get_bits::<30>(0);
            self.port.pipe[s].hit.next = self.port.pipe[s].look.val()
                && self.look_mask[s].val().any()
                && (self.look_pc[s].val() == self.port.pipe[s].look_pc.val())
                && (self.look_epoch[s].val() == self.port.pipe[s].look_epoch.val());
            self.port.pipe[s].mask.next = self.look_mask[s].val();
            self.port.pipe[s].depth.next = self.look_key[s].val().get_bits::<8>(30);
            self.port.slot[s].priority.next = 0.into();
            self.port.slot[s].eligible.next = 0.into();
            if !self.r.q.waiting.val().any() {
                self.port.slot[s].eligible.next = !self.r.q.waiting.val();
            }
        }
        self.port.pipe[0].owner.next = self.owners.read_data[2].val();
        self.port.pipe[1].owner.next = !self.owners.read_data[3].val();
    }
}
