//! Random programs as trees of statements. Every tree terminates: loops count
//! down, functions call only later ones, and jumps that are not structured go
//! forward or into a counted loop.

use super::rng::Rng;
use super::tree::{Area, Cond, Hint, Provoke, Reg, Stmt, Tree};
use hdl::isa::Op;

/// Random registers, first and number.
const REGS: (u8, usize) = (5, 20);
/// Instructions a thread may execute, roughly.
const BUDGET: usize = 500;

struct Generator {
    rng: Rng,
    races: bool,
    functions: usize,
    /// Cost of the functions made so far, by number.
    costs: Vec<usize>,
}

/// Makes the program of a seed. With `races`, threads share plain words.
pub fn generate(seed: u64, races: bool) -> Tree {
    let mut g = Generator { rng: Rng::new(seed), races, functions: 0, costs: Vec::new() };
    g.functions = g.rng.below(4);
    g.costs = vec![0; g.functions];
    let mut functions = vec![Vec::new(); g.functions];
    for i in (0..g.functions).rev() {
        let mut budget = BUDGET / 8;
        functions[i] = g.block(&mut budget, 0, Some(i));
        g.costs[i] = BUDGET / 8 - budget + 6;
    }
    let phases = 1 + g.rng.below(3);
    let mut budget = BUDGET;
    let phases = (0..phases)
        .map(|_| {
            let mut share = budget / phases;
            let before = share;
            let block = g.block(&mut share, 0, None);
            budget -= before - share;
            block
        })
        .collect();
    Tree { functions, phases, seed }
}

impl Generator {
    fn reg(&mut self) -> Reg {
        if self.rng.chance(5) { 0 } else { REGS.0 + self.rng.below(REGS.1) as u8 }
    }

    fn hint(&mut self) -> Hint {
        match self.rng.below(10) {
            0..=4 => Hint::Right,
            5 => Hint::Wrong(self.rng.bits() as i16 >> 4),
            _ => Hint::None,
        }
    }

    fn cond(&mut self) -> Cond {
        let ops = [Op::Beq, Op::Bne, Op::Blt, Op::Bge, Op::Bltu, Op::Bgeu];
        let by_hart = self.rng.chance(50);
        Cond {
            op: if by_hart { self.rng.pick(&[Op::Beq, Op::Bne]) } else { self.rng.pick(&ops) },
            rs1: self.reg(),
            rs2: self.reg(),
            hart_bits: by_hart.then(|| 1 + self.rng.below(63) as u8),
            hint: self.hint(),
        }
    }

    fn block(&mut self, budget: &mut usize, depth: usize, function: Option<usize>) -> Vec<Stmt> {
        let length = 1 + self.rng.below(8);
        let mut block = Vec::new();
        for _ in 0..length {
            if *budget < 8 {
                break;
            }
            let stmt = self.stmt(budget, depth, function);
            block.push(stmt);
        }
        block
    }

    fn stmt(&mut self, budget: &mut usize, depth: usize, function: Option<usize>) -> Stmt {
        let mut spend = |n: usize| *budget = budget.saturating_sub(n);
        let nested = depth < 4;
        match self.rng.below(100) {
            0..=29 => {
                spend(1);
                self.compute()
            }
            30..=44 => {
                spend(3);
                self.access()
            }
            45..=49 => {
                spend(3);
                self.atomic()
            }
            50..=52 => {
                spend(1);
                Stmt::Csr(self.rng.below(5) as u8, self.reg(), self.reg())
            }
            53..=56 => {
                spend(12);
                let all = [
                    Provoke::Ecall,
                    Provoke::Ebreak,
                    Provoke::Illegal,
                    Provoke::Csr,
                    Provoke::LoadFault,
                    Provoke::StoreFault,
                    Provoke::FetchFault,
                    Provoke::Crooked,
                ];
                Stmt::Trap(self.rng.pick(&all))
            }
            57..=71 if nested => {
                spend(3);
                let cond = self.cond();
                let yes = self.block(budget, depth + 1, function);
                let no = if self.rng.chance(60) {
                    self.block(budget, depth + 1, function)
                } else {
                    vec![]
                };
                Stmt::If(cond, yes, no)
            }
            72..=78 if nested => {
                let mask = self.rng.pick(&[0, 1, 3, 3, 7]);
                let body = self.repeated(budget, depth, function, usize::from(mask) + 1);
                Stmt::Loop(self.reg(), mask, self.hint(), body)
            }
            79..=81 if nested => {
                let count = 1 + self.rng.below(3);
                let a = self.repeated(budget, depth, function, count);
                let b = self.repeated(budget, depth, function, count);
                Stmt::Irreducible(self.cond(), count as u8, a, b)
            }
            82..=85 if depth > 0 => {
                spend(3);
                Stmt::Break(self.cond(), 1 + self.rng.below(depth) as u8)
            }
            86..=89 if nested => {
                spend(8);
                let n = 2 << self.rng.below(2);
                let arms = (0..n).map(|_| self.block(budget, depth + 1, function)).collect();
                Stmt::Switch(self.reg(), self.hint(), arms)
            }
            90..=96 => self.call(budget, function),
            97..=98 if function.is_some() => {
                spend(3);
                Stmt::Return(self.cond())
            }
            _ => {
                spend(1);
                self.compute()
            }
        }
    }

