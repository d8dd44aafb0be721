//! The divergence port: the one contract between the pipeline and every unit
//! (`docs/divergence.md`). No arrays over lanes; a PC is a word address.
//!
//! ```text
//! stage 6  soon     who is asked for in the next cycle
//! stage 7  lookup   who executes?         combinational, sees this cycle's updates
//! stage 8  update   what became of them   redirects appear in the same cycle, or all
//!                                         in the next ([`Unit::redirects_late`])
//! ```

use crate::rtl::PinVisitor;
use crate::rtl::Tick;
use crate::rtl::prelude::*;
use std::ops::{Deref, DerefMut};

/// What an update is about.
pub mod kind {
    /// Anything that goes on at the next instruction.
    pub const PLAIN: u64 = 0;
    /// A conditional branch.
    pub const BRANCH: u64 = 1;
    /// A jump that is neither call nor return.
    pub const JUMP: u64 = 2;
    /// `jal` or `jalr` that links.
    pub const CALL: u64 = 3;
    /// `jalr` that returns, or `mret`.
    pub const RETURN: u64 = 4;
    /// Threads trapped.
    pub const TRAP: u64 = 5;
    /// Nobody completed: all threads execute the instruction again.
    pub const REPLAY: u64 = 6;
    /// `wfi`: threads park, or go on if a wake is pending.
    pub const HALT: u64 = 7;
    /// The buffers of the slot must be flushed (`fence.i`).
    pub const FENCE: u64 = 8;
}

interface! {
    /// One pipe: its owner query, its lookup and its update. Everything of one
    /// cycle is simultaneous; the lookup sees the state after all updates of
    /// the cycle.
    pub struct PipePort [const T: usize] [T] {
        /// Stage 3: which slot is about to issue?
        pub own_warp: Signal<In, U<5>>,
        /// See `own_warp`.
        pub own_slot: Signal<In, U<3>>,
        /// Lanes that the slot may use (P5); disjoint between slots of a warp.
        pub owner: Signal<Out, U<T>>,
        /// Stage 4: in the cycle before an instruction issued...
        pub issued: Signal<In, Bit>,
        /// ... of this warp...
        pub issued_warp: Signal<In, U<5>>,
        /// ... in this slot.
        pub issued_slot: Signal<In, U<3>>,
        /// It is a load, store, AMO or divide.
        pub long_latency: Signal<In, Bit>,

        /// Stage 6: in the next cycle stage 7 asks...
        pub soon: Signal<In, Bit>,
        /// ... for a path of this warp...
        pub soon_warp: Signal<In, U<5>>,
        /// ... in this slot.
        pub soon_slot: Signal<In, U<3>>,

        /// Stage 7 asks; in beats twice, of which the second time counts.
        pub look: Signal<In, Bit>,
        /// Whose path.
        pub look_warp: Signal<In, U<5>>,
        /// See `look_warp`.
        pub look_slot: Signal<In, U<3>>,
        /// PC of the instruction.
        pub look_pc: Signal<In, U<30>>,
        /// Epoch it was fetched in.
        pub look_epoch: Signal<In, U<4>>,
        /// Execute (true) or drop. True only if PC and epoch are current.
        pub hit: Signal<Out, Bit>,
        /// Threads of the path. May be empty and still hit.
        pub mask: Signal<Out, U<T>>,
        /// Their call depth.
        pub depth: Signal<Out, U<8>>,

        /// Stage 8 reports what an instruction that hit did.
        pub update: Signal<In, Bit>,
        /// Whose path.
        pub up_warp: Signal<In, U<5>>,
        /// See `up_warp`.
        pub up_slot: Signal<In, U<3>>,
        /// One of [`kind`].
        pub up_kind: Signal<In, U<4>>,
        /// Threads that executed: each is in exactly one of go, other and halt.
        /// Threads that joined the path since the lookup keep PC and depth.
        pub exec_mask: Signal<In, U<T>>,
        /// Successor: threads, PC, depth.
        pub go_mask: Signal<In, U<T>>,
        /// See `go_mask`.
        pub go_pc: Signal<In, U<30>>,
        /// See `go_mask`.
        pub go_depth: Signal<In, U<8>>,
        /// The other successor, or the threads to replay.
        pub other_mask: Signal<In, U<T>>,
        /// See `other_mask`.
        pub other_pc: Signal<In, U<30>>,
        /// See `other_mask`.
        pub other_depth: Signal<In, U<8>>,
        /// `other_mask` has threads, unless the update is refused.
        pub splits: Signal<In, Bit>,
        /// The update is a [`kind::REPLAY`], which is known late. For a unit that looks at this,
        /// kind, go and halt are what they would be if nothing were refused; other is that of
        /// the replay. See [`Unit::late_refusal`].
        pub refused: Signal<In, Bit>,
        /// Threads that park; they will go on at `go_pc` and `go_depth`. Without an update 0.
        pub halt_mask: Signal<In, U<T>>,
        /// The instruction had a join hint...
        pub hint: Signal<In, Bit>,
        /// ... to here.
        pub hint_pc: Signal<In, U<30>>,
        /// The instruction had a split mark.
        pub split: Signal<In, Bit>,
        /// The front-end went on fetching at `next_pc`. If false it waits for
        /// a redirect, which must come.
        pub predicted: Signal<In, Bit>,
        /// See `predicted`.
        pub next_pc: Signal<In, U<30>>,
    }
}

