//! A made-up netlist, scattered over the device.
//!
//! Long, because the netlist with its delays is made here, for all tests of places.

use super::*;
use netlist::Kind;
use netlist::Place;
use paths::Paths;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// Registers of the ring.
const RING: usize = 160;
const ENABLE: u64 = 9001;
const HUB: u64 = 9002;
const CLOCK: u64 = 9003;
const READ: u64 = 9100;
const CARRY: u64 = 9200;

struct Bench {
    cells: serde_json::Map<String, Value>,
    sdf: String,
}

impl Bench {
    /// `ports` are names, nets and, for outputs, `true`; `arcs` are lines of the SDF.
    fn cell(
        &mut self,
        name: &str,
        kind: &str,
        bel: &str,
        parameters: Value,
        ports: &[(&str, u64, bool)],
        arcs: &[&str],
    ) {
        let direction = |out: bool| if out { "output" } else { "input" };
        let directions: BTreeMap<_, _> = ports.iter().map(|p| (p.0, direction(p.2))).collect();
        let connections: BTreeMap<_, _> = ports.iter().map(|p| (p.0, vec![p.1])).collect();
        let value = json!({"type": kind, "parameters": parameters,
            "attributes": {"NEXTPNR_BEL": bel},
            "port_directions": directions, "connections": connections});
        self.cells.insert(name.to_string(), value);
        let name = name.replace('$', "\\$");
        writeln!(self.sdf, "(CELL\n (CELLTYPE \"{kind}\")\n (INSTANCE {name})").unwrap();
        arcs.iter().for_each(|arc| writeln!(self.sdf, "  {arc}").unwrap());
        self.sdf.push_str(" )\n");
    }

    fn text(&self) -> String {
        let ports = self.cells.values().filter_map(|cell| cell["connections"].as_object());
        let bits = ports.flat_map(|ports| ports.values().map(|bits| bits[0].clone()));
        let nets: serde_json::Map<_, _> = bits
            .map(|bit| (format!("net{bit}"), json!({"bits": [bit], "attributes": {}})))
            .collect();
        let settings = json!({"placer": "static", "seed": "1", "target_freq": "100000000.0"});
        let top = json!({"cells": self.cells, "netnames": nets, "settings": settings});
        json!({"modules": {"top": top}}).to_string()
    }

    fn netlist(&self) -> Netlist {
        let value = serde_json::from_str(&self.text()).unwrap();
        Netlist::read(&value, &self.sdf).unwrap()
    }
}

