//! *mimd*: threads one at a time, round robin with a quantum; the oracle.

use super::{Effects, Model};
use crate::limits::{Outcome, Stuck};
use crate::platform::End;

/// Instructions a thread runs before the next one's turn.
pub const QUANTUM: u32 = 64;

/// Runs until the program ends, everything is parked, or `max_instructions`
/// have completed. `observe` sees each thread's passes in order.
pub fn run(
    model: &mut Model,
    quantum: u32,
    max_instructions: u64,
    mut observe: impl FnMut(u32, &Effects),
) -> Outcome {
    let lanes = model.config.threads_per_warp;
    let total = model.config.total_harts();
    let mut executed = 0;
    let mut last_live = total;
    let mut hart = 0;
    loop {
        if !model.harts[hart as usize].parked {
            last_live = hart;
            for _ in 0..quantum {
                let effects = model.pass(hart / lanes, 1 << (hart % lanes), None, None);
                model.counts.cycle += 1;
                model.counts.events[0] += 1;
                model.counts.events[1] += u64::from(effects.done.count_ones());
                executed += 1;
                observe(hart, &effects);
                if let Some(end) = model.platform.htif.end.clone() {
                    return match end {
                        End::Exit(code) => Outcome::Exit(code),
                        End::Error(why) => Outcome::Error(why),
                    };
                }
                if model.harts[hart as usize].parked {
                    break;
                }
                if executed >= max_instructions {
                    return Outcome::Stuck(Stuck::Limit(max_instructions));
                }
            }
        }
        hart = (hart + 1) % total;
        if hart == last_live && model.harts[hart as usize].parked || last_live == total {
            return Outcome::Stuck(Stuck::AllParked);
        }
    }
}
