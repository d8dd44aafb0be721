//! Stage 3, schedule: a window of instructions and a scoreboard per view.
//!
//! Predecode pushes an instruction at `tail`; it issues at `issue` and leaves
//! at `head` when it commits. A redirect to the PC of the instruction that
//! just committed (a replay) only moves `issue` back to `head`, so a replay
//! needs no fetch; every other redirect empties the window.
//!
//! The scoreboard has a bit per view and register, set from stage 4. Results of the
//! pipeline clear it when a consumer can issue in time for the bypass; a load,
//! AMO or divide clears it when its last outstanding write is done. A redirect
//! drops everything of the view that is still in the pipeline, so it sets the
//! bits anew to what the load table holds.
//!
//! Two steps, a cycle each: (a) in each view, is there an instruction and are its registers
//! there; (b) one of those that are ready. What a redirect or an issue changes in between
//! does not count as ready. A replay is ready at once. The next instruction of a view is a
//! register: it is read when the one before has issued, or comes from predecode if none waits.
//!
//! ```text
//! cycle     c    c+1  c+2  c+3  c+4  c+5  c+6
//! producer  3b   4    5    6    7    8 writes
//! consumer  -    -    -    3a   3b   4    5 takes what was written
//! ```
//!
//! A barrel (`--bypass none`) has neither: what predecode pushes issues in stage 2, if
//! the unit lets the view issue and nothing late is outstanding; if not, the view fetches
//! it again. That it does not come too early steer sees to.
//!
//! Long, because a kernel has no functions, and half of it declares the port.

use super::choose::Choose;
use super::shape::{CoreShape, WINDOW};
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// Into collect.
    pub struct Stage4 [] [] / Stage4D, Stage4Q {
        valid: Bit = false,
        view: U<6>,
        warp: U<5>,
        slot: U<3>,
        epoch: U<4>,
        rd: U<5>,
        class: U<2>,
        again: Bit,
    }
}

regs! {
    /// A bit per view.
    pub struct ScheduleState [] [] / ScheduleStateD, ScheduleStateQ {
        /// The next instruction is replayed: its own rd may be pending.
        again: U<64> = 0,
        /// Which pipe chooses first.
        first: U<3> = 0,
        /// There was an instruction, its registers were there, and it can issue if these are and
        /// the unit and what it needs allow it.
        have: U<64> = 0,
        clear: U<64> = 0,
        ready: U<64> = 0,
        /// It needs the data port, or the divider.
        memory: U<64>,
        divide: U<64>,
        /// One more memory operation may issue, one more divide.
        memory_ok: Bit = false,
        divide_ok: Bit = false,
        /// Views of which an instruction issued: what was found of these does not hold.
        gone: U<64> = 0,
        /// Views that rewind without being ready: their next instruction is not yet read.
        rewound: U<64> = 0,
        /// Nobody issues.
        held: Bit = true,
    }
}

regs! {
    /// What was done late in the cycle before: its scoreboards are cleared now, and who looks at
    /// one knows already.
    pub struct DoneLate [] [] / DoneLateD, DoneLateQ {
        views: U<64> = 0,
        rd: U<5>,
    }
}

regs! {
    /// Where the ALU takes several beats: cycles until the next instruction may issue.
    pub struct Pace [] [] / PaceD, PaceQ {
        left: U<6> = 0,
        rests: Bit = false,
    }
}

