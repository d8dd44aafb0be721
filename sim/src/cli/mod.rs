//! The command line of `sim`.

mod files;
mod rtl;
mod run;
mod torture;

pub use run::RunArgs;

use crate::error::BadInput;
use crate::interrupt;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Exit codes, beside the 0 and 1 of a program that ended itself.
pub mod exit {
    /// The program passed.
    pub const PASS: u8 = 0;
    /// The program failed.
    pub const FAIL: u8 = 1;
    /// Bad input.
    pub const BAD_INPUT: u8 = 2;
    /// A limit or the watchdog ended the run.
    pub const STUCK: u8 = 3;
    /// Engine and golden model disagree: a fault of Weft.
    pub const MISMATCH: u8 = 4;
}

#[derive(Parser)]
#[command(
    name = "sim",
    version,
    about = "Runs a RISC-V program on a Weft core",
    after_help = "Exit codes: 0 the program passed, 1 it failed, 2 bad input, 3 a limit or the \
                  watchdog ended the run, 4 engine and golden model disagree.",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Runs random programs on every policy, or on hardware, and compares
    Torture(torture::TortureArgs),
}

/// Runs the command line; the exit code.
pub fn main() -> u8 {
    let cli = match Cli::command().try_get_matches().and_then(|m| Cli::from_arg_matches(&m)) {
        Ok(cli) => cli,
        Err(e) if !e.use_stderr() => {
            let _ = e.print();
            return exit::PASS;
        }
        Err(e) => return complain(&one_line(&e)),
    };
    if let Err(e) = interrupt::watch("sim") {
        return complain(&e);
    }
    let result = match cli.command {
        None => run::main(&cli.run),
        Some(Command::Torture(args)) => torture::main(&args),
    };
    result.unwrap_or_else(|e| complain(&e))
}

fn complain(e: &BadInput) -> u8 {
    // A file name may hold anything; the message is one line.
    eprintln!("sim: {}", e.0.replace(['\n', '\r'], " "));
    exit::BAD_INPUT
}

/// What clap has to say, in one line.
pub fn one_line(e: &clap::Error) -> BadInput {
    BadInput(hdl::config::one_line(e))
}
