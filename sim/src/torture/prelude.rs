//! What surrounds the random statements of a program: entry, trap handler,
//! barriers and the end.

use super::assemble::Item;
use super::emit::{
    BYTES, DATA, Emitter, HART, PER_HART, PRIVATE, PRIVATE_BASE, RESUME, SHARED, SP, STRIPED, T,
    WORDS,
};
use super::rng::Rng;
use super::tree::Tree;
use hdl::isa::{Op, csr};
use hdl::platform::BARRIER_ARRIVE;

impl Emitter {
    /// Entry and trap handler.
    pub(super) fn start(&mut self, tree: &Tree) {
        let (main, handler, resume) = (self.label(), self.label(), self.label());
        self.items.push(Item::Jal(0, main));
        self.place(handler);
        // Leaves a trace of the trap in the private words.
        self.op(Op::Csrrs, 30, 0, 0, csr::MCAUSE.into());
        self.op(Op::Csrrs, 31, 0, 0, csr::MTVAL.into());
        self.op(Op::Add, 31, 31, 30, 0);
        self.op(Op::Sw, 0, PRIVATE, 31, 4 * WORDS as i32);
        self.op(Op::Csrrs, 31, 0, 0, csr::MEPC.into());
        self.op(Op::Addi, 31, 31, 0, 4);
        self.op(Op::Addi, 30, 30, 0, -1);
        self.items.push(Item::Branch(Op::Bne, 30, 0, resume));
        self.op(Op::Addi, 31, RESUME, 0, 0);
        self.place(resume);
        self.op(Op::Csrrw, 0, 31, 0, csr::MEPC.into());
        self.op(Op::Mret, 0, 0, 0, 0);

        // Odd harts come by another door.
        let (odd, even) = (self.label(), self.label());
        self.place(odd);
        self.items.push(Item::Jal(0, handler));

        self.place(main);
        self.op(Op::Csrrs, HART, 0, 0, csr::MHARTID.into());
        self.items.push(Item::La(T, handler));
        self.op(Op::Andi, RESUME, HART, 0, 1);
        self.items.push(Item::Branch(Op::Beq, RESUME, 0, even));
        self.items.push(Item::La(T, odd));
        self.place(even);
        self.op(Op::Csrrw, 0, T, 0, csr::MTVEC.into());
        self.constant(PRIVATE, PRIVATE_BASE);
        self.op(Op::Slli, T, HART, 0, PER_HART.ilog2() as i32);
        self.op(Op::Add, PRIVATE, PRIVATE, T, 0);
        self.op(Op::Addi, SP, PRIVATE, 0, PER_HART as i32);
        self.constant(SHARED, DATA + 64);
        let striped = PRIVATE_BASE + PER_HART * self.harts;
        self.constant(STRIPED, striped);
        self.op(Op::Slli, T, HART, 0, 2);
        self.op(Op::Add, STRIPED, STRIPED, T, 0);
        self.constant(BYTES, striped + 4 * WORDS * self.harts);
        self.op(Op::Add, BYTES, BYTES, HART, 0);
        let mut rng = Rng::new(tree.seed ^ 0x5eed);
        for reg in 5..25 {
            let corners = [0, 1, u32::MAX, 1 << 31, i32::MAX as u32];
            let value = if rng.chance(30) { rng.pick(&corners) } else { rng.bits() as u32 };
            self.constant(reg, value);
            match rng.below(3) {
                0 => self.op(Op::Add, reg, reg, HART, 0),
                1 => self.op(Op::Mul, reg, reg, HART, 0),
                _ => {}
            }
        }
    }

    pub(super) fn barrier(&mut self) {
        self.constant(T, BARRIER_ARRIVE);
        self.op(Op::Sw, 0, T, 0, 0);
        self.op(Op::Wfi, 0, 0, 0, 0);
    }

    /// Spills the registers, joins, and lets hart 0 end the run.
    pub(super) fn finish(&mut self) {
        for (i, reg) in (5..13).enumerate() {
            self.op(Op::Xor, reg, reg, reg + 8, 0);
            self.op(Op::Sw, 0, PRIVATE, reg, 4 * (i as i32 + WORDS as i32 + 1));
        }
        self.barrier();
        let (rest, park) = (self.label(), self.label());
        self.items.push(Item::Branch(Op::Bne, HART, 0, rest));
        self.constant(T, DATA);
        self.op(Op::Addi, 30, 0, 0, 1);
        self.op(Op::Sw, 0, T, 30, 0);
        self.place(rest);
        self.place(park);
        self.op(Op::Wfi, 0, 0, 0, 0);
        self.items.push(Item::Jal(0, park));
    }
}
