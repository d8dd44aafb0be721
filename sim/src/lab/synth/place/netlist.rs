//! A netlist that nextpnr has packed and placed, with the delays of its cells.

use super::super::network;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the names of constants begin with.
pub const CONSTANT: &str = "$PACKER_";
/// Picoseconds from a table to the register in its logic cell, at most, by nextpnr's database.
pub const WITHIN: f32 = 130.0;

/// What a cell is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// A look-up table, or half a stage of a carry chain.
    Table,
    /// A flip-flop.
    Register,
    /// The write port of a small memory made of look-up tables.
    Port,
    /// A block of memory or a multiplier.
    Block,
    /// Pins and what drives the clock.
    Other,
}

/// Where a cell is: column, row, and which of the eight logic cells of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// Column.
    pub x: i16,
    /// Row.
    pub y: i16,
    /// Logic cell; 0 where there is no such thing.
    pub lane: u8,
}

/// A cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Its name in the netlist.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub at: Place,
    /// The part of a place's name that follows the coordinates.
    pub site: String,
    /// Of a carry chain.
    pub carry: bool,
    /// Of a small memory, whose tile stays together.
    pub memory: bool,
    /// The register that a table is wired to within a logic cell, or the other way round.
    pub partner: Option<u32>,
    /// A constant, or wired to one within its logic cell: stays where it is.
    pub pinned: bool,
    /// Numbers of what registers of a slice, and of a tile, have in common.
    pub enable: u16,
    /// See `enable`.
    pub reset: u16,
    /// Wires that end here.
    pub wires: Vec<u32>,
    /// Nets that begin here.
    pub outs: Vec<u32>,
}

/// A connection from what drives a net to one of its other ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wire {
    /// The net.
    pub net: u32,
    /// Where it ends.
    pub cell: u32,
    /// At which port.
    pub port: String,
    /// At which one when it was read, if inputs of a table have changed places since.
    pub was: Option<String>,
    /// Within a logic cell or a chain, without a delay of its own.
    pub inner: bool,
    /// Picoseconds before the clock, where a path ends here; from a table to its register with the
    /// way there.
    pub setup: Option<f32>,
    /// Nets on the other side of the cell, and the time to them.
    pub through: Vec<(u32, f32)>,
}

impl Wire {
    /// What of `setup` is the way to a register in the same logic cell.
    fn within(&self) -> f32 {
        if self.inner && self.port == "DI" { WITHIN } else { 0.0 }
    }
}

/// A net.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Net {
    /// What drives it.
    pub driver: u32,
    /// Its wires.
    pub wires: Vec<u32>,
    /// Picoseconds after the clock, where a path begins here.
    pub launch: Option<f32>,
}

/// The netlist.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Netlist {
    /// Cells, by name.
    pub cells: Vec<Cell>,
    /// Nets.
    pub nets: Vec<Net>,
    /// Wires.
    pub wires: Vec<Wire>,
    /// Carry chains, from cell to cell.
    pub chains: Vec<Vec<u32>>,
    /// What was copied, and the copy.
    pub copies: Vec<(u32, u32)>,
}

/// Numbers for names, in the order in which they come.
#[derive(Default)]
struct Numbers(HashMap<String, u16>);

impl Numbers {
    fn of(&mut self, name: String) -> u16 {
        let next = self.0.len() as u16;
        *self.0.entry(name).or_insert(next)
    }
}

fn bit(connection: &Value) -> Option<u64> {
    connection.as_array()?.first()?.as_u64()
}

/// nextpnr's JSON.
pub fn read(json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|e| format!("nextpnr wrote no JSON: {e}"))
}

/// The cells of it.
pub fn cells_of(netlist: &Value) -> Result<&Map<String, Value>, String> {
    let modules = netlist["modules"].as_object().ok_or("nextpnr wrote no modules")?;
    let top = modules.values().next().ok_or("nextpnr wrote no module")?;
    top["cells"].as_object().ok_or_else(|| "nextpnr wrote no cells".to_string())
}

/// `X12/Y34/SLICEB.K1`.
fn place(bel: &str, kind: Kind) -> Option<(Place, String)> {
    let mut parts = bel.splitn(3, '/');
    let x = parts.next()?.strip_prefix('X')?.parse().ok()?;
    let y = parts.next()?.strip_prefix('Y')?.parse().ok()?;
    let site = parts.next()?;
    let mut lane = 0;
    if matches!(kind, Kind::Table | Kind::Register) {
        let slice = site.strip_prefix("SLICE")?.bytes().next()?.checked_sub(b'A')?;
        let half = site.bytes().last()?.checked_sub(b'0')?;
        lane = slice * 2 + half;
        if lane > 7 || half > 1 {
            return None;
        }
    }
    Some((Place { x, y, lane }, site.to_string()))
}

