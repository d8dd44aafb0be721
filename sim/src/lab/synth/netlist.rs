//! Netlists of Yosys (`write_json`): cells by type, module by module.

use super::target::Target;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, HashMap};

/// The cells of a module, without those of its parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cells {
    /// How many of each type.
    pub kinds: BTreeMap<String, u64>,
    /// Flip-flops behind a cell of logic that drives nothing else.
    pub packed: u64,
}

#[derive(Deserialize)]
struct File {
    modules: BTreeMap<String, JsonModule>,
}

#[derive(Deserialize)]
struct JsonModule {
    #[serde(default)]
    attributes: HashMap<String, IgnoredAny>,
    ports: HashMap<String, JsonPort>,
    cells: HashMap<String, JsonCell>,
}

#[derive(Deserialize)]
struct JsonPort {
    direction: String,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct JsonCell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    port_directions: HashMap<String, String>,
    connections: HashMap<String, Vec<Bit>>,
}

/// A net, or a constant.
#[derive(Deserialize)]
#[serde(untagged)]
enum Bit {
    Net(u64),
    Constant(IgnoredAny),
}

fn nets(bits: &[Bit]) -> impl Iterator<Item = u64> {
    bits.iter().filter_map(|bit| match bit {
        Bit::Net(net) => Some(*net),
        Bit::Constant(_) => None,
    })
}

impl JsonModule {
    fn is_box(&self) -> bool {
        ["blackbox", "whitebox"].iter().any(|name| self.attributes.contains_key(*name))
    }

    /// Flip-flops that fit into the element of what drives them.
    fn packed(&self, target: &Target) -> u64 {
        let (mut by_logic, mut loads) = (HashMap::new(), HashMap::<u64, u32>::new());
        for cell in self.cells.values() {
            let logic = target.is_logic(&cell.kind);
            for (port, bits) in &cell.connections {
                if cell.port_directions.get(port).is_some_and(|way| way == "output") {
                    by_logic.extend(nets(bits).map(|net| (net, logic)));
                } else {
                    nets(bits).for_each(|net| *loads.entry(net).or_default() += 1);
                }
            }
        }
        for port in self.ports.values().filter(|port| port.direction == "output") {
            nets(&port.bits).for_each(|net| *loads.entry(net).or_default() += 1);
        }
        let flip_flops = self.cells.values().filter(|cell| target.is_flip_flop(&cell.kind));
        let inputs = flip_flops.filter_map(|cell| cell.connections.get("D"));
        let alone = |net: &u64| by_logic.get(net) == Some(&true) && loads[net] == 1;
        inputs.flat_map(|bits| nets(bits)).filter(alone).count() as u64
    }
}

/// The cells of every module of a netlist.
pub fn modules(json: &str, target: &Target) -> Result<BTreeMap<String, Cells>, String> {
    let file: File = serde_json::from_str(json).map_err(|e| format!("not a netlist: {e}"))?;
    let (boxes, modules): (BTreeMap<_, _>, BTreeMap<_, _>) =
        file.modules.into_iter().partition(|(_, module)| module.is_box());
    let is_cell = |kind: &String| boxes.contains_key(kind) || !modules.contains_key(kind);
    let cells = |module: &JsonModule| {
        let mut cells = Cells { packed: module.packed(target), ..Cells::default() };
        for kind in module.cells.values().map(|cell| &cell.kind).filter(|kind| is_cell(kind)) {
            *cells.kinds.entry(kind.clone()).or_default() += 1;
        }
        cells
    };
    Ok(modules.iter().map(|(name, module)| (name.clone(), cells(module))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn cell(kind: &str, inputs: Value, outputs: Value) -> Value {
        let mut directions = serde_json::Map::new();
        let mut connections = serde_json::Map::new();
        for (way, ports) in [("input", inputs), ("output", outputs)] {
            for (port, bits) in ports.as_object().unwrap() {
                directions.insert(port.clone(), way.into());
                connections.insert(port.clone(), bits.clone());
            }
        }
        json!({ "type": kind, "port_directions": directions, "connections": connections })
    }

    fn read(text: &Value) -> BTreeMap<String, Cells> {
        modules(&text.to_string(), Target::named("cycloneive").unwrap()).unwrap()
    }

    #[test]
    fn a_flip_flop_is_packed_where_its_logic_drives_nothing_else() {
        let ports = json!({
            "a": { "direction": "input", "bits": [2] },
            "q": { "direction": "output", "bits": [10, 5] },
        });
        let cells = json!({
            // Alone, twice, to a port, a constant, an input.
            "l3": cell("$lut", json!({ "A": [2, "1"] }), json!({ "Y": [3] })),
            "f3": cell("$_DFF_P_", json!({ "D": [3] }), json!({ "Q": [10] })),
            "l4": cell("$lut", json!({ "A": [2] }), json!({ "Y": [4] })),
            "f4": cell("$_DFF_P_", json!({ "D": [4] }), json!({ "Q": [11] })),
            "g4": cell("weft_carry", json!({ "a": [4] }), json!({ "s": [6], "co": [7] })),
            "f6": cell("$_SDFFCE_PP0P_", json!({ "D": [6] }), json!({ "Q": [12] })),
            "l5": cell("$lut", json!({ "A": [2] }), json!({ "Y": [5] })),
            "f5": cell("$_DFF_P_", json!({ "D": [5] }), json!({ "Q": [13] })),
            "fc": cell("$_DFF_P_", json!({ "D": ["0"] }), json!({ "Q": [14] })),
            "fi": cell("$_DFF_P_", json!({ "D": [2] }), json!({ "Q": [15] })),
        });
        let found = read(&json!({ "modules": { "weft": { "ports": ports, "cells": cells } } }));
        assert_eq!(found["weft"].packed, 2);
        assert_eq!(found["weft"].kinds["$lut"], 3);
    }

    #[test]
    fn modules_count_without_their_parts() {
        let inner = |kind: &str| cell(kind, json!({}), json!({}));
        let module = |cells: Value| json!({ "ports": {}, "cells": cells });
        let found = read(&json!({ "modules": {
            "weft": module(json!({ "a": inner("part"), "b": inner("box"), "c": inner("$lut") })),
            "part": module(json!({ "x": inner("$lut"), "y": inner("$lut") })),
            "box": { "attributes": { "blackbox": "1" }, "ports": {}, "cells": {} },
        }}));
        let kinds = |name: &str| found[name].kinds.iter().map(|(k, n)| (k.clone(), *n)).collect();
        let (whole, part): (Vec<_>, Vec<_>) = (kinds("weft"), kinds("part"));
        assert_eq!(whole, [("$lut".to_string(), 1), ("box".to_string(), 1)]);
        assert_eq!(part, [("$lut".to_string(), 2)]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn what_is_no_netlist_is_refused() {
        let why = modules("{}", Target::named("ecp5").unwrap()).unwrap_err();
        assert!(why.contains("not a netlist"), "{why}");
    }
}
