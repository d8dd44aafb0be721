//! The first of a few paths, each compared with each at once, and how they stand to another.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// Combinational, up to four keys. Of equal keys the one with the lower number is the
    /// first. Where keys come `late`, out of block RAM, there are two of them, and nothing follows
    /// the carry chains; then it may be any if there is none.
    pub struct First [] [] fn new(n: usize, late: usize) {
        input {
            pub key: Vec<Signal<In, U<38>>> = fresh_vec(n),
            /// Which of them there are.
            pub valid: Signal<In, U<4>>,
        }
        output {
            /// The first one's bit.
            pub best: Signal<Out, U<4>>,
        }
        plain { _late: usize = late, }
    }
}

impl Logic for First {
    fn update(&mut self) {
        let valid = self.valid.val();
        let keys: Vec<u64> = self.key.iter().map(|k| k.val().raw()).collect();
        let some = (0..keys.len()).any(|i| valid.get_bit(i));
        let there = |i: &usize| valid.get_bit(*i) || self._late != 0 && !some;
        let best = (0..keys.len()).filter(there).min_by_key(|i| (keys[*i], *i));
        self.best.next = best.map_or(0, |i| 1 << i).into();
    }

    fn hdl(&self) -> Verilog {
        let n = self.key.len();
        let mut text = String::new();
        if self._late != 0 {
            // The bit on top of a key says that it is not there. Two chains, since an inverter
            // would come after one.
            return Verilog::Custom(
                "wire [38:0] word_0 = {~valid[0], key$0};\n\
                 wire [38:0] word_1 = {~valid[1], key$1};\n\
                 wire [39:0] after = {1'b0, word_0} + {1'b0, ~word_1};\n\
                 wire [40:0] upto = {1'b0, word_1, 1'b1} + {1'b0, ~word_0, 1'b1};\n\
                 always @(*) begin\nbest = 4'd0;\n\
                 best[0] = upto[40];\nbest[1] = after[39];\nend\n"
                    .into(),
            );
        }
        // a > b is the carry of a + !b; said so, what adds compares.
        for i in 0..n {
            for j in i + 1..n {
                let _ = write!(
                    text,
                    "wire [38:0] after_{i}_{j} = {{1'b0, key${i}}} + {{1'b0, ~key${j}}};\n\
                     wire upto_{i}_{j} = ~after_{i}_{j}[38];\n"
                );
            }
        }
        text += "always @(*) begin\nbest = 4'd0;\n";
        for i in 0..n {
            let _ = write!(text, "best[{i}] = valid[{i}]");
            for j in (0..n).filter(|j| *j != i) {
                let before = if i < j { format!("upto_{i}_{j}") } else { format!("~upto_{j}_{i}") };
                let _ = write!(text, " & (~valid[{j}] | {before})");
            }
            text += ";\n";
        }
        Verilog::Custom(text + "end\n")
    }
}

block! {
    /// Combinational, up to four keys.
    pub struct Limit [] [] fn new(n: usize) {
        input {
            pub key: Vec<Signal<In, U<38>>> = fresh_vec(n),
            /// Which of them do not count.
            pub skip: Signal<In, U<4>>,
            /// There is a bound; if not, all that count are below it.
            pub bounded: Signal<In, Bit>,
            /// It, each bit inverted: so what compares adds.
            pub bound_not: Signal<In, U<38>>,
        }
        output {
            /// Of those that count: the ones below the bound, and the ones at it.
            pub below: Signal<Out, U<4>>,
            pub equal: Signal<Out, U<4>>,
        }
    }
}

impl Logic for Limit {
    fn update(&mut self) {
        let (skip, open) = (self.skip.val(), !self.bounded.val());
        let bound = !self.bound_not.val();
        let bits = |f: &dyn Fn(U<38>) -> bool| {
            let set = self.key.iter().enumerate().filter(|(i, k)| !skip.get_bit(*i) && f(k.val()));
            set.fold(0u64, |m, (i, _)| m | 1 << i)
        };
        self.below.next = bits(&|k| open || k < bound).into();
        self.equal.next = bits(&|k| !open && k == bound).into();
    }

    fn hdl(&self) -> Verilog {
        let mut text = String::new();
        // Two bits on top let the carry know what counts: 11 is above any bound, 00 below 01.
        text += "wire [39:0] at_not = {1'b1, bounded, bound_not};\n";
        // a > b is the carry of a + !b, and a >= b that of a + !b + 1.
        for i in 0..self.key.len() {
            let key = format!("{{skip[{i}], skip[{i}], key${i}}}");
            let _ = write!(
                text,
                "wire [39:0] word_{i} = {key};\n\
                 wire [40:0] above_{i} = {{1'b0, word_{i}}} + {{1'b0, at_not}};\n\
                 wire [41:0] from_{i} = {{1'b0, word_{i}, 1'b1}} + {{1'b0, at_not, 1'b1}};\n"
            );
        }
        text += "always @(*) begin\nbelow = 4'd0;\nequal = 4'd0;\n";
        for i in 0..self.key.len() {
            // Two carry chains are sooner there than a tree that compares.
            let _ = writeln!(text, "below[{i}] = ~from_{i}[41];");
            let _ = writeln!(text, "equal[{i}] = ~above_{i}[40] & from_{i}[41];");
        }
        Verilog::Custom(text + "end\n")
    }
}
