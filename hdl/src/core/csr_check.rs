//! Which CSRs exist (combinational).

use crate::config::{CoreConfig, Counters};
use crate::rtl::prelude::*;

block! {
    /// Legality of one CSR access.
    pub struct CsrCheck [] [] fn new(config: &CoreConfig) {
        input {
            pub number: Signal<In, U<12>>,
            /// The instruction writes it.
            pub writes: Signal<In, Bit>,
        }
        output {
            /// It exists, and is not written although read-only.
            pub legal: Signal<Out, Bit>,
            /// A counter or a view of one.
            pub is_counter: Signal<Out, Bit>,
            /// `minstret` or `minstreth`.
            pub is_minstret: Signal<Out, Bit>,
        }
        plain { pub _counters: bool = config.counters != Counters::None, }
    }
}

impl Logic for CsrCheck {
    fn update(&mut self) {}
}
