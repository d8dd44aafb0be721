//! A block against its own Verilog: [`equivalent`].
//!
//! The kernel runs in Rust; the text that [`verilog`](super::verilog) prints of
//! it is compiled with Verilator. Both get the same inputs, and every output is
//! compared in every cycle. Verilator's lint must be clean, too.
//!
//! ```text
//! equivalent(&mut Ram::<8>::new(100), 500, 1, |v| v.limit("read_address", 100)).unwrap();
//! ```

mod vectors;
mod verilator;

use super::emit::gather::{Kind, gather};
use super::{Pins, verilog};
use rust_hdl::core::prelude::{AtomKind, Block};
use std::fmt;
use std::path::PathBuf;
pub use vectors::Vector;
pub use verilator::lint;

/// Why a block and its Verilog are not the same.
pub struct Failure {
    message: String,
    /// Where the Verilog and the test bench lie.
    kept: Option<PathBuf>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.kept {
            Some(path) => write!(f, "\n(see {})", path.display()),
            None => Ok(()),
        }
    }
}

// So that `unwrap` shows the message as it is.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A pin of the block under test.
#[derive(Clone, Debug)]
pub(crate) struct PinInfo {
    pub(crate) path: String,
    /// In Verilog.
    pub(crate) name: String,
    pub(crate) width: usize,
    pub(crate) input: bool,
    pub(crate) clock: bool,
}

/// Compares a block with its Verilog over `cycles` cycles of corner cases and
/// random inputs. A block with clocks gets an edge on all of them in every cycle;
/// one with an input `reset` starts with two cycles of reset, and is compared
/// from then on. `constrain` may change the inputs of a cycle, which it finds by
/// their paths (`d$data$3`), where not every combination is allowed.
pub fn equivalent<B: Block + Pins>(
    block: &mut B,
    cycles: usize,
    seed: u64,
    mut constrain: impl FnMut(&mut Vector),
) -> Result<(), Failure> {
    let fail = |message: String| Failure { message, kept: None };
    let text = verilog(block, "leaf").map_err(fail)?;
    let pins = pins(block).map_err(fail)?;
    let clocked = pins.iter().any(|pin| pin.clock);
    let reset =
        pins.iter().position(|pin| pin.input && pin.path.rsplit('$').next() == Some("reset"));

    let mut vectors = vectors::Vectors::new(&pins, seed);
    let mut inputs = vec![];
    let mut expected = vec![];
    for cycle in 0..cycles {
        let mut vector = vectors.next(cycle);
        constrain(&mut vector);
        if let Some(reset) = reset
            && cycle < RESET_CYCLES
        {
            vector.set(&pins[reset].path, 1);
        }
        apply(block, &vector);
        inputs.extend_from_slice(vector.values());
        block.update_all();
        outputs(block, &mut expected);
        if clocked {
            edge(block);
            block.update_all();
            outputs(block, &mut expected);
        }
    }

    let bench = verilator::Bench::new(&text, &pins, cycles)
        .map_err(|message| Failure { message, kept: None })?;
    let failed = |message| Failure { message, kept: Some(bench.keep()) };
    bench.build().map_err(failed)?;
    let actual = bench.run(&inputs, expected.len()).map_err(failed)?;
    let from = if reset.is_some() { RESET_CYCLES } else { 0 };
    match difference(&pins, clocked, from, &inputs, &expected, &actual) {
        Some(message) => Err(failed(message)),
        None => Ok(()),
    }
}

const RESET_CYCLES: usize = 2;

/// The pins in order; all of those that the Verilog has.
fn pins<B: Block + Pins>(block: &mut B) -> Result<Vec<PinInfo>, String> {
    let mut pins = vec![];
    block.pins(&mut |path, pin| {
        pins.push(PinInfo {
            path: path.into(),
            name: super::emit::names::printed(path),
            width: pin.width(),
            input: pin.kind() == AtomKind::InputParameter,
            clock: pin.clock(),
        });
    });
    for signal in gather(block)?.signals {
        let input = match signal.kind {
            Kind::Input => true,
            Kind::Output => false,
            Kind::Local | Kind::Constant | Kind::Omitted => continue,
        };
        if !pins.iter().any(|pin| pin.path == signal.name && pin.input == input) {
            return Err(format!("{}: its interface does not hand out its pins", signal.name));
        }
        if signal.width > 64 {
            return Err(format!("{}: more than 64 bits", signal.name));
        }
    }
    Ok(pins)
}

fn apply(block: &mut impl Pins, vector: &Vector) {
    let mut values = vector.values().iter();
    block.pins(&mut |_, pin| {
        if pin.kind() == AtomKind::InputParameter
            && !pin.clock()
            && let Some(&value) = values.next()
        {
            pin.set(value);
        }
    });
}

fn edge(block: &mut impl Pins) {
    block.pins(&mut |_, pin| {
        if pin.clock() && pin.kind() == AtomKind::InputParameter {
            pin.set(pin.get() + 1);
        }
    });
}

fn outputs(block: &mut impl Pins, to: &mut Vec<u64>) {
    block.pins(&mut |_, pin| {
        if pin.kind() == AtomKind::OutputParameter {
            to.push(pin.get());
        }
    });
}

/// The first difference, in words.
fn difference(
    pins: &[PinInfo],
    clocked: bool,
    from: usize,
    inputs: &[u64],
    expected: &[u64],
    actual: &[u64],
) -> Option<String> {
    let outputs: Vec<&PinInfo> = pins.iter().filter(|pin| !pin.input).collect();
    let set: Vec<&PinInfo> = pins.iter().filter(|pin| pin.input && !pin.clock).collect();
    let looks = if clocked { 2 } else { 1 };
    let skip = from * looks * outputs.len();
    let at = (skip..expected.len()).find(|&at| expected[at] != actual[at])?;
    let pin = outputs[at % outputs.len()];
    let look = at / outputs.len();
    let (cycle, after_edge) = (look / looks, look % looks == 1);
    let row = &inputs[cycle * set.len()..][..set.len()];
    let mut given: Vec<String> =
        set.iter().zip(row).map(|(pin, value)| format!("{}={value:#x}", pin.path)).collect();
    if given.len() > 24 {
        given.truncate(24);
        given.push("...".into());
    }
    Some(format!(
        "{} ({} bits) differs in cycle {cycle}{}: Rust {:#x}, Verilog {:#x}\nwith {}",
        pin.path,
        pin.width,
        if after_edge { " after the edge" } else { "" },
        expected[at],
        actual[at],
        given.join(" ")
    ))
}
