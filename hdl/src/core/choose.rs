//! Whose turn is it: one of the views that could go, the best first, and among equals the
//! next behind the one that went last.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

block! {
    /// All three sets are looked at at once. With few views each pair of them is compared, while
    /// it is found out who could go; with many of each set the first is found, with and without
    /// those that have to wait.
    pub struct Choose [] [] fn new(views: usize, pairs: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Who could go, and those who then should go before others, and before these.
            pub all: Signal<In, U<64>>,
            pub better: Signal<In, U<64>>,
            pub best: Signal<In, U<64>>,
            /// The one that was chosen goes.
            pub goes: Signal<In, Bit>,
        }
        output {
            /// Somebody can go.
            pub any: Signal<Out, Bit>,
            /// The chosen view as a bit, 0 if nobody can go, and as a number.
            pub one: Signal<Out, U<64>>,
            pub view: Signal<Out, U<6>>,
        }
        local {
            sets: Vec<Signal<Local, U<64>>> = fresh_vec(3),
            set: Signal<Local, U<64>>,
            found: Signal<Local, Bit>,
            bit: Signal<Local, Bit>,
            /// Views with a higher number than the one that went last.
            behind: Signal<Local, U<64>>,
            /// Of each set the first one behind the last, or else the first one.
            first: Signal<Local, U<64>>,
            next: Signal<Local, U<64>>,
            picks: Vec<Signal<Local, U<64>>> = fresh_vec(3),
            /// Who goes before a view: of a better set, of the same one, and of these in turn.
            over: Signal<Local, U<64>>,
            peers: Signal<Local, U<64>>,
            ahead: Signal<Local, U<64>>,
        }
        part {
            /// Who went last; of the highest number nobody is behind.
            last: Bank<6> = Bank::new(1, views as u64 - 1),
            every: Constant<U<64>> = Constant::new(u64::MAX.into()),
            number_bits: Constant<U<6>> =
                Constant::new((views as u64).next_power_of_two().wrapping_sub(1).into()),
            /// Views with a lower number.
            below: Vec<Constant<U<64>>> =
                (0..views).map(|v| Constant::new(((1u64 << v) - 1).into())).collect(),
        }
        plain {
            _views: usize = views,
            _paired: usize = if pairs { views } else { 0 },
            _many: usize = usize::from(!pairs),
        }
    }
}

impl Logic for Choose {
    #[hdl_gen]
    fn update(&mut self) {
        self.last.clock.next = self.clock.val();
        self.last.reset.next = self.reset.val();
        self.any.next = self.all.val().any();
        self.behind.next =
            (self.every.val() << (self.last.q[0].val() & self.number_bits.val())) << 1;
        self.one.next = 0.into();
        for v in 0..self._paired {
            self.over.next = self.best.val() | self.better.val();
            self.peers.next = !self.over.val();
            if self.best.val().get_bit(v) {
                self.over.next = 0.into();
                self.peers.next = self.best.val();
            } else if self.better.val().get_bit(v) {
                self.over.next = self.best.val();
                self.peers.next = self.better.val() & !self.best.val();
            }
            self.ahead.next = self.behind.val() | self.below[v].val();
            if self.behind.val().get_bit(v) {
                self.ahead.next = self.behind.val() & self.below[v].val();
            }
            self.over.next = self.over.val() | (self.peers.val() & self.ahead.val());
            self.bit.next = self.all.val().get_bit(v) && !(self.all.val() & self.over.val()).any();
            self.one.next = self.one.val().replace_bit(v, self.bit.val());
        }
        for _once in 0..self._many {
            self.sets[0].next = self.all.val();
            self.sets[1].next = self.all.val() & self.better.val();
            self.sets[2].next = self.all.val() & self.best.val();
            for k in 0..3 {
                self.set.next = self.sets[k].val();
                self.first.next = 0.into();
                self.found.next = false;
                for v in 0..self._views {
                    self.bit.next = self.set.val().get_bit(v) && !self.found.val();
                    self.first.next = self.first.val().replace_bit(v, self.bit.val());
                    self.found.next = self.found.val() || self.set.val().get_bit(v);
                }
                self.set.next = self.set.val() & self.behind.val();
                self.next.next = 0.into();
                self.found.next = false;
                for v in 0..self._views {
                    self.bit.next = self.set.val().get_bit(v) && !self.found.val();
                    self.next.next = self.next.val().replace_bit(v, self.bit.val());
                    self.found.next = self.found.val() || self.set.val().get_bit(v);
                }
                self.picks[k].next = self.first.val();
                if self.found.val() {
                    self.picks[k].next = self.next.val();
                }
            }
            self.one.next = self.picks[0].val();
            if self.sets[2].val().any() {
                self.one.next = self.picks[2].val();
            } else if self.sets[1].val().any() {
                self.one.next = self.picks[1].val();
            }
        }
        self.view.next = 0.into();
        for v in 0..self._views {
            if self.one.val().get_bit(v) {
                self.view.next = self.view.val() | v.to_bits::<6>();
            }
        }
        self.last.d[0].next = self.last.q[0].val();
        if self.goes.val() {
            self.last.d[0].next = self.view.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::Sim;
    use proptest::prelude::*;

    impl Sim for Choose {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    /// The first set that is not empty, and of it the next behind `last`.
    fn expected(views: usize, last: Option<usize>, sets: [u64; 3]) -> Option<usize> {
        let from = *sets.iter().find(|set| **set != 0)?;
        let turn = (0..views).map(|i| (i + last.map_or(0, |l| l + 1)) % views);
        turn.clone().find(|v| from >> v & 1 != 0)
    }

    fn check(views: usize, pairs: bool, cycles: &[(u64, u64, u64, bool)]) {
        let mut choose = Choose::new(views, pairs);
        choose.power_up();
        let (mut last, known) = (None, u64::MAX >> (64 - views));
        for &(all, better, best, goes) in cycles {
            let all = all & known;
            choose.all.next = all.into();
            choose.better.next = better.into();
            choose.best.next = best.into();
            let view = expected(views, last, [all & best, all & better, all]);
            choose.goes.next = goes && view.is_some();
            choose.settle();
            assert_eq!(choose.any.val(), view.is_some());
            assert_eq!(choose.one.val().raw(), view.map_or(0, |v| 1 << v));
            assert_eq!(choose.view.val().index(), view.unwrap_or_default());
            choose.tick();
            if goes && view.is_some() {
                last = view;
            }
        }
    }

    proptest! {
        #[test]
        fn the_best_first_and_in_turn(
            cycles in prop::collection::vec(any::<(u64, u64, u64, bool)>(), 1..40),
            rare: u64,
        ) {
            for (views, pairs) in [(1, true), (2, true), (8, true), (8, false), (64, false)] {
                check(views, pairs, &cycles);
                let few: Vec<_> =
                    cycles.iter().map(|c| (c.0 & rare, c.1 & c.2, c.2 & c.0 >> 3, c.3)).collect();
                check(views, pairs, &few);
            }
        }
    }
}
