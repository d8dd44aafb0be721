//! One cycle of the CSR file in simulation.
//!
//! Long, because each step of each kind of access is said here once.

use super::CsrFile;
use super::state::{
    COUNTERS, Turn, Turns, counter_of, inhibit_bit, kind, step as at, word, x_index,
};
use crate::config::Counters;
use crate::core::control::csr_op;
use crate::isa::csr::*;
use crate::rtl::prelude::*;

/// What a step makes of the registers of every lane.
#[derive(Default)]
struct Control {
    /// The word to read.
    read: Option<u64>,
    /// The second addend: what memory shows, or else the new value.
    use_read: bool,
    /// The first: what there is, or else what is common.
    use_acc: bool,
    /// Subtract, unless the counter stands.
    subtract: bool,
    /// Carry in: of the low word.
    high: bool,
    keep_carry: bool,
    load: bool,
    op: u64,
    /// The word to write: the sum, or else the new value.
    write: Option<u64>,
    write_sum: bool,
    /// Only if this counter's bit of `mcountinhibit` has changed.
    if_changed: bool,
    base: Option<u32>,
}

impl<const T: usize> CsrFile<T> {
    fn warp(&self, warp: U<5>) -> usize {
        warp.index() & (self._build.warps - 1)
    }

    fn is_instret(&self) -> bool {
        self._build.has_counters() && counter_of(self._s.number) == Some(2)
    }

    fn is_high(&self) -> bool {
        self._s.number & 0x80 != 0
    }

    /// Not one of the views that only read.
    fn is_machine(&self) -> bool {
        self._s.number & 0x400 == 0
    }

    fn sets_instret(&self) -> bool {
        self._s.writes && self.is_instret() && self.is_machine()
    }

    /// What an access reads first.
    fn first_word(&self) -> u64 {
        let number = self._s.number;
        let counter = counter_of(number).filter(|_| self._build.has_counters());
        match counter {
            Some(2) => word::INSTRET,
            Some(n) if x_index(n).is_some() => word::INHIBIT,
            _ => self
                ._build
                .plain()
                .into_iter()
                .find(|(csr, ..)| *csr == number)
                .map_or(word::STATUS, |(_, word, _)| word),
        }
    }

    fn control(&self) -> Control {
        let s = &self._s;
        let x = word::X + 2 * s.counter as u64;
        let (low, high) = (s.snap as u32, (s.snap >> 32) as u32);
        let is_high = self.is_high();
        let operand_if = |yes: bool| if yes { csr_op::WRITE } else { 0 };
        let c = Control::default();
        match s.step {
            at::DECODE => Control { read: Some(self.first_word()), ..c },
            at::SHOW => Control { use_read: s.in_memory, load: true, ..c },
            at::COUNTER => Control { read: Some(x), ..c },
            at::STANDS => Control { read: Some(x + 1), base: Some(low), ..c },
            at::LOW => Control {
                use_read: true,
                subtract: true,
                keep_carry: true,
                load: !is_high,
                base: Some(high),
                ..c
            },
            at::HIGH => Control { use_read: true, subtract: true, high: true, load: is_high, ..c },
            at::SWEEP => Control { read: Some(word::INSTRET), ..c },
            at::INSTRET => Control { read: Some(word::INSTRET + 1), ..c },
            at::ADD_LOW => Control {
                use_read: true,
                use_acc: true,
                keep_carry: true,
                load: true,
                write: Some(word::INSTRET),
                write_sum: true,
                base: Some(0),
                ..c
            },
            at::ADD_HIGH => Control {
                use_read: true,
                high: true,
                load: is_high,
                write: Some(word::INSTRET + 1),
                write_sum: true,
                ..c
            },
            at::DONE => Control {
                op: s.op,
                read: s.is_counter.then_some(x),
                write: match s.writes && s.in_memory {
                    true => Some(s.word),
                    false if self.sets_instret() => Some(word::INSTRET + u64::from(is_high)),
                    false => None,
                },
                ..c
            },
            at::SET => Control { read: Some(x + 1), op: s.op, base: Some(low), ..c },
            at::OLD_LOW => Control {
                use_read: true,
                subtract: true,
                keep_carry: true,
                load: true,
                base: Some(high),
                ..c
            },
            at::OLD_HIGH => Control {
                use_read: true,
                subtract: true,
                high: true,
                load: !is_high,
                base: Some(low),
                ..c
            },
            at::NEW_LOW => Control {
                subtract: true,
                keep_carry: true,
                op: operand_if(!is_high),
                write: Some(x),
                write_sum: true,
                base: Some(high),
                ..c
            },
            at::NEW_HIGH => Control {
                subtract: true,
                high: true,
                op: operand_if(is_high),
                write: Some(x + 1),
                write_sum: true,
                ..c
            },
            at::WALK_READ => Control { read: Some(x), ..c },
            at::WALK_WAIT => Control { read: Some(x + 1), base: Some(low), ..c },
            at::WALK_LOW => Control {
                use_read: true,
                subtract: true,
                keep_carry: true,
                op: s.op,
                write: Some(x),
                write_sum: true,
                if_changed: true,
                base: Some(high),
                ..c
            },
            at::WALK_HIGH => Control {
                use_read: true,
                subtract: true,
                high: true,
                op: s.op,
                write: Some(x + 1),
                write_sum: true,
                if_changed: true,
                ..c
            },
            at::TRAP => Control { base: Some(s.cause), ..c },
            at::TRAP_CAUSE => Control {
                read: Some(word::STATUS),
                write: Some(word::CAUSE),
                write_sum: true,
                base: Some(s.pc << 2),
                ..c
            },
            at::TRAP_RETURN => {
                Control { write: Some(word::RETURN), write_sum: true, base: Some(0), ..c }
            }
            at::TRAP_FAULT => Control {
                use_read: true,
                load: true,
                op: csr_op::WRITE,
                write: Some(word::FAULT),
                ..c
            },
            at::STATUS => Control { write: Some(word::STATUS), ..c },
            at::RETURN => Control { read: Some(word::STATUS), base: Some(0), ..c },
            at::RETURN_STATUS => Control { use_read: true, load: true, ..c },
            _ => c,
        }
    }

