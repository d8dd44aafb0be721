//! The CSRs of a build without traps and counters: all of them are constants but the
//! split mark. The value is there in stage 8, in time for write-back.

use super::state::misa;
use crate::config::CoreConfig;
use crate::core::control::csr_op;
use crate::isa::csr::{MHARTID, MISA, MSTATUS, SPLIT};
use crate::rtl::prelude::*;

block! {
    /// See the module. All inputs are those of stage 8.
    pub struct CsrFew [const T: usize] [T] fn new(config: &CoreConfig) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// Threads that write a CSR.
            pub write: Signal<In, U<T>>,
            pub warp: [Signal<In, U<5>>; T],
            pub number: [Signal<In, U<12>>; T],
            /// One of [`csr_op`].
            pub op: [Signal<In, U<2>>; T],
            pub operand: [Signal<In, U<32>>; T],
        }
        output { pub old: [Signal<Out, U<32>>; T], }
        local {
            mark: Signal<Local, U<1>>,
            operand_bit: Signal<Local, U<1>>,
            is_mark: Signal<Local, Bit>,
            hart: Signal<Local, U<32>>,
            lane: Signal<Local, U<32>>,
        }
        part {
            marks: Vec<Table<1>> =
                (0..T).map(|_| Table::data(config.warps as usize, 1, 1)).collect(),
            misa: Constant<U<32>> = Constant::new(u64::from(misa(config)).into()),
            lane_bits: Constant<U<5>> = Constant::new(u64::from(T.trailing_zeros()).into()),
            number_misa: Constant<U<12>> = Constant::new(u64::from(MISA).into()),
            number_status: Constant<U<12>> = Constant::new(u64::from(MSTATUS).into()),
            number_hart: Constant<U<12>> = Constant::new(u64::from(MHARTID).into()),
            number_mark: Constant<U<12>> = Constant::new(u64::from(SPLIT).into()),
            status: Constant<U<32>> = Constant::new(0x1800.into()),
            set: Constant<U<2>> = Constant::new(csr_op::SET.into()),
            clear: Constant<U<2>> = Constant::new(csr_op::CLEAR.into()),
        }
    }
}

impl<const T: usize> Logic for CsrFew<T> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..T {
            self.marks[i].clock.next = self.clock.val();
            self.marks[i].reset.next = self.reset.val();
            self.marks[i].read_address[0].next = self.warp[i].val().to_bits::<8>();
            self.mark.next = self.marks[i].read_data[0].val();
            self.hart.next = 0.into();
            self.lane.next = 0.into();
            self.is_mark.next = self.number[i].val() == self.number_mark.val();
            self.old[i].next = 0.into();
            if self.number[i].val() == self.number_misa.val() {
                self.old[i].next = self.misa.val();
            } else if self.number[i].val() == self.number_status.val() {
                self.old[i].next = self.status.val();
            } else if self.number[i].val() == self.number_hart.val() {
                self.hart.next = self.warp[i].val().to_bits::<32>();
                self.hart.next = self.hart.val() << self.lane_bits.val();
                self.lane.next = i.to_bits::<32>();
                self.old[i].next = self.hart.val() | self.lane.val();
            } else if self.is_mark.val() {
                self.old[i].next = self.mark.val().to_bits::<32>();
            }
            self.operand_bit.next = self.operand[i].val().get_bits::<1>(0);
            self.marks[i].write[0].next = self.write.val().get_bit(i) && self.is_mark.val();
            self.marks[i].write_address[0].next = self.warp[i].val().to_bits::<8>();
            self.marks[i].write_data[0].next = self.operand_bit.val();
            if self.op[i].val() == self.set.val() {
                self.marks[i].write_data[0].next = self.mark.val() | self.operand_bit.val();
            } else if self.op[i].val() == self.clear.val() {
                self.marks[i].write_data[0].next = self.mark.val() & !self.operand_bit.val();
            }
        }
    }
}
