//! A core as the harness sees it: plain data in, plain data out, one cycle at a
//! time. In-process hardware ([`crate::adapter`]) and exported Verilog are two
//! implementations; the tests have a third one that makes mistakes on purpose.
//!
//! ```text
//! settle(inputs)   outputs()   edge()      all of cycle n
//!    |                |           |
//!  replies and      requests    registers take over
//!  ready of n       of n
//! ```
//!
//! The fields mean what `hdl/src/core/port.rs` says. Per-lane arrays of an
//! output are only valid, and only copied, while their `valid` or `request` is
//! set; others keep what they had.

use crate::{Lanes, MAX_LANES};
use hdl::rtl::Watch;

/// How many of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// T.
    pub threads: usize,
    /// W.
    pub warps: usize,
    /// Schedulable paths per warp.
    pub slots: usize,
    /// Instructions per cycle; the length of every per-pipe list.
    pub pipes: usize,
}

/// To a fetch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FetchIn {
    /// Takes a request in this cycle.
    pub ready: bool,
    /// There is a reply.
    pub reply: bool,
    /// To the request with this tag.
    pub tag: u8,
    /// The instruction.
    pub data: u32,
    /// The bus failed.
    pub error: bool,
}

/// To the data port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataIn {
    /// Takes a request in this cycle.
    pub ready: bool,
    /// There is a reply.
    pub reply: bool,
    /// To the request with this tag.
    pub tag: u8,
    /// Data per word.
    pub words: Lanes,
    /// The bus failed.
    pub error: bool,
}

/// All inputs of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// Per pipe.
    pub fetch: Vec<FetchIn>,
    /// Shared.
    pub data: DataIn,
}

/// From a fetch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FetchOut {
    /// There is a request.
    pub request: bool,
    /// Of this word.
    pub pc: u32,
    /// Comes back with the reply.
    pub tag: u8,
}

/// From the data port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataOut {
    /// There is a request.
    pub request: bool,
    /// Comes back with the reply.
    pub tag: u8,
    /// One of `hdl::core::port::memory_op`.
    pub op: u64,
    /// Whose harts.
    pub warp: u32,
    /// Word address of word 0.
    pub block: u32,
    /// Byte enables per word.
    pub enable: [u8; MAX_LANES],
    /// Data per word.
    pub data: Lanes,
    /// Lanes served.
    pub lanes: u64,
    /// Word within the block, per lane.
    pub word: [u8; MAX_LANES],
    /// Takes the reply of this cycle; valid whether or not there is a request.
    pub reply_ready: bool,
}

/// A successor: threads, PC (a word address), depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Successor {
    /// Lanes.
    pub mask: u64,
    /// Word address.
    pub pc: u32,
    /// Call depth.
    pub depth: u32,
}

/// From a retire port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retire {
    /// An instruction retires.
    pub valid: bool,
    /// Whose.
    pub warp: u32,
    /// See `warp`.
    pub slot: u32,
    /// Where: threads of the path, PC, depth before.
    pub path: Successor,
    /// The instruction word.
    pub insn: u32,
    /// Lanes that completed.
    pub done: u64,
    /// Lanes that trapped.
    pub trapped: u64,
    /// Their cause.
    pub cause: u32,
    /// Their `mtval`.
    pub tval: Lanes,
    /// Destination register.
    pub rd: u8,
    /// Its values come later.
    pub open: bool,
    /// Its values.
    pub value: Lanes,
    /// A memory or device request was made.
    pub access: bool,
    /// It writes.
    pub write: bool,
    /// Byte address per lane.
    pub addr: Lanes,
    /// rs2 per lane.
    pub operand: Lanes,
    /// Successor.
    pub go: Successor,
    /// The other successor.
    pub other: Successor,
    /// Lanes that parked.
    pub halt: u64,
    /// Threads were woken.
    pub wake: bool,
}

/// From the late write-back port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Late {
    /// There is one.
    pub valid: bool,
    /// Whose.
    pub warp: u32,
    /// Register.
    pub rd: u8,
    /// Lanes.
    pub mask: u64,
    /// Values.
    pub value: Lanes,
}

/// From a statistics port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stat {
    /// One of `hdl::core::port::idle`.
    pub idle: u64,
    /// An instruction was dropped at stage 7.
    pub dropped: bool,
    /// An instruction reached stage 8 and nobody completed it.
    pub stalled: bool,
}

/// All outputs of a cycle.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// Per pipe.
    pub fetch: Vec<FetchOut>,
    /// Shared.
    pub data: DataOut,
    /// Per pipe.
    pub retire: Vec<Retire>,
    /// Shared.
    pub late: Late,
    /// Per pipe.
    pub stat: Vec<Stat>,
    /// The bus failed.
    pub fatal: bool,
}

/// Something that runs programs cycle by cycle.
pub trait Core {
    /// Threads, warps, slots, pipes.
    fn shape(&self) -> Shape;

    /// To the state after reset; to be called before the first cycle.
    fn reset(&mut self);

    /// Lets the inputs of the cycle reach every output.
    fn settle(&mut self, inputs: &Inputs);

    /// The outputs of the cycle.
    fn outputs(&self, out: &mut Outputs);

    /// The rising edge that ends the cycle.
    fn edge(&mut self);

    /// Update sweeps so far: how often the top block was evaluated.
    fn sweeps(&self) -> u64 {
        0
    }

    /// What is wrong with the core itself, as it found out.
    fn trouble(&self) -> Option<&str> {
        None
    }

    /// The circuit, to be looked into, if it is one.
    fn circuit(&self) -> Option<&dyn Watch> {
        None
    }
}

impl Inputs {
    /// Nothing ready, no reply.
    pub fn new(pipes: usize) -> Inputs {
        let data =
            DataIn { ready: false, reply: false, tag: 0, words: [0; MAX_LANES], error: false };
        Inputs { fetch: vec![FetchIn::default(); pipes], data }
    }
}

impl Outputs {
    /// Nothing valid.
    pub fn new(pipes: usize) -> Outputs {
        let none = [0; MAX_LANES];
        let retire = Retire {
            valid: false,
            warp: 0,
            slot: 0,
            path: Successor::default(),
            insn: 0,
            done: 0,
            trapped: 0,
            cause: 0,
            tval: none,
            rd: 0,
            open: false,
            value: none,
            access: false,
            write: false,
            addr: none,
            operand: none,
            go: Successor::default(),
            other: Successor::default(),
            halt: 0,
            wake: false,
        };
        Outputs {
            fetch: vec![FetchOut::default(); pipes],
            data: DataOut {
                request: false,
                tag: 0,
                op: 0,
                warp: 0,
                block: 0,
                enable: [0; MAX_LANES],
                data: none,
                lanes: 0,
                word: [0; MAX_LANES],
                reply_ready: false,
            },
            retire: vec![retire; pipes],
            late: Late { valid: false, warp: 0, rd: 0, mask: 0, value: none },
            stat: vec![Stat::default(); pipes],
            fatal: false,
        }
    }
}
