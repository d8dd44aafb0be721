//! Between commit and the front-end: redirects and retirements, registered.
//!
//! A redirect of the view that just committed, to the PC of what it committed,
//! is a *rewind*: the instruction is still in the view's window and issues
//! again. All others flush the view, and in a barrel, which has no window, all do.

use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// One redirect.
    pub struct TurnState [] [] / TurnStateD, TurnStateQ {
        valid: Bit = false,
        /// The view has committed in the same cycle and may go on there with a path, ...
        again: Bit,
        /// ... if that is at the PC of what it committed: thirds of the PC that differ; with an
        /// instruction that writes this register and is of this class.
        apart: U<3>,
        rd: U<5>,
        class: U<2>,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        pc: U<30>,
        epoch: U<4>,
        from: U<8>,
    }
}

regs! {
    /// An update in the cycle before, for redirects that come a cycle later.
    pub struct Updated [] [] / UpdatedD, UpdatedQ {
        valid: Bit = false,
        view: U<6>,
        pc: U<30>,
        fence: Bit,
        rd: U<5>,
        class: U<2>,
    }
}

regs! {
    /// A bit per view.
    pub struct TurnMasks [] [] / TurnMasksD, TurnMasksQ {
        retire: U<64> = 0,
        /// Redirected; and of these the ones that hold a path. (What a reset leaves in them is gone
        /// in its second cycle: that there is a redirect is known too late to be held against it.)
        turned: U<64>,
        anew: U<64>,
    }
}

block! {
    /// See the module.
    pub struct Turn [] [] fn new(shape: &CoreShape, late: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Redirects of the unit.
            pub valid: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            pub warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.redirects),
            pub slot: Vec<Signal<In, U<3>>> = fresh_vec(shape.redirects),
            pub alive: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            pub pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.redirects),
            pub epoch: Vec<Signal<In, U<4>>> = fresh_vec(shape.redirects),
            pub from: Vec<Signal<In, U<8>>> = fresh_vec(shape.redirects),
            /// Updates of the pipes.
            pub update: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub update_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub update_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub update_fence: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub update_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub update_class: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
        }
        output {
            pub turn: Vec<Signal<Out, Bit>> = fresh_vec(shape.redirects),
            /// The redirect flushes.
            pub turn_flushes: Vec<Signal<Out, Bit>> = fresh_vec(shape.redirects),
            pub turn_view: Vec<Signal<Out, U<6>>> = fresh_vec(shape.redirects),
            pub turn_warp: Vec<Signal<Out, U<5>>> = fresh_vec(shape.redirects),
            pub turn_slot: Vec<Signal<Out, U<3>>> = fresh_vec(shape.redirects),
            pub turn_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.redirects),
            pub turn_epoch: Vec<Signal<Out, U<4>>> = fresh_vec(shape.redirects),
            pub turn_from: Vec<Signal<Out, U<8>>> = fresh_vec(shape.redirects),
            /// Of a rewind, what the instruction writes, and its class.
            pub turn_rd: Vec<Signal<Out, U<5>>> = fresh_vec(shape.redirects),
            pub turn_class: Vec<Signal<Out, U<2>>> = fresh_vec(shape.redirects),
            pub flush: Signal<Out, U<64>>,
            pub rewind: Signal<Out, U<64>>,
            /// Rewinds of paths that got no threads of another slot: what is
            /// pending of the instruction's rd is its own earlier passes.
            pub own: Signal<Out, U<64>>,
            pub retire: Signal<Out, U<64>>,
            /// Flushed or rewound; and of these the ones that hold a path.
            pub turned: Signal<Out, U<64>>,
            pub anew: Signal<Out, U<64>>,
        }
        local {
            // The updates that the redirects belong to.
            told: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            told_view: Vec<Signal<Local, U<6>>> = fresh_vec(shape.pipes),
            told_pc: Vec<Signal<Local, U<30>>> = fresh_vec(shape.pipes),
            told_fence: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            told_rd: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            told_class: Vec<Signal<Local, U<2>>> = fresh_vec(shape.pipes),
            all: Signal<Local, U<64>>,
            living: Signal<Local, U<64>>,
            view: Vec<Signal<Local, U<6>>> = fresh_vec(shape.redirects),
            again: Vec<Signal<Local, Bit>> = fresh_vec(shape.redirects),
            leaves: Vec<Signal<Local, Bit>> = fresh_vec(shape.redirects),
            no: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
            one: Vec<Signal<Local, U<64>>> = fresh_vec(shape.redirects),
            alone: Vec<Signal<Local, U<8>>> = fresh_vec(shape.redirects),
            keeps: Vec<Signal<Local, Bit>> = fresh_vec(shape.redirects),
            retired: Signal<Local, U<64>>,
            same: Vec<Signal<Local, Bit>> = fresh_vec(shape.redirects),
            at: Vec<Signal<Local, U<30>>> = fresh_vec(shape.redirects),
            unlike: Vec<Signal<Local, U<30>>> = fresh_vec(shape.redirects),
            third: Vec<Signal<Local, U<10>>> = fresh_vec(shape.redirects),
            apart: Vec<Signal<Local, U<3>>> = fresh_vec(shape.redirects),
            rd: Vec<Signal<Local, U<5>>> = fresh_vec(shape.redirects),
            class: Vec<Signal<Local, U<2>>> = fresh_vec(shape.redirects),
        }
        part {
            updated: Vec<Updated> =
                (0..if late { shape.pipes } else { 0 }).map(|_| Updated::new()).collect(),
            r0: Vec<TurnState> = (0..shape.redirects).map(|_| TurnState::new()).collect(),
            masks: TurnMasks = TurnMasks::new(),
            base: Vec<Constant<U<6>>> = shape.slot_base(),
            stride: Constant<U<6>> = shape.stride(),
            view_bits: Constant<U<6>> = shape.view_bits(),
            /// Is there a window to rewind?
            rewinds: Constant<Bit> = Constant::new(!shape.barrel()),
        }
        plain {
            _pipes: usize = shape.pipes,
            _late: usize = if late { shape.pipes } else { 0 },
            _slots: usize = shape.slots,
            _redirects: usize = shape.redirects,
        }
    }
}

