//! Integer arithmetic of all lanes, combinational (stage 6).
//!
//! A lane has one adder (whose carry-in is a bit below the operands, and whose top bit is the
//! comparison), one right shifter before a bit reversal, and the logic functions. The
//! second operand comes inverted for differences and comparisons, and what is shifted to the left
//! comes reversed. Two words are equal if their
//! exclusive OR with one of them inverted is all ones, which the logic functions give for SLT;
//! where time counts more than size it is found without these. The shifter
//! gives 0 for other operations, so that results are joined by OR, before the reversal is
//! undone: so a bit of the result is two functions of four inputs, and `logic` another.
//! The Verilog says which functions of four inputs a bit consists of; synthesis finds
//! more by itself.
//!
//! What a sum is as an address is seen at the adder, so that stage 7 need not find it out.

use super::control::alu_op as op;
use super::text::lanes;
use crate::platform::{DEVICE_BASE, DEVICE_SIZE, RAM_BASE};
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

/// Bits of an address below those by which RAM and device window differ.
const HIGH: u32 = 28;
/// The same of the device window and most other numbers.
const MOST: u32 = 20;

block! {
    /// One adder, one shifter and one logic unit per lane. Of `lanes` below T the results of one bit
    /// are the lowest bits.
    pub struct Alu [const T: usize] [T] fn new(pipes: usize, lanes: usize, ram_size: u32, direct: bool) {
        input {
            /// There is an instruction; without one the outputs do not matter and are 0.
            pub enable: Signal<In, Bit>,
            pub rs1: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            /// Of a difference or comparison it is inverted.
            pub second: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            /// What is shifted, 0 for other operations: see
            /// [`Operands`](super::operands::Operands).
            pub shifts: Vec<Signal<In, U<32>>> = fresh_vec(lanes),
            /// One of [`alu_op`](super::control::alu_op); per lane, or with one pipe for all of them.
            pub op: Vec<Signal<In, U<7>>> = fresh_vec(operations::<T>(pipes)),
            /// The operation is a difference or a comparison.
            pub subtract: Vec<Signal<In, Bit>> = fresh_vec(operations::<T>(pipes)),
            /// An address may be one in the device window.
            pub may_window: Signal<In, U<T>>,
        }
        output {
            pub result: Vec<Signal<Out, U<32>>> = fresh_vec(lanes),
            /// For SLT; does not matter for SUB and SLTU; otherwise 0.
            pub equal: Signal<Out, U<T>>,
            /// First operand below the second, for SLT; unsigned for SLTU.
            pub less: Signal<Out, U<T>>,
            /// Of a sum: an address with the high bits of the device window; neither in RAM nor,
            /// where it may be there, in the window; the two lowest bits.
            pub near_window: Signal<Out, U<T>>,
            pub nowhere: Signal<Out, U<T>>,
            pub odd: Signal<Out, U<T>>,
            pub half: Signal<Out, U<T>>,
        }
        plain {
            pub _used: bool = false,
            pub _ram_size: u32 = ram_size,
            /// Time counts more than size.
            pub _direct: bool = direct,
        }
    }
}

/// Operations of a cycle: lanes of one pipe have the same.
pub fn operations<const T: usize>(pipes: usize) -> usize {
    if pipes == 1 { 1 } else { T }
}

