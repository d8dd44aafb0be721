//! The divergence units against their own Verilog under Verilator, on random
//! ports: also on what no core would do.

use hdl::config::RawConfig;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::testing::{pair::Pair, shuffle::Shuffle};
use hdl::rtl::{Vector, equivalent};

const PC: u64 = 0x2000_0000;

/// Warps exist.
fn below(warps: u64) -> impl FnMut(&mut Vector) {
    move |v| {
        let paths: Vec<String> = v.paths().map(String::from).collect();
        for path in paths.iter().filter(|p| p.ends_with("_warp")) {
            v.limit(path, warps);
        }
    }
}

fn arbiter<const T: usize>(warps: usize, stages: usize) {
    let masks = vec![u64::MAX >> (64 - T); warps];
    let mut unit = Arbiter::<T>::new(warps, &masks, PC, stages);
    equivalent(&mut unit, 400, 1, below(warps as u64)).unwrap();
}

#[test]
fn arbiters() {
    arbiter::<1>(1, 0);
    arbiter::<1>(2, 2);
    arbiter::<2>(4, 4);
    arbiter::<4>(4, 0);
    arbiter::<8>(2, 2);
    arbiter::<64>(2, 1);
}

fn hct<const T: usize>(warps: usize, change: impl FnOnce(&mut RawConfig)) {
    let mut raw = RawConfig {
        threads_per_warp: Some(T.to_string()),
        warps: Some(warps.to_string()),
        ..RawConfig::default()
    };
    change(&mut raw);
    let mut unit = Hct::<T>::new(&raw.validate().unwrap());
    equivalent(&mut unit, 400, 1, below(warps as u64)).unwrap();
}

#[test]
fn hcts() {
    hct::<1>(1, |_| {});
    hct::<2>(8, |_| {});
    hct::<4>(2, |_| {});
    hct::<4>(2, |raw| {
        raw.ccs = Some("network".into());
        raw.cct = Some("paper".into());
    });
    hct::<32>(2, |_| {});
}

#[test]
fn test_units() {
    equivalent(&mut Pair::<1>::new(1, &[1], PC), 400, 1, below(1)).unwrap();
    equivalent(&mut Pair::<4>::new(2, &[15, 7], PC), 400, 1, below(2)).unwrap();
    equivalent(&mut Shuffle::<1>::new(1, &[1], PC, true), 400, 1, below(1)).unwrap();
    equivalent(&mut Shuffle::<4>::new(2, &[15, 7], PC, true), 400, 1, below(2)).unwrap();
}
