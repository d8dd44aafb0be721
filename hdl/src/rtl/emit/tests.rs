//! What is printed, and what is refused. That the text means what the kernel
//! says is tested with Verilator (`hdl/tests/leaves.rs`).
//!
//! Long, because each thing that the printer accepts or refuses has its case.

use super::{design, verilog};
use crate::rtl::prelude::*;

crate::regs! {
    /// Registers with an array.
    pub struct Pair [const T: usize] [T] / PairD, PairQ {
        count: U<8> = 200,
        data: [U<T>; T],
    }
}

crate::block! {
    /// One lane: combinational.
    pub struct Lane [const T: usize] [T] fn new() {
        input { pub a: Signal<In, U<T>>, pub priority: Signal<In, Bit>, }
        output { pub y: Signal<Out, U<T>>, pub any: Signal<Out, Bit>, }
    }
}

impl<const T: usize> Logic for Lane<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + 1;
        self.any.next = self.a.val().get_bit(0) && !self.priority.val();
    }
}

crate::block! {
    /// Lanes and registers.
    pub struct Cluster [const T: usize] [T] fn new() {
        input { pub clock: Signal<In, Clk>, pub reset: Signal<In, Bit>, pub a: [Signal<In, U<T>>; T], }
        output { pub mask: Signal<Out, U<T>>, pub count: Signal<Out, U<8>>, }
        part {
            lane: Vec<Lane<T>> = (0..T).map(|_| Lane::new()).collect(),
            pair: Pair<T> = Pair::new(),
            limit: Constant<U<8>> = Constant::new(250.into()),
        }
    }
}

impl<const T: usize> Logic for Cluster<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.pair.clock.next = self.clock.val();
        self.pair.reset.next = self.reset.val();
        self.pair.d.count.next = self.pair.q.count.val();
        if self.pair.q.count.val() < self.limit.val() {
            self.pair.d.count.next = self.pair.q.count.val() + 1;
        }
        self.count.next = self.pair.q.count.val();
        self.mask.next = 0.into();
        for i in 0..T {
            self.lane[i].a.next = self.a[i].val();
            self.lane[i].priority.next = self.reset.val();
            self.pair.d.data[i].next = self.lane[i].y.val();
            self.mask.next = self.mask.val().replace_bit(i, self.lane[i].any.val());
        }
    }
}

#[test]
fn names_ranges_and_merging() {
    let text = verilog(&Cluster::<2>::new(), "weft").unwrap();
    for wanted in [
        "module weft (\n",
        "module weft__lane (\n",
        "module weft__pair (\n",
        "    input wire [1:0] a_1,\n",
        "    input wire priority_,\n",
        "    weft__lane lane_1 (\n        .a(a_1),\n        .priority_(reset),\n",
        "        .clock(clock),\n",
        "    localparam [7:0] limit = 8'hfa;\n",
        "        mask = 2'd0;\n        mask[0] = lane_0__any;\n        mask[1] = lane_1__any;\n",
        "    assign y = a + 2'd1;\n",
        "    assign any = a[0] && (!priority_);\n",
        "    always @(posedge clock) q_data_1 <= d_data_1;\n",
        "    if (pair__q_count < limit) begin\n            pair__d_count = pair__q_count + 8'd1;\n",
    ] {
        assert!(text.contains(wanted), "{wanted}\nis not in\n{text}");
    }
    assert_eq!(text.matches("module weft").count(), 3, "{text}");
    assert!(!text.contains('$'), "{text}");
    assert_eq!(text, verilog(&Cluster::<2>::new(), "weft").unwrap());
}

#[test]
fn one_bit_vectors_are_vectors_without_selects() {
    let text = verilog(&Cluster::<1>::new(), "weft").unwrap();
    assert!(text.contains("input wire [0:0] a_0"), "{text}");
    assert!(text.contains("input wire clock"), "{text}");
    assert!(!text.contains("[0]"), "{text}");
}

/// A block with this kernel is refused, with these words.
macro_rules! refused {
    ($($name:ident: $wanted:expr, { $($kernel:tt)* })*) => { $(
        mod $name {
            use crate::rtl::prelude::*;

            crate::block! {
                /// See the test.
                pub struct Bad [] [] fn new() {
                    input {
                        pub a: Signal<In, U<8>>,
                        pub b: Signal<In, U<8>>,
                        pub c: Signal<In, U<16>>,
                        pub en: Signal<In, Bit>,
                    }
                    local {
                        y: Signal<Local, U<16>>,
                        z: Signal<Local, Bit>,
                        v: [Signal<Local, U<8>>; 2],
                        i: Signal<Local, Bit>,
                    }
                    plain { pub _n: usize = 2, }
                }
            }

            impl Logic for Bad {
                $($kernel)*
            }

            #[test]
            fn is_refused() {
                let problem = super::verilog(&Bad::new(), "bad").unwrap_err();
                assert!(problem.contains($wanted), "{problem}");
                assert_eq!(problem.lines().count(), 1, "{problem}");
            }
        }
    )* };
}

