//! Stage 9, gather: loads, AMOs and divides that are under way, their replies,
//! and the write port they share with stage 8.
//!
//! ```text
//! cycle  c               c+1                     c+2
//!        reply at port   words, entry, align     written
//!                        as long as stage 8
//!                        will write something:
//!                        waits
//! ```
//!
//! In the scoreboard it counts as cleared (`DoneLate` in `schedule.rs`), and the entry is free, after
//! the last cycle of c+1: whoever has waited reads its registers three cycles later. A barrel writes in that cycle.
//!
//! An entry knows warp, register, lanes, and the slots of the warp whose
//! scoreboard waits for it: the slot that issued it and every slot that has
//! since inherited threads of it. The last entry is the divider's. From issue to
//! write a load takes an entry for latency + 8 cycles, so with n of them
//! n / (latency + 8) memory operations issue per cycle at most.
//!
//! A barrel has no scoreboard: a view that an entry waits for does not issue, so it is
//! never the second one for a register.
//!
//! Long, because a kernel has no functions, and half of it declares the ports.

use super::gather::Gather;
use super::load_lanes::LoadLanes;
use super::serial_gather::SerialGather;
use super::shape::CoreShape;
use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// Into stage 9.
    pub struct Stage9 [const T: usize] [T] / Stage9D, Stage9Q {
        valid: Bit = false,
        tag: U<4>,
        words: [U<32>; T],
        /// What the entry says of it.
        warp: U<5>,
        rd: U<5>,
        mask: U<T>,
        size: U<2>,
        signed: Bit,
        word: [U<6>; T],
        byte: [U<2>; T],
        /// Cycles that a finished value has waited for the port.
        waited: U<4> = 0,
    }
}

regs! {
    /// What is written in this cycle, of all lanes that do not write 0.
    pub struct Late [const T: usize] [T] / LateD, LateQ {
        valid: Bit = false,
        warp: U<5>,
        rd: U<5>,
        mask: U<T> = 0,
        value: [U<32>; T] = 0,
    }
}

regs! {
    /// What was pending a cycle before in the view whose redirect is here now.
    pub struct Ahead [] [] / AheadD, AheadQ {
        pending: U<32>,
        /// An entry was done then, and no other of its register is pending; which.
        over: Bit = false,
        over_rd: U<5>,
        /// One began then, which is pending; which.
        added: Bit = false,
        added_rd: U<5>,
    }
}

regs! {
    /// Memory operations that were in the table or in stages 4 to 8 a cycle before.
    pub struct Flying [] [] / FlyingD, FlyingQ {
        count: U<6> = 0,
    }
}

regs! {
    /// In beats, into stage 9 as well: how the lanes of a load stand to its words.
    pub struct Kind9 [] [] / Kind9D, Kind9Q {
        kind: U<10>,
    }
}

regs! {
    /// Lanes of the divide under way.
    pub struct Dividing [const T: usize] [T] / DividingD, DividingQ {
        mask: U<T>,
    }
}

regs! {
    /// The entry of the next load, found a cycle before.
    pub struct NextEntry [] [] / NextEntryD, NextEntryQ {
        free: Bit = false,
        tag: U<4> = 0,
    }
}

/// Entries whose fields are seen all at once. In a barrel with one slot per warp a warp
/// has at most one with an rd, and a bit per warp says all about them.
fn seen(shape: &CoreShape) -> usize {
    if shape.barrel() && shape.slots == 1 { 0 } else { shape.entries() }
}

