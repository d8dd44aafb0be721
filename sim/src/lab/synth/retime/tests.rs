//! Made-up netlists do the same in every cycle after registers have moved, and with copies of drivers.
//!
//! Long, because netlists are made up and run here, for all tests.

use super::graph::{Driver, Graph, Net, Signal};
use super::moves::{add, look_up};
use super::*;
use serde_json::{Map, json};
use std::collections::BTreeMap;

const CLOCK: u64 = 2;
const PINS: u64 = 10;

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % count
    }

    fn of(&mut self, bits: &[u64]) -> u64 {
        bits[self.below(bits.len())]
    }

    fn table(&mut self) -> String {
        format!("{:016b}", self.below(1 << 16))
    }
}

/// What is made up so far.
struct Bench {
    cells: Map<String, Value>,
    random: Random,
    bits: u64,
}

impl Bench {
    fn bit(&mut self) -> u64 {
        self.bits += 1;
        self.bits - 1
    }

    fn cell(&mut self, kind: &str, parameters: Value, outs: &[(&str, u64)], ins: &[(&str, Value)]) {
        let (mut directions, mut connections) = (Map::new(), Map::new());
        for (port, bit) in outs {
            directions.insert(port.to_string(), json!("output"));
            connections.insert(port.to_string(), json!([bit]));
        }
        for (port, signal) in ins {
            directions.insert(port.to_string(), json!("input"));
            connections.insert(port.to_string(), json!([signal]));
        }
        let name = format!("made.{}", self.cells.len());
        let cell = json!({
            "hide_name": 0, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": directions, "connections": connections,
        });
        self.cells.insert(name, cell);
    }

    /// One of the bits, or now and then a constant.
    fn some(&mut self, of: &[u64]) -> Value {
        match self.random.below(12) {
            0 => json!("0"),
            1 => json!("1"),
            _ => json!(self.random.of(of)),
        }
    }

    fn table(&mut self, of: &[u64]) -> u64 {
        let (out, init) = (self.bit(), self.random.table());
        let ins = ["A", "B", "C", "D"].map(|port| (port, self.some(of)));
        self.cell("LUT4", json!({ "INIT": init }), &[("Z", out)], &ins);
        out
    }

    /// So many tables in a row, of one input each.
    fn row(&mut self, tables: usize, mut last: u64) -> u64 {
        for _ in 0..tables {
            let (out, ins) = (self.bit(), [("A", json!(last))]);
            self.cell("LUT4", json!({ "INIT": "0101010101010101" }), &[("Z", out)], &ins);
            last = out;
        }
        last
    }

    /// Sums of a chain, and its last carry if `out`.
    fn chain(&mut self, of: &[u64], stages: usize, out: bool) -> Vec<u64> {
        let mut sums = Vec::new();
        let mut carry = self.some(of);
        for stage in 0..stages {
            let ports = ["A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1"];
            let mut ins = ports.map(|port| (port, self.some(of))).to_vec();
            ins.push(("CIN", carry));
            let [first, second, next] = [self.bit(), self.bit(), self.bit()];
            let inject = |random: &mut Random| ["NO", "NO", "YES"][random.below(3)];
            let parameters = json!({
                "INIT0": self.random.table(), "INIT1": self.random.table(),
                "INJECT1_0": inject(&mut self.random), "INJECT1_1": inject(&mut self.random),
            });
            let outs = [("S0", first), ("S1", second), ("COUT", next)];
            self.cell("CCU2C", parameters, &outs, &ins);
            sums.extend([first, second]);
            carry = json!(next);
            // Of a carry in the middle, too, now and then.
            if out && (stage + 1 == stages || self.random.below(2) == 0) {
                sums.push(next);
            }
        }
        sums
    }

    /// A register of one of the classes there are; `kind` is what enables and resets it.
    fn register(&mut self, d: Value, q: u64, kind: (usize, usize), controls: &[u64]) {
        let (enable, reset) = kind;
        let mux = ["1 ", "CE", "INV"][enable];
        let set = ["RESET", "RESET", "SET"][self.random.below(3)];
        let mut parameters = json!({
            "CLKMUX": "CLK", "GSR": "DISABLED", "LSRMUX": "LSR", "CEMUX": mux, "REGSET": set,
        });
        let mut ins = vec![("CLK", json!(CLOCK)), ("DI", d), ("LSR", json!("0"))];
        if enable > 0 {
            ins.push(("CE", json!(controls[enable - 1])));
        }
        if reset > 0 {
            ins[2].1 = json!(controls[2]);
            parameters["SRMODE"] = json!("LSR_OVER_CE");
        }
        self.cell("TRELLIS_FF", parameters, &[("Q", q)], &ins);
    }
}

