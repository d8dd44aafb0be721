//! Prints a kernel: its statements, with loops unrolled.
//!
//! On the way it checks what Verilog and simulation would disagree about: reading
//! before writing, and a signal that some path does not write (a latch).

use super::expression::sized;
use super::gather::Kind;
use super::group::Body;
use super::index::{evaluate, number};
use super::names::{Names, Role};
use rust_hdl::core::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogConditional,
    VerilogExpression as Expr, VerilogMatch, VerilogStatement as Statement,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a path in a kernel is.
pub enum Name {
    Loop(u64),
    Net(usize),
}

/// A top-level statement.
#[derive(Default)]
pub struct Chunk {
    pub text: String,
    pub reads: Vec<usize>,
    pub writes: Vec<usize>,
    /// Target and value, if it is a plain assignment of a whole signal.
    pub plain: Option<(usize, String)>,
    pub comment: bool,
}

/// The state of printing one kernel.
pub struct Kernel<'a> {
    pub names: &'a Names,
    loops: Vec<(String, u64)>,
    pub chunks: Vec<Chunk>,
    /// Constants that are read.
    pub constants: Vec<bool>,
    /// Written on every path so far, and in which order.
    assigned: Vec<bool>,
    trail: Vec<usize>,
    problems: Vec<String>,
}

/// Prints `block`.
pub fn kernel(names: &Names, block: &VerilogBlock) -> Result<Body, Vec<String>> {
    let mut kernel = Kernel {
        names,
        loops: vec![],
        chunks: vec![],
        constants: vec![false; names.nets.len()],
        assigned: vec![false; names.nets.len()],
        trail: vec![],
        problems: vec![],
    };
    kernel.top(block);
    kernel.latches();
    if kernel.problems.is_empty() { Ok(kernel.body()) } else { Err(kernel.problems) }
}

/// Names.
impl Kernel<'_> {
    /// The signal or loop variable that a path means here.
    pub fn lookup(&self, path: &str) -> Result<Name, String> {
        if let Some((_, value)) = self.loops.iter().rev().find(|l| l.0 == path) {
            return Ok(Name::Loop(*value));
        }
        let found = if path.contains('[') {
            self.names.index.get(self.indexed(path)?.as_str())
        } else {
            self.names.index.get(path)
        };
        found.copied().map(Name::Net).ok_or_else(|| {
            format!(
                "{path} is not a signal of the block; values that do not change must be a Constant"
            )
        })
    }

    /// `lane[i + 1]$pc` with the index worked out: `lane$4$pc`.
    fn indexed(&self, path: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = path;
        while let Some(open) = rest.find('[') {
            let mut depth = 0;
            let close = rest.find(|c| {
                depth += i32::from(c == '[') - i32::from(c == ']');
                c == ']' && depth == 0
            });
            let close = close.ok_or(format!("{path}: unbalanced"))?;
            let value = evaluate(&rest[open + 1..close], &self.loops).ok_or(format!(
                "{path}: indices of arrays consist of literals and loop variables"
            ))?;
            let _ = write!(out, "{}${value}", &rest[..open]);
            rest = &rest[close + 1..];
        }
        Ok(out + rest)
    }

    /// Printed name and width of a signal that is read.
    pub fn read(&mut self, path: &str) -> Result<(String, usize), String> {
        let Name::Net(id) = self.lookup(path)? else {
            return Err(format!("{path} is a loop variable"));
        };
        let net = &self.names.nets[id];
        match net.role {
            Role::PartInput => {
                return Err(format!("{path} is an input of a part: read what drives it"));
            }
            Role::Own(Kind::Omitted) => {
                return Err(format!("{path} is read, so it cannot be left out"));
            }
            Role::Own(Kind::Output | Kind::Local) if !self.assigned[id] => {
                return Err(format!("{} is read before it is written on every path", net.path));
            }
            Role::Own(Kind::Output | Kind::Local) => self.chunk().reads.push(id),
            Role::Own(Kind::Constant) => self.constants[id] = true,
            Role::Own(Kind::Input) | Role::PartOutput => self.chunk().reads.push(id),
        }
        Ok((net.text.clone(), net.width))
    }

    fn target(&self, e: &Expr) -> Result<usize, String> {
        let Expr::Signal(path) = e else { return Err("not a signal on the left".into()) };
        let path = path.strip_suffix("$next").unwrap_or(path);
        let Name::Net(id) = self.lookup(path)? else {
            return Err(format!("{path} is a loop variable"));
        };
        match self.names.nets[id].role {
            Role::Own(Kind::Output | Kind::Local | Kind::Omitted) | Role::PartInput => Ok(id),
            role => Err(format!("{path} is written, but it is {role:?}")),
        }
    }

    fn written(&mut self, id: usize) {
        self.chunk().writes.push(id);
        if !self.assigned[id] {
            self.assigned[id] = true;
            self.trail.push(id);
        }
    }

    fn chunk(&mut self) -> &mut Chunk {
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::default());
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }
}

