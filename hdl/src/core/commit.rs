//! Stage 8, commit: the divergence unit is told, memory and devices are asked,
//! results are written.
//!
//! What there is only one of (data port, device window, divider, CSRs) goes to one
//! pipe per cycle, in turn. An instruction that does not get what it needs
//! commits nothing: all its threads execute it again.
//!
//! Long, because a kernel has no functions, and half of it declares the port.

use super::csr::few::CsrFew;
use super::devices::Devices;
use super::divide::Divide;
use super::pattern::Pattern;
use super::scatter::Scatter;
use super::serial_scatter::SerialScatter;
use super::shape::CoreShape;
use crate::config::{Counters, Isa};
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// Who completed an instruction in the cycle before: they are counted when that is known.
    pub struct Completed [const T: usize] [T] / CompletedD, CompletedQ {
        lanes: U<T> = 0,
    }
}

regs! {
    /// In beats: whether that instruction retired, which is known late.
    pub struct Counting [] [] / CountingD, CountingQ {
        on: Bit = false,
    }
}

regs! {
    /// What a load gets from a device, where that comes late: its entry knows of it two cycles
    /// after the access.
    pub struct Reading [] [] / ReadingD, ReadingQ {
        asked: Bit = false,
        ready: Bit = false,
        value: U<32>,
    }
}

