//! A UART that sends: 8 data bits, no parity, 1 stop bit.

use crate::rtl::prelude::*;

regs! {
    /// Data and start bit, the lowest on the line; inverted, so that zeros are the stop
    /// bit and the idle line.
    pub struct Frame [] [] / FrameD, FrameQ {
        bits: U<9> = 0,
        left: U<4> = 0,
        cycle: U<20> = 0,
        /// It is the last one of a bit. (What is sent may lie far from what counts.)
        ends: Bit = false,
    }
}

block! {
    /// `divisor` clock cycles per bit.
    pub struct Uart [] [] fn new(divisor: u32) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Sends `byte` if `ready`.
            pub send: Signal<In, Bit>,
            pub byte: Signal<In, U<8>>,
        }
        output {
            pub ready: Signal<Out, Bit>,
            pub tx: Signal<Out, Bit>,
        }
        local {
            wide: Signal<Local, U<9>>,
            rest: Signal<Local, U<9>>,
            /// The cycle that follows.
            cycle: Signal<Local, U<20>>,
        }
        part {
            frame: Frame = Frame::new(),
            last: Constant<U<20>> = Constant::new(u64::from(divisor - 1).into()),
        }
    }
}

impl Logic for Uart {
    #[hdl_gen]
    fn update(&mut self) {
        self.frame.clock.next = self.clock.val();
        self.frame.reset.next = self.reset.val();
        self.ready.next = self.frame.q.left.val() == 0;
        self.tx.next = !self.frame.q.bits.val().get_bit(0);
        self.frame.d.bits.next = self.frame.q.bits.val();
        self.frame.d.left.next = self.frame.q.left.val();
        self.cycle.next = self.frame.q.cycle.val() + 1;
        if self.frame.q.ends.val() {
            self.cycle.next = 0.into();
            if !self.ready.val() {
                self.frame.d.bits.next = self.frame.q.bits.val() >> 1;
                self.frame.d.left.next = self.frame.q.left.val() - 1;
            }
        }
        self.wide.next = self.byte.val().to_bits::<9>();
        self.rest.next = (!self.wide.val()) << 1;
        if self.ready.val() {
            self.cycle.next = 0.into();
            if self.send.val() {
                self.frame.d.bits.next = self.rest.val().replace_bit(0, true);
                self.frame.d.left.next = 10.into();
            }
        }
        self.frame.d.cycle.next = self.cycle.val();
        self.frame.d.ends.next = self.cycle.val() == self.last.val();
    }
}
