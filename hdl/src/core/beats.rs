//! A core with fewer lanes than threads: a warp goes through the ALU in beats, a group of
//! neighbouring threads in each. Thread `i` has lane `i % lanes` in beat `i / lanes`.
//!
//! ```text
//! cycle    t  t+1  t+2    t+3    t+4      t+5  t+6      t+B+5      t+B+6  t+B+7  t+B+8
//! first    3  4    pick   5      6        (multiplier)  7: lowest  lead   7      8
//! last             +B-1   +B-1   +B-1                   +0
//! ```
//!
//! The banks are read once, those of the first group in stage 4 and all others a cycle later, and
//! show the registers of their threads until the next
//! instruction is there; [`Pick`] takes a group of them per beat. Stages 5 and 6 hold the
//! instruction for all beats, [`Join`] puts results together again. What all threads decide
//! together takes three steps, for which the instruction stays in stage 7: in the first the lowest
//! lane that executes is found, in the second what it has as the leader
//! ([`Lead`](super::lead::Lead)), in the third who agrees with it.

use super::shape::CoreShape;
use super::text::lanes;
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, fresh_vec};
use std::fmt::Write;

regs! {
    /// The group that a stage works on, if it does.
    pub struct Group [] [] / GroupD, GroupQ {
        on: Bit = false,
        at: U<6>,
    }
}

block! {
    /// Which group is where.
    pub struct Beats [] [] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// There is an instruction in stage 4.
            pub start: Signal<In, Bit>,
        }
        output {
            /// Group that is picked.
            pub pick: Signal<Out, U<6>>,
            /// Stage 5 has an instruction, of which other groups come.
            pub stay_5: Signal<Out, Bit>,
            /// Group in stage 6, and it is the last one.
            pub on_6: Signal<Out, Bit>,
            pub at_6: Signal<Out, U<6>>,
            pub last_6: Signal<Out, Bit>,
        }
        local { goes_on: Signal<Local, Bit>, }
        part {
            picked: Group = Group::new(),
            five: Group = Group::new(),
            six: Group = Group::new(),
            last: Constant<U<6>> = Constant::new((shape.beats() as u64 - 1).into()),
        }
    }
}

impl Logic for Beats {
    #[hdl_gen]
    fn update(&mut self) {
        self.picked.clock.next = self.clock.val();
        self.picked.reset.next = self.reset.val();
        self.five.clock.next = self.clock.val();
        self.five.reset.next = self.reset.val();
        self.six.clock.next = self.clock.val();
        self.six.reset.next = self.reset.val();
        self.goes_on.next = self.picked.q.on.val() && !(self.picked.q.at.val() == self.last.val());
        self.picked.d.on.next = self.start.val() || self.goes_on.val();
        self.picked.d.at.next = (self.picked.q.at.val() + 1) & self.last.val();
        if self.start.val() {
            self.picked.d.at.next = 0.into();
        }
        self.five.d.on.next = self.picked.q.on.val();
        self.five.d.at.next = self.picked.q.at.val();
        self.six.d.on.next = self.five.q.on.val();
        self.six.d.at.next = self.five.q.at.val();
        self.pick.next = self.picked.q.at.val();
        self.stay_5.next = self.five.q.on.val() && !(self.five.q.at.val() == self.last.val());
        self.on_6.next = self.six.q.on.val();
        self.at_6.next = self.six.q.at.val();
        self.last_6.next = self.six.q.on.val() && (self.six.q.at.val() == self.last.val());
    }
}

/// Bits of a group's number.
fn group_bits(t: usize, n: usize) -> usize {
    (t / n).ilog2() as usize
}

block! {
    /// Operands of one group, a cycle later.
    pub struct Pick [const T: usize] [T] fn new(n: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub at: Signal<In, U<6>>,
            pub a: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
        }
        output {
            pub some_a: Vec<Signal<Out, U<32>>> = fresh_vec(n),
            pub some_b: Vec<Signal<Out, U<32>>> = fresh_vec(n),
        }
    }
}

impl<const T: usize> Logic for Pick<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let n = self.some_a.len();
        let first = self.at.at_edge().index() % (T / n) * n;
        for i in 0..n {
            self.some_a[i].next = self.a[first + i].at_edge();
            self.some_b[i].next = self.b[first + i].at_edge();
        }
    }

    fn hdl(&self) -> Verilog {
        let n = self.some_a.len();
        let bits = group_bits(T, n);
        let mut text = String::from("always @(posedge clock) case (at[#:0])\n")
            .replace('#', &(bits - 1).to_string());
        for group in 0..T / n {
            let _ = writeln!(text, "{bits}'d{group}: begin");
            for i in 0..n {
                let thread = group * n + i;
                let _ = write!(text, "some_a${i} <= a${thread};\nsome_b${i} <= b${thread};\n");
            }
            text += "end\n";
        }
        text += "endcase\n";
        Verilog::Custom(text)
    }
}

