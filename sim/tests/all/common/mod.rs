//! What the tests of the command line and of the checker share: a small
//! assembler, a writer of 32-bit ELF files, and how to call `sim`.
#![allow(dead_code, reason = "no test uses everything")]

pub mod fake;
pub mod records;
pub mod refusal;

use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Where programs built here have `tohost`, and `fromhost` after it.
pub const TOHOST: u32 = RAM_BASE + 0x1000;
/// Where they may keep data.
pub const DATA: u32 = RAM_BASE + 0x2000;
/// Bytes of RAM that they occupy.
pub const SIZE: u32 = 0x3000;

/// Runs `sim`.
pub fn sim<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sim")).args(args).output().expect("sim starts")
}

/// Standard output or error as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// A folder to run programs in.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a program; `@` stands for the folder.
    pub fn run(&self, asm: &Asm, args: &[&str]) -> Output {
        fs::write(self.at("p.elf"), asm.elf().bytes()).unwrap();
        let folder = self.0.path().display().to_string();
        sim(args.iter().chain(&["@/p.elf"]).map(|a| a.replacen('@', &folder, 1)))
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }
}

/// Expects an exit code; standard error.
pub fn ends(out: &Output, code: i32) -> String {
    let errors = text(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{errors}");
    errors
}

/// A program under construction, one word after the other.
#[derive(Default)]
pub struct Asm {
    pub words: Vec<u32>,
    pub labels: HashMap<&'static str, usize>,
    fixups: Vec<(usize, &'static str)>,
}

impl Asm {
    /// The address of the next instruction.
    pub fn here(&self) -> u32 {
        RAM_BASE + 4 * self.words.len() as u32
    }

    pub fn label(&mut self, name: &'static str) -> &mut Asm {
        let old = self.labels.insert(name, self.words.len());
        assert!(old.is_none(), "label {name} twice");
        self
    }

    pub fn address(&self, label: &str) -> u32 {
        RAM_BASE + 4 * self.labels[label] as u32
    }

    pub fn word(&mut self, word: u32) -> &mut Asm {
        self.words.push(word);
        self
    }

    /// Any instruction; operands the format does not have are zero.
    pub fn op(&mut self, op: Op, rd: u8, rs1: u8, rs2: u8, imm: i32) -> &mut Asm {
        self.word(Insn::encode(op, rd, rs1, rs2, imm))
    }

    pub fn addi(&mut self, rd: u8, rs1: u8, imm: i32) -> &mut Asm {
        self.op(Op::Addi, rd, rs1, 0, imm)
    }

    /// Two words whatever the value.
    pub fn li(&mut self, rd: u8, value: u32) -> &mut Asm {
        let high = value.wrapping_add(0x800) & !0xfff;
        self.op(Op::Lui, rd, 0, 0, high as i32);
        self.addi(rd, rd, value.wrapping_sub(high) as i32)
    }

    /// The address of a label.
    pub fn la(&mut self, rd: u8, label: &'static str) -> &mut Asm {
        self.fixups.push((self.words.len(), label));
        self.li(rd, 0)
    }

    /// A branch, or `jal` with its rd given as `rs1`.
    pub fn to(&mut self, op: Op, rs1: u8, rs2: u8, label: &'static str) -> &mut Asm {
        self.fixups.push((self.words.len(), label));
        if op == Op::Jal { self.op(op, rs1, 0, 0, 0) } else { self.op(op, 0, rs1, rs2, 0) }
    }

    /// `x30` and `x31` go; ends the run with this code.
    pub fn exit(&mut self, code: u32) -> &mut Asm {
        self.li(31, TOHOST).li(30, code << 1 | 1).op(Op::Sw, 0, 31, 30, 0)
    }

    /// The finished words.
    pub fn finish(&self) -> Vec<u32> {
        let mut words = self.words.clone();
        for (at, label) in &self.fixups {
            let target = self.address(label);
            let old = Insn::decode(words[*at], hdl::config::Isa::Rv32ima);
            if old.op == Op::Lui {
                let mut load = Asm::default();
                load.li(old.rd, target);
                words[*at..*at + 2].copy_from_slice(&load.words);
            } else {
                let offset = target.wrapping_sub(RAM_BASE + 4 * *at as u32) as i32;
                words[*at] = Insn::encode(old.op, old.rd, old.rs1, old.rs2, offset);
            }
        }
        words
    }

    /// One segment, `tohost`, `fromhost` and the labels.
    pub fn elf(&self) -> Elf {
        let bytes = self.finish().iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut elf = Elf {
            class: 1,
            machine: 243,
            kind: 2,
            entry: RAM_BASE,
            segments: vec![(RAM_BASE, bytes, SIZE)],
            symbols: vec![("tohost".into(), TOHOST, 1), ("fromhost".into(), TOHOST + 8, 1)],
        };
        elf.symbols.extend(self.labels.keys().map(|l| (l.to_string(), self.address(l), 2)));
        elf
    }
}

/// A little-endian ELF file: header, program headers, contents, symbols.
#[derive(Clone)]
pub struct Elf {
    /// 1 for 32 bits.
    pub class: u8,
    pub machine: u16,
    /// 2 for an executable.
    pub kind: u16,
    pub entry: u32,
    /// Address, bytes, size in memory.
    pub segments: Vec<(u32, Vec<u8>, u32)>,
    /// Name, value, type (1 data, 2 code).
    pub symbols: Vec<(String, u32, u8)>,
}

impl Elf {
    /// The file; section headers last, so that any cut damages it.
    pub fn bytes(&self) -> Vec<u8> {
        let segments = self.segments.len() as u32;
        let (mut headers, mut body) = (Vec::new(), Vec::new());
        for (addr, bytes, size) in &self.segments {
            let offset = 52 + 32 * segments + body.len() as u32;
            let fields = [1, offset, *addr, *addr, bytes.len() as u32, *size, 7, 4];
            headers.extend(fields.iter().flat_map(|f| f.to_le_bytes()));
            body.extend_from_slice(bytes);
            body.resize(body.len().next_multiple_of(4), 0);
        }
        let (mut names, mut table) = (vec![0], vec![0; 16]);
        for (name, value, kind) in &self.symbols {
            let fields = [names.len() as u32, *value, 0, 1 << 4 | u32::from(*kind) | 0xfff1 << 16];
            table.extend(fields.iter().flat_map(|f| f.to_le_bytes()));
            names.extend_from_slice(name.as_bytes());
            names.push(0);
        }
        names.resize(names.len().next_multiple_of(4), 0);
        let table_at = 52 + 32 * segments + body.len() as u32;
        let names_at = table_at + table.len() as u32;
        let sections_at = names_at + names.len() as u32;
        let sections = [
            [0; 10],
            [0, 2, 0, 0, table_at, table.len() as u32, 2, 1, 4, 16],
            [0, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0],
        ];
        let mut file = vec![0x7f, b'E', b'L', b'F', self.class, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend([self.kind.to_le_bytes(), self.machine.to_le_bytes()].as_flattened());
        for word in [1, self.entry, 52, sections_at, 0] {
            file.extend(u32::to_le_bytes(word));
        }
        for half in [52, 32, segments as u16, 40, sections.len() as u16, 2] {
            file.extend(half.to_le_bytes());
        }
        file.extend(headers.into_iter().chain(body).chain(table).chain(names));
        file.extend(sections.as_flattened().iter().flat_map(|f| f.to_le_bytes()));
        file
    }
}

/// Does a process run? (One that has ended may be on record until somebody asks how.)
pub fn runs(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}
