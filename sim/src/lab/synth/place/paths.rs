//! Paths: when signals arrive, and how long the longest path through every wire is.

use super::netlist::Netlist;

/// Where no path leads.
const NEVER: f32 = -1.0e9;

/// A wire: its net, the time before the clock where a path ends there, and where what is on the other side of its cell
/// begins in `ahead`.
#[derive(Debug)]
struct Wire {
    net: u32,
    setup: f32,
    inner: bool,
    ahead: u32,
}

/// A net: the time after the clock where a path begins there, and where what it depends on begins in `behind`, and its
/// wires in `wires_of`.
#[derive(Debug)]
struct Net {
    launch: f32,
    behind: u32,
    wires: u32,
}

/// Arrivals and departures by net, in picoseconds. (What paths depend on lies here by itself: all of it is looked at
/// again and again.)
#[derive(Debug)]
pub struct Paths {
    /// Nets, each behind those that it depends on.
    order: Vec<u32>,
    /// One more than there are of both, where the lists end.
    wires: Vec<Wire>,
    nets: Vec<Net>,
    /// Wires that a net depends on, their nets, and the time from their ends.
    behind: Vec<(u32, u32, f32)>,
    wires_of: Vec<u32>,
    /// Nets on the other side of the cell where a wire ends, and the time to them.
    ahead: Vec<(u32, f32)>,
    /// When a net's driver switches.
    pub arrival: Vec<f32>,
    /// The longest way from there to a clock edge.
    rest: Vec<f32>,
    /// The longest path through a wire.
    pub through: Vec<f32>,
    /// The longest path.
    pub worst: f32,
}

impl Paths {
    /// Of a netlist; a combinational loop is refused.
    pub fn new(netlist: &Netlist) -> Result<Paths, String> {
        let count = netlist.nets.len();
        let mut before = vec![Vec::new(); count];
        let (mut wires, mut ahead) = (Vec::new(), Vec::new());
        for (number, wire) in netlist.wires.iter().enumerate() {
            let setup = wire.setup.unwrap_or(NEVER);
            wires.push(Wire { net: wire.net, setup, inner: wire.inner, ahead: ahead.len() as u32 });
            for (net, time) in &wire.through {
                before[*net as usize].push((number as u32, wire.net, *time));
                ahead.push((*net, *time));
            }
        }
        wires.push(Wire { net: 0, setup: NEVER, inner: false, ahead: ahead.len() as u32 });
        let (mut nets, mut behind, mut wires_of) = (Vec::new(), Vec::new(), Vec::new());
        for (net, before) in netlist.nets.iter().zip(&before) {
            let launch = net.launch.unwrap_or(NEVER);
            let [behind_of, wires] = [behind.len(), wires_of.len()].map(|first| first as u32);
            nets.push(Net { launch, behind: behind_of, wires });
            behind.extend_from_slice(before);
            wires_of.extend_from_slice(&net.wires);
        }
        let [behind_of, end] = [behind.len(), wires_of.len()].map(|first| first as u32);
        nets.push(Net { launch: NEVER, behind: behind_of, wires: end });
        let (arrival, rest) = (vec![NEVER; count], vec![NEVER; count]);
        let through = vec![NEVER; netlist.wires.len()];
        let (order, worst) = (Vec::new(), 0.0);
        let mut paths =
            Paths { order, wires, nets, behind, wires_of, ahead, arrival, rest, through, worst };
        paths.sort(before.iter().map(Vec::len).collect());
        if paths.order.len() < count {
            return Err("the netlist has a combinational loop".into());
        }
        Ok(paths)
    }

    /// Puts nets behind those that they depend on, of which each has so many.
    fn sort(&mut self, mut open: Vec<usize>) {
        let mut order: Vec<_> =
            (0..open.len() as u32).filter(|net| open[*net as usize] == 0).collect();
        let mut next = 0;
        while let Some(net) = order.get(next) {
            next += 1;
            for wire in self.wires_of(*net) {
                for (net, _) in self.ahead(*wire) {
                    open[*net as usize] -= 1;
                    if open[*net as usize] == 0 {
                        order.push(*net);
                    }
                }
            }
        }
        self.order = order;
    }

