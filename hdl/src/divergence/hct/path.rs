//! The currency of the unit: a path `{valid, key, mask}`. The key is
//! `{!depth, pc}`, so that the order of paths (greater depth first, then lower
//! PC) is that of unsigned numbers, and equal keys are paths that merge.

use crate::rtl::prelude::*;
use crate::rtl::{Clocked, address_bits};

interface! {
    /// A path that comes in.
    pub struct PathIn [const T: usize] [T] {
        /// Is there one?
        pub valid: Signal<In, Bit>,
        /// `{!depth, pc}`.
        pub key: Signal<In, U<38>>,
        /// Its threads.
        pub mask: Signal<In, U<T>>,
    }
}

interface! {
    /// A path that goes out. See [`PathIn`].
    pub struct PathOut [const T: usize] [T] {
        /// Is there one?
        pub valid: Signal<Out, Bit>,
        /// `{!depth, pc}`.
        pub key: Signal<Out, U<38>>,
        /// Its threads.
        pub mask: Signal<Out, U<T>>,
    }
}

block! {
    /// A memory of paths: N bits, of which the lower 38 are the key, and a mask. One
    /// [`Ram`] of that width, which blocks of RAM hold better than two; nobody may use a
    /// word read and written in the same cycle.
    pub struct PathRam [const T: usize, const N: usize] [T, N] fn new(depth: usize) {
        input { pub clock: Signal<In, Clk>, }
        sampled {
            pub write: Signal<In, Bit>,
            pub write_address: Signal<In, U<16>>,
            pub write_info: Signal<In, U<N>>,
            pub write_mask: Signal<In, U<T>>,
            pub read_address: Signal<In, U<16>>,
        }
        output {
            /// What else there is, and the key.
            pub info: Signal<Out, U<N>>,
            pub mask: Signal<Out, U<T>>,
        }
        plain {
            pub _mem: Vec<(U<N>, U<T>)> = vec![Default::default(); depth],
            _used: usize = N,
        }
    }
}

impl<const T: usize, const N: usize> PathRam<T, N> {
    /// Only the lower `used` of the N bits are kept, and the others are 0.
    pub fn narrow(depth: usize, used: usize) -> Self {
        let mut ram = Self::new(depth);
        ram._used = used;
        ram
    }
}

impl<const T: usize, const N: usize> Logic for PathRam<T, N> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let word = self._mem.get(self.read_address.at_edge().index()).copied().unwrap_or_default();
        (self.info.next, self.mask.next) = word;
        if self.write.at_edge()
            && let Some(word) = self._mem.get_mut(self.write_address.at_edge().index())
        {
            let info = self.write_info.at_edge().raw() & (u64::MAX >> (64 - self._used));
            *word = (info.into(), self.write_mask.at_edge());
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        let used = self._used;
        let rest = if used < N { format!("info[{}:{used}] <= 0;\n", N - 1) } else { String::new() };
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] mem [0:{}];\n\
             always @(posedge clock) begin\n\
             {{mask, info[{last}:0]}} <= mem[read_address[{top}:0]];\n\
             {rest}\
             if (write) mem[write_address[{top}:0]] <= {{write_mask, write_info[{last}:0]}};\n\
             end\n",
            T + used - 1,
            depth - 1,
            last = used - 1,
        ))
    }
}
