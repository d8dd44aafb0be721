//! Where only the longest paths count: they become shorter, and wire is taken back behind that.

use super::anneal::{Annealing, FOCUS, Move};
use super::netlist::Place;

/// Where only the longest paths count: looks, and cells by moves between two of them.
const SHORTENING: usize = 1000;
const SHORT: usize = 8;
/// Looks behind them, in which wire is taken back.
const SQUEEZING: usize = 700;
/// How much longer than before paths may be then.
const GIVES: f32 = 1.005;
/// Where all wires are routed: so many looks without a shorter longest path at most. (What leaves its place has to be
/// routed again.)
const IDLE: usize = 20;
/// For one at the longest paths of moves of one cell, and how far they go.
const FOCUSED: f32 = 0.9;
const REACHES: [i32; 4] = [2, 5, 10, 25];
/// There, of those for one that takes its neighbours on the path along; how many go together at most, and from how far
/// apart (tiles).
pub const RUNS: f32 = 0.5;
const RUN: usize = 6;
const NEARBY: i16 = 8;

/// What annealing depends on in this file, for a hash.
pub fn what() -> String {
    format!("{SHORTENING} {SHORT} {FOCUSED} {REACHES:?}")
}

/// What shortening depends on beside that.
pub fn what_of_longest() -> String {
    format!("{RUNS} {RUN} {NEARBY} {SQUEEZING} {GIVES}")
}

/// What shortening depends on in this file where all wires are routed.
pub fn what_of_routed() -> String {
    IDLE.to_string()
}

impl Annealing<'_> {
    /// Puts a cell elsewhere, and as far away from where they are now its neighbours on the longest path through it. (A
    /// long wire becomes shorter if who is at its end goes alone, and the next one as much longer.)
    pub(super) fn run_of(&mut self, cell: u32, reach: i32) -> Option<Move> {
        let most = 2 + self.random.below(RUN - 1);
        let mut run = vec![cell];
        let ins = self.random.below(2) == 0;
        for ins in [ins, !ins] {
            let mut last = cell;
            while run.len() < most {
                let wires = if ins { self.cost.ins.of(last) } else { self.cost.outs.of(last) };
                let through = |wire: &u32| self.cost.paths.through[*wire as usize];
                let wire = wires.iter().max_by(|a, b| through(a).total_cmp(&through(b)));
                let Some((from, to)) = wire.map(|wire| self.cost.ends(*wire)) else { break };
                let next = if ins { from } else { to };
                let [a, b] = [last, next].map(|cell| self.board.at[cell as usize]);
                let near = (a.x - b.x).abs() + (a.y - b.y).abs() <= NEARBY;
                if !near || run.contains(&next) || !self.board.is_movable(next) {
                    break;
                }
                run.push(next);
                last = next;
            }
        }
        let (at, to) = (self.board.at[cell as usize], self.target(cell, reach)?);
        let (x, y) = (to.x - at.x, to.y - at.y);
        self.together(&run, |random, at| {
            let lane = random.below(8) as u8;
            Place { x: at.x + x, y: at.y + y, lane }
        })
    }

    /// Takes wire back, where that makes no path longer than the longest one, or hardly.
    pub fn squeeze(&mut self, tell: &mut dyn FnMut(&str)) {
        self.cost.look(self.board, 1.0);
        let first = self.cost.paths.worst;
        let mut best = (self.board.clone(), self.cost.input.clone());
        for look in 0..=SQUEEZING {
            self.cost.settle_inputs(self.netlist, self.board);
            self.cost.look_at_longest(self.board, first);
            let worst = self.cost.paths.worst;
            // (Between two looks moves do not know of each other.)
            if worst <= GIVES * first {
                best = (self.board.clone(), self.cost.input.clone());
            }
            if look % 100 == 0 {
                let extents = self.cost.extents();
                tell(&format!(
                    "longest paths: {:.2} ns, {extents:.0} tiles of wire",
                    worst / 1000.0
                ));
            }
            self.some(self.board.movable.len() / SHORT);
        }
        (*self.board, self.cost.input) = best;
    }

    /// So many moves, near and far, of which only those that gain stay.
    fn some(&mut self, moves: usize) {
        for _ in 0..moves {
            let reach = REACHES[self.random.below(REACHES.len())];
            self.step(f64::MIN_POSITIVE, reach);
        }
    }

    /// Makes the longest paths shorter, at the cost of shorter ones, until there are too many;
    /// how long the longest one is then. (Annealing leaves a few that are much longer than all others:
    /// each of its moves is about all of them.) Where all wires are `routed` only what lies in those paths moves.
    pub fn shorten(&mut self, routed: bool, tell: &mut dyn FnMut(&str)) -> f32 {
        let mut best = (f32::INFINITY, self.board.clone(), self.cost.input.clone());
        self.focus = FOCUSED;
        self.cost.routed = routed;
        let mut idle = 0;
        for look in 0..=SHORTENING {
            self.cost.settle_inputs(self.netlist, self.board);
            self.cost.look_at_longest(self.board, best.0);
            let worst = self.cost.paths.worst;
            idle += 1;
            if worst < best.0 {
                best = (worst, self.board.clone(), self.cost.input.clone());
                idle = 0;
            }
            if look % 200 == 0 {
                tell(&format!("longest paths: {:.2} ns", best.0 / 1000.0));
            }
            if best.0 <= self.cost.of_longest.enough || routed && idle > IDLE {
                break;
            }
            self.some(self.board.movable.len() / SHORT);
        }
        self.focus = FOCUS;
        (*self.board, self.cost.input) = (best.1, best.2);
        self.cost.look(self.board, 1.0);
        best.0
    }
}