    /// The step after this one.
    fn next_step(&self) -> u64 {
        let s = &self._s;
        match s.step {
            at::IDLE if self._build.serial => match s.turns.at {
                Turn::Aim => self.first_step(s.kind),
                _ => at::IDLE,
            },
            at::IDLE if self.start.at_edge() => self.first_step(self.kind.at_edge().raw()),
            at::IDLE => {
                if s.waited == self._build.drain {
                    at::SWEEP
                } else {
                    at::IDLE
                }
            }
            at::DECODE => match counter_of(s.number) {
                Some(n) if self._build.has_counters() && x_index(n).is_some() => at::COUNTER,
                Some(2) if self._build.has_counters() => at::INSTRET,
                _ => at::READ,
            },
            at::SHOW | at::HIGH => at::DONE,
            at::ADD_HIGH if s.kind != kind::SWEEP => at::DONE,
            at::ADD_HIGH if self._build.serial => at::IDLE,
            at::ADD_HIGH => {
                if s.warp + 1 == self._build.warps {
                    at::IDLE
                } else {
                    at::SWEEP
                }
            }
            at::DONE if s.wants && !self._build.serial && !self.take.at_edge() => at::DONE,
            at::DONE if s.writes && s.is_counter && s.counter == 0 && self.is_machine() => at::SET,
            at::DONE if s.writes && s.in_memory && s.word == word::INHIBIT => at::WALK,
            at::DONE | at::NEW_HIGH | at::STATUS => at::IDLE,
            at::WALK_HIGH => {
                if s.counter + 1 == COUNTERS {
                    at::IDLE
                } else {
                    at::WALK
                }
            }
            at::RETURN_STATUS => at::STATUS,
            at::SWEEP => at::INSTRET,
            step => step + 1,
        }
    }

    /// The first step of an instruction, a trap or a return; serially also of a sweep.
    fn first_step(&self, kind: u64) -> u64 {
        match kind {
            kind::TRAP if self._build.traps => at::TRAP,
            kind::MRET if self._build.traps => at::RETURN,
            kind::SWEEP => at::SWEEP,
            _ => at::DECODE,
        }
    }

