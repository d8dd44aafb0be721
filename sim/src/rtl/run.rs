//! Whole runs of a core: cycle after cycle until the program ends, a limit is
//! reached or a watchdog bites, with every retired instruction in lockstep with
//! the golden model unless told otherwise.

use super::core::{Core, Inputs, Outputs};
use super::memory::Memory;
use super::retire;
use super::stats::RtlStats;
use super::timing::Timing;
use super::track::Track;
use super::vcd::Dump;
use super::watchdog::Watchdog;
use crate::checker::Checker;
use crate::golden::Effects;
use crate::limits::{Outcome, Stuck};
use crate::platform::{End, Platform};
use crate::program::Program;
use crate::record::Record;
use crate::report::WarpReport;
use hdl::config::CoreConfig;
use hdl::isa::Insn;

/// Cycles of a turn of the divider, and some.
const DIVIDE: u64 = 40;
/// Of a lane of a CSR access that walks over all counters, and of a hart in a sweep, and some.
const CSR: u64 = 50;
const SWEEP: u64 = 8;

/// Sees every checked record and what the golden model did for it.
pub type Observer<'a> = &'a mut dyn FnMut(&Record, &Effects);

/// How to run.
pub struct RunOptions<'a> {
    /// Latency of memory.
    pub timing: Timing,
    /// Thread or warp instructions after which the run is cut short.
    pub max_instructions: u64,
    /// Cycles after which the run is cut short.
    pub max_cycles: u64,
    /// Compare every record with the golden model.
    pub lockstep: bool,
    /// Who wants to see the records; only in lockstep.
    pub observer: Option<Observer<'a>>,
    /// Where the console goes.
    pub console: &'a mut dyn FnMut(&[u8]),
    /// Where signals go.
    pub dump: Option<&'a mut Dump>,
}

/// The end of a run.
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// What it counted.
    pub stats: RtlStats,
    /// Every warp that is not done.
    pub warps: Vec<WarpReport>,
    /// Memory as it was left.
    pub platform: Platform,
    /// The golden model, in lockstep.
    pub checker: Option<Checker>,
}

/// Runs a program on a core.
pub fn run<'a>(
    core: &'a mut dyn Core,
    config: &'a CoreConfig,
    program: &Program,
    options: RunOptions<'a>,
) -> Report {
    let mut bench = Bench::new(core, config, program, options);
    let outcome = bench.run();
    Report {
        outcome,
        stats: bench.stats,
        warps: bench.track.report(config),
        platform: bench.memory.platform,
        checker: bench.checker,
    }
}

struct Bench<'a> {
    core: &'a mut dyn Core,
    config: &'a CoreConfig,
    options: RunOptions<'a>,
    memory: Memory,
    checker: Option<Checker>,
    track: Track,
    watchdog: Watchdog,
    stats: RtlStats,
    inputs: Inputs,
    out: Outputs,
    insns: Vec<Insn>,
    record: Box<Record>,
    cycle: u64,
    /// The program has ended: only what is under way is still checked.
    ended: bool,
    last_retired: u64,
}

impl<'a> Bench<'a> {
    fn new(
        core: &'a mut dyn Core,
        config: &'a CoreConfig,
        program: &Program,
        options: RunOptions<'a>,
    ) -> Self {
        let shape = core.shape();
        assert_eq!(
            (shape.threads, shape.warps),
            (config.threads_per_warp as usize, config.warps as usize),
            "the core is the one that was configured"
        );
        let platform = Platform::new(config, program);
        let nothing = platform.ram.decode(0);
        Bench {
            memory: Memory::new(platform, shape, options.timing),
            checker: options.lockstep.then(|| Checker::new(config, program)),
            track: Track::new(config),
            watchdog: Watchdog::new(shape.warps),
            stats: RtlStats::new(shape.threads, shape.pipes),
            inputs: Inputs::new(shape.pipes),
            out: Outputs::new(shape.pipes),
            insns: vec![nothing; shape.pipes],
            record: Box::default(),
            cycle: 0,
            ended: false,
            last_retired: 0,
            core,
            config,
            options,
        }
    }