/// A ring of registers, each behind a table of the register before it and of one that all
/// read, and beside it a chain, a small memory and a block of memory.
fn bench() -> Bench {
    let mut b = Bench { cells: Default::default(), sdf: String::new() };
    let table = ["A", "B", "C", "D"].map(|p| format!("(IOPATH {p} F (200:218:236) (200:218:236))"));
    let table: Vec<_> = table.iter().map(String::as_str).collect();
    let register = [
        "(IOPATH (posedge CLK) Q (400:500:525) (400:500:525))",
        "(SETUPHOLD (posedge DI) (posedge CLK) (-9:-9:0) (0:0:0))",
        "(SETUPHOLD (negedge CE) (posedge CLK) (1:2:30) (0:0:0))",
    ];
    for i in 0..RING {
        let (x, y) = (5 + i * 37 % 113, [12, 25, 40, 64, 90][i % 5]);
        let slice = char::from(b'A' + (i % 4) as u8);
        let (q, d) = (2 + i as u64, 1000 + i as u64);
        let before = 2 + ((i + RING - 1) % RING) as u64;
        let mut ports = vec![("DI", d, false), ("CLK", CLOCK, false), ("Q", q, true)];
        if i % 3 == 0 {
            ports.push(("CE", ENABLE, false));
        }
        let bel = format!("X{x}/Y{y}/SLICE{slice}.FF1");
        let set = json!({"SD": "1 ", "CEMUX": if i % 3 == 0 { "CE" } else { "1 " }});
        b.cell(&format!("ring.q{i}"), "TRELLIS_FF", &bel, set, &ports, &register);
        let third = if i % 20 == 7 { READ } else { HUB };
        let ports = [("A", before, false), ("B", HUB, false), ("C", third, false), ("F", d, true)];
        let bel = format!("X{x}/Y{y}/SLICE{slice}.K1");
        let what = json!({"INITVAL": format!("{i:016b}")});
        b.cell(&format!("ring.d{i}"), "TRELLIS_COMB", &bel, what, &ports, &table);
    }
    let bel = "X60/Y50/SLICEA.K0";
    let ports = [("A", 2, false), ("B", CARRY, false), ("F", HUB, true)];
    let either = json!({"INITVAL": "0110011001100110"});
    b.cell("hub", "TRELLIS_COMB", bel, either, &ports, &table);
    let ports = [("M", 3, false), ("CLK", CLOCK, false), ("Q", ENABLE, true)];
    b.cell("enable$x", "TRELLIS_FF", "X100/Y30/SLICEA.FF0", json!({}), &ports, &register);
    for k in 0..12u64 {
        let slice = ["A", "B", "C", "D"][k as usize / 2 % 4];
        let bel = format!("X{}/Y71/SLICE{slice}.K{}", 80 + k / 8, k % 2);
        let mut ports = vec![("A", 10 + k, false), ("FCO", CARRY + 10 + k, true)];
        ports.extend((k > 0).then_some(("FCI", CARRY + 9 + k, false)));
        ports.extend((k == 11).then_some(("F", CARRY, true)));
        let arcs = [
            "(IOPATH A FCO (1:1:447) (1:1:447))",
            "(IOPATH FCI FCO (1:1:71) (1:1:71))",
            "(IOPATH FCI F (1:1:443) (1:1:443))",
        ];
        b.cell(&format!("sum{k:02}"), "TRELLIS_COMB", &bel, json!({"MODE": "CCU2"}), &ports, &arcs);
    }
    let ports = [("A0", 20, false), ("WDO0", 9300, true)];
    let arcs = ["(IOPATH A0 WDO0 (0:0:0) (0:0:0))"];
    b.cell("small$W", "TRELLIS_RAMW", "X30/Y30/SLICEC.RAMW", json!({}), &ports, &arcs);
    for k in 0..6 {
        let slice = ["A", "A", "B", "B", "C", "C"][k];
        let bel = format!("X30/Y30/SLICE{slice}.K{}", k % 2);
        let mode = if k < 4 { "DPRAM" } else { "RAMW_BLOCK" };
        let mut ports = vec![];
        if k < 4 {
            ports.extend([("A", 30, false), ("WD", 9300, false), ("F", 9310 + k as u64, true)]);
        }
        let name = format!("small$C{k}");
        b.cell(&name, "TRELLIS_COMB", &bel, json!({"MODE": mode}), &ports, &table[..1]);
    }
    let ports = [("ADA0", 40, false), ("CLKA", CLOCK, false), ("DOA0", READ, true)];
    let arcs = [
        "(IOPATH CLKA DOA0 (1:1:5609) (1:1:5609))",
        "(SETUPHOLD (posedge ADA0) (posedge CLKA) (1:2:251) (0:0:0))",
    ];
    b.cell("memory", "DP16KD", "X31/Y22/EBR0", json!({}), &ports, &arcs);
    let ports = [("CLKO", CLOCK, true)];
    b.cell("clock", "DCCA", "X67/Y0/TDCC0", json!({}), &ports, &[]);
    b
}

/// Nanoseconds of the longest path, and tiles of wire.
fn measure(netlist: &Netlist) -> (f32, f64) {
    let board = Board::new(netlist).unwrap();
    board.check(netlist).unwrap();
    let mut cost = Cost::new(netlist, &board).unwrap();
    cost.look(&board, 1.0);
    (cost.paths.worst / 1000.0, cost.extents())
}

fn cells(text: &str) -> serde_json::Map<String, Value> {
    let value: Value = serde_json::from_str(text).unwrap();
    value["modules"]["top"]["cells"].as_object().unwrap().clone()
}

/// What a table computes of what drives it: the names, and a bit for all that these can be. What is wired to
/// nothing is either.
fn computes(table: &Value, drivers: &HashMap<u64, String>) -> (Vec<String>, Vec<bool>) {
    let stored = table["parameters"]["INITVAL"].as_str().unwrap();
    let stored = u32::from_str_radix(stored, 2).unwrap();
    let reads = ["A", "B", "C", "D"].map(|port| {
        let bit = table["connections"][port][0].as_u64();
        bit.map(|bit| drivers[&bit].clone())
    });
    let names: BTreeSet<_> = reads.iter().flatten().cloned().collect();
    let names: Vec<_> = names.into_iter().collect();
    let of = |all: usize| {
        let at = |read: &Option<String>| match read {
            Some(name) => names.iter().position(|other| other == name).unwrap(),
            None => names.len(),
        };
        let bits = reads.iter().enumerate().map(|(input, read)| (all >> at(read) & 1) << input);
        stored >> bits.sum::<usize>() & 1 == 1
    };
    let all = (0..2 << names.len()).map(of).collect();
    (names, all)
}

/// The wire to an input of the made-up netlist, at whichever it ends now.
fn wire_to(placing: &Placing, cell: &str, input: &str) -> u32 {
    let is = |wire: &netlist::Wire| {
        placing.netlist.cells[wire.cell as usize].name == cell
            && wire.was.as_ref().unwrap_or(&wire.port) == input
    };
    placing.netlist.wires.iter().position(is).unwrap() as u32
}

/// What does something with a placement that has just been read.
fn moving(seed: u64, act: impl FnOnce(&Netlist, &mut Annealing)) {
    let netlist = bench().netlist();
    let mut board = Board::new(&netlist).unwrap();
    let mut cost = Cost::new(&netlist, &board).unwrap();
    let mut random = Random::new(seed);
    act(&netlist, &mut Annealing::new(&netlist, &mut board, &mut cost, &mut random));
}

