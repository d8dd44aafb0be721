//! Blocks against their own Verilog under Verilator: everything a kernel can
//! say, the memories, the registers; and pairs that differ, which must be found.
//!
//! Long, because it is a list: one block for each thing that a kernel can say.

// Precedence and odd forms are what is tested here.
#![allow(clippy::precedence, clippy::nonminimal_bool)]

use hdl::rtl::prelude::*;
use hdl::rtl::{Pins, Vector, equivalent};

fn check<B: Block + Pins>(mut block: B, constrain: impl FnMut(&mut Vector)) {
    equivalent(&mut block, 400, 1, constrain).unwrap();
}

hdl::block! {
    /// Every construct of a kernel, on words of N bits; H is half of N, or 1.
    pub struct Every [const N: usize, const H: usize] [N, H] fn new() {
        input {
            pub a: Signal<In, U<N>>,
            pub b: Signal<In, U<N>>,
            pub by: Signal<In, U<7>>,
            pub at: Signal<In, U<6>>,
            pub op: Signal<In, U<3>>,
            pub en: Signal<In, Bit>,
            pub go: Signal<In, Bit>,
            pub v: [Signal<In, U<N>>; 4],
        }
        output {
            pub sum: Signal<Out, U<N>>,
            pub difference: Signal<Out, U<N>>,
            pub product: Signal<Out, U<N>>,
            pub bitwise: Signal<Out, U<N>>,
            pub mixed: Signal<Out, U<N>>,
            pub left: Signal<Out, U<N>>,
            pub right: Signal<Out, U<N>>,
            pub shifts: Signal<Out, U<N>>,
            pub average: Signal<Out, U<N>>,
            pub wide: Signal<Out, U<64>>,
            pub extended: Signal<Out, U<64>>,
            pub complement: Signal<Out, U<64>>,
            pub narrow: Signal<Out, U<H>>,
            pub chopped: Signal<Out, U<1>>,
            pub low: Signal<Out, U<H>>,
            pub high: Signal<Out, U<H>>,
            pub moving: Signal<Out, U<H>>,
            pub width: Signal<Out, U<2>>,
            pub replaced: Signal<Out, U<N>>,
            pub set: Signal<Out, U<N>>,
            pub cleared: Signal<Out, U<N>>,
            pub reversed: Signal<Out, U<N>>,
            pub compared: Signal<Out, U<6>>,
            pub literals: Signal<Out, U<4>>,
            pub reduced: Signal<Out, U<6>>,
            pub logic: Signal<Out, U<8>>,
            pub selected: Signal<Out, U<N>>,
            pub nested: Signal<Out, U<N>>,
            pub matched: Signal<Out, U<N>>,
            pub first: Signal<Out, U<7>>,
            pub found: Signal<Out, Bit>,
            pub least: Signal<Out, U<N>>,
            pub constant: Signal<Out, U<64>>,
        }
        local {
            flag: [Signal<Local, Bit>; 16],
            node: [Signal<Local, U<N>>; 7],
            next: Signal<Local, U<N>>,
            half: Signal<Local, U<64>>,
        }
        part {
            mask: Constant<U<N>> = Constant::new(0x5a5a_5a5a_a5a5_a5a5.into()),
            last: Constant<U<6>> = Constant::new(((N - H) / 2).to_bits()),
            is_one: Constant<Bit> = Constant::new(N == 1),
        }
        plain { _n: usize = N, }
    }
}

