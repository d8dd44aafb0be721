//! The parts of the divergence units, each against its own Verilog. Keys and
//! warps have few values here: paths meet, and tables are read where they were written.

use hdl::divergence::arbiter::threads::Threads;
use hdl::divergence::arbiter::tree::{KEY, Levels, TagLine, Tree};
use hdl::divergence::hct::cold::Cold;
use hdl::divergence::hct::compact::{Exchange, NetworkSort, ParallelSort};
use hdl::divergence::hct::first::{First, Limit};
use hdl::divergence::hct::path::PathRam;
use hdl::divergence::hct::rows::Rows;
use hdl::divergence::testing::store::Store;
use hdl::rtl::prelude::*;
use hdl::rtl::{Pins, Vector, equivalent};

const WARPS: u64 = 2;
const KEYS: u64 = 3;

fn few(v: &mut Vector) {
    let paths: Vec<String> = v.paths().map(String::from).collect();
    for path in &paths {
        if path.ends_with("warp") || path.contains("address") {
            v.limit(path, WARPS);
        } else if path.ends_with("key") || path.starts_with("key") || path == "limit" {
            v.limit(path, KEYS);
        } else if path.starts_with("leaf") {
            let value = v.get(path);
            v.set(path, (value % KEYS) | ((value >> 7 & 1) << (KEY - 1)));
        }
    }
}

fn check<B: Block + Pins>(mut block: B) {
    equivalent(&mut block, 600, 1, few).unwrap();
}

#[test]
fn compact_sort() {
    check(ParallelSort::<1>::new());
    check(ParallelSort::<8>::new());
    check(ParallelSort::<64>::new());
    check(NetworkSort::<1>::new());
    check(NetworkSort::<8>::new());
    check(NetworkSort::<64>::new());
    check(Exchange::<8>::new());
}

#[test]
fn path_memories() {
    check(PathRam::<1, 42>::new(2));
    check(PathRam::<8, 39>::new(32));
    check(PathRam::<64, 58>::new(2));
    check(PathRam::<8, 43>::narrow(32, 38));
}

/// With rings that there are: the first word, how many, and how many of them were seen.
fn cold<const T: usize>() {
    let stimulus = |v: &mut Vector| {
        few(v);
        let (ring, words) = (v.get("ring"), T as u64);
        let (base, total) = (ring % words, (ring >> 6) % (words + 1));
        let seen = (ring >> 13) % (total + 1);
        v.set("ring", base | total << 6 | seen << 13);
    };
    equivalent(&mut Cold::<T>::new(2), 600, 1, stimulus).unwrap();
}

#[test]
fn cold_tables() {
    cold::<1>();
    cold::<4>();
    cold::<8>();
    cold::<64>();
    check(Rows::<1>::new(2));
    check(Rows::<2>::new(2));
    check(Rows::<8>::new(2));
    check(Rows::<32>::new(2));
    check(Rows::<64>::new(2));
}

#[test]
fn first_of_a_row() {
    for columns in [1, 2, 4] {
        check(First::new(columns, 0));
        check(Limit::new(columns));
    }
    check(First::new(2, 1));
}

#[test]
fn arbiter() {
    check(Threads::<1, 30>::new(2));
    check(Threads::<8, 38>::new(2));
    check(Levels::<4>::new(vec![0, 1, 3]));
    check(TagLine::new(0));
    check(TagLine::new(1));
    check(TagLine::new(4));
    check(Tree::<1>::new(1));
    check(Tree::<8>::new(0));
    check(Tree::<8>::new(2));
    check(Tree::<64>::new(1));
}

#[test]
fn stores() {
    check(Store::<7>::new(vec![1, 2], 2, 2));
    check(Store::<64>::new(vec![u64::MAX, 0], 1, 3));
}
