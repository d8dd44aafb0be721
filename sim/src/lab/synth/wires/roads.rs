//! What nets share, and how a way is found there.

use super::device::Device;
use super::nets::{Map, Net, Step};
use std::collections::{BinaryHeap, HashMap};
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// Picoseconds that a wire costs more than its delay, and that a tile costs at least: with delay alone, and
/// more with price alone. (Less finds hardly better ways, and looks at many more wires.)
const WIRE: f32 = 30.0;
const TILE: f32 = 80.0;
const TILE_BY_PRICE: f32 = 25.0;
/// What a wire costs more where others have or had it, times how much that counts. (The database counts no delay at all
/// to the wires of some directions, but to those behind them: a price by delay would leave them to whoever comes.)
const SHARED: f32 = 250.0;
/// Columns and rows of a part of the device that is named.
const SQUARE: u8 = 10;
/// What of a net is so much farther from an end than the nearest is no place to begin.
const BEYOND: f32 = 1000.0;

/// In the place of a switch.
const BEGIN: u32 = u32::MAX;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{WIRE} {TILE} {TILE_BY_PRICE} {SHARED} {BEYOND}")
}

/// How a search came to a wire.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// In which search.
    search: u32,
    cost: f32,
    /// By which switch and from where; `BEGIN` where it began. (Sixteen bytes, so that none lies in two lines of a
    /// cache: what a search waits for is memory.)
    switch: u32,
    from: u32,
}

/// What searches left behind, and how many there were.
#[derive(Debug)]
pub struct Searches {
    seen: Vec<Seen>,
    count: u32,
}

/// A wire, in few bytes: who looks for a way comes by thousands.
#[derive(Debug, Default)]
pub struct Road {
    /// Column and row.
    pub at: (u8, u8),
    /// Nets that have it.
    pub taken: AtomicU16,
    /// What it costs more for good.
    pub dear: f32,
}

/// What nets share.
#[derive(Debug)]
pub struct Roads<'a> {
    pub device: &'a Device,
    /// By wire; and whether inputs change places there.
    pub all: Vec<Road>,
    free: Vec<bool>,
}

impl Searches {
    /// There was none yet.
    pub fn new(device: &Device) -> Searches {
        Searches { seen: vec![Seen::default(); device.wires()], count: 0 }
    }
}

impl<'a> Roads<'a> {
    /// Nobody has any.
    pub fn new(device: &'a Device) -> Roads<'a> {
        let road = |wire| {
            let (x, y) = device.at(wire);
            Road { at: (x as u8, y as u8), ..Road::default() }
        };
        let count = device.wires();
        let all = (0..count as u32).map(road).collect();
        Roads { device, all, free: vec![false; count] }
    }

    /// These inputs may change places, and no others.
    pub fn may_change_places(&mut self, inputs: &[u32]) {
        self.free.fill(false);
        inputs.iter().for_each(|wire| self.free[*wire as usize] = true);
    }

    /// Who has what.
    pub fn count(&mut self, nets: &[Net]) {
        self.all.iter_mut().for_each(|road| *road.taken.get_mut() = 0);
        for wire in nets.iter().flat_map(|net| net.tree.keys().chain([&net.source])) {
            *self.all[*wire as usize].taken.get_mut() += 1;
        }
    }

    /// Wires that several nets have.
    pub fn over(&self) -> usize {
        self.all.iter().filter(|road| road.taken.load(Relaxed) > 1).count()
    }

    /// The middle of the ten columns and rows where most wires have several nets.
    pub fn crowded(&self) -> (usize, usize) {
        let mut counts = HashMap::new();
        for road in self.all.iter().filter(|road| road.taken.load(Relaxed) > 1) {
            *counts.entry((road.at.0 / SQUARE, road.at.1 / SQUARE)).or_insert(0) += 1;
        }
        let most = counts.into_iter().max_by_key(|(square, count)| (*count, *square));
        let (x, y) = most.map_or((0, 0), |(square, _)| square);
        let middle = |square: u8| usize::from(square * SQUARE + SQUARE / 2);
        (middle(x), middle(y))
    }

    /// They cost so much more for good, for each net too many.
    pub fn become_dear(&mut self, more: f32) {
        for road in &mut self.all {
            road.dear += more * f32::from(road.taken.get_mut().saturating_sub(1));
        }
    }

    /// Finds ways for what of nets has none or has to look again; `wider` says whether these may go farther
    /// in the next round.
    pub fn find_all(
        &self,
        searches: &mut Searches,
        nets: Vec<&mut Net>,
        (present, wider): (f32, bool),
    ) -> Result<(), String> {
        for net in nets {
            let open = self.clear(net);
            for sink in &open {
                self.find(searches, net, *sink, present)?;
            }
            if wider && !open.is_empty() {
                net.widen();
            }
        }
        Ok(())
    }

    fn taken(&self, wire: u32) -> &AtomicU16 {
        &self.all[wire as usize].taken
    }

    /// Takes back what leads over wires that others have, too, and ways of those who are late. The ends without
    /// a way, those that mind delay first, then those nearby.
    pub fn clear(&self, net: &mut Net) -> Vec<usize> {
        let shared = |wire: &u32| self.taken(*wire).load(Relaxed) > 1;
        let has_way = |wire: u32| wire == net.source || net.tree.contains_key(&wire);
        let fine = net.sinks.iter().all(|sink| has_way(sink.wire) && !sink.late);
        if fine && !net.tree.keys().any(shared) {
            return Vec::new();
        }
        let (mut kept, mut open) = (Map::default(), Vec::new());
        for (number, sink) in net.sinks.iter().enumerate() {
            let known = |wire: u32| wire == net.source || kept.contains_key(&wire);
            let fine = has_way(sink.wire) && !sink.late;
            let way = if fine { net.way(sink.wire, known) } else { Vec::new() };
            if fine && !way.iter().any(|(wire, _)| shared(wire)) {
                kept.extend(way);
            } else {
                open.push(number);
            }
        }
        for wire in net.tree.keys().filter(|wire| !kept.contains_key(wire)) {
            self.taken(*wire).fetch_sub(1, Relaxed);
        }
        net.tree = kept;
        let begin = self.device.at(net.source);
        let key = |sink: &usize| {
            let sink = &net.sinks[*sink];
            (-sink.critical, apart(begin, self.device.at(sink.wire)))
        };
        open.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("numbers"));
        open
    }

