//! What the ALU of each lane begins with, combinational (end of stage 5).
//!
//! Its second operand is an immediate or a register, inverted for a difference or comparison.
//! Its shifter shifts to the right: what goes to the left is reversed before and after, and what
//! does not shift is 0.

use super::alu::{operations, reversed};
use super::control::alu_op as op;
use super::text::lanes;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct Operands [const T: usize] [T] fn new(pipes: usize, lanes: usize) {
        input {
            /// There is an instruction; without one the outputs do not matter and are 0.
            pub enable: Signal<In, Bit>,
            pub rs1: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            pub rs2: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            /// Per lane, or with one pipe for all of them.
            pub imm: Vec<Signal<In, U<32>>> = fresh_vec(operations::<T>(pipes)),
            /// The second operand is `imm`, not `rs2`; it is inverted.
            pub use_imm: Vec<Signal<In, Bit>> = fresh_vec(operations::<T>(pipes)),
            pub invert: Vec<Signal<In, Bit>> = fresh_vec(operations::<T>(pipes)),
            /// One of [`alu_op`](super::control::alu_op).
            pub op: Vec<Signal<In, U<7>>> = fresh_vec(operations::<T>(pipes)),
        }
        output {
            pub second: Vec<Signal<Out, U<32>>> = fresh_vec(lanes),
            /// What is shifted.
            pub shifts: Vec<Signal<Out, U<32>>> = fresh_vec(lanes),
        }
        plain { pub _used: bool = false, }
    }
}

impl<const T: usize> Logic for Operands<T> {
    fn update(&mut self) {
        if !self.enable.val() {
            if self._used {
                self._used = false;
                self.second.iter_mut().for_each(|second| second.next = U::default());
                self.shifts.iter_mut().for_each(|shifts| shifts.next = U::default());
            }
            return;
        }
        self._used = true;
        let all = self.op.len() - 1;
        for i in 0..self.rs1.len() {
            let (a, k) = (self.rs1[i].val().low(), i.min(all));
            let b = if self.use_imm[k].val() { &self.imm[k] } else { &self.rs2[i] };
            let b = b.val().low();
            let op = self.op[k].val().raw();
            let right = if op & op::RIGHT != 0 { a } else { 0 };
            let left = if op & op::LEFT != 0 { a.reverse_bits() } else { 0 };
            self.second[i].next = u64::from(if self.invert[k].val() { !b } else { b }).into();
            self.shifts[i].next = u64::from(right | left).into();
        }
    }

    fn connect(&mut self) {
        self.second.iter_mut().for_each(Logic::connect);
        self.shifts.iter_mut().for_each(Logic::connect);
    }

    fn hdl(&self) -> Verilog {
        let (ops, n) = (self.op.len(), self.rs1.len());
        let step = "second$# = (use_imm$@ ? imm$@ : rs2$#) ^ {32{invert$@}};\n\
             shifts$# = 32'd0;\n\
             if (op$@[5] | op$@[6]) begin\n\
             shifts$# = rs1$# & {32{op$@[6]}};\n\
             if (op$@[5]) shifts$# = shifts$# | reversed(rs1$#);\n\
             end\n";
        let of = |i: usize| if ops == 1 { 0 } else { i }.to_string();
        let steps: String =
            (0..n).map(|i| step.replace('@', &of(i)).replace('#', &i.to_string())).collect();
        let unknown = "second$# = 32'bx;\nshifts$# = 32'bx;\n";
        Verilog::Custom(format!(
            "{}always @(*) begin\n{}if (enable) begin\n{steps}end\nend\n",
            reversed(),
            lanes(n, unknown),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const T: usize>(pipes: usize, values: &[(u32, u32, u32, bool)]) {
        let mut operands = Operands::<T>::new(pipes, T);
        operands.connect_all();
        operands.enable.next = true;
        let ops = [op::ADD, op::SUB, op::SLT, op::AND, op::SLL, op::SRL, op::SRA];
        let all = operands.op.len() - 1;
        let of = |i: usize| {
            let (a, b, imm, use_imm) = values[i % values.len()];
            (a, b, imm, use_imm, ops[(i + values.len()) % ops.len()])
        };
        for i in 0..T {
            let (a, b, ..) = of(i);
            let (_, _, imm, use_imm, op) = of(i.min(all));
            operands.rs1[i].next = u64::from(a).into();
            operands.rs2[i].next = u64::from(b).into();
            operands.imm[i.min(all)].next = u64::from(imm).into();
            operands.use_imm[i.min(all)].next = use_imm;
            operands.invert[i.min(all)].next = matches!(op, op::SUB | op::SLT);
            operands.op[i.min(all)].next = op.into();
        }
        operands.update_all();
        for i in 0..T {
            let (a, b, ..) = of(i);
            let (_, _, imm, use_imm, op) = of(i.min(all));
            let second = if use_imm { imm } else { b };
            let (second, shifts) = match op {
                op::SUB | op::SLT => (u32::MAX - second, 0),
                op::SRL | op::SRA => (second, a),
                op::SLL => (second, (0..32).fold(0, |x, bit| x | (a >> bit & 1) << (31 - bit))),
                _ => (second, 0),
            };
            assert_eq!(operands.second[i].val().low(), second, "{op}");
            assert_eq!(operands.shifts[i].val().low(), shifts, "{op}");
        }
        operands.enable.next = false;
        operands.update_all();
        assert_eq!(operands.second[0].val().low() | operands.shifts[T - 1].val().low(), 0);
    }

    proptest! {
        #[test]
        fn of_every_operation(values in prop::collection::vec(any::<(u32, u32, u32, bool)>(), 1..20)) {
            check::<1>(1, &values);
            check::<8>(1, &values);
            check::<32>(2, &values);
        }
    }
}
