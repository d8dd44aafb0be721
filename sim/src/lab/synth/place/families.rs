//! Multipliers that share operands, a *family*, in one row of the device.
//!
//! Rows of multipliers are two dozen rows of logic apart. Once it is cool, nobody goes from one to
//! the other alone: what a multiplier is wired to stays where its family is, in between.

use super::board::Board;
use super::netlist::{Kind, Netlist};
use std::collections::BTreeMap;

/// The families of a netlist.
pub struct Families(Vec<Vec<u32>>);

impl Families {
    /// Of multipliers, by who drives them.
    pub fn new(netlist: &Netlist, board: &Board) -> Families {
        let mut family_of = BTreeMap::new();
        let mut families: Vec<Vec<u32>> = Vec::new();
        for &cell in &board.blocks[1] {
            let wires = netlist.cells[cell as usize].wires.iter();
            let drivers: Vec<u32> = wires
                .map(|wire| netlist.nets[netlist.wires[*wire as usize].net as usize].driver)
                .filter(|driver| netlist.cells[*driver as usize].kind != Kind::Other)
                .collect();
            let mine = families.len();
            families.push(vec![cell]);
            for driver in drivers {
                // (Whoever shares an operand with several families joins them.)
                let other = *family_of.entry(driver).or_insert(mine);
                if other != mine {
                    let joined = std::mem::take(&mut families[other]);
                    families[mine].extend(joined);
                    family_of.values_mut().filter(|of| **of == other).for_each(|of| *of = mine);
                }
            }
        }
        families.retain(|family| family.len() > 1);
        Families(families)
    }

    /// Whoever is alone in another row goes to where most of the family are; how many did.
    pub fn rejoin(&self, board: &mut Board) -> usize {
        let mut moved = 0;
        for family in &self.0 {
            let mut by_row: BTreeMap<i16, Vec<i16>> = BTreeMap::new();
            for cell in family {
                let at = board.at[*cell as usize];
                by_row.entry(at.y).or_default().push(at.x);
            }
            if by_row.len() < 2 {
                continue;
            }
            let Some((&row, columns)) = by_row.iter_mut().max_by_key(|(_, cells)| cells.len())
            else {
                continue;
            };
            columns.sort_unstable();
            let middle = columns[columns.len() / 2];
            for &cell in family {
                if board.at[cell as usize].y != row && board.move_into_row(cell, row, middle) {
                    moved += 1;
                }
            }
        }
        moved
    }
}