block! {
    /// See the module.
    pub struct Commit [const T: usize] [T] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub valid: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub view: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            /// Of the instruction in stage 7.
            pub soon_warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            /// And in beats its leader.
            pub soon_lane: Vec<Signal<In, U<6>>> = fresh_vec(shape.slow()),
            pub slot: Vec<Signal<In, U<3>>> = fresh_vec(shape.pipes),
            pub pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub insn: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub poison: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub hint: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub hint_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub again: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.pipes),
            pub mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub done: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            /// Who is done, but not by a return from a trap.
            pub served: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub trapped: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub serves: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub traps: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub cause: Vec<Signal<In, U<4>>> = fresh_vec(shape.pipes),
            pub kind: Vec<Signal<In, U<4>>> = fresh_vec(shape.pipes),
            pub go_mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub go_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub go_depth: Vec<Signal<In, U<8>>> = fresh_vec(shape.pipes),
            pub common_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub other_mask: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub other_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub ram: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub device: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub block: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub lead: Vec<Signal<In, U<T>>> = fresh_vec(shape.pipes),
            pub lane: Vec<Signal<In, U<6>>> = fresh_vec(shape.pipes),
            pub offset: Vec<Signal<In, U<7>>> = fresh_vec(shape.pipes),
            pub lead_data: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            /// See resolve.
            pub asks_memory: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// In beats: nobody executes it (and it asks for nothing).
            pub stale: Vec<Signal<In, Bit>> = fresh_vec(shape.slow()),
            /// In beats with a serial crossbar: of the instruction in stage 7 the leader's place, who would
            /// be served, and the size; in stage 8 an AMO or SC, and the lanes in its block, of which not all may win.
            pub early_place: Vec<Signal<In, U<8>>> = fresh_vec(shape.in_line()),
            pub early_lanes: Vec<Signal<In, U<T>>> = fresh_vec(shape.in_line()),
            pub early_size: Vec<Signal<In, U<2>>> = fresh_vec(shape.in_line()),
            pub early_threads: Vec<Signal<In, U<T>>> = fresh_vec(shape.in_line()),
            pub contends: Vec<Signal<In, Bit>> = fresh_vec(shape.in_line()),
            pub rivals: Vec<Signal<In, U<T>>> = fresh_vec(shape.in_line()),
            /// Who wins is known, and it is they who are done.
            pub decided: Vec<Signal<In, Bit>> = fresh_vec(shape.in_line()),
            pub replies: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub asks_device: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub asks_park: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub asks_divider: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub asks_csr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub wants_value: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub open: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub writes_rd: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            /// The mtval of all lanes, or that each has its own: its result, for a jump without
            /// the lowest bit.
            pub fault: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub is_fault: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub jalr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub link: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub auipc: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub branch: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub store: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub signed: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub multiply: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub csr: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub csr_writes: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub csr_imm: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub mret: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub memory_op: Vec<Signal<In, U<4>>> = fresh_vec(shape.pipes),
            pub size: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            pub muldiv_op: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            pub csr_op: Vec<Signal<In, U<2>>> = fresh_vec(shape.pipes),
            pub result: [Signal<In, U<32>>; T],
            pub a: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            pub product: [Signal<In, U<32>>; T],
            /// Which pipe chooses first.
            pub first: Signal<In, U<3>>,
            pub data_ready: Signal<In, Bit>,
            pub load_free: Signal<In, Bit>,
            /// The places of scattered lanes can be kept.
            pub places_free: Signal<In, Bit>,
            pub divide_free: Signal<In, Bit>,
            pub divide_take: Signal<In, Bit>,
            /// The sequencer of the CSRs: busy, has the value of a CSR, which is...
            pub csr_busy: Signal<In, Bit>,
            pub csr_ready: Signal<In, Bit>,
            pub csr_result: [Signal<In, U<32>>; T],
            pub csr_part: Vec<Signal<In, U<T>>> = fresh_vec(shape.reads_by_parts()),
            pub csr_last: Vec<Signal<In, Bit>> = fresh_vec(shape.reads_by_parts()),
            /// The unit takes a wake.
            pub wake_ready: Signal<In, Bit>,
        }
        output {
            // To the divergence unit, beside what comes from resolve.
            pub up_kind: Vec<Signal<Out, U<4>>> = fresh_vec(shape.pipes),
            pub up_go: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub up_other: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub up_halt: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            /// What would be if nothing were refused.
            pub wish_go: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub wish_halt: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub splits: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub fence: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub wake: Signal<Out, Bit>,
            pub wake_warp: Signal<Out, U<5>>,
            pub wake_mask: Signal<Out, U<T>>,
            /// Those who win, see `contends`, of some instruction; they are found.
            pub winners: Vec<Signal<Out, U<T>>> = fresh_vec(shape.in_line()),
            pub found_out: Vec<Signal<Out, Bit>> = fresh_vec(shape.in_line()),
            // Data port.
            pub request: Signal<Out, Bit>,
            pub op: Signal<Out, U<4>>,
            pub request_warp: Signal<Out, U<5>>,
            pub request_block: Signal<Out, U<30>>,
            pub request_lanes: Signal<Out, U<T>>,
            pub enable: [Signal<Out, U<4>>; T],
            pub data: [Signal<Out, U<32>>; T],
            pub word: [Signal<Out, U<6>>; T],
            /// Of the request, by lane.
            pub served_8: Signal<Out, U<T>>,
            pub size_8: Signal<Out, U<2>>,
            pub byte: [Signal<Out, U<2>>; T],
            // Load table.
            pub insert: Signal<Out, Bit>,
            pub insert_divide: Signal<Out, Bit>,
            /// What would be if nothing were refused.
            pub may_insert: Signal<Out, Bit>,
            pub may_insert_divide: Signal<Out, Bit>,
            pub insert_slot: Signal<Out, U<3>>,
            pub insert_rd: Signal<Out, U<5>>,
            pub insert_size: Signal<Out, U<2>>,
            pub insert_signed: Signal<Out, Bit>,
            /// If lanes are served serially: how they stand to words.
            pub insert_aligned: Signal<Out, Bit>,
            pub insert_common: Signal<Out, Bit>,
            pub insert_place: Signal<Out, U<8>>,
            pub place: [Signal<Out, U<8>>; T],
            pub divided: Signal<Out, Bit>,
            pub quotient: [Signal<Out, U<32>>; T],
            /// Of these lanes, and no others will come.
            pub divided_part: Vec<Signal<Out, U<T>>> = fresh_vec(shape.by_parts()),
            pub divided_last: Vec<Signal<Out, Bit>> = fresh_vec(shape.by_parts()),
            // Write-back.
            pub wrote: Vec<Signal<Out, U<T>>> = fresh_vec(shape.pipes),
            pub write_value: [Signal<Out, U<32>>; T],
            // CSR file.
            pub csr_start: Signal<Out, Bit>,
            pub csr_kind: Signal<Out, U<2>>,
            pub csr_number: Signal<Out, U<12>>,
            pub csr_op_8: Signal<Out, U<2>>,
            pub csr_sets: Signal<Out, Bit>,
            pub csr_wants: Signal<Out, Bit>,
            pub csr_operand: [Signal<Out, U<32>>; T],
            pub lane_warp: [Signal<Out, U<5>>; T],
            pub trap_pc: Signal<Out, U<30>>,
            pub trap_cause: Signal<Out, U<4>>,
            pub trap_value: [Signal<Out, U<32>>; T],
            /// Who completes; in beats if it `counts` at all.
            pub completes: Signal<Out, U<T>>,
            pub counts: Vec<Signal<Out, Bit>> = fresh_vec(shape.slow()),
            pub warp_issue: Signal<Out, U<T>>,
            pub event_issue: Signal<Out, U<3>>,
            /// A cycle later.
            pub event_threads: Signal<Out, U<8>>,
            pub event_diverge: Signal<Out, U<3>>,
            pub event_memory: Signal<Out, U<2>>,
            // Retirement.
            pub retired: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub refused: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub rd_8: Vec<Signal<Out, U<5>>> = fresh_vec(shape.pipes),
            pub access: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub writes: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub wakes: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
        }
        local {
            clears: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            needs: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            /// It has what there is only one of, if it needs it.
            mine: Vec<Signal<Local, Bit>> = fresh_vec(shape.pipes),
            /// What is asked for is not there.
            lacks: Signal<Local, Bit>,
            divider_able: Signal<Local, Bit>,
            keeps: Signal<Local, Bit>,
            found: Signal<Local, Bit>,
            after: Signal<Local, Bit>,
            chosen: Signal<Local, U<3>>,
            to_memory: Signal<Local, Bit>,
            is_store: Signal<Local, Bit>,
            is_clear: Signal<Local, Bit>,
            to_device: Signal<Local, Bit>,
            /// It is a load, whose value comes late; there is an entry for that.
            reads_device: Signal<Local, Bit>,
            device_able: Signal<Local, Bit>,
            read_value: Signal<Local, U<32>>,
            /// It would divide, if it came that far.
            may_divide: Signal<Local, Bit>,
            to_divider: Signal<Local, Bit>,
            to_csr: Signal<Local, Bit>,
            csr_able: Signal<Local, Bit>,
            start_divide: Signal<Local, Bit>,
            insn_8: Signal<Local, U<32>>,
            writers: Signal<Local, U<T>>,
            to_park: Signal<Local, Bit>,
            reply: Signal<Local, Bit>,
            port_ok: Signal<Local, Bit>,
            /// The request takes data along; its lanes do not stand in line; it has to wait for that.
            takes_data: Signal<Local, Bit>,
            scattered: Signal<Local, Bit>,
            waits: Signal<Local, Bit>,
            line: Signal<Local, Bit>,
            muldiv: Signal<Local, U<2>>,
            lead_8: Signal<Local, U<T>>,
            lead_lane_8: Signal<Local, U<6>>,
            lead_offset_8: Signal<Local, U<7>>,
            lead_data_8: Signal<Local, U<32>>,
            parked: Signal<Local, U<T>>,
            /// A value for all lanes of a pipe.
            common: Vec<Signal<Local, U<32>>> = fresh_vec(shape.pipes),
            /// Lanes by pipe.
            lanes: Vec<Signal<Local, U<T>>> = fresh_vec(shape.pipes),
            /// Lanes that write `common`, a product, what a CSR had.
            commons: Signal<Local, U<T>>,
            products: Signal<Local, U<T>>,
            /// Lanes that do not write the result of the ALU, and what one of them writes.
            others: Signal<Local, U<T>>,
            other_i: Signal<Local, U<32>>,
            olds: Signal<Local, U<T>>,
            /// Lanes with an operand in the instruction.
            immediates: Signal<Local, U<T>>,
            /// Lanes whose mtval is `fault`, is even.
            faults: Signal<Local, U<T>>,
            evens: Signal<Local, U<T>>,
            /// Of one lane.
            common_i: Signal<Local, U<32>>,
            fault_i: Signal<Local, U<32>>,
            insn_i: Signal<Local, U<32>>,
            csr_op_i: Signal<Local, U<2>>,
            tally: Signal<Local, U<1>>,
        }
        part {
            devices: Devices<T> = Devices::new(&shape.config, shape.pipes, !shape.barrel()),
            reading: Vec<Reading> =
                (0..usize::from(shape.late_devices())).map(|_| Reading::new()).collect(),
            divider: Vec<Divide<T>> =
                (0..usize::from(shape.has_muldiv()))
                    .map(|_| Divide::new(shape.config.dividers as usize))
                    .collect(),
            scatter: Vec<Scatter<T>> =
                (0..usize::from(!shape.serial())).map(|_| Scatter::new()).collect(),
            completed: Vec<Completed<T>> =
                (0..usize::from(shape.config.counters != Counters::None))
                    .map(|_| Completed::new())
                    .collect(),
            counting: Vec<Counting> = (0..shape.slow()).map(|_| Counting::new()).collect(),
            pattern: Vec<Pattern<T>> =
                (0..usize::from(shape.serial()))
                    .map(|_| Pattern::new(shape.slow()))
                    .collect(),
            serial: Vec<SerialScatter<T>> =
                (0..usize::from(shape.serial()))
                    .map(|_| SerialScatter::new(shape.slow()))
                    .collect(),
            word_bits: Constant<U<6>> = Constant::new((T as u64 - 1).into()),
            place_bits: Constant<U<8>> = Constant::new((4 * T as u64 - 1).into()),
            /// If all CSRs are constants or nearly so.
            few: Vec<CsrFew<T>> = (0..usize::from(!shape.has_csr_file()))
                .map(|_| CsrFew::new(&shape.config))
                .collect(),
            atomics: Constant<Bit> = Constant::new(shape.config.isa == Isa::Rv32ima),
            csr_file: Constant<Bit> = Constant::new(shape.has_csr_file()),
            late_devices: Constant<Bit> = Constant::new(shape.late_devices()),
            divides: Constant<Bit> = Constant::new(shape.has_muldiv()),
            ones: Constant<U<T>> = Constant::new(u64::MAX.into()),
        }
        plain {
            _pipes: usize = shape.pipes,
            _slow: usize = shape.slow(),
            _in_line: usize = shape.in_line(),
            _divide: usize = usize::from(shape.has_muldiv()),
            _few: usize = usize::from(!shape.has_csr_file()),
            _reading: usize = usize::from(shape.late_devices()),
            _full: usize = usize::from(!shape.serial()),
            _serial: usize = usize::from(shape.serial()),
            _file: usize = usize::from(shape.has_csr_file()),
            _parts: usize = shape.by_parts(),
            _divides: usize = shape.divides_by_parts(),
            _reads: usize = shape.reads_by_parts(),
            _counted: usize = usize::from(shape.config.counters != Counters::None),
        }
    }
}

