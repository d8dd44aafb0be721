//! `hct`: two hot paths per warp and a cold table (Collange & Brunie 2017,
//! section 3.2), one slot, one pipe.
//!
//! The head `x` is the path that executes, the runner-up `y` replaces it at
//! once. An update turns the head into up to two successors, which compact-sort
//! puts in order with the runner-up; a third path goes to the cold table. A cycle
//! without update goes to the warp that the cold table looks at: its runner-up
//! becomes its head if it has none, and changes places with it if it is better and
//! nothing is looked up in that cycle either. So what executes is what was looked
//! up.
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
//! Long, because a kernel has no functions, and all of it decides on the same head.

pub mod cold;
pub mod compact;
pub mod path;

use crate::config::{Ccs, Cct, CoreConfig};
use crate::divergence::port::{Shape, Shell, Unit, kind};
use crate::rtl::prelude::*;
use cold::Cold;
use compact::{NetworkSort, ParallelSort};

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

const SHAPE: Shape = Shape { slots: 1, pipes: 1, redirects: 1 };

regs! {
    /// A bit per warp each.
    pub struct Places [] [] / PlacesD, PlacesQ {
        /// The head was written since reset.
        started: U<32> = 0,
        /// There is a head (if written since reset).
        alive: U<32> = 0,
        /// There is a runner-up.
        second: U<32> = 0,
    }
}

block! {
    /// See the file.
    pub struct Hct [const T: usize] [T] fn new(config: &CoreConfig) {
        port { pub port: Shell<T> = Shell::new(SHAPE), }
        local {
            up_warp: Signal<Local, U<5>>,
            look_warp: Signal<Local, U<5>>,
            turn: Signal<Local, U<5>>,
            go_depth: Signal<Local, U<8>>,
            other_depth: Signal<Local, U<8>>,
            go_key: Signal<Local, U<38>>,
            other_key: Signal<Local, U<38>>,
            a_valid: Signal<Local, Bit>,
            a_key: Signal<Local, U<38>>,
            a_mask: Signal<Local, U<T>>,
            go_valid: Signal<Local, Bit>,
            other_valid: Signal<Local, Bit>,
            alive: Signal<Local, U<32>>,
            y_valid: Signal<Local, Bit>,
            x1: Signal<Local, Bit>,
            x1_key: Signal<Local, U<38>>,
            x1_mask: Signal<Local, U<T>>,
            y1: Signal<Local, Bit>,
            y1_key: Signal<Local, U<38>>,
            y1_mask: Signal<Local, U<T>>,
            z1: Signal<Local, Bit>,
            z1_key: Signal<Local, U<38>>,
            z1_mask: Signal<Local, U<T>>,
            kept: Signal<Local, Bit>,
            all_came: Signal<Local, Bit>,
            two_came: Signal<Local, Bit>,
            merges: Signal<Local, U<2>>,
            passed: Signal<Local, Bit>,
            x_bit: Signal<Local, U<32>>,
            y_write: Signal<Local, Bit>,
            y_warp: Signal<Local, U<5>>,
            y_new: Signal<Local, Bit>,
            y_key: Signal<Local, U<38>>,
            y_mask: Signal<Local, U<T>>,
            y_bit: Signal<Local, U<32>>,
            idle: Signal<Local, Bit>,
            swap: Signal<Local, Bit>,
            advance: Signal<Local, Bit>,
            moved: Signal<Local, Bit>,
            epoch: Signal<Local, U<4>>,
            l_valid: Signal<Local, Bit>,
            l_key: Signal<Local, U<38>>,
            l_pc: Signal<Local, U<30>>,
            l_mask: Signal<Local, U<T>>,
            l_epoch: Signal<Local, U<4>>,
            l_depth: Signal<Local, U<8>>,
        }
        part {
            r: Places = Places::new(),
            x_keys: Table<38> = Table::data(config.warps as usize, 1, 1),
            x_masks: Table<T> = Table::data(config.warps as usize, 1, 1),
            y_keys: Table<38> = Table::data(config.warps as usize, 2, 1),
            y_masks: Table<T> = Table::data(config.warps as usize, 2, 1),
            epochs: Table<4> = Table::new(config.warps as usize, 2, 1, 0),
            parallel: Vec<ParallelSort<T>> =
                (0..usize::from(config.ccs == Ccs::Parallel)).map(|_| ParallelSort::new()).collect(),
            network: Vec<NetworkSort<T>> =
                (0..usize::from(config.ccs == Ccs::Network)).map(|_| NetworkSort::new()).collect(),
            cold: Cold<T> = Cold::new(config.warps as usize, config.cct == Cct::Paper),
            // W is a power of two: tells synthesis which bits can be set.
            last_warp: Constant<U<5>> = Constant::new(U::new(u64::from(config.warps) - 1)),
            lsb: Constant<U<32>> = Constant::new(U::new(1)),
            everyone: Constant<U<T>> = Constant::new(U::new(u64::MAX)),
            every_warp: Constant<U<32>> = Constant::new(U::new(u64::MAX)),
            reset_alive: Constant<U<32>> = Constant::new(U::new(alive_at_reset(config).into())),
            reset_key: Constant<U<38>> =
                Constant::new(U::new(0xff << 30 | u64::from(config.reset_pc / 4))),
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
            pub _alive_at_reset: u32 = alive_at_reset(config),
        }
    }
}

