//! The device: which places there are, what is in them, and what may be together.
//!
//! Long by a few lines, because all moves are held against the same rules, which stand beside them.

use super::anneal::is_large;
use super::netlist::{Kind, Netlist, Place};

/// Columns and rows.
pub const WIDTH: usize = 128;
/// See [`WIDTH`].
pub const HEIGHT: usize = 96;
/// Nothing is there.
pub const FREE: u32 = u32::MAX;
/// Rows of block RAM and of multipliers, which have no logic, and what of the columns has
/// logic for sure.
const MEMORIES: [i16; 4] = [22, 46, 70, 82];
const MULTIPLIERS: [i16; 3] = [10, 34, 58];
const COLUMNS: std::ops::Range<i16> = 4..124;
const ROWS: std::ops::Range<i16> = 3..93;
/// First columns of groups of four blocks each, and where in a group they are.
const GROUPS: [i16; 13] = [4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114];
const IN_GROUP: [[i16; 4]; 2] = [[0, 2, 4, 6], [0, 1, 4, 5]];
/// More tables than this are not put into a tile: one that is full has too few ways in.
const MOST: usize = 7;
/// And in a large design, which has to leave wires for others that come by.
const MOST_OF_LARGE: usize = 6;

/// How far a cell goes at most that makes room, and how far away a copy may be.
const ROOM: i16 = 7;
const COPY: i16 = 11;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{GROUPS:?} {IN_GROUP:?} {MOST} {MOST_OF_LARGE} {COLUMNS:?} {ROWS:?} {ROOM} {COPY}")
}

/// What a move asks about a cell.
#[derive(Clone, Copy, Debug)]
struct Traits {
    kind: Kind,
    carry: bool,
    paired: bool,
    fixed: bool,
    enable: u16,
    reset: u16,
}

/// A cell to a place.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The cell.
    pub cell: u32,
    /// Its new place.
    pub to: Place,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Board {
    /// By cell.
    pub at: Vec<Place>,
    /// By cell, what a place is called within its tile.
    pub sites: Vec<String>,
    traits: Vec<Traits>,
    tables: Vec<u32>,
    registers: Vec<u32>,
    ports: Vec<u32>,
    logic: Vec<bool>,
    /// Logic cells that keep what they have.
    shut: Vec<bool>,
    chains_in: Vec<Vec<u32>>,
    /// Tables that are put into a tile at most.
    most: usize,
    /// Cells that move one by one.
    pub movable: Vec<u32>,
    /// Memories and multipliers, and free places for them.
    pub blocks: [Vec<u32>; 2],
    pub vacant: [Vec<(Place, String)>; 2],
    /// Ports of small memories.
    pub memories: Vec<u32>,
}

/// The number of a tile.
pub fn tile(place: Place) -> usize {
    place.y as usize * WIDTH + place.x as usize
}

impl Place {
    /// The number of a logic cell.
    pub fn slot(self) -> usize {
        tile(self) * 8 + usize::from(self.lane)
    }
}