/// A placement with copies.
fn improve(bench: &Bench, seed: u64) -> Placing {
    let mut placing = Placing::anneal(&bench.text(), &bench.sdf, seed, &mut |_| ()).unwrap();
    placing.copy(&mut |_| ()).unwrap();
    placing
}

#[test]
fn places_get_better_and_the_netlist_stays_what_it_was() {
    let mut bench = bench();
    // The longest paths lead from memory through what all read: a copy of that makes them shorter.
    bench.cells["hub"]["connections"]["C"] = json!([READ]);
    bench.cells["hub"]["port_directions"]["C"] = "input".into();
    let text = bench.text();
    let old = Netlist::read(&serde_json::from_str(&text).unwrap(), &bench.sdf).unwrap();
    assert_eq!((old.chains.len(), old.chains[0].len()), (1, 12));
    let before = measure(&old);
    let mut rounds = 0;
    let goal = |_, _| 1000.0;
    let mut run = |seed| {
        let mut tell = |_: &str| rounds += 1;
        let mut placing = Placing::anneal(&text, &bench.sdf, seed, &mut tell).unwrap();
        placing.copy_to(goal, &mut tell).unwrap();
        placing.whole().unwrap().to_string()
    };
    let better = run(1);
    assert!(better.contains("$copy"), "nothing was worth a copy");
    assert!(rounds > 20, "{rounds}");
    // Delays of copies are not in the file: those of the old cells are what is compared.
    let mut value: Value = serde_json::from_str(&better).unwrap();
    let settings = json!({"placer": "sa", "seed": "1"});
    assert_eq!(value["modules"]["top"]["settings"], settings);
    let all = value["modules"]["top"]["cells"].as_object_mut().unwrap();
    let pairs: Vec<_> = (0..6).map(|k| all.remove(&format!("sum{:02}$pair", 2 * k))).collect();
    let new = Netlist::read(&value, &bench.sdf).unwrap();
    let after = measure(&new);
    assert!(after.0 < 0.8 * before.0 && after.1 < 0.5 * before.1, "{before:?} {after:?}");

    let (was, mut now) = (cells(&text), cells(&value.to_string()));
    // The chain is in stages of two, each tied together by what has no other use.
    for (k, pair) in pairs.into_iter().enumerate() {
        let pair = pair.expect("no register of the ring is in the way");
        for (port, half) in [("BLUT", 2 * k), ("ALUT", 2 * k + 1)] {
            let sum = &mut now[&format!("sum{half:02}")]["connections"];
            assert_eq!(pair["connections"][port], sum["F"], "{port} of {k}");
            if half < 11 {
                sum.as_object_mut().unwrap().remove("F").unwrap();
            }
        }
        assert_eq!(pair["connections"]["Z"], json!([]));
    }
    let origin = |name: &str| name.split("$copy").next().unwrap().to_string();
    let drivers = |cells: &serde_json::Map<String, Value>| {
        let mut drivers = HashMap::new();
        for (name, cell) in cells {
            for (port, bits) in cell["connections"].as_object().unwrap() {
                if cell["port_directions"][port] == "output" {
                    assert!(drivers.insert(bits[0].as_u64().unwrap(), origin(name)).is_none());
                }
            }
        }
        drivers
    };
    let (old_drivers, new_drivers) = (drivers(&was), drivers(&now));
    let (mut places, mut permuted) = (BTreeSet::new(), 0);
    for (name, cell) in &now {
        let old = &was[&origin(name)];
        assert!(places.insert(cell["attributes"]["NEXTPNR_BEL"].to_string()), "{name}");
        assert_eq!(cell["type"], old["type"]);
        if old["parameters"]["INITVAL"].is_string() {
            // In whatever order it has its inputs it computes the same.
            let now = computes(cell, &new_drivers);
            assert_eq!(now, computes(old, &old_drivers), "{name}");
            permuted += usize::from(cell["parameters"] != old["parameters"]);
            continue;
        }
        let moved = name.contains("$copy") && old["connections"]["DI"].is_array();
        assert_eq!(moved, cell["parameters"]["SD"] != old["parameters"]["SD"], "{name}");
        for (port, bits) in old["connections"].as_object().unwrap() {
            let port = if moved && port == "DI" { "M" } else { port };
            let of = |bits: &Value, drivers: &HashMap<u64, String>| {
                drivers.get(&bits[0].as_u64().unwrap()).cloned()
            };
            let (a, b) = (of(bits, &old_drivers), of(&cell["connections"][port], &new_drivers));
            assert!(a == b && !cell["connections"][port].is_null(), "{name} {port}");
        }
    }
    assert!(permuted > 20, "{permuted}");
    // Blocks go where there are blocks, and a copy is never read by what shares a way in.
    assert!(now["memory"]["attributes"]["NEXTPNR_BEL"].as_str().unwrap().contains("/EBR"));
    let enables: BTreeSet<_> =
        now.values().map(|cell| cell["connections"]["CE"].to_string()).collect();
    assert_eq!(enables.len(), 2, "{enables:?}");
}

