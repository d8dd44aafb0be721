//! From lanes to the words of a memory block: data of stores (stage 8,
//! combinational).
//!
//! The Verilog works on bit slices, vectors with a bit per lane: for each byte
//! of each word the lanes that hit it, of these the highest one, and the data
//! as an AND-OR over lanes. So it has the depth of a tree and stays small. Four lanes are
//! few enough for a multiplexer by the number of the highest.

use super::control::size;
use super::text::{concat, lanes};
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// Lanes may share words; per byte the highest lane wins (M2). Data that nobody
    /// wants does not matter: 0, or with four lanes that of lane 0 where a byte of a
    /// request that writes is not enabled. (The Verilog says x where nothing is written,
    /// which costs nothing in hardware, and lets a simulator leave it out.)
    pub struct Scatter [const T: usize] [T] fn new() {
        input {
            /// There is a request.
            pub asks: Signal<In, Bit>,
            /// Lanes that take part.
            pub served: Signal<In, U<T>>,
            /// The request needs data: it is no load.
            pub writes: Signal<In, Bit>,
            /// Word within the block.
            pub word: [Signal<In, U<6>>; T],
            /// Address bits 1:0, aligned to the size.
            pub byte: [Signal<In, U<2>>; T],
            /// One of [`size`](super::control::size).
            pub size: Signal<In, U<2>>,
            pub data: [Signal<In, U<32>>; T],
        }
        output {
            /// Byte enables per word.
            pub enable: [Signal<Out, U<4>>; T],
            /// Data per word.
            pub out: [Signal<Out, U<32>>; T],
        }
        plain { pub _used: bool = false, }
    }
}

/// Bits of a word number in blocks of `t` words.
pub(super) fn word_bits(t: usize) -> usize {
    t.trailing_zeros() as usize
}

/// Is the highest lane known by its number?
const fn by_number(t: usize) -> bool {
    t == 4
}

impl<const T: usize> Logic for Scatter<T> {
    fn update(&mut self) {
        let (asks, served) = (self.asks.val(), self.served.val().raw());
        if !asks && !self._used && !by_number(T) {
            return;
        }
        self._used = asks;
        let size = self.size.val().raw();
        let spread = |data: u32| match size {
            size::BYTE => (data & 0xff) * 0x0101_0101,
            size::HALF => (data & 0xffff) * 0x0001_0001,
            _ => data,
        };
        let writes = self.writes.val();
        let known = by_number(T) && writes && asks;
        let first = if known { spread(self.data[0].val().low()) } else { 0 };
        let (mut enables, mut words) = ([0u64; T], [first; T]);
        for i in (0..T).filter(|i| asks && served >> i & 1 != 0) {
            let (data, byte) = (spread(self.data[i].val().low()), self.byte[i].val().raw());
            let enable = match size {
                size::BYTE => 1 << byte,
                size::HALF => 3 << (byte & 2),
                _ => 0xf,
            };
            let mask = (0..4).filter(|b| enable >> b & 1 != 0).fold(0, |m, b| m | 0xff << (8 * b));
            let w = self.word[i].val().index() % T;
            enables[w] |= enable;
            if writes {
                words[w] = words[w] & !mask | data & mask;
            }
        }
        for w in 0..T {
            self.enable[w].next = enables[w].into();
            self.out[w].next = u64::from(words[w]).into();
        }
    }

    fn connect(&mut self) {
        self.enable.iter_mut().for_each(Logic::connect);
        self.out.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let top = T - 1;
        let bits = if by_number(T) { word_bits(T) - 1 } else { top };
        let mut names: Vec<(String, usize)> = (0..T).map(|i| (format!("enables_{i}"), 3)).collect();
        names.extend((0..4).map(|b| (format!("served_{b}"), top)));
        names.extend((0..word_bits(T)).map(|k| (format!("bit_{k}"), top)));
        names.push(("hit".into(), top));
        names.extend((0..4).map(|b| (format!("all_{b}"), top)));
        names.extend((0..T).map(|i| (format!("spread_{i}"), 31)));
        names.extend((0..32).map(|k| (format!("slice_{k}"), top)));
        names.extend((0..4).map(|b| (format!("win_{b}"), bits)));
        let mut text = format!(
            "wire is_byte = size == 2'd{};\nwire is_half = size == 2'd{};\n",
            size::BYTE,
            size::HALF
        );
        for (name, top) in &names {
            let _ = writeln!(text, "reg [{top}:0] {name};");
        }
        // One condition for all words, so that a simulator passes them by.
        text += "always @(*) begin\n";
        for (name, top) in &names {
            let _ = writeln!(text, "{name} = {}'bx;", top + 1);
        }
        text += &lanes(T, "enable$# = 4'd0;\nout$# = 32'bx;\n");
        text += "if (asks) begin\n";
        text += &lanes(
            T,
            "enables_# = is_byte ? 4'd1 << byte$# :\n\
             is_half ? {{2{byte$#[1]}}, {2{~byte$#[1]}}} : 4'd15;\n",
        );
        for b in 0..4 {
            let slice = concat(T, |i| format!("enables_{i}[{b}]"));
            let _ = writeln!(text, "served_{b} = served & {slice};");
        }
        for k in 0..word_bits(T) {
            let slice = concat(T, |i| format!("word${i}[{k}]"));
            let _ = writeln!(text, "bit_{k} = {slice};");
        }
        text += "if (writes) begin\n";
        text += &lanes(
            T,
            "spread_# = is_byte ? {4{data$#[7:0]}} : is_half ? {2{data$#[15:0]}} : data$#;\n",
        );
        for k in 0..32 {
            let slice = concat(T, |i| format!("spread_{i}[{k}]"));
            let _ = writeln!(text, "slice_{k} = {slice};");
        }
        text += "end\n";
        (0..T).for_each(|w| text += &word::<T>(w));
        Verilog::Custom(text + "end\nend\n")
    }
}

