//! Stage 0, steer: which view fetches, and where.
//!
//! Each view has at most one fetch under way whose reply it still wants. It is chosen
//! for the next one while predecode finds out where that is, and while it is redirected, if
//! its window has room; it asks in the cycle after. Views with an empty window go first,
//! then round robin.
//!
//! ```text
//! cycle   0      1..L     L+1        L+2
//!         steer  memory   predecode  steer (next PC)
//!                         choice
//! ```
//!
//! In a barrel (`--bypass none`) there is no window, and a view asks so late that its
//! instruction reads the registers after the one before has written them; what writes
//! late (a load, AMO or divide) must have done so.
//!
//! ```text
//! cycle   0      1..L     L+1        L+2  L+3     L+4                L+6
//!         steer  memory   predecode  4    5       6, steer (next PC)  8
//!                                         choice
//! ```

use super::choose::Choose;
use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// A bit per view.
    pub struct SteerState [] [] / SteerStateD, SteerStateQ {
        stop: U<64> = 0,
        fetching: U<64> = 0,
        late: U<64> = 0,
        /// Rewound in the cycle before.
        rewound: U<64> = 0,
    }
}

regs! {
    /// Who asks in this cycle.
    pub struct SteerTurn [] [] / SteerTurnD, SteerTurnQ {
        valid: Bit = false,
        view: U<6>,
        /// The view as a bit.
        one: U<64> = 0,
        /// It was chosen because it was redirected.
        fresh: Bit,
    }
}

/// RAM begins at a multiple of its size, a power of two.
fn block(shape: &CoreShape) -> bool {
    let size = shape.config.ram_size;
    size.is_power_of_two() && crate::platform::RAM_BASE.is_multiple_of(size)
}

block! {
    /// See the module.
    pub struct Steer [] [] fn new(shape: &CoreShape, alive: u64) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Views with room in their window, and with room for two.
            pub space: Signal<In, U<64>>,
            pub ample: Signal<In, U<64>>,
            /// Views with an empty window.
            pub empty: Signal<In, U<64>>,
            /// Views with a free fetch tag.
            pub free: Signal<In, U<64>>,
            /// Per pipe: instruction memory takes a request.
            pub ready: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// Views that are redirected, of these the ones that hold a path, those whose fetch stream starts anew, and those that
            /// only rewind. The last two are known later in the cycle.
            pub turned: Signal<In, U<64>>,
            pub anew: Signal<In, U<64>>,
            pub flush: Signal<In, U<64>>,
            pub rewind: Signal<In, U<64>>,
            /// Per redirect: it starts the stream of this view here.
            pub turn: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            pub turn_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.redirects),
            pub turn_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.redirects),
            /// Per pipe: predecode has seen the instruction of this view.
            pub told: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub told_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub told_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            /// Where it goes on only commit will tell.
            pub told_stop: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// It writes late: the view waits until it has left stage 8 (barrel only).
            pub told_late: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// Per pipe: the instruction of this view is in stage 8.
            pub left: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub left_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            /// Views that may fetch the next one from the next cycle on, since they are being
            /// told. In a barrel they are these: the instruction does not issue, or is in stage 5.
            pub given: Signal<In, U<64>>,
            pub release: Vec<Signal<In, Bit>> = fresh_vec(2 * shape.pipes),
            pub release_view: Vec<Signal<In, U<6>>> = fresh_vec(2 * shape.pipes),
        }
        output {
            /// Per pipe: a request to instruction memory.
            pub request: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub view: Vec<Signal<Out, U<6>>> = fresh_vec(shape.pipes),
            pub pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            /// It is taken.
            pub start: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// The view's PC is outside RAM, so that some word of RAM is asked for. Known later
            /// than the request.
            pub poison: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// PC of the instruction in predecode.
            pub pc_2: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            /// Views that hold a path.
            pub alive: Signal<Out, U<64>>,
        }
        local {
            room: Signal<Local, U<64>>,
            able: Signal<Local, U<64>>,
            stop: Signal<Local, U<64>>,
            fetching: Signal<Local, U<64>>,
            late: Signal<Local, U<64>>,
            living: Signal<Local, U<64>>,
            released: Signal<Local, U<64>>,
            fresh: Signal<Local, U<64>>,
            chosen: Signal<Local, U<64>>,
            asks: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            stays: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            /// Views that do not ask although it is their turn.
            bars: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            lives: Signal<Local, Bit>,
            busy: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            free_turn: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            word: Signal<Local, U<30>>,
            inside: Signal<Local, Bit>,
            offset: Signal<Local, U<30>>,
            no: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
        }
        part {
            state: SteerState = SteerState::new(),
            living_r: Bank<64> = Bank::new(1, alive),
            choose: Vec<Choose> =
                (0..shape.pipes).map(|_| Choose::new(shape.views(), shape.paired(), false)).collect(),
            turns: Vec<SteerTurn> = (0..shape.pipes).map(|_| SteerTurn::new()).collect(),
            pcs: Table<30> = Table::new(
                shape.views(), shape.pipes, shape.pipes + shape.redirects,
                u64::from(shape.config.reset_pc / 4)).by_bits(shape.pipes),
            mine: Vec<Constant<U<64>>> = shape.pipe_masks(),
            /// Bits that all of RAM has alike, if it is a block of its own.
            ram_bits: Constant<U<30>> =
                Constant::new((!(u64::from(shape.config.ram_size) / 4 - 1)).into()),
            ram_first: Constant<U<30>> = Constant::new(u64::from(crate::platform::RAM_BASE / 4).into()),
            ram_words: Constant<U<30>> = Constant::new(u64::from(shape.config.ram_size / 4).into()),
        }
        plain {
            _odd: usize = usize::from(!block(shape)),
            _pipes: usize = shape.pipes,
            _redirects: usize = shape.redirects,
        }
    }
}

