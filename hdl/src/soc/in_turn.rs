//! SC and AMO of many words, one after the other: one of them is worked on at a time, where
//! [`Memory`](super::memory) does it for all words at once if there are few.
//!
//! ```text
//! cycle     1       2              3      4         5                6
//!           begins  a word chosen  shown  gathered  its result made  written
//! ```
//!
//! A word per cycle, the lowest first: shown is what [`GROUP`] neighbours have where one of them is
//! chosen, gathered that of all. An SC finds out first which words have won, a lane with a
//! reservation per cycle.
//!
//! Nothing is copied: the words stay in the registers of the banks, and the operands where they came
//! from, until it has ended.

use super::amo::Amo;
use crate::rtl::prelude::*;

/// Words of which one is chosen in a cycle, or none.
const GROUP: usize = 8;

regs! {
    /// How far it is.
    pub struct Turns [const T: usize] [T] / TurnsD, TurnsQ {
        busy: Bit = false,
        sc: Bit,
        /// Which words of an SC have won is found out: what follows are lanes.
        finds: Bit,
        /// Nothing was left or chosen a cycle ago.
        empty: Bit = false,
        /// Words that are still to come, and the one that is chosen.
        left: U<T> = 0,
        chosen: U<T> = 0,
        /// That which was chosen a cycle before.
        shows: U<T> = 0,
        /// The word of which the result is made: what it holds, and the operand.
        works: U<T> = 0,
        lower: U<32>,
        operand: U<32>,
        /// The word that is written, and with what.
        put: U<T> = 0,
        result: U<32>,
        won: U<T>,
    }
}

regs! {
    /// The word that is chosen, if it is one of the group: what it holds, and the operand.
    pub struct Shown [] [] / ShownD, ShownQ {
        lower: U<32>,
        operand: U<32>,
    }
}

block! {
    /// See the module. Nothing else happens from `begin` until it is no longer `busy`; words and
    /// operands stay as they are, but for words that have been written.
    pub struct InTurn [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// An SC or AMO begins; its words have come out of memory.
            pub begin: Signal<In, Bit>,
            pub op: Signal<In, U<4>>,
            /// Words that it names.
            pub used: Signal<In, U<T>>,
            /// Lanes of an SC whose reservation stands, and the words of lanes.
            pub held: Signal<In, U<T>>,
            pub word: [Signal<In, U<6>>; T],
            pub data: [Signal<In, U<32>>; T],
            pub old: [Signal<In, U<32>>; T],
        }
        output {
            pub busy: Signal<Out, Bit>,
            /// This word is written, with the result.
            pub put: Signal<Out, U<T>>,
            pub result: Signal<Out, U<32>>,
            /// An SC ends, and has written the words that have won.
            pub ends: Signal<Out, Bit>,
            pub won: Signal<Out, U<T>>,
        }
        local {
            next: Signal<Local, U<T>>,
            lower: Signal<Local, U<32>>,
            operand: Signal<Local, U<32>>,
            number: Signal<Local, U<6>>,
            won_now: Signal<Local, U<T>>,
            hit: Signal<Local, Bit>,
            found: Signal<Local, Bit>,
            done: Signal<Local, Bit>,
        }
        part {
            turns: Turns<T> = Turns::new(),
            amo: Amo<1> = Amo::new(),
            one: Constant<U<T>> = Constant::new(1.into()),
            shown: Vec<Shown> = (0..T.div_ceil(GROUP)).map(|_| Shown::new()).collect(),
        }
        plain {
            _groups: usize = T.div_ceil(GROUP),
            _group: usize = T.min(GROUP),
        }
    }
}