block! {
    /// Lanes of all threads into stage 7. A group is there three cycles after stage 6, when the
    /// multiplier has its products.
    pub struct Join [const T: usize] [T] fn new(n: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            /// The group in stage 6, if there is one.
            pub on: Signal<In, Bit>,
            pub at: Signal<In, U<6>>,
            pub result: Vec<Signal<In, U<32>>> = fresh_vec(n),
            pub a: Vec<Signal<In, U<32>>> = fresh_vec(n),
            pub b: Vec<Signal<In, U<32>>> = fresh_vec(n),
            /// The lowest bits are those of the group.
            pub taken: Signal<In, U<T>>,
            pub wrongs: Signal<In, U<T>>,
            pub faults: Signal<In, U<T>>,
            pub at_device: Signal<In, U<T>>,
            /// The result is a product, which comes two cycles later.
            pub multiplies: Signal<In, Bit>,
            pub product: Vec<Signal<In, U<32>>> = fresh_vec(n),
        }
        output {
            pub result_7: [Signal<Out, U<32>>; T],
            pub a_7: [Signal<Out, U<32>>; T],
            pub b_7: [Signal<Out, U<32>>; T],
            pub taken_7: Signal<Out, U<T>>,
            pub wrongs_7: Signal<Out, U<T>>,
            pub faults_7: Signal<Out, U<T>>,
            pub at_device_7: Signal<Out, U<T>>,
        }
        plain {
            /// What left stage 6 a cycle ago, and two.
            pub _way: [Way; 2] = [Way::default(), Way::default()],
        }
    }
}

/// A group on its way.
#[derive(Clone, Debug, Default)]
pub struct Way {
    on: bool,
    multiplies: bool,
    first: usize,
    values: Vec<[U<32>; 3]>,
    /// As the inputs of that type, in their order.
    bits: [u64; 4],
}

impl<const T: usize> Logic for Join<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let n = self.result.len();
        let [mut new, arrived] = std::mem::take(&mut self._way);
        if arrived.on {
            let range = (u64::MAX >> (64 - n)) << arrived.first;
            let with =
                |old: U<T>, bits: u64| (old.raw() & !range | bits << arrived.first & range).into();
            let [taken, wrongs, faults, at_device] = arrived.bits;
            self.taken_7.next = with(self.taken_7.val(), taken);
            self.wrongs_7.next = with(self.wrongs_7.val(), wrongs);
            self.faults_7.next = with(self.faults_7.val(), faults);
            self.at_device_7.next = with(self.at_device_7.val(), at_device);
            for (i, [result, a, b]) in arrived.values.iter().enumerate() {
                let product = self.product[i].at_edge();
                let thread = arrived.first + i;
                self.result_7[thread].next = if arrived.multiplies { product } else { *result };
                self.a_7[thread].next = *a;
                self.b_7[thread].next = *b;
            }
        }
        // (The buffer that has been used up is the next one.)
        let mut next = Way { values: arrived.values, ..Way::default() };
        next.on = self.on.at_edge();
        if next.on {
            next.multiplies = self.multiplies.at_edge();
            next.first = self.at.at_edge().index() % (T / n) * n;
            next.bits = [&self.taken, &self.wrongs, &self.faults, &self.at_device]
                .map(|bits| bits.at_edge().raw());
            next.values.clear();
            next.values.extend(
                (0..n)
                    .map(|i| [self.result[i].at_edge(), self.a[i].at_edge(), self.b[i].at_edge()]),
            );
        }
        std::mem::swap(&mut new, &mut next);
        self._way = [new, next];
    }

    fn connect(&mut self) {
        for lanes in [&mut self.result_7, &mut self.a_7, &mut self.b_7] {
            lanes.iter_mut().for_each(Logic::connect);
        }
        self.taken_7.connect();
        self.wrongs_7.connect();
        self.faults_7.connect();
        self.at_device_7.connect();
    }

    fn hdl(&self) -> Verilog {
        let n = self.result.len();
        let (bits, top) = (group_bits(T, n), n - 1);
        let each = |text: &str| -> String {
            ["taken", "wrongs", "faults", "at_device"].map(|name| text.replace('@', name)).concat()
        };
        let declare = "reg [31:0] result_1_#, result_2_#, a_1_#, a_2_#, b_1_#, b_2_#;\n\
             wire [31:0] joined_# = multiplies_2 ? product$# : result_2_#;\n";
        let step = "result_1_# <= result$#;\nresult_2_# <= result_1_#;\n\
             a_1_# <= a$#;\na_2_# <= a_1_#;\nb_1_# <= b$#;\nb_2_# <= b_1_#;\n";
        let mut text = format!(
            "reg on_1, on_2, multiplies_1, multiplies_2;\n\
             reg [{at}:0] at_1, at_2;\n\
             initial begin on_1 = 1'b0; on_2 = 1'b0; end\n\
             {}{}\
             always @(posedge clock) begin\n\
             on_1 <= on;\non_2 <= on_1;\n\
             multiplies_1 <= multiplies;\nmultiplies_2 <= multiplies_1;\n\
             at_1 <= at[{at}:0];\nat_2 <= at_1;\n{}{}end\n",
            each(&format!("reg [{top}:0] @_1, @_2;\n")),
            lanes(n, declare),
            each(&format!("@_1 <= @[{top}:0];\n@_2 <= @_1;\n")),
            lanes(n, step),
            at = bits - 1,
        );
        for group in 0..T / n {
            let first = group * n;
            let _ = writeln!(
                text,
                "always @(posedge clock) if (on_2 & (at_2 == {bits}'d{group})) begin"
            );
            text += &each(&format!("@_7[{}:{first}] <= @_2;\n", first + top));
            for i in 0..n {
                let thread = first + i;
                let _ = write!(
                    text,
                    "result_7${thread} <= joined_{i};\n\
                     a_7${thread} <= a_2_{i};\nb_7${thread} <= b_2_{i};\n"
                );
            }
            text += "end\n";
        }
        Verilog::Custom(text)
    }
}
