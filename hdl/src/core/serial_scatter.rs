//! Data of scattered stores without a network from every lane to every word (stage 8): the
//! lanes pass by all words one after the other, the lowest first, so that of several the highest
//! wins (rule M2).
//!
//! Nothing may be queued after commit (rule M1). So the instruction is refused while its data
//! is put together, and makes its request when it comes again. Others that want the place wait for that. If
//! instead another instruction of the warp comes, its path goes first now, or its threads have
//! gone on otherwise, and what was put together is dropped.
//!
//! In beats (`beats.rs`) it says as well which lanes an AMO or SC serves, the lowest at each word.
//!
//! Long by a few lines: two ways to serve, and tests of both.

use super::control::size;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// State.
    pub struct Words [const T: usize] [T] / WordsD, WordsQ {
        /// Lanes still pass by.
        busy: Bit = false,
        /// The words are complete, for these lanes.
        ready: Bit = false,
        warp: U<5>,
        lanes: U<T>,
        /// The lanes that are still to come, as a ring: the next one is lane 0.
        live: U<T>,
        size: U<2>,
        place: [U<8>; T],
        operand: [U<32>; T],
        enable: [U<4>; T],
        data: [U<32>; T],
    }
}

regs! {
    /// Of an AMO or SC, whose lanes are served once a word: those that were the first at theirs.
    pub struct Winners [const T: usize] [T] / WinnersD, WinnersQ {
        once: Bit,
        /// Who executes it. The instruction in stage 8 is this one (if it wants), or its warp's.
        threads: U<T>,
        same: Bit = false,
        here: Bit = false,
        /// The lane that passes by, and its word.
        lane: U<T>,
        word: U<T>,
        lanes: U<T>,
    }
}

block! {
    /// See the module. Places are those of [`place`](super::shape::place).
    pub struct SerialScatter [const T: usize] [T] fn new(once: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// An instruction of this warp is in stage 8.
            pub valid: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// It needs its words put together: these lanes', as follows.
            pub want: Signal<In, Bit>,
            pub lanes: Signal<In, U<T>>,
            /// One of [`size`].
            pub size: Signal<In, U<2>>,
            pub place: [Signal<In, U<8>>; T],
            pub operand: [Signal<In, U<32>>; T],
            /// With `once`, 1 and not 0: only the lowest lane at a word is served.
            pub once: Vec<Signal<In, Bit>> = fresh_vec(once),
            /// Who executes it: then these, and not `lanes`, tell one instruction of a warp from
            /// another, a cycle before, by warp and threads of the instruction that comes next.
            /// None may come in two cycles in a row.
            pub threads: Vec<Signal<In, U<T>>> = fresh_vec(once),
            pub soon_warp: Vec<Signal<In, U<5>>> = fresh_vec(once),
            pub soon_threads: Vec<Signal<In, U<T>>> = fresh_vec(once),
            /// It has made its request.
            pub taken: Signal<In, Bit>,
        }
        output {
            /// The words of the one that wants are there.
            pub ready: Signal<Out, Bit>,
            pub enable: [Signal<Out, U<4>>; T],
            pub data: [Signal<Out, U<32>>; T],
            /// When they are, or those of another one, who is served.
            pub winners: Vec<Signal<Out, U<T>>> = fresh_vec(once),
            pub complete: Vec<Signal<Out, Bit>> = fresh_vec(once),
        }
        local {
            late: Signal<Local, Bit>,
            wins: Signal<Local, U<T>>,
            next_word: Signal<Local, U<6>>,
            one: Signal<Local, U<T>>,
            here: Signal<Local, Bit>,
            same: Signal<Local, Bit>,
            over: Signal<Local, Bit>,
            begins: Signal<Local, Bit>,
            word: Signal<Local, U<6>>,
            byte: Signal<Local, U<2>>,
            bytes: Signal<Local, U<4>>,
            spread: Signal<Local, U<32>>,
            low: Signal<Local, U<8>>,
            half: Signal<Local, U<16>>,
            hit: Signal<Local, Bit>,
            parts: Signal<Local, U<4>>,
            new: Signal<Local, U<32>>,
            to_come: Signal<Local, U<T>>,
        }
        part {
            words: Words<T> = Words::new(),
            winning: Vec<Winners<T>> = (0..once).map(|_| Winners::new()).collect(),
            lowest: Constant<U<T>> = Constant::new(1.into()),
            /// The bits of each byte.
            of_word: Vec<Constant<U<32>>> =
                (0..4).map(|b| Constant::new((0xff << (8 * b)).into())).collect(),
            of_byte: Constant<U<2>> = Constant::new(size::BYTE.into()),
            of_half: Constant<U<2>> = Constant::new(size::HALF.into()),
        }
        plain { _most: usize = T - 1, _once: usize = once, }
    }
}

