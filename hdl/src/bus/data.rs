//! The data port on a bus of single words: a request becomes a burst over the
//! words that it names.
//!
//! ```text
//! IDLE -> ASK -----------------------> IDLE     load, LR
//!         ASK -> COLLECT -> MODIFY -> WRITE      AMO
//!                                     WRITE      store
//!         ANSWER -------------------> WRITE      SC
//! ```
//!
//! One request is held at a time and goes out in order. Any number of reads may be
//! under way, and come back in any order; a read waits for all writes before it, a
//! write for all reads before it. So what was accepted first is performed first, and
//! nobody behind this port can tell it from memory that performs at acceptance (M1).
//! An AMO reads and writes with nothing else under way, `lock` set. The fetch side
//! must not read while `pending`; it says `hold`, so that a stream of stores ends.
//!
//! Long, because a kernel has no functions, and half of it declares the two ports.

use crate::config::CoreConfig;
use crate::rtl::prelude::*;
use crate::soc::amo::Amo;
use crate::soc::memory::atomics;
use crate::soc::reservations::Reservations;

/// Steps, as in the kernel: 0 idle, 1 ask, 2 collect, 3 modify, 4 write, 5 answer.
const STEPS: usize = 3;

regs! {
    /// The request that is held.
    pub struct Held [const T: usize] [T] / HeldD, HeldQ {
        step: U<STEPS> = 0,
        op: U<4>,
        tag: U<4>,
        block: U<30>,
        first: U<6>,
        last: U<6>,
        at: U<6>,
        /// Of a write: its address is taken, its words are.
        addressed: Bit,
        worded: Bit,
        enable: [U<4>; T],
        data: [U<32>; T],
        /// Words of an SC where the reservation was gone.
        failed: U<T>,
    }
}

regs! {
    /// What is under way, by tag, and the reply at the port.
    pub struct Flight [] [] / FlightD, FlightQ {
        flying: U<16> = 0,
        arrived: U<16> = 0,
        broken: U<16> = 0,
        writes: U<8> = 0,
        reply: Bit = false,
        reply_tag: U<4>,
        failed: Bit = false,
    }
}

block! {
    /// See the module.
    pub struct BusData [const T: usize] [T] fn new(config: &CoreConfig) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// A fetch waits for the stores before it: no more until it is on its way.
            pub hold: Signal<In, Bit>,
            pub request: Signal<In, Bit>,
            pub tag: Signal<In, U<4>>,
            pub op: Signal<In, U<4>>,
            pub warp: Signal<In, U<5>>,
            pub block: Signal<In, U<30>>,
            pub enable: [Signal<In, U<4>>; T],
            pub data: [Signal<In, U<32>>; T],
            pub lanes: Signal<In, U<T>>,
            pub word: [Signal<In, U<6>>; T],
            pub reply_ready: Signal<In, Bit>,
            /// The bus takes the read.
            pub read_ready: Signal<In, Bit>,
            /// A word has come.
            pub beat: Signal<In, Bit>,
            pub beat_tag: Signal<In, U<4>>,
            pub beat_data: Signal<In, U<32>>,
            pub beat_last: Signal<In, Bit>,
            pub beat_error: Signal<In, Bit>,
            /// The bus takes the address of the write; one of its words. In any order.
            pub write_ready: Signal<In, Bit>,
            pub word_ready: Signal<In, Bit>,
            /// A write is done.
            pub written: Signal<In, Bit>,
            pub written_error: Signal<In, Bit>,
        }
        output {
            pub ready: Signal<Out, Bit>,
            pub reply: Signal<Out, Bit>,
            pub reply_tag: Signal<Out, U<4>>,
            pub reply_data: [Signal<Out, U<32>>; T],
            pub reply_error: Signal<Out, Bit>,
            /// The bus has refused a write: nothing is taken until reset.
            pub failed: Signal<Out, Bit>,
            pub read: Signal<Out, Bit>,
            pub write: Signal<Out, Bit>,
            /// Of either: the first word, how many more, and of a read its tag.
            pub first_word: Signal<Out, U<30>>,
            pub more: Signal<Out, U<6>>,
            pub read_tag: Signal<Out, U<4>>,
            pub word_valid: Signal<Out, Bit>,
            pub word_data: Signal<Out, U<32>>,
            pub word_enable: Signal<Out, U<4>>,
            pub word_last: Signal<Out, Bit>,
            /// An AMO is between its read and its write.
            pub lock: Signal<Out, Bit>,
            /// Not all that was accepted is written.
            pub pending: Signal<Out, Bit>,
            /// Something in `block` may be stored: from this cycle on.
            pub stores: Signal<Out, Bit>,
        }
        local {
            taken: Signal<Local, Bit>,
            first: Signal<Local, U<6>>,
            last: Signal<Local, U<6>>,
            found: Signal<Local, Bit>,
            used: Signal<Local, U<T>>,
            stored: Signal<Local, U<T>>,
            held_lanes: Signal<Local, U<T>>,
            won: Signal<Local, U<T>>,
            bit: Signal<Local, Bit>,
            named: Signal<Local, U<6>>,
            amo: Signal<Local, Bit>,
            alone: Signal<Local, Bit>,
            no_reads: Signal<Local, Bit>,
            no_writes: Signal<Local, Bit>,
            step: Signal<Local, U<STEPS>>,
            flying: Signal<Local, U<16>>,
            arrived: Signal<Local, U<16>>,
            broken: Signal<Local, U<16>>,
            word_at: Signal<Local, U<6>>,
            read_from: Signal<Local, U<4>>,
            answer: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
            no: Signal<Local, Bit>,
            all: Signal<Local, U<4>>,
            asked: Signal<Local, Bit>,
            begun: Signal<Local, Bit>,
            addressed: Signal<Local, Bit>,
            worded: Signal<Local, Bit>,
            ended: Signal<Local, Bit>,
        }
        part {
            held: Held<T> = Held::new(),
            flight: Flight = Flight::new(),
            /// The word that comes next, by tag.
            next_word: Bank<6> = Bank::new(16, 0),
            /// The words of each tag, by lane.
            words: Vec<Table<32>> = (0..T).map(|_| Table::data(16, 1, 1)).collect(),
            amos: Vec<Amo<T>> = (0..atomics(config)).map(|_| Amo::new()).collect(),
            reservations: Vec<Reservations<T>> = (0..atomics(config))
                .map(|_| Reservations::new(config.warps as usize, ram_bits(config)))
                .collect(),
        }
        plain { _atomics: usize = atomics(config), }
    }
}

