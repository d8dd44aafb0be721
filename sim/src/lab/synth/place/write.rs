//! A netlist back into nextpnr's JSON, for it to pack again and route.

use super::netlist::{CONSTANT, Cell, Kind, Netlist, Place, cells_of};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// How firmly nextpnr takes a cell to be where it is: for good.
const LOCKED: &str = "00000000000000000000000000000101";

impl Cell {
    /// How its place is written.
    fn bel(&self) -> String {
        let Place { x, y, lane } = self.at;
        let slice = char::from(b'A' + lane / 2);
        let site = match self.kind {
            Kind::Table => format!("SLICE{slice}.K{}", lane % 2),
            Kind::Register => format!("SLICE{slice}.FF{}", lane % 2),
            _ => self.site.clone(),
        };
        format!("X{x}/Y{y}/{site}")
    }
}

impl Netlist {
    /// Writes places and copies into the netlist that was read, so that nextpnr packs it
    /// again, moves nothing, and routes it.
    pub fn write(&self, json: &mut Value) -> Result<(), String> {
        let bits = cells_of(json)?.values().flat_map(|cell| cell["connections"].as_object());
        let bits = bits.flat_map(Map::values).filter_map(Value::as_array).flatten();
        let last = bits.filter_map(Value::as_u64).max().unwrap_or(0);
        let modules = json["modules"].as_object_mut().expect("it has cells");
        let top = modules.values_mut().next().expect("it has cells");
        // Nets of copies have new numbers.
        let numbers: HashMap<u32, u64> =
            (last + 1..).zip(&self.copies).map(|(bit, copy)| (copy.1, bit)).collect();
        for (from, to) in &self.copies {
            let cell = &self.cells[*to as usize];
            let mut value = top["cells"][&self.cells[*from as usize].name].clone();
            let register = cell.kind == Kind::Register;
            if register && value["connections"]["DI"].is_array() {
                for ports in ["port_directions", "connections"] {
                    let ports = value[ports].as_object_mut().expect("an object");
                    let data = ports.remove("DI").expect("checked");
                    ports.insert("M".into(), data);
                }
                value["parameters"]["SD"] = "0 ".into();
            }
            let bit = numbers[to];
            value["connections"][if register { "Q" } else { "F" }] = json!([bit]);
            top["cells"][&cell.name] = value;
            let name = format!("{}$net", cell.name);
            top["netnames"][name] = json!({"hide_name": 1, "bits": [bit], "attributes": {}});
        }
        for cell in &self.cells {
            self.write_inputs(cell, &mut top["cells"][&cell.name])?;
        }
        for wire in &self.wires {
            let driver = self.nets[wire.net as usize].driver;
            if let Some(bit) = numbers.get(&driver) {
                let cell = &self.cells[wire.cell as usize].name;
                top["cells"][cell]["connections"][&wire.port] = json!([bit]);
            }
        }
        for cell in &self.cells {
            let attributes = &mut top["cells"][&cell.name]["attributes"];
            attributes["NEXTPNR_BEL"] = cell.bel().into();
            attributes["BEL_STRENGTH"] = LOCKED.into();
        }
        // What it was told the last time goes before the option of the same name.
        top["settings"]["placer"] = "sa".into();
        if let Some(settings) = top["settings"].as_object_mut() {
            settings.remove("target_freq");
        }
        self.write_halves(top, last + 1 + self.copies.len() as u64);
        // nextpnr makes constants of its own.
        for part in ["cells", "netnames"] {
            let part = top[part].as_object_mut().expect("read as such");
            let old: Vec<_> = part.keys().filter(|name| name.starts_with(CONSTANT)).collect();
            for name in old.into_iter().cloned().collect::<Vec<_>>() {
                let value = part.remove(&name).expect("it is there");
                part.insert(name.replace(CONSTANT, "old_"), value);
            }
        }
        Ok(())
    }

    /// Ties the tables of a stage of a carry chain together by the multiplexer that is behind
    /// every two tables, which nothing reads. nextpnr knows the second from the first by what
    /// it has packed, else it counts the delay of a stage for each. A register that has its
    /// data from elsewhere is in the multiplexer's way.
    fn write_halves(&self, top: &mut Value, mut bit: u64) {
        let apart =
            |register: &&Cell| register.kind == Kind::Register && register.partner.is_none();
        let taken: HashSet<_> =
            self.cells.iter().filter(apart).map(|cell| cell.at.slot()).collect();
        for stage in self.chains.iter().flat_map(|chain| chain.chunks_exact(2)) {
            let [first, second] = [stage[0], stage[1]].map(|cell| &self.cells[cell as usize]);
            if first.at.lane % 2 == 1 || taken.contains(&first.at.slot()) {
                continue;
            }
            let mut outs = [first, second].map(|cell| {
                let connections = &mut top["cells"][&cell.name]["connections"];
                if connections["F"].as_array().is_none_or(Vec::is_empty) {
                    connections["F"] = json!([bit]);
                    let net = json!({"hide_name": 1, "bits": [bit], "attributes": {}});
                    bit += 1;
                    top["netnames"][format!("{}$net", cell.name)] = net;
                }
                top["cells"][&cell.name]["connections"]["F"].clone()
            });
            top["cells"][format!("{}$pair", first.name)] = json!({
                "hide_name": 1,
                "type": "PFUMX",
                "parameters": {},
                "attributes": {},
                "port_directions": {"ALUT": "input", "BLUT": "input", "C0": "input", "Z": "output"},
                "connections": {"ALUT": outs[1].take(), "BLUT": outs[0].take(), "C0": [], "Z": []},
            });
        }
    }
}
