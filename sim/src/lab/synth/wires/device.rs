//! Wires and switches of the device, as nextpnr's database has them.
//!
//! The database knows a few hundred kinds of tiles and of which kind each tile is. A kind has wires,
//! and switches from one wire to another, either of which may be in a tile nearby. Everything is a
//! list: how far off its first item is, counted from there, and how many there are.

use std::collections::HashMap;

/// Wires of the clock's network begin with this.
const CLOCK: &str = "G_";
/// Switches that lead farther are of that network, too.
const FAR: i8 = 20;
/// The mark of a switch that makes inputs of a table change places.
const PERMUTES: i16 = 0x4000;
/// So many switches behind each other may be between a wire that only leads to cells, and these.
const NEAR: u32 = 4;
/// Columns and rows at most.
const SIDE: usize = 256;
/// Bytes of an item of a list.
const KIND: usize = 24;
const WIRE: usize = 32;
const SWITCH: usize = 20;
const GRADE: usize = 16;
const CLASS: usize = 16;
const BRANCH: usize = 8;

/// From a tile to another.
#[derive(Clone, Copy, Debug)]
struct Way(i8, i8);

impl Way {
    fn is_far(self) -> bool {
        self.0.abs() > FAR || self.1.abs() > FAR
    }
}

/// A switch between two wires.
#[derive(Clone, Copy, Debug)]
struct Switch {
    from: (Way, u16),
    to: (Way, u16),
    class: u16,
    permutes: bool,
    /// It and both wires are there for signals.
    serves: bool,
}

/// A kind of tiles.
#[derive(Debug, Default)]
struct Kind {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    clock: Vec<bool>,
    /// By wire: it leads to cells of its tile and nowhere else.
    ends: Vec<bool>,
    /// By wire, where its part of `down` begins.
    first: Vec<u32>,
    /// Switches that lead away from a wire: in which tile, and the number there.
    down: Vec<(Way, u32)>,
    switches: Vec<Switch>,
}

/// How the network of the clock comes to a tile: in which column it branches off, whether it is to the right of that;
/// and if this is such a column, row and column of the stem of the branch.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    pub column: u16,
    pub right: bool,
    pub stem: Option<(u16, u16)>,
}

/// The device. Wires and switches have numbers.
#[derive(Debug)]
pub struct Device {
    width: usize,
    kinds: Vec<Kind>,
    kind_of: Vec<u16>,
    /// By tile, the number of its first wire and switch; and one more, where all end.
    first_wire: Vec<u32>,
    first_switch: Vec<u32>,
    /// By wire; and by tile, column and row.
    tile_of: Vec<u16>,
    places: Vec<(i32, i32)>,
    /// Picoseconds by class of switches, and how much more for each that begins at the same wire.
    classes: Vec<(f32, f32)>,
    /// By tile.
    branches: Vec<Branch>,
    /// Everything that leads away from wires, and by wire which part of it does (and one more part, where all end): who
    /// looks for ways asks for nothing more often.
    down: Vec<Down>,
    parts: Vec<Part>,
}

/// Where begins what leads away from a wire: first what leads on, then what leads to cells and nowhere else, which is
/// more than half of all; and columns and rows around those.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u32,
    ends: u32,
    low: (u8, u8),
    high: (u8, u8),
}

/// A switch that leads from a wire to another.
#[derive(Clone, Copy, Debug)]
pub struct Down {
    /// Its number.
    pub switch: u32,
    /// The wire that it leads to.
    pub to: u32,
    /// Picoseconds, if no other begins there.
    pub delay: f32,
    /// It makes inputs of a table change places.
    pub permutes: bool,
    /// From there it goes to cells of that tile and nowhere else.
    pub ends: bool,
    /// Column and row of the wire that it leads to.
    pub at: (u8, u8),
}

