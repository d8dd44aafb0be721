//! The harness around a core, end to end, with a core that is no hardware: it
//! must pass what is right and name what is wrong.

use crate::common;
use crate::common::fake::{Fake, Fault};
use crate::common::records::everything;
use crate::common::{Asm, DATA, Place};
use hdl::config::{CoreConfig, RawConfig};
use hdl::isa::{Op, csr};
use sim::limits::{Outcome, Stuck};
use sim::policy::PolicyKind;
use sim::program::Program;
use sim::report;
use sim::rtl::{self, Report, RunOptions, Timing};
use sim::warp;
use std::fs;

struct Job {
    config: CoreConfig,
    program: Program,
    timing: Timing,
    pipes: usize,
    lockstep: bool,
    max_cycles: u64,
    fault: (Fault, u64),
}

impl Job {
    fn new(asm: &Asm, shape: [u32; 2]) -> Job {
        Job::with(asm, shape, |_| ())
    }

    fn with(asm: &Asm, [t, w]: [u32; 2], edit: impl Fn(&mut RawConfig)) -> Job {
        let place = Place::new();
        fs::write(place.at("p.elf"), asm.elf().bytes()).unwrap();
        let mut raw = RawConfig {
            threads_per_warp: Some(t.to_string()),
            warps: Some(w.to_string()),
            ram_size: Some("16K".into()),
            ..RawConfig::default()
        };
        edit(&mut raw);
        let config = raw.validate().unwrap();
        let program = Program::load(&place.at("p.elf"), config.ram_size).unwrap();
        let timing = Timing::default();
        let fault = (Fault::None, 0);
        Job { config, program, timing, pipes: 1, lockstep: true, max_cycles: 1 << 20, fault }
    }

    fn run_with(&self, console: &mut dyn FnMut(&[u8])) -> Report {
        let fake = Fake::new(&self.config, &self.program, self.pipes);
        let mut core = fake.with(self.fault.0, self.fault.1);
        let options = RunOptions {
            timing: self.timing,
            max_instructions: 1 << 30,
            max_cycles: self.max_cycles,
            lockstep: self.lockstep,
            observer: None,
            console,
            dump: None,
        };
        rtl::run(&mut core, &self.config, &self.program, options)
    }

    fn run(&self) -> Report {
        self.run_with(&mut |_| ())
    }

    fn text(&self, report: &Report) -> String {
        report::describe(&report.warps, &self.program, Some(PolicyKind::DepthPc))
    }
}

const TIMINGS: [(u32, u32); 4] = [(1, 0), (20, 0), (1, 49), (3, 2)];

