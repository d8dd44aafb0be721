//! The end of a pass: the path moves on, counters count, the record is
//! completed.

use super::pass::Step;
use super::{Engine, lanes};
use crate::path::{Kind, Path, Update};
use crate::record;
use hdl::config::Counters;
use hdl::isa::Insn;

impl<const T: usize> Engine<'_, T> {
    /// Moves the path on, counts, and completes the record.
    #[inline]
    pub(super) fn commit(&mut self, w: usize, path: Path, insn: &Insn, step: &Step) {
        self.platform.finish_pass();
        self.cycle += 1;
        if step.go == path.mask
            && step.pc == path.pc.wrapping_add(4)
            && self.record.is_none()
            && !insn.is_hint()
            && matches!(step.kind, Kind::Plain)
        {
            let threads = if path.mask == lanes::full(T) { T as u32 } else { path.threads() };
            self.tally(w, 1, path.mask, threads, step.uncounted, threads);
            let warp = &mut self.warps[w];
            self.stats.merges += u64::from(warp.policy.advance());
            warp.current = warp.policy.current();
            if warp.live != 1 {
                warp.live = warp.policy.live();
            }
            self.wake();
            return;
        }
        let max_depth = self.config.max_depth();
        let depth = match step.kind {
            Kind::Call | Kind::Trap => (path.depth + 1).min(max_depth),
            Kind::Return => path.depth.saturating_sub(1),
            _ => path.depth,
        };
        let done = step.go | step.taken | step.parked;
        let rest = path.mask & !done & !step.trapped;
        let go = Path { depth, pc: step.pc, mask: step.go | step.trapped };
        let other = if rest != 0 {
            Path { mask: rest, ..path }
        } else {
            Path { depth: path.depth, pc: step.target, mask: step.taken }
        };
        // A branch that only some take may have an empty fall-through.
        let (go, other) = if go.mask == 0 && step.kind == Kind::Branch {
            (Path { depth, ..other }, Path { mask: 0, ..go })
        } else {
            (go, other)
        };
        let hint = insn.join_offset().filter(|_| step.kind == Kind::Plain);
        let update = Update {
            kind: step.kind,
            from: path,
            go,
            other,
            replay: rest != 0,
            hint: hint.map(|offset| path.pc.wrapping_add_signed(offset)),
        };
        self.count(w, path, insn, step, done, &update);
        let warp = &mut self.warps[w];
        let merges = warp.policy.update(&update);
        self.stats.merges += u64::from(merges);
        if warp.live != 1 || other.mask != 0 || step.parked != 0 {
            warp.live = warp.policy.live();
        }
        warp.current = warp.policy.current();
        if let Some(record) = &mut self.record {
            record.done = done;
            record.trapped = step.trapped;
            record.go = go;
            record.other = other;
            record.events = record::Events {
                diverge: rest == 0 && go.mask != 0 && other.mask != 0,
                merges,
                replay: rest,
                redirect: go.pc != path.pc.wrapping_add(4) || other.mask != 0,
                hint: insn.is_hint(),
                park: step.parked,
                wake: false,
            };
        }
        self.wake();
    }

    /// Counts what is special about a pass, then what all have.
    fn count(&mut self, w: usize, path: Path, insn: &Insn, step: &Step, done: u64, up: &Update) {
        let threads = done.count_ones();
        let stats = &mut self.stats;
        if up.replay {
            match step.kind {
                Kind::Trap => stats.replays.trap += 1,
                Kind::Plain => stats.replays.memory += 1,
                _ => stats.replays.control += 1,
            }
        } else if up.go.mask != 0 && up.other.mask != 0 {
            stats.divergences += 1;
        }
        stats.traps += u64::from(step.trapped.count_ones());
        if insn.is_hint() {
            stats.hint_warp_instructions += 1;
            stats.hint_thread_instructions += u64::from(threads);
        }
        self.tally(w, 1, done, threads, step.uncounted, path.threads());
    }

    /// The counters of every pass, for `passes` alike.
    #[inline]
    pub(super) fn tally(
        &mut self,
        w: usize,
        passes: u64,
        done: u64,
        threads: u32,
        uncounted: u64,
        active: u32,
    ) {
        let stats = &mut self.stats;
        let warp = &mut self.warps[w];
        stats.warp_instructions += passes;
        stats.thread_instructions += passes * u64::from(threads);
        stats.paths[warp.live] += passes;
        stats.active[active as usize] += passes;
        let counted = match self.config.counters {
            Counters::Thread => done & !uncounted & warp.counting,
            _ => lanes::full(T) & !uncounted,
        };
        if counted == lanes::full(T) {
            warp.common = warp.common.wrapping_add(passes);
        } else {
            for (lane, n) in warp.instret.iter_mut().enumerate() {
                *n = n.wrapping_add(passes * (counted >> lane & 1));
            }
        }
    }
}
