//! The parts of a linked program that the check looks at: code, function
//! symbols and the records of `annotate`.

use object::elf::{EM_RISCV, ET_DYN, ET_EXEC, SHF_EXECINSTR};
use object::read::elf::{ElfFile32, FileHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};

use crate::annotate::record;

/// A symbol of a function; size 0 when the program does not say.
#[derive(Debug, Clone)]
pub struct Symbol {
    pub name: String,
    pub address: u32,
    pub size: u32,
}

#[derive(Debug, Default)]
pub struct Image {
    /// Address and contents of each section with code.
    code: Vec<(u32, Vec<u8>)>,
    /// Ordered by address.
    pub functions: Vec<Symbol>,
    /// The words of `.weft.join`, in threes; `None` without that section.
    pub records: Option<Vec<[u32; 3]>>,
}

impl Image {
    /// Reads a linked 32-bit RISC-V program; the error is one line.
    pub fn parse(data: &[u8]) -> Result<Image, String> {
        let file = ElfFile32::<LittleEndian>::parse(data)
            .map_err(|error| format!("not a 32-bit little-endian ELF file: {error}"))?;
        let endian = LittleEndian;
        let header = file.elf_header();
        if header.e_machine(endian) != EM_RISCV {
            return Err("not a RISC-V program".to_string());
        }
        if ![ET_EXEC, ET_DYN].contains(&header.e_type(endian)) {
            return Err("not linked".to_string());
        }
        let mut image = Image::default();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else {
                continue;
            };
            let is_code = sh_flags & u64::from(SHF_EXECINSTR) != 0;
            let is_records = section.name() == Ok(record::SECTION);
            if !is_code && !is_records {
                continue;
            }
            let data =
                section.data().map_err(|error| format!("section outside the file: {error}"))?;
            if is_code {
                image.code.push((section.address() as u32, data.to_vec()));
            } else {
                let records = image.records.get_or_insert_default();
                records.append(&mut read_records(data)?);
            }
        }
        for symbol in file.symbols() {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                let name = symbol.name().unwrap_or("?").to_string();
                let (address, size) = (symbol.address() as u32, symbol.size() as u32);
                // Mapping symbols and local labels are no functions.
                if !name.starts_with(['$', '.']) && is_function(&symbol) {
                    image.functions.push(Symbol { name, address, size });
                }
            }
        }
        image.functions.sort_by_key(|symbol| symbol.address);
        Ok(image)
    }

    /// The instruction at `address`.
    pub fn word(&self, address: u32) -> Option<u32> {
        self.code.iter().find_map(|(base, data)| {
            let offset = address.checked_sub(*base)? as usize;
            let bytes = data.get(offset..offset + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        })
    }

    /// `0x80000010 (main+0x8)`.
    pub fn name(&self, address: u32) -> String {
        let after = self.functions.partition_point(|s| s.address <= address);
        match self.functions[..after].last() {
            Some(symbol) => {
                let offset = address - symbol.address;
                format!("{address:#010x} ({}+{offset:#x})", symbol.name)
            }
            None => format!("{address:#010x}"),
        }
    }
}

fn is_function<'data>(symbol: &impl ObjectSymbol<'data>) -> bool {
    use object::SymbolFlags;
    use object::elf::STT_FUNC;
    matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info & 15 == STT_FUNC)
}

fn read_records(data: &[u8]) -> Result<Vec<[u32; 3]>, String> {
    let words: Vec<u32> = data
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        .collect();
    let known = record::FUNCTION..=record::DATA;
    let whole = data.len().is_multiple_of(12);
    if !whole || words.chunks(3).any(|r| !known.contains(&r[0])) {
        return Err(format!("section {} is damaged", record::SECTION));
    }
    Ok(words.chunks(3).map(|r| [r[0], r[1], r[2]]).collect())
}
