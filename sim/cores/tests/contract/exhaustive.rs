//! Every sequence of outcomes up to a depth, for few threads: each run follows
//! one sequence of choices from reset; the next run changes the last one that
//! can change.

use crate::bench::{Hit, Player};
use crate::model::{Model, Outcome, lanes};
use hdl::divergence::port::kind;

/// A sequence of choices.
#[derive(Default, Debug)]
pub struct Choices {
    /// What was chosen, out of how many.
    taken: Vec<(u64, u64)>,
    at: usize,
}

impl Choices {
    fn of(&mut self, n: u64) -> u64 {
        if self.at == self.taken.len() {
            self.taken.push((0, n));
        }
        let (choice, arity) = self.taken[self.at];
        assert_eq!(arity, n, "the unit answers the same choices in the same way");
        self.at += 1;
        choice
    }

    /// The next sequence, if there is one.
    pub fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, arity)) = self.taken.pop() {
            if choice + 1 < arity {
                self.taken.push((choice + 1, arity));
                return true;
            }
        }
        false
    }
}

/// Plays one sequence: `left` instructions with all outcomes, the rest goes
/// straight on.
pub struct Exhaustive {
    /// The sequence.
    pub choices: Choices,
    /// Outcomes still to choose.
    pub left: u32,
    /// PCs from here.
    pub base: u64,
    /// So many.
    pub pcs: u64,
    /// Threads may be deeper than 0.
    pub deep: bool,
    parked_since: u32,
}

impl Exhaustive {
    /// With no choices made.
    pub fn new(base: u64, pcs: u64, deep: bool) -> Exhaustive {
        Exhaustive { choices: Choices::default(), left: 0, base, pcs, deep, parked_since: 0 }
    }

    fn place(&mut self) -> (u64, u64) {
        let depth = if self.deep { self.choices.of(2) } else { 0 };
        (depth, self.base + self.choices.of(self.pcs))
    }
}

impl Player for Exhaustive {
    fn outcome(&mut self, hit: &Hit, _model: &Model) -> Outcome {
        let mut o = Outcome {
            go_mask: hit.mask,
            go_pc: hit.instr.next.unwrap_or(hit.instr.pc + 1),
            go_depth: hit.depth,
            ..Outcome::default()
        };
        if self.left == 0 {
            return o;
        }
        self.left -= 1;
        o.kind = kind::BRANCH;
        o.go_mask = 0;
        // Who parks takes the place of one successor (P3).
        for i in lanes(hit.mask) {
            let three = o.other_mask | o.halt_mask == 0;
            match self.choices.of(if three { 3 } else { 2 }) {
                0 => o.go_mask |= 1 << i,
                1 if o.halt_mask == 0 => o.other_mask |= 1 << i,
                _ => o.halt_mask |= 1 << i,
            }
        }
        if o.go_mask | o.halt_mask != 0 {
            (o.go_depth, o.go_pc) = self.place();
        }
        if o.halt_mask != 0 {
            o.kind = kind::HALT;
        }
        if o.other_mask != 0 {
            // A replay, or the other way of a branch.
            (o.other_depth, o.other_pc) = (hit.depth, hit.instr.pc);
            if self.choices.of(2) == 1 {
                o.other_pc = self.base + self.choices.of(self.pcs);
            } else if o.go_mask | o.halt_mask == 0 {
                o.kind = kind::REPLAY;
            }
        }
        o
    }

    fn wake(&mut self, model: &Model) -> Option<(usize, u64)> {
        let parked = model.parked(0);
        if parked == 0 {
            self.parked_since = 0;
            return None;
        }
        // At once, in the next cycle, or after a while; the first or all.
        self.parked_since += 1;
        let now = match self.parked_since {
            1 | 2 if self.left > 0 => self.choices.of(2) == 1,
            n => n > 12,
        };
        now.then_some((0, parked))
    }

    fn issue(&mut self, ready: &[(usize, usize)], flying: usize) -> Option<usize> {
        match ready.len() {
            0 => None,
            _ if flying > 1 => None,
            1 => Some(0),
            n if self.left > 0 => Some(self.choices.of(n as u64) as usize),
            _ => Some(self.parked_since as usize % ready.len()),
        }
    }

    fn predict(&mut self, pc: u64) -> Option<u64> {
        Some(pc + 1)
    }

    fn fetch(&mut self) -> u64 {
        0
    }

    fn noise(&mut self) -> u64 {
        0x5555_5555
    }
}
