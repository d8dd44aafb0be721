//! A word per thread: one block of RAM per lane, all read at one warp and
//! written at one warp, lane by lane. The words read are there in the next cycle;
//! nobody may use a word read and written in the same one.

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};
use std::fmt::Write;

block! {
    /// See the module. Without reset.
    pub struct Threads [const T: usize, const N: usize] [T, N] fn new(warps: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub read_warp: Signal<In, U<5>>,
            pub write: Signal<In, U<T>>,
            pub write_warp: Signal<In, U<5>>,
            pub write_data: [Signal<In, U<N>>; T],
        }
        output { pub read_data: [Signal<Out, U<N>>; T], }
        plain {
            pub _memory: Vec<[U<N>; T]> = vec![[U::default(); T]; warps],
        }
    }
}

impl<const T: usize, const N: usize> Logic for Threads<T, N> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let words = self._memory.get(self.read_warp.at_edge().index());
        for (i, data) in self.read_data.iter_mut().enumerate() {
            data.next = words.map_or_else(U::default, |words| words[i]);
        }
        if let Some(words) = self._memory.get_mut(self.write_warp.at_edge().index()) {
            for (i, word) in words.iter_mut().enumerate() {
                if self.write.at_edge().get_bit(i) {
                    *word = self.write_data[i].at_edge();
                }
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._memory.len();
        let top = address_bits(depth) - 1;
        let mut text = String::new();
        for i in 0..T {
            let _ = write!(
                text,
                "(* no_rw_check *) reg [{}:0] mem{i} [0:{}];\n\
                 always @(posedge clock) begin\n\
                 read_data${i} <= mem{i}[read_warp[{top}:0]];\n\
                 if (write[{i}]) mem{i}[write_warp[{top}:0]] <= write_data${i};\n\
                 end\n",
                N - 1,
                depth - 1
            );
        }
        Verilog::Custom(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_one_by_one() {
        let mut x = Threads::<4, 38>::new(2);
        x.connect_all();
        for (warp, write, data) in [(0, 0b1111, 1), (1, 0b0101, 2), (0, 0b0010, 3)] {
            x.write.next = write.into();
            x.write_warp.next = warp.into();
            x.write_data.iter_mut().for_each(|d| d.next = data.into());
            x.update_all();
            x.clock.next = x.clock.val().tick();
            x.update_all();
        }
        let mut words = |warp: u64| {
            x.read_warp.next = warp.into();
            x.write.next = 0.into();
            x.update_all();
            x.clock.next = x.clock.val().tick();
            x.update_all();
            x.read_data.each_ref().map(|d| d.val().raw())
        };
        assert_eq!((words(0), words(1)), ([1, 3, 1, 1], [2, 0, 2, 0]));
    }
}
