//! Names in Verilog.
//!
//! A signal `d.data[3]` of a block prints as `d_data_3`, the same signal of a
//! part `stage[1]` prints in its parent as `stage_1__d_data_3`. Two signals that
//! would print alike are an error; keywords get an underscore.

use super::gather::{Kind, Tree};
use std::collections::HashMap;

/// What a name stands for in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A signal of the block itself.
    Own(Kind),
    /// Drives a part.
    PartInput,
    /// Driven by a part.
    PartOutput,
}

/// A signal as the body of a module sees it.
#[derive(Clone, Debug)]
pub struct Net {
    /// The path in Rust, for messages.
    pub path: String,
    /// The printed name.
    pub text: String,
    /// Bits.
    pub width: usize,
    /// Declared without a range.
    pub scalar: bool,
    /// See [`Role`].
    pub role: Role,
}

/// Every name of one module.
#[derive(Debug, Default)]
pub struct Names {
    /// The signals: first the block's own in order, then those of its parts.
    pub nets: Vec<Net>,
    /// Where to find a path.
    pub index: HashMap<String, usize>,
    /// Printed names that are taken, and by what.
    taken: HashMap<String, String>,
}

impl Names {
    /// The names of a module with their printed forms.
    pub fn new(tree: &Tree) -> Result<Names, String> {
        let mut names = Names::default();
        for signal in &tree.signals {
            names.add(Net {
                path: signal.name.clone(),
                text: printed(&signal.name),
                width: signal.width,
                scalar: signal.scalar,
                role: Role::Own(signal.kind),
            })?;
        }
        for part in &tree.parts {
            let instance = printed(&part.instance);
            names.take(instance.clone(), &part.instance)?;
            for signal in &part.signals {
                let role = match signal.kind {
                    Kind::Input => Role::PartInput,
                    Kind::Output => Role::PartOutput,
                    Kind::Local | Kind::Constant | Kind::Omitted => continue,
                };
                names.add(Net {
                    path: format!("{}${}", part.instance, signal.name),
                    text: format!("{instance}__{}", signal.name.replace('$', "_")),
                    width: signal.width,
                    scalar: signal.scalar,
                    role,
                })?;
            }
        }
        Ok(names)
    }

    fn add(&mut self, net: Net) -> Result<(), String> {
        self.take(net.text.clone(), &net.path)?;
        self.index.insert(net.path.clone(), self.nets.len());
        self.nets.push(net);
        Ok(())
    }

    fn take(&mut self, text: String, path: &str) -> Result<(), String> {
        match self.taken.insert(text.clone(), path.into()) {
            Some(other) => Err(format!("{path} and {other} would both print as {text}")),
            None => Ok(()),
        }
    }

    /// Hand-written Verilog with the block's names as printed.
    pub fn rename(&self, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = match c {
                'A'..='Z' | 'a'..='z' | '_' => rest.find(|c| !word(c)).unwrap_or(rest.len()),
                // A number, possibly sized (8'h1f), or a system task ($signed).
                '0'..='9' | '\'' | '$' => {
                    let body = rest[1..].find(|c| !word(c) && c != '\'');
                    body.map_or(rest.len(), |n| n + 1)
                }
                '"' => rest[1..].find('"').map_or(rest.len(), |n| n + 2),
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |n| n + 2),
                c => c.len_utf8(),
            };
            let (token, tail) = rest.split_at(length);
            rest = tail;
            if !c.is_ascii_alphabetic() && c != '_' {
                out += token;
            } else if let Some(&net) = self.index.get(token) {
                if KEYWORDS.contains(&token) {
                    return Err(format!("{token}: a keyword as a name in hand-written Verilog"));
                }
                out += &self.nets[net].text;
            } else if token.contains('$') {
                return Err(format!("{token}: no such signal, in hand-written Verilog"));
            } else if let Some(path) = self.taken.get(token) {
                return Err(format!("{token}: hand-written Verilog takes the name of {path}"));
            } else {
                out += token;
            }
        }
        Ok(out)
    }
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The printed form of a path within one block.
pub fn printed(path: &str) -> String {
    let mut text = path.replace('$', "_");
    if KEYWORDS.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// Words that Verilog and SystemVerilog reserve.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert",
    "assign", "assume", "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break",
    "buf", "bufif0", "bufif1", "byte", "case", "casex", "casez", "cell", "chandle", "checker",
    "class", "clocking", "cmos", "config", "const", "constraint", "context", "continue", "cover",
    "covergroup", "coverpoint", "cross", "deassign", "default", "defparam", "design", "disable",
    "dist", "do", "edge", "else", "end", "endcase", "endchecker", "endclass", "endclocking",
    "endconfig", "endfunction", "endgenerate", "endgroup", "endinterface", "endmodule",
    "endpackage", "endprimitive", "endprogram", "endproperty", "endspecify", "endsequence",
    "endtable", "endtask", "enum", "event", "eventually", "expect", "export", "extends", "extern",
    "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
    "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins",
    "illegal_bins", "implements", "implies", "import", "incdir", "include", "initial", "inout",
    "input", "inside", "instance", "int", "integer", "interconnect", "interface", "intersect",
    "join", "join_any", "join_none", "large", "let", "liblist", "library", "local", "localparam",
    "logic", "longint", "macromodule", "matches", "medium", "modport", "module", "nand", "negedge",
    "nettype", "new", "nexttime", "nmos", "nor", "noshowcancelled", "not", "notif0", "notif1",
    "null", "or", "output", "package", "packed", "parameter", "pmos", "posedge", "primitive",
    "priority", "program", "property", "protected", "pull0", "pull1", "pulldown", "pullup",
    "pulsestyle_ondetect", "pulsestyle_onevent", "pure", "rand", "randc", "randcase",
    "randsequence", "rcmos", "real", "realtime", "ref", "reg", "reject_on", "release", "repeat",
    "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0", "rtranif1", "s_always",
    "s_eventually", "s_nexttime", "s_until", "s_until_with", "scalared", "sequence", "shortint",
    "shortreal", "showcancelled", "signed", "small", "soft", "solve", "specify", "specparam",
    "static", "string", "strong", "strong0", "strong1", "struct", "super", "supply0", "supply1",
    "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "this", "throughout", "time",
    "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand",
    "trior", "trireg", "type", "typedef", "union", "unique", "unique0", "unsigned", "until",
    "until_with", "untyped", "use", "uwire", "var", "vectored", "virtual", "void", "wait",
    "wait_order", "wand", "weak", "weak0", "weak1", "while", "wildcard", "wire", "with", "within",
    "wor", "xnor", "xor",
];
