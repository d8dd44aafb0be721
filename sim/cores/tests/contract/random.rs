//! Random programs: forward in the long run, so that every policy gets every
//! thread to the end, with everything else that can happen to a path.

use crate::bench::{Hit, Player};
use crate::model::{Model, Outcome, State, lanes};
use hdl::divergence::port::kind;

/// xorshift64*.
pub struct Rng(u64);

impl Rng {
    /// Different streams for different seeds.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        rng.next();
        rng.next();
        rng
    }

    /// 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(29)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Once in `n`.
    pub fn once(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Some threads of `mask`.
    pub fn some(&mut self, mask: u64) -> u64 {
        match self.below(3) {
            0 => lanes(mask)
                .nth(self.below(u64::from(mask.count_ones()).max(1)) as usize)
                .map_or(0, |i| 1 << i),
            _ => mask & self.next(),
        }
    }
}

/// See the module.
pub struct Random {
    rng: Rng,
    /// Split until all threads of a warp are at different places.
    pub spread: bool,
    /// Threads park.
    pub park: bool,
    /// No calls, returns and traps, so that nobody waits for long.
    pub calm: bool,
    /// A warp that is never woken.
    pub asleep: Option<usize>,
    /// Only straight-line code: one instruction after the other.
    pub straight: bool,
}

impl Random {
    /// The player of a seed.
    pub fn new(seed: u64) -> Random {
        Random {
            rng: Rng::new(seed),
            spread: false,
            park: true,
            calm: false,
            asleep: None,
            straight: false,
        }
    }

    /// A target near `pc`, and not far before the last thread of the warp.
    fn target(&mut self, pc: u64, last: u64) -> u64 {
        let target = match self.rng.below(16) {
            0 => pc.saturating_sub(1 + self.rng.below(6)).max(16),
            1..=3 => pc + 1,
            _ => pc + 1 + self.rng.below(8),
        };
        target.min(last + 16 + self.rng.below(8))
    }
}

impl Player for Random {
    fn outcome(&mut self, hit: &Hit, model: &Model) -> Outcome {
        let (mask, depth, pc) = (hit.mask, hit.depth, hit.instr.pc);
        let rng = &mut self.rng;
        let mut o = Outcome {
            kind: kind::PLAIN,
            go_mask: mask,
            go_pc: hit.instr.next.unwrap_or(pc + 1),
            go_depth: depth,
            other_mask: 0,
            other_pc: rng.below(1 << 20),
            other_depth: rng.below(256),
            halt_mask: 0,
        };
        if self.straight || mask == 0 {
            return o;
        }
        let lanes = model.warps[hit.instr.warp].len();
        if self.spread && model.paths(hit.instr.warp) < lanes {
            // Behind everybody, so that nobody ever merges.
            let threads = model.warps[hit.instr.warp].iter();
            let far = threads.map(|t| t.pc).max().unwrap_or(pc) + 100;
            o.kind = kind::BRANCH;
            (o.go_pc, o.other_pc, o.other_depth) = (far, far, depth);
            if mask.count_ones() > 1 {
                o.other_mask = mask & mask.wrapping_neg() | rng.next() & mask;
                o.go_mask = mask & !o.other_mask;
                o.go_pc = pc + 1;
            }
            return o;
        }
        let threads = model.warps[hit.instr.warp].iter();
        let last = threads.filter(|t| t.state == State::Live).map(|t| t.pc).min().unwrap_or(pc);
        match rng.below(24) {
            // A branch, mostly divergent; both ways round.
            0..=4 => {
                o.kind = kind::BRANCH;
                o.other_mask = self.rng.some(mask);
                (o.other_pc, o.other_depth) = (self.target(pc, last), depth);
                if self.rng.once(2) {
                    std::mem::swap(&mut o.go_pc, &mut o.other_pc);
                }
            }
            // A jump with one target, or two: then some replay.
            5 | 6 => {
                o.kind = kind::JUMP;
                o.go_pc = self.target(pc, last);
                if self.rng.once(2) {
                    o.other_mask = self.rng.some(mask);
                    (o.other_pc, o.other_depth) = (pc, depth);
                }
            }
            7 if depth < 3 && !self.calm => {
                o.kind = kind::CALL;
                o.go_pc = self.target(pc, last);
                o.go_depth = depth + 1;
            }
            8..=10 => {
                o.kind = kind::RETURN;
                o.go_pc = self.target(pc, last);
                o.go_depth = depth.saturating_sub(1);
                if self.rng.once(2) {
                    o.other_mask = self.rng.some(mask);
                    (o.other_pc, o.other_depth) = (pc, depth);
                }
            }
            // The memory serves some.
            11 | 12 => {
                o.other_mask = self.rng.some(mask);
                (o.other_pc, o.other_depth) = (pc, depth);
            }
            // Or nobody.
            13 if hit.instr.next != Some(pc) => {
                o.kind = kind::REPLAY;
                o.other_mask = mask;
                (o.other_pc, o.other_depth) = (pc, depth);
            }
            14 if depth < 3 && !self.calm => {
                o.kind = kind::TRAP;
                o.other_mask = self.rng.some(mask);
                (o.other_pc, o.other_depth) = (pc, depth);
                o.go_pc = last.min(pc) + self.rng.below(8);
                o.go_depth = depth + 1;
            }
            15 => o.kind = kind::FENCE,
            16 | 17 if self.park => {
                o.kind = kind::HALT;
                o.halt_mask = if self.rng.once(2) { mask } else { self.rng.some(mask) };
                o.go_pc = pc + 1;
            }
            _ => (),
        }
        o.other_mask &= !o.halt_mask;
        o.go_mask = mask & !o.other_mask & !o.halt_mask;
        if o.kind == kind::TRAP && o.go_mask == 0 {
            (o.go_mask, o.other_mask) = (mask, 0);
        }
        // A pass serves at least its leader.
        if o.go_mask == 0
            && o.other_pc == pc
            && [kind::JUMP, kind::RETURN, kind::PLAIN].contains(&o.kind)
        {
            let leader = o.other_mask & o.other_mask.wrapping_neg();
            o.go_mask = leader;
            o.other_mask &= !leader;
        }
        o
    }

    fn wake(&mut self, model: &Model) -> Option<(usize, u64)> {
        if !self.rng.once(3) {
            return None;
        }
        let w = self.rng.below(model.warps.len() as u64) as usize;
        let parked = model.parked(w);
        let mask = if self.rng.once(2) { parked } else { self.rng.some(parked) };
        (mask != 0 && self.asleep != Some(w)).then_some((w, mask))
    }

    fn issue(&mut self, ready: &[(usize, usize)], _flying: usize) -> Option<usize> {
        if ready.is_empty() || (!self.straight && self.rng.once(8)) {
            return None;
        }
        Some(self.rng.below(ready.len() as u64) as usize)
    }

    fn predict(&mut self, pc: u64) -> Option<u64> {
        match self.rng.below(8) {
            _ if self.straight => Some(pc + 1),
            0 => None,
            1 => Some(self.target(pc, pc)),
            _ => Some(pc + 1),
        }
    }

    fn fetch(&mut self) -> u64 {
        if self.straight { 3 } else { self.rng.below(5) }
    }

    fn noise(&mut self) -> u64 {
        self.rng.next()
    }
}
