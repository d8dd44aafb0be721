//! Random programs: generated from a seed, run by every engine and policy,
//! compared, and shrunk when something differs.

mod assemble;
mod check;
mod emit;
mod generate;
mod hardware;
mod prelude;
mod rng;
mod shrink;
mod system;
mod tree;

pub use check::{Case, Tally};
pub use hardware::Hardware;
pub use rng::Rng;
pub use shrink::shrink;

use crate::program::Program;
use crate::rtl::Timing;
use hdl::config::Isa;
use hdl::isa::Insn;
use std::fmt::Write;

/// A listing of a case, to be read and to be run again.
pub fn listing(case: &Case, why: &str) -> String {
    let [t, w, harts, depth] = case.shape;
    let mut s = format!("# seed {}, shrunk\n", case.seed);
    let _ = writeln!(s, "# T={t} W={w} harts={harts} depth-bits={depth}");
    if let Some(Hardware { timing, .. }) = &case.hardware {
        let Timing { latency, jitter, seed, requests } = timing;
        let name = case.config().name();
        let memory = format!("latency {latency}:{jitter}, seed {seed}, {requests} requests");
        let _ = writeln!(s, "# hardware: {name}, {memory}");
    }
    for line in why.lines() {
        let _ = writeln!(s, "# {line}");
    }
    for function in &case.tree.functions {
        let _ = writeln!(s, "# function: {function:?}");
    }
    for phase in &case.tree.phases {
        let _ = writeln!(s, "# phase: {phase:?}");
    }
    if let Some(Program { segments, .. }) = case.program() {
        for (i, word) in segments[0].bytes.chunks(4).enumerate() {
            let raw = u32::from_le_bytes(word.try_into().expect("code is whole words"));
            let pc = segments[0].addr + 4 * i as u32;
            let text = Insn::decode(raw, Isa::Rv32ima).disassemble(pc);
            let _ = writeln!(s, "{pc:#010x}  {raw:08x}  {text}");
        }
    }
    s
}
