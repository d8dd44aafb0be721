//! What wires came to that have been routed, for as long as their ends stay where they were.

use super::board::tile;
use super::netlist::{Netlist, Place, Wire};
use serde::{Deserialize, Serialize};

/// Picoseconds by wire, where they are known, and the tiles of both ends.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured(Vec<Option<([usize; 2], f32)>>);

impl Measured {
    /// Takes over what some wires of a placement came to.
    pub fn add(&mut self, netlist: &Netlist, routed: &[(u32, f32)]) {
        self.0.resize(netlist.wires.len(), None);
        for &(wire, delay) in routed {
            let Wire { net, cell, .. } = netlist.wires[wire as usize];
            let ends = [netlist.nets[net as usize].driver, cell];
            let at = ends.map(|end| tile(netlist.cells[end as usize].at));
            self.0[wire as usize] = Some((at, delay));
        }
    }

    /// Of a wire whose ends are here now.
    pub fn of(&self, wire: u32, at: [Place; 2]) -> Option<f32> {
        let (was, delay) = (*self.0.get(wire as usize)?)?;
        (was == at.map(tile)).then_some(delay)
    }
}