#[test]
fn the_longest_path_becomes_shorter_even_without_annealing() {
    let bench = bench();
    let mut netlist = bench.netlist();
    let mut board = Board::new(&netlist).unwrap();
    let mut cost = Cost::new(&netlist, &board).unwrap();
    cost.look(&board, 1.0);
    let before = cost.paths.worst;
    let mut random = Random::new(1);
    let after =
        Annealing::new(&netlist, &mut board, &mut cost, &mut random).shorten(false, &mut |_| ());
    assert!(after < 0.8 * before, "{before} became {after}");
    // The board is as it was when that was so, and inputs are.
    board.check(&netlist).unwrap();
    cost.leave_inputs(&mut netlist);
    let mut cost = Cost::new(&netlist, &board).unwrap();
    cost.look(&board, 1.0);
    assert_eq!(cost.paths.worst, after);
}

#[test]
fn where_all_wires_are_routed_only_what_is_late_leaves_its_place() {
    let bench = bench();
    let netlist = bench.netlist();
    let shorten = |routed| {
        let mut board = Board::new(&netlist).unwrap();
        let mut cost = Cost::new(&netlist, &board).unwrap();
        cost.look(&board, 1.0);
        let before = (cost.paths.worst, board.at.clone());
        let mut random = Random::new(1);
        let mut annealing = Annealing::new(&netlist, &mut board, &mut cost, &mut random);
        let after = annealing.shorten(routed, &mut |_| ());
        board.check(&netlist).unwrap();
        let moved = board.at.iter().zip(&before.1).filter(|(now, then)| now != then).count();
        assert!(after < 0.9 * before.0, "{} became {after}", before.0);
        moved
    };
    let (few, all) = (shorten(true), shorten(false));
    assert!(0 < few && 4 * few < 3 * all, "{few} of {all}");
}

#[test]
fn no_path_becomes_much_longer_however_hot_it_is() {
    moving(1, |_, annealing| {
        let (mut first, mut stayed) = (None, 0);
        for _ in 0..3000 {
            annealing.look();
            let worst = annealing.cost.paths.worst;
            // (Of a move of many cells the path it makes is not known so well.)
            let first = *first.get_or_insert(worst);
            assert!(worst < 1.2 * first, "{first} became {worst}");
            // So hot that no cost is too high.
            stayed += usize::from(annealing.step(1e30, 60) == Some(true));
        }
        assert!(stayed > 500, "{stayed}");
    });
}

#[test]
fn a_seed_is_a_placement() {
    let bench = bench();
    let run = |seed| improve(&bench, seed).whole().unwrap().to_string();
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}

#[test]
fn a_small_design_promises_nothing() {
    let bench = bench();
    let mut rounds = 0;
    let promise = promise(&bench.text(), &bench.sdf, 1, &mut |_| rounds += 1).unwrap();
    assert_eq!((promise, rounds), (None, 0));
}

#[test]
fn neighbours_on_a_path_go_as_far_as_each_other() {
    moving(4, |netlist, annealing| {
        annealing.cost.look_at_longest(annealing.board, f32::INFINITY);
        let (mut together, mut refused) = (0, 0);
        for turn in 0..2000 {
            let cell = annealing.board.movable[turn % annealing.board.movable.len()];
            let old = annealing.board.at.clone();
            if annealing.run_of(cell, 20).is_none() {
                assert_eq!(annealing.board.at, old);
                refused += 1;
                continue;
            }
            annealing.board.check(netlist).unwrap();
            let shift = |cell: u32| {
                let (now, was) = (annealing.board.at[cell as usize], old[cell as usize]);
                (now.x - was.x, now.y - was.y)
            };
            let wires = [annealing.cost.ins.of(cell), annealing.cost.outs.of(cell)].concat();
            let ends = wires.iter().map(|wire| annealing.cost.ends(*wire));
            let mut beside = ends.map(|(from, to)| if from == cell { to } else { from });
            together += usize::from(beside.any(|other| shift(other) == shift(cell)));
            annealing.board.restore(&annealing.before);
            assert_eq!(annealing.board.at, old);
            annealing.board.check(netlist).unwrap();
        }
        assert!(together > 200 && refused > 20, "{together} {refused}");
    });
}

#[test]
fn wire_is_taken_back_and_no_path_becomes_longer() {
    let bench = bench();
    let mut placing = improve(&bench, 1);
    let (longest, extents) = measure(&placing.netlist);
    let Placing { netlist, random, .. } = &mut placing;
    let mut act = |act: &dyn Fn(&mut Annealing)| {
        let mut board = Board::new(netlist).unwrap();
        let mut cost = Cost::new(netlist, &board).unwrap();
        act(&mut Annealing::new(netlist, &mut board, &mut cost, random));
        board.leave(netlist);
        cost.leave_inputs(netlist);
        measure(netlist)
    };
    // Some are where they need not be.
    let before = act(&|annealing| {
        annealing.look();
        for _ in 0..2000 {
            annealing.step(1e30, 10);
        }
    });
    let after = act(&|annealing| annealing.squeeze(&mut |_| ()));
    assert!(before.1 > 1.1 * extents, "{extents} {before:?} of {longest}");
    assert!(after.0 <= 1.005 * before.0 && after.1 < 0.9 * before.1, "{before:?} {after:?}");
}

