//! How fast the pipeline is: sustained issue, warps that fill it, latency of a
//! branch, rates of the arbiter's register levels, two pipes at once. Rates
//! are taken over the middle of a run. Latencies are compared with what `gen` publishes.
//!
//! Long by a few lines, because its tables of latencies share one way to run and to count.

use hdl::config::{CoreConfig, RawConfig};
use hdl::divergence::testing::shuffle::Shuffle;
use hdl::generate::latencies;
use hdl::isa::{Insn, Op};
use hdl::platform::{DEVICE_BASE, RAM_BASE};
use sim::program::{Program, Segment};
use sim::rtl::{self, Core, RunOptions, Timing};

/// Cycles that are measured, after as many that are not.
const CYCLES: u64 = 4000;

fn config(t: u32, w: u32, unit: &str, stages: Option<&str>) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(w.to_string()),
        divergence: Some(unit.into()),
        arbiter_stages: stages.map(Into::into),
        reset_pc: Some(RAM_BASE.to_string()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
}

fn program(code: &[u32]) -> Program {
    let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![Segment { addr: RAM_BASE, bytes }],
        tohost: RAM_BASE + 0x10_0000,
        ..Program::default()
    }
}

/// Cycle, warp and PC of everything retired, in lockstep.
fn trace(
    config: &CoreConfig,
    core: &mut dyn Core,
    code: &[u32],
    latency: u32,
) -> Vec<(u64, u32, u32)> {
    let mut retired = Vec::new();
    let mut observe = |r: &sim::record::Record, _: &sim::golden::Effects| {
        retired.push((r.cycle, r.warp, r.path.pc));
    };
    let options = RunOptions {
        timing: Timing { latency, ..Timing::default() },
        max_instructions: u64::MAX,
        max_cycles: 2 * CYCLES,
        lockstep: true,
        observer: Some(&mut observe),
        console: &mut |_| (),
        dump: None,
    };
    let report = rtl::run(core, config, &program(code), options);
    let outcome = format!("{:?}", report.outcome);
    assert!(outcome.contains("Cycles"), "it should go on for ever: {outcome}");
    retired
}

/// Instructions per cycle in the second half.
fn rate(config: &CoreConfig, core: &mut dyn Core, code: &[u32], latency: u32) -> f64 {
    let retired = trace(config, core, code, latency);
    retired.iter().filter(|(cycle, ..)| *cycle >= CYCLES).count() as f64 / CYCLES as f64
}

/// A latency that `gen` writes beside the Verilog, with replies of memory after `latency` cycles.
fn published(config: &CoreConfig, what: &str, latency: u32) -> u64 {
    let row = latencies(config).into_iter().find(|row| row.what == what);
    let row = row.unwrap_or_else(|| panic!("nothing is published of: {what}"));
    (row.cycles + row.memory_latencies * latency).into()
}

fn built(config: &CoreConfig) -> Box<dyn Core> {
    rtl::build(config).unwrap()
}

/// A long loop of `addi rd, rs, 1`.
fn straight(regs: &[(u8, u8)]) -> Vec<u32> {
    let mut code: Vec<u32> = (0..256)
        .map(|i| regs[i % regs.len()])
        .map(|(rd, rs)| Insn::encode(Op::Addi, rd, rs, 0, 1))
        .collect();
    code.push(Insn::encode(Op::Jal, 0, 0, 0, -4 * 256));
    code
}

const STRAIGHT: &str = "instruction to the next of one path, straight-line code";
const AT_LEAST: &str = "instruction to the next of one path, at least";

const INDEPENDENT: &[(u8, u8)] = &[(6, 0), (7, 0), (8, 0), (9, 0)];
const DEPENDENT: &[(u8, u8)] = &[(6, 6)];