interface! {
    /// What the unit says of one slot, a bit per warp.
    pub struct SlotPort [] [] {
        /// The slot may issue.
        pub eligible: Signal<Out, U<32>>,
        /// It goes before slots without.
        pub priority: Signal<Out, U<32>>,
    }
}

interface! {
    /// A slot that goes on elsewhere than the front-end expects.
    pub struct RedirectPort [] [] {
        /// There is one.
        pub valid: Signal<Out, Bit>,
        /// Which slot.
        pub warp: Signal<Out, U<5>>,
        /// See `warp`.
        pub slot: Signal<Out, U<3>>,
        /// Does the slot hold a path? If not it stops fetching.
        pub alive: Signal<Out, Bit>,
        /// Where it goes on.
        pub pc: Signal<Out, U<30>>,
        /// Its new epoch.
        pub epoch: Signal<Out, U<4>>,
        /// Slots of the warp whose pending writes the path inherits, itself
        /// included if it keeps any of its threads.
        pub from: Signal<Out, U<8>>,
    }
}

interface! {
    /// The rest.
    pub struct UnitIo [const T: usize] [T] {
        /// The clock.
        pub clock: Signal<In, Clk>,
        /// Synchronous reset.
        pub reset: Signal<In, Bit>,
        /// Warps whose lookups drop, from the cycle of the update that raises
        /// it; when it falls every live slot of the warp is redirected once.
        pub busy: Signal<Out, U<32>>,
        /// Pairs of paths that met in this cycle; a statistic.
        pub merges: Signal<Out, U<2>>,
        /// Threads of a warp to wake. May come in any cycle, also with an
        /// update of the same warp; never for a thread that is not parked or
        /// parking in this very cycle. Stays until a cycle with `wake_ready`, in
        /// which it is handed over.
        pub wake: Signal<In, Bit>,
        /// See `wake`.
        pub wake_warp: Signal<In, U<5>>,
        /// See `wake`.
        pub wake_mask: Signal<In, U<T>>,
        /// The unit takes a wake. Must not depend on `wake`.
        pub wake_ready: Signal<Out, Bit>,
        /// A load returned to these threads.
        pub load_done: Signal<In, Bit>,
        /// See `load_done`.
        pub load_warp: Signal<In, U<5>>,
        /// See `load_done`.
        pub load_mask: Signal<In, U<T>>,
    }
}

/// The whole port of a unit.
pub struct UnitPort<const T: usize> {
    /// See [`UnitIo`].
    pub io: UnitIo<T>,
    /// One per pipe.
    pub pipe: Vec<PipePort<T>>,
    /// One per slot.
    pub slot: Vec<SlotPort>,
    /// Redirects that can come in one cycle. Two never name the same slot.
    pub redirect: Vec<RedirectPort>,
}

impl<const T: usize> Refresh for UnitPort<T> {
    fn refresh(&mut self) -> bool {
        self.io.refresh() | self.pipe.refresh() | self.slot.refresh() | self.redirect.refresh()
    }

    fn pins(&mut self, name: &str, visit: PinVisitor<'_>) {
        self.io.pins(&format!("{name}$io"), visit);
        self.pipe.pins(&format!("{name}$pipe"), visit);
        self.slot.pins(&format!("{name}$slot"), visit);
        self.redirect.pins(&format!("{name}$redirect"), visit);
    }
}

impl<const T: usize> Tick for UnitPort<T> {
    fn edge_only(&mut self) -> bool {
        self.io.edge_only()
    }
}

