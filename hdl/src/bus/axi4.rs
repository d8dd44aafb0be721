//! A core with an AXI4 master: the data port and the instruction cache share its
//! reads, by turns; writes are the data port's.
//!
//! IDs: 0 to 15 are the tags of the data port, 16 is the cache.

use super::data::BusData;
use super::icache::{Icache, line_words};
use super::port::AxiPort;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::prelude::*;
use crate::soc::merge::Merge;
use rust_hdl::core::clock;

regs! {
    /// The read that waits for the bus.
    pub struct Ask [] [] / AskD, AskQ {
        valid: Bit = false,
        id: U<5>,
        word: U<30>,
        more: U<8>,
        /// The last one was of the data port.
        data: Bit = false,
    }
}

block! {
    /// See the module.
    pub struct Axi4 [const T: usize, D: Unit<T>] [T, D] fn new(config: &CoreConfig, core: Core<T, D>) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
        }
        output {
            /// The bus has reported an error: nothing issues until reset.
            pub fatal: Signal<Out, Bit>,
            /// An AMO is between its read and its write.
            pub lock: Signal<Out, Bit>,
        }
        port { pub axi: AxiPort, }
        local {
            room: Signal<Local, Bit>,
            fetches: Signal<Local, Bit>,
            loads: Signal<Local, Bit>,
            of_data: Signal<Local, Bit>,
            word: Signal<Local, U<32>>,
            beat: Signal<Local, Bit>,
            bad: Signal<Local, Bit>,
        }
        part {
            merge: Merge = Merge::new(core.fetch.len(), false, 0),
            pub core: Core<T, D> = core,
            icache: Icache = Icache::new(config.icache, T),
            data: BusData<T> = BusData::new(config),
            ask: Ask = Ask::new(),
            line_more: Constant<U<8>> = Constant::new((line_words(T) as u64 - 1).into()),
        }
        plain { _pipes: usize = 1, }
    }
}

impl<const T: usize, D: Unit<T>> Axi4<T, D> {
    /// Around a core.
    pub fn around(config: &CoreConfig, core: Core<T, D>) -> Self {
        let pipes = core.fetch.len();
        let mut bus = Self::new(config, core);
        bus._pipes = pipes;
        bus
    }
}

