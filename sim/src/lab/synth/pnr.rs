//! From Verilog to a frequency: Yosys maps, registers move, nextpnr places, places get better, all wires get ways,
//! and nextpnr checks them. Each is a step that may be kept (`steps.rs`).

#[cfg(test)]
mod tests;

use super::at_once::at_once;
use super::network;
use super::place::{self, Placing};
use super::retime::{self, Longest};
use super::route::{self, Routed};
use super::steps::Steps;
use super::target::{Target, Way};
use super::tool::{Tool, work_folder};
use super::which::Which;
use super::wires::{self, Wires};
use crate::error::BadInput;
use crate::lab::kernels::fnv1a;
use hdl::tools::Tools;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The device, and that a frequency below the one asked for is a result like any other.
const DEVICE: &[&str] = &[
    "--85k",
    "--package",
    "CABGA756",
    "--speed",
    "6",
    "--timing-allow-fail",
    "--lpf-allow-unconstrained",
    "--quiet",
];
/// The frequency asked for, MHz.
const FREQUENCY: f32 = 100.0;
/// A legal placement, and the delays of its cells.
const PLACE: &[&str] = &[
    "--json",
    "netlist.json",
    "--placer",
    "static",
    "--no-route",
    "--write",
    "placed.json",
    "--sdf",
    "placed.sdf",
];
/// How many placements nextpnr makes of a large design, and how far apart their seeds are; it goes on
/// with the one that promises most.
const PLACEMENTS: u64 = 3;
const APART: u64 = 1000;
/// How often all wires are routed; in between late ones become shorter by what they came to. Where wire is scarce
/// what moves would find no room.
const ROUTINGS: usize = 6;
const ROUTINGS_OF_PATIENT: usize = 1;
/// A better placement, which has a place for everything but a constant that nothing reads, with a way for each
/// wire but the clock's.
const CHECK: &[&str] = &["--json", "better.json", "--placer", "sa", "--report", "report.json"];

/// The tools, and where their steps are kept.
pub struct Flow {
    /// For what.
    pub target: &'static Target,
    yosys: Tool,
    nextpnr: Tool,
    /// Where they are.
    folder: Tools,
    steps: Steps,
    patient: bool,
    routings: usize,
    /// FNV-1a of all that the result depends on beside design, seed and tools.
    pub hash: String,
}

fn read_of_yosys(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("yosys wrote no JSON: {e}"))
}

impl Flow {
    /// `around` and `system` are what is beside a design, `patient` is for [`Wires::new`].
    pub fn new(
        which: &Which,
        target: &'static Target,
        keep: Option<&Path>,
        patient: bool,
        [around, system]: [String; 2],
    ) -> Result<Flow, BadInput> {
        let options = [DEVICE, PLACE, CHECK].concat().concat();
        let again = format!("{:?}", target.again);
        let routings = if patient { ROUTINGS_OF_PATIENT } else { ROUTINGS };
        let system = format!("{system} {routings} {PLACEMENTS} {APART} {FREQUENCY}");
        let what = [
            retime::what(),
            place::what(),
            place::what_of_longest(),
            place::what_of_routed(),
            wires::what(patient),
            network::what(),
        ]
        .concat();
        let parts = [target.hash(), again, around, options, system, what];
        let hash = format!("{:016x}", fnv1a(parts.concat().as_bytes()));
        let (yosys, nextpnr) = (which.tool("yosys")?, which.tool("nextpnr-ecp5")?);
        let (folder, steps) = (which.tools(), Steps::new(keep)?);
        Ok(Flow { target, yosys, nextpnr, folder, steps, patient, routings, hash })
    }

    /// Names and versions.
    pub fn tools(&self) -> String {
        format!("{}, {}", self.yosys.version, self.nextpnr.version)
    }

