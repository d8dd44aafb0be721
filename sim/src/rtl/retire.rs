//! From what a pipe retires to a [`Record`], and whether the request at the
//! data port was the one that the retired instruction stands for.
//!
//! By rule M1 a request is accepted in the cycle in which its instruction
//! retires, so each request has exactly one record of its cycle and each record
//! of an access to RAM has its request.

use super::core::{DataOut, Outputs, Retire, Successor};
use super::memory::Performed;
use crate::path::Path;
use crate::record::{self, MAX_LANES, Record, lanes};
use hdl::core::port::memory_op;
use hdl::isa::encoding::Format;
use hdl::isa::{Insn, Op};
use hdl::platform::{DEVICE_BASE, DEVICE_SIZE};

fn path(s: Successor) -> Path {
    Path { depth: s.depth, pc: s.pc << 2, mask: s.mask }
}

/// Is it an address of the device window?
pub fn is_device(addr: u32) -> bool {
    addr.wrapping_sub(DEVICE_BASE) < DEVICE_SIZE
}

fn leader_is_device(r: &Retire) -> bool {
    is_device(r.addr[r.done.trailing_zeros() as usize % MAX_LANES])
}

/// Does it make a memory request?
pub fn is_memory(op: Op) -> bool {
    let format = op.encoding().map(|e| e.format).filter(|_| op != Op::Jalr);
    matches!(format, Some(Format::Load | Format::S | Format::Amo | Format::Lr))
}

/// The operation at the port.
fn port_op(op: Op) -> u64 {
    match op {
        Op::Sb | Op::Sh | Op::Sw => memory_op::STORE,
        Op::Lr => memory_op::LR,
        Op::Sc => memory_op::SC,
        Op::Amoswap => memory_op::AMO_SWAP,
        Op::Amoadd => memory_op::AMO_ADD,
        Op::Amoxor => memory_op::AMO_XOR,
        Op::Amoand => memory_op::AMO_AND,
        Op::Amoor => memory_op::AMO_OR,
        Op::Amomin => memory_op::AMO_MIN,
        Op::Amomax => memory_op::AMO_MAX,
        Op::Amominu => memory_op::AMO_MINU,
        Op::Amomaxu => memory_op::AMO_MAXU,
        _ => memory_op::LOAD,
    }
}

/// Byte enables and data of a store, in their place within the word.
fn place(op: Op, addr: u32, operand: u32) -> (u8, u32) {
    let enable = match op {
        Op::Sb => 0b0001,
        Op::Sh => 0b0011,
        _ => 0b1111,
    };
    (enable << (addr & 3) & 15, operand << (8 * (addr & 3)))
}

/// Completes `record` from what pipe `pipe` retires in `cycle`; merges are for
/// others to count.
pub fn fill(record: &mut Record, cycle: u64, pipe: u32, r: &Retire, insn: &Insn, did: &Performed) {
    *record = Record::default();
    record.cycle = cycle;
    record.pipe = pipe;
    record.warp = r.warp;
    record.slot = r.slot;
    record.path = path(r.path);
    record.insn = r.insn;
    // A thread that parks has completed its `wfi`.
    record.done = r.done | r.halt;
    record.trapped = r.trapped;
    if r.trapped != 0 {
        record.cause = r.cause;
        for lane in lanes(r.trapped) {
            record.tval[lane] = r.tval[lane];
        }
    }
    if record.done != 0 && r.rd != 0 {
        record.rd = r.rd;
        record.open = r.open;
        for lane in lanes(if r.open { 0 } else { record.done }) {
            record.rd_values[lane] = r.value[lane];
        }
    }
    record.has_access = r.access;
    if r.access {
        access(record, r, insn, did);
    }
    record.go = path(r.go);
    record.other = path(r.other);
    let replay = record.path.mask & !record.done & !record.trapped;
    record.events = record::Events {
        diverge: replay == 0 && r.go.mask != 0 && r.other.mask != 0,
        merges: 0,
        replay,
        redirect: record.go.pc != record.path.pc.wrapping_add(4) || r.other.mask != 0,
        hint: insn.is_hint(),
        park: r.halt,
        wake: r.wake,
    };
}

fn access(record: &mut Record, r: &Retire, insn: &Insn, did: &Performed) {
    let op = port_op(insn.op);
    let access = &mut record.access;
    access.write = if op >= memory_op::SC { did.wrote != 0 } else { r.write };
    for lane in lanes(r.done) {
        access.addr[lane] = r.addr[lane];
        if op >= memory_op::SC {
            if did.wrote >> lane & 1 != 0 {
                (access.enable[lane], access.data[lane]) = (15, did.left[lane]);
            }
        } else if r.write {
            (access.enable[lane], access.data[lane]) =
                place(insn.op, r.addr[lane], r.operand[lane]);
        }
    }
}

/// Is every request of the cycle that of a retired instruction, and the other
/// way round? `insns` are those of the pipes.
pub fn requests_match(
    threads: usize,
    out: &Outputs,
    insns: &[Insn],
    ok: bool,
) -> Result<(), String> {
    let d = &out.data;
    let mut wanted = ok;
    for (r, insn) in out.retire.iter().zip(insns).filter(|(r, _)| r.valid) {
        let what = || format!("{} of warp {}", insn.disassemble(r.path.pc << 2), r.warp);
        if wanted && d.op == memory_op::CLEAR && d.warp == r.warp && d.lanes == r.trapped {
            wanted = false;
            continue;
        }
        if !r.access || r.done == 0 || leader_is_device(r) {
            continue;
        }
        if !wanted || d.warp != r.warp {
            return Err(format!("{} retires without its request", what()));
        }
        request(threads, d, r, insn).map_err(|why| format!("request of {}: {why}", what()))?;
        wanted = false;
    }
    if wanted { Err("a request that no retired instruction made".to_string()) } else { Ok(()) }
}

/// The request of one access to RAM, lane by lane.
fn request(threads: usize, d: &DataOut, r: &Retire, insn: &Insn) -> Result<(), String> {
    let op = port_op(insn.op);
    if d.op != op {
        return Err(format!("operation {}, not {op}", d.op));
    }
    if d.lanes != r.done {
        return Err(format!("lanes {:#x}, not {:#x}", d.lanes, r.done));
    }
    let mut words = [(0u8, 0u32); MAX_LANES];
    for lane in lanes(r.done) {
        let word = (r.addr[lane] >> 2).wrapping_sub(d.block) as usize;
        if word >= threads || word != usize::from(d.word[lane]) {
            let addr = r.addr[lane];
            return Err(format!("lane {lane}: {addr:#010x} is not word {}", d.word[lane]));
        }
        let (enable, data) = place(insn.op, r.addr[lane], r.operand[lane]);
        // The highest lane wins, byte by byte.
        words[word].0 |= enable;
        words[word].1 = words[word].1 & !bits(enable) | data & bits(enable);
    }
    if matches!(op, memory_op::LOAD | memory_op::LR) {
        return Ok(());
    }
    for (i, (enable, data)) in words[..threads].iter().enumerate() {
        if op == memory_op::STORE && d.enable[i] != *enable {
            return Err(format!("word {i}: byte enables {:04b}, not {enable:04b}", d.enable[i]));
        }
        let got = d.data[i] & bits(*enable);
        if got != *data {
            return Err(format!("word {i}: data {got:#010x}, not {data:#010x}"));
        }
    }
    Ok(())
}

fn bits(enable: u8) -> u32 {
    (0..4).filter(|b| enable >> b & 1 != 0).fold(0, |m, b| m | 0xff << (8 * b))
}
