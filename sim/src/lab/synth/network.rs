//! The network of the clock, for more than the clock: in large designs the enables, and the reset, that
//! most registers have go by it, and take no wire from anything else.
//!
//! Such a net begins at a buffer at the edge of the device and is in every tile, as one of sixteen lines of which some lead
//! to enables and some to resets. nextpnr has lines 0 to 7 for nets of that kind, which only lead to either by
//! way of other wires; so `wires` leads them by lines of our choice. What a line takes is in no
//! database: nextpnr counts nothing, `place` counts [`DELAY`].

use super::retime;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A design is large from so many tables and registers on.
const LARGE: usize = 50_000;
/// Registers at least that have a net in common.
const MANY: usize = 500;
/// Lines that lead to a port of registers, and to no other that has any here. (nextpnr gives the clock, and
/// each of these again, one of the lines before: there may be seven.)
const LINES: [(&str, &[usize]); 2] = [("CE", &[9, 10, 11, 12, 13, 14]), ("LSR", &[8])];
/// Picoseconds from the buffer to the registers.
pub const DELAY: f32 = 2200.0;

/// What the name of a buffer begins with, and what follows.
const BUFFER: &str = "network_";

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{LARGE} {MANY} {LINES:?} {DELAY}")
}

/// The line of a buffer, by its name.
pub fn line(buffer: &str) -> Option<usize> {
    buffer.strip_prefix(BUFFER)?.parse().ok()
}

/// Nets that lead to such a port of most registers, most first, and to how many.
fn widest(cells: &Map<String, Value>, port: &str, many: usize) -> Vec<(u64, usize)> {
    let (mut drivers, mut readers) = (HashMap::new(), HashMap::<u64, usize>::new());
    for cell in cells.values() {
        let is_register = cell["type"] == "TRELLIS_FF";
        for output in ["Q", "Z"] {
            if let Some(bit) = cell["connections"][output][0].as_u64() {
                drivers.insert(bit, cell);
            }
        }
        if let (true, Some(bit)) = (is_register, cell["connections"][port][0].as_u64()) {
            *readers.entry(bit).or_default() += 1;
        }
    }
    let is_register = |bit: u64| drivers.get(&bit).is_some_and(|cell| cell["type"] == "TRELLIS_FF");
    // There is time for a table at most.
    let is_early = |bit: u64| {
        is_register(bit)
            || drivers.get(&bit).is_some_and(|cell| {
                let inputs = ["A", "B", "C", "D"].map(|input| &cell["connections"][input][0]);
                cell["type"] == "LUT4"
                    && inputs.iter().all(|bit| bit.as_u64().is_none_or(is_register))
            })
    };
    let mut widest: Vec<_> =
        readers.into_iter().filter(|(bit, readers)| *readers >= many && is_early(*bit)).collect();
    widest.sort_by_key(|(bit, readers)| (usize::MAX - readers, *bit));
    widest
}

/// Puts buffers into a large design of Yosys'; to how many registers they lead.
pub fn promote(netlist: &mut Value) -> Result<usize, String> {
    promote_of(netlist, LARGE, MANY)
}

