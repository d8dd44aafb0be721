//! Every block of the core against its own Verilog under Verilator, on random
//! inputs: also on what no core would do. Inputs are kept only from what the
//! hardware leaves open, mostly numbers of what does not exist.

mod back;
mod front;
mod lanes;
mod whole;

use hdl::config::{CoreConfig, RawConfig};
use hdl::core::control::alu_op;
use hdl::core::shape::CoreShape;
use hdl::divergence::port::Shape;
use hdl::rtl::{Pins, Vector, equivalent};
use rust_hdl::core::prelude::Block;

/// The shape of `arbiter` and `hct`.
const SINGLE: Shape = Shape { slots: 1, pipes: 1, redirects: 1 };
/// Two pipes and more redirects than pipes.
const DOUBLE: Shape = Shape { slots: 2, pipes: 2, redirects: 4 };

/// The default core of that size, with options.
fn config(threads: usize, warps: usize, change: impl FnOnce(&mut RawConfig)) -> CoreConfig {
    let mut raw = RawConfig {
        threads_per_warp: Some(threads.to_string()),
        warps: Some(warps.to_string()),
        ..RawConfig::default()
    };
    change(&mut raw);
    raw.validate().unwrap()
}

fn shape(threads: usize, warps: usize, unit: Shape) -> CoreShape {
    CoreShape::new(&config(threads, warps, |_| {}), unit)
}

fn check<B: Block + Pins>(block: B, constrain: impl FnMut(&mut Vector)) {
    check_long(block, 600, constrain);
}

/// Operations of the ALU subtract as decode says it of each.
fn subtract(v: &mut Vector) {
    let paths: Vec<String> =
        v.paths().filter(|path| path.starts_with("subtract$")).map(str::to_owned).collect();
    for path in paths {
        let name = |prefix| path.replace("subtract", prefix);
        let is_execute = v.paths().any(|other| other == name("alu_op"));
        let op = v.get(&name(if is_execute { "alu_op" } else { "op" }));
        let is = op & alu_op::COMPARES != 0 || op & alu_op::SUB == alu_op::SUB;
        v.set(&path, is.into());
    }
}

/// Resets are rare, so that something can happen in between.
fn check_long<B: Block + Pins>(
    mut block: B,
    cycles: usize,
    mut constrain: impl FnMut(&mut Vector),
) {
    let mut cycle = 0;
    let rarely_reset = |v: &mut Vector| {
        constrain(v);
        subtract(v);
        cycle += 1;
        if cycle % 61 != 0 && v.paths().any(|path| path == "reset") {
            v.set("reset", 0);
        }
    };
    equivalent(&mut block, cycles, 1, rarely_reset).unwrap();
}

/// Keeps all inputs whose name has `word` as one of its parts below `end`.
fn limit(v: &mut Vector, word: &str, end: usize) {
    let named = |path: &&str| path.split(['$', '_']).any(|part| part == word);
    let paths: Vec<String> = v.paths().filter(named).map(str::to_owned).collect();
    paths.iter().for_each(|path| v.limit(path, end as u64));
}

/// Warps, slots, and views exist.
fn exist(shape: &CoreShape) -> impl FnMut(&mut Vector) + use<> {
    let (warps, slots, views) = (shape.warps, shape.slots, shape.views());
    move |v| {
        limit(v, "warp", warps);
        limit(v, "slot", slots);
        limit(v, "view", views);
        limit(v, "place", 4 * views);
    }
}

/// Makes instructions of most words that are called so.
fn instructions(v: &mut Vector, name: &str) {
    const OPCODES: [u64; 12] =
        [0x03, 0x0f, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73];
    let paths: Vec<String> =
        v.paths().filter(|path| path.contains(name)).map(str::to_owned).collect();
    for path in paths {
        let old = v.get(&path);
        let new = old & !0x7f | OPCODES[(old >> 20 ^ old >> 7) as usize % OPCODES.len()];
        match old % 8 {
            0 => {}
            1..4 => v.set(&path, new),
            top => v.set(&path, new & 0x01ff_ffff | [0, 0x20, 1, 0x08][top as usize - 4] << 25),
        }
    }
}
