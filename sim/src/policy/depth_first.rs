//! Depth first by PC: a stack of directions (section 2.1). Of two directions
//! the one with the lower PC runs first; a uniform jump beyond the top of the
//! stack changes places with it; meeting it merges.

use super::Policy;
use crate::path::{Kind, Path, Update};

/// The stack, the active path at its end.
pub struct DepthFirst {
    stack: Vec<Path>,
}

impl DepthFirst {
    /// Starts with one path.
    pub fn new(path: Path) -> DepthFirst {
        DepthFirst { stack: if path.mask == 0 { Vec::new() } else { vec![path] } }
    }

    fn push(&mut self, path: Path) -> u32 {
        if path.mask == 0 {
            return 0;
        }
        match self.stack.last_mut().filter(|top| top.same_place(&path)) {
            Some(top) => {
                top.mask |= path.mask;
                1
            }
            None => {
                self.stack.push(path);
                0
            }
        }
    }
}

impl Policy for DepthFirst {
    fn current(&self) -> Option<Path> {
        self.stack.last().copied()
    }

    fn update(&mut self, update: &Update) -> u32 {
        self.stack.pop();
        let (go, other) = (update.go, update.other);
        if go.mask != 0 && other.mask != 0 {
            let (low, high) = if go.pc <= other.pc { (go, other) } else { (other, go) };
            return self.push(high) + self.push(low);
        }
        let path = if go.mask != 0 { go } else { other };
        let merges = self.push(path);
        let forward = update.kind != Kind::Plain && path.pc > update.from.pc;
        let n = self.stack.len();
        if merges == 0 && path.mask != 0 && forward && n > 1 && path.pc > self.stack[n - 2].pc {
            self.stack.swap(n - 1, n - 2);
        }
        merges
    }

    fn wake(&mut self, path: Path) -> u32 {
        self.push(path)
    }

    fn paths(&self) -> Vec<Path> {
        self.stack.iter().rev().copied().collect()
    }

    fn live(&self) -> usize {
        self.stack.len()
    }
}