block! {
    /// See the module.
    pub struct Schedule [] [] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub push: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub push_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub push_rs1: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub push_rs2: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub push_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub push_class: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            /// Views emptied, views that replay, views whose oldest
            /// instruction has committed.
            pub flush: Signal<In, U<64>>,
            pub rewind: Signal<In, U<64>>,
            /// Both.
            pub turned: Signal<In, U<64>>,
            /// Rewinds of what may issue at once.
            pub own: Signal<In, U<64>>,
            pub retire: Signal<In, U<64>>,
            /// Redirects: new epoch and what is still pending in the view.
            pub turn: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            pub turn_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.redirects),
            pub turn_epoch: Vec<Signal<In, U<4>>> = fresh_vec(shape.redirects),
            /// Of a rewind: the instruction.
            pub turn_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.redirects),
            pub turn_class: Vec<Signal<In, U<2>>> = fresh_vec(shape.redirects),
            pub turn_pending: Vec<Signal<In, U<32>>> = fresh_vec(shape.redirects),
            /// What is done late in this cycle was the last of its register in the view.
            pub turn_over: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            /// Per pipe: a result will be there in time for the bypass.
            pub soon: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub soon_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub soon_epoch: Vec<Signal<In, U<4>>> = fresh_vec(shape.pipes),
            pub soon_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            /// The last outstanding write of a register is done.
            pub late: Signal<In, U<64>>,
            pub late_rd: Signal<In, U<5>>,
            /// Views that the unit lets issue, and that it prefers.
            pub eligible: Signal<In, U<64>>,
            pub priority: Signal<In, U<64>>,
            pub alive: Signal<In, U<64>>,
            /// Views with an instruction under way that may be replayed.
            pub risky: Signal<In, U<64>>,
            /// Views with a load, AMO or divide outstanding.
            pub owing: Signal<In, U<64>>,
            /// One more memory operation may issue after this cycle; and if one issues in it.
            pub memory_room: Signal<In, Bit>,
            pub memory_more: Signal<In, Bit>,
            pub divide_room: Signal<In, Bit>,
            /// The data port takes requests.
            pub port_ready: Signal<In, Bit>,
            /// Nobody issues: a late write needs the port.
            pub hold: Signal<In, Bit>,
            /// Per pipe: the lanes of the chosen view are taken by another pipe.
            pub clash: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
        }
        output {
            pub space: Signal<Out, U<64>>,
            pub ample: Signal<Out, U<64>>,
            pub empty: Signal<Out, U<64>>,
            /// Where predecode writes the window.
            pub push_place: Vec<Signal<Out, U<8>>> = fresh_vec(shape.pipes),
            /// Chosen in this cycle, if `found`.
            pub found: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub warp_3: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub slot_3: Vec<Signal<Out, U<3>>> = fresh_vec(shape.pipes),
            pub place_3: Vec<Signal<Out, U<8>>> = fresh_vec(shape.pipes),
            pub issue: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub long_3: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            /// The pipe that chooses first in this cycle.
            pub first: Signal<Out, U<3>>,
            /// One of `idle`.
            pub idle: Vec<Signal<Out, U<3>>> = fresh_vec(shape.pipes),
            pub valid_4: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub view_4: Vec<Signal<Out, U<6>>> = fresh_vec(shape.pipes),
            pub warp_4: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub slot_4: Vec<Signal<Out, U<3>>> = fresh_vec(shape.pipes),
            pub epoch_4: Vec<Signal<Out, U<4>>> = fresh_vec(shape.pipes),
            pub rd_4: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub class_4: Vec<Signal<Out, U<2>>> = fresh_vec(shape.pipes),
            pub again_4: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
        }
        local {
            // Per view with a window.
            held: Vec<Signal<Local, U<4>>> = fresh_vec(shape.windows()),
            longer: Signal<Local, U<4>>,
            place: Vec<Signal<Local, U<8>>> = fresh_vec(shape.windows()),
            entry: Vec<Signal<Local, U<17>>> = fresh_vec(shape.windows()),
            rs1: Vec<Signal<Local, U<5>>> = fresh_vec(shape.windows()),
            rs2: Vec<Signal<Local, U<5>>> = fresh_vec(shape.windows()),
            rd: Vec<Signal<Local, U<5>>> = fresh_vec(shape.windows()),
            kind: Vec<Signal<Local, U<2>>> = fresh_vec(shape.windows()),
            pending: Vec<Signal<Local, U<32>>> = fresh_vec(shape.windows()),
            pending_next: Vec<Signal<Local, U<32>>> = fresh_vec(shape.windows()),
            have: Signal<Local, U<64>>,
            clear: Signal<Local, U<64>>,
            alone: Signal<Local, Bit>,
            settled: Signal<Local, U<64>>,
            fits: Signal<Local, U<64>>,
            memory: Signal<Local, U<64>>,
            divide: Signal<Local, U<64>>,
            stays: Signal<Local, U<64>>,
            gone: Signal<Local, U<64>>,
            ready: Signal<Local, U<64>>,
            ready_next: Signal<Local, U<64>>,
            waits: Signal<Local, U<64>>,
            again: Signal<Local, U<64>>,
            memory_ok: Signal<Local, Bit>,
            bit: Signal<Local, Bit>,
            /// Registers that the instructions in stage 4 will write, per pipe.
            marks: Vec<Signal<Local, U<32>>> = fresh_vec(shape.pipes),
            no: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
            blocked: Signal<Local, Bit>,
            /// Of a source: it is pending.
            lacks: Signal<Local, Bit>,
            /// For whom what is done late was the last of its register.
            done: Signal<Local, U<64>>,
            // Per pipe.
            cand: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            better: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            pick: Vec<Signal<Local, U<6>>> = fresh_vec(shape.pipes),
            one: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            pick_rd: Vec<Signal<Local, U<5>>> = fresh_vec(shape.pipes),
            pick_class: Vec<Signal<Local, U<2>>> = fresh_vec(shape.pipes),
            new_entry: Vec<Signal<Local, U<17>>> = fresh_vec(shape.pipes),
            fresh_soon: Signal<Local, Bit>,
            epoch_of: Vec<Signal<Local, U<4>>> = fresh_vec(shape.windows()),
        }
        part {
            state: ScheduleState = ScheduleState::new(),
            r4: Vec<Stage4> = (0..shape.pipes).map(|_| Stage4::new()).collect(),
            head: Bank<3> = Bank::new(shape.windows(), 0),
            issued: Bank<3> = Bank::new(shape.windows(), 0),
            tail: Bank<3> = Bank::new(shape.windows(), 0),
            /// How many are from `head` to `tail`: who has space must be known at once.
            /// How many it holds: so many ones.
            count: Bank<4> = Bank::new(shape.windows(), 0),
            /// Of the instruction at `issued`.
            following: Bank<17> = Bank::new(shape.windows(), 0),
            scoreboard: Bank<32> = Bank::new(shape.windows(), 0),
            choose: Vec<Choose> = (0..shape.windowed_pipes())
                .map(|_| Choose::new(shape.views(), shape.paired(), true))
                .collect(),
            /// One, or none.
            fields: Vec<Table<17>> = (0..usize::from(!shape.barrel()))
                .map(|_| Table::data(shape.views() * WINDOW, shape.views(), shape.pipes))
                .collect(),
            done_late: Vec<DoneLate> =
                (0..usize::from(!shape.barrel())).map(|_| DoneLate::new()).collect(),
            pace: Vec<Pace> = (0..shape.slow()).map(|_| Pace::new()).collect(),
            rest: Constant<U<6>> = Constant::new((shape.pace() as u64 - 1).into()),
            epochs: Table<4> =
                Table::new(shape.views(), shape.pipes + shape.windows(), shape.redirects, 0),
            mine: Vec<Constant<U<64>>> = shape.pipe_masks(),
            warp_of: Vec<Constant<U<5>>> = shape.warp_of(),
            slot_of: Vec<Constant<U<3>>> = shape.slot_of(),
            sole: Constant<Bit> = Constant::new(shape.pipes == 1),
            last_pipe: Constant<U<3>> = Constant::new((shape.pipes as u64 - 1).into()),
        }
        plain {
            _pipes: usize = shape.pipes,
            _slow: usize = shape.slow(),
            _windows: usize = shape.windows(),
            _simple: usize = usize::from(shape.slots == 1),
            _mapped: usize = if shape.slots == 1 { 0 } else { shape.views() },
            _windowed: usize = usize::from(!shape.barrel()),
            _choosing: usize = shape.windowed_pipes(),
            _barrel: usize = usize::from(shape.barrel()),
            _redirects: usize = shape.redirects,
        }
    }
}

