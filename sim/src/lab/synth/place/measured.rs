//! What wires came to that have been routed, for as long as their ends stay where they were.

use super::board::tile;
use super::inputs;
use super::netlist::{Netlist, Place};
use serde::{Deserialize, Serialize};

/// How much more a wire that moves is thought to take than others: half of those as long take more than
/// thought, and what makes use of a guess that is too low is what moves.
const WARY: f32 = 100.0;

/// What depends on this file, for a hash.
pub fn what() -> String {
    WARY.to_string()
}

/// Picoseconds by wire, where they are known, the tiles of both ends, and the input.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured(Vec<Option<([usize; 2], u8, f32)>>);

impl Measured {
    /// Takes over what some wires of a placement came to.
    pub fn add(&mut self, netlist: &Netlist, routed: &[(u32, f32)]) {
        self.0.resize(netlist.wires.len(), None);
        for &(wire, delay) in routed {
            let at =
                ends_of(netlist, wire as usize).map(|end| tile(netlist.cells[end as usize].at));
            let input = inputs::of(netlist, &netlist.wires[wire as usize]);
            self.0[wire as usize] = Some((at, input, delay));
        }
    }

    /// Of a wire whose ends are here now, and at which input, and that is thought to take so much. Of one
    /// that came to something elsewhere it is more.
    pub fn of(&self, wire: u32, at: [Place; 2], input: u8, thought: f32) -> f32 {
        match self.0.get(wire as usize) {
            Some(&Some((was, there, delay))) if (was, there) == (at.map(tile), input) => delay,
            Some(Some(_)) => thought + WARY,
            _ => thought,
        }
    }
}

/// The cells at the ends of a wire.
fn ends_of(netlist: &Netlist, wire: usize) -> [u32; 2] {
    let wire = &netlist.wires[wire];
    [netlist.nets[wire.net as usize].driver, wire.cell]
}
