//! Stage 1, fetch: requests under way and their replies.
//!
//! A view has two tags, so that it can fetch anew while a reply that it no
//! longer wants is still under way. In a barrel it has one, and waits for that
//! reply: there are other views. A PC outside RAM makes a poisoned
//! instruction: some word of RAM is asked for in its stead, and what comes is marked. That it is
//! outside is known too late to ask for nothing.

use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// A bit per view.
    pub struct FetchState [] [] / FetchStateD, FetchStateQ {
        /// Tag 0 is under way.
        out_0: U<64> = 0,
        /// Tag 1 is under way.
        out_1: U<64> = 0,
        /// The later request is still wanted...
        live: U<64> = 0,
        /// ... and has this tag.
        tag: U<64> = 0,
        /// Its PC is outside RAM.
        poison: U<64> = 0,
        /// Flushed in the cycle before: what was delivered in it comes too late.
        flushed: U<64> = 0,
        /// In predecode.
        given: U<64> = 0,
    }
}

regs! {
    /// Into predecode.
    pub struct Stage2 [] [] / Stage2D, Stage2Q {
        valid: Bit = false,
        view: U<6>,
        insn: U<32>,
        poison: Bit,
    }
}

block! {
    /// See the module.
    pub struct Fetch [] [] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub start: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub poison: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub flush: Signal<In, U<64>>,
            pub reply: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub reply_tag: Vec<Signal<In, U<8>>> = fresh_vec(shape.pipes),
            pub reply_data: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
        }
        output {
            /// Tag of the request that steer makes.
            pub tag: Vec<Signal<Out, U<8>>> = fresh_vec(shape.pipes),
            /// Views with a free tag.
            pub free: Signal<Out, U<64>>,
            /// Views whose instruction is in predecode.
            pub given: Signal<Out, U<64>>,
            pub valid_2: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub view_2: Vec<Signal<Out, U<6>>> = fresh_vec(shape.pipes),
            pub insn_2: Vec<Signal<Out, U<32>>> = fresh_vec(shape.pipes),
            pub poison_2: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
        }
        local {
            out_0: Signal<Local, U<64>>,
            out_1: Signal<Local, U<64>>,
            live: Signal<Local, U<64>>,
            tags: Signal<Local, U<64>>,
            poisoned: Signal<Local, U<64>>,
            wants: Signal<Local, U<64>>,
            flushed: Signal<Local, U<64>>,
            gives: Signal<Local, U<64>>,
            second: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            back: Vec<Signal<Local, U<6>>> = fresh_vec(shape.pipes),
            back_tag: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            wanted: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            no: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
        }
        part {
            state: FetchState = FetchState::new(),
            r2: Vec<Stage2> = (0..shape.pipes).map(|_| Stage2::new()).collect(),
            view_bits: Constant<U<6>> = shape.view_bits(),
            /// A view has one tag.
            single: Constant<Bit> = Constant::new(shape.barrel()),
        }
        plain {
            _pipes: usize = shape.pipes,
        }
    }
}

impl Logic for Fetch {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.no.next = false;
        self.yes.next = true;
        self.free.next = !(self.state.q.out_0.val() & self.state.q.out_1.val());
        if self.single.val() {
            self.free.next = !self.state.q.out_0.val();
        }
        self.out_0.next = self.state.q.out_0.val();
        self.out_1.next = self.state.q.out_1.val();
        self.live.next = self.state.q.live.val() & !self.flush.val();
        self.tags.next = self.state.q.tag.val();
        if self.single.val() {
            self.tags.next = 0.into();
        }
        self.poisoned.next = self.state.q.poison.val();
        // A flush of this cycle is known late: what it flushes is dropped in the next.
        self.wants.next = self.state.q.live.val();
        self.flushed.next = self.flush.val();
        if self.single.val() {
            self.wants.next = self.state.q.live.val() & !self.flush.val();
            self.flushed.next = 0.into();
        }
        self.given.next = self.state.q.given.val();
        self.gives.next = 0.into();
        for p in 0..self._pipes {
            self.r2[p].clock.next = self.clock.val();
            self.r2[p].reset.next = self.reset.val();
            self.back_tag[p].next = self.reply_tag[p].val().get_bit(0) && !self.single.val();
            self.back[p].next = self.reply_tag[p].val().get_bits::<6>(1) & self.view_bits.val();
            self.wanted[p].next = self.reply[p].val()
                && self.wants.val().get_bit(self.back[p].val().index())
                && (self.tags.val().get_bit(self.back[p].val().index()) == self.back_tag[p].val());
            if self.reply[p].val() {
                if self.back_tag[p].val() {
                    self.out_1.next =
                        self.out_1.val().replace_bit(self.back[p].val().index(), self.no.val());
                } else {
                    self.out_0.next =
                        self.out_0.val().replace_bit(self.back[p].val().index(), self.no.val());
                }
            }
            if self.wanted[p].val() {
                self.live.next =
                    self.live.val().replace_bit(self.back[p].val().index(), self.no.val());
                self.gives.next =
                    self.gives.val().replace_bit(self.back[p].val().index(), self.yes.val());
            }
            self.r2[p].d.valid.next = self.wanted[p].val();
            self.r2[p].d.view.next = self.back[p].val();
            self.r2[p].d.insn.next = self.reply_data[p].val();
            self.r2[p].d.poison.next =
                self.state.q.poison.val().get_bit(self.back[p].val().index());
            self.second[p].next =
                self.state.q.out_0.val().get_bit(self.view[p].val().index()) && !self.single.val();
            self.tag[p].next = self.view[p].val().to_bits::<8>() << 1;
            self.tag[p].next = self.tag[p].val().replace_bit(0, self.second[p].val());
            if self.start[p].val() {
                self.poisoned.next = self
                    .poisoned
                    .val()
                    .replace_bit(self.view[p].val().index(), self.poison[p].val());
                self.live.next =
                    self.live.val().replace_bit(self.view[p].val().index(), self.yes.val());
                self.tags.next =
                    self.tags.val().replace_bit(self.view[p].val().index(), self.second[p].val());
                if self.second[p].val() {
                    self.out_1.next =
                        self.out_1.val().replace_bit(self.view[p].val().index(), self.yes.val());
                } else {
                    self.out_0.next =
                        self.out_0.val().replace_bit(self.view[p].val().index(), self.yes.val());
                }
            }
            self.valid_2[p].next = self.r2[p].q.valid.val()
                && !self.state.q.flushed.val().get_bit(self.r2[p].q.view.val().index());
            self.view_2[p].next = self.r2[p].q.view.val();
            self.insn_2[p].next = self.r2[p].q.insn.val();
            self.poison_2[p].next = self.r2[p].q.poison.val();
        }
        self.state.d.out_0.next = self.out_0.val();
        self.state.d.out_1.next = self.out_1.val();
        self.state.d.live.next = self.live.val();
        self.state.d.tag.next = self.tags.val();
        if self.single.val() {
            self.state.d.tag.next = 0.into();
        }
        self.state.d.poison.next = self.poisoned.val();
        self.state.d.flushed.next = self.flushed.val();
        self.state.d.given.next = self.gives.val() & !self.flush.val();
    }
}
