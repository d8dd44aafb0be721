//! The instruction cache: direct-mapped, one miss at a time.
//!
//! ```text
//! cycle      c        c+1          miss: asks for the line, word by word
//! fetch      taken    hit: insn    then the tag is written and the word replied
//! ```
//!
//! It sees every store as the data port takes it and drops the line, so `fence.i`
//! has nothing to do but wait for the stores before it (which has happened when it
//! commits) and to fetch anew. A line that is stored to while it comes is delivered
//! to who had asked before, and not kept. Lines are as long as a block of the data
//! port, and 8 words at least: a store concerns one line.

use crate::rtl::prelude::*;

regs! {
    /// The last fetch, and its miss.
    pub struct Miss [] [] / MissD, MissQ {
        /// A fetch was taken in the cycle before.
        look: Bit = false,
        word: U<30>,
        /// It is not there: 1 to be asked for, 2 coming, 3 all there.
        step: U<2> = 0,
        beats: U<7>,
        insn: U<32>,
        error: Bit,
        stale: Bit,
        /// After reset all lines are dropped, one by one.
        sweep: Bit = true,
        line: U<16> = 0,
        /// A store was taken in the cycle before, in this line.
        snoop: Bit = false,
        store: U<30>,
    }
}

/// Words of a line.
pub fn line_words(threads: usize) -> usize {
    threads.max(8)
}

block! {
    /// See the module. `bytes` are a power of two.
    pub struct Icache [] [] fn new(bytes: u32, threads: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub fetch: Signal<In, Bit>,
            pub fetch_word: Signal<In, U<30>>,
            /// Something in the block of this word may be stored from now on.
            pub stores: Signal<In, Bit>,
            pub store_word: Signal<In, U<30>>,
            /// The bus takes the request.
            pub read_ready: Signal<In, Bit>,
            /// A word has come.
            pub beat: Signal<In, Bit>,
            pub beat_data: Signal<In, U<32>>,
            pub beat_error: Signal<In, Bit>,
        }
        output {
            pub fetch_ready: Signal<Out, Bit>,
            pub fetch_reply: Signal<Out, Bit>,
            pub insn: Signal<Out, U<32>>,
            pub error: Signal<Out, Bit>,
            /// Asks for a line.
            pub read: Signal<Out, Bit>,
            pub read_word: Signal<Out, U<30>>,
        }
        local {
            line: Signal<Local, U<30>>,
            hit: Signal<Local, Bit>,
            taken: Signal<Local, Bit>,
            dropped: Signal<Local, Bit>,
            write: Signal<Local, Bit>,
            write_line: Signal<Local, U<30>>,
            write_tag: Signal<Local, U<31>>,
            wanted: Signal<Local, U<31>>,
            snooped: Signal<Local, U<31>>,
            store_line: Signal<Local, U<30>>,
            same: Signal<Local, Bit>,
            place: Signal<Local, U<30>>,
            fetch_line: Signal<Local, U<30>>,
            fetch_place: Signal<Local, U<30>>,
            snoop_place: Signal<Local, U<30>>,
            beat_place: Signal<Local, U<30>>,
            beat_word: Signal<Local, U<30>>,
            finish: Signal<Local, Bit>,
            mine: Signal<Local, Bit>,
        }
        part {
            miss: Miss = Miss::new(),
            tags: Ram<31> = Ram::new(lines(bytes, threads)),
            /// The same again, for stores.
            copies: Ram<31> = Ram::new(lines(bytes, threads)),
            words: Ram<32> = Ram::new(bytes as usize / 4),
            line_bits: Constant<U<4>> =
                Constant::new(u64::from(line_words(threads).ilog2()).into()),
            index: Constant<U<30>> = Constant::new((lines(bytes, threads) as u64 - 1).into()),
            all_words: Constant<U<30>> = Constant::new((u64::from(bytes) / 4 - 1).into()),
            line_mask: Constant<U<30>> = Constant::new((!(line_words(threads) as u64 - 1)).into()),
            last_beat: Constant<U<7>> = Constant::new((line_words(threads) as u64 - 1).into()),
            last_line: Constant<U<16>> = Constant::new((lines(bytes, threads) as u64 - 1).into()),
        }
    }
}

fn lines(bytes: u32, threads: usize) -> usize {
    bytes as usize / 4 / line_words(threads)
}

