//! Arithmetic in the index of an array of signals (`v[2 * i + 1]`), which
//! rust-hdl hands over as text.

/// The value of an index; `None` if it is not made of literals, loop variables,
/// `+ - * / %` and parentheses.
pub fn evaluate(text: &str, loops: &[(String, u64)]) -> Option<u64> {
    let mut parser = Parser { rest: text, loops };
    let value = parser.sum()?;
    parser.rest.is_empty().then_some(value)
}

/// A Rust literal: `12`, `0x1f`, `0b101`, `1_000usize`, `true`.
pub fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        Some("0o") => (&text[2..], 8),
        _ => (text.as_str(), 10),
    };
    match text.as_str() {
        "true" => Some(1),
        "false" => Some(0),
        _ => {
            let end = digits.find(['u', 'i']).unwrap_or(digits.len());
            u64::from_str_radix(&digits[..end], radix).ok()
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    loops: &'a [(String, u64)],
}

impl Parser<'_> {
    fn take(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.strip_prefix(c);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<u64> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product()?)?;
            } else if self.take('-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<u64> {
        let mut value = self.atom()?;
        loop {
            if self.take('*') {
                value = value.checked_mul(self.atom()?)?;
            } else if self.take('/') {
                value = value.checked_div(self.atom()?)?;
            } else if self.take('%') {
                value = value.checked_rem(self.atom()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn atom(&mut self) -> Option<u64> {
        if self.take('(') {
            let value = self.sum()?;
            return self.take(')').then_some(value);
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let variable = self.loops.iter().rev().find(|l| l.0 == name);
        variable.map(|l| l.1).or_else(|| number(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_rust() {
        let loops = [("i".into(), 3), ("n".into(), 8), ("i".into(), 4)];
        for (text, value) in [
            ("i", Some(4)),
            ("n-1-i", Some(3)),
            ("2*i+1", Some(9)),
            ("2*(i+1)%3", Some(1)),
            ("n/i*2", Some(4)),
            ("0x10usize", Some(16)),
            ("i-n", None),
            ("T-1", None),
            ("i i", None),
            ("", None),
        ] {
            assert_eq!(evaluate(text, &loops), value, "{text}");
        }
    }

    #[test]
    fn literals() {
        for (text, value) in
            [("1_000", Some(1000)), ("0b101u8", Some(5)), ("true", Some(1)), ("x", None)]
        {
            assert_eq!(number(text), value, "{text}");
        }
    }
}
