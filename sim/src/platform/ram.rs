//! RAM with decoded instructions kept beside it.

use hdl::config::Isa;
use hdl::isa::Insn;
use hdl::platform::RAM_BASE;

/// Words of a page of decoded instructions.
const PAGE: usize = 1024;

/// RAM at `RAM_BASE`. Addresses given here are already checked to lie inside.
pub struct Ram {
    words: Vec<u32>,
    isa: Isa,
    decoded: Vec<Option<Box<[Insn]>>>,
    /// Stores that changed a word so far.
    pub changes: u64,
}

impl Ram {
    /// Zeroed RAM.
    pub fn new(bytes: u32, isa: Isa) -> Ram {
        let words = bytes as usize / 4;
        Ram {
            words: vec![0; words],
            isa,
            decoded: (0..words.div_ceil(PAGE)).map(|_| None).collect(),
            changes: 0,
        }
    }

    /// All words, to compare memories.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u32 {
        (self.words.len() * 4) as u32
    }

    /// Does the byte at `addr` exist?
    #[inline]
    pub fn contains(&self, addr: u32) -> bool {
        (addr.wrapping_sub(RAM_BASE) as usize) < self.words.len() * 4
    }

    /// Index of the word that holds `addr`.
    #[inline]
    pub fn index(addr: u32) -> usize {
        (addr.wrapping_sub(RAM_BASE) / 4) as usize
    }

    /// The word that holds `addr`.
    #[inline]
    pub fn word(&self, addr: u32) -> u32 {
        self.words[Self::index(addr)]
    }

    /// `count` words from the one that holds `addr`, cut at the end of RAM.
    #[inline]
    pub fn block(&self, addr: u32, count: usize) -> &[u32] {
        let i = Self::index(addr);
        &self.words[i..(i + count).min(self.words.len())]
    }

    /// Writes the bytes of `data` that `enable` selects into a word.
    #[inline]
    pub fn store(&mut self, addr: u32, data: u32, enable: u8) {
        let i = Self::index(addr);
        let bits = BYTES[usize::from(enable & 15)];
        let old = self.words[i];
        let new = old & !bits | data & bits;
        if old != new {
            self.words[i] = new;
            self.changes += 1;
            if let Some(page) = &mut self.decoded[i / PAGE] {
                page[i % PAGE] = Insn::decode(new, self.isa);
            }
        }
    }

    /// Writes whole consecutive words.
    #[inline]
    pub fn store_block(&mut self, addr: u32, data: &[u32]) {
        let i = Self::index(addr);
        let target = &mut self.words[i..i + data.len()];
        if target == data {
            return;
        }
        target.copy_from_slice(data);
        self.changes += 1;
        for page in i / PAGE..=(i + data.len() - 1) / PAGE {
            if let Some(decoded) = &mut self.decoded[page] {
                let first = page * PAGE;
                for k in i.max(first)..(i + data.len()).min(first + PAGE) {
                    decoded[k - first] = Insn::decode(self.words[k], self.isa);
                }
            }
        }
    }

    /// Copies bytes in, as a loader does.
    pub fn write_bytes(&mut self, addr: u32, bytes: &[u8]) {
        let head = bytes.len().min(addr.wrapping_neg() as usize % 4);
        let (head, rest) = bytes.split_at(head);
        let (words, tail) = rest.as_chunks::<4>();
        let single = |ram: &mut Ram, addr: u32, bytes: &[u8]| {
            for (i, byte) in (addr..).zip(bytes) {
                let lane = i % 4;
                ram.store(i & !3, u32::from(*byte) << (8 * lane), 1 << lane);
            }
        };
        single(self, addr, head);
        let mut at = addr + head.len() as u32;
        for word in words {
            self.store(at, u32::from_le_bytes(*word), 15);
            at += 4;
        }
        single(self, at, tail);
    }

    /// Copies bytes out.
    pub fn read_bytes(&self, addr: u32, len: u32) -> Vec<u8> {
        (addr..addr + len).map(|a| self.word(a).to_le_bytes()[a as usize % 4]).collect()
    }

    /// The decoded instruction at `pc`, which lies in RAM.
    #[inline]
    pub fn insn(&mut self, pc: u32) -> Insn {
        let i = Self::index(pc);
        if let Some(page) = &self.decoded[i / PAGE] {
            return page[i % PAGE];
        }
        self.decode_page(i / PAGE);
        Insn::decode(self.words[i], self.isa)
    }

    #[cold]
    fn decode_page(&mut self, page: usize) {
        let words = &self.words[page * PAGE..self.words.len().min((page + 1) * PAGE)];
        self.decoded[page] = Some(words.iter().map(|w| Insn::decode(*w, self.isa)).collect());
    }

    /// Decodes a word that is not (or no longer) in RAM.
    pub fn decode(&self, raw: u32) -> Insn {
        Insn::decode(raw, self.isa)
    }
}

/// Bit masks of the sixteen byte enables.
const BYTES: [u32; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 64 {
        if (i / 4) >> (i % 4) & 1 != 0 {
            table[i / 4] |= 0xff << (8 * (i % 4));
        }
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::isa::Op;

    #[test]
    fn bytes_words_and_decoded_code_agree() {
        let mut ram = Ram::new(8192, Isa::Rv32ima);
        ram.write_bytes(RAM_BASE + 1, &[1, 2, 3, 4]);
        assert_eq!(ram.word(RAM_BASE), 0x0302_0100);
        assert_eq!(ram.read_bytes(RAM_BASE + 2, 3), [2, 3, 4]);
        assert_eq!(ram.insn(RAM_BASE + 8).op, Op::Illegal);
        ram.store(RAM_BASE + 8, 0x13, 15);
        assert_eq!(ram.insn(RAM_BASE + 8).op, Op::Addi);
        ram.store_block(RAM_BASE + 4092, &[0x13, 0x33, 0x37]);
        assert_eq!(ram.insn(RAM_BASE + 4092).op, Op::Addi);
        assert_eq!(ram.insn(RAM_BASE + 4100).op, Op::Lui);
        let before = ram.changes;
        ram.store(RAM_BASE + 8, 0xffff_ff13, 1);
        ram.store_block(RAM_BASE + 4092, &[0x13, 0x33]);
        assert_eq!(ram.changes, before, "storing the same value is no change");
    }
}
