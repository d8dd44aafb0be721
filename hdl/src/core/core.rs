//! The core: stages and wires. Signals carry the number of the stage they are
//! in; registers between stages are the groups `r5` to `r8` of each pipe.
//!
//! ```text
//! 0 steer -> 1 fetch -> 2 predecode -> window -> 3 schedule -> 4, 5 collect,
//! decode -> 6 execute -> 7 resolve (lookup) -> 8 commit (update) -> 9 gather
//!                 ^                                    |
//!                 +------------- turn <----------------+
//! ```
//!
//! Long, because it is the list of all wires, stage by stage, and nothing else.

use super::beats::{Beats, Join};
use super::collect::Collect;
use super::commit::Commit;
use super::csr::CsrFile;
use super::decode::Decode;
use super::execute::Execute;
use super::fetch::Fetch;
use super::loads::Loads;
use super::multiply::Multiply;
use super::operation::Operation;
use super::port::{DataPort, FetchPort, LatePort, RetireLanes, RetirePort, SpreadPort, StatPort};
use super::predecode::Predecode;
use super::resolve::Resolve;
use super::schedule::Schedule;
use super::shape::CoreShape;
use super::stages::{Ends, Events, Lanes6, Lanes7, Lanes8, Stage5, Stage6, Stage7, Stage8, Stay};
use super::steer::Steer;
use super::turn::Turn;
use super::window::Window;
use crate::divergence::port::Unit;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;
use rust_hdl::core::clock;

/// Views alive right after reset.
fn alive<const T: usize, U: Unit<T>>(shape: &CoreShape, unit: &U) -> u64 {
    (0..shape.views()).fold(0, |mask, view| {
        let (warp, slot) = shape.place(view);
        mask | u64::from(unit.alive_at_reset(slot) >> warp & 1) << view
    })
}

regs! {
    /// The bus.
    pub struct Bus [] [] / BusD, BusQ {
        /// It has failed since reset.
        fatal: Bit = false,
    }
}

block! {
    /// The pipeline around a divergence unit.
    pub struct Core [const T: usize, D: Unit<T>] [T, D] fn new(shape: CoreShape, unit: D) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
        }
        output {
            /// The bus failed: nothing issues until reset.
            pub fatal: Signal<Out, Bit>,
        }
        port {
            pub fetch: Vec<FetchPort> = fresh_vec(shape.pipes),
            pub data: DataPort<T>,
            pub spread: SpreadPort<T>,
            pub retire: Vec<RetirePort<T>> = fresh_vec(shape.pipes),
            pub lanes: RetireLanes<T>,
            pub late: LatePort<T>,
            pub stat: Vec<StatPort> = fresh_vec(shape.pipes),
        }
        local {
            eligible: Signal<Local, U<64>>,
            priority: Signal<Local, U<64>>,
            bit: Signal<Local, Bit>,
            taken_lanes: Signal<Local, U<T>>,
            current: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            /// An access to a CSR is one that may be.
            known: Signal<Local, Bit>,
            /// Stage 8: who is done, who traps, and who goes to the first place.
            done_8: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            trapped_8: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            go_8: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            mask_7: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            will_write: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            idle_all: Signal<Local, Bit>,
            turned: Signal<Local, U<64>>,
            failed: Signal<Local, Bit>,
            risky: Signal<Local, U<64>>,
            yes: Signal<Local, Bit>,
            /// In beats: an instruction in stage 7 is in its last cycle but one or two, in its last.
            leads: Signal<Local, Bit>,
            decides: Signal<Local, Bit>,
            again_5: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes * shape.slow()),
            again_7: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes * shape.slow()),
            stale: Signal<Local, Bit>,
        }
        part {
            steer: Steer = Steer::new(&shape, alive(&shape, &unit)),
            fetches: Fetch = Fetch::new(&shape),
            predecode: Predecode = Predecode::new(&shape),
            window: Window = Window::new(&shape),
            schedule: Schedule = Schedule::new(&shape),
            owners: Bank<T> = Bank::new(shape.pipes, 0),
            collect: Collect<T> = Collect::new(&shape),
            r5: Vec<Stage5<T>> =
                (0..shape.pipes).map(|_| Stage5::new(shape.slow())).collect(),
            operation: Vec<Operation> =
                (0..shape.pipes).map(|_| Operation::new(&shape)).collect(),
            decode: Vec<Decode> = (0..shape.pipes).map(|_| Decode::new(&shape)).collect(),
            r6: Vec<Stage6<T>> = (0..shape.pipes).map(|_| Stage6::new()).collect(),
            lanes_6: Lanes6<T> = Lanes6::new(),
            execute: Execute<T> = Execute::new(&shape),
            multiply: Vec<Multiply<T>> =
                (0..usize::from(shape.has_muldiv())).map(|_| Multiply::new(shape.lanes())).collect(),
            csr: Vec<CsrFile<T>> = (0..usize::from(shape.has_csr_file()))
                .map(|_| CsrFile::new(&shape.config))
                .collect(),
            r7: Vec<Stage7<T>> =
                (0..shape.pipes).map(|_| Stage7::new(shape.slow())).collect(),
            lanes_7: Lanes7<T> = Lanes7::new(),
            resolve: Resolve<T> = Resolve::new(&shape),
            r8: Vec<Stage8<T>> = (0..shape.pipes).map(|_| Stage8::new()).collect(),
            lanes_8: Lanes8<T> = Lanes8::new(shape.slow()),
            commit: Commit<T> = Commit::new(&shape),
            // Where a warp goes through the ALU in beats (`beats.rs`).
            beats: Vec<Beats> = (0..shape.slow()).map(|_| Beats::new(&shape)).collect(),
            early_5: Vec<Stage5<T>> = (0..shape.slow()).map(|_| Stage5::new(0)).collect(),
            join: Vec<Join<T>> = (0..shape.slow()).map(|_| Join::new(shape.lanes())).collect(),
            stay: Vec<Stay<T>> = (0..shape.slow()).map(|_| Stay::new()).collect(),
            ends: Vec<Ends<T>> = (0..shape.in_line()).map(|_| Ends::new()).collect(),
            loads: Loads<T> = Loads::new(&shape),
            turn: Turn = Turn::new(&shape, unit.redirects_late()),
            events: Events = Events::new(),
            bus: Bus = Bus::new(),
            late_refusal: Constant<Bit> = Constant::new(unit.late_refusal()),
            pub unit: D = unit,
            view_at: Vec<Constant<U<6>>> = shape.view_table(),
            bypass: Constant<Bit> = Constant::new(shape.config.bypass),
            csr_file: Constant<Bit> = Constant::new(shape.has_csr_file()),
            barrel: Constant<Bit> = Constant::new(shape.barrel()),
            late_devices: Constant<Bit> = Constant::new(shape.late_devices()),
            everyone: Constant<U<T>> = Constant::new(u64::MAX.into()),
        }
        plain {
            _pipes: usize = shape.pipes,
            _slots: usize = shape.slots,
            _slow: usize = shape.slow(),
            _in_line: usize = shape.in_line(),
            _lanes: usize = shape.lanes(),
            _warps: usize = shape.warps,
            _redirects: usize = shape.redirects,
            _csr: usize = usize::from(shape.has_csr_file()),
            _reads: usize = shape.reads_by_parts(),
            _parts: usize = shape.by_parts(),
            _multiply: usize = usize::from(shape.has_muldiv()),
        }
    }
}

impl<const T: usize, D: Unit<T>> Core<T, D> {
    /// Can its words be put together from its [`SpreadPort`]?
    pub fn scatters(&self) -> bool {
        self.commit.scatters()
    }
}

