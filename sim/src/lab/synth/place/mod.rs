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

/// Annealing begins so cool that modules stay where nextpnr has them. (From ten times as hot a
/// core comes out with a fifth more wire and with longer paths.)
const START: Start = Start { temperature: 0.03, reach: 20.0 };
/// How often there are copies at most, how many there are each time, and the paths that have any:
/// longer than this (picoseconds), and of the longest one more than such a share. (Each copy makes
/// more wire. With thousands routing does not end.)
const COPYING: usize = 24;
const COPIES: usize = 50;
const GOAL: f32 = 9500.0;
const NEAR: f32 = 0.96;

/// What places depend on beside the netlist, for a hash.
pub fn what() -> String {
    let how = format!("{START:?} {COPYING} {COPIES} {GOAL} {NEAR}");
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

/// How much longer paths of a placement are than aimed at, wire by wire: of several placements
/// that with the least has the shortest paths once it is annealed.
pub fn strain(json: &str, sdf: &str) -> Result<f64, String> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|e| format!("nextpnr wrote no JSON: {e}"))?;
    let netlist = Netlist::read(&value, sdf)?;
    let board = Board::new(&netlist)?;
    Ok(Cost::new(&netlist, &board)?.strain(&netlist))
}

/// The netlist in nextpnr's JSON, with better places; `sdf` is what nextpnr wrote of its
/// delays. `tell` hears how it goes.
pub fn improve(
    json: &str,
    sdf: &str,
    seed: u64,
    tell: &mut dyn FnMut(&str),
) -> Result<Placed, String> {
    improve_to(|worst| GOAL.max(NEAR * worst), json, sdf, seed, tell)
}

/// With copies for paths that are longer than `goal` says for the longest one.
fn improve_to(
    goal: impl Fn(f32) -> f32,
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
            copies::find(&netlist, &mut board, &cost, goal(worst), COPIES)
        };
        board.leave(&mut netlist);
        if worst < shortest {
            let mut placed = value.clone();
            netlist.write(&mut placed)?;
            let text = placed.to_string();
            let late = Late::new(&netlist, &cost, placed)?;
            (shortest, best) = (worst, Some(Placed { netlist: text, late }));
        }
        if copies.is_empty() {
            break;
        }
        for (net, wires, at) in copies {
            netlist.copy(net, &wires, at);
        }
    }
    best.ok_or_else(|| "no placement has paths".into())
}