#[test]
fn eight_warps_fill_the_pipeline() {
    for unit in ["hct", "arbiter"] {
        for code in [INDEPENDENT, DEPENDENT] {
            let config = config(4, 8, unit, None);
            let rate = rate(&config, built(&config).as_mut(), &straight(code), 1);
            assert!(rate >= 0.98, "{unit}: {rate}");
        }
    }
}

/// docs/pipeline.md: four warps fill the pipeline, one issues every third cycle (every fourth
/// with `hct`), and every fourth if each instruction depends on the one before.
#[test]
fn four_warps_fill_the_pipeline_and_one_issues_as_often_as_the_document_says() {
    for unit in ["hct", "arbiter"] {
        for code in [INDEPENDENT, DEPENDENT] {
            let of = |w| {
                let config = config(4, w, unit, None);
                rate(&config, built(&config).as_mut(), &straight(code), 1)
            };
            let (one, two, four) = (of(1), of(2), of(4));
            let next: &[&str] = match code == INDEPENDENT {
                true => &[STRAIGHT, AT_LEAST],
                false => &["plain or multiply instruction to its consumer"],
            };
            let one_warp = config(4, 1, unit, None);
            let next = next.iter().map(|what| published(&one_warp, what, 1)).max().unwrap();
            let alone = 1.0 / next as f64;
            assert!((one - alone).abs() < 0.01, "{unit}: one warp {one}");
            assert!((two - 2.0 * alone).abs() < 0.02, "{unit}: two warps {two}");
            assert!(four >= 0.98, "{unit}: four warps {four}");
        }
    }
}

/// A warp goes through the ALU in beats, of which the pipeline takes four at least: eight warps fill
/// that, and one waits for what it needs.
#[test]
fn in_beats_an_instruction_issues_when_the_alu_has_had_all_threads() {
    for unit in ["hct", "arbiter"] {
        for (t, lanes, pace) in [(4, 2, 4), (8, 1, 8), (8, 2, 4)] {
            for code in [INDEPENDENT, DEPENDENT] {
                let of = |w| {
                    let config = CoreConfig { lanes, ..config(t, w, unit, None) };
                    (rate(&config, built(&config).as_mut(), &straight(code), 1), config)
                };
                let ((one, config), (eight, _)) = (of(1), of(8));
                let next: &[&str] = match code == INDEPENDENT {
                    true => &[STRAIGHT, AT_LEAST],
                    false => &["plain or multiply instruction to its consumer"],
                };
                let next = next.iter().map(|what| published(&config, what, 1)).max().unwrap();
                let (alone, full) = (1.0 / next as f64, 1.0 / f64::from(pace));
                // (One warp may miss the cycle in which it could issue.)
                assert!(one < 1.01 * alone, "{unit}, {lanes} of {t}: one warp {one}");
                assert!(one > 0.79 * alone, "{unit}, {lanes} of {t}: one warp {one}");
                assert!(eight >= 0.98 * full, "{unit}, {lanes} of {t}: eight warps {eight}");
                assert!(eight <= full + 0.001, "{unit}, {lanes} of {t}: eight warps {eight}");
            }
        }
    }
}

/// Without the bypass a warp has one instruction at a time, dependent or not, and eight
/// warps fill the pipeline.
#[test]
fn a_barrel_issues_an_instruction_per_warp_and_latency_plus_four_cycles() {
    for unit in ["hct", "arbiter"] {
        for code in [INDEPENDENT, DEPENDENT] {
            let of = |w, latency| {
                let mut config = config(4, w, unit, None);
                config.bypass = false;
                rate(&config, built(&config).as_mut(), &straight(code), latency)
            };
            for latency in [1, 4] {
                let one = of(1, latency);
                let mut config = config(4, 1, unit, None);
                config.bypass = false;
                let expected = 1.0 / published(&config, STRAIGHT, latency) as f64;
                assert!((one - expected).abs() < 0.005, "{unit}: one warp {one}, L = {latency}");
            }
            let (four, eight) = (of(4, 1), of(8, 1));
            assert!((0.79..0.81).contains(&four), "{unit}: four warps {four}");
            assert!(eight >= 0.98, "{unit}: eight warps {eight}");
        }
    }
}

