//! `U<N>`: an unsigned word of 1 to 64 bits held in a `u64`.
//!
//! It has the methods that rust-hdl's kernels translate, under the same names,
//! so a kernel reads the same as with `Bits<N>` and simulates several times
//! faster. Values are always kept below 2^N.

use super::Raw;
use rust_hdl::core::prelude::{Bits, Synth, TypeDescriptor, TypeKind, VCDValue, VerilogLiteral};
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not, Shl, Shr, Sub};

/// An unsigned word of N bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct U<const N: usize>(u64);

impl<const N: usize> U<N> {
    /// All bits set.
    pub const MAX: u64 = u64::MAX >> (64 - N);

    /// The low N bits of `value`.
    #[inline(always)]
    pub const fn new(value: u64) -> U<N> {
        U(value & Self::MAX)
    }

    /// The value.
    #[inline(always)]
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// The value as a `u32`, of a word that fits.
    #[inline(always)]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }

    /// As an index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// One bit.
    #[inline(always)]
    pub fn get_bit(self, index: usize) -> bool {
        debug_assert!(index < N, "bit {index} of {N}");
        index < 64 && self.0 >> index & 1 != 0
    }

    /// M bits from `low` on.
    #[inline(always)]
    pub fn get_bits<const M: usize>(self, low: usize) -> U<M> {
        debug_assert!(low + M <= N, "bits {low}+{M} of {N}");
        U::new(self.0 >> low)
    }

    /// The word with one bit replaced.
    #[inline(always)]
    pub fn replace_bit(self, index: usize, value: bool) -> U<N> {
        debug_assert!(index < N, "bit {index} of {N}");
        U(self.0 & !(1 << index) | u64::from(value) << index)
    }

    /// Is any bit set?
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Are all bits set?
    #[inline(always)]
    pub fn all(self) -> bool {
        self.0 == Self::MAX
    }

    /// Parity.
    #[inline(always)]
    pub fn xor(self) -> bool {
        !self.0.count_ones().is_multiple_of(2)
    }

    /// Zero-extended (or cut, as an assignment in Verilog does) to M bits.
    #[inline(always)]
    pub fn to_bits<const M: usize>(self) -> U<M> {
        U::new(self.0)
    }
}

/// Loop variables as words.
pub trait ToWord {
    /// The value as a word.
    fn to_bits<const M: usize>(self) -> U<M>;
}

impl ToWord for usize {
    #[inline(always)]
    fn to_bits<const M: usize>(self) -> U<M> {
        U::new(self as u64)
    }
}

impl ToWord for bool {
    #[inline(always)]
    fn to_bits<const M: usize>(self) -> U<M> {
        U::new(u64::from(self))
    }
}

impl<const N: usize> From<u64> for U<N> {
    #[inline(always)]
    fn from(value: u64) -> U<N> {
        U::new(value)
    }
}

impl<const N: usize> PartialEq<u64> for U<N> {
    #[inline(always)]
    fn eq(&self, other: &u64) -> bool {
        self.0 == *other
    }
}

impl<const N: usize> PartialOrd<u64> for U<N> {
    #[inline(always)]
    fn partial_cmp(&self, other: &u64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

macro_rules! operator {
    ($($op:ident $method:ident $f:expr;)*) => { $(
        impl<const N: usize> $op for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, other: U<N>) -> U<N> {
                let f: fn(u64, u64) -> u64 = $f;
                U::new(f(self.0, other.0))
            }
        }
        impl<const N: usize> $op<u64> for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, other: u64) -> U<N> {
                let f: fn(u64, u64) -> u64 = $f;
                U::new(f(self.0, other))
            }
        }
    )* };
}

operator! {
    Add add u64::wrapping_add;
    Sub sub u64::wrapping_sub;
    Mul mul u64::wrapping_mul;
    BitAnd bitand |a, b| a & b;
    BitOr bitor |a, b| a | b;
    BitXor bitxor |a, b| a ^ b;
}

impl<const N: usize> Not for U<N> {
    type Output = U<N>;
    #[inline(always)]
    fn not(self) -> U<N> {
        U::new(!self.0)
    }
}

macro_rules! shift {
    ($($op:ident $method:ident $checked:ident;)*) => { $(
        impl<const N: usize, const M: usize> $op<U<M>> for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, by: U<M>) -> U<N> {
                u32::try_from(by.0).ok().and_then(|by| self.0.$checked(by)).map_or(U(0), U::new)
            }
        }
        impl<const N: usize> $op<u64> for U<N> {
            type Output = U<N>;
            #[inline(always)]
            fn $method(self, by: u64) -> U<N> {
                u32::try_from(by).ok().and_then(|by| self.0.$checked(by)).map_or(U(0), U::new)
            }
        }
    )* };
}

shift! {
    Shl shl checked_shl;
    Shr shr checked_shr;
}

impl<const N: usize> fmt::Debug for U<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N}'h{:x}", self.0)
    }
}

impl<const N: usize> Raw for U<N> {
    type Edge = ();

    #[inline(always)]
    fn note(_edge: &mut (), _changed: bool) {}

    fn to_raw(self) -> u64 {
        self.0
    }

    fn from_raw(raw: u64) -> U<N> {
        U::new(raw)
    }
}

impl<const N: usize> Synth for U<N> {
    const BITS: usize = N;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: format!("U<{N}>"), kind: TypeKind::Bits(N) }
    }

    fn vcd(self) -> VCDValue {
        Bits::<N>::from(self.0).into()
    }

    fn verilog(self) -> VerilogLiteral {
        Bits::<N>::from(self.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_the_width() {
        let a = U::<5>::new(0x1f);
        assert_eq!(a + 1, 0);
        assert_eq!(U::<5>::new(0) - 1, 31);
        assert_eq!(!U::<3>::new(0b101), 0b010);
        assert_eq!(U::<64>::new(u64::MAX) + 2, 1);
        assert_eq!(U::<32>::new(3) << U::<5>::new(31), 1 << 31);
        assert_eq!(U::<64>::new(1) >> U::<7>::new(64), 0);
    }

    #[test]
    fn bits_and_slices() {
        let a = U::<12>::new(0xabc);
        assert_eq!(a.get_bits::<4>(4), 0xb);
        assert!(a.get_bit(11) && !a.get_bit(10));
        assert_eq!(a.replace_bit(0, true), 0xabd);
        assert_eq!(a.to_bits::<8>(), 0xbc);
        assert!(U::<1>::new(1).all() && a.any() && !a.all());
        assert!(U::<4>::new(0b0111).xor());
    }
}