impl Cell {
    fn read(name: &str, value: &Value) -> Result<Cell, String> {
        let kind = match value["type"].as_str() {
            Some("TRELLIS_COMB") => Kind::Table,
            Some("TRELLIS_FF") => Kind::Register,
            Some("TRELLIS_RAMW") => Kind::Port,
            Some("DP16KD" | "MULT18X18D") => Kind::Block,
            _ => Kind::Other,
        };
        let bel = value["attributes"]["NEXTPNR_BEL"].as_str();
        let (at, site) = bel
            .and_then(|bel| place(bel, kind))
            .ok_or_else(|| format!("nextpnr gives {name} no place"))?;
        let mode = value["parameters"]["MODE"].as_str().unwrap_or_default();
        Ok(Cell {
            name: name.to_string(),
            kind,
            at,
            site,
            carry: mode == "CCU2",
            memory: matches!(mode, "DPRAM" | "RAMW_BLOCK"),
            partner: None,
            pinned: name.starts_with(CONSTANT),
            enable: 0,
            reset: 0,
            wires: Vec::new(),
            outs: Vec::new(),
        })
    }
}

impl Netlist {
    /// Reads what nextpnr wrote, as JSON and as SDF.
    pub fn read(json: &Value, sdf: &str) -> Result<Netlist, String> {
        let mut netlist = Netlist::default();
        let (mut enables, mut resets) = (Numbers::default(), Numbers::default());
        let (mut drivers, mut ends) = (BTreeMap::new(), Vec::new());
        for (name, value) in cells_of(json)? {
            let number = netlist.cells.len() as u32;
            let mut cell = Cell::read(name, value)?;
            let parameter = |name: &str| value["parameters"][name].as_str().unwrap_or_default();
            let connections = &value["connections"];
            if cell.kind == Kind::Register {
                let (ce, lsr) = (bit(&connections["CE"]), bit(&connections["LSR"]));
                let set = format!("{ce:?} {} {}", parameter("CEMUX"), parameter("GSR"));
                cell.enable = enables.of(set);
                let is_async = parameter("SRMODE") == "ASYNC";
                let mux = format!("{} {} {is_async}", parameter("LSRMUX"), parameter("CLKMUX"));
                cell.reset = resets.of(format!("{lsr:?} {mux}"));
            }
            let global = cell.kind == Kind::Other && cell.site.contains("DCC") || cell.pinned;
            netlist.cells.push(cell);
            for (port, bits) in connections.as_object().into_iter().flatten() {
                let Some(bit) = bit(bits) else { continue };
                if value["port_directions"][port] != "output" {
                    ends.push((bit, number, port.clone()));
                } else if !global {
                    drivers.insert(bit, (number, port.clone()));
                }
            }
        }
        let (mut net_of, mut outs, mut ins) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (bit, (cell, port)) in drivers {
            let net = netlist.nets.len() as u32;
            net_of.insert(bit, net);
            outs.insert((cell, port), net);
            netlist.cells[cell as usize].outs.push(net);
            netlist.nets.push(Net { driver: cell, wires: Vec::new(), launch: None });
        }
        let mut next = BTreeMap::new();
        for (bit, cell, port) in ends {
            let within = port == "DI" && netlist.cells[cell as usize].kind == Kind::Register;
            let Some(&net) = net_of.get(&bit) else {
                // The clock, or a constant.
                netlist.cells[cell as usize].pinned |= within;
                continue;
            };
            let from = netlist.nets[net as usize].driver;
            if port == "FCI" {
                next.insert(from, cell);
            }
            if within {
                netlist.cells[cell as usize].partner = Some(from);
                netlist.cells[from as usize].partner = Some(cell);
            }
            let written = netlist.cells[from as usize].kind == Kind::Port;
            let wire = netlist.wires.len() as u32;
            ins.insert((cell, port.clone()), wire);
            let inner = port == "FCI" || within || written;
            // A path to a buffer ends at registers far away.
            let setup = network::line(&netlist.cells[cell as usize].name).map(|_| network::DELAY);
            let through = Vec::new();
            netlist.wires.push(Wire { net, cell, port, was: None, inner, setup, through });
            netlist.nets[net as usize].wires.push(wire);
            netlist.cells[cell as usize].wires.push(wire);
        }
        let inner: HashSet<u32> = next.values().copied().collect();
        for &head in next.keys().filter(|cell| !inner.contains(cell)) {
            let chain = std::iter::successors(Some(head), |cell| next.get(cell).copied());
            netlist.chains.push(chain.collect());
        }
        netlist.delays(sdf, &outs, &ins)?;
        Ok(netlist)
    }