/// As below, without the bypass: from the commit of an instruction to the next.
#[test]
fn latencies_of_a_barrel_are_those_of_the_document() {
    let op = Insn::encode;
    let start = [
        op(Op::Lui, 7, 0, 0, (RAM_BASE + 0x10_0000) as i32),
        op(Op::Auipc, 9, 0, 0, 0),
        op(Op::Addi, 9, 9, 0, 4 * 6), // the instruction after that one
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Slli, 5, 5, 0, 8),
        op(Op::Add, 5, 5, 7, 0),
    ];
    let add = |rs| op(Op::Add, 10, rs, 0, 0);
    let count = op(Op::Addi, 11, 11, 0, 1);
    const PASSES: &str = "passes of a load over two blocks";
    let load = "load, LR, SC or AMO with rd to the next instruction";
    let divide = "divide to the next instruction";
    let pass = "load, LR, SC or AMO to its own next pass";
    let turn = "commit to commit across a redirect, no fetch being under way";
    let far = "commit to commit across a redirect, when L is 3 or more, at most";
    // Name, instructions, which of them, cycles at L = 1 and at L = 6, how many more with `hct`,
    // what is published.
    type Row<'a> = (&'a str, &'a [u32], usize, [u64; 2], [u64; 2], [&'a str; 2]);
    let table: &[Row<'_>] = &[
        ("plain", &[count, add(11)], 0, [5, 10], [0, 0], [STRAIGHT; 2]),
        ("load", &[count, op(Op::Lw, 6, 7, 0, 0), add(0)], 1, [10, 20], [0, 0], [load; 2]),
        ("AMO", &[count, op(Op::Amoadd, 6, 5, 0, 0), add(0)], 1, [10, 20], [0, 0], [load; 2]),
        ("store", &[count, op(Op::Sw, 0, 7, 6, 0), add(0)], 1, [5, 10], [0, 0], [STRAIGHT; 2]),
        ("divide", &[count, op(Op::Div, 6, 7, 9, 0), add(0)], 1, [43, 48], [0, 0], [divide; 2]),
        (PASSES, &[count, op(Op::Lw, 6, 5, 0, 0), add(0)], 1, [9, 14], [1, 1], [pass; 2]),
        ("serial", &[count, op(Op::Csrrs, 6, 0, 0, 0x340), add(0)], 1, [9, 14], [1, 1], [turn; 2]),
        ("jalr", &[op(Op::Jalr, 0, 9, 0, 0), count], 0, [9, 14], [1, 1], [turn; 2]),
        ("mispredicted", &[op(Op::Beq, 0, 0, 0, 8), count, count], 0, [9, 18], [1, 0], [turn, far]),
    ];
    for ((name, body, at, cycles, more, published_as), unit) in
        table.iter().flat_map(|row| [(row, "arbiter"), (row, "hct")])
    {
        for (case, latency) in [1, 6].into_iter().enumerate() {
            let what = published_as[case];
            let more = if unit == "hct" { more[case] } else { 0 };
            let cycles = &(cycles[case] + more);
            let mut code = start.to_vec();
            code.extend(*body);
            code.push(op(Op::Jal, 0, 0, 0, -4 * body.len() as i32));
            let mut config = config(2, 1, unit, None);
            config.bypass = false;
            assert_eq!(published(&config, what, latency), *cycles, "{unit}: {name}: {what}");
            let retired = trace(&config, built(&config).as_mut(), &code, latency);
            let pc = RAM_BASE + 4 * (start.len() + at) as u32;
            let gaps: Vec<u64> = retired
                .windows(2)
                .filter(|pair| pair[0].2 == pc && (pair[1].2 == pc) == (*name == PASSES))
                .map(|pair| pair[1].0 - pair[0].0)
                .collect();
            assert!(gaps.len() > 50, "{name}");
            assert!(
                gaps.iter().all(|g| g == cycles),
                "{unit}: {name}, latency {latency}: {gaps:?}"
            );
        }
    }
}

