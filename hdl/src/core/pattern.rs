//! How the lanes of a memory operation stand to the words of its block (stage 8,
//! combinational), in a core that serves some patterns at once and the others one after
//! the other.

use super::control::size;
use super::shape::place;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// What was found a cycle ahead.
    pub struct Ahead [] [] / AheadD, AheadQ {
        aligned: Bit,
        common: Bit,
        lead_place: U<8>,
    }
}

block! {
    /// A *place* is a word of the block and a byte of that word, [`place`].
    pub struct Pattern [const T: usize] [T] fn new(ahead: usize) {
        input {
            /// With `ahead`, 1 and not 0: all this is of the next cycle, and the place of the lowest lane
            /// is known.
            pub clock: Vec<Signal<In, Clk>> = fresh_vec(ahead),
            pub reset: Vec<Signal<In, Bit>> = fresh_vec(ahead),
            pub early_place: Vec<Signal<In, U<8>>> = fresh_vec(ahead),
            /// Lanes that take part.
            pub lanes: Signal<In, U<T>>,
            /// The lowest one.
            pub lead: Signal<In, U<T>>,
            /// One of [`size`].
            pub size: Signal<In, U<2>>,
            pub place: [Signal<In, U<8>>; T],
        }
        output {
            /// Each lane has the word of its own number, and all of it.
            pub aligned: Signal<Out, Bit>,
            /// All lanes have one place.
            pub common: Signal<Out, Bit>,
            /// That of the lowest lane.
            pub lead_place: Signal<Out, U<8>>,
        }
        local {
            strays: Signal<Local, U<T>>,
            others: Signal<Local, U<T>>,
            bit: Signal<Local, Bit>,
        }
        part {
            own: Vec<Constant<U<8>>> =
                (0..T).map(|i| Constant::new(place(i as u64, 0).into())).collect(),
            word: Constant<U<2>> = Constant::new(size::WORD.into()),
            found: Vec<Ahead> = (0..ahead).map(|_| Ahead::new()).collect(),
        }
        plain { _ahead: usize = ahead, _now: usize = if ahead == 1 { 0 } else { T }, }
    }
}

impl<const T: usize> Logic for Pattern<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.lead_place.next = 0.into();
        for i in 0..self._now {
            if self.lead.val().get_bit(i) {
                self.lead_place.next = self.lead_place.val() | self.place[i].val();
            }
        }
        for a in 0..self._ahead {
            self.lead_place.next = self.early_place[a].val();
        }
        self.strays.next = 0.into();
        self.others.next = 0.into();
        for i in 0..T {
            self.bit.next = !(self.place[i].val() == self.own[i].val());
            self.strays.next = self.strays.val().replace_bit(i, self.bit.val());
            self.bit.next = !(self.place[i].val() == self.lead_place.val());
            self.others.next = self.others.val().replace_bit(i, self.bit.val());
        }
        self.aligned.next =
            (self.size.val() == self.word.val()) && !(self.strays.val() & self.lanes.val()).any();
        self.common.next = !(self.others.val() & self.lanes.val()).any();
        for a in 0..self._ahead {
            self.found[a].clock.next = self.clock[a].val();
            self.found[a].reset.next = self.reset[a].val();
            self.found[a].d.aligned.next = self.aligned.val();
            self.found[a].d.common.next = self.common.val();
            self.found[a].d.lead_place.next = self.lead_place.val();
            self.aligned.next = self.found[a].q.aligned.val();
            self.common.next = self.found[a].q.common.val();
            self.lead_place.next = self.found[a].q.lead_place.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn says_what_the_lanes_have(
            lanes in 1..256u64,
            size in 0..3u64,
            mode in 0..3,
            seed: [u8; 8],
            ahead in 0..2usize,
        ) {
            let mut p = Pattern::<8>::new(ahead);
            p.connect_all();
            p.lanes.next = lanes.into();
            p.lead.next = (lanes & lanes.wrapping_neg()).into();
            p.size.next = size.into();
            let places: Vec<u64> = (0..8)
                .map(|i| match mode {
                    0 => place(i as u64, 0),
                    1 => u64::from(seed[0] % 32),
                    _ => u64::from(seed[i] % 32),
                })
                .map(|place| place & !((1 << size) - 1))
                .collect();
            for (input, place) in p.place.iter_mut().zip(&places) {
                input.next = (*place).into();
            }
            if ahead == 1 {
                let lead = places[lanes.trailing_zeros() as usize];
                p.early_place[0].next = lead.into();
                p.update_all();
                p.clock[0].next = p.clock[0].val().tick();
                p.update_all();
                (p.early_place[0].next, p.lanes.next) = (0.into(), 0.into());
            }
            p.update_all();
            let served = || (0..8).filter(|i| lanes >> i & 1 != 0);
            let first = places[lanes.trailing_zeros() as usize];
            let aligned = size == size::WORD && served().all(|i| places[i] == place(i as u64, 0));
            prop_assert_eq!(p.aligned.val(), aligned);
            prop_assert_eq!(p.common.val(), served().all(|i| places[i] == first));
            prop_assert_eq!(p.lead_place.val().raw(), first);
        }
    }
}
