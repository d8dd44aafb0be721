//! Routes all wires of a placement. (nextpnr's routers do not come to an end where there are many, and let others take what a
//! late wire needs.)
//!
//! Nets negotiate: each takes the best way, though others may have part of it. What several want
//! becomes dearer from round to round, until all but one have gone elsewhere. Those on long paths mind
//! delay more than price, and others give way to them. How one is found: `roads.rs`. The device is nextpnr's (`device.rs`, `pins.rs`), ways
//! are written as nextpnr reads them (`nets.rs`), and it checks them, and says what they come to.

mod device;
mod lines;
mod nets;
mod pins;
mod roads;
#[cfg(test)]
mod tests;

use super::place::Timing;
pub use device::Device;
use lines::{Across, Line};
use nets::{Map, Net, Nets, Step};
use roads::{Roads, Searches};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The slowest speed grade.
const GRADE: usize = 0;
/// Most rounds, and most in which not fewer wires have several nets than in one before: there is more wire then than
/// the device has room for.
const ROUNDS: usize = 1000;
const HOPE: usize = 30;
/// Where so few wires have several nets there may be so many times as many rounds. And where nets are patient what is
/// shared may cost so many times as much in a round, and so much less more for good. (What is dear for good in
/// a crowd makes detours, and these a greater crowd.)
const FEW: usize = 1000;
const LONGER: usize = 10;
/// Picoseconds that paths are to come to, or such a share of what the placement promises if that is less. Longer ones
/// are late. (Places are found for less, as ways make detours.)
const GOAL: f32 = 10_800.0;
const HOPED: f32 = 0.98;
/// In so many rounds at first those who are late look for a better way. Then they look only where all wires
/// have ways of their own; so often without a shorter longest path at most.
const EARLY: usize = 7;
const STALE: usize = 40;
/// What a wire costs for each net that has it now, in the first round and where all wires have had ways of their own, by
/// how much more in the next, and at most (if it is more, who finds no room looks all over the device); and for good for
/// each too many in a round.
const PRESENT: f32 = 0.5;
const AGAIN: f32 = 5.0;
const MORE: f32 = 1.3;
const MOST: f32 = 8.0;
const DEAR: f32 = 1.0;
/// How much delay counts rather than price where the path is as long as paths are to be or longer, by which power
/// of the share if it is shorter, and from which share on. (If it counts more, those who are late do not give way to each
/// other, and take all wire around them.) How much it counts for those who are late, once all wires have had ways of
/// their own: they are few by then.
const CRITICAL: f32 = 0.7;
const CRITICAL_OF_LATE: f32 = 0.95;
const POWER: i32 = 4;
const SHARE: f32 = 0.6;
/// Delay goes on to count by so much of what it counted a round before. (Else who gives way this time comes back
/// the next, time and again.)
const STAYS: f32 = 0.9;

/// What ways depend on, for a hash; `patient` as in [`Wires::new`].
pub fn what(patient: bool) -> String {
    let how = if patient { " patient" } else { "" };
    let ways = format!("{CRITICAL} {CRITICAL_OF_LATE} {POWER} {SHARE} {STAYS} {}", roads::what());
    format!(
        "{GRADE} {ROUNDS} {HOPE} {FEW} {LONGER} {GOAL} {HOPED} {EARLY} {STALE} {PRESENT} {AGAIN} {MORE} {MOST} {DEAR} {ways}{how}"
    )
}

/// The device, of nextpnr's database.
pub fn device(database: &[u8]) -> Result<Device, String> {
    Device::read(database, GRADE)
}

/// In which round so few wires had several nets for the first time.
#[derive(Debug)]
struct Hope {
    over: usize,
    round: usize,
}

impl Hope {
    fn new() -> Hope {
        Hope { over: usize::MAX, round: 0 }
    }

    /// Is it too long ago?
    fn is_gone(&mut self, over: usize, round: usize) -> bool {
        if over < self.over {
            *self = Hope { over, round };
        }
        round - self.round >= if self.over > FEW { HOPE } else { LONGER * HOPE }
    }
}

