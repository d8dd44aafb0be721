//! A register between the data port and memory: what the core asks for late in
//! its cycle has a cycle for the way.
//!
//! ```text
//! cycle     c          c+1                    c+2
//! request   taken      memory performs it     reply
//! ```
//!
//! Requests are performed in the order in which they are taken. `ready` is a register, which
//! a cycle ahead looks at what memory will do.

use crate::rtl::prelude::*;

regs! {
    /// The request that memory has not taken.
    pub struct Asked [const T: usize] [T] / AskedD, AskedQ {
        valid: Bit = false,
        ready: Bit = false,
        tag: U<4>,
        op: U<4>,
        warp: U<5>,
        block: U<30>,
        lanes: U<T>,
        enable: [U<4>; T],
        data: [U<32>; T],
        word: [U<6>; T],
    }
}

block! {
    /// See the module.
    pub struct Ask [const T: usize] [T] fn new() {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            // From the core.
            pub request: Signal<In, Bit>,
            pub tag: Signal<In, U<4>>,
            pub op: Signal<In, U<4>>,
            pub warp: Signal<In, U<5>>,
            pub block: Signal<In, U<30>>,
            pub lanes: Signal<In, U<T>>,
            pub enable: [Signal<In, U<4>>; T],
            pub data: [Signal<In, U<32>>; T],
            pub word: [Signal<In, U<6>>; T],
            /// Memory takes the request; it will take one in the next cycle.
            pub taken: Signal<In, Bit>,
            pub taken_next: Signal<In, Bit>,
        }
        output {
            pub ready: Signal<Out, Bit>,
            // To memory.
            pub asks: Signal<Out, Bit>,
            pub tag_1: Signal<Out, U<4>>,
            pub op_1: Signal<Out, U<4>>,
            pub warp_1: Signal<Out, U<5>>,
            pub block_1: Signal<Out, U<30>>,
            pub lanes_1: Signal<Out, U<T>>,
            pub enable_1: [Signal<Out, U<4>>; T],
            pub data_1: [Signal<Out, U<32>>; T],
            pub word_1: [Signal<Out, U<6>>; T],
        }
        local { waits: Signal<Local, Bit>, }
        part { asked: Asked<T> = Asked::new(), }
    }
}

impl<const T: usize> Logic for Ask<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.asked.clock.next = self.clock.val();
        self.asked.reset.next = self.reset.val();
        self.ready.next = self.asked.q.ready.val();
        self.waits.next = (self.asked.q.valid.val() && !self.taken.val())
            || (self.asked.q.ready.val() && self.request.val());
        self.asked.d.valid.next = self.waits.val();
        self.asked.d.ready.next = !self.waits.val() || self.taken_next.val();
        self.asked.d.tag.next = self.asked.q.tag.val();
        self.asked.d.op.next = self.asked.q.op.val();
        self.asked.d.warp.next = self.asked.q.warp.val();
        self.asked.d.block.next = self.asked.q.block.val();
        self.asked.d.lanes.next = self.asked.q.lanes.val();
        for i in 0..T {
            self.asked.d.enable[i].next = self.asked.q.enable[i].val();
            self.asked.d.data[i].next = self.asked.q.data[i].val();
            self.asked.d.word[i].next = self.asked.q.word[i].val();
        }
        if self.asked.q.ready.val() {
            self.asked.d.tag.next = self.tag.val();
            self.asked.d.op.next = self.op.val();
            self.asked.d.warp.next = self.warp.val();
            self.asked.d.block.next = self.block.val();
            self.asked.d.lanes.next = self.lanes.val();
            for i in 0..T {
                self.asked.d.enable[i].next = self.enable[i].val();
                self.asked.d.data[i].next = self.data[i].val();
                self.asked.d.word[i].next = self.word[i].val();
            }
        }
        self.asks.next = self.asked.q.valid.val();
        self.tag_1.next = self.asked.q.tag.val();
        self.op_1.next = self.asked.q.op.val();
        self.warp_1.next = self.asked.q.warp.val();
        self.block_1.next = self.asked.q.block.val();
        self.lanes_1.next = self.asked.q.lanes.val();
        for i in 0..T {
            self.enable_1[i].next = self.asked.q.enable[i].val();
            self.data_1[i].next = self.asked.q.data[i].val();
            self.word_1[i].next = self.asked.q.word[i].val();
        }
    }
}
