//! Collects a design: its tree of blocks with their signals and kernels.

use rust_hdl::core::prelude::{Atom, AtomKind, Block, Probe, TypeKind, Verilog};

/// What a signal is to the block that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Comes from outside.
    Input,
    /// Goes outside.
    Output,
    /// Stays inside.
    Local,
    /// Never changes.
    Constant,
    /// An output that is not printed.
    Omitted,
}

/// A signal of a block.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its path in the block, `$` between fields (`d$data$3`).
    pub name: String,
    /// See [`Kind`].
    pub kind: Kind,
    /// Bits.
    pub width: usize,
    /// Declared without a range: a `Bit` or a clock.
    pub scalar: bool,
    /// The value of a constant.
    pub value: u128,
}

/// A block and everything in it.
#[derive(Debug, Default)]
pub struct Tree {
    /// Name in the parent (`lane$3`).
    pub instance: String,
    /// Its signals, in order of declaration.
    pub signals: Vec<Signal>,
    /// Its parts.
    pub parts: Vec<Tree>,
    /// What it does.
    pub code: Verilog,
}

/// The design under `top`.
pub fn gather(top: &impl Block) -> Result<Tree, String> {
    let mut gatherer = Gatherer::default();
    top.accept("top", &mut gatherer);
    match (gatherer.top, gatherer.problems.is_empty()) {
        (Some(tree), true) => Ok(tree),
        (None, true) => Err("not a block".into()),
        _ => Err(gatherer.problems.join("\n")),
    }
}

#[derive(Default)]
struct Gatherer {
    /// Open blocks with their open interfaces.
    open: Vec<(Tree, Vec<String>)>,
    top: Option<Tree>,
    problems: Vec<String>,
}

impl Probe for Gatherer {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let tree = Tree { instance: name.into(), code: node.hdl(), ..Tree::default() };
        self.open.push((tree, vec![]));
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        if let Some((_, namespace)) = self.open.last_mut() {
            namespace.push(name.into());
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let Some((tree, namespace)) = self.open.last_mut() else { return };
        let name = match namespace.is_empty() {
            true => name.to_owned(),
            false => format!("{}${name}", namespace.join("$")),
        };
        let kind = match atom.kind() {
            AtomKind::InputParameter => Kind::Input,
            AtomKind::OutputParameter => Kind::Output,
            AtomKind::LocalSignal => Kind::Local,
            AtomKind::Constant => Kind::Constant,
            other => {
                self.problems.push(format!("{name}: signals of kind {other:?} are not supported"));
                return;
            }
        };
        let descriptor = atom.descriptor();
        if matches!(descriptor.kind, TypeKind::Signed(_)) {
            self.problems.push(format!("{name}: signed signals are not supported"));
        }
        let value = match super::width::literal(&atom.verilog()) {
            Ok((value, _)) => value,
            Err(problem) => {
                self.problems.push(format!("{name}: {problem}"));
                0
            }
        };
        tree.signals.push(Signal {
            name,
            kind,
            width: atom.bits(),
            scalar: matches!(descriptor.name.as_str(), "Bit" | "clock"),
            value,
        });
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some((_, namespace)) = self.open.last_mut() {
            namespace.pop();
        }
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        if let Some((tree, _)) = self.open.pop() {
            match self.open.last_mut() {
                Some((parent, _)) => parent.parts.push(tree),
                None => self.top = Some(tree),
            }
        }
    }
}
