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
            _mem: Vec<(U<N>, U<T>)> = vec![Default::default(); depth],
            _used: usize = N,
            /// What is written lies in registers for a cycle; and what does now, with its address.
            _waits: bool = false,
            _waiting: Option<(usize, (U<N>, U<T>))> = None,
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

    /// What is written is there two cycles later rather than one, so that who finds out late what
    /// that is has a whole cycle for it.
    pub fn patient(depth: usize) -> Self {
        let mut ram = Self::new(depth);
        ram._waits = true;
        ram
    }

    /// The word that is read at an address once all is written.
    #[cfg(test)]
    pub fn word(&self, at: usize) -> (U<N>, U<T>) {
        match self._waiting {
            Some((to, word)) if to == at => word,
            _ => self._mem[at],
        }
    }
}

impl<const T: usize, const N: usize> Logic for PathRam<T, N> {
    fn update(&mut self) {
        if !self.clock.edge() {
            return;
        }
        let word = self._mem.get(self.read_address.at_edge().index()).copied().unwrap_or_default();
        (self.info.next, self.mask.next) = word;
        let written = self.write.at_edge().then(|| {
            let info = self.write_info.at_edge().raw() & (u64::MAX >> (64 - self._used));
            (self.write_address.at_edge().index(), (info.into(), self.write_mask.at_edge()))
        });
        let now =
            if self._waits { std::mem::replace(&mut self._waiting, written) } else { written };
        if let Some((at, word)) = now
            && let Some(place) = self._mem.get_mut(at)
        {
            *place = word;
        }
    }

    fn hdl(&self) -> Verilog {
        let depth = self._mem.len();
        let top = address_bits(depth) - 1;
        let used = self._used;
        let rest = if used < N { format!("info[{}:{used}] <= 0;\n", N - 1) } else { String::new() };
        let (word, last) = ("{write_mask, write_info", used - 1);
        let word = format!("{word}[{last}:0]}}");
        let wide = T + used - 1;
        let address = format!("write_address[{top}:0]");
        let (registers, steps, [write, address, word]) = if self._waits {
            (
                format!("reg waits;\nreg [{top}:0] waits_at;\nreg [{wide}:0] waiting;\n"),
                format!("waits <= write;\nwaits_at <= {address};\nwaiting <= {word};\n"),
                ["waits", "waits_at", "waiting"].map(String::from),
            )
        } else {
            (String::new(), String::new(), ["write".into(), address, word])
        };
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{wide}:0] mem [0:{}];\n\
             {registers}\
             always @(posedge clock) begin\n\
             {{mask, info[{last}:0]}} <= mem[read_address[{top}:0]];\n\
             {rest}\
             {steps}\
             if ({write}) mem[{address}] <= {word};\n\
             end\n",
            depth - 1,
        ))
    }
}
