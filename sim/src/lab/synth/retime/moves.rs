//! Registers go through tables and carry chains, forward or backward.

use super::graph::Signal::{Is, On};
use super::graph::{Driver, Graph, Net, Register, Signal, Stage, Table};
use super::times::{NEVER, Times, from_register, out_of_chain, through_stage, through_table};
use std::collections::{BTreeMap, HashMap};

/// How far back inputs of a table are looked at for registers, and how much may move at once.
const DEPTH: u32 = 3;
const TOGETHER: usize = 16;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{DEPTH} {TOGETHER}")
}

/// What registers may pass through.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Node {
    Table(u32),
    Chain(u32),
}

/// What a register is about to take: when that arrives, and the register's class.
#[derive(Clone, Copy, Debug)]
struct Next {
    arrival: f32,
    class: u32,
}

/// Nodes that move forward together, each behind those that it depends on.
#[derive(Default)]
struct Plan {
    nodes: Vec<Node>,
    open: Vec<Node>,
    next: BTreeMap<Net, Next>,
}

/// The output of a table by its inputs.
pub fn look_up(init: u16, ins: [bool; 4]) -> bool {
    let at: usize = ins.iter().enumerate().map(|(bit, is)| usize::from(*is) << bit).sum();
    init >> at & 1 == 1
}

/// Sums and carry of a stage.
pub fn add(stage: &Stage, ins: [[bool; 4]; 2], carry_in: bool) -> ([bool; 2], bool) {
    let (mut carry, mut sums) = (carry_in, [false; 2]);
    for bit in 0..2 {
        let own = look_up(stage.init[bit], ins[bit]);
        let [a, b, ..] = ins[bit];
        let begins = look_up(stage.init[bit], [a, b, false, false]);
        let inject = stage.inject[bit];
        sums[bit] = own ^ (carry && !inject);
        carry = if own { carry } else { begins && !inject };
    }
    (sums, carry)
}

/// Moves in a graph whose times are known.
pub struct Moves<'a> {
    pub graph: &'a mut Graph,
    pub times: Times,
    /// Nets whose times have changed since.
    pub stale: Vec<bool>,
    /// Paths are to be no longer.
    pub goal: f32,
    /// Tables in front of registers without an enable that make up for the enable or reset of
    /// others.
    instead: HashMap<Net, Net>,
}

