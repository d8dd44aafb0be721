//! Bad input of every kind, options and files: one line on standard error, nothing on
//! standard output, exit code 2, and no output file, not even a part.

use crate::common::refusal::good;
use crate::common::{DATA, Place};
use std::fs;

#[test]
fn values_of_options() {
    let place = Place::for_refusals();
    let with = |args: &[&str], about: &str| {
        let args: Vec<_> = args.iter().copied().chain(["@/good.elf"]).collect();
        place.refuses(&args, about);
    };
    for t in ["0", "3", "128", "-1", "8.0", "x", ""] {
        with(&[&format!("--threads-per-warp={t}")], "use 1, 2, 4, 8, 16, 32, 64");
    }
    for w in ["0", "3", "64", "4294967297"] {
        with(&["--warps", w], "use 1, 2, 4, 8, 16, 32");
    }
    let small = ["--threads-per-warp", "2", "--warps", "2", "--harts"];
    with(&[&small[..], &["5"]].concat(), "1 to 4");
    with(&[&small[..], &["0"]].concat(), "1 to 4");
    with(&["--policy", "random"], "mimd, depth-pc, stack");
    with(&["--divergence", "magic"], "hct");
    with(&["--policy", "stack", "--divergence", "hct"], "cannot be used with");
    with(&["--engine", "fpga"], "use emu, rtl, verilator or twin");
    with(&["--isa", "rv64i"], "rv32ima");
    with(&["--ram-size", "5000"], "multiple of 4096");
    with(&["--reset-pc", "0x1000"], "--reset-pc");
    with(&["--reset-pc", "0x80000002"], "--reset-pc");
    with(&["--max-instructions", "0"], "--max-instructions");
    with(&["--max-instructions", "many"], "--max-instructions");
    with(&["--quantum", "8"], "only with --policy mimd");
    with(&["--quantum", "0x100000000", "--policy", "mimd"], "at most");
    with(&["--lockstep", "--policy", "mimd"], "--lockstep");
    with(&["--lockstep=maybe"], "use on or off");
    for option in
        ["--mem-latency=2", "--mem-seed=2", "--mem-requests=2", "--max-cycles=9", "--vcd=@/out/vcd"]
    {
        with(&[option], ": only with --engine rtl");
    }
    let rtl = |args: &[&str], about: &str| with(&[&["--engine", "rtl"], args].concat(), about);
    for latency in ["0", "1:", "x", "2:-1", "1001", "1:1001", ""] {
        rtl(&[&format!("--mem-latency={latency}")], "--mem-latency");
    }
    rtl(&["--mem-seed", "2"], "--mem-seed: only with a jitter");
    rtl(&["--mem-seed", "x", "--mem-latency", "1:2"], "--mem-seed x");
    rtl(&["--max-cycles", "0"], "--max-cycles");
    rtl(&["--policy", "depth-pc"], "--policy: only with --engine emu");
    rtl(&["--quantum", "8"], "only with --policy mimd");
    rtl(&["--divergence", "stack"], "--divergence stack: not in hardware");
    rtl(&["--icache", "4K"], "--icache 4096: only gen puts a cache around the core");
    with(&["--frobnicate"], "--frobnicate");
    with(&["--stat"], "--stat");
    with(&["--warps="], "--warps");
    with(&["--warps", "2", "--warps", "4"], "--warps");
    with(&["@/another.elf"], "good.elf' cannot be used with '<PROGRAM>'");
}

