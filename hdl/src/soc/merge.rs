//! The fetch ports of the pipes as one, in turn; replies come in order, so only
//! the last request is remembered.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// The request that the next reply answers; the pipe that was last.
    pub struct Asked [] [] / AskedD, AskedQ {
        pipe: U<3> = 0,
        tag: U<8>,
    }
}

block! {
    /// See the module. The memory replies to one request before, or while, it takes
    /// the next.
    pub struct Merge [] [] fn new(pipes: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub request: Vec<Signal<In, Bit>> = fresh_vec(pipes),
            pub pc: Vec<Signal<In, U<30>>> = fresh_vec(pipes),
            pub tag: Vec<Signal<In, U<8>>> = fresh_vec(pipes),
            pub fetch_ready: Signal<In, Bit>,
            pub fetch_reply: Signal<In, Bit>,
        }
        output {
            pub fetch: Signal<Out, Bit>,
            pub fetch_word: Signal<Out, U<30>>,
            pub ready: Vec<Signal<Out, Bit>> = fresh_vec(pipes),
            pub reply: Vec<Signal<Out, Bit>> = fresh_vec(pipes),
            pub reply_tag: Signal<Out, U<8>>,
        }
        local {
            found: Signal<Local, Bit>,
            past: Signal<Local, Bit>,
            after: Signal<Local, Bit>,
            pipe: Signal<Local, U<3>>,
        }
        part { asked: Asked = Asked::new(), }
        plain { _pipes: usize = pipes, }
    }
}

impl Logic for Merge {
    #[hdl_gen]
    fn update(&mut self) {
        self.asked.clock.next = self.clock.val();
        self.asked.reset.next = self.reset.val();
        // The first after the last one, or else the first.
        self.found.next = false;
        self.past.next = false;
        self.after.next = false;
        self.pipe.next = 0.into();
        for p in 0..self._pipes {
            if self.request[p].val() && !self.after.val() {
                if self.past.val() || !self.found.val() {
                    self.pipe.next = p.to_bits();
                }
                self.after.next = self.past.val();
                self.found.next = true;
            }
            if self.asked.q.pipe.val() == p.to_bits() {
                self.past.next = true;
            }
        }
        self.fetch.next = self.found.val();
        self.fetch_word.next = self.pc[0].val();
        self.asked.d.pipe.next = self.asked.q.pipe.val();
        self.asked.d.tag.next = self.asked.q.tag.val();
        self.reply_tag.next = self.asked.q.tag.val();
        for p in 0..self._pipes {
            self.ready[p].next = false;
            self.reply[p].next = self.fetch_reply.val() && (self.asked.q.pipe.val() == p.to_bits());
            if self.pipe.val() == p.to_bits() {
                self.fetch_word.next = self.pc[p].val();
                self.ready[p].next = self.fetch_ready.val();
                if self.found.val() && self.fetch_ready.val() {
                    self.asked.d.pipe.next = p.to_bits();
                    self.asked.d.tag.next = self.tag[p].val();
                }
            }
        }
    }
}
