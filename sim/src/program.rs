//! Programs: 32-bit RISC-V ELF files and their symbols.

use crate::error::BadInput;
use hdl::platform::RAM_BASE;
use object::elf;
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, SymbolKind};
use std::path::Path;

/// Bytes to put at an address before the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Where.
    pub addr: u32,
    /// What, zero-filled to the size in memory.
    pub bytes: Vec<u8>,
}

/// Symbols of a program, for reports.
#[derive(Clone, Default, Debug)]
pub struct Symbols {
    /// Code symbols by address.
    code: Vec<(u32, String)>,
    all: std::collections::HashMap<String, u32>,
}

impl Symbols {
    /// The value of a symbol.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.all.get(name).copied()
    }

    /// `name+0x10` for an address inside the code, else the address.
    pub fn describe(&self, addr: u32) -> String {
        let after = self.code.partition_point(|(a, _)| *a <= addr);
        match after.checked_sub(1).map(|i| &self.code[i]) {
            Some((a, name)) if *a == addr => format!("{addr:#010x} <{name}>"),
            Some((a, name)) => format!("{addr:#010x} <{name}+{:#x}>", addr - a),
            None => format!("{addr:#010x}"),
        }
    }
}

/// A program ready to run.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// First PC, if the file names one.
    pub entry: Option<u32>,
    /// Memory contents.
    pub segments: Vec<Segment>,
    /// Its symbols.
    pub symbols: Symbols,
    /// Address of `tohost`.
    pub tohost: u32,
    /// Address of `fromhost`, if it has one.
    pub fromhost: Option<u32>,
}

/// Reads a whole file; a directory or a missing file is bad input.
pub fn read_file(path: &Path) -> Result<Vec<u8>, BadInput> {
    let kind = std::fs::metadata(path).map_err(|e| BadInput::file(path, e))?;
    if kind.is_dir() {
        return Err(BadInput::file(path, "is a directory"));
    }
    if !kind.is_file() {
        return Err(BadInput::file(path, "is not a regular file"));
    }
    std::fs::read(path).map_err(|e| BadInput::file(path, e))
}

impl Program {
    /// Reads and checks an ELF file for a RAM of `ram_size` bytes.
    pub fn load(path: &Path, ram_size: u32) -> Result<Program, BadInput> {
        let data = read_file(path)?;
        Program::parse(&data, ram_size).map_err(|why| BadInput::file(path, why))
    }

    fn parse(data: &[u8], ram_size: u32) -> Result<Program, String> {
        if data.is_empty() {
            return Err("the file is empty".to_string());
        }
        if data.len() < 20 || data[..4] != elf::ELFMAG {
            return Err("not an ELF file".to_string());
        }
        if data[4] != elf::ELFCLASS32 {
            return Err("a 64-bit ELF file, 32-bit is needed".to_string());
        }
        if data[5] != elf::ELFDATA2LSB {
            return Err("a big-endian ELF file, little-endian is needed".to_string());
        }
        let machine = u16::from_le_bytes([data[18], data[19]]);
        if machine != elf::EM_RISCV {
            return Err(format!("an ELF file for machine {machine}, RISC-V (243) is needed"));
        }
        let broken = |e: object::Error| format!("damaged ELF file: {e}");
        let file = ElfFile32::<Endianness>::parse(data).map_err(broken)?;
        let endian = file.endian();
        if file.elf_header().e_type(endian) != elf::ET_EXEC {
            return Err("not an executable (link it first)".to_string());
        }

        let mut segments: Vec<Segment> = Vec::new();
        for header in file.elf_program_headers() {
            let size = header.p_memsz(endian);
            if header.p_type(endian) != elf::PT_LOAD || size == 0 {
                continue;
            }
            let addr = header.p_paddr(endian);
            let start = addr.wrapping_sub(RAM_BASE);
            if addr < RAM_BASE || u64::from(start) + u64::from(size) > u64::from(ram_size) {
                return Err(format!(
                    "segment {addr:#x}..{:#x} is outside RAM {RAM_BASE:#x}..{:#x}",
                    u64::from(addr) + u64::from(size),
                    u64::from(RAM_BASE) + u64::from(ram_size),
                ));
            }
            let content = header
                .data(endian, data)
                .map_err(|()| "damaged ELF file: a segment reaches past its end".to_string())?;
            if content.len() > size as usize {
                return Err("damaged ELF file: a segment is larger than its memory".to_string());
            }
            let mut bytes = content.to_vec();
            bytes.resize(size as usize, 0);
            if let Some(other) = segments.iter().find(|s| {
                let (a, b) = (s.addr - RAM_BASE, start);
                a < b + size && b < a + s.bytes.len() as u32
            }) {
                return Err(format!("segments at {:#x} and {addr:#x} overlap", other.addr));
            }
            segments.push(Segment { addr, bytes });
        }
        if segments.is_empty() {
            return Err("nothing to load".to_string());
        }

        let mut symbols = Symbols::default();
        for symbol in file.symbols() {
            let (Ok(name), addr) = (symbol.name(), symbol.address() as u32) else { continue };
            if name.is_empty() || symbol.is_undefined() {
                continue;
            }
            let code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Label)
                || symbol.kind() == SymbolKind::Unknown;
            if code && !name.starts_with('$') && !name.starts_with(".L") {
                symbols.code.push((addr, name.to_string()));
            }
            symbols.all.insert(name.to_string(), addr);
        }
        symbols.code.sort();
        symbols.code.dedup_by_key(|(addr, _)| *addr);

        let within = |name: &str, addr: u32, size: u32| {
            let end = u64::from(addr.wrapping_sub(RAM_BASE)) + u64::from(size);
            if !addr.is_multiple_of(4) || addr < RAM_BASE || end > u64::from(ram_size) {
                return Err(format!("{name} at {addr:#x} is not an aligned address in RAM"));
            }
            Ok(addr)
        };
        let tohost = symbols.get("tohost").ok_or("no symbol 'tohost', the run could not end")?;
        let fromhost = symbols.get("fromhost").map(|a| within("fromhost", a, 8)).transpose()?;
        let entry = file.entry() as u32;
        within("entry point", entry, 4)?;
        Ok(Program {
            entry: Some(entry),
            segments,
            tohost: within("tohost", tohost, 8)?,
            fromhost,
            symbols,
        })
    }
}
