//! `lab area` and `lab timing`: resuming, errors and, with the real tools, the model of
//! logic elements. Where only the flow matters a shell script stands in for the tools.
//!
//! Long by a few lines, because all of it runs one program on the same bench of such scripts.

use crate::common::runs;
use sim::lab::synth::area::Row;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NETLIST: &str =
    r#"{"modules":{"weft":{"ports":{},"cells":{"a":{"type":"$lut","connections":{}}}}}}"#;

/// A register behind its table, and one that it reads from, far away.
const PLACED: &str = r#"{"modules":{"top":{"netnames":{
"x":{"bits":[2],"attributes":{}},"y":{"bits":[3],"attributes":{}},"z":{"bits":[4],"attributes":{}}},"cells":{
"a":{"type":"TRELLIS_COMB","attributes":{"NEXTPNR_BEL":"X10/Y12/SLICEA.K0"},
 "parameters":{"INITVAL":"0101010101010101"},"port_directions":{"A":"input","F":"output"},"connections":{"A":[2],"F":[3]}},
"b":{"type":"TRELLIS_FF","attributes":{"NEXTPNR_BEL":"X10/Y12/SLICEA.FF0"},
 "parameters":{},"port_directions":{"DI":"input","Q":"output"},"connections":{"DI":[3],"Q":[4]}},
"c":{"type":"TRELLIS_FF","attributes":{"NEXTPNR_BEL":"X100/Y90/SLICEB.FF0"},
 "parameters":{},"port_directions":{"M":"input","Q":"output"},"connections":{"M":[4],"Q":[2]}}
}}}}"#;
const DELAYS: &str = r"
(INSTANCE a)
(IOPATH A F (236:236:236) (236:236:236))
(INSTANCE b)
(IOPATH (posedge CLK) Q (525:525:525) (525:525:525))
(SETUPHOLD (posedge DI) (posedge CLK) (0:0:0) (0:0:0))
(INSTANCE c)
(IOPATH (posedge CLK) Q (525:525:525) (525:525:525))
(SETUPHOLD (posedge M) (posedge CLK) (0:0:0) (0:0:0))
";

/// What Yosys makes for ECP5: tables in a row between registers.
fn tables(count: usize) -> String {
    let cell = |kind: &str, out: &str, input: &str, at: usize| {
        format!(
            r#"{{"type":"{kind}","parameters":{{"INIT":"0101010101010101"}},"attributes":{{}},
            "port_directions":{{"{out}":"output","{input}":"input"}},
            "connections":{{"{out}":[{}],"{input}":[{at}]}}}}"#,
            at + 1
        )
    };
    let mut cells = vec![cell("TRELLIS_FF", "Q", "DI", 2)];
    cells.extend((0..count).map(|n| cell("LUT4", "Z", "A", n + 3)));
    cells.push(cell("TRELLIS_FF", "Q", "DI", count + 3));
    let cells: Vec<_> =
        cells.iter().enumerate().map(|(n, cell)| format!("\"c{n}\":{cell}")).collect();
    format!(r#"{{"modules":{{"weft":{{"ports":{{}},"cells":{{{}}}}}}}}}"#, cells.join(","))
}

/// A folder with tools and results.
struct Bench(TempDir);

impl Bench {
    /// What Yosys does for a netlist, as a shell script.
    fn new(yosys: &str) -> Bench {
        let bench = Bench(tempfile::tempdir().unwrap());
        fs::create_dir(bench.path("tools")).unwrap();
        fs::write(bench.path("netlist"), NETLIST).unwrap();
        bench.tool("yosys", "Yosys 0.70 (git sha1 0)", yosys);
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tool(&self, name: &str, version: &str, script: &str) {
        let (path, here) = (self.path("tools").join(name), self.0.path().display());
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo '{version}'; exit; }}\nhere={here}\n{script}\n"
        );
        // Renamed, since a program that is open for writing does not run.
        fs::write(self.path("new"), text).unwrap();
        fs::set_permissions(self.path("new"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(self.path("new"), path).unwrap();
    }

    fn lab(&self, study: &str, options: &[&str]) -> Command {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg(study).arg("--tools").arg(self.path("tools")).arg("--out").arg(self.path("out"));
        lab.args(["--threads-per-warp", "2", "--warps", "1", "--jobs", "1"]).args(options);
        lab
    }

    fn run(&self, study: &str, options: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.lab(study, options).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code(), text(stdout), text(stderr))
    }

    fn rows(&self, file: &str) -> String {
        fs::read_to_string(self.path("out").join(file)).unwrap_or_default()
    }
}

