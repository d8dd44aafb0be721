//! Prints expressions of a kernel so that they mean in Verilog what they mean in
//! Rust.
//!
//! Every piece is printed with exactly the width that it has in Rust, so that
//! Verilog's rule (the widest operand anywhere decides) never applies: literals
//! are sized, narrow operands extended by concatenation, operators parenthesised.
//!
//! The one thing a kernel's syntax tree does not hold is `to_bits`: it leaves its
//! operand without a trace. The width that the surroundings ask for stands in:
//! operands of an operator have its width. Where two readings remain that differ
//! in value, printing fails and names the way out, a local. Undetected stays a
//! `to_bits` that cuts in mid-expression, and one that widens all operands of a
//! comparison alike (harmless, since sums in comparisons are refused).

use super::kernel::{Kernel, Name};
use super::width::{bits, compares, literal, logical, ones, shifts};
use rust_hdl::core::prelude::ast::VerilogOpUnary as Unary;
use rust_hdl::core::prelude::ast::{VerilogExpression as Expr, VerilogOp as Op};

/// A printed expression.
pub struct Text {
    pub text: String,
    /// Needs no parentheses as an operand.
    closed: bool,
}

impl Text {
    fn closed(text: impl Into<String>) -> Text {
        Text { text: text.into(), closed: true }
    }

    fn open(text: String) -> Text {
        Text { text, closed: false }
    }

    /// As an operand.
    fn operand(self) -> String {
        if self.closed { self.text } else { format!("({})", self.text) }
    }

    /// With zeros in front.
    fn extend(self, from: usize, to: usize) -> Text {
        match to - from {
            0 => self,
            more => Text::closed(format!("{{{more}'d0, {}}}", self.text)),
        }
    }
}