impl<const T: usize> Commit<T> {
    /// Do all lanes reach their words at once?
    pub fn scatters(&self) -> bool {
        self._full == 1
    }
}

impl<const T: usize> Logic for Commit<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.devices.clock.next = self.clock.val();
        self.devices.reset.next = self.reset.val();
        for f in 0..self._few {
            self.few[f].clock.next = self.clock.val();
            self.few[f].reset.next = self.reset.val();
        }

        // One pipe gets what there is only one of.
        self.found.next = false;
        self.after.next = false;
        self.chosen.next = 0.into();
        for p in 0..self._pipes {
            // A trap clears the reservations of its threads.
            self.clears[p].next = self.traps[p].val() && self.atomics.val();
            self.needs[p].next = self.valid[p].val()
                && (self.asks_memory[p].val()
                    || self.asks_device[p].val()
                    || self.asks_park[p].val()
                    || self.asks_divider[p].val()
                    || self.asks_csr[p].val());
            if self.needs[p].val() && !self.after.val() {
                self.after.next = !(p.to_bits::<3>() < self.first.val());
                if self.after.val() || !self.found.val() {
                    self.chosen.next = p.to_bits();
                }
                self.found.next = true;
            }
        }
        // What is not asked for does not matter.
        self.to_memory.next = false;
        self.reply.next = false;
        self.is_store.next = self.store[0].val();
        self.is_clear.next = false;
        self.to_device.next = false;
        self.may_divide.next = false;
        self.to_divider.next = false;
        self.to_csr.next = false;
        self.to_park.next = false;
        self.csr_kind.next = 0.into();
        self.insn_8.next = self.insn[0].val();
        self.csr_op_8.next = self.csr_op[0].val();
        self.csr_sets.next = self.csr_writes[0].val();
        self.csr_wants.next = false;
        self.trap_pc.next = self.pc[0].val();
        self.trap_cause.next = self.cause[0].val();
        self.op.next = self.memory_op[0].val();
        self.request_warp.next = self.warp[0].val();
        self.request_block.next = self.block[0].val();
        self.request_lanes.next = self.done[0].val() | self.trapped[0].val();
        self.size_8.next = self.size[0].val();
        self.muldiv.next = self.muldiv_op[0].val();
        self.served_8.next = self.served[0].val();
        self.lead_8.next = self.lead[0].val();
        self.lead_lane_8.next = self.lane[0].val();
        self.lead_offset_8.next = self.offset[0].val();
        self.lead_data_8.next = self.lead_data[0].val();
        self.insert_slot.next = self.slot[0].val();
        self.insert_rd.next = self.rd[0].val();
        self.insert_signed.next = self.signed[0].val();
        for p in 0..self._pipes {
            // With one pipe nothing is chosen.
            self.mine[p].next = self.chosen.val() == p.to_bits();
            if self.mine[p].val() {
                self.to_memory.next = self.valid[p].val() && self.asks_memory[p].val();
                self.reply.next = self.valid[p].val() && self.replies[p].val();
                self.to_device.next = self.valid[p].val() && self.asks_device[p].val();
                self.to_park.next = self.valid[p].val() && self.asks_park[p].val();
                self.may_divide.next = self.asks_divider[p].val();
                self.to_divider.next = self.valid[p].val() && self.asks_divider[p].val();
                self.to_csr.next = self.valid[p].val() && self.asks_csr[p].val();
                self.csr_wants.next = self.wants_value[p].val();
                if self.mret[p].val() {
                    self.csr_kind.next = 2.into();
                }
                if self.traps[p].val() {
                    self.csr_kind.next = 1.into();
                }
                self.insn_8.next = self.insn[p].val();
                self.csr_op_8.next = self.csr_op[p].val();
                self.csr_sets.next = self.csr_writes[p].val();
                self.trap_pc.next = self.pc[p].val();
                self.trap_cause.next = self.cause[p].val();
                self.is_clear.next = self.clears[p].val();
                self.is_store.next = self.store[p].val();
                self.op.next = self.memory_op[p].val();
                if self.clears[p].val() {
                    self.op.next = 13.into();
                }
                // Of one of both there are none.
                self.request_lanes.next = self.done[p].val() | self.trapped[p].val();
                self.request_warp.next = self.warp[p].val();
                self.request_block.next = self.block[p].val();
                self.size_8.next = self.size[p].val();
                self.muldiv.next = self.muldiv_op[p].val();
                self.served_8.next = self.served[p].val();
                self.lead_8.next = self.lead[p].val();
                self.lead_lane_8.next = self.lane[p].val();
                self.lead_offset_8.next = self.offset[p].val();
                self.lead_data_8.next = self.lead_data[p].val();
                self.insert_slot.next = self.slot[p].val();
                self.insert_rd.next = self.rd[p].val();
                self.insert_signed.next = self.signed[p].val();
            }
        }
        self.insert_size.next = self.size_8.val();
        self.reads_device.next =
            self.to_device.val() && !self.is_store.val() && self.late_devices.val();
        self.device_able.next = !self.devices.busy.val()
            && (self.is_store.val() || !self.late_devices.val() || self.divide_free.val());
        // A value of a CSR, or of a device, comes through the divider's entry.
        self.csr_number.next = self.insn_8.val().get_bits::<12>(20);
        self.csr_able.next =
            !self.csr_busy.val() && (!self.csr_wants.val() || self.divide_free.val());
        self.takes_data.next = self.to_memory.val()
            && !self.is_clear.val()
            && !(self.op.val() == 0)
            && !(self.op.val() == 2);
        self.waits.next = false;
        self.insert_aligned.next = false;
        self.insert_common.next = false;
        self.insert_place.next = 0.into();
        for i in 0..T {
            self.place[i].next = self.result[i].val().get_bits::<8>(0) & self.place_bits.val();
        }
        for s in 0..self._serial {
            self.pattern[s].lanes.next = self.request_lanes.val();
            self.pattern[s].lead.next = self.lead_8.val();
            self.pattern[s].size.next = self.size_8.val();
            for i in 0..T {
                self.pattern[s].place[i].next = self.place[i].val();
                self.serial[s].place[i].next = self.place[i].val();
                self.serial[s].operand[i].next = self.b[i].val();
            }
            self.insert_aligned.next = self.pattern[s].aligned.val();
            self.insert_common.next = self.pattern[s].common.val();
            self.insert_place.next = self.pattern[s].lead_place.val();
            self.scattered.next = !self.pattern[s].aligned.val();
            for l in 0..self._in_line {
                self.pattern[s].clock[l].next = self.clock.val();
                self.pattern[s].reset[l].next = self.reset.val();
                self.pattern[s].early_place[l].next =
                    self.early_place[l].val() & self.place_bits.val();
                self.pattern[s].lanes.next = self.early_lanes[l].val();
                self.pattern[s].size.next = self.early_size[l].val();
                if self.contends[l].val() {
                    self.scattered.next = true;
                }
            }
            self.serial[s].clock.next = self.clock.val();
            self.serial[s].reset.next = self.reset.val();
            self.serial[s].want.next = self.takes_data.val() && self.scattered.val();
            self.serial[s].valid.next = self.valid[0].val();
            self.serial[s].warp.next = self.request_warp.val();
            self.serial[s].lanes.next = self.request_lanes.val();
            for l in 0..self._in_line {
                self.serial[s].once[l].next = self.contends[l].val();
                self.serial[s].threads[l].next = self.mask[s].val();
                self.serial[s].soon_warp[l].next = self.soon_warp[s].val();
                self.serial[s].soon_threads[l].next = self.early_threads[l].val();
                self.winners[l].next = self.serial[s].winners[l].val();
                self.found_out[l].next = self.serial[s].complete[l].val();
                self.serial[s].lanes.next = self.rivals[l].val();
            }
            self.serial[s].size.next = self.size_8.val();
            self.waits.next = self.scattered.val()
                && !self.is_clear.val()
                && ((self.takes_data.val() && !self.serial[s].ready.val())
                    || (self.reply.val()
                        && !self.pattern[s].common.val()
                        && !self.places_free.val()));
            for l in 0..self._in_line {
                if self.contends[l].val() && !self.decided[l].val() && !self.is_clear.val() {
                    self.waits.next = true;
                }
            }
        }
        self.request.next = self.to_memory.val()
            && !self.waits.val()
            && (!self.reply.val() || self.load_free.val())
            && (!self.to_csr.val() || self.csr_able.val());
        self.port_ok.next = self.request.val() && self.data_ready.val();
        for s in 0..self._serial {
            self.serial[s].taken.next = self.port_ok.val();
        }
        self.insert.next = self.reply.val() && self.port_ok.val();
        self.may_insert.next = self.reply.val();
        self.may_insert_divide.next = self.to_divider.val()
            || (self.to_csr.val() && self.csr_wants.val())
            || self.reads_device.val();
        // (What clears asks for nothing else of the port.)
        self.csr_start.next = self.to_csr.val()
            && self.csr_able.val()
            && (!self.is_clear.val() || self.data_ready.val());
        // As long as it is busy the divider has the entry.
        self.divider_able.next = self.divide_free.val() && self.divides.val();
        self.start_divide.next = self.to_divider.val() && self.divider_able.val();
        self.insert_divide.next = self.start_divide.val()
            || (self.csr_start.val() && self.csr_wants.val())
            || (self.reads_device.val() && self.device_able.val());

        // Who is refused: what it asks for is not there, or goes to another pipe.
        for p in 0..self._pipes {
            self.lacks.next = (self.asks_memory[p].val()
                && (self.waits.val()
                    || !self.data_ready.val()
                    || (self.replies[p].val() && !self.load_free.val())))
                || (self.asks_csr[p].val()
                    && (self.csr_busy.val()
                        || (self.wants_value[p].val() && !self.divide_free.val())))
                || (self.asks_divider[p].val() && !self.divider_able.val())
                || ((self.asks_device[p].val() || self.asks_park[p].val())
                    && self.devices.busy.val())
                || (self.asks_device[p].val()
                    && !self.store[p].val()
                    && self.late_devices.val()
                    && !self.divide_free.val());
            self.refused[p].next = self.needs[p].val();
            if self.mine[p].val() {
                self.refused[p].next = self.lacks.val();
            }
        }
        for s in 0..self._slow {
            if self.stale[s].val() {
                self.refused[s].next = true;
            }
        }

        // Devices and the divider.
        self.devices.access.next = self.to_device.val() && self.device_able.val();
        self.devices.write.next = self.is_store.val();
        self.devices.offset.next = self.lead_offset_8.val();
        self.devices.data.next = self.lead_data_8.val();
        self.devices.warp.next = self.request_warp.val();
        self.devices.lane.next = self.lead_lane_8.val();
        self.devices.park.next = self.to_park.val() && !self.devices.busy.val();
        self.devices.park_mask.next = self.request_lanes.val();
        self.devices.pipe.next = self.chosen.val();
        self.devices.wake_ready.next = self.wake_ready.val();
        for p in 0..self._pipes {
            self.devices.soon_warp[p].next = self.soon_warp[p].val();
            for s in 0..self._slow {
                self.devices.soon_lane[s].next = self.soon_lane[s].val();
            }
        }
        self.wake.next = self.devices.wake.val();
        self.wake_warp.next = self.devices.wake_warp.val();
        self.wake_mask.next = self.devices.wake_mask.val();
        self.divided.next = false;
        for d in 0..self._divide {
            self.divider[d].clock.next = self.clock.val();
            self.divider[d].reset.next = self.reset.val();
            self.divider[d].offer.next = self.may_divide.val();
            self.divider[d].start.next = self.start_divide.val();
            self.divider[d].mask.next = self.request_lanes.val();
            self.divider[d].op.next = self.muldiv.val();
            self.divider[d].take.next = self.divide_take.val();
            self.divided.next = self.divider[d].done.val();
        }
        if self.csr_ready.val() && self.csr_file.val() {
            self.divided.next = true;
        }
        self.read_value.next = 0.into();
        for r in 0..self._reading {
            self.reading[r].clock.next = self.clock.val();
            self.reading[r].reset.next = self.reset.val();
            self.reading[r].d.asked.next = self.reads_device.val() && self.device_able.val();
            self.reading[r].d.ready.next = self.reading[r].q.asked.val()
                || (self.reading[r].q.ready.val() && !self.divide_take.val());
            self.reading[r].d.value.next = self.devices.value.val();
            if self.reading[r].q.asked.val() || self.reading[r].q.ready.val() {
                self.reading[r].d.value.next = self.reading[r].q.value.val();
            }
            if self.reading[r].q.ready.val() {
                self.divided.next = true;
                self.read_value.next = self.reading[r].q.value.val();
            }
        }

        for k in 0..self._parts {
            self.divided_part[k].next = self.ones.val();
            self.divided_last[k].next = true;
        }
        for d in 0..self._divides {
            if self.divider[d].done.val() {
                self.divided_part[d].next = self.divider[d].part[d].val();
                self.divided_last[d].next = self.divider[d].last[d].val();
            }
        }
        for c in 0..self._reads {
            if self.csr_ready.val() {
                self.divided_part[c].next = self.csr_part[c].val();
                self.divided_last[c].next = self.csr_last[c].val();
            }
        }

        // The request's words.
        for f in 0..self._full {
            self.scatter[f].asks.next = self.to_memory.val() && !self.is_clear.val();
            // Of what traps there are none.
            self.scatter[f].served.next = self.served_8.val();
            self.scatter[f].writes.next = !(self.op.val() == 0);
            self.scatter[f].size.next = self.size_8.val();
        }
        for i in 0..T {
            self.word[i].next = self.result[i].val().get_bits::<6>(2) & self.word_bits.val();
            self.byte[i].next = self.result[i].val().get_bits::<2>(0);
            self.enable[i].next = 0.into();
            self.data[i].next = self.b[i].val();
            for f in 0..self._full {
                self.scatter[f].word[i].next = self.word[i].val();
                self.scatter[f].byte[i].next = self.byte[i].val();
                self.scatter[f].data[i].next = self.b[i].val();
                self.enable[i].next = self.scatter[f].enable[i + f].val();
                self.data[i].next = self.scatter[f].out[i + f].val();
            }
            // Of scattered loads all words, of a broadcast that one.
            for s in 0..self._serial {
                self.line.next = self.request_lanes.val().get_bit(i);
                if self.scattered.val() {
                    self.line.next = !self.insert_common.val()
                        || (self.insert_place.val().get_bits::<6>(2) == i.to_bits());
                }
                if self.line.val() {
                    self.enable[i].next = 15.into();
                }
                if self.scattered.val() {
                    self.data[i].next = self.serial[s].data[i].val();
                    if self.takes_data.val() {
                        self.enable[i].next = self.serial[s].enable[i].val();
                    }
                }
            }
            self.quotient[i].next = 0.into();
            for d in 0..self._divide {
                self.divider[d].a[i].next = self.a[i].val();
                self.divider[d].b[i].next = self.b[i].val();
                self.quotient[i].next = self.divider[d].result[i].val();
            }
            for f in 0..self._file {
                if self.csr_ready.val() {
                    self.quotient[i + f].next = self.csr_result[i].val();
                }
            }
            for r in 0..self._reading {
                if self.reading[r].q.ready.val() {
                    self.quotient[i].next = self.read_value.val();
                }
            }
        }

        // Updates and retirement.
        self.completes.next = 0.into();
        self.event_issue.next = 0.into();
        self.event_diverge.next = 0.into();
        self.event_memory.next = 0.into();
        for p in 0..self._pipes {
            self.parked.next = 0.into();
            if self.valid[p].val() && self.asks_park[p].val() {
                self.parked.next = self.done[p].val() & !self.devices.waits[p].val();
            }
            self.rd_8[p].next = 0.into();
            if self.serves[p].val() {
                self.rd_8[p].next = self.rd[p].val();
            }
            self.up_kind[p].next = self.kind[p].val();
            self.wish_go[p].next = self.go_mask[p].val() & !self.parked.val();
            self.splits[p].next = self.other_mask[p].val().any();
            self.up_go[p].next = self.wish_go[p].val();
            self.up_other[p].next = self.other_mask[p].val();
            self.wish_halt[p].next = self.parked.val();
            self.up_halt[p].next = self.parked.val();
            self.retired[p].next =
                self.valid[p].val() && (self.serves[p].val() || self.traps[p].val());
            // What can be refused has its other place where it is.
            if self.refused[p].val() {
                self.up_kind[p].next = 6.into();
                self.up_go[p].next = 0.into();
                self.up_halt[p].next = 0.into();
                // The others are among these.
                self.up_other[p].next = self.other_mask[p].val() | self.mask[p].val();
                self.retired[p].next = false;
            }
            // Nothing that is refused is one.
            self.fence[p].next = self.kind[p].val() == 8;
            self.access[p].next = self.retired[p].val()
                && self.serves[p].val()
                && (self.ram[p].val() || self.device[p].val());
            self.writes[p].next = self.access[p].val()
                && !(self.memory_op[p].val() == 0)
                && !(self.memory_op[p].val() == 2);
            self.wakes[p].next = self.mine[p].val()
                && self.valid[p].val()
                && self.asks_device[p].val()
                && self.devices.wakes.val();
            if self.retired[p].val() {
                self.completes.next = self.completes.val() | self.done[p].val();
                self.event_issue.next = self.event_issue.val() + 1;
            }
            if self.retired[p].val()
                && self.wish_go[p].val().any()
                && self.splits[p].val()
                && self.branch[p].val()
            {
                self.event_diverge.next = self.event_diverge.val() + 1;
            }
            if self.access[p].val() {
                self.event_memory.next = self.event_memory.val() + 1;
            }
        }
        for s in 0..self._slow {
            self.completes.next = self.done[s].val();
            self.counts[s].next = self.retired[s].val();
            self.counting[s].clock.next = self.clock.val();
            self.counting[s].reset.next = self.reset.val();
            self.counting[s].d.on.next = self.retired[s].val();
        }
        self.event_threads.next = 0.into();
        for c in 0..self._counted {
            self.completed[c].clock.next = self.clock.val();
            self.completed[c].reset.next = self.reset.val();
            self.completed[c].d.lanes.next = self.completes.val();
            for i in 0..T {
                self.tally.next = self.completed[c].q.lanes.val().get_bits::<1>(i);
                self.event_threads.next =
                    self.event_threads.val() + self.tally.val().to_bits::<8>();
            }
        }
        for s in 0..self._slow {
            if !self.counting[s].q.on.val() {
                self.event_threads.next = 0.into();
            }
        }

        // Lanes: of no two pipes the same ones.
        self.writers.next = 0.into();
        for p in 0..self._pipes {
            self.wrote[p].next = 0.into();
            // Of what can be refused only a load from a device could write now.
            self.keeps.next = self.asks_device[p].val()
                && !self.late_devices.val()
                && (self.devices.busy.val() || !self.mine[p].val());
            if self.valid[p].val() && self.writes_rd[p].val() && !self.keeps.val() {
                self.wrote[p].next = self.done[p].val();
            }
            if self.retired[p].val() && self.csr_writes[p].val() && self.csr[p].val() {
                self.writers.next = self.writers.val() | self.done[p].val();
            }
            self.common[p].next = self.common_pc[p].val().to_bits::<32>() << 2;
            if self.device[p].val() && !self.late_devices.val() {
                self.common[p].next = self.common[p].val() | self.devices.value.val();
            }
        }
        // Every lane of the warp, also those that do not execute.
        self.warp_issue.next = 0.into();
        if self.retired[0].val() {
            self.warp_issue.next = !self.warp_issue.val();
        }
        // Where nothing else applies, a lane follows the first pipe.
        self.lanes[0].next = self.ones.val();
        for p in 1..self._pipes {
            self.lanes[p].next = 0.into();
            if self.retired[p].val() {
                self.lanes[p].next = self.done[p].val() | self.trapped[p].val();
            }
            self.lanes[0].next = self.lanes[0].val() & !self.lanes[p].val();
        }
        self.commons.next = 0.into();
        self.products.next = 0.into();
        self.olds.next = 0.into();
        self.immediates.next = 0.into();
        self.faults.next = 0.into();
        self.evens.next = 0.into();
        for p in 0..self._pipes {
            if self.link[p].val()
                || self.auipc[p].val()
                || (self.device[p].val() && !self.late_devices.val())
            {
                self.commons.next = self.commons.val() | self.lanes[p].val();
            }
            if self.multiply[p].val() {
                self.products.next = self.products.val() | self.lanes[p].val();
            }
            if self.csr[p].val() {
                self.olds.next = self.olds.val() | self.lanes[p].val();
            }
            if self.csr_imm[p].val() {
                self.immediates.next = self.immediates.val() | self.lanes[p].val();
            }
            if self.is_fault[p].val() {
                self.faults.next = self.faults.val() | self.lanes[p].val();
            }
            if self.jalr[p].val() {
                self.evens.next = self.evens.val() | self.lanes[p].val();
            }
        }
        self.others.next = self.products.val() | self.commons.val();
        for f in 0..self._few {
            self.few[f].write.next = self.writers.val();
            self.others.next = self.others.val() | self.olds.val();
        }
        for i in 0..T {
            self.common_i.next = self.common[0].val();
            self.fault_i.next = self.fault[0].val();
            self.insn_i.next = self.insn[0].val();
            self.csr_op_i.next = self.csr_op[0].val();
            self.lane_warp[i].next = self.warp[0].val();
            for p in 1..self._pipes {
                if self.lanes[p].val().get_bit(i) {
                    self.common_i.next = self.common[p].val();
                    self.fault_i.next = self.fault[p].val();
                    self.insn_i.next = self.insn[p].val();
                    self.csr_op_i.next = self.csr_op[p].val();
                    self.lane_warp[i].next = self.warp[p].val();
                }
            }
            // Of these values a lane has one, and the others are 0 or taken as 0: an OR joins what
            // comes late. The common value is 0 where there is none.
            self.write_value[i].next = self.result[i].val();
            if self.others.val().get_bit(i) {
                self.write_value[i].next = 0.into();
            }
            self.other_i.next = 0.into();
            if self.products.val().get_bit(i) {
                self.other_i.next = self.product[i].val();
            }
            self.write_value[i].next =
                self.write_value[i].val() | self.other_i.val() | self.common_i.val();
            self.csr_operand[i].next = self.a[i].val();
            if self.immediates.val().get_bit(i) {
                self.csr_operand[i].next = self.insn_i.val().get_bits::<5>(15).to_bits::<32>();
            }
            for f in 0..self._few {
                self.few[f].warp[i].next = self.lane_warp[i].val();
                self.few[f].number[i].next = self.insn_i.val().get_bits::<12>(20);
                self.few[f].op[i].next = self.csr_op_i.val();
                self.few[f].operand[i].next = self.csr_operand[i].val();
                self.other_i.next = 0.into();
                if self.olds.val().get_bit(i) {
                    self.other_i.next = self.few[f].old[i].val();
                }
                self.write_value[i].next = self.write_value[i].val() | self.other_i.val();
            }
            self.trap_value[i].next = self.result[i].val();
            if self.faults.val().get_bit(i) {
                self.trap_value[i].next = self.fault_i.val();
            } else if self.evens.val().get_bit(i) {
                self.trap_value[i].next = self.result[i].val() & !1;
            }
        }
    }
}