/// Statements.
impl Kernel<'_> {
    fn top(&mut self, block: &VerilogBlock) {
        for statement in block {
            match statement {
                Statement::Loop(l) => {
                    self.each(&l.index, l.from.as_usize(), l.to.as_usize(), |k| k.top(&l.block));
                }
                Statement::Macro(block) => self.top(block),
                _ => {
                    self.chunks.push(Chunk::default());
                    let mut text = String::new();
                    self.statement(statement, 2, &mut text);
                    if text.is_empty() && self.chunk().writes.is_empty() {
                        self.chunks.pop();
                        continue;
                    }
                    let last = self.chunk();
                    last.text = text;
                    last.comment = matches!(statement, Statement::Comment(_));
                }
            }
        }
    }

    fn each(&mut self, index: &str, from: usize, to: usize, mut body: impl FnMut(&mut Self)) {
        if self.names.index.contains_key(index) {
            self.problems.push(format!("the loop variable {index} has the name of a signal"));
        }
        for value in from..to {
            self.loops.push((index.into(), value as u64));
            body(self);
            self.loops.pop();
        }
    }

    fn block(&mut self, block: &VerilogBlock, depth: usize, out: &mut String) {
        for statement in block {
            self.statement(statement, depth, out);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize, out: &mut String) {
        let result = match statement {
            Statement::Assignment(target, value) => self.assignment(target, value, depth, out),
            Statement::If(c) => {
                *out += &"    ".repeat(depth);
                self.conditional(c, depth, out)
            }
            Statement::Match(m) => self.selection(m, depth, out),
            Statement::Loop(l) => {
                self.each(&l.index, l.from.as_usize(), l.to.as_usize(), |k| {
                    k.block(&l.block, depth, out);
                });
                Ok(())
            }
            Statement::Macro(block) => {
                self.block(block, depth, out);
                Ok(())
            }
            Statement::Comment(text) => {
                for line in text.lines() {
                    let _ = writeln!(out, "{}// {}", "    ".repeat(depth), line.trim());
                }
                Ok(())
            }
            Statement::SliceAssignment { .. } => {
                Err("assignments to fields or bits are not supported; use replace_bit".into())
            }
            Statement::Link(_) => Err("links are not supported; assign the signals".into()),
        };
        if let Err(problem) = result {
            let at = match statement {
                Statement::Assignment(Expr::Signal(target), _) => {
                    // One problem is enough: no latch on top of it.
                    if let Ok(id) = self.target(&Expr::Signal(target.clone())) {
                        self.written(id);
                    }
                    format!("{}: ", target.strip_suffix("$next").unwrap_or(target))
                }
                Statement::If(_) => "if: ".into(),
                Statement::Match(_) => "match: ".into(),
                _ => String::new(),
            };
            self.problems.push(format!("{at}{problem}"));
        }
    }

    fn assignment(
        &mut self,
        target: &Expr,
        value: &Expr,
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let id = self.target(target)?;
        if self.names.nets[id].role == Role::Own(Kind::Omitted) {
            return Ok(());
        }
        let (name, width) = (self.names.nets[id].text.clone(), self.names.nets[id].width);
        let indent = "    ".repeat(depth);
        // x = x.replace_bit(i, v) is x[i] = v. (With a place that varies Yosys would negate it,
        // which takes a carry chain: that is written with shifts.)
        if let Expr::IndexReplace(old, at, bit) = value
            && (width == 1 || self.constant(at).is_some())
            && let Expr::Signal(path) = old.as_ref()
            && matches!(self.lookup(path)?, Name::Net(net) if net == id)
        {
            self.read(path)?;
            let bit = self.bit(bit)?;
            let place = match width {
                1 => String::new(),
                _ => format!("[{}]", self.place(at, width)?),
            };
            let _ = writeln!(out, "{indent}{name}{place} = {bit};");
            self.written(id);
            return Ok(());
        }
        let text = self.right_hand_side(value, width)?.text;
        let _ = writeln!(out, "{indent}{name} = {text};");
        self.written(id);
        if depth == 2 {
            self.chunk().plain = Some((id, text));
        }
        Ok(())
    }

    fn conditional(
        &mut self,
        c: &VerilogConditional,
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let test = self.bit(&c.test)?;
        let indent = "    ".repeat(depth);
        let _ = writeln!(out, "if ({test}) begin");
        let start = self.trail.len();
        self.block(&c.then, depth + 1, out);
        let then = self.undo(start);
        let mut result = Ok(());
        match &c.otherwise {
            Otherwise::None => {
                let _ = writeln!(out, "{indent}end");
            }
            Otherwise::Block(block) => {
                let _ = writeln!(out, "{indent}end else begin");
                self.block(block, depth + 1, out);
                let _ = writeln!(out, "{indent}end");
            }
            Otherwise::Conditional(next) => {
                let _ = write!(out, "{indent}end else ");
                if let Statement::If(next) = next.as_ref() {
                    result = self.conditional(next, depth, out);
                }
            }
        }
        let otherwise = self.undo(start);
        self.join(vec![then, otherwise]);
        result
    }

    fn selection(
        &mut self,
        m: &VerilogMatch,
        depth: usize,
        out: &mut String,
    ) -> Result<(), String> {
        let (subject, width) = self.subject(&m.test)?;
        let indent = "    ".repeat(depth);
        let _ = writeln!(out, "{indent}case ({subject})");
        let start = self.trail.len();
        let mut arms = vec![];
        let mut values = BTreeSet::new();
        let mut total = false;
        for case in &m.cases {
            let label = match case.condition.as_str() {
                "default" => {
                    total = true;
                    "default".into()
                }
                text => {
                    let value = number(text).filter(|&v| width >= 64 || v >> width == 0);
                    let value = value
                        .ok_or(format!("the pattern {text} is not a literal of {width} bits"))?;
                    if !values.insert(value) {
                        return Err(format!("the pattern {text} comes twice"));
                    }
                    sized(u128::from(value), width)
                }
            };
            let _ = writeln!(out, "{indent}    {label}: begin");
            self.block(&case.block, depth + 2, out);
            let _ = writeln!(out, "{indent}    end");
            arms.push(self.undo(start));
        }
        if !total && (width >= 32 || values.len() < 1 << width) {
            arms.push(BTreeSet::new());
        }
        self.join(arms);
        let _ = writeln!(out, "{indent}endcase");
        Ok(())
    }

    /// Takes back what was written since `start`, and tells it.
    fn undo(&mut self, start: usize) -> BTreeSet<usize> {
        let written: BTreeSet<usize> = self.trail.drain(start..).collect();
        for &id in &written {
            self.assigned[id] = false;
        }
        written
    }

    /// Only what every branch wrote is written.
    fn join(&mut self, branches: Vec<BTreeSet<usize>>) {
        let all = branches.into_iter().reduce(|a, b| a.intersection(&b).copied().collect());
        for id in all.into_iter().flatten() {
            self.assigned[id] = true;
            self.trail.push(id);
        }
    }

    fn latches(&mut self) {
        let written: BTreeSet<usize> =
            self.chunks.iter().flat_map(|chunk| chunk.writes.iter().copied()).collect();
        for (id, net) in self.names.nets.iter().enumerate() {
            match (net.role, written.contains(&id)) {
                (_, true) if !self.assigned[id] => {
                    self.problems
                        .push(format!("{}: a latch, some path does not write it", net.path));
                }
                (Role::Own(Kind::Output) | Role::PartInput, false) => {
                    self.problems.push(format!("{}: nothing drives it", net.path));
                }
                _ => {}
            }
        }
    }
}
