//! Trees to machine code.
//!
//! Registers: x1 link, x2 stack, x3 private words, x4 shared words, x25 striped
//! words, x26 striped bytes, x27 scratch, x28 hart number, x29 to x31 for the
//! trap handler; x5 to x24 are random. One trap handler skips the instruction
//! that trapped. Memory: code, then tables, then 512 bytes per hart (words from
//! below, stack from above), then the striped words and bytes: their elements
//! with one index lie side by side for all harts.

use super::assemble::{Item, Label, assemble};
use super::rng::Rng;
use super::tree::{Area, Cond, Hint, Provoke, Stmt, Tree, loops};
use crate::program::{Program, Segment, Symbols};
use hdl::config::{CoreConfig, Counters, Isa};
use hdl::isa::{Insn, Op};
use hdl::platform::RAM_BASE;

pub(super) const SP: u8 = 2;
pub(super) const PRIVATE: u8 = 3;
pub(super) const SHARED: u8 = 4;
pub(super) const STRIPED: u8 = 25;
pub(super) const BYTES: u8 = 26;
pub(super) const T: u8 = 27;
pub(super) const HART: u8 = 28;
pub(super) const RESUME: u8 = 29;
/// Words that a random index reaches.
pub(super) const WORDS: u32 = 16;
/// Bytes of private memory per hart, and of all memory.
pub(super) const PER_HART: u32 = 512;
/// See [`PER_HART`].
pub const MEMORY_PER_HART: u32 = PER_HART + 5 * WORDS;
/// Where `tohost`, the shared words and the table lie.
pub(super) const DATA: u32 = RAM_BASE + 0xf000;
/// Where the private areas begin; code and data lie below.
pub const PRIVATE_BASE: u32 = RAM_BASE + 0x1_0000;
/// Words of code that fit.
const CODE_WORDS: usize = 0xf000 / 4;

struct Frame {
    exit: Label,
    slots: u32,
    used: u32,
    link: u8,
}

pub(super) struct Emitter {
    pub(super) items: Vec<Item>,
    labels: usize,
    /// Ends of the enclosing blocks, the innermost last.
    ends: Vec<Label>,
    functions: Vec<Label>,
    frame: Frame,
    /// Harts of the core, whether alive or not; a power of two.
    pub(super) harts: u32,
    isa: Isa,
    pub(super) traps: bool,
    pub(super) counters: Counters,
}

/// The link register of function `i`.
fn link_of(i: usize) -> u8 {
    if i % 3 == 2 { 5 } else { 1 }
}

/// The program of a tree; `None` when it is too large for its memory.
pub fn emit(tree: &Tree, config: &CoreConfig) -> Option<Program> {
    let mut e = Emitter {
        items: Vec::new(),
        labels: 0,
        ends: Vec::new(),
        functions: Vec::new(),
        frame: Frame { exit: 0, slots: 0, used: 0, link: 1 },
        harts: config.total_harts(),
        isa: config.isa,
        traps: config.traps,
        counters: config.counters,
    };
    e.functions = (0..tree.functions.len()).map(|_| e.label()).collect();
    e.start(tree);
    for (i, phase) in tree.phases.iter().enumerate() {
        if i > 0 {
            e.barrier();
        }
        let exit = e.label();
        e.frame = Frame { exit, slots: loops(phase), used: 0, link: 0 };
        e.op(Op::Addi, SP, SP, 0, -(4 * e.frame.slots as i32));
        e.block(phase);
        e.place(exit);
        e.op(Op::Addi, SP, SP, 0, 4 * e.frame.slots as i32);
    }
    e.finish();
    for (i, body) in tree.functions.iter().enumerate() {
        let (entry, exit) = (e.functions[i], e.label());
        e.place(entry);
        let link = link_of(i);
        e.frame = Frame { exit, slots: 1 + loops(body), used: 1, link };
        e.op(Op::Addi, SP, SP, 0, -(4 * e.frame.slots as i32));
        e.op(Op::Sw, 0, SP, link, 0);
        e.block(body);
        e.place(exit);
        e.leave();
    }
    let stack = tree.functions.iter().map(|f| 4 + 4 * loops(f)).sum::<u32>()
        + tree.phases.iter().map(|p| 4 * loops(p)).max().unwrap_or(0);
    let code = assemble(&e.items, e.labels);
    if code.len() > CODE_WORDS || stack + 4 * (WORDS + 10) > PER_HART {
        return None;
    }
    Some(program(tree, config, &code))
}

fn program(tree: &Tree, config: &CoreConfig, code: &[u32]) -> Program {
    let mut rng = Rng::new(tree.seed ^ 0x7ab1e);
    // tohost, fromhost, the shared words, the table.
    let mut data = vec![0u32; 16];
    data.extend((0..2 * WORDS).map(|_| rng.bits() as u32));
    let private = vec![0; (MEMORY_PER_HART * config.total_harts()) as usize];
    let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Program {
        entry: Some(RAM_BASE),
        segments: vec![
            Segment { addr: RAM_BASE, bytes: bytes(code) },
            Segment { addr: DATA, bytes: bytes(&data) },
            Segment { addr: PRIVATE_BASE, bytes: private },
        ],
        symbols: Symbols::default(),
        tohost: DATA,
        fromhost: None,
    }
}