impl Logic for Schedule {
    #[hdl_gen]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.head.clock.next = self.clock.val();
        self.head.reset.next = self.reset.val();
        self.issued.clock.next = self.clock.val();
        self.issued.reset.next = self.reset.val();
        self.tail.clock.next = self.clock.val();
        self.tail.reset.next = self.reset.val();
        self.count.clock.next = self.clock.val();
        self.count.reset.next = self.reset.val();
        self.following.clock.next = self.clock.val();
        self.following.reset.next = self.reset.val();
        self.scoreboard.clock.next = self.clock.val();
        self.scoreboard.reset.next = self.reset.val();
        self.no.next = false;
        self.yes.next = true;
        self.done.next = self.late.val() & !self.turned.val();
        for i in 0..self._redirects {
            if self.turn[i].val() && self.turn_over[i].val() {
                self.done.next =
                    self.done.val().replace_bit(self.turn_view[i].val().index(), self.yes.val());
            }
        }
        for f in 0..self._windowed {
            self.fields[f].clock.next = self.clock.val();
            self.fields[f].reset.next = self.reset.val();
            self.done_late[f].clock.next = self.clock.val();
            self.done_late[f].reset.next = self.reset.val();
            self.done_late[f].d.views.next = self.done.val();
            self.done_late[f].d.rd.next = self.late_rd.val();
        }
        self.epochs.clock.next = self.clock.val();
        self.epochs.reset.next = self.reset.val();
        self.first.next = self.state.q.first.val();
        self.state.d.first.next = self.state.q.first.val() + 1;
        if self.state.q.first.val() == self.last_pipe.val() {
            self.state.d.first.next = 0.into();
        }

