//! The instruction windows: what predecode pushes and schedule issues, in one
//! memory per pipe. Written in stage 2, asked with the issue in stage 3, read in
//! stage 4. In a barrel what is pushed issues at once: a register per pipe.

use super::shape::{CoreShape, WINDOW};
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

block! {
    /// See the module.
    pub struct Window [] [] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub write: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub write_place: Vec<Signal<In, U<8>>> = fresh_vec(shape.pipes),
            pub write_insn: Vec<Signal<In, U<32>>> = fresh_vec(shape.pipes),
            pub write_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub write_taken: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub write_poison: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub write_hint: Vec<Signal<In, Bit>> = fresh_vec(shape.pipes),
            pub write_hint_pc: Vec<Signal<In, U<30>>> = fresh_vec(shape.pipes),
            pub read_place: Vec<Signal<In, U<8>>> = fresh_vec(shape.pipes),
        }
        output {
            pub insn: Vec<Signal<Out, U<32>>> = fresh_vec(shape.pipes),
            pub pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
            pub taken: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub poison: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub hint: Vec<Signal<Out, Bit>> = fresh_vec(shape.pipes),
            pub hint_pc: Vec<Signal<Out, U<30>>> = fresh_vec(shape.pipes),
        }
        local {
            word: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            note: Vec<Signal<Local, U<31>>> = fresh_vec(shape.pipes),
            read: Vec<Signal<Local, U<64>>> = fresh_vec(shape.pipes),
            kept: Vec<Signal<Local, U<31>>> = fresh_vec(shape.pipes),
        }
        part {
            words: Vec<Ram<64>> =
                (0..shape.windowed_pipes()).map(|_| Ram::late(shape.views() * WINDOW)).collect(),
            word_4: Bank<64> = Bank::new(shape.pipes - shape.windowed_pipes(), 0),
            note_4: Bank<31> = Bank::new(shape.pipes - shape.windowed_pipes(), 0),
            notes: Vec<Ram<31>> =
                (0..shape.windowed_pipes()).map(|_| Ram::late(shape.views() * WINDOW)).collect(),
        }
        plain {
            _pipes: usize = shape.pipes,
            _windowed: usize = shape.windowed_pipes(),
        }
    }
}

impl Logic for Window {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._pipes {
            self.word[p].next = self.write_insn[p].val().to_bits::<64>()
                | self.write_pc[p].val().to_bits::<64>() << 32;
            self.word[p].next = self.word[p].val().replace_bit(62, self.write_taken[p].val());
            self.word[p].next = self.word[p].val().replace_bit(63, self.write_poison[p].val());
            self.note[p].next = self.write_hint_pc[p].val().to_bits::<31>();
            self.note[p].next = self.note[p].val().replace_bit(30, self.write_hint[p].val());
            self.read[p].next = 0.into();
            self.kept[p].next = 0.into();
        }
        for p in 0..self._windowed {
            self.words[p].clock.next = self.clock.val();
            self.notes[p].clock.next = self.clock.val();
            self.words[p].write.next = self.write[p].val();
            self.words[p].write_address.next = self.write_place[p].val().to_bits::<16>();
            self.words[p].write_data.next = self.word[p].val();
            self.words[p].read_address.next = self.read_place[p].val().to_bits::<16>();
            self.notes[p].write.next = self.write[p].val();
            self.notes[p].write_address.next = self.write_place[p].val().to_bits::<16>();
            self.notes[p].write_data.next = self.note[p].val();
            self.notes[p].read_address.next = self.read_place[p].val().to_bits::<16>();
            self.read[p].next = self.words[p].read_data.val();
            self.kept[p].next = self.notes[p].read_data.val();
        }
        self.word_4.clock.next = self.clock.val();
        self.word_4.reset.next = self.reset.val();
        self.note_4.clock.next = self.clock.val();
        self.note_4.reset.next = self.reset.val();
        for p in self._windowed..self._pipes {
            self.word_4.d[p].next = self.word[p].val();
            self.note_4.d[p].next = self.note[p].val();
            self.read[p].next = self.word_4.q[p].val();
            self.kept[p].next = self.note_4.q[p].val();
        }
        for p in 0..self._pipes {
            self.insn[p].next = self.read[p].val().get_bits::<32>(0);
            self.pc[p].next = self.read[p].val().get_bits::<30>(32);
            self.taken[p].next = self.read[p].val().get_bit(62);
            self.poison[p].next = self.read[p].val().get_bit(63);
            self.hint[p].next = self.kept[p].val().get_bit(30);
            self.hint_pc[p].next = self.kept[p].val().get_bits::<30>(0);
        }
    }
}
