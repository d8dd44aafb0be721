//! The counters of the hardware against what the harness counts.

use hdl::config::RawConfig;
use hdl::isa::{Insn, Op, csr};
use hdl::platform::RAM_BASE;
use sim::program::{Program, Segment};
use sim::rtl::{self, RunOptions, Timing};

/// Rounds of the loop; each divides the warp twice and joins it twice.
const ROUNDS: i32 = 20;

/// Four threads: odd ones skip an instruction, then the upper half does; merges
/// so far are read into x9 at the end and go on to x12, and everybody parks.
fn program() -> Program {
    let op = Insn::encode;
    let code = [
        op(Op::Csrrs, 5, 0, 0, csr::MHARTID.into()),
        op(Op::Andi, 6, 5, 0, 1),
        op(Op::Andi, 7, 5, 0, 2),
        op(Op::Addi, 8, 0, 0, ROUNDS),
        op(Op::Bne, 0, 6, 0, 8),
        op(Op::Addi, 10, 10, 0, 1),
        op(Op::Bne, 0, 7, 0, 8),
        op(Op::Addi, 11, 11, 0, 1),
        op(Op::Addi, 8, 8, 0, -1),
        op(Op::Bne, 0, 8, 0, -20),
        op(Op::Csrrs, 9, 0, 0, i32::from(csr::MHPMCOUNTER3) + 3),
        op(Op::Addi, 12, 9, 0, 0),
        op(Op::Wfi, 0, 0, 0, 0),
    ];
    let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![Segment { addr: RAM_BASE, bytes }],
        tohost: RAM_BASE + 0x10_0000,
        ..Program::default()
    }
}

#[test]
fn merges_are_counted() {
    let arbiter = |stages| RawConfig {
        divergence: Some("arbiter".into()),
        arbiter_stages: Some(stages),
        ..RawConfig::default()
    };
    let hct = |cct: &str| RawConfig { cct: Some(cct.into()), ..RawConfig::default() };
    for raw in [hct("rows"), hct("paper"), arbiter("0".into()), arbiter("2".into())] {
        let shape = RawConfig {
            threads_per_warp: Some("4".into()),
            warps: Some("1".into()),
            reset_pc: Some(RAM_BASE.to_string()),
            ..RawConfig::default()
        };
        let config = raw.over(shape).validate().unwrap();
        let mut counted = None;
        let mut observe = |r: &sim::record::Record, _: &sim::golden::Effects| {
            if r.rd == 12 {
                counted = Some(r.rd_values[0]);
            }
        };
        let options = RunOptions {
            timing: Timing::default(),
            max_instructions: 100_000,
            max_cycles: 100_000,
            lockstep: true,
            observer: Some(&mut observe),
            console: &mut |_| (),
            dump: None,
        };
        let mut core = rtl::build(&config).unwrap();
        let report = rtl::run(core.as_mut(), &config, &program(), options);
        let (name, merges) = (config.name(), report.stats.run.merges);
        assert_eq!(merges, 2 * ROUNDS as u64, "{name}: the harness");
        assert_eq!(counted.map(u64::from), Some(merges), "{name}: mhpmcounter6");
    }
}
