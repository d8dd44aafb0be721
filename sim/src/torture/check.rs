//! One random program through everything: *mimd*, and either every policy twice,
//! once in lockstep with the golden model and once at full speed, or a core in
//! lockstep (see [`super::hardware`]).

use super::emit::{MEMORY_PER_HART, PRIVATE_BASE, emit};
use super::generate::generate;
use super::hardware::Hardware;
use super::rng::Rng;
use super::tree::Tree;
use crate::checker::Checker;
use crate::golden::{Model, mimd};
use crate::limits::Outcome;
use crate::policy::PolicyKind;
use crate::program::Program;
use crate::stats::Stats;
use crate::streams::Streams;
use crate::warp::{self, Observer, Report, RunOptions};
use hdl::config::{CoreConfig, RawConfig};
use hdl::platform::RAM_BASE;

/// Thread instructions after which a random program counts as stuck.
const LIMIT: u64 = 5_000_000;

/// A program and the core it runs on.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed it came from.
    pub seed: u64,
    /// The program.
    pub tree: Tree,
    /// T, W, threads alive, depth bits.
    pub shape: [u32; 4],
    /// Do threads share plain words? Then only lockstep is compared.
    pub races: bool,
    /// The hardware it runs on; on the emulator if there is none.
    pub hardware: Option<Hardware>,
}

/// What a case showed.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Thread instructions of the program.
    pub instructions: u64,
    /// Warp instructions, all policies.
    pub passes: u64,
    /// Divergences, all policies.
    pub divergences: u64,
    /// Traps.
    pub traps: u64,
    /// Cycles of hardware.
    pub cycles: u64,
}

impl Tally {
    /// Adds up.
    pub fn add(&mut self, other: &Tally) {
        self.instructions += other.instructions;
        self.passes += other.passes;
        self.divergences += other.divergences;
        self.traps += other.traps;
        self.cycles += other.cycles;
    }
}

/// What *mimd* made of a program.
pub(super) struct Oracle {
    pub(super) streams: Streams,
    pub(super) model: Model,
    stats: Stats,
}

impl Case {
    /// The case of a seed.
    pub fn new(seed: u64, races: bool) -> Case {
        let mut rng = Rng::new(seed ^ 0x0005_4a9e);
        let t = rng.pick(&[1, 2, 4, 4, 8, 8, 16, 32, 64]);
        let most = 64 / t;
        let w = rng.pick(&[1, 2, 4, 8].map(|w: u32| w.min(most.max(1))));
        let harts = if rng.chance(80) { t * w } else { 1 + rng.below((t * w) as usize) as u32 };
        let depth_bits = rng.pick(&[8, 8, 2, 1, 0]);
        let shape = [t, w, harts, depth_bits];
        Case { seed, tree: generate(seed, races), shape, races, hardware: None }
    }

    /// The configuration of the core.
    pub fn config(&self) -> CoreConfig {
        let [t, w, harts, depth] = self.shape.map(|n| Some(n.to_string()));
        let bytes = PRIVATE_BASE - RAM_BASE + MEMORY_PER_HART * self.shape[0] * self.shape[1];
        let raw = RawConfig {
            threads_per_warp: t,
            warps: w,
            harts,
            depth_bits: depth,
            ram_size: Some(bytes.next_multiple_of(4096).to_string()),
            ..RawConfig::default()
        };
        let raw = match &self.hardware {
            Some(hardware) => raw.over(hardware.options.clone()),
            None => raw,
        };
        raw.validate().expect("every shape is supported")
    }

    /// The program, unless it is too large.
    pub fn program(&self) -> Option<Program> {
        emit(&self.tree, &self.config())
    }

