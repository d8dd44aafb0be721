//! `lab policies`: resuming, repair, tables, and the committed results.
//!
//! Needs `scripts/kernels.sh`; `scripts/test.sh` runs it.

use rayon::prelude::*;
use sim::lab::kernels::{self, Build, Kernel};
use sim::lab::policies::configuration;
use sim::lab::row::{End, Row, measure};
use sim::lab::view::View;
use sim::policy::PolicyKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with some of the kernels.
fn folder(names: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut index = Vec::new();
    for name in names {
        let file = format!("{name}.hints.elf");
        let from = root().join("target/kernels").join(&file);
        std::fs::copy(&from, dir.path().join(&file)).expect("run scripts/kernels.sh first");
        index.push(serde_json::json!({ "name": name, "hints_elf": file }));
    }
    let index = serde_json::Value::Array(index).to_string();
    std::fs::write(dir.path().join("index.json"), index).unwrap();
    dir
}

fn lab(kernels: &Path, out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.arg("policies").arg("--kernels").arg(kernels).arg("--out").arg(out);
    command.args(["--threads-per-warp", "4", "--warps", "1"]).args(more);
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn contents(out: &Path) -> Vec<String> {
    let file = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    ["policies.jsonl", "policies.md", "policies.svg"].map(file).to_vec()
}

#[test]
fn an_interrupted_study_goes_on_and_ends_in_the_same_files() {
    let kernels = folder(&["spin-lock", "hello", "six-level"]);
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/folder");
    let run = |more: &[&str]| lab(kernels.path(), &out, more);

    assert!(stdout(&run(&[])).contains("24 runs, 0 rows taken over"));
    let first = contents(&out);
    assert_eq!(first[0].lines().count(), 24);
    assert!(stdout(&run(&["--jobs", "1"])).contains("0 runs, 24 rows taken over"));
    assert_eq!(contents(&out), first);

    // Cut off in the middle of row 21; 20 are whole.
    let whole: usize = first[0].split_inclusive('\n').take(20).map(str::len).sum();
    std::fs::write(out.join("policies.jsonl"), &first[0][..whole + 30]).unwrap();
    let again = run(&[]);
    assert!(stdout(&again).contains("4 runs, 20 rows taken over"));
    assert!(String::from_utf8_lossy(&again.stderr).contains("line 21 is cut short"));
    assert_eq!(contents(&out), first);

    // Rows of another program are not taken over, and go.
    let other = first[0].replacen("\"elf\":\"", "\"elf\":\"x", 1);
    std::fs::write(out.join("policies.jsonl"), other).unwrap();
    assert!(stdout(&run(&[])).contains("1 runs, 23 rows taken over"));
    assert_eq!(contents(&out), first);
    assert!(stdout(&run(&["--fresh"])).contains("24 runs, 0 rows taken over"));
    assert_eq!(contents(&out), first);
}

#[test]
fn tables_and_figure_say_what_the_rows_say() {
    let dir = folder(&["spin-lock", "hello", "six-level"]);
    let out = tempfile::tempdir().unwrap();
    stdout(&lab(dir.path(), out.path(), &[]));
    let [_, page, figure] = contents(out.path()).try_into().unwrap();
    let config = configuration("4", "1").unwrap();
    let kernels = kernels::load(dir.path(), config.ram_size, Build::Hints).unwrap();
    let run = |k: &Kernel| PolicyKind::ALL.map(|(policy, ..)| measure(&config, k, policy));
    let rows: Vec<_> = kernels.iter().flat_map(run).collect();
    let view = View::new(&rows);

    let section = page.split("## Warp instructions").nth(1).unwrap();
    let line = |kernel: &str| {
        let line = section.lines().find(|l| l.starts_with(&format!("| {kernel} ")));
        let cells = line.unwrap().trim_matches('|').split('|').skip(1);
        cells.map(|c| c.trim().trim_matches('*').to_string()).collect::<Vec<_>>()
    };
    for kernel in &view.kernels {
        for (policy, cell) in view.policies.iter().zip(line(kernel)) {
            let expected = match view.counts(kernel, policy) {
                None => "stuck".to_string(),
                Some(counts) if *policy == "depth-pc" => counts.issued().to_string(),
                Some(counts) => view
                    .relative(kernel, policy)
                    .map_or(counts.issued().to_string(), |ratio| format!("{ratio:.2}")),
            };
            assert_eq!(cell, expected, "{kernel} {policy}");
        }
    }
    assert_eq!(line("spin-lock")[0], "stuck");
    assert_eq!(view.everywhere(), ["hello", "six-level"]);
    assert!(section.contains("*geometric mean of 2*"));
    assert!(page.contains("spin-lock only under breadth-first"));
    assert!(figure.starts_with("<svg") && figure.trim_end().ends_with("</svg>"));
    assert!(figure.contains("six-level") && figure.contains("breadth-first"));
}

#[test]
fn what_a_row_counts_adds_up() {
    let dir = folder(&["gcd", "nqueens", "spin-lock"]);
    let config = configuration("8", "2").unwrap();
    for kernel in kernels::load(dir.path(), config.ram_size, Build::Hints).unwrap() {
        for (policy, name, _) in PolicyKind::ALL {
            let Row { counts: c, outcome, .. } = measure(&config, &kernel, policy);
            assert_ne!(outcome, End::Fails);
            let all = c.warp_instructions;
            assert_eq!(c.live_paths.values().sum::<u64>(), all, "{} {name}", kernel.name);
            assert_eq!(c.active_lanes.values().sum::<u64>(), all, "{} {name}", kernel.name);
            assert!(c.issued() > 0 && c.most_paths() <= 8);
            assert!(c.activity(8) * 8.0 >= 1.0 - 1e-9, "{} {name}", kernel.name);
        }
    }
}

/// With one thread a warp there is one path, and no policy has a choice.
#[test]
fn one_thread_per_warp_is_the_same_under_every_policy() {
    let dir = folder(&["atomics", "lock-hash", "wake-chain"]);
    let config = configuration("1", "8").unwrap();
    for kernel in kernels::load(dir.path(), config.ram_size, Build::Hints).unwrap() {
        let first = measure(&config, &kernel, PolicyKind::DepthPc);
        assert_eq!(first.outcome, End::Finishes);
        for (policy, name, _) in PolicyKind::ALL {
            let row = measure(&config, &kernel, policy);
            assert_eq!(row.counts, first.counts, "{} {name}", kernel.name);
        }
    }
}

/// Three quick kernels as committed, so that a change of the emulator that
/// moves a figure does not go unnoticed.
#[test]
fn the_committed_results_are_those_of_this_code() {
    let text = std::fs::read_to_string(root().join("docs/results/policies.jsonl")).unwrap();
    let rows: Vec<Row> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let config = configuration("32", "8").unwrap();
    let dir = folder(&["short-circuit", "exception-cond", "spin-lock"]);
    let kernels = kernels::load(dir.path(), config.ram_size, Build::Hints).unwrap();
    let cells = kernels.iter().flat_map(|k| PolicyKind::ALL.map(|(policy, ..)| (k, policy)));
    cells.collect::<Vec<_>>().into_par_iter().for_each(|(kernel, policy)| {
        let row = measure(&config, kernel, policy);
        let same = |r: &&Row| {
            (&r.kernel, &r.policy, &r.configuration)
                == (&row.kernel, &row.policy, &row.configuration)
        };
        let committed = rows.iter().find(same);
        let what = "docs/results is out of date: run scripts/study.sh --fresh and commit it";
        assert_eq!(committed, Some(&row), "{what}");
    });
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let kernels = folder(&["hello"]);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "text").unwrap();
    let broken = dir.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("policies.jsonl"), "{}\n").unwrap();
    let none = dir.path().join("none");
    let out = dir.path().join("out");
    let cases: [(&Path, &Path, &[&str], &str); 7] = [
        (&none, &out, &[], "run scripts/kernels.sh"),
        (kernels.path(), &file, &[], "cannot create"),
        (kernels.path(), &broken, &[], "line 1: not a row of this study"),
        (kernels.path(), &out, &["--threads-per-warp", "3"], "3"),
        (kernels.path(), &out, &["--jobs", "0"], "--jobs 0"),
        (kernels.path(), &out, &["--jobs", "many"], "--jobs many"),
        (kernels.path(), &out, &["--speed"], "--speed"),
    ];
    for (kernels, out, more, expected) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command.arg("policies").arg("--kernels").arg(kernels).arg("--out").arg(out);
        let output = command.args(more).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with("lab: ") && text.contains(expected), "{text}");
    }
    assert!(!out.exists());
    let output = Command::new(env!("CARGO_BIN_EXE_lab")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
}
