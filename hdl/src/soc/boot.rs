//! The boot image: what RAM holds when power comes up, from an ELF file or a raw
//! image for the start of RAM.

use crate::platform::RAM_BASE;
use object::elf::{EM_RISCV, ET_EXEC, PT_LOAD};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};

/// A boot image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boot {
    /// All of RAM.
    pub words: Vec<u32>,
    /// First PC, if the file names one.
    pub entry: Option<u32>,
    /// The symbol `tohost`, if the file has it.
    pub tohost: Option<u32>,
}

/// Reads an image for a RAM of `ram_size` bytes.
pub fn read(data: &[u8], ram_size: u32) -> Result<Boot, String> {
    if data.is_empty() {
        return Err("the file is empty".into());
    }
    let mut ram = Ram { bytes: vec![0; ram_size as usize] };
    let (entry, tohost) = match data.starts_with(b"\x7fELF") {
        true => elf(data, &mut ram)?,
        false => {
            ram.put(RAM_BASE, data)?;
            (None, None)
        }
    };
    let words = ram.bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    Ok(Boot { words, entry, tohost })
}

struct Ram {
    bytes: Vec<u8>,
}

impl Ram {
    fn put(&mut self, address: u32, data: &[u8]) -> Result<(), String> {
        let size = self.bytes.len() as u64;
        let start = u64::from(address).wrapping_sub(u64::from(RAM_BASE));
        let end = start.saturating_add(data.len() as u64);
        if end > size {
            let base = u64::from(RAM_BASE);
            return Err(format!(
                "{address:#x}..{:#x} is outside RAM, {base:#x}..{:#x} (--ram-size)",
                u64::from(address) + data.len() as u64,
                base + size
            ));
        }
        self.bytes[start as usize..end as usize].copy_from_slice(data);
        Ok(())
    }
}

/// Entry and `tohost` of an ELF file, which goes into RAM.
fn elf(data: &[u8], ram: &mut Ram) -> Result<(Option<u32>, Option<u32>), String> {
    let broken = |e: object::Error| format!("no 32-bit ELF file that can be read: {e}");
    let file = ElfFile32::<Endianness>::parse(data).map_err(broken)?;
    let endian = file.endian();
    let header = file.elf_header();
    if header.e_machine(endian) != EM_RISCV || !file.is_little_endian() {
        return Err("not an ELF file for little-endian RISC-V".into());
    }
    if header.e_type(endian) != ET_EXEC {
        return Err("not an executable (link it first)".into());
    }
    for segment in file.elf_program_headers().iter().filter(|s| s.p_type(endian) == PT_LOAD) {
        let content = segment.data(endian, data);
        let content = content.map_err(|()| "a segment reaches past the end of the file")?;
        let size = segment.p_memsz(endian) as usize;
        if content.len() > size {
            return Err("a segment is larger than its memory".into());
        }
        let address = segment.p_paddr(endian);
        ram.put(address, content)?;
        // The rest is zeros, as RAM is; it must be there, too.
        let rest = vec![0; size - content.len()];
        ram.put(address.wrapping_add(content.len() as u32), &rest)?;
    }
    let symbol = file.symbols().find(|s| s.name() == Ok("tohost") && !s.is_undefined());
    Ok((Some(file.entry() as u32), symbol.map(|s| s.address() as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_images() {
        let boot = read(&[1, 2, 3, 4, 5], 4096).unwrap();
        assert_eq!((boot.words.len(), boot.entry, boot.tohost), (1024, None, None));
        assert_eq!(boot.words[..3], [0x0403_0201, 5, 0]);
        assert!(read(&[], 4096).unwrap_err().contains("empty"));
        assert!(read(&[0; 4097], 4096).unwrap_err().contains("outside RAM"));
        assert!(read(b"\x7fELF?", 4096).unwrap_err().contains("ELF"));
    }
}