#[test]
fn a_block_on_the_longest_path_comes_nearer() {
    let mut bench = bench();
    bench.cells["memory"]["attributes"]["NEXTPNR_BEL"] = "X120/Y82/EBR3".into();
    // It leads through what all read, and the chain does not.
    bench.cells["hub"]["connections"]["B"] = json!([READ]);
    let netlist = bench.netlist();
    let before = measure(&netlist).0;
    let (mut board, mut random) = (Board::new(&netlist).unwrap(), Random::new(1));
    let mut cost = Cost::new(&netlist, &board).unwrap();
    let memory = netlist.cells.iter().position(|cell| cell.name == "memory").unwrap();
    let mut annealing = Annealing::new(&netlist, &mut board, &mut cost, &mut random);
    annealing.cost.look_at_longest(annealing.board, f32::INFINITY);
    assert!(annealing.cost.hot_blocks.contains(&(memory as u32)));
    annealing.shorten(false, &mut |_| ());
    assert_ne!(board.at[memory], netlist.cells[memory].at);
    assert!(cost.paths.worst / 1000.0 < 0.8 * before, "{before}");
}

#[test]
fn ends_are_counted_from_the_longest_path_on() {
    let bench = bench();
    let netlist = bench.netlist();
    let board = Board::new(&netlist).unwrap();
    let mut cost = Cost::new(&netlist, &board).unwrap();
    cost.look(&board, 1.0);
    let end = |which| cost.paths.to_end(&netlist, &cost.delay, which);
    assert_eq!(end(1), cost.paths.worst);
    let count = netlist.wires.iter().filter(|wire| wire.setup.is_some()).count();
    let ends: Vec<f32> = (1..=count).map(end).collect();
    assert!(ends.is_sorted_by(|a, b| a >= b) && ends[count / 2] < ends[0], "{ends:?}");
    // There are no more.
    assert_eq!(ends[count - 1], end(count + 1));
}

#[test]
fn a_round_is_where_a_probe_ends() {
    moving(1, |netlist, annealing| {
        let mut rounds = 0;
        let best = annealing.run(START, 3, &mut |_| rounds += 1);
        assert_eq!(rounds, 3);
        let now = annealing.cost.paths.to_end(netlist, &annealing.cost.delay, 100);
        assert!(0.0 < best && best <= now, "{best} {now}");
        annealing.board.check(netlist).unwrap();
    });
}

#[test]
fn a_placement_that_is_taken_up_again_goes_on_as_it_would_have() {
    let bench = bench();
    let text = bench.text();
    let on = |mut placing: Placing| {
        placing.copy_to(|_, _| 1000.0, &mut |_| ()).unwrap();
        placing.whole().unwrap().to_string()
    };
    let annealed = || Placing::anneal(&text, &bench.sdf, 1, &mut |_| ()).unwrap();
    let first = on(annealed());
    assert_eq!(on(Placing::again(&text, &annealed().kept()).unwrap()), first);
    // With what wires came to.
    let mut placing = annealed();
    let wire = wire_to(&placing, "ring.d10", "A");
    let came_to = placing.came_to(&[(wire, 30_000.0)]).unwrap();
    let mut again = Placing::again(&text, &placing.kept()).unwrap();
    assert_eq!(again.came_to(&[]).unwrap(), came_to);
    let error = |json, kept| Placing::again(json, kept).unwrap_err();
    assert!(error(&text, "{}").starts_with("not a placement that was kept: "));
    assert!(error("{", &placing.kept()).starts_with("nextpnr wrote no JSON: "));
}

#[test]
fn a_wire_that_was_measured_is_thought_to_take_more_elsewhere() {
    let bench = bench();
    let netlist = bench.netlist();
    let place = |x| Place { x, y: 20, lane: 0 };
    let wire = netlist.wires.iter().position(|wire| wire.port == "B").unwrap() as u32;
    let ends = [
        netlist.nets[netlist.wires[wire as usize].net as usize].driver,
        netlist.wires[wire as usize].cell,
    ];
    let at = ends.map(|end| netlist.cells[end as usize].at);
    let mut measured = Measured::default();
    assert_eq!(measured.of(wire, at, 1, 700.0), 700.0);
    measured.add(&netlist, &[(wire, 900.0)]);
    assert_eq!(measured.of(wire, at, 1, 700.0), 900.0);
    for (at, input) in [(at, 2), ([at[0], place(3)], 1), ([place(3), at[1]], 1)] {
        let more = measured.of(wire, at, input, 700.0);
        assert!((750.0..900.0).contains(&more), "{more}");
    }
    // Of others nothing is known.
    assert_eq!(measured.of(wire + 1, at, 1, 700.0), 700.0);
}