impl<const T: usize> Logic for SerialScatter<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.words.clock.next = self.clock.val();
        self.words.reset.next = self.reset.val();
        self.here.next = self.valid.val() && (self.words.q.warp.val() == self.warp.val());
        self.same.next =
            self.want.val() && self.here.val() && (self.words.q.lanes.val() == self.lanes.val());
        for o in 0..self._once {
            self.winning[o].d.here.next = self.words.q.warp.val() == self.soon_warp[o].val();
            self.winning[o].d.same.next = (self.words.q.warp.val() == self.soon_warp[o].val())
                && (self.winning[o].q.threads.val() == self.soon_threads[o].val());
            self.here.next = self.valid.val() && self.winning[o].q.here.val();
            self.same.next = self.want.val() && self.valid.val() && self.winning[o].q.same.val();
        }
        self.ready.next = self.words.q.ready.val() && self.same.val();
        self.over.next = self.here.val() && (self.taken.val() || !self.same.val());
        self.begins.next = self.want.val()
            && ((self.here.val() && !self.same.val())
                || !(self.words.q.busy.val() || self.words.q.ready.val()));

        // The lane that passes by.
        self.word.next = self.words.q.place[0].val().get_bits::<6>(2);
        self.byte.next = self.words.q.place[0].val().get_bits::<2>(0);
        self.low.next = self.words.q.operand[0].val().get_bits::<8>(0);
        self.half.next = self.words.q.operand[0].val().get_bits::<16>(0);
        self.spread.next = self.words.q.operand[0].val();
        self.bytes.next = 15.into();
        if self.words.q.size.val() == self.of_byte.val() {
            self.half.next = self.low.val().to_bits::<16>() | self.low.val().to_bits::<16>() << 8;
            self.bytes.next = 1.into();
            if self.byte.val() == 1 {
                self.bytes.next = 2.into();
            } else if self.byte.val() == 2 {
                self.bytes.next = 4.into();
            } else if self.byte.val() == 3 {
                self.bytes.next = 8.into();
            }
        } else if self.words.q.size.val() == self.of_half.val() {
            self.bytes.next = 3.into();
            if self.byte.val().get_bit(1) {
                self.bytes.next = 12.into();
            }
        }
        if (self.words.q.size.val() == self.of_byte.val())
            || (self.words.q.size.val() == self.of_half.val())
        {
            self.spread.next =
                self.half.val().to_bits::<32>() | self.half.val().to_bits::<32>() << 16;
        }

        // Somebody was at its word before.
        for o in 0..self._once {
            self.late.next = false;
            self.winning[o].clock.next = self.clock.val();
            self.winning[o].reset.next = self.reset.val();
            self.next_word.next = self.words.q.place[1].val().get_bits::<6>(2);
            if self.begins.val() {
                self.next_word.next = self.place[0].val().get_bits::<6>(2);
            }
            self.one.next = 0.into();
            for w in 0..T {
                self.hit.next = self.next_word.val() == w.to_bits();
                self.one.next = self.one.val().replace_bit(w, self.hit.val());
                if self.winning[o].q.word.val().get_bit(w)
                    && self.words.q.enable[w].val().get_bit(0)
                {
                    self.late.next = true;
                }
            }
            self.winning[o].d.word.next = self.one.val();
            self.wins.next = 0.into();
            if self.words.q.live.val().get_bit(0) && !self.late.val() {
                self.wins.next = self.winning[o].q.lane.val();
            }
            self.winning[o].d.once.next = self.winning[o].q.once.val();
            self.winning[o].d.threads.next = self.winning[o].q.threads.val();
            self.winning[o].d.lane.next = self.winning[o].q.lane.val() << 1;
            self.winning[o].d.lanes.next = self.winning[o].q.lanes.val();
            if self.words.q.busy.val() {
                self.winning[o].d.lanes.next = self.winning[o].q.lanes.val() | self.wins.val();
            }
            if self.begins.val() {
                self.winning[o].d.once.next = self.once[o].val();
                self.winning[o].d.threads.next = self.threads[o].val();
                self.winning[o].d.lane.next = self.lowest.val();
                self.winning[o].d.lanes.next = 0.into();
            }
            self.winners[o].next = self.winning[o].q.lanes.val();
            self.complete[o].next = self.words.q.ready.val();
        }

        // Words: each takes what is for it.
        for w in 0..T {
            self.enable[w].next = self.words.q.enable[w].val();
            self.data[w].next = self.words.q.data[w].val();
            self.hit.next = self.words.q.busy.val()
                && self.words.q.live.val().get_bit(0)
                && (self.word.val() == w.to_bits());
            for o in 0..self._once {
                self.hit.next = self.words.q.busy.val()
                    && self.words.q.live.val().get_bit(0)
                    && self.winning[o].q.word.val().get_bit(w)
                    && !(self.winning[o].q.once.val() && self.words.q.enable[w].val().get_bit(0));
            }
            self.parts.next = 0.into();
            if self.hit.val() {
                self.parts.next = self.bytes.val();
            }
            self.words.d.enable[w].next = self.words.q.enable[w].val() | self.parts.val();
            if self.begins.val() {
                self.words.d.enable[w].next = 0.into();
            }
            self.new.next = self.words.q.data[w].val();
            for b in 0..4 {
                if self.parts.val().get_bit(b) {
                    self.new.next = (self.new.val() & !self.of_word[b].val())
                        | (self.spread.val() & self.of_word[b].val());
                }
            }
            self.words.d.data[w].next = self.new.val();
        }

        // Lanes.
        for i in 0..self._most {
            self.words.d.place[i].next = self.words.q.place[i + 1].val();
            self.words.d.operand[i].next = self.words.q.operand[i + 1].val();
        }
        for i in self._most..T {
            self.words.d.place[i].next = self.words.q.place[i].val();
            self.words.d.operand[i].next = self.words.q.operand[i].val();
        }
        self.to_come.next = self.words.q.live.val() >> 1;
        self.words.d.live.next = self.to_come.val();
        if self.begins.val() {
            for i in 0..T {
                self.words.d.place[i].next = self.place[i].val();
                self.words.d.operand[i].next = self.operand[i].val();
            }
            self.words.d.live.next = self.lanes.val();
        }

        self.words.d.busy.next = self.begins.val()
            || (self.words.q.busy.val() && self.to_come.val().any() && !self.over.val());
        self.words.d.ready.next = !self.begins.val()
            && !self.over.val()
            && (self.words.q.ready.val() || (self.words.q.busy.val() && !self.to_come.val().any()));
        self.words.d.warp.next = self.words.q.warp.val();
        self.words.d.lanes.next = self.words.q.lanes.val();
        self.words.d.size.next = self.words.q.size.val();
        if self.begins.val() {
            self.words.d.warp.next = self.warp.val();
            self.words.d.lanes.next = self.lanes.val();
            self.words.d.size.next = self.size.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::shape::place;
    use proptest::prelude::*;

    impl<const T: usize> Sim for SerialScatter<T> {
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

    type Dut = SerialScatter<8>;

    fn dut() -> Box<Dut> {
        let mut s = Box::new(Dut::new(0));
        s.power_up();
        s
    }

    fn ask(s: &mut Dut, warp: u64, lanes: u64) {
        (s.warp.next, s.lanes.next) = (warp.into(), lanes.into());
        (s.want.next, s.valid.next) = (true, true);
        s.settle();
    }

    /// An instruction comes, with `once`: it is known a cycle before.
    fn come(s: &mut Dut, warp: u64, threads: u64, lanes: u64) {
        (s.want.next, s.valid.next, s.taken.next) = (false, false, false);
        (s.soon_warp[0].next, s.soon_threads[0].next) = (warp.into(), threads.into());
        s.settle();
        cycle(s);
        s.threads[0].next = threads.into();
        (s.soon_warp[0].next, s.soon_threads[0].next) = (0.into(), 0.into());
        ask(s, warp, lanes);
    }

    /// And goes.
    fn go(s: &mut Dut) {
        cycle(s);
        (s.want.next, s.valid.next, s.taken.next) = (false, false, false);
        s.settle();
    }

    /// Cycles until it is ready; it is asked in each of them.
    fn wait(s: &mut Dut) -> usize {
        (0..1000)
            .find(|_| {
                let ready = s.ready.val();
                if !ready {
                    cycle(s);
                }
                ready
            })
            .expect("it is never ready")
    }

    proptest! {
        #[test]
        fn the_highest_lane_wins(lanes in 1..256u64, size in 0..3u64, seed: [(u8, u32); 8]) {
            let mut s = dut();
            s.size.next = size.into();
            let mut expected = [None; 32];
            for (i, (at, operand)) in seed.iter().enumerate() {
                let (word, byte) = (usize::from(at % 8), usize::from(at >> 3));
                let byte = (byte % 4) & !((1 << size) - 1);
                s.place[i].next = place(word as u64, byte as u64).into();
                s.operand[i].next = u64::from(*operand).into();
                if lanes >> i & 1 != 0 {
                    for n in 0..1 << size {
                        expected[4 * word + byte + n] = Some(operand.to_le_bytes()[n]);
                    }
                }
            }
            ask(&mut s, 3, lanes);
            let cycles = wait(&mut s);
            prop_assert_eq!(cycles, 1 + 64 - lanes.leading_zeros() as usize);
            for (n, byte) in expected.iter().enumerate() {
                prop_assert_eq!(s.enable[n / 4].val().get_bit(n % 4), byte.is_some());
                let out = s.data[n / 4].val().low().to_le_bytes()[n % 4];
                prop_assert!(byte.is_none_or(|byte| byte == out), "byte {}", n);
            }
        }
    }

    proptest! {
        /// Of an AMO or SC, once a word.
        #[test]
        fn the_lowest_lane_is_served(lanes in 1..256u64, seed: [(u8, u32); 8]) {
            let mut s = Box::new(Dut::new(1));
            s.power_up();
            (s.size.next, s.once[0].next) = (size::WORD.into(), true);
            let (mut words, mut winners) = ([None; 8], 0);
            for (i, (at, operand)) in seed.iter().enumerate() {
                let word = usize::from(at % 8);
                s.place[i].next = place(word as u64, 0).into();
                s.operand[i].next = u64::from(*operand).into();
                if lanes >> i & 1 != 0 && words[word].is_none() {
                    words[word] = Some(*operand);
                    winners |= 1 << i;
                }
            }
            let mut times = 0;
            come(&mut s, 3, 0xff, lanes);
            while !s.ready.val() {
                prop_assert!(times < 5, "it is never ready");
                go(&mut s);
                come(&mut s, 3, 0xff, lanes);
                times += 1;
            }
            prop_assert!(times > 0);
            prop_assert!(s.complete[0].val());
            prop_assert_eq!(s.winners[0].val().raw(), winners);
            for (w, word) in words.iter().enumerate() {
                prop_assert_eq!(s.enable[w].val(), if word.is_some() { 15 } else { 0 });
                prop_assert!(word.is_none_or(|word| word == s.data[w].val().low()), "word {}", w);
            }
        }
    }

    #[test]
    fn other_warps_wait() {
        let mut s = dut();
        ask(&mut s, 1, 0xf0);
        assert!(!s.ready.val());
        wait(&mut s);
        ask(&mut s, 2, 0xf0);
        for _ in 0..2000 {
            assert!(!s.ready.val());
            cycle(&mut *s);
        }
        ask(&mut s, 1, 0xf0);
        assert!(s.ready.val());
        s.taken.next = true;
        cycle(&mut *s);
        s.taken.next = false;
        ask(&mut s, 2, 0xf0);
        wait(&mut s);
    }

    #[test]
    fn another_instruction_of_the_warp_drops_them() {
        for complete in [false, true] {
            for lanes in [None, Some(0xf1), Some(0x0f)] {
                let mut s = dut();
                ask(&mut s, 1, 0xf0);
                if complete {
                    wait(&mut s);
                } else {
                    cycle(&mut *s);
                }
                ask(&mut s, 1, lanes.unwrap_or(0xf0));
                s.want.next = lanes.is_some();
                cycle(&mut *s);
                if lanes.is_some() {
                    s.settle();
                    wait(&mut s);
                }
                ask(&mut s, 1, 0xf0);
                assert!(!s.ready.val());
                wait(&mut s);
            }
        }
    }

    /// With `once` it is told apart by warp and threads, known a cycle before.
    #[test]
    fn with_once_another_instruction_of_the_warp_drops_them() {
        // Warp, threads, whether it wants; whether what was put together is kept.
        let others = [(2, 0xff, true, true), (2, 0xff, false, true), (1, 0xff, false, false)];
        for ((warp, threads, want, kept), complete) in others
            .into_iter()
            .chain([(1, 0xfe, true, false), (1, 0xfe, false, false)])
            .flat_map(|other| [(other, false), (other, true)])
        {
            let mut s = Box::new(Dut::new(1));
            s.power_up();
            come(&mut s, 1, 0xff, 0xf0);
            go(&mut s);
            if complete {
                (0..8).for_each(|_| cycle(&mut *s));
                assert!(s.complete[0].val());
            }
            come(&mut s, warp, threads, 0xf0);
            assert!(!want || !s.ready.val());
            s.want.next = want;
            s.settle();
            go(&mut s);
            (0..8).for_each(|_| cycle(&mut *s));
            come(&mut s, 1, 0xff, 0xf0);
            assert_eq!(s.ready.val(), kept, "warp {warp} threads {threads:x} want {want}");
            if kept {
                s.taken.next = true;
                s.settle();
                go(&mut s);
                come(&mut s, 1, 0xff, 0xf0);
                assert!(!s.ready.val(), "it has made its request");
            }
        }
    }
}
