//! Runs by the command line: exit codes, reports, console, files, statistics.

use crate::common::{Asm, DATA, Place, TOHOST, ends, sim, text};
use hdl::isa::Op;
use hdl::platform::HTIF_CONSOLE;
use std::fs;

const SMALL: [&str; 4] = ["--threads-per-warp", "2", "--warps", "2"];

fn with<'a>(shape: &[&'a str], args: &[&'a str]) -> Vec<&'a str> {
    [shape, args].concat()
}

/// Bytes to the console, as the run-time does it. `x30`, `x31` go.
fn print(asm: &mut Asm, message: &str) {
    for byte in message.bytes() {
        asm.li(31, TOHOST).li(30, HTIF_CONSOLE).op(Op::Sw, 0, 31, 30, 4);
        asm.addi(30, 0, byte.into()).op(Op::Sw, 0, 31, 30, 0);
    }
}

/// Everybody but hart 0 parks.
fn only_hart_0(asm: &mut Asm) {
    asm.op(Op::Csrrs, 5, 0, 0, 0xf14).to(Op::Beq, 5, 0, "go").label("sleep");
    asm.op(Op::Wfi, 0, 0, 0, 0).to(Op::Jal, 0, 0, "sleep").label("go");
}

#[test]
fn passes_and_fails() {
    let place = Place::new();
    for policy in ["mimd", "depth-pc", "majority", "breadth-first"] {
        let (mut pass, mut fail) = (Asm::default(), Asm::default());
        only_hart_0(&mut pass);
        print(&mut pass, "hello\n");
        pass.exit(0);
        let out = place.run(&pass, &["--policy", policy]);
        assert_eq!((ends(&out, 0), text(&out.stdout)), (String::new(), "hello\n".into()));
        fail.exit(42);
        let out = place.run(&fail, &["--policy", policy]);
        assert_eq!(ends(&out, 1), "sim: the program failed with code 42\n");
        assert_eq!(text(&out.stdout), "");
    }
}

#[test]
fn system_calls() {
    let place = Place::new();
    let call = |number: u32, first: u32| {
        let mut asm = Asm::default();
        only_hart_0(&mut asm);
        asm.li(10, DATA).li(11, DATA + 64).li(12, 0x6c6c_6568).op(Op::Sw, 0, 11, 12, 0);
        for (offset, value) in [(0, number), (8, first), (16, DATA + 64), (24, 4)] {
            asm.li(12, value).op(Op::Sw, 0, 10, 12, offset);
        }
        // The result is in word 0 of the block, and fromhost says so.
        asm.li(13, TOHOST).op(Op::Sw, 0, 13, 10, 0).op(Op::Lw, 14, 10, 0, 0);
        asm.op(Op::Lw, 15, 13, 0, 8).op(Op::Slli, 14, 14, 0, 4).op(Op::Or, 14, 14, 15, 0);
        asm.op(Op::Slli, 14, 14, 0, 1).op(Op::Ori, 14, 14, 0, 1).op(Op::Sw, 0, 13, 14, 0);
        place.run(&asm, &["--warps", "1"])
    };
    let out = call(64, 1);
    assert_eq!((ends(&out, 1), text(&out.stdout)), (code(0x41), "hell".into()));
    assert_eq!(ends(&call(93, 7), 1), code(7));
    assert_eq!(ends(&call(93, 0), 0), "");
    assert_eq!(ends(&call(64, 5), 1), failed("write to file descriptor 5, only 1 and 2"));
    assert_eq!(ends(&call(1234, 0), 1), failed("system call 1234 is not supported"));
    let mut odd = Asm::default();
    odd.li(31, TOHOST).addi(30, 0, 5).op(Op::Sw, 0, 31, 30, 4).op(Op::Sw, 0, 31, 30, 0);
    let why = "tohost = 0x00000005_00000005 is no command of the host interface";
    assert_eq!(ends(&place.run(&odd, &[]), 1), failed(why));
}

fn code(code: u32) -> String {
    format!("sim: the program failed with code {code}\n")
}

fn failed(why: &str) -> String {
    format!("sim: the program failed: {why}\n")
}

/// Odd threads spin before the others; hart 0 parks, hart 2 of warp 1 too.
fn spinner() -> Asm {
    let mut asm = Asm::default();
    asm.label("_start").op(Op::Csrrs, 5, 0, 0, 0xf14).op(Op::Andi, 6, 5, 0, 1);
    asm.to(Op::Bne, 6, 0, "spin").label("rest").op(Op::Wfi, 0, 0, 0, 0).op(Op::Fence, 0, 0, 0, 0);
    asm.label("spin").addi(0, 0, 0).to(Op::Jal, 0, 0, "spin");
    asm
}

#[test]
fn a_spin_is_a_livelock_and_named() {
    let place = Place::new();
    let out = place.run(&spinner(), &with(&SMALL, &["--stats", "@/s.json"]));
    let spin = "1 threads 0x0000000000000002 at 0x80000014 <spin>, depth 0";
    let rest = "1 threads 0x0000000000000001 at 0x80000010 <rest+0x4>, depth 0";
    let mut wanted =
        "sim: stuck: livelock: registers, memory and paths repeat for ever\n".to_string();
    for warp in 0..2 {
        wanted += &format!("  warp {warp}:\n     {spin}: runs, first by the order of depth-pc\n");
        wanted += &format!("     {rest}: parked by the wfi before it, not woken\n");
    }
    let report = ends(&out, 3);
    assert_eq!(report.replace("0x80000018 <spin+0x4>", "0x80000014 <spin>"), wanted);
    let stats: serde_json::Value = serde_json::from_str(&place.read("s.json")).unwrap();
    assert!(stats["run"]["outcome"].as_str().unwrap().starts_with("stuck: livelock"));
}

/// Waits for a counter through a value that hides it: no state repeats.
#[test]
fn a_wait_for_a_counter_is_no_livelock() {
    let place = Place::new();
    for counter in [0xb00, 0xc02] {
        let mut asm = Asm::default();
        asm.li(9, 200_000).label("wait").op(Op::Csrrs, 5, 0, 0, counter);
        asm.op(Op::Sltu, 5, 5, 9, 0).op(Op::Fence, 0, 0, 0, 0).to(Op::Bne, 5, 0, "wait").exit(0);
        for policy in ["depth-pc", "stack", "breadth-first", "majority"] {
            let args = ["--policy", policy, "--harts", "1", "--warps", "1"];
            ends(&place.run(&asm, &args), 0);
        }
    }
}

#[test]
fn the_limit_ends_a_run() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 5, 0, 0, 0xf14).to(Op::Beq, 5, 0, "zero").label("count").addi(6, 6, 1);
    asm.to(Op::Jal, 0, 0, "count").label("zero").addi(6, 6, 1).to(Op::Jal, 0, 0, "zero");
    let few = ["--max-instructions", "1000"];
    let report = ends(&place.run(&asm, &with(&SMALL, &few)), 3);
    assert!(report.starts_with("sim: stuck: the limit of 1000 instructions is reached\n"));
    let line =
        "1 threads 0x0000000000000001 at 0x80000010 <zero>, depth 0: waits, depth-pc puts it";
    assert!(report.contains("  warp 0:\n     1 threads 0x0000000000000002 at 0x8000"));
    assert!(report.contains(line) && report.contains("  warp 1:\n     2 threads"), "{report}");
    let report = ends(&place.run(&asm, &with(&few, &["--policy", "mimd", "--harts", "2"])), 3);
    assert!(report.contains("<zero") && report.contains("<count"), "{report}");
    assert!(report.contains("takes its turn") && !report.contains("warp 1"), "{report}");
}