#[test]
fn what_comes_last_enters_where_it_is_fastest() {
    let order = |now: &[f32], then: &[f32]| inputs::order(now, then);
    // The last two by C and D, whatever the others have.
    assert_eq!(order(&[5000.0; 4], &[4000.0, 1000.0, 4500.0, 500.0]), Some(vec![2, 1, 3, 0]));
    assert_eq!(order(&[5000.0; 2], &[4500.0, 4000.0]), Some(vec![3, 2]));
    assert_eq!(order(&[3000.0], &[2800.0]), Some(vec![3]));
    // It is there already, or nothing is gained.
    assert_eq!(order(&[4280.0, 4000.0], &[4500.0, 4000.0]), None);
    assert_eq!(order(&[4720.0, 4700.0], &[4500.0, 4920.0]), None);
    let all: Vec<_> = (0..4).map(|number| inputs::number(inputs::name(number))).collect();
    assert_eq!((all, inputs::number("M")), (vec![0, 1, 2, 3], inputs::NONE));
}

#[test]
fn what_a_wire_came_to_counts_until_its_ends_move() {
    let bench = bench();
    let mut placing = improve(&bench, 1);
    let thought = placing.came_to(&[]).unwrap();
    let mut slow = |cell: &str, input: &str| {
        let wire = wire_to(&placing, cell, input);
        placing.came_to(&[(wire, 30_000.0)]).unwrap()
    };
    // What is within a logic cell takes the same time whatever is said.
    assert_eq!(slow("ring.q10", "DI"), thought);
    let after = slow("ring.d10", "A");
    assert!((30_000.0..30_000.0 + thought).contains(&after), "{after} {thought}");
    placing.shorten(&mut |_| ()).unwrap();
    let now = placing.came_to(&[]).unwrap();
    assert!(now < 1.2 * thought, "{now} {thought}");
    // Into a chain, too, whose inputs stay what they are.
    let wire = wire_to(&placing, "sum05", "A");
    let chain = placing.came_to(&[(wire, 30_000.0)]).unwrap();
    assert!((30_000.0..30_000.0 + thought).contains(&chain), "{chain} {thought}");
}

#[test]
fn a_copy_takes_over_wires_and_what_it_reads() {
    let bench = bench();
    let mut value: Value = serde_json::from_str(&bench.text()).unwrap();
    let mut netlist = Netlist::read(&value, &bench.sdf).unwrap();
    let cell = netlist.cells.iter().position(|cell| cell.name == "ring.q5").unwrap();
    let net = netlist.cells[cell].outs[0];
    let mut board = Board::new(&netlist).unwrap();
    let at = board.vacancy(cell as u32, netlist.cells[cell].at).unwrap();
    assert_ne!(at, netlist.cells[cell].at);
    let wires = netlist.nets[net as usize].wires.clone();
    netlist.copy(net, &wires[..1], at);
    let last = netlist.cells.last().unwrap();
    assert_eq!(last.kind, Kind::Register);
    // The way from its table is a wire of its own, no longer that within a logic cell.
    let setup = |cell: &netlist::Cell, port: &str| {
        let wires = cell.wires.iter().map(|wire| &netlist.wires[*wire as usize]);
        wires.filter(|wire| wire.port == port).map(|wire| wire.setup.unwrap()).sum::<f32>()
    };
    let within = setup(&netlist.cells[cell], "DI") - setup(last, "M");
    assert_eq!((within, setup(last, "M")), (WITHIN, 0.0));
    netlist.write(&mut value).unwrap();
    let now = cells(&value.to_string());
    let copy = &now["ring.q5$copy0"];
    assert_eq!(copy["connections"]["M"], now["ring.q5"]["connections"]["DI"]);
    let reads = |cell: &Value, bit: &Value| {
        let mut all = cell["connections"].as_object().unwrap().values();
        all.any(|bits| bits == bit)
    };
    let readers = |bit: &Value| now.values().filter(|cell| reads(cell, bit)).count() - 1;
    let q = [copy, &now["ring.q5"]].map(|cell| readers(&cell["connections"]["Q"]));
    assert_eq!(q, [1, wires.len() - 1]);
}

#[test]
fn what_is_no_placement_is_one_line() {
    let bench = bench();
    let text = bench.text();
    let error = |json: &str, sdf: &str| Placing::anneal(json, sdf, 1, &mut |_| ()).unwrap_err();
    assert!(error("{", &bench.sdf).contains("nextpnr wrote no JSON"));
    assert!(error("{}", &bench.sdf).contains("no modules"));
    assert!(error(&text, "").contains("nextpnr wrote no delays"));
    assert!(error(&text.replace("X60/Y50/SLICEA.K0", "X60"), &bench.sdf).contains("hub no place"));
    assert!(error(&text, &bench.sdf.replace(":525)", ":x)")).contains("no delay in"));
    // Two registers of a slice with different enables.
    let together = text.replace("X100/Y30/SLICEA.FF0", "X5/Y12/SLICEA.FF0");
    assert!(error(&together, &bench.sdf).contains("has an illegal place"));
}

