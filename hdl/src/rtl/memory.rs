//! Memories: [`Ram`] maps to block RAM, [`Table`] to flip-flops or distributed
//! RAM. Leaves with their own Verilog; `update` says the same in Rust.

use super::prelude::*;
use super::{Clocked, fresh_vec};
use std::fmt::Write;

block! {
    /// Synchronous memory of `depth` words with one write and one read port.
    /// The word read is there in the cycle after its address. A word read and
    /// written in the same cycle is undefined in hardware: nobody may use it
    /// (simulation gives the old one).
    pub struct Ram [const N: usize] [N] fn new(depth: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub write: Signal<In, Bit>,
            pub write_address: Signal<In, U<16>>,
            pub write_data: Signal<In, U<N>>,
            pub read_address: Signal<In, U<16>>,
        }
        output { pub read_data: Signal<Out, U<N>>, }
        plain {
            pub _mem: Vec<U<N>> = vec![U::default(); depth],
            _late: bool = false,
        }
    }
}

impl<const N: usize> Ram<N> {
    /// The address is kept, and the word found when it is there: what comes before the
    /// memory has the cycle for itself. It shows what is written with its address.
    pub fn late(depth: usize) -> Self {
        let mut ram = Self::new(depth);
        ram._late = true;
        ram
    }
}

impl<const N: usize> Logic for Ram<N> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let read = |mem: &[U<N>]| {
            mem.get(self.read_address.at_edge().index()).copied().unwrap_or_default()
        };
        let old = read(&self._mem);
        if self.write.at_edge()
            && let Some(word) = self._mem.get_mut(self.write_address.at_edge().index())
        {
            *word = self.write_data.at_edge();
        }
        self.read_data.next = if self._late { read(&self._mem) } else { old };
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        if self._late {
            return Verilog::Custom(format!(
                "reg [{}:0] mem [0:{}];\n\
                 reg [{top}:0] at;\n\
                 always @(posedge clock) begin\n\
                 at <= read_address[{top}:0];\n\
                 if (write) mem[write_address[{top}:0]] <= write_data;\n\
                 end\n\
                 always @(*) read_data = mem[at];\n",
                N - 1,
                depth - 1
            ));
        }
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] mem [0:{}];\n\
             always @(posedge clock) begin\n\
             read_data <= mem[read_address[{top}:0]];\n\
             if (write) mem[write_address[{top}:0]] <= write_data;\n\
             end\n",
            N - 1,
            depth - 1
        ))
    }
}

/// Bits that address `depth` words, at least one.
pub fn address_bits(depth: usize) -> usize {
    (usize::BITS - (depth.max(2) - 1).leading_zeros()) as usize
}

block! {
    /// `depth` words of N bits with any number of combinational read ports and
    /// write ports. When two ports write one word, the higher port wins. A read
    /// shows the word before the writes of its cycle.
    pub struct Table [const N: usize] [N] fn new(depth: usize, reads: usize, writes: usize, reset_to: u64) {
        input {
            pub clock: Signal<In, Clk>,
            pub read_address: Vec<Signal<In, U<8>>> = fresh_vec(reads),
            /// Reads by a bit per word: see [`by_bits`](Table::by_bits).
            pub read_bit: Vec<Signal<In, U<64>>> = Vec::new(),
        }
        sampled {
            pub reset: Signal<In, Bit>,
            pub write: Vec<Signal<In, Bit>> = fresh_vec(writes),
            pub write_address: Vec<Signal<In, U<8>>> = fresh_vec(writes),
            pub write_data: Vec<Signal<In, U<N>>> = fresh_vec(writes),
        }
        output {
            pub read_data: Vec<Signal<Out, U<N>>> = fresh_vec(reads),
            pub bit_data: Vec<Signal<Out, U<N>>> = Vec::new(),
        }
        plain {
            pub _mem: Vec<U<N>> = vec![U::new(reset_to); depth],
            pub _reset_to: Option<u64> = Some(reset_to),
        }
    }
}

impl<const N: usize> Table<N> {
    /// Without reset: the words hold data that something else guards.
    pub fn data(depth: usize, reads: usize, writes: usize) -> Self {
        let mut table = Self::new(depth, reads, writes, 0);
        table._reset_to = None;
        table
    }

    /// With further reads of words with a reset, of the word whose bit is set (0 without one, of
    /// several their OR): faster than by address, if the bits are at hand.
    pub fn by_bits(mut self, reads: usize) -> Self {
        assert!(self._reset_to.is_some(), "of words without a reset none is read by its bit");
        self.read_bit = fresh_vec(reads);
        self.bit_data = fresh_vec(reads);
        self
    }
}

