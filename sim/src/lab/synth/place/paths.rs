//! Paths: when signals arrive, and how long the longest path through every wire is.

use super::netlist::Netlist;

/// Where no path leads.
const NEVER: f32 = -1.0e9;

/// Arrivals and departures by net, in picoseconds.
#[derive(Debug)]
pub struct Paths {
    /// Nets, each behind those that it depends on.
    order: Vec<u32>,
    /// Wires that a net depends on, and the time from their ends.
    behind: Vec<Vec<(u32, f32)>>,
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
        let nets = netlist.nets.len();
        let mut behind = vec![Vec::new(); nets];
        for (number, wire) in netlist.wires.iter().enumerate() {
            for (net, delay) in &wire.through {
                behind[*net as usize].push((number as u32, *delay));
            }
        }
        let mut open: Vec<_> = behind.iter().map(Vec::len).collect();
        let mut order: Vec<_> = (0..nets as u32).filter(|net| open[*net as usize] == 0).collect();
        let mut next = 0;
        while let Some(net) = order.get(next) {
            next += 1;
            for wire in &netlist.nets[*net as usize].wires {
                for (net, _) in &netlist.wires[*wire as usize].through {
                    open[*net as usize] -= 1;
                    if open[*net as usize] == 0 {
                        order.push(*net);
                    }
                }
            }
        }
        if order.len() < nets {
            return Err("the netlist has a combinational loop".into());
        }
        let (arrival, rest) = (vec![NEVER; nets], vec![NEVER; nets]);
        let through = vec![NEVER; netlist.wires.len()];
        Ok(Paths { order, behind, arrival, rest, through, worst: 0.0 })
    }

    /// Anew, with the delays of the wires.
    pub fn update(&mut self, netlist: &Netlist, delay: &[f32]) {
        for &net in &self.order {
            let mut arrival = netlist.nets[net as usize].launch.unwrap_or(NEVER);
            for &(wire, time) in &self.behind[net as usize] {
                let from = netlist.wires[wire as usize].net as usize;
                arrival = arrival.max(self.arrival[from] + delay[wire as usize] + time);
            }
            self.arrival[net as usize] = arrival;
        }
        self.worst = 0.0;
        for &net in self.order.iter().rev() {
            let mut rest = NEVER;
            for &number in &netlist.nets[net as usize].wires {
                let time = self.after(netlist, number) + delay[number as usize];
                self.through[number as usize] = time + self.arrival[net as usize];
                rest = rest.max(time);
            }
            self.rest[net as usize] = rest;
            self.worst = self.worst.max(rest + self.arrival[net as usize]);
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
    pub fn with(
        &self,
        netlist: &Netlist,
        number: u32,
        delay: impl Fn(u32) -> f32,
        chains: bool,
    ) -> f32 {
        let wire = &netlist.wires[number as usize];
        self.arrival_with(netlist, wire.net, &delay, chains)
            + delay(number)
            + self.rest_with(netlist, number, &delay, chains)
    }

    /// When a net's driver switches, with other delays of the wires before it.
    fn arrival_with(
        &self,
        netlist: &Netlist,
        net: u32,
        delay: &impl Fn(u32) -> f32,
        chains: bool,
    ) -> f32 {
        let mut arrival = netlist.nets[net as usize].launch.unwrap_or(NEVER);
        for &(before, time) in &self.behind[net as usize] {
            let wire = &netlist.wires[before as usize];
            let from = if chains && wire.inner {
                self.arrival_with(netlist, wire.net, delay, chains)
            } else {
                self.arrival[wire.net as usize]
            };
            arrival = arrival.max(from + delay(before) + time);
        }
        arrival
    }

    /// The longest way from the end of a wire, with other delays of the wires behind it.
    fn rest_with(
        &self,
        netlist: &Netlist,
        number: u32,
        delay: &impl Fn(u32) -> f32,
        chains: bool,
    ) -> f32 {
        let wire = &netlist.wires[number as usize];
        let mut rest = wire.setup.unwrap_or(NEVER);
        for (net, time) in &wire.through {
            for &next in &netlist.nets[*net as usize].wires {
                let after = if chains && netlist.wires[next as usize].inner {
                    self.rest_with(netlist, next, delay, chains)
                } else {
                    self.after(netlist, next)
                };
                rest = rest.max(time + delay(next) + after);
            }
        }
        rest
    }

    /// The longest way from the end of a wire.
    fn after(&self, netlist: &Netlist, number: u32) -> f32 {
        let wire = &netlist.wires[number as usize];
        let ways = wire.through.iter().map(|(net, delay)| delay + self.rest[*net as usize]);
        ways.fold(wire.setup.unwrap_or(NEVER), f32::max)
    }
}