/// Ways of all nets of a placement.
#[derive(Debug)]
pub struct Wires<'a> {
    roads: Roads<'a>,
    nets: Vec<Net>,
    /// Of two threads.
    searches: [Searches; 2],
    /// A path that is longer is late.
    goal: f32,
    patient: bool,
}

impl<'a> Wires<'a> {
    /// Nothing is routed yet. Where wire is scarce nets have to be `patient`: sharing becomes dearer, but not for
    /// good, and paths are to be no shorter than the placement promises.
    pub fn new(device: &'a Device, patient: bool) -> Self {
        let searches = [Searches::new(device), Searches::new(device)];
        Wires { roads: Roads::new(device), nets: Vec::new(), searches, goal: GOAL, patient }
    }

    /// What paths are to come to where the placement promises so much.
    fn goal_for(&self, promised: f32) -> f32 {
        let hoped = HOPED * promised;
        if self.patient { hoped } else { GOAL.min(hoped) }
    }

    /// What a wire that is shared costs at most, and more for good.
    fn prices(&self) -> (f32, f32) {
        let patience = if self.patient { LONGER as f32 } else { 1.0 };
        (MOST * patience, DEAR / patience)
    }

    /// Other nets, or the same elsewhere; what of them is where it was keeps its way. And inputs that may change
    /// places.
    fn take(&mut self, mut nets: Vec<Net>, free: &[u32]) {
        let before: HashMap<_, _> = self.nets.iter().map(|net| (net.source, net)).collect();
        for net in &mut nets {
            if let Some(before) = before.get(&net.source).filter(|before| before.name == net.name) {
                net.keep(self.roads.device, before);
            }
        }
        self.nets = nets;
        self.roads.may_change_places(free);
        self.roads.count(&self.nets);
    }