impl<'a> Moves<'a> {
    /// Nothing has moved yet.
    pub fn new(graph: &'a mut Graph, goal: f32) -> Result<Moves<'a>, String> {
        let times = Times::new(graph)?;
        let stale = vec![false; graph.drivers.len()];
        Ok(Moves { graph, times, stale, goal, instead: HashMap::new() })
    }

    fn is_late(&self, net: Net) -> bool {
        !self.stale[net as usize] && self.times.through(net) > self.goal
    }

    fn net(&mut self, driver: Driver) -> Net {
        self.stale.push(true);
        self.graph.net(driver)
    }

    fn ins(&self, node: Node) -> Vec<Net> {
        let mut nets: Vec<_> = match node {
            Node::Table(table) => {
                let table = self.graph.tables[table as usize].as_ref();
                table.into_iter().flat_map(|table| table.ins).filter_map(Signal::net).collect()
            }
            Node::Chain(chain) => {
                let chain = &self.graph.chains[chain as usize];
                let stages = chain.iter().map(|stage| &self.graph.stages[*stage as usize]);
                let first = self.graph.stages[chain[0] as usize].carry_in;
                let ins = stages.flat_map(|stage| stage.ins.iter().flatten().copied());
                ins.chain([first]).filter_map(Signal::net).collect()
            }
        };
        nets.sort_unstable();
        nets.dedup();
        nets
    }

    fn node(&self, net: Net) -> Option<Node> {
        match self.graph.drivers[net as usize] {
            Driver::Table(table) => Some(Node::Table(table)),
            Driver::Stage(stage) => {
                let chain = self.graph.chain_of[stage as usize];
                (!self.graph.tapped[chain as usize]).then_some(Node::Chain(chain))
            }
            _ => None,
        }
    }

    /// When that which stands in for the input of a register without enable arrives.
    fn instead(&self, net: Net, next: Next) -> f32 {
        let class = &self.graph.classes[next.class as usize];
        let mut arrival = next.arrival;
        if let Some((enable, _)) = class.enable {
            arrival = arrival.max(self.times.arrival[enable as usize]);
            arrival = arrival.max(from_register(0.0));
        }
        if let Some(reset) = class.reset {
            arrival = arrival.max(self.times.arrival[reset as usize]);
        }
        match self.instead.get(&net) {
            None if class.enable.is_none() && class.reset.is_none() => arrival,
            _ => through_table(arrival),
        }
    }

    /// What is about to be in the register that drives a net, or will once nodes have moved.
    fn next(&self, net: Net, plan: &mut Plan, depth: u32) -> Option<Next> {
        if let Some(next) = plan.next.get(&net) {
            return Some(*next);
        }
        if self.stale[net as usize] {
            return None;
        }
        if let Driver::Register(register) = self.graph.drivers[net as usize] {
            let register = self.graph.registers[register as usize].as_ref()?;
            let arrival = match register.d {
                Is(_) => NEVER,
                On(d) if self.stale[d as usize] => return None,
                On(d) => self.times.arrival[d as usize],
            };
            return Some(Next { arrival, class: register.class });
        }
        let node = self.node(net).filter(|node| depth > 0 && !plan.open.contains(node))?;
        self.plan(node, plan, depth - 1)?;
        plan.next.get(&net).copied()
    }

    /// Whether a node can move forward, with what is before it, and in how much time.
    fn plan(&self, node: Node, plan: &mut Plan, depth: u32) -> Option<()> {
        if plan.nodes.len() >= TOGETHER {
            return None;
        }
        plan.open.push(node);
        let ins = self.ins(node);
        let mut next = Vec::new();
        for net in &ins {
            next.push((*net, self.next(*net, plan, depth)?));
        }
        let mut class = next.first()?.1.class;
        if next.iter().any(|(_, next)| next.class != class) {
            class = self.graph.plain(class)?;
            for (net, next) in &mut next {
                if next.class != class {
                    let known = self.graph.classes[next.class as usize].known;
                    if !known || self.graph.plain(next.class) != Some(class) {
                        return None;
                    }
                    next.arrival = self.instead(*net, *next);
                }
            }
        }
        let of = |signal: Signal| match signal {
            Is(_) => NEVER,
            On(net) => {
                let found = next.iter().find(|(other, _)| *other == net);
                found.map_or(NEVER, |(_, next)| next.arrival)
            }
        };
        let mut outs = Vec::new();
        match node {
            Node::Table(table) => {
                let table = self.graph.tables[table as usize].as_ref()?;
                let arrival = table.ins.iter().map(|signal| of(*signal)).fold(NEVER, f32::max);
                outs.push((table.out, through_table(arrival)));
            }
            Node::Chain(chain) => {
                let chain = &self.graph.chains[chain as usize];
                let mut carry = through_table(of(self.graph.stages[chain[0] as usize].carry_in));
                let mut last = None;
                for stage in chain {
                    let stage = &self.graph.stages[*stage as usize];
                    let ins = stage.ins.map(|ins| ins.into_iter().map(of).fold(NEVER, f32::max));
                    let sums;
                    (sums, carry) = through_stage(ins, carry);
                    last = stage.carry_out;
                    outs.extend(
                        stage
                            .sums
                            .into_iter()
                            .zip(sums)
                            .filter_map(|(net, arrival)| net.map(|net| (net, arrival))),
                    );
                }
                outs.extend(last.map(|net| (net, out_of_chain(carry))));
            }
        }
        for (net, arrival) in outs {
            if arrival > self.goal || self.stale[net as usize] {
                return None;
            }
            plan.next.insert(net, Next { arrival, class });
        }
        plan.nodes.push(node);
        plan.open.pop();
        Some(())
    }

    /// What is about to be in the register that drives a net, for a register of a class.
    fn take(&mut self, net: Net, class: u32) -> (Signal, bool) {
        let Driver::Register(number) = self.graph.drivers[net as usize] else {
            unreachable!("a plan has registers before its nodes");
        };
        let register = self.graph.registers[number as usize].clone().expect("it drives a net");
        let of = &self.graph.classes[register.class as usize];
        if register.class == class || (of.enable.is_none() && of.reset.is_none()) {
            return (register.d, register.set);
        }
        if let Some(known) = self.instead.get(&net) {
            return (On(*known), register.set);
        }
        // A: what it takes, B: its enable, C: what it has, D: its reset.
        let (enable, reset) = (of.enable, of.reset);
        let mut init = 0u16;
        for code in 0..16u16 {
            let [d, enabled, q, resets] = [0, 1, 2, 3].map(|bit| code >> bit & 1 == 1);
            let takes = enable.is_none_or(|(_, level)| enabled == level);
            let resets = reset.is_some() && resets;
            let next = if resets {
                register.set
            } else if takes {
                d
            } else {
                q
            };
            init |= u16::from(next) << code;
        }
        let ins = [
            register.d,
            enable.map_or(Is(false), |(net, _)| On(net)),
            if enable.is_some() { On(register.q) } else { Is(false) },
            reset.map_or(Is(false), On),
        ];
        let table = self.graph.tables.len();
        let out = self.net(Driver::Table(table as u32));
        let name = format!("{}$next{table}", register.name);
        self.graph.tables.push(Some(Table { name, ins, init, out }));
        self.instead.insert(net, out);
        (On(out), register.set)
    }

    /// A register behind a node: the net that the node drives instead.
    fn register(&mut self, q: Net, node: Driver, of: &str, class: u32, set: bool) -> Net {
        let d = self.net(node);
        self.stale[q as usize] = true;
        self.graph.drivers[q as usize] = Driver::Register(self.graph.registers.len() as u32);
        let name = format!("{of}$forth{}", self.graph.registers.len());
        self.graph.registers.push(Some(Register { name, d: On(d), q, class, set }));
        d
    }

    /// Puts registers behind a node whose inputs all come from registers.
    fn forward(&mut self, node: Node) {
        let nets = self.ins(node);
        let class_of = |net: &Net| match self.graph.drivers[*net as usize] {
            Driver::Register(number) => {
                self.graph.registers[number as usize].as_ref().expect("it drives a net").class
            }
            _ => unreachable!("a plan has registers before its nodes"),
        };
        let classes: Vec<_> = nets.iter().map(class_of).collect();
        let mut class = classes[0];
        if classes.iter().any(|other| *other != class) {
            class = self.graph.plain(class).expect("the plan has found one");
        }
        let taken: HashMap<_, _> = nets.iter().map(|net| (*net, self.take(*net, class))).collect();
        let take = |signal: Signal| match signal {
            Is(value) => (signal, value),
            On(net) => taken[&net],
        };
        match node {
            Node::Table(number) => {
                let mut table = self.graph.tables[number as usize].clone().expect("it has inputs");
                let ins = table.ins.map(take);
                let set = look_up(table.init, ins.map(|(_, set)| set));
                table.ins = ins.map(|(signal, _)| signal);
                let driver = Driver::Table(number);
                table.out = self.register(table.out, driver, &table.name, class, set);
                self.graph.tables[number as usize] = Some(table);
            }
            Node::Chain(chain) => {
                let stages = self.graph.chains[chain as usize].clone();
                let (first, mut carry) = take(self.graph.stages[stages[0] as usize].carry_in);
                self.graph.stages[stages[0] as usize].carry_in = first;
                let last = stages[stages.len() - 1];
                for number in stages {
                    let mut stage = self.graph.stages[number as usize].clone();
                    let ins = stage.ins.map(|ins| ins.map(take));
                    let sets;
                    (sets, carry) = add(&stage, ins.map(|ins| ins.map(|(_, set)| set)), carry);
                    stage.ins = ins.map(|ins| ins.map(|(signal, _)| signal));
                    for (sum, set) in stage.sums.iter_mut().zip(sets) {
                        if let Some(net) = sum {
                            let driver = Driver::Stage(number);
                            *net = self.register(*net, driver, &stage.name, class, set);
                        }
                    }
                    if let Some(net) = stage.carry_out.as_mut().filter(|_| number == last) {
                        let driver = Driver::Stage(number);
                        *net = self.register(*net, driver, &stage.name, class, carry);
                    }
                    self.graph.stages[number as usize] = stage;
                }
            }
        }
    }

    /// Moves registers forward where that makes long paths shorter; how often.
    pub fn all_forward(mut self) -> usize {
        let mut late: Vec<_> = (0..self.graph.drivers.len() as Net)
            .filter(|net| self.is_late(*net) && self.node(*net).is_some())
            .collect();
        late.sort_by(|a, b| self.times.through(*b).total_cmp(&self.times.through(*a)));
        let mut moved = 0;
        for net in late {
            let Some(node) = self.node(net).filter(|_| self.is_late(net)) else { continue };
            let mut plan = Plan::default();
            if self.plan(node, &mut plan, DEPTH).is_some() {
                moved += plan.nodes.len();
                plan.nodes.into_iter().for_each(|node| self.forward(node));
            }
        }
        self.graph.sweep();
        moved
    }
}
