//! Sorts the statements of a kernel into processes.
//!
//! A variable belongs to the group of all its writers and of those who read it
//! before its last write. A group of a single plain assignment becomes an
//! `assign`, the others an `always @(*)` each. So a signal that passes through a
//! part and comes back is no loop through one big process, and constants are
//! driven although no event ever comes.

use super::kernel::{Chunk, Kernel};
use super::names::Role;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// A printed kernel.
pub struct Body {
    pub text: String,
    /// Nets that need no variable: driven by `assign`.
    pub wires: BTreeSet<usize>,
    /// Inputs of parts that are simply another signal.
    pub aliases: Vec<Option<String>>,
    /// Locals that nobody writes and constants that nobody reads.
    pub idle: Vec<bool>,
}

impl Kernel<'_> {
    /// The chunks of each group.
    fn groups(&self) -> Vec<Vec<usize>> {
        let nets = self.names.nets.len();
        let mut last_write = vec![None; nets];
        for (at, chunk) in self.chunks.iter().enumerate() {
            for &id in &chunk.writes {
                last_write[id] = Some(at);
            }
        }
        let mut sets = Sets((0..self.chunks.len()).collect());
        let mut owner: Vec<Option<usize>> = vec![None; nets];
        for (at, chunk) in self.chunks.iter().enumerate() {
            let halfway = chunk.reads.iter().filter(|&&id| last_write[id].is_some_and(|w| w > at));
            for &id in chunk.writes.iter().chain(halfway) {
                match owner[id] {
                    Some(other) => sets.unite(other, at),
                    None => owner[id] = Some(at),
                }
            }
            // Comments stay with what follows.
            if chunk.comment && at + 1 < self.chunks.len() {
                sets.unite(at, at + 1);
            }
        }
        // A process that reads only constants would never run.
        let own: Vec<Option<usize>> = owner.iter().map(|at| at.map(|at| sets.find(at))).collect();
        let mut waits = vec![false; self.chunks.len()];
        let mut code = vec![0; self.chunks.len()];
        for (at, chunk) in self.chunks.iter().enumerate() {
            let group = sets.find(at);
            code[group] += usize::from(!chunk.comment);
            waits[group] |= chunk.reads.iter().any(|&id| own[id] != Some(group));
        }
        // Best one that is a process anyhow: a clock must stay a plain connection.
        let process = |group: &usize| code[*group] > 1 || !self.is_plain(*group);
        let awake = || (0..waits.len()).filter(|&group| waits[group]);
        if let Some(busy) = awake().find(process).or_else(|| awake().next()) {
            for at in 0..self.chunks.len() {
                let group = sets.find(at);
                if group == at && !waits[group] && process(&group) {
                    sets.unite(busy, group);
                }
            }
        }
        let mut members = vec![vec![]; self.chunks.len()];
        for at in 0..self.chunks.len() {
            members[sets.find(at)].push(at);
        }
        members.retain(|group| !group.is_empty());
        members
    }

    fn is_plain(&self, at: usize) -> bool {
        self.chunks[at].comment || self.chunks[at].plain.is_some()
    }

    pub(super) fn body(self) -> Body {
        let nets = &self.names.nets;
        let widths: HashMap<&str, usize> =
            nets.iter().map(|n| (n.text.as_str(), n.width)).collect();
        let mut body = Body {
            text: String::new(),
            wires: BTreeSet::new(),
            aliases: vec![None; nets.len()],
            idle: self.constants.iter().map(|read| !read).collect(),
        };
        for &id in self.chunks.iter().flat_map(|chunk| &chunk.writes) {
            body.idle[id] = false;
        }
        for group in self.groups() {
            let chunks = || group.iter().map(|&at| &self.chunks[at]);
            let code: Vec<&Chunk> = chunks().filter(|chunk| !chunk.comment).collect();
            if let [Chunk { plain: Some((id, value)), .. }] = code.as_slice() {
                let target = &nets[*id];
                if target.role == Role::PartInput
                    && widths.get(value.as_str()) == Some(&target.width)
                {
                    body.aliases[*id] = Some(value.clone());
                    continue;
                }
                for comment in chunks().filter(|chunk| chunk.comment) {
                    body.text += &comment.text[4..];
                }
                let _ = writeln!(body.text, "    assign {} = {value};", target.text);
                body.wires.insert(*id);
            } else if !code.is_empty() {
                body.text += "    always @(*) begin\n";
                chunks().for_each(|chunk| body.text += &chunk.text);
                body.text += "    end\n";
            }
        }
        body
    }
}

/// Disjoint sets; the lowest member names a set.
struct Sets(Vec<usize>);

impl Sets {
    fn find(&mut self, mut x: usize) -> usize {
        while self.0[x] != x {
            self.0[x] = self.0[self.0[x]];
            x = self.0[x];
        }
        x
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