/// Layers of tables and chains, some of which have registers behind them and more of which
/// have none: paths are of different lengths. A few ways lead back.
fn made(seed: u64) -> Value {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bench = Bench { cells: Map::new(), random, bits: PINS + 12 };
    let pins: Vec<u64> = (PINS..PINS + 12).collect();
    // Enables and resets are registers of their own, but for one that is a pin.
    let mut controls = Vec::new();
    for pin in &pins[..4] {
        let q = bench.bit();
        bench.register(json!(pin), q, (0, 0), &[]);
        controls.push(q);
    }
    controls[2] = pins[4];
    let back: Vec<u64> = (0..4).map(|_| bench.bit()).collect();
    let mut all = back.clone();
    let mut layer: Vec<u64> = pins.iter().copied().chain(back.iter().copied()).collect();
    let kinds = [(0, 0), (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
    for _ in 0..9 {
        // Of one layer registers have one class, mostly.
        let usual = kinds[bench.random.below(kinds.len())];
        let registered = bench.random.below(3) > 0;
        let mut outs: Vec<u64> = (0..10).map(|_| bench.table(&layer)).collect();
        if bench.random.below(2) == 0 {
            let (stages, out) = (1 + bench.random.below(3), bench.random.below(2) == 0);
            outs.extend(bench.chain(&layer, stages, out));
        }
        let mut next = Vec::new();
        for d in outs {
            if registered {
                let other = kinds[bench.random.below(kinds.len())];
                let kind = if bench.random.below(8) == 0 { other } else { usual };
                let q = bench.bit();
                bench.register(json!(d), q, kind, &controls);
                next.push(q);
            } else {
                next.push(d);
            }
        }
        all.extend(&next);
        layer = next;
    }
    // A memory whose address comes from the last layer, and which nobody writes.
    let read = bench.bit();
    let address = json!(bench.random.of(&layer));
    let write = json!(bench.random.of(&layer));
    let ins = [("RAD", address), ("DI", write), ("WCK", json!(CLOCK))];
    bench.cell("TRELLIS_DPR16X4", json!({}), &[("DO", read)], &ins);
    layer.push(read);
    for q in back {
        let d = json!(bench.random.of(&layer));
        bench.register(d, q, (0, 0), &[]);
    }
    let outs: Vec<u64> = (0..12).map(|_| bench.random.of(&all)).chain(layer).collect();
    let ports = json!({
        "clock": { "direction": "input", "bits": [CLOCK] },
        "pins": { "direction": "input", "bits": pins },
        "outs": { "direction": "output", "bits": outs },
    });
    let top = json!({
        "attributes": {}, "ports": ports, "cells": bench.cells, "netnames": {},
    });
    json!({ "modules": { "made": top } })
}

/// A netlist that runs.
struct Simulation {
    graph: Graph,
    outs: Vec<Net>,
    pins: Vec<(u64, Net)>,
    state: BTreeMap<Net, bool>,
}

impl Simulation {
    fn new(json: &Value) -> Simulation {
        let graph = Graph::read(json).unwrap();
        let bits = |port: &str| {
            let bits = json["modules"]["made"]["ports"][port]["bits"].as_array().unwrap().clone();
            bits.into_iter().map(|bit| bit.as_u64().unwrap())
        };
        let outs = bits("outs").map(|bit| graph.bits[&bit]).collect();
        let pins = bits("pins").filter_map(|bit| Some((bit, *graph.bits.get(&bit)?))).collect();
        let registers = graph.registers.iter().flatten();
        let state = registers.map(|register| (register.q, register.set)).collect();
        Simulation { graph, outs, pins, state }
    }

    fn of(&self, signal: Signal, now: &mut BTreeMap<Net, bool>) -> bool {
        match signal {
            Signal::Is(value) => value,
            Signal::On(net) => self.value(net, now),
        }
    }

    fn value(&self, net: Net, now: &mut BTreeMap<Net, bool>) -> bool {
        if let Some(value) = now.get(&net) {
            return *value;
        }
        let value = match self.graph.drivers[net as usize] {
            Driver::Table(table) => {
                let table = self.graph.tables[table as usize].as_ref().unwrap();
                look_up(table.init, table.ins.map(|signal| self.of(signal, now)))
            }
            Driver::Stage(stage) => {
                let stage = &self.graph.stages[stage as usize];
                let ins = stage.ins.map(|ins| ins.map(|signal| self.of(signal, now)));
                let carry = self.of(stage.carry_in, now);
                let (sums, carry) = add(stage, ins, carry);
                match [stage.sums[0], stage.sums[1]].iter().position(|sum| *sum == Some(net)) {
                    Some(bit) => sums[bit],
                    None => carry,
                }
            }
            Driver::Register(_) => self.state[&net],
            Driver::Other => {
                let through = &self.graph.others[&net].through;
                through.iter().fold(true, |odd, (from, _)| odd ^ self.value(*from, now))
            }
        };
        now.insert(net, value);
        value
    }

    /// What is at the outputs in a cycle, and at the memory's input.
    fn step(&mut self, pin: impl Fn(u64) -> bool) -> Vec<bool> {
        let mut now: BTreeMap<_, _> =
            self.pins.iter().map(|(bit, net)| (*net, pin(*bit))).collect();
        let outs = self.outs.iter().map(|net| self.value(*net, &mut now)).collect();
        let mut next = BTreeMap::new();
        for register in self.graph.registers.iter().flatten() {
            let class = &self.graph.classes[register.class as usize];
            let takes = class.enable.is_none_or(|(net, level)| self.value(net, &mut now) == level);
            let resets = class.reset.is_some_and(|net| self.value(net, &mut now));
            let value = match (resets, takes) {
                (true, _) => register.set,
                (false, true) => self.of(register.d, &mut now),
                (false, false) => self.state[&register.q],
            };
            next.insert(register.q, value);
        }
        self.state = next;
        outs
    }
}

/// Two netlists show the same in every cycle, with pins at random.
fn do_the_same(before: &Value, after: &Value, seed: u64) {
    let [mut one, mut other] = [before, after].map(Simulation::new);
    let mut random = Random(seed + 1);
    for cycle in 0..60 {
        let pins = random.below(1 << 20);
        let pin = |bit: u64| pins >> (bit - PINS) & 1 == 1;
        assert_eq!(one.step(pin), other.step(pin), "seed {seed}, cycle {cycle}");
    }
}

#[test]
fn moved_registers_change_nothing() {
    let (mut moved, mut shorter) = (0, 0);
    for seed in 1..=150 {
        let before = made(seed);
        let mut after = before.clone();
        let mut graph = Graph::read(&after).unwrap();
        let longest = Times::new(&graph).unwrap().worst;
        let mut passes = 0;
        for goal in [3000.0, 4500.0, 6000.0] {
            retime_to(&mut graph, goal, &mut |_| passes += 1).unwrap();
        }
        moved += usize::from(passes > 3);
        let worst = Times::new(&graph).unwrap().worst;
        assert!(worst <= longest, "seed {seed}: {longest} became {worst}");
        shorter += usize::from(worst < longest);
        graph.write(&mut after).unwrap();
        do_the_same(&before, &after, seed);
    }
    assert!(moved > 100 && shorter > 30, "{moved} netlists moved, {shorter} became shorter");
}

#[test]
fn copies_of_drivers_change_nothing() {
    for (wide, copies) in [
        (Wide { readers: 5, share: 2, long: 3000.0 }, 60),
        (Wide { readers: 3, share: 9, long: 5000.0 }, 60),
    ] {
        let (mut all, mut shorter) = (0, 0);
        for seed in 1..=60 {
            let before = made(seed);
            let mut after = before.clone();
            let mut graph = Graph::read(&after).unwrap();
            let worst = |graph: &Graph| Times::with(graph, &times::later(graph)).unwrap().worst;
            let longest = worst(&graph);
            all += wide::split(&mut graph, wide).unwrap();
            shorter += usize::from(worst(&graph) < longest);
            graph.write(&mut after).unwrap();
            do_the_same(&before, &after, seed);
        }
        assert!(all > copies && shorter > 5, "{wide:?}: {all} copies, {shorter} became shorter");
    }
}

/// One of a hundred tables that read a register goes on through more; it gets a copy of the
/// register, and only it.
#[test]
fn who_has_no_time_reads_a_copy() {
    let mut bench = Bench { cells: Map::new(), random: Random(1), bits: PINS + 4 };
    let wide = bench.bit();
    bench.register(json!(PINS), wide, (0, 0), &[]);
    let mut ends = Vec::new();
    for tables in [&[1; 99][..], &[7]].concat() {
        let last = bench.row(tables, wide);
        let q = bench.bit();
        bench.register(json!(last), q, (0, 0), &[]);
        ends.push(q);
    }
    let ports = json!({ "outs": { "direction": "output", "bits": ends } });
    let top = json!({ "attributes": {}, "ports": ports, "cells": bench.cells, "netnames": {} });
    let mut graph = Graph::read(&json!({ "modules": { "made": top } })).unwrap();
    let before = graph.readers();
    assert_eq!(wide::split(&mut graph, WIDE).unwrap(), 1);
    let copy = graph.registers.last().unwrap().clone().unwrap();
    assert!(copy.name.ends_with("$wide101"), "{}", copy.name);
    let read = graph.readers();
    assert_eq!((read[copy.q as usize], read[graph.bits[&wide] as usize]), (1, 99));
    assert_eq!(before[graph.bits[&wide] as usize], 100);
    let first = graph.registers[0].clone().unwrap();
    assert_eq!((copy.d, copy.class, copy.set), (first.d, first.class, first.set));
    assert_eq!(wide::split(&mut graph, WIDE).unwrap(), 0);
}

/// A register is the address of a hundred memories, each with more tables behind it: each group
/// of neighbours has one of its own, unless its data is late. (That may come from a copy, too:
/// it is written into others as well.)
#[test]
fn groups_of_neighbours_have_registers_of_their_own() {
    for (tables, written, copies, groups) in [(1, false, 4, 4), (6, false, 0, 1), (7, true, 1, 1)] {
        let mut bench = Bench { cells: Map::new(), random: Random(1), bits: PINS + 4 };
        let (other, early) = (bench.bit(), bench.bit());
        // (The data is the first net that has a number, and is looked at before the register.)
        bench.register(json!(early + tables as u64), other, (0, 0), &[]);
        bench.register(json!(PINS), early, (0, 0), &[]);
        let data = bench.row(tables, early);
        let wide = bench.bit();
        bench.register(json!(data), wide, (0, 0), &[]);
        let mut ends = vec![other];
        for _ in 0..100 {
            let read = bench.bit();
            let write = json!(if written { data } else { PINS });
            let ins = [("RAD", json!(wide)), ("DI", write), ("WCK", json!(CLOCK))];
            bench.cell("TRELLIS_DPR16X4", json!({}), &[("DO", read)], &ins);
            let last = bench.row(6, read);
            let q = bench.bit();
            bench.register(json!(last), q, (0, 0), &[]);
            ends.push(q);
        }
        let ports = json!({ "outs": { "direction": "output", "bits": ends } });
        let top = json!({ "attributes": {}, "ports": ports, "cells": bench.cells, "netnames": {} });
        let mut json = json!({ "modules": { "made": top } });
        let mut graph = Graph::read(&json).unwrap();
        assert_eq!(wide::split(&mut graph, WIDE).unwrap(), copies);
        graph.write(&mut json).unwrap();
        let cells = json["modules"]["made"]["cells"].as_object().unwrap();
        let mut by_address: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for (name, cell) in cells.iter().filter(|(_, cell)| cell["type"] == "TRELLIS_DPR16X4") {
            let bit = cell["connections"]["RAD"][0].as_u64().unwrap();
            by_address.entry(bit).or_default().push(name);
        }
        let mut found: Vec<_> = by_address.into_values().collect();
        found.iter_mut().for_each(|group| group.sort_unstable());
        found.sort_unstable();
        let sizes: Vec<_> = found.iter().map(Vec::len).collect();
        assert_eq!(sizes, vec![100 / groups; groups]);
        assert!(found.windows(2).all(|pair| pair[0].last() < pair[1].first()), "{found:?}");
    }
}

#[test]
fn a_netlist_that_is_fast_enough_stays_as_it_is() {
    let before = made(3);
    let mut after = before.clone();
    let mut graph = Graph::read(&after).unwrap();
    retime_to(&mut graph, 1.0e6, &mut |_| {}).unwrap();
    graph.write(&mut after).unwrap();
    let kinds = |json: &Value| {
        let cells = json["modules"]["made"]["cells"].as_object().unwrap();
        let mut kinds = BTreeMap::new();
        for cell in cells.values() {
            *kinds.entry(cell["type"].to_string()).or_insert(0) += 1;
        }
        kinds
    };
    let (before, after) = (kinds(&before), kinds(&after));
    assert_eq!(before["\"CCU2C\""], after["\"CCU2C\""]);
    assert!(before["\"TRELLIS_FF\""] >= after["\"TRELLIS_FF\""]);
}

/// The longest paths are those to a hundred ends, or that to the thousandth; into a clock enable there is a wire more.
#[test]
fn many_ends_say_how_long_paths_are() {
    let made = |ends: &[(usize, bool)]| {
        let mut bench = Bench { cells: Map::new(), random: Random(1), bits: PINS + 4 };
        for &(tables, enable) in ends {
            let first = bench.bit();
            bench.register(json!(PINS), first, (0, 0), &[]);
            let last = bench.row(tables, first);
            let q = bench.bit();
            let d = if enable { PINS } else { last };
            bench.register(json!(d), q, (0, 0), &[]);
            if enable {
                let name = format!("made.{}", bench.cells.len() - 1);
                bench.cells[&name]["connections"]["CE"] = json!([last]);
                bench.cells[&name]["port_directions"]["CE"] = json!("input");
                bench.cells[&name]["parameters"]["CEMUX"] = json!("CE");
            }
        }
        let top = json!({ "attributes": {}, "ports": {}, "cells": bench.cells, "netnames": {} });
        longest(&json!({ "modules": { "made": top } })).unwrap()
    };
    let of_large = |ends: &[(usize, bool)]| {
        let longest = made(ends);
        assert!(longest.of_large);
        longest.time
    };
    let made = |ends: &[(usize, bool)]| {
        let longest = made(ends);
        assert!(!longest.of_large);
        longest.time
    };
    let path = |tables: usize| 525.0 + 1236.0 * tables as f32;
    assert_eq!(made(&[]), 0.0);
    assert_eq!(made(&[(3, false)]), path(3));
    assert_eq!(made(&[(3, true)]), path(3) + 1151.0);
    let mixed = [vec![(2, false); 60], vec![(8, false); 60], vec![(0, false); 40]].concat();
    assert!((made(&mixed) - 0.6 * path(8) - 0.4 * path(2)).abs() < 1.0);

    // In a large netlist the thousandth does.
    let many = |deep| [vec![(8, false); deep], vec![(2, false); LARGE / 4]].concat();
    assert_eq!(of_large(&many(999)), path(2));
    assert_eq!(of_large(&many(1000)), path(8));
}

/// Eight tables in a row, the first behind two registers that may have different clocks.
fn row(clocks: [u64; 2]) -> Graph {
    let mut bench = Bench { cells: Map::new(), random: Random(1), bits: PINS + 4 };
    let mut reads = Vec::new();
    for (pin, clock) in clocks.into_iter().enumerate() {
        let q = bench.bit();
        bench.register(json!(PINS + pin as u64), q, (0, 0), &[]);
        let name = format!("made.{}", bench.cells.len() - 1);
        bench.cells[&name]["connections"]["CLK"] = json!([clock]);
        reads.push(json!(q));
    }
    // The other clock has a register of its own kind, too.
    let q = bench.bit();
    bench.register(json!(PINS + 2), q, (0, 0), &[]);
    let mut last = Value::Null;
    for _ in 0..8 {
        let out = bench.bit();
        let ins = ["A", "B", "C", "D"].iter().copied().zip(reads.drain(..)).collect::<Vec<_>>();
        bench.cell("LUT4", json!({ "INIT": "1001011001101001" }), &[("Z", out)], &ins);
        last = json!(out);
        reads = vec![last.clone(), json!(q)];
    }
    let end = bench.bit();
    bench.register(last, end, (0, 0), &[]);
    let ports = json!({ "outs": { "direction": "output", "bits": [end] } });
    let top = json!({ "attributes": {}, "ports": ports, "cells": bench.cells, "netnames": {} });
    Graph::read(&json!({ "modules": { "made": top } })).unwrap()
}

#[test]
fn registers_of_two_clocks_do_not_move_together() {
    let first = |graph: &Graph| {
        let mut tables = graph.tables.iter().flatten();
        tables.find(|table| table.name == "made.3").unwrap().ins
    };
    for (clocks, moves) in [([CLOCK, CLOCK], true), ([CLOCK, CLOCK + 1], false)] {
        let mut graph = row(clocks);
        let before = first(&graph);
        retime_to(&mut graph, 6000.0, &mut |_| {}).unwrap();
        assert_eq!(first(&graph) != before, moves, "{clocks:?}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let mut json = made(1);
    let cells = json["modules"]["made"]["cells"].as_object_mut().unwrap();
    let mut cell = cells["made.0"].clone();
    cell["type"] = json!("PLL");
    cells.insert("made.pll".into(), cell);
    assert_eq!(retime(&mut json, &mut |_| {}).unwrap_err(), "a cell PLL: its delays are not known");
    let mut none = json!({});
    assert_eq!(retime(&mut none, &mut |_| {}).unwrap_err(), "yosys wrote no modules");
}