block! {
    /// See the module.
    pub struct Loads [const T: usize] [T] fn new(shape: &CoreShape) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// From commit: a load is under way, or a divide.
            pub insert: Signal<In, Bit>,
            pub divide: Signal<In, Bit>,
            /// It may come in this cycle, known earlier.
            pub may_insert: Signal<In, Bit>,
            pub may_divide: Signal<In, Bit>,
            pub insert_warp: Signal<In, U<5>>,
            pub insert_slot: Signal<In, U<3>>,
            pub insert_rd: Signal<In, U<5>>,
            pub insert_mask: Signal<In, U<T>>,
            pub insert_size: Signal<In, U<2>>,
            pub insert_signed: Signal<In, Bit>,
            pub insert_word: [Signal<In, U<6>>; T],
            pub insert_byte: [Signal<In, U<2>>; T],
            pub insert_aligned: Signal<In, Bit>,
            pub insert_common: Signal<In, Bit>,
            pub insert_place: Signal<In, U<8>>,
            pub insert_places: [Signal<In, U<8>>; T],
            /// From memory.
            pub reply: Signal<In, Bit>,
            pub reply_tag: Signal<In, U<4>>,
            pub reply_data: [Signal<In, U<32>>; T],
            /// From the divider.
            pub divided: Signal<In, Bit>,
            pub quotient: [Signal<In, U<32>>; T],
            /// Of these lanes, and no others will come.
            pub divided_part: Vec<Signal<In, U<T>>> = fresh_vec(shape.by_parts()),
            pub divided_last: Vec<Signal<In, Bit>> = fresh_vec(shape.by_parts()),
            /// Stage 8 may write a lane in the next cycle; in a barrel, in this one.
            pub may_write: Signal<In, Bit>,
            /// Whose redirects come in the next cycle.
            pub soon_warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.redirects),
            pub soon_slot: Vec<Signal<In, U<3>>> = fresh_vec(shape.redirects),
            pub soon_from: Vec<Signal<In, U<8>>> = fresh_vec(shape.redirects),
            /// Redirects.
            pub turn: Vec<Signal<In, Bit>> = fresh_vec(shape.redirects),
            pub turn_warp: Vec<Signal<In, U<5>>> = fresh_vec(shape.redirects),
            pub turn_slot: Vec<Signal<In, U<3>>> = fresh_vec(shape.redirects),
            pub turn_from: Vec<Signal<In, U<8>>> = fresh_vec(shape.redirects),
            /// Instructions in stages 4 to 8 (five per pipe, six in beats) that are
            /// replayed with rd pending, memory operations and divides in them.
            pub flight: Vec<Signal<In, Bit>> = fresh_vec(shape.flights() * shape.pipes),
            pub flight_again: Vec<Signal<In, Bit>> = fresh_vec(shape.flights() * shape.pipes),
            pub flight_view: Vec<Signal<In, U<6>>> = fresh_vec(shape.flights() * shape.pipes),
            pub flight_rd: Vec<Signal<In, U<5>>> = fresh_vec(shape.flights() * shape.pipes),
            pub flight_class: Vec<Signal<In, U<2>>> = fresh_vec(shape.flights() * shape.pipes),
        }
        output {
            pub free: Signal<Out, Bit>,
            pub free_tag: Signal<Out, U<4>>,
            pub divide_free: Signal<Out, Bit>,
            /// A load of scattered lanes may begin.
            pub places_free: Signal<Out, Bit>,
            /// A memory operation may issue in the next cycle; and if one issues in this one.
            pub memory_room: Signal<Out, Bit>,
            pub memory_more: Signal<Out, Bit>,
            /// A divide may issue in the next cycle.
            pub divide_room: Signal<Out, Bit>,
            pub reply_ready: Signal<Out, Bit>,
            pub divide_take: Signal<Out, Bit>,
            /// A late write.
            pub late: Signal<Out, Bit>,
            pub late_warp: Signal<Out, U<5>>,
            pub late_rd: Signal<Out, U<5>>,
            pub late_mask: Signal<Out, U<T>>,
            pub late_value: [Signal<Out, U<32>>; T],
            /// What will be written or, in a barrel, is: its register, and the views for which it
            /// is the last of that register.
            pub done_rd: Signal<Out, U<5>>,
            pub done_views: Signal<Out, U<64>>,
            /// What is pending in a view after its redirect, if what is done in this cycle does
            /// not count; and that it is the last one of its register there.
            pub turn_pending: Vec<Signal<Out, U<32>>> = fresh_vec(shape.redirects),
            pub turn_over: Vec<Signal<Out, Bit>> = fresh_vec(shape.redirects),
            /// Views with an entry.
            pub owing: Signal<Out, U<64>>,
            /// A late write has waited long.
            pub hold: Signal<Out, Bit>,
        }
        local {
            valid: Vec<Signal<Local, Bit>> = fresh_vec(shape.entries()),
            /// An entry that is not the one that could be done.
            rival: Vec<Signal<Local, Bit>> = fresh_vec(shape.entries()),
            /// Of the entry that is replied to.
            reply_warp: Signal<Local, U<5>>,
            reply_rd: Signal<Local, U<5>>,
            slots: Vec<Signal<Local, U<8>>> = fresh_vec(seen(shape)),
            grown: Vec<Signal<Local, U<8>>> = fresh_vec(seen(shape)),
            entry: Signal<Local, U<10>>,
            owed_next: Signal<Local, U<64>>,
            at: Signal<Local, U<4>>,
            ready: Signal<Local, Bit>,
            takes: Signal<Local, Bit>,
            done: Signal<Local, Bit>,
            stays: Signal<Local, Bit>,
            /// Lanes that are written, and they are: all there are, or some of them.
            part: Signal<Local, U<T>>,
            puts: Signal<Local, Bit>,
            last: Signal<Local, Bit>,
            kind: Signal<Local, U<10>>,
            new_kind: Signal<Local, U<10>>,
            mask: Signal<Local, U<T>>,
            late_slots: Signal<Local, U<8>>,
            others: Signal<Local, U<8>>,
            /// Slots that still wait for that register after the redirects of this cycle.
            remain: Signal<Local, U<8>>,
            /// As after the redirects of the next cycle: what the entry that is done leaves
            /// nobody waiting for, and what is added.
            over: Signal<Local, Bit>,
            added: Signal<Local, Bit>,
            ahead_next: Signal<Local, U<32>>,
            rd_bit: Signal<Local, U<32>>,
            put: Signal<Local, Bit>,
            put_warp: Signal<Local, U<5>>,
            put_mask: Signal<Local, U<T>>,
            value: [Signal<Local, U<32>>; T],
            view: Signal<Local, U<6>>,
            count: Signal<Local, U<6>>,
            tally: Signal<Local, U<1>>,
            found: Signal<Local, Bit>,
            found_tag: Signal<Local, U<4>>,
            /// A tree: is there an entry, and which.
            tree: Vec<Signal<Local, Bit>> = fresh_vec(2 * shape.loads - 1),
            tree_tag: Vec<Signal<Local, U<4>>> = fresh_vec(2 * shape.loads - 1),
            divides: Signal<Local, Bit>,
            single: Signal<Local, U<8>>,
            bit: Signal<Local, Bit>,
            no: Signal<Local, Bit>,
            yes: Signal<Local, Bit>,
            meta: Signal<Local, U<3>>,
            new_meta: Signal<Local, U<3>>,
            begins: Vec<Signal<Local, Bit>> = fresh_vec(shape.entries()),
            /// The entry that is next, which nobody looks at: what it would hold goes in before it
            /// is known that something begins.
            opens: Vec<Signal<Local, Bit>> = fresh_vec(shape.entries()),
            writes: Signal<Local, Bit>,
            takes_all: Signal<Local, U<32>>,
            /// What all lanes get that do not stand in line, if that is one value.
            common: Vec<Signal<Local, U<32>>> = fresh_vec(shape.one_value()),
        }
        part {
            r9: Stage9<T> = Stage9::new(),
            next: NextEntry = NextEntry::new(),
            dividing: Dividing<T> = Dividing::new(),
            /// Not in a barrel: there it is written at once.
            writing: Vec<Late<T>> =
                (0..usize::from(!shape.barrel())).map(|_| Late::new()).collect(),
            flying: Vec<Flying> = (0..usize::from(!shape.barrel())).map(|_| Flying::new()).collect(),
            ahead: Vec<Ahead> = (0..if shape.barrel() { 0 } else { shape.redirects })
                .map(|_| Ahead::new())
                .collect(),
            used: Bank<1> = Bank::new(shape.entries(), 0),
            owed: Bank<64> = Bank::new(1, 0),
            warps: Bank<5> = Bank::new(seen(shape), 0),
            rds: Bank<5> = Bank::new(seen(shape), 0),
            slot_sets: Bank<8> = Bank::new(seen(shape), 0),
            /// Warp and rd of each entry, if they are not seen all at once.
            whose: Vec<Table<10>> = (0..usize::from(seen(shape) == 0))
                .map(|_| Table::data(shape.entries().next_power_of_two(), 1, 1))
                .collect(),
            masks: Table<T> = Table::data(shape.entries().next_power_of_two(), 1, 1),
            metas: Table<3> = Table::data(shape.entries().next_power_of_two(), 1, 1),
            /// Where lanes have their words, for all of them at once...
            lanes: Vec<LoadLanes<T>> =
                (0..usize::from(!shape.serial())).map(|_| LoadLanes::new(shape.loads)).collect(),
            gather: Vec<Gather<T>> =
                (0..usize::from(!shape.serial())).map(|_| Gather::new()).collect(),
            /// ... or serially.
            kinds: Vec<Table<10>> = (0..usize::from(shape.serial()))
                .map(|_| Table::data(shape.entries().next_power_of_two(), 1, 1))
                .collect(),
            kind_9: Vec<Kind9> = (0..shape.in_line()).map(|_| Kind9::new()).collect(),
            serial: Vec<SerialGather<T>> =
                (0..usize::from(shape.serial()))
                    .map(|_| SerialGather::new(shape.slow(), shape.one_value()))
                    .collect(),
            base: Vec<Constant<U<6>>> = shape.slot_base(),
            stride: Constant<U<6>> = shape.stride(),
            one: Constant<U<1>> = Constant::new(1.into()),
            word_ones: Constant<U<32>> = Constant::new(u64::MAX.into()),
            capacity: Constant<U<6>> = Constant::new((shape.loads as u64).into()),
            /// If each pipe issues one more.
            capacity_more: Constant<U<6>> =
                Constant::new((shape.loads.saturating_sub(shape.pipes) as u64).into()),
            divider: Constant<U<4>> = Constant::new((shape.entries() as u64 - 1).into()),
        }
        plain {
            _slots: usize = shape.slots,
            _loads: usize = shape.loads,
            _entries: usize = shape.entries(),
            _redirects: usize = shape.redirects,
            _seen: usize = seen(shape),
            _dividing: usize = if seen(shape) == 0 { 0 } else { shape.loads },
            _simple: usize = usize::from(seen(shape) == 0),
            _full: usize = usize::from(!shape.serial()),
            _serial: usize = usize::from(shape.serial()),
            _steps: usize = usize::from(shape.serial()) * shape.slow(),
            _board: usize = usize::from(!shape.barrel()),
            _barrel: usize = usize::from(shape.barrel()),
            _parts: usize = shape.by_parts(),
            _one: usize = shape.one_value(),
            _several: usize = 1 - shape.one_value(),
            _single: usize = usize::from(shape.slots == 1 && !shape.barrel()),
            _ahead: usize = if shape.barrel() { 0 } else { shape.redirects },
            _flight: usize = if shape.barrel() { 0 } else { shape.flights() * shape.pipes },
            _pipes: usize = if shape.barrel() { 0 } else { shape.pipes },
        }
    }
}

