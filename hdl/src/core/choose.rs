//! Whose turn is it: one of the views that could go, the best first, and among equals the
//! next behind the one that went last.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

block! {
    /// All three sets are looked at at once. With few views each pair of them is compared, while
    /// it is found out who could go; with many of each set the first is found, with and without
    /// those that have to wait. `ahead`: who should go before whom is known a cycle before who
    /// could go.
    pub struct Choose [] [] fn new(views: usize, pairs: bool, ahead: bool) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Who could go, and those who then should go before others, and before these; the
            /// latter two `ahead` for the next cycle.
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
            passed: Signal<Local, Bit>,
            bit: Signal<Local, Bit>,
            /// Views with a higher number than the one that went last, and than the one chosen.
            behind: Signal<Local, U<64>>,
            after: Signal<Local, U<64>>,
            /// Of each set the first one behind the last, or else the first one.
            first: Signal<Local, U<64>>,
            next: Signal<Local, U<64>>,
            picks: Vec<Signal<Local, U<64>>> = fresh_vec(3),
            better_now: Signal<Local, U<64>>,
            best_now: Signal<Local, U<64>>,
            /// Who goes before a view: of a better set, of the same one, and of these in turn.
            over: Signal<Local, U<64>>,
            peers: Signal<Local, U<64>>,
            before: Signal<Local, U<64>>,
        }
        part {
            /// Views with a higher number than the one that went last: what it is needed for need
            /// not be found out of a number. Of the last view nobody is behind.
            behind_last: Bank<64> = Bank::new(1, 0),
            /// `ahead`: of each view those of a better set, those of the same one; or the sets.
            overs: Vec<Bank<64>> = banks(ahead && pairs, views),
            equals: Vec<Bank<64>> = banks(ahead && pairs, views),
            ranks: Vec<Bank<64>> = banks(ahead && !pairs, 2),
            /// Views with a lower number.
            below: Vec<Constant<U<64>>> =
                (0..views).map(|v| Constant::new(((1u64 << v) - 1).into())).collect(),
        }
        plain {
            _views: usize = views,
            _paired: usize = if pairs { views } else { 0 },
            _many: usize = usize::from(!pairs),
            _ahead: usize = usize::from(ahead && pairs),
            _ranked: usize = usize::from(ahead && !pairs),
        }
    }
}

/// One bank or none.
fn banks(some: bool, n: usize) -> Vec<Bank<64>> {
    (0..usize::from(some)).map(|_| Bank::new(n, 0)).collect()
}

impl Logic for Choose {
    #[hdl_gen]
    fn update(&mut self) {
        self.behind_last.clock.next = self.clock.val();
        self.behind_last.reset.next = self.reset.val();
        self.any.next = self.all.val().any();
        self.behind.next = self.behind_last.q[0].val();
        self.one.next = 0.into();
        self.better_now.next = self.better.val();
        self.best_now.next = self.best.val();
        for a in 0..self._ahead {
            self.overs[a].clock.next = self.clock.val();
            self.overs[a].reset.next = self.reset.val();
            self.equals[a].clock.next = self.clock.val();
            self.equals[a].reset.next = self.reset.val();
        }
        for a in 0..self._ranked {
            self.ranks[a].clock.next = self.clock.val();
            self.ranks[a].reset.next = self.reset.val();
            self.ranks[a].d[0].next = self.better.val();
            self.ranks[a].d[1].next = self.best.val();
            self.better_now.next = self.ranks[a].q[0].val();
            self.best_now.next = self.ranks[a].q[1].val();
        }
        for v in 0..self._paired {
            self.over.next = self.best_now.val() | self.better_now.val();
            self.peers.next = !self.over.val();
            if self.best_now.val().get_bit(v) {
                self.over.next = 0.into();
                self.peers.next = self.best_now.val();
            } else if self.better_now.val().get_bit(v) {
                self.over.next = self.best_now.val();
                self.peers.next = self.better_now.val() & !self.best_now.val();
            }
            for a in 0..self._ahead {
                self.overs[a].d[v].next = self.over.val();
                self.equals[a].d[v].next = self.peers.val();
                self.over.next = self.overs[a].q[v].val();
                self.peers.next = self.equals[a].q[v].val();
            }
            self.before.next = self.behind.val() | self.below[v].val();
            if self.behind.val().get_bit(v) {
                self.before.next = self.behind.val() & self.below[v].val();
            }
            self.over.next = self.over.val() | (self.peers.val() & self.before.val());
            self.bit.next = self.all.val().get_bit(v) && !(self.all.val() & self.over.val()).any();
            self.one.next = self.one.val().replace_bit(v, self.bit.val());
        }
        for _once in 0..self._many {
            self.sets[0].next = self.all.val();
            self.sets[1].next = self.all.val() & self.better_now.val();
            self.sets[2].next = self.all.val() & self.best_now.val();
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
        self.after.next = 0.into();
        self.passed.next = false;
        for v in 0..self._views {
            self.after.next = self.after.val().replace_bit(v, self.passed.val());
            self.passed.next = self.passed.val() || self.one.val().get_bit(v);
        }
        self.behind_last.d[0].next = self.behind_last.q[0].val();
        if self.goes.val() {
            self.behind_last.d[0].next = self.after.val();
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

    fn check(views: usize, pairs: bool, ahead: bool, cycles: &[(u64, u64, u64, bool)]) {
        let mut choose = Choose::new(views, pairs, ahead);
        choose.power_up();
        let (mut last, known) = (None, u64::MAX >> (64 - views));
        for &(all, better, best, goes) in cycles {
            if ahead {
                choose.all.next = 0.into();
                choose.goes.next = false;
                (choose.better.next, choose.best.next) = (better.into(), best.into());
                choose.settle();
                choose.tick();
                (choose.better.next, choose.best.next) = ((!better).into(), (!best).into());
            } else {
                (choose.better.next, choose.best.next) = (better.into(), best.into());
            }
            let all = all & known;
            choose.all.next = all.into();
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
            let sizes = [(1, true), (2, true), (8, true), (8, false), (64, false)];
            for ((views, pairs), ahead) in sizes.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                check(views, pairs, ahead, &cycles);
                let few: Vec<_> =
                    cycles.iter().map(|c| (c.0 & rare, c.1 & c.2, c.2 & c.0 >> 3, c.3)).collect();
                check(views, pairs, ahead, &few);
            }
        }
    }
}
