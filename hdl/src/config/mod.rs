//! `CoreConfig`: what a core is, as plain data.
//!
//! Flags or a TOML file give a [`RawConfig`] of texts; [`RawConfig::validate`]
//! turns it into a [`CoreConfig`] or one line that says what is supported.
//! Nothing else reads flags, files or the environment.

mod flags;
mod raw;
mod resolved;

pub use flags::one_line;
pub use raw::{KEYS, RawConfig, number};

use crate::divergence::UnitInfo;
use crate::platform;
use serde::Serialize;
use std::fmt;

/// Supported threads per warp.
pub const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Supported warps.
pub const WARPS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The instruction set of a build, Zicsr and Zifencei always included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Isa {
    /// Integer base.
    Rv32i,
    /// With multiply and divide.
    Rv32im,
    /// With atomics too.
    Rv32ima,
}

/// How `minstret` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Counters {
    /// No counter CSRs: access traps.
    None,
    /// `minstret` counts the instructions its warp issued.
    Warp,
    /// `minstret` counts the instructions of its thread.
    Thread,
}

/// What is between the lanes and the words of a block of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Crossbar {
    /// Every lane reaches every word at once.
    Full,
    /// Lanes that do not stand in line pass one after the other.
    Serial,
}

/// Compact-sort of `hct`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ccs {
    /// All comparisons at once.
    Parallel,
    /// A sorting network.
    Network,
}

/// How many lanes the CSR file works on at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Csrs {
    /// All.
    Parallel,
    /// One.
    Serial,
}

/// What keeps the cold table of `hct` in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cct {
    /// A row of two or four paths per pass.
    Rows,
    /// One path of each warp is looked at in turn, as published.
    Paper,
}

/// A validated configuration. Fields without influence on what a program
/// computes (bypass, icache, trace, options of a unit) are ignored by the emulator.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CoreConfig {
    /// T, lanes of a warp.
    pub threads_per_warp: u32,
    /// W.
    pub warps: u32,
    /// The divergence unit.
    #[serde(serialize_with = "unit_name")]
    pub divergence: &'static UnitInfo,
    /// Instruction set.
    pub isa: Isa,
    /// Trap support; without it a trap ends the run.
    pub traps: bool,
    /// Counter CSRs.
    pub counters: Counters,
    /// Result bypass in the pipeline.
    pub bypass: bool,
    /// D: call depth saturates at `2^D - 1`.
    pub depth_bits: u32,
    /// Threads alive after reset.
    pub harts: u32,
    /// Bytes of RAM.
    pub ram_size: u32,
    /// First PC.
    pub reset_pc: u32,
    /// Bytes of instruction cache, 0 for none.
    pub icache: u32,
    /// Memory operations under way.
    pub loads: u32,
    /// Lanes of the ALU: a warp goes through stages 5 and 6 so many threads at a time.
    pub lanes: u32,
    /// Lanes that divide at once.
    pub dividers: u32,
    /// Between lanes and words of memory.
    pub crossbar: Crossbar,
    /// Lanes that access CSRs at once.
    pub csrs: Csrs,
    /// Retirement trace port.
    pub trace: bool,
    /// Compact-sort of `hct`.
    pub ccs: Ccs,
    /// Cold table of `hct`.
    pub cct: Cct,
    /// Pipeline stages of `arbiter`.
    pub arbiter_stages: u32,
}

fn unit_name<S: serde::Serializer>(unit: &&'static UnitInfo, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(unit.name)
}

impl CoreConfig {
    /// Hart numbers run from 0 to this, exclusive.
    pub fn total_harts(&self) -> u32 {
        self.threads_per_warp * self.warps
    }

    /// Lane mask of the threads of `warp` that are alive after reset.
    pub fn initial_mask(&self, warp: u32) -> u64 {
        let first = warp * self.threads_per_warp;
        match self.harts.saturating_sub(first).min(self.threads_per_warp) {
            0 => 0,
            n => u64::MAX >> (64 - n),
        }
    }

    /// The deepest call depth a path can show.
    pub fn max_depth(&self) -> u32 {
        (1 << self.depth_bits) - 1
    }

    /// What `--crossbar` is by default: in a barrel, which has other warps to go on with, a
    /// serial one, unless there are so few lanes that a full one is smaller.
    pub fn default_crossbar(bypass: bool, threads_per_warp: u32) -> Crossbar {
        if bypass || threads_per_warp < 4 { Crossbar::Full } else { Crossbar::Serial }
    }

    /// Is `--crossbar` what it is by default?
    pub(crate) fn usual_crossbar(&self) -> bool {
        self.crossbar == CoreConfig::default_crossbar(self.bypass, self.threads_per_warp)
    }

    /// In how many beats a warp goes through the ALU.
    pub fn beats(&self) -> u32 {
        self.threads_per_warp / self.lanes
    }

    /// Are there fewer dividers than threads?
    pub(crate) fn shared_dividers(&self) -> bool {
        self.isa != Isa::Rv32i && self.dividers != self.threads_per_warp
    }

    /// Does the CSR file work on one lane at a time?
    pub fn serial_csrs(&self) -> bool {
        self.csrs == Csrs::Serial
    }

    /// Top module and file stem: unit and shape, and one suffix for each
    /// option that is not at its default.
    pub fn name(&self) -> String {
        use fmt::Write;
        let (t, w) = (self.threads_per_warp, self.warps);
        let mut s = format!("weft_{}_t{t}w{w}", self.divergence.name);
        let mut add = |on: bool, text: fmt::Arguments<'_>| {
            if on {
                write!(s, "_{text}").expect("writing to a string");
            }
        };
        add(self.isa == Isa::Rv32i, format_args!("rv32i"));
        add(self.isa == Isa::Rv32im, format_args!("rv32im"));
        add(!self.traps, format_args!("notraps"));
        add(self.counters == Counters::None, format_args!("nocounters"));
        add(self.counters == Counters::Warp, format_args!("warpcounters"));
        add(!self.bypass, format_args!("nobypass"));
        add(self.depth_bits != 8, format_args!("d{}", self.depth_bits));
        add(self.harts != t * w, format_args!("h{}", self.harts));
        add(self.ram_size != platform::RAM_SIZE, format_args!("ram{:x}", self.ram_size));
        add(self.reset_pc != platform::RAM_BASE, format_args!("pc{:x}", self.reset_pc));
        add(self.icache != 0, format_args!("ic{}", self.icache));
        add(self.loads != 12, format_args!("l{}", self.loads));
        add(self.beats() > 1, format_args!("lanes{}", self.lanes));
        add(self.shared_dividers(), format_args!("dividers{}", self.dividers));
        add(
            !self.usual_crossbar(),
            format_args!("{}", if self.crossbar == Crossbar::Full { "crossbar" } else { "serial" }),
        );
        add(self.serial_csrs(), format_args!("serialcsrs"));
        add(self.trace, format_args!("trace"));
        add(self.ccs == Ccs::Network, format_args!("network"));
        add(self.cct == Cct::Paper, format_args!("paper"));
        add(self.arbiter_stages != 0, format_args!("stages{}", self.arbiter_stages));
        s
    }
}

/// One line that says which value is wrong and what is supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError(pub String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}
