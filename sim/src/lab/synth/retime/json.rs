//! A graph from the netlist that Yosys writes, and back into it.

use super::graph::Signal::{Is, On};
use super::graph::{Class, Driver, Graph, Memory, Net, Other, Register, Signal, Stage, Table};
use super::times::{BLOCK, BLOCK_SETUP, ENABLE_SETUP, MULTIPLIER, TABLE};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The module that is not part of another.
pub fn top(json: &Value) -> Result<&str, String> {
    let modules = json["modules"].as_object().ok_or("yosys wrote no modules")?;
    let is_top = |module: &Value| module["attributes"].get("top").is_some();
    let found = modules.iter().find(|(_, module)| modules.len() == 1 || is_top(module));
    found.map(|(name, _)| &**name).ok_or_else(|| "yosys wrote no top module".into())
}

fn bits_of(text: &Value) -> Result<u16, String> {
    let bits = text.as_str().and_then(|text| u16::from_str_radix(text, 2).ok());
    bits.ok_or_else(|| format!("{text} is not a table of 16 bits"))
}

impl Graph {
    /// Of what Yosys wrote.
    pub fn read(json: &Value) -> Result<Graph, String> {
        let module = &json["modules"][top(json)?];
        let mut graph = Graph::default();
        let mut classes = HashMap::new();
        for (name, cell) in module["cells"].as_object().ok_or("yosys wrote no cells")? {
            match cell["type"].as_str().unwrap_or_default() {
                "LUT4" => graph.read_table(name, cell)?,
                "CCU2C" => graph.read_stage(name, cell)?,
                "TRELLIS_FF" => graph.read_register(name, cell, &mut classes)?,
                "$scopeinfo" => {}
                kind => {
                    if kind == "TRELLIS_DPR16X4" {
                        graph.read_memory(name, cell);
                    }
                    graph.read_other(kind, cell)?;
                }
            }
        }
        for (_, port) in module["ports"].as_object().into_iter().flatten() {
            for bit in port["bits"].as_array().into_iter().flatten() {
                if let Some(net) = graph.signal(bit).and_then(Signal::net)
                    && port["direction"] == "output"
                {
                    graph.ends.push((net, 0.0));
                }
            }
        }
        graph.find_chains()?;
        Ok(graph)
    }

    fn signal(&mut self, bit: &Value) -> Option<Signal> {
        let Some(bit) = bit.as_u64() else {
            return bit.as_str().map(|text| Is(text == "1"));
        };
        let next = self.drivers.len() as Net;
        let net = *self.bits.entry(bit).or_insert(next);
        if net == next {
            self.drivers.push(Driver::Other);
        }
        Some(On(net))
    }

    /// What a port of a cell with one bit is wired to.
    fn port(&mut self, cell: &Value, port: &str) -> Option<Signal> {
        self.signal(cell["connections"].get(port)?.get(0)?)
    }

    fn inputs(&mut self, cell: &Value, ports: [&str; 4]) -> [Signal; 4] {
        ports.map(|port| self.port(cell, port).unwrap_or(Is(false)))
    }

    fn output(&mut self, cell: &Value, port: &str, driver: Driver) -> Option<Net> {
        let net = self.port(cell, port)?.net()?;
        self.drivers[net as usize] = driver;
        Some(net)
    }

    fn read_table(&mut self, name: &str, cell: &Value) -> Result<(), String> {
        let ins = self.inputs(cell, ["A", "B", "C", "D"]);
        let init = bits_of(&cell["parameters"]["INIT"])?;
        let number = self.tables.len() as u32;
        let out = self.output(cell, "Z", Driver::Table(number));
        let name = name.to_string();
        self.tables.extend(out.map(|out| Some(Table { name, ins, init, out })));
        Ok(())
    }

