//! One function of a linked program: its graph from the machine code, and its
//! hints against it.

use std::collections::{BTreeMap, BTreeSet};

use hdl::isa::hint::join_offset;

use super::Findings;
use super::decode::{self, Step};
use super::image::Image;
use crate::annotate::graph::NO_RETURN;
use crate::annotate::postdom::{Cfg, Node};

/// Extent of a function and what the records say about it, all by address.
#[derive(Debug)]
pub struct Function {
    pub start: u32,
    pub end: u32,
    is_recorded: bool,
    pub hints: BTreeMap<u32, u32>,
    pub edges: BTreeMap<u32, BTreeSet<u32>>,
    pub no_return: BTreeSet<u32>,
    pub no_hint: BTreeSet<u32>,
    /// Words that are no instructions.
    pub data: BTreeSet<u32>,
}

/// The graph, and the instructions that take a hint.
#[derive(Default)]
struct Decoded {
    cfg: Cfg,
    branches: Vec<usize>,
    /// An indirect jump of which nothing is known.
    unresolved: Option<u32>,
}

impl Function {
    pub fn new(start: u32, end: u32, is_recorded: bool) -> Function {
        Function {
            start,
            end,
            is_recorded,
            hints: BTreeMap::new(),
            edges: BTreeMap::new(),
            no_return: BTreeSet::new(),
            no_hint: BTreeSet::new(),
            data: BTreeSet::new(),
        }
    }

    /// Adds what is wrong with the function's hints to `findings`. When
    /// `strict`, a hint without a record is wrong.
    pub fn check(&self, image: &Image, strict: bool, findings: &mut Findings) {
        findings.functions += 1;
        let mut wrong = |pc: u32, message: String| {
            let place = image.name(pc);
            findings.wrong.push(format!("{place}: {message}"));
        };
        if !self.start.is_multiple_of(4) || !self.end.is_multiple_of(4) {
            return wrong(self.start, "function does not start and end on a word".into());
        }
        // What is data is as good as `unimp`.
        let words: Option<Vec<u32>> = (self.start..self.end)
            .step_by(4)
            .map(|pc| image.word(pc).map(|w| if self.data.contains(&pc) { 0 } else { w }))
            .collect();
        let Some(words) = words else {
            return wrong(self.start, "function leaves the code".into());
        };
        let decoded = self.decode(image, &words);
        for (jump, targets) in &self.edges {
            for target in targets.iter().filter(|t| self.index(**t).is_none()) {
                let target = image.name(*target);
                wrong(*jump, format!("target {target} is outside the function"));
            }
        }
        let mut has_hint = BTreeSet::new();
        let post_dominators = decoded.cfg.post_dominators();
        for (at, word) in words.iter().enumerate() {
            let Some(offset) = join_offset(*word) else {
                continue;
            };
            findings.hints += 1;
            let pc = self.pc(at);
            let target = pc.wrapping_add_signed(offset);
            has_hint.insert(at + 1);
            match self.hints.get(&pc) {
                None if strict => wrong(pc, "hint without a record".into()),
                Some(&meant) if meant != target => {
                    let (target, meant) = (image.name(target), image.name(meant));
                    wrong(pc, format!("hint goes to {target}, {meant} was meant"));
                }
                _ => {}
            }
            if !decoded.branches.contains(&(at + 1)) {
                wrong(pc, "hint is not followed by a branch or jalr".into());
            } else if let Some(jump) = decoded.unresolved {
                let jump = image.name(jump);
                wrong(pc, format!("not verified: targets of {jump} are unknown"));
            } else if post_dominators[at + 1].map(|d| self.pc(d)) != Some(target) {
                let found = match post_dominators[at + 1] {
                    Some(d) => image.name(self.pc(d)),
                    None => "outside the function".to_string(),
                };
                let target = image.name(target);
                wrong(pc, format!("hint goes to {target}, the post-dominator is {found}"));
            }
            let jumps = (decoded.cfg.nodes.iter().enumerate())
                .filter(|(from, node)| *from != at && node.successors.contains(&(at + 1)));
            for (from, _) in jumps {
                let from = image.name(self.pc(from));
                wrong(pc, format!("{from} jumps past the hint"));
            }
        }
        for pc in self.hints.keys() {
            let at = self.index(*pc);
            if at.is_none_or(|at| join_offset(words[at]).is_none()) {
                wrong(*pc, "record without a hint".into());
            }
        }
        for &at in decoded.branches.iter().filter(|_| self.is_recorded) {
            let pc = self.pc(at);
            if has_hint.contains(&at) {
                continue;
            }
            findings.without += 1;
            if !self.no_hint.contains(&pc) {
                findings.wrong.push(format!("{}: branch without a hint", image.name(pc)));
            } else if let Some(found) = post_dominators[at] {
                let (place, found) = (image.name(pc), image.name(self.pc(found)));
                let message = format!("{place}: no hint, but the post-dominator is {found}");
                findings.wrong.push(message);
            }
        }
    }