refused! {
    carry_in_comparison: "z: a comparison uses a sum", {
        #[hdl_gen]
        fn update(&mut self) {
            self.z.next = (self.a.val() + self.b.val()) == 3;
        }
    }
    carry_in_reduction: "any, all or xor uses a sum", {
        #[hdl_gen]
        fn update(&mut self) {
            self.z.next = (self.a.val() - self.b.val()).any();
        }
    }
    carry_in_shift: "y: a right shift uses a sum", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = ((self.a.val().to_bits::<9>() + self.b.val().to_bits::<9>()) >> 1).to_bits();
        }
    }
    width_of_sum: "computed in 8 bits or in 16?", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = (self.a.val() + self.b.val()).to_bits::<16>() + self.c.val();
        }
    }
    width_of_complement: "computed in 8 bits or in 16?", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = (!self.a.val()).to_bits::<16>() & self.c.val();
        }
    }
    cut_before_widening: "operands of different widths before to_bits", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = (self.a.val() | self.c.val().to_bits::<8>()).to_bits();
        }
    }
    cut_in_the_middle: "16 bits are cut to 8 in mid-expression", {
        #[hdl_gen]
        fn update(&mut self) {
            self.v[0].next = self.a.val() | (self.b.val() ^ self.c.val().to_bits::<8>());
        }
    }
    literal_too_large: "8 bits compared with 256", {
        #[hdl_gen]
        fn update(&mut self) {
            self.z.next = self.a.val() == 256;
        }
    }
    beyond_the_top: "bits 12+8 of c, which has 16", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.c.val().get_bits::<8>(12).to_bits();
        }
    }
    slice_of_expression: "bits of an expression", {
        #[hdl_gen]
        fn update(&mut self) {
            self.z.next = (self.a.val() ^ self.b.val()).get_bit(3);
        }
    }
    latch: "v$1: a latch", {
        #[hdl_gen]
        fn update(&mut self) {
            if self.en.val() {
                self.v[1].next = self.a.val();
            }
        }
    }
    latch_in_match: "v$0: a latch", {
        #[hdl_gen]
        fn update(&mut self) {
            match self.a.val().index() {
                0 => self.v[0].next = 1.into(),
                1 => self.v[0].next = 2.into(),
                _ => {}
            }
        }
    }
    read_first: "v$0 is read before it is written", {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.v[0].val().to_bits();
            self.v[0].next = self.a.val();
        }
    }
    read_first_on_one_path: "v$0 is read before it is written", {
        #[hdl_gen]
        fn update(&mut self) {
            if self.en.val() {
                self.v[0].next = self.a.val();
            } else {
                self.v[0].next = self.v[0].val();
            }
        }
    }
    plain_value: "_n is not a signal of the block", {
        #[hdl_gen]
        fn update(&mut self) {
            self.z.next = self.a.val() == self._n.to_bits();
        }
    }
    writes_input: "a is written, but it is Own(Input)", {
        #[hdl_gen]
        fn update(&mut self) {
            self.a.next = 1.into();
        }
    }
    loop_variable_like_signal: "the loop variable i has the name of a signal", {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..1 {
                self.v[i].next = 0.into();
            }
        }
    }
}

crate::block! {
    /// A signal and an array that print alike.
    pub struct Clash [] [] fn new() {
        output { pub v: [Signal<Out, U<8>>; 2], pub v_0: Signal<Out, U<8>>, }
    }
}

impl Logic for Clash {
    #[hdl_gen]
    fn update(&mut self) {
        self.v_0.next = 0.into();
        for n in 0..2 {
            self.v[n].next = 0.into();
        }
    }
}

#[test]
fn equal_names_are_refused() {
    let problem = verilog(&Clash::new(), "clash").unwrap_err();
    assert!(problem.contains("v_0 and v$0 would both print as v_0"), "{problem}");
}