        // The oldest instruction of each view that has not issued.
        self.have.next = 0.into();
        self.clear.next = 0.into();
        self.fits.next = 0.into();
        self.settled.next = 0.into();
        self.space.next = 0.into();
        self.ample.next = 0.into();
        self.memory.next = 0.into();
        self.divide.next = 0.into();
        for p in 0..self._pipes {
            self.marks[p].next = 0.into();
        }
        for p in 0..self._choosing {
            if self.r4[p].q.valid.val() && !(self.r4[p].q.rd.val() == 0) {
                self.marks[p].next =
                    self.marks[p].val().replace_bit(self.r4[p].q.rd.val().index(), self.yes.val());
            }
        }
        self.again.next = self.state.q.again.val() & !self.state.q.gone.val();
        for v in 0..self._windows {
            self.held[v].next = self.count.q[v].val();
            self.bit.next = !self.held[v].val().get_bit(3);
            self.space.next = self.space.val().replace_bit(v, self.bit.val());
            self.bit.next = !self.held[v].val().get_bit(2);
            self.ample.next = self.ample.val().replace_bit(v, self.bit.val());
            self.bit.next = !(self.tail.q[v].val() == self.issued.q[v].val());
            self.have.next = self.have.val().replace_bit(v, self.bit.val());
            self.place[v].next = (4 * v).to_bits::<8>();
            self.place[v].next =
                self.place[v].val() | self.issued.q[v].val().get_bits::<2>(0).to_bits::<8>();
            self.fields[0].read_address[v].next = self.place[v].val();
            self.entry[v].next = self.following.q[v].val();
            self.rs1[v].next = self.entry[v].val().get_bits::<5>(0);
            self.rs2[v].next = self.entry[v].val().get_bits::<5>(5);
            self.rd[v].next = self.entry[v].val().get_bits::<5>(10);
            self.kind[v].next = self.entry[v].val().get_bits::<2>(15);
            self.pending[v].next = self.scoreboard.q[v].val();
            // What is replayed found its operands there when it issued first, and those of
            // the threads that are left have not been written since.
            self.lacks.next = self.pending[v].val().get_bit(self.rs1[v].val().index())
                && !(self.done_late[0].q.views.val().get_bit(v)
                    && (self.done_late[0].q.rd.val() == self.rs1[v].val()));
            self.blocked.next = self.lacks.val();
            self.lacks.next = self.pending[v].val().get_bit(self.rs2[v].val().index())
                && !(self.done_late[0].q.views.val().get_bit(v)
                    && (self.done_late[0].q.rd.val() == self.rs2[v].val()));
            self.blocked.next = self.blocked.val() || self.lacks.val();
            self.lacks.next = self.pending[v].val().get_bit(self.rd[v].val().index())
                && !(self.done_late[0].q.views.val().get_bit(v)
                    && (self.done_late[0].q.rd.val() == self.rd[v].val()));
            self.blocked.next =
                (self.blocked.val() || self.lacks.val()) && !self.again.val().get_bit(v);
            self.bit.next = !self.blocked.val();
            self.clear.next = self.clear.val().replace_bit(v, self.bit.val());
            self.bit.next = self.kind[v].val() == 1;
            self.memory.next = self.memory.val().replace_bit(v, self.bit.val());
            self.bit.next = self.kind[v].val() == 2;
            self.divide.next = self.divide.val().replace_bit(v, self.bit.val());
            self.alone.next = self.head.q[v].val() == self.issued.q[v].val();
            self.settled.next = self.settled.val().replace_bit(v, self.alone.val());
            self.bit.next = self.alone.val() || !(self.kind[v].val() == 3);
            self.fits.next = self.fits.val().replace_bit(v, self.bit.val());
        }
        self.empty.next = !self.have.val();
        // What was found in the cycle before, if it still stands.
        self.waits.next = self.state.q.have.val() & !self.state.q.gone.val() & !self.turned.val();
        self.ready.next = self.state.q.ready.val()
            & self.state.q.clear.val()
            & !self.state.q.gone.val()
            & !self.turned.val()
            & self.eligible.val();
        if !self.state.q.memory_ok.val() {
            self.ready.next = self.ready.val() & !self.state.q.memory.val();
        }
        if !self.state.q.divide_ok.val() {
            self.ready.next = self.ready.val() & !self.state.q.divide.val();
        }
        for _once in 0..self._barrel {
            self.waits.next = self.alive.val();
            self.clear.next = !self.owing.val();
            self.ready.next = self.eligible.val() & self.clear.val();
        }
        for s in 0..self._slow {
            if self.pace[s].q.rests.val() {
                self.ready.next = 0.into();
            }
        }
        self.state.d.held.next = self.hold.val();
        for _once in 0..self._barrel {
            if self.state.q.held.val() {
                self.ready.next = 0.into();
            }
            // Whether the unit lets it issue will be seen when it is there.
            self.space.next = self.clear.val();
            self.ample.next = self.clear.val();
            self.empty.next = self.priority.val();
        }

