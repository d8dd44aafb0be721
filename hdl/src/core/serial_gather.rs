//! Results of loads without a network from every word to every lane (stage 9): lanes
//! whose word has their own number take it as it is, and for all others there is one word
//! at a time, that of the lowest lane that is left, which goes to all who want the same.
//! So a broadcast takes one cycle, and scattered lanes one each. In beats (`beats.rs`), which is for
//! many lanes, there are registers in between: both are three cycles later, and scattered lanes take two.
//!
//! Where in the block scattered lanes have their words is kept for one operation only; the next one
//! of that kind waits (`free`).

use super::gather::Gather;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// State.
    pub struct Places [const T: usize] [T] / PlacesD, PlacesQ {
        /// Places are kept for a load under way.
        used: Bit = false,
        place: [U<8>; T],
        /// Some lanes of the load have what they want, and these do not.
        begun: Bit = false,
        left: U<T>,
    }
}

regs! {
    /// Where it takes steps: the place of the lowest lane that is left; the place of the one before, who
    /// wants the same, and that they are the last; and of the one before that, with its word.
    pub struct Steps [const T: usize] [T] / StepsD, StepsQ {
        aims: Bit = false,
        at: U<8>,
        shows: Bit = false,
        shown: U<8>,
        part: U<T>,
        last: Bit,
        gives: Bit = false,
        given: U<32>,
        given_byte: U<2>,
        given_part: U<T>,
        given_last: Bit,
        /// Nobody is left for whom to aim.
        over: Bit = false,
    }
}

block! {
    /// See the module. Places are those of [`place`](super::shape::place).
    /// With `one`, 1 and not 0, it also says what all lanes of a part get that do not stand in line.
    pub struct SerialGather [const T: usize] [T] fn new(steps: usize, one: usize) {
        input {
            /// With `steps`, 1 and not 0, a place takes two cycles, and as many before the first: a load is
            /// at hand.
            pub here: Vec<Signal<In, Bit>> = fresh_vec(steps),
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// A scattered load begins; these are its places.
            pub keep: Signal<In, Bit>,
            pub keep_place: [Signal<In, U<8>>; T],
            /// The load at hand: its words, lanes, and what is known of their places.
            pub words: [Signal<In, U<32>>; T],
            pub mask: Signal<In, U<T>>,
            pub aligned: Signal<In, Bit>,
            pub common: Signal<In, Bit>,
            pub place: Signal<In, U<8>>,
            /// One of [`size`](super::control::size).
            pub size: Signal<In, U<2>>,
            pub sign: Signal<In, Bit>,
            /// The lanes of `part` are written in this cycle.
            pub put: Signal<In, Bit>,
        }
        output {
            /// A scattered load may begin.
            pub free: Signal<Out, Bit>,
            /// Lanes whose values are there...
            pub part: Signal<Out, U<T>>,
            /// ... and they are all that are left.
            pub last: Signal<Out, Bit>,
            pub value: [Signal<Out, U<32>>; T],
            /// With `steps`: these are there; and are the lanes' own words.
            pub able: Vec<Signal<Out, Bit>> = fresh_vec(steps),
            pub simple: Vec<Signal<Out, Bit>> = fresh_vec(steps),
            pub one: Vec<Signal<Out, U<32>>> = fresh_vec(one),
        }
        local {
            rest: Signal<Local, U<T>>,
            first: Signal<Local, U<T>>,
            at: Signal<Local, U<8>>,
            word: Signal<Local, U<6>>,
            picked: Signal<Local, U<32>>,
            same: Signal<Local, Bit>,
            twins: Signal<Local, U<T>>,
            odd: Signal<Local, Bit>,
            others: Signal<Local, U<T>>,
            puts: Signal<Local, Bit>,
            moves: Signal<Local, Bit>,
            gets: Signal<Local, Bit>,
            all: Signal<Local, Bit>,
        }
        part {
            places: Places<T> = Places::new(),
            align: Gather<1> = Gather::new(),
            steps: Vec<Steps<T>> = (0..steps).map(|_| Steps::new()).collect(),
            none: Constant<U<T>> = Constant::new(0.into()),
        }
        plain { _steps: usize = steps, _once: usize = 1 - steps, _one: usize = one, }
    }
}

