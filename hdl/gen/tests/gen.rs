//! The generator's command: files, reproducibility, errors, every shape, the
//! tracked presets, and Verilator's opinion of small cores.
//!
//! Long by a few lines, because all of it runs one program and reads the same files.

use hdl::cores::in_hardware;
use hdl::rtl::lint;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn run(out: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gen"));
    command.args(arguments.split_whitespace()).arg("--out").arg(out).output().unwrap()
}

/// The folder that came.
fn generate(out: &Path, arguments: &str) -> PathBuf {
    let output = run(out, arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{arguments}: {errors}");
    PathBuf::from(text.split(": ").next().unwrap())
}

fn name(folder: &Path) -> &str {
    folder.file_name().unwrap().to_str().unwrap()
}

/// Names and contents of the files of a folder.
fn contents(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.map(|path| (name(&path).into(), fs::read_to_string(&path).unwrap())).collect();
    files.sort();
    files
}

fn file(folder: &Path, end: &str) -> String {
    fs::read_to_string(folder.join(format!("{}.{end}", name(folder)))).unwrap()
}

/// What a command prints.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gen")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn files_agree() {
    let dir = tempfile::tempdir().unwrap();
    let folder = generate(dir.path(), "--threads-per-warp 4 --warps 2 --trace --ram-size 64K");
    assert_eq!(name(&folder), "weft_hct_t4w2_ram10000_trace");
    let names: Vec<String> = contents(&folder).into_iter().map(|(name, _)| name).collect();
    let ends = ["core", "f", "h", "json", "sdc", "v", "vlt"];
    assert_eq!(names, ends.map(|end| format!("weft_hct_t4w2_ram10000_trace.{end}")));

    let about: Value = serde_json::from_str(&file(&folder, "json")).unwrap();
    assert_eq!(about["configuration"]["ram-size"], 65536);
    assert_eq!(about["memory_map"][1]["size"], 65536);
    // The ports are those of the top module, in order, and each group is explained.
    let verilog = file(&folder, "v");
    let top = verilog.split(&format!("module {} (\n", name(&folder))).nth(1).unwrap();
    let (list, _) = top.split_once("\n);").unwrap();
    let ports = about["ports"].as_array().unwrap();
    assert_eq!(list.lines().count(), ports.len());
    for (line, port) in list.lines().zip(ports) {
        let width = port["width"].as_u64().unwrap();
        let words: Vec<&str> = line.trim_end_matches(',').split_whitespace().collect();
        assert_eq!(
            (words[0], *words.last().unwrap()),
            (port["direction"].as_str().unwrap(), port["name"].as_str().unwrap())
        );
        assert!(line.contains(&format!("[{}:0]", width - 1)) || width == 1, "{line}");
        assert!(about["port_groups"][port["group"].as_str().unwrap()].is_string(), "{line}");
    }
    // Every module has the name of the configuration.
    for line in verilog.lines().filter(|line| line.starts_with("module ")) {
        assert!(line.starts_with(&format!("module {}", name(&folder))), "{line}");
    }
    // The tables of the unit: head, runner-up, words, one ring, and what is common to rings.
    let state = &about["state_bits_per_warp"];
    assert_eq!(state["total"], (43 + 4) + (39 + 4) + 4 * (39 + 4) + (2 * 2 + 1) + 3);
    for listed in about["files"].as_array().unwrap() {
        let path = folder.join(listed["name"].as_str().unwrap());
        let output = Command::new("sha256sum").arg(&path).output().unwrap();
        let sum = String::from_utf8(output.stdout).unwrap();
        assert!(sum.starts_with(listed["sha256"].as_str().unwrap()), "{sum}");
        assert_eq!(listed["bytes"], fs::metadata(&path).unwrap().len());
    }
    assert_eq!(about["files"].as_array().unwrap().len(), 6);

    let header = format!(
        "#include \"{}.h\"\n\
         static_assert(WEFT_LANES == 4 && WEFT_WARPS == 2 && WEFT_HARTS == 8, \"shape\");\n\
         static_assert(WEFT_RAM_BASE == 0x80000000 && WEFT_RAM_SIZE == 65536, \"RAM\");\n\
         static_assert(WEFT_DEVICE_BARRIER_ARRIVE == 0x10000100, \"devices\");\n\
         static_assert(WEFT_CSR_SPLIT == 0x7c0 && WEFT_CSR_MERGES == 0xb06, \"CSRs\");\n",
        name(&folder)
    );
    fs::write(dir.path().join("check.cc"), header).unwrap();
    let mut compile = Command::new(std::env::var_os("CXX").unwrap_or("c++".into()));
    compile.arg("-fsyntax-only").arg("-I").arg(&folder).arg(dir.path().join("check.cc"));
    assert!(compile.status().unwrap().success());
}

