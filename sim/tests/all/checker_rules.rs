//! What lockstep tolerates and for how long: values that come later, words
//! stored since a `fence.i`, counters.

use crate::common::records::{Recorded, everything};
use crate::common::{Asm, DATA};
use hdl::isa::{Insn, Op, csr};
use sim::policy::PolicyKind;
use sim::record::{MAX_LANES, Record, lanes};

fn op(r: &Record) -> Op {
    Insn::decode(r.insn, hdl::config::Isa::Rv32ima).op
}

#[test]
fn open_records_are_compared_when_their_values_come() {
    let run = Recorded::new(&everything(), 4, 2, PolicyKind::DepthPc);
    let late = |r: &Record| matches!(op(r), Op::Lw | Op::Mul | Op::Divu | Op::Amoadd);
    let positions: Vec<_> = (0..run.records.len())
        .filter(|i| late(&run.records[*i]) && run.records[*i].done != 0)
        .collect();
    assert!(positions.len() >= 10);
    for at in positions {
        let given = &run.records[at];
        let mut open = given.clone();
        (open.open, open.rd_values) = (true, [0; MAX_LANES]);
        let start = || {
            let mut checker = run.checker();
            for r in run.records[..at].iter().chain([&open]) {
                checker.check(r).unwrap();
            }
            checker
        };
        let (warp, rd, done, values) = (given.warp, given.rd, given.done, &given.rd_values);
        let mut checker = start();
        let why = checker.finish().unwrap_err();
        assert!(why.contains(&format!("x{rd} of warp {warp} was never written back")), "{why}");
        checker.complete(warp, rd, done, values).unwrap();
        assert_eq!(checker.finish(), Ok(()));
        assert!(checker.complete(warp, rd, done, values).is_err(), "twice");

        // Lane by lane, and one lane is missing until the end.
        let mut checker = start();
        for lane in lanes(done) {
            assert!(checker.finish().is_err());
            checker.complete(warp, rd, 1 << lane, values).unwrap();
        }
        checker.finish().unwrap();
        for lane in lanes(done) {
            let mut wrong = *values;
            wrong[lane] ^= 0x100;
            let why = start().complete(warp, rd, done, &wrong).unwrap_err();
            assert!(why.contains(&format!("lane {lane}: engine {:#010x}", wrong[lane])), "{why}");
        }
        assert!(start().complete(warp, rd ^ 1, done, values).is_err(), "another register");
        assert!(start().complete(warp ^ 1, rd, done, values).is_err(), "another warp");
        let more = done | 1 << 63;
        assert!(start().complete(warp, rd, more, values).is_err(), "a lane too many");
    }
}

/// Replaces `addi x8, x0, 1` by `addi x8, x0, 2`, runs it, fences, runs it.
fn patching() -> Asm {
    let mut asm = Asm::default();
    asm.la(5, "patched").li(6, Insn::encode(Op::Addi, 8, 0, 0, 2)).op(Op::Sw, 0, 5, 6, 0);
    asm.to(Op::Jal, 1, 0, "patched").op(Op::FenceI, 0, 0, 0, 0).to(Op::Jal, 1, 0, "patched");
    asm.exit(0).label("patched").addi(8, 0, 1).op(Op::Jalr, 0, 1, 0, 0);
    asm
}

#[test]
fn a_stored_word_may_be_stale_until_the_fence() {
    for lanes in [1, 4] {
        let run = Recorded::new(&patching(), lanes, 1, PolicyKind::DepthPc);
        assert_eq!(run.check(&run.records), None);
        let patched: Vec<_> = (0..run.records.len()).filter(|i| run.records[*i].rd == 8).collect();
        let [before, after] = patched[..] else { panic!("executed twice: {patched:?}") };
        let stale = |at: usize| {
            let mut records = run.records.clone();
            records[at].insn = Insn::encode(Op::Addi, 8, 0, 0, 1);
            records[at].rd_values.fill(1);
            run.check(&records)
        };
        assert_eq!(stale(before), None);
        let (at, why) = stale(after).unwrap();
        assert_eq!(at, after);
        assert!(why.starts_with("lockstep: instruction differs: engine 0x100413, golden 0x200413"));
        // A word that nobody stored is never stale.
        let mut records = run.records.clone();
        records[before + 1].insn ^= 1 << 20;
        assert_eq!(run.check(&records).map(|(i, _)| i), Some(before + 1));
    }
}