impl<const N: usize, const H: usize> Logic for Every<N, H> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val() + 5;
        self.difference.next = self.a.val() - (self.b.val() - 1);
        self.product.next = self.a.val() * self.b.val();
        self.bitwise.next = !(self.a.val() & self.b.val()) ^ self.a.val() | self.mask.val();
        self.mixed.next = self.a.val() + 3 & self.b.val() ^ !self.a.val();
        self.left.next = self.a.val() << self.by.val();
        self.right.next = self.a.val() >> self.by.val();
        self.shifts.next = (self.a.val() >> 1) ^ (self.b.val() << 3) + (self.a.val() >> 40);
        self.average.next = (self.a.val() + self.b.val()) >> 1;

        self.wide.next = self.a.val().to_bits::<64>() + self.b.val().to_bits::<64>();
        self.half.next = self.a.val().to_bits::<64>() - self.b.val().to_bits::<64>() * 3;
        self.extended.next = (self.a.val() + self.b.val()).to_bits();
        self.complement.next = (!self.a.val()).to_bits();
        self.narrow.next = (self.a.val() + self.b.val()).to_bits();
        self.chopped.next = (self.a.val() ^ self.b.val()).to_bits();
        self.low.next = self.a.val().get_bits::<H>(0);
        for from in (N - H)..(N - H + 1) {
            self.high.next = self.a.val().get_bits::<H>(from);
        }
        self.moving.next = 0.into();
        if self.at.val() <= self.last.val() {
            self.moving.next = self.a.val().get_bits::<H>(self.at.val().index() * 2);
        }
        self.width.next = 0.into();
        if self.is_one.val() {
            self.width.next = 1.into();
        }

        self.replaced.next =
            self.a.val().replace_bit(self.at.val().index(), self.en.val() && self.go.val());
        self.set.next = self.a.val().replace_bit(0, !self.en.val()) ^ self.b.val();
        for top in (N - 1)..N {
            self.cleared.next = (self.a.val() | self.b.val()).replace_bit(top, false);
        }
        self.reversed.next = 0.into();
        for n in N..(N + 1) {
            for i in 0..N {
                self.flag[0].next = self.a.val().get_bit(n - 1 - i);
                self.reversed.next = self.reversed.val().replace_bit(i, self.flag[0].val());
            }
        }

        self.flag[1].next = self.a.val() == self.b.val();
        self.flag[2].next = self.a.val() != self.b.val();
        self.flag[3].next = self.a.val() < self.b.val();
        self.flag[4].next = self.a.val() <= self.b.val();
        self.flag[5].next = self.a.val() > self.b.val();
        self.flag[6].next = self.a.val() >= self.b.val() | self.mask.val();
        self.compared.next = 0.into();
        for i in 0..6 {
            self.compared.next = self.compared.val().replace_bit(i, self.flag[i + 1].val());
        }
        self.next.next = self.a.val() + 1;
        self.literals.next = 0.into();
        self.literals.next = self.literals.val().replace_bit(0, self.next.val() == 0);
        self.literals.next = self.literals.val().replace_bit(1, (self.op.val() & 1) == 1);
        self.literals.next = self.literals.val().replace_bit(2, self.op.val() & 6 == 4);
        self.literals.next = self.literals.val().replace_bit(3, self.a.val() > 0);
        self.reduced.next = 0.into();
        self.reduced.next = self.reduced.val().replace_bit(0, self.a.val().any());
        self.reduced.next = self.reduced.val().replace_bit(1, self.a.val().all());
        self.reduced.next = self.reduced.val().replace_bit(2, self.a.val().xor());
        self.reduced.next = self.reduced.val().replace_bit(3, (self.a.val() & !self.b.val()).any());
        self.reduced.next = self.reduced.val().replace_bit(4, (self.a.val() | self.b.val()).all());
        self.reduced.next = self.reduced.val().replace_bit(5, !(self.a.val() ^ self.b.val()).xor());

        self.logic.next = 0.into();
        self.flag[7].next =
            self.en.val() && !self.go.val() || self.a.val().get_bit(self.at.val().index());
        self.flag[8].next = self.en.val() & self.go.val() | !self.en.val() ^ self.flag[1].val();
        self.flag[9].next = self.en.val() == self.go.val();
        self.flag[10].next =
            !(self.en.val() || self.flag[3].val()) && self.a.val() != self.mask.val();
        self.flag[11].next = self.en.val() != !self.go.val();
        for i in 7..12 {
            self.logic.next = self.logic.val().replace_bit(i - 7, self.flag[i].val());
        }

        self.selected.next = 0.into();
        for i in 0..4 {
            if self.op.val() == i.to_bits() {
                self.selected.next = self.v[i].val();
            }
        }
        self.nested.next = self.a.val();
        if self.en.val() {
            if self.go.val() && self.a.val() < self.b.val() {
                self.nested.next = self.b.val();
            } else if self.op.val().get_bit(2) {
                self.nested.next = self.nested.val() ^ self.v[3].val();
            } else {
                for i in 0..3 {
                    self.nested.next = (self.nested.val() << 1) + self.v[i].val();
                }
            }
        }
        match self.op.val().index() {
            0 => self.matched.next = self.a.val(),
            1 => {
                self.matched.next = self.b.val();
                if self.en.val() {
                    self.matched.next = !self.b.val();
                }
            }
            0b110 => match self.go.val() {
                true => self.matched.next = self.v[0].val(),
                false => self.matched.next = self.v[1].val(),
            },
            _ => self.matched.next = 1.into(),
        }
        self.found.next = false;
        self.first.next = 0.into();
        for i in 0..self._n {
            if self.a.val().get_bit(i) && !self.found.val() {
                self.first.next = (i + 1).to_bits();
                self.found.next = true;
            }
        }
        for i in 0..4 {
            self.node[i].next = self.v[i].val();
        }
        for n in 4..5 {
            for i in 0..3 {
                self.node[n + i].next = self.node[2 * i].val();
                if self.node[2 * i + 1].val() < self.node[2 * i].val() {
                    self.node[n + i].next = self.node[2 * i + 1].val();
                }
            }
        }
        self.least.next = self.node[6].val();
        self.constant.next = 0x1234_5678_9abc_def0u64.into();
        if self.en.val() {
            self.constant.next = self.half.val();
        }
    }
}

