//! [`block!`](crate::block): a rust-hdl block that evaluates only when one of
//! its inputs changed, and then until its parts are quiet.
//!
//! rust-hdl's own derive evaluates every block again and again until nothing in
//! the whole design changes, and each step of hierarchy costs a sweep. Here a
//! block first takes over its inputs; if none changed it is done. Otherwise it
//! runs its kernel and its parts alternately until no part's outputs change.
//! All registers see a clock edge in the first of these rounds, with the values
//! that were settled before it, so the order of blocks does not matter.
//!
//! A block with parts must not itself look at the clock edge (its kernel runs
//! several times per edge); leaves without parts may.
//!
//! Who drives a whole circuit need not evaluate it at the edge and again with the
//! next inputs: [`Tick`] is the edge without what follows from it, which the next
//! evaluation does along with the inputs.
//!
//! Long, because the macro implements every trait of this file for every block.

use super::Signal;
use rust_hdl::core::prelude::{AtomKind, Constant, Direction, Synth};

/// More rounds than any chain of parts can need: a combinational loop.
const ROUNDS: u32 = 200;

/// Bookkeeping of a block, not hardware.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockState {
    /// Evaluated at least once?
    pub started: bool,
    /// Did an output change in the last evaluation?
    pub changed: bool,
    /// Kernel runs so far.
    pub rounds: u64,
}

/// A value as it is when the circuit is built.
pub trait Fresh {
    /// That value.
    fn fresh() -> Self;
}

impl<D: Direction + Default, T: Raw> Fresh for Signal<D, T> {
    fn fresh() -> Self {
        Signal::default()
    }
}

impl<F: Fresh, const N: usize> Fresh for [F; N] {
    fn fresh() -> Self {
        std::array::from_fn(|_| F::fresh())
    }
}

/// A new signal, array of signals or interface.
pub fn fresh<F: Fresh>() -> F {
    F::fresh()
}

/// `n` of them.
pub fn fresh_vec<F: Fresh>(n: usize) -> Vec<F> {
    (0..n).map(|_| F::fresh()).collect()
}

/// What a signal carries: values as plain bits.
pub trait Raw: Synth {
    /// Is it a clock, of which only the edges matter?
    const CLOCK: bool = false;
    /// What a signal remembers about its last change: of a clock whether it came
    /// with this evaluation.
    type Edge: Copy + Default;
    /// Remembers it.
    fn note(edge: &mut Self::Edge, changed: bool);
    /// The bits, of a clock the edges so far.
    fn to_raw(self) -> u64;
    /// The value with these bits.
    fn from_raw(raw: u64) -> Self;
}

impl Raw for bool {
    type Edge = ();

    #[inline(always)]
    fn note(_edge: &mut (), _changed: bool) {}

    fn to_raw(self) -> u64 {
        u64::from(self)
    }

    fn from_raw(raw: u64) -> bool {
        raw != 0
    }
}

/// A signal whatever its type, for tests that take any block.
pub trait Pin {
    /// Bits.
    fn width(&self) -> usize;
    /// Input or output.
    fn kind(&self) -> AtomKind;
    /// Is it a clock?
    fn clock(&self) -> bool;
    /// The value that was set, or that the block gives.
    fn get(&self) -> u64;
    /// Sets an input.
    fn set(&mut self, raw: u64);
}

impl<D: Direction, T: Raw> Pin for Signal<D, T> {
    fn width(&self) -> usize {
        T::BITS
    }

    fn kind(&self) -> AtomKind {
        D::KIND
    }

    fn clock(&self) -> bool {
        T::CLOCK
    }

    fn get(&self) -> u64 {
        self.next.to_raw()
    }

    fn set(&mut self, raw: u64) {
        self.next = T::from_raw(raw);
    }
}

/// What looks at pins: gets their path (`d$data$3`) too.
pub type PinVisitor<'a> = &'a mut dyn FnMut(&str, &mut dyn Pin);

/// A block that hands out its pins.
pub trait Pins {
    /// Every signal of its port, in order of declaration.
    fn pins(&mut self, visit: PinVisitor<'_>);
}

/// Signals, arrays of them and interfaces: what a port consists of.
pub trait Refresh {
    /// Takes over the value that was set; does it differ?
    fn refresh(&mut self) -> bool;

    /// See [`Pins`]. A port written by hand that leaves this out cannot be
    /// tested against its Verilog (which says so).
    fn pins(&mut self, _name: &str, _visit: PinVisitor<'_>) {}
}

impl<D: Direction, T: Raw> Refresh for Signal<D, T> {
    #[inline(always)]
    fn refresh(&mut self) -> bool {
        self.take()
    }