impl Logic for Turn {
    #[hdl_gen]
    fn update(&mut self) {
        self.masks.clock.next = self.clock.val();
        self.masks.reset.next = self.reset.val();
        self.no.next = false;
        self.yes.next = true;
        self.turned.next = self.masks.q.turned.val();
        self.anew.next = self.masks.q.anew.val();
        self.all.next = 0.into();
        self.living.next = 0.into();
        self.flush.next = 0.into();
        self.rewind.next = 0.into();
        self.own.next = 0.into();
        self.retired.next = 0.into();
        for p in 0..self._pipes {
            self.told[p].next = self.update[p].val();
            self.told_view[p].next = self.update_view[p].val();
            self.told_pc[p].next = self.update_pc[p].val();
            self.told_fence[p].next = self.update_fence[p].val();
            self.told_rd[p].next = self.update_rd[p].val();
            self.told_class[p].next = self.update_class[p].val();
        }
        for p in 0..self._late {
            self.updated[p].clock.next = self.clock.val();
            self.updated[p].reset.next = self.reset.val();
            self.updated[p].d.valid.next = self.update[p].val();
            self.updated[p].d.view.next = self.update_view[p].val();
            self.updated[p].d.pc.next = self.update_pc[p].val();
            self.updated[p].d.fence.next = self.update_fence[p].val();
            self.updated[p].d.rd.next = self.update_rd[p].val();
            self.updated[p].d.class.next = self.update_class[p].val();
            self.told[p].next = self.updated[p].q.valid.val();
            self.told_view[p].next = self.updated[p].q.view.val();
            self.told_pc[p].next = self.updated[p].q.pc.val();
            self.told_fence[p].next = self.updated[p].q.fence.val();
            self.told_rd[p].next = self.updated[p].q.rd.val();
            self.told_class[p].next = self.updated[p].q.class.val();
        }
        for p in 0..self._pipes {
            if self.told[p].val() {
                self.retired.next =
                    self.retired.val().replace_bit(self.told_view[p].val().index(), self.yes.val());
            }
        }
        for i in 0..self._redirects {
            self.view[i].next = self.warp[i].val().to_bits::<6>() * self.stride.val();
            for s in 0..self._slots {
                if self.slot[i].val() == s.to_bits() {
                    self.view[i].next = self.view[i].val() + self.base[s].val();
                }
            }
            self.view[i].next = self.view[i].val() & self.view_bits.val();
            self.same[i].next = false;
            self.at[i].next = self.told_pc[0].val();
            self.rd[i].next = self.told_rd[0].val();
            self.class[i].next = self.told_class[0].val();
            for p in 0..self._pipes {
                if self.told[p].val() && (self.told_view[p].val() == self.view[i].val()) {
                    self.same[i].next = !self.told_fence[p].val();
                    self.at[i].next = self.told_pc[p].val();
                    self.rd[i].next = self.told_rd[p].val();
                    self.class[i].next = self.told_class[p].val();
                }
            }
            // Whose it would be is known before it is known that there is one.
            self.one[i].next = 0.into();
            self.one[i].next =
                self.one[i].val().replace_bit(self.view[i].val().index(), self.yes.val());
            self.r0[i].clock.next = self.clock.val();
            self.r0[i].reset.next = self.reset.val();
            self.r0[i].d.valid.next = self.valid[i].val();
            self.r0[i].d.again.next =
                self.same[i].val() && self.rewinds.val() && self.alive[i].val();
            self.apart[i].next = 0.into();
            self.unlike[i].next = self.at[i].val() ^ self.pc[i].val();
            for k in 0..3 {
                self.third[i].next = self.unlike[i].val().get_bits::<10>(10 * k);
                self.apart[i].next = self.apart[i].val().replace_bit(k, self.third[i].val().any());
            }
            self.r0[i].d.apart.next = self.apart[i].val();
            self.r0[i].d.rd.next = self.rd[i].val();
            self.r0[i].d.class.next = self.class[i].val();
            self.r0[i].d.view.next = self.view[i].val();
            if self.valid[i].val() {
                self.all.next = self.all.val() | self.one[i].val();
            }
            if self.valid[i].val() && self.alive[i].val() {
                self.living.next = self.living.val() | self.one[i].val();
            }
            self.r0[i].d.warp.next = self.warp[i].val();
            self.r0[i].d.slot.next = self.slot[i].val();
            self.r0[i].d.pc.next = self.pc[i].val();
            self.r0[i].d.epoch.next = self.epoch[i].val();
            self.r0[i].d.from.next = self.from[i].val();

            // A cycle later.
            self.again[i].next = self.r0[i].q.again.val() && !self.r0[i].q.apart.val().any();
            self.alone[i].next = 0.into();
            self.alone[i].next =
                self.alone[i].val().replace_bit(self.r0[i].q.slot.val().index(), self.yes.val());
            self.keeps[i].next =
                self.again[i].val() && !(self.r0[i].q.from.val() & !self.alone[i].val()).any();
            self.leaves[i].next = self.r0[i].q.valid.val() && !self.again[i].val();
            if self.r0[i].q.valid.val() {
                self.rewind.next = self
                    .rewind
                    .val()
                    .replace_bit(self.r0[i].q.view.val().index(), self.again[i].val());
                self.own.next = self
                    .own
                    .val()
                    .replace_bit(self.r0[i].q.view.val().index(), self.keeps[i].val());
                self.flush.next = self
                    .flush
                    .val()
                    .replace_bit(self.r0[i].q.view.val().index(), self.leaves[i].val());
            }
            self.turn[i].next = self.r0[i].q.valid.val();
            self.turn_flushes[i].next = self.leaves[i].val();
            self.turn_view[i].next = self.r0[i].q.view.val();
            self.turn_warp[i].next = self.r0[i].q.warp.val();
            self.turn_slot[i].next = self.r0[i].q.slot.val();
            self.turn_pc[i].next = self.r0[i].q.pc.val();
            self.turn_epoch[i].next = self.r0[i].q.epoch.val();
            self.turn_from[i].next = self.r0[i].q.from.val();
            self.turn_rd[i].next = self.r0[i].q.rd.val();
            self.turn_class[i].next = self.r0[i].q.class.val();
        }
        // Who is flushed has no window to leave, and who is rewound stays in it.
        self.masks.d.retire.next = self.retired.val();
        self.masks.d.turned.next = self.all.val();
        self.masks.d.anew.next = self.living.val();
        self.retire.next = self.masks.q.retire.val() & !self.turned.val();
    }
}
