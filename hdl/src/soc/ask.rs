//! A register between the data port and memory: what the core asks for late in
//! its cycle has a cycle for the way.
//!
//! ```text
//! cycle     c          c+1                    c+2
//! request   taken      memory performs it     reply
//! ```
//!
//! The words of the request are put together from what its lanes have after that register, where
//! they are needed ([`Scatter`]), unless the core serves lanes one after the other: then it has
//! registers of its own for them.
//!
//! Requests are performed in the order in which they are taken. `ready` is a register, which
//! a cycle ahead looks at what memory will do. A memory that works on the words of an SC or AMO one
//! after the other has its operands here: nothing else comes in until it takes the next request.

use crate::core::scatter::Scatter;
use crate::rtl::fresh_vec;
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
        /// Of words, or of lanes.
        data: [U<32>; T],
        word: [U<6>; T],
    }
}

regs! {
    /// Of its words.
    pub struct AskedWords [const T: usize] [T] / AskedWordsD, AskedWordsQ {
        enable: [U<4>; T],
    }
}

regs! {
    /// Of its lanes.
    pub struct AskedLanes [const T: usize] [T] / AskedLanesD, AskedLanesQ {
        served: U<T>,
        size: U<2>,
        byte: [U<2>; T],
    }
}

block! {
    /// See the module: is there a scatter, and does an SC or AMO stay?
    pub struct Ask [const T: usize] [T] fn new(scatters: bool, stays: bool) {
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
            pub served: Signal<In, U<T>>,
            pub size: Signal<In, U<2>>,
            pub byte: [Signal<In, U<2>>; T],
            pub operand: [Signal<In, U<32>>; T],
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
        local {
            waits: Signal<Local, Bit>,
            /// Where an SC or AMO stays: words are put together, of a request that waits or is worked
            /// on; and that of the next cycle is such a one.
            stays: Vec<Signal<Local, Bit>> = fresh_vec(usize::from(stays)),
            change: Vec<Signal<Local, Bit>> = fresh_vec(usize::from(stays)),
        }
        part {
            asked: Asked<T> = Asked::new(),
            asked_words: Vec<AskedWords<T>> =
                (0..usize::from(!scatters)).map(|_| AskedWords::new()).collect(),
            asked_lanes: Vec<AskedLanes<T>> =
                (0..usize::from(scatters)).map(|_| AskedLanes::new()).collect(),
            scatter: Vec<Scatter<T>> =
                (0..usize::from(scatters)).map(|_| Scatter::new()).collect(),
        }
        plain {
            _words: usize = usize::from(!scatters),
            _scatters: usize = usize::from(scatters),
            _stays: usize = usize::from(stays),
        }
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
                self.asked.d.word[i].next = self.word[i].val();
                for _once in 0..self._words {
                    self.asked.d.data[i].next = self.data[i].val();
                }
                for _once in 0..self._scatters {
                    self.asked.d.data[i].next = self.operand[i].val();
                }
            }
        }
        for k in 0..self._stays {
            self.change[k].next = (self.asked.q.op.val() >= 3) && !(self.asked.q.op.val() == 13);
            self.stays[k].next = self.asked.q.valid.val() || self.change[k].val();
            if self.asked.q.ready.val() {
                self.change[k].next = (self.op.val() >= 3) && !(self.op.val() == 13);
            }
            if self.change[k].val() {
                self.asked.d.ready.next = !self.waits.val() && self.taken_next.val();
            }
        }
        for s in 0..self._words {
            self.asked_words[s].clock.next = self.clock.val();
            self.asked_words[s].reset.next = self.reset.val();
            for i in 0..T {
                self.asked_words[s].d.enable[i].next = self.asked_words[s].q.enable[i].val();
                if self.asked.q.ready.val() {
                    self.asked_words[s].d.enable[i].next = self.enable[i].val();
                }
                self.enable_1[i].next = self.asked_words[s].q.enable[i].val();
                self.data_1[i].next = self.asked.q.data[i].val();
            }
        }
        for s in 0..self._scatters {
            self.asked_lanes[s].clock.next = self.clock.val();
            self.asked_lanes[s].reset.next = self.reset.val();
            self.asked_lanes[s].d.served.next = self.asked_lanes[s].q.served.val();
            self.asked_lanes[s].d.size.next = self.asked_lanes[s].q.size.val();
            for i in 0..T {
                self.asked_lanes[s].d.byte[i].next = self.asked_lanes[s].q.byte[i].val();
            }
            if self.asked.q.ready.val() {
                self.asked_lanes[s].d.served.next = self.served.val();
                self.asked_lanes[s].d.size.next = self.size.val();
                for i in 0..T {
                    self.asked_lanes[s].d.byte[i].next = self.byte[i].val();
                }
            }
            self.scatter[s].asks.next = self.asked.q.valid.val();
            for k in 0..self._stays {
                self.scatter[s].asks.next = self.stays[k].val();
            }
            self.scatter[s].served.next = self.asked_lanes[s].q.served.val();
            self.scatter[s].writes.next = !(self.asked.q.op.val() == 0);
            self.scatter[s].size.next = self.asked_lanes[s].q.size.val();
            for i in 0..T {
                self.scatter[s].word[i].next = self.asked.q.word[i].val();
                self.scatter[s].byte[i].next = self.asked_lanes[s].q.byte[i].val();
                self.scatter[s].data[i].next = self.asked.q.data[i].val();
                self.enable_1[i].next = self.scatter[s].enable[i].val();
                self.data_1[i].next = self.scatter[s].out[i].val();
            }
        }
        self.asks.next = self.asked.q.valid.val();
        self.tag_1.next = self.asked.q.tag.val();
        self.op_1.next = self.asked.q.op.val();
        self.warp_1.next = self.asked.q.warp.val();
        self.block_1.next = self.asked.q.block.val();
        self.lanes_1.next = self.asked.q.lanes.val();
        for i in 0..T {
            self.word_1[i].next = self.asked.q.word[i].val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<const T: usize> Sim for Ask<T> {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    /// A request is made, which memory takes in the next cycle and works on for three.
    fn ready_while_memory_works(op: u64, stays: bool) -> Vec<bool> {
        let mut ask = Box::new(Ask::<4>::new(false, stays));
        ask.power_up();
        ask.taken_next.next = true;
        ask.settle();
        ask.tick();
        (ask.request.next, ask.op.next) = (true, op.into());
        ask.data[1].next = 7.into();
        ask.settle();
        assert!(ask.ready.val());
        ask.tick();
        // The next one wants in.
        (ask.op.next, ask.data[1].next) = (1.into(), 8.into());
        let mut ready = vec![];
        for cycle in 0..5 {
            (ask.taken.next, ask.taken_next.next) = (cycle == 0 || cycle == 4, cycle >= 3);
            ask.settle();
            assert_eq!(ask.asks.val(), cycle == 0 || ready.contains(&true), "cycle {cycle}");
            let data = if ready.contains(&true) { 8 } else { 7 };
            assert_eq!(ask.data_1[1].val().raw(), data, "cycle {cycle}");
            ready.push(ask.ready.val());
            ask.tick();
        }
        ready
    }

    #[test]
    fn operands_stay_while_memory_works_on_them() {
        for op in 0..14 {
            let at_once = vec![true, false, false, false, true];
            let late = vec![false, false, false, false, true];
            assert_eq!(ready_while_memory_works(op, false), at_once, "operation {op}");
            let changes = (3..13).contains(&op);
            let expected = if changes { late } else { at_once };
            assert_eq!(ready_while_memory_works(op, true), expected, "operation {op}");
        }
    }
}
