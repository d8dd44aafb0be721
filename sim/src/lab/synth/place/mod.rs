//! Places for a netlist that nextpnr has packed and placed, before it routes it.
//!
//! nextpnr's placers mind how long paths are only in passing: on what they come to, single
//! wires go across the device and lie in the longest paths. What is here takes their
//! placement as a legal one to begin with, and anneals it: `anneal.rs`. It knows the device
//! (`board.rs`), the delays of cells, which nextpnr writes, how long wires take (`cost.rs`) and to which
//! inputs (`inputs.rs`), and how much wire there is room for (`crowd.rs`); multipliers with common operands stay in one row
//! (`families.rs`). In the end only the longest paths
//! count (`shorten.rs`). What wires came to that have been routed (`../wires/`) is measured (`measured.rs`), and where
//! that is more than was thought they become shorter again. Where a wire makes a detour because what
//! drives it is read elsewhere, too, it gets a copy of the driver (`copies.rs`). The netlist is
//! otherwise the same.

mod anneal;
mod board;
mod copies;
mod cost;
mod crowd;
mod families;
mod inputs;
mod measured;
mod netlist;
mod paths;
mod shorten;
#[cfg(test)]
mod tests;
mod timing;
mod write;

use anneal::{Annealing, Random, Start};
use board::Board;
use cost::Cost;
use measured::Measured;
use netlist::{Netlist, WITHIN, read};
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use timing::Timing;

/// Annealing begins so cool that modules stay where nextpnr has them. (From a hot start there is
/// more wire, and paths are longer.)
const START: Start = Start { temperature: 0.03, reach: 20.0 };
/// Of a large design nextpnr leaves parts of a module far from the rest, which have to find together.
/// (The temperature is by another measure there.)
const START_OF_LARGE: Start = Start { temperature: 0.07, ..START };
/// What a placement of nextpnr is worth is seen within so many rounds: of those that are far from what
/// they need some stay so.
const PROBE: usize = 6;
/// How often there are copies at most, how many there are each time, and the paths that have any:
/// longer than this (picoseconds), and of the longest one more than such a share. (Each copy makes
/// more wire. With thousands routing does not end.)
const COPYING: usize = 8;
const COPIES: usize = 50;
const GOAL: f32 = 9500.0;
const NEAR: f32 = 0.96;

/// What places depend on beside the netlist, for a hash.
pub fn what() -> String {
    let how =
        format!("{START:?} {START_OF_LARGE:?} {PROBE} {COPYING} {COPIES} {GOAL} {NEAR} {WITHIN}");
    let then = [copies::what(), measured::what()].concat();
    [how, anneal::what(), shorten::what(), cost::what(), inputs::what(), board::what(), then]
        .concat()
}

/// What shortening, with copies, depends on beside that.
pub fn what_of_longest() -> String {
    [shorten::what_of_longest(), cost::what_of_longest()].concat()
}

/// What shortening depends on beside that where all wires are routed, for a hash.
pub fn what_of_routed() -> String {
    [shorten::what_of_routed(), cost::what_of_routed()].concat()
}

/// A netlist that is being placed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Placing {
    /// As nextpnr wrote it.
    #[serde(skip)]
    value: Value,
    netlist: Netlist,
    measured: Measured,
    random: Random,
}

/// How good a placement of a large design promises to be: picoseconds, after a few rounds. Of others
/// nothing is known: whichever it is, all parts find together.
pub fn promise(
    json: &str,
    sdf: &str,
    seed: u64,
    tell: &mut dyn FnMut(&str),
) -> Result<Option<f32>, String> {
    let netlist = Netlist::read(&read(json)?, sdf)?;
    let (mut board, mut random) = (Board::new(&netlist)?, Random::new(seed));
    let mut cost = Cost::new(&netlist, &board)?;
    let mut annealing = Annealing::new(&netlist, &mut board, &mut cost, &mut random);
    if !annealing.is_large() {
        return Ok(None);
    }
    Ok(Some(annealing.run(START_OF_LARGE, PROBE, tell)))
}