impl Emitter {
    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels - 1
    }

    pub(super) fn place(&mut self, label: Label) {
        self.items.push(Item::Label(label));
    }

    /// An instruction. One that the core does not have traps, and is another one
    /// if the core has no traps.
    pub(super) fn op(&mut self, op: Op, rd: u8, rs1: u8, rs2: u8, imm: i32) {
        let word = Insn::encode(op, rd, rs1, rs2, imm);
        let absent = Insn::decode(word, self.isa).op == Op::Illegal;
        let word =
            if absent && !self.traps { Insn::encode(Op::Xor, rd, rs1, rs2, 0) } else { word };
        self.items.push(Item::Word(word));
    }

    pub(super) fn constant(&mut self, rd: u8, value: u32) {
        let low = (value << 20) as i32 >> 20;
        self.op(Op::Lui, rd, 0, 0, value.wrapping_sub(low as u32) as i32);
        self.op(Op::Addi, rd, rd, 0, low);
    }

    fn hint(&mut self, hint: Hint, join: Label) {
        match hint {
            Hint::None => {}
            Hint::Right => self.items.push(Item::Hint(join)),
            Hint::Wrong(offset) => self.items.push(Item::WrongHint(offset)),
        }
    }

    /// Branches to `target` when the condition holds.
    fn branch(&mut self, c: &Cond, target: Label, join: Label) {
        let (rs1, rs2) = match c.hart_bits {
            Some(bits) => {
                self.op(Op::Andi, T, HART, 0, i32::from(bits));
                (T, 0)
            }
            None => (c.rs1, c.rs2),
        };
        self.hint(c.hint, join);
        self.items.push(Item::Branch(c.op, rs1, rs2, target));
    }

    fn block(&mut self, block: &[Stmt]) {
        let end = self.label();
        self.ends.push(end);
        for stmt in block {
            self.stmt(stmt);
        }
        self.ends.pop();
        self.place(end);
    }

    /// Scratch = address of the word that `index` selects.
    fn address(&mut self, index: u8, area: Area, size: u32, crooked: bool) {
        let stride = self.harts.ilog2() as i32;
        let (mask, base) = match area {
            Area::Striped => (4 * (WORDS - 1), STRIPED),
            Area::Bytes => (WORDS - 1, BYTES),
            _ if crooked && self.traps => {
                (4 * WORDS - 1, if area == Area::Private { PRIVATE } else { SHARED })
            }
            _ => {
                let base = if area == Area::Private { PRIVATE } else { SHARED };
                ((4 * WORDS - 1) & !(size - 1), base)
            }
        };
        self.op(Op::Andi, T, index, 0, mask as i32);
        if matches!(area, Area::Striped | Area::Bytes) {
            self.op(Op::Slli, T, T, 0, stride);
        }
        self.op(Op::Add, T, T, base, 0);
    }

    fn area_offset(area: Area) -> i32 {
        if area == Area::Table { 4 * WORDS as i32 } else { 0 }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Alu(op, rd, rs1, rs2) => self.op(*op, *rd, *rs1, *rs2, 0),
            Stmt::Edge(op, rd, a, b) => {
                self.constant(T, *a);
                self.constant(RESUME, *b);
                self.op(*op, *rd, T, RESUME, 0);
            }
            Stmt::Imm(op, rd, rs1, imm) => {
                let imm = match op {
                    Op::Lui | Op::Auipc => i32::from(*imm) << 12,
                    Op::Slli | Op::Srli | Op::Srai => i32::from(*imm & 31),
                    _ => i32::from(*imm).clamp(-2048, 2047),
                };
                self.op(*op, *rd, *rs1, 0, imm);
            }
            Stmt::Load(op, rd, index, area, crooked) => {
                self.address(*index, *area, size(*op), *crooked);
                self.op(*op, *rd, T, 0, Self::area_offset(*area));
            }
            Stmt::Store(op, value, index, area, crooked) => {
                self.address(*index, *area, size(*op), *crooked);
                self.op(*op, 0, T, *value, Self::area_offset(*area));
            }
            Stmt::Amo(op, rd, value, index, area) => {
                self.address(*index, *area, 4, false);
                self.op(*op, *rd, T, *value, 0);
            }
            Stmt::LrSc(rd, value, area) => {
                self.address(*rd, *area, 4, false);
                self.op(Op::Lr, *rd, T, 0, 0);
                self.op(Op::Sc, *rd, T, *value, 0);
            }
            Stmt::LrTrapSc(rd, value, area) => {
                self.address(*rd, *area, 4, false);
                self.op(Op::Lr, *rd, T, 0, 0);
                self.trap(Provoke::Ecall);
                self.op(Op::Sc, *rd, T, *value, 0);
            }
            Stmt::Csr(which, rd, rs1) => self.csr(*which, *rd, *rs1),
            Stmt::Trap(provoke) => self.trap(*provoke),
            Stmt::If(cond, yes, no) => {
                let (taken, join) = (self.label(), self.label());
                self.branch(cond, taken, join);
                self.block(no);
                self.items.push(Item::Jal(0, join));
                self.place(taken);
                self.block(yes);
                self.place(join);
            }
            Stmt::Loop(count, mask, hint, body) => {
                let (top, join) = (self.label(), self.label());
                let slot = self.slot();
                self.op(Op::Andi, T, *count, 0, i32::from(*mask));
                self.op(Op::Sw, 0, SP, T, slot);
                self.place(top);
                self.block(body);
                self.count_down(slot, *hint, top, join);
            }
            Stmt::Irreducible(cond, count, a, b) => {
                let (top, middle, join) = (self.label(), self.label(), self.label());
                let slot = self.slot();
                self.op(Op::Addi, T, 0, 0, i32::from(*count) - 1);
                self.op(Op::Sw, 0, SP, T, slot);
                self.branch(cond, middle, join);
                self.place(top);
                self.block(a);
                self.place(middle);
                self.block(b);
                self.count_down(slot, Hint::None, top, join);
            }
            Stmt::Break(cond, levels) => {
                let at = self.ends.len().saturating_sub(usize::from(*levels));
                let end = self.ends[at.min(self.ends.len() - 1)];
                self.branch(cond, end, end);
            }
            Stmt::Switch(value, hint, arms) => self.switch(*value, *hint, arms),
            Stmt::Call(f) => {
                let f = usize::from(*f);
                self.items.push(Item::Jal(link_of(f), self.functions[f]));
            }
            Stmt::CallEither(value, a, b, hint) => {
                let (a, b) = (usize::from(*a), usize::from(*b));
                // Both must return through the same register.
                let b = if link_of(a) == link_of(b) { b } else { a };
                let (other, back) = (self.label(), self.label());
                // Sometimes the register that takes the link holds the target.
                let through = if value % 2 == 0 { T } else { link_of(a) };
                self.items.push(Item::La(through, self.functions[a]));
                self.op(Op::Andi, RESUME, *value, 0, 1);
                self.items.push(Item::Branch(Op::Beq, RESUME, 0, other));
                self.items.push(Item::La(through, self.functions[b]));
                self.place(other);
                self.hint(*hint, back);
                self.op(Op::Jalr, link_of(a), through, 0, 0);
                self.place(back);
            }
            Stmt::Return(cond) => {
                if self.frame.link == 0 {
                    let exit = self.frame.exit;
                    return self.branch(cond, exit, exit);
                }
                let (stay, leave) = (self.label(), self.label());
                self.branch(cond, leave, self.frame.exit);
                self.items.push(Item::Jal(0, stay));
                self.place(leave);
                self.leave();
                self.place(stay);
            }
        }
    }

    fn slot(&mut self) -> i32 {
        self.frame.used += 1;
        4 * (self.frame.used as i32 - 1)
    }

    fn count_down(&mut self, slot: i32, hint: Hint, top: Label, join: Label) {
        self.op(Op::Lw, T, SP, 0, slot);
        self.op(Op::Addi, RESUME, T, 0, -1);
        self.op(Op::Sw, 0, SP, RESUME, slot);
        self.hint(hint, join);
        self.items.push(Item::Branch(Op::Bne, T, 0, top));
        self.place(join);
    }

    fn switch(&mut self, value: u8, hint: Hint, arms: &[Vec<Stmt>]) {
        let (table, join) = (self.label(), self.label());
        let targets: Vec<_> = arms.iter().map(|_| self.label()).collect();
        self.op(Op::Andi, RESUME, value, 0, arms.len() as i32 - 1);
        self.op(Op::Slli, RESUME, RESUME, 0, 2);
        self.items.push(Item::La(T, table));
        self.op(Op::Add, T, T, RESUME, 0);
        self.op(Op::Lw, T, T, 0, 0);
        self.hint(hint, join);
        self.op(Op::Jalr, 0, T, 0, 0);
        self.place(table);
        self.items.extend(targets.iter().map(|t| Item::Table(*t)));
        for (target, arm) in targets.into_iter().zip(arms) {
            self.place(target);
            self.block(arm);
            self.items.push(Item::Jal(0, join));
        }
        self.place(join);
    }

    fn leave(&mut self) {
        let link = self.frame.link;
        self.op(Op::Lw, link, SP, 0, 0);
        self.op(Op::Addi, SP, SP, 0, 4 * self.frame.slots as i32);
        self.op(Op::Jalr, 0, link, 0, 0);
    }
}

fn size(op: Op) -> u32 {
    match op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        _ => 4,
    }
}
