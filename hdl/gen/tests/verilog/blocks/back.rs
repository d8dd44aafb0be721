//! Collect to commit, and what waits for memory.

use super::{DOUBLE, SINGLE, check, check_long, config, exist, instructions, limit, shape};
use hdl::config::RawConfig;
use hdl::core::collect::Collect;
use hdl::core::commit::Commit;
use hdl::core::csr::CsrFile;
use hdl::core::csr::few::CsrFew;
use hdl::core::csr_check::CsrCheck;
use hdl::core::decode::Decode;
use hdl::core::devices::Devices;
use hdl::core::execute::Execute;
use hdl::core::loads::Loads;
use hdl::core::operation::Operation;
use hdl::core::resolve::Resolve;
use hdl::core::shape::CoreShape;
use hdl::isa::csr::*;
use hdl::rtl::Vector;

/// In one lane, four lanes, and with two pipes.
macro_rules! lanes {
    ($block:ident) => {
        let one = shape(1, 1, SINGLE);
        check($block::<1>::new(&one), exist(&one));
        let four = shape(4, 8, SINGLE);
        check($block::<4>::new(&four), exist(&four));
        let pipes = shape(4, 2, DOUBLE);
        check($block::<4>::new(&pipes), exist(&pipes));
    };
}

/// A warp of that size goes through the ALU in beats of two lanes.
fn in_beats(threads: usize) -> CoreShape {
    CoreShape::new(&config(threads, 2, |raw| raw.lanes = Some("2".into())), SINGLE)
}

/// And lanes out of line pass one after the other.
fn in_line(threads: usize) -> CoreShape {
    let serial = config(threads, 2, |raw| {
        (raw.lanes, raw.crossbar) = (Some("2".into()), Some("serial".into()));
    });
    CoreShape::new(&serial, SINGLE)
}

/// Few of the options.
fn small(raw: &mut RawConfig) {
    raw.isa = Some("rv32i".into());
    raw.traps = Some("off".into());
    raw.counters = Some("none".into());
    raw.bypass = Some("none".into());
}

#[test]
fn collect() {
    lanes!(Collect);
    let slow = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Collect::<4>::new(&slow), exist(&slow));
    check(Collect::<8>::new(&in_beats(8)), exist(&in_beats(8)));
}

#[test]
fn decode() {
    check(Decode::new(&shape(4, 2, SINGLE)), |v| instructions(v, "insn"));
    let few = CoreShape::new(&config(1, 1, small), SINGLE);
    check(Decode::new(&few), |v| instructions(v, "insn"));
    check(Operation::new(&shape(4, 2, SINGLE)), |v| instructions(v, "insn"));
    check(Operation::new(&few), |v| instructions(v, "insn"));
}

#[test]
fn execute() {
    lanes!(Execute);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Execute::<4>::new(&few), exist(&few));
    check(Execute::<32>::new(&shape(32, 1, SINGLE)), |v| limit(v, "warp", 1));
    check(Execute::<8>::new(&in_beats(8)), exist(&in_beats(8)));
}

#[test]
fn csr_check() {
    check(CsrCheck::new(&config(4, 2, |_| {})), |_| {});
    check(CsrCheck::new(&config(4, 2, small)), |_| {});
}

/// Most CSR numbers exist; the sequencer is often asked, and its value often taken.
fn accesses(warps: usize) -> impl FnMut(&mut Vector) {
    let mut cycle = 0;
    move |v| {
        limit(v, "warp", warps);
        let at = v.get("number") as usize;
        if !at.is_multiple_of(4) {
            v.set("number", CSRS[at / 4 % CSRS.len()].into());
        }
        v.limit("kind", 3);
        // Counts of one thread only, for a while.
        if cycle / 200 % 2 == 1 {
            v.set("start", 0);
        }
        cycle += 1;
    }
}

const CSRS: [u16; 14] = [
    MSTATUS,
    MTVEC,
    MSCRATCH,
    MEPC,
    MCAUSE,
    MTVAL,
    SPLIT,
    MHARTID,
    MCOUNTINHIBIT,
    MCYCLE,
    MCYCLEH,
    MINSTRET,
    MINSTRETH,
    CYCLE,
];

#[test]
fn csr() {
    let warp = |raw: &mut RawConfig| raw.counters = Some("warp".into());
    let no_traps = |raw: &mut RawConfig| raw.traps = Some("off".into());
    let no_counters = |raw: &mut RawConfig| raw.counters = Some("none".into());
    check_long(CsrFile::<1>::new(&config(1, 1, |_| {})), 1600, accesses(1));
    // Counts that soon are full, and words that soon overflow.
    let brim = |file: CsrFile<4>| file.with_count_bits(4).with_instret(0xffff_fff0, u32::MAX);
    for (warps, file) in [
        (8, CsrFile::<4>::new(&config(4, 8, |_| {}))),
        (2, brim(CsrFile::new(&config(4, 2, |_| {})))),
        (1, brim(CsrFile::new(&config(4, 1, |_| {})))),
        (2, brim(CsrFile::new(&config(4, 2, warp)))),
        (2, brim(CsrFile::new(&config(4, 2, no_traps)))),
        (2, CsrFile::new(&config(4, 2, no_counters))),
        (1, CsrFile::new(&config(4, 1, no_counters))),
    ] {
        check_long(file, 3200, accesses(warps));
    }
}