impl Logic for Steer {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.living_r.clock.next = self.clock.val();
        self.living_r.reset.next = self.reset.val();
        for p in 0..self._pipes {
            self.choose[p].clock.next = self.clock.val();
            self.choose[p].reset.next = self.reset.val();
            self.turns[p].clock.next = self.clock.val();
            self.turns[p].reset.next = self.reset.val();
        }
        self.pcs.clock.next = self.clock.val();
        self.pcs.reset.next = self.reset.val();
        self.no.next = false;
        self.yes.next = true;
        self.alive.next = self.living_r.q[0].val();

        self.stop.next = self.state.q.stop.val();
        self.fetching.next = self.state.q.fetching.val();
        self.late.next = self.state.q.late.val();
        // Who is told in this cycle goes on in the next, and whose window gets an
        // instruction needs room for one more.
        self.released.next = self.given.val();
        for i in 0..(2 * self._pipes) {
            if self.release[i].val() {
                self.released.next = self
                    .released
                    .val()
                    .replace_bit(self.release_view[i].val().index(), self.yes.val());
            }
        }
        self.fetching.next = self.fetching.val() & !self.released.val();
        // Who is redirected may be chosen at once, also for what turns out to be a rewind:
        // then it does not ask.
        self.fresh.next = self.anew.val();
        self.room.next = self.space.val()
            & (self.ample.val() | !self.released.val())
            & (!self.state.q.fetching.val() | self.released.val());
        self.able.next = self.living_r.q[0].val()
            & !(self.state.q.stop.val() | self.state.q.late.val() | self.turned.val());
        self.able.next = ((self.able.val() & self.room.val()) | self.fresh.val()) & self.free.val();
        // Who only rewinds holds a path already.
        self.living.next = (self.living_r.q[0].val() & !self.turned.val()) | self.anew.val();
        for p in 0..self._pipes {
            if self.left[p].val() {
                self.late.next =
                    self.late.val().replace_bit(self.left_view[p].val().index(), self.no.val());
            }
        }
        for p in 0..self._pipes {
            if self.told[p].val() {
                self.stop.next = self
                    .stop
                    .val()
                    .replace_bit(self.told_view[p].val().index(), self.told_stop[p].val());
                self.late.next = self
                    .late
                    .val()
                    .replace_bit(self.told_view[p].val().index(), self.told_late[p].val());
            }
            self.pcs.write[p].next = self.told[p].val();
            self.pcs.write_address[p].next = self.told_view[p].val().to_bits::<8>();
            self.pcs.write_data[p].next = self.told_pc[p].val();
        }
        for n in (self._pipes)..(self._pipes + 1) {
            for i in 0..self._redirects {
                self.pcs.write[n + i].next = self.turn[i].val();
                self.pcs.write_address[n + i].next = self.turn_view[i].val().to_bits::<8>();
                self.pcs.write_data[n + i].next = self.turn_pc[i].val();
            }
        }

