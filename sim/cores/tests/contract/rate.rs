//! Sustained rates of the arbiter behind a front-end of fixed latency:
//! redirect, 3 cycles of fetch, 4 stages to the lookup, 1 to the update.
//!
//! - One path, and any path that stays before the others: one instruction in
//!   three cycles from one warp, and one per cycle from eight, whatever the number
//!   of stages.
//! - The turn changes with every instruction: one per 9 + N cycles and warp,
//!   because each costs a redirect and N cycles of tree; 0.61 per cycle from
//!   eight warps, for any N.

use crate::bench::{Bench, Good, Hit, Player, Turns};
use crate::model::{Model, Outcome};
use crate::units::{build, info};
use crate::{PC, masks};
use hdl::divergence::port::kind;

/// Two threads, each of which jumps over the other if `leap`.
struct Frogs {
    leap: bool,
    turns: Turns,
}

impl Player for Frogs {
    fn outcome(&mut self, hit: &Hit, _: &Model) -> Outcome {
        let mut o = Outcome { go_mask: hit.mask, go_pc: hit.instr.pc + 1, ..Outcome::default() };
        if hit.mask == 3 {
            // The other goes far ahead, or two steps.
            o.kind = kind::BRANCH;
            (o.go_mask, o.other_mask) = (1, 2);
            o.other_pc = hit.instr.pc + if self.leap { 3 } else { 1 << 20 };
        } else if self.leap {
            o.kind = kind::JUMP;
            o.go_pc += 3;
        }
        o
    }

    fn wake(&mut self, _: &Model) -> Option<(usize, u64)> {
        None
    }

    fn issue(&mut self, ready: &[(usize, usize)], _: usize) -> Option<usize> {
        self.turns.next(ready)
    }

    fn predict(&mut self, pc: u64) -> Option<u64> {
        Some(pc + 1)
    }

    fn fetch(&mut self) -> u64 {
        3
    }

    fn noise(&mut self) -> u64 {
        0
    }
}

/// Instructions per cycle, in thousandths.
fn rate(unit: &str, warps: usize, leap: bool) -> u64 {
    let masks = masks(2, warps, false);
    let mut bench = Bench::<2>::new(build(unit, warps, &masks, PC), info(unit), &masks, PC, 4);
    let mut player = Frogs { leap, turns: Turns::default() };
    let mut run = |cycles: u64| {
        let before = bench.seen.hits;
        for _ in 0..cycles {
            bench.cycle(&mut player, &mut Good).unwrap_or_else(|breach| panic!("{unit}: {breach}"));
        }
        bench.seen.hits - before
    };
    run(200);
    run(3960) * 1000 / 3960
}

#[test]
fn a_warp_issues_in_every_third_cycle_while_the_order_does_not_change() {
    for unit in ["arbiter", "arbiter-1", "arbiter-2"] {
        assert_eq!((rate(unit, 1, false), rate(unit, 8, false)), (333, 1000), "{unit}");
    }
}

#[test]
fn a_change_of_turn_costs_a_redirect_and_the_stages() {
    for (stages, unit) in ["arbiter", "arbiter-1", "arbiter-2"].into_iter().enumerate() {
        assert_eq!(rate(unit, 1, true), 1000 / (9 + stages as u64), "{unit}");
        // Eight warps hide the stages; what they issue in vain costs more.
        assert_eq!(rate(unit, 8, true), 615, "{unit}");
    }
}