/// From the commit of a mispredicted branch to that of its successor.
#[test]
fn a_mispredicted_branch_costs_what_the_document_says() {
    // A forward branch, always taken, and a jump back.
    let skip = vec![
        Insn::encode(Op::Beq, 0, 0, 0, 16),
        Insn::encode(Op::Addi, 6, 6, 0, 1),
        Insn::encode(Op::Addi, 6, 6, 0, 1),
        Insn::encode(Op::Addi, 6, 6, 0, 1),
        Insn::encode(Op::Jal, 0, 0, 0, -16),
    ];
    for (unit, latency, cost) in
        [("hct", 1, 12), ("arbiter", 1, 11), ("hct", 4, 15), ("arbiter", 4, 14)]
    {
        let config = config(4, 1, unit, None);
        assert_eq!(published(&config, "commit to commit across a redirect", latency), cost);
        let retired = trace(&config, built(&config).as_mut(), &skip, latency);
        let gaps: Vec<u64> = retired
            .windows(2)
            .filter(|pair| pair[0].2 == RAM_BASE)
            .map(|pair| pair[1].0 - pair[0].0)
            .collect();
        assert!(gaps.len() > 100);
        assert!(gaps.iter().all(|g| *g == cost), "{unit}, latency {latency}: {:?}", &gaps[..4]);
    }
}

