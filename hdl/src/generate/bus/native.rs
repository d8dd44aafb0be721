//! `--bus native`: the core's own fetch and data ports.

use super::Bus;

pub const BUS: Bus = Bus {
    name: "native",
    summary: "the core's own ports: a fetch port per pipe, one data port of T words",
    icache: 0,
    groups: &[
        ("fetch", "instruction memory, one port per pipe: tagged requests, replies in any order"),
        ("data", "data memory: requests for blocks of T words, replies in any order"),
    ],
};