    fn read_stage(&mut self, name: &str, cell: &Value) -> Result<(), String> {
        let ins = [["A0", "B0", "C0", "D0"], ["A1", "B1", "C1", "D1"]];
        let ins = ins.map(|ports| self.inputs(cell, ports));
        let carry_in = self.port(cell, "CIN").unwrap_or(Is(false));
        let driver = Driver::Stage(self.stages.len() as u32);
        let sums = ["S0", "S1"].map(|port| self.output(cell, port, driver));
        let carry_out = self.output(cell, "COUT", driver);
        let parameters = &cell["parameters"];
        let init = [bits_of(&parameters["INIT0"])?, bits_of(&parameters["INIT1"])?];
        let inject = ["INJECT1_0", "INJECT1_1"].map(|name| parameters[name] == "YES");
        let name = name.to_string();
        self.stages.push(Stage { name, ins, carry_in, sums, carry_out, init, inject });
        Ok(())
    }

    fn read_register(
        &mut self,
        name: &str,
        cell: &Value,
        classes: &mut HashMap<String, u32>,
    ) -> Result<(), String> {
        let d = self.port(cell, "DI").ok_or_else(|| format!("{name} has no input"))?;
        let number = self.registers.len() as u32;
        let Some(q) = self.output(cell, "Q", Driver::Register(number)) else { return Ok(()) };
        let [enable, reset] = ["CE", "LSR"].map(|port| self.port(cell, port));
        self.ends.extend(enable.and_then(Signal::net).map(|net| (net, ENABLE_SETUP)));
        self.ends.extend(reset.and_then(Signal::net).map(|net| (net, 0.0)));
        let mut shared = json!({
            "hide_name": 0, "type": "TRELLIS_FF", "attributes": {},
            "parameters": cell["parameters"], "connections": cell["connections"],
            "port_directions": cell["port_directions"],
        });
        let without = |part: &mut Value, names: &[&str]| {
            let part = part.as_object_mut();
            part.into_iter().for_each(|part| part.retain(|name, _| !names.contains(&&**name)));
        };
        without(&mut shared["parameters"], &["REGSET"]);
        without(&mut shared["connections"], &["DI", "Q"]);
        let parameter = |name| cell["parameters"][name].as_str().unwrap_or_default();
        let mux = parameter("CEMUX");
        let [edge, whole] = ["CLKMUX", "GSR"].map(parameter);
        let class = Class {
            clock: format!("{} {edge} {whole}", cell["connections"]["CLK"]),
            enable: enable.and_then(Signal::net).map(|net| (net, mux != "INV")),
            reset: reset.and_then(Signal::net),
            known: ["CE", "INV", "1 "].contains(&mux)
                && (mux != "1 " || enable.is_none())
                && !matches!(enable, Some(Is(_)))
                && parameter("LSRMUX") == "LSR"
                && reset != Some(Is(true))
                && (reset.is_none_or(|reset| reset.net().is_none())
                    || parameter("SRMODE") == "LSR_OVER_CE"),
            cell: shared,
        };
        let next = self.classes.len() as u32;
        let number = *classes.entry(class.cell.to_string()).or_insert(next);
        if number == next {
            self.classes.push(class);
        }
        let set = parameter("REGSET") == "SET";
        self.registers.push(Some(Register { name: name.to_string(), d, q, class: number, set }));
        Ok(())
    }

    fn read_memory(&mut self, name: &str, cell: &Value) {
        let [address, outs] = ["RAD", "DO"].map(|port| {
            let bits = cell["connections"][port].as_array().into_iter().flatten();
            bits.filter_map(|bit| self.signal(bit)).collect::<Vec<_>>()
        });
        let outs = outs.into_iter().filter_map(Signal::net).collect();
        self.memories.push(Memory { name: name.to_string(), address, outs });
    }

    fn read_other(&mut self, kind: &str, cell: &Value) -> Result<(), String> {
        let (mut ins, mut outs) = (Vec::new(), Vec::new());
        for (port, bits) in cell["connections"].as_object().into_iter().flatten() {
            let is_output = cell["port_directions"][port] == "output";
            for bit in bits.as_array().into_iter().flatten() {
                if let Some(net) = self.signal(bit).and_then(Signal::net) {
                    if is_output { outs.push(net) } else { ins.push((port.as_str(), net)) }
                }
            }
        }
        let mut launch = None;
        let mut through = Vec::new();
        for (port, net) in ins {
            match (kind, port) {
                (_, "WCK") => {}
                ("TRELLIS_DPR16X4", "RAD") => through.push((net, TABLE)),
                ("TRELLIS_DPR16X4", _) => self.ends.push((net, 0.0)),
                ("DP16KD", port) if port.starts_with("CLK") => launch = Some(BLOCK),
                ("DP16KD", _) => self.ends.push((net, BLOCK_SETUP)),
                ("MULT18X18D", _) => through.push((net, MULTIPLIER)),
                _ => return Err(format!("a cell {kind}: its delays are not known")),
            }
        }
        for net in outs {
            self.others.insert(net, Other { launch, through: through.clone() });
        }
        // A multiplier's inputs are read, come what may.
        self.ends.extend(through.iter().map(|(net, _)| (*net, f32::NEG_INFINITY)));
        Ok(())
    }