#[test]
fn a_fence_counts_for_its_own_thread_only() {
    // Hart 1 fences after the store, hart 0 does not; then both execute it.
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 4, 0, 0, csr::MHARTID.into()).la(5, "patched");
    asm.li(6, Insn::encode(Op::Addi, 8, 0, 0, 2)).op(Op::Sw, 0, 5, 6, 0);
    asm.to(Op::Beq, 4, 0, "patched").op(Op::FenceI, 0, 0, 0, 0);
    asm.label("patched").addi(8, 0, 1).exit(0);
    let run = Recorded::new(&asm, 2, 1, PolicyKind::DepthPc);
    let together = run.records.iter().position(|r| r.rd == 8).unwrap();
    assert_eq!(run.records[together].path.mask, 3);
    let mut records = run.records.clone();
    records[together].insn = Insn::encode(Op::Addi, 8, 0, 0, 1);
    records[together].rd_values = [1; MAX_LANES];
    assert_eq!(run.check(&records).map(|(i, _)| i), Some(together));
}

/// Reads a counter, does something, reads it again.
fn counting(number: u16, between: impl Fn(&mut Asm)) -> Recorded {
    let mut asm = Asm::default();
    asm.li(10, DATA).op(Op::Csrrs, 20, 0, 0, number.into());
    between(&mut asm);
    asm.op(Op::Csrrs, 20, 0, 0, number.into()).exit(0);
    Recorded::new(&asm, 2, 1, PolicyKind::DepthPc)
}

/// Where a second reading is refused that is less than the first.
fn backwards(run: &Recorded) -> Option<usize> {
    assert_eq!(run.check(&run.records), None);
    let mut records = run.records.clone();
    let reads: Vec<_> = (0..records.len()).filter(|i| records[*i].rd == 20).collect();
    // Any values will do as long as they do not decrease ...
    records[reads[0]].rd_values[1] = 1000;
    records[reads[1]].rd_values[1] = 1000;
    assert_eq!(run.check(&records), None);
    // ... each thread by itself.
    records[reads[1]].rd_values[1] = 999;
    let found = run.check(&records);
    if let Some((at, why)) = &found {
        assert_eq!(*at, reads[1]);
        assert!(why.starts_with("lockstep: counter differs") && why.contains("lane 1"), "{why}");
    }
    found.map(|(at, _)| at)
}

#[test]
fn counters_never_run_backwards() {
    for number in [csr::MCYCLE, csr::CYCLE, csr::TIME, csr::MHPMCOUNTER3, 0xb04, 0xc08] {
        assert!(backwards(&counting(number, |_| ())).is_some(), "{number:#x}");
    }
    let write = |number: u16| {
        move |asm: &mut Asm| {
            asm.op(Op::Csrrwi, 0, 3, 0, number.into());
        }
    };
    // Another CSR makes no difference; setting the counter does.
    assert!(backwards(&counting(csr::MCYCLE, write(csr::MSCRATCH))).is_some());
    assert!(backwards(&counting(csr::MCYCLE, write(csr::MCYCLE))).is_none());
    assert!(backwards(&counting(csr::MCYCLE, write(csr::MCOUNTINHIBIT))).is_none());
}

/// A counter whose value comes late: it is what the thread has from then on, and must not
/// be less than before.
#[test]
fn a_counter_may_come_late() {
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 20, 0, 0, csr::MCYCLE.into());
    asm.op(Op::Csrrs, 20, 0, 0, csr::MCYCLE.into()).addi(21, 20, 3).exit(0);
    let run = Recorded::new(&asm, 2, 1, PolicyKind::DepthPc);
    let check = |second: u32| {
        let mut checker = run.checker();
        let mut value = [1000; MAX_LANES];
        for given in &run.records {
            let mut r = given.clone();
            if r.rd == 20 {
                (r.open, r.rd_values) = (true, [0; MAX_LANES]);
            } else if r.rd == 21 {
                r.rd_values = [1003, second + 3].repeat(MAX_LANES / 2).try_into().unwrap();
            }
            checker.check(&r).map_err(|why| why.to_string())?;
            if r.rd == 20 {
                checker.complete(r.warp, 20, 1, &value)?;
                checker.complete(r.warp, 20, 2, &value)?;
                value[1] = second;
            }
        }
        checker.finish()
    };
    assert_eq!(check(1000), Ok(()));
    assert_eq!(check(1001), Ok(()));
    let why = check(999).unwrap_err();
    assert!(why.contains("lane 1: counter 0x3e7, at least 0x3e8"), "{why}");
}

#[test]
fn instret_is_known_exactly() {
    let run = counting(csr::MINSTRET, |_| ());
    let mut records = run.records.clone();
    let second = (0..records.len()).filter(|i| records[*i].rd == 20).nth(1).unwrap();
    records[second].rd_values[0] += 1;
    assert_eq!(run.check(&records).map(|(i, _)| i), Some(second));
}
