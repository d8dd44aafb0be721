//! Memory instructions of a pass: rule M2, by block when all is plain, lane by
//! lane otherwise.

use super::lanes::Row;
use super::pass::{Step, select};
use super::{Engine, lanes};
use crate::path::Path;
use crate::platform::Region;
use crate::record;
use hdl::isa::csr::cause;
use hdl::isa::{Insn, Op};

fn size(op: Op) -> u32 {
    match op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        _ => 4,
    }
}

fn extract(op: Op, word: u32, addr: u32) -> u32 {
    let bits = word >> (8 * (addr & 3));
    match op {
        Op::Lb => bits as u8 as i8 as u32,
        Op::Lbu => u32::from(bits as u8),
        Op::Lh => bits as u16 as i16 as u32,
        Op::Lhu => u32::from(bits as u16),
        _ => bits,
    }
}

fn is_load(op: Op) -> bool {
    matches!(op, Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw)
}

fn is_store(op: Op) -> bool {
    matches!(op, Op::Sb | Op::Sh | Op::Sw)
}

/// Bytes written, and the data in their place.
fn place(op: Op, addr: u32, data: u32) -> (u8, u32) {
    let enable = match size(op) {
        1 => 0b0001,
        2 => 0b0011,
        _ => 0b1111,
    };
    (enable << (addr & 3), data << (8 * (addr & 3)))
}

