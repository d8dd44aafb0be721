//! The iterative divider: one warp operation at a time, one bit per cycle.
//!
//! ```text
//! cycle  0       start        q = a, d = b, r = 0, as in any cycle with `offer` before
//!        1       magnitude    q = |a|
//!        2..33   divide       {r, q} <<= 1; if r >= |d| { r -= |d|; q |= 1 }
//!       34       sign         q = +-q or +-r
//!       35..     done         until taken
//! ```
//!
//! One negator serves cycles 1 and 34. The divisor keeps its sign: a negative
//! one is added where a positive one is subtracted.
//!
//! With fewer dividers than lanes (`--dividers D`) the operands of all lanes are in line: the first D
//! lanes divide and hand over their results, all others come D lanes nearer, and so on until no lane is
//! left. Coming nearer takes a cycle, and D lanes none of which divides only cycle 1 and that one. Operands are taken over in every cycle
//! until it starts, without an `offer`, for which that many lanes would wait.
//!
//! Long, because model and Verilog of both kinds are beside each other, and their tests.

use super::control::divide_op as op;
use super::text::lanes;
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, fresh_vec};
use std::fmt::Write;

/// Values of the step counter.
const IDLE: u64 = 0;
const MAGNITUDE: u64 = 1;
const SIGN: u64 = 34;
const DONE: u64 = 35;
const TURN: u64 = 36;

block! {
    /// So many dividers, all in step. What `result` is outside `mask` or `part`, and while not `done`,
    /// nobody knows.
    pub struct Divide [const T: usize] [T] fn new(dividers: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub reset: Signal<In, Bit>,
            /// Operands that may be divided, in all lanes: `start` comes with it or not at all.
            pub offer: Signal<In, Bit>,
            /// Begin, only while not `busy`.
            pub start: Signal<In, Bit>,
            /// Lanes that divide.
            pub mask: Signal<In, U<T>>,
            pub a: [Signal<In, U<32>>; T],
            pub b: [Signal<In, U<32>>; T],
            /// One of [`divide_op`](super::control::divide_op).
            pub op: Signal<In, U<2>>,
            /// The result is taken in this cycle.
            pub take: Signal<In, Bit>,
        }
        output {
            /// From the cycle after `start` until the last result is taken.
            pub busy: Signal<Out, Bit>,
            /// `result` is valid, until `take`.
            pub done: Signal<Out, Bit>,
            pub result: [Signal<Out, U<32>>; T],
            /// With fewer dividers than lanes: of these lanes; and no others will come.
            pub part: Vec<Signal<Out, U<T>>> = fresh_vec(usize::from(dividers < T)),
            pub last: Vec<Signal<Out, Bit>> = fresh_vec(usize::from(dividers < T)),
        }
        plain {
            pub _step: u64 = IDLE,
            pub _active: u64 = 0,
            pub _op: u64 = 0,
            pub _lanes: [Lane; T] = [Lane::default(); T],
            pub _dividers: usize = dividers,
            /// Turns so far.
            pub _turns: usize = 0,
        }
    }
}

/// Registers of a lane.
#[derive(Clone, Copy, Default, Debug)]
pub struct Lane {
    remainder: u32,
    quotient: u32,
    divisor: u32,
    /// The dividend was negative.
    negative: bool,
}

