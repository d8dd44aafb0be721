//! Memory on the chip: a bank per lane, behind the data port and one fetch.
//!
//! ```text
//! cycle     c              c+1                              c+2 and c+3
//! request   taken          not ready after a load, LR,      not ready after an SC or AMO
//!                          SC or AMO
//! banks     read, write                                     c+3: SC or AMO: write
//! reply                    words, until they are taken
//! ```
//!
//! A store is written as it is taken, one per cycle; what replies takes two cycles, what also
//! writes four: it works on registers and for registers, as words come late out of block RAM.
//! A fetch is taken whatever its row is, and replies two cycles later: words of all banks come
//! late, and one is chosen in the second cycle. What it read in a cycle
//! in which a store to its row waits or is written, or an SC or AMO to it is under way (or, with
//! one read port, that is needed for data) is read again, until there is no such thing; no other
//! fetch is taken then. `ready` and `fetch_ready` look at nothing that comes from the core.
//!
//! Where there are many harts stores wait for [`Swept`] reservations, and the words of an SC or AMO
//! are worked on [`InTurn`]: three cycles more, and one for each of them. What was asked for then
//! stays at the port until that has ended.
//!
//! Long, because data port, atomics and fetch share the banks cycle by cycle.

use super::SocOptions;
use super::amo::Amo;
use super::bank::BankRam;
use super::in_turn::InTurn;
use super::reservations::Reservations;
use super::swept::Swept;
use crate::config::CoreConfig;
use crate::isa::encoding::Ext;
use crate::platform::RAM_BASE;
use crate::rtl::address_bits;
use crate::rtl::prelude::*;

regs! {
    /// The reply that is owed, and what is still to be done for it.
    pub struct Owed [const T: usize] [T] / OwedD, OwedQ {
        reply: Bit = false,
        /// It is of an SC or AMO, whose words come out now,
        change: Bit = false,
        /// are worked on now,
        combine: Bit = false,
        /// and are written now.
        finish: Bit = false,
        tag: U<4>,
        op: U<4>,
        row: U<28>,
        /// That row is beside `tohost`.
        at_host: Bit,
        /// A request is taken.
        ready: Bit = false,
    }
}

regs! {
    /// Of an AMO: its operands, what was in memory, and the words that it changes. Of an SC:
    /// lanes whose reservation stands, and their words.
    pub struct Operands [const T: usize] [T] / OperandsD, OperandsQ {
        used: U<T>,
        held: U<T>,
        /// The words of the lanes in `held`, a cycle later.
        won: U<T>,
        word: [U<6>; T],
        data: [U<32>; T],
        old: [U<32>; T],
        result: [U<32>; T],
    }
}

/// From so many harts on their reservations are swept, and words changed in turn.
const MANY: u32 = 128;
/// From so many lanes on the word that is fetched goes through a register: their banks lie all over the
/// device.
const WIDE: usize = 32;
/// Neighbouring banks that share a register for their words then.
const SHARE: usize = 4;

#[cfg(test)]
mod tests;

/// The words that lane `lane` has of an image.
fn bank<const T: usize>(options: &SocOptions, lane: usize) -> BankRam {
    let words = options.image.iter().skip(lane).step_by(T).copied();
    BankRam::new(words.collect(), options.two_ports)
}