#[test]
fn all_parked_is_stuck() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.label("sleep").op(Op::Wfi, 0, 0, 0, 0).label("after").exit(0);
    for policy in ["mimd", "depth-pc", "fork-join"] {
        let report = ends(&place.run(&asm, &with(&SMALL, &["--policy", policy])), 3);
        let line = "     2 threads 0x0000000000000003 at 0x80000004 <after>, depth 0: \
                    parked by the wfi before it, not woken\n";
        let why = "every thread is parked and none can be woken";
        assert_eq!(report, format!("sim: stuck: {why}\n  warp 0:\n{line}  warp 1:\n{line}"));
    }
}

#[test]
fn memory_in_and_out() {
    let place = Place::new();
    let mut asm = Asm::default();
    only_hart_0(&mut asm);
    asm.li(10, DATA).op(Op::Lw, 11, 10, 0, 1024).addi(11, 11, 1).op(Op::Sw, 0, 10, 11, 0).exit(0);
    let mut elf = asm.elf();
    elf.symbols.push(("begin_signature".into(), DATA, 1));
    elf.symbols.push(("end_signature".into(), DATA + 8, 1));
    fs::write(place.at("p.elf"), elf.bytes()).unwrap();
    fs::write(place.at("in@put"), b"xx\x41\x42\x43\x44zz").unwrap();
    fs::write(place.at("word"), b"\x04\x03\x02\x01").unwrap();
    let at = |name: &str| place.at(name).display().to_string();
    let out = sim([
        format!("--load={}@0x800023fe", at("in@put")),
        format!("--load={}@{}", at("word"), DATA + 4),
        format!("--dump=0x80002001:6:{}", at("a")),
        format!("--dump={}:0:{}", DATA, at("b:c")),
        format!("--signature={}", at("sig")),
        at("p.elf"),
    ]);
    assert_eq!(ends(&out, 0), "");
    assert_eq!(place.read("sig"), "44434242\n01020304\n");
    assert_eq!(fs::read(place.at("a")).unwrap(), b"\x42\x43\x44\x04\x03\x02");
    assert_eq!(place.read("b:c"), "");
    let left = fs::read_dir(place.0.path()).unwrap().count();
    assert_eq!(left, 6, "three inputs, three outputs, nothing else");
}

