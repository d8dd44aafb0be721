//! The device window: parked threads, wake register, barrier (stage 8,
//! `docs/platform.md`).

use crate::config::CoreConfig;
use crate::rtl::prelude::*;

block! {
    /// In a cycle with both an access and a `wfi`, the `wfi` comes first.
    pub struct Devices [const T: usize] [T] fn new(config: &CoreConfig) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            /// A load or store is performed in this cycle...
            pub access: Signal<In, Bit>,
            /// ... which is a store...
            pub write: Signal<In, Bit>,
            /// ... of this word of the window.
            pub offset: Signal<In, U<7>>,
            pub data: Signal<In, U<32>>,
            /// Whose store.
            pub warp: Signal<In, U<5>>,
            /// See `warp`.
            pub lane: Signal<In, U<6>>,
            /// Threads execute `wfi`...
            pub park: Signal<In, Bit>,
            /// ... of this warp...
            pub park_warp: Signal<In, U<5>>,
            /// ... namely these.
            pub park_mask: Signal<In, U<T>>,
        }
        output {
            /// Those of `park_mask` that do park.
            pub parked: Signal<Out, U<T>>,
            /// Wakes are still on their way to the divergence unit.
            pub busy: Signal<Out, Bit>,
            /// What a load of `offset` gives.
            pub value: Signal<Out, U<32>>,
            /// This access wakes parked threads.
            pub wakes: Signal<Out, Bit>,
            /// Threads go on...
            pub wake: Signal<Out, Bit>,
            /// ... of this warp...
            pub wake_warp: Signal<Out, U<5>>,
            /// ... namely these.
            pub wake_mask: Signal<Out, U<T>>,
        }
        plain { pub _config: CoreConfig = config.clone(), }
    }
}

impl<const T: usize> Logic for Devices<T> {
    fn update(&mut self) {}
}
