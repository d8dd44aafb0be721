//! Blocks that do the same for every lane.

use super::{SINGLE, check, config};
use hdl::core::alu::Alu;
use hdl::core::beats::{Beats, Join, Pick};
use hdl::core::divide::Divide;
use hdl::core::exclusive::Exclusive;
use hdl::core::gather::Gather;
use hdl::core::lead::Lead;
use hdl::core::load_lanes::LoadLanes;
use hdl::core::multiply::Multiply;
use hdl::core::operands::Operands;
use hdl::core::pattern::Pattern;
use hdl::core::registers::Registers;
use hdl::core::scatter::Scatter;
use hdl::core::serial_gather::SerialGather;
use hdl::core::serial_scatter::SerialScatter;
use hdl::core::shape::CoreShape;
use hdl::core::stages::{Lanes6, Lanes7, Lanes8, Stage5, Stage6, Stage7, Stage8, Stay};
use hdl::rtl::Vector;

/// In one lane, four and many.
macro_rules! lanes {
    ($block:ident $(($($argument:expr),*))?, $constrain:expr) => {
        check($block::<1>::new($($($argument),*)?), $constrain);
        check($block::<4>::new($($($argument),*)?), $constrain);
        check($block::<32>::new($($($argument),*)?), $constrain);
    };
}

/// The same of blocks that may have fewer lanes than threads, of which the number is the argument
/// before `;`; and with a quarter of them.
macro_rules! fewer_lanes {
    ($block:ident($($argument:expr),*; $($then:expr),*)) => {
        check($block::<1>::new($($argument,)* 1, $($then),*), |_| {});
        check($block::<4>::new($($argument,)* 4, $($then),*), |_| {});
        check($block::<32>::new($($argument,)* 32, $($then),*), |_| {});
        check($block::<4>::new($($argument,)* 1, $($then),*), |_| {});
    };
}

#[test]
fn alu() {
    fewer_lanes!(Alu(1; 0x1_0000, true));
    fewer_lanes!(Alu(2; 0x1_2000, false));
}

#[test]
fn operands() {
    fewer_lanes!(Operands(1;));
    fewer_lanes!(Operands(2;));
}

#[test]
fn multiply() {
    fewer_lanes!(Multiply(;));
}

#[test]
fn divide() {
    fn offered(v: &mut Vector) {
        let starts = v.get("start") & v.get("offer");
        v.set("start", starts);
    }
    check(Divide::<1>::new(1), offered);
    check(Divide::<4>::new(4), offered);
    check(Divide::<32>::new(32), offered);
    // In turns.
    check(Divide::<4>::new(1), offered);
    check(Divide::<4>::new(2), offered);
    check(Divide::<32>::new(8), offered);
}

#[test]
fn exclusive() {
    lanes!(Exclusive, |_| {});
}

#[test]
fn scatter() {
    lanes!(Scatter, |_| {});
}

#[test]
fn gather() {
    lanes!(Gather, |_| {});
}

#[test]
fn served_serially() {
    for in_beats in [0, 1] {
        lanes!(Pattern(in_beats), |_| {});
        // (With fewer than four threads there is none.)
        check(SerialScatter::<4>::new(in_beats), |_| {});
        check(SerialScatter::<32>::new(in_beats), |_| {});
        lanes!(SerialGather(in_beats, 0), |_| {});
        lanes!(SerialGather(in_beats, 1), |_| {});
    }
}

#[test]
fn load_lanes() {
    lanes!(LoadLanes(8), |v| {
        v.limit("write_tag", 8);
        v.limit("read_tag", 8);
    });
}

#[test]
fn registers() {
    check(Registers::<1>::new(1, 0), |_| {});
    check(Registers::<4>::new(8, 0), |_| {});
    check(Registers::<4>::new(8, 1), |_| {});
    check(Registers::<32>::new(2, 0), |_| {});
}

#[test]
fn beats() {
    check(Pick::<2>::new(1), |_| {});
    check(Pick::<32>::new(8), |_| {});
    check(Join::<2>::new(1), |_| {});
    check(Join::<8>::new(2), |_| {});
    check(Join::<32>::new(8), |_| {});
    for (threads, lanes) in [(2, 1), (8, 2), (64, 1)] {
        let config = config(threads, 2, |raw| raw.lanes = Some(lanes.to_string()));
        check(Beats::new(&CoreShape::new(&config, SINGLE)), |_| {});
    }
    lanes!(Lead, |_| {});
}

#[test]
fn stages() {
    check(Stage5::<1>::new(0), |_| {});
    check(Stage5::<4>::new(0), |_| {});
    check(Stage5::<4>::new(1), |_| {});
    check(Stage6::<4>::new(), |_| {});
    check(Stage7::<4>::new(0), |_| {});
    check(Stage7::<4>::new(1), |_| {});
    check(Stage8::<4>::new(), |_| {});
    check(Lanes6::<1>::new(), |_| {});
    check(Lanes6::<4>::new(), |_| {});
    check(Lanes7::<4>::new(), |_| {});
    check(Lanes8::<32>::new(0), |_| {});
    check(Lanes8::<4>::new(1), |_| {});
    check(Stay::<4>::new(), |_| {});
}