    /// One lane after the other: whose turn is next, and of which warp.
    fn next_turns(&self, begins: bool) -> (Turns, usize) {
        let (s, t) = (&self._s, self._s.turns);
        let all = u64::MAX >> (64 - T);
        let sweeps = s.kind == kind::SWEEP;
        let from = |rest, warp| (Turns { at: Turn::Find, rest, ..t }, warp);
        let to = |at| (Turns { at, ..t }, s.warp);
        match t.at {
            Turn::Rest if begins => from(self.start_lanes.at_edge().raw(), s.warp),
            Turn::Rest if s.waited == self._build.drain => from(all, 0),
            Turn::Find => (Turns { at: Turn::Pick, first: true, ..t }, s.warp),
            Turn::Pick => {
                let lane = if t.rest == 0 { 0 } else { t.rest.trailing_zeros() as usize };
                let rest = t.rest & t.rest.wrapping_sub(1);
                (Turns { at: Turn::Aim, rest, lane, ..t }, s.warp)
            }
            Turn::Aim => to(Turn::Run),
            Turn::Run if s.step != at::IDLE => to(Turn::Run),
            Turn::Run if s.wants && self.first_step(s.kind) == at::DECODE => to(Turn::Hand),
            Turn::Hand if !self.take.at_edge() => to(Turn::Hand),
            Turn::Run | Turn::Hand if t.rest != 0 => {
                (Turns { at: Turn::Pick, first: false, ..t }, s.warp)
            }
            Turn::Run if sweeps && s.warp + 1 < self._build.warps => from(all, s.warp + 1),
            Turn::Run | Turn::Hand => to(Turn::Tail),
            Turn::Tail => to(Turn::Late),
            Turn::Rest | Turn::Late => to(Turn::Rest),
        }
    }

    /// Are the counts of an instruction looked at, or those of a sweep?
    fn counts_of(&self) -> (bool, bool) {
        let s = &self._s;
        let sweeps = s.kind == kind::SWEEP;
        if self._build.serial {
            let decodes = self.first_step(s.kind) == at::DECODE;
            let picks_first = s.turns.first && s.turns.at == Turn::Pick;
            (s.turns.at == Turn::Find && decodes, picks_first && sweeps)
        } else {
            (s.step == at::DECODE, s.step == at::INSTRET && sweeps)
        }
    }

    /// The lanes that make a step.
    fn lanes(&self) -> std::ops::Range<usize> {
        let lane = self._s.turns.lane;
        if self._build.serial { lane..lane + 1 } else { 0..T }
    }

    fn decode(&mut self) {
        let number = self._s.number;
        let n = counter_of(number).filter(|_| self._build.has_counters());
        let plain = self._build.plain().into_iter().find(|(csr, ..)| *csr == number);
        let now = self._now[0];
        let s = &mut self._s;
        s.in_memory = plain.is_some();
        (s.word, s.mask) = plain.map_or((0, !0), |(_, word, mask)| (word, mask));
        s.counter = n.and_then(x_index).unwrap_or(COUNTERS);
        s.is_counter = s.counter < COUNTERS;
        s.is_hart = number == MHARTID;
        if !self._build.serial {
            s.snap = self._now.get(s.counter).copied().unwrap_or_default();
        }
        let now = if self._build.serial { s.snap } else { now };
        s.base = match number {
            MSTATUS => 0x1800,
            MISA => self._build.misa,
            MHARTID => (s.warp * T) as u32,
            _ if n == Some(1) => (if number & 0x80 != 0 { now >> 32 } else { now }) as u32,
            _ => 0,
        };
    }

    /// Counts of one lane, in the cycle after its instruction has committed.
    fn count(&mut self, lane: usize) {
        let s = &self._s;
        let (decode, sweeps) = self.counts_of();
        let decodes = decode && s.lanes >> lane & 1 != 0;
        let warp = if sweeps { s.warp } else { self._lanes[lane].warp };
        let sets_inhibit = decodes && s.writes && s.number == MCOUNTINHIBIT;
        let mut entry = self._counts[warp * T + lane];
        if decode || sweeps {
            let value = if sweeps || self.is_instret() { entry.value } else { 0 };
            (self._lanes[lane].acc, self._lanes[lane].kept) = (value, value);
        }
        if sets_inhibit {
            let operand = self._lanes[lane].came >> 2 & 1 != 0;
            entry.stands = match s.op {
                csr_op::WRITE => operand,
                csr_op::SET => entry.stands || operand,
                csr_op::CLEAR => entry.stands && !operand,
                _ => entry.stands,
            };
        }
        let counts = self._done >> lane & 1 != 0
            && !sweeps
            && !(decodes && self.sets_instret())
            && !(self._build.counters == Counters::Thread && entry.stands);
        let bits = self._build.count_bits;
        if counts && entry.value >> (bits - 1) != 0 {
            if self._build.late() {
                self._s.full = true;
            } else {
                self._s.half = true;
            }
        }
        if sweeps || decodes && self.is_instret() {
            entry.value = 0;
        }
        entry.value = (entry.value + u32::from(counts)) & ((1 << bits) - 1);
        self._counts[warp * T + lane] = entry;
    }