        self.stays.next = self.state.q.clear.val();
        for _once in 0..self._barrel {
            self.stays.next = self.clear.val();
        }
        for p in 0..self._pipes {
            self.cand[p].next = self.ready.val() & self.mine[p].val();
            self.better[p].next = self.cand[p].val() & self.priority.val();
            if self.better[p].val().any() {
                self.cand[p].next = self.better[p].val();
            }
            self.found[p].next = false;
            self.one[p].next = 0.into();
            self.pick[p].next = 0.into();
            self.warp_3[p].next = 0.into();
            self.slot_3[p].next = 0.into();
            self.place_3[p].next = 0.into();
            self.pick_rd[p].next = 0.into();
            self.pick_class[p].next = 0.into();
        }
        for p in 0..self._choosing {
            self.choose[p].clock.next = self.clock.val();
            self.choose[p].reset.next = self.reset.val();
            self.choose[p].all.next = self.cand[p].val();
            self.found[p].next = self.choose[p].any.val();
            self.one[p].next = self.choose[p].one.val();
            self.pick[p].next = self.choose[p].view.val();
        }
        for p in 0..self._pipes {
            for _once in 0..self._barrel {
                self.pick[p].next = self.push_view[p].val();
                self.pick_rd[p].next = self.push_rd[p].val();
                self.pick_class[p].next = self.push_class[p].val();
                self.found[p].next =
                    self.push[p].val() && self.ready.val().get_bit(self.pick[p].val().index());
            }
            // With one slot views are warps.
            for _once in 0..self._simple {
                self.warp_3[p].next = self.pick[p].val().get_bits::<5>(0);
            }
            for v in 0..self._mapped {
                if self.pick[p].val() == v.to_bits() {
                    self.warp_3[p].next = self.warp_of[v].val();
                    self.slot_3[p].next = self.slot_of[v].val();
                }
            }
            for v in 0..self._windows {
                if self.one[p].val().get_bit(v) {
                    self.place_3[p].next = self.place_3[p].val() | self.place[v].val();
                    self.pick_rd[p].next = self.pick_rd[p].val() | self.rd[v].val();
                    self.pick_class[p].next = self.pick_class[p].val() | self.kind[v].val();
                }
            }
            self.long_3[p].next = !(self.pick_class[p].val() == 0);
            self.issue[p].next = self.found[p].val() && !self.clash[p].val();

            self.r4[p].clock.next = self.clock.val();
            self.r4[p].reset.next = self.reset.val();
            self.r4[p].d.valid.next = self.issue[p].val();
            self.r4[p].d.view.next = self.pick[p].val();
            self.r4[p].d.warp.next = self.warp_3[p].val();
            self.r4[p].d.slot.next = self.slot_3[p].val();
            // It is the same in stage 4: nothing issues while its view is redirected.
            self.epochs.read_address[p].next = self.r4[p].q.view.val().to_bits::<8>();
            for _once in 0..self._barrel {
                self.epochs.read_address[p].next = self.pick[p].val().to_bits::<8>();
            }
            self.r4[p].d.epoch.next = self.epochs.read_data[p].val();
            self.r4[p].d.rd.next = self.pick_rd[p].val();
            self.r4[p].d.class.next = self.pick_class[p].val();
            self.r4[p].d.again.next = (self.state.q.again.val() & self.one[p].val()).any();
            for _once in 0..self._barrel {
                self.r4[p].d.again.next = true;
            }
            self.valid_4[p].next = self.r4[p].q.valid.val();
            self.view_4[p].next = self.r4[p].q.view.val();
            self.warp_4[p].next = self.r4[p].q.warp.val();
            self.slot_4[p].next = self.r4[p].q.slot.val();
            self.epoch_4[p].next = self.epochs.read_data[p].val();
            for _once in 0..self._barrel {
                self.epoch_4[p].next = self.r4[p].q.epoch.val();
            }
            self.rd_4[p].next = self.r4[p].q.rd.val();
            self.class_4[p].next = self.r4[p].q.class.val();
            self.again_4[p].next = self.r4[p].q.again.val();

            // Why nothing issues: the first of these that holds.
            self.better[p].next = self.waits.val() & self.mine[p].val();
            self.idle[p].next = 6.into();
            for _once in 0..self._barrel {
                self.idle[p].next = 2.into();
            }
            if self.issue[p].val() {
                self.idle[p].next = 0.into();
            } else if !(self.alive.val() & self.mine[p].val()).any() {
                self.idle[p].next = 1.into();
            } else if !self.better[p].val().any() {
                self.idle[p].next = 2.into();
            } else if !(self.better[p].val() & self.eligible.val()).any() {
                self.idle[p].next = 5.into();
            } else if !(self.better[p].val() & self.eligible.val() & self.stays.val()).any() {
                self.idle[p].next = 3.into();
                if (self.better[p].val() & self.owing.val()).any() {
                    self.idle[p].next = 4.into();
                }
            }
        }
        for s in 0..self._slow {
            self.pace[s].clock.next = self.clock.val();
            self.pace[s].reset.next = self.reset.val();
            self.pace[s].d.left.next = self.rest.val();
            self.pace[s].d.rests.next = self.issue[s].val();
            if self.pace[s].q.rests.val() {
                self.pace[s].d.left.next = self.pace[s].q.left.val() - 1;
                self.pace[s].d.rests.next = !(self.pace[s].q.left.val() == 1);
            }
        }
        for i in 0..self._redirects {
            self.epochs.write[i].next = self.turn[i].val();
            self.epochs.write_address[i].next = self.turn_view[i].val().to_bits::<8>();
            self.epochs.write_data[i].next = self.turn_epoch[i].val();
        }
        for p in 0..self._pipes {
            self.new_entry[p].next = self.push_rs1[p].val().to_bits::<17>()
                | self.push_rs2[p].val().to_bits::<17>() << 5
                | self.push_rd[p].val().to_bits::<17>() << 10
                | self.push_class[p].val().to_bits::<17>() << 15;
            self.push_place[p].next = 0.into();
        }
        // Views of which one issues, and what the others have for the next cycle.
        self.gone.next = 0.into();
        // (Who it is, is known late: as if it were one of these, if there are any.)
        self.memory_ok.next = self.memory_room.val();
        if (self.ready.val() & self.state.q.memory.val()).any() {
            self.memory_ok.next = self.memory_more.val();
        }
        self.state.d.memory_ok.next = self.memory_ok.val() && self.port_ready.val();
        self.state.d.divide_ok.next =
            self.divide_room.val() && !(self.ready.val() & self.state.q.divide.val()).any();
        for p in 0..self._choosing {
            self.choose[p].goes.next = self.issue[p].val();
            if self.issue[p].val() {
                self.gone.next = self.gone.val() | self.one[p].val();
            }
        }
        self.state.d.gone.next = self.gone.val();
        self.state.d.have.next = (self.have.val() & !self.turned.val()) | self.rewind.val();
        self.state.d.clear.next = self.clear.val() | self.own.val();
        self.ready_next.next = (self.have.val()
            & !(self.state.q.gone.val() | self.state.q.rewound.val())
            & self.fits.val()
            & !self.turned.val())
            | self.own.val();
        self.state.d.ready.next = self.ready_next.val();
        if self.hold.val() {
            self.state.d.ready.next = 0.into();
        }
        self.state.d.rewound.next = self.rewind.val() & !self.own.val();
        for i in 0..self._redirects {
            if self.turn[i].val() && (self.turn_class[i].val() == 1) {
                self.memory.next =
                    self.memory.val().replace_bit(self.turn_view[i].val().index(), self.yes.val());
            } else if self.turn[i].val() {
                self.memory.next =
                    self.memory.val().replace_bit(self.turn_view[i].val().index(), self.no.val());
            }
            if self.turn[i].val() && (self.turn_class[i].val() == 2) {
                self.divide.next =
                    self.divide.val().replace_bit(self.turn_view[i].val().index(), self.yes.val());
            } else if self.turn[i].val() {
                self.divide.next =
                    self.divide.val().replace_bit(self.turn_view[i].val().index(), self.no.val());
            }
        }
        self.state.d.memory.next = self.memory.val();
        self.state.d.divide.next = self.divide.val();
        // First those of whose views nothing is under way, then those with nothing that may be
        // replayed: what is behind an instruction of its own view may be dropped.
        for p in 0..self._choosing {
            self.choose[p].better.next = !self.risky.val();
            self.choose[p].best.next = self.settled.val() | self.turned.val();
        }

