//! What `annotate` refuses: assembly that it cannot understand, and bad input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use sim::annotate::annotate;

fn refused(text: &str, expected: &str) {
    assert_eq!(annotate("t.s", text, &[]).unwrap_err().0, expected);
}

#[test]
fn refusals_name_file_and_line() {
    let start = "    .globl f\nf:\n";
    let refuse = |code: &str, expected: &str| refused(&format!("{start}{code}"), expected);
    refuse("    vadd.vv v1, v2, v3\n", "t.s:3: unknown instruction `vadd.vv`");
    refuse("    .macro m\n", "t.s:3: `.macro` is not understood; expand it first");
    refuse("    .insn 4, 0x13\n", "t.s:3: `.insn` in code is not understood");
    refuse("    beqz a0, 1b\n", "t.s:3: label `1b` is not in `f`");
    refuse("    beqz a0, .L1\n", "t.s:3: label `.L1` is not in `f`");
    refuse("    nop\nl:  nop\n    j l+4\n", "t.s:5: `l+4` is not a label");
    refuse("    beqz a0, .\n", "t.s:3: `.` is not a label");
    refuse("    beq a0, .L1\n", "t.s:3: `beq` takes 3 operands");
    refuse("    nop\n    .word 5\n    ret\n", "t.s:3: control runs into data");
    refuse("    .option relax\n", "t.s:3: `.option relax` would move hints");
    refuse("    slti x0, x0, 4\n", "t.s:3: a join hint is already there");
    refuse("    nop\na:\na:\n    nop\n", "t.s:5: label `a` is defined twice");
    refused("    nop\n", "t.s:1: code before any label");
    refused("    .data\nf:  nop\n", "t.s:2: instruction in section .data, which is not code");
    refuse(
        "    beqz a0, .L1\n    ret\n    .section .text.unlikely\n    .globl g\ng:\n    nop\n.L1:\n    ret\n",
        "t.s:3: jump from `f` to `.L1` inside `g`",
    );
    refuse(
        "    la a0, .L1\n    jr t1\n.L1:\n    ret\n",
        "t.s:4: no jump table found for `jr t1`, which may go to `.L1`",
    );
    refuse("    .set x, 5\n    j x\n", "t.s:4: `x` is not a label, but set to a value");
}

#[test]
fn a_hint_that_may_not_reach_is_refused() {
    let code = |bytes: &str| {
        format!("    .globl f\nf:\n    beqz a0, .L1\n    j .L1\n    .zero {bytes}\n.L1:\n    ret\n")
    };
    assert!(annotate("t.s", &code("262000"), &[]).is_ok());
    refused(
        &code("262144"),
        "t.s:3: the hint may not reach .L1 (line 7): up to 262176 bytes away, 262140 at most",
    );
    refused(&code("4 * 9"), "t.s:3: cannot tell the size of line 5, which a hint spans");
}

#[test]
fn what_is_annotated_is_refused() {
    let text = "    .globl f\nf:\n    ret\n";
    let once = annotate("t.s", text, &[]).unwrap().assembly;
    refused(&once, "t.s:5: the file is annotated already");
}

fn run(arguments: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annotate"));
    command.args(arguments).output().unwrap()
}

#[test]
fn bad_input_is_one_line_and_exit_2_and_leaves_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("bad.s"), "f: frob\n").unwrap();
    fs::write(path("good.s"), "f: ret\n").unwrap();
    fs::write(path("binary.s"), [0xff, 0xfe, 0]).unwrap();
    fs::write(path("empty.elf"), []).unwrap();
    let (dash_o, check) = (Path::new("-o"), Path::new("--check"));
    let report = Path::new("--report");
    let (out, text) = (path("out.s"), path("report.txt"));
    let nowhere = path("nowhere/x");
    let cases: [&[&Path]; 12] = [
        &[&path("good.s"), report, Path::new("-")],
        &[&path("good.s"), dash_o, &out, report, &out],
        &[&path("missing.s"), dash_o, &out],
        &[folder.path(), dash_o, &out],
        &[&path("bad.s"), dash_o, &out, report, &text],
        &[&path("binary.s"), dash_o, &out],
        &[&path("good.s"), dash_o, &out, report, &nowhere],
        &[&path("good.s"), report, &text, dash_o, folder.path()],
        &[check, &path("missing.elf")],
        &[check, folder.path()],
        &[check, &path("empty.elf")],
        &[check, &path("good.s")],
    ];
    for case in cases {
        let output = run(case);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{case:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{case:?}: {errors}");
        assert!(errors.starts_with("annotate: "), "{case:?}: {errors}");
        assert!(output.stdout.is_empty(), "{case:?}");
        assert!(!out.exists() && !text.exists(), "{case:?}");
    }
    let output = run(&[&path("good.s"), dash_o, &out, report, &text]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out.exists() && text.exists());
}

#[test]
fn outputs_that_are_no_plain_files_are_never_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("good.s"), "f: ret\n").unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    let (dash_o, out) = (Path::new("-o"), path("out.s"));
    let report = Path::new("--report");
    let output = run(&[&path("good.s"), dash_o, &out, report, &path("socket")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!out.exists());
    let socket = fs::symlink_metadata(path("socket")).unwrap();
    assert!(socket.file_type().is_socket());

    fs::write(path("file.s"), "").unwrap();
    symlink(path("file.s"), path("link.s")).unwrap();
    let output = run(&[&path("good.s"), dash_o, &path("link.s")]);
    assert_eq!(output.status.code(), Some(0));
    assert!(path("link.s").is_symlink());
    assert!(fs::metadata(path("file.s")).unwrap().len() > 0);
}