impl Lane {
    fn step(&mut self, step: u64, op: u64) {
        let is_signed = op == op::DIV || op == op::REM;
        let is_remainder = op == op::REM || op == op::REMU;
        let below_zero = is_signed && (self.divisor as i32) < 0;
        match step {
            MAGNITUDE => {
                self.negative = is_signed && (self.quotient as i32) < 0;
                if self.negative {
                    self.quotient = self.quotient.wrapping_neg();
                }
            }
            SIGN => {
                // A magnitude of 2^31 at most gives such a quotient by 0 only.
                let by_zero = self.quotient >> 30 == 3;
                let negate = if is_remainder {
                    self.negative
                } else {
                    is_signed && self.negative != below_zero && !by_zero
                };
                let value = if is_remainder { self.remainder } else { self.quotient };
                self.quotient = if negate { value.wrapping_neg() } else { value };
            }
            _ => {
                let shifted = u64::from(self.remainder) << 1 | u64::from(self.quotient >> 31);
                let divisor = if below_zero { self.divisor.wrapping_neg() } else { self.divisor };
                let divisor = u64::from(divisor);
                let fits = shifted >= divisor;
                self.remainder = (if fits { shifted - divisor } else { shifted }) as u32;
                self.quotient = self.quotient << 1 | u32::from(fits);
            }
        }
    }
}

