//! Simulated annealing: cells change places at random, what costs less stays, and what
//! costs more stays the more rarely the colder it gets.
//!
//! What happens where only the longest paths count is in `shorten.rs`. Long by a few lines, because each kind of move
//! stands beside what decides whether it stays.

use super::board::{Board, Step, tile};
use super::cost::Cost;
use super::families::Families;
use super::netlist::{Netlist, Place};
use super::shorten;
use serde::{Deserialize, Serialize};

/// Moves of a round by cells, to the power 4/3.
const EFFORT: f64 = 3.0;
/// Temperature of the next round by that of the last.
const COOLING: f64 = 0.95;
/// Paths begin to count where less than so many moves stay, and count most where so few do.
const COUNTS: (f64, f64) = (0.75, 0.4);
/// How far cells go by how far they went in the last round, at least.
const NARROWS: f64 = 0.92;
/// Of moves: of rows of tiles, and of blocks.
const ROWS: f32 = 0.009;
const BLOCKS: f32 = 0.006;
/// A design with so many cells that move is large: it is cool before all parts have found together.
const LARGE: usize = 50_000;
/// Of moves of rows in a large design: those for which others make room, rather than change places.
const INSERTS: f32 = 0.7;
/// How far a block goes where cells go less far: there are few places for one.
const BLOCK_REACH: i32 = 14;
/// Of moves of one cell: for one at a critical wire; and of these in a large design, where what it
/// reads goes along, and so far from it at most.
pub(super) const FOCUS: f32 = 0.03;
const GROUPS: f32 = 0.3;
const AROUND: i16 = 2;
/// Behind this round multipliers of a large design go back to their families, and stay in their rows.
/// (Before it some come back by themselves.)
const REJOIN: usize = 5;
/// Looks at all paths in a round, and in a large design. (There, where more are late, moves between two looks that each
/// make one path longer, not knowing of the others, made most of its longest ones.)
const LOOKS: usize = 24;
const LOOKS_OF_LARGE: usize = 240;
/// How good a placement is said to be by the path to the so-manieth end.
const END: usize = 100;
/// Most rounds.
const ROUNDS: usize = 200;
/// What depends on this file, for a hash.
pub fn what() -> String {
    format!(
        "{EFFORT} {COOLING} {COUNTS:?} {NARROWS} {LARGE} {INSERTS} {ROWS} {BLOCKS} {BLOCK_REACH} {FOCUS} {GROUPS} {AROUND} {REJOIN} {LOOKS} {LOOKS_OF_LARGE} {END} {ROUNDS} "
    )
}

/// Where annealing begins: the temperature, by how much costs of moves differ, and how
/// many columns or rows a cell goes at most. (In a large design the temperature is by what a net
/// costs: what moves differ by is made by a few there, which cost very much.)
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// See above.
    pub temperature: f64,
    /// See above.
    pub reach: f64,
}

/// Numbers that look random, the same for the same seed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() & 0xff_ffff) as f32 / 16_777_216.0
    }
}

/// What a move becomes when it stays.
pub(super) enum Move {
    Cell,
    Rows([usize; 2], usize),
    Swap(u32, u32),
    Vacant(u32, usize, usize),
}

/// Is the design large?
pub fn is_large(board: &Board) -> bool {
    board.movable.len() >= LARGE
}

/// A board that is being annealed.
pub struct Annealing<'a> {
    pub(super) netlist: &'a Netlist,
    pub(super) board: &'a mut Board,
    pub(super) cost: &'a mut Cost,
    pub(super) random: &'a mut Random,
    steps: Vec<Step>,
    pub(super) before: Vec<Step>,
    /// Of moves of one cell: for one at a wire that counts.
    pub(super) focus: f32,
    /// Multipliers stay in their rows.
    in_rows: bool,
}

impl<'a> Annealing<'a> {
    /// Nothing has moved yet.
    pub fn new(
        netlist: &'a Netlist,
        board: &'a mut Board,
        cost: &'a mut Cost,
        random: &'a mut Random,
    ) -> Self {
        let (steps, before, focus) = (Vec::new(), Vec::new(), FOCUS);
        Annealing { netlist, board, cost, random, steps, before, focus, in_rows: false }
    }