impl<const T: usize, D: Unit<T>> Logic for Core<T, D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self, clock, steer, fetches, predecode, window, schedule, owners, collect, lanes_6,
            lanes_7, lanes_8, commit, loads, turn, events
        );
        self.steer.reset.next = self.reset.val();
        self.fetches.reset.next = self.reset.val();
        self.predecode.reset.next = self.reset.val();
        self.schedule.reset.next = self.reset.val();
        self.window.reset.next = self.reset.val();
        self.owners.reset.next = self.reset.val();
        self.collect.reset.next = self.reset.val();
        self.lanes_6.reset.next = self.reset.val();
        self.lanes_7.reset.next = self.reset.val();
        self.lanes_8.reset.next = self.reset.val();
        self.commit.reset.next = self.reset.val();
        self.loads.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.events.reset.next = self.reset.val();
        self.unit.port.io.clock.next = self.clock.val();
        self.unit.port.io.reset.next = self.reset.val();

        // Redirects.
        for i in 0..self._redirects {
            self.turn.valid[i].next = self.unit.port.redirect[i].valid.val();
            self.turn.warp[i].next = self.unit.port.redirect[i].warp.val();
            self.turn.slot[i].next = self.unit.port.redirect[i].slot.val();
            self.turn.alive[i].next = self.unit.port.redirect[i].alive.val();
            self.turn.pc[i].next = self.unit.port.redirect[i].pc.val();
            self.turn.epoch[i].next = self.unit.port.redirect[i].epoch.val();
            self.turn.from[i].next = self.unit.port.redirect[i].from.val();
            self.steer.turn[i].next = self.turn.turn_flushes[i].val();
            self.steer.turn_view[i].next = self.turn.turn_view[i].val();
            self.steer.turn_pc[i].next = self.turn.turn_pc[i].val();
            self.schedule.turn[i].next = self.turn.turn[i].val();
            self.schedule.turn_view[i].next = self.turn.turn_view[i].val();
            self.schedule.turn_epoch[i].next = self.turn.turn_epoch[i].val();
            self.schedule.turn_rd[i].next = self.turn.turn_rd[i].val();
            self.schedule.turn_class[i].next = self.turn.turn_class[i].val();
            self.schedule.turn_pending[i].next = self.loads.turn_pending[i].val();
            self.schedule.turn_over[i].next = self.loads.turn_over[i].val();
            self.loads.soon_warp[i].next = self.unit.port.redirect[i].warp.val();
            self.loads.soon_slot[i].next = self.unit.port.redirect[i].slot.val();
            self.loads.soon_from[i].next = self.unit.port.redirect[i].from.val();
            self.loads.turn[i].next = self.turn.turn[i].val();
            self.loads.turn_warp[i].next = self.turn.turn_warp[i].val();
            self.loads.turn_slot[i].next = self.turn.turn_slot[i].val();
            self.loads.turn_from[i].next = self.turn.turn_from[i].val();
        }

        // Stages 0 to 3.
        self.steer.space.next = self.schedule.space.val();
        self.steer.ample.next = self.schedule.ample.val();
        self.steer.empty.next = self.schedule.empty.val();
        self.steer.free.next = self.fetches.free.val();
        self.steer.given.next = self.fetches.given.val();
        if self.barrel.val() {
            self.steer.given.next = 0.into();
        }
        self.steer.turned.next = self.turn.turned.val();
        self.steer.anew.next = self.turn.anew.val();
        self.steer.flush.next = self.turn.flush.val();
        self.steer.rewind.next = self.turn.rewind.val();
        for p in 0..self._pipes {
            self.steer.left[p].next = self.barrel.val() && self.r8[p].q.valid.val();
            self.steer.left_view[p].next = self.r8[p].q.view.val();
        }
        for n in (self._pipes)..(self._pipes + 1) {
            for p in 0..self._pipes {
                self.steer.release[n + p].next =
                    self.barrel.val() && self.r5[p].q.valid.val() && self.r5[p].q.again.val();
                self.steer.release_view[n + p].next = self.r5[p].q.view.val();
            }
        }
        self.fetches.flush.next = self.turn.flush.val();
        self.predecode.flush.next = self.turn.flush.val();
        self.schedule.flush.next = self.turn.flush.val();
        self.schedule.rewind.next = self.turn.rewind.val();
        self.schedule.turned.next = self.turn.turned.val();
        self.schedule.own.next = self.turn.own.val();
        self.schedule.retire.next = self.turn.retire.val();
        self.schedule.alive.next = self.steer.alive.val();
        self.schedule.late.next = self.loads.done_views.val();
        self.schedule.late_rd.next = self.loads.done_rd.val();
        self.schedule.owing.next = self.loads.owing.val();
        self.schedule.memory_room.next = self.loads.memory_room.val();
        self.schedule.memory_more.next = self.loads.memory_more.val();
        self.schedule.divide_room.next = self.loads.divide_room.val();
        self.schedule.port_ready.next = self.data.ready.val();
        self.eligible.next = 0.into();
        self.priority.next = 0.into();
        for s in 0..self._slots {
            for w in 0..self._warps {
                self.bit.next = self.unit.port.slot[s].eligible.val().get_bit(w);
                self.eligible.next = self
                    .eligible
                    .val()
                    .replace_bit(self.view_at[s * 32 + w].val().index(), self.bit.val());
                self.bit.next = self.unit.port.slot[s].priority.val().get_bit(w);
                self.priority.next = self
                    .priority
                    .val()
                    .replace_bit(self.view_at[s * 32 + w].val().index(), self.bit.val());
            }
        }
        // An error of the bus stays, and nothing issues any more.
        self.failed.next = self.data.reply.val() && self.data.reply_error.val();
        for p in 0..self._pipes {
            if self.fetch[p].reply.val() && self.fetch[p].reply_error.val() {
                self.failed.next = true;
            }
        }
        self.bus.clock.next = self.clock.val();
        self.bus.reset.next = self.reset.val();
        self.bus.d.fatal.next = self.bus.q.fatal.val() || self.failed.val();
        self.fatal.next = self.bus.q.fatal.val();
        self.schedule.hold.next = self.loads.hold.val()
            || self.collect.busy.val()
            || self.bus.q.fatal.val()
            || self.failed.val();
        for c in 0..self._csr {
            if self.csr[c].hold.val() {
                self.schedule.hold.next = true;
            }
        }
        self.schedule.eligible.next = self.eligible.val();
        self.schedule.priority.next = self.priority.val();
        for p in 0..self._pipes {
            self.steer.ready[p].next = self.fetch[p].ready.val();
            // A barrel goes on when it has issued the instruction, and not at once.
            self.steer.told[p].next = self.fetches.valid_2[p].val();
            self.steer.release[p].next = false;
            self.steer.told_late[p].next = false;
            self.predecode.goes_on[p].next = self.predecode.push[p].val();
            if self.barrel.val() {
                self.predecode.goes_on[p].next = self.schedule.issue[p].val();
                self.steer.told[p].next = self.schedule.issue[p].val();
                self.steer.release[p].next =
                    self.fetches.valid_2[p].val() && !self.schedule.issue[p].val();
                self.steer.told_late[p].next = self.schedule.long_3[p].val()
                    && !(self.predecode.rd[p].val() == 0)
                    && !self.predecode.stop[p].val();
            }
            self.steer.told_view[p].next = self.fetches.view_2[p].val();
            self.steer.told_pc[p].next = self.predecode.next_pc[p].val();
            self.steer.told_stop[p].next = self.predecode.stop[p].val();
            self.steer.release_view[p].next = self.fetches.view_2[p].val();
            self.fetch[p].request.next = self.steer.request[p].val();
            self.fetch[p].pc.next = self.steer.pc[p].val();
            self.fetch[p].tag.next = self.fetches.tag[p].val();
            self.fetches.start[p].next = self.steer.start[p].val();
            self.fetches.view[p].next = self.steer.view[p].val();
            self.fetches.poison[p].next = self.steer.poison[p].val();
            self.fetches.reply[p].next = self.fetch[p].reply.val();
            self.fetches.reply_tag[p].next = self.fetch[p].reply_tag.val();
            self.fetches.reply_data[p].next = self.fetch[p].reply_data.val();
            self.predecode.valid_2[p].next = self.fetches.valid_2[p].val();
            self.predecode.view_2[p].next = self.fetches.view_2[p].val();
            self.predecode.insn_2[p].next = self.fetches.insn_2[p].val();
            self.predecode.poison_2[p].next = self.fetches.poison_2[p].val();
            self.predecode.pc_2[p].next = self.steer.pc_2[p].val();
            self.schedule.push[p].next = self.predecode.push[p].val();
            self.schedule.push_view[p].next = self.fetches.view_2[p].val();
            self.schedule.push_rs1[p].next = self.predecode.rs1[p].val();
            self.schedule.push_rs2[p].next = self.predecode.rs2[p].val();
            self.schedule.push_rd[p].next = self.predecode.rd[p].val();
            self.schedule.push_class[p].next = self.predecode.class[p].val();
            self.window.write[p].next = self.predecode.push[p].val();
            self.window.write_place[p].next = self.schedule.push_place[p].val();
            self.window.write_insn[p].next = self.fetches.insn_2[p].val();
            self.window.write_pc[p].next = self.steer.pc_2[p].val();
            self.window.write_taken[p].next = self.predecode.taken[p].val();
            self.window.write_poison[p].next = self.fetches.poison_2[p].val();
            self.window.write_hint[p].next = self.predecode.hint[p].val();
            self.window.write_hint_pc[p].next = self.predecode.hint_pc[p].val();
            self.window.read_place[p].next = self.schedule.place_3[p].val();
            self.unit.port.pipe[p].own_warp.next = self.schedule.warp_3[p].val();
            self.unit.port.pipe[p].own_slot.next = self.schedule.slot_3[p].val();
            self.unit.port.pipe[p].issued.next = self.schedule.valid_4[p].val();
            self.unit.port.pipe[p].issued_warp.next = self.schedule.warp_4[p].val();
            self.unit.port.pipe[p].issued_slot.next = self.schedule.slot_4[p].val();
            self.unit.port.pipe[p].long_latency.next = !(self.schedule.class_4[p].val() == 0);
        }
        // Pipes that choose later must leave the lanes of those before alone.
        self.taken_lanes.next = 0.into();
        for p in 0..self._pipes {
            self.schedule.clash[p].next = false;
        }
        for p in 0..self._pipes {
            if !(p.to_bits::<3>() < self.schedule.first.val()) {
                self.schedule.clash[p].next =
                    (self.taken_lanes.val() & self.unit.port.pipe[p].owner.val()).any();
                if self.schedule.found[p].val()
                    && !(self.taken_lanes.val() & self.unit.port.pipe[p].owner.val()).any()
                {
                    self.taken_lanes.next =
                        self.taken_lanes.val() | self.unit.port.pipe[p].owner.val();
                }
            }
        }
        for p in 0..self._pipes {
            if p.to_bits::<3>() < self.schedule.first.val() {
                self.schedule.clash[p].next =
                    (self.taken_lanes.val() & self.unit.port.pipe[p].owner.val()).any();
                if self.schedule.found[p].val()
                    && !(self.taken_lanes.val() & self.unit.port.pipe[p].owner.val()).any()
                {
                    self.taken_lanes.next =
                        self.taken_lanes.val() | self.unit.port.pipe[p].owner.val();
                }
            }
        }

        // Memory operations may be replayed until they are in stage 8, and what
        // issued behind them is dropped then.
        self.risky.next = 0.into();
        self.yes.next = true;
        for p in 0..self._pipes {
            if self.schedule.valid_4[p].val() && (self.schedule.class_4[p].val() == 1) {
                self.risky.next = self
                    .risky
                    .val()
                    .replace_bit(self.schedule.view_4[p].val().index(), self.yes.val());
            }
            if self.r5[p].q.valid.val() && (self.r5[p].q.class.val() == 1) {
                self.risky.next =
                    self.risky.val().replace_bit(self.r5[p].q.view.val().index(), self.yes.val());
            }
            if self.r6[p].q.valid.val() && (self.r6[p].q.class.val() == 1) {
                self.risky.next =
                    self.risky.val().replace_bit(self.r6[p].q.view.val().index(), self.yes.val());
            }
            if self.r7[p].q.valid.val() && (self.r7[p].q.class.val() == 1) {
                self.risky.next =
                    self.risky.val().replace_bit(self.r7[p].q.view.val().index(), self.yes.val());
            }
        }
        for s in 0..self._slow {
            if self.early_5[s].q.valid.val() && (self.early_5[s].q.class.val() == 1) {
                self.risky.next = self
                    .risky
                    .val()
                    .replace_bit(self.early_5[s].q.view.val().index(), self.yes.val());
            }
        }
        self.schedule.risky.next = self.risky.val();

        // What was replayed and then redirected is dropped: it must not keep a
        // pending bit up.
        self.turned.next = self.turn.turned.val();

        // Stages 4 and 5.
        for p in 0..self._pipes {
            // A pipe that does not issue owns no lane.
            self.owners.d[p].next = 0.into();
            if self.schedule.issue[p].val() {
                self.owners.d[p].next = self.unit.port.pipe[p].owner.val();
            }
            self.collect.warp_4[p].next = self.schedule.warp_4[p].val();
            self.collect.owner_4[p].next = self.owners.q[p].val();
            self.collect.insn_4[p].next = self.window.insn[p].val();
            self.r5[p].clock.next = self.clock.val();
            self.r5[p].reset.next = self.reset.val();
            self.r5[p].d.valid.next = self.schedule.valid_4[p].val();
            self.r5[p].d.view.next = self.schedule.view_4[p].val();
            self.r5[p].d.warp.next = self.schedule.warp_4[p].val();
            self.r5[p].d.slot.next = self.schedule.slot_4[p].val();
            self.r5[p].d.pc.next = self.window.pc[p].val();
            self.r5[p].d.insn.next = self.window.insn[p].val();
            self.r5[p].d.taken.next = self.window.taken[p].val();
            self.r5[p].d.poison.next = self.window.poison[p].val();
            self.r5[p].d.hint.next = self.window.hint[p].val();
            self.r5[p].d.hint_pc.next = self.window.hint_pc[p].val();
            self.r5[p].d.again.next = self.schedule.again_4[p].val()
                && !self.turned.val().get_bit(self.schedule.view_4[p].val().index());
            self.r5[p].d.rd.next = self.schedule.rd_4[p].val();
            self.r5[p].d.epoch.next = self.schedule.epoch_4[p].val();
            self.r5[p].d.owner.next = self.owners.q[p].val();
            self.r5[p].d.class.next = self.schedule.class_4[p].val();
            self.operation[p].insn.next = self.window.insn[p].val();
            self.r5[p].d.imm.next = self.operation[p].imm.val();
            self.r5[p].d.alu_op.next = self.operation[p].alu_op.val();
            self.r5[p].d.subtract.next = self.operation[p].subtract.val();
            self.r5[p].d.use_imm.next = self.operation[p].use_imm.val();
            self.collect.imm_5[p].next = self.r5[p].q.imm.val();
            self.collect.use_imm_5[p].next = self.r5[p].q.use_imm.val();
            self.collect.subtract_5[p].next = self.r5[p].q.subtract.val();
            self.collect.alu_op_5[p].next = self.r5[p].q.alu_op.val();
            self.collect.valid_5[p].next = self.r5[p].q.valid.val();
            self.decode[p].insn.next = self.r5[p].q.insn.val();
            self.decode[p].poison.next = self.r5[p].q.poison.val();
            self.r6[p].clock.next = self.clock.val();
            self.r6[p].reset.next = self.reset.val();
            self.r6[p].d.class.next = self.r5[p].q.class.val();
            self.r6[p].d.valid.next = self.r5[p].q.valid.val();
            self.r6[p].d.view.next = self.r5[p].q.view.val();
            self.r6[p].d.warp.next = self.r5[p].q.warp.val();
            self.r6[p].d.slot.next = self.r5[p].q.slot.val();
            self.r6[p].d.pc.next = self.r5[p].q.pc.val();
            self.r6[p].d.insn.next = self.r5[p].q.insn.val();
            self.r6[p].d.taken.next = self.r5[p].q.taken.val();
            self.r6[p].d.poison.next = self.r5[p].q.poison.val();
            self.r6[p].d.hint.next = self.r5[p].q.hint.val();
            self.r6[p].d.hint_pc.next = self.r5[p].q.hint_pc.val();
            self.r6[p].d.again.next = self.r5[p].q.again.val()
                && !self.turned.val().get_bit(self.r5[p].q.view.val().index());
            self.r6[p].d.rd.next = self.r5[p].q.rd.val();
            self.r6[p].d.epoch.next = self.r5[p].q.epoch.val();
            self.r6[p].d.owner.next = self.r5[p].q.owner.val();
            self.r6[p].d.legal.next = self.decode[p].legal.val();
            self.r6[p].d.csr_known.next = self.decode[p].csr_known.val();
            self.r6[p].d.link.next = self.decode[p].link.val();
            self.r6[p].d.branch.next = self.decode[p].branch.val();
            self.r6[p].d.jal.next = self.decode[p].jal.val();
            self.r6[p].d.jalr.next = self.decode[p].jalr.val();
            self.r6[p].d.memory.next = self.decode[p].memory.val();
            self.r6[p].d.store.next = self.decode[p].store.val();
            self.r6[p].d.atomic.next = self.decode[p].atomic.val();
            self.r6[p].d.signed.next = self.decode[p].signed.val();
            self.r6[p].d.multiply.next = self.decode[p].multiply.val();
            self.r6[p].d.divide.next = self.decode[p].divide.val();
            self.r6[p].d.csr.next = self.decode[p].csr.val();
            self.r6[p].d.csr_writes.next = self.decode[p].csr_writes.val();
            self.r6[p].d.csr_imm.next = self.decode[p].csr_imm.val();
            self.r6[p].d.mret.next = self.decode[p].mret.val();
            self.r6[p].d.wfi.next = self.decode[p].wfi.val();
            self.r6[p].d.fence_i.next = self.decode[p].fence_i.val();
            self.r6[p].d.ecall.next = self.decode[p].ecall.val();
            self.r6[p].d.ebreak.next = self.decode[p].ebreak.val();
            self.r6[p].d.call.next = self.decode[p].call.val();
            self.r6[p].d.ret.next = self.decode[p].ret.val();
            self.r6[p].d.memory_op.next = self.decode[p].memory_op.val();
            self.r6[p].d.size.next = self.decode[p].size.val();
            self.r6[p].d.muldiv_op.next = self.decode[p].muldiv_op.val();
            self.r6[p].d.csr_op.next = self.decode[p].csr_op.val();
            self.r6[p].d.imm.next = self.r5[p].q.imm.val();
            self.r6[p].d.alu_op.next = self.r5[p].q.alu_op.val();
            self.r6[p].d.subtract.next = self.r5[p].q.subtract.val();
            self.r6[p].d.auipc.next = self.decode[p].auipc.val();
            self.r6[p].d.branch_less.next = self.decode[p].branch_less.val();
            self.r6[p].d.branch_not.next = self.decode[p].branch_not.val();
        }
        // In beats an instruction comes into stage 5 a cycle later, and stays for all of them.
        for s in 0..self._slow {
            self.beats[s].clock.next = self.clock.val();
            self.beats[s].reset.next = self.reset.val();
            self.beats[s].start.next = self.schedule.valid_4[s].val();
            self.collect.valid_4[s].next = self.schedule.valid_4[s].val();
            self.collect.pick[s].next = self.beats[s].pick.val();
            self.early_5[s].clock.next = self.clock.val();
            self.early_5[s].reset.next = self.reset.val();
            self.early_5[s].d.valid.next = self.schedule.valid_4[s].val();
            self.early_5[s].d.view.next = self.schedule.view_4[s].val();
            self.early_5[s].d.warp.next = self.schedule.warp_4[s].val();
            self.early_5[s].d.slot.next = self.schedule.slot_4[s].val();
            self.early_5[s].d.pc.next = self.window.pc[s].val();
            self.early_5[s].d.insn.next = self.window.insn[s].val();
            self.early_5[s].d.taken.next = self.window.taken[s].val();
            self.early_5[s].d.poison.next = self.window.poison[s].val();
            self.early_5[s].d.hint.next = self.window.hint[s].val();
            self.early_5[s].d.hint_pc.next = self.window.hint_pc[s].val();
            self.early_5[s].d.rd.next = self.schedule.rd_4[s].val();
            self.early_5[s].d.epoch.next = self.schedule.epoch_4[s].val();
            self.early_5[s].d.owner.next = self.owners.q[s].val();
            self.early_5[s].d.class.next = self.schedule.class_4[s].val();
            self.early_5[s].d.imm.next = self.operation[s].imm.val();
            self.early_5[s].d.alu_op.next = self.operation[s].alu_op.val();
            self.early_5[s].d.subtract.next = self.operation[s].subtract.val();
            self.early_5[s].d.use_imm.next = self.operation[s].use_imm.val();
            self.early_5[s].d.again.next = self.schedule.again_4[s].val()
                && !self.turned.val().get_bit(self.schedule.view_4[s].val().index());
            self.r5[s].hold[0].next = self.beats[s].stay_5.val();
            self.r5[s].d.valid.next = self.early_5[s].q.valid.val();
            self.r5[s].d.view.next = self.early_5[s].q.view.val();
            self.r5[s].d.warp.next = self.early_5[s].q.warp.val();
            self.r5[s].d.slot.next = self.early_5[s].q.slot.val();
            self.r5[s].d.pc.next = self.early_5[s].q.pc.val();
            self.r5[s].d.insn.next = self.early_5[s].q.insn.val();
            self.r5[s].d.taken.next = self.early_5[s].q.taken.val();
            self.r5[s].d.poison.next = self.early_5[s].q.poison.val();
            self.r5[s].d.hint.next = self.early_5[s].q.hint.val();
            self.r5[s].d.hint_pc.next = self.early_5[s].q.hint_pc.val();
            self.r5[s].d.rd.next = self.early_5[s].q.rd.val();
            self.r5[s].d.epoch.next = self.early_5[s].q.epoch.val();
            self.r5[s].d.owner.next = self.early_5[s].q.owner.val();
            self.r5[s].d.class.next = self.early_5[s].q.class.val();
            self.r5[s].d.imm.next = self.early_5[s].q.imm.val();
            self.r5[s].d.alu_op.next = self.early_5[s].q.alu_op.val();
            self.r5[s].d.subtract.next = self.early_5[s].q.subtract.val();
            self.r5[s].d.use_imm.next = self.early_5[s].q.use_imm.val();
            self.r5[s].d.again.next = self.early_5[s].q.again.val()
                && !self.turned.val().get_bit(self.early_5[s].q.view.val().index());
            // What is redirected meanwhile is no replay any more.
            self.stay[s].clock.next = self.clock.val();
            self.stay[s].reset.next = self.reset.val();
            self.again_5[s].next = self.r5[s].q.again.val() && !self.stay[s].q.turned_5.val();
            self.again_7[s].next = self.r7[s].q.again.val() && !self.stay[s].q.turned_7.val();
            self.stay[s].d.turned_5.next = self.beats[s].stay_5.val()
                && (self.stay[s].q.turned_5.val()
                    || self.turned.val().get_bit(self.r5[s].q.view.val().index()));
            self.stay[s].d.turned_7.next = self.r7[s].q.valid.val()
                && !self.stay[s].q.last.val()
                && (self.stay[s].q.turned_7.val()
                    || self.turned.val().get_bit(self.r7[s].q.view.val().index()));
            self.r6[s].d.again.next = self.again_5[s].val()
                && !self.turned.val().get_bit(self.r5[s].q.view.val().index());
        }
        for i in 0..self._lanes {
            self.lanes_6.d.a[i].next = self.collect.a_5[i].val();
            self.lanes_6.d.b[i].next = self.collect.b_5[i].val();
            self.lanes_6.d.second[i].next = self.collect.second_5[i].val();
            self.lanes_6.d.shifts[i].next = self.collect.shifts_5[i].val();
        }
        // (Registers of lanes that there are not.)
        for i in self._lanes..T {
            self.lanes_6.d.a[i].next = 0.into();
            self.lanes_6.d.b[i].next = 0.into();
            self.lanes_6.d.second[i].next = 0.into();
            self.lanes_6.d.shifts[i].next = 0.into();
        }

        // Stage 6.
        for p in 0..self._pipes {
            self.execute.valid[p].next = self.r6[p].q.valid.val();
            self.execute.owner[p].next = self.r6[p].q.owner.val();
            self.execute.warp[p].next = self.r6[p].q.warp.val();
            self.execute.pc[p].next = self.r6[p].q.pc.val();
            self.execute.imm[p].next = self.r6[p].q.imm.val();
            self.execute.alu_op[p].next = self.r6[p].q.alu_op.val();
            self.execute.subtract[p].next = self.r6[p].q.subtract.val();
            self.execute.branch_less[p].next = self.r6[p].q.branch_less.val();
            self.execute.branch_not[p].next = self.r6[p].q.branch_not.val();
            self.execute.muldiv_op[p].next = self.r6[p].q.muldiv_op.val();
            self.execute.mret[p].next = self.r6[p].q.legal.val() && self.r6[p].q.mret.val();
            self.execute.poison[p].next = self.r6[p].q.poison.val();
            self.known.next = self.r6[p].q.csr_known.val() || !self.r6[p].q.csr.val();
            self.execute.legal[p].next = self.r6[p].q.legal.val() && self.known.val();
            self.execute.ecall[p].next = self.r6[p].q.ecall.val();
            self.execute.ebreak[p].next = self.r6[p].q.ebreak.val();
            self.execute.branch[p].next = self.r6[p].q.legal.val() && self.r6[p].q.branch.val();
            self.execute.jal[p].next = self.r6[p].q.legal.val() && self.r6[p].q.jal.val();
            self.execute.jalr[p].next = self.r6[p].q.legal.val() && self.r6[p].q.jalr.val();
            self.execute.memory[p].next = self.r6[p].q.legal.val() && self.r6[p].q.memory.val();
            self.execute.atomic[p].next = self.r6[p].q.atomic.val();
            self.execute.size[p].next = self.r6[p].q.size.val();
            self.r7[p].clock.next = self.clock.val();
            self.r7[p].reset.next = self.reset.val();
            self.r7[p].d.class.next = self.r6[p].q.class.val();
            self.r7[p].d.may_write.next = self.r6[p].q.valid.val()
                && !(self.r6[p].q.rd.val() == 0)
                && !(self.r6[p].q.class.val() == 1)
                && !(self.r6[p].q.class.val() == 2)
                && !(self.csr_file.val() && (self.r6[p].q.class.val() == 3));
            self.r7[p].d.may_load.next = self.r6[p].q.valid.val()
                && !(self.r6[p].q.rd.val() == 0)
                && (self.r6[p].q.class.val() == 1);
            self.r7[p].d.valid.next = self.r6[p].q.valid.val();
            self.r7[p].d.view.next = self.r6[p].q.view.val();
            self.r7[p].d.warp.next = self.r6[p].q.warp.val();
            self.r7[p].d.slot.next = self.r6[p].q.slot.val();
            self.r7[p].d.pc.next = self.r6[p].q.pc.val();
            self.r7[p].d.insn.next = self.r6[p].q.insn.val();
            self.r7[p].d.taken.next = self.r6[p].q.taken.val();
            self.r7[p].d.poison.next = self.r6[p].q.poison.val();
            self.r7[p].d.hint.next = self.r6[p].q.hint.val();
            self.r7[p].d.hint_pc.next = self.r6[p].q.hint_pc.val();
            self.r7[p].d.again.next = self.r6[p].q.again.val()
                && !self.turned.val().get_bit(self.r6[p].q.view.val().index());
            self.r7[p].d.rd.next = self.r6[p].q.rd.val();
            self.r7[p].d.epoch.next = self.r6[p].q.epoch.val();
            self.r7[p].d.legal.next = self.r6[p].q.legal.val() && self.known.val();
            self.r7[p].d.common.next = self.execute.common[p].val();
            self.r7[p].d.whole.next = self.execute.whole[p].val();
            self.r7[p].d.link.next = self.r6[p].q.legal.val() && self.r6[p].q.link.val();
            self.r7[p].d.auipc.next = self.r6[p].q.legal.val() && self.r6[p].q.auipc.val();
            self.r7[p].d.branch.next = self.r6[p].q.legal.val() && self.r6[p].q.branch.val();
            self.r7[p].d.jal.next = self.r6[p].q.legal.val() && self.r6[p].q.jal.val();
            self.r7[p].d.jalr.next = self.r6[p].q.legal.val() && self.r6[p].q.jalr.val();
            self.r7[p].d.memory.next = self.r6[p].q.legal.val() && self.r6[p].q.memory.val();
            self.r7[p].d.store.next = self.r6[p].q.legal.val() && self.r6[p].q.store.val();
            self.r7[p].d.atomic.next = self.r6[p].q.legal.val() && self.r6[p].q.atomic.val();
            self.r7[p].d.signed.next = self.r6[p].q.signed.val();
            self.r7[p].d.multiply.next = self.r6[p].q.legal.val() && self.r6[p].q.multiply.val();
            self.r7[p].d.divide.next = self.r6[p].q.legal.val() && self.r6[p].q.divide.val();
            // Of other instructions the CSR is known.
            self.r7[p].d.csr.next =
                self.r6[p].q.legal.val() && self.r6[p].q.csr_known.val() && self.r6[p].q.csr.val();
            self.r7[p].d.csr_writes.next = self.r6[p].q.csr_writes.val();
            self.r7[p].d.csr_imm.next = self.r6[p].q.csr_imm.val();
            self.r7[p].d.mret.next = self.r6[p].q.legal.val() && self.r6[p].q.mret.val();
            self.r7[p].d.wfi.next = self.r6[p].q.legal.val() && self.r6[p].q.wfi.val();
            self.r7[p].d.fence_i.next = self.r6[p].q.legal.val() && self.r6[p].q.fence_i.val();
            self.r7[p].d.ecall.next = self.r6[p].q.legal.val() && self.r6[p].q.ecall.val();
            self.r7[p].d.ebreak.next = self.r6[p].q.legal.val() && self.r6[p].q.ebreak.val();
            self.r7[p].d.call.next = self.r6[p].q.legal.val() && self.r6[p].q.call.val();
            self.r7[p].d.ret.next = self.r6[p].q.legal.val() && self.r6[p].q.ret.val();
            self.r7[p].d.memory_op.next = self.r6[p].q.memory_op.val();
            self.r7[p].d.size.next = self.r6[p].q.size.val();
            self.r7[p].d.muldiv_op.next = self.r6[p].q.muldiv_op.val();
            self.r7[p].d.csr_op.next = self.r6[p].q.csr_op.val();
            self.r7[p].d.target.next = self.execute.target[p].val();
            self.r7[p].d.askew.next = self.execute.askew[p].val();
        }
        self.lanes_7.d.taken.next = self.execute.taken.val();
        self.lanes_7.d.wrongs.next = self.execute.wrongs.val();
        self.lanes_7.d.faults.next = self.execute.faults.val();
        self.lanes_7.d.at_device.next = self.execute.at_device.val();
        self.lanes_7.d.some_device.next = self.execute.some_device.val();
        for i in 0..self._lanes {
            self.execute.a[i].next = self.lanes_6.q.a[i].val();
            self.execute.second[i].next = self.lanes_6.q.second[i].val();
            self.execute.shifts[i].next = self.lanes_6.q.shifts[i].val();
            self.lanes_7.d.result[i].next = self.execute.result[i].val();
            self.lanes_7.d.a[i].next = self.lanes_6.q.a[i].val();
            self.lanes_7.d.b[i].next = self.lanes_6.q.b[i].val();
            self.commit.product[i].next = 0.into();
        }
        for m in 0..self._multiply {
            self.multiply[m].clock.next = self.clock.val();
            // (Nobody takes what one that does not count comes to.)
            self.multiply[m].enable.next = false;
            for p in 0..self._pipes {
                if self.r6[p].q.multiply.val() {
                    self.multiply[m].enable.next = true;
                }
            }
            for i in 0..self._lanes {
                self.multiply[m].a[i].next = self.lanes_6.q.a[i].val();
                self.multiply[m].b[i].next = self.lanes_6.q.b[i].val();
                self.multiply[m].op[i].next = self.execute.lane_op[i].val();
                self.commit.product[i].next = self.multiply[m].result[i].val();
            }
        }
        for s in 0..self._slow {
            self.join[s].clock.next = self.clock.val();
            self.join[s].on.next = self.beats[s].on_6.val();
            self.join[s].at.next = self.beats[s].at_6.val();
            self.join[s].taken.next = self.execute.taken.val();
            self.join[s].wrongs.next = self.execute.wrongs.val();
            self.join[s].faults.next = self.execute.faults.val();
            self.join[s].at_device.next = self.execute.at_device.val();
            self.join[s].multiplies.next = self.r6[s].q.legal.val() && self.r6[s].q.multiply.val();
            for i in 0..self._lanes {
                self.join[s].result[i].next = self.execute.result[i].val();
                self.join[s].a[i].next = self.lanes_6.q.a[i].val();
                self.join[s].b[i].next = self.lanes_6.q.b[i].val();
                self.join[s].product[i].next = 0.into();
                for m in 0..self._multiply {
                    self.join[s].product[i].next = self.multiply[m].result[i].val();
                }
            }
            // What stands for these where all lanes go at once.
            self.lanes_7.d.taken.next = 0.into();
            self.lanes_7.d.wrongs.next = 0.into();
            self.lanes_7.d.faults.next = 0.into();
            self.lanes_7.d.at_device.next = 0.into();
            self.lanes_7.d.some_device.next = false;
            for i in 0..T {
                self.lanes_7.d.result[i].next = 0.into();
                self.lanes_7.d.a[i].next = 0.into();
                self.lanes_7.d.b[i].next = 0.into();
                self.commit.product[i].next = 0.into();
            }
            // With the last group an instruction comes into stage 7, where it waits for what is
            // still on its way, and takes three steps.
            self.r7[s].d.valid.next = self.r6[s].q.valid.val() && self.beats[s].last_6.val();
            self.r7[s].hold[0].next = self.r7[s].q.valid.val() && !self.stay[s].q.last.val();
            self.stay[s].d.step.next = 0.into();
            if self.r7[s].q.valid.val() {
                self.stay[s].d.step.next = self.stay[s].q.step.val() + 1;
            }
            self.stay[s].d.third.next =
                self.r7[s].q.valid.val() && (self.stay[s].q.step.val() == 1);
            self.stay[s].d.last.next = self.r7[s].q.valid.val() && self.stay[s].q.third.val();
        }

        // Stage 7.
        for p in 0..self._pipes {
            self.unit.port.pipe[p].soon.next = self.r6[p].q.valid.val();
            self.unit.port.pipe[p].soon_warp.next = self.r6[p].q.warp.val();
            self.unit.port.pipe[p].soon_slot.next = self.r6[p].q.slot.val();
            self.unit.port.pipe[p].look.next = self.r7[p].q.valid.val();
            self.unit.port.pipe[p].look_warp.next = self.r7[p].q.warp.val();
            self.unit.port.pipe[p].look_slot.next = self.r7[p].q.slot.val();
            self.unit.port.pipe[p].look_pc.next = self.r7[p].q.pc.val();
            self.unit.port.pipe[p].look_epoch.next = self.r7[p].q.epoch.val();
            for s in 0..self._slow {
                // Who executes is asked for twice: for those who look for a leader, and at last.
                self.leads.next = (self.stay[s].q.step.val() == 0) || self.stay[s].q.third.val();
                self.decides.next = self.r7[s].q.valid.val() && self.stay[s].q.last.val();
                self.unit.port.pipe[p].soon.next = self.r7[p].q.valid.val() && self.leads.val();
                self.unit.port.pipe[p].soon_warp.next = self.r7[p].q.warp.val();
                self.unit.port.pipe[p].soon_slot.next = self.r7[p].q.slot.val();
                self.unit.port.pipe[p].look.next =
                    self.r7[p].q.valid.val() && self.stay[s].q.step.val().get_bit(0);
            }
            self.current[p].next = self.r7[p].q.valid.val() && self.unit.port.pipe[p].hit.val();
            for s in 0..self._slow {
                self.current[p + s].next = self.decides.val() && self.unit.port.pipe[p].hit.val();
            }
            // Of one that is dropped nothing matters but that it is not valid in stage 8.
            self.mask_7[p].next = self.unit.port.pipe[p].mask.val();
            self.resolve.mask[p].next = self.mask_7[p].val();
            self.resolve.depth[p].next = self.unit.port.pipe[p].depth.val();
            self.resolve.pc[p].next = self.r7[p].q.pc.val();
            self.resolve.insn[p].next = self.r7[p].q.insn.val();
            self.resolve.taken[p].next = self.r7[p].q.taken.val();
            self.resolve.poison[p].next = self.r7[p].q.poison.val();
            self.resolve.legal[p].next = self.r7[p].q.legal.val();
            self.resolve.common[p].next = self.r7[p].q.common.val();
            self.resolve.whole[p].next = self.r7[p].q.whole.val();
            self.resolve.branch[p].next = self.r7[p].q.branch.val();
            self.resolve.jal[p].next = self.r7[p].q.jal.val();
            self.resolve.link[p].next = self.r7[p].q.link.val();
            self.resolve.auipc[p].next = self.r7[p].q.auipc.val();
            self.resolve.jalr[p].next = self.r7[p].q.jalr.val();
            self.resolve.memory[p].next = self.r7[p].q.memory.val();
            self.resolve.atomic[p].next = self.r7[p].q.atomic.val();
            self.resolve.csr[p].next = self.r7[p].q.csr.val();
            self.resolve.mret[p].next = self.r7[p].q.mret.val();
            self.resolve.wfi[p].next = self.r7[p].q.wfi.val();
            self.resolve.fence_i[p].next = self.r7[p].q.fence_i.val();
            self.resolve.ecall[p].next = self.r7[p].q.ecall.val();
            self.resolve.call[p].next = self.r7[p].q.call.val();
            self.resolve.ret[p].next = self.r7[p].q.ret.val();
            self.resolve.memory_op[p].next = self.r7[p].q.memory_op.val();
            self.resolve.store[p].next = self.r7[p].q.store.val();
            self.resolve.divide[p].next = self.r7[p].q.divide.val();
            self.resolve.rd[p].next = self.r7[p].q.rd.val();
            self.resolve.target[p].next = self.r7[p].q.target.val();
            self.resolve.askew[p].next = self.r7[p].q.askew.val();
            self.r8[p].clock.next = self.clock.val();
            self.r8[p].reset.next = self.reset.val();
            self.r8[p].d.class.next = self.r7[p].q.class.val();
            self.r8[p].d.valid.next = self.current[p].val();
            self.r8[p].d.view.next = self.r7[p].q.view.val();
            self.r8[p].d.warp.next = self.r7[p].q.warp.val();
            self.r8[p].d.slot.next = self.r7[p].q.slot.val();
            self.r8[p].d.pc.next = self.r7[p].q.pc.val();
            self.r8[p].d.insn.next = self.r7[p].q.insn.val();
            self.r8[p].d.poison.next = self.r7[p].q.poison.val();
            self.r8[p].d.hint.next = self.r7[p].q.hint.val();
            self.r8[p].d.hint_pc.next = self.r7[p].q.hint_pc.val();
            self.r8[p].d.again.next = self.r7[p].q.again.val()
                && !self.turned.val().get_bit(self.r7[p].q.view.val().index());
            self.r8[p].d.rd.next = self.r7[p].q.rd.val();
            self.r8[p].d.depth.next = self.unit.port.pipe[p].depth.val();
            self.r8[p].d.mask.next = self.mask_7[p].val();
            self.r8[p].d.done.next = self.resolve.done[p].val();
            self.r8[p].d.struck.next = self.resolve.struck_mask[p].val();
            self.r8[p].d.back.next = self.resolve.back_8[p].val();
            self.r8[p].d.serves.next = self.resolve.serves[p].val();
            self.r8[p].d.traps.next = self.resolve.faults[p].val();
            self.r8[p].d.cause.next = self.resolve.cause[p].val();
            self.r8[p].d.kind.next = self.resolve.kind[p].val();
            self.r8[p].d.go_mask.next = self.resolve.go_mask[p].val();
            self.r8[p].d.go_pc.next = self.resolve.go_pc[p].val();
            self.r8[p].d.go_depth.next = self.resolve.go_depth[p].val();
            self.r8[p].d.common_pc.next = self.resolve.common_pc[p].val();
            self.r8[p].d.other_pc.next = self.resolve.other_pc[p].val();
            self.r8[p].d.predicted.next = self.resolve.predicted[p].val();
            self.r8[p].d.predicted_other.next = self.resolve.predicted_other[p].val();
            self.r8[p].d.ram.next = self.resolve.ram[p].val();
            self.r8[p].d.device.next = self.resolve.device[p].val();
            self.r8[p].d.block.next = self.resolve.block[p].val();
            self.r8[p].d.lead.next = self.resolve.lead[p].val();
            self.r8[p].d.lane.next = self.resolve.lane[p].val();
            self.r8[p].d.offset.next = self.resolve.offset[p].val();
            self.r8[p].d.lead_data.next = self.resolve.lead_data[p].val();
            self.r8[p].d.asks_memory.next = self.resolve.asks_memory[p].val();
            self.r8[p].d.replies.next = self.resolve.replies[p].val();
            self.r8[p].d.asks_device.next = self.resolve.asks_device[p].val();
            self.r8[p].d.asks_park.next = self.resolve.asks_park[p].val();
            self.r8[p].d.asks_divider.next = self.resolve.asks_divider[p].val();
            self.r8[p].d.asks_csr.next = self.resolve.asks_csr[p].val();
            self.r8[p].d.wants_value.next = self.resolve.wants_value[p].val();
            self.r8[p].d.open.next = self.resolve.open[p].val();
            self.r8[p].d.writes_rd.next = self.resolve.writes_rd[p].val();
            // Whoever leads was found when others may have been there: then nobody executes.
            for s in 0..self._slow {
                self.stay[s].d.mask.next = self.mask_7[s].val();
                if self.stay[s].q.third.val() {
                    self.stay[s].d.mask.next = self.stay[s].q.mask.val();
                }
                self.stay[s].d.rivals.next = 0.into();
                self.stay[s].d.found.next = false;
                self.stay[s].d.contends.next = self.r7[s].q.atomic.val()
                    && self.r7[s].q.legal.val()
                    && !(self.r7[s].q.memory_op.val() == 2);
                self.resolve.mask[s].next = self.stay[s].q.mask.val();
                self.stale.next = !(self.stay[s].q.mask.val() == self.mask_7[s].val());
                self.stay[s].d.stale.next = self.current[s].val() && self.stale.val();
                if self.stale.val() {
                    self.r8[p].d.kind.next = 0.into();
                    self.r8[p].d.other_pc.next = self.r7[p].q.pc.val();
                    self.r8[p].d.predicted.next = false;
                    self.r8[p].d.predicted_other.next = false;
                    self.r8[p].d.asks_memory.next = false;
                    self.r8[p].d.replies.next = false;
                    self.r8[p].d.asks_device.next = false;
                    self.r8[p].d.asks_park.next = false;
                    self.r8[p].d.asks_divider.next = false;
                    self.r8[p].d.asks_csr.next = false;
                    self.r8[p].d.wants_value.next = false;
                    self.r8[p].d.writes_rd.next = false;
                }
            }
            // Maybe a load does so from a device, a CSR access without a sequencer, a divide never.
            self.will_write[p].next = self.r7[p].q.may_write.val()
                || (!self.late_devices.val()
                    && self.r7[p].q.may_load.val()
                    && self.lanes_7.q.some_device.val());
            for s in 0..self._slow {
                if !self.stay[s].q.last.val() {
                    self.will_write[p + s].next = false;
                }
            }
            self.r8[p].d.may_write.next = self.will_write[p].val();
            self.r8[p].d.fault.next = self.resolve.fault[p].val();
            self.r8[p].d.is_fault.next = self.resolve.is_fault[p].val();
            self.r8[p].d.link.next = self.r7[p].q.link.val();
            self.r8[p].d.auipc.next = self.r7[p].q.auipc.val();
            self.r8[p].d.branch.next = self.r7[p].q.branch.val();
            self.r8[p].d.jalr.next = self.r7[p].q.jalr.val();
            self.r8[p].d.store.next = self.r7[p].q.store.val();
            self.r8[p].d.signed.next = self.r7[p].q.signed.val();
            self.r8[p].d.multiply.next = self.r7[p].q.multiply.val();
            self.r8[p].d.csr.next = self.r7[p].q.csr.val();
            self.r8[p].d.csr_writes.next = self.r7[p].q.csr_writes.val();
            self.r8[p].d.csr_imm.next = self.r7[p].q.csr_imm.val();
            self.r8[p].d.mret.next = self.r7[p].q.mret.val();
            self.r8[p].d.memory_op.next = self.r7[p].q.memory_op.val();
            self.r8[p].d.size.next = self.r7[p].q.size.val();
            self.r8[p].d.muldiv_op.next = self.r7[p].q.muldiv_op.val();
            self.r8[p].d.csr_op.next = self.r7[p].q.csr_op.val();
            // Products are among the results.
            for s in 0..self._slow {
                self.r8[p + s].d.multiply.next = false;
                self.r8[p + s].d.again.next = self.again_7[p].val()
                    && !self.turned.val().get_bit(self.r7[p].q.view.val().index());
            }
        }
        self.resolve.jumps.next = self.lanes_7.q.taken.val();
        self.resolve.wrongs.next = self.lanes_7.q.wrongs.val();
        self.resolve.faulty.next = self.lanes_7.q.faults.val();
        self.resolve.at_device.next = self.lanes_7.q.at_device.val();
        for i in 0..T {
            self.resolve.result[i].next = self.lanes_7.q.result[i].val();
            self.resolve.b[i].next = self.lanes_7.q.b[i].val();
            self.resolve.vector[i].next = 0.into();
            for c in 0..self._csr {
                self.resolve.vector[i + c].next = self.csr[c].vector[i].val();
            }
            self.lanes_8.d.result[i].next = self.lanes_7.q.result[i].val();
            self.lanes_8.d.a[i].next = self.lanes_7.q.a[i].val();
            self.lanes_8.d.b[i].next = self.lanes_7.q.b[i].val();
        }
        // In beats the lanes of the next instruction follow at once: what the last step looks at
        // is kept.
        for s in 0..self._slow {
            self.lanes_8.hold[s].next = !self.stay[s].q.third.val();
            self.stay[s].d.taken.next = self.join[s].taken_7.val();
            self.stay[s].d.wrongs.next = self.join[s].wrongs_7.val();
            self.stay[s].d.faults.next = self.join[s].faults_7.val();
            self.stay[s].d.at_device.next = self.join[s].at_device_7.val();
            self.resolve.clock[s].next = self.clock.val();
            self.resolve.reset[s].next = self.reset.val();
            self.resolve.soon_mask[s].next = self.mask_7[s].val();
            self.resolve.early_mask[s].next = self.stay[s].q.mask.val();
            self.resolve.early_jumps[s].next = self.join[s].taken_7.val();
            self.resolve.early_wrongs[s].next = self.join[s].wrongs_7.val();
            self.resolve.early_faulty[s].next = self.join[s].faults_7.val();
            self.resolve.early_device[s].next = self.join[s].at_device_7.val();
            self.resolve.jumps.next = self.stay[s].q.taken.val();
            self.resolve.wrongs.next = self.stay[s].q.wrongs.val();
            self.resolve.faulty.next = self.stay[s].q.faults.val();
            self.resolve.at_device.next = self.stay[s].q.at_device.val();
            for i in 0..T {
                self.lanes_8.d.result[i].next = self.join[s].result_7[i].val();
                self.lanes_8.d.a[i].next = self.join[s].a_7[i].val();
                self.lanes_8.d.b[i].next = self.join[s].b_7[i].val();
                self.resolve.early_result[i].next = self.join[s].result_7[i].val();
                self.resolve.early_b[i].next = self.join[s].b_7[i].val();
                self.resolve.result[i].next = self.lanes_8.q.result[i].val();
                self.resolve.b[i].next = self.lanes_8.q.b[i].val();
            }
        }

        // Stage 8.
        self.commit.first.next = self.schedule.first.val();
        self.commit.data_ready.next = self.data.ready.val();
        self.commit.load_free.next = self.loads.free.val();
        self.commit.places_free.next = self.loads.places_free.val();
        self.commit.divide_free.next = self.loads.divide_free.val();
        self.commit.divide_take.next = self.loads.divide_take.val();
        self.commit.csr_busy.next = false;
        self.commit.csr_ready.next = false;
        for s in 0..self._slow {
            self.commit.stale[s].next = self.stay[s].q.stale.val();
            self.commit.soon_lane[s].next = self.resolve.lane[s].val();
        }
        for p in 0..self._pipes {
            self.commit.valid[p].next = self.r8[p].q.valid.val();
            self.commit.view[p].next = self.r8[p].q.view.val();
            self.commit.warp[p].next = self.r8[p].q.warp.val();
            self.commit.soon_warp[p].next = self.r7[p].q.warp.val();
            self.commit.slot[p].next = self.r8[p].q.slot.val();
            self.commit.pc[p].next = self.r8[p].q.pc.val();
            self.commit.insn[p].next = self.r8[p].q.insn.val();
            self.commit.poison[p].next = self.r8[p].q.poison.val();
            self.commit.hint[p].next = self.r8[p].q.hint.val();
            self.commit.hint_pc[p].next = self.r8[p].q.hint_pc.val();
            self.commit.again[p].next = self.r8[p].q.again.val();
            self.commit.rd[p].next = self.r8[p].q.rd.val();
            self.commit.mask[p].next = self.r8[p].q.mask.val();
            self.done_8[p].next = self.r8[p].q.done.val();
            self.trapped_8[p].next = self.r8[p].q.struck.val();
            if self.r8[p].q.back.val() {
                self.done_8[p].next = self.r8[p].q.struck.val();
                self.trapped_8[p].next = 0.into();
            }
            self.go_8[p].next = self.r8[p].q.go_mask.val() | self.r8[p].q.struck.val();
            for l in 0..self._in_line {
                self.commit.early_place[l].next = self.resolve.lead_place[l].val();
                self.commit.early_lanes[l].next = self.resolve.would[l].val();
                self.commit.early_size[l].next = self.r7[l].q.size.val();
                self.commit.early_threads[l].next = self.stay[l].q.mask.val();
                self.commit.rivals[l].next = self.stay[l].q.rivals.val();
                self.commit.contends[l].next = self.stay[l].q.contends.val();
                self.commit.decided[l].next = self.stay[l].q.found.val();
                self.resolve.winners[l].next = self.commit.winners[l].val();
                self.stay[l].d.rivals.next = self.resolve.would[l].val();
                self.stay[l].d.found.next = self.commit.found_out[l].val();
                self.ends[l].clock.next = self.clock.val();
                self.ends[l].reset.next = self.reset.val();
                self.ends[l].d.mask.next = self.resolve.ends[l].val();
                self.done_8[p + l].next = self.ends[l].q.mask.val();
            }
            self.commit.done[p].next = self.done_8[p].val();
            self.commit.served[p].next = self.r8[p].q.done.val();
            self.commit.trapped[p].next = self.trapped_8[p].val();
            self.commit.serves[p].next = self.r8[p].q.serves.val();
            self.commit.traps[p].next = self.r8[p].q.traps.val();
            self.commit.cause[p].next = self.r8[p].q.cause.val();
            self.commit.kind[p].next = self.r8[p].q.kind.val();
            self.commit.go_mask[p].next = self.go_8[p].val();
            self.commit.go_pc[p].next = self.r8[p].q.go_pc.val();
            self.commit.go_depth[p].next = self.r8[p].q.go_depth.val();
            self.commit.common_pc[p].next = self.r8[p].q.common_pc.val();
            self.commit.other_mask[p].next = self.r8[p].q.mask.val() & !self.go_8[p].val();
            self.commit.other_pc[p].next = self.r8[p].q.other_pc.val();
            self.commit.ram[p].next = self.r8[p].q.ram.val();
            self.commit.device[p].next = self.r8[p].q.device.val();
            self.commit.block[p].next = self.r8[p].q.block.val();
            self.commit.lead[p].next = self.r8[p].q.lead.val();
            self.commit.lane[p].next = self.r8[p].q.lane.val();
            self.commit.offset[p].next = self.r8[p].q.offset.val();
            self.commit.lead_data[p].next = self.r8[p].q.lead_data.val();
            self.commit.asks_memory[p].next = self.r8[p].q.asks_memory.val();
            self.commit.replies[p].next = self.r8[p].q.replies.val();
            self.commit.asks_device[p].next = self.r8[p].q.asks_device.val();
            self.commit.asks_park[p].next = self.r8[p].q.asks_park.val();
            self.commit.asks_divider[p].next = self.r8[p].q.asks_divider.val();
            self.commit.asks_csr[p].next = self.r8[p].q.asks_csr.val();
            self.commit.wants_value[p].next = self.r8[p].q.wants_value.val();
            self.commit.open[p].next = self.r8[p].q.open.val();
            self.commit.writes_rd[p].next = self.r8[p].q.writes_rd.val();
            self.commit.fault[p].next = self.r8[p].q.fault.val();
            self.commit.is_fault[p].next = self.r8[p].q.is_fault.val();
            self.commit.link[p].next = self.r8[p].q.link.val();
            self.commit.auipc[p].next = self.r8[p].q.auipc.val();
            self.commit.branch[p].next = self.r8[p].q.branch.val();
            self.commit.jalr[p].next = self.r8[p].q.jalr.val();
            self.commit.store[p].next = self.r8[p].q.store.val();
            self.commit.signed[p].next = self.r8[p].q.signed.val();
            self.commit.multiply[p].next = self.r8[p].q.multiply.val();
            self.commit.csr[p].next = self.r8[p].q.csr.val();
            self.commit.csr_writes[p].next = self.r8[p].q.csr_writes.val();
            self.commit.csr_imm[p].next = self.r8[p].q.csr_imm.val();
            self.commit.mret[p].next = self.r8[p].q.mret.val();
            self.commit.memory_op[p].next = self.r8[p].q.memory_op.val();
            self.commit.size[p].next = self.r8[p].q.size.val();
            self.commit.muldiv_op[p].next = self.r8[p].q.muldiv_op.val();
            self.commit.csr_op[p].next = self.r8[p].q.csr_op.val();
            self.collect.write[p].next = self.commit.wrote[p].val();
            self.collect.write_warp[p].next = self.r8[p].q.warp.val();
            self.collect.write_rd[p].next = self.r8[p].q.rd.val();
            self.unit.port.pipe[p].update.next = self.r8[p].q.valid.val();
            self.unit.port.pipe[p].up_warp.next = self.r8[p].q.warp.val();
            self.unit.port.pipe[p].up_slot.next = self.r8[p].q.slot.val();
            self.unit.port.pipe[p].up_kind.next = self.commit.up_kind[p].val();
            self.unit.port.pipe[p].exec_mask.next = self.r8[p].q.mask.val();
            self.unit.port.pipe[p].go_mask.next = self.commit.up_go[p].val();
            self.unit.port.pipe[p].go_pc.next = self.r8[p].q.go_pc.val();
            self.unit.port.pipe[p].go_depth.next = self.r8[p].q.go_depth.val();
            self.unit.port.pipe[p].other_mask.next = self.commit.up_other[p].val();
            self.unit.port.pipe[p].other_pc.next = self.r8[p].q.other_pc.val();
            self.unit.port.pipe[p].other_depth.next = self.r8[p].q.depth.val();
            self.unit.port.pipe[p].halt_mask.next = self.commit.up_halt[p].val();
            self.unit.port.pipe[p].hint.next = self.r8[p].q.hint.val();
            self.unit.port.pipe[p].hint_pc.next = self.r8[p].q.hint_pc.val();
            self.unit.port.pipe[p].split.next = false;
            self.unit.port.pipe[p].splits.next = self.commit.splits[p].val();
            self.unit.port.pipe[p].refused.next = self.commit.refused[p].val();
            if self.late_refusal.val() {
                self.unit.port.pipe[p].up_kind.next = self.r8[p].q.kind.val();
                self.unit.port.pipe[p].go_mask.next = self.commit.wish_go[p].val();
                self.unit.port.pipe[p].halt_mask.next = self.commit.wish_halt[p].val();
            }
            self.unit.port.pipe[p].predicted.next = self.r8[p].q.predicted.val();
            self.unit.port.pipe[p].next_pc.next = self.r8[p].q.go_pc.val();
            if self.r8[p].q.predicted_other.val() {
                self.unit.port.pipe[p].next_pc.next = self.r8[p].q.other_pc.val();
            }
            self.turn.update[p].next = self.r8[p].q.valid.val();
            self.turn.update_view[p].next = self.r8[p].q.view.val();
            self.turn.update_pc[p].next = self.r8[p].q.pc.val();
            self.turn.update_fence[p].next = self.commit.fence[p].val();
            self.turn.update_rd[p].next = self.r8[p].q.rd.val();
            self.turn.update_class[p].next = self.r8[p].q.class.val();
        }
        self.commit.wake_ready.next = self.unit.port.io.wake_ready.val();
        self.unit.port.io.wake.next = self.commit.wake.val();
        self.unit.port.io.wake_warp.next = self.commit.wake_warp.val();
        self.unit.port.io.wake_mask.next = self.commit.wake_mask.val();
        self.unit.port.io.load_done.next = self.loads.late.val();
        self.unit.port.io.load_warp.next = self.loads.late_warp.val();
        self.unit.port.io.load_mask.next = self.loads.late_mask.val();
        self.data.request.next = self.commit.request.val();
        self.data.tag.next = self.loads.free_tag.val();
        self.data.op.next = self.commit.op.val();
        self.data.warp.next = self.commit.request_warp.val();
        self.data.block.next = self.commit.request_block.val();
        self.data.lanes.next = self.commit.request_lanes.val();
        self.data.reply_ready.next = self.loads.reply_ready.val();
        self.spread.served.next = self.commit.served_8.val();
        self.spread.size.next = self.commit.size_8.val();
        self.events.d.issue.next = self.commit.event_issue.val();
        self.events.d.threads.next = self.commit.event_threads.val();
        self.events.d.diverge.next = self.commit.event_diverge.val();
        self.events.d.merge.next = self.unit.port.io.merges.val().to_bits::<3>();
        self.events.d.memory.next = self.commit.event_memory.val();
        self.idle_all.next = true;
        for p in 0..self._pipes {
            if self.schedule.issue[p].val() {
                self.idle_all.next = false;
            }
        }
        self.events.d.idle.next = self.idle_all.val();
        for i in 0..T {
            self.commit.result[i].next = self.lanes_8.q.result[i].val();
            self.commit.a[i].next = self.lanes_8.q.a[i].val();
            self.commit.b[i].next = self.lanes_8.q.b[i].val();
            self.commit.csr_result[i].next = 0.into();
            self.data.enable[i].next = self.commit.enable[i].val();
            self.data.data[i].next = self.commit.data[i].val();
            self.data.word[i].next = self.commit.word[i].val();
            self.spread.byte[i].next = self.commit.byte[i].val();
            self.spread.operand[i].next = self.lanes_8.q.b[i].val();
            self.collect.write_value[i].next = self.commit.write_value[i].val();
        }

        // The CSR file.
        for c in 0..self._csr {
            self.csr[c].clock.next = self.clock.val();
            self.csr[c].reset.next = self.reset.val();
            self.csr[c].look.next = self.execute.any.val();
            self.csr[c].read_return.next = self.execute.returns.val();
            for s in 0..self._slow {
                self.csr[c].look.next = self.r7[s].q.valid.val();
                self.csr[c].read_return.next = 0.into();
                if self.r7[s].q.mret.val() {
                    self.csr[c].read_return.next = self.everyone.val();
                }
            }
            self.csr[c].start.next = self.commit.csr_start.val();
            self.csr[c].kind.next = self.commit.csr_kind.val();
            self.csr[c].start_warp.next = self.commit.request_warp.val();
            self.csr[c].start_lanes.next = self.commit.request_lanes.val();
            self.csr[c].number.next = self.commit.csr_number.val();
            self.csr[c].op.next = self.commit.csr_op_8.val();
            self.csr[c].writes.next = self.commit.csr_sets.val();
            self.csr[c].wants.next = self.commit.csr_wants.val();
            self.csr[c].trap_pc.next = self.commit.trap_pc.val();
            self.csr[c].trap_cause.next = self.commit.trap_cause.val();
            self.csr[c].take.next = self.loads.divide_take.val();
            self.csr[c].done.next = self.commit.completes.val();
            for s in 0..self._slow {
                self.csr[c].counted[s].next = self.commit.counts[s].val();
            }
            self.csr[c].warp_issue.next = self.commit.warp_issue.val();
            self.csr[c].event_issue.next = self.events.q.issue.val();
            self.csr[c].event_threads.next = self.events.q.threads.val();
            self.csr[c].event_diverge.next = self.events.q.diverge.val();
            self.csr[c].event_merge.next = self.events.q.merge.val();
            self.csr[c].event_idle.next = self.events.q.idle.val();
            self.csr[c].event_memory.next = self.events.q.memory.val();
            self.commit.csr_busy.next = self.csr[c].busy.val();
            self.commit.csr_ready.next = self.csr[c].ready.val();
            for i in 0..T {
                self.csr[c].read_warp[i].next = self.execute.lane_warp[i].val();
                for s in 0..self._slow {
                    self.csr[c].read_warp[i].next = self.r7[s].q.warp.val();
                }
                self.csr[c].lane_warp[i].next = self.commit.lane_warp[i].val();
                self.csr[c].operand[i].next = self.commit.csr_operand[i].val();
                self.csr[c].trap_value[i].next = self.commit.trap_value[i].val();
                self.commit.csr_result[i].next = self.csr[c].result[i].val();
            }
        }

        for c in 0..self._reads {
            self.commit.csr_part[c].next = self.csr[c].part[c].val();
            self.commit.csr_last[c].next = self.csr[c].last[c].val();
        }

        // Stage 9.
        for k in 0..self._parts {
            self.loads.divided_part[k].next = self.commit.divided_part[k].val();
            self.loads.divided_last[k].next = self.commit.divided_last[k].val();
        }
        self.loads.insert.next = self.commit.insert.val();
        self.loads.divide.next = self.commit.insert_divide.val();
        self.loads.may_insert.next = self.commit.may_insert.val();
        self.loads.may_divide.next = self.commit.may_insert_divide.val();
        self.loads.insert_warp.next = self.commit.request_warp.val();
        self.loads.insert_slot.next = self.commit.insert_slot.val();
        self.loads.insert_rd.next = self.commit.insert_rd.val();
        self.loads.insert_mask.next = self.commit.request_lanes.val();
        self.loads.insert_size.next = self.commit.insert_size.val();
        self.loads.insert_signed.next = self.commit.insert_signed.val();
        self.loads.insert_aligned.next = self.commit.insert_aligned.val();
        self.loads.insert_common.next = self.commit.insert_common.val();
        self.loads.insert_place.next = self.commit.insert_place.val();
        self.loads.reply.next = self.data.reply.val();
        self.loads.reply_tag.next = self.data.reply_tag.val();
        self.loads.divided.next = self.commit.divided.val();
        self.loads.may_write.next = false;
        for p in 0..self._pipes {
            if self.barrel.val() && self.r8[p].q.may_write.val() {
                self.loads.may_write.next = true;
            }
            if !self.barrel.val() && self.will_write[p].val() {
                self.loads.may_write.next = true;
            }
        }
        self.collect.late.next = self.loads.late_mask.val();
        self.collect.late_warp.next = self.loads.late_warp.val();
        self.collect.late_rd.next = self.loads.late_rd.val();
        self.late.valid.next = self.loads.late.val();
        self.late.warp.next = self.loads.late_warp.val();
        self.late.rd.next = self.loads.late_rd.val();
        self.late.mask.next = self.loads.late_mask.val();
        for i in 0..T {
            self.loads.insert_word[i].next = self.commit.word[i].val();
            self.loads.insert_byte[i].next = self.commit.byte[i].val();
            self.loads.insert_places[i].next = self.commit.place[i].val();
            self.loads.reply_data[i].next = self.data.reply_data[i].val();
            self.loads.quotient[i].next = self.commit.quotient[i].val();
            self.collect.late_value[i].next = self.loads.late_value[i].val();
            self.late.value[i].next = self.loads.late_value[i].val();
        }
        for p in 0..self._pipes {
            self.loads.flight[5 * p].next = self.schedule.valid_4[p].val();
            self.loads.flight_again[5 * p].next = self.schedule.again_4[p].val();
            self.loads.flight_view[5 * p].next = self.schedule.view_4[p].val();
            self.loads.flight_rd[5 * p].next = self.schedule.rd_4[p].val();
            self.loads.flight_class[5 * p].next = self.schedule.class_4[p].val();
            self.loads.flight[5 * p + 1].next = self.r5[p].q.valid.val();
            self.loads.flight_again[5 * p + 1].next = self.r5[p].q.again.val();
            self.loads.flight_view[5 * p + 1].next = self.r5[p].q.view.val();
            self.loads.flight_rd[5 * p + 1].next = self.r5[p].q.rd.val();
            self.loads.flight_class[5 * p + 1].next = self.r5[p].q.class.val();
            self.loads.flight[5 * p + 2].next = self.r6[p].q.valid.val();
            self.loads.flight_again[5 * p + 2].next = self.r6[p].q.again.val();
            self.loads.flight_view[5 * p + 2].next = self.r6[p].q.view.val();
            self.loads.flight_rd[5 * p + 2].next = self.r6[p].q.rd.val();
            self.loads.flight_class[5 * p + 2].next = self.r6[p].q.class.val();
            self.loads.flight[5 * p + 3].next = self.r7[p].q.valid.val();
            self.loads.flight_again[5 * p + 3].next = self.r7[p].q.again.val();
            self.loads.flight_view[5 * p + 3].next = self.r7[p].q.view.val();
            self.loads.flight_rd[5 * p + 3].next = self.r7[p].q.rd.val();
            self.loads.flight_class[5 * p + 3].next = self.r7[p].q.class.val();
            self.loads.flight[5 * p + 4].next = self.r8[p].q.valid.val();
            self.loads.flight_again[5 * p + 4].next = self.r8[p].q.again.val();
            self.loads.flight_view[5 * p + 4].next = self.r8[p].q.view.val();
            self.loads.flight_rd[5 * p + 4].next = self.r8[p].q.rd.val();
            self.loads.flight_class[5 * p + 4].next = self.r8[p].q.class.val();
            for s in 0..self._slow {
                self.loads.flight[5 + s].next = self.early_5[s].q.valid.val();
                self.loads.flight_again[5 + s].next = self.early_5[s].q.again.val();
                self.loads.flight_view[5 + s].next = self.early_5[s].q.view.val();
                self.loads.flight_rd[5 + s].next = self.early_5[s].q.rd.val();
                self.loads.flight_class[5 + s].next = self.early_5[s].q.class.val();
                self.loads.flight_again[1 + s].next = self.again_5[s].val();
                self.loads.flight_again[3 + s].next = self.again_7[s].val();
                // As long as it is in stage 5, too, it counts there.
                self.loads.flight[2 + s].next =
                    self.r6[s].q.valid.val() && self.beats[s].last_6.val();
            }
            // A result is in time for a consumer that issues now: with the
            // bypass when its producer is in stage 5, without in stage 7.
            self.schedule.soon[p].next =
                self.r7[p].q.valid.val() && (self.r7[p].q.class.val() == 0);
            self.schedule.soon_view[p].next = self.r7[p].q.view.val();
            self.schedule.soon_epoch[p].next = self.r7[p].q.epoch.val();
            self.schedule.soon_rd[p].next = self.r7[p].q.rd.val();
            if self.bypass.val() {
                self.schedule.soon[p].next =
                    self.r5[p].q.valid.val() && (self.r5[p].q.class.val() == 0);
                self.schedule.soon_view[p].next = self.r5[p].q.view.val();
                self.schedule.soon_epoch[p].next = self.r5[p].q.epoch.val();
                self.schedule.soon_rd[p].next = self.r5[p].q.rd.val();
            }
            // In beats there is none.
            for s in 0..self._slow {
                self.schedule.soon[p].next = self.r7[s].q.valid.val()
                    && self.stay[s].q.third.val()
                    && (self.r7[s].q.class.val() == 0);
                self.schedule.soon_view[p].next = self.r7[s].q.view.val();
                self.schedule.soon_epoch[p].next = self.r7[s].q.epoch.val();
                self.schedule.soon_rd[p].next = self.r7[s].q.rd.val();
            }
        }

        // Retirement and statistics.
        for p in 0..self._pipes {
            self.retire[p].valid.next = self.commit.retired[p].val();
            self.retire[p].warp.next = self.r8[p].q.warp.val();
            self.retire[p].slot.next = self.r8[p].q.slot.val();
            self.retire[p].pc.next = self.r8[p].q.pc.val();
            self.retire[p].depth.next = self.r8[p].q.depth.val();
            self.retire[p].insn.next = self.r8[p].q.insn.val();
            if self.r8[p].q.poison.val() {
                self.retire[p].insn.next = 0.into();
            }
            self.retire[p].mask.next = self.r8[p].q.mask.val();
            self.retire[p].done.next = self.done_8[p].val();
            self.retire[p].trapped.next = self.trapped_8[p].val();
            self.retire[p].cause.next = self.r8[p].q.cause.val();
            self.retire[p].rd.next = self.commit.rd_8[p].val();
            self.retire[p].open.next = self.r8[p].q.open.val();
            self.retire[p].access.next = self.commit.access[p].val();
            self.retire[p].write.next = self.commit.writes[p].val();
            self.retire[p].go_mask.next = self.commit.up_go[p].val();
            self.retire[p].go_pc.next = self.r8[p].q.go_pc.val();
            self.retire[p].go_depth.next = self.r8[p].q.go_depth.val();
            self.retire[p].other_mask.next = self.commit.up_other[p].val();
            self.retire[p].other_pc.next = self.r8[p].q.other_pc.val();
            self.retire[p].other_depth.next = self.r8[p].q.depth.val();
            self.retire[p].halt_mask.next = self.commit.up_halt[p].val();
            self.retire[p].wake.next = self.commit.wakes[p].val();
            self.stat[p].idle.next = self.schedule.idle[p].val();
            self.stat[p].dropped.next = self.r7[p].q.valid.val() && !self.current[p].val();
            for s in 0..self._slow {
                self.stat[p + s].dropped.next = self.decides.val() && !self.current[p].val();
            }
            self.stat[p].stalled.next = self.r8[p].q.valid.val() && !self.commit.retired[p].val();
        }
        for i in 0..T {
            self.lanes.tval[i].next = self.commit.trap_value[i].val();
            self.lanes.value[i].next = self.commit.write_value[i].val();
            self.lanes.addr[i].next = self.lanes_8.q.result[i].val();
            self.lanes.operand[i].next = self.lanes_8.q.b[i].val();
        }
    }
}

impl<const T: usize, D: Unit<T>> Sim for Core<T, D> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}