impl Board {
    /// As nextpnr has placed it.
    pub fn new(netlist: &Netlist) -> Result<Board, String> {
        let cells = &netlist.cells;
        let rigid = |i: usize| cells[i].carry || cells[i].memory || cells[i].pinned;
        let traits = cells.iter().enumerate().map(|(i, cell)| Traits {
            kind: cell.kind,
            carry: cell.carry,
            paired: cell.partner.is_some(),
            fixed: rigid(i) || cell.partner.is_some_and(|partner| rigid(partner as usize)),
            enable: cell.enable,
            reset: cell.reset,
        });
        let tiles = WIDTH * HEIGHT;
        let mut board = Board {
            at: cells.iter().map(|cell| cell.at).collect(),
            sites: cells.iter().map(|cell| cell.site.clone()).collect(),
            traits: traits.collect(),
            tables: vec![FREE; tiles * 8],
            registers: vec![FREE; tiles * 8],
            ports: vec![FREE; tiles],
            logic: vec![false; tiles],
            shut: vec![false; tiles * 8],
            chains_in: vec![Vec::new(); tiles],
            most: MOST,
            movable: Vec::new(),
            blocks: Default::default(),
            vacant: Default::default(),
            memories: Vec::new(),
        };
        for y in ROWS.filter(|y| !MEMORIES.contains(y) && !MULTIPLIERS.contains(y)) {
            COLUMNS.for_each(|x| board.logic[tile(Place { x, y, lane: 0 })] = true);
        }
        for (i, cell) in cells.iter().enumerate() {
            let (x, y) = (cell.at.x, cell.at.y);
            if !(0..WIDTH as i16).contains(&x) || !(0..HEIGHT as i16).contains(&y) {
                return Err(format!("{} is not on the device: {}/{}", cell.name, x, y));
            }
            match cell.kind {
                Kind::Table | Kind::Register => board.logic[tile(cell.at)] = true,
                Kind::Port => board.memories.push(i as u32),
                Kind::Block => {
                    board.blocks[usize::from(cell.site.starts_with("MULT"))].push(i as u32)
                }
                Kind::Other => {}
            }
            if matches!(cell.kind, Kind::Table | Kind::Register) && !board.traits[i].fixed {
                board.movable.push(i as u32);
            }
            board.shut[cell.at.slot()] |= cell.pinned && cell.kind == Kind::Register;
            board.put(Step { cell: i as u32, to: cell.at });
        }
        if is_large(&board) {
            board.most = MOST_OF_LARGE;
        }
        for (i, chain) in netlist.chains.iter().enumerate() {
            let range = board.range(chain);
            if range.is_empty() || range.len() > WIDTH {
                return Err(format!("{} begins no chain in a row", cells[chain[0] as usize].name));
            }
            range.for_each(|tile| board.chains_in[tile].push(i as u32));
        }
        for (kind, rows) in [(0, &MEMORIES[..]), (1, &MULTIPLIERS[..])] {
            let used: Vec<_> = board.blocks[kind].iter().map(|b| board.at[*b as usize]).collect();
            for (group, y) in GROUPS.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
                for (k, dx) in IN_GROUP[kind].iter().enumerate() {
                    let place = Place { x: group + dx, y: *y, lane: 0 };
                    let site = if kind == 0 { format!("EBR{k}") } else { format!("MULT18_{dx}") };
                    if !used.contains(&place) {
                        board.vacant[kind].push((place, site));
                    }
                }
            }
        }
        Ok(board)
    }

    /// Logic may be there, as far as columns and rows go.
    pub fn has(x: i16, y: i16) -> bool {
        COLUMNS.contains(&x) && ROWS.contains(&y)
    }

    /// It moves by itself.
    pub fn is_movable(&self, cell: u32) -> bool {
        let traits = &self.traits[cell as usize];
        !traits.fixed && matches!(traits.kind, Kind::Table | Kind::Register)
    }

    /// It is a memory or a multiplier.
    pub fn is_block(&self, cell: u32) -> bool {
        self.traits[cell as usize].kind == Kind::Block
    }

    /// Writes all places into the netlist.
    pub fn leave(self, netlist: &mut Netlist) {
        for (cell, (at, site)) in netlist.cells.iter_mut().zip(self.at.into_iter().zip(self.sites))
        {
            (cell.at, cell.site) = (at, site);
        }
    }

    /// The tiles of a chain.
    pub fn range(&self, chain: &[u32]) -> std::ops::Range<usize> {
        let at = |cell: &u32| tile(self.at[*cell as usize]);
        at(&chain[0])..chain.last().map_or(0, at) + 1
    }

    fn put(&mut self, Step { cell, to }: Step) {
        match self.traits[cell as usize].kind {
            Kind::Table => self.tables[to.slot()] = cell,
            Kind::Register => self.registers[to.slot()] = cell,
            Kind::Port => self.ports[tile(to)] = cell,
            Kind::Block | Kind::Other => {}
        }
        self.at[cell as usize] = to;
    }

    fn clear(&mut self, cell: u32) {
        let from = self.at[cell as usize];
        match self.traits[cell as usize].kind {
            Kind::Table => self.tables[from.slot()] = FREE,
            Kind::Register => self.registers[from.slot()] = FREE,
            Kind::Port => self.ports[tile(from)] = FREE,
            Kind::Block | Kind::Other => {}
        }
    }

    /// Takes steps; where the cells were goes to `before`.
    pub fn displace(&mut self, steps: &[Step], before: &mut Vec<Step>) {
        before.clear();
        for step in steps {
            before.push(Step { cell: step.cell, to: self.at[step.cell as usize] });
            self.clear(step.cell);
        }
        steps.iter().for_each(|step| self.put(*step));
    }

    /// Takes steps back.
    pub fn restore(&mut self, before: &[Step]) {
        before.iter().for_each(|step| self.clear(step.cell));
        before.iter().for_each(|step| self.put(*step));
    }

    /// What is in a tile may be there together: registers of a slice have one clock enable,
    /// those of a tile one reset, and tables of a slice are both of a carry chain or neither.
    fn is_legal(&self, tile: usize) -> bool {
        const NONE: u16 = u16::MAX;
        let mut reset = NONE;
        for slice in (tile * 8..tile * 8 + 8).step_by(2) {
            let mut enable = NONE;
            for register in &self.registers[slice..slice + 2] {
                if *register != FREE {
                    let traits = &self.traits[*register as usize];
                    if reset != NONE && traits.reset != reset
                        || enable != NONE && traits.enable != enable
                    {
                        return false;
                    }
                    (reset, enable) = (traits.reset, traits.enable);
                }
            }
            let (a, b) = (self.tables[slice], self.tables[slice + 1]);
            let carry = |table: u32| self.traits[table as usize].carry;
            if a != FREE && b != FREE && carry(a) != carry(b) {
                return false;
            }
        }
        true
    }

    /// A register that has its data from elsewhere, in the first logic cell of a stage of a
    /// carry chain, where [`Netlist::write`] has no use for it.
    fn is_in_the_way(&self, traits: Traits, to: Place) -> bool {
        let first = to.lane.is_multiple_of(2) && self.tables[to.slot()] != FREE;
        let alone = traits.kind == Kind::Register && !traits.paired;
        alone && first && self.traits[self.tables[to.slot()] as usize].carry
    }

    /// A logic cell that takes what a cell of this kind needs, as far as its tile goes.
    fn takes(&self, traits: Traits, to: Place) -> bool {
        let at = tile(to);
        let table = traits.kind == Kind::Table;
        if self.is_in_the_way(traits, to) {
            return false;
        }
        let written = self.ports[at] != FREE && matches!(to.lane, 4 | 5);
        if !self.logic[at] || self.shut[to.slot()] || table && written {
            return false;
        }
        if self.tables[to.slot()] != FREE || !table && !traits.paired {
            return true;
        }
        self.tables[at * 8..at * 8 + 8].iter().filter(|table| **table != FREE).count() < self.most
    }

    /// Steps that bring a cell, with what it is wired to within its logic cell, to a place
    /// and what is there to where it was; nothing if they may not be.
    pub fn exchange(&self, cell: u32, to: Place, steps: &mut Vec<Step>) -> bool {
        steps.clear();
        let (from, traits) = (self.at[cell as usize], self.traits[cell as usize]);
        if tile(from) == tile(to) || self.shut[from.slot()] || !self.takes(traits, to) {
            return false;
        }
        let of = |kind: Kind, place: Place| match kind {
            Kind::Table => self.tables[place.slot()],
            _ => self.registers[place.slot()],
        };
        let there = of(traits.kind, to);
        let paired = |cell: u32| cell != FREE && self.traits[cell as usize].paired;
        let both = [Kind::Table, Kind::Register];
        let whole = traits.paired || paired(there);
        for kind in both.into_iter().filter(|kind| whole || *kind == traits.kind) {
            for (place, other) in [(from, to), (to, from)] {
                let cell = of(kind, place);
                if cell != FREE {
                    let traits = self.traits[cell as usize];
                    if traits.fixed || self.is_in_the_way(traits, other) {
                        return false;
                    }
                    steps.push(Step { cell, to: other });
                }
            }
        }
        true
    }

    /// The tiles that steps of an exchange touch are legal.
    pub fn is_legal_at(&self, places: [Place; 2]) -> bool {
        places.iter().all(|place| self.is_legal(tile(*place)))
    }

    /// Two pieces of rows lie on the device, apart from each other.
    fn are_apart([a, b]: [usize; 2], count: usize) -> bool {
        let inside = |start: usize| start % WIDTH + count <= WIDTH;
        inside(a) && inside(b) && (a >= b + count || b >= a + count)
    }

    /// Adds steps that bring tiles of a row to others, with all that is in them; nothing if they may
    /// not go.
    fn move_rows(
        &self,
        chains: &[Vec<u32>],
        [from, to]: [usize; 2],
        count: usize,
        steps: &mut Vec<Step>,
    ) -> bool {
        for i in 0..count {
            let (tile, to) = (from + i, to + i);
            let whole = self.chains_in[tile].iter().all(|chain| {
                let range = self.range(&chains[*chain as usize]);
                range.start >= from && range.end <= from + count
            });
            let slots = tile * 8..tile * 8 + 8;
            if !self.logic[tile] || !whole || self.shut[slots.clone()].contains(&true) {
                return false;
            }
            let (x, y) = ((to % WIDTH) as i16, (to / WIDTH) as i16);
            for slot in slots {
                let place = Place { x, y, lane: (slot % 8) as u8 };
                for cell in [self.tables[slot], self.registers[slot]] {
                    if cell != FREE {
                        steps.push(Step { cell, to: place });
                    }
                }
            }
            if self.ports[tile] != FREE {
                let place = Place { x, y, lane: 0 };
                steps.push(Step { cell: self.ports[tile], to: place });
            }
        }
        true
    }

    /// Steps that exchange tiles of a row for as many others; nothing if they may not be.
    pub fn exchange_rows(
        &self,
        chains: &[Vec<u32>],
        [a, b]: [usize; 2],
        count: usize,
        steps: &mut Vec<Step>,
    ) -> bool {
        steps.clear();
        Board::are_apart([a, b], count)
            && self.move_rows(chains, [a, b], count, steps)
            && self.move_rows(chains, [b, a], count, steps)
    }

    /// Puts tiles of a row where others are; the cells there make room, each for the free place
    /// nearest to where it was. Where all of them were goes to `before`; nothing if they may not.
    pub fn insert_rows(
        &mut self,
        chains: &[Vec<u32>],
        starts: [usize; 2],
        count: usize,
        before: &mut Vec<Step>,
    ) -> bool {
        before.clear();
        let (mut steps, [_, to]) = (Vec::new(), starts);
        if !Board::are_apart(starts, count) || !self.move_rows(chains, starts, count, &mut steps) {
            return false;
        }
        for tile in to..to + count {
            let slots = tile * 8..tile * 8 + 8;
            let rigid = !self.chains_in[tile].is_empty() || self.ports[tile] != FREE;
            if rigid || !self.logic[tile] || self.shut[slots.clone()].contains(&true) {
                return false;
            }
            let cells = slots.flat_map(|slot| [self.tables[slot], self.registers[slot]]);
            for cell in cells.filter(|cell| *cell != FREE) {
                if self.traits[cell as usize].fixed {
                    return false;
                }
                before.push(Step { cell, to: self.at[cell as usize] });
            }
        }
        let evicted = before.clone();
        before.extend(steps.iter().map(|step| Step { to: self.at[step.cell as usize], ..*step }));
        before.iter().for_each(|step| self.clear(step.cell));
        steps.iter().for_each(|step| self.put(*step));
        let mut left = evicted.iter().copied();
        while let Some(Step { cell, to: near }) = left.next() {
            // What is wired to it within its logic cell is the next one.
            let partner = if self.traits[cell as usize].paired { left.next() } else { None };
            let cells = [Some(cell), partner.map(|step| step.cell)].into_iter().flatten();
            let cells: Vec<_> = cells.map(|cell| (cell, self.traits[cell as usize])).collect();
            let Some(to) = self.nearest(&cells, near, ROOM) else {
                // (Those that have no place yet are not on the board.)
                steps.iter().for_each(|step| self.clear(step.cell));
                let placed = evicted.iter().take_while(|step| step.cell != cell);
                placed.for_each(|step| self.clear(step.cell));
                before.iter().for_each(|step| self.put(*step));
                return false;
            };
            cells.iter().for_each(|(cell, _)| self.put(Step { cell: *cell, to }));
        }
        true
    }

    /// The free place for cells, together, that is nearest to another, and at most so far away.
    fn nearest(&mut self, cells: &[(u32, Traits)], near: Place, most: i16) -> Option<Place> {
        for ring in 0..=most {
            let side = -ring..=ring;
            for (dx, dy) in side.clone().flat_map(|dx| side.clone().map(move |dy| (dx, dy))) {
                let (x, y) = (near.x + dx, near.y + dy);
                if dx.abs().max(dy.abs()) != ring || !Board::has(x, y) {
                    continue;
                }
                for lane in 0..8 {
                    let to = Place { x, y, lane };
                    let fits = |(_, traits): &(u32, Traits)| self.takes(*traits, to);
                    let free = |(_, traits): &(u32, Traits)| match traits.kind {
                        Kind::Table => self.tables[to.slot()] == FREE,
                        _ => self.registers[to.slot()] == FREE,
                    };
                    if !cells.iter().all(|cell| free(cell) && fits(cell)) {
                        continue;
                    }
                    cells.iter().for_each(|(cell, traits)| *self.slot(traits.kind, to) = *cell);
                    let legal = self.is_legal(tile(to));
                    cells.iter().for_each(|(_, traits)| *self.slot(traits.kind, to) = FREE);
                    if legal {
                        return Some(to);
                    }
                }
            }
        }
        None
    }

    fn slot(&mut self, kind: Kind, at: Place) -> &mut u32 {
        let all = if kind == Kind::Table { &mut self.tables } else { &mut self.registers };
        &mut all[at.slot()]
    }

    /// Rows have changed places.
    pub fn exchanged(&mut self, [a, b]: [usize; 2], count: usize) {
        (0..count).for_each(|i| self.chains_in.swap(a + i, b + i));
    }

    /// Puts a multiplier to the free place of a row that is nearest to a column, if there is one.
    pub fn move_into_row(&mut self, cell: u32, row: i16, column: i16) -> bool {
        let places = self.vacant[1].iter_mut().filter(|(place, _)| place.y == row);
        let Some((place, site)) = places.min_by_key(|(place, _)| (place.x - column).abs()) else {
            return false;
        };
        std::mem::swap(place, &mut self.at[cell as usize]);
        std::mem::swap(site, &mut self.sites[cell as usize]);
        true
    }

    /// The free place nearest to another that a copy of a cell may have; it is taken then.
    pub fn vacancy(&mut self, like: u32, near: Place) -> Option<Place> {
        let traits = Traits { paired: false, ..self.traits[like as usize] };
        let to = self.nearest(&[(like, traits)], near, COPY)?;
        *self.slot(traits.kind, to) = like;
        Some(to)
    }

    /// Everything is where the tiles say, and may be there.
    pub fn check(&self, netlist: &Netlist) -> Result<(), String> {
        let wrong = |i: usize| Err(format!("{} has an illegal place", netlist.cells[i].name));
        for (i, cell) in netlist.cells.iter().enumerate() {
            let at = self.at[i];
            let found = match cell.kind {
                Kind::Table => self.tables[at.slot()],
                Kind::Register => self.registers[at.slot()],
                Kind::Port => self.ports[tile(at)],
                Kind::Block | Kind::Other => i as u32,
            };
            let apart = cell.partner.is_some_and(|other| self.at[other as usize] != at);
            if found != i as u32 || apart || !self.is_legal(tile(at)) {
                return wrong(i);
            }
        }
        for chain in &netlist.chains {
            let slots = chain.iter().map(|cell| self.at[*cell as usize].slot());
            if !slots.clone().skip(1).eq(slots.take(chain.len() - 1).map(|slot| slot + 1)) {
                return wrong(chain[0] as usize);
            }
        }
        Ok(())
    }
}