    /// Finds a way from what a net has to one of its ends.
    fn find(
        &self,
        Searches { seen, count }: &mut Searches,
        net: &mut Net,
        sink: usize,
        present: f32,
    ) -> Result<(), String> {
        let (target, critical) = (net.sinks[sink].wire, net.sinks[sink].critical);
        if target == net.source || net.tree.contains_key(&target) {
            return Ok(());
        }
        let device = self.device;
        let end = device.at(target);
        let tile = TILE + TILE_BY_PRICE * (1.0 - critical);
        let left = |wire: u32| {
            let (x, y) = self.all[wire as usize].at;
            tile * apart((x.into(), y.into()), end)
        };
        *count += 1;
        // The least cost first, of equal ones the last wire.
        let key = |all: f32, wire: u32| u64::from(!all.to_bits()) << 32 | u64::from(wire);
        let mut heap = BinaryHeap::new();
        let tree = net.tree.iter().map(|(wire, step)| (*wire, critical * step.delay));
        let begins: Vec<_> = tree.chain([(net.source, 0.0)]).collect();
        let near = begins.iter().map(|(wire, cost)| cost + left(*wire)).fold(f32::MAX, f32::min);
        for (wire, cost) in begins {
            let all = cost + left(wire);
            if all <= near + BEYOND {
                seen[wire as usize] = Seen { search: *count, cost, switch: BEGIN, from: wire };
                heap.push(key(all, wire));
            }
        }
        loop {
            let Some(first) = heap.pop() else {
                return Err(format!("{}: no way to {}", net.name, device.name(target)));
            };
            let (all, at) = (f32::from_bits(!(first >> 32) as u32), first as u32);
            if at == target {
                break;
            }
            let cost = seen[at as usize].cost;
            // It has been reached at less cost since.
            if all > cost + left(at) {
                continue;
            }
            for down in device.down_to(at, end) {
                let to = down.to as usize;
                let place @ (x, y) = (i32::from(down.at.0), i32::from(down.at.1));
                let inside =
                    (net.low.0..=net.high.0).contains(&x) && (net.low.1..=net.high.1).contains(&y);
                let leads = inside && (!down.ends || place == end);
                if !leads || (down.permutes && !self.free[to]) {
                    continue;
                }
                let Road { taken, dear, .. } = &self.all[to];
                let taken = f32::from(taken.load(Relaxed));
                let wanted = (1.0 + dear) * (1.0 + present * taken) - 1.0;
                let price = down.delay + WIRE + SHARED * wanted;
                let cost = cost + critical * down.delay + (1.0 - critical) * price;
                let seen = &mut seen[to];
                if seen.search != *count || cost < seen.cost {
                    *seen = Seen { search: *count, cost, switch: down.switch, from: at };
                    heap.push(key(cost + tile * apart(place, end), down.to));
                }
            }
        }
        let mut way = Vec::new();
        let mut at = target;
        // From the target back to the first wire that the net has: it may not have begun there.
        while seen[at as usize].switch != BEGIN && at != net.source && !net.tree.contains_key(&at) {
            let Seen { switch, from, .. } = seen[at as usize];
            way.push((at, switch, from));
            at = from;
        }
        for (wire, switch, from) in way.into_iter().rev() {
            let before = net.tree.get(&from).map_or(0.0, |step| step.delay);
            let delay = before + device.delay_of(switch, 1);
            net.tree.insert(wire, Step { switch, from, delay });
            self.taken(wire).fetch_add(1, Relaxed);
        }
        Ok(())
    }
}

/// Columns and rows between two places.
fn apart(a: (i32, i32), b: (i32, i32)) -> f32 {
    ((a.0 - b.0).abs() + (a.1 - b.1).abs()) as f32
}
