//! Where an indirect jump can go: follows its register backwards to the jump
//! table that the target was loaded from.
//!
//! A jump through a register can stay in its function only if the address of
//! one of the function's labels is taken somewhere. So: a table on the way to
//! the register gives the targets; a function that keeps the addresses of its
//! labels to itself is being left (an indirect tail call); anything else is
//! refused.

use std::collections::{BTreeSet, HashSet};

use super::flow::{self, Flow};
use super::parse::{Line, is_name_char};
use super::program::{Function, Kind, Program, insn_at};

/// The places that the indirect jump at place `jump` of `function` can go to;
/// none when no table is found. `predecessors` are the edges known so far;
/// `claimed` collects the tables used.
pub fn resolve(
    lines: &[Line],
    program: &Program,
    function: &Function,
    predecessors: &[Vec<usize>],
    jump: usize,
    claimed: &mut BTreeSet<String>,
) -> Vec<usize> {
    let Kind::Code(Flow::JumpRegister(register)) = function.places[jump].kind else {
        return Vec::new();
    };
    let slice = Slice { lines, function, predecessors };
    let mut targets = BTreeSet::new();
    for symbol in slice.symbols(jump, register) {
        let places = table_places(program, function, &symbol);
        if !places.is_empty() {
            targets.extend(places);
            claimed.insert(symbol);
        }
    }
    targets.into_iter().collect()
}

/// Labels of `function` whose address something other than the jump tables
/// `claimed` holds: another jump through a register might go there.
pub fn loose_labels(
    lines: &[Line],
    program: &Program,
    function: &Function,
    claimed: &BTreeSet<String>,
) -> BTreeSet<String> {
    let mut loose = BTreeSet::new();
    for (table, entries) in &program.tables {
        // A table with a name of its own may be reached in ways not seen here.
        if claimed.contains(table) && table.starts_with(".L") {
            continue;
        }
        let entries = entries.iter().filter(|e| is_inner(function, e));
        loose.extend(entries.cloned());
    }
    for (at, place) in function.places.iter().enumerate() {
        if place.kind != Kind::Code(Flow::Next) {
            continue;
        }
        let (_, operands) = insn_at(lines, place.at);
        for operand in operands.iter().filter(|o| !o.contains("%pcrel_lo")) {
            for name in names(operand) {
                let numeric = name.starts_with(|c: char| c.is_ascii_digit());
                let found = numeric && function.find(name, at).is_some();
                if found || is_inner(function, name) {
                    loose.insert(name.to_string());
                }
            }
        }
    }
    loose
}

/// Is `label` a place inside the function, not a name of the function?
fn is_inner(function: &Function, label: &str) -> bool {
    let at = function.labels.get(label);
    at.is_some_and(|at| *at != 0 || label.starts_with(".L"))
}

fn table_places(program: &Program, function: &Function, symbol: &str) -> Vec<usize> {
    let entries = program.tables.get(symbol).map_or(&[][..], |t| t);
    let inner = entries.iter().filter(|e| is_inner(function, e));
    inner.map(|e| function.labels[e]).filter(|&at| at < function.places.len()).collect()
}

fn names(operand: &str) -> impl Iterator<Item = &str> {
    operand.split(|c| !is_name_char(c)).filter(|name| !name.is_empty())
}

/// Backward search for the symbols that a register's value is made of.
struct Slice<'a> {
    lines: &'a [Line],
    function: &'a Function,
    predecessors: &'a [Vec<usize>],
}

impl Slice<'_> {
    fn symbols(&self, at: usize, register: u8) -> BTreeSet<String> {
        let mut symbols = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut work = vec![(at, register)];
        while let Some((at, register)) = work.pop() {
            for &before in &self.predecessors[at] {
                if seen.insert((before, register)) {
                    self.step(before, register, &mut symbols, &mut work);
                }
            }
        }
        symbols
    }

    /// Looks for `register` at the instruction `at`: goes on before it, or
    /// with the registers it is computed from.
    fn step(
        &self,
        at: usize,
        register: u8,
        symbols: &mut BTreeSet<String>,
        work: &mut Vec<(usize, u8)>,
    ) {
        let place = &self.function.places[at];
        let (mnemonic, operands) = insn_at(self.lines, place.at);
        let is_call = matches!(place.kind, Kind::Code(Flow::Call(_) | Flow::CallRegister));
        if is_call && !flow::is_preserved(register) {
            return;
        }
        if is_call || destination(mnemonic, operands) != Some(register) {
            work.push((at, register));
            return;
        }
        for operand in &operands[1..] {
            for name in names(operand) {
                match flow::register(name) {
                    Some(0) => {}
                    Some(source) => work.push((at, source)),
                    None => {
                        symbols.insert(name.to_string());
                    }
                }
            }
        }
        if let ("lw", Some(slot)) = (mnemonic, operands.get(1)) {
            self.follow_stack_slot(slot, work);
        }
    }

    /// A load from the stack: goes on with whatever is stored to that slot.
    fn follow_stack_slot(&self, slot: &str, work: &mut Vec<(usize, u8)>) {
        if !slot.ends_with("(sp)") && !slot.ends_with("(s0)") {
            return;
        }
        for (at, place) in self.function.places.iter().enumerate() {
            let (mnemonic, operands) = insn_at(self.lines, place.at);
            if mnemonic == "sw" && operands.get(1).is_some_and(|o| o == slot) {
                work.extend(flow::register(&operands[0]).map(|source| (at, source)));
            }
        }
    }
}

/// The register that an instruction writes, as far as flow goes straight on.
fn destination(mnemonic: &str, operands: &[String]) -> Option<u8> {
    let writes = !matches!(
        mnemonic,
        "sb" | "sh" | "sw" | "csrw" | "csrs" | "csrc" | "csrwi" | "csrsi" | "csrci" | "fence"
    );
    let register = operands.first().and_then(|first| flow::register(first));
    register.filter(|_| writes)
}
