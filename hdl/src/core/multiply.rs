//! The multipliers of all lanes.
//!
//! ```text
//! stage 6   operands    33 bits with sign, loaded if `enable`
//! stage 7   products    of halves
//! stage 8   result      their sum, high or low half of it
//! ```

use super::control::multiply_op as op;
use super::text::lanes;
use crate::rtl::prelude::*;
use crate::rtl::{Clocked, fresh_vec};

block! {
    /// One multiplier per lane, all in step. Without `enable` they keep their operands, and a cycle
    /// later their products; so a simulator passes them by.
    pub struct Multiply [const T: usize] [T] fn new(lanes: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub a: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            pub b: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            /// One of [`multiply_op`](super::control::multiply_op).
            pub op: Vec<Signal<In, U<2>>> = fresh_vec(lanes),
            pub enable: Signal<In, Bit>,
        }
        output {
            /// Two edges after the operands.
            pub result: Vec<Signal<Out, U<32>>> = fresh_vec(lanes),
        }
        plain {
            /// There are new operands.
            pub _fresh: bool = false,
            pub _operands: [(i64, i64, bool); T] = [(0, 0, false); T],
        }
    }
}

impl<const T: usize> Logic for Multiply<T> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let enable = self.enable.at_edge();
        for i in 0..self.a.len() {
            if self._fresh {
                let (a, b, high) = self._operands[i];
                let product = a.wrapping_mul(b) as u64;
                self.result[i].next = (if high { product >> 32 } else { product }).into();
            }
            if enable {
                let op = self.op[i].at_edge().raw();
                let extend = |x: u32, signed| if signed { x as i32 as i64 } else { i64::from(x) };
                self._operands[i] = (
                    extend(self.a[i].at_edge().low(), op == op::MULH || op == op::MULHSU),
                    extend(self.b[i].at_edge().low(), op == op::MULH),
                    op != op::MUL,
                );
            }
        }
        self._fresh = enable;
    }

    fn connect(&mut self) {
        self.result.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let n = self.a.len();
        // The low half is the same with and without signs.
        let declare = "reg signed [32:0] left_#, right_#;\n\
             reg high_7_#, high_8_#;\n\
             reg [16:0] bottom_#;\n\
             reg [46:0] sums_#;\n\
             reg [46:0] carries_#;\n\
             initial begin\n\
             left_# = 33'd0; right_# = 33'd0; high_7_# = 1'b0; high_8_# = 1'b0;\n\
             bottom_# = 17'd0; sums_# = 47'd0; carries_# = 47'd0;\n\
             end\n\
             wire signed [17:0] left_low_# = {1'b0, left_#[16:0]};\n\
             wire signed [17:0] right_low_# = {1'b0, right_#[16:0]};\n\
             wire signed [17:0] left_top_# = {{2{left_#[32]}}, left_#[32:17]};\n\
             wire signed [17:0] right_top_# = {{2{right_#[32]}}, right_#[32:17]};\n\
             wire signed [35:0] low_# = left_low_# * right_low_#;\n\
             wire signed [35:0] top_# = left_top_# * right_top_#;\n\
             wire signed [35:0] cross_a_# = left_top_# * right_low_#;\n\
             wire signed [35:0] cross_b_# = left_low_# * right_top_#;\n\
             wire [46:0] outer_# = {top_#[29:0], low_#[33:17]};\n\
             wire [46:0] first_# = {{12{cross_a_#[34]}}, cross_a_#[34:0]};\n\
             wire [46:0] second_# = {{12{cross_b_#[34]}}, cross_b_#[34:0]};\n\
             wire [46:0] carried_# = (outer_# & (first_# | second_#)) | (first_# & second_#);\n\
             wire [46:0] upper_# = sums_# + carries_#;\n\
             always @(*) result$# = high_8_# ? upper_#[46:15] : {upper_#[14:0], bottom_#};\n";
        // Two numbers are left of four products: one level of logic, and no carries, before the
        // registers.
        let product = "bottom_# <= low_#[16:0];\n\
             sums_# <= outer_# ^ first_# ^ second_#;\n\
             carries_# <= {carried_#[45:0], 1'b0};\n\
             high_8_# <= high_7_#;\n";
        let operands = format!(
            "left_# <= {{a$#[31] & (op$# == 2'd{mulh} || op$# == 2'd{mulhsu}), a$#}};\n\
             right_# <= {{b$#[31] & (op$# == 2'd{mulh}), b$#}};\n\
             high_7_# <= op$# != 2'd{mul};\n",
            mul = op::MUL,
            mulh = op::MULH,
            mulhsu = op::MULHSU,
        );
        Verilog::Custom(format!(
            "reg fresh;\ninitial fresh = 1'b0;\n\
             {}always @(posedge clock) begin\nfresh <= enable;\n\
             if (fresh) begin\n{}end\nif (enable) begin\n{}end\nend\n",
            lanes(n, declare),
            lanes(n, product),
            lanes(n, &operands)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(op: u64, a: u32, b: u32) -> u32 {
        let (x, y) = (i128::from(a as i32), i128::from(b as i32));
        let (u, v) = (i128::from(a), i128::from(b));
        match op {
            op::MUL => (u * v) as u32,
            op::MULH => ((x * y) >> 32) as u32,
            op::MULHSU => ((x * v) >> 32) as u32,
            _ => ((u * v) >> 32) as u32,
        }
    }

    /// A stream of operations, each visible exactly two edges later and until
    /// the next one.
    fn check<const T: usize>(stream: &[(u32, u32, u64, bool)]) {
        let mut m = Multiply::<T>::new(T);
        m.connect_all();
        m.update_all();
        let mut shown = [[0u32; T]; 2];
        for &(a, b, op, enable) in stream {
            for i in 0..T {
                m.a[i].next = u64::from(a.wrapping_mul(2 * i as u32 + 1)).into();
                m.b[i].next = u64::from(b.rotate_left(i as u32)).into();
                m.op[i].next = (op + i as u64).into();
            }
            m.enable.next = enable;
            m.update_all();
            m.clock.next = m.clock.val().tick();
            m.update_all();
            shown[1] = shown[0];
            for i in (0..T).filter(|_| enable) {
                let (a, b) = (a.wrapping_mul(2 * i as u32 + 1), b.rotate_left(i as u32));
                shown[0][i] = expected((op + i as u64) % 4, a, b);
            }
            for (i, (result, wanted)) in m.result.iter().zip(shown[1]).enumerate() {
                assert_eq!(result.val().low(), wanted, "lane {i}: {a:#x} {b:#x}");
            }
        }
    }

    #[test]
    fn corner_values() {
        let corners = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
        let all: Vec<_> = corners
            .iter()
            .flat_map(|a| corners.map(|b| (*a, b)))
            .flat_map(|(a, b)| (0..4).map(move |op| (a, b, op, true)))
            .collect();
        check::<1>(&all);
        check::<4>(&all);
    }

    proptest! {
        #[test]
        fn random_streams(stream in prop::collection::vec(any::<(u32, u32, u64, bool)>(), 1..40)) {
            let stream: Vec<_> = stream.into_iter().map(|(a, b, op, e)| (a, b, op % 4, e)).collect();
            check::<1>(&stream);
            check::<4>(&stream);
            check::<64>(&stream);
        }
    }
}