/// A step of the division, whose sum has its carry-in as bit 0 and says in bit 34 that
/// it does not fit; and the negator.
const FUNCTIONS: &str = "\
function [63:0] one_bit_more;
input [63:0] both;
input [31:0] divisor;
input below_zero;
reg [32:0] shifted;
reg [34:0] trial;
begin
shifted = both[63:31];
trial = {1'b0, shifted, 1'b1} + {2'd3, below_zero ? divisor : ~divisor, ~below_zero};
one_bit_more = {trial[34] ? shifted[31:0] : trial[32:1], both[30:0], ~trial[34]};
end
endfunction
function [31:0] with_sign;
input [31:0] value;
input minus;
with_sign = (value ^ {32{minus}}) + {31'd0, minus};
endfunction
";

impl<const T: usize> Divide<T> {
    /// When operands are taken over.
    fn takes(&self) -> &'static str {
        if self._dividers < T { "idle" } else { "offer & idle" }
    }

    /// The first lanes, those with a divider.
    fn first(&self) -> u64 {
        u64::MAX >> (64 - self._dividers)
    }

    fn turn(&mut self) {
        let n = self._dividers;
        self._lanes.rotate_left(n);
        for lane in &mut self._lanes[..n] {
            (lane.remainder, lane.negative) = (0, false);
        }
        self._active >>= n;
        self._turns += 1;
    }

    /// What the first lanes have is the result of all, or of those whose turn it is.
    fn show(&mut self) {
        let n = self._dividers;
        for i in 0..T {
            self.result[i].next = u64::from(self._lanes[i % n].quotient).into();
        }
        let (part, others) = (self._active & self.first(), self._active & !self.first());
        for (shown, last) in self.part.iter_mut().zip(&mut self.last) {
            // (Behind the last turn nobody is left.)
            let turns = self._turns % (T / n);
            (shown.next, last.next) = ((part << (turns * n)).into(), others == 0);
        }
    }
}

impl<const T: usize> Logic for Divide<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let active = self._active & self.first();
        let takes = self.offer.at_edge() || self._dividers < T;
        let shows = self._step != DONE && (self._step != IDLE || takes);
        match self._step {
            IDLE if takes => {
                self._active = self.mask.at_edge().raw();
                self._op = self.op.at_edge().raw();
                for i in 0..T {
                    self._lanes[i] = Lane {
                        quotient: self.a[i].at_edge().low(),
                        divisor: self.b[i].at_edge().low(),
                        ..Lane::default()
                    };
                }
                self._turns = 0;
                if self.start.at_edge() {
                    self._step = MAGNITUDE;
                }
            }
            IDLE => {}
            DONE if self.take.at_edge() => {
                self._step = if self._active == active { IDLE } else { TURN };
            }
            DONE => {}
            TURN => {
                self.turn();
                self._step = MAGNITUDE;
            }
            // (With a divider for each lane that none divides is not looked for.)
            MAGNITUDE if active == 0 && self._dividers < T => {
                self._step = if self._active == 0 { DONE } else { TURN };
            }
            step => {
                for i in (0..T).filter(|i| active >> i & 1 != 0) {
                    self._lanes[i].step(step, self._op);
                }
                self._step = if step == SIGN { DONE } else { step + 1 };
            }
        }
        if shows {
            self.show();
        }
        if self.reset.at_edge() {
            self._step = IDLE;
        }
        self.busy.next = self._step != IDLE;
        self.done.next = self._step == DONE;
    }

    fn hdl(&self) -> Verilog {
        let n = self._dividers;
        let shares = n < T;
        let some = format!("(|active[{}:0])", n - 1);
        let (begins, divides, ends, goes) = match shares {
            true => (
                "(begin_now | turns)",
                format!("(at_magnitude & {some})"),
                "(at_sign | (at_magnitude & ~(|active)))",
                "(take & ~others)",
            ),
            false => ("begin_now", "at_magnitude".to_string(), "at_sign", "take"),
        };
        let mut text = format!(
            "reg [5:0] step;\n\
             reg [{top}:0] active;\n\
             reg [1:0] op_held;\n\
             reg idle;\n\
             wire begin_now = start & idle;\n\
             wire starts_signed = (op == 2'd{div}) | (op == 2'd{rem});\n\
             wire is_signed = (op_held == 2'd{div}) | (op_held == 2'd{rem});\n\
             wire is_remainder = (op_held == 2'd{rem}) | (op_held == 2'd{remu});\n\
             reg at_magnitude, at_sign, divides;\n\
             wire runs = at_magnitude | divides | at_sign;\n\
             initial step = 6'd{MAGNITUDE};\n\
             initial begin idle = 1'b1; done = 1'b0; at_magnitude = 1'b0; at_sign = 1'b0; divides = 1'b0; end\n\
             always @(*) busy = ~idle;\n",
            top = T - 1,
            div = op::DIV,
            rem = op::REM,
            remu = op::REMU,
        );
        if shares {
            let bits = (T / n).ilog2();
            let _ = write!(
                text,
                "reg turns;\n\
                 reg [{}:0] turned;\n\
                 wire others = |active[{}:{n}];\n\
                 initial turns = 1'b0;\n\
                 always @(posedge clock) begin\n\
                 turns <= ~reset & ((done & take & others) | (at_magnitude & ~{some} & others));\n\
                 if (idle) turned <= {bits}'d0;\n\
                 else if (turns) turned <= turned + {bits}'d1;\n\
                 end\n\
                 always @(*) begin\n\
                 last$0 = ~others;\n\
                 part$0 = {T}'d0;\n",
                bits - 1,
                T - 1,
            );
            for turn in 0..T / n {
                let (low, high) = (turn * n, turn * n + n - 1);
                let top = n - 1;
                let _ = writeln!(
                    text,
                    "if (turned == {bits}'d{turn}) part$0[{high}:{low}] = active[{top}:0];"
                );
            }
            text += "end\n";
        }
        let _ = write!(
            text,
            "always @(posedge clock) begin\n\
             at_magnitude <= {begins} & ~reset;\n\
             divides <= ({divides} | (divides & (step != 6'd{last}))) & ~reset;\n\
             at_sign <= divides & (step == 6'd{last}) & ~reset;\n\
             if ({takes}) begin\n\
             active <= mask;\n\
             op_held <= op;\n\
             end\n",
            takes = self.takes(),
            last = SIGN - 1,
        );
        if shares {
            let _ = writeln!(text, "else if (turns) active <= {{{n}'d0, active[{}:{n}]}};", T - 1);
        }
        let _ = write!(
            text,
            "step <= runs ? step + 6'd1 : 6'd{MAGNITUDE};\n\
             idle <= reset | (done ? {goes} : idle & ~start);\n\
             done <= ~reset & ({ends} | (done & ~take));\n\
             end\n",
        );
        text += FUNCTIONS;
        // Remainder and quotient side by side, where there is a divider.
        text += &lanes(
            n,
            "reg [63:0] both_#;\n\
             reg [31:0] divisor_#;\n\
             reg negative_#, flips_#;\n\
             initial begin\n\
             both_# = 64'd0; divisor_# = 32'd0; negative_# = 1'b0; flips_# = 1'b0;\n\
             end\n\
             always @(*) result$# = both_#[31:0];\n",
        );
        let begin = "both_# <= {32'd0, a$#};\n\
                     divisor_# <= b$#;\n\
                     negative_# <= 1'b0;\n\
                     flips_# <= starts_signed & a$#[31];\n";
        let sign = "if (active[#]) begin\n\
                    if (at_magnitude) negative_# <= flips_#;\n\
                    both_#[31:0] <= with_sign((at_sign & is_remainder) ? both_#[63:32] : both_#[31:0],\n\
                    flips_#);\n\
                    end\n";
        // Whether the sign changes in the end is known a cycle before. A quotient that begins with
        // two ones is that of a division by 0.
        let divide = "if (active[#]) begin\n\
                      both_# <= one_bit_more(both_#, divisor_#, is_signed & divisor_#[31]);\n\
                      flips_# <= is_remainder ? negative_# :\n\
                      is_signed & (negative_# ^ divisor_#[31]) & ~(&both_#[30:29]);\n\
                      end\n";
        // One condition for all lanes, so that a simulator passes them by.
        text += &format!(
            "always @(posedge clock) begin\n\
             if ({}) begin\n{}end\n\
             if (at_magnitude | at_sign) begin\n{}end\n\
             if (divides) begin\n{}end\n{}\
             end\n",
            self.takes(),
            lanes(n, begin),
            lanes(n, sign),
            lanes(n, divide),
            if shares { self.first_lanes_turn() } else { String::new() },
        );
        text += &self.other_lanes();
        Verilog::Custom(text)
    }
}