impl Kind {
    /// Does a wire lead to cells of its tile alone, with at most so many switches between?
    fn ends(&self, wire: usize, switches: u32) -> bool {
        let [first, end] = [0, 1].map(|next| self.first[wire + next] as usize);
        let here = |way: Way| (way.0, way.1) == (0, 0);
        let leads_on = |&(way, switch): &(Way, u32)| {
            let Switch { to: (then, to), serves, .. } = match here(way) {
                true => self.switches[switch as usize],
                false => return true,
            };
            serves && !(here(then) && self.ends(usize::from(to), switches - 1))
        };
        switches > 0 && !self.down[first..end].iter().any(leads_on)
    }
}

/// The file.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn four(&self, at: usize) -> Option<i32> {
        Some(i32::from_le_bytes(self.0.get(at..at + 4)?.try_into().ok()?))
    }

    fn two(&self, at: usize) -> Option<i16> {
        Some(i16::from_le_bytes(self.0.get(at..at + 2)?.try_into().ok()?))
    }

    /// What is so far from here as it says here.
    fn there(&self, at: usize) -> Option<usize> {
        at.checked_add_signed(self.four(at)? as isize)
    }

    /// Where the items of a list are.
    fn list(&self, at: usize, size: usize) -> Option<impl Iterator<Item = usize> + use<>> {
        let count = usize::try_from(self.four(at + 4)?).ok()?;
        // Of nothing there is nowhere.
        let first = if count == 0 { 0 } else { self.there(at)? };
        let end = first.checked_add(count.checked_mul(size)?)?;
        (end <= self.0.len()).then(|| (0..count).map(move |item| first + item * size))
    }

    fn text(&self, at: usize) -> Option<String> {
        let text = self.0.get(self.there(at)?..)?;
        let end = text.iter().position(|byte| *byte == 0)?;
        String::from_utf8(text[..end].to_vec()).ok()
    }

    fn way(&self, at: usize) -> Option<Way> {
        let [x, y] = [self.two(at)?, self.two(at + 2)?].map(i8::try_from);
        Some(Way(x.ok()?, y.ok()?))
    }

    fn branch(&self, at: usize) -> Option<Branch> {
        let [column, row, stem] = [0, 4, 6].map(|field| self.two(at + field));
        let stem = u16::try_from(row?).ok().zip(u16::try_from(stem?).ok());
        Some(Branch { column: column? as u16, right: self.0.get(at + 2)? & 1 != 0, stem })
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        let mut kind = Kind::default();
        for wire in self.list(at + 8, WIRE)? {
            let name = self.text(wire)?;
            kind.clock.push(name.starts_with(CLOCK));
            kind.numbers.insert(name.clone(), kind.names.len() as u32);
            kind.names.push(name);
            kind.first.push(kind.down.len() as u32);
            for down in self.list(wire + 16, 8)? {
                let (way, number) = (self.way(down)?, self.four(down + 4)? as u32);
                kind.down.extend((!way.is_far()).then_some((way, number)));
            }
        }
        kind.first.push(kind.down.len() as u32);
        for switch in self.list(at + 16, SWITCH)? {
            let (from, to) = (self.way(switch)?, self.way(switch + 4)?);
            kind.switches.push(Switch {
                from: (from, self.two(switch + 8)? as u16),
                to: (to, self.two(switch + 10)? as u16),
                class: self.two(switch + 12)? as u16,
                permutes: self.two(switch + 16)? & PERMUTES != 0,
                serves: !from.is_far() && !to.is_far(),
            });
        }
        kind.ends = (0..kind.names.len()).map(|wire| kind.ends(wire, NEAR)).collect();
        Some(kind)
    }

    fn device(&self, grade: usize) -> Option<Device> {
        let root = self.there(0)?;
        let width =
            usize::try_from(self.four(root)?).ok().filter(|width| (1..=SIDE).contains(width))?;
        let kinds = self.list(root + 16, KIND)?.map(|at| self.kind(at));
        let kinds = kinds.collect::<Option<Vec<_>>>()?;
        let tiles = self.list(root + 24, 4)?.map(|at| u16::try_from(self.four(at)?).ok());
        let kind_of = tiles.collect::<Option<Vec<_>>>()?;
        let (mut first_wire, mut first_switch, mut tile_of) = (vec![0], vec![0], Vec::new());
        for (tile, kind) in kind_of.iter().enumerate() {
            let kind = kinds.get(usize::from(*kind))?;
            tile_of.extend(std::iter::repeat_n(u16::try_from(tile).ok()?, kind.names.len()));
            first_wire.push(tile_of.len() as u32);
            first_switch.push(first_switch[tile] + kind.switches.len() as u32);
        }
        if kind_of.len() > SIDE * width {
            return None;
        }
        let grade = self.list(root + 72, GRADE)?.nth(grade)?;
        let class = |at| Some((self.four(at + 4)? as f32, self.four(at + 12)? as f32));
        let classes = self.list(grade + 8, CLASS)?.map(class).collect::<Option<Vec<_>>>()?;
        let place = |tile| ((tile % width) as i32, (tile / width) as i32);
        let places = (0..kind_of.len()).map(place).collect();
        let branches = self.list(root + 32, BRANCH)?.map(|at| self.branch(at));
        let branches = branches.collect::<Option<Vec<_>>>()?;
        let mut device = Device {
            width,
            kinds,
            kind_of,
            first_wire,
            first_switch,
            tile_of,
            places,
            classes,
            branches,
            down: Vec::new(),
            parts: Vec::new(),
        };
        for wire in 0..device.wires() as u32 {
            let (ends, on): (Vec<_>, Vec<_>) = device.leads(wire).partition(|down| down.ends);
            device.parts.push(device.part(on.len(), &ends)?);
            device.down.extend(on.into_iter().chain(ends));
        }
        device.parts.push(device.part(0, &[])?);
        Some(device)
    }
}