#[test]
fn a_register_of_its_own_is_not_put_behind_the_multiplexer_of_a_stage() {
    let bench = bench();
    let text = bench.text().replace("X100/Y30/SLICEA.FF0", "X80/Y71/SLICEA.FF0");
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let netlist = Netlist::read(&value, &bench.sdf).unwrap();
    let board = Board::new(&netlist).unwrap();
    let number = |name| netlist.cells.iter().position(|cell| cell.name == name).unwrap();
    let (register, chain) = (number("enable$x"), number("sum08"));
    let mut steps = Vec::new();
    for (lane, may) in [(0, false), (1, true)] {
        let to = Place { lane, ..board.at[chain] };
        assert_eq!(board.exchange(register as u32, to, &mut steps), may, "{lane}");
    }
    netlist.write(&mut value).unwrap();
    let now = cells(&value.to_string());
    assert!(!now.contains_key("sum00$pair") && now.contains_key("sum02$pair"));
}

#[test]
fn a_cell_and_what_it_reads_go_together() {
    moving(3, |netlist, annealing| {
        let (mut along, mut alone, mut refused) = (0, 0, 0);
        for turn in 0..2000 {
            let cell = annealing.board.movable[turn % annealing.board.movable.len()];
            let old = annealing.board.at.clone();
            if annealing.group(cell, 20).is_none() {
                assert_eq!(annealing.board.at, old);
                refused += 1;
                continue;
            }
            annealing.board.check(netlist).unwrap();
            let now = |cell: u32| annealing.board.at[cell as usize];
            assert_ne!(now(cell), old[cell as usize]);
            let beside = |from: &u32| {
                let (a, b) = (now(*from), now(cell));
                a != old[*from as usize] && (a.x - b.x).abs() <= 2 && (a.y - b.y).abs() <= 2
            };
            let sources =
                annealing.cost.ins.of(cell).iter().map(|wire| annealing.cost.ends(*wire).0);
            let sources: Vec<_> = sources.collect();
            // What it alone reads is there in any case.
            let of_it = |from: &&u32| {
                annealing.cost.outs.of(**from).len() == 1 && annealing.board.is_movable(**from)
            };
            assert!(sources.iter().filter(of_it).all(beside));
            match sources.iter().any(beside) {
                true => along += 1,
                false => alone += 1,
            }
            if turn % 2 == 0 {
                annealing.board.restore(&annealing.before);
                assert_eq!(annealing.board.at, old);
                annealing.board.check(netlist).unwrap();
            }
        }
        assert!(along > 200 && along > alone && refused > 20, "{along} {alone} {refused}");
    });
}

