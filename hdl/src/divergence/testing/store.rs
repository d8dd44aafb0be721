//! State of the test units: tables whose words have different reset values.

use crate::divergence::arbiter::tree::KEY;
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};
use std::fmt::Write;

block! {
    /// Words of N bits with combinational reads. When two ports write one word,
    /// the higher port wins. A read shows the word before the write.
    pub struct Store [const N: usize] [N] fn new(reset_to: Vec<u64>, reads: usize, writes: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub read_address: Vec<Signal<In, U<6>>> = fresh_vec(reads),
            pub write: Vec<Signal<In, Bit>> = fresh_vec(writes),
            pub write_address: Vec<Signal<In, U<6>>> = fresh_vec(writes),
            pub write_data: Vec<Signal<In, U<N>>> = fresh_vec(writes),
        }
        output { pub read_data: Vec<Signal<Out, U<N>>> = fresh_vec(reads), }
        plain {
            pub _words: Vec<U<N>> = reset_to.iter().map(|w| U::new(*w)).collect(),
            pub _reset_to: Vec<U<N>> = reset_to.iter().map(|w| U::new(*w)).collect(),
        }
    }
}

impl<const N: usize> Logic for Store<N> {
    fn update(&mut self) {
        if self.clock.edge() {
            for (i, write) in self.write.iter().enumerate() {
                if write.val()
                    && let Some(word) = self._words.get_mut(self.write_address[i].val().index())
                {
                    *word = self.write_data[i].val();
                }
            }
            if self.reset.val() {
                self._words.clone_from(&self._reset_to);
            }
        }
        for (address, data) in self.read_address.iter().zip(&mut self.read_data) {
            data.next = self._words.get(address.val().index()).copied().unwrap_or_default();
        }
    }

    fn connect(&mut self) {
        self.read_data.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let depth = self._words.len();
        let top = address_bits(depth) - 1;
        let mut text = format!("reg [{}:0] mem [0:{}];\n", N - 1, depth - 1);
        for i in 0..self.read_data.len() {
            let _ = writeln!(text, "always @(*) read_data${i} = mem[read_address${i}[{top}:0]];");
        }
        text += "always @(posedge clock) begin\n";
        for i in 0..self.write.len() {
            let _ =
                writeln!(text, "if (write${i}) mem[write_address${i}[{top}:0]] <= write_data${i};");
        }
        text += "if (reset) begin\n";
        for (i, word) in self._reset_to.iter().enumerate() {
            let _ = writeln!(text, "mem[{i}] <= {N}'d{};", word.raw());
        }
        Verilog::Custom(text + "end\nend\n")
    }
}

block! {
    /// A key per thread, read at two warps and written at two warps, lane by
    /// lane. Port `p` of lane `i` has number `2 i + p`. Reset gives the threads
    /// of `masks` the key `start` and the others 0.
    pub struct Lanes [const T: usize] [T] fn new(masks: &[u64], start: u64) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub warp: [Signal<In, U<5>>; 2],
            pub write: [Signal<In, U<T>>; 2],
            pub d: Vec<Signal<In, U<KEY>>> = fresh_vec(2 * T),
        }
        output { pub q: Vec<Signal<Out, U<KEY>>> = fresh_vec(2 * T), }
        plain {
            pub _keys: Vec<[U<KEY>; T]> = initial(masks, start),
            pub _reset_to: Vec<[U<KEY>; T]> = initial(masks, start),
        }
    }
}

fn initial<const T: usize>(masks: &[u64], start: u64) -> Vec<[U<KEY>; T]> {
    let warp = |mask: &u64| std::array::from_fn(|i| U::new((mask >> i & 1) * start));
    masks.iter().map(warp).collect()
}

impl<const T: usize> Logic for Lanes<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            for p in 0..2 {
                let Some(keys) = self._keys.get_mut(self.warp[p].val().index()) else { continue };
                for (i, key) in keys.iter_mut().enumerate() {
                    if self.write[p].val().get_bit(i) {
                        *key = self.d[2 * i + p].val();
                    }
                }
            }
            if self.reset.val() {
                self._keys.clone_from(&self._reset_to);
            }
        }
        for p in 0..2 {
            let Some(keys) = self._keys.get(self.warp[p].val().index()) else { continue };
            for (i, key) in keys.iter().enumerate() {
                self.q[2 * i + p].next = *key;
            }
        }
    }

    fn connect(&mut self) {
        self.q.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let depth = self._keys.len();
        let top = address_bits(depth) - 1;
        let mut text = String::new();
        for i in 0..T {
            let _ = writeln!(text, "reg [{}:0] mem{i} [0:{}];", KEY - 1, depth - 1);
            for p in 0..2 {
                let n = 2 * i + p;
                let _ = writeln!(text, "always @(*) q${n} = mem{i}[warp${p}[{top}:0]];");
            }
            text += "always @(posedge clock) begin\n";
            for p in 0..2 {
                let n = 2 * i + p;
                let _ = writeln!(text, "if (write${p}[{i}]) mem{i}[warp${p}[{top}:0]] <= d${n};");
            }
            text += "if (reset) begin\n";
            for (w, keys) in self._reset_to.iter().enumerate() {
                let _ = writeln!(text, "mem{i}[{w}] <= {KEY}'d{};", keys[i].raw());
            }
            text += "end\nend\n";
        }
        Verilog::Custom(text)
    }
}

/// Address of a warp's slot in a [`Store`]: `32 * slot + warp`.
pub fn slots(warps: usize, word: impl Fn(usize, usize) -> u64) -> Vec<u64> {
    (0..64).map(|a| if a % 32 < warps { word(a / 32, a % 32) } else { 0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reset_to_their_own_values() {
        let mut x = Store::<8>::new(slots(2, |s, w| (10 * s + w) as u64), 1, 1);
        x.connect_all();
        let mut cycle = |reset: bool, write: bool, address: u64| {
            x.reset.next = reset;
            x.write[0].next = write;
            x.write_address[0].next = address.into();
            x.write_data[0].next = 99.into();
            x.read_address[0].next = address.into();
            x.update_all();
            x.clock.next = x.clock.val().tick();
            x.update_all();
            x.read_data[0].val().raw()
        };
        assert_eq!([cycle(false, false, 33), cycle(false, true, 33)], [11, 99]);
        assert_eq!([cycle(true, false, 33), cycle(false, false, 2)], [11, 0]);
    }

    #[test]
    fn two_warps_are_written_at_once() {
        let mut x = Lanes::<2>::new(&[3, 1], 7);
        x.connect_all();
        x.warp[1].next = 1.into();
        x.update_all();
        assert_eq!([0, 2, 1, 3].map(|n| x.q[n].val().raw()), [7, 7, 7, 0]);
        x.write[0].next = 1.into();
        x.write[1].next = 2.into();
        x.d[0].next = 4.into();
        x.d[3].next = 5.into();
        x.update_all();
        x.clock.next = x.clock.val().tick();
        x.update_all();
        assert_eq!([0, 2, 1, 3].map(|n| x.q[n].val().raw()), [4, 7, 7, 5]);
    }
}
