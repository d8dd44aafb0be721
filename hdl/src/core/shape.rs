//! Numbers that the stages share. A *view* is one slot of one warp in the
//! front-end; views of one pipe have consecutive numbers.

use super::csr;
use crate::config::{CoreConfig, Crossbar, Csrs};
use crate::divergence::port::Shape;
use crate::isa::encoding::Ext;
use crate::rtl::prelude::*;

/// Instructions a view can hold from predecode to commit.
pub const WINDOW: usize = 4;

/// Where a lane's data is in a block: a word and a byte of it.
pub const fn place(word: u64, byte: u64) -> u64 {
    word << 2 | byte
}

/// What fixes the counts of the front-end.
#[derive(Clone, Debug)]
pub struct CoreShape {
    /// W.
    pub warps: usize,
    /// Slots per warp.
    pub slots: usize,
    /// Pipes.
    pub pipes: usize,
    /// Redirects per cycle.
    pub redirects: usize,
    /// Memory operations that can be outstanding.
    pub loads: usize,
    /// The configuration.
    pub config: CoreConfig,
}

impl CoreShape {
    /// Of a configuration and a unit.
    pub fn new(config: &CoreConfig, unit: Shape) -> CoreShape {
        let shape = CoreShape {
            warps: config.warps as usize,
            slots: unit.slots,
            pipes: unit.pipes,
            redirects: unit.redirects,
            loads: match config.bypass {
                true => config.loads as usize,
                // A barrel's view has one at most.
                false => (config.loads as usize).min(config.warps as usize * unit.slots),
            },
            config: config.clone(),
        };
        assert!(shape.views() <= 64, "more than 64 slots in the core");
        assert!(shape.slow() == 0 || unit.pipes == 1, "several pipes have all lanes");
        assert!(unit.slots.is_multiple_of(unit.pipes) && unit.slots <= 8 && unit.pipes <= 8);
        shape
    }

    /// Is there a multiplier, and a divider?
    pub fn has_muldiv(&self) -> bool {
        self.config.isa.has(Ext::M)
    }

    /// Is there more to the CSRs than constants?
    pub fn has_csr_file(&self) -> bool {
        csr::has_file(&self.config)
    }

    /// Entries of the load table: the last is that of the divider and of CSR reads.
    pub fn entries(&self) -> usize {
        self.loads + usize::from(self.has_muldiv() || self.has_csr_file() || self.late_devices())
    }

    /// What a load gets from a device comes late, through the entry of the divider, where time
    /// counts more than size: it is the last thing to be known of what stage 8 would write.
    pub fn late_devices(&self) -> bool {
        !self.barrel()
    }

    /// 1 if dividers are fewer than lanes: some lanes have their results before others.
    pub fn divides_by_parts(&self) -> usize {
        let few = self.config.dividers < self.config.threads_per_warp;
        usize::from(self.has_muldiv() && few)
    }

    /// 1 if one lane after the other gets what is in a CSR.
    pub fn reads_by_parts(&self) -> usize {
        usize::from(self.has_csr_file() && self.config.csrs == Csrs::Serial)
    }

    /// 1 if there is any of these.
    pub fn by_parts(&self) -> usize {
        self.divides_by_parts().max(self.reads_by_parts())
    }

    /// 1 if all that comes late, but for loads of lanes in line, is one value for whoever gets it.
    pub fn one_value(&self) -> usize {
        let divides = !self.has_muldiv() || self.config.dividers == 1;
        let reads = !self.has_csr_file() || self.config.csrs == Csrs::Serial;
        self.by_parts() * usize::from(self.serial() && divides && reads)
    }

    /// Without bypass the front-end is a barrel: no window, no scoreboard, a view fetches
    /// when nothing of it can still write a register that the instruction reads.
    pub fn barrel(&self) -> bool {
        !self.config.bypass
    }

    /// Are lanes of a memory operation that do not stand in line served one after the other? (A
    /// warp of several slots has no such crossbar.)
    pub fn serial(&self) -> bool {
        self.config.crossbar == Crossbar::Serial && self.slots == 1
    }

    /// Lanes of the ALU.
    pub fn lanes(&self) -> usize {
        self.config.lanes as usize
    }

