//! The head is the minimum after every update, at once or after N cycles.

use super::Arbiter;
use crate::divergence::port::{Unit, kind};
use crate::rtl::prelude::*;

/// xorshift64*.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Depth, PC, alive.
type Thread = (u64, u64, bool);

/// Depth, PC and mask of the first path.
fn first(threads: &[Thread]) -> Option<(u64, u64, u64)> {
    let order = |t: &Thread| (u64::MAX - t.0, t.1);
    let best = *threads.iter().filter(|t| t.2).min_by_key(|t| order(t))?;
    let mask = threads.iter().enumerate().fold(0, |m, (i, t)| m | u64::from(*t == best) << i);
    Some((best.0, best.1, mask))
}

/// Every cycle one random warp executes that is eligible and did not in the two before,
/// the one before is updated, and threads are woken.
fn random<const T: usize>(warps: usize, stages: usize, seed: u64) {
    let mut rng = Rng(seed);
    let all = U::<T>::MAX;
    let masks: Vec<u64> = (0..warps).map(|w| if w == 1 { 1 } else { all }).collect();
    let mut x = Arbiter::<T>::new(warps, &masks, 100, stages);
    assert_eq!(x.shape().redirects, stages.min(1) + 1);
    x.power_up();
    let mut model: Vec<Vec<Thread>> =
        masks.iter().map(|m| (0..T).map(|i| (0, 100, m >> i & 1 != 0)).collect()).collect();
    // What the front-end fetches: PC, epoch.
    let mut front: Vec<Option<(u64, u64)>> = masks.iter().map(|_| Some((100, 0))).collect();
    let mut epochs = vec![0; warps];
    let mut soon: Option<(usize, u64, u64)> = None;
    let mut before: [Option<usize>; 2] = [None; 2];
    let mut executed: Option<(usize, u64, u64, u64)> = None;
    let (mut hits, mut busy_cycles, mut woken) = (0, 0, 0);
    for _ in 0..6000 {
        let pipe = &mut x.port.port.pipe[0];
        pipe.update.next = executed.is_some();
        if let Some((w, depth, pc, mask)) = executed.take() {
            let other = match rng.below(3) {
                0 => mask & rng.next(),
                1 => mask,
                _ => 0,
            };
            let halt = if rng.below(8) == 0 { mask & !other } else { 0 };
            let go = mask & !other & !halt;
            let mut place =
                || (depth.saturating_sub(rng.below(2)) + rng.below(2), 100 + rng.below(12));
            let (other_place, go_place) = (place(), place());
            let other_place = if rng.below(4) == 0 { (depth, pc) } else { other_place };
            pipe.up_warp.next = U::new(w as u64);
            pipe.up_kind.next = U::new(kind::BRANCH);
            pipe.exec_mask.next = U::new(mask);
            pipe.go_mask.next = U::new(go);
            pipe.go_depth.next = U::new(go_place.0);
            pipe.go_pc.next = U::new(go_place.1);
            pipe.other_mask.next = U::new(other);
            pipe.other_depth.next = U::new(other_place.0);
            pipe.other_pc.next = U::new(other_place.1);
            pipe.halt_mask.next = U::new(halt);
            pipe.predicted.next = true;
            pipe.next_pc.next = U::new(go_place.1);
            front[w] = front[w].map(|(_, epoch)| (go_place.1, epoch));
            for (i, t) in model[w].iter_mut().enumerate() {
                let bit = |mask: u64| mask >> i & 1 != 0;
                if bit(other) {
                    (t.0, t.1) = other_place;
                } else if bit(mask) {
                    *t = (go_place.0, go_place.1, !bit(halt));
                }
            }
        }
        x.settle();
        let w = rng.below(warps as u64) as usize;
        let parked = model[w].iter().zip(0..).fold(0, |m, (t, i)| m | u64::from(!t.2) << i);
        let wake = parked & masks[w] & rng.next();
        let ready = x.port.io.wake_ready.val();
        let io = &mut x.port.port.io;
        io.wake.next = ready && wake != 0 && rng.below(16) == 0;
        io.wake_warp.next = U::new(w as u64);
        io.wake_mask.next = U::new(wake);
        if io.wake.next {
            woken += 1;
            for (i, t) in model[w].iter_mut().enumerate() {
                t.2 |= wake >> i & 1 != 0;
            }
        }
        // The lookup that was announced, and the next one.
        let asked = soon.take();
        let pipe = &mut x.port.port.pipe[0];
        pipe.look.next = asked.is_some();
        if let Some((w, pc, epoch)) = asked {
            pipe.look_warp.next = U::new(w as u64);
            pipe.look_pc.next = U::new(pc);
            pipe.look_epoch.next = U::new(epoch);
        }
        x.settle();
        let w = rng.below(warps as u64) as usize;
        if rng.below(8) != 0
            && x.port.slot[0].eligible.val().get_bit(w)
            && !before.contains(&Some(w))
            && let Some((pc, epoch)) = front[w]
        {
            soon = Some((w, pc, epoch));
        }
        before = [soon.map(|s| s.0), before[0]];
        let pipe = &mut x.port.port.pipe[0];
        pipe.soon.next = soon.is_some();
        pipe.soon_warp.next = U::new(soon.map_or(0, |s| s.0 as u64));
        x.settle();
        for redirect in &x.port.redirect {
            if redirect.valid.val() {
                let w = redirect.warp.val().index();
                epochs[w] = (epochs[w] + 1) % 16;
                assert_eq!(redirect.epoch.val(), epochs[w]);
                let path = first(&model[w]);
                assert_eq!(redirect.alive.val(), path.is_some());
                front[w] = path.map(|p| (p.1, epochs[w]));
                if let Some((_, pc, _)) = path {
                    assert_eq!(redirect.pc.val(), pc);
                }
            }
        }
        let pipe = &x.port.pipe[0];
        assert!(asked.is_some() || !pipe.hit.val());
        if let Some((w, pc, epoch)) = asked {
            let busy = x.port.io.busy.val().get_bit(w);
            busy_cycles += u32::from(busy);
            let current = front[w] == Some((pc, epoch));
            assert_eq!(pipe.hit.val(), current && !busy, "warp {w}");
            if pipe.hit.val() {
                let (depth, at, mask) = first(&model[w]).expect("a path");
                assert_eq!(at, pc);
                assert_eq!((pipe.depth.val().raw(), pipe.mask.val().raw()), (depth, mask));
                executed = Some((w, depth, pc, mask));
                hits += 1;
            }
        }
        x.tick();
    }
    assert!(hits > 500 && woken > 20, "{hits} hits, {woken} wakes, busy {busy_cycles}");
}

#[test]
fn the_head_is_the_minimum() {
    for stages in 0..=4 {
        for seed in 1..4 {
            random::<1>(1, stages, seed);
            random::<2>(4, stages, seed);
            random::<4>(1, stages, seed);
            random::<8>(32, stages, seed);
            random::<64>(2, stages, seed);
        }
    }
}