#[test]
fn console_and_files_keep_apart() {
    let place = Place::new();
    let mut asm = Asm::default();
    only_hart_0(&mut asm);
    print(&mut asm, "noise");
    asm.exit(0);
    let out = place.run(&asm, &["--stats", "-"]);
    assert_eq!(ends(&out, 0), "noise");
    let stats: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(stats["run"]["outcome"], "pass");
    let out = place.run(&asm, &["--dump", "0x80002000:2:-"]);
    assert_eq!((ends(&out, 0).as_str(), out.stdout.as_slice()), ("noise", &[0, 0][..]));
    let out = place.run(&asm, &["--commit-log", "-", "--stats", "@/s"]);
    assert_eq!(ends(&out, 0), "noise");
    assert!(text(&out.stdout).lines().all(|line| line.starts_with("core ")));
    assert!(place.at("s").exists());
}

#[test]
fn outputs_keep_what_they_are() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.exit(0);
    fs::write(place.at("old"), "old").unwrap();
    for (file, link) in [("old", "a"), ("new", "b")] {
        std::os::unix::fs::symlink(file, place.at(link)).unwrap();
    }
    let args = ["--stats", "@/a", "--commit-log", "@/b", "--dump", "0x80000000:4:/dev/null"];
    assert_eq!(ends(&place.run(&asm, &args), 0), "");
    assert!(place.at("a").is_symlink() && place.at("b").is_symlink());
    assert!(place.read("old").starts_with('{') && place.read("new").starts_with("core "));
}

#[test]
fn configurations_and_where_to_start() {
    let place = Place::new();
    let mut asm = Asm::default();
    asm.exit(1).label("second").exit(2).label("harts");
    // The sum of HARTS, LANES and WARPS from the device window.
    asm.li(10, 0x1000_0000).op(Op::Lw, 11, 10, 0, 0x110).op(Op::Lw, 12, 10, 0, 0x114);
    asm.op(Op::Lw, 13, 10, 0, 0x118).op(Op::Slli, 11, 11, 0, 8).op(Op::Slli, 12, 12, 0, 4);
    asm.op(Op::Or, 11, 11, 12, 0).op(Op::Or, 11, 11, 13, 0).op(Op::Slli, 11, 11, 0, 1);
    asm.op(Op::Ori, 11, 11, 0, 1).li(31, TOHOST).op(Op::Sw, 0, 31, 11, 0);
    let second = format!("{:#x}", asm.address("second"));
    let harts = format!("{:#x}", asm.address("harts"));
    assert_eq!(ends(&place.run(&asm, &[]), 1), code(1));
    assert_eq!(ends(&place.run(&asm, &["--reset-pc", &second]), 1), code(2));
    let start = ["--reset-pc", harts.as_str()];
    assert_eq!(ends(&place.run(&asm, &start), 1), code(64 << 8 | 8 << 4 | 8));
    let out = place.run(&asm, &with(&with(&start, &SMALL), &["--harts", "3"]));
    assert_eq!(ends(&out, 1), code(3 << 8 | 2 << 4 | 2));
    let toml = format!("threads-per-warp = 4\nwarps = \"4\"\ntraps = true\nreset-pc = {harts}\n");
    fs::write(place.at("c.toml"), toml).unwrap();
    let file = ["--config", "@/c.toml"];
    assert_eq!(ends(&place.run(&asm, &file), 1), code(16 << 8 | 4 << 4 | 4));
    let out = place.run(&asm, &with(&file, &["--warps", "2"]));
    assert_eq!(ends(&out, 1), code(8 << 8 | 4 << 4 | 2), "a flag wins");
    assert_eq!(ends(&place.run(&asm, &with(&file, &["--reset-pc", &second])), 1), code(2));
}

#[test]
fn the_quantum_decides_who_is_first() {
    let place = Place::new();
    // Hart 0 needs nine instructions to fail with 0x10, hart 1 seven with 0x11.
    let mut asm = Asm::default();
    asm.op(Op::Csrrs, 5, 0, 0, 0xf14).to(Op::Beq, 5, 0, "zero").label("one").exit(0x11);
    asm.label("zero").addi(0, 0, 0).addi(0, 0, 0).exit(0x10);
    let run = |quantum: &str| {
        let args = ["--policy", "mimd", "--harts", "2", "--quantum", quantum];
        ends(&place.run(&asm, &args), 1)
    };
    assert_eq!(["1", "6", "8", "9"].map(run), [0x11, 0x10, 0x11, 0x10].map(code));
}
