//! The currency of the unit: a path `{valid, key, mask}`. The key is
//! `{!depth, pc}`, so that the order of paths (greater depth first, then lower
//! PC) is that of unsigned numbers, and equal keys are paths that merge.

use crate::rtl::prelude::*;

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