    fn run(&mut self) -> Outcome {
        self.core.reset();
        let outcome = loop {
            if let Some(outcome) = self.cycle() {
                break outcome;
            }
            self.core.edge();
            self.cycle += 1;
        };
        match outcome {
            Outcome::Exit(_) => self.settle_debts().unwrap_or(outcome),
            other => other,
        }
    }

    /// Lets loads and divisions that are under way come back: fetches and data
    /// requests are no longer taken, so the core runs dry.
    fn settle_debts(&mut self) -> Option<Outcome> {
        self.checker.as_mut()?.close();
        self.ended = true;
        let bound = self.cycle + self.patience();
        while self.checker.as_ref()?.finish().is_err() && self.cycle < bound {
            self.core.edge();
            self.cycle += 1;
            if let Some(outcome) = self.cycle() {
                return Some(outcome);
            }
        }
        self.checker.as_ref()?.finish().err().map(Outcome::Mismatch)
    }

    /// Cycles in which a core that is alive retires something. A divide may take turns, and so may
    /// CSRs, whose counters are swept from time to time; and an instruction several beats.
    fn patience(&self) -> u64 {
        let CoreConfig { threads_per_warp, dividers, .. } = self.config;
        let turns = u64::from(threads_per_warp / dividers);
        let (lanes, harts) = (u64::from(*threads_per_warp), u64::from(self.config.total_harts()));
        let csrs = if self.config.serial_csrs() { lanes * CSR + harts * SWEEP } else { 0 };
        let beats = 200 * (u64::from(self.config.beats()) - 1);
        2000 + 64 * self.options.timing.worst() + (turns - 1) * DIVIDE + csrs + beats
    }

    /// One cycle without its edge; how the run ended, if it did.
    fn cycle(&mut self) -> Option<Outcome> {
        self.memory.offer(self.cycle, &mut self.inputs, self.ended);
        self.core.settle(&self.inputs);
        self.core.outputs(&mut self.out);
        if let Some(why) = self.core.trouble() {
            return Some(Outcome::Mismatch(format!("cycle {}: {why}", self.cycle)));
        }
        if let (Some(dump), Some(circuit)) = (&mut self.options.dump, self.core.circuit()) {
            dump.sample(self.cycle, circuit);
        }
        if let Err(why) = self.accept() {
            return Some(Outcome::Mismatch(format!("cycle {}: {why}", self.cycle)));
        }
        // Values belong to records of earlier cycles.
        let late = &self.out.late;
        if let (true, Some(checker)) = (late.valid, &mut self.checker)
            && let Err(why) = checker.complete(late.warp, late.rd, late.mask, &late.value)
        {
            return Some(Outcome::Mismatch(format!("{why} (cycle {})", self.cycle)));
        }
        for pipe in 0..self.out.retire.len() {
            if self.out.retire[pipe].valid
                && let Some(outcome) = self.retire(pipe)
            {
                return Some(outcome);
            }
        }
        if self.ended { None } else { self.judge() }
    }

    /// Memory takes its requests; each must be that of a retired instruction.
    fn accept(&mut self) -> Result<(), String> {
        let out = &self.out;
        let ram = &mut self.memory.platform.ram;
        for (r, insn) in out.retire.iter().zip(&mut self.insns).filter(|(r, _)| r.valid) {
            let pc = r.path.pc << 2;
            *insn = if ram.contains(pc) { ram.insn(pc) } else { ram.decode(0) };
            if insn.raw != r.insn {
                *insn = ram.decode(r.insn);
            }
        }
        let accepted = self.memory.accept(self.cycle, &self.inputs, out)?.accepted;
        if accepted || out.retire.iter().any(|r| r.valid) {
            let threads = self.config.threads_per_warp as usize;
            retire::requests_match(threads, out, &self.insns, accepted)?;
        }
        Ok(())
    }

