//! Drivers of wide nets exist several times: for all who have time, and for those who have none.
//!
//! One bit says what a thousand others become, and is a term of what happens next as well. Those thousand lie
//! all over the device, and the driver in the middle of them, so that its way to the next table is
//! long, too, though it need not be. A copy of the driver lies where those are that wait for it. Where most of
//! them wait, and it is a register that has its data early, each group of neighbours gets one.

use super::graph::{Driver, Graph, Memory, Net, Register, Signal, Table};
use super::times::{self, Times};
use std::collections::BTreeMap;

/// What has copies.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    /// A net with so many readers is wide, and a copy of several has so many of them...
    pub readers: u32,
    /// ... and a single one at most one in so many.
    pub share: u32,
    /// Paths up to here, in picoseconds, have time.
    pub long: f32,
}

/// Most passes.
const PASSES: usize = 20;

/// What depends on this file, for a hash.
pub fn what() -> String {
    format!("{PASSES}")
}

/// Who reads a net.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Table(usize),
    Register(usize),
    Memory(usize),
}

/// Copies drivers as long as that makes paths shorter; how many copies there are.
pub fn split(graph: &mut Graph, wide: Wide) -> Result<usize, String> {
    let mut copies = 0;
    for _ in 0..PASSES {
        let made = split_once(graph, wide)?;
        if made == 0 {
            break;
        }
        copies += made;
    }
    graph.sweep();
    Ok(copies)
}

fn split_once(graph: &mut Graph, wide: Wide) -> Result<usize, String> {
    let times = Times::with(graph, &times::later(graph))?;
    let read = graph.readers();
    let mut made = 0;
    for (net, mut readers) in late(graph, &times, &read, wide) {
        let groups = if readers.len() as u32 * wide.share <= read[net as usize] {
            1
        } else if has_time(graph, &times, net, wide) {
            readers.len().div_ceil(wide.readers as usize)
        } else {
            0
        };
        if groups == 0 || groups == 1 && readers.len() == read[net as usize] as usize {
            continue;
        }
        // Names tell neighbours.
        readers.sort_by(|a, b| name(graph, *a).cmp(name(graph, *b)));
        for group in readers.chunks(readers.len().div_ceil(groups)) {
            let Some(copy) = driver(graph, net) else { break };
            group.iter().for_each(|reader| rewire(graph, *reader, net, copy));
            made += 1;
        }
    }
    Ok(made)
}

/// A register drives it whose data may go as far as it does.
fn has_time(graph: &Graph, times: &Times, net: Net, wide: Wide) -> bool {
    let Driver::Register(register) = graph.drivers[net as usize] else { return false };
    let data = graph.registers[register as usize].as_ref().and_then(|register| register.d.net());
    // (What is a copy's by now was late.)
    let arrives = |net: Net| times.arrival.get(net as usize).copied().unwrap_or(f32::INFINITY);
    data.is_none_or(|data| arrives(data) + times::WIRE + arrives(net) <= wide.long)
}

fn name(graph: &Graph, reader: Reader) -> &str {
    match reader {
        Reader::Table(number) => graph.tables[number].as_ref().map_or("", |table| &table.name),
        Reader::Register(number) => {
            graph.registers[number].as_ref().map_or("", |register| &register.name)
        }
        Reader::Memory(number) => &graph.memories[number].name,
    }
}

/// Of wide nets who hears too late of them.
fn late(graph: &Graph, times: &Times, read: &[u32], wide: Wide) -> BTreeMap<Net, Vec<Reader>> {
    let mut late: BTreeMap<Net, Vec<Reader>> = BTreeMap::new();
    let mut hears = |signal: &Signal, rest: f32, reader| {
        if let Signal::On(net) = *signal
            && read[net as usize] >= wide.readers
            && times.arrival[net as usize] + rest > wide.long
        {
            let readers = late.entry(net).or_default();
            if readers.last() != Some(&reader) {
                readers.push(reader);
            }
        }
    };
    for (number, table) in graph.tables.iter().enumerate() {
        let Some(Table { ins, out, .. }) = table else { continue };
        let rest = times::through_table(times.rest[*out as usize]);
        ins.iter().for_each(|signal| hears(signal, rest, Reader::Table(number)));
    }
    for (number, register) in graph.registers.iter().enumerate() {
        if let Some(Register { d, q, .. }) = register
            && *d != Signal::On(*q)
        {
            hears(d, times::WIRE, Reader::Register(number));
        }
    }
    for (number, Memory { address, outs, .. }) in graph.memories.iter().enumerate() {
        let rest = outs.iter().map(|out| times.rest[*out as usize]).fold(times::NEVER, f32::max);
        let rest = times::through_table(rest);
        address.iter().for_each(|signal| hears(signal, rest, Reader::Memory(number)));
    }
    late
}

/// Who reads a net reads a copy of it instead.
fn rewire(graph: &mut Graph, reader: Reader, net: Net, copy: Net) {
    let own = |signal: &mut Signal| {
        if *signal == Signal::On(net) {
            *signal = Signal::On(copy);
        }
    };
    match reader {
        Reader::Table(number) => {
            let table = graph.tables[number].as_mut();
            table.into_iter().flat_map(|table| &mut table.ins).for_each(own);
        }
        Reader::Register(number) => {
            let register = graph.registers[number].as_mut();
            register.into_iter().map(|register| &mut register.d).for_each(own);
        }
        Reader::Memory(number) => {
            let Memory { address, outs, .. } = &mut graph.memories[number];
            address.iter_mut().for_each(own);
            for out in outs {
                let other = graph.others.get_mut(out);
                let through = other.into_iter().flat_map(|other| &mut other.through);
                through.filter(|(from, _)| *from == net).for_each(|(from, _)| *from = copy);
            }
            // (It is read, come what may.)
            graph.ends.push((copy, f32::NEG_INFINITY));
        }
    }
}

/// A copy of the driver of a net, if it is a table or a register; its output.
fn driver(graph: &mut Graph, net: Net) -> Option<Net> {
    match graph.drivers[net as usize] {
        Driver::Table(table) => {
            let table = graph.tables[table as usize].clone()?;
            let number = graph.tables.len();
            let out = graph.net(Driver::Table(number as u32));
            let name = format!("{}$wide{number}", table.name);
            graph.tables.push(Some(Table { name, out, ..table }));
            Some(out)
        }
        Driver::Register(register) => {
            let register = graph.registers[register as usize].clone()?;
            let number = graph.registers.len();
            let q = graph.net(Driver::Register(number as u32));
            let name = format!("{}$wide{number}", register.name);
            graph.registers.push(Some(Register { name, q, ..register }));
            Some(q)
        }
        Driver::Stage(_) | Driver::Other => None,
    }
}
