//! One cycle of the CSR file in simulation.

use super::CsrFile;
use super::state::{
    COUNTERS, INHIBIT, LAST_STEP, Read, Walk, bits, counter_of, half, inhibit_bit, with_half,
    x_index,
};
use crate::config::Counters;
use crate::core::control::csr_op;
use crate::isa::csr::*;
use crate::rtl::prelude::*;

impl<const T: usize> CsrFile<T> {
    fn has_counters(&self) -> bool {
        self._build.counters != Counters::None
    }

    fn warp(&self, warp: U<5>) -> usize {
        warp.index() & (self._build.warps - 1)
    }

    /// Stage 6: a CSR that is no counter.
    fn plain(&self, number: u16, warp: usize, lane: usize) -> u32 {
        let hart = &self._harts[warp * T + lane];
        match number {
            MSTATUS if !self._build.traps => 0x1800,
            MSTATUS => 0x1800 | u32::from(hart.mpie) << 7 | u32::from(hart.mie) << 3,
            MISA => self._build.misa,
            MTVEC => hart.mtvec << 2,
            MSCRATCH => hart.mscratch,
            MEPC => hart.mepc << 2,
            MCAUSE => hart.mcause,
            MTVAL => hart.mtval,
            SPLIT => hart.split.into(),
            MHARTID => (warp * T + lane) as u32,
            MCOUNTINHIBIT => hart.inhibit,
            _ => 0,
        }
    }

    fn read(&self, lane: usize) -> Read {
        let number = self.read_number[lane].at_edge().low() as u16;
        let warp = self.warp(self.read_warp[lane].at_edge());
        let counter = x_index(number & 31);
        let hart = &self._harts[warp * T + lane];
        Read {
            number,
            warp,
            word: self.plain(number, warp, lane),
            counter,
            x: hart.x.get(counter).copied().unwrap_or_default(),
            inhibited: hart.inhibit >> inhibit_bit(counter) & 1 != 0,
        }
    }

    /// Stage 7: `now - x`, or `x` if that stands still.
    fn counter_value(&self, lane: usize, stands: bool) -> u64 {
        let read = &self._read[lane];
        match self._now.get(read.counter) {
            Some(_) if stands => read.x,
            Some(now) => now.wrapping_sub(read.x),
            None => 0,
        }
    }

    pub(super) fn old(&self, lane: usize) -> u32 {
        let read = &self._read[lane];
        let Some((n, high)) = counter_of(read.number) else { return read.word };
        let value = match n {
            _ if !self.has_counters() => 0,
            1 => self._now[0],
            2 => {
                // The instruction before this one may commit right now.
                let same = self.warp(self.write_warp[lane].val()) == read.warp;
                let count = same && self.counts(lane);
                self._harts[read.warp * T + lane].instret.wrapping_add(count.into())
            }
            _ => self.counter_value(lane, read.inhibited),
        };
        half(value, high)
    }

    /// The value that a CSR instruction in stage 8 writes.
    fn written(&self, lane: usize) -> u32 {
        let (old, operand) = (self.csr_old[lane].val().low(), self.csr_operand[lane].val().low());
        match self.csr_op[lane].val().raw() {
            csr_op::SET => old | operand,
            csr_op::CLEAR => old & !operand,
            _ => operand,
        }
    }

    /// Does `minstret` of the thread in stage 8 go up?
    fn counts(&self, lane: usize) -> bool {
        let number = self.csr_number[lane].val().low() as u16;
        let writes = self.csr_write.val().get_bit(lane);
        if writes && matches!(number, MINSTRET | MINSTRETH) {
            return false;
        }
        if self._build.counters == Counters::Warp {
            return self.warp_issue.val().get_bit(lane);
        }
        let warp = self.warp(self.write_warp[lane].val());
        let inhibit = if writes && number == MCOUNTINHIBIT {
            self.written(lane)
        } else {
            self._harts[warp * T + lane].inhibit
        };
        self.done.val().get_bit(lane) && inhibit & 4 == 0
    }

    /// Stage 8 of one lane: a CSR instruction writes. Counters to walk over.
    fn write(&mut self, lane: usize) -> u8 {
        let number = self.csr_number[lane].val().low() as u16;
        let new = self.written(lane);
        let warp = self.warp(self.write_warp[lane].val());
        let has_counters = self.has_counters();
        let value = with_half(self._hold_8[lane], number == MCYCLEH, new);
        let hart = &mut self._harts[warp * T + lane];
        match number {
            MSTATUS | MTVEC | MSCRATCH | MEPC | MCAUSE | MTVAL if !self._build.traps => {}
            MSTATUS => (hart.mie, hart.mpie) = (new >> 3 & 1 != 0, new >> 7 & 1 != 0),
            MTVEC => hart.mtvec = new >> 2,
            MSCRATCH => hart.mscratch = new,
            MEPC => hart.mepc = new >> 2,
            MCAUSE => hart.mcause = new,
            MTVAL => hart.mtval = new,
            SPLIT => hart.split = new & 1 != 0,
            _ if !has_counters => {}
            MCOUNTINHIBIT => {
                let changed = (hart.inhibit ^ new) & INHIBIT;
                hart.inhibit = new & INHIBIT;
                let bit = |k: usize| (changed >> inhibit_bit(k) & 1) << k;
                return (0..COUNTERS).map(bit).sum::<u32>() as u8;
            }
            MCYCLE | MCYCLEH => {
                hart.x[0] = value;
                return u8::from(hart.inhibit & 1 == 0);
            }
            MINSTRET | MINSTRETH => {
                hart.instret = with_half(hart.instret, number == MINSTRETH, new);
            }
            _ => {}
        }
        0
    }

