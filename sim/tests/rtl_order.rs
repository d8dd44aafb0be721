//! Order quality: what a unit issues, against the emulator's (depth, PC)
//! policy, which always runs the path that should run. `arbiter` must issue
//! exactly that; `hct` may lag a little while its cold table sorts.
//!
//! Needs `scripts/kernels.sh --size 8 --out target/kernels-small`;
//! `scripts/test.sh` runs it. `lab units` reports the full sizes.

use hdl::config::{CoreConfig, RawConfig};
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;
use rayon::prelude::*;
use serde::Deserialize;
use sim::limits::{Outcome, Stuck};
use sim::policy::PolicyKind;
use sim::program::{Program, Segment};
use sim::rtl::{self, RunOptions, Timing};
use sim::warp;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 20_000_000;

fn config(t: u32, w: u32, unit: &str, cct: Option<&str>, program: &Program) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(w.to_string()),
        divergence: Some(unit.into()),
        cct: cct.map(Into::into),
        ..RawConfig::default()
    };
    let mut config = raw.validate().unwrap();
    config.reset_pc = program.entry.unwrap();
    config
}

/// Warp instructions of the emulator, to the same end.
fn ideal(config: &CoreConfig, program: &Program) -> (u64, Outcome) {
    let options = warp::RunOptions {
        policy: PolicyKind::DepthPc,
        max_instructions: LIMIT,
        observer: Some(&mut |_| Ok(())),
        console: &mut |_| (),
    };
    let report = warp::run(config, program, options);
    (report.stats.warp_instructions, report.outcome)
}

fn issued(config: &CoreConfig, program: &Program) -> (u64, Outcome) {
    let mut core = rtl::build(config).unwrap();
    let options = RunOptions {
        timing: Timing { latency: 1, jitter: 0, seed: 1 },
        max_instructions: LIMIT,
        max_cycles: LIMIT,
        lockstep: true,
        observer: None,
        console: &mut |_| (),
        dump: None,
    };
    let report = rtl::run(core.as_mut(), config, program, options);
    (report.stats.run.warp_instructions, report.outcome)
}

/// Extra instructions of `hct`, as a part of the ideal; `arbiter` has none.
fn extra(t: u32, w: u32, cct: &str, program: &Program) -> Result<f64, String> {
    let exact = config(t, w, "arbiter", None, program);
    let (ideal, end) = ideal(&exact, program);
    let (arbiter, other) = issued(&exact, program);
    if (arbiter, &other) != (ideal, &end) {
        return Err(format!("arbiter issues {arbiter} ({other:?}), ideal {ideal} ({end:?})"));
    }
    let (hct, other) = issued(&config(t, w, "hct", Some(cct), program), program);
    if other != end {
        return Err(format!("hct ends with {other:?}, the emulator with {end:?}"));
    }
    Ok(hct as f64 / ideal as f64 - 1.0)
}

#[derive(Deserialize, Clone)]
struct Kernel {
    name: String,
    order: String,
    progress: String,
    elf: PathBuf,
}

#[test]
fn arbiter_is_exact_and_hct_close_on_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("target/kernels-small/index.json"))
        .expect("scripts/kernels.sh --size 8 --out target/kernels-small comes first");
    let mut kernels: Vec<Kernel> = serde_json::from_str(&text).unwrap();
    // Where warps race, timing decides what is issued, not order. The runtime
    // ends in a parking barrier that only hart 0 waits at.
    kernels.retain(|k| k.order == "free" && k.progress == "none");
    assert!(kernels.len() >= 14, "{} kernels", kernels.len());
    let jobs = kernels.into_par_iter().flat_map(|k| [(k.clone(), 8), (k, 16)]);
    let wrong: Vec<String> = jobs
        .filter_map(|(k, t)| {
            let program =
                Program::load(&root.join("target/kernels-small").join(&k.elf), 16 << 20).unwrap();
            match extra(t, 8, "sweep", &program) {
                Ok(extra) if extra <= 0.05 => None,
                Ok(extra) => Some(format!("{} at T = {t}: {:.1} % extra", k.name, 100.0 * extra)),
                Err(why) => Some(format!("{} at T = {t}: {why}", k.name)),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Threaded code: 32 blocks of 1 to 8 additions, each ending in its own
/// computed jump to a pseudo-random block, so that the threads of a warp stand
/// at as many places as it has threads. Every thread parks after `STEPS`.
fn many_paths() -> Program {
    const BLOCKS: u32 = 32;
    const WORDS: u32 = 18;
    const STEPS: i32 = 150;
    let op = Insn::encode;
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Addi, 8, 0, 0, STEPS),
        op(Op::Lui, 9, 0, 0, 0x41c6_4000),
        op(Op::Addi, 9, 9, 0, 0x66d),
        op(Op::Addi, 11, 0, 0, 4 * WORDS as i32),
        op(Op::Auipc, 10, 0, 0, 0),
        op(Op::Addi, 10, 10, 0, 12),
        op(Op::Jal, 0, 0, 0, 4),
    ];
    for block in 0..BLOCKS {
        let first = code.len();
        for _ in 0..1 + block % 8 {
            code.push(op(Op::Addi, 6, 6, 0, 1));
        }
        code.push(op(Op::Addi, 8, 8, 0, -1));
        code.push(op(Op::Bne, 0, 8, 0, 12));
        code.push(op(Op::Wfi, 0, 0, 0, 0));
        code.push(op(Op::Jal, 0, 0, 0, -4));
        code.push(op(Op::Mul, 5, 5, 9, 0));
        code.push(op(Op::Addi, 5, 5, 0, 0x345));
        code.push(op(Op::Srli, 7, 5, 0, 27));
        code.push(op(Op::Mul, 7, 7, 11, 0));
        code.push(op(Op::Add, 7, 7, 10, 0));
        code.push(op(Op::Jalr, 0, 7, 0, 0));
        assert!(code.len() - first <= WORDS as usize);
        code.resize(first + WORDS as usize, op(Op::Addi, 0, 0, 0, 0));
    }
    let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![Segment { addr: RAM_BASE, bytes }],
        tohost: RAM_BASE + 0x10_0000,
        ..Program::default()
    }
}

#[test]
fn many_paths_cost_hct_at_most_a_tenth() {
    let program = many_paths();
    let (_, end) = ideal(&config(8, 1, "hct", None, &program), &program);
    assert_eq!(end, Outcome::Stuck(Stuck::AllParked));
    for (t, w, cct) in [(8, 1, "sweep"), (8, 8, "sweep"), (16, 1, "sweep"), (16, 8, "sweep")] {
        let extra = extra(t, w, cct, &program).unwrap();
        println!("T = {t}, W = {w}, {cct}: {:.2} % extra", 100.0 * extra);
        assert!(extra <= 0.10, "T = {t}, W = {w}: {:.1} % extra", 100.0 * extra);
    }
    for (t, w) in [(8, 1), (8, 8), (16, 1), (16, 8)] {
        let extra = extra(t, w, "paper", &program).unwrap();
        println!("T = {t}, W = {w}, paper: {:.2} % extra", 100.0 * extra);
        assert!(extra <= 0.35, "T = {t}, W = {w}: {:.1} % extra", 100.0 * extra);
    }
}