    fn pins(&mut self, name: &str, visit: PinVisitor<'_>) {
        visit(name, self);
    }
}

impl<R: Refresh, const N: usize> Refresh for [R; N] {
    #[inline(always)]
    fn refresh(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, x| x.refresh() | changed)
    }

    fn pins(&mut self, name: &str, visit: PinVisitor<'_>) {
        for (i, x) in self.iter_mut().enumerate() {
            x.pins(&format!("{name}${i}"), visit);
        }
    }
}

impl<R: Refresh> Refresh for Vec<R> {
    #[inline(always)]
    fn refresh(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, x| x.refresh() | changed)
    }

    fn pins(&mut self, name: &str, visit: PinVisitor<'_>) {
        for (i, x) in self.iter_mut().enumerate() {
            x.pins(&format!("{name}${i}"), visit);
        }
    }
}

/// What looks at a circuit while it runs.
pub trait Watcher {
    /// A block or an interface begins.
    fn open(&mut self, name: &str);
    /// It ends.
    fn close(&mut self);
    /// A signal of a port: its width and its value.
    fn signal(&mut self, name: &str, width: usize, value: u64);
}

/// Blocks and all that they consist of, to be looked at. Local signals are not
/// shown: blocks do not keep their values. (rust-hdl's `accept` would do, but
/// who calls that compiles every kernel's syntax tree too.)
pub trait Watch {
    /// Shows every signal and part.
    fn watch(&self, name: &str, watcher: &mut dyn Watcher);
}

impl<D: Direction, T: Raw> Watch for Signal<D, T> {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        watcher.signal(name, T::BITS, self.next.to_raw());
    }
}

impl<T: Synth> Watch for Constant<T> {
    fn watch(&self, _name: &str, _watcher: &mut dyn Watcher) {}
}

impl<W: Watch, const N: usize> Watch for [W; N] {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        self.as_slice().watch(name, watcher);
    }
}

impl<W: Watch> Watch for Vec<W> {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        self.as_slice().watch(name, watcher);
    }
}

impl<W: Watch> Watch for [W] {
    fn watch(&self, name: &str, watcher: &mut dyn Watcher) {
        for (i, x) in self.iter().enumerate() {
            x.watch(&format!("{name}${i}"), watcher);
        }
    }
}

/// The clock edge alone, on a circuit that is settled: registers and memories
/// take over, their outputs show it, and nothing else moves until the next
/// evaluation.
pub trait Tick {
    /// Is there nothing to evaluate in it? (Constants.)
    fn inert(&self) -> bool {
        false
    }

    /// The edge; must the blocks around it be evaluated again?
    fn edge_only(&mut self) -> bool;
}

/// Of a clock: it ticks. Says whether it is one.
impl<D: Direction, T: Raw> Tick for Signal<D, T> {
    #[inline(always)]
    fn edge_only(&mut self) -> bool {
        if T::CLOCK {
            self.next = T::from_raw(self.next.to_raw() + 1);
            self.take();
        }
        T::CLOCK
    }
}

impl<T: Synth> Tick for Constant<T> {
    fn inert(&self) -> bool {
        true
    }

    fn edge_only(&mut self) -> bool {
        false
    }
}

impl<P: Tick, const N: usize> Tick for [P; N] {
    fn inert(&self) -> bool {
        self.iter().all(P::inert)
    }

    #[inline(always)]
    fn edge_only(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, part| part.edge_only() | changed)
    }
}

impl<P: Tick> Tick for Vec<P> {
    fn inert(&self) -> bool {
        self.iter().all(P::inert)
    }

    #[inline(always)]
    fn edge_only(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, part| part.edge_only() | changed)
    }
}

/// Stops a loop of parts that never becomes quiet.
#[inline(always)]
pub fn guard(name: &str, rounds: u32) {
    assert!(rounds < ROUNDS, "{name}: combinational loop");
}