impl<const T: usize> Logic for Alu<T> {
    fn update(&mut self) {
        if !self.enable.val() {
            if self._used {
                self._used = false;
                self.result.iter_mut().for_each(|result| result.next = U::default());
                self.equal.next = U::default();
                self.less.next = U::default();
                self.near_window.next = U::default();
                self.nowhere.next = U::default();
                self.odd.next = U::default();
                self.half.next = U::default();
            }
            return;
        }
        self._used = true;
        let (mut equal, mut less) = (0, 0);
        let (mut in_ram, mut in_window, mut near_window) = (0, 0, 0);
        let near = near(self._direct);
        let (mut odd, mut half) = (0, 0);
        let all = self.op.len() - 1;
        for i in 0..self.rs1.len() {
            let a = self.rs1[i].val().low();
            let b = self.second[i].val().low();
            let op = self.op[i.min(all)].val().raw();
            let is = |what: u64| if op & what != 0 { u32::MAX } else { 0 };
            let subtracts = self.subtract[i.min(all)].val();
            let wide = |x: u32| if op & 1 == 0 { i64::from(x as i32) } else { i64::from(x) };
            let below = subtracts && wide(a) < wide(!b);
            less |= u64::from(below) << i;
            let sum = a.wrapping_add(b).wrapping_add(u32::from(subtracts));
            in_ram |= u64::from(sum.wrapping_sub(RAM_BASE) < self._ram_size) << i;
            in_window |= u64::from(sum / DEVICE_SIZE == DEVICE_BASE / DEVICE_SIZE) << i;
            near_window |= u64::from(sum >> near == DEVICE_BASE >> near) << i;
            odd |= u64::from(sum & 1) << i;
            half |= u64::from(sum >> 1 & 1) << i;
            let logic = match op & 3 {
                0 => a ^ b,
                1 => a | b,
                2 => a & b,
                _ => b,
            };
            let same = if self._direct { a ^ b } else { logic };
            equal |= u64::from(subtracts && same == u32::MAX) << i;
            let shift = self.shifts[i].val().low();
            let fill = shift >> 31 & op as u32 & 1;
            let shift =
                ((u64::from(shift) | (u64::from(fill) * (u64::MAX << 32))) >> (b & 31)) as u32;
            let plain = if op & op::ADDS != 0 { sum } else { logic & is(op::LOGICAL) };
            let result = plain
                | (u32::from(below) & is(op::COMPARES))
                | if op & op::LEFT != 0 { shift.reverse_bits() } else { shift };
            self.result[i].next = u64::from(result).into();
        }
        self.equal.next = equal.into();
        self.less.next = less.into();
        self.near_window.next = near_window.into();
        let lanes = u64::MAX >> (64 - self.rs1.len());
        let known = in_ram | in_window & self.may_window.val().raw();
        self.nowhere.next = (!known & lanes).into();
        self.odd.next = odd.into();
        self.half.next = half.into();
    }

    fn connect(&mut self) {
        self.result.iter_mut().for_each(Logic::connect);
        self.equal.connect();
        self.less.connect();
        self.near_window.connect();
        self.nowhere.connect();
        self.odd.connect();
        self.half.connect();
    }

