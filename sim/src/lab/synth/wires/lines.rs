//! Lines of the network of the clock that lead to enables and resets (`network.rs`): where they begin, how they come to
//! tiles, and how nextpnr writes that.

use super::device::Device;
use std::collections::{BTreeSet, HashMap};

/// Quarters of the device.
const QUARTERS: [&str; 4] = ["UL", "UR", "LL", "LR"];
/// Switches at most between a wire for any signal and a buffer, and what the wires are called that such lead to.
const STEPS: usize = 3;
const ENTRY: &str = "PCLKCIB";

/// A line that is in use.
#[derive(Clone, Debug)]
pub struct Line {
    /// The net.
    pub net: String,
    pub number: usize,
    /// The site of its buffer.
    pub site: String,
}

/// Switches that lead across the device, by the wire they lead to.
pub struct Across<'a> {
    device: &'a Device,
    to: HashMap<u32, Vec<(u32, u32)>>,
}

impl<'a> Across<'a> {
    pub fn new(device: &'a Device) -> Self {
        let mut to: HashMap<u32, Vec<_>> = HashMap::new();
        for (switch, from, end) in device.across() {
            to.entry(end).or_default().push((switch, from));
        }
        Across { device, to }
    }

    fn step(&self, wire: u32, switch: u32) -> String {
        format!("{};{};1", self.device.name(wire), self.device.switch_name(switch))
    }

    fn end(&self, name: &str) -> Result<u32, String> {
        self.device.wire(0, 0, name).ok_or_else(|| format!("no wire {name}"))
    }

    /// Wires for any signal from which it is led to the buffer at a site, and how on from there.
    pub fn entries(&self, site: &str) -> Result<Vec<(u32, String)>, String> {
        let mut entries = Vec::new();
        let mut ways = vec![(self.end(&format!("G_CLKI_{site}"))?, String::new())];
        for _ in 0..STEPS {
            let mut farther = Vec::new();
            for (wire, rest) in ways {
                for &(switch, from) in self.to.get(&wire).into_iter().flatten() {
                    let text = format!("{};{rest}", self.step(wire, switch));
                    let next = (from, text.trim_end_matches(';').to_string());
                    if self.device.is_of_clock(from) {
                        farther.push(next);
                    } else if self.device.name(wire).contains(ENTRY) {
                        entries.push(next);
                    }
                }
            }
            ways = farther;
        }
        Ok(entries)
    }

    /// How a line comes from its buffer to tiles. (From the middle of a quarter on the database has only the ends.)
    pub fn trunk(&self, line: &Line, tiles: &BTreeSet<(usize, usize)>) -> Result<String, String> {
        let (device, number) = (self.device, line.number);
        let begin = self.end(&format!("G_CLKO_{}", line.site))?;
        let mut steps = BTreeSet::from([format!("{};;1", device.name(begin))]);
        for quarter in QUARTERS {
            let to = self.end(&format!("G_{quarter}PCLK{number}"))?;
            let through = |&(switch, middle): &(u32, u32)| {
                let &(first, _) = self.to.get(&middle)?.iter().find(|(_, from)| *from == begin)?;
                Some([self.step(middle, first), self.step(to, switch)])
            };
            let way = self.to.get(&to).into_iter().flatten().find_map(through);
            let from = &line.site;
            steps
                .extend(way.ok_or_else(|| format!("no way from {from} to {quarter}PCLK{number}"))?);
        }
        let line = format!("{number:02}00");
        for &(x, y) in tiles {
            let branch = device.branch(x, y);
            let (column, side) = (branch.column, if branch.right { 'R' } else { 'L' });
            let stem = device.branch(column.into(), y).stem;
            let (row, stem) = stem.ok_or_else(|| format!("no stem at X{column}/Y{y}"))?;
            let (tap, spine) = (format!("X{column}/Y{y}"), format!("X{stem}/Y{row}"));
            let (hpbx, vptx) = (format!("{side}_HPBX{line}"), format!("G_VPTX{line}"));
            steps.insert(format!("{tap}/{hpbx};{tap}/0_0_{vptx}->0_0_{hpbx};1"));
            steps.insert(format!("{spine}/{vptx};{spine}/0_0_G_HPRX{line}->0_0_{vptx};1"));
        }
        Ok(Vec::from_iter(steps).join(";"))
    }
}

impl Device {
    /// A line in a tile.
    pub fn line(&self, (x, y): (usize, usize), number: usize) -> Option<u32> {
        self.wire(x, y, &format!("G_HPBX{number:02}00"))
    }
}