/// Bits of a word's address within RAM.
fn ram_bits(config: &CoreConfig) -> usize {
    crate::rtl::address_bits(config.ram_size as usize / 4)
}

impl<const T: usize> Logic for BusData<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clock.val();
        self.held.reset.next = self.reset.val();
        self.flight.clock.next = self.clock.val();
        self.flight.reset.next = self.reset.val();
        self.next_word.clock.next = self.clock.val();
        self.next_word.reset.next = self.reset.val();
        self.yes.next = true;
        self.no.next = false;
        self.all.next = 15.into();

        // What is taken: 0 load, 1 store, 2 LR, 3 SC, 4 to 12 AMO, 13 clear.
        self.step.next = self.held.q.step.val();
        self.ready.next = (self.step.val() == 0)
            && !self.flight.q.failed.val()
            && !self.hold.val()
            && !self.reset.val();
        self.taken.next = self.request.val() && self.ready.val();
        self.first.next = 0.into();
        self.last.next = 0.into();
        self.found.next = false;
        self.used.next = 0.into();
        for i in 0..T {
            if self.enable[i].val().any() {
                if !self.found.val() {
                    self.first.next = i.to_bits();
                }
                self.last.next = i.to_bits();
                self.found.next = true;
                self.used.next = self.used.val().replace_bit(i, self.yes.val());
            }
        }
        self.stores.next = self.taken.val()
            && !(self.op.val() == 0)
            && !(self.op.val() == 2)
            && !(self.op.val() == 13);

        // Reservations; the words that an SC stores.
        self.stored.next = 0.into();
        if self.stores.val() && !(self.op.val() == 3) {
            self.stored.next = self.used.val();
        }
        self.won.next = 0.into();
        self.held_lanes.next = 0.into();
        for a in 0..self._atomics {
            self.held_lanes.next = self.reservations[a].held.val() & self.lanes.val();
            for w in 0..T {
                self.bit.next = false;
                for i in 0..T {
                    self.named.next = self.word[i].val();
                    if self.held_lanes.val().get_bit(i) && (self.named.val() == w.to_bits()) {
                        self.bit.next = true;
                    }
                }
                self.won.next = self.won.val().replace_bit(w, self.bit.val());
            }
            if self.taken.val() && (self.op.val() == 3) {
                self.stored.next = self.won.val();
            }
            self.reservations[a].clock.next = self.clock.val();
            self.reservations[a].reset.next = self.reset.val();
            self.reservations[a].warp.next = self.warp.val();
            self.reservations[a].block.next = self.block.val();
            self.reservations[a].stored_block.next = self.block.val();
            self.reservations[a].lanes.next = self.lanes.val();
            self.reservations[a].reserve.next = self.taken.val() && (self.op.val() == 2);
            self.reservations[a].cancel.next =
                self.taken.val() && ((self.op.val() == 3) || (self.op.val() == 13));
            self.reservations[a].stored.next = self.stored.val();
            for i in 0..T {
                self.reservations[a].word[i].next = self.word[i].val();
            }
        }

        // What may go out.
        self.no_reads.next = self.flight.q.flying.val() == 0;
        self.no_writes.next = self.flight.q.writes.val() == 0;
        self.alone.next = self.no_reads.val()
            && self.no_writes.val()
            && (self.flight.q.arrived.val() == 0)
            && !self.flight.q.reply.val();
        self.amo.next = self.held.q.op.val() >= 4;
        self.first_word.next = self.held.q.block.val() + self.held.q.first.val().to_bits::<30>();
        self.more.next = self.held.q.last.val() - self.held.q.first.val();
        self.read_tag.next = self.held.q.tag.val();
        self.read.next =
            (self.step.val() == 1) && self.no_writes.val() && (self.alone.val() || !self.amo.val());
        self.asked.next = self.read.val() && self.read_ready.val();
        // Address and words of a write are offered at once, and stay until they are taken.
        self.begun.next =
            (self.step.val() == 4) && self.no_reads.val() && !self.flight.q.writes.val().all();
        self.write.next = self.begun.val() && !self.held.q.addressed.val();
        self.word_valid.next = self.begun.val() && !self.held.q.worded.val();
        self.word_last.next = self.held.q.at.val() == self.held.q.last.val();
        self.addressed.next =
            self.held.q.addressed.val() || (self.write.val() && self.write_ready.val());
        self.worded.next = self.held.q.worded.val()
            || (self.word_valid.val() && self.word_last.val() && self.word_ready.val());
        self.ended.next = self.begun.val() && self.addressed.val() && self.worded.val();
        self.word_data.next = 0.into();
        self.word_enable.next = 0.into();
        for i in 0..T {
            if self.held.q.at.val() == i.to_bits() {
                self.word_data.next = self.held.q.data[i].val();
                self.word_enable.next = self.held.q.enable[i].val();
            }
        }
        self.answer.next = (self.step.val() == 5) && self.no_reads.val();
        self.lock.next = (self.step.val() != 0) && self.amo.val();
        self.pending.next = !self.no_writes.val()
            || ((self.step.val() != 0)
                && !(self.held.q.op.val() == 0)
                && !(self.held.q.op.val() == 2));

        // The request that is held.
        self.held.d.op.next = self.held.q.op.val();
        self.held.d.tag.next = self.held.q.tag.val();
        self.held.d.block.next = self.held.q.block.val();
        self.held.d.first.next = self.held.q.first.val();
        self.held.d.last.next = self.held.q.last.val();
        self.held.d.failed.next = self.held.q.failed.val();
        self.held.d.at.next = self.held.q.first.val();
        self.held.d.addressed.next = self.begun.val() && self.addressed.val();
        self.held.d.worded.next = self.begun.val() && self.worded.val();
        self.held.d.step.next = self.step.val();
        for i in 0..T {
            self.held.d.enable[i].next = self.held.q.enable[i].val();
            self.held.d.data[i].next = self.held.q.data[i].val();
        }
        if self.taken.val() {
            self.held.d.op.next = self.op.val();
            self.held.d.tag.next = self.tag.val();
            self.held.d.block.next = self.block.val();
            self.held.d.first.next = self.first.val();
            self.held.d.at.next = self.first.val();
            self.held.d.last.next = self.last.val();
            self.held.d.failed.next = self.used.val() & !self.won.val();
            self.held.d.step.next = 1.into();
            if self.op.val() == 1 {
                self.held.d.step.next = 4.into();
            }
            if self.op.val() == 3 {
                self.held.d.step.next = 5.into();
            }
            if self.op.val() == 13 {
                self.held.d.step.next = 0.into();
            }
            for i in 0..T {
                self.held.d.enable[i].next = self.enable[i].val();
                self.held.d.data[i].next = self.data[i].val();
                if (self.op.val() == 3) && !self.won.val().get_bit(i) {
                    self.held.d.enable[i].next = 0.into();
                }
            }
        }
        if self.asked.val() {
            self.held.d.step.next = 0.into();
            if self.amo.val() {
                self.held.d.step.next = 2.into();
            }
        }
        if (self.step.val() == 2) && self.no_reads.val() {
            self.held.d.step.next = 3.into();
        }
        if self.step.val() == 3 {
            // What could not be read is not written.
            self.held.d.step.next = 4.into();
            if self.flight.q.broken.val().get_bit(self.held.q.tag.val().index()) {
                self.held.d.step.next = 0.into();
            }
        }
        if self.begun.val() {
            self.held.d.at.next = self.held.q.at.val();
            if self.word_valid.val() && self.word_ready.val() {
                self.held.d.at.next = self.held.q.at.val() + 1;
            }
        }
        if self.ended.val() {
            self.held.d.step.next = 0.into();
        }
        if self.answer.val() {
            self.held.d.step.next = 0.into();
            for i in 0..T {
                if self.held.q.enable[i].val().any() {
                    self.held.d.step.next = 4.into();
                }
            }
        }

        // What comes back.
        self.flying.next = self.flight.q.flying.val();
        self.arrived.next = self.flight.q.arrived.val();
        self.broken.next = self.flight.q.broken.val();
        if self.asked.val() {
            self.flying.next =
                self.flying.val().replace_bit(self.held.q.tag.val().index(), self.yes.val());
            self.broken.next =
                self.broken.val().replace_bit(self.held.q.tag.val().index(), self.no.val());
        }
        self.word_at.next = 0.into();
        for t in 0..16 {
            self.next_word.d[t].next = self.next_word.q[t].val();
            if self.asked.val() && (self.held.q.tag.val() == t.to_bits()) {
                self.next_word.d[t].next = self.held.q.first.val();
            }
            if self.beat_tag.val() == t.to_bits() {
                self.word_at.next = self.next_word.q[t].val();
                if self.beat.val() {
                    self.next_word.d[t].next = self.next_word.q[t].val() + 1;
                }
            }
        }
        if self.beat.val() {
            if self.beat_error.val() {
                self.broken.next =
                    self.broken.val().replace_bit(self.beat_tag.val().index(), self.yes.val());
            }
            if self.beat_last.val() {
                self.flying.next =
                    self.flying.val().replace_bit(self.beat_tag.val().index(), self.no.val());
                if !(self.step.val() == 2) {
                    self.arrived.next =
                        self.arrived.val().replace_bit(self.beat_tag.val().index(), self.yes.val());
                }
            }
        }
        if self.answer.val() || (self.step.val() == 3) {
            self.arrived.next =
                self.arrived.val().replace_bit(self.held.q.tag.val().index(), self.yes.val());
        }
        self.read_from.next = self.held.q.tag.val();
        if self.flight.q.reply.val() {
            self.read_from.next = self.flight.q.reply_tag.val();
        }
        for i in 0..T {
            self.words[i].clock.next = self.clock.val();
            self.words[i].reset.next = self.reset.val();
            self.words[i].read_address[0].next = self.read_from.val().to_bits::<8>();
            self.words[i].write[0].next =
                self.answer.val() || (self.beat.val() && (self.word_at.val() == i.to_bits()));
            self.words[i].write_address[0].next = self.beat_tag.val().to_bits::<8>();
            self.words[i].write_data[0].next = self.beat_data.val();
            if self.answer.val() {
                self.words[i].write_address[0].next = self.held.q.tag.val().to_bits::<8>();
                self.words[i].write_data[0].next = self.held.q.failed.val().get_bit(i).to_bits();
            }
            self.reply_data[i].next = self.words[i].read_data[0].val();
        }
        for a in 0..self._atomics {
            self.amos[a].op.next = self.held.q.op.val();
            for i in 0..T {
                self.amos[a].old[i].next = self.words[i].read_data[0].val();
                self.amos[a].operand[i].next = self.held.q.data[i].val();
                if self.step.val() == 3 {
                    self.held.d.data[i].next = self.amos[a].result[i].val();
                }
            }
        }

        // The reply stays until it is taken; then the next one that has come.
        self.reply.next = self.flight.q.reply.val();
        self.reply_tag.next = self.flight.q.reply_tag.val();
        self.reply_error.next =
            self.flight.q.broken.val().get_bit(self.flight.q.reply_tag.val().index());
        self.flight.d.reply.next = self.flight.q.reply.val() && !self.reply_ready.val();
        self.flight.d.reply_tag.next = self.flight.q.reply_tag.val();
        if !self.flight.q.reply.val() || self.reply_ready.val() {
            self.found.next = false;
            for t in 0..16 {
                if self.flight.q.arrived.val().get_bit(t) && !self.found.val() {
                    self.found.next = true;
                    self.flight.d.reply_tag.next = t.to_bits();
                    self.arrived.next = self.arrived.val().replace_bit(t, self.no.val());
                }
            }
            self.flight.d.reply.next = self.found.val();
        }
        self.flight.d.flying.next = self.flying.val();
        self.flight.d.arrived.next = self.arrived.val();
        self.flight.d.broken.next = self.broken.val();
        self.flight.d.writes.next = self.flight.q.writes.val();
        if self.ended.val() && !self.written.val() {
            self.flight.d.writes.next = self.flight.q.writes.val() + 1;
        }
        if self.written.val() && !self.ended.val() {
            self.flight.d.writes.next = self.flight.q.writes.val() - 1;
        }
        self.failed.next = self.flight.q.failed.val();
        self.flight.d.failed.next =
            self.flight.q.failed.val() || (self.written.val() && self.written_error.val());
    }
}