impl<const T: usize> Engine<'_, T> {
    #[inline]
    pub(super) fn memory(&mut self, w: usize, path: Path, insn: &Insn) -> Step {
        let mask = path.mask;
        let base = &self.warps[w].x[usize::from(insn.rs1)];
        let mut addr = [0; T];
        for i in 0..T {
            addr[i] = base[i].wrapping_add(insn.imm as u32);
        }
        let lead = addr[mask.trailing_zeros() as usize];
        lanes::fill(&mut addr, lead, mask);
        let block = 4 * T as u32;
        let (mut crooked, mut apart) = (0, 0);
        for a in addr {
            crooked |= a & (size(insn.op) - 1);
            apart |= (a ^ lead) & !(block - 1);
        }
        let inside = apart == 0 || addr.iter().all(|a| self.platform.ram.contains(*a));
        let plain = crooked == 0 && inside && self.platform.ram.contains(lead);
        let first = lead & !(block - 1);
        let served = if apart == 0 {
            mask
        } else {
            select(mask, |lane| (addr[lane] ^ lead) & !(block - 1) == 0)
        };
        if plain && is_load(insn.op) {
            self.load_block(w, insn, &addr, first, served);
        } else if plain && is_store(insn.op) && self.platform.is_quiet(first, T as u32) {
            self.store_block(w, insn, &addr, first, served);
        } else {
            return self.lane_by_lane(w, path, insn, &addr);
        }
        self.stats.memory_transactions += 1;
        let threads = if served == lanes::full(T) { T as u32 } else { served.count_ones() };
        self.stats.memory_accesses += u64::from(threads);
        Step::plain(served, path.pc.wrapping_add(4))
    }

    fn load_block(&mut self, w: usize, insn: &Insn, addr: &Row<T>, first: u32, served: u64) {
        let words: &Row<T> =
            self.platform.ram.block(first, T).try_into().expect("RAM is whole blocks");
        let mut value = [0; T];
        let mut straight = true;
        for (i, a) in addr.iter().enumerate() {
            straight &= a.wrapping_sub(first) == 4 * i as u32;
        }
        if straight && insn.op == Op::Lw {
            value = *words;
        } else {
            for i in 0..T {
                value[i] = words[(addr[i] / 4) as usize % T];
            }
            if insn.op != Op::Lw {
                for i in 0..T {
                    value[i] = extract(insn.op, value[i], addr[i]);
                }
            }
        }
        self.write(w, insn.rd, &value, served);
        if let Some(record) = &mut self.record {
            record.has_access = true;
            for lane in record::lanes(served) {
                record.access.addr[lane] = addr[lane];
            }
        }
    }

    fn store_block(&mut self, w: usize, insn: &Insn, addr: &Row<T>, first: u32, served: u64) {
        let data = &self.warps[w].x[usize::from(insn.rs2)];
        let mut words: Row<T> =
            *<&Row<T>>::try_from(self.platform.ram.block(first, T)).expect("whole blocks");
        let mut straight = served == lanes::full(T) && insn.op == Op::Sw;
        for (i, a) in addr.iter().enumerate() {
            straight &= a.wrapping_sub(first) == 4 * i as u32;
        }
        if straight {
            words = *data;
        } else {
            for lane in record::lanes(served) {
                let (enable, bits) = place(insn.op, addr[lane], data[lane]);
                let keep = match enable {
                    0b1111 => 0,
                    0b0001 => !0xff,
                    0b0010 => !0xff00,
                    0b0100 => !0xff_0000,
                    0b1000 => !0xff00_0000,
                    0b0011 => !0xffff,
                    _ => 0xffff,
                };
                let word = &mut words[(addr[lane] / 4) as usize % T];
                *word = *word & keep | bits & !keep;
            }
        }
        if let Some(record) = &mut self.record {
            record.has_access = true;
            record.access.write = true;
            for lane in record::lanes(served) {
                record.access.addr[lane] = addr[lane];
                (record.access.enable[lane], record.access.data[lane]) =
                    place(insn.op, addr[lane], data[lane]);
            }
        }
        self.platform.store_ram_block(first, &words);
    }

    /// Traps, devices, atomics, and blocks with something watched in them.
    fn lane_by_lane(&mut self, w: usize, path: Path, insn: &Insn, addr: &Row<T>) -> Step {
        let (mask, op) = (path.mask, insn.op);
        let reads = is_load(op) || op == Op::Lr;
        let trap_of = |lane: usize| {
            let region = self.platform.region(addr[lane]);
            let word = matches!(op, Op::Lw | Op::Sw);
            if !addr[lane].is_multiple_of(size(op)) {
                Some(if reads { cause::LOAD_MISALIGNED } else { cause::STORE_MISALIGNED })
            } else if region == Region::Hole || region == Region::Device && !word {
                Some(if reads { cause::LOAD_FAULT } else { cause::STORE_FAULT })
            } else {
                None
            }
        };
        if let Some(first) = record::lanes(mask).find(|lane| trap_of(*lane).is_some()) {
            let cause = trap_of(first);
            let same = select(mask, |lane| trap_of(lane) == cause);
            let cause = cause.expect("it traps");
            return self.trap(w, path, same, cause, |lane| addr[lane]);
        }

        let leader = mask.trailing_zeros() as usize;
        let device = self.platform.region(addr[leader]) == Region::Device;
        let block = |lane: usize| addr[lane] / (4 * T as u32);
        let candidates =
            if device { 1 << leader } else { select(mask, |lane| block(lane) == block(leader)) };
        let once = !reads && !is_store(op);
        let data = self.warps[w].x[usize::from(insn.rs2)];
        let mut values = [0; T];
        let mut served = 0;
        let mut used = 0u64;
        if let Some(record) = &mut self.record {
            record.has_access = true;
            record.access.write = !reads;
        }
        for lane in record::lanes(candidates) {
            let word = 1u64 << ((addr[lane] / 4) as usize % T);
            if once && used & word != 0 {
                continue;
            }
            used |= word;
            served |= 1 << lane;
            let (value, written) = if device {
                self.device(w, lane, op, addr[lane], data[lane])
            } else {
                self.single(w, lane, op, addr[lane], data[lane])
            };
            values[lane] = value;
            if let Some(record) = &mut self.record {
                record.access.addr[lane] = addr[lane];
                if let Some((enable, bits)) = written {
                    record.access.enable[lane] = enable;
                    record.access.data[lane] = bits;
                }
            }
        }
        if !is_store(op) {
            self.write(w, insn.rd, &values, served);
        }
        self.stats.memory_transactions += 1;
        self.stats.memory_accesses += u64::from(served.count_ones());
        Step::plain(served, path.pc.wrapping_add(4))
    }

    fn device(
        &mut self,
        w: usize,
        lane: usize,
        op: Op,
        addr: u32,
        data: u32,
    ) -> (u32, Option<(u8, u32)>) {
        if op == Op::Lw {
            return (self.platform.devices.load(addr), None);
        }
        self.platform.devices.store(addr, data, w as u32, lane as u32);
        (0, Some((15, data)))
    }

    fn single(
        &mut self,
        w: usize,
        lane: usize,
        op: Op,
        addr: u32,
        data: u32,
    ) -> (u32, Option<(u8, u32)>) {
        let hart = (w * T + lane) as u32;
        let old = self.platform.ram.word(addr);
        let signed = |f: fn(i32, i32) -> i32| f(old as i32, data as i32) as u32;
        let new = match op {
            Op::Lr => {
                self.platform.reserve(hart, addr);
                return (old, None);
            }
            Op::Sc if !self.platform.unreserve(hart, addr) => return (1, None),
            Op::Sc | Op::Amoswap => data,
            Op::Amoadd => old.wrapping_add(data),
            Op::Amoxor => old ^ data,
            Op::Amoand => old & data,
            Op::Amoor => old | data,
            Op::Amomin => signed(i32::min),
            Op::Amomax => signed(i32::max),
            Op::Amominu => old.min(data),
            Op::Amomaxu => old.max(data),
            Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw => return (extract(op, old, addr), None),
            _ => {
                let (enable, bits) = place(op, addr, data);
                self.platform.store_ram(addr, bits, enable);
                return (0, Some((enable, bits)));
            }
        };
        self.platform.store_ram(addr, new, 15);
        (if op == Op::Sc { 0 } else { old }, Some((15, new)))
    }
}
