//! One pass of one path.

use super::lanes::{self, Row};
use super::{Engine, Warp};
use crate::csr;
use crate::path::{Kind, Path};
use crate::platform::End;
use crate::record;
use hdl::isa::csr::{cause, is_read_only};
use hdl::isa::{Insn, Op};

/// Successors of a pass before it is committed.
pub(super) struct Step {
    pub kind: Kind,
    /// Threads that complete and go to `pc`.
    pub go: u64,
    pub pc: u32,
    /// Threads that complete and go to `target`.
    pub taken: u64,
    pub target: u32,
    /// Threads that trap.
    pub trapped: u64,
    /// Threads that park.
    pub parked: u64,
    /// Completing threads that `minstret` does not count.
    pub uncounted: u64,
}

impl<const T: usize> Engine<'_, T> {
    /// Issues passes of the current path of warp `w`: one, and before it those
    /// that only compute and that nobody else can observe.
    pub(super) fn step(&mut self, w: usize, mut path: Path) {
        if self.record.is_none() {
            self.burst(w, &mut path);
        }
        let fetched = self.platform.ram.contains(path.pc);
        let insn =
            if fetched { self.platform.ram.insn(path.pc) } else { self.platform.ram.decode(0) };
        if let Some(record) = &mut self.record {
            **record = record::Record {
                cycle: self.cycle,
                warp: w as u32,
                path,
                insn: insn.raw,
                ..record::Record::default()
            };
        }
        let step = if fetched {
            self.execute(w, path, &insn)
        } else {
            self.trap(w, path, path.mask, cause::FETCH_FAULT, |_| path.pc)
        };
        self.commit(w, path, &insn, &step);
    }

    /// Runs ahead over instructions that only compute, as far as the policy
    /// lets the path run undisturbed.
    #[inline]
    fn burst(&mut self, w: usize, path: &mut Path) {
        let warp = &mut self.warps[w];
        let horizon = warp.policy.horizon();
        let mut passes = 0;
        while path.pc < horizon.saturating_sub(4) && self.platform.ram.contains(path.pc) {
            let insn = self.platform.ram.insn(path.pc);
            if insn.is_hint() {
                break;
            }
            let Some(value) = lanes::compute(&warp.x, &insn, path.pc, path.mask) else { break };
            if insn.rd != 0 {
                lanes::write(&mut warp.x[usize::from(insn.rd)], &value, path.mask);
            }
            path.pc = path.pc.wrapping_add(4);
            passes += 1;
        }
        if passes != 0 {
            warp.policy.skip_to(path.pc);
            self.cycle += passes;
            self.tally(w, passes, path.mask, path.threads(), 0, path.threads());
        }
    }

    #[inline]
    fn execute(&mut self, w: usize, path: Path, insn: &Insn) -> Step {
        let Path { pc, mask, .. } = path;
        let warp = &mut self.warps[w];
        let next = pc.wrapping_add(4);
        if let Some(value) = lanes::compute(&warp.x, insn, pc, mask) {
            self.write(w, insn.rd, &value, mask);
            return Step::plain(mask, next);
        }
        if let Some(holds) = lanes::taken(&warp.x, insn) {
            let taken = holds & mask;
            let target = pc.wrapping_add_signed(insn.imm);
            if taken != 0 && target % 4 != 0 {
                return self.trap(w, path, taken, cause::FETCH_MISALIGNED, |_| target);
            }
            let go = mask & !taken;
            return Step { kind: Kind::Branch, taken, target, ..Step::plain(go, next) };
        }
        match insn.op {
            Op::Jal => {
                let target = pc.wrapping_add_signed(insn.imm);
                if target % 4 != 0 {
                    return self.trap(w, path, mask, cause::FETCH_MISALIGNED, |_| target);
                }
                self.write(w, insn.rd, &[next; T], mask);
                let kind = if insn.is_call() { Kind::Call } else { Kind::Jump };
                Step { kind, ..Step::plain(mask, target) }
            }
            Op::Jalr => self.jalr(w, path, insn),
            Op::Mret => {
                let target = |warp: &Warp<T>, lane: usize| warp.csr[lane].mepc;
                let leader = target(warp, mask.trailing_zeros() as usize);
                let go = select(mask, |lane| target(warp, lane) == leader);
                for lane in record::lanes(go) {
                    warp.csr[lane].mret();
                }
                Step { kind: Kind::Return, ..Step::plain(go, leader) }
            }
            Op::Fence => Step::plain(mask, next),
            Op::FenceI => Step { kind: Kind::Fence, ..Step::plain(mask, next) },
            Op::Wfi => {
                let parked = self.platform.devices.park(w as u32, mask);
                let kind = if parked != 0 { Kind::Halt } else { Kind::Plain };
                for lane in record::lanes(parked) {
                    warp.parked_at[lane] = (path.depth, next);
                }
                warp.parked |= parked;
                Step { kind, parked, ..Step::plain(mask & !parked, next) }
            }
            Op::Ecall => self.trap(w, path, mask, cause::ECALL, |_| 0),
            Op::Ebreak => self.trap(w, path, mask, cause::BREAKPOINT, |_| pc),
            Op::Illegal => self.trap(w, path, mask, cause::ILLEGAL, |_| insn.raw),
            Op::Csrrw | Op::Csrrs | Op::Csrrc | Op::Csrrwi | Op::Csrrsi | Op::Csrrci => {
                self.csr(w, path, insn)
            }
            _ => self.memory(w, path, insn),
        }
    }

    fn jalr(&mut self, w: usize, path: Path, insn: &Insn) -> Step {
        let base = self.warps[w].x[usize::from(insn.rs1)];
        let target = |lane: usize| base[lane].wrapping_add_signed(insn.imm) & !1;
        let crooked = select(path.mask, |lane| target(lane) % 4 != 0);
        if crooked != 0 {
            return self.trap(w, path, crooked, cause::FETCH_MISALIGNED, target);
        }
        let leader = target(path.mask.trailing_zeros() as usize);
        let go = select(path.mask, |lane| target(lane) == leader);
        self.write(w, insn.rd, &[path.pc.wrapping_add(4); T], go);
        let kind = if insn.is_call() {
            Kind::Call
        } else if insn.is_return() {
            Kind::Return
        } else {
            Kind::Jump
        };
        Step { kind, ..Step::plain(go, leader) }
    }

    fn csr(&mut self, w: usize, path: Path, insn: &Insn) -> Step {
        let number = insn.imm as u16;
        let counts = self.counts();
        let warp = &mut self.warps[w];
        let immediate = matches!(insn.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
        let replace = matches!(insn.op, Op::Csrrw | Op::Csrrwi);
        let writes = replace || insn.rs1 != 0;
        let mut values = [0; T];
        let mut known = !(writes && is_read_only(number));
        for lane in record::lanes(path.mask) {
            let hart = (w * T + lane) as u32;
            let instret = warp.instret[lane].wrapping_add(warp.common);
            match warp.csr[lane].read(self.config, number, hart, instret, &counts) {
                Some(value) => values[lane] = value,
                None => known = false,
            }
        }
        if !known {
            return self.trap(w, path, path.mask, cause::ILLEGAL, |_| insn.raw);
        }
        if insn.rd != 0 && csr::is_counter(number) {
            self.counter_reads += 1;
        }
        let operand = warp.x[usize::from(insn.rs1)];
        let mut uncounted = 0;
        if writes {
            for lane in record::lanes(path.mask) {
                let bits = if immediate { u32::from(insn.rs1) } else { operand[lane] };
                let new = match insn.op {
                    Op::Csrrw | Op::Csrrwi => bits,
                    Op::Csrrs | Op::Csrrsi => values[lane] | bits,
                    _ => values[lane] & !bits,
                };
                let mut instret = warp.instret[lane].wrapping_add(warp.common);
                if warp.csr[lane].write(self.config.traps, number, new, &mut instret, &counts) {
                    uncounted |= 1 << lane;
                    warp.instret[lane] = instret.wrapping_sub(warp.common);
                }
            }
            if number == hdl::isa::csr::MCOUNTINHIBIT {
                warp.counting = select(lanes::full(T), |lane| warp.csr[lane].counts_instructions());
            }
        }
        self.write(w, insn.rd, &values, path.mask);
        Step { uncounted, ..Step::plain(path.mask, path.pc.wrapping_add(4)) }
    }

    /// Traps the threads of `mask` that have the leading one's target.
    pub(super) fn trap(
        &mut self,
        w: usize,
        path: Path,
        mask: u64,
        cause: u32,
        tval: impl Fn(usize) -> u32,
    ) -> Step {
        let warp = &mut self.warps[w];
        let first = mask.trailing_zeros() as usize;
        if !self.config.traps {
            let why = format!(
                "hart {} traps at {:#010x} (cause {cause}, value {:#x}) in a build without traps",
                w * T + first,
                path.pc,
                tval(first)
            );
            self.platform.htif.end = Some(End::Error(why));
        }
        let target = warp.csr[first].mtvec;
        let trapped = select(mask, |lane| warp.csr[lane].mtvec == target);
        for lane in record::lanes(trapped) {
            warp.csr[lane].trap(path.pc, cause, tval(lane));
            self.platform.unreserve((w * T + lane) as u32, 0);
        }
        if let Some(record) = &mut self.record {
            record.cause = cause;
            for lane in record::lanes(trapped) {
                record.tval[lane] = tval(lane);
            }
        }
        Step { kind: Kind::Trap, trapped, pc: target, ..Step::plain(0, target) }
    }

    /// Writes a register and notes it.
    #[inline]
    pub(super) fn write(&mut self, w: usize, rd: u8, value: &Row<T>, mask: u64) {
        if rd == 0 {
            return;
        }
        lanes::write(&mut self.warps[w].x[usize::from(rd)], value, mask);
        if let Some(record) = &mut self.record {
            record.rd = rd;
            for lane in record::lanes(mask) {
                record.rd_values[lane] = value[lane];
            }
        }
    }
}

impl Step {
    pub(super) fn plain(go: u64, pc: u32) -> Step {
        Step {
            kind: Kind::Plain,
            go,
            pc,
            taken: 0,
            target: pc,
            trapped: 0,
            parked: 0,
            uncounted: 0,
        }
    }
}

/// The lanes of `mask` for which `f` holds.
pub(super) fn select(mask: u64, f: impl Fn(usize) -> bool) -> u64 {
    record::lanes(mask).filter(|lane| f(*lane)).fold(0, |m, lane| m | 1 << lane)
}
