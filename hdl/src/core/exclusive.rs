//! AMO and SC: of the lanes that name one word only the lowest is served in a
//! pass (rule M2).

use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// The lowest of `served` for each word of the block.
    pub struct Exclusive [const T: usize] [T] fn new() {
        input {
            /// Otherwise `winners` does not matter.
            pub enable: Signal<In, Bit>,
            pub served: Signal<In, U<T>>,
            /// Word of each lane; the bits below T count.
            pub word: [Signal<In, U<6>>; T],
        }
        output { pub winners: Signal<Out, U<T>>, }
    }
}

impl<const T: usize> Logic for Exclusive<T> {
    fn update(&mut self) {
        let mut winners = 0u64;
        if self.enable.val() {
            let mut used = 0u64;
            for i in 0..T {
                let word = 1u64 << (self.word[i].val().index() % T);
                if self.served.val().get_bit(i) && used & word == 0 {
                    used |= word;
                    winners |= 1 << i;
                }
            }
        }
        self.winners.next = winners.into();
    }

    /// Who names the same word is known before who is served.
    fn hdl(&self) -> Verilog {
        let bits = T.ilog2();
        let mut text = format!("reg [{0}:0] twins;\nalways @(*) begin\n", T - 1);
        let _ = write!(text, "winners = 0;\ntwins = {T}'bx;\nif (enable) begin\n");
        text += "winners[0] = served[0];\n";
        for i in 1..T {
            let twin = |j| format!("(word${j}[{0}:0] == word${i}[{0}:0])", bits - 1);
            let twins = (0..i).rev().map(twin).collect::<Vec<_>>().join(",\n");
            let _ = writeln!(text, "twins[{}:0] = {{{twins}}};", i - 1);
            let earlier = format!("served[{0}:0] & twins[{0}:0]", i - 1);
            let _ = writeln!(text, "winners[{i}] = served[{i}] & ~(|({earlier}));");
        }
        text += "end\nend\n";
        Verilog::Custom(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_lane_of_each_word_wins() {
        let mut x = Exclusive::<8>::new();
        for (i, word) in [3, 3, 0, 8, 5, 3, 7, 0].into_iter().enumerate() {
            x.word[i].next = word.into();
        }
        x.enable.next = true;
        x.served.next = 0b1111_1110.into();
        x.update_all();
        assert_eq!(x.winners.val(), 0b0101_0110);
        x.enable.next = false;
        x.update_all();
        assert_eq!(x.winners.val(), 0);
    }
}
