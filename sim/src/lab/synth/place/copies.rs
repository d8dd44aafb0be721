//! Copies of registers and tables, where one in the middle of what reads it makes a detour.

use super::board::Board;
use super::cost::Cost;
use super::netlist::{Kind, Netlist, Place};

/// Wires below this have no detour, and what a copy saves at least, in picoseconds.
const SHORT: f32 = 900.0;
const WORTH: f32 = 300.0;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{SHORT} {WORTH}")
}

/// A placement and its paths.
struct Detours<'a> {
    netlist: &'a Netlist,
    board: &'a Board,
    cost: &'a Cost,
    /// Paths up to here need nothing.
    goal: f32,
}

/// A net, those of its wires that a copy of the driver takes over, and where that goes.
pub type Copy = (u32, Vec<u32>, Place);

/// What to copy, at most `most`, for paths longer than `goal` picoseconds. The places of the
/// copies are taken on the board.
pub fn find(
    netlist: &Netlist,
    board: &mut Board,
    cost: &Cost,
    goal: f32,
    most: usize,
) -> Vec<Copy> {
    let found = Detours { netlist, board, cost, goal }.find();
    let mut copies = Vec::new();
    for (net, wires, near) in found {
        if copies.len() < most
            && let Some(at) = board.vacancy(netlist.nets[net as usize].driver, near)
        {
            copies.push((net, wires, at));
        }
    }
    copies
}

/// Cells that lie together have one way in for these.
const SHARED: [&str; 3] = ["CE", "LSR", "WRE"];

impl Detours<'_> {
    /// It may come from a copy of its driver.
    fn is_free(&self, wire: u32) -> bool {
        let wire = &self.netlist.wires[wire as usize];
        !wire.inner && !SHARED.contains(&wire.port.as_str())
    }

    fn at(&self, cell: u32) -> Place {
        self.board.at[cell as usize]
    }

    fn arrival(&self, wire: u32) -> f32 {
        self.cost.paths.arrival[self.netlist.wires[wire as usize].net as usize]
    }

    /// What a copy for a wire would save.
    fn saves(&self, driver: u32, wire: u32) -> f32 {
        let (cell, end) = (&self.netlist.cells[driver as usize], self.cost.ends(wire).1);
        let (delay, to) = (self.cost.delay[wire as usize], self.at(end));
        let least = self.cost.apart(to, to);
        if cell.kind == Kind::Register {
            let fits = |input: &u32| {
                let way = self.cost.apart(self.at(self.cost.ends(*input).0), to);
                let setup = self.netlist.wires[*input as usize].setup.unwrap_or(0.0);
                self.arrival(*input) + way + setup < self.goal
            };
            return if cell.wires.iter().all(fits) { delay - least } else { 0.0 };
        }
        let late = |wire: &u32| self.arrival(*wire) + self.cost.delay[*wire as usize];
        let last = cell.wires.iter().max_by(|a, b| late(a).total_cmp(&late(b)));
        last.map_or(0.0, |input| {
            let straight = self.cost.apart(self.at(self.cost.ends(*input).0), to);
            self.cost.delay[*input as usize] + delay - straight - least
        })
    }

    /// Nets of which some wires had better have a copy of the driver: those wires, and near
    /// what it should be. What saves most comes first.
    fn find(&self) -> Vec<Copy> {
        let Detours { netlist, cost, .. } = self;
        let mut found = Vec::new();
        for (number, net) in netlist.nets.iter().enumerate() {
            let cell = &netlist.cells[net.driver as usize];
            let simple = matches!(cell.kind, Kind::Table | Kind::Register)
                && !(cell.carry || cell.memory || cell.pinned);
            if !simple || net.wires.len() < 2 {
                continue;
            }
            let late = net.wires.iter().copied().filter(|wire| {
                cost.paths.through[*wire as usize] > self.goal
                    && cost.delay[*wire as usize] > SHORT
                    && self.is_free(*wire)
            });
            let worth = late.map(|wire| {
                let over = cost.paths.through[wire as usize] / self.goal;
                (self.saves(net.driver, wire), over.powi(8), wire)
            });
            let best = worth.filter(|(saves, ..)| *saves > WORTH);
            let best = best.max_by(|a, b| (a.0 * a.1).total_cmp(&(b.0 * b.1)));
            found.extend(best.map(|(saves, over, wire)| (saves * over, number as u32, wire)));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let group = |(_, number, wire): (f32, u32, u32)| {
            let near = self.at(cost.ends(wire).1);
            let all = &netlist.nets[number as usize].wires;
            let with = all.iter().copied().filter(|other| {
                let nearer = cost.apart(near, self.at(cost.ends(*other).1));
                let late = cost.paths.through[*other as usize] > 0.9 * self.goal
                    && nearer < cost.delay[*other as usize];
                *other == wire || late && self.is_free(*other)
            });
            let with: Vec<_> = with.collect();
            (with.len() < all.len()).then_some((number, with, near))
        };
        found.into_iter().filter_map(group).collect()
    }
}
