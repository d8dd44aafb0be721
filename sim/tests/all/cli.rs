//! Bad input of every kind, programs: one line on standard error, nothing on
//! standard output, exit code 2, and no output file, not even a part.

use crate::common::refusal::good;
use crate::common::{Elf, Place, SIZE, sim, text};
use hdl::platform::RAM_BASE;

#[test]
fn the_good_program_is_good() {
    let place = Place::for_refusals();
    let out = sim([place.at("good.elf")]);
    assert_eq!((out.status.code(), out.stdout, out.stderr), (Some(0), vec![], vec![]));
}

#[test]
fn files_that_are_no_program() {
    let place = Place::for_refusals();
    place.write("empty", b"");
    place.write("short", b"\x7fELF");
    place.write("text", b"int main(void) { return 0; }\n");
    place.refuses(&["@/missing"], "missing");
    place.refuses(&["@/missing\nfile"], "missing file");
    place.refuses(&["@"], "is a directory");
    place.refuses(&["@/empty"], "empty");
    place.refuses(&["@/short"], "not an ELF file");
    place.refuses(&["@/text"], "not an ELF file");
    place.refuses(&[], "<PROGRAM>");
    let elf = good();
    place.refuses_elf(&Elf { class: 2, ..elf.clone() }, "64-bit");
    place.refuses_elf(&Elf { machine: 62, ..elf.clone() }, "machine 62");
    place.refuses_elf(&Elf { kind: 1, ..elf.clone() }, "not an executable");
    place.refuses_elf(&Elf { segments: vec![], ..elf.clone() }, "nothing to load");
    place.refuses_elf(&Elf { entry: 0x1000, ..elf.clone() }, "entry point at 0x1000");
    let mut big = elf.bytes();
    big[5] = 2;
    place.write("bad.elf", &big);
    place.refuses(&["@/bad.elf"], "big-endian");
}

#[test]
fn a_program_cut_short_anywhere() {
    let place = Place::for_refusals();
    let whole = good().bytes();
    for length in 0..whole.len() {
        place.write("cut.elf", &whole[..length]);
        let about = if length == 0 { "empty" } else { "ELF file" };
        let about = if length >= whole.len() - 120 { "" } else { about };
        place.refuses(&["@/cut.elf"], about);
    }
}

#[test]
fn a_damaged_program_never_panics() {
    let place = Place::for_refusals();
    let whole = good().bytes();
    for at in 4..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] = !bytes[at];
        let path = place.write("odd.elf", &bytes);
        let out = sim(["--max-instructions", "1000", &path]);
        let errors = text(&out.stderr);
        assert!(matches!(out.status.code(), Some(0..=3)), "byte {at}: {errors}");
        let lines = errors.lines().count();
        assert!(out.status.code() != Some(2) || lines == 1, "byte {at}: {errors}");
    }
}

#[test]
fn segments_and_symbols() {
    let place = Place::for_refusals();
    let elf = good();
    let with = |segment: (u32, usize, u32)| {
        let mut elf = elf.clone();
        elf.segments.push((segment.0, vec![1; segment.1], segment.2));
        elf
    };
    place.refuses_elf(&with((0x1000, 4, 4)), "outside RAM");
    place.refuses_elf(&with((RAM_BASE - 4, 8, 8)), "outside RAM");
    place.refuses_elf(&with((RAM_BASE + (16 << 20) - 4, 8, 8)), "outside RAM");
    place.refuses_elf(&with((RAM_BASE + 0x4000, 4, u32::MAX)), "outside RAM");
    place.refuses_elf(&with((RAM_BASE + SIZE - 1, 4, 4)), "overlap");
    place.refuses_elf(&with((RAM_BASE + 8, 0, 4)), "overlap");
    place.refuses_elf(&with((RAM_BASE + 0x4000, 8, 4)), "larger than its memory");
    place.refuses(&["@/good.elf", "--ram-size", "8K"], "outside RAM 0x80000000..0x80002000");
    place.refuses_elf(&Elf { symbols: vec![], ..elf.clone() }, "no symbol 'tohost'");
    for (name, value) in [("tohost", 0x10), ("tohost", RAM_BASE + 2), ("fromhost", 0)] {
        let mut elf = elf.clone();
        elf.symbols.retain(|(n, ..)| n != name);
        elf.symbols.push((name.into(), value, 1));
        place.refuses_elf(&elf, name);
    }
}
