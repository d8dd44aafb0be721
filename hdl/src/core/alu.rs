//! Integer arithmetic of all lanes, combinational (stage 6).
//!
//! A lane has one adder (`a + (b ^ s) + s`, whose carry-in is a bit below the
//! operands, and whose top bit is the comparison), one right shifter between
//! two bit reversals, and the logic functions. The shifter gives 0 for other
//! operations, so that results are joined by OR.

use super::control::alu_op as op;
use super::text::{concat, lanes};
use crate::rtl::prelude::*;

block! {
    /// One adder, one shifter and one logic unit per lane.
    pub struct Alu [const T: usize] [T] fn new() {
        input {
            pub rs1: [Signal<In, U<32>>; T],
            pub rs2: [Signal<In, U<32>>; T],
            pub imm: [Signal<In, U<32>>; T],
            pub pc: [Signal<In, U<30>>; T],
            /// One of [`alu_op`](super::control::alu_op).
            pub op: [Signal<In, U<4>>; T],
            /// The second operand is `imm`, not `rs2`.
            pub use_imm: Signal<In, U<T>>,
            /// The first operand is `pc`, not `rs1`.
            pub use_pc: Signal<In, U<T>>,
        }
        output {
            pub result: [Signal<Out, U<32>>; T],
            pub equal: Signal<Out, U<T>>,
            /// First operand below the second, not for ADD; unsigned for SLTU.
            pub less: Signal<Out, U<T>>,
        }
    }
}

impl<const T: usize> Logic for Alu<T> {
    fn update(&mut self) {
        let (use_imm, use_pc) = (self.use_imm.val().raw(), self.use_pc.val().raw());
        let (mut equal, mut less) = (0, 0);
        for i in 0..T {
            let from_pc = use_pc >> i & 1 != 0;
            let a = if from_pc { self.pc[i].val().low() << 2 } else { self.rs1[i].val().low() };
            let from_imm = use_imm >> i & 1 != 0;
            let b = if from_imm { self.imm[i].val().low() } else { self.rs2[i].val().low() };
            let op = self.op[i].val().raw();
            let below = match op {
                op::SLTU => a < b,
                // The adder does not subtract; nobody looks.
                op::ADD => i64::from(a as i32) + i64::from(b as i32) < 0,
                _ => (a as i32) < b as i32,
            };
            equal |= u64::from(a == b) << i;
            less |= u64::from(below) << i;
            let result = match op {
                op::ADD => a.wrapping_add(b),
                op::SUB => a.wrapping_sub(b),
                op::SLL => a << (b & 31),
                op::SLT | op::SLTU => u32::from(below),
                op::XOR => a ^ b,
                op::OR => a | b,
                op::AND => a & b,
                op::SRL => a >> (b & 31),
                op::SRA => (a as i32 >> (b & 31)) as u32,
                _ => b,
            };
            self.result[i].next = u64::from(result).into();
        }
        self.equal.next = equal.into();
        self.less.next = less.into();
    }