/// Word `w` of the block: its enables, and its data in a request that writes.
fn word<const T: usize>(w: usize) -> String {
    let mut text = format!("hit = {{{T}{{1'b1}}}}");
    for k in 0..word_bits(T) {
        let not = if w >> k & 1 != 0 { "" } else { "~" };
        let _ = write!(text, " & {not}bit_{k}");
    }
    text += ";\n";
    for b in 0..4 {
        let _ = writeln!(text, "all_{b} = hit & served_{b};");
    }
    let _ =
        writeln!(text, "enable${w} = {};\nif (writes) begin", concat(4, |b| format!("|all_{b}")));
    for b in 0..4 {
        let (win, all) = (format!("win_{b}"), format!("all_{b}"));
        text +=
            &if by_number(T) { number_of_highest(&win, &all, T) } else { highest::<T>(&win, &all) };
    }
    let out = concat(32, |k| match by_number(T) {
        true => picked(&format!("win_{}", k / 8), &format!("slice_{k}"), 0, 1, T),
        false => format!("|(win_{} & slice_{k})", k / 8),
    });
    let _ = writeln!(text, "out${w} = {out};\nend");
    text
}

/// One of `n` bits: of those at `first` and every `step` after it. The lowest bit of `pick`, which
/// is known last, chooses last.
fn picked(pick: &str, of: &str, first: usize, step: usize, n: usize) -> String {
    match step == n {
        true => format!("{of}[{first}]"),
        false => {
            let bit = word_bits(step);
            let low = picked(pick, of, first, 2 * step, n);
            let high = picked(pick, of, first + step, 2 * step, n);
            format!("({pick}[{bit}] ? {high} : {low})")
        }
    }
}

/// The number of the highest bit of `all`, which has `n`; 0 if there is none.
fn number_of_highest(win: &str, all: &str, n: usize) -> String {
    let bits = concat(word_bits(n), |bit| {
        // From the lowest on: a higher one overrules those below.
        (1..n).fold("1'b0".to_string(), |lower, i| match (i >> bit & 1 != 0, lower.as_str()) {
            (true, "1'b0") => format!("{all}[{i}]"),
            (true, _) => format!("({all}[{i}] | {lower})"),
            (false, "1'b0") => lower,
            (false, _) => format!("(~{all}[{i}] & {lower})"),
        })
    });
    format!("{win} = {bits};\n")
}

/// Only the highest bit of `all`.
fn highest<const T: usize>(win: &str, all: &str) -> String {
    let mut text = format!("{win} = {all};\n");
    for k in 0..word_bits(T) {
        let _ = writeln!(text, "{win} = {win} | ({win} >> {});", 1 << k);
    }
    let _ = writeln!(text, "{win} = {win} & ~({win} >> 1);");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lane by lane, byte by byte into an array.
    fn check<const T: usize>(served: u64, size: u64, seed: &[(u8, u8, u32)]) {
        let mut s = Scatter::<T>::new();
        s.connect_all();
        // Something else before, so that nothing old can stay.
        s.asks.next = true;
        s.served.next = u64::MAX.into();
        s.writes.next = true;
        s.update_all();
        let mut expected = vec![None; 4 * T];
        s.served.next = served.into();
        s.size.next = size.into();
        for i in 0..T {
            let (word, byte, data) = seed[i % seed.len()];
            let data = data.wrapping_add(i as u32);
            let (word, byte) = (usize::from(word) % T, usize::from(byte) & 3 & !((1 << size) - 1));
            s.word[i].next = (word as u64).into();
            s.byte[i].next = (byte as u64).into();
            s.data[i].next = u64::from(data).into();
            if served >> i & 1 != 0 {
                for n in 0..1 << size {
                    expected[4 * word + byte + n] = Some(data.to_le_bytes()[n]);
                }
            }
        }
        s.update_all();
        // Without a request nothing is enabled.
        if served.is_multiple_of(3) {
            s.asks.next = false;
            s.update_all();
            assert!(s.enable.iter().all(|e| e.val() == 0));
            s.asks.next = true;
            s.update_all();
        }
        for (n, byte) in expected.iter().enumerate() {
            assert_eq!(s.enable[n / 4].val().get_bit(n % 4), byte.is_some());
            let out = s.out[n / 4].val().low().to_le_bytes()[n % 4];
            assert!(byte.is_none_or(|byte| byte == out), "byte {n}");
        }
    }

    #[test]
    fn all_lanes_on_one_word() {
        for size in 0..3 {
            check::<1>(u64::MAX, size, &[(0, 0, 0x1234_5678)]);
            check::<4>(u64::MAX, size, &[(3, 1, 0x1234_5678), (3, 3, 0x9abc_def0)]);
            check::<64>(u64::MAX >> 1, size, &[(63, 2, 0x1234_5678)]);
            check::<64>(0, size, &[(63, 2, 0x1234_5678)]);
        }
    }

    proptest! {
        #[test]
        fn random_blocks(
            served: u64,
            size in 0..3u64,
            seed in prop::collection::vec(any::<(u8, u8, u32)>(), 1..70),
        ) {
            check::<1>(served, size, &seed);
            check::<4>(served, size, &seed);
            check::<8>(served, size, &seed);
            check::<32>(served, size, &seed);
            check::<64>(served, size, &seed);
        }
    }
}
