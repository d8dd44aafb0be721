//! The buses as seen from their master.

use crate::rtl::prelude::*;

interface! {
    /// AXI4, 32 bits wide. Every burst is INCR and lies within 256 bytes; reads
    /// have one of 32 IDs and may come back in any order, word by word.
    pub struct AxiPort [] [] {
        pub awid: Signal<Out, U<5>>,
        pub awaddr: Signal<Out, U<32>>,
        pub awlen: Signal<Out, U<8>>,
        pub awsize: Signal<Out, U<3>>,
        pub awburst: Signal<Out, U<2>>,
        pub awlock: Signal<Out, Bit>,
        pub awcache: Signal<Out, U<4>>,
        pub awprot: Signal<Out, U<3>>,
        pub awqos: Signal<Out, U<4>>,
        pub awvalid: Signal<Out, Bit>,
        pub awready: Signal<In, Bit>,
        pub wdata: Signal<Out, U<32>>,
        pub wstrb: Signal<Out, U<4>>,
        pub wlast: Signal<Out, Bit>,
        pub wvalid: Signal<Out, Bit>,
        pub wready: Signal<In, Bit>,
        pub bid: Signal<In, U<5>>,
        pub bresp: Signal<In, U<2>>,
        pub bvalid: Signal<In, Bit>,
        pub bready: Signal<Out, Bit>,
        pub arid: Signal<Out, U<5>>,
        pub araddr: Signal<Out, U<32>>,
        pub arlen: Signal<Out, U<8>>,
        pub arsize: Signal<Out, U<3>>,
        pub arburst: Signal<Out, U<2>>,
        pub arlock: Signal<Out, Bit>,
        pub arcache: Signal<Out, U<4>>,
        pub arprot: Signal<Out, U<3>>,
        pub arqos: Signal<Out, U<4>>,
        pub arvalid: Signal<Out, Bit>,
        pub arready: Signal<In, Bit>,
        pub rid: Signal<In, U<5>>,
        pub rdata: Signal<In, U<32>>,
        pub rresp: Signal<In, U<2>>,
        pub rlast: Signal<In, Bit>,
        pub rvalid: Signal<In, Bit>,
        pub rready: Signal<Out, Bit>,
    }
}

interface! {
    /// Wishbone B4, pipelined, 32 bits wide.
    pub struct WishbonePort [] [] {
        pub cyc: Signal<Out, Bit>,
        pub stb: Signal<Out, Bit>,
        pub we: Signal<Out, Bit>,
        /// Of a word.
        pub adr: Signal<Out, U<30>>,
        pub sel: Signal<Out, U<4>>,
        pub dat_o: Signal<Out, U<32>>,
        pub dat_i: Signal<In, U<32>>,
        pub stall: Signal<In, Bit>,
        pub ack: Signal<In, Bit>,
        pub err: Signal<In, Bit>,
    }
}
