//! One lane's RAM: every T-th word. The data port reads or writes a row, fetch
//! reads another one in the same cycle; both words are there in the cycle after.
//!
//! With `two_ports` that is a true dual-port block RAM. Without, both sides share
//! one read port, so that a block RAM that has no more (iCE40) need not be there
//! twice: `insn` is `word` then, and who asks for both in one cycle gets neither.
//! Nobody may read a row in the cycle in which it is written by the other side.

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};
use std::fmt::Write;

block! {
    /// See the module. `words` is what it holds when power comes up.
    pub struct BankRam [] [] fn new(words: Vec<u32>, two_ports: bool) {
        input {
            pub clock: Signal<In, Clk>,
            /// The data port uses the bank: it writes these bytes, or reads.
            pub access: Signal<In, Bit>,
            pub write: Signal<In, U<4>>,
            pub row: Signal<In, U<28>>,
            pub data: Signal<In, U<32>>,
            pub fetch: Signal<In, Bit>,
            pub fetch_row: Signal<In, U<28>>,
        }
        output {
            /// Of the row read last; with one read port `insn` is it, too.
            pub word: Signal<Out, U<32>>,
            pub insn: Signal<Out, U<32>>,
        }
        plain {
            pub _mem: Vec<u32> = words,
            pub _two_ports: bool = two_ports,
        }
    }
}

impl BankRam {
    fn at(&self, row: U<28>) -> U<32> {
        u64::from(self._mem.get(row.index()).copied().unwrap_or_default()).into()
    }
}

impl Logic for BankRam {
    fn update(&mut self) {
        if self.clock.edge() {
            let (row, write) = (self.row.val(), self.write.val().raw());
            if self.fetch.val() {
                self.insn.next = self.at(self.fetch_row.val());
            }
            if self.access.val() && write == 0 {
                self.word.next = self.at(row);
            }
            if self.access.val()
                && let Some(word) = self._mem.get_mut(row.index())
            {
                let bytes =
                    (0..4).filter(|b| write >> b & 1 != 0).fold(0, |m, b| m | 0xff << (8 * b));
                *word = *word & !bytes | self.data.val().low() & bytes;
            }
            if !self._two_ports {
                let read = self.access.val() && write == 0;
                let word = if read { self.word.val() } else { self.insn.val() };
                (self.word.next, self.insn.next) = (word, word);
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        let mut text = format!("(* no_rw_check *) reg [31:0] mem [0:{}];\n", depth - 1);
        // Block RAM powers up as zeros where nothing is said; a simulator need not.
        let _ = write!(
            text,
            "`ifndef SYNTHESIS\n\
             integer i;\n\
             initial for (i = 0; i < {depth}; i = i + 1) mem[i] = 32'd0;\n\
             `endif\n\
             initial begin\n"
        );
        for (row, word) in self._mem.iter().enumerate().filter(|(_, word)| **word != 0) {
            let _ = writeln!(text, "mem[{row}] = 32'h{word:08x};");
        }
        let bytes: String = (0..4)
            .map(|b| {
                let range = format!("[{}:{}]", 8 * b + 7, 8 * b);
                format!("if (write[{b}]) mem[row[{top}:0]]{range} <= data{range};\n")
            })
            .collect();
        text += "end\n";
        text += &match self._two_ports {
            true => format!(
                "always @(posedge clock)\n\
                 if (access) begin\n\
                 {bytes}\
                 if (~(|write)) word <= mem[row[{top}:0]];\n\
                 end\n\
                 always @(posedge clock)\n\
                 if (fetch) insn <= mem[fetch_row[{top}:0]];\n"
            ),
            false => format!(
                "wire read = access & ~(|write);\n\
                 wire [{top}:0] at = read ? row[{top}:0] : fetch_row[{top}:0];\n\
                 always @(posedge clock) begin\n\
                 if (access) begin\n\
                 {bytes}\
                 end\n\
                 if (read | fetch) word <= mem[at];\n\
                 end\n\
                 always @(*) insn = word;\n"
            ),
        };
        Verilog::Custom(text)
    }
}