    fn memory_at(&self, word: u64, lane: usize) -> usize {
        (word as usize * self._build.warps + self._s.warp) * T + lane
    }

    /// One step of one lane.
    fn lane_step(&mut self, c: &Control, lane: usize) {
        let s = &self._s;
        let old = self._lanes[lane];
        let mut l = old;
        let bit = inhibit_bit(s.counter);
        let new = match c.op {
            csr_op::WRITE => old.operand,
            csr_op::SET => old.acc | old.operand,
            csr_op::CLEAR => old.acc & !old.operand,
            _ => old.acc,
        };
        let common = s.base | if s.is_hart && s.step == at::SHOW { lane as u32 } else { 0 };
        let minus = c.subtract && !old.stands;
        let p = match (c.use_acc, old.stands) {
            (true, _) => old.acc,
            (_, true) => 0,
            _ => common,
        };
        let q = if c.use_read { old.shown } else { new };
        let q = if minus { !q } else { q };
        let carry = if c.high { old.carry } else { minus };
        let sum = u64::from(p) + u64::from(q) + u64::from(carry);
        if c.keep_carry {
            l.carry = sum >> 32 != 0;
        }
        if c.load {
            l.acc = sum as u32;
        }
        match s.step {
            at::STANDS => l.stands = old.shown >> bit & 1 != 0,
            at::SET => l.operand = new,
            _ => {}
        }
        l.shown = old.read;
        if let Some(word) = c.read {
            l.read = self._memory[self.memory_at(word, lane)];
        }
        let changed = !c.if_changed || (old.acc ^ new) >> bit & 1 != 0;
        if let Some(word) = c.write
            && changed
            && s.lanes >> lane & 1 != 0
        {
            let data = match s.step {
                at::STATUS if s.kind == kind::TRAP => (old.acc >> 3 & 1) << 7,
                at::STATUS => 0x80 | (old.acc >> 7 & 1) << 3,
                _ if c.write_sum => sum as u32,
                _ => new & s.mask,
            };
            let is_vector = matches!(word, word::VECTOR | word::RETURN) && self._build.traps;
            if is_vector {
                let place = usize::from(word == word::RETURN) * self._build.warps + s.warp;
                l.vector = Some((place * T + lane, data >> 2));
                self._s.sets_vector = true;
            }
            let place = self.memory_at(word, lane);
            self._memory[place] = data;
        }
        self._lanes[lane] = l;
    }

    fn look(&mut self) {
        let returns = self.read_return.at_edge();
        for lane in 0..T {
            let warp = self.warp(self.read_warp[lane].at_edge());
            let place = usize::from(returns.get_bit(lane)) * self._build.warps + warp;
            self.vector[lane].next = u64::from(self._vectors[place * T + lane]).into();
        }
    }

    /// What begins, and what the lanes will count.
    fn take_over(&mut self, begins: bool) {
        self._done = match self._build.counters {
            Counters::None => 0,
            Counters::Warp => self.warp_issue.at_edge().raw(),
            // (Threads count in beats if they do at all.)
            Counters::Thread if self.counted.iter().all(|counted| counted.at_edge()) => {
                self.done.at_edge().raw()
            }
            Counters::Thread => 0,
        };
        for lane in 0..T {
            self._lanes[lane].warp = self.warp(self.lane_warp[lane].at_edge());
        }
        if !begins {
            return;
        }
        self._s.kind = self.kind.at_edge().raw();
        self._s.warp = self.warp(self.start_warp.at_edge());
        self._s.lanes = self.start_lanes.at_edge().raw();
        self._s.number = self.number.at_edge().low() as u16;
        self._s.op = self.op.at_edge().raw();
        self._s.writes = self.writes.at_edge();
        self._s.wants = self.wants.at_edge();
        self._s.pc = self.trap_pc.at_edge().low();
        self._s.cause = self.trap_cause.at_edge().low();
        for lane in 0..T {
            let is_trap = self._build.traps && self._s.kind == kind::TRAP;
            let value = if is_trap { &self.trap_value[lane] } else { &self.operand[lane] };
            self._lanes[lane].came = value.at_edge().low();
            self._lanes[lane].operand = self._lanes[lane].came;
            self._lanes[lane].stands = false;
        }
    }