#[test]
fn a_right_core_passes_whatever_the_latency() {
    let asm = everything();
    for shape in [[1, 1], [1, 8], [4, 1], [4, 8], [8, 2], [32, 2], [64, 1]] {
        for (seed, (latency, jitter)) in (1..).zip(TIMINGS) {
            for pipes in [1, 2] {
                let mut job = Job::new(&asm, shape);
                job.timing = Timing { latency, jitter, seed, ..Timing::default() };
                job.pipes = pipes;
                let report = job.run();
                let what = format!("{shape:?} {latency}:{jitter} pipes {pipes}");
                assert_eq!(report.outcome, Outcome::Exit(0), "{what}");
                let golden = &report.checker.unwrap();
                assert!(golden.records > 60, "{what}");
                assert_eq!(
                    report.platform.ram.words()[0x800..],
                    golden.model().platform.ram.words()[0x800..],
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn parked_threads_are_woken() {
    for shape in [[1, 8], [4, 2], [64, 1]] {
        for lockstep in [true, false] {
            let mut job = Job::new(&waker(), shape);
            job.lockstep = lockstep;
            assert_eq!(job.run().outcome, Outcome::Exit(0), "{shape:?}");
        }
    }
}

#[test]
fn without_lockstep_it_runs_the_same() {
    let mut job = Job::new(&everything(), [4, 2]);
    job.timing = Timing { latency: 2, jitter: 9, seed: 3, ..Timing::default() };
    let watched = job.run();
    job.lockstep = false;
    let free = job.run();
    assert_eq!(free.outcome, Outcome::Exit(0));
    assert_eq!(free.stats, watched.stats);
    assert!(free.checker.is_none());
}

/// One warp by the order of depth-pc: the emulator's numbers.
#[test]
fn it_counts_what_the_emulator_counts() {
    for t in [1, 4, 32] {
        let job = Job::new(&everything(), [t, 1]);
        let report = job.run();
        let emu = warp::run(
            &job.config,
            &job.program,
            warp::RunOptions {
                policy: PolicyKind::DepthPc,
                max_instructions: 1 << 30,
                observer: None,
                console: &mut |_| (),
            },
        );
        assert_eq!(report.stats.run, emu.stats, "T={t}");
        let json = report.stats.to_json(serde_json::Value::Null);
        let number = |path: &str| json.pointer(path).unwrap().as_u64().unwrap();
        assert_eq!(number("/cycles"), report.stats.cycles);
        assert_eq!(number("/issue/slots"), report.stats.cycles);
        let causes = json["issue"]["idle"].as_object().unwrap().values();
        let idle: u64 = causes.map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(idle + number("/issue/issued"), report.stats.cycles);
        let passes = number("/warp_instructions");
        assert_eq!(json["warp_ipc"], passes as f64 / report.stats.cycles as f64);
        assert!(number("/fetches") >= passes && number("/issue/issued") >= passes);
    }
}

/// Hart 0 parks, and ends the run when the others have woken it.
fn waker() -> Asm {
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 5, 0, 0, csr::MHARTID.into()).to(Op::Beq, 5, 0, "park");
    asm.addi(6, 0, 99).label("late").addi(6, 6, -1).to(Op::Bne, 6, 0, "late");
    asm.li(7, hdl::platform::WAKE).addi(8, 0, 1).op(Op::Sw, 0, 7, 8, 0);
    asm.label("park").op(Op::Wfi, 0, 0, 0, 0).exit(0);
    asm
}

#[test]
fn every_fault_is_named() {
    for (fault, about) in [
        (Fault::Value, "register value differs"),
        (Fault::LateValue, "lane 0: engine"),
        (Fault::StrayLate, "nothing is outstanding"),
        (Fault::DoneMask, "threads that completed differs"),
        (Fault::NextPc, "next PC differs"),
        (Fault::Instruction, "instruction differs"),
        (Fault::Cause, "trap cause differs"),
        (Fault::StoreData, "data 0x"),
        (Fault::StoreEnable, "byte enables"),
        (Fault::NoRequest, "retires without its request"),
        (Fault::StrayRequest, "a request that no retired instruction made"),
        (Fault::Outside, "not in RAM"),
        (Fault::NoWake, "event wake differs"),
    ] {
        let wakes = fault == Fault::NoWake;
        let (asm, shape) = if wakes { (waker(), [1, 2]) } else { (everything(), [4, 2]) };
        let mut job = Job::new(&asm, shape);
        job.fault = (fault, 5);
        match job.run().outcome {
            Outcome::Mismatch(why) => assert!(why.contains(about), "{fault:?}: {why}"),
            other => panic!("{fault:?}: {other:?}"),
        }
    }
}

#[test]
fn a_lost_load_is_missed_at_the_end() {
    // Nobody uses the register, so the program ends all the same.
    let mut asm = Asm::default();
    asm.li(10, DATA).op(Op::Lw, 11, 10, 0, 0).exit(0);
    let mut job = Job::new(&asm, [2, 1]);
    job.timing.latency = 30;
    assert_eq!(job.run().outcome, Outcome::Exit(0), "it comes after the end");
    job.fault = (Fault::LostLate, 0);
    let why = "lockstep: x11 of warp 0 was never written back (lanes 0x3)".to_string();
    assert_eq!(job.run().outcome, Outcome::Mismatch(why));
}

#[test]
fn a_bus_error_ends_the_run() {
    let mut job = Job::new(&everything(), [4, 2]);
    job.fault = (Fault::Bus, 10);
    let outcome = job.run().outcome;
    let Outcome::Error(why) = &outcome else { panic!("{outcome:?}") };
    assert!(why.starts_with("bus error (cycle "), "{why}");
}

#[test]
fn a_hang_names_warps_and_places() {
    let mut job = Job::new(&everything(), [4, 2]);
    job.fault = (Fault::Hang, 10);
    for lockstep in [true, false] {
        job.lockstep = lockstep;
        let report = job.run();
        let Outcome::Stuck(why @ Stuck::Silent { warp: None, .. }) = &report.outcome else {
            panic!("{:?}", report.outcome)
        };
        assert!(why.to_string().starts_with("the core retires nothing for 2"), "{why}");
        let text = job.text(&report);
        assert!(text.contains("  warp 0:\n     4 threads 0x000000000000000f at 0x8000"), "{text}");
        assert!(text.contains("<start+0x") && text.contains("  warp 1:\n"), "{text}");
    }
}

#[test]
fn a_warp_that_starves_is_named() {
    // Everybody spins; warp 1 stops.
    let mut asm = Asm::default();
    asm.label("spin").addi(6, 6, 1).to(Op::Jal, 0, 0, "spin");
    let mut job = Job::new(&asm, [2, 4]);
    job.fault = (Fault::WarpHangs, 40);
    let report = job.run();
    let Outcome::Stuck(Stuck::Silent { warp, cycles }) = report.outcome else {
        panic!("{:?}", report.outcome)
    };
    assert_eq!(warp, Some(1));
    assert!(cycles > 5 * 2000 && report.stats.cycles < 5 * 3000, "{cycles}");
}

#[test]
fn spinning_is_a_livelock_even_with_jitter() {
    // Hart 0 waits for a word that nobody writes, the others for hart 0.
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 5, 0, 0, csr::MHARTID.into()).li(10, DATA).addi(11, 0, 1);
    asm.label("wait").op(Op::Lw, 6, 10, 0, 0).op(Op::Amoswap, 7, 10, 0, 0);
    asm.to(Op::Beq, 6, 0, "wait").exit(0);
    for (latency, jitter) in TIMINGS {
        let mut job = Job::new(&asm, [4, 4]);
        job.timing = Timing { latency, jitter, seed: 9, ..Timing::default() };
        let report = job.run();
        assert_eq!(report.outcome, Outcome::Stuck(Stuck::Livelock));
        let text = job.text(&report);
        assert!(text.contains("<wait") && text.contains("runs, first by the order"), "{text}");
    }
}

/// The counter makes every round another one.
#[test]
fn waiting_for_a_counter_is_no_livelock() {
    for counter in [csr::MCYCLE, csr::INSTRET] {
        let mut asm = Asm::default();
        asm.li(9, 30_000).label("wait").op(Op::Csrrs, 5, 0, 0, counter.into());
        asm.op(Op::Sltu, 5, 5, 9, 0).to(Op::Bne, 5, 0, "wait").exit(0);
        assert_eq!(Job::new(&asm, [2, 1]).run().outcome, Outcome::Exit(0), "{counter:#x}");
    }
}

#[test]
fn a_long_computation_is_no_livelock() {
    let mut asm = Asm::default();
    asm.li(9, 20_000).label("count").addi(9, 9, -1).to(Op::Bne, 9, 0, "count").exit(3);
    assert_eq!(Job::new(&asm, [2, 2]).run().outcome, Outcome::Exit(3));
}

#[test]
fn all_parked_and_the_limit() {
    let mut asm = Asm::default();
    asm.label("sleep").op(Op::Wfi, 0, 0, 0, 0).label("after").to(Op::Jal, 0, 0, "sleep");
    for lockstep in [true, false] {
        let mut job = Job::new(&asm, [2, 2]);
        job.lockstep = lockstep;
        let report = job.run();
        assert_eq!(report.outcome, Outcome::Stuck(Stuck::AllParked));
        let line = "2 threads 0x0000000000000003 at 0x80000004 <after>, depth 0: \
                    parked by the wfi before it, not woken\n";
        assert_eq!(job.text(&report), format!("  warp 0:\n     {line}  warp 1:\n     {line}"));
    }
    let mut asm = Asm::default();
    asm.label("count").addi(6, 6, 1).to(Op::Jal, 0, 0, "count");
    let mut job = Job::new(&asm, [2, 2]);
    job.max_cycles = 500;
    let report = job.run();
    assert_eq!(report.outcome, Outcome::Stuck(Stuck::Cycles(500)));
    assert_eq!(report.stats.cycles, 500);
}

#[test]
fn console_exit_codes_and_errors() {
    let mut asm = Asm::default();
    asm.li(31, common::TOHOST).li(30, hdl::platform::HTIF_CONSOLE);
    for byte in b"hi" {
        asm.op(Op::Sw, 0, 31, 30, 4).addi(29, 0, (*byte).into()).op(Op::Sw, 0, 31, 29, 0);
    }
    asm.exit(7);
    let mut said = Vec::new();
    let report = Job::new(&asm, [1, 1]).run_with(&mut |bytes| said.extend_from_slice(bytes));
    assert_eq!((report.outcome, said.as_slice()), (Outcome::Exit(7), &b"hi"[..]));
    let mut asm = Asm::default();
    asm.li(31, common::TOHOST).addi(30, 0, 5).op(Op::Sw, 0, 31, 30, 4).op(Op::Sw, 0, 31, 30, 0);
    assert!(matches!(Job::new(&asm, [1, 1]).run().outcome, Outcome::Error(_)));
    let mut asm = Asm::default();
    asm.addi(5, 0, 1).op(Op::Lw, 6, 5, 0, 0);
    for lockstep in [true, false] {
        let mut job = Job::with(&asm, [2, 1], |raw| raw.traps = Some("off".into()));
        job.lockstep = lockstep;
        let why = "hart 0 traps at 0x80000004 (cause 4, value 0x1) in a build without traps";
        assert_eq!(job.run().outcome, Outcome::Error(why.into()));
    }
}
