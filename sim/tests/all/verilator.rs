//! Exported Verilog, compiled by Verilator, beside the hardware in process.
//!
//! Needs `scripts/setup.sh` and a C++ compiler. Programs run on both in
//! `lab matrix --engine twin`, a part of which `scripts/test.sh` runs; here is what
//! is around them.

use crate::common::fake::{Fake, Fault};
use crate::common::{Asm, Place, ends, runs, text};
use hdl::config::{CoreConfig, RawConfig};
use hdl::isa::Op;
use sim::limits::Outcome;
use sim::program::Program;
use sim::rtl::{self, RunOptions, Timing};
use sim::verilator::Twin;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every thread counts down from its number, so they part; the first one ends the run.
fn count_down() -> Asm {
    let mut asm = Asm::default();
    asm.label("_start").op(Op::Csrrs, 5, 0, 0, 0xf14).addi(6, 5, 3);
    asm.label("loop").addi(6, 6, -1).to(Op::Bne, 6, 0, "loop");
    asm.to(Op::Beq, 5, 0, "end").op(Op::Wfi, 0, 0, 0, 0).label("end").exit(0);
    asm
}

/// A core that no other test has.
fn core(ram: &'static str) -> Vec<&'static str> {
    vec!["--threads-per-warp", "2", "--warps", "1", "--ram-size", ram]
}

/// Runs the program on an engine; `@` stands for the folder.
fn run(place: &Place, engine: &str, ram: &'static str, more: &[&str]) -> std::process::Output {
    let args = [&["--engine", engine][..], &core(ram), more].concat();
    place.run(&count_down(), &args)
}

/// The library of such a core; older hardware may have left others.
fn library(bytes: u32) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_sim")).with_file_name("verilator");
    let name = config(bytes).name();
    let all = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).filter(|path| {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        file.starts_with(&format!("{name}_trace-")) && file.ends_with(".so")
    });
    let newest = all.max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    newest.unwrap_or_else(|| panic!("no library of {name}"))
}

fn config(bytes: u32) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some("2".into()),
        warps: Some("1".into()),
        ram_size: Some(bytes.to_string()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
}

#[test]
fn engines_say_the_same_and_keep_their_library() {
    let place = Place::new();
    for engine in ["rtl", "verilator", "twin"] {
        let outputs = [format!("@/{engine}.json"), format!("@/{engine}.log")];
        let more = ["--stats", &outputs[0], "--commit-log", &outputs[1], "--mem-latency", "1:5"];
        // The folder stands for `@` once per argument.
        ends(&run(&place, engine, "28K", &more), 0);
    }
    let read = |engine: &str| -> serde_json::Value {
        let mut stats: serde_json::Value =
            serde_json::from_str(&place.read(&format!("{engine}.json"))).unwrap();
        stats.as_object_mut().unwrap().remove("run");
        stats
    };
    assert!(read("rtl")["cycles"].as_u64().unwrap() > 20);
    assert!(read("rtl")["divergences"].as_u64().unwrap() > 0);
    for other in ["verilator", "twin"] {
        assert_eq!(read("rtl"), read(other));
        assert_eq!(place.read("rtl.log"), place.read(&format!("{other}.log")));
    }

    // One that is there is not built again; one that is damaged is.
    let library = library(28 << 10);
    let built = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let before = built(&library);
    ends(&run(&place, "verilator", "28K", &[]), 0);
    assert_eq!(built(&library), before);
    let bytes = fs::read(&library).unwrap();
    fs::write(&library, &bytes[..bytes.len() / 2]).unwrap();
    ends(&run(&place, "verilator", "28K", &[]), 0);
    assert_eq!(fs::metadata(&library).unwrap().len(), bytes.len() as u64);
}

#[test]
fn waves_hold_every_cycle() {
    let place = Place::new();
    let more = ["--fst", "@/waves.fst", "--stats"];
    let stats = place.at("stats.json").display().to_string();
    ends(&run(&place, "verilator", "24K", &[&more[..], &[&stats]].concat()), 0);
    let stats: serde_json::Value = serde_json::from_str(&place.read("stats.json")).unwrap();
    let waves = fs::read(place.at("waves.fst")).unwrap();
    // The header: kind 0, its length, then start and end time, and further on the
    // number of scopes and of signals, all with the highest byte first.
    let number = |at: usize| u64::from_be_bytes(waves[at..at + 8].try_into().unwrap());
    assert_eq!((waves[0], number(1)), (0, 329));
    let cycles = stats["cycles"].as_u64().unwrap();
    let end = number(17);
    assert!((10 * cycles..10 * (cycles + 5)).contains(&end), "{end} ns, {cycles} cycles");
    let (scopes, signals) = (number(41), number(49));
    assert!(scopes > 20 && signals > 500, "{scopes} scopes, {signals} signals");
}

