//! Nets of a placed netlist: where they begin and end on the device, and the ways between.

use super::super::{network, place::Timing};
use super::device::Device;
use super::lines::{Across, Line};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// nextpnr itself routes what goes to these ports: the clock.
const CLOCKS: [&str; 4] = ["CLK", "WCK", "CLKA", "CLKB"];
/// Inputs of a table, which may change places unless it is part of a chain or a memory.
const INPUTS: [&str; 4] = ["A", "B", "C", "D"];
/// A net goes so many tiles beyond what it joins.
const MARGIN: i32 = 6;

/// Wires are numbered: no need for more than to mix their bits.
#[derive(Debug, Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (self.0 ^ (u64::from(number) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

/// By wire.
pub type Map<V> = HashMap<u32, V, BuildHasherDefault<Mix>>;

/// How a wire of a net is reached.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub switch: u32,
    pub from: u32,
    /// Picoseconds from where the net begins.
    pub delay: f32,
}

/// An end of a net.
#[derive(Debug)]
pub struct Sink {
    pub wire: u32,
    /// In the netlist of the placement, if paths go through it.
    pub number: Option<u32>,
    /// From 0 to nearly 1, how much more delay counts than what others want.
    pub critical: f32,
    /// It looks for a better way in this round.
    pub late: bool,
}

/// A net, or what of it is in a tile, if a line leads there.
#[derive(Debug)]
pub struct Net {
    pub name: String,
    pub source: u32,
    /// How it goes on from one of its ends to a buffer.
    pub rest: String,
    pub sinks: Vec<Sink>,
    /// Its wires but the first.
    pub tree: Map<Step>,
    /// The columns and rows that it stays in.
    pub low: (i32, i32),
    pub high: (i32, i32),
}

impl Net {
    /// The way to a wire, from there back to a wire for which `known` says so.
    pub fn way(&self, to: u32, known: impl Fn(u32) -> bool) -> Vec<(u32, Step)> {
        let mut way = Vec::new();
        let mut at = to;
        while !known(at) {
            let step = self.tree[&at];
            way.push((at, step));
            at = step.from;
        }
        way
    }

    /// Takes over the ways that it had before some of it moved, to ends that are still there.
    pub fn keep(&mut self, device: &Device, before: &Net) {
        if before.source != self.source {
            return;
        }
        for sink in &self.sinks {
            if before.tree.contains_key(&sink.wire) {
                let known = |wire| wire == self.source || self.tree.contains_key(&wire);
                let way = before.way(sink.wire, known);
                self.tree.extend(way);
            }
        }
        let tree: Vec<_> = self.tree.keys().map(|wire| device.at(*wire)).collect();
        tree.into_iter().for_each(|at| self.reach(at, 0));
    }

    /// May go a column and a row farther. (Where there is no room around it ways lead farther.)
    pub fn widen(&mut self) {
        self.low = (self.low.0 - 1, self.low.1 - 1);
        self.high = (self.high.0 + 1, self.high.1 + 1);
    }

    /// Stays where so many columns and rows around a place are inside, too.
    fn reach(&mut self, (x, y): (i32, i32), around: i32) {
        self.low = (self.low.0.min(x - around), self.low.1.min(y - around));
        self.high = (self.high.0.max(x + around), self.high.1.max(y + around));
    }

    /// How nextpnr writes its wires.
    pub fn text(&self, device: &Device) -> String {
        let mut text = format!("{};;1", device.name(self.source));
        let mut wires: Vec<_> = self.tree.iter().collect();
        wires.sort_unstable_by_key(|(wire, _)| **wire);
        for (wire, step) in wires {
            text += &format!(";{};{};1", device.name(*wire), device.switch_name(step.switch));
        }
        if !self.rest.is_empty() {
            text += &format!(";{}", self.rest);
        }
        text
    }

    /// Without ways.
    pub fn new(device: &Device, name: String, source: u32, sinks: Vec<Sink>) -> Net {
        let (low, high) = ((i32::MAX, i32::MAX), (i32::MIN, i32::MIN));
        let (tree, rest) = (Map::default(), String::new());
        let mut net = Net { name, source, rest, sinks: Vec::new(), tree, low, high };
        for wire in sinks.iter().map(|sink| sink.wire).chain([source]) {
            net.reach(device.at(wire), MARGIN);
        }
        Net { sinks, ..net }
    }
}