#[test]
fn configuration_files() {
    let place = Place::for_refusals();
    for (content, about) in [
        ("width = 8\n", "unknown key 'width', use one of threads-per-warp"),
        ("warps = 4\nwarps = 8\n", "line 2"),
        ("warps = \n", "line 1"),
        ("[core]\nwarps = 4\n", "unknown key 'core'"),
        ("warps = [4]\n", "got array"),
        ("warps = 3\n", "--warps 3: not supported"),
        ("\u{0}", "line 1"),
    ] {
        place.write("core.toml", content.as_bytes());
        place.refuses(&["--config", "@/core.toml", "@/good.elf"], about);
    }
    place.write("core.toml", &[0xff, 0xfe]);
    place.refuses(&["--config", "@/core.toml", "@/good.elf"], "core.toml");
    place.refuses(&["--config", "@/missing.toml", "@/good.elf"], "missing.toml");
    place.refuses(&["--config", "@", "@/good.elf"], "directory");
}

#[test]
fn loads_and_dumps() {
    let place = Place::for_refusals();
    place.write("data", &[0; 64]);
    for (load, about) in [
        ("@/data", "use FILE@ADDR"),
        ("@/data@", "is no address"),
        ("@/data@home", "is no address"),
        ("@/data@0x1000", "not in RAM 0x80000000..0x81000000"),
        ("@/data@0x80ffffe0", "64 bytes at 0x80ffffe0"),
        ("@/data@0xffffffffffffffff", "not in RAM"),
        ("@/missing@0x80004000", "missing"),
        ("@/out@0x80004000", "is a directory"),
    ] {
        place.refuses(&["--load", load, "@/good.elf"], about);
    }
    for (dump, about) in [
        ("0x80000000:4", "use ADDR:LEN:FILE"),
        ("here:4:@/out/d", "here is no number"),
        ("0x80000000:-4:@/out/d", "-4 is no number"),
        ("0x7ffffffc:8:@/out/d", "not in RAM"),
        ("0x80000000:16777217:@/out/d", "not in RAM"),
        ("0x80000000:0xffffffffffffffff:@/out/d", "not in RAM"),
        ("0x80000000:4:@/nowhere/d", "nowhere/d: cannot write"),
        ("0x80000000:4:@", "is a directory"),
        ("0x80000000:4:@/out/stats", "same place"),
    ] {
        place.refuses(&["--dump", dump, "@/good.elf"], about);
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let place = Place::for_refusals();
    place.refuses(&["--signature", "@/out/sig", "@/good.elf"], "no symbol 'begin_signature'");
    let mut elf = good();
    for (begin, end) in [(DATA, DATA - 4), (DATA + 2, DATA + 6), (DATA, 0x9000_0000)] {
        elf.symbols.retain(|(name, ..)| !name.ends_with("signature"));
        elf.symbols.push(("begin_signature".into(), begin, 1));
        elf.symbols.push(("end_signature".into(), end, 1));
        place.write("bad.elf", &elf.bytes());
        place.refuses(&["--signature", "@/out/sig", "@/bad.elf"], "not a range of words");
    }
    place.write("file", b"");
    for option in ["--stats", "--commit-log"] {
        let others = ["--dump", "0x80000000:4:@/out/d", "@/good.elf"];
        for (path, about) in [
            ("@/nowhere/f", "nowhere/f: cannot write"),
            ("@/file/f", "file/f: cannot write"),
            ("@", "is a directory"),
            ("@/out/new/", "is a directory"),
            ("", "a value is required"),
            ("/dev/full", "/dev/full: cannot write"),
        ] {
            place.refuses(&[&[option, path][..], &others[..]].concat(), about);
        }
    }
    place.refuses(&["--stats", "-", "--commit-log", "-", "@/good.elf"], "same place");
    place.refuses(&["--stats", "@/good.elf", "@/good.elf"], "it is an input");
    place.refuses(&["--dump", "0x80000000:4:@/good.elf", "@/good.elf"], "it is an input");
    place.refuses(
        &["--load", "@/good.elf@0x80001000", "--stats", "@/good.elf", "@/good.elf"],
        "input",
    );
    place.refuses(&["--stats", "-", "--commit-log", "/dev/full", "@/good.elf"], "/dev/full");
    assert_eq!(fs::read(place.at("file")).unwrap(), b"");
}