    /// What *mimd* makes of it.
    pub(super) fn oracle(&self, config: &CoreConfig, program: &Program) -> Result<Oracle, String> {
        let mut streams = Streams::new(config);
        let mut model = Model::new(config, program);
        let mut stats = Stats::new(self.shape[0] as usize);
        let outcome =
            mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |hart, effects, _| {
                streams.add(hart / self.shape[0] * self.shape[0], effects);
            });
        match outcome {
            Outcome::Exit(0) => Ok(Oracle { streams, model, stats }),
            other => Err(format!("mimd: {other:?}")),
        }
    }

    /// Runs it everywhere; `None` if it is too large for its memory.
    pub fn run(&self) -> Result<Option<Tally>, String> {
        let config = self.config();
        if let Some(hardware) = &self.hardware {
            return self.run_on(hardware.engine.core(&config)?.as_mut());
        }
        let Some(program) = self.program() else { return Ok(None) };
        let oracle = self.oracle(&config, &program)?;
        let mut tally = oracle.tally();
        for (kind, name, _) in PolicyKind::ALL {
            let report = self
                .policy(kind, &config, &program, &oracle)
                .map_err(|why| format!("{name}: {why}"))?;
            tally.passes += report.stats.warp_instructions;
            tally.divergences += report.stats.divergences;
        }
        Ok(Some(tally))
    }

    fn run_policy(
        &self,
        policy: PolicyKind,
        config: &CoreConfig,
        program: &Program,
        observer: Option<Observer<'_>>,
    ) -> Report {
        let console = &mut |_: &[u8]| ();
        let options = RunOptions { policy, max_instructions: LIMIT, observer, console };
        warp::run(config, program, options)
    }

    fn policy(
        &self,
        kind: PolicyKind,
        config: &CoreConfig,
        program: &Program,
        oracle: &Oracle,
    ) -> Result<Report, String> {
        let mut checker = Checker::new(config, program);
        let mut streams = Streams::new(config);
        let mut observe = |record: &crate::record::Record| {
            let effects = checker.check(record)?;
            streams.add(record.warp * config.threads_per_warp, effects);
            Ok(())
        };
        let watched = self.run_policy(kind, config, program, Some(&mut observe));
        match &watched.outcome {
            Outcome::Exit(0) => {}
            Outcome::Mismatch(why) => return Err(why.clone()),
            other => return Err(format!("{other:?}")),
        }
        checker.finish()?;
        let golden = checker.model().harts.iter().map(|h| h.x);
        if let Some(hart) = watched.registers.iter().zip(golden).position(|(a, b)| *a != b) {
            return Err(format!("final registers of hart {hart} differ from the golden model's"));
        }
        if watched.platform.ram.words() != checker.model().platform.ram.words() {
            return Err("final memory differs from the golden model's".to_string());
        }
        if !self.races {
            oracle.compare(&streams, watched.platform.ram.words())?;
        }
        let fast = self.run_policy(kind, config, program, None);
        if fast.outcome != watched.outcome {
            return Err(format!("unobserved it ends with {:?}", fast.outcome));
        }
        // Computing ahead changes the interleaving, which races may see.
        if !self.races {
            if fast.platform.ram.words() != watched.platform.ram.words() {
                return Err("unobserved it leaves another memory".to_string());
            }
            if config.warps == 1 && fast.stats != watched.stats {
                return Err("unobserved it counts otherwise".to_string());
            }
        }
        Ok(watched)
    }
}

impl Oracle {
    /// What the program is, whoever runs it.
    pub(super) fn tally(&self) -> Tally {
        let (instructions, traps) = (self.stats.thread_instructions, self.stats.traps);
        Tally { instructions, traps, ..Tally::default() }
    }

    /// Commit streams and final memory of another way to run it.
    pub(super) fn compare(&self, streams: &Streams, memory: &[u32]) -> Result<(), String> {
        if let Some(how) = streams.differs(&self.streams) {
            return Err(format!("{how}, compared with mimd"));
        }
        if memory != self.model.platform.ram.words() {
            return Err("final memory differs from mimd's".to_string());
        }
        Ok(())
    }
}
