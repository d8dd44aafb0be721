//! Blocks against their own Verilog under Verilator: everything a kernel can
//! say, the memories, the registers; and pairs that differ, which must be found.

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