    /// Puts the tables, stages and registers of the graph into the netlist that it is of.
    pub fn write(&self, json: &mut Value) -> Result<(), String> {
        let name = top(json)?.to_string();
        let first = 1 + self.bits.keys().max().copied().unwrap_or_default();
        let old = self.bits.len();
        let mut bits: Vec<_> = (0..self.drivers.len()).map(|net| first + net as u64).collect();
        self.bits.iter().for_each(|(bit, net)| bits[*net as usize] = *bit);
        let wired = |signal: Signal| match signal {
            Is(value) => json!([if value { "1" } else { "0" }]),
            On(net) => json!([bits[net as usize]]),
        };
        let module = &mut json["modules"][name];
        let mut names = Map::new();
        let mut named = |name: String, net: Net| {
            if net as usize >= old {
                let bits = [bits[net as usize]];
                names.insert(name, json!({ "hide_name": 1, "bits": bits, "attributes": {} }));
            }
        };
        let cells = module["cells"].as_object_mut().ok_or("yosys wrote no cells")?;
        cells.retain(|_, cell| cell["type"] != "LUT4" && cell["type"] != "TRELLIS_FF");
        for table in self.tables.iter().flatten() {
            let Table { name, ins, init, out } = table;
            let [a, b, c, d] = ins.map(wired);
            named(format!("{name}_Z"), *out);
            let cell = json!({
                "hide_name": 0, "type": "LUT4", "attributes": {},
                "parameters": { "INIT": format!("{init:016b}") },
                "port_directions":
                    { "A": "input", "B": "input", "C": "input", "D": "input", "Z": "output" },
                "connections": { "A": a, "B": b, "C": c, "D": d, "Z": wired(On(*out)) },
            });
            cells.insert(name.clone(), cell);
        }
        for register in self.registers.iter().flatten() {
            let Register { name, d, q, class, set } = register;
            named(format!("{name}_Q"), *q);
            let mut cell = self.classes[*class as usize].cell.clone();
            cell["parameters"]["REGSET"] = json!(if *set { "SET" } else { "RESET" });
            cell["connections"]["DI"] = wired(*d);
            cell["connections"]["Q"] = wired(On(*q));
            cells.insert(name.clone(), cell);
        }
        for Memory { name, address, .. } in &self.memories {
            let cell = cells.get_mut(name).ok_or_else(|| format!("no {name}"))?;
            let bits = address.iter().map(|signal| wired(*signal)[0].clone());
            cell["connections"]["RAD"] = bits.collect();
        }
        for stage in &self.stages {
            let cell = cells.get_mut(&stage.name).ok_or_else(|| format!("no {}", stage.name))?;
            let ports = [["A0", "B0", "C0", "D0"], ["A1", "B1", "C1", "D1"]];
            for (ports, ins) in ports.into_iter().zip(stage.ins) {
                for (port, signal) in ports.into_iter().zip(ins) {
                    cell["connections"][port] = wired(signal);
                }
            }
            if cell["connections"].get("CIN").is_some() {
                cell["connections"]["CIN"] = wired(stage.carry_in);
            }
            let outs = [("S0", stage.sums[0]), ("S1", stage.sums[1]), ("COUT", stage.carry_out)];
            for (port, out) in outs {
                if let Some(net) = out {
                    named(format!("{}_{port}", stage.name), net);
                    cell["connections"][port] = wired(On(net));
                }
            }
        }
        module["netnames"].as_object_mut().into_iter().for_each(|all| all.append(&mut names));
        Ok(())
    }
}
