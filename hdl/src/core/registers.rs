//! The register banks: per lane, two copies of a memory of 32 registers for
//! every warp, one for each operand, written together. One block RAM per copy.
//! Register 0 is written once, after reset (`collect.rs`).

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits, fresh_vec};
use std::fmt::Write;

block! {
    /// Reads the operands of each lane in the cycle after their addresses. A
    /// register read in the cycle in which it is written is undefined in
    /// hardware: the bypass covers that case.
    pub struct Registers [const T: usize] [T] fn new(warps: usize, slow: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            /// What is read shall change; 1 of these, or none, and it always does.
            pub read: Vec<Signal<In, Bit>> = fresh_vec(slow),
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
        for i in 0..T {
            if read {
                let bank = self.read_warp[i].at_edge().index() % self._warps * 32;
                self.a[i].next = self._mem[(bank + self.rs1[i].at_edge().index()) * T + i];
                self.b[i].next = self._mem[(bank + self.rs2[i].at_edge().index()) * T + i];
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
        let when = if self.read.is_empty() { "" } else { "if (read$0) " };
        let mut text = String::from("integer i;\n");
        for i in 0..T {
            let (read, write) = (bank("read_warp", i), bank("write_warp", i));
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
                "always @(posedge clock) {when}a${i} <= bank_a_{i}[{{{read}rs1${i}}}];\n\
                 always @(posedge clock) {when}b${i} <= bank_b_{i}[{{{read}rs2${i}}}];\n\
                 always @(posedge clock) if (write[{i}]) begin\n\
                 bank_a_{i}[{{{write}write_rd${i}}}] <= write_data${i};\n\
                 bank_b_{i}[{{{write}write_rd${i}}}] <= write_data${i};\n\
                 end\n"
            );
        }
        Verilog::Custom(text)
    }
}
