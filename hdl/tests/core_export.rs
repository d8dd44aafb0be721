//! The whole core as Verilog, around every unit with hardware.

use hdl::config::{CoreConfig, RawConfig};
use hdl::core::core::Core;
use hdl::core::shape::CoreShape;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::port::Unit;
use hdl::rtl::{lint, verilog};
use std::time::{Duration, Instant};

fn config(unit: &str, threads: usize, warps: usize) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(threads.to_string()),
        warps: Some(warps.to_string()),
        divergence: Some(unit.into()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
}

fn core<const T: usize, U: Unit<T>>(config: &CoreConfig, unit: U) -> Core<T, U> {
    let shape = CoreShape::new(config, unit.shape());
    Core::new(shape, unit)
}

fn hct<const T: usize>(warps: usize) -> Core<T, Hct<T>> {
    let config = config("hct", T, warps);
    core(&config, Hct::new(&config))
}

fn arbiter<const T: usize>(warps: usize) -> Core<T, Arbiter<T>> {
    let config = config("arbiter", T, warps);
    let masks = vec![u64::MAX >> (64 - T); warps];
    core(&config, Arbiter::new(warps, &masks, u64::from(config.reset_pc / 4), 0))
}

fn clean<const T: usize, U: Unit<T>>(core: &Core<T, U>) {
    let text = verilog(core, "weft").unwrap();
    lint(&text, "weft").unwrap();
}

#[test]
fn arbiter_is_clean() {
    clean(&arbiter::<1>(1));
    clean(&arbiter::<1>(8));
    clean(&arbiter::<4>(1));
    clean(&arbiter::<4>(8));
}

#[test]
fn hct_is_clean() {
    clean(&hct::<1>(1));
    clean(&hct::<1>(8));
    clean(&hct::<4>(1));
    clean(&hct::<4>(8));
}

/// Time to print, the best of two (other tests run at the same time).
fn time<const T: usize, U: Unit<T>>(core: &Core<T, U>) -> Duration {
    let once = || {
        let start = Instant::now();
        assert!(verilog(core, "weft").is_ok());
        start.elapsed()
    };
    once().min(once())
}

#[test]
fn wide_cores_print_fast() {
    let (wide, widest) = (time(&hct::<32>(8)), time(&hct::<64>(8)));
    println!("32 lanes: {wide:?}, 64 lanes: {widest:?}");
    assert!(wide < Duration::from_secs(3), "{wide:?}");
    assert!(widest < Duration::from_secs(6), "{widest:?}");
}