    fn behind(&self, net: u32) -> &[(u32, u32, f32)] {
        let net = net as usize;
        &self.behind[self.nets[net].behind as usize..self.nets[net + 1].behind as usize]
    }

    fn wires_of(&self, net: u32) -> &[u32] {
        let net = net as usize;
        &self.wires_of[self.nets[net].wires as usize..self.nets[net + 1].wires as usize]
    }

    fn ahead(&self, wire: u32) -> &[(u32, f32)] {
        let wire = wire as usize;
        &self.ahead[self.wires[wire].ahead as usize..self.wires[wire + 1].ahead as usize]
    }

    /// Anew, with the delays of the wires.
    pub fn update(&mut self, delay: &[f32]) {
        for i in 0..self.order.len() {
            let net = self.order[i];
            let mut arrival = self.nets[net as usize].launch;
            for &(wire, from, time) in self.behind(net) {
                arrival = arrival.max(self.arrival[from as usize] + delay[wire as usize] + time);
            }
            self.arrival[net as usize] = arrival;
        }
        self.worst = 0.0;
        for i in (0..self.order.len()).rev() {
            let net = self.order[i];
            let (mut rest, arrival) = (NEVER, self.arrival[net as usize]);
            let wires = self.nets[net as usize].wires..self.nets[net as usize + 1].wires;
            for i in wires {
                let number = self.wires_of[i as usize];
                let time = self.after(number) + delay[number as usize];
                self.through[number as usize] = time + arrival;
                rest = rest.max(time);
            }
            self.rest[net as usize] = rest;
            self.worst = self.worst.max(rest + arrival);
        }
    }

    /// The path to the so-manieth end, from the longest one on; to the last, if there are fewer.
    pub fn to_end(&self, netlist: &Netlist, delay: &[f32], which: usize) -> f32 {
        let ends = netlist.wires.iter().zip(delay).filter_map(|(wire, delay)| {
            Some(self.arrival[wire.net as usize] + delay + wire.setup?)
        });
        let mut ends: Vec<f32> = ends.collect();
        ends.sort_unstable_by(|a, b| b.total_cmp(a));
        ends.get(which.saturating_sub(1)).or(ends.last()).copied().unwrap_or(0.0)
    }

    /// The longest path through a wire with other delays of it and of the wires next to it; with
    /// `chains` of those on the other side of a carry chain, too.
    pub fn with(&self, number: u32, delay: impl Fn(u32) -> f32, chains: bool) -> f32 {
        self.arrival_with(self.wires[number as usize].net, &delay, chains)
            + delay(number)
            + self.rest_with(number, &delay, chains)
    }

    /// When a net's driver switches, with other delays of the wires before it.
    fn arrival_with(&self, net: u32, delay: &impl Fn(u32) -> f32, chains: bool) -> f32 {
        let mut arrival = self.nets[net as usize].launch;
        for &(before, from, time) in self.behind(net) {
            let from = if chains && self.wires[before as usize].inner {
                self.arrival_with(from, delay, chains)
            } else {
                self.arrival[from as usize]
            };
            arrival = arrival.max(from + delay(before) + time);
        }
        arrival
    }

    /// The longest way from the end of a wire, with other delays of the wires behind it.
    fn rest_with(&self, number: u32, delay: &impl Fn(u32) -> f32, chains: bool) -> f32 {
        let mut rest = self.wires[number as usize].setup;
        for &(net, time) in self.ahead(number) {
            for &next in self.wires_of(net) {
                let after = if chains && self.wires[next as usize].inner {
                    self.rest_with(next, delay, chains)
                } else {
                    self.after(next)
                };
                rest = rest.max(time + delay(next) + after);
            }
        }
        rest
    }

    /// The longest way from the end of a wire.
    fn after(&self, number: u32) -> f32 {
        let ways = self.ahead(number).iter().map(|(net, delay)| delay + self.rest[*net as usize]);
        ways.fold(self.wires[number as usize].setup, f32::max)
    }
}
