//! Assembly text into lines of labels, directives and instructions. Nothing
//! is interpreted here; the raw line is kept so that the output can repeat it.

use super::error::Error;

/// One thing on a source line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Label(String),
    /// Name with its dot, the rest of the statement unsplit.
    Directive(String, String),
    /// Mnemonic in lower case, operands split at top-level commas.
    Insn(String, Vec<String>),
}

/// A source line: its text and what it holds.
#[derive(Debug)]
pub struct Line {
    pub raw: String,
    pub items: Vec<Item>,
}

/// Splits `text` into lines. `file` is used in messages only.
pub fn parse(file: &str, text: &str) -> Result<Vec<Line>, Error> {
    let mut in_comment = false;
    let mut lines = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let code = strip_comments(raw, &mut in_comment);
        let mut items = Vec::new();
        for statement in split_outside(&code, ';') {
            parse_statement(statement.trim(), &mut items)
                .map_err(|message| Error::at(file, line, message))?;
        }
        let raw = raw.to_string();
        lines.push(Line { raw, items });
    }
    if in_comment {
        return Err(Error::at(file, lines.len(), "comment is never closed"));
    }
    Ok(lines)
}

/// Text to assemble for an item that is printed on a line of its own.
pub fn render(item: &Item) -> String {
    match item {
        Item::Label(name) => format!("{name}:"),
        Item::Directive(name, args) => format!("\t{name}\t{args}"),
        Item::Insn(..) => format!("\t{}", insn_text(item)),
    }
}

/// `beqz a0, .L1`; empty for what is not an instruction.
pub fn insn_text(item: &Item) -> String {
    match item {
        Item::Insn(mnemonic, operands) if operands.is_empty() => mnemonic.clone(),
        Item::Insn(mnemonic, operands) => format!("{mnemonic} {}", operands.join(", ")),
        _ => String::new(),
    }
}

/// Is `c` part of a symbol or mnemonic?
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

fn parse_statement(mut rest: &str, items: &mut Vec<Item>) -> Result<(), String> {
    loop {
        if rest.is_empty() {
            return Ok(());
        }
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(format!("cannot understand `{rest}`"));
        }
        let (name, tail) = rest.split_at(end);
        let tail = tail.trim_start();
        if let Some(after) = tail.strip_prefix(':') {
            items.push(Item::Label(name.to_string()));
            rest = after.trim_start();
            continue;
        }
        if tail.starts_with('=') {
            let value = tail.trim_start_matches('=').trim();
            items.push(Item::Directive(".set".into(), format!("{name}, {value}")));
        } else if name.starts_with('.') {
            items.push(Item::Directive(name.to_string(), tail.to_string()));
        } else {
            let operands = split_outside(tail, ',');
            let operands = operands.iter().map(|o| o.trim().to_string());
            let operands = operands.filter(|o| !o.is_empty()).collect();
            items.push(Item::Insn(name.to_ascii_lowercase(), operands));
        }
        return Ok(());
    }
}

/// The line without comments, which become one blank each.
fn strip_comments(raw: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = raw;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else {
                return out;
            };
            *in_comment = false;
            out.push(' ');
            rest = &rest[end + 2..];
        }
        let Some(stop) = find_outside(rest, |s| {
            s.starts_with('#') || s.starts_with("//") || s.starts_with("/*")
        }) else {
            out.push_str(rest);
            return out;
        };
        out.push_str(&rest[..stop]);
        if !rest[stop..].starts_with("/*") {
            return out;
        }
        *in_comment = true;
        rest = &rest[stop + 2..];
    }
}

/// Pieces between separators that are outside quotes and parentheses.
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = find_outside(rest, |s| s.starts_with(separator)) {
        pieces.push(&rest[..at]);
        rest = &rest[at + separator.len_utf8()..];
    }
    pieces.push(rest);
    pieces
}

/// First position outside strings and character constants where `hit` holds.
/// Parentheses hide only commas, which is all that a register operand needs.
fn find_outside(text: &str, hit: impl Fn(&str) -> bool) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    let mut depth = 0usize;
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if c == '\'' {
            skip_to = at + character_constant(&text[at..]);
            continue;
        }
        let hidden = depth > 0 && c == ',';
        if !hidden && hit(&text[at..]) {
            return Some(at);
        }
        match c {
            '"' => quoted = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Length of the character constant that `text` starts with.
fn character_constant(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    let Some((_, first)) = chars.next() else {
        return text.len();
    };
    if first == '\\' {
        chars.next();
    }
    match chars.next() {
        Some((at, '\'')) => at + 1,
        Some((at, _)) => at,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        let lines = parse("t.s", text).unwrap();
        lines.into_iter().flat_map(|line| line.items).collect()
    }

    fn insn(mnemonic: &str, operands: &[&str]) -> Item {
        let operands = operands.iter().map(|o| o.to_string()).collect();
        Item::Insn(mnemonic.into(), operands)
    }

    #[test]
    fn statements_comments_and_strings_are_told_apart() {
        let text = "a: b: beqz a0, 1f # no; thing\nnop; /* x\n y */ sw a0, 4(sp) // z\n";
        let expected = [
            Item::Label("a".into()),
            Item::Label("b".into()),
            insn("beqz", &["a0", "1f"]),
            insn("nop", &[]),
            insn("sw", &["a0", "4(sp)"]),
        ];
        assert_eq!(items(text), expected);
        let text = ".asciz \"a#;\\\"/*\"\nli a0, '#'\nx = 3\n";
        let expected = [
            Item::Directive(".asciz".into(), "\"a#;\\\"/*\"".into()),
            insn("li", &["a0", "'#'"]),
            Item::Directive(".set".into(), "x, 3".into()),
        ];
        assert_eq!(items(text), expected);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_line() {
        let error = parse("t.s", "nop\n\"f\": nop\n").unwrap_err();
        assert!(error.0.starts_with("t.s:2: cannot understand"), "{error}");
        let error = parse("t.s", "nop\n/* open\n").unwrap_err();
        assert_eq!(error.0, "t.s:2: comment is never closed");
    }
}
