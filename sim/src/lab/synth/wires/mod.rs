//! Routes all wires of a placement, where nextpnr's routers do not come to an end.
//!
//! Nets negotiate: each takes the best way, though others may have part of it. What several want
//! becomes dearer from round to round, until all but one have gone elsewhere. Those on long paths mind
//! delay more than price, and others give way to them. The device is nextpnr's (`device.rs`, `pins.rs`), ways
//! are written as nextpnr reads them (`nets.rs`), and it checks them, and says what they come to.

mod device;
mod nets;
mod pins;
#[cfg(test)]
mod tests;

use super::place::Timing;
use device::Device;
use nets::{Map, Net, Step};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The slowest speed grade.
const GRADE: usize = 0;
/// Most rounds.
const ROUNDS: usize = 1000;
/// In so many rounds at first those who are late look for a better way. Then they look only where all wires
/// have ways of their own; so often without a shorter longest path at most.
const EARLY: usize = 10;
const STALE: usize = 40;
/// What a wire costs for each net that has it now, in the first round, by how much more in the next, and at
/// most; and for good for each too many in a round.
const PRESENT: f32 = 0.2;
const MORE: f32 = 1.4;
const MOST: f32 = 100.0;
const DEAR: f32 = 0.5;
/// How much delay counts rather than price where the path is as long as the longest one may be, by which power
/// of the share if it is shorter, and from which share on.
const CRITICAL: f32 = 0.95;
const POWER: i32 = 8;
const SHARE: f32 = 0.6;
/// Behind the first rounds delay counts by so much of that less in each, as long as wires have several nets: of two
/// who only mind delay neither gives way.
const YIELDS: f32 = 0.9;
/// Delay goes on to count by so much of what it counted a round before. (Else who gives way this time comes back
/// the next, time and again.)
const STAYS: f32 = 0.9;
/// Picoseconds that a wire costs more than its delay, and that a tile costs at least: with delay alone, and
/// more with price alone. (Less finds hardly better ways, and looks at many more wires.)
const WIRE: f32 = 30.0;
const TILE: f32 = 80.0;
const TILE_BY_PRICE: f32 = 25.0;
/// What of a net is so much farther from an end than the nearest is no place to begin.
const BEYOND: f32 = 1000.0;

/// What ways depend on, for a hash.
pub fn what() -> String {
    format!(
        "{GRADE} {ROUNDS} {EARLY} {STALE} {PRESENT} {MORE} {MOST} {DEAR} {CRITICAL} {POWER} {SHARE} {YIELDS} {STAYS} {WIRE} {TILE} \
         {TILE_BY_PRICE} {BEYOND}"
    )
}

/// Writes ways for all wires into nextpnr's JSON, with nextpnr's database of the device; how long the longest path is
/// then, in picoseconds.
pub fn route(
    database: &[u8],
    netlist: &mut Value,
    mut timing: Timing,
    tell: &mut dyn FnMut(&str),
) -> Result<f32, String> {
    let device = Device::read(database, GRADE)?;
    let module = netlist["modules"].as_object_mut().and_then(|all| all.values_mut().next());
    let module = module.ok_or("nextpnr wrote no module")?;
    let (nets, free) = nets::read(&device, module, &timing)?;
    let mut wires = Wires::new(&device, nets, &free);
    let goal = timing.worst();
    let mut best: Option<(f32, Vec<String>)> = None;
    let (mut present, mut stale, mut legal) = (PRESENT, 0, false);
    let mut most = CRITICAL;
    for round in 1..=ROUNDS {
        most = if legal || round <= EARLY { CRITICAL } else { most * YIELDS };
        wires.mind(&timing, (goal, most), legal || (2..=EARLY).contains(&round));
        wires.round(present)?;
        timing.update(&wires.delays());
        let (over, worst) = (wires.over(), timing.worst());
        tell(&format!("round {round}: {:.2} ns, {over} wires have several nets", worst / 1000.0));
        present = (present * MORE).min(MOST);
        legal = over == 0;
        if !legal {
            continue;
        }
        stale += 1;
        if best.as_ref().is_none_or(|(least, _)| worst < *least) {
            let texts = wires.nets.iter().map(|net| net.text(&device)).collect();
            (best, stale) = (Some((worst, texts)), 0);
        }
        if stale >= STALE || worst <= goal {
            break;
        }
    }
    let over = wires.over();
    let (worst, texts) =
        best.ok_or_else(|| format!("{over} wires have several nets still, after {ROUNDS} rounds"))?;
    for (net, text) in wires.nets.iter().zip(texts) {
        module["netnames"][&net.name]["attributes"]["ROUTING"] = text.into();
    }
    Ok(worst)
}

