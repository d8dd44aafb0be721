//! What a run writes down: the commit log in Spike's form, and statistics
//! against numbers worked out by hand.

use crate::common::{Asm, DATA, Place, ends};
use hdl::isa::{Op, csr, hint::join_hint};
use hdl::platform::RAM_BASE;
use serde_json::{Value, json};

fn csr(asm: &mut Asm, op: Op, rd: u8, number: u16, rs1: u8) -> &mut Asm {
    asm.op(op, rd, rs1, 0, number.into())
}

#[test]
fn the_commit_log_is_that_of_spike() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.op(Op::Auipc, 5, 0, 0, 0);
    csr(&mut asm, Op::Csrrs, 6, csr::MHARTID, 0);
    asm.op(Op::Lui, 10, 0, 0, DATA as i32).op(Op::Slli, 7, 6, 0, 2).op(Op::Add, 10, 10, 7, 0);
    asm.addi(8, 6, -2).op(Op::Sw, 0, 10, 8, 8).op(Op::Sb, 0, 10, 8, 17).op(Op::Sh, 0, 10, 8, 26);
    asm.op(Op::Lw, 9, 10, 0, 8).op(Op::Lbu, 11, 10, 0, 17).op(Op::Amoadd, 12, 10, 8, 0);
    asm.op(Op::Lr, 12, 10, 0, 0).op(Op::Sc, 13, 10, 6, 0).op(Op::Sc, 13, 10, 6, 0);
    csr(&mut asm, Op::Csrrw, 14, csr::MSCRATCH, 8);
    asm.la(15, "handler");
    csr(&mut asm, Op::Csrrw, 0, csr::MTVEC, 15);
    asm.op(Op::Ecall, 0, 0, 0, 0).addi(0, 0, 0).to(Op::Beq, 6, 0, "end").op(Op::Fence, 0, 0, 0, 0);
    asm.label("end").to(Op::Jal, 1, 0, "exit").label("handler").op(Op::Auipc, 16, 0, 0, 0);
    asm.addi(16, 16, -16);
    csr(&mut asm, Op::Csrrw, 0, csr::MEPC, 16).op(Op::Mret, 0, 0, 0, 0).label("exit").exit(0);
    let log = |policy: &str| {
        let args = ["--threads-per-warp", "2", "--warps", "1", "--commit-log", "@/log"];
        let out = place.run(&asm, &[&args[..], &["--policy", policy]].concat());
        assert_eq!(ends(&out, 0), "");
        place.read("log")
    };
    let warp = log("depth-pc");
    // The lines of hart 0, up to the jump, are those of a run of its own.
    let zero: Vec<_> = warp.lines().filter(|l| l.starts_with("core   0")).collect();
    let alone: Vec<_> = log("mimd").lines().map(str::to_string).collect();
    assert_eq!(alone[..zero.len()], zero);
    expect_test::expect_file!["commit_log.txt"].assert_eq(&warp);
}

/// Runs a program of four threads, and again in lockstep: the same numbers.
fn stats(place: &Place, asm: &Asm) -> Value {
    let args = ["--threads-per-warp", "4", "--warps", "1", "--stats", "@/s", "--lockstep"];
    let [fast, slow] = [6, 7].map(|n| {
        assert_eq!(ends(&place.run(asm, &args[..n]), 0), "");
        let mut stats: Value = serde_json::from_str(&place.read("s")).unwrap();
        let run = stats.as_object_mut().unwrap().remove("run").unwrap();
        assert_eq!(run["engine"], "emu");
        assert_eq!(run["policy"], "depth-pc");
        assert_eq!(run["name"], "weft_hct_t4w1");
        assert_eq!(run["configuration"]["threads_per_warp"], 4);
        assert_eq!(run["outcome"], "pass");
        stats
    });
    assert_eq!(fast, slow);
    fast
}