    /// Somewhere around a cell, or on the way to something that it is wired to.
    pub(super) fn target(&mut self, cell: u32, reach: i32) -> Option<Place> {
        let at = self.board.at[cell as usize];
        let (mut x, mut y, mut reach) = (i32::from(at.x), i32::from(at.y), reach);
        if self.random.unit() < 0.5 {
            let ins = self.random.unit() < 0.6;
            let wires = if ins { self.cost.ins.of(cell) } else { self.cost.outs.of(cell) };
            if wires.is_empty() {
                return None;
            }
            let (from, to) = self.cost.ends(wires[self.random.below(wires.len())]);
            let other = self.board.at[if ins { from } else { to } as usize];
            let way = self.random.unit();
            x += ((i32::from(other.x) - x) as f32 * way) as i32;
            y += ((i32::from(other.y) - y) as f32 * way) as i32;
            reach = reach.min(3);
        }
        let mut around =
            |middle: i32| middle - reach + self.random.below(2 * reach as usize + 1) as i32;
        let (x, y) = (around(x) as i16, around(y) as i16);
        Board::has(x, y).then_some(Place { x, y, lane: 0 })
    }

    /// Puts a cell, or what is in its logic cell, elsewhere.
    fn cell(&mut self, reach: i32) -> Option<Move> {
        let hot = !self.cost.hot.is_empty() && self.random.unit() < self.focus;
        if !hot && self.cost.routed {
            return None;
        }
        let cells = if hot { &self.cost.hot } else { &self.board.movable };
        let cell = cells[self.random.below(cells.len())];
        if hot && self.is_large() && self.random.unit() < GROUPS {
            return self.group(cell, reach);
        }
        if hot && self.cost.longest && self.random.unit() < shorten::RUNS {
            return self.run_of(cell, reach);
        }
        let to = self.target(cell, reach)?;
        let to = Place { lane: self.random.below(8) as u8, ..to };
        let from = self.board.at[cell as usize];
        if !self.board.exchange(cell, to, &mut self.steps) {
            return None;
        }
        self.board.displace(&self.steps, &mut self.before);
        if self.board.is_legal_at([from, to]) {
            return Some(Move::Cell);
        }
        self.board.restore(&self.before);
        None
    }

    /// Puts a cell elsewhere, and around it what it alone reads, or if there is no such thing one that
    /// it reads, if that moves by itself. (Where a path begins in registers around a table, far from where it ends, none of them
    /// gains anything by going alone.)
    pub(super) fn group(&mut self, cell: u32, reach: i32) -> Option<Move> {
        let wires = self.cost.ins.of(cell);
        if wires.is_empty() {
            return None;
        }
        let one = self.cost.ends(wires[self.random.below(wires.len())]).0;
        let alone =
            |from: &u32| self.cost.outs.of(*from).len() == 1 && self.board.is_movable(*from);
        let sources = wires.iter().map(|wire| self.cost.ends(*wire).0);
        let mut group: Vec<_> = sources.filter(alone).collect();
        if group.is_empty() && self.board.is_movable(one) {
            group.push(one);
        }
        group.insert(0, cell);
        let middle = self.target(cell, reach)?;
        let mut first = true;
        self.together(&group, |random, _| {
            let mut to = Place { lane: random.below(8) as u8, ..middle };
            if !std::mem::take(&mut first) {
                [to.x, to.y] = [to.x, to.y]
                    .map(|at| at - AROUND + random.below(2 * AROUND as usize + 1) as i16);
            }
            to
        })
    }

    /// Puts cells elsewhere, each where is said of its place.
    pub(super) fn together(
        &mut self,
        cells: &[u32],
        mut to: impl FnMut(&mut Random, Place) -> Place,
    ) -> Option<Move> {
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for &cell in cells {
            let from = self.board.at[cell as usize];
            let to = to(self.random, from);
            // It may be there already, wired to the one before within a logic cell. What made room for
            // another stays where it is.
            let gone = |cell: u32| all.iter().any(|step: &Step| step.cell == cell);
            if gone(cell) {
                continue;
            }
            let goes = Board::has(to.x, to.y)
                && self.board.exchange(cell, to, &mut self.steps)
                && !self.steps.iter().any(|step| gone(step.cell));
            if !goes {
                self.board.restore(&all);
                return None;
            }
            self.board.displace(&self.steps, &mut self.before);
            all.append(&mut self.before);
            places.push([from, to]);
        }
        self.before = all;
        if places.into_iter().all(|places| self.board.is_legal_at(places)) {
            return Some(Move::Cell);
        }
        self.board.restore(&self.before);
        None
    }