/// Declares a block: its struct, its constructor and its `Block`
/// implementation. Sections, all optional, in this order:
///
/// - `input`, `output`: signals or arrays and `Vec`s of them;
/// - `sampled` (after `input`): inputs that a leaf looks at in the clock edge and never
///   else, by [`Signal::at_edge`]. That they change is no reason to evaluate it;
/// - `port`: interfaces with both directions;
/// - `local`: signals of the kernel;
/// - `part`: sub-blocks and constants;
/// - `plain`: Rust values that are not hardware, names with an underscore.
///
/// A field without an initial value is [`fresh`].
///
/// ```text
/// block! {
///     /// Adds.
///     pub struct Adder [const N: usize] [N] fn new() {
///         input { pub a: Signal<In, U<N>>, pub b: Signal<In, U<N>>, }
///         output { pub sum: Signal<Out, U<N>>, }
///     }
/// }
/// ```
#[macro_export]
macro_rules! block {
    (
        $(#[$meta:meta])*
        pub struct $name:ident [$($generics:tt)*] [$($args:tt)*] fn new($($param:ident : $pty:ty),* $(,)?) {
            $(input { $($(#[$im:meta])* $iv:vis $i:ident : $it:ty $(= $ix:expr)?,)* })?
            $(sampled { $($(#[$sm:meta])* $sv:vis $s:ident : $st:ty $(= $sx:expr)?,)* })?
            $(output { $($(#[$om:meta])* $ov:vis $o:ident : $ot:ty $(= $ox:expr)?,)* })?
            $(port { $($(#[$bm:meta])* $bv:vis $b:ident : $bt:ty $(= $bx:expr)?,)* })?
            $(local { $($(#[$lm:meta])* $lv:vis $l:ident : $lt:ty $(= $lx:expr)?,)* })?
            $(part { $($(#[$pm:meta])* $pv:vis $p:ident : $pt:ty $(= $px:expr)?,)* })?
            $(plain { $($(#[$nm:meta])* $nv:vis $n:ident : $nt:ty = $nx:expr,)* })?
        }
    ) => {
        $(#[$meta])*
        #[allow(missing_docs)]
        pub struct $name<$($generics)*> {
            $($($(#[$im])* $iv $i: $it,)*)?
            $($($(#[$sm])* $sv $s: $st,)*)?
            $($($(#[$om])* $ov $o: $ot,)*)?
            $($($(#[$bm])* $bv $b: $bt,)*)?
            $($($(#[$lm])* $lv $l: $lt,)*)?
            $($($(#[$pm])* $pv $p: $pt,)*)?
            $($($(#[$nm])* $nv $n: $nt,)*)?
            /// Bookkeeping, not hardware.
            pub _state: $crate::rtl::BlockState,
        }

        #[allow(clippy::new_without_default)]
        impl<$($generics)*> $name<$($args)*> {
            /// The circuit as built.
            #[allow(clippy::too_many_arguments, clippy::redundant_field_names)]
            pub fn new($($param: $pty),*) -> Self {
                Self {
                    $($($i: $crate::block!(@init $($ix)?),)*)?
                    $($($s: $crate::block!(@init $($sx)?),)*)?
                    $($($o: $crate::block!(@init $($ox)?),)*)?
                    $($($b: $crate::block!(@init $($bx)?),)*)?
                    $($($l: $crate::block!(@init $($lx)?),)*)?
                    $($($p: $crate::block!(@init $($px)?),)*)?
                    $($($n: $nx,)*)?
                    _state: Default::default(),
                }
            }
        }

        impl<$($generics)*> $crate::rtl::Pins for $name<$($args)*> {
            #[allow(unused_variables)]
            fn pins(&mut self, visit: $crate::rtl::PinVisitor<'_>) {
                $($($crate::rtl::Refresh::pins(&mut self.$i, stringify!($i), visit);)*)?
                $($($crate::rtl::Refresh::pins(&mut self.$s, stringify!($s), visit);)*)?
                $($($crate::rtl::Refresh::pins(&mut self.$o, stringify!($o), visit);)*)?
                $($($crate::rtl::Refresh::pins(&mut self.$b, stringify!($b), visit);)*)?
            }
        }

        impl<$($generics)*> $crate::rtl::Watch for $name<$($args)*> {
            fn watch(&self, name: &str, watcher: &mut dyn $crate::rtl::Watcher) {
                watcher.open(name);
                $($($crate::rtl::Watch::watch(&self.$i, stringify!($i), watcher);)*)?
                $($($crate::rtl::Watch::watch(&self.$s, stringify!($s), watcher);)*)?
                $($($crate::rtl::Watch::watch(&self.$o, stringify!($o), watcher);)*)?
                $($($crate::rtl::Watch::watch(&self.$b, stringify!($b), watcher);)*)?
                $($($crate::rtl::Watch::watch(&self.$p, stringify!($p), watcher);)*)?
                watcher.close();
            }
        }

        impl<$($generics)*> $crate::rtl::Tick for $name<$($args)*> {
            #[allow(unused_mut)]
            fn edge_only(&mut self) -> bool {
                let mut clocked = false;
                $($(clocked |= $crate::rtl::Tick::edge_only(&mut self.$i);)*)?
                $($(clocked |= $crate::rtl::Tick::edge_only(&mut self.$b);)*)?
                let mut changed = false;
                if true $($(&& $crate::rtl::Tick::inert(&self.$p))*)? {
                    if clocked {
                        logic::Logic::update(self);
                        $($(changed |= $crate::rtl::Refresh::refresh(&mut self.$o);)*)?
                        $($(changed |= $crate::rtl::Refresh::refresh(&mut self.$b);)*)?
                    }
                } else {
                    $($(changed |= $crate::rtl::Tick::edge_only(&mut self.$p);)*)?
                    self._state.started &= !changed;
                }
                changed
            }
        }

        impl<$($generics)*> block::Block for $name<$($args)*> {
            fn connect_all(&mut self) {
                logic::Logic::connect(self);
                $($(self.$i.connect_all();)*)?
                $($(self.$s.connect_all();)*)?
                $($(self.$o.connect_all();)*)?
                $($(self.$b.connect_all();)*)?
                $($(self.$l.connect_all();)*)?
                $($(self.$p.connect_all();)*)?
            }

            #[allow(unused_mut, unused_variables)]
            fn update_all(&mut self) {
                let mut dirty = !self._state.started;
                $($(dirty |= $crate::rtl::Refresh::refresh(&mut self.$i);)*)?
                $($(dirty |= $crate::rtl::Refresh::refresh(&mut self.$b);)*)?
                self._state.changed = false;
                if !dirty {
                    return;
                }
                self._state.started = true;
                let mut rounds = 0;
                loop {
                    logic::Logic::update(self);
                    self._state.rounds += 1;
                    let mut again = false;
                    $($(
                        self.$p.update_all();
                        again |= self.$p.has_changed();
                    )*)?
                    if !again {
                        break;
                    }
                    rounds += 1;
                    $crate::rtl::guard(stringify!($name), rounds);
                }
                let mut changed = false;
                $($(changed |= $crate::rtl::Refresh::refresh(&mut self.$o);)*)?
                $($(changed |= $crate::rtl::Refresh::refresh(&mut self.$b);)*)?
                self._state.changed = changed;
            }

            fn has_changed(&self) -> bool {
                self._state.changed
            }

            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_scope(name, self);
                $($(self.$i.accept(stringify!($i), probe);)*)?
                $($(self.$s.accept(stringify!($s), probe);)*)?
                $($(self.$o.accept(stringify!($o), probe);)*)?
                $($(self.$b.accept(stringify!($b), probe);)*)?
                $($(self.$l.accept(stringify!($l), probe);)*)?
                $($(self.$p.accept(stringify!($p), probe);)*)?
                probe.visit_end_scope(name, self);
            }
        }
    };
    (@init) => { $crate::rtl::fresh() };
    (@init $x:expr) => { $x };
}

/// Declares an interface: signals that belong together as one field of a
/// block (under `port`), which may be generic and hold arrays.
///
/// ```text
/// interface! {
///     /// A request and its answer.
///     pub struct Ask [const N: usize] [N] {
///         pub question: Signal<In, U<N>>,
///         pub answer: Signal<Out, U<N>>,
///     }
/// }
/// ```
#[macro_export]
macro_rules! interface {
    (
        $(#[$meta:meta])*
        pub struct $name:ident [$($generics:tt)*] [$($args:tt)*] {
            $($(#[$fm:meta])* pub $f:ident : $ft:ty,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name<$($generics)*> {
            $($(#[$fm])* pub $f: $ft,)*
        }

        impl<$($generics)*> $crate::rtl::Fresh for $name<$($args)*> {
            fn fresh() -> Self {
                Self { $($f: $crate::rtl::fresh(),)* }
            }
        }

        impl<$($generics)*> $crate::rtl::Refresh for $name<$($args)*> {
            #[inline(always)]
            fn refresh(&mut self) -> bool {
                let mut changed = false;
                $(changed |= self.$f.refresh();)*
                changed
            }

            fn pins(&mut self, name: &str, visit: $crate::rtl::PinVisitor<'_>) {
                $(self.$f.pins(&[name, "$", stringify!($f)].concat(), visit);)*
            }
        }

        impl<$($generics)*> $crate::rtl::Tick for $name<$($args)*> {
            #[inline(always)]
            fn edge_only(&mut self) -> bool {
                let mut clocked = false;
                $(clocked |= $crate::rtl::Tick::edge_only(&mut self.$f);)*
                clocked
            }
        }

        impl<$($generics)*> $crate::rtl::Watch for $name<$($args)*> {
            fn watch(&self, name: &str, watcher: &mut dyn $crate::rtl::Watcher) {
                watcher.open(name);
                $($crate::rtl::Watch::watch(&self.$f, stringify!($f), watcher);)*
                watcher.close();
            }
        }

        impl<$($generics)*> logic::Logic for $name<$($args)*> {
            fn update(&mut self) {}
        }

        impl<$($generics)*> block::Block for $name<$($args)*> {
            fn connect_all(&mut self) {
                $(self.$f.connect_all();)*
            }

            fn update_all(&mut self) {
                $(self.$f.update_all();)*
            }

            fn has_changed(&self) -> bool {
                $(self.$f.has_changed())||*
            }

            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_namespace(name, self);
                $(self.$f.accept(stringify!($f), probe);)*
                probe.visit_end_namespace(name, self);
            }
        }
    };
}