#[test]
fn serial_csrs() {
    let serial = |raw: &mut RawConfig| raw.csrs = Some("serial".into());
    let warp = |raw: &mut RawConfig| {
        (raw.csrs, raw.counters) = (Some("serial".into()), Some("warp".into()));
    };
    let no_traps = |raw: &mut RawConfig| {
        (raw.csrs, raw.traps) = (Some("serial".into()), Some("off".into()));
    };
    let no_counters = |raw: &mut RawConfig| {
        (raw.csrs, raw.counters) = (Some("serial".into()), Some("none".into()));
    };
    check_long(CsrFile::<1>::new(&config(1, 1, serial)), 3200, accesses(1));
    let brim = |file: CsrFile<4>| file.with_count_bits(4).with_instret(0xffff_fff0, u32::MAX);
    for (warps, file) in [
        (8, CsrFile::<4>::new(&config(4, 8, serial))),
        (2, brim(CsrFile::new(&config(4, 2, serial)))),
        (1, brim(CsrFile::new(&config(4, 1, serial)))),
        (2, brim(CsrFile::new(&config(4, 2, warp)))),
        (2, brim(CsrFile::new(&config(4, 2, no_traps)))),
        (2, CsrFile::new(&config(4, 2, no_counters))),
        (1, CsrFile::new(&config(4, 1, no_counters))),
    ] {
        check_long(file, 8000, accesses(warps));
    }
}

#[test]
fn csr_few() {
    check(CsrFew::<4>::new(&config(4, 2, small)), |v| few(v, 2));
    check(CsrFew::<1>::new(&config(1, 1, small)), |v| few(v, 1));
}

/// Numbers of CSRs.
fn few(v: &mut Vector, warps: usize) {
    limit(v, "warp", warps);
    let named = |path: &&str| path.contains("number");
    let paths: Vec<String> = v.paths().filter(named).map(str::to_owned).collect();
    for path in paths {
        let at = v.get(&path) as usize;
        v.set(&path, [SPLIT, SPLIT, MHARTID, MSTATUS, MISA, MSCRATCH][at % 6].into());
    }
}

#[test]
fn resolve() {
    lanes!(Resolve);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Resolve::<4>::new(&few), exist(&few));
    check(Resolve::<32>::new(&shape(32, 1, SINGLE)), |v| limit(v, "warp", 1));
    check(Resolve::<8>::new(&in_beats(8)), exist(&in_beats(8)));
    check(Resolve::<8>::new(&in_line(8)), exist(&in_line(8)));
}

#[test]
fn commit() {
    lanes!(Commit);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Commit::<4>::new(&few), exist(&few));
    check(Commit::<8>::new(&in_beats(8)), exist(&in_beats(8)));
    check(Commit::<8>::new(&in_line(8)), exist(&in_line(8)));
}

#[test]
fn devices() {
    check(Devices::<1>::new(&config(1, 1, |_| {}), 1, true), |v| limit(v, "warp", 1));
    check(Devices::<4>::new(&config(4, 8, |_| {}), 2, true), |v| limit(v, "warp", 8));
    check(Devices::<4>::new(&config(4, 8, small), 1, false), |v| limit(v, "warp", 8));
    // What is looked up a cycle ahead is of the instruction that comes.
    let beats = config(4, 8, |raw| raw.lanes = Some("2".into()));
    let mut next = (0, 0);
    check(Devices::<4>::new(&beats, 1, true), |v| {
        limit(v, "warp", 8);
        v.set("warp", next.0);
        v.set("lane", next.1);
        next = (v.get("soon_warp$0"), v.get("soon_lane$0"));
    });
}

/// Replies of entries that exist.
fn replies(shape: &CoreShape) -> impl FnMut(&mut Vector) + use<> {
    let (mut exist, loads) = (exist(shape), shape.loads);
    move |v| {
        exist(v);
        limit(v, "tag", loads);
    }
}

#[test]
fn loads() {
    let one = shape(1, 1, SINGLE);
    check(Loads::<1>::new(&one), replies(&one));
    let four = shape(4, 8, SINGLE);
    check(Loads::<4>::new(&four), replies(&four));
    let pipes = shape(4, 2, DOUBLE);
    check(Loads::<4>::new(&pipes), replies(&pipes));
    check(Loads::<4>::new(&in_beats(4)), replies(&in_beats(4)));
    check(Loads::<4>::new(&in_line(4)), replies(&in_line(4)));
    for unit in [SINGLE, DOUBLE] {
        let barrel = CoreShape::new(&config(4, 2, |raw| raw.bypass = Some("none".into())), unit);
        check(Loads::<4>::new(&barrel), replies(&barrel));
    }
    let few = CoreShape::new(&config(4, 8, small), SINGLE);
    check(Loads::<4>::new(&few), replies(&few));
}