    fn delays(
        &mut self,
        sdf: &str,
        outs: &HashMap<(u32, String), u32>,
        ins: &HashMap<(u32, String), u32>,
    ) -> Result<(), String> {
        let cells = self.cells.iter().enumerate();
        let cells: HashMap<String, u32> =
            cells.map(|(i, cell)| (cell.name.clone(), i as u32)).collect();
        let mut cell = None;
        for line in sdf.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("(INSTANCE ") {
                cell = cells.get(&name.trim_end_matches(')').replace('\\', "")).copied();
                continue;
            }
            let arc = line.strip_prefix("(IOPATH ");
            let limit = line.strip_prefix("(SETUPHOLD ").or(line.strip_prefix("(SETUP "));
            let (Some(cell), Some(text)) = (cell, arc.or(limit)) else { continue };
            let text = text.replace("(posedge ", " ").replace("(negedge ", " ");
            let mut words = text.split([' ', '(', ')']).filter(|word| !word.is_empty());
            let delay = |word: Option<&str>| {
                let most = word.and_then(|word| word.rsplit(':').next());
                let delay = most.and_then(|word| word.parse::<f32>().ok());
                delay.ok_or_else(|| format!("no delay in `{line}`"))
            };
            let from = words.next().unwrap_or_default().to_string();
            let to = words.next().unwrap_or_default().to_string();
            let delay = delay(words.next())?;
            let wire = ins.get(&(cell, from.clone())).map(|wire| &mut self.wires[*wire as usize]);
            if arc.is_none() {
                if let Some(wire) = wire {
                    wire.setup = Some(delay.max(0.0) + wire.within());
                }
            } else if let Some(&net) = outs.get(&(cell, to)) {
                if from.starts_with("CLK") || from == "WCK" {
                    let launch = &mut self.nets[net as usize].launch;
                    *launch = Some(launch.unwrap_or(0.0).max(delay));
                } else if let Some(wire) = wire {
                    wire.through.push((net, delay));
                }
            }
        }
        if self.nets.iter().all(|net| net.launch.is_none()) {
            return Err("nextpnr wrote no delays".into());
        }
        Ok(())
    }

    /// A copy of what drives a net, for some of its wires.
    pub fn copy(&mut self, net: u32, wires: &[u32], at: Place) {
        let (cell, copy) = (self.cells.len() as u32, self.nets.len() as u32);
        let from = self.nets[net as usize].driver;
        let mut inputs = Vec::new();
        for wire in self.cells[from as usize].wires.clone() {
            let old = &self.wires[wire as usize];
            // A copy of a register is not in the logic cell of its table.
            let port = if old.port == "DI" { "M" } else { &old.port }.to_string();
            let through = old.through.iter().map(|(_, delay)| (copy, *delay)).collect();
            let (net, was) = (old.net, old.was.clone());
            let setup = old.setup.map(|setup| setup - old.within());
            let wire = self.wires.len() as u32;
            self.wires.push(Wire { net, cell, port, was, inner: false, setup, through });
            self.nets[net as usize].wires.push(wire);
            inputs.push(wire);
        }
        let Cell { name, kind, enable, reset, .. } = &self.cells[from as usize];
        self.cells.push(Cell {
            name: format!("{name}$copy{}", self.copies.len()),
            kind: *kind,
            at,
            site: String::new(),
            carry: false,
            memory: false,
            partner: None,
            pinned: false,
            enable: *enable,
            reset: *reset,
            wires: inputs,
            outs: vec![copy],
        });
        for wire in wires {
            self.wires[*wire as usize].net = copy;
        }
        self.nets[net as usize].wires.retain(|wire| !wires.contains(wire));
        let launch = self.nets[net as usize].launch;
        self.nets.push(Net { driver: cell, wires: wires.to_vec(), launch });
        self.copies.push((from, cell));
    }
}
