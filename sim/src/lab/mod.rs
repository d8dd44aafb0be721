//! Studies: many runs, kept as rows of a results file, and the tables and
//! figures made of them.
//!
//! A study appends a row as soon as a run ends and skips the runs whose rows are
//! there already ([`store`]), so it can be interrupted and continued. Tables and
//! figures come from the rows alone and are the same, byte for byte, whenever
//! the rows are.

mod chart;
mod claims;
mod draw;
pub mod hardware;
pub mod kernels;
pub mod many_paths;
pub mod matrix;
pub mod policies;
pub mod rates;
pub mod row;
pub mod store;
pub mod synth;
mod table;
pub mod units;
pub mod view;

use crate::cli::{exit, one_line};
use crate::error::BadInput;
use crate::interrupt;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use synth::{area, figure4, timing};

#[derive(Parser)]
#[command(
    name = "lab",
    version,
    about = "Runs Weft's studies and writes their tables and figures",
    after_help = "Exit codes: 0 done, 1 a run failed its own check, 2 bad input."
)]
struct Cli {
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand)]
enum Study {
    /// Every kernel under every traversal policy: instructions, activity, paths
    ///
    /// Runs every kernel, built with join hints, under every traversal policy on
    /// the emulator and writes to the output folder:
    ///
    ///   policies.jsonl  a row per kernel and policy: configuration, hash of the
    ///                   program, outcome, everything that was counted
    ///   policies.md     tables, and what they say beside the papers
    ///   policies.svg    the warp instructions as a figure
    ///
    /// Rows that are there for the same configuration, program and version are
    /// not run again; an interrupted study goes on where it stopped. The kernels
    /// come from scripts/kernels.sh.
    #[command(verbatim_doc_comment)]
    Policies(policies::PoliciesArgs),
    /// What the divergence units issue, against the order they implement
    ///
    /// Runs every kernel, and a program with as many paths as threads, on the
    /// hardware of every unit, in lockstep, and writes to the output folder
    /// units.jsonl (a row per kernel and core), units.md and units.svg. Rows
    /// that are there are not run again. The kernels come from
    /// scripts/kernels.sh. Exit 1 if a unit issues more than it promises.
    #[command(verbatim_doc_comment)]
    Units(units::UnitsArgs),
    /// Warp instructions per cycle, phase by phase
    ///
    /// Runs kernels on the hardware of every unit, in lockstep, and writes to
    /// the output folder rates.jsonl (a row per kernel and core), rates.md and
    /// rates.svg. Rows that are there are not run again. scripts/rates.sh
    /// builds the kernels in sizes that fill the pipeline.
    #[command(verbatim_doc_comment)]
    Rates(rates::RatesArgs),
    /// Every ISA test and kernel on hardware of every shape with every memory
    ///
    /// T of 1 to 64 with eight warps, 1 to 32 warps with four lanes, memory
    /// latency 1, 20 and 1 to 50, every unit, in lockstep with the golden model
    /// and against the outcomes of testbenches/progress.toml. Run in the
    /// project's folder, after scripts/isa.sh and scripts/kernels-small.sh. Runs
    /// that have a row of this hardware are not repeated.
    #[command(verbatim_doc_comment)]
    Matrix(matrix::MatrixArgs),
    /// What cores and divergence units take of a device, by module
    ///
    /// Synthesises every combination of the options, which take several values
    /// with commas between, with Yosys, and writes area.jsonl to the output folder: a
    /// row per run, the total and every module. Rows that are there for the same
    /// hardware, tool and script are not run again; an interrupted study goes on
    /// where it stopped. How things are counted: docs/synthesis.md. The tools come
    /// from scripts/setup.sh. Exit 1 if a run fails; the others are kept.
    #[command(verbatim_doc_comment)]
    Area(Box<area::AreaArgs>),
    /// How fast cores and divergence units are after place and route
    ///
    /// For LFE5U-85F, speed grade 6, with few pins around the ports. Synthesises
    /// every combination of the options, which take several values with commas between,
    /// places and routes it with several seeds, and writes timing.jsonl to the output
    /// folder: a row per seed, with the critical path by module. Resumable like
    /// `lab area`.
    #[command(verbatim_doc_comment)]
    Timing(Box<timing::TimingArgs>),
    /// Table and figure of area and frequency against T, from the rows there are
    ///
    /// Reads area.jsonl and timing.jsonl and writes figure4.md and figure4.svg beside
    /// them, with what Collange & Brunie 2017 say; with units.jsonl also tradeoff.svg, area
    /// against extra warp instructions.
    #[command(verbatim_doc_comment)]
    Figure4(figure4::Figure4Args),
}

/// Runs the command line; the exit code.
pub fn main() -> u8 {
    let cli = match Cli::command().try_get_matches().and_then(|m| Cli::from_arg_matches(&m)) {
        Ok(cli) => cli,
        Err(e) if !e.use_stderr() => {
            let _ = e.print();
            return exit::PASS;
        }
        Err(e) if e.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return complain(&BadInput("which study? See lab --help".to_string()));
        }
        Err(e) => return complain(&one_line(&e)),
    };
    if let Err(e) = interrupt::watch("lab") {
        return complain(&e);
    }
    let done = match cli.study {
        Study::Policies(args) => policies::main(&args),
        Study::Units(args) => units::main(&args),
        Study::Rates(args) => rates::main(&args),
        Study::Matrix(args) => matrix::main(&args),
        Study::Area(args) => area::main(&args),
        Study::Timing(args) => timing::main(&args),
        Study::Figure4(args) => figure4::main(&args),
    };
    done.unwrap_or_else(|e| complain(&e))
}

fn complain(e: &BadInput) -> u8 {
    // A file name may hold anything; the message is one line.
    eprintln!("lab: {}", e.0.replace(['\n', '\r'], " "));
    exit::BAD_INPUT
}