    /// Is the design large?
    pub fn is_large(&self) -> bool {
        is_large(self.board)
    }

    /// Puts a chain, or the tile of a small memory, elsewhere.
    fn rows(&mut self, reach: i32) -> Option<Move> {
        let chains = &self.netlist.chains;
        let all = chains.len() + self.board.memories.len();
        if all == 0 {
            return None;
        }
        let which = self.random.below(all);
        let (cell, from) = if which < chains.len() {
            let chain = &chains[which];
            (chain[self.random.below(chain.len())], self.board.range(chain))
        } else {
            let cell = self.board.memories[which - chains.len()];
            let tile = tile(self.board.at[cell as usize]);
            (cell, tile..tile + 1)
        };
        let to = self.target(cell, reach.max(2))?;
        let (starts, count) = ([from.start, tile(to)], from.len());
        if self.is_large() && self.random.unit() < INSERTS {
            let done = self.board.insert_rows(chains, starts, count, &mut self.before);
            return done.then_some(Move::Rows(starts, count));
        }
        if !self.board.exchange_rows(chains, starts, count, &mut self.steps) {
            return None;
        }
        self.board.displace(&self.steps, &mut self.before);
        Some(Move::Rows(starts, count))
    }

    /// Puts a block where another of its kind is, or none: that nearest to a place
    /// at random.
    fn block(&mut self, reach: i32) -> Option<Move> {
        let hot = self.cost.longest && !self.cost.hot_blocks.is_empty();
        let (kind, cell) = if hot && self.random.unit() < self.focus {
            let cell = self.cost.hot_blocks[self.random.below(self.cost.hot_blocks.len())];
            (usize::from(!self.board.blocks[0].contains(&cell)), cell)
        } else {
            let kind = self.random.below(2);
            let blocks = &self.board.blocks[kind];
            if blocks.is_empty() {
                return None;
            }
            (kind, blocks[self.random.below(blocks.len())])
        };
        let to = self.target(cell, reach.max(BLOCK_REACH))?;
        let (blocks, vacant) = (&self.board.blocks[kind], &self.board.vacant[kind]);
        let away = |at: Place| (at.x - to.x).abs() + (at.y - to.y).abs();
        let row = self.board.at[cell as usize].y;
        let elsewhere = |at: Place| kind == 1 && self.in_rows && at.y != row;
        let near = |which: &usize| {
            let at = match blocks.get(*which) {
                Some(other) => self.board.at[*other as usize],
                None => vacant[*which - blocks.len()].0,
            };
            let other = blocks.get(*which) != Some(&cell) && !elsewhere(at);
            if other { away(at) } else { i16::MAX }
        };
        let which = (0..blocks.len() + vacant.len()).min_by_key(near)?;
        self.steps.clear();
        let done = if let Some(&other) = blocks.get(which) {
            if other == cell || elsewhere(self.board.at[other as usize]) {
                return None;
            }
            self.steps.push(Step { cell, to: self.board.at[other as usize] });
            self.steps.push(Step { cell: other, to: self.board.at[cell as usize] });
            Move::Swap(cell, other)
        } else {
            let which = which - blocks.len();
            self.steps.push(Step { cell, to: vacant[which].0 });
            Move::Vacant(cell, kind, which)
        };
        self.board.displace(&self.steps, &mut self.before);
        Some(done)
    }

