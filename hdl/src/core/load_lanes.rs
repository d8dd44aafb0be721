//! Lane data of outstanding loads: where in the block each lane's word is.

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};
use std::fmt::Write;

block! {
    /// A memory of `depth` entries with one write and one combinational read
    /// port.
    pub struct LoadLanes [const T: usize] [T] fn new(depth: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub read_tag: Signal<In, U<4>>,
        }
        sampled {
            pub write: Signal<In, Bit>,
            pub write_tag: Signal<In, U<4>>,
            pub write_word: [Signal<In, U<6>>; T],
            pub write_byte: [Signal<In, U<2>>; T],
        }
        output {
            pub word: [Signal<Out, U<6>>; T],
            pub byte: [Signal<Out, U<2>>; T],
        }
        plain { pub _mem: Vec<u8> = vec![0; depth * T], }
    }
}

impl<const T: usize> Logic for LoadLanes<T> {
    fn update(&mut self) {
        if self.clock.edge() && self.write.at_edge() {
            let entry = self.write_tag.at_edge().index() * T;
            for i in 0..T {
                let word = self.write_word[i].at_edge().raw() as u8;
                self._mem[entry + i] = word << 2 | self.write_byte[i].at_edge().raw() as u8;
            }
        }
        let entry = self.read_tag.val().index() * T;
        for i in 0..T {
            let place = self._mem.get(entry + i).copied().unwrap_or_default();
            self.word[i].next = u64::from(place >> 2).into();
            self.byte[i].next = u64::from(place).into();
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len() / T;
        let top = address_bits(depth) - 1;
        let mut text = String::new();
        let mut writes = String::new();
        for i in 0..T {
            let _ = write!(
                text,
                "reg [7:0] place_{i} [0:{last}];\n\
                 reg [7:0] shown_{i};\n\
                 always @(*) begin\n\
                 shown_{i} = place_{i}[read_tag[{top}:0]];\n\
                 word${i} = shown_{i}[7:2];\n\
                 byte${i} = shown_{i}[1:0];\n\
                 end\n",
                last = depth - 1,
            );
            let _ = writeln!(
                writes,
                "place_{i}[write_tag[{top}:0]] <= {{write_word${i}, write_byte${i}}};"
            );
        }
        let _ = write!(text, "always @(posedge clock) if (write) begin\n{writes}end\n");
        Verilog::Custom(text)
    }
}
