//! One random program through everything: *mimd*, and every policy twice, once
//! in lockstep with the golden model and once at full speed.

use super::emit::{MEMORY_PER_HART, PRIVATE_BASE, emit};
use super::generate::generate;
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
        Case { seed, tree: generate(seed, races), shape: [t, w, harts, depth_bits], races }
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
        raw.validate().expect("every shape is supported")
    }

    /// The program, unless it is too large.
    pub fn program(&self) -> Option<Program> {
        emit(&self.tree, &self.config())
    }

    /// Runs it everywhere; `None` if it is too large for its memory.
    pub fn run(&self) -> Result<Option<Tally>, String> {
        let config = self.config();
        let Some(program) = self.program() else { return Ok(None) };
        let mut oracle = Streams::new(&config);
        let mut model = Model::new(&config, &program);
        let mut stats = Stats::new(self.shape[0] as usize);
        let outcome =
            mimd::run(&mut model, mimd::QUANTUM, LIMIT, &mut stats, |hart, effects, _| {
                oracle.add(hart / self.shape[0] * self.shape[0], effects);
            });
        if outcome != Outcome::Exit(0) {
            return Err(format!("mimd: {outcome:?}"));
        }
        let mut tally = Tally {
            instructions: stats.thread_instructions,
            traps: stats.traps,
            ..Tally::default()
        };
        for (kind, name, _) in PolicyKind::ALL {
            let report = self
                .policy(kind, &config, &program, &oracle, &model)
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
        oracle: &Streams,
        model: &Model,
    ) -> Result<Report, String> {
        let mut checker = Checker::new(config, program);
        let mut streams = Streams::new(config);
        let mut observe = |record: &crate::record::Record| {
            let effects = checker.check(record)?;
            streams.add(record.warp * config.threads_per_warp, &effects);
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
            if let Some(how) = streams.differs(oracle) {
                return Err(format!("{how}, compared with mimd"));
            }
            if watched.platform.ram.words() != model.platform.ram.words() {
                return Err("final memory differs from mimd's".to_string());
            }
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
