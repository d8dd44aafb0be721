//! A core with a pipelined Wishbone master: the AXI4 one behind a bridge, which
//! does one burst after the other. `cyc` stays over both halves of an AMO.

use super::axi4::Axi4;
use super::port::WishbonePort;
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::divergence::port::Unit;
use crate::rtl::prelude::*;
use rust_hdl::core::clock;

regs! {
    /// The burst under way.
    pub struct Burst [] [] / BurstD, BurstQ {
        active: Bit = false,
        write: Bit,
        id: U<5>,
        word: U<30>,
        /// Words to ask for, and words that have not come.
        ask: U<9>,
        left: U<9>,
        error: Bit,
    }
}

block! {
    /// See the module.
    pub struct Wishbone [const T: usize, D: Unit<T>] [T, D] fn new(config: &CoreConfig, core: Core<T, D>) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
        }
        output {
            /// The bus has reported an error: nothing issues until reset.
            pub fatal: Signal<Out, Bit>,
        }
        port { pub wb: WishbonePort, }
        local {
            idle: Signal<Local, Bit>,
            asks: Signal<Local, Bit>,
            came: Signal<Local, Bit>,
            last: Signal<Local, Bit>,
            failed: Signal<Local, Bit>,
        }
        part {
            pub master: Axi4<T, D> = Axi4::around(config, core),
            burst: Burst = Burst::new(),
        }
    }
}

impl<const T: usize, D: Unit<T>> Logic for Wishbone<T, D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, master, burst);
        self.master.reset.next = self.reset.val();
        self.burst.reset.next = self.reset.val();
        self.fatal.next = self.master.fatal.val();

        // A burst begins: writes go before reads.
        self.idle.next = !self.burst.q.active.val();
        self.master.axi.awready.next = self.idle.val();
        self.master.axi.arready.next = self.idle.val() && !self.master.axi.awvalid.val();
        self.burst.d.active.next = self.burst.q.active.val();
        self.burst.d.write.next = self.burst.q.write.val();
        self.burst.d.id.next = self.burst.q.id.val();
        self.burst.d.word.next = self.burst.q.word.val();
        self.burst.d.ask.next = self.burst.q.ask.val();
        self.burst.d.left.next = self.burst.q.left.val();
        self.burst.d.error.next = self.burst.q.error.val();
        if self.idle.val() {
            self.burst.d.active.next =
                self.master.axi.awvalid.val() || self.master.axi.arvalid.val();
            self.burst.d.write.next = self.master.axi.awvalid.val();
            self.burst.d.id.next = self.master.axi.arid.val();
            self.burst.d.error.next = false;
            self.burst.d.word.next = self.master.axi.araddr.val().get_bits::<30>(2);
            self.burst.d.ask.next = self.master.axi.arlen.val().to_bits::<9>() + 1;
            self.burst.d.left.next = self.master.axi.arlen.val().to_bits::<9>() + 1;
            if self.master.axi.awvalid.val() {
                self.burst.d.word.next = self.master.axi.awaddr.val().get_bits::<30>(2);
                self.burst.d.ask.next = self.master.axi.awlen.val().to_bits::<9>() + 1;
                self.burst.d.left.next = self.master.axi.awlen.val().to_bits::<9>() + 1;
            }
        }

        // Its words: one per cycle that does not stall.
        self.wb.cyc.next = self.burst.q.active.val() || self.master.lock.val();
        self.wb.stb.next = self.burst.q.active.val()
            && self.burst.q.ask.val().any()
            && (self.master.axi.wvalid.val() || !self.burst.q.write.val());
        self.wb.we.next = self.burst.q.write.val();
        self.wb.adr.next = self.burst.q.word.val();
        self.wb.dat_o.next = self.master.axi.wdata.val();
        self.wb.sel.next = 15.into();
        if self.burst.q.write.val() {
            self.wb.sel.next = self.master.axi.wstrb.val();
        }
        self.asks.next = self.wb.stb.val() && !self.wb.stall.val();
        self.master.axi.wready.next = self.asks.val() && self.burst.q.write.val();
        if self.asks.val() {
            self.burst.d.word.next = self.burst.q.word.val() + 1;
            self.burst.d.ask.next = self.burst.q.ask.val() - 1;
        }

        // What comes back, in order.
        self.came.next = self.burst.q.active.val() && (self.wb.ack.val() || self.wb.err.val());
        self.last.next = self.came.val() && (self.burst.q.left.val() == 1);
        self.failed.next = self.burst.q.error.val() || self.wb.err.val();
        if self.came.val() {
            self.burst.d.left.next = self.burst.q.left.val() - 1;
            self.burst.d.error.next = self.failed.val();
        }
        if self.last.val() {
            self.burst.d.active.next = false;
        }
        self.master.axi.rvalid.next = self.came.val() && !self.burst.q.write.val();
        self.master.axi.rid.next = self.burst.q.id.val();
        self.master.axi.rdata.next = self.wb.dat_i.val();
        self.master.axi.rlast.next = self.last.val();
        self.master.axi.rresp.next = 0.into();
        if self.wb.err.val() {
            self.master.axi.rresp.next = 2.into();
        }
        self.master.axi.bvalid.next = self.last.val() && self.burst.q.write.val();
        self.master.axi.bid.next = 0.into();
        self.master.axi.bresp.next = 0.into();
        if self.failed.val() {
            self.master.axi.bresp.next = 2.into();
        }
    }
}

impl<const T: usize, D: Unit<T>> Sim for Wishbone<T, D> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }

    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}
