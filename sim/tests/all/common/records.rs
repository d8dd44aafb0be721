//! The records of a program that does a bit of everything.

use super::{Asm, DATA, Place};
use hdl::config::{CoreConfig, RawConfig};
use hdl::isa::{Op, csr, hint::join_hint};
use sim::checker::Checker;
use sim::limits::Outcome;
use sim::policy::PolicyKind;
use sim::program::Program;
use sim::record::Record;
use sim::warp::{self, RunOptions};
use std::fs;

/// A program, its core, and every record of its run.
pub struct Recorded {
    pub config: CoreConfig,
    pub program: Program,
    pub records: Vec<Record>,
}

/// Loads, stores with conflicts, atomics, branches, calls with two targets,
/// traps of some lanes, CSRs, `fence.i`, a barrier with `wfi`.
pub fn everything() -> Asm {
    let mut asm = Asm::default();
    asm.label("start");
    let csr = |asm: &mut Asm, op, rd, number: u16, rs1| {
        asm.op(op, rd, rs1, 0, number.into());
    };
    csr(&mut asm, Op::Csrrs, 5, csr::MHARTID, 0);
    asm.la(6, "handler");
    csr(&mut asm, Op::Csrrw, 0, csr::MTVEC, 6);
    asm.li(10, DATA).op(Op::Slli, 7, 5, 0, 2).op(Op::Add, 10, 10, 7, 0).li(11, DATA + 256);
    asm.op(Op::Slli, 8, 5, 0, 4).op(Op::Add, 11, 11, 8, 0).addi(9, 5, 0x155);
    asm.op(Op::Mul, 12, 9, 9, 0).op(Op::Divu, 13, 12, 9, 0);
    asm.op(Op::Sw, 0, 10, 12, 0).op(Op::Sb, 0, 10, 9, 1).op(Op::Sh, 0, 10, 9, 2);
    asm.op(Op::Lw, 14, 10, 0, 0).op(Op::Lb, 15, 10, 0, 1).op(Op::Lhu, 16, 10, 0, 2);
    asm.op(Op::Sw, 0, 11, 9, 0).op(Op::Lw, 17, 11, 0, 0);
    asm.op(Op::Amoadd, 18, 10, 9, 0).li(20, DATA + 512).op(Op::Amomaxu, 19, 20, 9, 0);
    asm.op(Op::Lr, 21, 10, 0, 0).op(Op::Sc, 22, 10, 9, 0).op(Op::Sc, 22, 10, 9, 0);
    asm.op(Op::Andi, 23, 5, 0, 1).word(join_hint(20).unwrap()).to(Op::Beq, 23, 0, "even");
    asm.addi(24, 0, 1).to(Op::Jal, 0, 0, "join").label("even").addi(24, 0, 2).label("join");
    asm.la(25, "first").op(Op::Slli, 26, 23, 0, 3).op(Op::Add, 25, 25, 26, 0);
    asm.op(Op::Jalr, 1, 25, 0, 0).to(Op::Jal, 0, 0, "called");
    asm.label("first").addi(27, 0, 1).op(Op::Jalr, 0, 1, 0, 0);
    asm.label("second").addi(27, 0, 2).op(Op::Jalr, 0, 1, 0, 0).label("called");
    csr(&mut asm, Op::Csrrw, 28, csr::MSCRATCH, 9);
    csr(&mut asm, Op::Csrrs, 28, csr::MSCRATCH, 0);
    csr(&mut asm, Op::Csrrs, 29, csr::MINSTRET, 0);
    csr(&mut asm, Op::Csrrs, 29, csr::MCYCLE, 0);
    asm.op(Op::Ecall, 0, 0, 0, 0).op(Op::Add, 3, 10, 23, 0).op(Op::Lw, 14, 3, 0, 0);
    asm.op(Op::FenceI, 0, 0, 0, 0);
    csr(&mut asm, Op::Csrrs, 29, csr::MCYCLE, 0);
    asm.li(2, 0x1000_0100).op(Op::Sw, 0, 2, 0, 0).op(Op::Wfi, 0, 0, 0, 0).exit(0);
    asm.label("handler");
    csr(&mut asm, Op::Csrrs, 4, csr::MEPC, 0);
    asm.addi(4, 4, 4);
    csr(&mut asm, Op::Csrrw, 0, csr::MEPC, 4);
    asm.op(Op::Mret, 0, 0, 0, 0);
    asm
}

impl Recorded {
    /// Runs a program that passes, on warps of `lanes` threads.
    pub fn new(asm: &Asm, lanes: u32, warps: u32, policy: PolicyKind) -> Recorded {
        let place = Place::new();
        fs::write(place.at("p.elf"), asm.elf().bytes()).unwrap();
        let text = |n: u32| Some(n.to_string());
        let raw = RawConfig {
            threads_per_warp: text(lanes),
            warps: text(warps),
            ram_size: Some("16K".into()),
            ..RawConfig::default()
        };
        let config = raw.validate().unwrap();
        let program = Program::load(&place.at("p.elf"), config.ram_size).unwrap();
        let mut records = Vec::new();
        let report = warp::run(
            &config,
            &program,
            RunOptions {
                policy,
                max_instructions: 100_000,
                observer: Some(&mut |record| {
                    records.push(record.clone());
                    Ok(())
                }),
                console: &mut |_| (),
            },
        );
        assert_eq!(report.outcome, Outcome::Exit(0));
        Recorded { config, program, records }
    }

    pub fn checker(&self) -> Checker {
        Checker::new(&self.config, &self.program)
    }

    /// Checks records; the first that is refused, and why.
    pub fn check<'a>(
        &self,
        records: impl IntoIterator<Item = &'a Record>,
    ) -> Option<(usize, String)> {
        let mut checker = self.checker();
        let mut wrong = |(i, r)| checker.check(r).err().map(|why| (i, why));
        records.into_iter().enumerate().find_map(&mut wrong)
    }
}