#[test]
fn rows_are_taken_over_and_a_failure_costs_only_its_own() {
    let bench = Bench::new(
        "if grep -q weft__steer dut.v; then echo 'ERROR: too large'; exit 1; fi\ncp $here/netlist netlist.json",
    );
    let (code, out, err) = bench.run("area", &[]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("lab: 1 runs, 0 rows taken over"), "{out}");
    assert_eq!(err, "lab: weft_hct_t2w1 core on cycloneive: yosys failed: ERROR: too large\n");
    let first = bench.rows("area.jsonl");
    let row: Row = serde_json::from_str(&first).unwrap();
    assert_eq!((row.part.as_str(), row.total.logic, row.tool.as_str()), ("unit", 1, "yosys 0.70"));

    bench.tool("yosys", "Yosys 0.70 (git sha1 0)", "cp $here/netlist netlist.json");
    let (code, out, err) = bench.run("area", &[]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("lab: 1 runs, 1 rows taken over"), "{out}");
    let both = bench.rows("area.jsonl");
    assert!(both.lines().count() == 2 && both.contains(&first));
    assert!(bench.run("area", &[]).1.contains("lab: 0 runs, 2 rows taken over"));
    assert!(bench.run("area", &["--fresh"]).1.contains("lab: 2 runs, 0 rows taken over"));
    assert_eq!(bench.rows("area.jsonl"), both);

    // Another version of the tool measures again; its rows take the place of the old ones.
    bench.tool("yosys", "Yosys 0.71", "cp $here/netlist netlist.json");
    assert!(bench.run("area", &[]).1.contains("lab: 2 runs, 0 rows taken over"));
    assert_eq!(bench.rows("area.jsonl"), both.replace("0.70", "0.71"));
}

#[test]
fn tools_may_lie_in_a_folder_without_a_root() {
    let bench = Bench::new("cp $here/netlist netlist.json");
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.current_dir(bench.path(""))
        .args(["area", "--tools", "tools", "--out", "out", "--part", "unit"]);
    let ended = lab.args(["--threads-per-warp", "2", "--warps", "1"]).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(bench.rows("area.jsonl").lines().count(), 1);
}