impl<const T: usize> Logic for SerialGather<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.places.clock.next = self.clock.val();
        self.places.reset.next = self.reset.val();
        self.free.next = !self.places.q.used.val();
        self.odd.next = !self.aligned.val() && !self.common.val();
        self.rest.next = self.mask.val();
        if self.places.q.begun.val() {
            self.rest.next = self.places.q.left.val();
        }

        // The word of the lowest lane, and who wants the same.
        self.first.next = self.rest.val() & (self.none.val() - self.rest.val());
        self.at.next = 0.into();
        for i in 0..T {
            if self.first.val().get_bit(i) {
                self.at.next = self.at.val() | self.places.q.place[i].val();
            }
        }
        for s in 0..self._steps {
            self.steps[s].clock.next = self.clock.val();
            self.steps[s].reset.next = self.reset.val();
            self.steps[s].d.at.next = self.at.val();
            if self.steps[s].q.aims.val() {
                self.steps[s].d.at.next = self.steps[s].q.at.val();
            }
            self.at.next = self.steps[s].q.at.val();
        }
        self.twins.next = 0.into();
        for i in 0..T {
            self.same.next = self.places.q.place[i].val() == self.at.val();
            self.twins.next = self.twins.val().replace_bit(i, self.same.val());
        }
        for _once in 0..self._once {
            if self.common.val() {
                self.at.next = self.place.val();
            }
        }
        for s in 0..self._steps {
            self.at.next = self.steps[s].q.shown.val();
        }
        self.word.next = self.at.val().get_bits::<6>(2);
        self.picked.next = 0.into();
        for i in 0..T {
            if self.word.val() == i.to_bits() {
                self.picked.next = self.picked.val() | self.words[i].val();
            }
        }
        self.align.words[0].next = self.picked.val();
        self.align.word[0].next = 0.into();
        self.align.byte[0].next = self.at.val().get_bits::<2>(0);
        for s in 0..self._steps {
            self.align.words[0].next = self.steps[s].q.given.val();
            self.align.byte[0].next = self.steps[s].q.given_byte.val();
        }
        self.align.size.next = self.size.val();
        self.align.sign.next = self.sign.val();
        self.align.mask.next = 1.into();
        for o in 0..self._one {
            self.one[o].next = self.align.value[0].val();
        }
        for i in 0..T {
            self.value[i].next = self.align.value[0].val();
            if self.aligned.val() {
                self.value[i].next = self.words[i].val();
            }
        }

        for _once in 0..self._once {
            self.part.next = self.rest.val();
            if self.odd.val() {
                self.part.next = self.rest.val() & self.twins.val();
            }
        }
        self.others.next = self.rest.val() & !self.twins.val();
        self.places.d.left.next = self.places.q.left.val();
        for _once in 0..self._once {
            self.last.next = !self.odd.val() || !self.others.val().any();
        }
        self.places.d.begun.next = self.places.q.begun.val();
        self.places.d.used.next = self.places.q.used.val() || self.keep.val();
        for _once in 0..self._once {
            if self.put.val() && self.odd.val() {
                self.places.d.left.next = self.others.val();
                self.places.d.begun.next = self.others.val().any();
                if !self.others.val().any() {
                    self.places.d.used.next = self.keep.val();
                }
            }
        }
        // In the first step the place of the next lane is found (of a broadcast it is known), in the
        // second who goes with it, in the third its word. Then that is shown until it is written.
        for s in 0..self._steps {
            self.puts.next = self.put.val() && !self.aligned.val();
            self.gets.next =
                self.steps[s].q.shows.val() && (!self.steps[s].q.gives.val() || self.puts.val());
            self.moves.next =
                self.steps[s].q.aims.val() && (!self.steps[s].q.shows.val() || self.gets.val());
            self.all.next = self.common.val() || !self.others.val().any();
            self.part.next = self.mask.val();
            self.last.next = true;
            if !self.aligned.val() {
                self.part.next = self.steps[s].q.given_part.val();
                self.last.next = self.steps[s].q.given_last.val();
            }
            self.simple[s].next = self.aligned.val();
            self.able[s].next = self.aligned.val() || self.steps[s].q.gives.val();
            self.steps[s].d.aims.next = self.here[s].val()
                && !self.aligned.val()
                && !self.steps[s].q.over.val()
                && !self.moves.val();
            self.steps[s].d.shows.next =
                self.moves.val() || (self.steps[s].q.shows.val() && !self.gets.val());
            self.steps[s].d.gives.next =
                self.gets.val() || (self.steps[s].q.gives.val() && !self.puts.val());
            self.steps[s].d.shown.next = self.steps[s].q.shown.val();
            self.steps[s].d.part.next = self.steps[s].q.part.val();
            self.steps[s].d.last.next = self.steps[s].q.last.val();
            self.steps[s].d.given.next = self.steps[s].q.given.val();
            self.steps[s].d.given_byte.next = self.steps[s].q.given_byte.val();
            self.steps[s].d.given_part.next = self.steps[s].q.given_part.val();
            self.steps[s].d.given_last.next = self.steps[s].q.given_last.val();
            self.steps[s].d.over.next = self.steps[s].q.over.val();
            if self.puts.val() && self.steps[s].q.given_last.val() {
                self.steps[s].d.over.next = false;
                self.places.d.begun.next = false;
                if !self.common.val() {
                    self.places.d.used.next = self.keep.val();
                }
            }
            if self.gets.val() {
                self.steps[s].d.given.next = self.picked.val();
                self.steps[s].d.given_byte.next = self.at.val().get_bits::<2>(0);
                self.steps[s].d.given_part.next = self.steps[s].q.part.val();
                self.steps[s].d.given_last.next = self.steps[s].q.last.val();
            }
            if self.moves.val() {
                self.steps[s].d.shown.next = self.steps[s].q.at.val();
                self.steps[s].d.part.next = self.rest.val() & self.twins.val();
                if self.common.val() {
                    self.steps[s].d.shown.next = self.place.val();
                    self.steps[s].d.part.next = self.mask.val();
                }
                self.steps[s].d.last.next = self.all.val();
                self.steps[s].d.over.next = self.all.val();
                self.places.d.left.next = self.others.val();
                self.places.d.begun.next = true;
            }
        }
        for i in 0..T {
            self.places.d.place[i].next = self.places.q.place[i].val();
            for _once in 0..self._once {
                if self.keep.val() {
                    self.places.d.place[i].next = self.keep_place[i].val();
                }
            }
            // Whether a load begins is known late, and all places would wait for it.
            for _s in 0..self._steps {
                if !self.places.q.used.val() {
                    self.places.d.place[i].next = self.keep_place[i].val();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::control::size;
    use crate::core::shape::place;
    use proptest::prelude::*;

    impl<const T: usize> Sim for SerialGather<T> {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    fn cycle(block: &mut impl Sim) {
        block.settle();
        block.tick();
    }

    fn expected(words: &[u32; 8], at: u64, size: u64, sign: bool) -> u32 {
        let value = words[at as usize >> 2] >> (8 * (at & 3));
        match (size, sign) {
            (size::BYTE, false) => value & 0xff,
            (size::BYTE, true) => value as i8 as u32,
            (size::HALF, false) => value & 0xffff,
            (size::HALF, true) => value as i16 as u32,
            _ => value,
        }
    }

    proptest! {
        #[test]
        fn every_lane_gets_its_word(
            mask in 1..256u64,
            size in 0..3u64,
            sign: bool,
            mode in 0..3,
            words: [u32; 8],
            seed: [u8; 8],
            stalls: u64,
            steps in 0..2usize,
        ) {
            let places: [u64; 8] = std::array::from_fn(|i| match mode {
                0 => place(i as u64, 0),
                1 => u64::from(seed[0] % 32) & !((1 << size) - 1),
                _ => u64::from(seed[i] % 32) & !((1 << size) - 1),
            });
            let size = if mode == 0 { size::WORD } else { size };
            let mut g = Box::new(SerialGather::<8>::new(steps, 1));
            g.power_up();
            prop_assert!(g.free.val());
            for i in 0..8 {
                g.keep_place[i].next = places[i].into();
                g.words[i].next = u64::from(words[i]).into();
            }
            g.keep.next = mode == 2;
            cycle(&mut *g);
            prop_assert_eq!(g.free.val(), mode != 2);
            g.keep.next = false;
            // Once they are kept others may show.
            for (kept, place) in g.keep_place.iter_mut().zip(places) {
                kept.next = (!place & 31).into();
            }
            (g.mask.next, g.size.next, g.sign.next) = (mask.into(), size.into(), sign);
            (g.aligned.next, g.common.next) = (mode == 0, mode == 1);
            g.place.next = places[0].into();
            g.here.iter_mut().for_each(|here| here.next = true);
            let (mut left, mut cycles) = (mask, 0);
            while left != 0 {
                prop_assert!(cycles < 200);
                g.put.next = false;
                g.settle();
                if let Some(simple) = g.simple.first() {
                    prop_assert_eq!(simple.val(), mode == 0);
                }
                if g.able.first().is_some_and(|able| !able.val()) {
                    cycle(&mut *g);
                    cycles += 1;
                    continue;
                }
                g.put.next = stalls >> (cycles % 64) & 1 == 0 || cycles > 64;
                g.settle();
                let part = g.part.val().raw();
                prop_assert!(part != 0 && part & !left == 0);
                prop_assert_eq!(g.last.val(), part == left);
                let all = expected(&words, places[part.trailing_zeros() as usize], size, sign);
                prop_assert!(mode == 0 || g.one[0].val().low() == all);
                for i in (0..8).filter(|i| part >> i & 1 != 0) {
                    prop_assert_eq!(g.value[i].val().low(), expected(&words, places[i], size, sign));
                }
                left &= if g.put.val() { !part } else { !0 };
                cycle(&mut *g);
                cycles += 1;
            }
            prop_assert!(g.free.val());
            // Nothing is left of it.
            g.here.iter_mut().for_each(|here| here.next = false);
            g.put.next = false;
            cycle(&mut *g);
            prop_assert!(g.able.iter().all(|able| able.val() == (mode == 0)));
        }
    }
}