/// What ends meet in a bit of the netlist.
#[derive(Default)]
struct Ends {
    source: Option<u32>,
    sinks: Vec<Sink>,
    clock: bool,
    /// Site and number of a line that begins here, and how it goes on to the buffers of those that end here.
    line: Option<(String, usize)>,
    rest: String,
}

/// A table that is no part of a chain or a memory: only those have a mode.
pub fn is_free(cell: &Value) -> bool {
    let mode = &cell["parameters"]["MODE"];
    cell["type"] == "TRELLIS_COMB" && (mode.is_null() || mode == "LOGIC")
}

/// What a netlist has.
pub struct Nets {
    /// All nets that have a way to find.
    pub nets: Vec<Net>,
    /// Lines of the network of the clock.
    pub lines: Vec<Line>,
    /// Inputs of tables that may change places.
    pub free: Vec<u32>,
}

/// Of nextpnr's module.
pub fn read(device: &Device, module: &Value, timing: &Timing) -> Result<Nets, String> {
    let part = |name: &str| module[name].as_object().ok_or_else(|| format!("no {name}"));
    let (mut free, mut taken) = (Vec::new(), HashSet::new());
    let mut across = None;
    let mut ends: HashMap<u64, Ends> = HashMap::new();
    for (name, cell) in part("cells")? {
        let Some(place) = cell["attributes"]["NEXTPNR_BEL"].as_str() else { continue };
        let connections =
            cell["connections"].as_object().ok_or_else(|| format!("{name}: no ports"))?;
        if is_free(cell) {
            free.extend(INPUTS.iter().filter_map(|input| device.pin(place, input)));
        }
        for (port, bits) in connections {
            let Some(bit) = bits[0].as_u64() else { continue };
            let ends = ends.entry(bit).or_default();
            let sink = |wire| {
                let number = timing.number(name, port);
                Sink { wire, number, critical: 0.0, late: false }
            };
            if let Some(line) = network::line(name) {
                let site = place.rsplit('/').next().unwrap_or_default();
                if port == "CLKO" {
                    ends.line = Some((site.to_string(), line));
                } else if port == "CLKI" {
                    let across = across.get_or_insert_with(|| Across::new(device));
                    let entry =
                        across.entries(site)?.into_iter().find(|(wire, _)| taken.insert(*wire));
                    let (wire, rest) = entry.ok_or_else(|| format!("no way to {site}"))?;
                    ends.sinks.push(sink(wire));
                    // (It may end at two.)
                    ends.rest += if ends.rest.is_empty() { "" } else { ";" };
                    ends.rest += &rest;
                }
            } else if CLOCKS.contains(&&**port) || cell["type"] == "DCCA" {
                ends.clock = true;
            } else if let Some(wire) = device.pin(place, port) {
                if cell["port_directions"][port] == "output" {
                    ends.source = Some(wire);
                } else {
                    ends.sinks.push(sink(wire));
                }
            } else if cell["type"] != "TRELLIS_IO" {
                return Err(format!("{place}: no wire at port {port} of {name}"));
            }
        }
    }
    let (mut nets, mut lines) = (Vec::new(), Vec::new());
    for (name, net) in part("netnames")? {
        let ends = net["bits"][0].as_u64().and_then(|bit| ends.remove(&bit)).unwrap_or_default();
        let Ends { source, sinks, clock, line, rest } = ends;
        if let Some((site, number)) = line {
            let mut tiles: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for sink in sinks {
                let (x, y) = device.at(sink.wire);
                tiles.entry((x as usize, y as usize)).or_default().push(sink);
            }
            for (tile, sinks) in tiles {
                let source = device.line(tile, number);
                let source = source.ok_or_else(|| format!("no line {number} at {tile:?}"))?;
                nets.push(Net::new(device, name.clone(), source, sinks));
            }
            lines.push(Line { net: name.clone(), number, site });
        } else if let (Some(source), false, false) = (source, clock, sinks.is_empty()) {
            nets.push(Net { rest, ..Net::new(device, name.clone(), source, sinks) });
        }
    }
    Ok(Nets { nets, lines, free })
}