impl<const T: usize> Watch for UnitPort<T> {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        watcher.open(name);
        self.io.watch("io", watcher);
        self.pipe.watch("pipe", watcher);
        self.slot.watch("slot", watcher);
        self.redirect.watch("redirect", watcher);
        watcher.close();
    }
}

impl<const T: usize> Logic for UnitPort<T> {
    fn update(&mut self) {}
}

impl<const T: usize> Block for UnitPort<T> {
    fn connect_all(&mut self) {
        self.io.connect_all();
        self.pipe.connect_all();
        self.slot.connect_all();
        self.redirect.connect_all();
    }

    fn update_all(&mut self) {
        self.io.update_all();
        self.pipe.update_all();
        self.slot.update_all();
        self.redirect.update_all();
    }

    fn has_changed(&self) -> bool {
        self.io.has_changed()
            || self.pipe.has_changed()
            || self.slot.has_changed()
            || self.redirect.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_namespace(name, self);
        self.io.accept("io", probe);
        self.pipe.accept("pipe", probe);
        self.slot.accept("slot", probe);
        self.redirect.accept("redirect", probe);
        probe.visit_end_namespace(name, self);
    }
}

/// Holds the port so that `unit.port.pipe[i].x` works and prints alike in the
/// unit (whose field is `port: Shell<T>`) and in the generic core (which sees
/// the unit only through `Deref`).
pub struct Shell<const T: usize> {
    /// The port.
    pub port: UnitPort<T>,
}

impl<const T: usize> Shell<T> {
    /// A port of that shape.
    pub fn new(shape: Shape) -> Shell<T> {
        Shell {
            port: UnitPort {
                io: fresh(),
                pipe: fresh_vec(shape.pipes),
                slot: fresh_vec(shape.slots),
                redirect: fresh_vec(shape.redirects),
            },
        }
    }
}

impl<const T: usize> Deref for Shell<T> {
    type Target = UnitPort<T>;
    fn deref(&self) -> &UnitPort<T> {
        &self.port
    }
}

impl<const T: usize> DerefMut for Shell<T> {
    fn deref_mut(&mut self) -> &mut UnitPort<T> {
        &mut self.port
    }
}

impl<const T: usize> Refresh for Shell<T> {
    fn refresh(&mut self) -> bool {
        self.port.refresh()
    }

    fn pins(&mut self, name: &str, visit: PinVisitor<'_>) {
        self.port.pins(name, visit);
    }
}

impl<const T: usize> Tick for Shell<T> {
    fn edge_only(&mut self) -> bool {
        self.port.edge_only()
    }
}

impl<const T: usize> Watch for Shell<T> {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        self.port.watch(name, watcher);
    }
}

impl<const T: usize> Logic for Shell<T> {
    fn update(&mut self) {}
}

impl<const T: usize> Block for Shell<T> {
    fn connect_all(&mut self) {
        self.port.connect_all();
    }

    fn update_all(&mut self) {
        self.port.update_all();
    }

    fn has_changed(&self) -> bool {
        self.port.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.port.accept(name, probe);
    }
}

/// How many of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Schedulable paths per warp.
    pub slots: usize,
    /// Instructions per cycle. Slot `s` issues in pipe `s % pipes`.
    pub pipes: usize,
    /// Redirects per cycle.
    pub redirects: usize,
}

/// A divergence unit: a block with a `port: Shell<T>` that it derefs to.
pub trait Unit<const T: usize>: Block + Tick + Watch + Deref<Target = Shell<T>> + DerefMut {
    /// Slots, pipes, redirects.
    fn shape(&self) -> Shape;

    /// Warps whose slot `slot` holds a path right after reset (a bit per
    /// warp); the front-end fetches for it at the reset PC in epoch 0.
    fn alive_at_reset(&self, slot: usize) -> u32;

    /// Does it look at `refused`? If not, a refused update is told as a replay.
    fn late_refusal(&self) -> bool {
        false
    }

    /// Do its redirects come a cycle after the update? Then no path may be looked up in
    /// the cycle of its update, nor in the next.
    fn redirects_late(&self) -> bool {
        false
    }

    /// State bits of one warp, by table.
    fn state_bits(&self) -> Vec<(&'static str, usize)>;
}

/// Implements `Deref` to the unit's `port` field.
#[macro_export]
macro_rules! unit_port {
    ([$($generics:tt)*] $name:ty, $t:tt) => {
        impl<$($generics)*> std::ops::Deref for $name {
            type Target = $crate::divergence::port::Shell<$t>;
            fn deref(&self) -> &Self::Target {
                &self.port
            }
        }
        impl<$($generics)*> std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.port
            }
        }
    };
}