        self.chosen.next = 0.into();
        self.lives.next = false;
        for p in 0..self._pipes {
            self.view[p].next = self.turns[p].q.view.val();
            self.pcs.read_bit[p].next = self.turns[p].q.one.val();
            self.word.next = self.pcs.bit_data[p].val();
            self.inside.next = (self.word.val() & self.ram_bits.val()) == self.ram_first.val();
            self.pc[p].next = (self.word.val() & !self.ram_bits.val()) | self.ram_first.val();
            for _once in 0..self._odd {
                self.offset.next = self.word.val() - self.ram_first.val();
                self.inside.next = self.offset.val() < self.ram_words.val();
                self.pc[p].next = self.ram_first.val();
                if self.inside.val() {
                    self.pc[p].next = self.word.val();
                }
            }
            // Not who turned out to wait for commit, or to be rewound and not redirected.
            self.bars[p].next = self.state.q.stop.val();
            if self.turns[p].q.fresh.val() {
                self.bars[p].next = self.state.q.stop.val() | self.state.q.rewound.val();
            }
            self.asks[p].next = self.turns[p].q.valid.val()
                && !(self.turns[p].q.one.val() & self.bars[p].val()).any();
            // Who is redirected in this cycle asks in the next, from there.
            self.stays[p].next =
                self.asks[p].val() && (self.turns[p].q.one.val() & self.turned.val()).any();
            self.busy[p].next = self.asks[p].val() && !self.stays[p].val();
            self.request[p].next = self.busy[p].val();
            self.poison[p].next = !self.inside.val();
            self.start[p].next = self.busy[p].val() && self.ready[p].val();
            self.free_turn[p].next = !self.asks[p].val() || self.start[p].val();
            self.choose[p].all.next = self.able.val() & self.mine[p].val();
            self.choose[p].better.next =
                self.empty.val() & (!self.released.val() | self.fresh.val());
            self.choose[p].best.next = 0.into();
            self.choose[p].goes.next = self.free_turn[p].val() && self.choose[p].any.val();
            self.turns[p].d.valid.next = self.choose[p].any.val();
            self.turns[p].d.view.next = self.choose[p].view.val();
            self.turns[p].d.one.next = self.choose[p].one.val();
            self.turns[p].d.fresh.next = (self.choose[p].one.val() & self.fresh.val()).any();
            if !self.free_turn[p].val() {
                self.turns[p].d.valid.next = true;
                self.turns[p].d.view.next = self.turns[p].q.view.val();
                self.turns[p].d.one.next = self.turns[p].q.one.val();
                self.turns[p].d.fresh.next = false;
                if self.stays[p].val() {
                    self.lives.next = (self.turns[p].q.one.val() & self.anew.val()).any();
                    self.turns[p].d.valid.next = self.lives.val();
                    self.chosen.next =
                        self.chosen.val() | (self.turns[p].q.one.val() & self.anew.val());
                }
            } else {
                self.chosen.next = self.chosen.val() | self.choose[p].one.val();
            }
            self.pcs.read_address[p].next = self.told_view[p].val().to_bits::<8>();
            self.pc_2[p].next = self.pcs.read_data[p].val();
        }
        // Predecode of a view that is being redirected is too late.
        self.state.d.stop.next = self.stop.val() & !self.flush.val();
        self.state.d.fetching.next =
            (self.fetching.val() & !self.flush.val()) | (self.chosen.val() & !self.rewind.val());
        self.state.d.rewound.next = self.rewind.val();
        self.state.d.late.next = self.late.val() & !self.flush.val();
        self.living_r.d[0].next = self.living.val();
    }
}
