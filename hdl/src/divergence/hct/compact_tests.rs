//! One tester for both versions of compact-sort: exhaustive on small keys, and
//! random.

use super::bench::Random;
use super::compact::{NetworkSort, ParallelSort, SortPort};
use crate::rtl::prelude::*;

/// A path, if there is one: key and mask.
type Path = Option<(u64, u64)>;

/// A property that goes with the key.
fn here(key: u64) -> bool {
    key.count_ones() % 2 == 1
}

trait CompactSort<const T: usize>: Sim {
    fn port(&mut self) -> &mut SortPort<T>;

    fn sort(&mut self, paths: [Path; 3]) -> ([Path; 3], bool, bool) {
        let out = self.sort_beside(paths, 1);
        assert_eq!(out, self.sort_beside(paths, (1 << 38) - 2), "{paths:?}");
        out
    }

    /// Who is not there has that key.
    fn sort_beside(&mut self, [a, b, c]: [Path; 3], nobody: u64) -> ([Path; 3], bool, bool) {
        let p = self.port();
        for (to, from) in [(&mut p.a, a), (&mut p.b, b), (&mut p.c, c)] {
            to.valid.next = from.is_some();
            // What is not valid must not matter.
            let (key, mask) = from.unwrap_or((nobody, U::<T>::MAX));
            (to.key.next, to.mask.next) = (key.into(), mask.into());
        }
        [p.a_here.next, p.b_here.next, p.c_here.next] =
            [a, b, c].map(|path| path.is_none_or(|(key, _)| here(key)));
        (p.park.next, p.park_mask.next) = (false, 0.into());
        p.refused.next = false;
        self.tick();
        let p = self.port();
        let [x, y, z] =
            [&p.x, &p.y, &p.z].map(|o| (o.valid.val(), (o.key.val().raw(), o.mask.val().raw())));
        assert!(z.0 || !y.0 || z.1 == y.1, "without a third it is the second");
        let out = [x, y, z].map(|(valid, path)| valid.then_some(path));
        (out, p.x_here.val(), p.passed.val())
    }
}

impl<const T: usize> CompactSort<T> for ParallelSort<T> {
    fn port(&mut self) -> &mut SortPort<T> {
        &mut self.port
    }
}

impl<const T: usize> CompactSort<T> for NetworkSort<T> {
    fn port(&mut self) -> &mut SortPort<T> {
        &mut self.port
    }
}

fn expected(paths: [Path; 3]) -> ([Path; 3], bool, bool) {
    let mut merged = std::collections::BTreeMap::new();
    for (key, mask) in paths.into_iter().flatten() {
        *merged.entry(key).or_insert(0) |= mask;
    }
    let mut out = merged.into_iter();
    let out = [out.next(), out.next(), out.next()];
    let passed = paths[2].is_some_and(|c| out[0].is_some_and(|x| x.0 == c.0));
    (out, out[0].is_some_and(|x| here(x.0)), passed)
}

fn both<const T: usize>(cases: impl Iterator<Item = [Path; 3]>) {
    let mut parallel = ParallelSort::<T>::new();
    let mut network = NetworkSort::<T>::new();
    parallel.power_up();
    network.power_up();
    for paths in cases {
        let right = expected(paths);
        assert_eq!(parallel.sort(paths), right, "parallel {paths:?}");
        assert_eq!(network.sort(paths), right, "network {paths:?}");
    }
}

fn each_order() -> impl Iterator<Item = [Path; 3]> {
    (0..5 * 5 * 5).map(|n| {
        let keys = [n % 5, n / 5 % 5, n / 25];
        std::array::from_fn(|i| (keys[i] < 4).then_some((keys[i], 1 << i)))
    })
}

#[test]
fn every_order_and_every_merge() {
    both::<4>(each_order());
    // The same with the key's high half, where the depth is.
    both::<64>(each_order().map(|p| p.map(|p| p.map(|(key, mask)| (key << 36, mask)))));
}

#[test]
fn equal_successors_behind_the_runner_up_are_one_path() {
    let paths = [Some((7, 1)), Some((7, 2)), Some((3, 4))];
    let out = ([Some((3, 4)), Some((7, 3)), None], here(3), true);
    let (mut parallel, mut network) = (ParallelSort::<4>::new(), NetworkSort::<4>::new());
    parallel.power_up();
    network.power_up();
    assert_eq!(parallel.sort(paths), out);
    assert_eq!(network.sort(paths), out);
}

#[test]
fn random_keys() {
    let mut r = Random::new(3);
    both::<32>((0..30_000).map(|_| {
        let base = r.word() >> 26;
        [0, 1, 2].map(|i| {
            let near = base ^ if r.chance(30) { 0 } else { 1 << r.below(38) };
            r.chance(80).then_some((near, r.word() & 0x1249_2492 >> i | 1 << i))
        })
    }));
}

#[test]
fn a_parked_group_is_the_third() {
    fn check<const T: usize>(mut sorter: impl CompactSort<T>) {
        sorter.power_up();
        // The place of `a`, whose other threads may go on.
        for a in [None, Some((7, 1))] {
            for c in [None, Some((3, 4)), Some((7, 4)), Some((9, 4))] {
                let (out, x_here, passed) = sorter.sort([a, None, c]);
                let p = sorter.port();
                (p.park.next, p.park_mask.next, p.a.key.next) = (true, 8.into(), 7.into());
                p.a_here.next = here(7);
                sorter.tick();
                let p = sorter.port();
                assert!(p.z.valid.val());
                assert_eq!((p.z.key.val().raw(), p.z.mask.val().raw()), (7, 8));
                // It changes nothing of the others.
                let others = [&p.x, &p.y]
                    .map(|o| o.valid.val().then(|| (o.key.val().raw(), o.mask.val().raw())));
                assert_eq!(
                    (others, p.x_here.val(), p.passed.val()),
                    ([out[0], out[1]], x_here, passed)
                );
            }
        }
    }
    check(ParallelSort::<4>::new());
    check(NetworkSort::<4>::new());
}

#[test]
fn of_what_is_refused_the_head_stays() {
    fn check<const T: usize>(mut sorter: impl CompactSort<T>) {
        sorter.power_up();
        for paths in each_order() {
            for (b_is_told, park) in [(true, false), (false, false), (true, true)] {
                sorter.sort(paths);
                let p = sorter.port();
                (p.refused.next, p.park.next, p.park_mask.next) = (true, park, 8.into());
                (p.b.valid.next, p.b.key.next, p.b.mask.next) = (b_is_told, 5.into(), 2.into());
                sorter.tick();
                let p = sorter.port();
                let x = (p.x.valid.val(), p.x.key.val().raw(), p.x.mask.val().raw());
                assert_eq!(x, (true, 5, 2), "{paths:?}");
                assert!(!p.x_here.val() && !p.passed.val());
            }
        }
    }
    check(ParallelSort::<4>::new());
    check(NetworkSort::<4>::new());
}
