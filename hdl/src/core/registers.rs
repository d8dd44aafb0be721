//! The register banks: per lane, two copies of a memory of 32 registers for
//! every warp, one for each operand, written together. One block RAM per copy.
//! Register 0 is written once, after reset (`collect.rs`).
//!
//! In beats only the first lanes are needed in the cycle after. The banks of the others, which lie
//! all over a large device, have their addresses out of a register, and are read a cycle later.

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits, fresh_vec};
use std::fmt::Write;

block! {
    /// Reads the operands of each of the first `lanes` lanes in the cycle after their addresses,
    /// and, in beats, those of the others another cycle later, where the first of them is told. A
    /// register read in the cycle in which it is written is undefined in
    /// hardware: the bypass covers that case.
    pub struct Registers [const T: usize] [T] fn new(warps: usize, lanes: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            /// What is read shall change. There is one in beats; else it always does.
            pub read: Vec<Signal<In, Bit>> = fresh_vec(usize::from(lanes < T)),
            pub read_warp: [Signal<In, U<5>>; T],
            pub rs1: [Signal<In, U<5>>; T],
            pub rs2: [Signal<In, U<5>>; T],
            pub write: Signal<In, U<T>>,
            pub write_warp: [Signal<In, U<5>>; T],
            pub write_rd: [Signal<In, U<5>>; T],
            pub write_data: [Signal<In, U<32>>; T],
        }
        output {
            pub a: [Signal<Out, U<32>>; T],
            pub b: [Signal<Out, U<32>>; T],
        }
        plain {
            pub _mem: Vec<U<32>> = vec![U::default(); warps * 32 * T],
            pub _warps: usize = warps,
            pub _lanes: usize = lanes,
            /// What the other lanes read: warp, rs1, rs2.
            pub _later: Option<[usize; 3]> = None,
        }
    }
}

impl<const T: usize> Logic for Registers<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let read = self.read.iter().all(|read| read.at_edge());
        let write = self.write.at_edge().raw();
        let later = self._later.take();
        for i in 0..T {
            let told =
                [&self.read_warp[i], &self.rs1[i], &self.rs2[i]].map(|x| x.at_edge().index());
            let told = read.then_some(told);
            if i == self._lanes {
                self._later = told;
            }
            if let Some([warp, rs1, rs2]) = if i < self._lanes { told } else { later } {
                let bank = warp % self._warps * 32;
                self.a[i].next = self._mem[(bank + rs1) * T + i];
                self.b[i].next = self._mem[(bank + rs2) * T + i];
            }
            if write >> i & 1 != 0 {
                let bank = self.write_warp[i].at_edge().index() % self._warps * 32;
                self._mem[(bank + self.write_rd[i].at_edge().index()) * T + i] =
                    self.write_data[i].at_edge();
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let words = self._warps * 32;
        let warp = address_bits(self._warps);
        // One warp needs no bank number: a zero keeps the address legal.
        let bank = |name: &str, i: usize| match self._warps {
            1 => String::new(),
            _ => format!("{name}${i}[{}:0], ", warp - 1),
        };
        let read = |i: usize, copy: usize| format!("{{{}rs{copy}${i}}}", bank("read_warp", i));
        let mut text = String::from("integer i;\n");
        let n = self._lanes;
        if n < T {
            let top = address_bits(words) - 1;
            let _ = write!(
                text,
                "reg later;\ninitial later = 1'b0;\n\
                 reg [{top}:0] later_1, later_2;\n\
                 always @(posedge clock) begin\n\
                 later <= read$0;\nlater_1 <= {};\nlater_2 <= {};\n\
                 end\n",
                read(n, 1),
                read(n, 2),
            );
        }
        for i in 0..T {
            let write = bank("write_warp", i);
            let (when, first, second) = match i < n {
                true if n == T => ("", read(i, 1), read(i, 2)),
                true => ("if (read$0) ", read(i, 1), read(i, 2)),
                false => ("if (later) ", "later_1".into(), "later_2".into()),
            };
            for copy in ["a", "b"] {
                let _ = write!(
                    text,
                    "(* no_rw_check *) reg [31:0] bank_{copy}_{i} [0:{last}];\n\
                     `ifndef SYNTHESIS\n\
                     initial for (i = 0; i < {words}; i = i + 1) bank_{copy}_{i}[i] = 32'd0;\n\
                     `endif\n",
                    last = words - 1,
                );
            }
            let _ = write!(
                text,
                "always @(posedge clock) {when}a${i} <= bank_a_{i}[{first}];\n\
                 always @(posedge clock) {when}b${i} <= bank_b_{i}[{second}];\n\
                 always @(posedge clock) if (write[{i}]) begin\n\
                 bank_a_{i}[{{{write}write_rd${i}}}] <= write_data${i};\n\
                 bank_b_{i}[{{{write}write_rd${i}}}] <= write_data${i};\n\
                 end\n"
            );
        }
        Verilog::Custom(text)
    }
}
