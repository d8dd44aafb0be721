//! Wakes while nothing else moves: a thread of each warp has parked, all others come to
//! an instruction that is refused again and again, in as many cycles as the front-end
//! can fill. So it is when every warp has come to a barrier, and what would open it
//! waits for the unit to take a wake.

use crate::bench::{Bench, Good, Hit, Player, Turns};
use crate::model::{Model, Outcome};
use crate::random::Rng;
use crate::units::{UNITS, build, info};
use crate::{PC, masks};
use hdl::divergence::port::kind;

struct Refused {
    rng: Rng,
    turns: Turns,
    /// All warps have parked a thread.
    parked: bool,
    /// Who is to be woken next.
    next: usize,
}

impl Player for Refused {
    fn outcome(&mut self, hit: &Hit, model: &Model) -> Outcome {
        let (mask, depth, pc) = (hit.mask, hit.depth, hit.instr.pc);
        if model.parked(hit.instr.warp) == 0 && !self.parked {
            let halt_mask = mask & mask.wrapping_neg();
            let go_mask = mask & !halt_mask;
            let (go_pc, go_depth) = (pc + 1, depth);
            return Outcome { halt_mask, go_mask, go_pc, go_depth, ..Outcome::default() };
        }
        Outcome {
            kind: kind::REPLAY,
            other_mask: mask,
            other_pc: pc,
            other_depth: depth,
            ..Outcome::default()
        }
    }

    fn wake(&mut self, model: &Model) -> Option<(usize, u64)> {
        self.parked |= (0..model.warps.len()).all(|w| model.parked(w) != 0);
        let warp = self.next;
        if !self.parked || warp == model.warps.len() {
            return None;
        }
        self.next += 1;
        Some((warp, model.parked(warp)))
    }

    fn issue(&mut self, ready: &[(usize, usize)], _: usize) -> Option<usize> {
        self.turns.next(ready)
    }

    fn predict(&mut self, pc: u64) -> Option<u64> {
        Some(pc + 1)
    }

    fn fetch(&mut self) -> u64 {
        0
    }

    fn noise(&mut self) -> u64 {
        // Replays are refused late.
        self.rng.next() | 1
    }
}

/// The share of cycles in which something executed, in percent.
fn run<const T: usize>(unit: &str, warps: usize) -> u64 {
    let masks = masks(T, warps, false);
    let there = build(unit, warps, &masks, PC);
    let mut bench = Bench::<T>::new(there, info(unit), &masks, PC, 4);
    let mut player = Refused { rng: Rng::new(1), turns: Turns::default(), parked: false, next: 0 };
    for _ in 0..200 * warps + 40 * T * warps {
        if let Err(breach) = bench.cycle(&mut player, &mut Good) {
            panic!("{unit} T {T} W {warps}: {breach}");
        }
    }
    assert_eq!(bench.seen.wakes, warps as u64, "{unit} T {T} W {warps}");
    bench.seen.hits * 100 / bench.seen.cycles
}

#[test]
fn a_wake_is_taken_while_every_instruction_is_refused() {
    for unit in UNITS {
        for warps in [1, 2, 8, 16] {
            let busy = [run::<2>, run::<4>, run::<16>, run::<64>].map(|run| run(unit.name, warps));
            // From eight warps on the front-end fills nearly all cycles.
            assert!(warps < 8 || busy.iter().all(|b| *b >= 90), "{} {warps} {busy:?}", unit.name);
        }
    }
}
