//! Wires of the longest paths, which are routed before all others and then stay.
//!
//! A router that has all wires at once lets others take what a late wire needs, and that one
//! makes a detour. Alone, the late ones come out as estimated; what is left of the device then
//! is still enough for the rest.

use super::cost::Cost;
use super::netlist::{Kind, Netlist, cells_of, nets_of};
use serde_json::{Value, json};
use std::collections::HashSet;

/// A wire is late if the path through it has this share of the longest one.
const LATE: f32 = 0.91;
/// How firmly nextpnr takes wires to belong to their nets: it does not rip them up, and the
/// other wires of the net may begin at them.
const HELD: &str = "3";

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{LATE} {HELD}")
}

/// A placement without the wires that are not late, and the nets of those that are.
#[derive(Debug, Default)]
pub struct Late {
    /// nextpnr's JSON.
    pub netlist: String,
    nets: HashSet<String>,
}

impl Late {
    /// Of a placement and its paths, written to `placed`. What enters a table or a register by
    /// itself may be left out; nextpnr does not pack without the rest.
    pub fn new(netlist: &Netlist, cost: &Cost, mut placed: Value) -> Result<Late, String> {
        let limit = LATE * cost.paths.worst;
        let late = |wire: usize| cost.paths.through[wire] > limit;
        let mut bits = HashSet::new();
        let cells = cells_of(&placed)?;
        for (number, wire) in netlist.wires.iter().enumerate() {
            if !wire.inner && late(number) {
                let cell = &cells[&netlist.cells[wire.cell as usize].name];
                bits.extend(cell["connections"][&wire.port][0].as_u64());
            }
        }
        let mut nets = HashSet::new();
        for (name, net) in nets_of(&placed)? {
            if net["bits"][0].as_u64().is_some_and(|bit| bits.contains(&bit)) {
                nets.insert(name.clone());
            }
        }
        let module = placed["modules"].as_object_mut().and_then(|all| all.values_mut().next());
        let module = module.ok_or("nextpnr wrote no module")?;
        for (number, wire) in netlist.wires.iter().enumerate() {
            let cell = &netlist.cells[wire.cell as usize];
            let alone = match cell.kind {
                Kind::Table => ["A", "B", "C", "D"].contains(&wire.port.as_str()),
                Kind::Register => wire.port == "M",
                _ => false,
            };
            if alone && !wire.inner && !late(number) {
                module["cells"][&cell.name]["connections"][&wire.port] = json!([]);
            }
        }
        Ok(Late { netlist: placed.to_string(), nets })
    }

    /// The whole placement, with the late nets as they have been routed.
    pub fn hold(&self, placed: &str, routed: &str) -> Result<String, String> {
        let read = |text: &str| {
            serde_json::from_str::<Value>(text).map_err(|e| format!("nextpnr wrote no JSON: {e}"))
        };
        let (mut placed, routed) = (read(placed)?, read(routed)?);
        let module = placed["modules"].as_object_mut().and_then(|all| all.values_mut().next());
        let module = module.ok_or("nextpnr wrote no module")?;
        for (name, net) in nets_of(&routed)?.iter().filter(|(name, _)| self.nets.contains(*name)) {
            let route = net["attributes"]["ROUTING"].as_str().unwrap_or_default().trim();
            if !route.is_empty() {
                module["netnames"][name]["attributes"]["ROUTING"] = held(route)?.into();
            }
        }
        Ok(placed.to_string())
    }
}

/// A route that is held: `wire;switch;strength;wire;switch;strength`.
fn held(route: &str) -> Result<String, String> {
    let mut words: Vec<_> = route.split(';').collect();
    if !words.len().is_multiple_of(3) {
        return Err(format!("not a route of nextpnr: `{route}`"));
    }
    words.chunks_mut(3).for_each(|step| step[2] = HELD);
    Ok(words.join(";"))
}
