//! Random campaigns and the bound on the number of paths.

use super::bench::{Bench, Outcome, RESET_PC, Random, core, inventory};
use crate::config::CoreConfig;
use crate::divergence::hct::Hct;
use crate::divergence::port::kind;
use crate::rtl::prelude::*;
use rust_hdl::core::prelude::generate_verilog_unchecked;

/// Chances of what happens, in percent.
#[derive(Clone, Copy)]
struct Mix {
    look: u64,
    split: u64,
    halt: u64,
    wake: u64,
    /// PCs and depths are drawn from so many.
    places: u64,
}

fn pick(r: &mut Random, mask: u64, percent: u64) -> u64 {
    (0..64).fold(0, |m, i| m | ((mask & (1 << i)) * u64::from(r.chance(percent))))
}

fn outcome(r: &mut Random, mix: Mix, warp: usize, mask: u64, pc: u64, depth: u64) -> Outcome {
    let some_pc = |r: &mut Random| RESET_PC + r.below(mix.places);
    let some_depth = |r: &mut Random| if r.chance(80) { depth } else { r.below(3) * 127 };
    let mut o = Outcome { warp, exec: mask, ..Default::default() };
    o.go = (0, if r.chance(50) { pc + 1 } else { some_pc(r) }, some_depth(r));
    o.other = (0, pc, depth);
    if r.chance(5) {
        // Nobody completes.
        o.kind = kind::REPLAY;
        o.other.0 = mask;
    } else {
        if r.chance(mix.halt) {
            o.kind = kind::HALT;
            o.halt = if r.chance(50) { mask } else { pick(r, mask, 50) };
        }
        let rest = mask & !o.halt;
        // Who parks takes the place of one successor.
        if o.halt == 0 && r.chance(mix.split) {
            o.other.0 =
                if r.chance(20) { 1 << rest.trailing_zeros().min(63) } else { pick(r, rest, 50) };
            o.other.0 &= rest;
        }
        if r.chance(70) {
            o.other = (o.other.0, some_pc(r), some_depth(r));
        }
        o.go.0 = rest & !o.other.0;
        if o.kind == kind::PLAIN && r.chance(4) {
            o.kind = if r.chance(50) { kind::FENCE } else { kind::TRAP };
        }
    }
    o.next = match r.below(4) {
        0 => None,
        1 => Some(pc + 1),
        _ => Some(o.go.1),
    };
    o
}

fn campaign<const T: usize>(config: &CoreConfig, mix: Mix, seed: u64, cycles: usize) -> Bench<T> {
    let mut r = Random::new(seed);
    let mut b = Bench::<T>::new(config);
    let warps = config.warps as usize;
    let mut pending: Option<Outcome> = None;
    let mut coming = None;
    let mut last = vec![0; warps];
    for now in 4..cycles + 4 {
        let look = coming.map(|w: usize| {
            let (_, mut pc, mut epoch) = b.front[w];
            if r.chance(10) {
                match r.below(2) {
                    0 => pc ^= 1 << r.below(30),
                    _ => epoch ^= 1 << r.below(4),
                }
            }
            (w, pc, epoch)
        });
        // Who is next? A warp is asked for in every fourth cycle at most.
        let w = r.below(warps as u64) as usize;
        let eligible = b.unit.port.slot[0].eligible.val().get_bit(w);
        coming = (eligible && now + 1 >= last[w] + 4 && r.chance(mix.look)).then_some(w);
        if let Some(w) = coming {
            last[w] = now + 1;
        }
        let wake_warp = r.below(warps as u64) as usize;
        let parking = pending.filter(|o| o.warp == wake_warp).map_or(0, |o| o.halt);
        let asleep = b.parked(wake_warp) | parking;
        let wake = (b.wake.is_none() && asleep != 0 && r.chance(mix.wake))
            .then(|| (wake_warp, if r.chance(50) { asleep } else { pick(&mut r, asleep, 40) }));
        let hit = b.step(pending.take(), look, coming, wake);
        if let (Some(mask), Some((w, pc, _))) = (hit, look) {
            let depth = b.place(w, mask.trailing_zeros() as usize).0;
            pending = Some(outcome(&mut r, mix, w, mask, pc, depth));
        }
    }
    b
}

const MIXES: [Mix; 5] = [
    Mix { look: 100, split: 30, halt: 3, wake: 10, places: 24 },
    Mix { look: 60, split: 90, halt: 0, wake: 0, places: 1000 },
    Mix { look: 100, split: 50, halt: 30, wake: 30, places: 6 },
    Mix { look: 20, split: 60, halt: 20, wake: 2, places: 100 },
    Mix { look: 90, split: 90, halt: 60, wake: 90, places: 300 },
];

