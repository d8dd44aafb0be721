//! The reservations of LR/SC: one word per hart, as the platform says (rule M3),
//! held where all stores pass. Harts x (address + 1) flip-flops and two comparisons
//! each. What is stored is known late in its cycle: whose word it is is found out in the
//! next one, in which `held` looks at it too.

use crate::rtl::Clocked;
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// See the module. `bits` of a word's address count.
    pub struct Reservations [const T: usize] [T] fn new(warps: usize, bits: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// Word address of word 0, a multiple of T.
            pub block: Signal<In, U<30>>,
            pub lanes: Signal<In, U<T>>,
            pub word: [Signal<In, U<6>>; T],
            /// These lanes reserve their word.
            pub reserve: Signal<In, Bit>,
            /// They lose what they have.
            pub cancel: Signal<In, Bit>,
            /// Words that are stored, of the block at...
            pub stored: Signal<In, U<T>>,
            /// ... this address.
            pub stored_block: Signal<In, U<30>>,
        }
        output {
            /// Lanes whose hart has reserved their word.
            pub held: Signal<Out, U<T>>,
        }
        plain {
            /// By hart.
            pub _at: Vec<Option<u64>> = vec![None; warps * T],
            pub _bits: usize = bits,
            /// What was stored in the cycle before: words, and their row.
            pub _stored: (u64, u64) = (0, 0),
        }
    }
}

impl<const T: usize> Reservations<T> {
    /// The word of a lane, as the flip-flops keep it.
    fn address(&self, lane: usize) -> u64 {
        let word = self.word[lane].val().raw() % T as u64;
        (self.block.val().raw() / T as u64 * T as u64 + word) & ((1 << self._bits) - 1)
    }

    /// Is that word the one of a store in the cycle before?
    fn lost(&self, at: u64) -> bool {
        let (stored, row) = self._stored;
        at / T as u64 == row && stored >> (at % T as u64) & 1 != 0
    }

    fn hart(&self, lane: usize) -> usize {
        self.warp.val().index() * T % self._at.len() + lane
    }
}

impl<const T: usize> Logic for Reservations<T> {
    fn update(&mut self) {
        let lanes = self.lanes.val().raw();
        if self.clock.edge() {
            for hart in 0..self._at.len() {
                self._at[hart] = self._at[hart].filter(|at| !self.lost(*at));
            }
            let rows = (1 << self._bits) / T as u64;
            let row = self.stored_block.val().raw() / T as u64 % rows;
            self._stored = (self.stored.val().raw(), row);
            for lane in (0..T).filter(|lane| lanes >> lane & 1 != 0) {
                let hart = self.hart(lane);
                if self.cancel.val() {
                    self._at[hart] = None;
                }
                if self.reserve.val() {
                    self._at[hart] = Some(self.address(lane));
                }
            }
            if self.reset.val() {
                self._at.fill(None);
                self._stored.0 = 0;
            }
        }
        let held = |lane: &usize| {
            let at = self.address(*lane);
            self._at[self.hart(*lane)] == Some(at) && !self.lost(at)
        };
        self.held.next = (0..T).filter(held).fold(0, |mask, lane| mask | 1 << lane).into();
    }

    fn hdl(&self) -> Verilog {
        let warps = self._at.len() / T;
        let (top, lane_bits, warp_bits) = (self._bits - 1, T.ilog2(), warps.ilog2());
        let mut text = format!(
            "reg [{}:0] stored_1;\n\
             reg [{top}:{lane_bits}] row_1;\n\
             always @(posedge clock) begin\n\
             stored_1 <= stored & {{{T}{{~reset}}}};\n\
             row_1 <= stored_block[{top}:{lane_bits}];\n\
             end\n",
            T - 1
        );
        for i in 0..T {
            let low = match lane_bits {
                0 => String::new(),
                n => format!(", word${i}[{}:0]", n - 1),
            };
            let _ = writeln!(text, "wire [{top}:0] at_{i} = {{block[{top}:{lane_bits}]{low}}};");
        }
        for w in 0..warps {
            let mine = match warp_bits {
                0 => "1'b1".to_string(),
                n => format!("(warp[{}:0] == {n}'d{w})", n - 1),
            };
            for i in 0..T {
                let word = match lane_bits {
                    0 => "0".to_string(),
                    n => format!("kept_{w}_{i}[{}:0]", n - 1),
                };
                let _ = write!(
                    text,
                    "reg valid_{w}_{i};\n\
                     reg [{top}:0] kept_{w}_{i};\n\
                     wire mine_{w}_{i} = {mine} & lanes[{i}];\n\
                     wire gone_{w}_{i} = stored_1[{word}] & (kept_{w}_{i}[{top}:{lane_bits}] == row_1);\n\
                     wire held_{w}_{i} = {mine} & valid_{w}_{i} & (kept_{w}_{i} == at_{i});\n\
                     wire lost_{w}_{i} = (cancel & mine_{w}_{i}) | gone_{w}_{i};\n\
                     always @(posedge clock) begin\n\
                     if (reserve & mine_{w}_{i}) kept_{w}_{i} <= at_{i};\n\
                     valid_{w}_{i} <= ~reset & ((reserve & mine_{w}_{i}) |\n\
                     (valid_{w}_{i} & ~lost_{w}_{i}));\n\
                     end\n"
                );
            }
        }
        text += "always @(*) begin\n";
        for i in 0..T {
            let any: Vec<String> = (0..warps).map(|w| format!("held_{w}_{i}")).collect();
            // What is looked at, and not what is kept, says whether it is stored: of all warps once.
            let word =
                if lane_bits == 0 { "0".into() } else { format!("at_{i}[{}:0]", lane_bits - 1) };
            let _ = writeln!(
                text,
                "held[{i}] = ({}) & ~(stored_1[{word}] & (block[{top}:{lane_bits}] == row_1));",
                any.join(" | ")
            );
        }
        text += "end\n";
        Verilog::Custom(text)
    }
}