#[test]
fn a_killed_study_goes_on_where_it_was() {
    // The second configuration, of two runs each, hangs.
    let count = "echo >> $here/count; cp $here/netlist netlist.json";
    let bench = Bench::new(&format!("{count}; [ $(wc -l < $here/count) -lt 3 ] || exec sleep 8"));
    let options = ["--part", "unit", "--isa", "rv32i,rv32im"];
    let mut study = bench.lab("area", &options).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while bench.rows("area.jsonl").lines().count() < 1 {
        assert!(began.elapsed() < Duration::from_secs(60), "no row came");
        std::thread::sleep(Duration::from_millis(20));
    }
    study.kill().unwrap();
    study.wait().unwrap();
    bench.tool("yosys", "Yosys 0.70 (git sha1 0)", count);
    let (code, out, err) = bench.run("area", &options);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("lab: 1 runs, 1 rows taken over"), "{out}");
    let entries: Vec<_> = fs::read_dir(bench.path("out")).unwrap().flatten().collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn a_study_that_is_told_to_end_stops_its_tools() {
    // A tool that has started another one.
    let bench = Bench::new("sleep 100 & echo $! > $here/new; mv $here/new $here/pid; wait");
    let temporary = bench.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let lab = bench.lab("area", &["--part", "unit"]);
    let signals = [("SIGTERM", 143), ("SIGINT", 130), ("SIGHUP", 129), ("SIGTERM", 143)];
    for (turn, (name, code)) in signals.into_iter().enumerate() {
        // What nohup does, in the last turn.
        let hangs_up = if turn == 3 { "--ignore-signal=HUP" } else { "--default-signal=HUP" };
        let mut command = Command::new("env");
        command.arg(hangs_up).arg(lab.get_program()).args(lab.get_args());
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::piped());
        let study = command.spawn().unwrap();
        let send = |name: &str| {
            let sent =
                Command::new("kill").args(["-s", &name[3..], &study.id().to_string()]).status();
            assert!(sent.unwrap().success());
        };
        let began = Instant::now();
        while !bench.path("pid").exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "no tool runs");
            std::thread::sleep(Duration::from_millis(20));
        }
        let tool = fs::read_to_string(bench.path("pid")).unwrap();
        let runs = || runs(&tool);
        assert!(runs() && fs::read_dir(&temporary).unwrap().count() == 1);
        if turn == 3 {
            send("SIGHUP");
            std::thread::sleep(Duration::from_millis(300));
            assert!(runs());
        }
        send(name);
        let ended = study.wait_with_output().unwrap();
        assert!(ended.status.code() == Some(code), "{ended:?}");
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), format!("lab: stopped by {name}\n"));
        assert!(!runs() && fs::read_dir(&temporary).unwrap().count() == 0);
        fs::remove_file(bench.path("pid")).unwrap();
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let bench = Bench::new("exit 1");
    fs::write(bench.path("file"), "").unwrap();
    let file = bench.path("file");
    let file = file.to_str().unwrap();
    let no_tools = bench.path("none");
    let no_tools = no_tools.to_str().unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["--target", "ecp5,virtex"], "--target virtex: not supported, use cycloneive"),
        (&["--threads-per-warp", "2,3"], "--threads-per-warp 3"),
        (&["--divergence", "stack"], "--divergence stack: not in hardware"),
        (&["--part", "half"], "--part half"),
        (&["--jobs", "0"], "--jobs 0"),
        (&["--limit", "soon"], "--limit soon"),
        (&["--out", file], "cannot create"),
        (&["--tools", no_tools], "yosys is missing: run scripts/setup.sh"),
        (&["--speed"], "--speed"),
    ];
    for (options, expected) in cases {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg("area").args(options);
        if !options.contains(&"--tools") {
            lab.arg("--tools").arg(bench.path("tools"));
        }
        if !options.contains(&"--out") {
            lab.arg("--out").arg(bench.path("out"));
        }
        let Output { status, stdout, stderr } = lab.output().unwrap();
        let text = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(2), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with("lab: ") && text.contains(expected), "{text}");
        assert!(stdout.is_empty());
    }
    assert!(!bench.path("out").exists());
}