crate::block! {
    /// Leaves an output and an input of its part alone.
    pub struct Idle [] [] fn new() {
        output { pub y: Signal<Out, Bit>, }
        part { lane: Lane<4> = Lane::new(), }
    }
}

impl Logic for Idle {
    #[hdl_gen]
    fn update(&mut self) {
        self.lane.a.next = 0.into();
    }
}

#[test]
fn undriven_signals_are_refused() {
    let problem = verilog(&Idle::new(), "idle").unwrap_err();
    assert_eq!(problem, "top: y: nothing drives it\ntop: lane$priority: nothing drives it");
}

crate::block! {
    /// Compares every lane with every other one.
    pub struct Matrix [const T: usize] [T] fn new() {
        input { pub a: [Signal<In, U<30>>; T], }
        output { pub same: [Signal<Out, U<T>>; T], }
        local { flag: Vec<Signal<Local, Bit>> = fresh_vec(T * T), }
    }
}

impl<const T: usize> Logic for Matrix<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..T {
            self.same[i].next = 0.into();
            for j in 0..T {
                self.flag[i * 64 + j].next = self.a[i].val() == self.a[j].val();
                if self.flag[i * 64 + j].val() && !self.a[i].val().get_bit(3) {
                    self.same[i].next =
                        self.same[i].val().replace_bit(j, self.flag[i * 64 + j].val());
                }
            }
        }
    }
}

/// More than any module of a core at T = 64: 8,256 statements.
#[test]
fn wide_designs_print_quickly() {
    let matrix = Matrix::<64>::new();
    let start = std::time::Instant::now();
    let text = verilog(&matrix, "matrix").unwrap();
    let time = start.elapsed();
    assert_eq!(text.matches(" = a_").count(), 4096);
    assert!(time.as_millis() < 2000, "{time:?} for {} bytes", text.len());
}

crate::block! {
    /// An output that is read.
    pub struct Echo [] [] fn new() {
        input { pub x: Signal<In, Bit>, }
        output { pub first: Signal<Out, Bit>, pub second: Signal<Out, Bit>, }
    }
}

impl Logic for Echo {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.next = self.x.val();
        self.second.next = !self.first.val();
    }
}

#[test]
fn outputs_can_be_left_out() {
    let whole = design(&Cluster::<2>::new(), "weft", &[]).unwrap();
    let names: Vec<&str> = whole.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["clock", "reset", "a_0", "a_1", "mask", "count"]);
    assert_eq!(
        (whole.ports[4].width, whole.ports[4].input, whole.ports[3].input),
        (2, false, true)
    );

    let less = design(&Cluster::<2>::new(), "weft", &["count"]).unwrap();
    assert_eq!(less.ports.len(), 5);
    let top = less.text.split("module weft (").nth(1).unwrap();
    assert!(!top.contains(" count") && top.contains("mask[1] = lane_1__any;"), "{top}");
    // Inputs stay, and what the kernel reads cannot go.
    assert!(design(&Cluster::<2>::new(), "weft", &["a"]).unwrap().text == whole.text);
    let refused = design(&Echo::new(), "weft", &["first"]).err().unwrap();
    assert_eq!(refused, "top: second: first is read, so it cannot be left out");
    assert!(design(&Echo::new(), "weft", &["second"]).unwrap().text.contains("assign first = x;"));
}

crate::block! {
    /// A process of constants beside a clock.
    pub struct Still [] [] fn new() {
        input { pub clock: Signal<In, Clk>, pub reset: Signal<In, Bit>, pub a: Signal<In, Bit>, }
        output { pub y: Signal<Out, U<8>>, pub z: Signal<Out, U<2>>, }
        local { ones: Signal<Local, U<2>>, }
        part { pair: Pair<2> = Pair::new(), }
    }
}

impl Logic for Still {
    #[hdl_gen]
    fn update(&mut self) {
        self.pair.clock.next = self.clock.val();
        self.pair.reset.next = self.reset.val();
        self.pair.d.count.next = self.pair.q.count.val() + 1;
        for i in 0..2 {
            self.pair.d.data[i].next = 0.into();
        }
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        self.y.next = self.pair.q.count.val();
        self.z.next = 0.into();
        if self.a.val() {
            self.z.next = self.ones.val();
        }
    }
}

#[test]
fn clocks_stay_out_of_processes() {
    let text = verilog(&Still::new(), "still").unwrap();
    assert!(text.contains(".clock(clock)") && text.contains(".reset(reset)"), "{text}");
    assert_eq!(text.matches("always @(*)").count(), 1, "{text}");
}