#[test]
fn the_longest_path_through_a_wire_is_known_before_its_cell_moves() {
    let bench = bench();
    let netlist = bench.netlist();
    let before: Vec<f32> =
        (0..netlist.wires.len()).map(|wire| (wire * 7 % 40 * 50) as f32).collect();
    let mut paths = Paths::new(&netlist).unwrap();
    paths.update(&before);
    let mut seen = 0;
    // No path goes through a table twice.
    let tables = netlist.cells.iter().enumerate().filter(|(_, cell)| cell.kind == Kind::Table);
    for (number, cell) in tables {
        let outs = cell.outs.iter().flat_map(|net| &netlist.nets[*net as usize].wires);
        let wires: Vec<u32> = cell.wires.iter().chain(outs).copied().collect();
        let mut delays = before.clone();
        for wire in &wires {
            delays[*wire as usize] = ((*wire as usize * 11 + number) % 30 * 70) as f32;
        }
        let mut moved = Paths::new(&netlist).unwrap();
        moved.update(&delays);
        for wire in wires {
            let known = paths.with(wire, |wire| delays[wire as usize], false);
            let came = moved.through[wire as usize];
            let same = (known - came).abs() < 1.0 || known.max(came) < 0.0;
            assert!(same, "{known} came to {came}");
            seen += usize::from(came > 0.0);
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn paths_are_known_on_both_sides_of_a_chain_before_it_moves() {
    let bench = bench();
    let netlist = bench.netlist();
    let wires = |cell: &u32| {
        let cell = &netlist.cells[*cell as usize];
        let outs = cell.outs.iter().flat_map(|net| &netlist.nets[*net as usize].wires);
        cell.wires.iter().chain(outs).copied().collect::<Vec<_>>()
    };
    let outer = |wire: &u32| !netlist.wires[*wire as usize].inner;
    let wires: Vec<u32> = netlist.chains[0].iter().flat_map(wires).filter(outer).collect();
    let (mut paths, mut moved) = (Paths::new(&netlist).unwrap(), Paths::new(&netlist).unwrap());
    let (before, mut delays) = (vec![500.0; netlist.wires.len()], vec![500.0; netlist.wires.len()]);
    // It goes away from what it reads and towards what reads it.
    for wire in &wires {
        let reads = netlist.chains[0].contains(&netlist.wires[*wire as usize].cell);
        delays[*wire as usize] = if reads { 700.0 } else { 100.0 };
    }
    paths.update(&before);
    moved.update(&delays);
    assert_eq!(wires.len(), 12 + 1);
    // What the last one reads leads nowhere.
    let wires: Vec<u32> =
        wires.into_iter().filter(|wire| moved.through[*wire as usize] > 0.0).collect();
    assert_eq!(wires.len(), 11 + 1);
    for wire in wires {
        let known = |chains| paths.with(wire, |wire| delays[wire as usize], chains);
        let came = moved.through[wire as usize];
        assert!((known(true) - came).abs() < 1.0, "{} came to {came}", known(true));
        // What is known only as far as the chain is the old path, longer or shorter by its own wire.
        let more = known(false) - came;
        assert!((more.abs() - if more > 0.0 { 400.0 } else { 200.0 }).abs() < 1.0, "{more}");
    }
}

#[test]
fn multipliers_that_share_operands_come_together_in_one_row() {
    let mut bench = bench();
    let product = ["(IOPATH A0 P0 (1:1:3927) (1:1:3927))"];
    // Of two families one is in two rows, and the other has the place beside it.
    let places = [("a0", "X40/Y34/MULT18_0", [50, 51]), ("a1", "X41/Y34/MULT18_1", [51, 52])];
    let more = [("a2", "X44/Y58/MULT18_4", [52, 53]), ("b0", "X44/Y34/MULT18_4", [60, 61])];
    let last = [("b1", "X45/Y34/MULT18_5", [61, 62])];
    for (number, (name, bel, [a, b])) in (9400..).zip(places.into_iter().chain(more).chain(last)) {
        let ports = [("A0", a, false), ("B0", b, false), ("P0", number, true)];
        bench.cell(name, "MULT18X18D", bel, json!({}), &ports, &product);
    }
    let netlist = bench.netlist();
    let mut board = Board::new(&netlist).unwrap();
    let families = families::Families::new(&netlist, &board);
    let free = board.vacant[1].len();
    assert_eq!(families.rejoin(&mut board), 1);
    assert_eq!(families.rejoin(&mut board), 0);
    let at = |board: &Board, name: &str| {
        let cell = netlist.cells.iter().position(|cell| cell.name == name).unwrap();
        (board.at[cell].x, board.at[cell].y, board.sites[cell].clone())
    };
    for (name, bel, _) in places.into_iter().chain(last) {
        let (x, y, site) = at(&board, name);
        assert_eq!(format!("X{x}/Y{y}/{site}"), bel, "{name} has moved");
    }
    // The nearest free place of the row; that which was left is free.
    assert_eq!(at(&board, "a2"), (36, 34, "MULT18_5".into()));
    let left = (Place { x: 44, y: 58, lane: 0 }, "MULT18_4".to_string());
    assert!(board.vacant[1].contains(&left) && board.vacant[1].len() == free);
}

#[test]
fn others_make_room_for_a_chain_and_for_a_memory() {
    let bench = bench();
    let netlist = bench.netlist();
    let first = Board::new(&netlist).unwrap();
    let mut board = first.clone();
    let mut random = Random::new(7);
    let (mut before, mut evicted, mut stayed) = (Vec::new(), 0, 0);
    for turn in 0..400 {
        let chain = turn % 2 == 0;
        let from = match chain {
            true => board.range(&netlist.chains[0]),
            false => {
                let tile = board::tile(board.at[board.memories[0] as usize]);
                tile..tile + 1
            }
        };
        // Where the ring is, and now and then the other one.
        let near = board.movable[random.below(board.movable.len())];
        let to = board::tile(board.at[near as usize]);
        let starts = [from.start, to];
        let old = board.at.clone();
        if !board.insert_rows(&netlist.chains, starts, from.len(), &mut before) {
            assert_eq!(board.at, old);
            board.check(&netlist).unwrap();
            continue;
        }
        board.check(&netlist).unwrap();
        // (What is in the tiles that move goes along with them.)
        let gone = before.iter().filter(|step| !from.contains(&board::tile(step.to)));
        for step in gone.clone() {
            let (now, was) = (board.at[step.cell as usize], step.to);
            assert!((now.x - was.x).abs().max((now.y - was.y).abs()) <= 7, "{was:?} {now:?}");
        }
        evicted += gone.count();
        if turn % 3 == 0 {
            board.restore(&before);
            assert_eq!(board.at, old);
        } else {
            board.exchanged(starts, from.len());
            stayed += 1;
        }
        board.check(&netlist).unwrap();
    }
    assert!(evicted > 50 && stayed > 50, "{evicted} {stayed}");
    assert_ne!(board.at, first.at);
}
