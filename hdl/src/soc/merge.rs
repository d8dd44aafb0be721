//! The fetch ports of the pipes as one, in turn; replies come in order, so only the last request
//! that memory took is remembered. Memory on the chip is `far`: a request goes through a register
//! first, so that it has a cycle for the way, and a reply comes a cycle later than it could, so
//! that the request before is remembered for a cycle, too, and for one more for each register behind
//! that.

use crate::rtl::fresh_vec;
use crate::rtl::prelude::*;

regs! {
    /// The request that memory has not taken; the pipe that was last.
    pub struct Held [] [] / HeldD, HeldQ {
        valid: Bit = false,
        pipe: U<3> = 0,
        tag: U<8>,
        word: U<30>,
    }
}

regs! {
    /// The request that memory took last.
    pub struct Asked [] [] / AskedD, AskedQ {
        pipe: U<3>,
        tag: U<8>,
    }
}

regs! {
    /// What that was in the cycle before: what a reply answers.
    pub struct Answered [] [] / AnsweredD, AnsweredQ {
        pipe: U<3>,
        tag: U<8>,
    }
}

block! {
    /// See the module. The memory replies to one request before, or while, it takes the next;
    /// if it is far in the cycle after that, or `later`.
    pub struct Merge [] [] fn new(pipes: usize, far: bool, later: usize) {
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
            room: Signal<Local, Bit>,
            word: Signal<Local, U<30>>,
            tag_of: Signal<Local, U<8>>,
            asks_pipe: Signal<Local, U<3>>,
            asks_tag: Signal<Local, U<8>>,
            reply_pipe: Signal<Local, U<3>>,
        }
        part {
            held: Held = Held::new(),
            asked: Asked = Asked::new(),
            answered: Answered = Answered::new(),
            later: Vec<Answered> = (0..later).map(|_| Answered::new()).collect(),
            far: Constant<Bit> = Constant::new(far),
        }
        plain {
            _pipes: usize = pipes,
            _later: usize = later,
        }
    }
}

impl Logic for Merge {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clock.val();
        self.held.reset.next = self.reset.val();
        self.asked.clock.next = self.clock.val();
        self.asked.reset.next = self.reset.val();
        self.answered.clock.next = self.clock.val();
        self.answered.reset.next = self.reset.val();
        self.answered.d.pipe.next = self.asked.q.pipe.val();
        self.answered.d.tag.next = self.asked.q.tag.val();
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
            if self.held.q.pipe.val() == p.to_bits() {
                self.past.next = true;
            }
        }
        self.room.next = self.fetch_ready.val();
        self.reply_tag.next = self.asked.q.tag.val();
        self.reply_pipe.next = self.asked.q.pipe.val();
        if self.far.val() {
            self.room.next = !self.held.q.valid.val() || self.fetch_ready.val();
            self.reply_tag.next = self.answered.q.tag.val();
            self.reply_pipe.next = self.answered.q.pipe.val();
        }
        for l in 0..self._later {
            self.later[l].clock.next = self.clock.val();
            self.later[l].reset.next = self.reset.val();
            self.later[l].d.pipe.next = self.reply_pipe.val();
            self.later[l].d.tag.next = self.reply_tag.val();
            self.reply_tag.next = self.later[l].q.tag.val();
            self.reply_pipe.next = self.later[l].q.pipe.val();
        }
        self.word.next = self.pc[0].val();
        self.tag_of.next = self.tag[0].val();
        for p in 0..self._pipes {
            self.ready[p].next = false;
            self.reply[p].next = self.fetch_reply.val() && (self.reply_pipe.val() == p.to_bits());
            if self.pipe.val() == p.to_bits() {
                self.ready[p].next = self.room.val();
                self.word.next = self.pc[p].val();
                self.tag_of.next = self.tag[p].val();
            }
        }
        self.held.d.valid.next = self.far.val()
            && (self.found.val() || (self.held.q.valid.val() && !self.fetch_ready.val()));
        self.held.d.pipe.next = self.held.q.pipe.val();
        self.held.d.tag.next = self.held.q.tag.val();
        self.held.d.word.next = self.held.q.word.val();
        if self.room.val() {
            self.held.d.tag.next = self.tag_of.val();
            self.held.d.word.next = self.word.val();
            if self.found.val() {
                self.held.d.pipe.next = self.pipe.val();
            }
        }
        // What memory sees, and takes.
        self.fetch.next = self.found.val();
        self.fetch_word.next = self.word.val();
        self.asks_pipe.next = self.pipe.val();
        self.asks_tag.next = self.tag_of.val();
        if self.far.val() {
            self.fetch.next = self.held.q.valid.val();
            self.fetch_word.next = self.held.q.word.val();
            self.asks_pipe.next = self.held.q.pipe.val();
            self.asks_tag.next = self.held.q.tag.val();
        }
        self.asked.d.pipe.next = self.asked.q.pipe.val();
        self.asked.d.tag.next = self.asked.q.tag.val();
        if self.fetch.val() && self.fetch_ready.val() {
            self.asked.d.pipe.next = self.asks_pipe.val();
            self.asked.d.tag.next = self.asks_tag.val();
        }
    }
}