    /// A move at random; whether it stayed, if there was one.
    pub(super) fn step(&mut self, temperature: f64, reach: i32) -> Option<bool> {
        let which = if self.cost.routed { 1.0 } else { self.random.unit() };
        let done = if which < BLOCKS {
            self.block(reach)
        } else if which < BLOCKS + ROWS {
            self.rows(reach)
        } else {
            self.cell(reach)
        }?;
        let more = self.cost.difference(self.board, &self.before);
        // Those that make room for a chain find better places later.
        let heat = match done {
            Move::Rows(..) if self.is_large() => temperature * self.before.len() as f64,
            _ => temperature,
        };
        if more > 0.0 && self.random.unit() >= (-more / heat as f32).exp() {
            self.board.restore(&self.before);
            return Some(false);
        }
        self.cost.accept();
        match done {
            Move::Cell => {}
            Move::Rows(starts, count) => self.board.exchanged(starts, count),
            Move::Swap(a, b) => self.board.sites.swap(a as usize, b as usize),
            Move::Vacant(cell, kind, which) => {
                let vacant = &mut self.board.vacant[kind][which];
                vacant.0 = self.before[0].to;
                std::mem::swap(&mut vacant.1, &mut self.board.sites[cell as usize]);
            }
        }
        Some(true)
    }

    /// How much costs of moves differ.
    fn spread(&mut self, reach: i32) -> f64 {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for _ in 0..self.board.movable.len() {
            if self.cell(reach).is_some() {
                let more = f64::from(self.cost.difference(self.board, &self.before));
                self.board.restore(&self.before);
                if !more.is_finite() {
                    continue;
                }
                (count, sum, squares) = (count + 1.0, sum + more, squares + more * more);
            }
        }
        let mean: f64 = sum / f64::max(count, 1.0);
        (squares / f64::max(count, 1.0) - mean * mean).max(0.0).sqrt()
    }

    /// Costs and paths as they are now, as between the moves of a round.
    #[cfg(test)]
    pub(super) fn look(&mut self) {
        self.cost.look(self.board, 1.0);
    }

    /// Anneals until it is cold, or for so many rounds; `tell` hears of each. How long the path to
    /// the hundredth end was at best behind a round. (Now and then a chain has just gone astray.)
    pub fn run(&mut self, start: Start, until: usize, tell: &mut dyn FnMut(&str)) -> f32 {
        let mut best = f32::INFINITY;
        if self.board.movable.is_empty() {
            return best;
        }
        let moves = (EFFORT * (self.board.movable.len() as f64).powf(4.0 / 3.0)) as usize;
        let mut reach = start.reach;
        self.cost.look(self.board, 0.0);
        let net = 1.0 / self.netlist.nets.len() as f64;
        let mut temperature =
            start.temperature * if self.is_large() { net } else { self.spread(10) };
        let cold = 0.005 * net;
        let looks = if self.is_large() { LOOKS_OF_LARGE } else { LOOKS };
        self.cost.insist_by(LOOKS as f32 / looks as f32);
        let (mut rounds, mut near) = (0, 0.0);
        let families = Families::new(self.netlist, self.board);
        loop {
            let (mut tried, mut stayed) = (0usize, 0usize);
            for _ in 0..looks {
                self.cost.settle_inputs(self.netlist, self.board);
                self.cost.look(self.board, near);
                for _ in 0..moves / looks + 1 {
                    if let Some(stays) = self.step(temperature, reach as i32) {
                        (tried, stayed) = (tried + 1, stayed + usize::from(stays));
                    }
                }
            }
            rounds += 1;
            self.cost.look(self.board, near);
            let worst = self.cost.paths.worst / 1000.0;
            let extents = self.cost.extents();
            tell(&format!("round {rounds}: {worst:.2} ns, {extents:.0} tiles of wire"));
            best = best.min(self.cost.paths.to_end(self.netlist, &self.cost.delay, END));
            if temperature == 0.0 || rounds == until {
                return best;
            }
            if rounds == REJOIN && self.is_large() {
                families.rejoin(self.board);
                self.in_rows = true;
            }
            let share = stayed as f64 / tried.max(1) as f64;
            reach = (reach * (0.56 + share).max(NARROWS)).clamp(1.0, start.reach);
            // What is far apart when paths begin to count stays so: they count while cells still
            // go far.
            let (most, least) = COUNTS;
            near = f32::max(near, ((most - share) / (most - least)).clamp(0.0, 1.0) as f32);
            temperature *= match share {
                all if all > 0.96 => 0.5,
                some if some > 0.15 || reach > 1.5 => COOLING,
                _ => 0.8,
            };
            if temperature < cold || rounds >= ROUNDS {
                temperature = 0.0;
            }
        }
    }
}
