//! The first of a few paths, each compared with each at once.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// Combinational, up to four keys. Of equal keys the one with the lower number is the
    /// first.
    pub struct First [] [] fn new(n: usize) {
        input {
            pub key: Vec<Signal<In, U<38>>> = fresh_vec(n),
            /// Which of them there are.
            pub valid: Signal<In, U<4>>,
            pub limit: Signal<In, U<38>>,
        }
        output {
            /// The first one's bit.
            pub best: Signal<Out, U<4>>,
            /// Those below the limit, and those at it; of any key.
            pub below: Signal<Out, U<4>>,
            pub equal: Signal<Out, U<4>>,
        }
    }
}

impl Logic for First {
    fn update(&mut self) {
        let valid = self.valid.val();
        let keys: Vec<u64> = self.key.iter().map(|k| k.val().raw()).collect();
        let limit = self.limit.val().raw();
        let best = (0..keys.len()).filter(|i| valid.get_bit(*i)).min_by_key(|i| (keys[*i], *i));
        let bits = |f: &dyn Fn(u64) -> bool| {
            let set = keys.iter().enumerate().filter(|(_, k)| f(**k));
            set.fold(0u64, |m, (i, _)| m | 1 << i)
        };
        self.best.next = best.map_or(0, |i| 1 << i).into();
        self.below.next = bits(&|k| k < limit).into();
        self.equal.next = bits(&|k| k == limit).into();
    }

    fn hdl(&self) -> Verilog {
        let n = self.key.len();
        let mut text = String::new();
        // a > b is the carry of a + !b, and they are equal if the sum is all ones; said so,
        // the inverses are shared, and what adds compares.
        for i in 0..n {
            let _ = writeln!(text, "wire [37:0] not_{i} = ~key${i};");
            let _ = writeln!(text, "wire [38:0] under_{i} = {{1'b0, limit}} + {{1'b0, not_{i}}};");
        }
        for i in 0..n {
            for j in i + 1..n {
                let _ = write!(
                    text,
                    "wire [38:0] after_{i}_{j} = {{1'b0, key${i}}} + {{1'b0, not_{j}}};\n\
                     wire upto_{i}_{j} = ~after_{i}_{j}[38];\n"
                );
            }
        }
        text += "always @(*) begin\nbest = 4'd0;\nbelow = 4'd0;\nequal = 4'd0;\n";
        for i in 0..n {
            let _ = write!(text, "best[{i}] = valid[{i}]");
            for j in (0..n).filter(|j| *j != i) {
                let before = if i < j { format!("upto_{i}_{j}") } else { format!("~upto_{j}_{i}") };
                let _ = write!(text, " & (~valid[{j}] | {before})");
            }
            let _ = writeln!(
                text,
                ";\nbelow[{i}] = under_{i}[38];\nequal[{i}] = under_{i}[37:0] == 38'h3fffffffff;"
            );
        }
        Verilog::Custom(text + "end\n")
    }
}
