//! Widths of the expressions of a kernel, and what else has to be known of them
//! before they are printed.

use super::kernel::{Kernel, Name};
use rust_hdl::core::prelude::ast::VerilogOpUnary as Unary;
use rust_hdl::core::prelude::ast::{VerilogExpression as Expr, VerilogLiteral, VerilogOp as Op};

/// The largest value of `width` bits.
pub fn ones(width: usize) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

pub fn bits(value: u128) -> usize {
    (u128::BITS - value.leading_zeros()).max(1) as usize
}

/// Value and width of a literal, whose fields rust-hdl keeps to itself.
pub fn literal(literal: &VerilogLiteral) -> Result<(u128, usize), String> {
    let text = literal.to_string();
    let parse = || {
        let (width, digits) = text.split_once('\'')?;
        let radix = if digits.starts_with('b') { 2 } else { 16 };
        Some((u128::from_str_radix(&digits[1..], radix).ok()?, width.parse().ok()?))
    };
    parse().ok_or(format!("the literal {text} is not supported"))
}

pub fn logical(op: &Op) -> bool {
    matches!(op, Op::LogicalAnd | Op::LogicalOr)
}

pub fn compares(op: &Op) -> bool {
    matches!(op, Op::Eq | Op::Lt | Op::Le | Op::Ne | Op::Ge | Op::Gt)
}

pub fn shifts(op: &Op) -> bool {
    matches!(op, Op::Shl | Op::Shr)
}

/// What an expression says of its width.
impl Kernel<'_> {
    /// The value of an expression of literals and loop variables.
    pub(super) fn constant(&self, e: &Expr) -> Option<u128> {
        match e {
            Expr::Literal(l) => literal(l).ok().filter(|l| l.1 > 1).map(|l| l.0),
            Expr::Signal(path) => match self.lookup(path) {
                Ok(Name::Loop(value)) => Some(u128::from(value)),
                _ => None,
            },
            Expr::Paren(e) => self.constant(e),
            Expr::Binary(l, op, r) => {
                let (l, r) = (self.constant(l)?, self.constant(r)?);
                match op {
                    Op::Add => l.checked_add(r),
                    Op::Sub => l.checked_sub(r),
                    Op::Mul => l.checked_mul(r),
                    Op::BitAnd => Some(l & r),
                    Op::BitOr => Some(l | r),
                    Op::BitXor => Some(l ^ r),
                    Op::Shl => l.checked_shl(r.try_into().ok()?),
                    Op::Shr => l.checked_shr(r.try_into().ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn mentions_loop(&self, e: &Expr) -> bool {
        match e {
            Expr::Signal(path) => matches!(self.lookup(path), Ok(Name::Loop(_))),
            Expr::Paren(e) | Expr::Unary(_, e) => self.mentions_loop(e),
            Expr::Binary(l, _, r) => self.mentions_loop(l) || self.mentions_loop(r),
            _ => false,
        }
    }

    /// The widest operand; `None` if all are literals or loop variables.
    pub(super) fn width(&self, e: &Expr) -> Result<Option<usize>, String> {
        if self.constant(e).is_some() {
            return Ok(None);
        }
        Ok(match e {
            Expr::Signal(path) => match self.lookup(path)? {
                Name::Loop(_) => None,
                Name::Net(net) => Some(self.names.nets[net].width),
            },
            Expr::Literal(l) => Some(literal(l)?.1),
            Expr::Paren(e) | Expr::Unary(Unary::Not, e) => self.width(e)?,
            Expr::Unary(..) | Expr::Index(..) => Some(1),
            Expr::Slice(_, width, _) => Some(*width),
            Expr::IndexReplace(e, ..) => self.width(e)?,
            Expr::Binary(_, op, _) if logical(op) || compares(op) => Some(1),
            Expr::Binary(l, op, _) if shifts(op) => self.width(l)?,
            Expr::Binary(l, _, r) => self.width(l)?.max(self.width(r)?),
            Expr::Cast(..) | Expr::Signed(_) | Expr::Unsigned(_) => {
                return Err("casts are not supported; use to_bits or get_bits".into());
            }
        })
    }

    pub(super) fn definite_width(&self, e: &Expr) -> Result<usize, String> {
        self.width(e)?.ok_or("an expression of literals has no width here".into())
    }

    /// Would more width in front change the low bits moved down, or add bits?
    pub(super) fn carries(&self, e: &Expr) -> bool {
        if self.constant(e).is_some() {
            return false;
        }
        match e {
            Expr::Paren(e) | Expr::Unary(Unary::Not, e) => self.carries(e),
            Expr::Binary(_, op, _) if logical(op) || compares(op) => false,
            Expr::Binary(_, Op::Add | Op::Sub | Op::Mul | Op::Shl, _) => true,
            Expr::Binary(l, Op::Shr, _) => self.carries(l),
            Expr::Binary(l, _, r) => self.carries(l) || self.carries(r),
            _ => false,
        }
    }

    /// Do all operands have `width` bits as they stand?
    pub(super) fn uniform(&self, e: &Expr, width: usize) -> Result<bool, String> {
        if self.constant(e).is_some() {
            return Ok(true);
        }
        Ok(match e {
            Expr::Paren(e) | Expr::Unary(Unary::Not, e) => self.uniform(e, width)?,
            Expr::Binary(_, op, _) if logical(op) || compares(op) => width == 1,
            Expr::Binary(l, op, _) if shifts(op) => self.uniform(l, width)?,
            Expr::Binary(l, _, r) => self.uniform(l, width)? && self.uniform(r, width)?,
            e => self.width(e)? == Some(width),
        })
    }

    pub(super) fn complements(&self, e: &Expr) -> bool {
        match e {
            Expr::Unary(Unary::Not, _) => true,
            Expr::Paren(e) => self.complements(e),
            Expr::Binary(_, op, _) if logical(op) || compares(op) => false,
            Expr::Binary(l, op, _) if shifts(op) => self.complements(l),
            Expr::Binary(l, _, r) => self.complements(l) || self.complements(r),
            _ => false,
        }
    }

    pub(super) fn refuse_carry(&self, e: &Expr, user: &str) -> Result<(), String> {
        match self.carries(e) {
            true => Err(format!(
                "{user} uses a sum, difference, product or left shift: assign that to a local first, which says its width"
            )),
            false => Ok(()),
        }
    }

    /// Upper bound of an index expression and of everything in it.
    pub(super) fn bound(&self, e: &Expr) -> Result<u128, String> {
        if let Some(value) = self.constant(e) {
            return Ok(value);
        }
        let (l, op, r) = match e {
            Expr::Paren(e) => return self.bound(e),
            Expr::Binary(l, op, r) => (self.bound(l)?, op, self.bound(r)?),
            e => return Ok(ones(self.definite_width(e)?)),
        };
        Ok(match op {
            Op::Add => l.saturating_add(r),
            Op::Mul => l.saturating_mul(r),
            Op::Shl => l.saturating_mul(1u128.checked_shl(r as u32).unwrap_or(u128::MAX)),
            _ => ones(bits(l.max(r))),
        })
    }
}