fn every<const N: usize, const H: usize>() {
    check(Every::<N, H>::new(), |v| v.limit("at", N as u64));
}

#[test]
fn every_construct_in_1_bit() {
    every::<1, 1>();
}

#[test]
fn every_construct_in_2_bits() {
    every::<2, 1>();
}

#[test]
fn every_construct_in_8_bits() {
    every::<8, 4>();
}

#[test]
fn every_construct_in_32_bits() {
    every::<32, 16>();
}

#[test]
fn every_construct_in_64_bits() {
    every::<64, 32>();
}

fn ram<const N: usize>(depth: usize) {
    check(Ram::<N>::new(depth), |v| {
        v.limit("read_address", depth as u64);
        v.limit("write_address", depth as u64);
    });
}

#[test]
fn rams() {
    ram::<1>(2);
    ram::<2>(5);
    ram::<8>(64);
    ram::<32>(1);
    ram::<64>(100);
}

fn table<const N: usize>(table: Table<N>, depth: u64, reset: bool) {
    check(table, |v| {
        let addresses: Vec<String> =
            v.paths().filter(|path| path.contains("address")).map(str::to_owned).collect();
        addresses.iter().for_each(|path| v.limit(path, depth));
        if !reset {
            v.set("reset", 0);
        }
    });
}

#[test]
fn tables() {
    table(Table::<1>::new(1, 1, 1, 1), 1, true);
    table(Table::<2>::new(3, 2, 2, 2), 3, true);
    table(Table::<8>::data(32, 1, 3), 32, false);
    table(Table::<32>::new(8, 3, 1, 0xdead_beef), 8, true);
    table(Table::<64>::new(4, 1, 2, u64::MAX), 4, true);
    table(Table::<30>::new(8, 1, 2, 5).by_bits(2), 8, true);
}

#[test]
fn banks() {
    check(Bank::<1>::new(1, 1), |_| {});
    check(Bank::<8>::new(3, 0xa5), |_| {});
    check(Bank::<64>::new(32, u64::MAX), |_| {});
}

hdl::regs! {
    /// Every kind of register.
    pub struct Group [const T: usize] [T] / GroupD, GroupQ {
        count: U<8> = 5,
        valid: Bit = true,
        late: Bit,
        mask: U<T>,
        full: U<T> = U::<T>::MAX,
        data: [U<T>; T],
        state: [U<3>; 4] = 6,
    }
}

#[test]
fn register_groups() {
    check(Group::<1>::new(), |_| {});
    check(Group::<2>::new(), |_| {});
    check(Group::<8>::new(), |_| {});
    check(Group::<32>::new(), |_| {});
    check(Group::<64>::new(), |_| {});
}

hdl::block! {
    /// Parts within parts: a signal goes into one and comes back.
    pub struct Nest [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub a: [Signal<In, U<T>>; T],
            pub write: Signal<In, Bit>,
        }
        output { pub y: Signal<Out, U<T>>, pub z: [Signal<Out, U<T>>; T], pub count: Signal<Out, U<8>>, }
        part {
            group: Vec<Group<T>> = (0..2).map(|_| Group::new()).collect(),
            pass: [Pass<T>; T] = std::array::from_fn(|_| Pass::new()),
            ram: Ram<T> = Ram::new(16),
        }
    }
}

impl<const T: usize> Logic for Nest<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for g in 0..2 {
            self.group[g].clock.next = self.clock.val();
            self.group[g].reset.next = self.reset.val();
            self.group[g].d.count.next = self.group[g].q.count.val() + 1;
            self.group[g].d.valid.next = self.write.val();
            self.group[g].d.late.next = self.group[g].q.valid.val();
            self.group[g].d.mask.next = self.group[g].q.full.val() ^ self.a[0].val();
            self.group[g].d.full.next = self.group[g].q.mask.val();
            for i in 0..4 {
                self.group[g].d.state[i].next = self.group[g].q.count.val().get_bits::<3>(i);
            }
            for i in 0..T {
                self.group[g].d.data[i].next = self.pass[i].y.val();
            }
        }
        self.ram.clock.next = self.clock.val();
        self.ram.write.next = self.group[1].q.valid.val();
        self.ram.write_address.next = self.group[0].q.count.val().get_bits::<4>(0).to_bits();
        self.ram.read_address.next = self.group[0].q.count.val().get_bits::<4>(3).to_bits();
        self.ram.write_data.next = self.group[1].q.mask.val();
        self.y.next = self.ram.read_data.val();
        self.count.next = self.group[1].q.count.val();
        self.pass[0].x.next = self.a[0].val();
        for i in 1..T {
            self.pass[i].x.next = self.pass[i - 1].y.val() ^ self.a[i].val();
        }
        for i in 0..T {
            self.z[i].next = self.pass[i].y.val();
        }
    }
}