impl Placing {
    /// The netlist in nextpnr's JSON, with better places; `sdf` is what nextpnr wrote of its
    /// delays. `tell` hears how it goes.
    pub fn anneal(
        json: &str,
        sdf: &str,
        seed: u64,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Placing, String> {
        let value = read(json)?;
        let mut netlist = Netlist::read(&value, sdf)?;
        let mut random = Random::new(seed);
        let mut board = Board::new(&netlist)?;
        board.check(&netlist)?;
        let mut cost = Cost::new(&netlist, &board)?;
        let mut annealing = Annealing::new(&netlist, &mut board, &mut cost, &mut random);
        let start = if annealing.is_large() { START_OF_LARGE } else { START };
        annealing.run(start, usize::MAX, tell);
        board.leave(&mut netlist);
        cost.leave_inputs(&mut netlist);
        Ok(Placing { value, netlist, measured: Measured::default(), random })
    }

    /// Makes the longest paths shorter, with copies for them, and then takes back wire that nobody needs.
    pub fn copy(&mut self, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
        let goal = |worst: f32, enough| match worst <= enough {
            true => f32::INFINITY,
            false => GOAL.max(NEAR * worst),
        };
        self.copy_to(goal, tell)?;
        let Placing { netlist, random, .. } = self;
        let mut board = Board::new(netlist)?;
        let mut cost = Cost::new(netlist, &board)?;
        Annealing::new(netlist, &mut board, &mut cost, random).squeeze(tell);
        board.check(netlist)?;
        board.leave(netlist);
        cost.leave_inputs(netlist);
        Ok(())
    }

    /// With copies for paths that are longer than `goal` says for the longest one, and for what is enough.
    fn copy_to(
        &mut self,
        goal: impl Fn(f32, f32) -> f32,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        let Placing { netlist, random, .. } = self;
        let mut best = None;
        let mut shortest = f32::INFINITY;
        for copying in 0..=COPYING {
            let mut board = Board::new(netlist)?;
            board.check(netlist)?;
            let mut cost = Cost::new(netlist, &board)?;
            let mut annealing = Annealing::new(netlist, &mut board, &mut cost, random);
            let worst = annealing.shorten(false, tell);
            board.check(netlist)?;
            let copies = if copying == COPYING {
                Vec::new()
            } else {
                copies::find(
                    netlist,
                    &mut board,
                    &cost,
                    goal(worst, cost.of_longest.enough),
                    COPIES,
                )
            };
            board.leave(netlist);
            cost.leave_inputs(netlist);
            if worst < shortest {
                (shortest, best) = (worst, Some(netlist.clone()));
            }
            if copies.is_empty() {
                break;
            }
            for (net, wires, at) in copies {
                netlist.copy(net, &wires, at);
            }
        }
        self.netlist = best.ok_or("no placement has paths")?;
        Ok(())
    }

    /// How far it is, for [`Placing::again`].
    pub fn kept(&self) -> String {
        serde_json::to_string(self).expect("names and numbers")
    }

    /// Of nextpnr's JSON and how far it was.
    pub fn again(json: &str, kept: &str) -> Result<Placing, String> {
        let placing: Placing = serde_json::from_str(kept)
            .map_err(|e| format!("not a placement that was kept: {e}"))?;
        Ok(Placing { value: read(json)?, ..placing })
    }

    /// What it costs, by what wires came to.
    fn cost(&self, board: &Board) -> Result<Cost, String> {
        let mut cost = Cost::new(&self.netlist, board)?;
        cost.take(board, &self.measured);
        Ok(cost)
    }

    /// nextpnr's JSON as it is now.
    pub fn whole(&self) -> Result<Value, String> {
        let mut placed = self.value.clone();
        self.netlist.write(&mut placed)?;
        Ok(placed)
    }

    /// Takes what wires came to, in picoseconds; how long the longest path is then.
    pub fn came_to(&mut self, delays: &[(u32, f32)]) -> Result<f32, String> {
        self.measured.add(&self.netlist, delays);
        Ok(self.cost(&Board::new(&self.netlist)?)?.paths.worst)
    }

    /// Makes the longest paths shorter, by what wires came to.
    pub fn shorten(&mut self, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
        let mut board = Board::new(&self.netlist)?;
        let mut cost = self.cost(&board)?;
        Annealing::new(&self.netlist, &mut board, &mut cost, &mut self.random).shorten(true, tell);
        board.check(&self.netlist)?;
        board.leave(&mut self.netlist);
        cost.leave_inputs(&mut self.netlist);
        Ok(())
    }
}