#[test]
fn statistics_are_those_of_a_hand_count() {
    let place = Place::new();
    let mut asm = Asm::default();
    // Four lanes diverge and meet: passes 1-4, 5-6 odd lanes, 7 even lanes.
    csr(&mut asm, Op::Csrrs, 5, csr::MHARTID, 0).op(Op::Andi, 6, 5, 0, 1);
    asm.word(join_hint(20).unwrap()).to(Op::Beq, 6, 0, "even");
    asm.addi(7, 0, 1).to(Op::Jal, 0, 0, "join").label("even").addi(7, 0, 2).label("join");
    // 8-10, then four passes of a store with a stride of one block: 11-14.
    asm.op(Op::Lui, 10, 0, 0, DATA as i32).op(Op::Slli, 11, 5, 0, 4).op(Op::Add, 10, 10, 11, 0);
    asm.op(Op::Sw, 0, 10, 7, 0);
    // 15-17, a load of one block: 18, and one store by all: 19-23.
    asm.op(Op::Lui, 13, 0, 0, DATA as i32).op(Op::Slli, 11, 5, 0, 2).op(Op::Add, 13, 13, 11, 0);
    asm.op(Op::Lw, 12, 13, 0, 0).exit(0);
    let wanted = json!({
        "warp_instructions": 23,
        "thread_instructions": 4 * 4 + 3 * 2 + 3 * 4 + 4 + 9 * 4,
        "hints": { "warp_instructions": 1, "thread_instructions": 4 },
        "replays": { "memory": 3, "control": 0, "trap": 0 },
        "traps": 0,
        "activity_factor": 74.0 / 92.0,
        "divergences": 1,
        // At the join, and three times behind the store.
        "merges": 4,
        "live_paths": { "maximum": 2, "histogram": { "P1": 17, "P2": 6, "P3": 0, "P4": 0 } },
        "memory": { "transactions": 6, "accesses": 12, "efficiency": 0.5 },
        "active_lanes": { "W1": 1, "W2": 4, "W3": 1, "W4": 17 },
    });
    assert_eq!(stats(&place, &asm), wanted);
}

#[test]
fn replays_are_told_apart() {
    let place = Place::new();
    let mut asm = Asm::default();
    // Each lane jumps elsewhere: three passes leave somebody behind.
    csr(&mut asm, Op::Csrrs, 5, csr::MHARTID, 0).op(Op::Slli, 6, 5, 0, 2).la(7, "table");
    asm.op(Op::Add, 7, 7, 6, 0).op(Op::Jalr, 0, 7, 0, 0).label("table");
    asm.addi(0, 0, 0).addi(0, 0, 0).addi(0, 0, 0).addi(0, 0, 0);
    // Odd lanes load from a crooked address; the even ones try again.
    asm.la(8, "handler");
    csr(&mut asm, Op::Csrrw, 0, csr::MTVEC, 8);
    asm.op(Op::Andi, 6, 5, 0, 1).li(9, DATA).op(Op::Add, 9, 9, 6, 0).op(Op::Lw, 10, 9, 0, 0);
    asm.label("after").exit(0).label("handler").la(8, "after");
    csr(&mut asm, Op::Csrrw, 0, csr::MEPC, 8).op(Op::Mret, 0, 0, 0, 0);
    let stats = stats(&place, &asm);
    assert_eq!(stats["replays"], json!({ "memory": 0, "control": 3, "trap": 1 }));
    assert_eq!((&stats["traps"], &stats["divergences"]), (&json!(2), &json!(0)));
    // The load of the even lanes, and the end.
    assert_eq!(stats["memory"]["accesses"], 2 + 4);
    assert_eq!(stats["live_paths"]["maximum"], 4);
}

#[test]
fn mimd_counts_threads_only() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.li(10, DATA).op(Op::Lw, 11, 10, 0, 0).word(join_hint(8).unwrap()).exit(0);
    assert_eq!(asm.here(), RAM_BASE + 4 * 9);
    let args = ["--harts", "1", "--policy", "mimd", "--stats", "@/s"];
    assert_eq!(ends(&place.run(&asm, &args), 0), "");
    let stats: Value = serde_json::from_str(&place.read("s")).unwrap();
    assert_eq!(
        (&stats["warp_instructions"], &stats["thread_instructions"]),
        (&json!(9), &json!(9))
    );
    assert_eq!(stats["hints"]["thread_instructions"], 1);
    assert_eq!(stats["memory"]["transactions"], 2);
    assert_eq!(stats["run"]["policy"], "mimd");
}