impl<const T: usize> Logic for Loads<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r9.clock.next = self.clock.val();
        self.r9.reset.next = self.reset.val();
        self.next.clock.next = self.clock.val();
        self.next.reset.next = self.reset.val();
        self.dividing.clock.next = self.clock.val();
        self.dividing.reset.next = self.reset.val();
        self.used.clock.next = self.clock.val();
        self.used.reset.next = self.reset.val();
        self.warps.clock.next = self.clock.val();
        self.warps.reset.next = self.reset.val();
        self.rds.clock.next = self.clock.val();
        self.rds.reset.next = self.reset.val();
        self.owed.clock.next = self.clock.val();
        self.owed.reset.next = self.reset.val();
        for s in 0..self._simple {
            self.whose[s].clock.next = self.clock.val();
            self.whose[s].reset.next = self.reset.val();
        }
        self.slot_sets.clock.next = self.clock.val();
        self.slot_sets.reset.next = self.reset.val();
        self.masks.clock.next = self.clock.val();
        self.masks.reset.next = self.reset.val();
        self.metas.clock.next = self.clock.val();
        self.metas.reset.next = self.reset.val();
        for f in 0..self._full {
            self.lanes[f].clock.next = self.clock.val();
        }
        for s in 0..self._serial {
            self.kinds[s].clock.next = self.clock.val();
            self.kinds[s].reset.next = self.reset.val();
            self.serial[s].clock.next = self.clock.val();
            self.serial[s].reset.next = self.reset.val();
        }
        for b in 0..self._board {
            self.writing[b].clock.next = self.clock.val();
            self.writing[b].reset.next = self.reset.val();
            self.flying[b].clock.next = self.clock.val();
            self.flying[b].reset.next = self.reset.val();
        }
        for i in 0..self._ahead {
            self.ahead[i].clock.next = self.clock.val();
            self.ahead[i].reset.next = self.reset.val();
        }
        self.no.next = false;
        self.yes.next = true;

        // What could be written now: a reply, or else a quotient.
        self.at.next = self.divider.val();
        if self.r9.q.valid.val() {
            self.at.next = self.r9.q.tag.val();
        }
        // What the entry says of a reply is read with it.
        self.masks.read_address[0].next = self.reply_tag.val().to_bits::<8>();
        self.metas.read_address[0].next = self.reply_tag.val().to_bits::<8>();
        for f in 0..self._full {
            self.lanes[f].read_tag.next = self.reply_tag.val();
        }
        self.meta.next = self.metas.read_data[0].val();
        self.mask.next = self.r9.q.mask.val();
        // In the smallest core it is read when it is used: no registers for it.
        for _once in 0..self._simple {
            self.masks.read_address[0].next = self.at.val().to_bits::<8>();
            self.metas.read_address[0].next = self.at.val().to_bits::<8>();
            for f in 0..self._full {
                self.lanes[f].read_tag.next = self.at.val();
            }
            self.mask.next = self.masks.read_data[0].val();
        }
        self.divide_free.next = true;
        for e in self._loads..self._entries {
            self.divide_free.next = !self.used.q[e].val().any();
        }
        self.dividing.d.mask.next = self.dividing.q.mask.val();
        if self.may_divide.val() && self.divide_free.val() {
            self.dividing.d.mask.next = self.insert_mask.val();
        }
        self.ready.next = self.r9.q.valid.val() || self.divided.val();
        self.part.next = self.mask.val();
        self.last.next = true;
        self.places_free.next = true;
        for s in 0..self._serial {
            self.kinds[s].read_address[0].next = self.at.val().to_bits::<8>();
            self.kind.next = self.kinds[s].read_data[0].val();
            for k in 0..self._steps {
                self.kinds[s].read_address[0].next = self.reply_tag.val().to_bits::<8>();
                self.kind.next = self.kind_9[k].q.kind.val();
            }
            self.serial[s].mask.next = self.mask.val();
            self.serial[s].aligned.next = self.kind.val().get_bit(8);
            self.serial[s].common.next = self.kind.val().get_bit(9);
            self.serial[s].place.next = self.kind.val().get_bits::<8>(0);
            self.serial[s].size.next = self.r9.q.size.val();
            self.serial[s].sign.next = self.r9.q.signed.val();
            for _once in 0..self._simple {
                self.serial[s].size.next = self.meta.val().get_bits::<2>(0);
                self.serial[s].sign.next = self.meta.val().get_bit(2);
            }
            self.places_free.next = self.serial[s].free.val();
            if self.r9.q.valid.val() {
                self.part.next = self.serial[s].part.val();
                self.last.next = self.serial[s].last.val();
            }
        }
        for k in 0..self._parts {
            if !self.r9.q.valid.val() {
                self.part.next = self.mask.val() & self.divided_part[k].val();
                self.last.next = self.divided_last[k].val();
            }
        }
        for s in 0..self._steps {
            self.serial[s].here[s].next = self.r9.q.valid.val();
            if self.r9.q.valid.val() && !self.serial[s].able[s].val() {
                self.ready.next = false;
            }
        }
        // That stage 8 may write something is known early; which lanes, would be late.
        self.puts.next = self.ready.val() && !self.may_write.val();
        self.done.next = self.puts.val() && self.last.val();
        for s in 0..self._serial {
            self.serial[s].put.next = self.puts.val() && self.r9.q.valid.val();
        }
        self.r9.d.waited.next = 0.into();
        if self.ready.val() && !self.puts.val() {
            self.r9.d.waited.next = self.r9.q.waited.val() + 1;
            if self.r9.q.waited.val() == 15 {
                self.r9.d.waited.next = 15.into();
            }
        }
        self.hold.next = self.r9.q.waited.val().get_bit(3);
        self.divide_take.next =
            self.divided.val() && !self.r9.q.valid.val() && !self.may_write.val();
        self.reply_ready.next =
            !self.r9.q.valid.val() || (self.last.val() && !self.may_write.val());
        // (That these are the last lanes is known late.)
        for s in 0..self._steps {
            self.reply_ready.next =
                !self.r9.q.valid.val() || (self.serial[s].simple[s].val() && !self.may_write.val());
        }
        self.takes.next = self.reply_ready.val() && self.reply.val();
        self.r9.d.valid.next = self.takes.val() || (self.r9.q.valid.val() && !self.done.val());
        self.r9.d.tag.next = self.r9.q.tag.val();
        if self.reply_ready.val() {
            self.r9.d.tag.next = self.reply_tag.val();
        }
        for f in 0..self._full {
            self.gather[f].mask.next = 0.into();
            if self.r9.q.valid.val() {
                self.gather[f].mask.next = self.mask.val();
            }
            self.gather[f].size.next = self.r9.q.size.val();
            self.gather[f].sign.next = self.r9.q.signed.val();
            for _once in 0..self._simple {
                self.gather[f].size.next = self.meta.val().get_bits::<2>(0);
                self.gather[f].sign.next = self.meta.val().get_bit(2);
            }
        }
        // If there is no reply, of the divide or CSR access: it began some cycles ago.
        self.stays.next = self.r9.q.valid.val() && !self.done.val();
        self.r9.d.warp.next = self.r9.q.warp.val();
        self.r9.d.rd.next = self.r9.q.rd.val();
        for e in self._dividing..self._seen {
            if !self.stays.val() {
                self.r9.d.warp.next = self.warps.q[e].val();
                self.r9.d.rd.next = self.rds.q[e].val();
            }
        }
        self.reply_warp.next = 0.into();
        self.reply_rd.next = 0.into();
        for e in 0..self._seen {
            if self.reply_tag.val() == e.to_bits() {
                self.reply_warp.next = self.reply_warp.val() | self.warps.q[e].val();
                self.reply_rd.next = self.reply_rd.val() | self.rds.q[e].val();
            }
        }
        if self.takes.val() {
            self.r9.d.warp.next = self.reply_warp.val();
            self.r9.d.rd.next = self.reply_rd.val();
        }
        self.r9.d.mask.next = self.r9.q.mask.val();
        if !self.stays.val() {
            self.r9.d.mask.next = self.dividing.q.mask.val();
        }
        self.r9.d.size.next = self.r9.q.size.val();
        self.r9.d.signed.next = self.r9.q.signed.val();
        if self.takes.val() {
            self.r9.d.mask.next = self.masks.read_data[0].val();
            self.r9.d.size.next = self.meta.val().get_bits::<2>(0);
            self.r9.d.signed.next = self.meta.val().get_bit(2);
        }
        for k in 0..self._steps {
            self.kind_9[k].clock.next = self.clock.val();
            self.kind_9[k].reset.next = self.reset.val();
            self.kind_9[k].d.kind.next = self.kind_9[k].q.kind.val();
            if self.takes.val() {
                self.kind_9[k].d.kind.next = self.kinds[k].read_data[0].val();
            }
        }
        self.takes_all.next = 0.into();
        if self.takes.val() {
            self.takes_all.next = self.word_ones.val();
        }
        for i in 0..T {
            self.r9.d.words[i].next = self.r9.q.words[i].val();
            self.r9.d.word[i].next = self.r9.q.word[i].val();
            self.r9.d.byte[i].next = self.r9.q.byte[i].val();
            if self.takes.val() {
                self.r9.d.words[i].next = self.reply_data[i].val();
                for f in 0..self._full {
                    self.r9.d.word[i].next = self.lanes[f].word[i + f].val();
                    self.r9.d.byte[i].next = self.lanes[f].byte[i + f].val();
                }
            }
            // In the smallest core logic of its own and no enable: synthesis would keep what
            // follows registers with an enable apart from all other logic.
            for _once in 0..self._simple {
                self.r9.d.words[i].next = (self.reply_data[i].val() & self.takes_all.val())
                    | (self.r9.q.words[i].val() & !self.takes_all.val());
            }
            for f in 0..self._full {
                self.gather[f].words[i].next = self.r9.q.words[i].val();
                self.gather[f].word[i].next = self.r9.q.word[i].val();
                self.gather[f].byte[i].next = self.r9.q.byte[i].val();
                for _once in 0..self._simple {
                    self.gather[f].word[i].next = self.lanes[f].word[i].val();
                    self.gather[f].byte[i].next = self.lanes[f].byte[i].val();
                }
                self.value[i].next = self.gather[f].value[i + f].val();
            }
            for s in 0..self._serial {
                self.serial[s].words[i].next = self.r9.q.words[i].val();
                self.value[i].next = self.serial[s].value[i].val();
            }
            for _once in 0..self._several {
                if self.divided.val() && !self.r9.q.valid.val() {
                    self.value[i].next = self.quotient[i].val();
                }
            }
        }
        for o in 0..self._one {
            self.common[o].next = self.serial[o].one[o].val();
            if !self.r9.q.valid.val() {
                self.common[o].next = self.quotient[0].val();
            }
            for i in 0..T {
                self.value[i].next = self.common[o].val();
                if self.r9.q.valid.val() && self.kind.val().get_bit(8) {
                    self.value[i].next = self.r9.q.words[i].val();
                }
            }
        }

        // The entry that is done, and for whom it was the last.
        self.put_warp.next = self.r9.q.warp.val();
        self.done_rd.next = self.r9.q.rd.val();
        self.late_slots.next = 0.into();
        for e in 0..self._entries {
            self.rival[e].next = self.used.q[e].val().any() && !(self.at.val() == e.to_bits());
            self.valid[e].next = self.used.q[e].val().any();
            if self.done.val() && (self.at.val() == e.to_bits()) {
                self.valid[e].next = false;
            }
        }
        for e in 0..self._seen {
            self.slots[e].next = self.slot_sets.q[e].val();
            // Of one slot nothing has to be known.
            for _once in 0..self._single {
                self.slots[e].next = 1.into();
            }
            if self.at.val() == e.to_bits() {
                self.late_slots.next = self.slots[e].val();
            }
            // Slots that inherit threads.
            self.grown[e].next = self.slots[e].val();
            for i in 0..self._redirects {
                if self.turn[i].val()
                    && (self.turn_warp[i].val() == self.warps.q[e].val())
                    && (self.slots[e].val() & self.turn_from[i].val()).any()
                {
                    self.grown[e].next = self.grown[e]
                        .val()
                        .replace_bit(self.turn_slot[i].val().index(), self.yes.val());
                }
            }
            for _once in 0..self._single {
                self.grown[e].next = 1.into();
            }
        }
        self.entry.next = 0.into();
        for s in 0..self._simple {
            self.whose[s].read_address[0].next = self.at.val().to_bits::<8>();
            self.entry.next = self.whose[s].read_data[0].val();
            self.put_warp.next = self.entry.val().get_bits::<5>(0);
            self.done_rd.next = self.entry.val().get_bits::<5>(5);
        }
        self.others.next = 0.into();
        self.remain.next = 0.into();
        for e in 0..(self._board * self._entries) {
            if self.rival[e].val()
                && (self.warps.q[e].val() == self.put_warp.val())
                && (self.rds.q[e].val() == self.done_rd.val())
            {
                self.others.next = self.others.val() | self.slots[e].val();
                self.remain.next = self.remain.val() | self.grown[e].val();
            }
        }
        self.late_slots.next = self.late_slots.val() & !self.others.val();
        self.done_views.next = 0.into();
        for s in 0..(self._board * self._slots) {
            self.view.next = self.put_warp.val().to_bits::<6>() * self.stride.val();
            self.view.next = self.view.val() + self.base[s].val();
            self.bit.next = self.late_slots.val().get_bit(s);
            self.done_views.next =
                self.done_views.val().replace_bit(self.view.val().index(), self.bit.val());
        }
        // A replay under way writes the same register and will clear the bit.
        self.divides.next = false;
        for f in 0..self._flight {
            if self.flight[f].val() {
                if self.flight_again[f].val() && (self.flight_rd[f].val() == self.done_rd.val()) {
                    self.done_views.next = self
                        .done_views
                        .val()
                        .replace_bit(self.flight_view[f].val().index(), self.no.val());
                }
                if self.flight_class[f].val() == 2 {
                    self.divides.next = true;
                }
            }
        }
        // That it is done is known late.
        if !self.done.val() {
            self.done_views.next = 0.into();
        }
        self.put.next = self.puts.val() && !(self.done_rd.val() == 0);
        self.put_mask.next = 0.into();
        if self.put.val() {
            self.put_mask.next = self.part.val();
        }
        self.late.next = self.put.val();
        self.late_warp.next = self.put_warp.val();
        self.late_rd.next = self.done_rd.val();
        self.late_mask.next = self.put_mask.val();
        for i in 0..T {
            self.late_value[i].next = self.value[i].val();
        }
        for b in 0..self._board {
            self.writing[b].d.valid.next = self.put.val();
            self.writing[b].d.warp.next = self.put_warp.val();
            self.writing[b].d.rd.next = self.done_rd.val();
            self.writing[b].d.mask.next = self.put_mask.val();
            self.late.next = self.writing[b].q.valid.val();
            self.late_warp.next = self.writing[b].q.warp.val();
            self.late_rd.next = self.writing[b].q.rd.val();
            self.late_mask.next = self.writing[b].q.mask.val();
            for i in 0..T {
                self.writing[b].d.value[i].next = self.value[i].val();
                self.late_value[i].next = self.writing[b].q.value[i + b].val();
            }
        }

        // What is owed.
        self.owing.next = 0.into();
        self.owed_next.next = 0.into();
        for s in 0..self._simple {
            self.owing.next = self.owed.q[s].val();
            self.view.next = self.put_warp.val().to_bits::<6>();
            if self.put.val() && self.last.val() {
                self.owing.next =
                    self.owing.val().replace_bit(self.view.val().index(), self.no.val());
            }
            self.owed_next.next = self.owing.val();
            self.view.next = self.insert_warp.val().to_bits::<6>();
            if (self.insert.val() || self.divide.val()) && !(self.insert_rd.val() == 0) {
                self.owed_next.next =
                    self.owed_next.val().replace_bit(self.view.val().index(), self.yes.val());
            }
        }
        self.owed.d[0].next = self.owed_next.val();
        for e in 0..self._seen {
            for s in 0..self._slots {
                self.view.next = self.warps.q[e].val().to_bits::<6>() * self.stride.val();
                self.view.next = self.view.val() + self.base[s].val();
                if self.valid[e].val() && self.slots[e].val().get_bit(s) {
                    self.owing.next =
                        self.owing.val().replace_bit(self.view.val().index(), self.yes.val());
                }
            }
        }

        // What is pending in a view after its redirect: found a cycle before it comes, out of what
        // is in the table then. That an entry is done, or begins, is known late, and joined a
        // cycle later.
        self.single.next = 0.into();
        self.single.next =
            self.single.val().replace_bit(self.insert_slot.val().index(), self.yes.val());
        for _once in 0..self._single {
            self.single.next = 1.into();
        }
        for i in 0..self._redirects {
            self.turn_pending[i].next = 0.into();
            self.turn_over[i].next = false;
        }
        for i in 0..self._ahead {
            self.turn_pending[i].next = self.ahead[i].q.pending.val();
            if self.ahead[i].q.over.val() {
                self.turn_pending[i].next = self.turn_pending[i]
                    .val()
                    .replace_bit(self.ahead[i].q.over_rd.val().index(), self.no.val());
            }
            if self.ahead[i].q.added.val() {
                self.turn_pending[i].next = self.turn_pending[i]
                    .val()
                    .replace_bit(self.ahead[i].q.added_rd.val().index(), self.yes.val());
            }
            self.over.next = self.done.val()
                && (self.put_warp.val() == self.turn_warp[i].val())
                && !self.remain.val().get_bit(self.turn_slot[i].val().index());
            self.turn_over[i].next = self.over.val();

            self.ahead_next.next = 0.into();
            self.over.next = true;
            for e in 0..self._entries {
                self.bit.next = self.used.q[e].val().any()
                    && (self.soon_warp[i].val() == self.warps.q[e].val())
                    && (self.grown[e].val().get_bit(self.soon_slot[i].val().index())
                        || (self.grown[e].val() & self.soon_from[i].val()).any());
                // Which bit it is, is known before it is known whether it is set.
                self.rd_bit.next = 0.into();
                self.rd_bit.next =
                    self.rd_bit.val().replace_bit(self.rds.q[e].val().index(), self.yes.val());
                if self.bit.val() {
                    self.ahead_next.next = self.ahead_next.val() | self.rd_bit.val();
                }
                if self.bit.val()
                    && !(self.at.val() == e.to_bits())
                    && (self.rds.q[e].val() == self.done_rd.val())
                {
                    self.over.next = false;
                }
            }
            // Nothing is pending of x0.
            self.ahead_next.next = self.ahead_next.val().replace_bit(0, self.no.val());
            self.ahead[i].d.over.next = self.done.val()
                && self.over.val()
                && (self.put_warp.val() == self.soon_warp[i].val());
            self.ahead[i].d.over_rd.next = self.done_rd.val();
            self.added.next = (self.insert.val() || self.divide.val())
                && (self.soon_warp[i].val() == self.insert_warp.val())
                && (self.single.val().get_bit(self.soon_slot[i].val().index())
                    || (self.single.val() & self.soon_from[i].val()).any())
                && !(self.insert_rd.val() == 0);
            self.ahead[i].d.added.next = self.added.val();
            self.ahead[i].d.added_rd.next = self.insert_rd.val();
            self.ahead[i].d.pending.next = self.ahead_next.val();
        }

        // New entries.
        self.free.next = self.next.q.free.val();
        self.free_tag.next = self.next.q.tag.val();
        for e in 0..self._loads {
            self.tree[e].next = !self.used.q[e].val().any()
                && !(self.free.val() && (self.free_tag.val() == e.to_bits()));
            self.tree_tag[e].next = e.to_bits();
        }
        self.found.next = false;
        self.found_tag.next = 0.into();
        for _once in 0..self._barrel {
            for e in 0..self._loads {
                if self.tree[e].val() && !self.found.val() {
                    self.found.next = true;
                    self.found_tag.next = e.to_bits();
                }
            }
        }
        for n in (self._board * self._loads)..(self._board * (self._loads + 1)) {
            for i in 0..(self._loads - 1) {
                self.tree[n + i].next = self.tree[2 * i].val() || self.tree[2 * i + 1].val();
                self.tree_tag[n + i].next = self.tree_tag[2 * i + 1].val();
                if self.tree[2 * i].val() {
                    self.tree_tag[n + i].next = self.tree_tag[2 * i].val();
                }
            }
        }
        for r in (self._board * (2 * self._loads - 2))..(self._board * (2 * self._loads - 1)) {
            self.found.next = self.tree[r].val();
            self.found_tag.next = self.tree_tag[r].val();
        }
        // Those that are in the table or may come into it: those that were there a cycle before, or
        // on the way, and the ones in stage 4.
        self.count.next = 0.into();
        for e in 0..self._loads {
            self.count.next = self.count.val() + self.used.q[e].val().to_bits::<6>();
        }
        for b in 0..self._board {
            for p in 0..self._pipes {
                for k in 0..5 {
                    self.tally.next = 0.into();
                    if self.flight[5 * p + k].val() && (self.flight_class[5 * p + k].val() == 1) {
                        self.tally.next = 1.into();
                    }
                    self.count.next = self.count.val() + self.tally.val().to_bits::<6>();
                }
            }
            self.flying[b].d.count.next = self.count.val();
            self.count.next = self.flying[b].q.count.val();
            for p in 0..self._pipes {
                self.tally.next = 0.into();
                if self.flight[5 * p].val() && (self.flight_class[5 * p].val() == 1) {
                    self.tally.next = 1.into();
                }
                self.count.next = self.count.val() + self.tally.val().to_bits::<6>();
            }
        }
        self.next.d.free.next = self.found.val();
        self.next.d.tag.next = self.found_tag.val();
        if self.free.val() && !self.insert.val() {
            self.next.d.free.next = true;
            self.next.d.tag.next = self.free_tag.val();
        }
        self.memory_room.next = self.count.val() < self.capacity.val();
        self.memory_more.next = self.count.val() < self.capacity_more.val();
        self.divide_room.next = self.divide_free.val() && !self.divides.val();
        self.writes.next = self.may_insert.val() && self.free.val();
        for e in 0..self._loads {
            self.opens[e].next = self.writes.val() && (self.free_tag.val() == e.to_bits());
            self.begins[e].next = self.insert.val() && (self.free_tag.val() == e.to_bits());
        }
        for e in self._loads..self._entries {
            self.opens[e].next = self.may_divide.val() && self.divide_free.val();
            self.begins[e].next = self.divide.val();
        }
        for e in 0..self._entries {
            self.used.d[e].next = 0.into();
            if self.valid[e].val() {
                self.used.d[e].next = self.one.val();
            }
            if self.begins[e].val() {
                self.used.d[e].next = self.one.val();
            }
        }
        for e in 0..self._seen {
            self.warps.d[e].next = self.warps.q[e].val();
            self.rds.d[e].next = self.rds.q[e].val();
            self.slot_sets.d[e].next = self.grown[e].val();
            if self.opens[e].val() {
                self.warps.d[e].next = self.insert_warp.val();
                self.rds.d[e].next = self.insert_rd.val();
                self.slot_sets.d[e].next = self.single.val();
            }
        }
        for s in 0..self._simple {
            self.entry.next =
                self.insert_warp.val().to_bits::<10>() | self.insert_rd.val().to_bits::<10>() << 5;
            self.whose[s].write[0].next = self.insert.val() || self.divide.val();
            self.whose[s].write_address[0].next = self.free_tag.val().to_bits::<8>();
            if self.divide.val() {
                self.whose[s].write_address[0].next = self.divider.val().to_bits::<8>();
            }
            self.whose[s].write_data[0].next = self.entry.val();
        }
        self.masks.write[0].next = self.writes.val();
        self.masks.write_address[0].next = self.free_tag.val().to_bits::<8>();
        for _once in 0..self._simple {
            self.masks.write[0].next = self.insert.val() || self.divide.val();
            if self.divide.val() {
                self.masks.write_address[0].next = self.divider.val().to_bits::<8>();
            }
        }
        self.masks.write_data[0].next = self.insert_mask.val();
        self.metas.write[0].next = self.writes.val();
        self.metas.write_address[0].next = self.free_tag.val().to_bits::<8>();
        self.new_meta.next = self.insert_size.val().to_bits::<3>();
        self.new_meta.next = self.new_meta.val().replace_bit(2, self.insert_signed.val());
        self.metas.write_data[0].next = self.new_meta.val();
        for f in 0..self._full {
            self.lanes[f].write.next = self.writes.val();
            self.lanes[f].write_tag.next = self.free_tag.val();
            for i in 0..T {
                self.lanes[f].write_word[i].next = self.insert_word[i].val();
                self.lanes[f].write_byte[i].next = self.insert_byte[i].val();
            }
        }
        for s in 0..self._serial {
            self.kinds[s].write[0].next = self.writes.val();
            self.kinds[s].write_address[0].next = self.free_tag.val().to_bits::<8>();
            self.new_kind.next = self.insert_place.val().to_bits::<10>();
            self.new_kind.next = self.new_kind.val().replace_bit(8, self.insert_aligned.val());
            self.new_kind.next = self.new_kind.val().replace_bit(9, self.insert_common.val());
            self.kinds[s].write_data[0].next = self.new_kind.val();
            self.serial[s].keep.next =
                self.insert.val() && !self.insert_aligned.val() && !self.insert_common.val();
            for i in 0..T {
                self.serial[s].keep_place[i].next = self.insert_places[i].val();
            }
        }
    }
}