    /// In how many beats a warp goes through the ALU.
    pub fn beats(&self) -> usize {
        self.config.beats() as usize
    }

    /// 1 if that takes several beats: number of parts that only such a core has.
    pub fn slow(&self) -> usize {
        usize::from(self.beats() > 1)
    }

    /// 1 if the lanes that win an AMO or SC are found one after the other, as their words are put
    /// together.
    pub fn in_line(&self) -> usize {
        self.slow() * usize::from(self.serial())
    }

    /// Cycles from an issue to the next at least. An instruction stays four in stage 7.
    pub fn pace(&self) -> usize {
        if self.slow() == 1 { self.beats().max(4) } else { 1 }
    }

    /// Stages from 4 to 8 of a pipe where an instruction can be.
    pub fn flights(&self) -> usize {
        5 + self.slow()
    }

    /// Views with a window: all or none.
    pub fn windows(&self) -> usize {
        if self.barrel() { 0 } else { self.views() }
    }

    /// Pipes with a window: all or none.
    pub fn windowed_pipes(&self) -> usize {
        if self.barrel() { 0 } else { self.pipes }
    }

    /// Are views compared by pairs where one is chosen? That takes less time and, with many of
    /// them, more logic.
    pub fn paired(&self) -> bool {
        !self.barrel() && self.views() <= 8
    }

    /// Views of the core.
    pub fn views(&self) -> usize {
        self.warps * self.slots
    }

    fn slots_per_pipe(&self) -> usize {
        self.slots / self.pipes
    }

    /// The view of a slot.
    pub fn view(&self, warp: usize, slot: usize) -> usize {
        let (pipe, place) = (slot % self.pipes, slot / self.pipes);
        pipe * self.warps * self.slots_per_pipe() + warp * self.slots_per_pipe() + place
    }

    /// Warp and slot of a view.
    pub fn place(&self, view: usize) -> (usize, usize) {
        let per_pipe = self.warps * self.slots_per_pipe();
        let (pipe, rest) = (view / per_pipe, view % per_pipe);
        (rest / self.slots_per_pipe(), rest % self.slots_per_pipe() * self.pipes + pipe)
    }

    /// The bits of a view's number. What comes from outside may have others, and a mask
    /// over views would be as wide as they say.
    pub fn view_bits(&self) -> Constant<U<6>> {
        Constant::new((self.views().next_power_of_two() as u64 - 1).into())
    }

    /// Views of one pipe, a bit each.
    pub fn pipe_views(&self, pipe: usize) -> u64 {
        let mine = |view: &usize| self.place(*view).1 % self.pipes == pipe;
        (0..self.views()).filter(mine).fold(0, |m, view| m | 1 << view)
    }

    /// Number of the view of slot `s` of warp `w` at `s * 32 + w`.
    pub fn view_table(&self) -> Vec<Constant<U<6>>> {
        let at = |i: usize| {
            let (slot, warp) = (i / 32, i % 32);
            if warp < self.warps { self.view(warp, slot) as u64 } else { 0 }
        };
        (0..32 * self.slots).map(|i| Constant::new(at(i).into())).collect()
    }

    /// Warp of each view.
    pub fn warp_of(&self) -> Vec<Constant<U<5>>> {
        (0..self.views()).map(|v| Constant::new((self.place(v).0 as u64).into())).collect()
    }

    /// Slot of each view.
    pub fn slot_of(&self) -> Vec<Constant<U<3>>> {
        (0..self.views()).map(|v| Constant::new((self.place(v).1 as u64).into())).collect()
    }

    /// First view of each slot: the view of warp `w` is `w * stride` further.
    pub fn slot_base(&self) -> Vec<Constant<U<6>>> {
        (0..self.slots).map(|s| Constant::new((self.view(0, s) as u64).into())).collect()
    }

    /// See [`CoreShape::slot_base`].
    pub fn stride(&self) -> Constant<U<6>> {
        Constant::new((self.slots_per_pipe() as u64).into())
    }

    /// [`CoreShape::pipe_views`] of each pipe.
    pub fn pipe_masks(&self) -> Vec<Constant<U<64>>> {
        (0..self.pipes).map(|p| Constant::new(self.pipe_views(p).into())).collect()
    }
}