/// From the commit of the instruction at one place of a program to the next commit,
/// as docs/pipeline.md says, of one warp that has nothing else to do.
#[test]
fn latencies_are_those_of_the_document() {
    let op = Insn::encode;
    let far = (RAM_BASE + 0x10_0000) as i32;
    const PASSES: &str = "passes of a load over two blocks";
    let start = [
        op(Op::Lui, 7, 0, 0, far),
        op(Op::Auipc, 9, 0, 0, 0),
        op(Op::Addi, 9, 9, 0, 4 * 7), // the instruction after that one
        op(Op::Csrrw, 0, 9, 0, 0x305),
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Slli, 5, 5, 0, 8),
        op(Op::Add, 5, 5, 7, 0),
    ];
    let add = |rs| op(Op::Add, 10, rs, 0, 0);
    let count = op(Op::Addi, 11, 11, 0, 1); // else the watchdog sees a livelock
    let load = "load, LR, SC or AMO to its consumer";
    let divide = "divide to its consumer or to the next divide";
    let pass = "commit to commit of a replay";
    let commit = "issue to commit";
    let issue = "commit of a serial instruction, jalr or trap to the issue of its successor";
    let serial = "commit to the issue of a serial instruction behind it";
    // Name, instructions, which of them, cycles at L = 0, per L, whether `hct` takes one more,
    // what is published. The next commit is that of another instruction, or its own next pass.
    type Row<'a> = (&'a str, &'a [u32], usize, u64, u64, bool, &'a [&'a str]);
    let csr = op(Op::Csrrs, 6, 0, 0, 0x340);
    let div = |rd| op(Op::Div, rd, 7, 9, 0);
    let table: &[Row<'_>] = &[
        ("load to consumer", &[count, op(Op::Lw, 6, 7, 0, 0), add(6)], 1, 8, 1, false, &[load]),
        ("AMO to consumer", &[count, op(Op::Amoadd, 6, 5, 0, 0), add(6)], 1, 8, 1, false, &[load]),
        ("divide to consumer", &[count, div(6), add(6)], 1, 42, 0, false, &[divide]),
        ("divide to divide", &[count, div(6), div(8)], 1, 42, 0, false, &[divide]),
        (PASSES, &[count, op(Op::Lw, 6, 5, 0, 0), add(0)], 1, 7, 0, true, &[pass]),
        ("to a serial one", &[count, csr, add(0)], 0, 8, 0, true, &[serial, commit]),
        ("from a serial one", &[count, csr, add(0)], 1, 10, 1, true, &[issue, commit]),
        ("jalr", &[op(Op::Jalr, 0, 9, 0, 0), count], 0, 10, 1, true, &[issue, commit]),
        ("trap", &[op(Op::Ecall, 0, 0, 0, 0), count], 0, 10, 1, true, &[issue, commit]),
    ];
    for ((name, body, at, fixed, per_latency, waits, parts), unit) in
        table.iter().flat_map(|row| [(row, "arbiter"), (row, "hct")])
    {
        let fixed = fixed + u64::from(*waits && unit == "hct");
        // (At others the instruction behind a load, which is dropped, issues just before the
        // load's next pass, which then is not eligible yet.)
        // All lanes at once, and in two beats.
        for (latency, lanes) in [(1, 2), (5, 2), (1, 1), (5, 1)] {
            let mut code = start.to_vec();
            code.extend(*body);
            code.push(op(Op::Jal, 0, 0, 0, -4 * body.len() as i32));
            let config = CoreConfig { lanes, ..config(2, 1, unit, None) };
            let retired = trace(&config, built(&config).as_mut(), &code, latency);
            let pc = RAM_BASE + 4 * (start.len() + at) as u32;
            let gaps: Vec<u64> = retired
                .windows(2)
                .filter(|pair| pair[0].2 == pc && (pair[1].2 == pc) == (*name == PASSES))
                .map(|pair| pair[1].0 - pair[0].0)
                .collect();
            let said = parts.iter().map(|what| published(&config, what, latency));
            let cycles: u64 = said.sum();
            if lanes == 2 {
                let right = fixed + per_latency * u64::from(latency);
                assert_eq!(cycles, right, "{unit}: {name}: {parts:?}");
            }
            assert!(gaps.len() > 50, "{unit}: {name}");
            // The first time round the window is not full yet.
            // In beats a replay may wait for what issued behind its instruction, as the document says.
            let slack = if lanes == 2 { 0 } else { 2 };
            let settled = gaps[4..].iter().all(|g| (cycles..=cycles + slack).contains(g));
            assert!(
                settled,
                "{unit}: {name}, latency {latency}, {lanes} lanes: {gaps:?}, not {cycles}"
            );
        }
    }
}