    fn hdl(&self) -> Verilog {
        // One condition for all lanes, and all lanes at one step: so a simulator passes
        // them by, or does some at once.
        let near_window = format!(
            "near_window[#] = place_#[31:{}] == {}'d{};\n",
            near(self._direct),
            32 - near(self._direct),
            DEVICE_BASE >> near(self._direct)
        );
        let nowhere = format!("nowhere[#] = {};\n", nowhere(self._ram_size));
        let equal = match self._direct {
            true => "if (subtract$@) equal[#] = &(rs1$# ^ second$#);\n",
            false => "if (subtract$@) equal[#] = &logic_#;\n",
        };
        let steps = [
            "sum_# = {rs1$#[31] & signed_@, rs1$#, 1'b1}\n\
             + {(second$#[31] ^ subtract$@) & signed_@ ^ subtract$@, second$#, subtract$@};\n",
            "place_# = sum_#[32:1];\n",
            &near_window,
            &nowhere,
            "odd[#] = place_#[0];\nhalf[#] = place_#[1];\n",
            // Zero without a shift, for that is what then comes: an OR joins it to the rest.
            "filled_# = {shifts$#[31] & op$@[0], shifts$#};\n\
             shifted_# = filled_# >>> second$#[4:0];\n",
            "logic_# = op$@[1] ? second$# & (rs1$# | {32{op$@[0]}})\n\
             : (rs1$# ^ second$#) | (rs1$# & second$# & {32{op$@[0]}});\n",
            "plain_# = (adds_@ ? sum_#[32:1] : logic_# & {32{logical_@}})\n\
             | {31'd0, sum_#[33] & compares_@};\n",
            "result$# = left_@ ? plain_# | reversed(shifted_#[31:0]) : plain_# | shifted_#[31:0];\n",
            "if (subtract$@) less[#] = sum_#[33];\n",
            equal,
        ];
        let declare = "wire adds_@ = op$@[2];\n\
             wire compares_@ = op$@[3];\n\
             wire logical_@ = op$@[4];\n\
             wire left_@ = op$@[5];\n\
             wire signed_@ = ~op$@[0];\n";
        let own = "reg [31:0] logic_#, plain_#, place_#;\n\
             reg [33:0] sum_#;\n\
             reg signed [32:0] filled_#, shifted_#;\n";
        let unknown = "logic_# = 32'bx;\nplain_# = 32'bx;\nplace_# = 32'bx;\n\
             sum_# = 34'bx;\n\
             filled_# = 33'bx;\nshifted_# = 33'bx;\nresult$# = 32'bx;\n";
        let (ops, n) = (self.op.len(), self.rs1.len());
        let step = |text: &str| -> String {
            let of = |i: usize| if ops == 1 { 0 } else { i }.to_string();
            (0..n).map(|i| text.replace('@', &of(i)).replace('#', &i.to_string())).collect()
        };
        let declare: String = (0..ops).map(|i| declare.replace('@', &i.to_string())).collect();
        // Of lanes that there are not, 0.
        let bits = if n == T { format!("{T}'bx") } else { format!("{{{}'b0, {n}'bx}}", T - n) };
        Verilog::Custom(format!(
            "{}{declare}{}always @(*) begin\nless = {bits};\nequal = {bits};\n\
             near_window = {bits};\nnowhere = {bits};\nodd = {bits};\nhalf = {bits};\n{}\
             if (enable) begin\n{}end\nend\n",
            reversed(),
            lanes(n, own),
            lanes(n, unknown),
            steps.map(step).concat(),
        ))
    }
}

/// Bits of an address below those that are looked at for the device window. Where time counts
/// more than size few other numbers shall look like one: late writes wait for it.
fn near(direct: bool) -> u32 {
    if direct { MOST } else { HIGH }
}

/// Is an address one in RAM? That of a size that is a power of two has its own high bits.
fn in_ram(ram_size: u32) -> String {
    if ram_size.is_power_of_two() && RAM_BASE.is_multiple_of(ram_size) {
        let low = ram_size.ilog2();
        return format!("place_#[31:{}] == {}'d{}", low, 32 - low, RAM_BASE >> low);
    }
    format!("place_# - 32'd{RAM_BASE} < 32'd{ram_size}")
}

/// Or in the window, where it may be? Where both begin alike, what they share is looked at once.
fn nowhere(ram_size: u32) -> String {
    let (low, window) = (ram_size.ilog2(), DEVICE_SIZE.ilog2());
    let alike = (RAM_BASE | DEVICE_BASE).trailing_zeros() >= HIGH;
    if !ram_size.is_power_of_two() || !alike || low >= HIGH || window >= low {
        return format!(
            "~(({}) | (place_#[31:{}] == {}'d{}) & may_window[#])",
            in_ram(ram_size),
            window,
            32 - window,
            DEVICE_BASE >> window
        );
    }
    format!(
        "~((place_#[{}:{low}] == {}'d0) & ((place_#[31:{HIGH}] == 4'd{}) | may_window[#]\n\
         & (place_#[31:{HIGH}] == 4'd{}) & (place_#[{}:{window}] == {}'d0)))",
        HIGH - 1,
        HIGH - low,
        RAM_BASE >> HIGH,
        DEVICE_BASE >> HIGH,
        low - 1,
        low - window,
    )
}