    fn repeated(
        &mut self,
        budget: &mut usize,
        depth: usize,
        function: Option<usize>,
        times: usize,
    ) -> Vec<Stmt> {
        let mut share = *budget / times;
        let before = share;
        let body = self.block(&mut share, depth + 1, function);
        *budget = budget.saturating_sub((before - share + 6) * times);
        body
    }

    fn compute(&mut self) -> Stmt {
        let rr = [
            Op::Add,
            Op::Sub,
            Op::Sll,
            Op::Slt,
            Op::Sltu,
            Op::Xor,
            Op::Srl,
            Op::Sra,
            Op::Or,
            Op::And,
            Op::Mul,
            Op::Mulh,
            Op::Mulhsu,
            Op::Mulhu,
            Op::Div,
            Op::Divu,
            Op::Rem,
            Op::Remu,
        ];
        let ri = [
            Op::Addi,
            Op::Slti,
            Op::Sltiu,
            Op::Xori,
            Op::Ori,
            Op::Andi,
            Op::Slli,
            Op::Srli,
            Op::Srai,
            Op::Lui,
            Op::Auipc,
        ];
        let (rd, rs1, rs2) = (self.reg(), self.reg(), self.reg());
        if self.rng.chance(25) {
            let corner =
                |g: &mut Generator| g.rng.pick(&[0, 1, 2, u32::MAX, 1 << 31, i32::MAX as u32]);
            let (a, b) = (corner(self), corner(self));
            let divides = [Op::Div, Op::Divu, Op::Rem, Op::Remu];
            // The one quotient that overflows, and the others.
            return match self.rng.below(8) {
                0 => Stmt::Edge(self.rng.pick(&divides), rd, 1 << 31, u32::MAX),
                1 => Stmt::Edge(self.rng.pick(&divides), rd, a, b),
                _ => Stmt::Edge(self.rng.pick(&rr), rd, a, b),
            };
        }
        if self.rng.chance(50) {
            return Stmt::Alu(self.rng.pick(&rr), rd, rs1, rs2);
        }
        // slti and sltiu to x0 are hints, which have their own place.
        match self.rng.pick(&ri) {
            Op::Slti | Op::Sltiu if rd == 0 => Stmt::Imm(Op::Xori, rd, rs1, 1),
            op => Stmt::Imm(op, rd, rs1, self.rng.bits() as i16 >> 4),
        }
    }

    fn access(&mut self) -> Stmt {
        let crooked = self.rng.chance(10);
        let (value, index) = (self.reg(), self.reg());
        let shared = match self.rng.below(10) {
            0..=4 if self.races => Area::Shared,
            0..=2 => Area::Private,
            3..=6 => Area::Striped,
            _ => Area::Bytes,
        };
        // What is striped has one width.
        let fit = |area: Area, op: Op, byte: Op, word: Op| match area {
            Area::Bytes => byte,
            Area::Striped => word,
            _ => op,
        };
        if self.rng.chance(50) {
            let op = self.rng.pick(&[Op::Lb, Op::Lh, Op::Lw, Op::Lw, Op::Lbu, Op::Lhu]);
            let area = if self.rng.chance(30) { Area::Table } else { shared };
            let byte = self.rng.pick(&[Op::Lb, Op::Lbu]);
            Stmt::Load(fit(area, op, byte, Op::Lw), value, index, area, crooked)
        } else {
            let op = self.rng.pick(&[Op::Sb, Op::Sh, Op::Sw, Op::Sw]);
            Stmt::Store(fit(shared, op, Op::Sb, Op::Sw), value, index, shared, crooked)
        }
    }

    fn atomic(&mut self) -> Stmt {
        let ops = [
            Op::Amoadd,
            Op::Amoxor,
            Op::Amoand,
            Op::Amoor,
            Op::Amomin,
            Op::Amomax,
            Op::Amominu,
            Op::Amomaxu,
            Op::Amoswap,
        ];
        let (rd, value, index) = (self.reg(), self.reg(), self.reg());
        if self.rng.chance(30) {
            let own = self.rng.pick(&[Area::Private, Area::Striped]);
            let area = if self.races { Area::Shared } else { own };
            return if self.rng.chance(50) {
                Stmt::LrSc(rd, value, area)
            } else {
                Stmt::LrTrapSc(rd, value, area)
            };
        }
        if self.rng.chance(50) {
            let own = self.rng.pick(&[Area::Private, Area::Striped]);
            return Stmt::Amo(self.rng.pick(&ops), rd, value, index, own);
        }
        // Sums do not depend on order as long as nobody looks.
        if self.races {
            Stmt::Amo(self.rng.pick(&ops), rd, value, index, Area::Shared)
        } else {
            Stmt::Amo(Op::Amoadd, 0, value, index, Area::Shared)
        }
    }

    fn call(&mut self, budget: &mut usize, function: Option<usize>) -> Stmt {
        let first = function.map_or(0, |f| f + 1);
        if first >= self.functions {
            return self.compute();
        }
        let pick = |g: &mut Generator| first + g.rng.below(g.functions - first);
        let (a, b) = (pick(self), pick(self));
        let cost = self.costs[a].max(self.costs[b]);
        if cost > *budget {
            return self.compute();
        }
        *budget -= cost;
        if self.rng.chance(60) {
            Stmt::Call(a as u8)
        } else {
            Stmt::CallEither(self.reg(), a as u8, b as u8, self.hint())
        }
    }
}