hdl::block! {
    /// Rotates.
    pub struct Pass [const T: usize] [T] fn new() {
        input { pub x: Signal<In, U<T>>, }
        output { pub y: Signal<Out, U<T>>, }
        local { top: Signal<Local, Bit>, }
    }
}

impl<const T: usize> Logic for Pass<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for n in (T - 1)..T {
            self.top.next = self.x.val().get_bit(n);
        }
        self.y.next = (self.x.val() << 1) | self.top.val().to_bits::<T>();
    }
}

#[test]
fn blocks_with_parts() {
    check(Nest::<1>::new(), |_| {});
    check(Nest::<4>::new(), |_| {});
    check(Nest::<64>::new(), |_| {});
}

/// Blocks whose Verilog is written by hand and does not do what `update` does.
mod broken {
    use super::*;

    macro_rules! broken {
        ($($(#[$meta:meta])* $name:ident, $wanted:expr, |$s:ident| $update:block, $text:expr;)*) => { $(
            #[allow(non_snake_case)]
            mod $name {
                use super::*;

                hdl::block! {
                    $(#[$meta])*
                    pub struct Pair [] [] fn new() {
                        input {
                            pub clock: Signal<In, Clk>,
                            pub a: Signal<In, U<8>>,
                            pub b: Signal<In, U<8>>,
                            pub en: Signal<In, Bit>,
                        }
                        output { pub y: Signal<Out, U<8>>, }
                    }
                }

                impl Logic for Pair {
                    fn update(&mut $s) $update

                    fn hdl(&self) -> Verilog {
                        Verilog::Custom($text.into())
                    }
                }

                #[test]
                fn is_found() {
                    let failure = equivalent(&mut Pair::new(), 400, 1, |_| {}).unwrap_err();
                    let text = failure.to_string();
                    assert!(text.contains($wanted), "{text}");
                }
            }
        )* };
    }

    broken! {
        /// Rule 7 of the field guide: Rust reads it as (a & 1) == b.
        precedence, "y (8 bits) differs in cycle", |self| {
            self.y.next = u64::from((self.a.val() & 1) == self.b.val()).into();
        }, "always @(*) y = {7'd0, |(a & {7'd0, 8'd1 == b})};";
        /// Rule 6: the sum has 32 bits in Verilog.
        width, "Rust 0x1, Verilog 0x0\nwith a=0xff b=0x0", |self| {
            self.y.next = u64::from(self.a.val() + 1 == self.b.val()).into();
        }, "always @(*) y = {7'd0, {1'd0, a} + 9'd1 == {1'd0, b}};";
        /// Only one pair of values in 2^16 differs, but it is a corner.
        corner, "y (8 bits) differs in cycle 1", |self| {
            self.y.next = self.a.val() & self.b.val();
        }, "always @(*) y = (a == 8'hff && b == 8'hff) ? 8'hfe : a & b;";
        /// A missing default.
        latch, "LATCH", |self| {
            if self.en.val() {
                self.y.next = self.a.val();
            }
        }, "always @(*) if (en) y = a;";
        /// A process that reads what it wrote in the last round.
        circle, "UNOPTFLAT", |self| {
            self.y.next = self.a.val();
        }, "always @(*) y = en ? a : y ^ b;";
        /// Two processes.
        two_drivers, "MULTIDRIVEN", |self| {
            self.y.next = self.a.val();
        }, "always @(posedge clock) y <= a;\nalways @(posedge en) y <= b;";
        /// Not every case.
        case, "CASEINCOMPLETE", |self| {
            self.y.next = self.a.val();
        }, "always @(*) begin y = a; case (b) 8'd1: y = a; endcase end";
        /// One cycle late.
        edge, "differs in cycle", |self| {
            self.y.next = self.a.val();
        }, "always @(posedge clock) y <= a;";
        /// An unsized literal: the sum keeps its carry.
        unsized_literal, "Rust 0x0, Verilog 0x80\nwith a=0xff", |self| {
            self.y.next = (self.a.val() + 1) >> 1;
        }, "always @(*) y = (a + 1) >> 1;";
        /// Not Verilog.
        syntax, "syntax error", |self| {
            self.y.next = self.a.val();
        }, "always @(*) y = a +;";
        /// Not of 2001.
        language, "Verilator failed", |self| {
            self.y.next = self.a.val();
        }, "always_comb y = a;";
        /// Drives nothing.
        undriven, "y: nothing drives it", |self| {
            self.y.next = self.a.val();
        }, "wire [7:0] other = a;";
    }
}