        // Each view's epoch is compared, so that none has to be chosen.
        for n in (self._pipes)..(self._pipes + 1) {
            for v in 0..self._windows {
                self.epochs.read_address[n + v].next = v.to_bits::<8>();
                self.epoch_of[v].next = self.epochs.read_data[n + v].val();
            }
        }
        for v in 0..self._windows {
            // Nobody reads that of a view without an instruction.
            self.following.d[v].next = self.fields[0].read_data[v].val();
            // So that there is a push matters only if there are several who could.
            for p in 0..self._pipes {
                if (self.push[p].val() || self.sole.val())
                    && (self.push_view[p].val() == v.to_bits())
                    && !self.have.val().get_bit(v)
                {
                    self.following.d[v].next = self.new_entry[p].val();
                }
            }
            for i in 0..self._redirects {
                if self.turn[i].val() && (self.turn_view[i].val() == v.to_bits()) {
                    self.following.d[v].next = self.turn_rd[i].val().to_bits::<17>() << 10
                        | self.turn_class[i].val().to_bits::<17>() << 15;
                }
            }
            self.pending_next[v].next = self.pending[v].val();
            if self.done_late[0].q.views.val().get_bit(v) {
                self.pending_next[v].next = self.pending[v]
                    .val()
                    .replace_bit(self.done_late[0].q.rd.val().index(), self.no.val());
            }
            self.head.d[v].next = self.head.q[v].val();
            self.issued.d[v].next = self.issued.q[v].val();
            self.tail.d[v].next = self.tail.q[v].val();
            self.count.d[v].next = self.count.q[v].val();
            self.longer.next = self.count.q[v].val() << 1;
            self.longer.next = self.longer.val().replace_bit(0, self.yes.val());
            if self.gone.val().get_bit(v) {
                self.issued.d[v].next = self.issued.q[v].val() + 1;
            }
            if self.retire.val().get_bit(v) {
                self.head.d[v].next = self.head.q[v].val() + 1;
                self.count.d[v].next = self.count.q[v].val() >> 1;
            }
            for p in 0..self._pipes {
                if self.push[p].val() && (self.push_view[p].val() == v.to_bits()) {
                    self.tail.d[v].next = self.tail.q[v].val() + 1;
                    self.count.d[v].next = self.count.q[v].val();
                    if !self.retire.val().get_bit(v) {
                        self.count.d[v].next = self.longer.val();
                    }
                }
                if self.push_view[p].val() == v.to_bits() {
                    self.push_place[p].next = (4 * v).to_bits::<8>();
                    self.push_place[p].next = self.push_place[p].val()
                        | self.tail.q[v].val().get_bits::<2>(0).to_bits::<8>();
                }
                self.fresh_soon.next = self.soon[p].val()
                    && (self.soon_view[p].val() == v.to_bits())
                    && (self.soon_epoch[p].val() == self.epoch_of[v].val());
                if self.fresh_soon.val() {
                    self.pending_next[v].next = self.pending_next[v]
                        .val()
                        .replace_bit(self.soon_rd[p].val().index(), self.no.val());
                }
            }
            for p in 0..self._pipes {
                if self.r4[p].q.view.val() == v.to_bits() {
                    self.pending_next[v].next = self.pending_next[v].val() | self.marks[p].val();
                }
            }
            for i in 0..self._redirects {
                if self.turn[i].val() && (self.turn_view[i].val() == v.to_bits()) {
                    self.pending_next[v].next = self.turn_pending[i].val();
                }
            }
            self.scoreboard.d[v].next = self.pending_next[v].val();
            if self.rewind.val().get_bit(v) {
                self.issued.d[v].next = self.head.q[v].val();
            }
            if self.flush.val().get_bit(v) {
                self.head.d[v].next = 0.into();
                self.issued.d[v].next = 0.into();
                self.tail.d[v].next = 0.into();
                self.count.d[v].next = 0.into();
            }
        }
        for p in 0..self._pipes {
            for f in 0..self._windowed {
                self.fields[f].write[p].next = self.push[p].val();
                self.fields[f].write_address[p].next = self.push_place[p].val();
                self.fields[f].write_data[p].next = self.new_entry[p].val();
            }
        }
        self.state.d.again.next = (self.again.val() & !self.turned.val()) | self.own.val();
    }
}
