//! From the words of a memory block to lanes: results of loads (stage 9,
//! combinational).

use super::control::size;
use super::scatter::word_bits;
use super::text::{concat, lanes};
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// Every lane picks its word, aligns and extends it.
    pub struct Gather [const T: usize] [T] fn new() {
        input {
            pub words: [Signal<In, U<32>>; T],
            /// Word within the block.
            pub word: [Signal<In, U<6>>; T],
            /// Address bits 1:0, aligned to the size.
            pub byte: [Signal<In, U<2>>; T],
            /// One of [`size`](super::control::size).
            pub size: Signal<In, U<2>>,
            /// Extend by the sign.
            pub sign: Signal<In, Bit>,
            /// Lanes that load; the others give 0.
            pub mask: Signal<In, U<T>>,
        }
        output { pub value: [Signal<Out, U<32>>; T], }
        plain { pub _used: bool = false, }
    }
}

impl<const T: usize> Logic for Gather<T> {
    fn update(&mut self) {
        let mask = self.mask.val().raw();
        if mask == 0 && !self._used {
            return;
        }
        self._used = mask != 0;
        let (size, signed) = (self.size.val().raw(), self.sign.val());
        for i in 0..T {
            if mask >> i & 1 == 0 {
                self.value[i].next = U::default();
                continue;
            }
            let word = self.words[self.word[i].val().index() % T].val().low();
            let byte = self.byte[i].val().low();
            let value = match (size, signed) {
                (size::BYTE, false) => word >> (8 * byte) & 0xff,
                (size::BYTE, true) => (word >> (8 * byte)) as i8 as u32,
                (size::HALF, false) => word >> (8 * (byte & 2)) & 0xffff,
                (size::HALF, true) => (word >> (8 * (byte & 2))) as i16 as u32,
                _ => word,
            };
            self.value[i].next = u64::from(value).into();
        }
    }

    fn connect(&mut self) {
        self.value.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let mut text = format!(
            "wire is_byte = size == 2'd{};\nwire is_half = size == 2'd{};\n",
            size::BYTE,
            size::HALF
        );
        let bits = word_bits(T);
        let picked = if bits == 0 {
            "words$0".to_string()
        } else {
            let all = concat(T, |i| format!("words${i}"));
            let _ = writeln!(text, "wire [{}:0] block = {all};", 32 * T - 1);
            format!("block[{{word$#[{}:0], 5'd0}} +: 32]", bits - 1)
        };
        let declare = "reg [31:0] picked_#, whole_#;\nreg [15:0] half_#;\nreg [7:0] low_#;\n\
                       reg fill_#;\n";
        // Which bit is the sign is known before the word is.
        let lane = format!(
            "picked_# = {picked};\n\
             half_# = byte$#[1] & (is_byte | is_half) ? picked_#[31:16] : picked_#[15:0];\n\
             low_# = byte$#[0] & is_byte ? half_#[15:8] : half_#[7:0];\n\
             fill_# = picked_#[7] & (sign & is_byte & (byte$# == 2'd0))\n\
             | picked_#[15] & (sign & (is_byte & (byte$# == 2'd1) | is_half & ~byte$#[1]))\n\
             | picked_#[23] & (sign & is_byte & (byte$# == 2'd2))\n\
             | picked_#[31] & (sign & (is_byte & (byte$# == 2'd3) | is_half & byte$#[1]));\n\
             whole_# = {{is_byte | is_half ? {{16{{fill_#}}}} : picked_#[31:16],\n\
             is_byte ? {{8{{fill_#}}}} : half_#[15:8], low_#}};\n\
             if (mask[#]) value$# = whole_#;\n"
        );
        // One condition for all lanes, so that a simulator passes them by.
        let _ = write!(
            text,
            "{}always @(*) begin\n{}if (|mask) begin\n{}end\nend\n",
            lanes(T, declare),
            lanes(
                T,
                "picked_# = 32'bx;\nhalf_# = 16'bx;\nlow_# = 8'bx;\nfill_# = 1'bx;\n\
                 whole_# = 32'bx;\nvalue$# = 32'd0;\n"
            ),
            lanes(T, &lane),
        );
        Verilog::Custom(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const T: usize>(mask: u64, size: u64, signed: bool, seed: &[(u8, u8, u32)]) {
        let mut g = Gather::<T>::new();
        g.connect_all();
        g.mask.next = u64::MAX.into();
        g.update_all();
        let mut bytes = Vec::new();
        g.mask.next = mask.into();
        g.size.next = size.into();
        g.sign.next = signed;
        for i in 0..T {
            let (word, byte, data) = seed[i % seed.len()];
            let data = data.rotate_left(i as u32);
            bytes.extend(data.to_le_bytes());
            g.words[i].next = u64::from(data).into();
            g.word[i].next = (u64::from(word) % T as u64).into();
            g.byte[i].next = (u64::from(byte) & !((1 << size) - 1)).into();
        }
        g.update_all();
        for i in 0..T {
            let first = 4 * g.word[i].val().index() + g.byte[i].val().index();
            let slice = &bytes[first..first + (1 << size)];
            let fill = if signed && slice.last().unwrap() >> 7 != 0 { 0xff } else { 0 };
            let mut expected = [fill; 4];
            expected[..slice.len()].copy_from_slice(slice);
            let expected = if mask >> i & 1 != 0 { u32::from_le_bytes(expected) } else { 0 };
            assert_eq!(g.value[i].val().low(), expected, "lane {i}");
        }
    }

    #[test]
    fn signs_and_positions() {
        for signed in [false, true] {
            for size in 0..3 {
                for byte in 0..4 {
                    check::<1>(1, size, signed, &[(0, byte, 0x8070_f00f)]);
                    check::<64>(u64::MAX, size, signed, &[(63, byte, 0x8070_f00f)]);
                }
            }
        }
        check::<4>(0, 2, false, &[(1, 0, u32::MAX)]);
    }

    proptest! {
        #[test]
        fn random_blocks(
            mask: u64,
            size in 0..3u64,
            signed: bool,
            seed in prop::collection::vec(any::<(u8, u8, u32)>(), 1..70),
        ) {
            check::<1>(mask, size, signed, &seed);
            check::<4>(mask, size, signed, &seed);
            check::<32>(mask, size, signed, &seed);
            check::<64>(mask, size, signed, &seed);
        }
    }
}