block! {
    /// See the module.
    pub struct Memory [const T: usize] [T] fn new(config: &CoreConfig, options: &SocOptions) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Nothing is taken from the data port in the next cycle.
            pub closing: Signal<In, Bit>,
            /// This word becomes 0. Only while the port is closed, no reply is owed and nothing is under way.
            pub clear: Signal<In, Bit>,
            pub clear_word: Signal<In, U<30>>,
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
            pub fetch: Signal<In, Bit>,
            pub fetch_word: Signal<In, U<30>>,
        }
        output {
            pub ready: Signal<Out, Bit>,
            /// `ready` in the next cycle.
            pub ready_next: Signal<Out, Bit>,
            pub reply: Signal<Out, Bit>,
            pub reply_tag: Signal<Out, U<4>>,
            pub reply_data: [Signal<Out, U<32>>; T],
            pub fetch_ready: Signal<Out, Bit>,
            /// Of the fetch taken last but what was taken in the cycle before.
            pub fetch_reply: Signal<Out, Bit>,
            pub insn: Signal<Out, U<32>>,
            /// What is written in this cycle, for who listens.
            pub write_row: Signal<Out, U<28>>,
            pub write: [Signal<Out, U<4>>; T],
            pub write_data: [Signal<Out, U<32>>; T],
        }
        local {
            taken: Signal<Local, Bit>,
            loads: Signal<Local, Bit>,
            stores: Signal<Local, Bit>,
            sc: Signal<Local, Bit>,
            amo: Signal<Local, Bit>,
            replies: Signal<Local, Bit>,
            owes: Signal<Local, Bit>,
            finish: Signal<Local, Bit>,
            vacant: Signal<Local, Bit>,
            alarms: Signal<Local, Bit>,
            to_host: Signal<Local, Bit>,
            used: Signal<Local, U<T>>,
            won: Signal<Local, U<T>>,
            stored: Signal<Local, U<T>>,
            failed: Signal<Local, U<T>>,
            lost: Signal<Local, U<T>>,
            row: Signal<Local, U<28>>,
            low: Signal<Local, U<28>>,
            fetch_low: Signal<Local, U<28>>,
            fetch_row: Signal<Local, U<28>>,
            fetch_lane: Signal<Local, U<28>>,
            fetch_bits: Signal<Local, U<28>>,
            again_bits: Signal<Local, U<28>>,
            own_bits: Signal<Local, U<28>>,
            request_bits: Signal<Local, U<28>>,
            clear_low: Signal<Local, U<28>>,
            clear_lane: Signal<Local, U<28>>,
            reads: Signal<Local, Bit>,
            access: Signal<Local, Bit>,
            changes: Signal<Local, Bit>,
            asked: Signal<Local, Bit>,
            clear_bits: Signal<Local, U<28>>,
            clear_row: Signal<Local, U<28>>,
            request_row: Signal<Local, U<28>>,
            word_of: Signal<Local, U<32>>,
            fetches: Signal<Local, Bit>,
            fails: Signal<Local, Bit>,
            needed: Signal<Local, Bit>,
            meets: Signal<Local, Bit>,
            all: Signal<Local, U<4>>,
            bit: Signal<Local, Bit>,
            wide: Signal<Local, U<6>>,
            held: Signal<Local, U<T>>,
            stored_block: Signal<Local, U<30>>,
            /// Who holds what is not known in the next cycle.
            unknown: Signal<Local, Bit>,
        }
        part {
            owed: Owed<T> = Owed::new(),
            fetching: Fetching = Fetching::new(),
            fetched: Fetched<T> = Fetched::new(),
            chosen: Vec<Chosen> = (0..fetch_registers(T)).map(|_| Chosen::new()).collect(),
            shared: Vec<Shared> =
                (0..fetch_registers(T) * T / SHARE).map(|_| Shared::new()).collect(),
            banks: Vec<BankRam> = (0..T).map(|lane| bank::<T>(options, lane)).collect(),
            operands: Vec<Operands<T>> = (0..atomics(config)).map(|_| Operands::new()).collect(),
            amos: Vec<Amo<T>> = (0..atomics(config) - swept(config)).map(|_| Amo::new()).collect(),
            in_turn: Vec<InTurn<T>> = (0..swept(config)).map(|_| InTurn::new()).collect(),
            reservations: Vec<Reservations<T>> = (0..atomics(config) - swept(config))
                .map(|_| Reservations::new(config.warps as usize, address_bits(options.image.len())))
                .collect(),
            swept: Vec<Swept<T>> = (0..swept(config))
                .map(|_| Swept::new(config.warps as usize, address_bits(options.image.len())))
                .collect(),
            lane_bits: Constant<U<3>> = Constant::new(u64::from(T.ilog2()).into()),
            /// The bits by which rows of RAM differ.
            row_mask: Constant<U<28>> =
                Constant::new((options.image.len().div_ceil(T).next_power_of_two() as u64 - 1).into()),
            lane_mask: Constant<U<28>> = Constant::new((T as u64 - 1).into()),
            host_row: Constant<U<28>> =
                Constant::new(u64::from((options.tohost - RAM_BASE) / 4 / T as u32).into()),
            two_ports: Constant<Bit> = Constant::new(options.two_ports),
        }
        plain {
            _atomics: usize = atomics(config),
            _reservations: usize = atomics(config) - swept(config),
            _swept: usize = swept(config),
            _chosen: usize = fetch_registers(T),
            _apart: usize = 1 - fetch_registers(T),
            _shared: usize = fetch_registers(T) * T / SHARE,
            _share: usize = SHARE,
        }
    }
}

