//! What an AMO leaves in each word of a block.

use crate::rtl::prelude::*;

block! {
    /// `result` of `old` and `operand`, by the operation of the data port, or an SC.
    pub struct Amo [const T: usize] [T] fn new() {
        input {
            pub op: Signal<In, U<4>>,
            pub old: [Signal<In, U<32>>; T],
            pub operand: [Signal<In, U<32>>; T],
        }
        output { pub result: [Signal<Out, U<32>>; T], }
        local {
            sign: Signal<Local, U<32>>,
            greatest: Signal<Local, Bit>,
            less: Signal<Local, Bit>,
            compares: Signal<Local, Bit>,
            logic: Signal<Local, U<32>>,
            term: Signal<Local, U<32>>,
        }
        part { top: Constant<U<32>> = Constant::new((1 << 31).into()), }
    }
}

impl<const T: usize> Logic for Amo<T> {
    #[hdl_gen]
    fn update(&mut self) {
        // 9 min, 10 max, 11 minu, 12 maxu.
        self.sign.next = 0.into();
        if self.op.val() <= 10 {
            self.sign.next = self.top.val();
        }
        self.greatest.next = (self.op.val() == 10) || (self.op.val() == 12);
        self.compares.next = self.op.val() >= 9;
        for i in 0..T {
            self.less.next =
                (self.old[i].val() ^ self.sign.val()) < (self.operand[i].val() ^ self.sign.val());
            self.logic.next = 0.into();
            if self.op.val() == 6 {
                self.logic.next = self.old[i].val() ^ self.operand[i].val();
            }
            if self.op.val() == 7 {
                self.logic.next = self.old[i].val() & self.operand[i].val();
            }
            if self.op.val() == 8 {
                self.logic.next = self.old[i].val() | self.operand[i].val();
            }
            // One of these is not 0.
            self.result[i].next = self.logic.val();
            self.term.next = 0.into();
            if self.op.val() == 5 {
                self.term.next = self.old[i].val() + self.operand[i].val();
            }
            self.result[i].next = self.result[i].val() | self.term.val();
            self.term.next = 0.into();
            if self.op.val() <= 4 {
                self.term.next = self.operand[i].val();
            }
            self.result[i].next = self.result[i].val() | self.term.val();
            // What is less is known last.
            self.term.next = self.old[i].val();
            if self.less.val() == self.greatest.val() {
                self.term.next = self.operand[i].val();
            }
            if !self.compares.val() {
                self.term.next = 0.into();
            }
            self.result[i].next = self.result[i].val() | self.term.val();
        }
    }
}