    fn trap_or_return(&mut self, lane: usize) {
        let warp = self.warp(self.write_warp[lane].val());
        let hart = &mut self._harts[warp * T + lane];
        if self._build.traps && self.trap.at_edge().get_bit(lane) {
            hart.mepc = self.trap_pc[lane].at_edge().low();
            hart.mcause = self.trap_cause[lane].at_edge().low();
            hart.mtval = self.trap_value[lane].at_edge().low();
            (hart.mie, hart.mpie) = (false, hart.mie);
        } else if self.mret.at_edge().get_bit(lane) {
            (hart.mie, hart.mpie) = (hart.mpie, true);
        }
    }

    /// Stage 8, and the last stage of the walk.
    fn commit(&mut self) {
        let writes = self.csr_write.val().raw();
        let steps = if self._walk.step == 0 { 0 } else { self._walk.step + 1 };
        let mut next = if steps > LAST_STEP { 0 } else { steps };
        if let Some(k) = self._walk.step.checked_sub(3)
            && usize::from(k) < COUNTERS
        {
            for lane in 0..T {
                let (todo, warp) = self._walk.todo[lane];
                if todo >> k & 1 != 0 {
                    self._harts[warp * T + lane].x[usize::from(k)] = self._hold_8[lane];
                }
            }
        }
        if next == 0 && self._walk.step != 0 {
            self._walk.todo.fill((0, 0));
        }
        if self.has_counters() {
            let counting = match self._build.counters {
                Counters::Warp => self.warp_issue.val().raw(),
                _ => self.done.val().raw(),
            };
            for lane in bits(counting).filter(|lane| *lane < T) {
                if self.counts(lane) {
                    let warp = self.warp(self.write_warp[lane].val());
                    let instret = &mut self._harts[warp * T + lane].instret;
                    *instret = instret.wrapping_add(1);
                }
            }
        }
        for lane in bits(writes) {
            let todo = self.write(lane);
            if todo != 0 {
                self._walk.todo[lane] = (todo, self.warp(self.write_warp[lane].val()));
                next = 1;
            }
        }
        for lane in bits(self.trap.at_edge().raw() | self.mret.at_edge().raw()) {
            self.trap_or_return(lane);
        }
        self._walk.step = next;
    }

    pub(super) fn clocked(&mut self) {
        let reading = self._walk.is_reading();
        let reads = if reading { 0 } else { self.read.at_edge().raw() };
        let mut hold = self._hold_8;
        for lane in bits(self._valid_7) {
            hold[lane] = self.counter_value(lane, self._read[lane].inhibited);
        }
        if self._walk.was_reading() {
            for lane in (0..T).filter(|lane| self._walk.todo[*lane].0 != 0) {
                hold[lane] = self.counter_value(lane, false);
            }
        }
        let mut read = self._read;
        for lane in bits(reads) {
            read[lane] = self.read(lane);
        }
        if reading {
            let counter = usize::from(self._walk.step) - 1;
            for (lane, read) in read.iter_mut().enumerate() {
                let (todo, warp) = self._walk.todo[lane];
                if todo != 0 {
                    let x = self._harts[warp * T + lane].x[counter];
                    *read = Read { counter, x, ..*read };
                }
            }
        }
        let look = if self._build.traps && self.look.at_edge() { T } else { 0 };
        for lane in 0..look {
            let hart = &self._harts[self.warp(self.read_warp[lane].at_edge()) * T + lane];
            self.mtvec[lane].next = u64::from(hart.mtvec).into();
            self.mepc[lane].next = u64::from(hart.mepc).into();
        }
        self.commit();
        (self._hold_8, self._read, self._valid_7) = (hold, read, reads);
        if self.has_counters() {
            let events = [
                1,
                self.event_issue.at_edge().raw(),
                self.event_threads.at_edge().raw(),
                self.event_diverge.at_edge().raw(),
                self.event_merge.at_edge().raw(),
                self.event_idle.at_edge().into(),
                self.event_memory.at_edge().raw(),
            ];
            for (now, more) in self._now.iter_mut().zip(events) {
                *now = now.wrapping_add(more);
            }
        }
        if self.reset.at_edge() {
            self._now = [0; COUNTERS];
            self._walk = Walk::default();
        }
        self.busy.next = self._walk.step != 0;
    }
}