#[test]
fn trace_is_left_out_unless_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let groups = |folder: &Path| {
        let about: Value = serde_json::from_str(&file(folder, "json")).unwrap();
        let mut groups: Vec<String> =
            about["port_groups"].as_object().unwrap().keys().cloned().collect();
        groups.sort();
        groups
    };
    let plain = generate(dir.path(), "--threads-per-warp 2 --warps 1");
    assert_eq!(groups(&plain), ["clock", "data", "fatal", "fetch", "reset"]);
    let trace = generate(dir.path(), "--threads-per-warp 2 --warps 1 --trace");
    assert_eq!(
        groups(&trace),
        ["clock", "data", "fatal", "fetch", "lanes", "late", "reset", "retire", "stat"]
    );
}

/// A program that says nothing: it is about the files.
#[test]
fn a_soc_has_its_boot_image() {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("boot.bin");
    fs::write(&image, [0x13, 0, 0, 0, 0x6f, 0, 0, 0]).unwrap();
    let flags = format!(
        "--threads-per-warp 1 --warps 1 --ram-size 4K --top soc --boot {} --tohost 0x80000100",
        image.display()
    );
    let folder = generate(dir.path(), &flags);
    assert_eq!(name(&folder), "weft_hct_t1w1_ram1000_soc");
    let about: Value = serde_json::from_str(&file(&folder, "json")).unwrap();
    let ports: Vec<_> = about["ports"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(ports, ["clock", "reset", "uart_tx", "done", "fail"]);
    for port in ports {
        assert!(about["port_groups"][port.as_str().unwrap()].is_string(), "{port}");
    }
    let system = &about["system"];
    assert_eq!((&system["boot"], &system["tohost"]), (&"boot.bin".into(), &0x8000_0100_u32.into()));
    let verilog = file(&folder, "v");
    assert!(
        verilog.contains("mem[0] = 32'h00000013;") && verilog.contains("mem[1] = 32'h0000006f;")
    );
    assert!(!verilog.contains(dir.path().to_str().unwrap()), "a path of this machine");
    assert!(file(&folder, "h").contains("#define WEFT_TOHOST 0x80000100 "));
    assert!(file(&folder, "sdc").contains("set_false_path -from [get_ports reset]"));
    let files = ["vlt", "v"].map(|end| format!("{}.{end}", name(&folder)));
    lint(&folder, name(&folder), &files).unwrap();
    // What is not at its default is in the name.
    let other = generate(dir.path(), &format!("{flags} --uart-divisor 104 --ram-ports 1"));
    assert_eq!(name(&other), "weft_hct_t1w1_ram1000_soc_uart104_oneport");
}

#[test]
fn a_bus_has_a_cache() {
    let dir = tempfile::tempdir().unwrap();
    for (bus, port) in [("axi4", "axi_araddr"), ("wishbone", "wb_adr")] {
        for t in [1, 4] {
            let flags = format!("--threads-per-warp {t} --warps 2 --bus {bus}");
            let folder = generate(dir.path(), &flags);
            assert_eq!(name(&folder), format!("weft_hct_t{t}w2_ic4096_{bus}"));
            let about: Value = serde_json::from_str(&file(&folder, "json")).unwrap();
            assert_eq!(
                (&about["bus"], &about["configuration"]["icache"]),
                (&bus.into(), &4096.into())
            );
            let ports = about["ports"].as_array().unwrap();
            assert!(ports.iter().any(|p| p["name"] == port));
            assert!(ports.iter().all(|p| p["name"] != "lock" && p["name"] != "data_request"));
            for port in ports {
                assert!(
                    about["port_groups"][port["group"].as_str().unwrap()].is_string(),
                    "{port}"
                );
            }
            let files = ["vlt", "v"].map(|end| format!("{}.{end}", name(&folder)));
            lint(&folder, name(&folder), &files).unwrap();
        }
    }
    let small = generate(dir.path(), "--threads-per-warp 1 --warps 1 --bus axi4 --icache 256");
    assert_eq!(name(&small), "weft_hct_t1w1_ic256_axi4");
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let flags = "--threads-per-warp 2 --warps 2 --divergence arbiter --isa rv32im";
    let first = generate(&at("a"), flags);
    let config = at("c.toml");
    let mut print: Vec<&str> = flags.split(' ').collect();
    print.push("--print-config");
    fs::write(&config, printed(&print)).unwrap();
    let config = format!("--config {}", config.display());
    for again in [
        flags.to_string(),
        config.clone(),
        format!("{config} --isa rv32im"),
        "--preset tiny --isa rv32im --divergence arbiter --top core --bus native".into(),
    ] {
        let second = generate(&at("b"), &again);
        assert_eq!(name(&first), name(&second));
        assert!(contents(&first) == contents(&second), "{again}");
    }
    // Flags win over the file.
    let other = generate(&at("b"), &format!("{config} --isa rv32ima"));
    assert_eq!(name(&other), "weft_arbiter_t2w2");
}

#[test]
fn mistakes_are_one_line_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("width.toml"), "width = 4\n").unwrap();
    fs::write(at("broken.toml"), "warps = \n").unwrap();
    fs::write(at("wrong.toml"), "warps = 3\n").unwrap();
    fs::write(at("file"), "").unwrap();
    fs::write(at("large"), vec![0; 4097]).unwrap();
    let out = at("out");
    let config = |name: &str| format!("--config {}", at(name).display());
    let soc = |name: &str| format!("--top soc --ram-size 4K --boot {}", at(name).display());
    let mistakes = [
        ("--threads-per-warp 3".to_string(), "use 1, 2, 4, 8, 16, 32, 64"),
        ("--warps 64".into(), "use 1, 2, 4, 8, 16, 32"),
        ("--divergence simt".into(), "use hct, arbiter, stack"),
        ("--divergence stack".into(), "--divergence stack: not in hardware"),
        ("--divergence arbiter --ccs network".into(), "--divergence hct with it"),
        ("--lanes 16".into(), "--lanes 16: not supported, use 1, 2, 4, 8"),
        ("--lanes 4 --bypass none".into(), "--lanes 4: not supported, use T with --bypass none"),
        ("--icache 4K".into(), "--icache 4K: only with --bus axi4 or wishbone"),
        (
            "--csrs serial --traps off --counters none".into(),
            "--csrs serial: not supported, use parallel where traps and counters are left out",
        ),
        ("--trace maybe".into(), "--trace maybe: not supported, use on, off"),
        ("--top chip".into(), "--top chip: not supported, use core, soc"),
        ("--top soc".into(), "--top soc: needs a program, --boot FILE"),
        (soc("missing"), "No such file"),
        (soc("file"), "the file is empty"),
        (soc("width.toml"), "no symbol 'tohost'"),
        (soc("width.toml --tohost 0x80000002"), "tohost at 0x80000002 is not an aligned address"),
        (soc("width.toml --tohost 0x80000ffc"), "tohost at 0x80000ffc is not an aligned address"),
        (soc("width.toml --tohost here"), "--tohost here: not an address"),
        (soc("large"), "0x80000000..0x80001001 is outside RAM, 0x80000000..0x80001000"),
        (soc("width.toml --tohost 0x80000100 --uart-divisor 0"), "use 1 to 1048575"),
        (
            soc("width.toml --tohost 0x80000100 --ram-ports 3"),
            "--ram-ports 3: not supported, use 1",
        ),
        (soc("width.toml --trace"), "--trace on: the soc has no trace ports"),
        (soc("width.toml --icache 4K"), "--icache"),
        ("--boot file".into(), "--boot: only with --top soc"),
        ("--uart-divisor 5".into(), "--uart-divisor: only with --top soc"),
        ("--bus pci".into(), "--bus pci: not supported, use native, axi4, wishbone"),
        ("--bus axi4 --trace".into(), "--trace on: --bus axi4 has no trace ports"),
        ("--bus axi4 --icache 300".into(), "--icache 300: not supported, use a multiple of 256"),
        ("--bus axi4 --boot file".into(), "--boot: only with --top soc"),
        (soc("width.toml --bus wishbone"), "--bus wishbone: the soc has its memory inside"),
        ("--preset huge".into(), "--preset huge: not supported, use tiny, default, paper"),
        ("--preset tiny --config x.toml".into(), "cannot be used with"),
        ("--list-units --list-presets".into(), "cannot be used with"),
        ("--frobnicate".into(), "unexpected argument '--frobnicate'"),
        ("core.toml".into(), "unexpected argument 'core.toml'"),
        (config("missing.toml"), "No such file"),
        (config("width.toml"), "unknown key 'width'"),
        (config("broken.toml"), "line 1"),
        (config("wrong.toml"), "--warps 3: not supported"),
    ];
    let refused = |out: &Path, arguments: &str, why: &str| {
        let output = run(out, arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(text.starts_with("gen: ") && text.contains(why), "{arguments}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    };
    for (arguments, why) in &mistakes {
        refused(&out, arguments, why);
        assert!(!out.exists(), "{arguments}");
    }

    // Places that cannot be written.
    let tiny = "--threads-per-warp 1 --warps 1";
    refused(&at("file"), tiny, "cannot write");
    refused(&at("file/deeper"), tiny, "cannot write");
    refused(Path::new("/proc/weft"), tiny, "cannot write");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("weft_hct_t1w1"), "mine").unwrap();
    refused(&out, tiny, "it is not a folder");
    assert_eq!(fs::read_to_string(out.join("weft_hct_t1w1")).unwrap(), "mine");
    fs::remove_file(out.join("weft_hct_t1w1")).unwrap();
    let folder = generate(&out, tiny);
    fs::write(folder.join("notes"), "mine").unwrap();
    refused(&out, tiny, "it holds notes");
    assert_eq!(contents(&folder).len(), 8);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

#[test]
fn told_to_end_it_leaves_nothing_half_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let entries = || fs::read_dir(&out).map_or(0, Iterator::count);
    for (signal, code) in [("INT", 130), ("TERM", 143)].repeat(3) {
        let mut gen_ = Command::new(env!("CARGO_BIN_EXE_gen"));
        gen_.args(["--threads-per-warp", "64", "--warps", "32", "--out"]).arg(&out);
        let began = Instant::now();
        let child = gen_.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while entries() == 0 {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing is written");
        }
        let sent =
            Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8(ended.stderr).unwrap();
        // It may have been done just then, whatever it was about to say.
        if ended.status.code() == Some(0) {
            assert_eq!(entries(), 1);
            assert!(out.join("weft_hct_t64w32/weft_hct_t64w32.core").exists());
        } else {
            assert!(sent.success() && ended.status.code() == Some(code), "{:?}", ended.status);
            assert_eq!(errors, format!("gen: stopped by SIG{signal}\n"));
            // Nothing, or all of it.
            assert_eq!(entries(), usize::from(out.join("weft_hct_t64w32").exists()));
        }
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn lists_say_what_there_is() {
    let units = printed(&["--list-units"]);
    assert!(units.contains("hct ") && units.contains("arbiter ") && units.contains("stack "));
    assert_eq!(units.lines().filter(|line| line.contains("emulator only")).count(), 1);
    assert_eq!(printed(&["--list-presets"]).lines().count(), 3);
    let config = printed(&["--preset", "paper", "--divergence", "arbiter", "--print-config"]);
    assert!(config.starts_with("threads-per-warp = 32\nwarps = 8\ndivergence = \"arbiter\"\n"));
}

#[test]
fn every_shape_prints() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for unit in in_hardware() {
            let dir = dir.path();
            scope.spawn(move || {
                for t in hdl::config::THREADS {
                    for w in [1, 8, 32] {
                        for trace in ["", "--trace"] {
                            let shape = format!("--threads-per-warp {t} --warps {w}");
                            let folder =
                                generate(dir, &format!("{shape} --divergence {unit} {trace}"));
                            let text = file(&folder, "v");
                            let top = format!("module {} (\n", name(&folder));
                            assert_eq!(text.matches(&top).count(), 1);
                            assert_eq!(
                                text.contains("output wire retire_0_valid,"),
                                !trace.is_empty()
                            );
                            fs::remove_dir_all(folder).unwrap();
                        }
                    }
                }
            });
        }
    });
}