/// What a core of few parts takes longer for, as docs/pipeline.md says.
#[test]
fn lanes_that_take_turns() {
    let op = Insn::encode;
    let far = (RAM_BASE + 0x10_0000) as i32;
    let start = [
        op(Op::Lui, 7, 0, 0, far),
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Slli, 5, 5, 0, 2),
        op(Op::Sub, 8, 7, 5, 0),
        op(Op::Addi, 8, 8, 0, 12), // the word of the lane opposite
        op(Op::Add, 9, 7, 5, 0),   // the word of its own
        op(Op::Lui, 6, 0, 0, 0x7000_0000),
    ];
    let count = op(Op::Addi, 11, 11, 0, 1); // else the watchdog sees a livelock
    let add = op(Op::Add, 10, 6, 0, 0);
    let load = |rs| op(Op::Lw, 6, rs, 0, 0);
    let divide = "divide of all lanes to its consumer or to the next divide";
    // Lanes and dividers; what one word and four take longer than each lane's own; the divide. In
    // beats a load takes steps, and all is later by five cycles.
    let cases = [
        (None, "2", [0, 3], 78),
        (Some("2"), "2", [3, 9], 78 + 5),
        (None, "1", [0, 3], 150),
        (Some("2"), "1", [3, 9], 150 + 5),
    ];
    for (unit, (lanes, dividers, [one, scattered], divides)) in
        ["hct", "arbiter"].into_iter().flat_map(|unit| cases.map(|case| (unit, case)))
    {
        let config = RawConfig {
            lanes: lanes.map(Into::into),
            threads_per_warp: Some("4".into()),
            warps: Some("1".into()),
            divergence: Some(unit.into()),
            crossbar: Some("serial".into()),
            dividers: Some(dividers.into()),
            reset_pc: Some(RAM_BASE.to_string()),
            ..RawConfig::default()
        };
        let config = config.validate().unwrap();
        let latency = 5;
        let own = published(&config, "load, LR, SC or AMO to its consumer", latency);
        for (name, insn, cycles) in [
            ("divide", op(Op::Div, 6, 7, 9, 0), published(&config, divide, latency)),
            ("divide", op(Op::Div, 6, 7, 9, 0), divides),
            ("words of their own", load(9), own),
            ("one word", load(7), own + one),
            ("scattered", load(8), own + scattered),
        ] {
            let mut code = start.to_vec();
            code.extend([count, insn, add]);
            code.push(op(Op::Jal, 0, 0, 0, -12));
            let retired = trace(&config, built(&config).as_mut(), &code, latency);
            let pc = RAM_BASE + 4 * (start.len() + 1) as u32;
            let gaps: Vec<u64> = retired
                .windows(2)
                .filter(|pair| pair[0].2 == pc && pair[1].2 != pc)
                .map(|pair| pair[1].0 - pair[0].0)
                .collect();
            assert!(gaps.len() > 20, "{unit}: {name}");
            assert!(
                gaps[4..].iter().all(|g| *g == cycles),
                "{unit}: {name}: {gaps:?}, not {cycles}"
            );
        }
    }
}

/// Streams as saxpy does: coalesced loads and stores, a multiply, 32 threads, memory
/// replies after four cycles. (`lab rates` measures whole kernels.)
#[test]
fn a_stream_over_memory_keeps_the_pipeline_busy() {
    let op = Insn::encode;
    let far = |megabytes: i32| RAM_BASE as i32 + (megabytes << 20);
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Slli, 5, 5, 0, 2),
        op(Op::Lui, 7, 0, 0, far(4)),
        op(Op::Add, 7, 7, 5, 0),
        op(Op::Lui, 8, 0, 0, far(8)),
        op(Op::Add, 8, 8, 5, 0),
    ];
    let body = [
        op(Op::Lw, 10, 7, 0, 0),
        op(Op::Lw, 11, 8, 0, 0),
        op(Op::Mul, 10, 10, 5, 0),
        op(Op::Add, 10, 10, 11, 0),
        op(Op::Sw, 0, 8, 10, 0),
        op(Op::Addi, 7, 7, 0, 4 * 32 * 8),
        op(Op::Addi, 8, 8, 0, 4 * 32 * 8),
    ];
    code.extend(body);
    code.push(op(Op::Jal, 0, 0, 0, -4 * body.len() as i32));
    for unit in ["hct", "arbiter"] {
        let config = config(32, 8, unit, None);
        let rate = rate(&config, built(&config).as_mut(), &code, 4);
        assert!(rate >= 0.90, "{unit}: {rate}");
    }
}

/// Lanes that do not execute hold up nobody, whatever is in their registers: here half of
/// each warp parks, with the first digit of a device's address in the register that the
/// others load through. (Did a load from a device write in stage 8, what comes back
/// from memory would have to give way.)
#[test]
fn parked_lanes_do_not_hold_up_the_loads_of_others() {
    let op = Insn::encode;
    let near_devices = DEVICE_BASE + 0x0234_5000;
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Andi, 6, 5, 0, 1),
        op(Op::Slli, 5, 5, 0, 2),
        op(Op::Lui, 7, 0, 0, near_devices as i32),
        op(Op::Beq, 0, 6, 0, 8),
        op(Op::Wfi, 0, 0, 0, 0),
        op(Op::Lui, 7, 0, 0, (RAM_BASE + (4 << 20)) as i32),
        op(Op::Add, 7, 7, 5, 0),
    ];
    const LOOP: i32 = 64;
    code.extend((0..LOOP).map(|i| op(Op::Lw, 10 + (i % 8) as u8, 7, 0, 0)));
    code.push(op(Op::Jal, 0, 0, 0, -4 * LOOP));
    for unit in ["hct", "arbiter"] {
        let config = config(8, 8, unit, None);
        let rate = rate(&config, built(&config).as_mut(), &code, 4);
        assert!(rate >= 0.90, "{unit}: {rate}");
    }
}