    /// Writes ways for all wires into nextpnr's JSON; what the wires of the placement come to then.
    pub fn route(
        &mut self,
        netlist: &mut Value,
        mut timing: Timing,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Vec<(u32, f32)>, String> {
        let module = netlist["modules"].as_object_mut().and_then(|all| all.values_mut().next());
        let module = module.ok_or("nextpnr wrote no module")?;
        let Nets { nets, lines, free } = nets::read(self.roads.device, module, &timing)?;
        let known = !self.nets.is_empty();
        self.goal = self.goal_for(timing.worst());
        self.take(nets, &free);
        let mut best: Option<(f32, Vec<Map<Step>>)> = None;
        let (mut since, mut stale, mut legal) = (0, 0, false);
        let mut hope = Hope::new();
        let mut present = if known { AGAIN } else { PRESENT };
        for round in 1..=ROUNDS {
            let look_again = legal || ((2..=EARLY).contains(&round) && !known);
            since = if legal { 0 } else { since + 1 };
            self.mind(&timing, look_again, best.is_some());
            self.round(present, since > EARLY)?;
            timing.update(&self.delays());
            let (over, worst) = (self.roads.over(), timing.worst());
            tell(&format!(
                "round {round}: {:.2} ns, {over} wires have several nets",
                worst / 1000.0
            ));
            legal = over == 0;
            present = if legal { AGAIN } else { (present * MORE).min(self.prices().0) };
            if !legal {
                if hope.is_gone(over, round) {
                    break;
                }
                continue;
            }
            (hope, stale) = (Hope { round, ..Hope::new() }, stale + 1);
            if best.as_ref().is_none_or(|(least, _)| worst < *least) {
                let trees = self.nets.iter().map(|net| net.tree.clone()).collect();
                (best, stale) = (Some((worst, trees)), 0);
            }
            if stale >= STALE || worst <= self.goal {
                break;
            }
        }
        let (_, trees) = best.ok_or_else(|| {
            let (Hope { over, round }, (x, y)) = (hope, self.roads.crowded());
            let hint = if self.patient { "" } else { " (--patient may find room)" };
            format!("{over} wires had several nets in round {round}, and never fewer; most are around X{x}/Y{y}{hint}")
        })?;
        for (net, tree) in self.nets.iter_mut().zip(trees) {
            net.tree = tree;
        }
        for (name, text) in self.texts(&lines)? {
            module["netnames"][name]["attributes"]["ROUTING"] = text.into();
        }
        self.roads.count(&self.nets);
        Ok(self.delays())
    }

    /// How nextpnr writes the ways of each net.
    fn texts(&self, lines: &[Line]) -> Result<BTreeMap<&str, String>, String> {
        let device = self.roads.device;
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        let mut add = |name, text: &str| {
            let all: &mut String = texts.entry(name).or_default();
            *all += if all.is_empty() { "" } else { ";" };
            *all += text;
        };
        let mut tiles: HashMap<&str, BTreeSet<_>> = HashMap::new();
        for net in &self.nets {
            add(&*net.name, &net.text(device));
            let (x, y) = device.at(net.source);
            tiles.entry(&net.name).or_default().insert((x as usize, y as usize));
        }
        if !lines.is_empty() {
            let across = Across::new(device);
            for line in lines {
                let net = self.nets.iter().find(|net| net.name == line.net);
                let name = net
                    .map(|net| &*net.name)
                    .ok_or_else(|| format!("{} leads nowhere", line.net))?;
                add(name, &across.trunk(line, &tiles[name])?);
            }
        }
        Ok(texts)
    }

    /// Delay counts by how long paths are, more for those who are late if they `insist`; and these may be told to look
    /// for other ways.
    fn mind(&mut self, timing: &Timing, look_again: bool, insist: bool) {
        for sink in self.nets.iter_mut().flat_map(|net| &mut net.sinks) {
            let share = sink.number.map_or(0.0, |wire| timing.through(wire)) / self.goal;
            let critical = match share {
                late if late > 1.0 && insist => CRITICAL_OF_LATE,
                counts if counts > SHARE => CRITICAL * counts.min(1.0).powi(POWER),
                _ => 0.0,
            };
            sink.critical = critical.max(STAYS * sink.critical);
            sink.late = look_again && share > 1.0;
        }
    }

    /// Nets without a way, that share wires or are late look for ways; those on the longest paths first, among
    /// those that go across the middle of the device, and then among those on either side of it. (Who stays on one
    /// side meets nobody who stays on the other, and each side has a thread.)
    fn round(&mut self, present: f32, wider: bool) -> Result<(), String> {
        let (_, dear) = self.prices();
        let Wires { roads, nets, searches: [one, other], .. } = self;
        let mut nets: Vec<_> = nets.iter_mut().collect();
        nets.sort_by_cached_key(|net| {
            let critical = net.sinks.iter().map(|sink| sink.critical).fold(0.0, f32::max);
            (Reverse(critical.to_bits()), net.low.0 - net.high.0 + net.low.1 - net.high.1)
        });
        let (width, height) = roads.device.size();
        let (columns, across) = sides(nets, width / 2, |net| (net.low.0, net.high.0));
        let (rows, across) = sides(across, height / 2, |net| (net.low.1, net.high.1));
        let how = (present, wider);
        roads.find_all(one, across, how)?;
        for [low, high] in [rows, columns] {
            let (low, high) =
                rayon::join(|| roads.find_all(one, low, how), || roads.find_all(other, high, how));
            low.and(high)?;
        }
        roads.become_dear(dear);
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
                    let delay = self.roads.device.delay_of(step.switch, begin[&step.from]);
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

/// Nets on either side of a column or row, and those that are on both; `extent` says from where to where one goes.
fn sides(
    nets: Vec<&mut Net>,
    middle: i32,
    extent: impl Fn(&Net) -> (i32, i32),
) -> ([Vec<&mut Net>; 2], Vec<&mut Net>) {
    let (mut sides, mut both) = ([Vec::new(), Vec::new()], Vec::new());
    for net in nets {
        match extent(net) {
            (_, high) if high < middle => sides[0].push(net),
            (low, _) if low >= middle => sides[1].push(net),
            _ => both.push(net),
        }
    }
    (sides, both)
}
