//! How long paths are by what all wires came to, for whoever routes them.

use super::Placing;
use super::board::Board;
use super::cost::Cost;
use super::netlist::Netlist;
use std::collections::HashMap;

/// Paths of a placement, kept up to date by the delays of its wires.
#[derive(Debug)]
pub struct Timing<'a> {
    netlist: &'a Netlist,
    cost: Cost,
    numbers: HashMap<(&'a str, &'a str), u32>,
}

impl Placing {
    /// As its wires are thought to be before they are routed.
    pub fn timing(&self) -> Result<Timing<'_>, String> {
        let netlist = &self.netlist;
        let cost = self.cost(&Board::new(netlist)?)?;
        let name = |wire: u32| {
            let wire = &netlist.wires[wire as usize];
            (&*netlist.cells[wire.cell as usize].name, &*wire.port)
        };
        let numbers = (0..netlist.wires.len() as u32).map(|wire| (name(wire), wire)).collect();
        Ok(Timing { netlist, cost, numbers })
    }
}

impl Timing<'_> {
    /// The number of the wire to a port of a cell, if paths go through it.
    pub fn number(&self, cell: &str, port: &str) -> Option<u32> {
        self.numbers.get(&(cell, port)).copied()
    }

    /// Picoseconds of the longest path.
    pub fn worst(&self) -> f32 {
        self.cost.paths.worst
    }

    /// Picoseconds of the longest path through a wire.
    pub fn through(&self, wire: u32) -> f32 {
        self.cost.paths.through[wire as usize]
    }

    /// Takes over what wires came to, in picoseconds.
    pub fn update(&mut self, delays: &[(u32, f32)]) {
        for &(wire, delay) in delays {
            if !self.netlist.wires[wire as usize].inner {
                self.cost.delay[wire as usize] = delay;
            }
        }
        self.cost.paths.update(&self.cost.delay);
    }
}