impl<const T: usize, D: Unit<T>> Logic for Axi4<T, D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, merge, icache, data, ask);
        self.core.reset.next = self.reset.val();
        self.merge.reset.next = self.reset.val();
        self.icache.reset.next = self.reset.val();
        self.data.reset.next = self.reset.val();
        self.ask.reset.next = self.reset.val();
        self.fatal.next = self.core.fatal.val() || self.data.failed.val();
        self.lock.next = self.data.lock.val();

        // Fetch.
        for p in 0..self._pipes {
            self.merge.request[p].next = self.core.fetch[p].request.val();
            self.merge.pc[p].next = self.core.fetch[p].pc.val();
            self.merge.tag[p].next = self.core.fetch[p].tag.val();
            self.core.fetch[p].ready.next = self.merge.ready[p].val();
            self.core.fetch[p].reply.next = self.merge.reply[p].val();
            self.core.fetch[p].reply_tag.next = self.merge.reply_tag.val();
            self.core.fetch[p].reply_data.next = self.icache.insn.val();
            // A failed write has no reply: the next fetch brings the news.
            self.core.fetch[p].reply_error.next = self.icache.error.val() || self.data.failed.val();
        }
        self.icache.fetch.next = self.merge.fetch.val();
        self.icache.fetch_word.next = self.merge.fetch_word.val();
        self.merge.fetch_ready.next = self.icache.fetch_ready.val();
        self.merge.fetch_reply.next = self.icache.fetch_reply.val();
        self.icache.stores.next = self.data.stores.val();
        self.icache.store_word.next = self.core.data.block.val();

        // Data.
        self.data.hold.next = self.icache.read.val();
        self.data.request.next = self.core.data.request.val();
        self.data.tag.next = self.core.data.tag.val();
        self.data.op.next = self.core.data.op.val();
        self.data.warp.next = self.core.data.warp.val();
        self.data.block.next = self.core.data.block.val();
        self.data.lanes.next = self.core.data.lanes.val();
        self.data.reply_ready.next = self.core.data.reply_ready.val();
        self.core.data.ready.next = self.data.ready.val();
        self.core.data.reply.next = self.data.reply.val();
        self.core.data.reply_tag.next = self.data.reply_tag.val();
        self.core.data.reply_error.next = self.data.reply_error.val();
        for i in 0..T {
            self.data.enable[i].next = self.core.data.enable[i].val();
            self.data.data[i].next = self.core.data.data[i].val();
            self.data.word[i].next = self.core.data.word[i].val();
            self.core.data.reply_data[i].next = self.data.reply_data[i].val();
        }

        // Reads: a register, so that what was asked stays. A fetch waits for the
        // stores before it.
        self.room.next = self.axi.arready.val() || !self.ask.q.valid.val();
        self.loads.next = self.data.read.val();
        self.fetches.next = self.icache.read.val() && !self.data.pending.val();
        self.of_data.next = self.loads.val() && !(self.fetches.val() && self.ask.q.data.val());
        self.data.read_ready.next = self.room.val() && self.of_data.val();
        self.icache.read_ready.next = self.room.val() && self.fetches.val() && !self.of_data.val();
        self.ask.d.valid.next = self.ask.q.valid.val();
        self.ask.d.id.next = self.ask.q.id.val();
        self.ask.d.word.next = self.ask.q.word.val();
        self.ask.d.more.next = self.ask.q.more.val();
        self.ask.d.data.next = self.ask.q.data.val();
        if self.room.val() {
            self.ask.d.valid.next = self.loads.val() || self.fetches.val();
            self.ask.d.id.next = 16.into();
            self.ask.d.word.next = self.icache.read_word.val();
            self.ask.d.more.next = self.line_more.val();
            if self.of_data.val() {
                self.ask.d.id.next = self.data.read_tag.val().to_bits();
                self.ask.d.word.next = self.data.first_word.val();
                self.ask.d.more.next = self.data.more.val().to_bits();
            }
            if self.loads.val() || self.fetches.val() {
                self.ask.d.data.next = self.of_data.val();
            }
        }
        self.axi.arvalid.next = self.ask.q.valid.val();
        self.axi.arid.next = self.ask.q.id.val();
        self.word.next = self.ask.q.word.val().to_bits::<32>();
        self.axi.araddr.next = self.word.val() << 2;
        self.axi.arlen.next = self.ask.q.more.val();
        self.axi.arsize.next = 2.into();
        self.axi.arburst.next = 1.into();
        self.axi.arlock.next = false;
        self.axi.arcache.next = 3.into();
        self.axi.arprot.next = 0.into();
        if self.ask.q.id.val().get_bit(4) {
            self.axi.arprot.next = 4.into();
        }
        self.axi.arqos.next = 0.into();
        self.axi.rready.next = true;
        self.beat.next = self.axi.rvalid.val();
        self.bad.next = self.axi.rresp.val().get_bit(1);
        self.icache.beat.next = self.beat.val() && self.axi.rid.val().get_bit(4);
        self.icache.beat_data.next = self.axi.rdata.val();
        self.icache.beat_error.next = self.bad.val();
        self.data.beat.next = self.beat.val() && !self.axi.rid.val().get_bit(4);
        self.data.beat_tag.next = self.axi.rid.val().get_bits::<4>(0);
        self.data.beat_data.next = self.axi.rdata.val();
        self.data.beat_last.next = self.axi.rlast.val();
        self.data.beat_error.next = self.bad.val();

        // Writes.
        self.axi.awvalid.next = self.data.write.val();
        self.axi.awid.next = 0.into();
        self.word.next = self.data.first_word.val().to_bits::<32>();
        self.axi.awaddr.next = self.word.val() << 2;
        self.axi.awlen.next = self.data.more.val().to_bits();
        self.axi.awsize.next = 2.into();
        self.axi.awburst.next = 1.into();
        self.axi.awlock.next = false;
        self.axi.awcache.next = 3.into();
        self.axi.awprot.next = 0.into();
        self.axi.awqos.next = 0.into();
        self.data.write_ready.next = self.axi.awready.val();
        self.axi.wvalid.next = self.data.word_valid.val();
        self.axi.wdata.next = self.data.word_data.val();
        self.axi.wstrb.next = self.data.word_enable.val();
        self.axi.wlast.next = self.data.word_last.val();
        self.data.word_ready.next = self.axi.wready.val();
        self.axi.bready.next = true;
        self.data.written.next = self.axi.bvalid.val();
        self.data.written_error.next = self.axi.bresp.val().get_bit(1);
    }
}

impl<const T: usize, D: Unit<T>> Sim for Axi4<T, D> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}
