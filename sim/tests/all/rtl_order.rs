//! Order quality: what a unit issues, against the emulator's (depth, PC)
//! policy, which always runs the path that should run. `arbiter` must issue
//! exactly that; `hct` may lag a little while its cold table sorts.
//!
//! Needs `scripts/kernels-small.sh`;
//! `scripts/test.sh` runs it. `lab units` reports the full sizes.

use hdl::config::{CoreConfig, RawConfig};
use rayon::prelude::*;
use serde::Deserialize;
use sim::lab::many_paths::WORST;
use sim::limits::{Outcome, Stuck};
use sim::policy::PolicyKind;
use sim::program::Program;
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
        timing: Timing::default(),
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
        .expect("scripts/kernels-small.sh comes first");
    let mut kernels: Vec<Kernel> = serde_json::from_str(&text).unwrap();
    // Where warps race, timing decides what is issued, not order.
    kernels.retain(|k| k.order == "free" && k.progress != "lock");
    assert!(kernels.len() >= 16, "{} kernels", kernels.len());
    let jobs = kernels.into_par_iter().flat_map(|k| [(k.clone(), 8), (k, 16)]);
    let wrong: Vec<String> = jobs
        .filter_map(|(k, t)| {
            let program =
                Program::load(&root.join("target/kernels-small").join(&k.elf), 16 << 20).unwrap();
            match extra(t, 8, "rows", &program) {
                Ok(extra) if extra <= 0.05 => None,
                Ok(extra) => Some(format!("{} at T = {t}: {:.1} % extra", k.name, 100.0 * extra)),
                Err(why) => Some(format!("{} at T = {t}: {why}", k.name)),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `hct` issues too early costs dearly here, the more the more warps share its
/// one machine.
#[test]
fn many_paths_cost_little() {
    let [short, long, joins] = WORST;
    let settings = [
        (short, 8, 1, 0.01),
        (short, 16, 1, 0.01),
        (short, 8, 8, 0.05),
        (short, 16, 8, 0.05),
        (long, 16, 8, 0.05),
        (joins, 8, 8, 0.06),
        (joins, 16, 8, 0.06),
    ];
    settings.into_par_iter().for_each(|(shape, t, w, most)| {
        let program = shape.program();
        let (_, end) = ideal(&config(t, w, "hct", None, &program), &program);
        assert_eq!(end, Outcome::Stuck(Stuck::AllParked));
        let cost = |cct| extra(t, w, cct, &program).unwrap();
        let (rows, paper) = (cost("rows"), cost("paper"));
        let text = format!("{}, T = {t}, W = {w}: {rows:.3}, paper {paper:.3}", shape.name());
        println!("{text}");
        // (A single warp has time to look at all its paths either way.)
        assert!(rows <= most && (w == 1 || rows <= paper.max(0.0)), "{text}");
        // Or the program says nothing about order.
        let bad = if t < 16 { 0.02 } else { 0.15 };
        assert!(w == 1 || shape.length > 1 || paper > bad, "{text}");
    });
}