regs! {
    /// Whose word comes out of the banks.
    pub struct Fetching [] [] / FetchingD, FetchingQ {
        /// A fetch is taken: not in reset.
        ready: Bit = false,
        reply: Bit = false,
        /// It is not what was asked for, which is read again.
        again: Bit = false,
        row: U<28>,
        lane: U<28>,
    }
}

regs! {
    /// What came out.
    pub struct Fetched [const T: usize] [T] / FetchedD, FetchedQ {
        reply: Bit = false,
        lane: U<28>,
        word: [U<32>; T],
    }
}

regs! {
    /// Of neighbouring banks that which was asked for, if it is one of them.
    pub struct Shared [] [] / SharedD, SharedQ {
        word: U<32>,
    }
}

regs! {
    /// The word of these that was asked for, if there are many.
    pub struct Chosen [] [] / ChosenD, ChosenQ {
        reply: Bit = false,
        insn: U<32>,
    }
}

/// Registers that a word goes through when it has been fetched, behind those of the banks.
pub fn fetch_registers(lanes: usize) -> usize {
    usize::from(lanes >= WIDE)
}

/// One, or none in a build without atomic instructions.
pub fn atomics(config: &CoreConfig) -> usize {
    usize::from(config.isa.has(Ext::A))
}

/// 1 if the reservations of so many harts are looked through one warp after the other, and the words
/// of an SC or AMO are worked on in turn.
pub fn swept(config: &CoreConfig) -> usize {
    if config.total_harts() >= MANY { atomics(config) } else { 0 }
}

