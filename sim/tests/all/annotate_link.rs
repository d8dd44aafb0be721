//! `annotate` on a compiler's real output: compiled, annotated, assembled and
//! linked with the clang of the Python environment, then checked; and checked
//! again after something has moved or changed a hint.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hdl::isa::hint::{join_hint, join_offset};
use object::{Object, ObjectSection};
use sim::annotate::annotate;
use sim::annotate::check::{Findings, check};

const PROGRAM: &str = r#"
typedef unsigned u32;
void abort(void) __attribute__((noreturn));
void abort(void) { for (;;) __asm__ volatile("wfi"); }
int seen[64];

__attribute__((noinline)) int work(int x) { return seen[x & 63] += x; }

__attribute__((noinline)) int loops(const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] > 3) { if (p[i] & 1) continue; s += work(p[i]); }
        else s -= p[i];
        for (int j = i; j < p[i]; j += 3) if (work(j) == 77) return s;
        do { s ^= work(s); } while (s & 8 && s != 1000);
    }
    return s;
}

__attribute__((noinline)) int kind(int x, int y) {
    switch (x) {
    case 0: y = work(y); break;
    case 1: y = y * 3;
    case 2: y += work(7) + 1; break;
    case 3: return y ^ 5;
    case 4: y = work(y + 1) + 2; break;
    case 5: y--; break;
    case 6: y = 77 * work(y) + 3; break;
    case 9: y = work(work(3)) + 5; break;
    }
    return y + work(x);
}

__attribute__((noinline)) int tail(int x) {
    if (x > 5) return work(x + 1);
    x = work(x);
    return x + 2;
}

__attribute__((noinline)) void dies(int x) {
    if (x < 0) abort();
    if (x == 1000) { work(1); abort(); }
    if (x == 1001) __builtin_trap();
    seen[x & 63] = 1;
}

int (*volatile pointer)(int) = work;
__attribute__((noinline)) int indirect(int a, int b) {
    if (a) b = pointer(b);
    if (b == 9) return pointer(a);
    return b + 1;
}

__attribute__((noinline)) int gotos(const unsigned char *code, int x) {
    static void *const table[] = {&&add, &&sub, &&twice, &&end};
    goto *table[*code];
add: x += 1; goto *table[*++code];
sub: x -= work(x); goto *table[*++code];
twice: if (x & 1) x *= 2; goto *table[*++code];
end: return x;
}

__attribute__((noinline)) int lock(u32 *word) {
    u32 old;
    do
        __asm__ volatile("lr.w %0, (%1)\n\tbnez %0, 1f; sc.w %0, %2, (%1)\n1:"
                         : "=&r"(old) : "r"(word), "r"(1) : "memory");
    while (old);
    return 1;
}

int main(int n, unsigned char *code) {
    int s = loops(seen, n) + kind(n, 3) + tail(n) + indirect(n, s) + gotos(code, n);
    dies(s);
    return s + lock((u32 *)seen);
}
void _start(void) { main(4, (unsigned char *)seen); abort(); }
"#;

const LINK: &str = "ENTRY(_start)
SECTIONS {
    . = 0x80000000;
    .text : { *(.text .text.*) }
    .rodata : { *(.rodata .rodata.* .srodata .srodata.*) }
    .data : { *(.data .data.* .sdata .sdata.*) }
    .bss : { *(.bss .bss.* .sbss .sbss.*) }
}
";

/// A folder in which a program is built.
struct Build {
    folder: tempfile::TempDir,
}

impl Build {
    fn new() -> Build {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("link.ld"), LINK).unwrap();
        Build { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn clang(&self, arguments: &[&str]) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let python = root.join(".venv/bin/python");
        assert!(python.exists(), "{} is missing: run scripts/setup.sh first", python.display());
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("zig-cache");
        let output = Command::new(python)
            .args("-m ziglang cc -target riscv32-freestanding-none".split(' '))
            .args("-mcpu=generic_rv32+m+a+zicsr -ffreestanding -nostdlib".split(' '))
            .args("-fno-sanitize=all -fno-stack-protector".split(' '))
            .arg("-Wno-unused-command-line-argument")
            .args(arguments)
            .current_dir(self.folder.path())
            .env("ZIG_GLOBAL_CACHE_DIR", &cache)
            .env("ZIG_LOCAL_CACHE_DIR", &cache)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
    }

    fn compile(&self, flags: &[&str]) -> String {
        fs::write(self.path("p.c"), PROGRAM).unwrap();
        self.clang(&[flags, &["-S", "p.c", "-o", "p.s"]].concat());
        fs::read_to_string(self.path("p.s")).unwrap()
    }