    pub(super) fn clocked(&mut self) {
        if self._build.traps && self.look.at_edge() {
            self.look();
        }
        if std::mem::take(&mut self._s.sets_vector) {
            for lane in &mut self._lanes {
                if let Some((place, value)) = lane.vector.take() {
                    self._vectors[place] = value;
                }
            }
        }
        let control = self.control();
        let step = self._s.step;
        let idle = step == at::IDLE && self._s.turns.at == Turn::Rest;
        let begins = idle && self.start.at_edge();
        let next = self.next_step();
        let (turns, warp) = self.next_turns(begins);
        if step != at::IDLE {
            self.lanes().for_each(|lane| self.lane_step(&control, lane));
        }
        let (was_urgent, was_half) = (self._s.urgent, self._s.half);
        self._s.half = std::mem::take(&mut self._s.full);
        if self._build.has_counters() && (self._done != 0 || self.counts_of() != (false, false)) {
            (0..T).for_each(|lane| self.count(lane));
        }
        if !self._build.has_counters() && step == at::DECODE {
            self.lanes().for_each(|lane| self._lanes[lane].acc = 0);
        }
        if let Some(base) = control.base {
            self._s.base = base;
        }
        match step {
            at::DECODE => self.decode(),
            at::DONE if next == at::WALK => self._s.counter = 0,
            at::WALK => self._s.snap = self._now.get(self._s.counter).copied().unwrap_or_default(),
            at::WALK_HIGH => self._s.counter += 1,
            at::ADD_HIGH if self._s.kind == kind::SWEEP && !self._build.serial => {
                self._s.warp = (self._s.warp + 1) & (self._build.warps - 1);
            }
            at::TRAP | at::RETURN => {
                self._s.mask = !0;
                self.lanes().for_each(|lane| self._lanes[lane].acc = 0);
            }
            _ => {}
        }
        if idle && !begins && self._s.waited == self._build.drain {
            (self._s.kind, self._s.warp, self._s.lanes) = (kind::SWEEP, 0, u64::MAX);
            self._lanes.iter_mut().for_each(|lane| lane.stands = false);
        }
        self._s.urgent |= was_half;
        self._s.waited = match was_urgent {
            true => (self._s.waited + 1).min(self._build.drain),
            false => 0,
        };
        let swept = match self._build.serial {
            true => turns.rest == 0 && warp + 1 == self._build.warps,
            false => next == at::IDLE,
        };
        if step == at::ADD_HIGH && self._s.kind == kind::SWEEP && swept {
            (self._s.urgent, self._s.waited) = (false, 0);
        }
        self._s.step = next;
        if self._build.serial {
            let before = std::mem::replace(&mut self._s.turns, turns);
            self._s.warp = warp;
            if before.at == Turn::Find {
                // All lanes see the same time.
                let n = counter_of(self._s.number).filter(|_| self._build.has_counters());
                let counter = if n == Some(1) { Some(0) } else { n.and_then(x_index) };
                let now = counter.and_then(|counter| self._now.get(counter));
                self._s.snap = now.copied().unwrap_or_default();
            } else if before.at == Turn::Aim {
                let lane = &mut self._lanes[turns.lane];
                (lane.stands, lane.acc) = (false, lane.kept);
            }
        }
        if self._build.has_counters() {
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
        self.take_over(begins);
        if self.reset.at_edge() {
            self._now = [0; COUNTERS];
            (self._s.step, self._s.half, self._s.urgent, self._s.waited) =
                (at::IDLE, false, false, 0);
            self._s.full = false;
            self._s.turns.at = Turn::Rest;
        }
        if step == at::DONE && self._build.serial {
            // Whose it is, `part` says.
            let value = u64::from(self._lanes[self._s.turns.lane].acc);
            self.result.iter_mut().for_each(|result| result.next = value.into());
        } else if step != at::IDLE && !self._build.serial {
            for lane in 0..T {
                self.result[lane].next = u64::from(self._lanes[lane].acc).into();
            }
        }
        let (step, turn) = (self._s.step, self._s.turns.at);
        for (part, last) in self.part.iter_mut().zip(&mut self.last) {
            let hands = turn == Turn::Hand;
            let whose = if hands { self._s.lanes & 1 << self._s.turns.lane } else { 0 };
            (part.next, last.next) = (whose.into(), hands && self._s.turns.rest == 0);
        }
        self.busy.next = step != at::IDLE || turn != Turn::Rest;
        self.ready.next = match self._build.serial {
            true => turn == Turn::Hand,
            false => step == at::DONE && self._s.wants,
        };
        self.hold.next = self._s.urgent;
    }
}
