//! Lockstep finds every kind of wrong record, at every place of a run.
#![allow(clippy::unit_arg, reason = "a fault is one expression")]

use crate::common::records::{Recorded, everything};
use hdl::isa::{Insn, Op, csr};
use sim::policy::PolicyKind;
use sim::record::{Record, lanes};

fn recorded(policy: PolicyKind) -> Recorded {
    Recorded::new(&everything(), 4, 2, policy)
}

fn first(mask: u64) -> Option<usize> {
    lanes(mask).next()
}

fn last(mask: u64) -> Option<usize> {
    lanes(mask).last()
}

fn insn(r: &Record) -> Insn {
    Insn::decode(r.insn, hdl::config::Isa::Rv32ima)
}

/// Does the record hold register values that the model can know?
fn has_value(r: &Record) -> bool {
    let i = insn(r);
    r.rd != 0 && !(i.op == Op::Csrrs && i.imm == i32::from(csr::MCYCLE))
}

/// Does the lane access memory? An SC without reservation does not.
fn accesses(r: &Record, lane: usize) -> bool {
    r.has_access && (insn(r).op != Op::Sc || r.access.enable[lane] != 0)
}

/// Makes a record wrong, `None` where the field does not matter.
type Fault = fn(&mut Record) -> Option<()>;

/// Name, fault, and at how many places at least it must be tried.
const FAULTS: &[(&str, Fault, usize)] = &[
    ("path pc", |r| Some(r.path.pc ^= 4), 100),
    ("path depth", |r| Some(r.path.depth += 1), 100),
    ("path loses its leader", |r| Some(r.path.mask &= r.path.mask - 1), 100),
    ("path gains a lane", |r| Some(r.path.mask |= 1 << first(!r.path.mask & 15)?), 20),
    ("path beyond T", |r| Some(r.path.mask |= 16), 100),
    ("no warp", |r| Some(r.warp = 2), 100),
    ("instruction", |r| Some(r.insn ^= 0x80), 100),
    ("done, first", |r| Some(r.done ^= 1 << first(r.path.mask)?), 100),
    ("done, last", |r| Some(r.done ^= 1 << last(r.path.mask)?), 100),
    ("trapped", |r| Some(r.trapped ^= 1 << last(r.path.mask)?), 100),
    ("cause", |r| first(r.trapped).map(|_| r.cause ^= 1), 4),
    ("tval", |r| last(r.trapped).map(|l| r.tval[l] ^= 4), 4),
    ("rd", |r| Some(r.rd ^= 1), 100),
    ("first value", |r| first(r.done).filter(|_| has_value(r)).map(|l| r.rd_values[l] ^= 1), 50),
    (
        "last value",
        |r| last(r.done).filter(|_| has_value(r)).map(|l| r.rd_values[l] ^= 1 << 31),
        50,
    ),
    ("address", |r| last(r.done).filter(|l| accesses(r, *l)).map(|l| r.access.addr[l] ^= 4), 30),
    (
        "byte address",
        |r| first(r.done).filter(|l| accesses(r, *l)).map(|l| r.access.addr[l] ^= 1),
        30,
    ),
    (
        "data",
        |r| {
            let lane = last(r.done).filter(|l| r.access.enable[*l] != 0)?;
            Some(r.access.data[lane] ^= 1 << (8 * r.access.enable[lane].trailing_zeros()))
        },
        20,
    ),
    ("enable", |r| last(r.done).filter(|_| r.has_access).map(|l| r.access.enable[l] ^= 4), 30),
    (
        "store of a thread that replays",
        |r| {
            let lane = first(!r.done & 15).filter(|_| r.has_access)?;
            Some(r.access.enable[lane] = 15)
        },
        10,
    ),
    ("write", |r| r.has_access.then(|| r.access.write ^= true), 30),
    ("request", |r| Some(r.has_access ^= true), 100),
    ("go pc", |r| first(r.go.mask).map(|_| r.go.pc ^= 4), 100),
    ("go depth", |r| first(r.go.mask).map(|_| r.go.depth += 1), 100),
    ("go mask loses", |r| last(r.go.mask).map(|l| r.go.mask ^= 1 << l), 100),
    ("go mask gains", |r| first(!r.go.mask & 15).map(|l| r.go.mask |= 1 << l), 20),
    ("other pc", |r| first(r.other.mask).map(|_| r.other.pc ^= 4), 10),
    ("other depth", |r| first(r.other.mask).map(|_| r.other.depth += 1), 10),
    ("other mask loses", |r| last(r.other.mask).map(|l| r.other.mask ^= 1 << l), 10),
    ("in both", |r| last(r.other.mask).map(|l| r.go.mask |= 1 << l), 10),
    ("park", |r| Some(r.events.park ^= 1 << first(r.path.mask)?), 100),
    ("replay", |r| Some(r.events.replay ^= 1 << last(r.path.mask)?), 100),
    ("hint", |r| Some(r.events.hint ^= true), 100),
    ("wake", |r| Some(r.events.wake ^= true), 100),
    ("diverge", |r| Some(r.events.diverge ^= true), 100),
    ("cycle", |r| r.cycle.checked_sub(1).map(|c| r.cycle = c), 100),
];

