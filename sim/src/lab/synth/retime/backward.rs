//! Registers go backward through a table: several before it instead of one behind it.

use super::graph::Signal::{Is, On};
use super::graph::{Driver, Net, Register, Table};
use super::moves::{Moves, look_up};
use super::times::{from_register, through_table};
use std::collections::HashMap;

/// What registers before a table begin with instead of the one behind it that begins with
/// `set`: inputs for which the table is that, with the fewest new registers.
fn before(table: &Table, set: bool, is_new: impl Fn(Net, bool) -> bool) -> Option<[bool; 4]> {
    let fits = |values: &[bool; 4]| {
        let mut pairs = table.ins.iter().zip(values);
        let constant = pairs.all(|(signal, value)| match signal {
            Is(is) => is == value,
            On(_) => true,
        });
        constant && look_up(table.init, *values) == set
    };
    let price = |values: &[bool; 4]| {
        let pairs = table.ins.iter().zip(values);
        let news =
            pairs.filter(|(signal, value)| signal.net().is_some_and(|net| is_new(net, **value)));
        (news.count(), values.iter().filter(|value| **value).count())
    };
    let all = (0..16).map(|code| [0, 1, 2, 3].map(|bit| code >> bit & 1 == 1));
    all.filter(fits).min_by_key(price)
}

impl Moves<'_> {
    /// Moves registers backward where that makes long paths shorter; how often.
    pub fn all_backward(mut self) -> usize {
        let read = self.graph.readers();
        let (mut known, mut behind) = (HashMap::new(), vec![Vec::new(); read.len()]);
        for (number, register) in self.graph.registers.iter().enumerate() {
            let Some(Register { d: On(d), q, class, set, .. }) = register else { continue };
            known.entry((*d, *class, *set)).or_insert(*q);
            behind[*d as usize].push(number);
        }
        let mut moved = 0;
        for number in 0..self.graph.tables.len() {
            let Some(table) = self.graph.tables[number].clone() else { continue };
            let out = table.out as usize;
            let &[only] = &behind[out][..] else { continue };
            if self.times.arrival[out] <= self.goal {
                continue;
            }
            let Some(register) = self.graph.registers[only].clone() else { continue };
            let Register { name, q, class, set, .. } = register;
            let rest = from_register(through_table(self.times.rest[q as usize]));
            if self.stale[q as usize] || rest > self.goal {
                continue;
            }
            let is_new = |net, value| !known.contains_key(&(net, class, value));
            let Some(values) = before(&table, set, is_new) else { continue };
            let mut ins = table.ins;
            for (signal, set) in ins.iter_mut().zip(values) {
                let On(net) = *signal else { continue };
                let before = *known.entry((net, class, set)).or_insert_with(|| {
                    let next = self.graph.registers.len();
                    let q = self.graph.net(Driver::Register(next as u32));
                    self.stale.push(true);
                    let name = format!("{name}$back{next}");
                    self.graph.registers.push(Some(Register { name, d: On(net), q, class, set }));
                    q
                });
                // It has more behind it now.
                self.stale[before as usize] = true;
                *signal = On(before);
            }
            self.stale[q as usize] = true;
            known.retain(|_, known| *known != q);
            self.graph.registers[only] = None;
            let moved_table = Table { ins, out: q, ..table };
            if read[out] == 1 {
                self.graph.drivers[out] = Driver::Other;
                self.graph.drivers[q as usize] = Driver::Table(number as u32);
                self.graph.tables[number] = Some(moved_table);
            } else {
                // Something else reads it, too, and a copy takes the register's place.
                let copy = self.graph.tables.len();
                let name = format!("{}$copy{copy}", moved_table.name);
                self.graph.drivers[q as usize] = Driver::Table(copy as u32);
                self.graph.tables.push(Some(Table { name, ..moved_table }));
            }
            moved += 1;
        }
        self.graph.sweep();
        moved
    }
}