/// Time of the whole command, the best of two (other tests run at the same time).
#[test]
fn wide_cores_print_fast() {
    let dir = tempfile::tempdir().unwrap();
    let time = |t: u32| {
        let once = || {
            let start = Instant::now();
            generate(dir.path(), &format!("--threads-per-warp {t}"));
            start.elapsed()
        };
        once().min(once())
    };
    let (wide, widest) = (time(32), time(64));
    println!("32 lanes: {wide:?}, 64 lanes: {widest:?}");
    assert!(wide < Duration::from_secs(3), "{wide:?}");
    assert!(widest < Duration::from_secs(6), "{widest:?}");
}

/// What `scripts/presets.sh --check` does, too.
#[test]
fn tracked_presets_are_current() {
    let tracked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verilog-out");
    let dir = tempfile::tempdir().unwrap();
    for preset in printed(&["--list-presets"]).lines() {
        let preset = preset.split_whitespace().next().unwrap();
        for unit in in_hardware() {
            let arguments = format!("--preset {preset} --divergence {unit}");
            let folder = generate(dir.path(), &arguments);
            let current = contents(&folder) == contents(&tracked.join(name(&folder)));
            assert!(current, "verilog-out/{} is old: run scripts/presets.sh", name(&folder));
        }
    }
}

