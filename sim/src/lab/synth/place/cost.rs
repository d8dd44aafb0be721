//! What a placement costs: the length of nets, and the delay of wires by how long the
//! paths through them are.
//!
//! Long, because what a move costs is kept up to date from all that a look leaves behind.

use super::anneal::is_large;
use super::board::{Board, Step};
use super::crowd::{Crowd, Extent, Tiles};
use super::inputs::{self, NONE};
use super::measured::Measured;
use super::netlist::{Netlist, Place};
use super::paths::Paths;

/// A net with more cells than this, a reset, has no length worth minding.
const CELLS: usize = 1500;
/// Wires count by the path through them, over the longest one or over what is aimed at if that is less, up to
/// so much of it, to a power between 1, where most moves stay, and another.
const MOST: f32 = 1.8;
const EXPONENT: f32 = 14.0;
/// A wire in a path that is late counts more at each look, by this much of the share that it
/// is longer, which is so much at most, and up to so much; in a shorter one it counts less again.
const GAIN: f32 = 0.02;
const OVER: f32 = 0.8;
const INSISTS: f32 = 30.0;

/// What is wanted of a design.
#[derive(Debug)]
struct Wanted {
    /// Picoseconds that its longest path is to come to.
    aim: f32,
    /// From where on one is late.
    late: f32,
    /// What delay counts of all; the rest is length.
    time: f32,
    /// Wire that a tile has room for, in tiles, counted as if each net were spread evenly over
    /// its columns and rows. (Routers use nearly twice as much: about half of the wires there are.
    /// With many tiles nearly full they take hours, and late wires make detours.)
    room: f32,
    /// How much more length counts where there is twice as much.
    crowd: f32,
}

const WANTED: Wanted = Wanted { aim: 9300.0, late: 9000.0, time: 0.7, room: 45.0, crowd: 5.0 };
/// Of a large one. (If more is wanted there is more wire than the device has.)
const WANTED_OF_LARGE: Wanted =
    Wanted { aim: 10300.0, late: 10000.0, time: 0.5, room: 58.0, crowd: 20.0 };

/// What is wanted where only the longest paths count.
#[derive(Debug)]
pub struct Longest {
    /// What delay counts; the rest is length.
    time: f32,
    /// Picoseconds: nobody has to be shorter.
    pub enough: f32,
}

const LONGEST: Longest = Longest { time: 0.15, enough: 9000.0 };
/// Of a large design. (Ways make detours.)
const LONGEST_OF_LARGE: Longest = Longest { time: 0.1, enough: 10850.0 };

/// How long paths may become: of the longest one of the shortest look so far, and of the longest
/// one where only such count.
const ABOVE: f32 = 1.05;
const BELOW: f32 = 0.97;
/// The power where only the longest paths count, and where all wires are routed.
const SHARP: f32 = 40.0;
const SHARP_OF_ROUTED: f32 = 150.0;
/// By how many picoseconds less, counted by how long paths are, a move has to make wires for each cell, where all are
/// routed: it takes their ways from those that it has.
const MOVING: f32 = 20.0;
/// Picoseconds of a wire by columns and rows, as routers came to: what half of the wires
/// of a core are below.
const DELAY: [(f32, f32); 12] = [
    (0.0, 610.0),
    (1.0, 800.0),
    (2.0, 900.0),
    (3.0, 1040.0),
    (5.0, 1230.0),
    (8.0, 1400.0),
    (10.0, 1530.0),
    (15.0, 1840.0),
    (20.0, 2060.0),
    (30.0, 2600.0),
    (60.0, 4200.0),
    (300.0, 16700.0),
];

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!(
        "{CELLS} {WANTED:?} {WANTED_OF_LARGE:?} {MOST} {EXPONENT} {GAIN} {OVER} {INSISTS} {SHARP} \
         {ABOVE} {BELOW} {DELAY:?}"
    )
}

/// What shortening depends on beside that.
pub fn what_of_longest() -> String {
    format!("{LONGEST:?} {LONGEST_OF_LARGE:?}")
}

/// What shortening depends on in this file where all wires are routed.
pub fn what_of_routed() -> String {
    format!("{SHARP_OF_ROUTED} {MOVING}")
}

