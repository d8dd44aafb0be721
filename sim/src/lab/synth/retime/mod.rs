//! Registers where they make paths short, in a netlist that Yosys has made.
//!
//! What stands between registers is as the hardware's text has it: of two stages one may need
//! seven tables in a row and the next only four. A register behind a table can as well be
//! several before it, and several before one behind it, as long as each begins with what fits: the
//! netlist does the same in every cycle, from the first on. Here registers go through tables and carry
//! chains (`moves.rs`) while there are paths that are longer than others need be (`times.rs`). In a large
//! netlist drivers of wide nets have copies then (`wide.rs`).

mod backward;
mod graph;
mod json;
mod moves;
#[cfg(test)]
mod tests;
mod times;
mod wide;

use graph::Graph;
pub use json::top;
use moves::Moves;
use serde_json::Value;
use times::Times;
use wide::Wide;

/// Picoseconds that paths are to have, the best first: six tables, and more for what cannot.
const GOALS: &[f32] = &[7950.0, 8600.0, 9200.0, 10200.0];
/// Most passes for each.
const PASSES: usize = 40;
/// How many ends say how long paths are, and which does in a large netlist.
const ENDS: usize = 100;
const END_OF_LARGE: usize = 1000;
/// A netlist with so many tables and registers is large: what is read widely is far from those who do.
const LARGE: usize = 60_000;
const WIDE: Wide = Wide { readers: 32, share: 4, long: 9500.0 };

/// What the netlist depends on beside what Yosys made, for a hash.
pub fn what() -> String {
    let large = format!("{LARGE} {WIDE:?}");
    [
        format!("{GOALS:?} {PASSES} {ENDS} {END_OF_LARGE}"),
        large,
        times::what(),
        moves::what(),
        wide::what(),
    ]
    .concat()
}

/// The netlist in Yosys's JSON with its registers elsewhere. `tell` hears how it goes.
pub fn retime(json: &mut Value, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    let mut graph = Graph::read(json)?;
    for &goal in GOALS {
        retime_to(&mut graph, goal, tell)?;
    }
    if is_large(&graph) {
        let copies = wide::split(&mut graph, WIDE)?;
        tell(&format!("{copies} copies of drivers of wide nets"));
    }
    graph.write(json)
}

fn is_large(graph: &Graph) -> bool {
    graph.tables.iter().flatten().count() + graph.registers.iter().flatten().count() >= LARGE
}

/// Of a netlist.
#[derive(Clone, Copy, Debug)]
pub struct Longest {
    /// How long its longest paths are, in picoseconds: those to a hundred ends, on average. (Of the
    /// longest one alone place and route makes a short one.) If it is large, the path to the thousandth
    /// end, where it counts how widely nets are read: of a few hundred that are together, though
    /// longer, place and route makes short ones, too.
    pub time: f32,
    /// Is it large?
    pub of_large: bool,
}

/// See [`Longest`].
pub fn longest(json: &Value) -> Result<Longest, String> {
    let graph = Graph::read(json)?;
    let of_large = is_large(&graph);
    let times = match of_large {
        true => Times::with(&graph, &times::later(&graph))?,
        false => Times::new(&graph)?,
    };
    let mut ends = times.ends;
    ends.retain(|time| *time > 0.0);
    ends.sort_by(|a, b| b.total_cmp(a));
    let time = match of_large {
        true => ends[(END_OF_LARGE - 1).min(ends.len() - 1)],
        false => {
            ends.truncate(ENDS);
            ends.iter().sum::<f32>() / ends.len().max(1) as f32
        }
    };
    Ok(Longest { time, of_large })
}

/// Until no path longer than `goal` becomes shorter.
fn retime_to(graph: &mut Graph, goal: f32, tell: &mut dyn FnMut(&str)) -> Result<(), String> {
    for pass in 1..=PASSES {
        let forward = Moves::new(graph, goal)?.all_forward();
        let backward = Moves::new(graph, goal)?.all_backward();
        let worst = Times::new(graph)?.worst / 1000.0;
        let moved = forward + backward;
        tell(&format!("pass {pass}: {moved} tables through registers, {worst:.2} ns"));
        if moved == 0 {
            break;
        }
    }
    Ok(())
}