    /// The netlist of Verilog: of all ways to map it the one with the shortest paths. `moves` says
    /// whether its registers move.
    pub fn netlist(
        &self,
        verilog: &str,
        moves: bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<String, String> {
        let mut best: Option<(Longest, String)> = None;
        for ways in self.target.ways() {
            // Further ones only of a large design.
            if ways.is_empty() || best.as_ref().is_some_and(|(longest, _)| !longest.of_large) {
                break;
            }
            tell(&format!("synthesis, {} ways", ways.len()));
            let made = at_once(&ways, tell, |way, tell| self.map(verilog, *way, moves, tell))?;
            for (longest, netlist) in made {
                tell(&format!("longest paths: {:.2} ns, not placed", longest.time / 1000.0));
                if best.as_ref().is_none_or(|(least, _)| longest.time < least.time) {
                    best = Some((longest, netlist));
                }
            }
        }
        let (_, netlist) = best.ok_or_else(|| format!("{} has no mapping", self.target.name))?;
        let mut buffered = read_of_yosys(&netlist)?;
        match network::promote(&mut buffered)? {
            0 => Ok(netlist),
            registers => {
                tell(&format!("{registers} enables and resets by the network of the clock"));
                Ok(buffered.to_string())
            }
        }
    }

    /// In one way; and how long its longest paths are.
    fn map(
        &self,
        verilog: &str,
        way: Way,
        moves: bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(Longest, String), String> {
        let Flow { target, yosys, .. } = self;
        let how = format!("{way:?} {moves} {}", yosys.version);
        let from = [verilog, &target.hash(), &how, &retime::what()];
        let [made] = self.steps.step("mapped", &from, || {
            let folder = work_folder()?;
            let made = target.synthesise(yosys, folder.path(), verilog, true, way)?;
            if !moves {
                return Ok([made]);
            }
            tell("registers move");
            let mut netlist = read_of_yosys(&made)?;
            retime::retime(&mut netlist, tell)?;
            Ok([netlist.to_string()])
        })?;
        Ok((retime::longest(&read_of_yosys(&made)?)?, made))
    }

    /// Runs nextpnr with a file of this name and text; the texts that it wrote.
    fn nextpnr<const N: usize>(
        &self,
        (options, seed): (&[&str], u64),
        (name, text): (&str, &str),
        wrote: [&str; N],
    ) -> Result<[String; N], String> {
        // The WebAssembly of a tool sees the folder it runs in and no other.
        let folder = work_folder()?;
        let file = |name: &str| folder.path().join(name);
        fs::write(file(name), text).map_err(|e| format!("{name}: {e}"))?;
        let run = ["--seed", &seed.to_string(), "--freq", &FREQUENCY.to_string()];
        let options = [options, &run, DEVICE].concat();
        self.nextpnr.run(folder.path(), &options)?;
        let mut texts = wrote.map(|_| String::new());
        for (text, name) in texts.iter_mut().zip(wrote) {
            *text = fs::read_to_string(file(name))
                .map_err(|e| format!("nextpnr wrote no {name}: {e}"))?;
        }
        Ok(texts)
    }

    /// nextpnr's placement and the delays of its cells, of a large design the one that promises most. `how` and
    /// `better` are what placements and better ones depend on.
    fn place(
        &self,
        netlist: &str,
        seed: u64,
        [how, better]: [&str; 2],
        tell: &mut dyn FnMut(&str),
    ) -> Result<[String; 2], String> {
        let one = |nth: &u64, tell: &mut dyn FnMut(&str)| {
            let seed = seed + nth * APART;
            tell(&format!("a legal placement, {} of {PLACEMENTS} at most", nth + 1));
            let from = [netlist, how, &PLACE.concat(), &seed.to_string()];
            let placed = self.steps.step("placed", &from, || {
                let wrote = ["placed.json", "placed.sdf"];
                self.nextpnr((PLACE, seed), ("netlist.json", netlist), wrote)
            })?;
            let [promise] =
                self.steps.step("promise", &[&placed[0], &placed[1], better], || {
                    let promise = place::promise(&placed[0], &placed[1], seed, tell)?;
                    Ok([promise.map_or_else(String::new, |picoseconds| picoseconds.to_string())])
                })?;
            // Of a small design any is good.
            let promise = promise.parse::<f32>().ok();
            if let Some(picoseconds) = promise {
                tell(&format!("longest paths: {:.2} ns, begun", picoseconds / 1000.0));
            }
            Ok((promise, placed))
        };
        let mut all = vec![one(&0, tell)?];
        if all[0].0.is_some() {
            let others: Vec<u64> = (1..PLACEMENTS).collect();
            all.extend(at_once(&others, tell, one)?);
        }
        let promises = |a: &Option<f32>, b: &Option<f32>| a.partial_cmp(b).expect("numbers");
        let best = all.into_iter().min_by(|(a, _), (b, _)| promises(a, b));
        best.map(|(_, placed)| placed).ok_or_else(|| "nothing was placed".to_string())
    }

    /// Places and routes a netlist.
    pub fn route(
        &self,
        netlist: &str,
        seed: u64,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Routed, String> {
        let how = format!("{} {seed} {DEVICE:?} {FREQUENCY}", self.nextpnr.version);
        let better = format!("{how} {} {}", place::what(), network::what());
        let [placed, delays] = self.place(netlist, seed, [&how, &better], tell)?;
        let [annealed] = self.steps.step("annealed", &[&placed, &delays, &better], || {
            Ok([Placing::anneal(&placed, &delays, seed, tell)?.kept()])
        })?;
        let better = better + " " + &place::what_of_longest();
        let [copied] = self.steps.step("copied", &[&placed, &annealed, &better], || {
            let mut placing = Placing::again(&placed, &annealed)?;
            placing.copy(tell)?;
            Ok([placing.kept()])
        })?;
        let Flow { patient, routings, .. } = self;
        let ways = format!("{} {} {routings}", wires::what(*patient), place::what_of_routed());
        let from = [&*placed, &copied, &better, &ways];
        let [wired] = self
            .steps
            .step("wired", &from, || Ok([self.wire(Placing::again(&placed, &copied)?, tell)?]))?;
        tell("all wires are checked");
        let [report] = self.nextpnr((CHECK, seed), ("better.json", &*wired), ["report.json"])?;
        route::read(&report)
    }

    /// Routes all wires, and makes late ones shorter by what they came to; who has not moved keeps
    /// its way.
    fn wire(&self, mut placing: Placing, tell: &mut dyn FnMut(&str)) -> Result<String, String> {
        let file = self.folder.ecp5_database()?;
        let database = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let device = wires::device(&database)?;
        let mut wires = Wires::new(&device, self.patient);
        let mut best: Option<(f32, String)> = None;
        let routings = self.routings;
        for routing in 1..=routings {
            tell(&format!("all wires, {routing} of {routings}"));
            let mut netlist = placing.whole()?;
            let delays = match wires.route(&mut netlist, placing.timing()?, tell) {
                Ok(delays) => delays,
                // What moved found no room: it stays as it was before.
                Err(why) if best.is_some() => {
                    tell(&why);
                    break;
                }
                Err(why) => return Err(why),
            };
            let longest = placing.came_to(&delays)?;
            tell(&format!("longest paths: {:.2} ns, routed", longest / 1000.0));
            if best.as_ref().is_none_or(|(least, _)| longest < *least) {
                best = Some((longest, netlist.to_string()));
            }
            if routing < routings {
                placing.shorten(tell)?;
            }
        }
        best.map(|(_, netlist)| netlist).ok_or_else(|| "no wires were routed".to_string())
    }
}