/// A function that reverses a word: wires in hardware, and of the ways to write that the
/// one that takes a simulator the fewest steps, since it swaps ever larger parts.
pub(super) fn reversed() -> String {
    let mut text = "function [31:0] reversed;\ninput [31:0] x;\nreg [31:0] y;\nbegin\n".to_string();
    let mut from = "x";
    for (by, mask) in [(1, "55555555"), (2, "33333333"), (4, "0f0f0f0f"), (8, "00ff00ff")] {
        text +=
            &format!("y = (({from} & 32'h{mask}) << {by}) | (({from} >> {by}) & 32'h{mask});\n");
        from = "y";
    }
    text + "reversed = {y[15:0], y[31:16]};\nend\nendfunction\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPS: [u64; 11] = [
        op::ADD,
        op::SUB,
        op::SLT,
        op::SLTU,
        op::XOR,
        op::OR,
        op::AND,
        op::LUI,
        op::SLL,
        op::SRL,
        op::SRA,
    ];
    const CORNERS: [u32; 12] = [
        0,
        1,
        2,
        31,
        0x1000_0000,
        0x1000_01fe,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0x8000_ffff,
        0x8001_1fff,
        u32::MAX,
    ];

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
    fn check<const T: usize>(values: &[u32], ram_size: u32) {
        check_alu::<T>(values, ram_size, false);
        check_alu::<T>(values, ram_size, true);
    }

    fn check_alu<const T: usize>(values: &[u32], ram_size: u32, direct: bool) {
        let mut alu = Alu::<T>::new(2, T, ram_size, direct);
        alu.connect_all();
        alu.enable.next = true;
        let value = |i: usize| values[i % values.len()];
        for round in 0..OPS.len() {
            let lane =
                |i: usize| (value(i + round), value(3 * i + 1), OPS[(i + round) % OPS.len()]);
            for i in 0..T {
                let (a, b, op) = lane(i);
                let subtracts = matches!(op, op::SUB | op::SLT | op::SLTU);
                alu.rs1[i].next = u64::from(a).into();
                alu.second[i].next = u64::from(if subtracts { !b } else { b }).into();
                let shifts = match op {
                    op::SLL => a.reverse_bits(),
                    op::SRL | op::SRA => a,
                    _ => 0,
                };
                alu.shifts[i].next = u64::from(shifts).into();
                alu.op[i].next = op.into();
                alu.subtract[i].next = subtracts;
            }
            alu.may_window.next = 0x5555_5555_5555_5555.into();
            alu.update_all();
            for i in 0..T {
                let (a, b, op) = lane(i);
                let below = if op == op::SLTU { a < b } else { (a as i32) < b as i32 };
                assert_eq!(alu.result[i].val().low(), expected(op, a, b), "{op} {a:#x} {b:#x}");
                if op == op::SLT {
                    assert_eq!(alu.equal.val().get_bit(i), a == b);
                }
                if op == op::ADD {
                    let sum = a.wrapping_add(b);
                    let in_ram = (RAM_BASE..RAM_BASE + ram_size).contains(&sum);
                    let in_window = (DEVICE_BASE..DEVICE_BASE + DEVICE_SIZE).contains(&sum);
                    let near = sum >> near(direct) == DEVICE_BASE >> near(direct);
                    assert_eq!(alu.near_window.val().get_bit(i), near, "{sum:#x}");
                    let known = in_ram || (in_window && i % 2 == 0);
                    assert_eq!(alu.nowhere.val().get_bit(i), !known, "{sum:#x}");
                    let low = [alu.odd.val().get_bit(i), alu.half.val().get_bit(i)];
                    assert_eq!(low, [sum & 1 != 0, sum & 2 != 0], "{sum:#x}");
                }
                if matches!(op, op::SLT | op::SLTU) {
                    assert_eq!(alu.less.val().get_bit(i), below, "{op} {a:#x} {b:#x}");
                }
            }
        }
    }

    #[test]
    fn corner_values() {
        for shift in 0..CORNERS.len() {
            let values: Vec<u32> =
                CORNERS.iter().flat_map(|a| [*a, CORNERS[(*a as usize + shift) % 12]]).collect();
            check::<1>(&values, 0x1_0000);
            check::<4>(&values, 0x1_2000);
            check::<64>(&values, 0x1_0000);
        }
    }

    proptest! {
        #[test]
        fn random_values(values in prop::collection::vec(any::<u32>(), 1..80)) {
            check::<4>(&values, 0x1_2000);
            check::<32>(&values, 0x1_0000);
        }
    }
}
