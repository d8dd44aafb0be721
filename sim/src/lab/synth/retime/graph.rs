//! A netlist of Yosys for ECP5 as a graph: look-up tables, stages of carry chains and
//! registers, which change, and everything else, which does not.

use serde_json::Value;
use std::collections::HashMap;

/// The number of a net.
pub type Net = u32;

/// What an input is wired to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// A constant.
    Is(bool),
    /// A net.
    On(Net),
}

use Signal::{Is, On};

impl Signal {
    /// The net, if it is one.
    pub fn net(self) -> Option<Net> {
        match self {
            Is(_) => None,
            On(net) => Some(net),
        }
    }
}

/// What drives a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    /// A table.
    Table(u32),
    /// A stage of a carry chain.
    Stage(u32),
    /// A register.
    Register(u32),
    /// A pin, a memory or a multiplier; or nothing, any more.
    Other,
}

/// A look-up table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// In the netlist.
    pub name: String,
    /// Inputs A to D.
    pub ins: [Signal; 4],
    /// By inputs, A the lowest bit.
    pub init: u16,
    /// Output.
    pub out: Net,
}

/// A stage of a carry chain, two bits.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// In the netlist.
    pub name: String,
    /// Of each bit inputs A to D.
    pub ins: [[Signal; 4]; 2],
    /// Carry in.
    pub carry_in: Signal,
    /// Sums.
    pub sums: [Option<Net>; 2],
    /// Carry out.
    pub carry_out: Option<Net>,
    /// Tables.
    pub init: [u16; 2],
    /// The carry begins anew behind the bit.
    pub inject: [bool; 2],
}

/// A register.
#[derive(Clone, PartialEq, Debug)]
pub struct Register {
    /// In the netlist.
    pub name: String,
    /// Input.
    pub d: Signal,
    /// Output.
    pub q: Net,
    /// See [`Graph::classes`].
    pub class: u32,
    /// What it begins with, and what a reset makes of it.
    pub set: bool,
}

/// A small memory: what its address is wired to, and what it drives.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// In the netlist.
    pub name: String,
    /// Of what is read.
    pub address: Vec<Signal>,
    /// Outputs.
    pub outs: Vec<Net>,
}

/// What registers have in common that may pass through a table together.
#[derive(Clone, PartialEq, Debug)]
pub struct Class {
    /// Cell, without what differs between registers.
    pub cell: Value,
    /// The clock, its edge, and whether a reset of the whole device counts.
    pub clock: String,
    /// The clock enable, and its level.
    pub enable: Option<(Net, bool)>,
    /// The synchronous reset, which goes before the enable.
    pub reset: Option<Net>,
    /// What a register does next is known from these.
    pub known: bool,
}

impl Class {
    fn is_plain(&self) -> bool {
        self.known && self.enable.is_none() && self.reset.is_none()
    }
}

/// How a net depends on what is not a table, stage or register.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Other {
    /// Picoseconds after the clock, where a path begins.
    pub launch: Option<f32>,
    /// What it depends on within the cycle, with the time from there but for the wire.
    pub through: Vec<(Net, f32)>,
}

/// The netlist. What is not there any more is `None`.
#[derive(Debug, Default)]
pub struct Graph {
    /// Tables.
    pub tables: Vec<Option<Table>>,
    /// Stages of carry chains.
    pub stages: Vec<Stage>,
    /// Registers.
    pub registers: Vec<Option<Register>>,
    /// Their classes.
    pub classes: Vec<Class>,
    /// By net.
    pub drivers: Vec<Driver>,
    /// Of nets that pins, memories and multipliers drive.
    pub others: HashMap<Net, Other>,
    /// Of those memories that are made of tables.
    pub memories: Vec<Memory>,
    /// Nets that something else reads, and the time before the clock.
    pub ends: Vec<(Net, f32)>,
    /// The chain of a stage, and chains.
    pub chain_of: Vec<u32>,
    /// See `chain_of`.
    pub chains: Vec<Vec<u32>>,
    /// Chains with a carry in the middle that something else reads.
    pub tapped: Vec<bool>,
    /// Nets by their numbers in the netlist.
    pub bits: HashMap<u64, Net>,
}

impl Graph {
    /// A net that `driver` drives.
    pub fn net(&mut self, driver: Driver) -> Net {
        self.drivers.push(driver);
        self.drivers.len() as Net - 1
    }

    /// Chains from stage to stage.
    pub fn find_chains(&mut self) -> Result<(), String> {
        let before = |graph: &Graph, stage: &Stage| match stage.carry_in.net() {
            Some(net) => match graph.drivers[net as usize] {
                Driver::Stage(from) => {
                    (graph.stages[from as usize].carry_out == Some(net)).then_some(from)
                }
                _ => None,
            },
            None => None,
        };
        let mut next = vec![None; self.stages.len()];
        let mut heads = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            match before(self, stage) {
                Some(from) if next[from as usize].is_none() => {
                    next[from as usize] = Some(number as u32);
                }
                _ => heads.push(number as u32),
            }
        }
        self.chain_of = vec![u32::MAX; self.stages.len()];
        for head in heads {
            let chain: Vec<_> =
                std::iter::successors(Some(head), |stage| next[*stage as usize]).collect();
            for stage in &chain {
                self.chain_of[*stage as usize] = self.chains.len() as u32;
            }
            self.chains.push(chain);
        }
        if self.chain_of.contains(&u32::MAX) {
            return Err("a carry chain has no beginning".into());
        }
        let read = self.readers();
        let between = |chain: &Vec<u32>| {
            let mut stages = chain.iter().rev().skip(1).map(|stage| &self.stages[*stage as usize]);
            stages.any(|stage| stage.carry_out.is_some_and(|net| read[net as usize] > 1))
        };
        self.tapped = self.chains.iter().map(between).collect();
        Ok(())
    }

    /// The class without enable and reset that has the clock of another.
    pub fn plain(&self, class: u32) -> Option<u32> {
        let clock = &self.classes[class as usize].clock;
        let same = |class: &Class| class.is_plain() && class.clock == *clock;
        self.classes.iter().position(same).map(|class| class as u32)
    }

    /// How often nets are read, not counting registers that only keep what they have.
    pub fn readers(&self) -> Vec<u32> {
        let mut read = vec![0; self.drivers.len()];
        let mut reads = |signal: Signal| {
            if let On(net) = signal {
                read[net as usize] += 1;
            }
        };
        self.ends.iter().for_each(|(net, _)| reads(On(*net)));
        self.tables.iter().flatten().for_each(|table| table.ins.into_iter().for_each(&mut reads));
        for stage in &self.stages {
            stage.ins.iter().flatten().chain([&stage.carry_in]).for_each(|signal| reads(*signal));
        }
        for register in self.registers.iter().flatten().filter(|one| one.d != On(one.q)) {
            reads(register.d);
        }
        read
    }

    /// Takes away tables and registers that nothing reads.
    pub fn sweep(&mut self) {
        loop {
            let read = self.readers();
            let drivers = &mut self.drivers;
            let mut swept = false;
            let mut unread = |net: Net| {
                let unread = read[net as usize] == 0;
                if unread {
                    drivers[net as usize] = Driver::Other;
                    swept = true;
                }
                unread
            };
            for table in &mut self.tables {
                table.take_if(|table| unread(table.out));
            }
            for register in &mut self.registers {
                register.take_if(|register| unread(register.q));
            }
            if !swept {
                return;
            }
        }
    }
}
