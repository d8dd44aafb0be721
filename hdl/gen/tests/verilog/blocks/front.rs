//! Steer to schedule, and turn.

use super::{DOUBLE, SINGLE, check, config, exist, instructions, limit, shape};
use hdl::core::choose::Choose;
use hdl::core::fetch::Fetch;
use hdl::core::predecode::Predecode;
use hdl::core::schedule::Schedule;
use hdl::core::shape::CoreShape;
use hdl::core::steer::Steer;
use hdl::core::turn::Turn;
use hdl::core::window::Window;

/// One warp, eight, and two pipes; the last two also as barrels.
fn shapes() -> [CoreShape; 5] {
    let barrel =
        |w, unit| CoreShape::new(&config(4, w, |raw| raw.bypass = Some("none".into())), unit);
    [
        shape(1, 1, SINGLE),
        shape(4, 8, SINGLE),
        shape(4, 2, DOUBLE),
        barrel(8, SINGLE),
        barrel(2, DOUBLE),
    ]
}

#[test]
fn choose() {
    for (views, pairs) in [(1, true), (8, true), (8, false), (64, false)] {
        for ahead in [false, true] {
            check(Choose::new(views, pairs, ahead), |_| ());
        }
    }
}

#[test]
fn steer() {
    for shape in shapes() {
        check(Steer::new(&shape, 1), exist(&shape));
    }
}

#[test]
fn fetch() {
    for shape in shapes() {
        let tags = 2 * shape.views();
        let mut exist = exist(&shape);
        check(Fetch::new(&shape), move |v| {
            exist(v);
            limit(v, "tag", tags);
        });
    }
}

#[test]
fn predecode() {
    let with_instructions = |shape: &CoreShape| {
        let mut exist = exist(shape);
        check(Predecode::new(shape), move |v| {
            exist(v);
            instructions(v, "insn");
        });
    };
    shapes().iter().for_each(with_instructions);
    let stack = config(4, 2, |raw| raw.divergence = Some("stack".into()));
    with_instructions(&CoreShape::new(&stack, DOUBLE));
}

#[test]
fn window() {
    for shape in shapes() {
        check(Window::new(&shape), exist(&shape));
    }
}

#[test]
fn schedule() {
    for shape in shapes() {
        check(Schedule::new(&shape), exist(&shape));
    }
    let beats = config(4, 2, |raw| raw.lanes = Some("2".into()));
    let beats = CoreShape::new(&beats, SINGLE);
    check(Schedule::new(&beats), exist(&beats));
}

#[test]
fn turn() {
    for shape in shapes() {
        check(Turn::new(&shape, false), exist(&shape));
        check(Turn::new(&shape, true), exist(&shape));
    }
}