    /// Links `assembly`; sections that are not used are dropped.
    fn link(&self, assembly: &str) -> Vec<u8> {
        fs::write(self.path("h.s"), assembly).unwrap();
        self.clang(&["-Wl,-T,link.ld", "-Wl,--gc-sections", "h.s", "-o", "h.elf"]);
        fs::read(self.path("h.elf")).unwrap()
    }
}

fn passes(program: &[u8]) -> Findings {
    let findings = check(program).unwrap();
    assert!(findings.wrong.is_empty(), "{:#?}", findings.wrong);
    findings
}

/// File offset and value of each hint, in order.
fn hints(program: &[u8]) -> Vec<(usize, u32)> {
    let file = object::File::parse(program).unwrap();
    let text = file.section_by_name(".text").unwrap();
    let start = text.file_range().unwrap().0 as usize;
    let words = text.data().unwrap().chunks_exact(4).enumerate();
    let words = words.map(|(at, w)| (start + 4 * at, u32::from_le_bytes(w.try_into().unwrap())));
    words.filter(|(_, w)| join_offset(*w).is_some()).collect()
}

/// The program without `annotate`'s records: their section is renamed.
fn forget_records(program: &[u8]) -> Vec<u8> {
    let name = b".weft.join";
    let mut program = program.to_vec();
    let at = program.windows(name.len()).position(|w| w == name).unwrap();
    program[at + 1] = b'x';
    program
}

#[test]
fn every_optimisation_level_links_and_checks() {
    let build = Build::new();
    for flags in
        [&["-O2", "-g0"][..], &["-O0", "-g"], &["-Os", "-g"], &["-O3", "-ffunction-sections"]]
    {
        let annotated = annotate("p.s", &build.compile(flags), &[]).unwrap();
        let findings = passes(&build.link(&annotated.assembly));
        let rows = annotated.report.lines();
        let hinted = rows.filter(|row| !row.ends_with("\t-")).count();
        assert!(hinted > 20, "{flags:?}: {}", annotated.report);
        assert!(annotated.report.contains("\tjr "), "{flags:?}: no jump table");
        if findings.dropped == 0 {
            assert_eq!(findings.hints, hinted, "{flags:?}");
        }
    }
}

#[test]
fn each_hint_that_is_changed_is_found_with_and_without_records() {
    let build = Build::new();
    let annotated = annotate("p.s", &build.compile(&["-O2"]), &[]).unwrap();
    let program = build.link(&annotated.assembly);
    passes(&program);
    let all = hints(&program);
    assert!(all.len() > 20);
    for (at, word) in all {
        let offset = join_offset(word).unwrap();
        for changed in [join_hint(offset + 4), join_hint(offset - 4), Some(0x13)] {
            let mut program = program.clone();
            program[at..at + 4].copy_from_slice(&changed.unwrap().to_le_bytes());
            let findings = check(&program).unwrap();
            assert!(!findings.wrong.is_empty(), "{at:#x} {changed:x?}");
            if changed == Some(0x13) {
                continue;
            }
            let findings = check(&forget_records(&program)).unwrap();
            assert!(!findings.wrong.is_empty(), "{at:#x} {changed:x?}");
        }
    }
}

/// A function of random blocks: branches, jumps, tables, calls, returns.
fn random_function(name: usize, below: &mut impl FnMut(usize) -> usize) -> (String, String) {
    let count = 1 + below(14);
    let mut code = format!("\t.globl f{name}\n\t.type f{name},@function\nf{name}:\n");
    let mut tables = String::new();
    for block in 0..count {
        code += &format!(".L{name}_{block}:\n");
        code += &"\taddi a0, a0, 1\n".repeat(below(3));
        let to = below(count);
        let kind = if block + 1 < count { below(10) } else { 4 };
        code += &match kind {
            0..4 => format!("\tbgt a0, a1, .L{name}_{to}\n"),
            4 => "\tret\n".into(),
            5 => format!("\tj .L{name}_{to}\n"),
            6 => "\tcall g\n".into(),
            7 => ["\ttail g\n", "\tcall abort\n", "\tunimp\n", "\tjalr a3\n"][below(4)].into(),
            8 => format!("\tbeqz a0, 1f\n\tcall g\n\t.p2align 4\n1:\tbnez a1, .L{name}_{to}\n"),
            _ => {
                let table = format!(".LT{name}_{block}");
                tables += &format!("{table}:\n\t.word .L{name}_{to}\n");
                tables += &format!("\t.word .L{name}_{}\n", below(count));
                format!("\tlla t0, {table}\n\tadd t0, t0, a2\n\tlw t0, 0(t0)\n\tjr t0\n")
            }
        };
    }
    code += &format!("\t.size f{name}, .-f{name}\n");
    (code, tables)
}

