//! Verilog of a block: [`verilog`].
//!
//! Our own printer over the syntax trees that `#[hdl_gen]` makes, and not
//! rust-hdl's `generate_verilog`, because that
//! - prints no parentheses, unsized literals and `x[0]` of scalars, so that the
//!   text often means something else than the kernel or is illegal;
//! - prints every instance as its own module;
//! - compiles a regular expression per indexed signal;
//! - checks connections only by flags of signals, and no latches at all.
//!
//! Modules with equal bodies become one. All of it is plain Verilog-2001, and
//! the same design always gives the same text.

mod expression;
pub(crate) mod gather;
mod group;
mod index;
mod kernel;
pub(crate) mod names;
#[cfg(test)]
mod tests;
mod width;

use gather::{Kind, Signal, Tree};
use group::Body;
use names::{Names, Role};
use rust_hdl::core::prelude::{Block, Verilog};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// A port of the top module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its path in the block, `$` between fields (`fetch$0$request`).
    pub path: String,
    /// In Verilog.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Or an output.
    pub input: bool,
}

/// A design in Verilog.
pub struct Design {
    /// All modules, the top module last.
    pub text: String,
    /// Ports of the top module, in order.
    pub ports: Vec<Port>,
}

/// The design under `top` as Verilog: the module `name` with the ports of the
/// block, and `name__part` for what it consists of. Errors name every place
/// where the kernels say something that Verilog could not say alike.
pub fn verilog(top: &impl Block, name: &str) -> Result<String, String> {
    design(top, name, &[]).map(|design| design.text)
}

/// The same, without those outputs of the block whose path begins with one of
/// the fields `without`, and without what drives them.
pub fn design(top: &impl Block, name: &str, without: &[&'static str]) -> Result<Design, String> {
    let mut tree = gather::gather(top)?;
    for signal in &mut tree.signals {
        let field = signal.name.split('$').next().unwrap_or_default();
        if signal.kind == Kind::Output && without.contains(&field) {
            signal.kind = Kind::Omitted;
        }
    }
    let mut emitter = Emitter { top: name.into(), ..Emitter::default() };
    emitter.module(&tree, &mut vec![]);
    if !emitter.problems.is_empty() {
        return Err(emitter.problems.join("\n"));
    }
    let ports = tree.signals.iter().filter(|s| matches!(s.kind, Kind::Input | Kind::Output));
    let ports = ports.map(|s| Port {
        path: s.name.clone(),
        name: names::printed(&s.name),
        width: s.width,
        input: s.kind == Kind::Input,
    });
    Ok(Design { ports: ports.collect(), text: emitter.text })
}

#[derive(Default)]
struct Emitter {
    top: String,
    text: String,
    /// Bodies printed so far and their modules.
    modules: HashMap<String, String>,
    taken: BTreeSet<String>,
    problems: Vec<String>,
}

impl Emitter {
    /// Prints a block after its parts; returns the name of its module.
    fn module(&mut self, tree: &Tree, path: &mut Vec<String>) -> String {
        let parts: Vec<String> = tree
            .parts
            .iter()
            .map(|part| {
                path.push(part.instance.clone());
                let module = self.module(part, path);
                path.pop();
                module
            })
            .collect();
        let body = match self.body(tree, &parts) {
            Ok(body) => body,
            Err(problems) => {
                let at = if path.is_empty() { "top".into() } else { path.join(".") };
                self.problems.extend(problems.into_iter().map(|p| format!("{at}: {p}")));
                return String::new();
            }
        };
        if let (Some(module), false) = (self.modules.get(&body), path.is_empty()) {
            return module.clone();
        }
        let module = self.name(path);
        let _ = write!(self.text, "module {module} {body}endmodule\n\n");
        self.modules.insert(body, module.clone());
        module
    }

    /// A name for a new module: the path without the numbers in it.
    fn name(&mut self, path: &[String]) -> String {
        let words: Vec<&str> = path
            .iter()
            .flat_map(|instance| instance.split('$'))
            .filter(|word| !word.bytes().all(|b| b.is_ascii_digit()))
            .collect();
        if words.is_empty() {
            return self.top.clone();
        }
        let base = format!("{}__{}", self.top, words.join("_"));
        let mut name = base.clone();
        let mut next = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{next}");
            next += 1;
        }
        name
    }

    /// Everything after the name of a module.
    fn body(&self, tree: &Tree, parts: &[String]) -> Result<String, Vec<String>> {
        let names = Names::new(tree).map_err(|problem| vec![problem])?;
        let body = match &tree.code {
            Verilog::Combinatorial(block) => kernel::kernel(&names, block)?,
            Verilog::Custom(text) => custom(&names, text).map_err(|problem| vec![problem])?,
            Verilog::Empty => kernel::kernel(&names, &vec![])?,
            Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
                return Err(vec!["black boxes and wrappers are not supported".into()]);
            }
        };
        let mut out = String::new();
        ports(&mut out, tree, &names, &body);
        declarations(&mut out, tree, &names, &body);
        instances(&mut out, tree, parts, &names, &body);
        out += &body.text;
        Ok(out)
    }
}

