//! When signals arrive and how long they go on, if every wire takes as long.

use super::graph::{Driver, Graph, Net, Signal};

/// Picoseconds of cells, as nextpnr has them for speed grade 6.
pub const TABLE: f32 = 236.0;
const REGISTER: f32 = 525.0;
const INTO_CARRY: f32 = 447.0;
const CARRY: f32 = 71.0;
const OUT_OF_CARRY: [f32; 2] = [443.0, 403.0];
/// From the clock, to it, and through.
pub const BLOCK: f32 = 5830.0;
/// See `BLOCK`.
pub const BLOCK_SETUP: f32 = 251.0;
/// See `BLOCK`.
pub const MULTIPLIER: f32 = 3927.0;
/// Of a clock enable.
pub const ENABLE_SETUP: f32 = 151.0;
/// A wire.
pub const WIRE: f32 = 1000.0;
/// How much more it takes each time that who reads its net, more than so many, are twice as many.
const MORE: f32 = 500.0;
const FEW: f32 = 4.0;

/// What depends on this file, for a hash.
pub fn what() -> String {
    let carry = [INTO_CARRY, CARRY, OUT_OF_CARRY[0], OUT_OF_CARRY[1]];
    format!(
        "{TABLE} {REGISTER} {carry:?} {BLOCK} {BLOCK_SETUP} {MULTIPLIER} {ENABLE_SETUP} {WIRE} {MORE} {FEW}"
    )
}

/// Where no path leads.
pub const NEVER: f32 = -1.0e9;

/// Through a table, with the wire to it.
pub fn through_table(arrival: f32) -> f32 {
    arrival + WIRE + TABLE
}

/// From a register's output through what is behind it.
pub fn from_register(rest: f32) -> f32 {
    REGISTER + rest
}

/// When the sums of a stage and its carry come, by when its inputs do.
pub fn through_stage(ins: [f32; 2], carry_in: f32) -> ([f32; 2], f32) {
    let [first, second] = ins.map(|arrival| arrival + WIRE);
    // A carry costs once a stage, in the first bit.
    let between = (first + INTO_CARRY).max(carry_in + CARRY);
    let sums = [
        (first + TABLE).max(carry_in + OUT_OF_CARRY[0]),
        (second + TABLE).max(between + OUT_OF_CARRY[1]),
    ];
    (sums, between.max(second + INTO_CARRY))
}

/// When the last carry of a chain comes out of it.
pub fn out_of_chain(carry: f32) -> f32 {
    carry + OUT_OF_CARRY[0]
}

/// Arrivals and what is left, by net, in picoseconds.
#[derive(Debug)]
pub struct Times {
    /// When the net's driver switches.
    pub arrival: Vec<f32>,
    /// The longest way from there to a clock edge.
    pub rest: Vec<f32>,
    /// The longest path.
    pub worst: f32,
    /// The longest path to every end.
    pub ends: Vec<f32>,
}

/// All ways from net to net, with the wire.
fn ways(graph: &Graph, mut way: impl FnMut(Net, Net, f32)) {
    for table in graph.tables.iter().flatten() {
        for net in table.ins.iter().copied().filter_map(Signal::net) {
            way(net, table.out, WIRE + TABLE);
        }
    }
    for (number, stage) in graph.stages.iter().enumerate() {
        let [first, second] = stage.sums;
        let last = graph.chains[graph.chain_of[number] as usize].last() == Some(&(number as u32));
        let out = if last { OUT_OF_CARRY[0] } else { 0.0 };
        for (bit, ins) in stage.ins.iter().enumerate() {
            for net in ins.iter().copied().filter_map(Signal::net) {
                let own = if bit == 0 { first } else { second };
                own.into_iter().for_each(|sum| way(net, sum, WIRE + TABLE));
                if bit == 0 {
                    let time = WIRE + INTO_CARRY + OUT_OF_CARRY[1];
                    second.into_iter().for_each(|sum| way(net, sum, time));
                }
                stage
                    .carry_out
                    .into_iter()
                    .for_each(|carry| way(net, carry, WIRE + INTO_CARRY + out));
            }
        }
        if let Some(net) = stage.carry_in.net() {
            first.into_iter().for_each(|sum| way(net, sum, OUT_OF_CARRY[0]));
            second.into_iter().for_each(|sum| way(net, sum, CARRY + OUT_OF_CARRY[1]));
            stage.carry_out.into_iter().for_each(|carry| way(net, carry, CARRY + out));
        }
    }
    for (to, other) in &graph.others {
        other.through.iter().for_each(|(from, time)| way(*from, *to, WIRE + time));
    }
}

/// How much later than from a narrow net who reads it hears of it, by net.
pub fn later(graph: &Graph) -> Vec<f32> {
    let read = graph.readers();
    read.iter().map(|count| MORE * (*count as f32 / FEW).max(1.0).log2()).collect()
}

impl Times {
    /// Of a graph; a combinational loop is refused.
    pub fn new(graph: &Graph) -> Result<Times, String> {
        Times::with(graph, &vec![0.0; graph.drivers.len()])
    }

    /// The same, where who reads a net hears that much later of it.
    pub fn with(graph: &Graph, later: &[f32]) -> Result<Times, String> {
        let nets = graph.drivers.len();
        let mut open = vec![0u32; nets];
        let mut ahead: Vec<Vec<(Net, f32)>> = vec![Vec::new(); nets];
        ways(graph, |from, to, time| {
            ahead[from as usize].push((to, time));
            open[to as usize] += 1;
        });
        let mut arrival = vec![NEVER; nets];
        for register in graph.registers.iter().flatten() {
            arrival[register.q as usize] = REGISTER + later[register.q as usize];
        }
        for (net, other) in &graph.others {
            arrival[*net as usize] = other.launch.unwrap_or(NEVER) + later[*net as usize];
        }
        let mut order: Vec<_> = (0..nets as Net).filter(|net| open[*net as usize] == 0).collect();
        let mut next = 0;
        while let Some(&from) = order.get(next) {
            next += 1;
            for &(to, time) in &ahead[from as usize] {
                let to = to as usize;
                arrival[to] = arrival[to].max(arrival[from as usize] + time + later[to]);
                open[to] -= 1;
                if open[to] == 0 {
                    order.push(to as Net);
                }
            }
        }
        if order.len() < nets {
            return Err("the netlist has a combinational loop".into());
        }
        let mut rest = vec![NEVER; nets];
        let mut ends = Vec::new();
        let mut end = |net: usize, time: f32| {
            rest[net] = rest[net].max(time);
            ends.push(arrival[net] + time);
        };
        for (net, setup) in &graph.ends {
            end(*net as usize, setup + WIRE);
        }
        // One of the registers behind a table is in its logic cell.
        let mut beside = vec![false; nets];
        for register in graph.registers.iter().flatten() {
            let Some(net) = register.d.net().map(|net| net as usize) else { continue };
            let apart = !matches!(graph.drivers[net], Driver::Table(_) | Driver::Stage(_));
            let wire = apart || std::mem::replace(&mut beside[net], true);
            end(net, if wire { WIRE } else { 0.0 });
        }
        let mut worst = 0f32;
        for &net in order.iter().rev() {
            let net = net as usize;
            for &(to, time) in &ahead[net] {
                rest[net] = rest[net].max(time + rest[to as usize]);
            }
            worst = worst.max(arrival[net] + rest[net]);
        }
        Ok(Times { arrival, rest, worst, ends })
    }

    /// The longest path through a net.
    pub fn through(&self, net: Net) -> f32 {
        self.arrival[net as usize] + self.rest[net as usize]
    }
}