fn campaigns<const T: usize>() {
    let (mut most, mut swaps) = (0, 0);
    for (i, mix) in MIXES.into_iter().enumerate() {
        for (j, (ccs, cct)) in
            [("parallel", "rows"), ("network", "rows"), ("parallel", "paper"), ("network", "paper")]
                .into_iter()
                .enumerate()
        {
            let warps = [4, 1, 8, 2, 32][(i + j) % 5];
            let harts = if i == 3 { (T * warps - T / 2).max(1) } else { T * warps };
            let config = core(T, warps, ccs, cct, harts);
            let cycles = 20_000 / (1 + T / 16);
            let b = campaign::<T>(&config, mix, (i * 4 + j) as u64, cycles);
            most = most.max(b.most_paths);
            swaps += b.swaps;
            // All paths of all warps are looked at, in turn.
            let bound = (warps * ((T + 3) * (T + 8) / 2 + warps) + 40) as u64;
            assert!(b.longest_dead <= bound, "{} > {bound}: {}", b.longest_dead, config.name());
        }
    }
    assert!(most >= T / 2 + T / 4, "at most {most} paths");
    assert_eq!(swaps > 10, T > 1, "{swaps} swaps");
}

#[test]
fn against_threads_1_2() {
    campaigns::<1>();
    campaigns::<2>();
}

#[test]
fn against_threads_4_8() {
    campaigns::<4>();
    campaigns::<8>();
}

#[test]
fn against_threads_16() {
    campaigns::<16>();
}

#[test]
fn against_threads_64() {
    campaigns::<64>();
}

/// T paths, and T parked groups, all at different places: the bound.
fn full<const T: usize>(cct: &str, descending: bool) {
    let config = core(T, 2, "parallel", cct, 2 * T);
    let mut b = Bench::<T>::new(&config);
    for i in 0..T - 1 {
        let (_, pc, epoch) = b.front[0];
        let mask = b.cycle(None, Some((0, pc, epoch)), None).expect("a hit");
        let far = if descending { 2 * T - i } else { T + i } as u64;
        let one = mask & mask.wrapping_neg();
        let o = Outcome {
            exec: mask,
            go: (mask & !one, pc + 1, 0),
            other: (one, RESET_PC + far, 0),
            next: Some(pc + 1),
            ..Default::default()
        };
        b.cycle(Some(o), None, None);
    }
    assert_eq!(inventory(&b.unit, 0).len(), T);
    for _ in 0..T * (T + 4) / 2 + 20 {
        b.cycle(None, None, None);
    }
    // All park, the best first, each somewhere else.
    let mut last = 0;
    for _ in 0..T {
        let (alive, pc, epoch) = b.front[0];
        assert!(alive && pc > last, "not the best path");
        last = pc;
        let mask = b.cycle(None, Some((0, pc, epoch)), None).expect("a hit");
        assert!(mask.is_power_of_two());
        let o = Outcome {
            kind: kind::HALT,
            exec: mask,
            halt: mask,
            go: (0, pc + 1, 0),
            ..Default::default()
        };
        b.cycle(Some(o), None, None);
        for _ in 0..3 * T {
            b.cycle(None, None, None);
        }
    }
    assert!(!b.front[0].0 && b.parked(0) == U::<T>::MAX);
    b.cycle(None, None, Some((0, U::<T>::MAX)));
    for _ in 0..4 * T + 20 {
        b.cycle(None, None, None);
    }
    assert!(b.front[0].0);
    assert_eq!(b.most_paths, T);
}

#[test]
fn every_thread_alone() {
    for cct in ["rows", "paper"] {
        full::<2>(cct, false);
        full::<8>(cct, true);
        full::<16>(cct, false);
        full::<64>(cct, true);
        full::<64>(cct, false);
    }
}

fn exported<const T: usize>(warps: usize, ccs: &str, cct: &str) {
    let mut unit = Hct::<T>::new(&core(T, warps, ccs, cct, T * warps));
    unit.connect_all();
    let text = generate_verilog_unchecked(&unit);
    // Words that a SystemVerilog tool would not take as names.
    let reserved = ["join", "cross", "table", "cell", "wait", "use", "final", "ref", "type"];
    for name in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$') {
        assert!(!reserved.contains(&name), "{name}");
    }
}

#[test]
fn verilog_of_the_corner_shapes() {
    exported::<1>(1, "parallel", "rows");
    exported::<2>(32, "network", "paper");
    exported::<64>(4, "network", "rows");
}
