//! Wires of the longest paths, which are routed before all others and then stay.
//!
//! A router that has all wires at once lets others take what a late wire needs, and that one
//! makes a detour. Alone, the late ones come out as estimated; what is left of the device then
//! is still enough for the rest.
//!
//! Each time late wires are routed some come out longer by chance. So a net keeps its route until
//! what drives it moves. (nextpnr takes away what of it leads to where nobody is any more.)

use super::cost::Cost;
use super::measured::Measured;
use super::netlist::{Kind, Netlist, Place, cells_of, nets_of, read};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A wire is late if the path through it has this share of the longest one, and then until one of its
/// ends moves: what has a way keeps it.
const LATE: f32 = 0.91;
/// How firmly nextpnr takes wires to belong to their nets: it does not rip them up, and the
/// other wires of the net may begin at them.
const HELD: &str = "3";

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{LATE} {HELD}")
}

/// What drives a net and where it is, and whether a path through the net is late. (Else it has been.)
#[derive(Clone, Copy, Debug)]
struct Begin {
    driver: (u32, Place),
    late: bool,
}

/// A placement without the wires that are not late, and the nets of those that are.
#[derive(Debug, Default)]
pub struct Late {
    /// nextpnr's JSON.
    pub netlist: String,
    nets: HashMap<String, Begin>,
}

/// Routes of nets, and where each begins.
#[derive(Debug, Default)]
pub struct Routes(HashMap<String, (Begin, String)>);

impl Late {
    /// Of a placement and its paths, written to `placed`, with the routes that hold for it. What enters a
    /// table or a register by itself may be left out; nextpnr does not pack without the rest.
    pub fn new(
        netlist: &Netlist,
        cost: &Cost,
        mut placed: Value,
        (measured, routes): (&Measured, &Routes),
    ) -> Result<Late, String> {
        let limit = LATE * cost.paths.worst;
        let is_late = |wire: usize| cost.paths.through[wire] > limit;
        let first = |wire: usize| is_late(wire) || measured.is_known(netlist, wire);
        let mut begins: HashMap<u64, Begin> = HashMap::new();
        let cells = cells_of(&placed)?;
        for (number, wire) in netlist.wires.iter().enumerate() {
            let cell = &cells[&netlist.cells[wire.cell as usize].name];
            let bit = cell["connections"][&wire.port][0].as_u64();
            if let Some(bit) = bit.filter(|_| !wire.inner && first(number)) {
                let driver = netlist.nets[wire.net as usize].driver;
                let driver = (driver, netlist.cells[driver as usize].at);
                let begin = begins.entry(bit).or_insert(Begin { driver, late: false });
                begin.late |= is_late(number);
            }
        }
        let (mut nets, mut kept) = (HashMap::new(), Vec::new());
        for (name, net) in nets_of(&placed)? {
            let begin = net["bits"][0].as_u64().and_then(|bit| begins.get(&bit));
            let Some(begin) = begin else { continue };
            let route = routes.0.get(name).filter(|(before, _)| before.driver == begin.driver);
            kept.extend(route.map(|(_, route)| (name.clone(), route)));
            nets.insert(name.clone(), *begin);
        }
        let module = placed["modules"].as_object_mut().and_then(|all| all.values_mut().next());
        let module = module.ok_or("nextpnr wrote no module")?;
        for (name, route) in kept {
            module["netnames"][name]["attributes"]["ROUTING"] = route.as_str().into();
        }
        for (number, wire) in netlist.wires.iter().enumerate() {
            let cell = &netlist.cells[wire.cell as usize];
            let alone = match cell.kind {
                Kind::Table => ["A", "B", "C", "D"].contains(&wire.port.as_str()),
                Kind::Register => wire.port == "M",
                _ => false,
            };
            if alone && !wire.inner && !first(number) {
                module["cells"][&cell.name]["connections"][&wire.port] = json!([]);
            }
        }
        Ok(Late { netlist: placed.to_string(), nets })
    }

    /// The routes that nextpnr found.
    pub fn routes(&self, routed: &str) -> Result<Routes, String> {
        let mut routes = HashMap::new();
        for (name, net) in nets_of(&read(routed)?)? {
            let route = net["attributes"]["ROUTING"].as_str().unwrap_or_default().trim();
            if let Some(begin) = self.nets.get(name).filter(|_| !route.is_empty()) {
                routes.insert(name.clone(), (*begin, route.to_string()));
            }
        }
        Ok(Routes(routes))
    }
}

impl Routes {
    /// The whole placement, with these routes held, but for those of nets that are not late any more: each
    /// that is held leaves others less way.
    pub fn hold(&self, placed: &str) -> Result<String, String> {
        let mut placed = read(placed)?;
        let module = placed["modules"].as_object_mut().and_then(|all| all.values_mut().next());
        let module = module.ok_or("nextpnr wrote no module")?;
        for (name, (_, route)) in self.0.iter().filter(|(_, (begin, _))| begin.late) {
            module["netnames"][name]["attributes"]["ROUTING"] = held(route)?.into();
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