/// Hand-written Verilog, which must at least mention every output.
fn custom(names: &Names, text: &str) -> Result<Body, String> {
    let text = names.rename(text)?;
    let count = names.nets.len();
    let mut body = Body {
        text: String::new(),
        wires: BTreeSet::new(),
        aliases: vec![None; count],
        idle: vec![false; count],
    };
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let tokens: BTreeSet<&str> = text.split(|c| !word(c)).collect();
    for net in &names.nets {
        if matches!(net.role, Role::Own(Kind::Output) | Role::PartInput)
            && !tokens.contains(net.text.as_str())
        {
            return Err(format!("{}: nothing drives it", net.path));
        }
    }
    body.text = indented(&text);
    Ok(body)
}

/// Hand-written statements, a level deeper within `begin` and `case`.
fn indented(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut depth = 1usize;
    for line in text.lines().map(str::trim) {
        let words = || line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let count = |wanted: &[&str]| words().filter(|word| wanted.contains(word)).count();
        let opens = count(&["begin", "case"]);
        let closes = count(&["end", "endcase"]);
        let first = words().next().unwrap_or_default();
        let back = usize::from(first == "end" || first == "endcase");
        let _ = writeln!(out, "{}{line}", "    ".repeat((depth - back.min(depth)).max(1)));
        depth = (depth + opens).saturating_sub(closes).max(1);
    }
    out
}

/// `[7:0] `, and nothing for a scalar.
fn range(width: usize, scalar: bool) -> String {
    if scalar { String::new() } else { format!("[{}:0] ", width - 1) }
}

fn ports(out: &mut String, tree: &Tree, names: &Names, body: &Body) {
    let mut list = vec![];
    for (id, signal) in tree.signals.iter().enumerate() {
        let kind = match signal.kind {
            Kind::Input => "input wire",
            Kind::Output if body.wires.contains(&id) => "output wire",
            Kind::Output => "output reg",
            Kind::Local | Kind::Constant | Kind::Omitted => continue,
        };
        list.push(format!(
            "    {kind} {}{}",
            range(signal.width, signal.scalar),
            names.nets[id].text
        ));
    }
    let _ = writeln!(out, "(\n{}\n);", list.join(",\n"));
}

fn declarations(out: &mut String, tree: &Tree, names: &Names, body: &Body) {
    for (id, net) in names.nets.iter().enumerate() {
        let range = range(net.width, net.scalar);
        let text = &net.text;
        let kind = match net.role {
            Role::Own(Kind::Constant | Kind::Local) if body.idle[id] => continue,
            Role::Own(Kind::Constant) => {
                let Signal { value, width, .. } = tree.signals[id];
                let value = expression::sized(value, width);
                let _ = writeln!(out, "    localparam {range}{text} = {value};");
                continue;
            }
            Role::Own(Kind::Input | Kind::Output | Kind::Omitted) => continue,
            Role::PartInput if body.aliases[id].is_some() => continue,
            Role::PartOutput => "wire",
            _ if body.wires.contains(&id) => "wire",
            _ => "reg",
        };
        let _ = writeln!(out, "    {kind} {range}{text};");
    }
}

fn instances(out: &mut String, tree: &Tree, parts: &[String], names: &Names, body: &Body) {
    for (part, module) in tree.parts.iter().zip(parts) {
        let ports: Vec<String> = part
            .signals
            .iter()
            .filter(|signal| matches!(signal.kind, Kind::Input | Kind::Output))
            .map(|signal| {
                let id = names.index[&format!("{}${}", part.instance, signal.name)];
                let net = &names.nets[id];
                let outer = body.aliases[id].as_ref().unwrap_or(&net.text);
                format!("        .{}({outer})", names::printed(&signal.name))
            })
            .collect();
        let _ = writeln!(
            out,
            "    {module} {} (\n{}\n    );",
            names::printed(&part.instance),
            ports.join(",\n")
        );
    }
}