    fn hdl(&self) -> Verilog {
        let reversed = |name: &str| concat(32, |i| format!("{name}_#[{}]", 31 - i));
        let lane = format!(
            "wire [31:0] a_# = use_pc[#] ? {{pc$#, 2'b00}} : rs1$#;\n\
             wire [31:0] b_# = use_imm[#] ? imm$# : rs2$#;\n\
             wire subtract_# = op$# != 4'd{add};\n\
             wire signed_# = op$# != 4'd{sltu};\n\
             wire [33:0] sum_# = {{a_#[31] & signed_#, a_#, 1'b1}}\n\
             + ({{b_#[31] & signed_#, b_#, 1'b0}} ^ {{34{{subtract_#}}}});\n\
             wire adds_# = (op$# == 4'd{add}) | (op$# == 4'd{sub});\n\
             wire compares_# = (op$# == 4'd{slt}) | (op$# == 4'd{sltu});\n\
             wire left_# = op$# == 4'd{sll};\n\
             wire right_# = (op$# == 4'd{srl}) | (op$# == 4'd{sra});\n\
             wire logical_# = ~(adds_# | compares_# | left_# | right_#);\n\
             wire fill_# = a_#[31] & (op$# == 4'd{sra});\n\
             wire signed [32:0] shift_# = {{fill_#,\n\
             (a_# & {{32{{right_#}}}}) | ({a_reversed} & {{32{{left_#}}}})}};\n\
             wire [32:0] shifted_# = shift_# >>> b_#[4:0];\n\
             reg [31:0] logic_#;\n\
             wire [31:0] other_# = (sum_#[32:1] & {{32{{adds_#}}}}) | (logic_# & {{32{{logical_#}}}})\n\
             | {{31'd0, sum_#[33] & compares_#}};\n\
             always @(*) begin\n\
             case (op$#)\n\
             4'd{xor}: logic_# = a_# ^ b_#;\n\
             4'd{or}: logic_# = a_# | b_#;\n\
             4'd{and}: logic_# = a_# & b_#;\n\
             default: logic_# = b_#;\n\
             endcase\n\
             less[#] = sum_#[33];\n\
             equal[#] = a_# == b_#;\n\
             result$# = other_# | (left_# ? {shifted_reversed} : shifted_#[31:0]);\n\
             end\n",
            a_reversed = reversed("a"),
            shifted_reversed = reversed("shifted"),
            add = op::ADD,
            sub = op::SUB,
            sll = op::SLL,
            slt = op::SLT,
            sltu = op::SLTU,
            xor = op::XOR,
            or = op::OR,
            and = op::AND,
            srl = op::SRL,
            sra = op::SRA,
        );
        Verilog::Custom(lanes(T, &lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CORNERS: [u32; 8] = [0, 1, 2, 31, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, u32::MAX];

    fn expected(op: u64, a: u32, b: u32) -> u32 {
        let (x, y) = (i64::from(a as i32), i64::from(b as i32));
        let value = match op {
            op::ADD => x + y,
            op::SUB => x - y,
            op::SLL => i64::from(a) * (1 << (b % 32)),
            op::SLT => i64::from(x < y),
            op::SLTU => i64::from(a < b),
            op::XOR => (x | y) - (x & y),
            op::OR => x | y,
            op::AND => x & y,
            op::SRL => i64::from(a) / (1 << (b % 32)),
            op::SRA => x.div_euclid(1 << (b % 32)),
            _ => y,
        };
        value as u32
    }

    /// Every lane does something else with these values.
    fn check<const T: usize>(values: &[u32]) {
        let mut alu = Alu::<T>::new();
        alu.connect_all();
        let value = |i: usize| values[i % values.len()];
        for round in 0..11 {
            let lane = |i: usize| {
                let (a, b, op) = (value(i + round), value(3 * i + 1), (i + round) as u64 % 11);
                (a, b, op, (i + round).is_multiple_of(3), (i + round).is_multiple_of(2))
            };
            let (mut use_pc, mut use_imm) = (0u64, 0u64);
            for i in 0..T {
                let (a, b, op, from_pc, from_imm) = lane(i);
                alu.rs1[i].next = u64::from(if from_pc { !a } else { a }).into();
                alu.pc[i].next = u64::from(a >> 2).into();
                alu.rs2[i].next = u64::from(if from_imm { !b } else { b }).into();
                alu.imm[i].next = u64::from(if from_imm { b } else { !b }).into();
                alu.op[i].next = op.into();
                use_pc |= u64::from(from_pc) << i;
                use_imm |= u64::from(from_imm) << i;
            }
            alu.use_pc.next = use_pc.into();
            alu.use_imm.next = use_imm.into();
            alu.update_all();
            for i in 0..T {
                let (a, b, op, from_pc, _) = lane(i);
                let a = if from_pc { a & !3 } else { a };
                let below = if op == op::SLTU { a < b } else { (a as i32) < b as i32 };
                assert_eq!(alu.result[i].val().low(), expected(op, a, b), "{op} {a:#x} {b:#x}");
                assert_eq!(alu.equal.val().get_bit(i), a == b);
                let less = alu.less.val().get_bit(i);
                assert!(less == below || op == op::ADD, "{op} {a:#x} {b:#x}");
            }
        }
    }

    #[test]
    fn corner_values() {
        for shift in 0..CORNERS.len() {
            let values: Vec<u32> =
                CORNERS.iter().flat_map(|a| [*a, CORNERS[(*a as usize + shift) % 8]]).collect();
            check::<1>(&values);
            check::<4>(&values);
            check::<64>(&values);
        }
    }

    proptest! {
        #[test]
        fn random_values(values in prop::collection::vec(any::<u32>(), 1..80)) {
            check::<4>(&values);
            check::<32>(&values);
        }
    }
}