impl Device {
    /// Reads a database, with the delays of a speed grade (0 is the slowest).
    pub fn read(bytes: &[u8], grade: usize) -> Result<Device, String> {
        Bytes(bytes).device(grade).ok_or_else(|| "not a database of nextpnr for ECP5".to_string())
    }

    /// Columns and rows.
    pub fn size(&self) -> (i32, i32) {
        (self.width as i32, (self.kind_of.len() / self.width) as i32)
    }

    /// How many wires there are.
    pub fn wires(&self) -> usize {
        self.tile_of.len()
    }

    /// Column and row of a wire.
    pub fn at(&self, wire: u32) -> (i32, i32) {
        self.places[usize::from(self.tile_of[wire as usize])]
    }

    /// How the network of the clock comes to a tile.
    pub fn branch(&self, x: usize, y: usize) -> Branch {
        self.branches[y * self.width + x]
    }

    /// The switches of the network of the clock that lead across the device: number, from which wire, and to which.
    pub fn across(&self) -> Vec<(u32, u32, u32)> {
        let far = |kind: &Kind| kind.switches.iter().any(|switch| !switch.serves);
        let far: Vec<_> = self.kinds.iter().map(far).collect();
        let mut all = Vec::new();
        for tile in (0..self.kind_of.len()).filter(|tile| far[usize::from(self.kind_of[*tile])]) {
            for (index, switch) in self.kind(tile).switches.iter().enumerate() {
                if !switch.serves {
                    let number = self.first_switch[tile] + index as u32;
                    let [from, to] = [switch.from, switch.to]
                        .map(|(way, wire)| self.first_wire[self.go(tile, way)] + u32::from(wire));
                    all.push((number, from, to));
                }
            }
        }
        all
    }

    fn kind(&self, tile: usize) -> &Kind {
        &self.kinds[usize::from(self.kind_of[tile])]
    }

    fn go(&self, tile: usize, Way(x, y): Way) -> usize {
        tile.wrapping_add_signed(isize::from(y) * self.width as isize + isize::from(x))
    }

    /// The wire of that name in a tile.
    pub fn wire(&self, x: usize, y: usize, name: &str) -> Option<u32> {
        let tile = y * self.width + x;
        let kind = self.kinds.get(usize::from(*self.kind_of.get(tile)?))?;
        kind.numbers.get(name).map(|number| self.first_wire[tile] + number)
    }

