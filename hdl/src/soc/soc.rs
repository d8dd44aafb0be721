//! A core, its memory and its host on a chip: wires only (`docs/soc.md`).

use super::SocOptions;
use super::ask::Ask;
use super::htif::Htif;
use super::memory::{Memory, fetch_registers, swept};
use super::merge::Merge;
use super::power_up::PowerUp;
use super::uart::Uart;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::prelude::*;
use rust_hdl::core::clock;

block! {
    /// See the module.
    pub struct Soc [const T: usize, D: Unit<T>] [T, D] fn new(config: &CoreConfig, options: &SocOptions, core: Core<T, D>) {
        input {
            pub clock: Signal<In, Clk>,
            /// The button; the core is in reset some cycles more.
            pub reset: Signal<In, Bit>,
        }
        output {
            pub uart_tx: Signal<Out, Bit>,
            /// The program has ended,
            pub done: Signal<Out, Bit>,
            /// and not well.
            pub fail: Signal<Out, Bit>,
        }
        part {
            merge: Merge = Merge::new(core.fetch.len(), true, fetch_registers(T)),
            power_up: PowerUp = PowerUp::new(),
            ask: Ask<T> = Ask::new(core.scatters(), swept(config) == 1),
            pub core: Core<T, D> = core,
            pub memory: Memory<T> = Memory::new(config, options),
            htif: Htif<T> = Htif::new(options),
            uart: Uart = Uart::new(options.uart_divisor),
        }
        plain { _pipes: usize = 1, }
    }
}

impl<const T: usize, D: Unit<T>> Soc<T, D> {
    /// Around a core.
    pub fn around(config: &CoreConfig, options: &SocOptions, core: Core<T, D>) -> Self {
        let pipes = core.fetch.len();
        let mut soc = Self::new(config, options, core);
        soc._pipes = pipes;
        soc
    }
}

impl<const T: usize, D: Unit<T>> Logic for Soc<T, D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, power_up, core, merge, ask, memory, htif, uart);
        self.power_up.button.next = self.reset.val();
        self.core.reset.next = self.power_up.reset.val();
        self.merge.reset.next = self.power_up.reset.val();
        self.ask.reset.next = self.power_up.reset.val();
        self.memory.reset.next = self.power_up.reset.val();
        self.htif.reset.next = self.power_up.reset.val();
        self.uart.reset.next = self.power_up.reset.val();

        // Fetch.
        for p in 0..self._pipes {
            self.merge.request[p].next = self.core.fetch[p].request.val();
            self.merge.pc[p].next = self.core.fetch[p].pc.val();
            self.merge.tag[p].next = self.core.fetch[p].tag.val();
            self.core.fetch[p].ready.next = self.merge.ready[p].val();
            self.core.fetch[p].reply.next = self.merge.reply[p].val();
            self.core.fetch[p].reply_tag.next = self.merge.reply_tag.val();
            self.core.fetch[p].reply_data.next = self.memory.insn.val();
            self.core.fetch[p].reply_error.next = false;
        }
        self.memory.fetch.next = self.merge.fetch.val();
        self.memory.fetch_word.next = self.merge.fetch_word.val();
        self.merge.fetch_ready.next = self.memory.fetch_ready.val();
        self.merge.fetch_reply.next = self.memory.fetch_reply.val();

        // Data.
        self.ask.request.next = self.core.data.request.val();
        self.ask.tag.next = self.core.data.tag.val();
        self.ask.op.next = self.core.data.op.val();
        self.ask.warp.next = self.core.data.warp.val();
        self.ask.block.next = self.core.data.block.val();
        self.ask.lanes.next = self.core.data.lanes.val();
        self.ask.served.next = self.core.spread.served.val();
        self.ask.size.next = self.core.spread.size.val();
        self.memory.request.next = self.ask.asks.val();
        self.memory.tag.next = self.ask.tag_1.val();
        self.memory.op.next = self.ask.op_1.val();
        self.memory.warp.next = self.ask.warp_1.val();
        self.memory.block.next = self.ask.block_1.val();
        self.memory.lanes.next = self.ask.lanes_1.val();
        self.ask.taken.next = self.memory.ready.val();
        self.ask.taken_next.next = self.memory.ready_next.val();
        self.memory.reply_ready.next = self.core.data.reply_ready.val();
        self.core.data.ready.next = self.ask.ready.val();
        self.core.data.reply.next = self.memory.reply.val();
        self.core.data.reply_tag.next = self.memory.reply_tag.val();
        self.core.data.reply_error.next = false;
        self.htif.row.next = self.memory.write_row.val();
        for i in 0..T {
            self.ask.enable[i].next = self.core.data.enable[i].val();
            self.memory.enable[i].next = self.ask.enable_1[i].val();
            self.ask.data[i].next = self.core.data.data[i].val();
            self.memory.data[i].next = self.ask.data_1[i].val();
            self.ask.word[i].next = self.core.data.word[i].val();
            self.memory.word[i].next = self.ask.word_1[i].val();
            self.ask.byte[i].next = self.core.spread.byte[i].val();
            self.ask.operand[i].next = self.core.spread.operand[i].val();
            self.core.data.reply_data[i].next = self.memory.reply_data[i].val();
            self.htif.write[i].next = self.memory.write[i].val();
            self.htif.data[i].next = self.memory.write_data[i].val();
        }

        // The host.
        self.memory.closing.next = self.htif.closing.val();
        self.memory.clear.next = self.htif.clear.val();
        self.memory.clear_word.next = self.htif.clear_word.val();
        self.htif.ready.next = self.uart.ready.val();
        self.uart.send.next = self.htif.send.val();
        self.uart.byte.next = self.htif.byte.val();
        self.uart_tx.next = self.uart.tx.val();
        self.done.next = self.htif.done.val();
        self.fail.next = self.htif.fail.val();
    }
}

impl<const T: usize, D: Unit<T>> Sim for Soc<T, D> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}
