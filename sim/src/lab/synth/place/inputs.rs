//! Which input of a table a wire enters.
//!
//! A table computes the same with its inputs in any other order, if what it has stored is in that order,
//! too. But wires take longer to some inputs than to others, from near and from far. So
//! whatever comes last enters where it is fastest.

use super::netlist::{Cell, Kind, Netlist, Wire};
use serde_json::Value;

/// The inputs, and how much more than others as long a wire to one takes, in picoseconds: the median of
/// late wires, as a router came to.
const INPUTS: [(&str, f32); 4] = [("A", 220.0), ("B", 200.0), ("C", 0.0), ("D", -220.0)];
/// What changing places gains at least, in picoseconds.
const WORTH: f32 = 30.0;
/// A number that stands for what is no such input.
pub const NONE: u8 = INPUTS.len() as u8;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{INPUTS:?} {WORTH}")
}

/// The number of an input, by the name of a port.
pub fn number(port: &str) -> u8 {
    INPUTS.iter().position(|(input, _)| *input == port).map_or(NONE, |number| number as u8)
}

/// Its name.
pub fn name(number: u8) -> &'static str {
    INPUTS[usize::from(number)].0
}

/// How much more a wire there takes.
pub fn more(number: u8) -> f32 {
    INPUTS.get(usize::from(number)).map_or(0.0, |(_, more)| *more)
}

/// Inputs may change places.
pub fn is_free(cell: &Cell) -> bool {
    cell.kind == Kind::Table && !cell.carry && !cell.memory && !cell.pinned
}

/// The number of the input that a wire enters, where that may be another.
pub fn of(netlist: &Netlist, wire: &Wire) -> u8 {
    if is_free(&netlist.cells[wire.cell as usize]) { number(&wire.port) } else { NONE }
}

/// The inputs that wires to one table had better enter, when each takes so long by way of `now`, and
/// would by another (`then`); nothing if that gains nothing.
pub fn order(now: &[f32], then: &[f32]) -> Option<Vec<u8>> {
    let mut wires: Vec<_> = (0..then.len()).collect();
    wires.sort_by(|a, b| then[*b].total_cmp(&then[*a]));
    let mut inputs = vec![NONE; wires.len()];
    for (wire, input) in wires.into_iter().zip((0..NONE).rev()) {
        inputs[wire] = input;
    }
    let last = |times: &mut dyn Iterator<Item = f32>| times.fold(0.0, f32::max);
    let was = last(&mut now.iter().copied());
    let is = last(&mut then.iter().zip(&inputs).map(|(time, input)| time + more(*input)));
    (is + WORTH < was).then_some(inputs)
}

impl Netlist {
    /// Puts inputs of a table in nextpnr's JSON in the order that they have now.
    pub(super) fn write_inputs(&self, cell: &Cell, value: &mut Value) -> Result<(), String> {
        // Where each has gone; what is wired to nothing takes what is left.
        let mut to = [NONE; INPUTS.len()];
        let mut any = false;
        for wire in cell.wires.iter().map(|wire| &self.wires[*wire as usize]) {
            let from = number(wire.was.as_deref().unwrap_or(&wire.port));
            if from < NONE {
                to[usize::from(from)] = number(&wire.port);
                any |= wire.was.is_some();
            }
        }
        if !any {
            return Ok(());
        }
        for from in 0..to.len() {
            if to[from] == NONE {
                to[from] =
                    (0..NONE).find(|input| !to.contains(input)).expect("as many as there are");
            }
        }
        let stored = value["parameters"]["INITVAL"].as_str().unwrap_or_default();
        let bits = u32::from_str_radix(stored, 2).ok().filter(|_| stored.len() == 16);
        let bits = bits.ok_or_else(|| format!("{} stores `{stored}`, not 16 bits", cell.name))?;
        let before = |now: u32| (0..4).fold(0, |all, from| all | (now >> to[from] & 1) << from);
        let stored: String =
            (0..16).rev().map(|now| if bits >> before(now) & 1 == 1 { '1' } else { '0' }).collect();
        value["parameters"]["INITVAL"] = stored.into();
        for part in ["port_directions", "connections"] {
            let ports = value[part].as_object_mut().ok_or("a cell of nextpnr's has no ports")?;
            let taken = INPUTS.map(|(input, _)| ports.remove(input));
            let moved = taken.into_iter().zip(to);
            ports.extend(moved.filter_map(|(value, to)| Some((name(to).to_string(), value?))));
        }
        Ok(())
    }
}