    /// One record: checked, counted, followed.
    fn retire(&mut self, pipe: usize) -> Option<Outcome> {
        let (r, insn) = (&self.out.retire[pipe], &self.insns[pipe]);
        let did = self.memory.performed();
        retire::fill(&mut self.record, self.cycle, pipe as u32, r, insn, did);
        if r.warp >= self.config.warps {
            let warp = r.warp;
            return Some(Outcome::Mismatch(format!("warp {warp} retires, there is no such warp")));
        }
        if let Some(checker) = &mut self.checker
            && let Err(why) = checker.check(&self.record)
        {
            return Some(Outcome::Mismatch(why));
        }
        if self.ended {
            return None;
        }
        self.last_retired = self.cycle;
        let step = self.track.step(&self.record, insn.op);
        self.record.events.merges = step.merges;
        self.stats.record(&self.record, insn, step);
        let effects = self.checker.as_ref().and_then(Checker::last);
        if let (Some(observe), Some(effects)) = (&mut self.options.observer, effects) {
            observe(&self.record, effects);
        }
        if self.record.trapped != 0 && !self.config.traps {
            return Some(Outcome::Error(self.trap_text()));
        }
        if let (Some(effects), Some(checker)) = (effects, &self.checker)
            && self.watchdog.bites(&self.record, effects, checker.model(), &self.track)
        {
            return Some(Outcome::Stuck(Stuck::Livelock));
        }
        None
    }

    fn trap_text(&self) -> String {
        let r = &self.record;
        let lane = r.trapped.trailing_zeros();
        let (cause, value) = (r.cause, r.tval[lane as usize]);
        format!(
            "hart {} traps at {:#010x} (cause {cause}, value {value:#x}) in a build without traps",
            r.warp * self.config.threads_per_warp + lane,
            r.path.pc,
        )
    }

    /// Counts the cycle; has the run come to its end?
    fn judge(&mut self) -> Option<Outcome> {
        self.stats.cycles += 1;
        for (stat, (fetch, input)) in
            self.out.stat.iter().zip(self.out.fetch.iter().zip(&self.inputs.fetch))
        {
            self.stats.cycle(stat);
            self.stats.fetches += u64::from(fetch.request && input.ready);
        }
        let htif = &mut self.memory.platform.htif;
        if !htif.console.is_empty() {
            (self.options.console)(&std::mem::take(&mut htif.console));
        }
        match htif.end.take() {
            None => {}
            Some(End::Exit(code)) => return Some(Outcome::Exit(code)),
            Some(End::Error(why)) => return Some(Outcome::Error(why)),
        }
        if self.out.fatal {
            return Some(Outcome::Error(format!("bus error (cycle {})", self.cycle)));
        }
        let stuck = |why| Some(Outcome::Stuck(why));
        let run = &self.stats.run;
        let max = self.options.max_instructions;
        if run.thread_instructions >= max || run.warp_instructions >= max {
            return stuck(Stuck::Limit(max));
        }
        if self.stats.cycles >= self.options.max_cycles {
            return stuck(Stuck::Cycles(self.options.max_cycles));
        }
        if self.last_retired == self.cycle && self.track.all_parked() {
            return stuck(Stuck::AllParked);
        }
        self.silence()
    }

    /// Has the core, or one warp, retired nothing for too long?
    fn silence(&self) -> Option<Outcome> {
        let patience = self.patience();
        let cycles = self.cycle - self.last_retired;
        if cycles > patience {
            return Some(Outcome::Stuck(Stuck::Silent { warp: None, cycles }));
        }
        // Warps share one pipeline, and the bound holds for each of them.
        if self.cycle.is_multiple_of(256)
            && let Some((warp, last)) = self.track.quietest()
            && self.cycle - last > patience * (1 + self.config.warps as u64)
        {
            let cycles = self.cycle - last;
            return Some(Outcome::Stuck(Stuck::Silent { warp: Some(warp), cycles }));
        }
        None
    }
}