impl<const T: usize> Divide<T> {
    /// The lanes with a divider get the operands of the next ones.
    fn first_lanes_turn(&self) -> String {
        let n = self._dividers;
        let mut text = "if (turns) begin\n".to_string();
        for i in 0..n {
            let from = i + n;
            let _ = write!(
                text,
                "both_{i} <= {{32'd0, both_{from}[31:0]}};\n\
                 divisor_{i} <= divisor_{from};\n\
                 negative_{i} <= 1'b0;\n\
                 flips_{i} <= is_signed & both_{from}[31];\n"
            );
        }
        text + "end\n"
    }

    /// The lanes without.
    fn other_lanes(&self) -> String {
        let n = self._dividers;
        let (mut declare, mut begin, mut turn) = (String::new(), String::new(), String::new());
        for i in n..T {
            let _ = write!(
                declare,
                "reg [31:0] both_{i}, divisor_{i};\n\
                 initial begin both_{i} = 32'd0; divisor_{i} = 32'd0; end\n\
                 always @(*) result${i} = both_{}[31:0];\n",
                i % n
            );
            let _ = write!(begin, "both_{i} <= a${i};\ndivisor_{i} <= b${i};\n");
            let from = i + n;
            if from < T {
                let _ = write!(turn, "both_{i} <= both_{from};\ndivisor_{i} <= divisor_{from};\n");
            }
        }
        if n == T {
            return declare;
        }
        format!(
            "{declare}always @(posedge clock) begin\n\
             if ({takes}) begin\n{begin}end\n\
             if (turns) begin\n{turn}end\n\
             end\n",
            takes = self.takes(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl<const T: usize> Sim for Divide<T> {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    fn expected(op: u64, a: u32, b: u32) -> u32 {
        let (x, y) = (i64::from(a as i32), i64::from(b as i32));
        match op {
            op::DIV => x.checked_div(y).map_or(u32::MAX, |q| q as u32),
            op::DIVU => a.checked_div(b).unwrap_or(u32::MAX),
            op::REM => x.checked_rem(y).map_or(a, |r| r as u32),
            _ => a.checked_rem(b).unwrap_or(a),
        }
    }

    fn check<const T: usize>(d: &mut Divide<T>, op: u64, mask: u64, pairs: &[(u32, u32)]) {
        let pair = |i: usize| pairs[i % pairs.len()];
        // What is offered before it starts is forgotten.
        for i in 0..T {
            d.a[i].next = 7.into();
            d.b[i].next = (i as u64).into();
        }
        d.offer.next = true;
        d.settle();
        d.tick();
        for i in 0..T {
            d.a[i].next = u64::from(pair(i).0).into();
            d.b[i].next = u64::from(pair(i).1).into();
        }
        (d.op.next, d.mask.next) = (op.into(), mask.into());
        d.start.next = true;
        d.settle();
        assert!(!d.busy.val());
        d.tick();
        d.start.next = false;
        for i in 0..T {
            d.a[i].next = 77.into();
            d.b[i].next = 3.into();
        }
        (d.op.next, d.mask.next) = ((!op).into(), (!mask).into());
        d.settle();
        let (n, mut left, mut cycles) = (d._dividers, mask, 1);
        // Groups without a lane, one after the other, until one has results.
        while left != 0 {
            let group = left.trailing_zeros() as usize / n;
            let part = left & (u64::MAX >> (64 - n)) << (group * n);
            let before = (mask & !left).checked_ilog2().map_or(0, |lane| lane as usize / n + 1);
            let first = if n == T || left == mask { 1 } else { 2 };
            let expected_cycles = if n == T { 35 } else { first + 34 + 2 * (group - before) };
            while !d.done.val() {
                assert!(d.busy.val() && cycles < expected_cycles, "{cycles} {expected_cycles}");
                d.tick();
                cycles += 1;
            }
            assert_eq!(cycles, expected_cycles);
            d.tick();
            assert!(d.busy.val() && d.done.val(), "held until taken");
            if let (Some(shown), Some(last)) = (d.part.first(), d.last.first()) {
                assert_eq!((shown.val().raw(), last.val()), (part, part == left));
            }
            for i in (0..T).filter(|i| part >> i & 1 != 0) {
                let (a, b) = pair(i);
                assert_eq!(d.result[i].val().low(), expected(op, a, b), "op {op}: {a:#x} {b:#x}");
            }
            d.take.next = true;
            d.settle();
            d.tick();
            d.take.next = false;
            d.settle();
            (left, cycles) = (left & !part, 1);
        }
        // (Of no lane nothing is said.)
        if mask == 0 {
            (0..2 * T + 40).for_each(|_| d.tick());
            d.take.next = true;
            d.settle();
            d.tick();
            d.take.next = false;
            d.settle();
        }
        assert!(!d.busy.val() && !d.done.val());
    }

    #[test]
    fn corner_values() {
        let corners = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, u32::MAX];
        let pairs: Vec<_> = corners.iter().flat_map(|a| corners.map(|b| (*a, b))).collect();
        for dividers in [64, 16, 1] {
            let mut d = Divide::<64>::new(dividers);
            d.power_up();
            for op in 0..4 {
                check(&mut d, op, u64::MAX, &pairs);
            }
            check(&mut d, 0, 1 << 63, &pairs);
        }
        let mut d = Divide::<1>::new(1);
        d.power_up();
        check(&mut d, 2, 1, &[(7, 0)]);
        d.start.next = true;
        d.settle();
        d.tick();
        d.power_up();
        assert!(!d.busy.val(), "reset ends an operation");
    }

    proptest! {
        #[test]
        fn random_values(mask: u64, pairs in prop::collection::vec(any::<(u32, u32, u8)>(), 1..9)) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b, s)| (a, b >> (s % 32))).collect();
            for dividers in [1, 2, 4] {
                let mut d = Divide::<4>::new(dividers);
                d.power_up();
                for op in 0..4 {
                    check(&mut d, op, mask & 15, &pairs);
                }
            }
        }
    }
}