impl<const T: usize> Logic for InTurn<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.turns.clock.next = self.clock.val();
        self.turns.reset.next = self.reset.val();
        // The lowest that is left.
        self.next.next = self.turns.q.left.val() - self.one.val();
        self.turns.d.chosen.next = self.turns.q.left.val() & !self.next.val();
        self.turns.d.left.next = self.turns.q.left.val() & self.next.val();
        self.found.next = self.turns.q.empty.val();
        self.turns.d.empty.next = !(self.turns.q.left.val() | self.turns.q.chosen.val()).any()
            && !(self.turns.q.finds.val() && self.found.val());
        self.done.next = self.found.val()
            && !self.turns.q.finds.val()
            && !(self.turns.q.shows.val() | self.turns.q.works.val() | self.turns.q.put.val())
                .any();
        self.turns.d.busy.next = self.turns.q.busy.val() && !self.done.val();
        self.turns.d.finds.next = self.turns.q.finds.val() && !self.found.val();
        if self.turns.q.finds.val() && self.found.val() {
            self.turns.d.left.next = self.turns.q.won.val();
        }
        self.turns.d.sc.next = self.turns.q.sc.val();

        // Of what is chosen.
        self.number.next = 0.into();
        for i in 0..T {
            if self.turns.q.chosen.val().get_bit(i) {
                self.number.next = self.number.val() | self.word[i].val();
            }
        }
        for g in 0..self._groups {
            self.shown[g].clock.next = self.clock.val();
            self.shown[g].reset.next = self.reset.val();
            self.lower.next = 0.into();
            self.operand.next = 0.into();
            // (A kernel has constants as numbers: eight are a group.)
            for i in 0..self._group {
                if self.turns.q.chosen.val().get_bit(8 * g + i) {
                    self.lower.next = self.lower.val() | self.old[8 * g + i].val();
                    self.operand.next = self.operand.val() | self.data[8 * g + i].val();
                }
            }
            self.shown[g].d.lower.next = self.lower.val();
            self.shown[g].d.operand.next = self.operand.val();
        }
        self.lower.next = 0.into();
        self.operand.next = 0.into();
        for g in 0..self._groups {
            self.lower.next = self.lower.val() | self.shown[g].q.lower.val();
            self.operand.next = self.operand.val() | self.shown[g].q.operand.val();
        }
        self.amo.op.next = self.op.val();
        for i in 0..1 {
            self.amo.old[i].next = self.turns.q.lower.val();
            self.amo.operand[i].next = self.turns.q.operand.val();
            self.turns.d.result.next = self.amo.result[i].val();
        }
        self.turns.d.lower.next = self.lower.val();
        self.turns.d.operand.next = self.operand.val();
        self.turns.d.put.next = self.turns.q.works.val();
        self.turns.d.works.next = self.turns.q.shows.val();
        self.turns.d.shows.next = 0.into();
        self.won_now.next = self.turns.q.won.val();
        self.hit.next = false;
        if self.turns.q.finds.val() {
            for w in 0..T {
                self.hit.next = self.turns.q.won.val().get_bit(w)
                    || (self.turns.q.chosen.val().any() && (self.number.val() == w.to_bits()));
                self.won_now.next = self.won_now.val().replace_bit(w, self.hit.val());
            }
        } else {
            self.turns.d.shows.next = self.turns.q.chosen.val();
        }
        self.turns.d.won.next = self.won_now.val();

        if self.begin.val() {
            self.turns.d.busy.next = true;
            self.turns.d.empty.next = false;
            self.turns.d.sc.next = self.op.val() == 3;
            self.turns.d.finds.next = self.op.val() == 3;
            self.turns.d.won.next = 0.into();
            self.turns.d.left.next = self.used.val();
            if self.op.val() == 3 {
                self.turns.d.left.next = self.held.val();
            }
        }
        self.busy.next = self.turns.q.busy.val();
        self.put.next = self.turns.q.put.val();
        self.result.next = self.turns.q.result.val();
        self.ends.next = self.turns.q.busy.val() && self.done.val() && self.turns.q.sc.val();
        self.won.next = self.turns.q.won.val();
    }
}
