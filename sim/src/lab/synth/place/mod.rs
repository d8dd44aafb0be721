//! Places for a netlist that nextpnr has packed and placed, before it routes it.
//!
//! nextpnr's placers mind how long paths are only in passing: on what they come to, single
//! wires go across the device and lie in the longest paths. What is here takes their
//! placement as a legal one to begin with, and anneals it: `anneal.rs`. It knows the device
//! (`board.rs`), the delays of cells, which nextpnr writes, how long wires take (`cost.rs`),
//! and how much wire there is room for (`crowd.rs`). In the end only the longest paths
//! count, and these are routed first (`late.rs`). Where a wire makes a detour because what drives it is read elsewhere, too, it gets
//! a copy of the driver (`copies.rs`). The netlist is otherwise the same.

mod anneal;
mod board;
mod copies;
mod cost;
mod crowd;
mod late;
mod netlist;
mod paths;
#[cfg(test)]
mod tests;
mod write;

use anneal::{Annealing, Random, Start};
use board::Board;
use cost::Cost;
pub use late::Late;
use netlist::Netlist;

/// Annealing, from a placement where little holds.
const START: Start = Start { temperature: 0.6, reach: 90.0 };
/// How often there are copies, how many there are each time, and the paths (picoseconds) that
/// have any.
const COPYING: usize = 8;
const COPIES: usize = 1000;
const GOAL: f32 = 9500.0;

/// What places depend on beside the netlist, for a hash.
pub fn what() -> String {
    let how = format!("{START:?} {COPYING} {COPIES} {GOAL}");
    [how, anneal::what(), cost::what(), board::what(), copies::what(), late::what()].concat()
}

/// A placement.
#[derive(Debug)]
pub struct Placed {
    /// nextpnr's JSON.
    pub netlist: String,
    /// Of it, what is routed first.
    pub late: Late,
}

/// The netlist in nextpnr's JSON, with better places; `sdf` is what nextpnr wrote of its
/// delays. `tell` hears how it goes.
pub fn improve(
    json: &str,
    sdf: &str,
    seed: u64,
    tell: &mut dyn FnMut(&str),
) -> Result<Placed, String> {
    improve_to(GOAL, json, sdf, seed, tell)
}

/// With copies for paths longer than `goal`.
fn improve_to(
    goal: f32,
    json: &str,
    sdf: &str,
    seed: u64,
    tell: &mut dyn FnMut(&str),
) -> Result<Placed, String> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|e| format!("nextpnr wrote no JSON: {e}"))?;
    let mut netlist = Netlist::read(&value, sdf)?;
    let mut random = Random::new(seed);
    let mut board = Board::new(&netlist)?;
    board.check(&netlist)?;
    let mut cost = Cost::new(&netlist, &board)?;
    Annealing::new(&netlist, &mut board, &mut cost, &mut random).run(START, tell);
    board.leave(&mut netlist);
    let mut best = None;
    let mut shortest = f32::INFINITY;
    for copying in 0..=COPYING {
        let mut board = Board::new(&netlist)?;
        board.check(&netlist)?;
        let mut cost = Cost::new(&netlist, &board)?;
        let mut annealing = Annealing::new(&netlist, &mut board, &mut cost, &mut random);
        let worst = annealing.shorten(tell);
        board.check(&netlist)?;
        let copies = if copying == COPYING {
            Vec::new()
        } else {
            copies::find(&netlist, &mut board, &cost, goal, COPIES)
        };
        board.leave(&mut netlist);
        if worst < shortest {
            let mut placed = value.clone();
            netlist.write(&mut placed)?;
            let text = placed.to_string();
            let late = Late::new(&netlist, &cost, placed)?;
            (shortest, best) = (worst, Some(Placed { netlist: text, late }));
        }
        for (net, wires, at) in copies {
            netlist.copy(net, &wires, at);
        }
    }
    best.ok_or_else(|| "no placement has paths".into())
}