/// A sized literal.
pub fn sized(value: u128, width: usize) -> String {
    let value = value & ones(width);
    match value {
        0..=9 => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

fn symbol(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::BitXor => "^",
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Ne => "!=",
        Op::Ge => ">=",
        Op::Gt => ">",
    }
}

/// Printing.
impl Kernel<'_> {
    /// The right-hand side of an assignment to `width` bits.
    pub fn right_hand_side(&mut self, e: &Expr, width: usize) -> Result<Text, String> {
        // Parentheses around the whole (rustc warns of idle ones) mean that a
        // `to_bits` follows: what is inside has its own width.
        if let (Expr::Paren(inner), None) = (e, self.constant(e))
            && let Some(own) = self.width(inner)?
        {
            if !self.uniform(inner, own)? {
                return Err("operands of different widths before to_bits: assign what is in parentheses to a local first".into());
            }
            let text = self.word(inner, own, false)?;
            return Ok(if own < width { text.extend(own, width) } else { text });
        }
        self.word(e, width, true)
    }

    /// A condition, or anything else of one bit.
    pub fn bit(&mut self, e: &Expr) -> Result<String, String> {
        Ok(self.word(e, 1, false)?.text)
    }

    /// What a `match` looks at, and its width.
    pub fn subject(&mut self, e: &Expr) -> Result<(String, usize), String> {
        self.refuse_carry(e, "match")?;
        let width = self.definite_width(e)?;
        Ok((self.word(e, width, false)?.text, width))
    }

    /// An expression of `width` bits. `pinned`: its type is known to have them,
    /// no `to_bits` can follow.
    fn word(&mut self, e: &Expr, width: usize, pinned: bool) -> Result<Text, String> {
        if let Some(value) = self.constant(e) {
            return Ok(Text::closed(sized(value, width)));
        }
        match e {
            Expr::Signal(path) => {
                let (text, own) = self.read(path)?;
                Ok(match own {
                    _ if own > width && pinned => Text::closed(select(&text, own, 0, width)),
                    _ if own > width => {
                        return Err(format!(
                            "{path} is cut from {own} bits to {width} in mid-expression: use get_bits"
                        ));
                    }
                    _ => Text::closed(text).extend(own, width),
                })
            }
            Expr::Literal(l) => Ok(Text::closed(sized(literal(l)?.0, width))),
            Expr::Paren(inner) => {
                let own = self.width(inner)?.unwrap_or(width);
                if own > width {
                    return Err(format!(
                        "{own} bits are cut to {width} in mid-expression: assign them to a local first"
                    ));
                }
                if own < width && (self.carries(inner) || self.complements(inner)) {
                    return Err(format!(
                        "computed in {own} bits or in {width}? Assign what is in parentheses to a local first"
                    ));
                }
                self.word(inner, width, false)
            }
            Expr::Binary(l, op, r) => self.binary(l, op, r, width, pinned),
            Expr::Unary(Unary::Not, e) => {
                let operator = if width == 1 { '!' } else { '~' };
                Ok(Text::open(format!("{operator}{}", self.word(e, width, pinned)?.operand())))
            }
            Expr::Unary(op, e) => {
                let operator = match op {
                    Unary::All => '&',
                    Unary::Any => '|',
                    Unary::Xor => '^',
                    Unary::Not | Unary::Neg => return Err("unary minus is not supported".into()),
                };
                self.refuse_carry(e, "any, all or xor")?;
                let own = self.definite_width(e)?;
                let text = self.word(e, own, false)?;
                let text = if own == 1 {
                    text
                } else {
                    Text::open(format!("{operator}{}", text.operand()))
                };
                Ok(text.extend(1, width))
            }
            Expr::Index(e, at) => Ok(self.part(e, 1, at)?.extend(1, width)),
            Expr::Slice(e, own, at) => {
                if *own > width {
                    return Err(format!("{own} bits are cut to {width}: take fewer with get_bits"));
                }
                Ok(self.part(e, *own, at)?.extend(*own, width))
            }
            Expr::IndexReplace(e, at, value) => self.replace(e, at, value, width, pinned),
            Expr::Cast(..) | Expr::Signed(_) | Expr::Unsigned(_) => {
                Err("casts are not supported; use to_bits or get_bits".into())
            }
        }
    }

    fn binary(
        &mut self,
        l: &Expr,
        op: &Op,
        r: &Expr,
        width: usize,
        pinned: bool,
    ) -> Result<Text, String> {
        let symbol = symbol(op);
        if logical(op) {
            let (l, r) = (self.word(l, 1, false)?, self.word(r, 1, false)?);
            return Ok(
                Text::open(format!("{} {symbol} {}", l.operand(), r.operand())).extend(1, width)
            );
        }
        if compares(op) {
            let own = self.width(l)?.max(self.width(r)?);
            let own = own.ok_or("a comparison of literals")?;
            for side in [l, r] {
                self.refuse_carry(side, "a comparison")?;
                if let Some(value) = self.constant(side)
                    && value > ones(own)
                    && !self.mentions_loop(side)
                {
                    return Err(format!("{own} bits compared with {value}"));
                }
            }
            let (l, r) = (self.word(l, own, false)?, self.word(r, own, false)?);
            return Ok(
                Text::open(format!("{} {symbol} {}", l.operand(), r.operand())).extend(1, width)
            );
        }
        if shifts(op) {
            if matches!(op, Op::Shr) && !pinned {
                self.refuse_carry(l, "a right shift")?;
            }
            let l = self.word(l, width, pinned)?;
            let by = match self.constant(r) {
                Some(by) => by.to_string(),
                None => {
                    self.refuse_carry(r, "a shift amount")?;
                    let own = self.definite_width(r)?;
                    self.word(r, own, false)?.operand()
                }
            };
            return Ok(Text::open(format!("{} {symbol} {by}", l.operand())));
        }
        let (l, r) = (self.word(l, width, pinned)?, self.word(r, width, pinned)?);
        Ok(Text::open(format!("{} {symbol} {}", l.operand(), r.operand())))
    }

    /// `width` bits of a signal from position `at` on.
    fn part(&mut self, e: &Expr, width: usize, at: &Expr) -> Result<Text, String> {
        let (path, base) = self.base(e)?;
        let (text, own) = self.read(path)?;
        if let Some(at) = self.constant(at) {
            let low = base + usize::try_from(at).map_err(|_| "index too large")?;
            return match low + width <= own {
                true => Ok(Text::closed(select(&text, own, low, width))),
                // Reading from bit 0 beyond the top is an extension.
                false if low == 0 => Ok(Text::closed(text).extend(own, width)),
                false => Err(format!("bits {low}+{width} of {path}, which has {own}")),
            };
        }
        if base != 0 {
            return Err("a slice of a slice: assign the inner one to a local first".into());
        }
        if width > own {
            return Err(format!("{width} bits of {path}, which has {own}"));
        }
        let at = self.position(at)?;
        Ok(Text::closed(match (own, width) {
            (1, 1) => text,
            (_, 1) => format!("{text}[{at}]"),
            _ => format!("{text}[{at} +: {width}]"),
        }))
    }

    /// The signal that is sliced, and where the slice starts.
    fn base<'e>(&self, e: &'e Expr) -> Result<(&'e str, usize), String> {
        match e {
            Expr::Signal(path) => match self.lookup(path)? {
                Name::Net(_) => Ok((path, 0)),
                Name::Loop(_) => Err(format!("{path} is a loop variable and has no bits")),
            },
            Expr::Slice(inner, _, at) => match (self.base(inner)?, self.constant(at)) {
                ((path, base), Some(at)) => Ok((path, base + at as usize)),
                _ => Err("a slice of a slice: assign the inner one to a local first".into()),
            },
            _ => Err("bits of an expression: assign it to a local first".into()),
        }
    }

    /// An index that is not constant: `usize` arithmetic, so wide enough for
    /// every value in it.
    fn position(&mut self, e: &Expr) -> Result<String, String> {
        let text = match e {
            Expr::Paren(inner) => {
                self.refuse_carry(inner, "an index")?;
                let own = self.definite_width(inner)?;
                self.word(inner, own, false)?
            }
            Expr::Binary(..) => {
                let own = bits(self.bound(e)?);
                self.word(e, own, false)?
            }
            _ => {
                let own = self.definite_width(e)?;
                self.word(e, own, false)?
            }
        };
        Ok(text.text)
    }

    /// The place of a bit in a signal of `width` bits.
    pub fn place(&mut self, at: &Expr, width: usize) -> Result<String, String> {
        match self.constant(at) {
            Some(at) if at < width as u128 => Ok(at.to_string()),
            Some(at) => Err(format!("bit {at} of {width}")),
            None => self.position(at),
        }
    }

    fn replace(
        &mut self,
        e: &Expr,
        at: &Expr,
        value: &Expr,
        width: usize,
        pinned: bool,
    ) -> Result<Text, String> {
        let value = self.word(value, 1, false)?.text;
        if width == 1 {
            self.word(e, width, pinned)?;
            return Ok(Text::closed(format!("({value})")));
        }
        let old = self.word(e, width, pinned)?;
        let Some(at) = self.constant(at) else {
            let at = self.position(at)?;
            let one = sized(1, width);
            return Ok(Text::open(format!(
                "({} & ~({one} << ({at}))) | ({{{}'d0, {value}}} << ({at}))",
                old.operand(),
                width - 1
            )));
        };
        let at = usize::try_from(at)
            .ok()
            .filter(|&at| at < width)
            .ok_or(format!("bit {at} of {width}"))?;
        let plain = matches!(e, Expr::Signal(path) if matches!(self.lookup(path), Ok(Name::Net(net)) if self.names.nets[net].width == width));
        let mut fields = vec![];
        if plain {
            if at + 1 < width {
                fields.push(select(&old.text, width, at + 1, width - at - 1));
            }
            fields.push(value);
            if at > 0 {
                fields.push(select(&old.text, width, 0, at));
            }
            return Ok(Text::closed(format!("{{{}}}", fields.join(", "))));
        }
        if at + 1 < width {
            fields.push(sized(0, width - at - 1));
        }
        fields.push(value);
        if at > 0 {
            fields.push(sized(0, at));
        }
        let mask = sized(!(1 << at), width);
        Ok(Text::open(format!("({} & {mask}) | {{{}}}", old.operand(), fields.join(", "))))
    }
}

/// Bits of a signal at a constant position.
pub fn select(text: &str, own: usize, low: usize, width: usize) -> String {
    match width {
        _ if width == own => text.into(),
        1 => format!("{text}[{low}]"),
        _ => format!("{text}[{}:{low}]", low + width - 1),
    }
}
