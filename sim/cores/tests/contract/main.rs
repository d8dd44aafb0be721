//! The contract suite: every unit of `units.rs` behind the divergence port,
//! against a plain array of threads. See `clause.rs` for what is checked and
//! `bench.rs` for how; `broken.rs` shows that each clause is.

mod bench;
mod broken;
mod clause;
mod exhaustive;
mod model;
mod random;
mod rate;
mod units;
mod wake;

use bench::{Bench, Good, Seldom};
use exhaustive::Exhaustive;
use random::Random;
use units::{UNITS, build, info};

const PC: u64 = 0x2000_0000;

/// Threads alive after reset: all, or not some of the last warp's.
fn masks(lanes: usize, warps: usize, few: bool) -> Vec<u64> {
    let all = u64::MAX >> (64 - lanes);
    let mut masks = vec![all; warps];
    if few && lanes > 1 {
        masks[warps - 1] = all >> lanes.div_ceil(2);
    }
    masks
}

/// One run.
#[derive(Clone, Copy)]
struct Run {
    unit: &'static str,
    warps: usize,
    /// Not all threads are alive after reset.
    few: bool,
    cycles: u64,
    bound: u64,
}

impl Run {
    fn of<const T: usize>(self, player: &mut Random) -> Seldom {
        let masks = masks(T, self.warps, self.few);
        let unit = build(self.unit, self.warps, &masks, PC);
        assert_eq!((unit.shape().slots, unit.shape().pipes), info(self.unit).shape);
        let mut bench = Bench::<T>::new(unit, info(self.unit), &masks, PC, 4);
        bench.bound(self.bound);
        for _ in 0..self.cycles {
            if let Err(breach) = bench.cycle(player, &mut Good) {
                panic!("{} T {T} W {}: {breach}", self.unit, self.warps);
            }
        }
        bench.seen
    }

    fn at(self, lanes: usize, player: &mut Random) -> Seldom {
        match lanes {
            1 => self.of::<1>(player),
            2 => self.of::<2>(player),
            4 => self.of::<4>(player),
            8 => self.of::<8>(player),
            16 => self.of::<16>(player),
            32 => self.of::<32>(player),
            64 => self.of::<64>(player),
            _ => panic!("T is {lanes}"),
        }
    }
}

const LANES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

#[test]
fn random_programs() {
    for unit in UNITS {
        let (mut hits, mut second, mut double) = (0, 0, 0);
        for lanes in LANES {
            let mut all = Seldom::default();
            for warps in [1, 2, 4, 8, 32] {
                let cycles = if lanes * warps > 256 { 1200 } else { 3000 };
                for seed in 0..2 {
                    let few = seed == 1;
                    let run = Run { unit: unit.name, warps, few, cycles, bound: u64::MAX };
                    let mut player = Random::new(seed + 100 * (lanes * warps) as u64);
                    let seen = run.at(lanes, &mut player);
                    all.parks += seen.parks;
                    all.wakes_with_update += seen.wakes_with_update;
                    all.drops += seen.drops;
                    all.most_paths = all.most_paths.max(seen.most_paths);
                    all.deepest_flight = all.deepest_flight.max(seen.deepest_flight);
                    hits += seen.hits;
                    second += seen.second_slot;
                    double += seen.double_hits;
                }
            }
            assert!(all.parks > 100 && all.wakes_with_update > 10 && all.drops > 100, "{all:?}");
            // A warp issues in every fourth or third cycle at most on units with block RAM.
            let rests = |name| unit.name.starts_with(name);
            let deep = if rests("hct") {
                1
            } else if rests("arbiter") {
                2
            } else {
                4
            };
            assert!(all.deepest_flight >= deep && all.most_paths >= lanes.min(8), "{all:?}");
        }
        assert!(hits > 40_000, "{}: {hits} hits", unit.name);
        assert_eq!(second > 1000, unit.shape.0 > 1, "{}: {second} hits", unit.name);
        assert_eq!(double > 1000, unit.shape.1 > 1, "{}: {double} hits", unit.name);
    }
}

#[test]
fn every_live_thread_executes_in_bounded_time() {
    for unit in UNITS {
        for (lanes, warps) in [(1, 1), (2, 1), (4, 1), (4, 4), (8, 2), (16, 1)] {
            let bound = 400 + 60 * (lanes * warps) as u64;
            let run = Run { unit: unit.name, warps, few: false, cycles: 12_000, bound };
            let mut player = Random::new(lanes as u64);
            player.calm = true;
            let seen = run.at(lanes, &mut player);
            assert!(seen.hits > 1000 && seen.longest_wait > 10, "{}: {seen:?}", unit.name);
        }
    }
}

#[test]
fn all_threads_at_different_places() {
    for unit in UNITS {
        for lanes in LANES {
            let cycles = 400 + 200 * lanes as u64;
            let run = Run { unit: unit.name, warps: 1, few: false, cycles, bound: u64::MAX };
            let mut player = Random::new(lanes as u64);
            player.spread = true;
            let seen = run.at(lanes, &mut player);
            assert_eq!(seen.most_paths, lanes, "{} T {lanes}: {seen:?}", unit.name);
        }
    }
}

/// Every sequence of outcomes up to a depth, from reset; the number of them.
fn prove<const T: usize>(unit: &str, outcomes: u32, pcs: u64, deep: bool) -> u64 {
    let masks = masks(T, 1, false);
    let mut bench = Bench::<T>::new(build(unit, 1, &masks, PC), info(unit), &masks, PC, 2);
    bench.bound(120);
    let mut player = Exhaustive::new(PC, pcs, deep);
    let mut runs = 0;
    loop {
        bench.reset(&masks, PC);
        player.left = outcomes;
        for _ in 0..(16 + 5 * outcomes) {
            if let Err(breach) = bench.cycle(&mut player, &mut Good) {
                panic!("{unit} T {T}: {breach}; {:?}", player.choices);
            }
        }
        runs += 1;
        if !player.choices.advance() {
            return runs;
        }
    }
}

#[test]
fn every_sequence_of_one_thread() {
    for unit in UNITS {
        let runs = prove::<1>(unit.name, 4, 2, true);
        assert!(runs > 10_000, "{}: {runs}", unit.name);
    }
}

#[test]
fn every_sequence_of_two_threads() {
    for unit in UNITS {
        let runs = prove::<2>(unit.name, 2, 3, true) + prove::<2>(unit.name, 3, 2, false);
        assert!(runs > 800, "{}: {runs}", unit.name);
    }
}
