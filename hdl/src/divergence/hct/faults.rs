//! One test for each fault of the original design, and for starvation.

use super::bench::{Bench, Outcome, RESET_PC, core};
use crate::divergence::port::kind;

const VERSIONS: [(&str, &str); 4] =
    [("parallel", "rows"), ("network", "rows"), ("parallel", "paper"), ("network", "paper")];

/// A path by mask, offset and depth.
type To = (u64, u64, u64);

fn to((mask, offset, depth): To) -> (u64, u64, u64) {
    (mask, RESET_PC + offset, depth)
}

impl Bench<8> {
    fn one_warp((ccs, cct): (&str, &str)) -> Self {
        Bench::new(&core(8, 1, ccs, cct, 8))
    }

    /// The head of a warp: mask, offset.
    fn head(&mut self, warp: usize) -> (u64, u64) {
        // A better path may come up until it is asked for.
        for _ in 0..8 {
            let (alive, pc, epoch) = self.front[warp];
            assert!(alive);
            if let Some(mask) = self.cycle(None, Some((warp, pc, epoch)), None) {
                return (mask, pc - RESET_PC);
            }
        }
        panic!("no hit");
    }

    /// It executes and goes on there.
    fn goes(&mut self, warp: usize, go: To, other: To) {
        let (exec, offset) = self.head(warp);
        let next = Some(RESET_PC + offset + 1);
        let o = Outcome { warp, exec, go: to(go), other: to(other), next, ..Default::default() };
        self.cycle(Some(o), None, None);
    }

    fn parks(&mut self, warp: usize) {
        let (exec, offset) = self.head(warp);
        let go = (0, RESET_PC + offset + 1, 0);
        let o = Outcome { warp, kind: kind::HALT, exec, halt: exec, go, ..Default::default() };
        self.cycle(Some(o), None, None);
    }

    fn idle(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.cycle(None, None, None);
        }
    }
}

#[test]
fn dropped_instructions_never_disturb_a_pending_exchange() {
    for version in VERSIONS {
        for offset in 0..12 {
            let mut b = Bench::one_warp(version);
            for i in 0..5 {
                // The new path is better than all but the head.
                b.goes(0, (0xff << (i + 1) & 0xff, i + 1, 0), (1 << i, 100 - i, 0));
            }
            // The runner-up becomes the head: the cold table must deliver.
            b.goes(0, (0xe0, 200, 0), (0, 0, 0));
            b.idle(offset);
            for _ in 0..12 {
                let (_, pc, epoch) = b.front[0];
                b.cycle(None, Some((0, pc, (epoch + 15) % 16)), None);
                b.cycle(None, Some((0, pc + 4, epoch)), None);
                b.idle(1);
            }
            assert_eq!(b.head(0), (1 << 4, 96));
            b.goes(0, (1 << 4, 300, 0), (0, 0, 0));
            b.idle(20);
            assert_eq!(b.head(0), (1 << 3, 97));
        }
    }
}

#[test]
fn the_best_path_comes_wherever_it_lies() {
    for version in VERSIONS {
        for best in 0..6 {
            let mut b = Bench::one_warp(version);
            for i in 0..6 {
                let far = if i == best { 50 } else { 60 + 7 * i % 11 };
                b.goes(0, (0xff << (i + 1) & 0xff, i + 1, 0), (1 << i, far, 0));
            }
            b.idle(60);
            b.goes(0, (0xc0, 400, 0), (0, 0, 0));
            assert_eq!(b.head(0), (1 << best, 50), "{version:?}");
        }
    }
}

#[test]
fn any_instruction_that_changes_the_head_redirects() {
    for version in VERSIONS {
        let mut b = Bench::one_warp(version);
        b.goes(0, (0xf0, 1, 0), (0x0f, 5, 0));
        for offset in 1..4 {
            let epoch = b.front[0].2;
            b.goes(0, (0xf0, offset + 1, 0), (0, 0, 0));
            assert_eq!(b.front[0].2, epoch, "no redirect on the way");
        }
        // A plain instruction that leaves the common code behind the other path.
        b.goes(0, (0xf0, 9, 0), (0, 0, 0));
        assert_eq!(b.head(0), (0x0f, 5));
        b.goes(0, (0x0f, 9, 0), (0, 0, 0));
        assert_eq!(b.head(0), (0xff, 9), "merged");
    }
}

#[test]
fn dropped_instructions_commit_nothing() {
    for version in VERSIONS {
        let mut b = Bench::one_warp(version);
        b.goes(0, (0xf0, 1, 0), (0x0f, 5, 0));
        let front = b.front.clone();
        for wrong in 1..40 {
            assert_eq!(b.cycle(None, Some((0, front[0].1 ^ wrong, front[0].2)), None), None);
        }
        assert_eq!(b.front, front);
        assert_eq!(b.head(0), (0xf0, 1));
    }
}

#[test]
fn callees_go_before_a_spin_at_a_lower_pc() {
    for version in VERSIONS {
        let mut b = Bench::one_warp(version);
        b.goes(0, (0x0f, 2, 0), (0xf0, 90, 1));
        assert_eq!(b.head(0), (0xf0, 90));
        b.goes(0, (0x70, 91, 1), (0x80, 200, 2));
        assert_eq!(b.head(0), (0x80, 200));
        b.goes(0, (0x80, 91, 1), (0, 0, 0));
        b.idle(10);
        assert_eq!(b.head(0), (0xf0, 91), "merged with its caller's level");
        b.goes(0, (0xf0, 3, 0), (0, 0, 0));
        assert_eq!(b.head(0), (0x0f, 2), "now the lower PC");
    }
}

#[test]
fn other_warps_at_full_rate_starve_nobody() {
    for (ccs, cct) in VERSIONS {
        let mut b = Bench::<8>::new(&core(8, 8, ccs, cct, 64));
        b.parks(7);
        b.idle(30);
        let mut pending: Option<Outcome> = None;
        let mut coming = None;
        let mut wake = Some((7, 0xff));
        let mut throttled = false;
        let mut now = 0;
        while !b.front[7].0 {
            let eligible = b.unit.port.slot[0].eligible.val().any();
            throttled |= !eligible;
            let look: Option<usize> = coming;
            coming = eligible.then_some((now + 1) % 4);
            let asked = look.map(|w| (w, b.front[w].1, b.front[w].2));
            let hit = b.step(pending.take(), asked, coming, wake.take());
            if let (Some(exec), Some((warp, pc, _))) = (hit, asked) {
                let (go, next) = ((exec, pc + 1, 0), Some(pc + 1));
                pending = Some(Outcome { warp, exec, go, next, ..Default::default() });
            }
            now += 1;
            assert!(now < 60, "{ccs} {cct}");
        }
        assert!(throttled, "the test must need the throttle");
    }
}