impl<const N: usize> Logic for Table<N> {
    fn update(&mut self) {
        if self.clock.edge() {
            for (i, write) in self.write.iter().enumerate() {
                let address = self.write_address[i].at_edge().index();
                if write.at_edge()
                    && let Some(word) = self._mem.get_mut(address)
                {
                    *word = self.write_data[i].at_edge();
                }
            }
            if let (true, Some(value)) = (self.reset.at_edge(), self._reset_to) {
                self._mem.fill(U::new(value));
            }
        }
        for (address, data) in self.read_address.iter().zip(&mut self.read_data) {
            data.next = self._mem.get(address.val().index()).copied().unwrap_or_default();
        }
        for (bit, data) in self.read_bit.iter().zip(&mut self.bit_data) {
            let (mut bits, mut word) = (bit.val().raw(), U::default());
            while bits != 0 {
                word = word
                    | self._mem.get(bits.trailing_zeros() as usize).copied().unwrap_or_default();
                bits &= bits - 1;
            }
            data.next = word;
        }
    }

    fn hdl(&self) -> Verilog {
        match self._reset_to {
            Some(value) => Verilog::Custom(self.registers(value)),
            None => Verilog::Custom(self.memory()),
        }
    }
}

/// One of the words, by an address, as a tree of multiplexers. (Of a `case` synthesis may
/// make a comparison and an AND for each word.)
fn chosen(address: &str, words: &[String]) -> String {
    match words {
        [word] => word.clone(),
        _ => {
            let half = words.len().next_power_of_two() / 2;
            let (low, high) = words.split_at(half);
            let bit = half.trailing_zeros();
            format!("({address}[{bit}] ? {} : {})", chosen(address, high), chosen(address, low))
        }
    }
}

impl<const N: usize> Table<N> {
    fn memory(&self) -> String {
        let depth = self._mem.len();
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
        text + "end\n"
    }

    /// Words with a reset are registers of their own: of a memory tools make the reset
    /// a write port for every word.
    fn registers(&self, value: u64) -> String {
        let depth = self._mem.len();
        let bits = address_bits(depth);
        let top = bits - 1;
        let mut text = String::new();
        for w in 0..depth {
            let _ = writeln!(text, "reg [{}:0] word_{w};", N - 1);
        }
        for i in 0..self.read_data.len() {
            let words: Vec<String> = (0..depth).map(|w| format!("word_{w}")).collect();
            let word = chosen(&format!("read_address${i}"), &words);
            let _ = writeln!(text, "always @(*) read_data${i} = {word};");
        }
        for i in 0..self.bit_data.len() {
            let words: Vec<String> =
                (0..depth).map(|w| format!("{{{N}{{read_bit${i}[{w}]}}}} & word_{w}")).collect();
            let _ = writeln!(text, "always @(*) bit_data${i} = {};", words.join("\n| "));
        }
        // Enable and data of a word apart, so that the enable becomes the flip-flop's. Such
        // a flip-flop is not reset unless enabled.
        for w in 0..depth {
            let (mut enable, mut data) = (String::from("1'b0"), format!("{N}'d0"));
            for i in 0..self.write.len() {
                let hit = format!("(write${i} & (write_address${i}[{top}:0] == {bits}'d{w}))");
                data = if i == 0 {
                    format!("write_data${i}")
                } else {
                    format!("{hit} ? write_data${i} : {data}")
                };
                enable = if i == 0 { hit } else { format!("{enable} | {hit}") };
            }
            let _ = write!(
                text,
                "wire enable_{w} = {enable};\n\
                 wire [{}:0] data_{w} = {data};\n\
                 always @(posedge clock)\n\
                 if (reset | enable_{w}) word_{w} <= reset ? {N}'d{value} : data_{w};\n",
                N - 1
            );
        }
        text
    }
}

block! {
    /// Registers that are all visible at once: `q[i]` follows `d[i]`.
    pub struct Bank [const N: usize] [N] fn new(words: usize, reset_to: u64) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub reset: Signal<In, Bit>,
            pub d: Vec<Signal<In, U<N>>> = fresh_vec(words),
        }
        output { pub q: Vec<Signal<Out, U<N>>> = fresh_vec(words), }
        plain { pub _reset_to: u64 = reset_to, }
    }
}

impl<const N: usize> Logic for Bank<N> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let reset = self.reset.at_edge();
        for (d, q) in self.d.iter().zip(&mut self.q) {
            q.next = if reset { U::new(self._reset_to) } else { d.at_edge() };
        }
    }

    fn hdl(&self) -> Verilog {
        let each = |f: fn(usize, u64, usize) -> String| -> String {
            (0..self.q.len()).map(|i| f(i, self._reset_to, N)).collect()
        };
        let reset = each(|i, to, n| format!("q${i} <= {n}'d{to};\n"));
        let run = each(|i, _, _| format!("q${i} <= d${i};\n"));
        Verilog::Custom(format!(
            "always @(posedge clock) begin\nif (reset) begin\n{reset}end else begin\n{run}end\nend\n"
        ))
    }
}