#[test]
fn seeds_share_a_netlist_and_have_a_row_each() {
    let bench = Bench::new(
        "echo >> $here/syntheses; cp dut.v $here
        if grep -q DP16KD ecp5_times.v; then cp $here/memory netlist.json
        else cp $here/netlist netlist.json; fi",
    );
    // Of two ways to map the shorter one is taken, whichever it is.
    fs::write(bench.path("netlist"), tables(3)).unwrap();
    fs::write(bench.path("memory"), tables(2)).unwrap();
    let report = r#"{"fmax":{"c":{"achieved":50.5}},"critical_paths":[],"utilization":{}}"#;
    fs::write(bench.path("report"), report).unwrap();
    let version = "\"nextpnr-ecp5\" -- Next (Version nextpnr-0.11.1)";
    fs::write(bench.path("placed.json"), PLACED).unwrap();
    fs::write(bench.path("placed.sdf"), DELAYS).unwrap();
    // The device is as nextpnr's database has it, which stands beside the folder of its program.
    let database = hdl::tools::Tools::of_project().ecp5_database().unwrap();
    let packages = database.ancestors().nth(6).unwrap();
    std::os::unix::fs::symlink(packages, bench.path("lib")).unwrap();
    // Seed 2 does not fit.
    let fails = "case \"$*\" in *'--seed 2 '*) echo 'ERROR: no place'; exit 1;; esac";
    let works = "case \"$*\" in
        *--no-route*--sdf*) cp netlist.json $here/taken && cp $here/placed.json $here/placed.sdf . ;;
        *) cp better.json $here && cp $here/report report.json; echo \"$*\" >> $here/all ;;
        esac";
    bench.tool("nextpnr-ecp5", version, &format!("{fails}\n{works}"));
    let options = ["--part", "unit", "--seeds", "3"];
    let (code, out, err) = bench.run("timing", &options);
    assert_eq!(code, Some(1), "{out}{err}");
    let why = "nextpnr-ecp5 failed: ERROR: no place";
    assert_eq!(err, format!("lab: weft_hct_t2w1 unit, seed 2: {why}\n"));
    assert!(out.contains("lab: 2 runs, 0 rows taken over"), "{out}");
    assert_eq!(fs::read_to_string(bench.path("syntheses")).unwrap().lines().count(), 2);
    let taken = || fs::read_to_string(bench.path("taken")).unwrap();
    assert_eq!(taken(), tables(2));
    fs::write(bench.path("memory"), tables(4)).unwrap();

    bench.tool("nextpnr-ecp5", version, works);
    let (code, out, _) = bench.run("timing", &options);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("lab: 1 runs, 2 rows taken over"), "{out}");
    assert_eq!(taken(), tables(3));
    assert!(out.contains("weft_hct_t2w1 unit: 50.5 MHz, median of 3"), "{out}");
    assert_eq!(bench.rows("timing.jsonl").lines().count(), 3);
    // What goes to the router has places of its own, and all are near.
    let better = fs::read_to_string(bench.path("better.json")).unwrap();
    let better: serde_json::Value = serde_json::from_str(&better).unwrap();
    // All wires have ways.
    let way = |net: &str| {
        let net = &better["modules"]["top"]["netnames"][net];
        net["attributes"]["ROUTING"].as_str().unwrap_or_default().len()
    };
    assert!(["x", "y", "z"].iter().any(|net| way(net) > 20), "{better}");
    let places = ["a", "b", "c"].map(|cell| {
        let place = &better["modules"]["top"]["cells"][cell]["attributes"]["NEXTPNR_BEL"];
        let mut parts = place.as_str().unwrap().split('/').map(str::to_string);
        [(); 2].map(|()| parts.next().unwrap()[1..].parse::<i32>().unwrap())
    });
    let apart = |k: usize| (places[1][k] - places[2][k]).abs();
    assert!(places[0] == places[1] && apart(0) + apart(1) < 4, "{places:?}");

    // Nothing to improve is a failure in one line, and leaves no row.
    fs::write(bench.path("placed.sdf"), "").unwrap();
    let (code, _, err) = bench.run("timing", &["--part", "unit", "--seeds", "4"]);
    assert_eq!((code, err.lines().count()), (Some(1), 1), "{err}");
    assert!(err.ends_with("seed 4: nextpnr wrote no delays\n"), "{err}");
    assert_eq!(bench.rows("timing.jsonl").lines().count(), 3);
    fs::write(bench.path("placed.sdf"), DELAYS).unwrap();

    // nextpnr checks them once.
    let all = fs::read_to_string(bench.path("all")).unwrap();
    let all: Vec<_> = all.lines().collect();
    assert!(
        all.iter().all(|run| run.contains("--json better.json") && run.contains(" --freq 100 "))
    );
    assert_eq!(all.len(), 3);

    // A core has its memory beside it.
    let (code, out, _) = bench.run("timing", &["--part", "core", "--seeds", "1"]);
    assert!(code == Some(0) && out.contains("weft_hct_t2w1 core: 50.5 MHz"), "{out}");
    let text = fs::read_to_string(bench.path("dut.v")).unwrap();
    assert!(text.contains("module dut__memory") && text.contains("mem [0:8191]"), "{text}");

    for (wrong, expected) in [
        (["--target", "xilinx"], "--target xilinx: no place and route for it, use ecp5"),
        (["--seeds", "0"], "--seeds 0: not a number"),
        (["--ram-size", "1M"], "--ram-size 1048576: does not go on the chip"),
        (["--trace", "on"], "--trace on: there are no pins for it"),
    ] {
        let (code, _, err) = bench.run("timing", &wrong);
        assert_eq!((code, err.lines().count()), (Some(2), 1), "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn figure4_comes_from_the_rows_alone() {
    let bench = Bench::new("cp $here/netlist netlist.json");
    let figure4 = || {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg("figure4").arg("--out").arg(bench.path("out")).output().unwrap()
    };
    let refused = String::from_utf8(figure4().stderr).unwrap();
    assert!(refused.contains("no rows with eight warps") && refused.lines().count() == 1);
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.args(["area", "--threads-per-warp", "2", "--divergence", "hct,arbiter"]);
    lab.arg("--tools").arg(bench.path("tools")).arg("--out").arg(bench.path("out"));
    assert!(lab.output().unwrap().status.success());
    assert!(figure4().status.success());
    let (page, figure) = (bench.rows("figure4.md"), bench.rows("figure4.svg"));
    assert!(page.contains("| `arbiter` | 1 to 1 (0; 0) |") && figure.starts_with("<svg"));
    assert!(figure4().status.success());
    assert_eq!((bench.rows("figure4.md"), bench.rows("figure4.svg")), (page, figure));
    fs::write(bench.path("out/area.jsonl"), "{}\n").unwrap();
    assert_eq!(figure4().status.code(), Some(2));
}

/// With the real tools: the smallest unit, synthesised, placed, improved and routed.
#[test]
fn a_unit_has_a_frequency() {
    let bench = Bench::new("");
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.args(["timing", "--threads-per-warp", "2", "--warps", "1", "--part", "unit"]);
    let output = lab.args(["--seeds", "1", "--out"]).arg(bench.path("out")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let row: serde_json::Value = serde_json::from_str(&bench.rows("timing.jsonl")).unwrap();
    let mhz = row["fmax"].as_f64().unwrap();
    assert!((80.0..300.0).contains(&mhz) && row["used"]["TRELLIS_COMB"].as_u64() > Some(500));
}

/// With the real Yosys: what can be counted by hand, and the smallest unit.
#[test]
fn logic_elements_of_cyclone_iv() {
    use hdl::tools::Tools;
    use sim::lab::synth::netlist::modules;
    use sim::lab::synth::target::{Area, Target};
    use sim::lab::synth::tool::Tool;

    let yosys = Tool::new(&Tools::of_project(), "yosys", Duration::from_secs(300)).unwrap();
    let target = Target::named("cycloneive").unwrap();
    let area = |verilog: &str| -> Area {
        let dir = tempfile::tempdir().unwrap();
        let json =
            target.synthesise(&yosys, dir.path(), verilog, true, target.ways()[0][0]).unwrap();
        target.area(&modules(&json, target).unwrap()["weft"])
    };
    let figures = |a: &Area| (a.logic, a.logic_least.unwrap(), a.flip_flops, a.ram);

    // A registered sum: a chain of eight elements, each with its flip-flop.
    let sum = area(
        "module weft (input clock, input [7:0] a, b, output reg [7:0] q);
         always @(posedge clock) q <= a + b; endmodule",
    );
    assert_eq!(figures(&sum), (8, 8, 8, 0));
    assert_eq!(sum.cells["weft_carry"], 8);

    // A shift register is flip-flops alone; a memory of 1 KB is one block.
    let rest = area(
        "module weft (input clock, w, input [7:0] at, input [31:0] d, output reg [31:0] q,
                      input s, output t);
         reg [31:0] m [0:255]; reg [3:0] r;
         always @(posedge clock) begin if (w) m[at] <= d; q <= m[at]; r <= {r[2:0], s}; end
         assign t = r[3]; endmodule",
    );
    assert_eq!((rest.flip_flops >= 4, rest.ram), (true, 1), "{rest:?}");

    let bench = Bench::new("");
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
    lab.args(["area", "--threads-per-warp", "2", "--warps", "1", "--part", "unit"]);
    let output = lab.arg("--out").arg(bench.path("out")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let row: Row = serde_json::from_str(&bench.rows("area.jsonl")).unwrap();
    let sum = |of: fn(&Area) -> u64| row.modules.values().map(of).sum::<u64>();
    assert!(row.modules.contains_key("parallel") && row.modules.contains_key("rows"));
    assert_eq!(sum(|area| area.ram), row.total.ram);
    let (apart, whole) = (sum(|area| area.cells.get("$lut").copied().unwrap_or(0)), &row.total);
    let ratio = apart as f64 / whole.cells["$lut"] as f64;
    assert!((0.8..1.25).contains(&ratio), "{apart} LUTs apart, {whole:?}");
    assert!(whole.cells["weft_carry"] > 50);
}