/// How a search came to a wire.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    /// In which search.
    search: u32,
    cost: f32,
    /// By which switch and from where; nothing where it began.
    step: Option<(u32, u32)>,
}

/// Nets and who has which wire.
struct Wires<'a> {
    device: &'a Device,
    nets: Vec<Net>,
    /// By wire: nets that have it, what it costs more for good, and whether inputs change places there.
    taken: Vec<u16>,
    dear: Vec<f32>,
    free: Vec<bool>,
    seen: Vec<Seen>,
    search: u32,
}

impl<'a> Wires<'a> {
    fn new(device: &'a Device, nets: Vec<Net>, inputs: &[u32]) -> Self {
        let count = device.wires();
        let (mut taken, mut free) = (vec![0; count], vec![false; count]);
        nets.iter().for_each(|net| taken[net.source as usize] += 1);
        inputs.iter().for_each(|wire| free[*wire as usize] = true);
        let (dear, seen) = (vec![0.0; count], vec![Seen::default(); count]);
        Wires { device, nets, taken, dear, free, seen, search: 0 }
    }

    /// Delay counts by how long paths are, at most so much. Those that are too long look for other ways, if `again`
    /// says so.
    fn mind(&mut self, timing: &Timing, (goal, most): (f32, f32), again: bool) {
        for sink in self.nets.iter_mut().flat_map(|net| &mut net.sinks) {
            let share = sink.number.map_or(0.0, |wire| timing.through(wire) / goal);
            let counts = share > SHARE;
            let critical = if counts { CRITICAL * share.min(1.0).powi(POWER) } else { 0.0 };
            sink.critical = critical.max(STAYS * sink.critical).min(most);
            sink.late = again && share > 1.0;
        }
    }

    /// Wires that several nets have.
    fn over(&self) -> usize {
        self.taken.iter().filter(|nets| **nets > 1).count()
    }

    /// Nets without a way, that share wires or are late look for ways; those on the longest paths first.
    fn round(&mut self, present: f32) -> Result<(), String> {
        let mut nets = std::mem::take(&mut self.nets);
        let mut order: Vec<_> = (0..nets.len()).collect();
        let key = |net: &Net| {
            let critical = net.sinks.iter().map(|sink| sink.critical).fold(0.0, f32::max);
            (critical, net.low.0 - net.high.0 + net.low.1 - net.high.1)
        };
        let keys: Vec<_> = nets.iter().map(key).collect();
        order.sort_by(|a, b| keys[*b].partial_cmp(&keys[*a]).expect("numbers"));
        for number in order {
            let net = &mut nets[number];
            let open = self.clear(net);
            for sink in open {
                self.find(net, sink, present)?;
            }
        }
        for (taken, dear) in self.taken.iter().zip(&mut self.dear) {
            *dear += DEAR * f32::from(taken.saturating_sub(1));
        }
        self.nets = nets;
        Ok(())
    }