#[test]
fn what_is_missing_or_does_not_fit_is_one_line() {
    let place = Place::for_refusals();
    place.refuses(&["--engine", "rtl", "--fst", "@/out/f", "@/good.elf"], "--fst: only with");
    place.refuses(&["--engine", "verilator", "--vcd", "@/out/f", "@/good.elf"], "--vcd: only with");
    // A compiler that is not there, and one that fails.
    for (compiler, about) in
        [("/no/such/c++", "install one, or name it in CXX"), ("false", "failed")]
    {
        fs::write(place.at("p.elf"), count_down().elf().bytes()).unwrap();
        let program = place.at("p.elf").display().to_string();
        let args = [&["--engine", "verilator"][..], &core("20K"), &[&program]].concat();
        let out = Command::new(env!("CARGO_BIN_EXE_sim"))
            .args(args)
            .env("CXX", compiler)
            .output()
            .unwrap();
        let errors = ends(&out, 2);
        assert!(errors.contains(about) && errors.lines().count() == 1, "{errors}");
        assert_eq!(text(&out.stdout), "");
    }
}

#[test]
fn told_to_end_it_stops_the_compiler_and_leaves_nothing_behind() {
    let place = Place::new();
    let here = place.at("").display().to_string();
    // A compiler that has started another program, and left a file.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exit\n: > \"$TMPDIR/left.s\"\nsleep 100 &\n\
         echo \"$! $TMPDIR\" > {here}/new.$$ && mv {here}/new.$$ {here}/runs\nwait\n"
    );
    fs::write(place.at("c++"), script).unwrap();
    fs::set_permissions(place.at("c++"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(place.at("temporary")).unwrap();
    fs::write(place.at("p.elf"), count_down().elf().bytes()).unwrap();
    let sim = Command::new(env!("CARGO_BIN_EXE_sim"))
        .args([&["--engine", "verilator"][..], &core("28K")].concat())
        .arg(place.at("p.elf"))
        .env("CXX", place.at("c++"))
        .env("TMPDIR", place.at("temporary"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while !place.at("runs").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "no compiler runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    let told = fs::read_to_string(place.at("runs")).unwrap();
    let (other, folder) = told.trim().split_once(' ').unwrap();
    let there = || (runs(other), Path::new(folder).exists());
    assert_eq!(there(), (true, true));
    let sent = Command::new("kill").arg(sim.id().to_string()).status().unwrap();
    let ended = sim.wait_with_output().unwrap();
    assert!(sent.success());
    assert_eq!(ends(&ended, 143), "sim: stopped by SIGTERM\n");
    assert_eq!(there(), (false, false));
    assert_eq!(fs::read_dir(place.at("temporary")).unwrap().count(), 0);
}

#[test]
fn twins_that_differ_are_caught() {
    let config = config(16 << 10);
    let place = Place::new();
    fs::write(place.at("p.elf"), count_down().elf().bytes()).unwrap();
    let program = Program::load(&place.at("p.elf"), config.ram_size).unwrap();
    let run = |fault: Fault| {
        let fake = |fault| Box::new(Fake::new(&config, &program, 1).with(fault, 3));
        let mut twin = Twin::new(fake(Fault::None), fake(fault));
        let options = RunOptions {
            timing: Timing::default(),
            max_instructions: 10_000,
            max_cycles: 10_000,
            lockstep: true,
            observer: None,
            console: &mut |_| (),
            dump: None,
        };
        rtl::run(&mut twin, &config, &program, options).outcome
    };
    assert_eq!(run(Fault::None), Outcome::Exit(0));
    match run(Fault::Value) {
        Outcome::Mismatch(why) => {
            assert!(why.contains("retire: ") && why.contains("in Verilog"), "{why}")
        }
        other => panic!("{other:?}"),
    }
}
