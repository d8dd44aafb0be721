//! The whole core: instruction words and replies that nobody asked for.

use super::{check_long, config, instructions, limit};
use hdl::config::CoreConfig;
use hdl::core::core::Core;
use hdl::core::shape::CoreShape;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::port::Unit;
use hdl::divergence::testing::shuffle::Shuffle;

fn whole<const T: usize, U: Unit<T>>(config: &CoreConfig, unit: U) {
    let shape = CoreShape::new(config, unit.shape());
    let tags = 2 * shape.views();
    check_long(Core::new(shape, unit), 3000, |v| {
        limit(v, "tag", tags.min(8));
        instructions(v, "reply_data");
    });
}

#[test]
fn around_hct() {
    let config = config(2, 2, |raw| raw.divergence = Some("hct".into()));
    whole::<2, _>(&config, Hct::new(&config));
}

/// As small as it gets.
#[test]
fn around_hct_without_options() {
    let small = |threads| {
        config(threads, 2, |raw| {
            raw.divergence = Some("hct".into());
            raw.isa = Some("rv32i".into());
            raw.traps = Some("off".into());
            raw.counters = Some("none".into());
            raw.bypass = Some("none".into());
            raw.cct = Some("paper".into());
        })
    };
    whole::<2, _>(&small(2), Hct::new(&small(2)));
    // Lanes are served serially.
    whole::<4, _>(&small(4), Hct::new(&small(4)));
}

/// Lanes out of line pass one after the other, and divide in turns.
#[test]
fn around_hct_of_few_parts() {
    let config = config(4, 2, |raw| {
        raw.divergence = Some("hct".into());
        raw.crossbar = Some("serial".into());
        raw.dividers = Some("2".into());
        raw.csrs = Some("serial".into());
    });
    whole::<4, _>(&config, Hct::new(&config));
}

/// A warp goes through the ALU in beats.
#[test]
fn around_hct_in_beats() {
    let config = config(4, 2, |raw| {
        raw.divergence = Some("hct".into());
        raw.lanes = Some("2".into());
    });
    whole::<4, _>(&config, Hct::new(&config));
}

#[test]
fn around_arbiter() {
    let config = config(2, 2, |raw| raw.divergence = Some("arbiter".into()));
    whole::<2, _>(&config, Arbiter::new(2, &[3, 3], u64::from(config.reset_pc / 4), 0));
}

#[test]
fn around_two_pipes() {
    let config = config(2, 2, |_| {});
    whole::<2, _>(&config, Shuffle::new(2, &[3, 3], u64::from(config.reset_pc / 4), true));
}

#[test]
fn around_two_pipes_without_bypass() {
    let config = config(2, 2, |raw| raw.bypass = Some("none".into()));
    whole::<2, _>(&config, Shuffle::new(2, &[3, 3], u64::from(config.reset_pc / 4), true));
}
