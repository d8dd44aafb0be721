//! [`regs!`](crate::regs): a group of registers with names, `d` in and `q` out.
//!
//! One group holds the state of a module or the registers between two stages.
//! A field with `= value` is reset to it; the others hold data that a valid bit
//! guards and have no reset. Fields may be arrays (with one reset value for all). The Verilog is a clocked
//! process per register with the same names (`q$pc <= d$pc`): so a simulator can take each
//! over when nobody needs the old value any more, and keeps no copies.
//!
//! A group that is declared `held` is made with a number of inputs `hold`, 1 or 0: with one its
//! registers keep what they have as long as that says so. A reset goes before; those without one hear of none.

/// Declares a register group: `NameD`, `NameQ` and the block `Name`.
///
/// ```text
/// regs! {
///     /// Between fetch and predecode.
///     pub struct Stage2 [const T: usize] [T] / Stage2D, Stage2Q {
///         valid: Bit = false,
///         pc: U<30>,
///         data: [U<32>; T],
///     }
/// }
/// self.r2.clock.next = self.clock.val();
/// self.r2.reset.next = self.reset.val();
/// self.r2.d.pc.next = self.pc.val();
/// ```
#[macro_export]
macro_rules! regs {
    (
        $(#[$meta:meta])*
        pub struct $name:ident [$($generics:tt)*] [$($args:tt)*] / $d:ident, $q:ident {
            $($(#[$fm:meta])* $f:ident : $ft:tt $(<$n:tt>)? $(= $init:expr)?,)*
        }
    ) => {
        $crate::regs! { @ports [$($generics)*] [$($args)*] / $d, $q {
            $($(#[$fm])* $f: $ft $(<$n>)?,)*
        } }

        $crate::block! {
            $(#[$meta])*
            pub struct $name [$($generics)*] [$($args)*] fn new() {
                input { pub clock: Signal<In, $crate::rtl::Clk>, }
                sampled {
                    pub reset: Signal<In, Bit>,
                    pub d: $d<$($args)*>,
                }
                output { pub q: $q<$($args)*>, }
            }
        }

        impl<$($generics)*> logic::Logic for $name<$($args)*> {
            #[inline(always)]
            fn update(&mut self) {
                if !$crate::rtl::Clocked::edge(&self.clock) {
                    return;
                }
                $crate::regs! { @latch self $($f $(= $init)?,)* }
            }

            fn hdl(&self) -> Verilog {
                let mut text = String::new();
                $crate::regs! { @text self text $($f $(= $init)?,)* }
                Verilog::Custom(text)
            }
        }
    };
    (
        held
        $(#[$meta:meta])*
        pub struct $name:ident [$($generics:tt)*] [$($args:tt)*] / $d:ident, $q:ident {
            $($(#[$fm:meta])* $f:ident : $ft:tt $(<$n:tt>)? $(= $init:expr)?,)*
        }
    ) => {
        $crate::regs! { @ports [$($generics)*] [$($args)*] / $d, $q {
            $($(#[$fm])* $f: $ft $(<$n>)?,)*
        } }

        $crate::block! {
            $(#[$meta])*
            pub struct $name [$($generics)*] [$($args)*] fn new(holds: usize) {
                input { pub clock: Signal<In, $crate::rtl::Clk>, }
                sampled {
                    pub reset: Signal<In, Bit>,
                    /// Nothing is taken over, but for a reset; 1 of these, or none.
                    pub hold: Vec<Signal<In, Bit>> = $crate::rtl::fresh_vec(holds),
                    pub d: $d<$($args)*>,
                }
                output { pub q: $q<$($args)*>, }
            }
        }

        impl<$($generics)*> logic::Logic for $name<$($args)*> {
            #[inline(always)]
            fn update(&mut self) {
                if !$crate::rtl::Clocked::edge(&self.clock) {
                    return;
                }
                if self.hold.iter().any(|hold| hold.at_edge()) {
                    $crate::regs! { @preset self $($f $(= $init)?,)* }
                    return;
                }
                $crate::regs! { @latch self $($f $(= $init)?,)* }
            }

            fn hdl(&self) -> Verilog {
                let mut text = String::new();
                $crate::regs! { @text self text $($f $(= $init)?,)* }
                if !self.hold.is_empty() {
                    let (always, resets) = ("always @(posedge clock) ", "<= reset ? ");
                    text = text.replace(always, &format!("{always}if (~hold$0) "));
                    let with_reset = |line: &str| {
                        let reset = line.contains(resets);
                        if reset { line.replace("(~hold$0)", "(~hold$0 | reset)") } else { line.into() }
                    };
                    text = text.lines().map(|line| with_reset(line) + "\n").collect();
                }
                Verilog::Custom(text)
            }
        }
    };
    (@ports [$($generics:tt)*] [$($args:tt)*] / $d:ident, $q:ident {
        $($(#[$fm:meta])* $f:ident : $ft:tt $(<$n:tt>)?,)*
    }) => {
        $crate::interface! {
            /// Inputs of the registers.
            #[allow(missing_docs)]
            pub struct $d [$($generics)*] [$($args)*] {
                $($(#[$fm])* pub $f: $crate::regs!(@signal In $ft $(<$n>)?),)*
            }
        }
        $crate::interface! {
            /// Outputs of the registers.
            #[allow(missing_docs)]
            pub struct $q [$($generics)*] [$($args)*] {
                $($(#[$fm])* pub $f: $crate::regs!(@signal Out $ft $(<$n>)?),)*
            }
        }
    };
    (@latch $self:ident $($f:ident $(= $init:expr)?,)*) => {
        $($crate::rtl::Latch::latch(&mut $self.q.$f, &$self.d.$f);)*
        $crate::regs! { @preset $self $($f $(= $init)?,)* }
    };
    (@preset $self:ident $($f:ident $(= $init:expr)?,)*) => {
        if $self.reset.at_edge() {
            $($($crate::rtl::Preset::preset(&mut $self.q.$f, $init.into());)?)*
        }
    };
    (@text $self:ident $text:ident $($f:ident $(= $init:expr)?,)*) => {
        $(
            #[allow(unused_mut, unused_assignments)]
            let mut reset = String::new();
            $(reset = $crate::rtl::Preset::preset_text(&$self.q.$f, $init.into());)?
            $crate::rtl::Latch::text(
                &$self.q.$f, stringify!($f), &$self.d.$f, &reset, &mut $text,
            );
        )*
    };
    (@signal $dir:ident [$t:tt $(<$n:tt>)?; $k:tt]) => { [Signal<$dir, $t $(<$n>)?>; $k] };
    (@signal $dir:ident $t:tt $(<$n:tt>)?) => { Signal<$dir, $t $(<$n>)?> };
}

use super::Raw;
use super::prelude::*;
use std::fmt::Write;

/// Taking `d` over into `q`, and saying so in Verilog.
pub trait Latch<D> {
    /// `q` takes the value of `d`.
    fn latch(&mut self, d: &D);
    /// The process; with a condition before the value for what is reset.
    fn text(&self, name: &str, d: &D, reset: &str, out: &mut String);
}

impl<T: Raw> Latch<Signal<In, T>> for Signal<Out, T> {
    #[inline(always)]
    fn latch(&mut self, d: &Signal<In, T>) {
        self.next = d.at_edge();
    }

    fn text(&self, name: &str, _: &Signal<In, T>, reset: &str, out: &mut String) {
        let _ = writeln!(out, "always @(posedge clock) q${name} <= {reset}d${name};");
    }
}

impl<T: Raw, const N: usize> Latch<[Signal<In, T>; N]> for [Signal<Out, T>; N] {
    #[inline(always)]
    fn latch(&mut self, d: &[Signal<In, T>; N]) {
        for (q, d) in self.iter_mut().zip(d) {
            q.latch(d);
        }
    }

    fn text(&self, name: &str, d: &[Signal<In, T>; N], reset: &str, out: &mut String) {
        for (i, (q, d)) in self.iter().zip(d).enumerate() {
            q.text(&format!("{name}${i}"), d, reset, out);
        }
    }
}

/// Taking the reset value, and saying so in Verilog. An array has one value for
/// all its elements.
pub trait Preset {
    /// Of the register or of each element.
    type Value: Copy;
    /// `q` takes the value.
    fn preset(&mut self, value: Self::Value);
    /// The condition and the value.
    fn preset_text(&self, value: Self::Value) -> String;
}

impl<T: Raw> Preset for Signal<Out, T> {
    type Value = T;

    #[inline(always)]
    fn preset(&mut self, value: T) {
        self.next = value;
    }

    fn preset_text(&self, value: T) -> String {
        format!("reset ? {} : ", value.verilog())
    }
}

impl<P: Preset, const N: usize> Preset for [P; N] {
    type Value = P::Value;

    #[inline(always)]
    fn preset(&mut self, value: P::Value) {
        self.iter_mut().for_each(|q| q.preset(value));
    }

    fn preset_text(&self, value: P::Value) -> String {
        self.first().map(|q| q.preset_text(value)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::Tick;
    use rust_hdl::core::prelude::generate_verilog;

    regs! {
        /// A group with every kind of field.
        pub struct Group [const T: usize] [T] / GroupD, GroupQ {
            count: U<8> = 5,
            valid: Bit = false,
            mask: U<T>,
            data: [U<32>; T],
        }
    }

    block! {
        /// Counts, and delays the mask.
        pub struct Counter [const T: usize] [T] fn new() {
            input {
                pub clock: Signal<In, Clk>,
                pub reset: Signal<In, Bit>,
                pub mask: Signal<In, U<T>>,
            }
            output {
                pub count: Signal<Out, U<8>>,
                pub late: Signal<Out, U<T>>,
            }
            part { group: Group<T> = Group::new(), }
        }
    }

    impl<const T: usize> Logic for Counter<T> {
        #[hdl_gen]
        fn update(&mut self) {
            self.group.clock.next = self.clock.val();
            self.group.reset.next = self.reset.val();
            self.group.d.count.next = self.group.q.count.val() + 1;
            self.group.d.valid.next = true;
            self.group.d.mask.next = self.mask.val();
            for i in 0..T {
                self.group.d.data[i].next = self.group.q.data[i].val() + 1;
            }
            self.count.next = self.group.q.count.val();
            self.late.next = 0.into();
            if self.group.q.valid.val() {
                self.late.next = self.group.q.mask.val();
            }
        }
    }

    impl<const T: usize> Sim for Counter<T> {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    #[test]
    fn registers_count_and_delay() {
        let mut c = Counter::<3>::new();
        c.power_up();
        assert_eq!(c.count.val(), 5);
        c.mask.next = 6.into();
        c.settle();
        assert_eq!(c.late.val(), 0);
        c.tick();
        assert_eq!((c.count.val().raw(), c.late.val().raw()), (6, 6));
        c.mask.next = 1.into();
        c.settle();
        assert_eq!(c.late.val(), 6);
        c.tick();
        assert_eq!((c.count.val().raw(), c.late.val().raw()), (7, 1));
    }

    /// The edge alone and then an evaluation end where both at once do.
    #[test]
    fn an_edge_alone_is_an_edge() {
        let (mut whole, mut parts) = (Counter::<3>::new(), Counter::<3>::new());
        whole.power_up();
        parts.power_up();
        for mask in [6, 6, 1, 0, 7] {
            for c in [&mut whole, &mut parts] {
                c.mask.next = mask.into();
                c.settle();
            }
            whole.tick();
            assert!(parts.edge_only());
            parts.settle();
            assert_eq!(whole.count.val(), parts.count.val());
            assert_eq!(whole.late.val(), parts.late.val());
        }
        assert_eq!(parts.count.val(), 10);
    }

    regs! {
        held
        /// One that keeps what it has.
        pub struct Kept [] [] / KeptD, KeptQ {
            valid: Bit = false,
            data: U<8>,
        }
    }

    impl Sim for Kept {
        fn clock(&mut self) -> &mut Signal<In, Clk> {
            &mut self.clock
        }
        fn reset(&mut self) -> &mut Signal<In, Bit> {
            &mut self.reset
        }
    }

    /// Held, a group keeps what it has, and of a reset hears who has a value for it.
    #[test]
    fn a_held_group_hears_a_reset() {
        let Verilog::Custom(text) = Kept::new(1).hdl() else { panic!("no text") };
        for wanted in [
            "always @(posedge clock) if (~hold$0 | reset) q$valid <= reset ? 1'b0 : d$valid;",
            "always @(posedge clock) if (~hold$0) q$data <= d$data;",
        ] {
            assert!(text.contains(wanted), "{wanted} not in\n{text}");
        }
        let mut kept = Kept::new(1);
        kept.power_up();
        let cases = [
            (false, false, 7, (true, 7)),
            (true, false, 9, (true, 7)),
            (true, true, 9, (false, 7)),
            (false, true, 9, (false, 9)),
            (false, false, 3, (true, 3)),
        ];
        for (hold, reset, data, wanted) in cases {
            kept.hold[0].next = hold;
            kept.reset.next = reset;
            (kept.d.valid.next, kept.d.data.next) = (true, data.into());
            kept.settle();
            kept.tick();
            let after = (kept.q.valid.val(), kept.q.data.val().raw());
            assert_eq!(after, wanted, "{hold} {reset}");
        }
    }

    #[test]
    fn verilog_names_the_registers() {
        let mut c = Counter::<2>::new();
        c.connect_all();
        let text = generate_verilog(&c);
        for wanted in
            ["q$mask <= d$mask;", "q$data$1 <= d$data$1;", "q$count <= reset ? 8'h5 : d$count;"]
        {
            assert!(text.contains(wanted), "{wanted} not in\n{text}");
        }
    }
}
