//! The control-flow graph of each function of an assembly file, one node per
//! instruction.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::error::Error;
use super::flow::Flow;
use super::parse::{Line, is_name_char};
use super::postdom::{Cfg, Node};
use super::program::{Function, Kind, Program, text_at};
use super::tables;

/// Functions that are known not to return.
pub const NO_RETURN: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "__assert_func",
    "__stack_chk_fail",
    "weft_exit",
];

/// A function's graph and what it was made from.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub cfg: Cfg,
    /// Why control leaves the function at a node.
    pub exits: BTreeMap<usize, String>,
    /// Targets of the indirect jumps that stay in the function.
    pub jump_tables: BTreeMap<usize, Vec<usize>>,
    /// Calls that do not return.
    pub no_return: Vec<usize>,
}

/// Builds the graph of every function. `no_return` names functions that do
/// not return; functions of this file that cannot return are found here.
pub fn build(
    file: &str,
    lines: &[Line],
    program: &Program,
    no_return: &[String],
) -> Result<Vec<Graph>, Error> {
    let mut known: HashSet<String> = no_return.iter().cloned().collect();
    known.extend(NO_RETURN.iter().map(|name| name.to_string()));
    loop {
        let before = known.len();
        let mut graphs = Vec::new();
        for function in &program.functions {
            let builder = Builder { file, lines, program, function, no_return: &known };
            graphs.push(builder.build()?);
        }
        for (function, graph) in program.functions.iter().zip(&graphs) {
            if !graph.cfg.can_leave()[0] {
                let names = function.labels.iter().filter(|(_, at)| **at == 0);
                known.extend(names.map(|(name, _)| name.clone()));
            }
        }
        if known.len() == before {
            return Ok(graphs);
        }
    }
}

struct Builder<'a> {
    file: &'a str,
    lines: &'a [Line],
    program: &'a Program,
    function: &'a Function,
    no_return: &'a HashSet<String>,
}

impl Builder<'_> {
    fn build(&self) -> Result<Graph, Error> {
        let mut graph = Graph::default();
        let mut indirect = Vec::new();
        for at in 0..self.function.places.len() {
            graph.cfg.nodes.push(Node::default());
            self.connect(at, &mut graph, &mut indirect)
                .map_err(|message| self.error(at, message))?;
        }
        self.connect_indirect(&indirect, &mut graph)?;
        Ok(graph)
    }

    fn error(&self, at: usize, message: impl std::fmt::Display) -> Error {
        Error::at(self.file, self.function.places[at].at.0 + 1, message)
    }

    fn connect(
        &self,
        at: usize,
        graph: &mut Graph,
        indirect: &mut Vec<usize>,
    ) -> Result<(), String> {
        let flow = match &self.function.places[at].kind {
            Kind::Align => &Flow::Next,
            Kind::Data => return Ok(()),
            Kind::Code(flow) => flow,
        };
        match flow {
            Flow::Next => self.fall_through(at, graph)?,
            Flow::Branch(label) => {
                self.go_to(at, label, graph)?;
                self.fall_through(at, graph)?;
            }
            Flow::Jump(label) if label == "." => graph.cfg.nodes[at].successors.push(at),
            Flow::Jump(label) => self.go_to(at, label, graph)?,
            Flow::Call(symbol) => {
                if self.no_return.contains(symbol) || self.is_last(at) {
                    graph.no_return.push(at);
                } else {
                    self.fall_through(at, graph)?;
                }
            }
            Flow::CallRegister => {
                if self.is_last(at) {
                    graph.no_return.push(at);
                } else {
                    self.fall_through(at, graph)?;
                }
            }
            Flow::JumpRegister(_) => indirect.push(at),
            Flow::Return => leave(at, graph, "return"),
            Flow::TrapReturn => leave(at, graph, "mret"),
            Flow::Stop => {}
        }
        Ok(())
    }

    /// Does nothing but padding follow?
    fn is_last(&self, at: usize) -> bool {
        let rest = &self.function.places[at + 1..];
        rest.iter().all(|place| place.kind == Kind::Align)
    }

    fn fall_through(&self, at: usize, graph: &mut Graph) -> Result<(), String> {
        match self.function.places.get(at + 1).map(|place| &place.kind) {
            Some(Kind::Data) => return Err("control runs into data".to_string()),
            Some(_) => graph.cfg.nodes[at].successors.push(at + 1),
            None => leave(at, graph, "end of the function"),
        }
        Ok(())
    }

    fn go_to(&self, at: usize, label: &str, graph: &mut Graph) -> Result<(), String> {
        let function = self.function;
        if label == "." || label.contains(|c| !is_name_char(c)) {
            return Err(format!("`{label}` is not a label"));
        }
        if let Some(to) = function.find(label, at) {
            match function.places.get(to).map(|place| &place.kind) {
                Some(Kind::Data) => return Err(format!("jump into data at `{label}`")),
                Some(_) => graph.cfg.nodes[at].successors.push(to),
                None => leave(at, graph, "end of the function"),
            }
            return Ok(());
        }
        let is_symbol = label.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if self.program.assigned.contains(label) {
            return Err(format!("`{label}` is not a label, but set to a value"));
        }
        match self.program.owner.get(label) {
            Some(&other) if self.program.functions[other].labels[label] != 0 => {
                let other = &self.program.functions[other].name;
                let own = &function.name;
                Err(format!("jump from `{own}` to `{label}` inside `{other}`"))
            }
            None if !is_symbol => Err(format!("label `{label}` is not in `{}`", function.name)),
            _ => {
                leave(at, graph, &format!("tail call of {label}"));
                Ok(())
            }
        }
    }

    /// Adds the edges of indirect jumps. Each may make more code reachable,
    /// and with it the place where another jump's table is loaded.
    fn connect_indirect(&self, indirect: &[usize], graph: &mut Graph) -> Result<(), Error> {
        let (lines, program, function) = (self.lines, self.program, self.function);
        let mut claimed = BTreeSet::new();
        loop {
            let mut changed = false;
            for &jump in indirect {
                let edges = graph.cfg.predecessors();
                let found = tables::resolve(lines, program, function, &edges, jump, &mut claimed);
                if !found.is_empty() && graph.jump_tables.get(&jump) != Some(&found) {
                    graph.cfg.nodes[jump].successors.clone_from(&found);
                    graph.jump_tables.insert(jump, found);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for &jump in indirect {
            if graph.jump_tables.contains_key(&jump) {
                continue;
            }
            let loose = tables::loose_labels(lines, program, function, &claimed);
            if let Some(label) = loose.first() {
                let text = text_at(lines, function.places[jump].at);
                return Err(self.error(
                    jump,
                    format!("no jump table found for `{text}`, which may go to `{label}`"),
                ));
            }
            leave(jump, graph, "indirect tail call");
        }
        Ok(())
    }
}

fn leave(at: usize, graph: &mut Graph, why: &str) {
    graph.cfg.nodes[at].leaves = true;
    graph.exits.insert(at, why.to_string());
}
