//! *mimd*: threads one at a time, round robin with a quantum; the oracle.

use super::{Effect, Effects, Model};
use crate::limits::{Outcome, Stuck};
use crate::platform::End;
use crate::record::lanes;
use crate::stats::Stats;

/// Instructions a thread runs before the next one's turn.
pub const QUANTUM: u32 = 64;

/// Runs until the program ends, everything is parked, or `max_instructions`
/// have completed. `observe` sees each thread's passes and console output.
pub fn run(
    model: &mut Model,
    quantum: u32,
    max_instructions: u64,
    stats: &mut Stats,
    mut observe: impl FnMut(u32, &Effects, &[u8]),
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
                count(stats, &effects);
                model.counts.events[5] = stats.memory_transactions;
                let console = std::mem::take(&mut model.platform.htif.console);
                observe(hart, &effects, &console);
                model.recycle(effects);
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

fn count(stats: &mut Stats, effects: &Effects) {
    let done = u64::from(effects.done.count_ones());
    let touches = |e: &Effect| e.load.is_some() || e.store.is_some();
    let access = lanes(effects.done).any(|lane| touches(&effects.lanes[lane]));
    stats.warp_instructions += 1;
    stats.thread_instructions += done;
    stats.traps += u64::from(effects.trapped.count_ones());
    stats.active[1] += 1;
    stats.memory_transactions += u64::from(access);
    stats.memory_accesses += u64::from(access);
    if effects.insn.is_hint() {
        stats.hint_warp_instructions += 1;
        stats.hint_thread_instructions += done;
    }
}