crate::unit_port!([const T: usize] Hct<T>, T);

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

    fn state_bits(&self) -> Vec<(&'static str, usize)> {
        let pointers = 2 * T.ilog2() as usize + 1;
        vec![
            ("head", 1 + 1 + 38 + T + 4),
            ("runner-up", 1 + 38 + T),
            ("cold", T * (40 + T) + pointers + 2),
            ("wake", T),
        ]
    }
}

impl<const T: usize> Logic for Hct<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.port.io.clock.val();
        self.r.reset.next = self.port.io.reset.val();
        self.x_keys.clock.next = self.port.io.clock.val();
        self.x_keys.reset.next = self.port.io.reset.val();
        self.x_masks.clock.next = self.port.io.clock.val();
        self.x_masks.reset.next = self.port.io.reset.val();
        self.y_keys.clock.next = self.port.io.clock.val();
        self.y_keys.reset.next = self.port.io.reset.val();
        self.y_masks.clock.next = self.port.io.clock.val();
        self.y_masks.reset.next = self.port.io.reset.val();
        self.epochs.clock.next = self.port.io.clock.val();
        self.epochs.reset.next = self.port.io.reset.val();
        self.cold.clock.next = self.port.io.clock.val();
        self.cold.reset.next = self.port.io.reset.val();

        // The successors. A promotion is an update without any; the successor of a
        // head that does not execute is itself.
        self.turn.next = self.cold.turn.val();
        self.alive.next = (self.r.q.alive.val() & self.r.q.started.val())
            | (self.reset_alive.val() & !self.r.q.started.val());
        self.idle.next = !self.port.pipe[0].update.val()
            && !self.port.pipe[0].look.val()
            && self.alive.val().get_bit(self.turn.val().index());
        self.look_warp.next = self.turn.val();
        if self.port.pipe[0].look.val() {
            self.look_warp.next = self.port.pipe[0].look_warp.val() & self.last_warp.val();
        }
        self.x_keys.read_address[0].next = self.look_warp.val().to_bits::<8>();
        self.x_masks.read_address[0].next = self.look_warp.val().to_bits::<8>();
        self.up_warp.next = self.turn.val();
        if self.port.pipe[0].update.val() {
            self.up_warp.next = self.port.pipe[0].up_warp.val() & self.last_warp.val();
        }
        self.go_depth.next = !self.port.pipe[0].go_depth.val();
        self.other_depth.next = !self.port.pipe[0].other_depth.val();
        self.go_key.next = self.go_depth.val().to_bits::<38>() << 30
            | self.port.pipe[0].go_pc.val().to_bits::<38>();
        self.other_key.next = self.other_depth.val().to_bits::<38>() << 30
            | self.port.pipe[0].other_pc.val().to_bits::<38>();
        self.go_valid.next =
            self.port.pipe[0].update.val() && self.port.pipe[0].go_mask.val().any();
        self.other_valid.next =
            self.port.pipe[0].update.val() && self.port.pipe[0].other_mask.val().any();
        self.a_valid.next = self.go_valid.val() || self.idle.val();
        self.a_key.next = self.go_key.val();
        self.a_mask.next = self.port.pipe[0].go_mask.val();
        if self.idle.val() {
            self.a_key.next = self.x_keys.read_data[0].val();
            self.a_mask.next = self.x_masks.read_data[0].val();
        }
        self.y_keys.read_address[0].next = self.up_warp.val().to_bits::<8>();
        self.y_masks.read_address[0].next = self.up_warp.val().to_bits::<8>();
        self.y_valid.next = self.r.q.second.val().get_bit(self.up_warp.val().index());

        // In order.
        self.x1.next = false;
        self.x1_key.next = 0.into();
        self.x1_mask.next = 0.into();
        self.y1.next = false;
        self.y1_key.next = 0.into();
        self.y1_mask.next = 0.into();
        self.z1.next = false;
        self.z1_key.next = 0.into();
        self.z1_mask.next = 0.into();
        self.kept.next = false;
        self.passed.next = false;
        for i in 0..self._parallel {
            self.parallel[i].port.a.valid.next = self.a_valid.val();
            self.parallel[i].port.a.key.next = self.a_key.val();
            self.parallel[i].port.a.mask.next = self.a_mask.val();
            self.parallel[i].port.b.valid.next = self.other_valid.val();
            self.parallel[i].port.b.key.next = self.other_key.val();
            self.parallel[i].port.b.mask.next = self.port.pipe[0].other_mask.val();
            self.parallel[i].port.c.valid.next = self.y_valid.val();
            self.parallel[i].port.c.key.next = self.y_keys.read_data[0].val();
            self.parallel[i].port.c.mask.next = self.y_masks.read_data[0].val();
            self.x1.next = self.parallel[i].port.x.valid.val();
            self.x1_key.next = self.parallel[i].port.x.key.val();
            self.x1_mask.next = self.parallel[i].port.x.mask.val();
            self.y1.next = self.parallel[i].port.y.valid.val();
            self.y1_key.next = self.parallel[i].port.y.key.val();
            self.y1_mask.next = self.parallel[i].port.y.mask.val();
            self.z1.next = self.parallel[i].port.z.valid.val();
            self.z1_key.next = self.parallel[i].port.z.key.val();
            self.z1_mask.next = self.parallel[i].port.z.mask.val();
            self.kept.next = self.parallel[i].port.kept.val();
            self.passed.next = self.parallel[i].port.passed.val();
        }
        for i in 0..self._network {
            self.network[i].port.a.valid.next = self.a_valid.val();
            self.network[i].port.a.key.next = self.a_key.val();
            self.network[i].port.a.mask.next = self.a_mask.val();
            self.network[i].port.b.valid.next = self.other_valid.val();
            self.network[i].port.b.key.next = self.other_key.val();
            self.network[i].port.b.mask.next = self.port.pipe[0].other_mask.val();
            self.network[i].port.c.valid.next = self.y_valid.val();
            self.network[i].port.c.key.next = self.y_keys.read_data[0].val();
            self.network[i].port.c.mask.next = self.y_masks.read_data[0].val();
            self.x1.next = self.network[i].port.x.valid.val();
            self.x1_key.next = self.network[i].port.x.key.val();
            self.x1_mask.next = self.network[i].port.x.mask.val();
            self.y1.next = self.network[i].port.y.valid.val();
            self.y1_key.next = self.network[i].port.y.key.val();
            self.y1_mask.next = self.network[i].port.y.mask.val();
            self.z1.next = self.network[i].port.z.valid.val();
            self.z1_key.next = self.network[i].port.z.key.val();
            self.z1_mask.next = self.network[i].port.z.mask.val();
            self.kept.next = self.network[i].port.kept.val();
            self.passed.next = self.network[i].port.passed.val();
        }

        self.swap.next = self.idle.val() && self.passed.val() && self.y1.val();
        self.advance.next =
            self.port.pipe[0].update.val() || self.cold.promote.val() || self.swap.val();

        // As many pairs have met as paths are missing afterwards.
        self.all_came.next = self.go_valid.val() && self.other_valid.val() && self.y_valid.val();
        self.two_came.next = (self.go_valid.val() && self.other_valid.val())
            || (self.go_valid.val() && self.y_valid.val())
            || (self.other_valid.val() && self.y_valid.val());
        self.merges.next = 0.into();
        if self.all_came.val() && !self.z1.val() {
            self.merges.next = 1.into();
        }
        if self.two_came.val() && !self.y1.val() {
            self.merges.next = self.merges.val() + 1;
        }
        if self.cold.met.val() {
            self.merges.next = self.merges.val() + 1;
        }
        self.port.io.merges.next = self.merges.val();

        // The cold table.
        self.y_keys.read_address[1].next = self.turn.val().to_bits::<8>();
        self.y_masks.read_address[1].next = self.turn.val().to_bits::<8>();
        self.cold.second.valid.next = self.r.q.second.val().get_bit(self.turn.val().index());
        self.cold.second.key.next = self.y_keys.read_data[1].val();
        self.cold.second.mask.next = self.y_masks.read_data[1].val();
        self.cold.headless.next = !self.alive.val().get_bit(self.turn.val().index());
        self.cold.update.next = self.port.pipe[0].update.val() || self.swap.val();
        self.cold.up_warp.next = self.up_warp.val();
        self.cold.overflow.valid.next = self.z1.val();
        self.cold.overflow.key.next = self.z1_key.val();
        self.cold.overflow.mask.next = self.z1_mask.val();
        self.cold.park.valid.next =
            self.port.pipe[0].update.val() && self.port.pipe[0].halt_mask.val().any();
        self.cold.park.key.next = self.go_key.val();
        self.cold.park.mask.next = self.port.pipe[0].halt_mask.val();
        self.cold.worse.next = self.passed.val();
        self.cold.hold.next =
            (self.port.pipe[0].update.val() && !self.kept.val()) || self.swap.val();
        self.cold.wake.next = self.port.io.wake.val();
        self.cold.wake_warp.next = self.port.io.wake_warp.val() & self.last_warp.val();
        self.cold.wake_mask.next = self.port.io.wake_mask.val();

        // The runner-up: from the update, else from the cold table.
        self.y_write.next = self.cold.better.valid.val();
        self.y_warp.next = self.turn.val();
        self.y_new.next = true;
        self.y_key.next = self.cold.better.key.val();
        self.y_mask.next = self.cold.better.mask.val();
        if self.advance.val() && !self.kept.val() {
            self.y_write.next = true;
            self.y_warp.next = self.up_warp.val();
            self.y_new.next = self.y1.val();
            self.y_key.next = self.y1_key.val();
            self.y_mask.next = self.y1_mask.val();
        }
        self.y_keys.write[0].next = self.y_write.val();
        self.y_keys.write_address[0].next = self.y_warp.val().to_bits::<8>();
        self.y_keys.write_data[0].next = self.y_key.val();
        self.y_masks.write[0].next = self.y_write.val();
        self.y_masks.write_address[0].next = self.y_warp.val().to_bits::<8>();
        self.y_masks.write_data[0].next = self.y_mask.val();
        self.y_bit.next = self.lsb.val() << self.y_warp.val();
        self.r.d.second.next = self.r.q.second.val();
        if self.y_write.val() {
            self.r.d.second.next = self.r.q.second.val() & !self.y_bit.val();
            if self.y_new.val() {
                self.r.d.second.next = self.r.q.second.val() | self.y_bit.val();
            }
        }

        // The head.
        self.moved.next = self.advance.val()
            && !(self.port.pipe[0].update.val()
                && self.port.pipe[0].predicted.val()
                && self.x1.val()
                && (self.x1_key.val().get_bits::<30>(0) == self.port.pipe[0].next_pc.val())
                && (self.port.pipe[0].up_kind.val() != self.trap.val())
                && (self.port.pipe[0].up_kind.val() != self.replay.val())
                && (self.port.pipe[0].up_kind.val() != self.fence.val()));
        self.x_keys.write[0].next = self.advance.val();
        self.x_keys.write_address[0].next = self.up_warp.val().to_bits::<8>();
        self.x_keys.write_data[0].next = self.x1_key.val();
        self.x_masks.write[0].next = self.advance.val();
        self.x_masks.write_address[0].next = self.up_warp.val().to_bits::<8>();
        self.x_masks.write_data[0].next = self.x1_mask.val();
        self.x_bit.next = self.lsb.val() << self.up_warp.val();
        self.r.d.started.next = self.r.q.started.val();
        self.r.d.alive.next = self.r.q.alive.val();
        if self.advance.val() {
            self.r.d.started.next = self.r.q.started.val() | self.x_bit.val();
            self.r.d.alive.next = self.r.q.alive.val() & !self.x_bit.val();
            if self.x1.val() {
                self.r.d.alive.next = self.r.q.alive.val() | self.x_bit.val();
            }
        }
        self.epochs.read_address[0].next = self.up_warp.val().to_bits::<8>();
        self.epoch.next = self.epochs.read_data[0].val() + 1;
        self.epochs.write[0].next = self.moved.val();
        self.epochs.write_address[0].next = self.up_warp.val().to_bits::<8>();
        self.epochs.write_data[0].next = self.epoch.val();
        self.port.redirect[0].valid.next = self.moved.val();
        self.port.redirect[0].warp.next = self.up_warp.val();
        self.port.redirect[0].slot.next = 0.into();
        self.port.redirect[0].alive.next = self.x1.val();
        self.port.redirect[0].pc.next = self.x1_key.val().get_bits::<30>(0);
        self.port.redirect[0].epoch.next = self.epoch.val();
        self.port.redirect[0].from.next = 1.into();

        // Lookup: the head as it is after this cycle.
        self.epochs.read_address[1].next = self.look_warp.val().to_bits::<8>();
        self.l_valid.next = self.alive.val().get_bit(self.look_warp.val().index());
        self.l_key.next = self.x_keys.read_data[0].val();
        self.l_mask.next = self.x_masks.read_data[0].val();
        self.l_epoch.next = self.epochs.read_data[1].val();
        if !self.r.q.started.val().get_bit(self.look_warp.val().index()) {
            self.l_key.next = self.reset_key.val();
            self.l_mask.next = self.everyone.val();
            if self.look_warp.val() == self.part_warp.val() {
                self.l_mask.next = self.part_mask.val();
            }
        }
        if self.advance.val() && (self.up_warp.val() == self.look_warp.val()) {
            self.l_valid.next = self.x1.val();
            self.l_key.next = self.x1_key.val();
            self.l_mask.next = self.x1_mask.val();
            if self.moved.val() {
                self.l_epoch.next = self.epoch.val();
            }
        }
        self.l_pc.next = self.l_key.val().get_bits::<30>(0);
        self.l_depth.next = !self.l_key.val().get_bits::<8>(30);
        self.port.pipe[0].hit.next = self.port.pipe[0].look.val()
            && self.l_valid.val()
            && (self.l_pc.val() == self.port.pipe[0].look_pc.val())
            && (self.l_epoch.val() == self.port.pipe[0].look_epoch.val());
        self.port.pipe[0].mask.next = self.l_mask.val();
        self.port.pipe[0].depth.next = self.l_depth.val();
        self.port.pipe[0].owner.next = self.everyone.val();

        self.port.io.busy.next = 0.into();
        self.port.slot[0].eligible.next = self.every_warp.val();
        if self.cold.starved.val() {
            self.port.slot[0].eligible.next = 0.into();
        }
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
