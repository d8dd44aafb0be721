//! The host interface on a board: it listens to what is written at `tohost`,
//! a cycle later, while memory is closed already, and after another one knows what it
//! means. A byte goes to the UART, and memory
//! waits until it is taken; an exit code drives `done` and `fail`, and memory stays
//! closed; so does what the board cannot do (system calls). Behind a byte both words of
//! `tohost` are cleared.

use super::SocOptions;
use crate::platform::{HTIF_CONSOLE, RAM_BASE};
use crate::rtl::prelude::*;

regs! {
    /// `tohost` as it is in memory, and what is to be done about it.
    pub struct Host [] [] / HostD, HostQ {
        low: U<32> = 0,
        high: U<32> = 0,
        /// The low word was written; and a cycle later, when it is known what that means: a byte,
        /// or an end, or a good one.
        act: Bit = false,
        judge: Bit = false,
        says: Bit,
        ends: Bit,
        passes: Bit,
        /// Words to clear, the high one first.
        clear: U<2> = 3,
        done: Bit = false,
        fail: Bit = false,
    }
}

regs! {
    /// What memory wrote to `tohost` in the cycle before.
    pub struct Snoop [] [] / SnoopD, SnoopQ {
        low: Bit = false,
        high: Bit = false,
        low_bytes: U<4>,
        high_bytes: U<4>,
        low_data: U<32>,
        high_data: U<32>,
    }
}

block! {
    /// See the module.
    pub struct Htif [const T: usize] [T] fn new(options: &SocOptions) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// What memory writes in this cycle.
            pub row: Signal<In, U<28>>,
            pub write: [Signal<In, U<4>>; T],
            pub data: [Signal<In, U<32>>; T],
            /// The UART takes a byte.
            pub ready: Signal<In, Bit>,
        }
        output {
            /// Memory takes nothing in the next cycle, and not only because of what is written in
            /// this one.
            pub closing: Signal<Out, Bit>,
            pub clear: Signal<Out, Bit>,
            pub clear_word: Signal<Out, U<30>>,
            pub send: Signal<Out, Bit>,
            pub byte: Signal<Out, U<8>>,
            pub done: Signal<Out, Bit>,
            pub fail: Signal<Out, Bit>,
        }
        local {
            low: Signal<Local, U<32>>,
            high: Signal<Local, U<32>>,
            keep: Signal<Local, U<32>>,
            none: Signal<Local, Bit>,
            listens: Signal<Local, Bit>,
            closes: Signal<Local, Bit>,
        }
        part {
            host: Host = Host::new(),
            snoop: Snoop = Snoop::new(),
            low_word: Constant<U<30>> = Constant::new(u64::from(options.tohost / 4).into()),
            high_word: Constant<U<30>> = Constant::new(u64::from(options.tohost / 4 + 1).into()),
            low_row: Constant<U<28>> = Constant::new((place(options, 0) / T).to_bits()),
            high_row: Constant<U<28>> = Constant::new((place(options, 1) / T).to_bits()),
            console: Constant<U<32>> = Constant::new(u64::from(HTIF_CONSOLE).into()),
            bytes: Vec<Constant<U<32>>> =
                (0..4).map(|b| Constant::new((0xff << (8 * b)).into())).collect(),
        }
        plain {
            _low: usize = place(options, 0) % T,
            _high: usize = place(options, 1) % T,
        }
    }
}

/// Which word of RAM is `tohost`, or the one after it.
fn place(options: &SocOptions, word: usize) -> usize {
    ((options.tohost - RAM_BASE) / 4) as usize + word
}

impl<const T: usize> Logic for Htif<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.host.clock.next = self.clock.val();
        self.host.reset.next = self.reset.val();
        self.low.next = self.host.q.low.val();
        self.high.next = self.host.q.high.val();
        self.host.d.act.next = false;
        self.keep.next = 0.into();
        self.snoop.clock.next = self.clock.val();
        self.snoop.reset.next = self.reset.val();
        // What is cleared is no message.
        self.listens.next = !self.host.q.clear.val().any();
        for lane in self._low..(self._low + 1) {
            self.snoop.d.low.next = self.listens.val()
                && (self.row.val() == self.low_row.val())
                && self.write[lane].val().any();
            self.snoop.d.low_bytes.next = self.write[lane].val();
            self.snoop.d.low_data.next = self.data[lane].val();
        }
        for lane in self._high..(self._high + 1) {
            self.snoop.d.high.next = self.listens.val()
                && (self.row.val() == self.high_row.val())
                && self.write[lane].val().any();
            self.snoop.d.high_bytes.next = self.write[lane].val();
            self.snoop.d.high_data.next = self.data[lane].val();
        }
        if self.snoop.q.low.val() {
            self.host.d.act.next = true;
            self.keep.next = 0.into();
            for b in 0..4 {
                if self.snoop.q.low_bytes.val().get_bit(b) {
                    self.keep.next = self.keep.val() | self.bytes[b].val();
                }
            }
            self.low.next = (self.low.val() & !self.keep.val())
                | (self.snoop.q.low_data.val() & self.keep.val());
        }
        if self.snoop.q.high.val() {
            self.keep.next = 0.into();
            for b in 0..4 {
                if self.snoop.q.high_bytes.val().get_bit(b) {
                    self.keep.next = self.keep.val() | self.bytes[b].val();
                }
            }
            self.high.next = (self.high.val() & !self.keep.val())
                | (self.snoop.q.high_data.val() & self.keep.val());
        }
        self.host.d.low.next = self.low.val();
        self.host.d.high.next = self.high.val();

        // The words are cleared one after the other.
        self.clear.next = self.host.q.clear.val().any();
        self.clear_word.next = self.low_word.val();
        self.host.d.clear.next = 0.into();
        if self.host.q.clear.val().get_bit(1) {
            self.clear_word.next = self.high_word.val();
            self.host.d.clear.next = 1.into();
            self.host.d.high.next = 0.into();
        } else if self.clear.val() {
            self.host.d.low.next = 0.into();
        }

        // What the message means.
        self.none.next = self.host.q.high.val() == 0;
        self.host.d.judge.next = self.host.q.act.val();
        self.host.d.says.next = self.host.q.high.val() == self.console.val();
        self.host.d.ends.next = self.host.q.low.val().any() || !self.none.val();
        self.host.d.passes.next = self.none.val() && (self.host.q.low.val() == 1);
        self.send.next = self.host.q.judge.val() && self.host.q.says.val();
        self.byte.next = self.host.q.low.val().get_bits::<8>(0);
        self.done.next = self.host.q.done.val();
        self.fail.next = self.host.q.fail.val();
        self.host.d.done.next = self.host.q.done.val();
        self.host.d.fail.next = self.host.q.fail.val();
        if self.host.q.judge.val() {
            if self.host.q.says.val() {
                if self.ready.val() {
                    self.host.d.clear.next = 3.into();
                } else {
                    self.host.d.judge.next = true;
                }
            } else if self.host.q.ends.val() {
                self.host.d.done.next = true;
                self.host.d.fail.next = !self.host.q.passes.val();
            }
        }
        self.closes.next = self.snoop.q.low.val() || self.host.q.clear.val().get_bit(1);
        if self.host.q.act.val() || self.host.q.judge.val() || self.host.q.done.val() {
            self.closes.next = true;
        }
        self.closing.next = self.closes.val();
    }
}