impl Logic for Icache {
    #[hdl_gen]
    fn update(&mut self) {
        self.miss.clock.next = self.clock.val();
        self.miss.reset.next = self.reset.val();
        self.tags.clock.next = self.clock.val();
        self.copies.clock.next = self.clock.val();
        self.words.clock.next = self.clock.val();

        // A store drops its line, in the cycle after it was taken.
        self.store_line.next = self.miss.q.store.val() & self.line_mask.val();
        self.snooped.next = self.store_line.val().to_bits::<31>();
        self.snooped.next = self.snooped.val().replace_bit(30, true);
        self.dropped.next =
            self.miss.q.snoop.val() && (self.copies.read_data.val() == self.snooped.val());
        self.miss.d.snoop.next = self.stores.val();
        self.miss.d.store.next = self.store_word.val();
        self.snoop_place.next = self.store_word.val() >> self.line_bits.val();
        self.snoop_place.next = self.snoop_place.val() & self.index.val();
        self.copies.read_address.next = self.snoop_place.val().to_bits::<16>();

        // What was looked up.
        self.line.next = self.miss.q.word.val() & self.line_mask.val();
        self.wanted.next = self.line.val().to_bits::<31>();
        self.wanted.next = self.wanted.val().replace_bit(30, true);
        self.hit.next = self.miss.q.look.val() && (self.tags.read_data.val() == self.wanted.val());

        // A line that has come is entered when no store wants the tags.
        self.finish.next =
            (self.miss.q.step.val() == 3) && !self.dropped.val() && !self.stores.val();
        self.place.next = self.line.val() >> self.line_bits.val();
        self.write.next = self.dropped.val() || self.finish.val() || self.miss.q.sweep.val();
        self.write_line.next = self.place.val() & self.index.val();
        self.write_tag.next = 0.into();
        if self.finish.val() && !self.miss.q.stale.val() && !self.miss.q.error.val() {
            self.write_tag.next = self.wanted.val();
        }
        if self.dropped.val() {
            self.write_line.next = self.store_line.val() >> self.line_bits.val();
            self.write_line.next = self.write_line.val() & self.index.val();
        }
        if self.miss.q.sweep.val() {
            self.write_line.next = self.miss.q.line.val().to_bits::<30>();
        }
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = self.write_line.val().to_bits::<16>();
        self.tags.write_data.next = self.write_tag.val();
        self.copies.write.next = self.write.val();
        self.copies.write_address.next = self.write_line.val().to_bits::<16>();
        self.copies.write_data.next = self.write_tag.val();
        self.miss.d.sweep.next =
            self.miss.q.sweep.val() && !(self.miss.q.line.val() == self.last_line.val());
        self.miss.d.line.next = self.miss.q.line.val() + 1;

        // Fetch: one at a time, the next with the reply to a hit.
        self.fetch_ready.next = !self.reset.val()
            && !self.write.val()
            && (self.miss.q.step.val() == 0)
            && (self.hit.val() || !self.miss.q.look.val());
        self.taken.next = self.fetch.val() && self.fetch_ready.val();
        self.fetch_line.next = self.fetch_word.val() >> self.line_bits.val();
        self.fetch_line.next = self.fetch_line.val() & self.index.val();
        self.fetch_place.next = self.fetch_word.val() & self.all_words.val();
        self.tags.read_address.next = self.fetch_line.val().to_bits::<16>();
        self.words.read_address.next = self.fetch_place.val().to_bits::<16>();
        self.fetch_reply.next = self.hit.val() || self.finish.val();
        self.insn.next = self.words.read_data.val();
        self.error.next = false;
        if self.finish.val() {
            self.insn.next = self.miss.q.insn.val();
            self.error.next = self.miss.q.error.val();
        }
        self.miss.d.look.next = self.taken.val();
        self.miss.d.word.next = self.miss.q.word.val();
        if self.taken.val() {
            self.miss.d.word.next = self.fetch_word.val();
        }

        // A miss.
        self.read.next = self.miss.q.step.val() == 1;
        self.read_word.next = self.line.val();
        self.beat_word.next = self.line.val() | self.miss.q.beats.val().to_bits::<30>();
        self.beat_place.next = self.beat_word.val() & self.all_words.val();
        self.words.write.next = self.beat.val();
        self.words.write_address.next = self.beat_place.val().to_bits::<16>();
        self.words.write_data.next = self.beat_data.val();
        self.mine.next = self.beat_word.val() == self.miss.q.word.val();
        self.same.next =
            ((self.store_word.val() ^ self.miss.q.word.val()) & self.line_mask.val()) == 0;
        self.miss.d.step.next = self.miss.q.step.val();
        self.miss.d.beats.next = self.miss.q.beats.val();
        self.miss.d.insn.next = self.miss.q.insn.val();
        self.miss.d.error.next = self.miss.q.error.val();
        self.miss.d.stale.next = self.miss.q.stale.val() || (self.stores.val() && self.same.val());
        if self.miss.q.look.val() && !self.hit.val() {
            self.miss.d.step.next = 1.into();
            self.miss.d.beats.next = 0.into();
            self.miss.d.error.next = false;
            self.miss.d.stale.next = false;
        }
        if self.read.val() && self.read_ready.val() {
            self.miss.d.step.next = 2.into();
        }
        if self.beat.val() {
            self.miss.d.beats.next = self.miss.q.beats.val() + 1;
            if self.beat_error.val() {
                self.miss.d.error.next = true;
            }
            if self.mine.val() {
                self.miss.d.insn.next = self.beat_data.val();
            }
            if self.miss.q.beats.val() == self.last_beat.val() {
                self.miss.d.step.next = 3.into();
            }
        }
        if self.finish.val() {
            self.miss.d.step.next = 0.into();
        }
    }
}