impl<const T: usize> Logic for Memory<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.owed.clock.next = self.clock.val();
        self.owed.reset.next = self.reset.val();
        self.fetching.clock.next = self.clock.val();
        self.fetching.reset.next = self.reset.val();
        self.fetched.clock.next = self.clock.val();
        self.fetched.reset.next = self.reset.val();
        self.all.next = 15.into();

        // What is taken: 0 load, 1 store, 2 LR, 3 SC, 4 to 12 AMO, 13 clear.
        self.ready.next = self.owed.q.ready.val();
        self.taken.next = self.request.val() && self.ready.val();
        self.loads.next = self.taken.val() && ((self.op.val() == 0) || (self.op.val() == 2));
        self.stores.next = self.taken.val() && (self.op.val() == 1);
        self.sc.next = self.taken.val() && (self.op.val() == 3);
        self.amo.next = self.taken.val() && (self.op.val() >= 4) && !(self.op.val() == 13);
        self.replies.next = self.loads.val() || self.sc.val() || self.amo.val();
        self.low.next = self.block.val().get_bits::<28>(0);
        self.request_row.next = self.low.val() >> self.lane_bits.val();

        // Reservations; the words that a lane of an SC may store.
        self.used.next = 0.into();
        for i in 0..T {
            self.used.next = self.used.val().replace_bit(i, self.enable[i].val().any());
        }
        // Of what is stored at once, and by a lane of an SC when that ends.
        self.stored.next = 0.into();
        if self.stores.val() || self.amo.val() {
            self.stored.next = self.used.val();
        }
        self.won.next = 0.into();
        self.failed.next = 0.into();
        self.lost.next = 0.into();
        for a in 0..self._reservations {
            for w in 0..T {
                self.bit.next = false;
                for i in 0..T {
                    self.wide.next = self.operands[a].q.word[i].val();
                    if self.operands[a].q.held.val().get_bit(i) && (self.wide.val() == w.to_bits())
                    {
                        self.bit.next = true;
                    }
                }
                self.won.next = self.won.val().replace_bit(w, self.bit.val());
            }
            self.failed.next = self.operands[a].q.used.val() & !self.won.val();
            if self.owed.q.op.val() == 3 {
                self.lost.next = self.operands[a].q.used.val() & !self.operands[a].q.won.val();
                if self.owed.q.finish.val() {
                    self.stored.next = self.operands[a].q.won.val();
                }
            }
        }
        self.stored_block.next = self.block.val();
        if self.owed.q.finish.val() {
            self.stored_block.next = self.owed.q.row.val().to_bits::<30>() << self.lane_bits.val();
        }
        for m in 0..self._swept {
            self.in_turn[m].clock.next = self.clock.val();
            self.in_turn[m].reset.next = self.reset.val();
            self.in_turn[m].begin.next = self.owed.q.change.val();
            self.in_turn[m].op.next = self.owed.q.op.val();
            self.in_turn[m].used.next = self.operands[m].q.used.val();
            self.in_turn[m].held.next = self.operands[m].q.held.val();
            for i in 0..T {
                self.in_turn[m].word[i].next = self.word[i].val();
                self.in_turn[m].data[i].next = self.data[i].val();
                self.in_turn[m].old[i].next = self.banks[i].word.val();
            }
            self.failed.next = self.operands[m].q.used.val() & !self.in_turn[m].won.val();
            if self.in_turn[m].ends.val() {
                self.stored.next = self.in_turn[m].won.val();
                self.stored_block.next =
                    self.owed.q.row.val().to_bits::<30>() << self.lane_bits.val();
            }
        }
        self.held.next = 0.into();
        self.unknown.next = false;
        for r in 0..self._reservations {
            self.reservations[r].clock.next = self.clock.val();
            self.reservations[r].reset.next = self.reset.val();
            self.reservations[r].warp.next = self.warp.val();
            self.reservations[r].block.next = self.block.val();
            self.reservations[r].lanes.next = self.lanes.val();
            self.reservations[r].reserve.next = self.taken.val() && (self.op.val() == 2);
            self.reservations[r].cancel.next =
                self.taken.val() && ((self.op.val() == 3) || (self.op.val() == 13));
            self.reservations[r].stored.next = self.stored.val();
            self.reservations[r].stored_block.next = self.stored_block.val();
            for i in 0..T {
                self.reservations[r].word[i].next = self.word[i].val();
            }
            self.held.next = self.reservations[r].held.val();
        }
        for r in 0..self._swept {
            self.swept[r].clock.next = self.clock.val();
            self.swept[r].reset.next = self.reset.val();
            self.swept[r].warp.next = self.warp.val();
            self.swept[r].block.next = self.block.val();
            self.swept[r].lanes.next = self.lanes.val();
            self.swept[r].reserve.next = self.taken.val() && (self.op.val() == 2);
            self.swept[r].cancel.next =
                self.taken.val() && ((self.op.val() == 3) || (self.op.val() == 13));
            self.swept[r].stores.next =
                self.stores.val() || self.amo.val() || self.in_turn[r].ends.val();
            self.swept[r].stored.next = self.stored.val();
            self.swept[r].stored_block.next = self.stored_block.val();
            for i in 0..T {
                self.swept[r].word[i].next = self.word[i].val();
            }
            self.held.next = self.swept[r].held.val();
            self.unknown.next = self.swept[r].busy.val();
        }

        // The reply, which stays until it is taken. An SC or AMO ends apart from that.
        self.reply.next = self.owed.q.reply.val();
        self.reply_tag.next = self.owed.q.tag.val();
        self.finish.next = self.owed.q.change.val() || self.owed.q.combine.val();
        self.owed.d.combine.next = self.owed.q.change.val();
        self.owed.d.finish.next = self.owed.q.combine.val();
        self.owed.d.change.next = self.sc.val() || self.amo.val();
        for m in 0..self._swept {
            self.replies.next = self.loads.val() || self.amo.val() || self.in_turn[m].ends.val();
            self.finish.next = self.owed.q.change.val() || self.in_turn[m].busy.val();
            self.owed.d.combine.next = false;
        }
        self.owes.next = (self.owed.q.reply.val() && !self.reply_ready.val()) || self.replies.val();
        self.owed.d.reply.next = self.owes.val();
        // What is written beside `tohost` may be for the host, which then closes the port.
        self.to_host.next = (self.request_row.val() & self.row_mask.val()) == self.host_row.val();
        self.alarms.next = (self.stores.val() && self.to_host.val())
            || (self.owed.q.finish.val() && self.owed.q.at_host.val());
        for m in 0..self._swept {
            // (An SC does not reply at once.)
            self.alarms.next = (self.stores.val() && self.to_host.val())
                || self.sc.val()
                || (self.in_turn[m].busy.val() && self.owed.q.at_host.val());
        }
        self.vacant.next = !self.owes.val()
            && !self.finish.val()
            && !self.closing.val()
            && !self.alarms.val()
            && !self.unknown.val();
        self.owed.d.ready.next = self.vacant.val();
        self.ready_next.next = self.vacant.val();
        self.owed.d.tag.next = self.owed.q.tag.val();
        self.owed.d.op.next = self.owed.q.op.val();
        self.owed.d.row.next = self.owed.q.row.val();
        self.owed.d.at_host.next = self.owed.q.at_host.val();
        if self.ready.val() {
            self.owed.d.at_host.next = self.to_host.val();
            self.owed.d.tag.next = self.tag.val();
            self.owed.d.op.next = self.op.val();
            self.owed.d.row.next = self.request_row.val();
        }

        // The banks, for the data port.
        self.clear_low.next = self.clear_word.val().get_bits::<28>(0);
        self.clear_lane.next = self.clear_low.val() & self.lane_mask.val();
        self.clear_row.next = self.clear_low.val() >> self.lane_bits.val();
        self.row.next = self.request_row.val();
        if self.owed.q.finish.val() {
            self.row.next = self.owed.q.row.val();
        }
        for m in 0..self._swept {
            if self.in_turn[m].busy.val() {
                self.row.next = self.owed.q.row.val();
            }
        }
        if self.clear.val() {
            self.row.next = self.clear_row.val();
        }
        self.reads.next = self.loads.val() || self.amo.val();
        // With two ports every bank may be read whatever is taken: no reply is owed then, and
        // whether a lane writes need not be known to enable its bank.
        self.access.next = self.reads.val() || (self.two_ports.val() && self.taken.val());
        self.write_row.next = self.row.val();
        for i in 0..T {
            self.write[i].next = 0.into();
            self.write_data[i].next = 0.into();
            if !self.owed.q.finish.val() && !self.clear.val() {
                self.write_data[i].next = self.data[i].val();
            }
            if self.stores.val() {
                self.write[i].next = self.enable[i].val();
            }
            self.reply_data[i].next = self.banks[i].word.val();
            if self.owed.q.op.val() == 3 {
                self.reply_data[i].next = self.failed.val().get_bit(i).to_bits();
            }
        }
        for a in 0..self._atomics {
            self.operands[a].clock.next = self.clock.val();
            self.operands[a].reset.next = self.reset.val();
            self.operands[a].d.used.next = self.operands[a].q.used.val();
            for p in 0..self._reservations {
                self.amos[a + p].op.next = self.owed.q.op.val();
            }
            self.operands[a].d.held.next = self.operands[a].q.held.val();
            self.operands[a].d.won.next = self.won.val();
            if self.ready.val() {
                self.operands[a].d.used.next = self.used.val();
                self.operands[a].d.held.next = self.held.val() & self.lanes.val();
            }
            for i in 0..T {
                self.operands[a].d.data[i].next = self.operands[a].q.data[i].val();
                self.operands[a].d.word[i].next = self.operands[a].q.word[i].val();
                if self.ready.val() {
                    self.operands[a].d.data[i].next = self.data[i].val();
                    self.operands[a].d.word[i].next = self.word[i].val();
                }
                for _once in 0..self._swept {
                    self.operands[a].d.data[i].next = 0.into();
                    self.operands[a].d.word[i].next = 0.into();
                    self.operands[a].d.old[i].next = 0.into();
                    self.operands[a].d.result[i].next = 0.into();
                }
                for p in 0..self._reservations {
                    self.operands[a].d.old[i].next = self.banks[i].word.val();
                    self.amos[a + p].old[i].next = self.operands[a].q.old[i].val();
                    self.amos[a + p].operand[i].next = self.operands[a].q.data[i].val();
                    self.operands[a].d.result[i].next = self.amos[a + p].result[i].val();
                }
                self.word_of.next = 0.into();
                for _once in 0..self._reservations {
                    if self.owed.q.finish.val() {
                        self.word_of.next = self.operands[a].q.result[i].val();
                        if self.operands[a].q.used.val().get_bit(i) && !self.lost.val().get_bit(i) {
                            self.write[i].next = self.all.val();
                        }
                    }
                }
                for m in 0..self._swept {
                    if self.in_turn[m].busy.val() {
                        self.write_data[i].next = 0.into();
                    }
                    if self.in_turn[m].put.val().get_bit(i) {
                        self.word_of.next = self.in_turn[m].result.val();
                        self.write[i].next = self.all.val();
                    }
                }
                self.write_data[i].next = self.write_data[i].val() | self.word_of.val();
            }
        }
        for i in 0..T {
            if self.clear.val() && (self.clear_lane.val() == i.to_bits()) {
                self.write[i].next = self.all.val();
            }
            self.banks[i].clock.next = self.clock.val();
            self.banks[i].access.next = self.access.val() || self.write[i].val().any();
            self.banks[i].row.next = self.row.val();
            self.banks[i].write.next = self.write[i].val();
            self.banks[i].data.next = self.write_data[i].val();
        }

        // Fetch.
        self.fetch_low.next = self.fetch_word.val().get_bits::<28>(0);
        self.fetch_row.next = self.fetch_low.val() >> self.lane_bits.val();
        self.fetch_lane.next = self.fetch_low.val() & self.lane_mask.val();
        self.fetches.next = self.fetch.val() && self.fetching.q.ready.val();
        self.fetch_bits.next = self.fetch_row.val() & self.row_mask.val();
        if self.fetching.q.again.val() {
            self.fetch_row.next = self.fetching.q.row.val();
            self.fetch_lane.next = self.fetching.q.lane.val();
            self.fetches.next = true;
        }
        // A store that is asked for is ahead, taken or not. Nothing is under way while a word is
        // cleared.
        self.changes.next = self.finish.val() || self.owed.q.finish.val();
        self.asked.next = self.request.val() && !(self.op.val() == 0) && !(self.op.val() == 2);
        self.own_bits.next = self.owed.q.row.val() & self.row_mask.val();
        self.clear_bits.next = self.clear_row.val() & self.row_mask.val();
        self.request_bits.next = self.request_row.val() & self.row_mask.val();
        // What is asked for is known late, and compared apart from what is read again.
        self.meets.next = (self.changes.val() && (self.fetch_bits.val() == self.own_bits.val()))
            || (self.clear.val() && (self.fetch_bits.val() == self.clear_bits.val()))
            || (self.asked.val() && (self.fetch_bits.val() == self.request_bits.val()));
        self.again_bits.next = self.fetching.q.row.val() & self.row_mask.val();
        if self.fetching.q.again.val() {
            self.meets.next = (self.changes.val()
                && (self.again_bits.val() == self.own_bits.val()))
                || (self.clear.val() && (self.again_bits.val() == self.clear_bits.val()))
                || (self.asked.val() && (self.again_bits.val() == self.request_bits.val()));
        }
        self.needed.next = !self.two_ports.val()
            && (self.reads.val() || (self.owed.q.reply.val() && !self.reply_ready.val()));
        for _once in 0..self._swept {
            // Words that are worked on are there, too.
            if !self.two_ports.val() && self.finish.val() {
                self.needed.next = true;
            }
        }
        self.fails.next = self.fetches.val() && (self.meets.val() || self.needed.val());
        self.fetching.d.ready.next = !self.fails.val();
        self.fetching.d.again.next = self.fails.val();
        self.fetching.d.reply.next = self.fetches.val() && !self.fails.val();
        self.fetching.d.row.next = self.fetch_row.val();
        self.fetching.d.lane.next = self.fetch_lane.val();
        self.fetch_ready.next = self.fetching.q.ready.val();
        self.fetched.d.reply.next = self.fetching.q.reply.val();
        self.fetched.d.lane.next = self.fetching.q.lane.val();
        self.fetch_reply.next = self.fetched.q.reply.val();
        self.insn.next = 0.into();
        for i in 0..T {
            // Whether somebody asks is known late; what nobody asks for is no reply.
            self.banks[i].fetch.next = !self.needed.val();
            self.banks[i].fetch_row.next = self.fetch_row.val();
            for _once in 0..self._apart {
                self.fetched.d.word[i].next = self.banks[i].insn.val();
                self.word_of.next = 0.into();
                if self.fetched.q.lane.val() == i.to_bits() {
                    self.word_of.next = self.fetched.q.word[i].val();
                }
                self.insn.next = self.insn.val() | self.word_of.val();
            }
            for _once in 0..self._chosen {
                self.fetched.d.word[i].next = 0.into();
            }
        }
        for s in 0..self._shared {
            self.shared[s].clock.next = self.clock.val();
            self.shared[s].reset.next = self.reset.val();
            self.word_of.next = 0.into();
            // (A kernel has constants as numbers: four share it.)
            for i in 0..self._share {
                if self.fetching.q.lane.val() == (4 * s + i).to_bits() {
                    self.word_of.next = self.word_of.val() | self.banks[4 * s + i].insn.val();
                }
            }
            self.shared[s].d.word.next = self.word_of.val();
            self.insn.next = self.insn.val() | self.shared[s].q.word.val();
        }
        for c in 0..self._chosen {
            self.chosen[c].clock.next = self.clock.val();
            self.chosen[c].reset.next = self.reset.val();
            self.chosen[c].d.reply.next = self.fetched.q.reply.val();
            self.chosen[c].d.insn.next = self.insn.val();
            self.fetch_reply.next = self.chosen[c].q.reply.val();
            self.insn.next = self.chosen[c].q.insn.val();
        }
    }
}