/// Verilator's -Wall with the waivers that come with the Verilog, and no others.
#[test]
fn small_cores_are_clean() {
    let dir = tempfile::tempdir().unwrap();
    let clean = |arguments: &str| {
        let folder = generate(dir.path(), arguments);
        let files = ["vlt", "v"].map(|end| format!("{}.{end}", name(&folder)));
        lint(&folder, name(&folder), &files).unwrap();
    };
    for unit in in_hardware() {
        for (t, w) in [(1, 1), (1, 8), (4, 1), (4, 8)] {
            for trace in ["off", "on"] {
                clean(&format!(
                    "--threads-per-warp {t} --warps {w} --divergence {unit} --trace {trace}"
                ));
            }
        }
        for lanes in
            ["4", "2", "2 --crossbar serial", "2 --crossbar serial --dividers 1 --csrs serial"]
        {
            clean(&format!("--threads-per-warp 4 --divergence {unit} --lanes {lanes}"));
        }
        for few in ["--warps 1 --bypass none", "--bypass none", "--warps 1 --loads 1", "--loads 1"]
        {
            clean(&format!("--threads-per-warp 1 --divergence {unit} {few}"));
        }
    }
}

/// That the test above can fail: without the waivers there are warnings.
#[test]
fn waivers_are_needed() {
    let dir = tempfile::tempdir().unwrap();
    for (more, count) in [("", 3), ("--bypass none", 4), ("--loads 1", 4)] {
        let folder = generate(dir.path(), &format!("--threads-per-warp 1 --warps 1 {more}"));
        let warnings = lint(&folder, name(&folder), &[format!("{}.v", name(&folder))]);
        let (warnings, waived) = (warnings.unwrap_err(), file(&folder, "vlt"));
        let rules = waived.lines().filter_map(|line| line.strip_prefix("lint_off -rule "));
        assert_eq!(rules.clone().count(), count, "{more}");
        for rule in rules {
            let rule = rule.split(' ').next().unwrap();
            assert!(warnings.contains(&format!("%Warning-{rule}")), "{rule} is not needed: {more}");
        }
    }
}
