//! The commit log in the text form of Spike: one line per thread commit, the
//! core number is the hart.

use crate::golden::{Effect, Effects};
use crate::record::lanes;
use hdl::isa::csr;
use std::fmt::Write;

/// Appends the lines of one pass. `first` is the hart of lane 0.
pub fn append(out: &mut String, first: u32, effects: &Effects) {
    for lane in lanes(effects.done) {
        let Effect { rd, load, store, csr, .. } = effects.lanes[lane];
        let (pc, raw) = (effects.pc, effects.insn.raw);
        // Writing to a string cannot fail.
        let _ = write!(out, "core{:4}: 3 {pc:#010x} ({raw:#010x})", first + lane as u32);
        if let Some((rd, value)) = rd {
            let _ = write!(out, " x{rd:<2} {value:#010x}");
        }
        if let Some((number, value)) = csr {
            let _ = write!(out, " c{number}_{} {value:#010x}", csr::name(number));
        }
        if let Some((addr, _)) = load {
            let _ = write!(out, " mem {addr:#010x}");
        }
        if let Some((addr, size, value)) = store {
            let digits = 2 * size as usize;
            let _ = write!(out, " mem {addr:#010x} 0x{value:0digits$x}");
        }
        out.push('\n');
    }
}