    fn pc(&self, at: usize) -> u32 {
        self.start.wrapping_add(4 * at as u32)
    }

    fn index(&self, pc: u32) -> Option<usize> {
        let inside = (self.start..self.end).contains(&pc) && pc.is_multiple_of(4);
        inside.then(|| ((pc - self.start) / 4) as usize)
    }

    fn decode(&self, image: &Image, words: &[u32]) -> Decoded {
        let mut decoded = Decoded::default();
        for (at, &word) in words.iter().enumerate() {
            let pc = self.pc(at);
            // `call` and `tail`: the target of the pair is known.
            let pair = at.checked_sub(1).and_then(|before| {
                let (register, value) = decode::auipc(words[before], self.pc(before))?;
                match decode::decode(word, pc) {
                    Step::JumpRegister(rd, rs, offset) if rs == register => {
                        Some(Step::Jump(rd, value.wrapping_add_signed(offset)))
                    }
                    _ => None,
                }
            });
            let mut node = Node::default();
            match pair.unwrap_or_else(|| decode::decode(word, pc)) {
                Step::Next => self.next(at, &mut node),
                Step::Branch(target) => {
                    decoded.branches.push(at);
                    self.go_to(target, &mut node);
                    self.next(at, &mut node);
                }
                Step::Jump(0, target) => self.go_to(target, &mut node),
                Step::Jump(_, target) => {
                    let first = if pair.is_some() { pc - 4 } else { pc };
                    self.call(image, words, at, first, Some(target), &mut node);
                }
                Step::JumpRegister(0, 1, _) | Step::TrapReturn => node.leaves = true,
                Step::JumpRegister(0, rs, _) => {
                    decoded.branches.push(at);
                    if let Some(targets) = self.edges.get(&pc) {
                        let targets = targets.iter().filter_map(|t| self.index(*t));
                        node.successors.extend(targets);
                    } else {
                        node.leaves = true;
                        if !self.is_recorded && rs != 5 {
                            decoded.unresolved = Some(pc);
                        }
                    }
                }
                Step::JumpRegister(..) => {
                    decoded.branches.push(at);
                    self.call(image, words, at, pc, None, &mut node);
                }
                Step::Stop => {}
            }
            decoded.cfg.nodes.push(node);
        }
        decoded
    }

    fn next(&self, at: usize, node: &mut Node) {
        match self.index(self.pc(at + 1)) {
            Some(next) => node.successors.push(next),
            None => node.leaves = true,
        }
    }

    fn go_to(&self, target: u32, node: &mut Node) {
        match self.index(target) {
            Some(to) => node.successors.push(to),
            None => node.leaves = true,
        }
    }

    /// A call goes on behind it, unless it does not return: the records say
    /// so or, without them, the name of the callee or the end of the function.
    fn call(
        &self,
        image: &Image,
        words: &[u32],
        at: usize,
        first: u32,
        target: Option<u32>,
        node: &mut Node,
    ) {
        let ends = if self.is_recorded {
            self.no_return.contains(&first)
        } else {
            let names = image.functions.iter();
            let mut names = names.filter(|symbol| Some(symbol.address) == target);
            let is_last = words[at + 1..].iter().all(|&word| word == 0x13);
            is_last || names.any(|symbol| NO_RETURN.contains(&symbol.name.as_str()))
        };
        if !ends {
            self.next(at, node);
        }
    }
}