#[test]
fn a_true_run_passes() {
    for (policy, ..) in PolicyKind::ALL {
        for (lanes, warps) in [(1, 1), (2, 4), (4, 2), (16, 1), (64, 1)] {
            let run = Recorded::new(&everything(), lanes, warps, policy);
            assert_eq!(run.check(&run.records), None, "{policy:?} T={lanes}");
        }
    }
}

#[test]
fn every_wrong_field_is_found_in_its_record() {
    for policy in [PolicyKind::DepthPc, PolicyKind::Minority] {
        let run = recorded(policy);
        for (name, fault, places) in FAULTS {
            let mut tried = 0;
            for at in 0..run.records.len() {
                let mut wrong = run.records[at].clone();
                let Some(()) = fault(&mut wrong) else { continue };
                tried += 1;
                let found = run.check(run.records[..at].iter().chain([&wrong]));
                let place = format!("{name} of record {at}: {:?}", run.records[at].path);
                let (found, why) = found.unwrap_or_else(|| panic!("{place} is not found"));
                assert_eq!(found, at, "{place}: {why}");
                assert!(why.starts_with("lockstep: ") && why.contains(", cycle "), "{why}");
            }
            assert!(tried >= *places, "{name}: only {tried} places");
        }
    }
}

/// Numbers cycles anew, so that nothing but the contents is wrong.
fn restamp(mut records: Vec<Record>) -> Vec<Record> {
    for (cycle, record) in (0..).zip(&mut records) {
        record.cycle = cycle;
    }
    records
}

#[test]
fn lost_doubled_and_swapped_records_are_found() {
    let run = recorded(PolicyKind::DepthPc);
    let all = &run.records;
    let meets = |a: &Record, b: &Record| a.warp == b.warp && a.path.mask & b.path.mask != 0;
    for at in 0..all.len() {
        let ends = !all[at + 1..].iter().any(|r| meets(r, &all[at]));
        let mut lost = all.clone();
        lost.remove(at);
        assert!(ends || run.check(&lost).is_some(), "record {at} lost");
        let mut doubled = all.clone();
        doubled.insert(at, all[at].clone());
        assert_eq!(run.check(&doubled).map(|(i, _)| i), Some(at + 1), "record {at} doubled");
        assert_eq!(run.check(&restamp(doubled)).map(|(i, _)| i), Some(at + 1), "doubled {at}");
        let mut swapped = all.clone();
        if at + 1 < all.len() {
            swapped.swap(at, at + 1);
            assert!(run.check(&swapped).is_some_and(|(i, _)| i <= at + 1), "{at} swapped");
        }
        // The next record of the same threads instead of this one.
        if let Some(next) = (at + 1..all.len()).find(|i| meets(&all[*i], &all[at])) {
            let mut swapped = all.clone();
            swapped.swap(at, next);
            assert!(run.check(&restamp(swapped)).is_some(), "{at} and {next} swapped");
        }
        let mut moved = all.clone();
        moved[at].warp ^= 1;
        assert!(ends || run.check(&moved).is_some(), "record {at} of another warp");
    }
}

#[test]
fn a_report_names_what_differs() {
    let run = recorded(PolicyKind::DepthPc);
    let is_load = |r: &&Record| insn(r).op == Op::Lhu && r.warp == 1;
    let mut wrong = run.records.iter().find(is_load).unwrap().clone();
    wrong.rd_values[2] = 0x77;
    let before = run.records.iter().take_while(|r| r.cycle < wrong.cycle);
    let (_, why) = run.check(before.chain([&wrong])).unwrap();
    let lines: Vec<_> = why.lines().map(str::trim).collect();
    assert_eq!(lines[0], "lockstep: register value differs: engine 0x00000077, golden 0x0000015b");
    assert!(
        lines[1].starts_with("at 0x80000") && lines[1].ends_with(">: lhu x16, 2(x10)"),
        "{why}"
    );
    assert!(lines[2].starts_with("warp 1, lane 2, cycle "), "{why}");
    assert_eq!((lines[3], lines.len()), ("before it in this warp:", 4 + 20));
    assert!(lines.last().unwrap().ends_with("lb x15, 1(x10)"), "{why}");
}