    /// Takes back what leads over wires that others have, too, and ways of those who are late. The ends without
    /// a way, those that mind delay first, then those nearby.
    fn clear(&mut self, net: &mut Net) -> Vec<usize> {
        let shared = |wire: &u32| self.taken[*wire as usize] > 1;
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
            self.taken[*wire as usize] -= 1;
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
    fn find(&mut self, net: &mut Net, sink: usize, present: f32) -> Result<(), String> {
        let (target, critical) = (net.sinks[sink].wire, net.sinks[sink].critical);
        if target == net.source || net.tree.contains_key(&target) {
            return Ok(());
        }
        let device = self.device;
        let end = device.at(target);
        let tile = TILE + TILE_BY_PRICE * (1.0 - critical);
        let left = |wire: u32| tile * apart(device.at(wire), end);
        self.search += 1;
        let mut heap = BinaryHeap::new();
        let tree = net.tree.iter().map(|(wire, step)| (*wire, critical * step.delay));
        let begins: Vec<_> = tree.chain([(net.source, 0.0)]).collect();
        let near = begins.iter().map(|(wire, cost)| cost + left(*wire)).fold(f32::MAX, f32::min);
        for (wire, cost) in begins {
            let all = cost + left(wire);
            if all <= near + BEYOND {
                self.seen[wire as usize] = Seen { search: self.search, cost, step: None };
                heap.push((Reverse(all.to_bits()), wire));
            }
        }
        loop {
            let Some((Reverse(all), at)) = heap.pop() else {
                return Err(format!("{}: no way to {}", net.name, device.name(target)));
            };
            if at == target {
                break;
            }
            let cost = self.seen[at as usize].cost;
            // It has been reached at less cost since.
            if f32::from_bits(all) > cost + left(at) {
                continue;
            }
            for down in device.down(at) {
                let to = down.to as usize;
                let place @ (x, y) = device.at(down.to);
                let inside =
                    (net.low.0..=net.high.0).contains(&x) && (net.low.1..=net.high.1).contains(&y);
                if !inside || (down.permutes && !self.free[to]) {
                    continue;
                }
                let wanted = (1.0 + self.dear[to]) * (1.0 + present * f32::from(self.taken[to]));
                let price = (down.delay + WIRE) * wanted;
                let cost = cost + critical * down.delay + (1.0 - critical) * price;
                let seen = &mut self.seen[to];
                if seen.search != self.search || cost < seen.cost {
                    *seen = Seen { search: self.search, cost, step: Some((down.switch, at)) };
                    heap.push((Reverse((cost + tile * apart(place, end)).to_bits()), down.to));
                }
            }
        }
        let mut way = Vec::new();
        let mut at = target;
        // From the target back to the first wire that the net has: it may not have begun there.
        while let Some((switch, from)) = self.seen[at as usize].step {
            if net.tree.contains_key(&at) || at == net.source {
                break;
            }
            way.push((at, switch, from));
            at = from;
        }
        for (wire, switch, from) in way.into_iter().rev() {
            let before = net.tree.get(&from).map_or(0.0, |step| step.delay);
            let delay = before + device.delay_of(switch, 1);
            net.tree.insert(wire, Step { switch, from, delay });
            self.taken[wire as usize] += 1;
        }
        Ok(())
    }

    /// What wires of the placement come to, as nextpnr counts: by how many switches begin at each.
    fn delays(&mut self) -> Vec<(u32, f32)> {
        let mut delays = Vec::new();
        for net in &mut self.nets {
            let mut begin: Map<u32> = Map::default();
            net.tree.values().for_each(|step| *begin.entry(step.from).or_default() += 1);
            let mut known: Map<f32> = Map::default();
            known.insert(net.source, 0.0);
            for sink in &net.sinks {
                for (wire, step) in
                    net.way(sink.wire, |wire| known.contains_key(&wire)).into_iter().rev()
                {
                    let delay = self.device.delay_of(step.switch, begin[&step.from]);
                    known.insert(wire, known[&step.from] + delay);
                }
                delays.extend(sink.number.map(|number| (number, known[&sink.wire])));
            }
            for (wire, step) in &mut net.tree {
                step.delay = known[wire];
            }
        }
        delays
    }
}

/// Columns and rows between two places.
fn apart(a: (i32, i32), b: (i32, i32)) -> f32 {
    ((a.0 - b.0).abs() + (a.1 - b.1).abs()) as f32
}
