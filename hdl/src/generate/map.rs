//! What software finds where, and how long things take: the tables behind the
//! `.h` and `.json` files.

use crate::config::{CoreConfig, Isa};
use crate::isa::csr;
use crate::platform::*;
use serde::Serialize;

/// A register of the device window.
#[derive(Serialize)]
pub struct Register {
    /// As in `docs/platform.md`.
    pub name: &'static str,
    /// First byte.
    pub address: u32,
    /// Words, one after the other.
    pub words: u32,
    /// `read-write` or `read-only`.
    pub access: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

const fn register(
    name: &'static str,
    address: u32,
    words: u32,
    writable: bool,
    meaning: &'static str,
) -> Register {
    let access = if writable { "read-write" } else { "read-only" };
    Register { name, address, words, access, meaning }
}

/// The device window.
pub const REGISTERS: &[Register] = &[
    register("WAKE", WAKE, 64, true, "write: wake harts, a bit each; read: which are parked"),
    register("BARRIER_ARRIVE", BARRIER_ARRIVE, 1, true, "write: this hart arrives; read: how many"),
    register("BARRIER_COUNT", BARRIER_COUNT, 1, true, "arrivals that release the barrier"),
    register("HARTS", INFO_HARTS, 1, false, "harts alive after reset"),
    register("LANES", INFO_LANES, 1, false, "threads per warp"),
    register("WARPS", INFO_WARPS, 1, false, "warps"),
    register("RAM_SIZE", INFO_RAM_SIZE, 1, false, "bytes of RAM"),
];

/// A CSR that is Weft's own, or counts something of Weft's.
#[derive(Serialize)]
pub struct OwnCsr {
    /// In the `.h` file, behind `WEFT_CSR_`.
    pub name: &'static str,
    /// Its number; that of the upper half, if there is one, is 0x80 higher.
    pub number: u16,
    /// What it is.
    pub meaning: &'static str,
}

const SPLIT: OwnCsr =
    OwnCsr { name: "SPLIT", number: csr::SPLIT, meaning: "split marks: bit 0 can be written" };

const fn counter(at: u16, name: &'static str, meaning: &'static str) -> OwnCsr {
    OwnCsr { name, number: csr::MHPMCOUNTER3 + at, meaning }
}

const COUNTERS: [OwnCsr; 6] = [
    counter(0, "WARP_INSTRUCTIONS", "warp instructions issued"),
    counter(1, "THREAD_INSTRUCTIONS", "thread instructions"),
    counter(2, "DIVERGENCES", "divergences"),
    counter(3, "MERGES", "merges"),
    counter(4, "IDLE_CYCLES", "cycles in which nothing issued"),
    counter(5, "MEMORY_TRANSACTIONS", "memory transactions"),
];

/// The CSRs that a configuration has beside the standard ones.
pub fn csrs(config: &CoreConfig) -> Vec<OwnCsr> {
    let counters = match config.counters {
        crate::config::Counters::None => None,
        _ => Some(COUNTERS),
    };
    std::iter::once(SPLIT).chain(counters.into_iter().flatten()).collect()
}

/// Cycles from one event to another, nothing else being in the way.
#[derive(Serialize)]
pub struct Latency {
    /// From what to what.
    pub what: &'static str,
    /// Cycles...
    pub cycles: u32,
    /// ... and so many times L, the cycles from a request to its reply.
    pub memory_latencies: u32,
}

/// The tables of `docs/pipeline.md`; of divides only where there are any.
pub fn latencies(config: &CoreConfig) -> Vec<Latency> {
    let mut rows = all_latencies(config);
    rows.retain(|row| config.isa != Isa::Rv32i || !row.what.starts_with("divide"));
    rows
}

fn all_latencies(config: &CoreConfig) -> Vec<Latency> {
    let row = |what, cycles, memory_latencies| Latency { what, cycles, memory_latencies };
    // Its redirects come a cycle after the update, and a warp waits one longer for its own.
    let late = u32::from(config.divergence.name == "hct");
    // 35 in the divider; where lanes take turns, 36 for each.
    let (next, consumer, divides) = match config.threads_per_warp / config.dividers {
        1 => ("divide to the next instruction", "divide to its consumer or to the next divide", 42),
        turns => (
            "divide of all lanes to the next instruction",
            "divide of all lanes to its consumer or to the next divide",
            6 + 36 * turns,
        ),
    };
    if !config.bypass {
        return vec![
            row("issue to commit", 5, 0),
            row("steer to issue", 1, 1),
            row("instruction to the next of one path, straight-line code", 4, 1),
            row("load, LR, SC or AMO with rd to the next instruction", 8, 2),
            row("load, LR, SC or AMO to its own next pass", 8 + late, 1),
            row(next, divides, 1),
            row("commit to commit across a redirect, no fetch being under way", 8 + late, 1),
            row("commit to commit across a redirect, when L is 3 or more, at most", 6, 2),
            row("store to a wake register to the first wake at the divergence unit", 4, 0),
        ];
    }
    // In beats the way from issue to commit is longer, there is no bypass, and the next instruction
    // waits until the ALU has had all beats.
    let (longer, consumes, pace) = match config.beats() {
        1 => (0, 4, 0),
        beats => (beats + 3, beats + 8, beats.max(4)),
    };
    vec![
        row("issue to commit", 5 + longer, 0),
        row("steer to issue", 3, 1),
        row("instruction to the next of one path, straight-line code", 2, 1),
        row("instruction to the next of one path, at least", pace.max(3 + late), 0),
        row("plain or multiply instruction to its consumer", consumes, 0),
        row("load, LR, SC or AMO to its consumer", 8 + longer, 1),
        row(consumer, divides + longer, 0),
        row("commit to commit across a redirect", 10 + late + longer, 1),
        row("commit to commit of a replay", 7 + late + longer, 0),
        row("commit to the issue of a serial instruction behind it", 3 + late, 0),
        row(
            "commit of a serial instruction, jalr or trap to the issue of its successor",
            5 + late,
            1,
        ),
        row("store to a wake register to the first wake at the divergence unit", 4, 0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;

    #[test]
    fn divides_are_where_there_are_dividers() {
        let divides = |isa: &str, dividers: Option<&str>| {
            let raw = RawConfig {
                isa: Some(isa.into()),
                dividers: dividers.map(Into::into),
                ..RawConfig::default()
            };
            let rows = latencies(&raw.validate().unwrap());
            let divides = rows.iter().filter(|row| row.what.starts_with("divide"));
            divides.map(|row| row.cycles).collect::<Vec<_>>()
        };
        assert_eq!(divides("rv32i", None), Vec::<u32>::new());
        assert_eq!(divides("rv32im", None), [42]);
        // As measured on cores of four lanes, `rtl_rates.rs`.
        assert_eq!(divides("rv32im", Some("2")), [150]);
    }
}