#[test]
fn random_functions_check() {
    let mut state = 0x5eed_5eed_0bad_cafe_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % limit
    };
    let mut code = "\t.text\n\t.globl _start\n_start:\ng:\tret\nabort:\tj .\n".to_string();
    let mut tables = "\t.section .rodata\n\t.p2align 2\n".to_string();
    for name in 0..1000 {
        let (function, table) = random_function(name, &mut below);
        code += &function;
        tables += &table;
    }
    let annotated = annotate("r.s", &(code + &tables), &[]).unwrap();
    let findings = passes(&Build::new().link(&annotated.assembly));
    let rows = annotated.report.lines();
    let (without, with): (Vec<&str>, Vec<&str>) = rows.partition(|row| row.ends_with("\t-"));
    assert_eq!((findings.hints, findings.without), (with.len(), without.len()));
    assert!(with.len() > 2000 && without.len() > 300, "{findings:?}");
}

#[test]
fn damaged_input_gives_findings_or_an_error_but_no_panic() {
    let mut state = 0x0dd_ba11_5eed_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % limit
    };
    let build = Build::new();
    let assembly = build.compile(&["-O2", "-g0"]);
    let program = build.link(&annotate("p.s", &assembly, &[]).unwrap().assembly);
    for _ in 0..1000 {
        let mut damaged = program.clone();
        for _ in 0..1 + below(8) {
            let at = below(damaged.len());
            damaged[at] = below(256) as u8;
        }
        damaged.truncate(damaged.len() - below(2) * below(damaged.len()));
        let _ = check(&damaged);
        let mut damaged = assembly.clone().into_bytes();
        for _ in 0..1 + below(4) {
            let at = below(damaged.len() - 100);
            match below(3) {
                0 => damaged[at] = b"\n,;:#(.\"'0a"[below(11)],
                1 => drop(damaged.drain(at..at + 1 + below(40))),
                _ => damaged.extend_from_within(at..at + 100),
            }
        }
        let _ = annotate("p.s", &String::from_utf8(damaged).unwrap(), &[]);
    }
}

/// `assembly` with the numbers of `program` in place of label differences, the
/// way hints would be written by hand, and relaxation switched on.
fn frozen(assembly: &str, program: &[u8]) -> String {
    let mut words = hints(program).into_iter();
    let mut out = String::new();
    for line in assembly.replace("norelax", "relax").lines() {
        if line.starts_with("\t.word\t0x2013 |") {
            let (_, word) = words.next().unwrap();
            out.push_str(&format!("\t.word\t{word:#x}\n"));
        } else {
            out.push_str(&format!("{line}\n"));
        }
    }
    assert_eq!(words.next(), None);
    out
}

#[test]
fn linker_relaxation_is_found() {
    let build = Build::new();
    let annotated = annotate("p.s", &build.compile(&["-O2", "-g0"]), &[]).unwrap();
    let program = build.link(&annotated.assembly);
    let findings = passes(&program);
    assert_eq!(findings.dropped, 0);
    let relaxed = build.link(&frozen(&annotated.assembly, &program));
    let findings = check(&relaxed).unwrap();
    let meant = |wrong: &&String| wrong.contains("was meant");
    assert!(findings.wrong.iter().any(|w| meant(&w)), "{findings:#?}");
    let findings = check(&forget_records(&relaxed)).unwrap();
    assert!(!findings.wrong.is_empty());
}

#[test]
fn the_program_names_a_wrong_hint_and_exits_with_1() {
    let build = Build::new();
    let annotated = annotate("p.s", &build.compile(&["-O2"]), &[]).unwrap();
    let mut program = build.link(&annotated.assembly);
    let run = |code: i32| {
        let output = Command::new(env!("CARGO_BIN_EXE_annotate"))
            .args([Path::new("--check"), &build.path("h.elf")])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (summary, errors) = run(0);
    assert!(summary.contains(" 0 wrong"), "{summary}");
    assert_eq!(errors, "");
    let (at, word) = hints(&program)[0];
    let shifted = join_hint(join_offset(word).unwrap() + 4).unwrap();
    program[at..at + 4].copy_from_slice(&shifted.to_le_bytes());
    fs::write(build.path("h.elf"), &program).unwrap();
    let (summary, errors) = run(1);
    assert!(!summary.contains(" 0 wrong"), "{summary}");
    assert!(errors.contains("was meant"), "{errors}");
    assert!(errors.contains("0x8000") && errors.contains('+'), "{errors}");
}

#[test]
fn an_object_that_is_not_linked_and_another_machine_are_bad_input() {
    let build = Build::new();
    build.compile(&["-O2"]);
    build.clang(&["-c", "p.s", "-o", "p.o"]);
    let mut object = fs::read(build.path("p.o")).unwrap();
    assert_eq!(check(&object).unwrap_err(), "not linked");
    object[18] = 40;
    assert_eq!(check(&object).unwrap_err(), "not a RISC-V program");
    object.truncate(100);
    assert!(check(&object).is_err());
}