    /// What leads away from a wire; but nothing that leads to cells and nowhere else if all that does so is off a place.
    pub fn down_to(&self, wire: u32, (x, y): (i32, i32)) -> &[Down] {
        let wire = wire as usize;
        let Part { first, ends, low, high } = self.parts[wire];
        let around = (low.0.into()..=high.0.into()).contains(&x)
            && (low.1.into()..=high.1.into()).contains(&y);
        let end = if around { self.parts[wire + 1].first } else { ends };
        &self.down[first as usize..end as usize]
    }

    /// Of a wire, behind those of the wires before: so many lead on, and these to cells.
    fn part(&self, on: usize, ends: &[Down]) -> Option<Part> {
        let first = u32::try_from(self.down.len()).ok()?;
        let (mut low, mut high) = ((u8::MAX, u8::MAX), (0, 0));
        for (x, y) in ends.iter().map(|down| down.at) {
            (low, high) = ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)));
        }
        Some(Part { first, ends: first + u32::try_from(on).ok()?, low, high })
    }

    /// Everything that leads away from a wire, from the kinds of tiles.
    pub fn leads(&self, wire: u32) -> impl Iterator<Item = Down> {
        let tile = usize::from(self.tile_of[wire as usize]);
        let (kind, number) = (self.kind(tile), (wire - self.first_wire[tile]) as usize);
        let [first, end] = [0, 1].map(|next| kind.first[number + next] as usize);
        kind.down[first..end].iter().filter_map(move |&(way, index)| {
            let there = self.go(tile, way);
            let switch = &self.kind(there).switches[index as usize];
            if !switch.serves {
                return None;
            }
            let (way, number) = switch.to;
            let end = self.go(there, way);
            let (kind, wire) = (self.kind(end), usize::from(number));
            (!kind.clock[wire]).then(|| Down {
                switch: self.first_switch[there] + index,
                to: self.first_wire[end] + u32::from(number),
                delay: self.delay(switch.class, 1),
                permutes: switch.permutes,
                ends: kind.ends[wire],
                at: (self.places[end].0 as u8, self.places[end].1 as u8),
            })
        })
    }

    fn delay(&self, class: u16, begin: u32) -> f32 {
        let (delay, more) = self.classes[usize::from(class)];
        delay + more * begin as f32
    }

    /// The tile of a switch, and what it is.
    fn switch(&self, number: u32) -> (usize, &Switch) {
        let tile = self.first_switch.partition_point(|first| *first <= number) - 1;
        (tile, &self.kind(tile).switches[(number - self.first_switch[tile]) as usize])
    }

    /// Picoseconds of a switch, where so many begin at its wire.
    pub fn delay_of(&self, switch: u32, begin: u32) -> f32 {
        self.delay(self.switch(switch).1.class, begin)
    }

    /// Is it of the network of the clock?
    pub fn is_of_clock(&self, wire: u32) -> bool {
        let tile = usize::from(self.tile_of[wire as usize]);
        self.kind(tile).clock[(wire - self.first_wire[tile]) as usize]
    }

    /// What nextpnr calls a wire.
    pub fn name(&self, wire: u32) -> String {
        let (x, y) = self.at(wire);
        let tile = usize::from(self.tile_of[wire as usize]);
        let number = (wire - self.first_wire[tile]) as usize;
        format!("X{x}/Y{y}/{}", self.kind(tile).names[number])
    }

    /// What nextpnr calls a switch.
    pub fn switch_name(&self, number: u32) -> String {
        let (tile, switch) = self.switch(number);
        let name = |(way, wire): (Way, u16)| {
            let kind = self.kind(self.go(tile, way));
            format!("{}_{}_{}", way.0, way.1, kind.names[usize::from(wire)])
        };
        let (x, y) = (tile % self.width, tile / self.width);
        format!("X{x}/Y{y}/{}->{}", name(switch.from), name(switch.to))
    }
}