/// Of one with so many tables and registers, where so many have it in common.
pub fn promote_of(netlist: &mut Value, large: usize, many: usize) -> Result<usize, String> {
    let name = retime::top(netlist)?.to_string();
    let top = &mut netlist["modules"][name];
    let cells = top["cells"].as_object().ok_or("yosys wrote no cells")?;
    let is_logic = |cell: &&Value| cell["type"] == "LUT4" || cell["type"] == "TRELLIS_FF";
    if cells.values().filter(is_logic).count() < large {
        return Ok(0);
    }
    let bits = cells.values().filter_map(|cell| cell["connections"].as_object());
    let bits = bits.flat_map(|ports| ports.values()).filter_map(Value::as_array).flatten();
    let mut last = bits.filter_map(Value::as_u64).max().unwrap_or(0);
    let mut sum = 0;
    for (port, lines) in LINES {
        let cells = top["cells"].as_object_mut().expect("it was one");
        let mut lead = HashMap::new();
        for ((bit, readers), line) in widest(cells, port, many).into_iter().zip(lines) {
            last += 1;
            lead.insert(bit, last);
            sum += readers;
            let buffer = json!({
                "hide_name": 0,
                "type": "DCCA",
                "parameters": {},
                "attributes": {},
                "port_directions": {"CLKI": "input", "CLKO": "output"},
                "connections": {"CLKI": [bit], "CLKO": [last]},
            });
            cells.insert(format!("{BUFFER}{line}"), buffer);
        }
        for cell in cells.values_mut().filter(|cell| cell["type"] == "TRELLIS_FF") {
            if let Some(to) = cell["connections"][port][0].as_u64().and_then(|bit| lead.get(&bit)) {
                cell["connections"][port] = json!([to]);
            }
        }
        for (line, bit) in lines.iter().zip(last + 1 - lead.len() as u64..=last) {
            let net = json!({"hide_name": 0, "bits": [bit], "attributes": {}});
            top["netnames"][format!("{BUFFER}{line}$net")] = net;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells by name: registers with this enable, each with a table before it.
    fn design(enables: &[(u64, usize)]) -> Value {
        let mut cells = Map::new();
        let cell = |kind, connections| json!({"type": kind, "connections": connections});
        // A register, a table behind it, and a table behind that.
        cells.insert("d".into(), cell("TRELLIS_FF", json!({"DI": [9], "Q": [1]})));
        cells.insert("e".into(), cell("LUT4", json!({"A": [1], "B": ["0"], "Z": [2]})));
        cells.insert("f".into(), cell("LUT4", json!({"A": [1], "B": [2], "Z": [3]})));
        for line in 10..20 {
            let register = cell("TRELLIS_FF", json!({"DI": [3], "Q": [line]}));
            cells.insert(format!("g{line}"), register);
        }
        for (enable, registers) in enables {
            for i in 0..*registers {
                let (d, q) = (1000 * enable + 2 * i as u64, 1001 * enable + 2 * i as u64);
                let (table, register) =
                    (json!({"A": [1], "Z": [d]}), json!({"DI": [d], "CE": [enable], "Q": [q]}));
                cells.insert(format!("t{enable}_{i}"), cell("LUT4", table));
                cells.insert(format!("r{enable}_{i}"), cell("TRELLIS_FF", register));
            }
        }
        json!({"modules": {"weft": {"cells": cells, "netnames": {}}}})
    }

    /// By line, what leads to its buffer, and how many registers it leads to.
    fn lines(netlist: &Value) -> Vec<(usize, u64, usize)> {
        let cells = netlist["modules"]["weft"]["cells"].as_object().unwrap();
        let of = |(name, buffer): (&String, &Value)| {
            let line = line(name)?;
            let [from, to] = ["CLKI", "CLKO"].map(|port| buffer["connections"][port][0].as_u64());
            let reads = |cell: &&Value| cell["connections"]["CE"][0].as_u64() == to;
            let net = &netlist["modules"]["weft"]["netnames"][format!("{name}$net")];
            assert_eq!(net["bits"][0].as_u64(), to);
            Some((line, from.unwrap(), cells.values().filter(reads).count()))
        };
        let mut lines: Vec<_> = cells.iter().filter_map(of).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn enables_of_many_registers_have_lines_if_they_are_early() {
        let mut netlist = design(&[(1, 6), (2, 7), (3, 8), (10, 5), (11, 4)]);
        assert_eq!(promote_of(&mut netlist, 1, 5), Ok(18));
        assert_eq!(lines(&netlist), [(9, 2, 7), (10, 1, 6), (11, 10, 5)]);
    }

    #[test]
    fn there_are_lines_for_those_of_most_registers() {
        let enables: Vec<_> = (10..20).map(|enable| (enable, enable as usize)).collect();
        let mut netlist = design(&enables);
        assert_eq!(promote_of(&mut netlist, 1, 5), Ok((14..20).sum()));
        let of = |i: usize| (9 + i, 19 - i as u64, 19 - i);
        assert_eq!(lines(&netlist), (0..6).map(of).collect::<Vec<_>>());
    }

    #[test]
    fn a_small_design_stays_as_it_is() {
        let before = design(&[(1, 6)]);
        let mut netlist = before.clone();
        assert_eq!(promote(&mut netlist), Ok(0));
        assert_eq!(netlist, before);
        assert_eq!(promote_of(&mut netlist, 26, 5), Ok(0));
        assert_eq!(promote_of(&mut netlist, 25, 5), Ok(6));
    }
}
