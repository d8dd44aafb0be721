//! Collect to commit, and what waits for memory.

use super::{DOUBLE, SINGLE, check, check_long, config, exist, instructions, limit, shape};
use hdl::config::RawConfig;
use hdl::core::collect::Collect;
use hdl::core::commit::Commit;
use hdl::core::csr::CsrFile;
use hdl::core::csr_check::CsrCheck;
use hdl::core::decode::Decode;
use hdl::core::devices::Devices;
use hdl::core::execute::Execute;
use hdl::core::loads::Loads;
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
}

#[test]
fn decode() {
    check(Decode::new(&shape(4, 2, SINGLE)), |v| instructions(v, "insn"));
    let few = CoreShape::new(&config(1, 1, small), SINGLE);
    check(Decode::new(&few), |v| instructions(v, "insn"));
}

#[test]
fn execute() {
    lanes!(Execute);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Execute::<4>::new(&few), exist(&few));
    check(Execute::<32>::new(&shape(32, 1, SINGLE)), |v| limit(v, "warp", 1));
}

#[test]
fn csr_check() {
    check(CsrCheck::new(&config(4, 2, |_| {})), |_| {});
    check(CsrCheck::new(&config(4, 2, small)), |_| {});
}

/// Half of the CSR numbers exist. A write begins a walk over the counters,
/// during which there is no other. What traps or returns does not write.
fn accesses(warps: usize) -> impl FnMut(&mut Vector) {
    let mut cycle = 0;
    move |v| {
        limit(v, "warp", warps);
        let numbers: Vec<String> =
            v.paths().filter(|path| path.contains("number")).map(str::to_owned).collect();
        for path in numbers {
            let at = v.get(&path) as usize;
            if at.is_multiple_of(2) {
                v.set(&path, CSRS[at / 2 % CSRS.len()].into());
            }
        }
        let others = v.get("trap") | v.get("mret");
        v.set("csr_write", if cycle % 16 == 0 { v.get("csr_write") & !others } else { 0 });
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
    let long = |file, warps| check_long(file, 1600, accesses(warps));
    check(CsrFile::<1>::new(&config(1, 1, |_| {})), accesses(1));
    long(CsrFile::<4>::new(&config(4, 8, |_| {})), 8);
    long(CsrFile::<4>::new(&config(4, 2, |raw| raw.counters = Some("warp".into()))), 2);
    check(CsrFile::<4>::new(&config(4, 2, small)), accesses(2));
}

#[test]
fn resolve() {
    lanes!(Resolve);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Resolve::<4>::new(&few), exist(&few));
    check(Resolve::<32>::new(&shape(32, 1, SINGLE)), |v| limit(v, "warp", 1));
}

#[test]
fn commit() {
    lanes!(Commit);
    let few = CoreShape::new(&config(4, 2, small), SINGLE);
    check(Commit::<4>::new(&few), exist(&few));
}

#[test]
fn devices() {
    check(Devices::<1>::new(&config(1, 1, |_| {})), |v| limit(v, "warp", 1));
    check(Devices::<4>::new(&config(4, 8, |_| {})), |v| limit(v, "warp", 8));
    check(Devices::<4>::new(&config(4, 8, small)), |v| limit(v, "warp", 8));
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
    for unit in [SINGLE, DOUBLE] {
        let barrel = CoreShape::new(&config(4, 2, |raw| raw.bypass = Some("none".into())), unit);
        check(Loads::<4>::new(&barrel), replies(&barrel));
    }
    let few = CoreShape::new(&config(4, 8, small), SINGLE);
    check(Loads::<4>::new(&few), replies(&few));
}