/// Lists of numbers, one behind the other.
#[derive(Debug)]
pub struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new<L: AsRef<[u32]>>(lists: impl Iterator<Item = L>) -> Lists {
        let mut all = Lists { start: vec![0], items: Vec::new() };
        for list in lists {
            all.items.extend_from_slice(list.as_ref());
            all.start.push(all.items.len() as u32);
        }
        all
    }

    /// One of them.
    pub fn of(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.items[self.start[list] as usize..self.start[list + 1] as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    from: u32,
    to: u32,
    inner: bool,
}

/// Costs of a placement, kept up to date.
#[derive(Debug)]
pub struct Cost {
    large: bool,
    wanted: &'static Wanted,
    /// Likewise where only the longest paths count.
    pub of_longest: &'static Longest,
    ends: Vec<Ends>,
    cell_nets: Lists,
    net_cells: Lists,
    /// Wires that end at a cell, and that begin at it.
    pub ins: Lists,
    /// See `ins`.
    pub outs: Lists,
    extents: Vec<Extent>,
    crowd: Crowd,
    /// How much more wire than its extent a net has, by how many cells it joins.
    weight: Vec<f32>,
    /// Picoseconds, by wire.
    pub delay: Vec<f32>,
    /// The input of a table, where that counts, by wire.
    pub input: Vec<u8>,
    /// Tables whose inputs may change places.
    tables: Vec<u32>,
    /// What a picosecond of it counts.
    critical: Vec<f32>,
    /// How often it has been late: what it counts more for that.
    insists: Vec<f32>,
    /// How fast that grows.
    gain: f32,
    /// Cells at wires that count.
    pub hot: Vec<u32>,
    /// Where only the longest paths count, blocks there.
    pub hot_blocks: Vec<u32>,
    length: f64,
    /// What both were when costs were last compared with them.
    base: (f32, f32),
    /// No move makes a path longer than this, or than the longest one before through what moves.
    limit: f32,
    /// Only the longest paths count.
    pub longest: bool,
    /// All wires are routed.
    pub routed: bool,
    /// Paths, as of the last look.
    pub paths: Paths,
    table: Vec<f32>,
    measured: Measured,
    seen: (Vec<u32>, Vec<u32>, u32),
    changed_extents: Vec<(u32, Extent)>,
    changed_delays: Vec<(u32, f32)>,
}

/// Of a net with so many cells.
fn weight(cells: usize) -> f32 {
    match cells as f32 {
        few if few <= 3.0 => 1.0,
        some if some <= 50.0 => 1.0 + 0.0381 * (some - 3.0),
        many => 2.79 + 0.026 * (many - 50.0),
    }
}

fn wire_delay(tiles: f32) -> f32 {
    let pair = DELAY.windows(2).find(|pair| tiles <= pair[1].0).unwrap_or(&DELAY[10..]);
    let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
    y0 + (y1 - y0) * (tiles - x0) / (x1 - x0)
}

/// Of the table of delays.
const SPAN: usize = 128;

impl Cost {
    /// Of a board.
    pub fn new(netlist: &Netlist, board: &Board) -> Result<Cost, String> {
        let mut joined: Vec<Vec<u32>> = Vec::new();
        let mut nets_of = vec![Vec::new(); netlist.cells.len()];
        for (i, net) in netlist.nets.iter().enumerate() {
            let ends = net.wires.iter().map(|wire| netlist.wires[*wire as usize].cell);
            let mut cells: Vec<_> = ends.chain([net.driver]).collect();
            cells.sort_unstable();
            cells.dedup();
            if (2..=CELLS).contains(&cells.len()) {
                cells.iter().for_each(|cell| nets_of[*cell as usize].push(i as u32));
            }
            joined.push(cells);
        }
        let ends = netlist.wires.iter().map(|wire| Ends {
            from: netlist.nets[wire.net as usize].driver,
            to: wire.cell,
            inner: wire.inner,
        });
        let outs = netlist.cells.iter().map(|cell| {
            let nets = cell.outs.iter().map(|net| &netlist.nets[*net as usize].wires);
            nets.flatten().copied().collect::<Vec<_>>()
        });
        let distances = (0..SPAN * SPAN).map(|i| (i / SPAN) as f32 + 1.1 * (i % SPAN) as f32);
        let (nets, wires) = (netlist.nets.len(), netlist.wires.len());
        let tables = 0..netlist.cells.len() as u32;
        let free = |cell: &u32| inputs::is_free(&netlist.cells[*cell as usize]);
        let input = netlist.wires.iter().map(|wire| inputs::of(netlist, wire));
        let large = is_large(board);
        let mut cost = Cost {
            large,
            wanted: if large { &WANTED_OF_LARGE } else { &WANTED },
            of_longest: if large { &LONGEST_OF_LARGE } else { &LONGEST },
            ends: ends.collect(),
            cell_nets: Lists::new(nets_of.iter()),
            weight: joined.iter().map(|cells| weight(cells.len())).collect(),
            net_cells: Lists::new(joined.iter()),
            ins: Lists::new(netlist.cells.iter().map(|cell| &cell.wires)),
            outs: Lists::new(outs),
            extents: vec![Extent::default(); nets],
            crowd: Crowd::default(),
            delay: vec![0.0; wires],
            input: input.collect(),
            tables: tables.filter(free).collect(),
            critical: vec![0.0; wires],
            insists: vec![1.0; wires],
            gain: GAIN,
            hot: Vec::new(),
            hot_blocks: Vec::new(),
            length: 0.0,
            base: (1.0, 1.0),
            limit: f32::INFINITY,
            longest: false,
            routed: false,
            paths: Paths::new(netlist)?,
            table: distances.map(wire_delay).collect(),
            measured: Measured::default(),
            seen: (vec![0; nets], vec![0; wires], 0),
            changed_extents: Vec::new(),
            changed_delays: Vec::new(),
        };
        cost.count(board);
        Ok(cost)
    }

    /// Picoseconds of a wire from one place to another.
    pub fn apart(&self, a: Place, b: Place) -> f32 {
        let (dx, dy) = ((a.x - b.x).unsigned_abs(), (a.y - b.y).unsigned_abs());
        self.table[usize::from(dx) * SPAN + usize::from(dy)]
    }

    /// The cells at the ends of a wire.
    pub fn ends(&self, wire: u32) -> (u32, u32) {
        let Ends { from, to, .. } = self.ends[wire as usize];
        (from, to)
    }

    fn delay_of(&self, board: &Board, wire: u32) -> f32 {
        let Ends { from, to, inner } = self.ends[wire as usize];
        if inner {
            return 0.0;
        }
        let at = [from, to].map(|end| board.at[end as usize]);
        let input = self.input[wire as usize];
        self.measured.of(wire, at, input, self.apart(at[0], at[1]) + inputs::more(input))
    }

    /// Inputs of tables in the netlist become these.
    pub fn leave_inputs(&self, netlist: &mut Netlist) {
        for (wire, input) in netlist.wires.iter_mut().zip(&self.input) {
            if *input < NONE && wire.port != inputs::name(*input) {
                let port = std::mem::replace(&mut wire.port, inputs::name(*input).into());
                let was = wire.was.take().unwrap_or(port);
                wire.was = Some(was).filter(|was| *was != wire.port);
            }
        }
    }

    /// What comes last to a table that is late enters where it is fastest, by what arrived when at the
    /// last look.
    pub fn settle_inputs(&mut self, netlist: &Netlist, board: &Board) {
        let late = BELOW * self.paths.worst.min(self.wanted.aim);
        for &table in &self.tables {
            let inputs = |wire: &&u32| self.input[**wire as usize] < NONE;
            let wires: Vec<_> = self.ins.of(table).iter().filter(inputs).copied().collect();
            if wires.iter().all(|wire| self.paths.through[*wire as usize] <= late) {
                continue;
            }
            let arrival = |wire: u32| self.paths.arrival[netlist.wires[wire as usize].net as usize];
            let now = wires.iter().map(|wire| arrival(*wire) + self.delay[*wire as usize]);
            let then = wires.iter().map(|wire| {
                let Ends { from, to, .. } = self.ends[*wire as usize];
                arrival(*wire) + self.apart(board.at[from as usize], board.at[to as usize])
            });
            let (now, then): (Vec<_>, Vec<_>) = (now.collect(), then.collect());
            for (wire, input) in wires.iter().zip(inputs::order(&now, &then).into_iter().flatten())
            {
                self.input[*wire as usize] = input;
            }
        }
    }

    /// Wires take what they came to, as long as their ends stay where they were.
    pub fn take(&mut self, board: &Board, measured: &Measured) {
        self.measured = measured.clone();
        self.count(board);
        self.paths.update(&self.delay);
    }

    fn extent(&self, board: &Board, net: u32) -> Extent {
        let cells = self.net_cells.of(net);
        let first = board.at[cells[0] as usize];
        let extent = Extent { low: (first.x, first.y), high: (first.x, first.y) };
        cells[1..].iter().fold(extent, |extent, cell| extent.with(board.at[*cell as usize]))
    }

    fn length_of(&self, net: u32, extent: Extent) -> f32 {
        let crowd = self.wanted.crowd * self.crowd.of(extent);
        self.weight[net as usize] * extent.length() * (1.0 + crowd)
    }

    /// How much wire there is where, from the extents.
    fn crowd(&mut self) {
        let mut wire = Tiles::new();
        for net in self.counted() {
            let extent = self.extents[net as usize];
            let length = self.weight[net as usize] * extent.length();
            wire.spread(extent, length);
        }
        self.crowd = Crowd::new(wire, self.wanted.room);
    }

    fn counted(&self) -> impl Iterator<Item = u32> + use<'_> {
        let nets = 0..self.extents.len() as u32;
        nets.filter(|net| (2..=CELLS).contains(&self.net_cells.of(*net).len()))
    }

    /// Everything anew from the places.
    fn count(&mut self, board: &Board) {
        for net in 0..self.extents.len() as u32 {
            self.extents[net as usize] = self.extent(board, net);
        }
        for wire in 0..self.delay.len() as u32 {
            self.delay[wire as usize] = self.delay_of(board, wire);
        }
        self.crowd();
        self.length = self.lengths(Self::length_of);
    }

    fn lengths(&self, of: impl Fn(&Cost, u32, Extent) -> f32) -> f64 {
        self.counted().map(|net| f64::from(of(self, net, self.extents[net as usize]))).sum()
    }

    /// Columns and rows of all nets.
    pub fn extents(&self) -> f64 {
        self.lengths(|_, _, extent| extent.length())
    }

    /// Looks are so much more often that wires count more by only this share at each.
    pub fn insist_by(&mut self, share: f32) {
        self.gain = GAIN * share;
    }

    /// Looks at all paths again. `near`, from 0 to 1, is how much they count.
    pub fn look(&mut self, board: &Board, near: f32) {
        self.count(board);
        self.paths.update(&self.delay);
        self.limit = self.limit.min(self.paths.worst * ABOVE);
        self.longest = false;
        let power = 1.0 + (EXPONENT - 1.0) * near;
        // A few late wires must not make all others count less.
        let mut usual = 0.0;
        self.hot.clear();
        for wire in 0..self.delay.len() {
            let Ends { from, to, inner } = self.ends[wire];
            let share =
                (self.paths.through[wire] / self.paths.worst.min(self.wanted.aim)).clamp(0.0, MOST);
            if near > 0.5 {
                let over = (self.paths.through[wire] / self.wanted.late - 1.0).clamp(-0.3, OVER);
                let insists = &mut self.insists[wire];
                *insists = (*insists * (1.0 + self.gain * over)).clamp(1.0, INSISTS);
            }
            let counts = if inner { 0.0 } else { share.powf(power) };
            self.critical[wire] = counts * self.insists[wire];
            usual += f64::from(counts.min(1.0) * self.delay[wire]);
            if self.critical[wire] > 0.05 && self.delay[wire] > 700.0 {
                let moves = |cell: &u32| board.is_movable(*cell);
                self.hot.extend([from, to].into_iter().filter(moves));
            }
        }
        self.base = (self.length as f32, (usual as f32).max(1.0));
    }

    /// Looks at the longest paths: what others cost hardly counts, as long as they stay a bit
    /// shorter than the longest one, or than `most`. What moves makes none longer that is not.
    pub fn look_at_longest(&mut self, board: &Board, most: f32) {
        self.count(board);
        self.paths.update(&self.delay);
        self.longest = true;
        self.limit = BELOW * self.paths.worst.min(most);
        let mut time = 0.0;
        let power = if self.routed { SHARP_OF_ROUTED } else { SHARP };
        self.hot.clear();
        self.hot_blocks.clear();
        for wire in 0..self.delay.len() {
            let Ends { from, to, inner } = self.ends[wire];
            let share = (self.paths.through[wire] / self.paths.worst).clamp(0.0, 1.0);
            self.critical[wire] = if inner { 0.0 } else { share.powf(power) };
            time += f64::from(self.critical[wire] * self.delay[wire]);
            if self.critical[wire] > 0.3 && self.delay[wire] > 700.0 {
                let moves = |cell: &u32| board.is_movable(*cell);
                self.hot.extend([from, to].into_iter().filter(moves));
                self.hot_blocks.extend([from, to].into_iter().filter(|cell| board.is_block(*cell)));
            }
        }
        self.base = (self.length as f32, (time as f32).max(1.0));
    }

    /// What the cells of a move, which are in their new places, cost more than before.
    pub fn difference(&mut self, board: &Board, before: &[Step]) -> f32 {
        let (nets, wires, stamp) = &mut self.seen;
        *stamp += 1;
        let stamp = *stamp;
        let (mut nets, mut wires) = (std::mem::take(nets), std::mem::take(wires));
        let mut extents = std::mem::take(&mut self.changed_extents);
        let mut delays = std::mem::take(&mut self.changed_delays);
        extents.clear();
        delays.clear();
        let (mut length, mut time) = (0.0, 0.0);
        let (mut was_longest, mut longer) = (0.0f32, Vec::new());
        // Of many cells nets are counted anew, once each.
        let few = before.len() <= 4;
        for Step { cell, to: old } in before {
            let new = board.at[*cell as usize];
            for &net in self.cell_nets.of(*cell) {
                let again = std::mem::replace(&mut nets[net as usize], stamp) == stamp;
                if again && !few {
                    continue;
                }
                let was = self.extents[net as usize];
                // What one of its cells has made of it does not hold if another goes, too.
                let made = extents.iter().position(|(other, _)| again && *other == net);
                let inside = few && !again && was.holds(*old);
                let now = if inside { was.with(new) } else { self.extent(board, net) };
                let last = made.map_or(was, |made| extents[made].1);
                if now != last {
                    length += self.length_of(net, now) - self.length_of(net, last);
                    match made {
                        Some(made) => extents[made].1 = now,
                        None => extents.push((net, now)),
                    }
                }
            }
            for &wire in self.ins.of(*cell).iter().chain(self.outs.of(*cell)) {
                if std::mem::replace(&mut wires[wire as usize], stamp) == stamp {
                    continue;
                }
                was_longest = was_longest.max(self.paths.through[wire as usize]);
                let (was, now) = (self.delay[wire as usize], self.delay_of(board, wire));
                if now != was {
                    if now > was && self.paths.through[wire as usize] + now - was > self.limit {
                        longer.push(wire);
                    }
                    time += self.critical[wire as usize] * (now - was);
                    delays.push((wire, now));
                }
            }
        }
        let most = self.limit.max(was_longest);
        let delay = |wire| self.delay_of(board, wire);
        // What a move makes of a large one's paths is looked for on the other side of carry chains, too: else
        // none that are late go anywhere.
        let chains = self.large;
        if longer.iter().any(|wire| self.paths.with(*wire, delay, chains) > most) {
            time = f32::INFINITY;
        }
        self.seen = (nets, wires, stamp);
        (self.changed_extents, self.changed_delays) = (extents, delays);
        if self.routed {
            return time + MOVING * before.len() as f32;
        }
        let share = if self.longest { self.of_longest.time } else { self.wanted.time };
        (1.0 - share) * length / self.base.0 + share * time / self.base.1
    }

    /// The move of the last difference stays.
    pub fn accept(&mut self) {
        for (net, extent) in &self.changed_extents {
            self.extents[*net as usize] = *extent;
        }
        for (wire, delay) in &self.changed_delays {
            self.paths.through[*wire as usize] += delay - self.delay[*wire as usize];
            self.delay[*wire as usize] = *delay;
        }
    }
}