/// A warp whose threads always take turns asks the most of the arbiter; with
/// one path its register levels cost nothing.
#[test]
fn the_arbiters_register_levels_cost_nothing_on_one_path() {
    for stages in ["0", "1", "2"] {
        for (w, least) in [(1, 0.32), (8, 0.98)] {
            let config = config(8, w, "arbiter", Some(stages));
            let rate = rate(&config, built(&config).as_mut(), &straight(INDEPENDENT), 1);
            assert!(rate >= least, "{stages} levels, W = {w}: {rate}");
        }
    }
}

/// P6: warp 0 gathers from as many blocks as it has threads, so it replays all
/// the time, and is more often ready than the others; they compute. Everybody
/// retires something within two turns and the length of the pipeline.
#[test]
fn replays_do_not_starve_other_warps() {
    const LOOP: i32 = 32;
    let op = Insn::encode;
    let mut code = vec![
        op(Op::Csrrs, 5, 0, 0, 0xf14),
        op(Op::Srli, 6, 5, 0, 3),
        op(Op::Lui, 7, 0, 0, (RAM_BASE + 0x10_0000) as i32),
        op(Op::Slli, 8, 5, 0, 8),
        op(Op::Add, 7, 7, 8, 0),
        op(Op::Beq, 0, 6, 0, 4 * (LOOP + 2)),
    ];
    code.extend((0..LOOP).map(|_| op(Op::Addi, 9, 9, 0, 1)));
    code.push(op(Op::Jal, 0, 0, 0, -4 * LOOP));
    code.extend((0..LOOP).map(|i| op(Op::Lw, 10 + (i % 8) as u8, 7, 0, 4 * i)));
    code.push(op(Op::Jal, 0, 0, 0, -4 * LOOP));
    for unit in ["hct", "arbiter"] {
        let config = config(8, 8, unit, None);
        let retired = trace(&config, built(&config).as_mut(), &code, 1);
        let late: Vec<_> = retired.iter().filter(|r| r.0 >= CYCLES).collect();
        for warp in 0..8 {
            let mut mine: Vec<u64> = late.iter().filter(|r| r.1 == warp).map(|r| r.0).collect();
            mine.push(2 * CYCLES);
            let gap = mine.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(gap <= 2 * 8 + 10, "{unit}: warp {warp} waits {gap} cycles");
        }
        let share = late.iter().filter(|r| r.1 == 0).count() as f64 / late.len() as f64;
        assert!(share > 0.05, "{unit}: the one that replays has {share} of the turns");
    }
}

/// Two pipes: halves of each warp retire in the same cycle.
#[test]
fn two_pipes_retire_two_instructions_per_cycle() {
    let config = config(4, 4, "hct", None);
    let masks: Vec<u64> = (0..4).map(|w| config.initial_mask(w)).collect();
    let unit = Shuffle::<4>::new(4, &masks, u64::from(RAM_BASE / 4), false);
    let mut core = rtl::around(&config, unit);
    let retired = trace(&config, core.as_mut(), &straight(INDEPENDENT), 1);
    let late: Vec<u64> = retired.iter().map(|r| r.0).filter(|c| *c >= CYCLES).collect();
    let both = late.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
    assert!(both / CYCLES as f64 >= 0.90, "both pipes in {both} of {CYCLES} cycles");
}
