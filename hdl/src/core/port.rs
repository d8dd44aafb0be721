//! The ports of the core: instruction memory, data memory, retirement trace.

use crate::rtl::prelude::*;

/// Operations of the data port.
pub mod memory_op {
    /// Read the words.
    pub const LOAD: u64 = 0;
    /// Write the enabled bytes.
    pub const STORE: u64 = 1;
    /// Read, and reserve each lane's word for its hart.
    pub const LR: u64 = 2;
    /// Write each lane's word if its hart holds the reservation; reply 0 or 1.
    pub const SC: u64 = 3;
    /// Read-modify-write; the reply is the old word.
    pub const AMO_SWAP: u64 = 4;
    /// See `AMO_SWAP`.
    pub const AMO_ADD: u64 = 5;
    /// See `AMO_SWAP`.
    pub const AMO_XOR: u64 = 6;
    /// See `AMO_SWAP`.
    pub const AMO_AND: u64 = 7;
    /// See `AMO_SWAP`.
    pub const AMO_OR: u64 = 8;
    /// See `AMO_SWAP`.
    pub const AMO_MIN: u64 = 9;
    /// See `AMO_SWAP`.
    pub const AMO_MAX: u64 = 10;
    /// See `AMO_SWAP`.
    pub const AMO_MINU: u64 = 11;
    /// See `AMO_SWAP`.
    pub const AMO_MAXU: u64 = 12;
    /// The traps of these lanes clear their harts' reservations; no reply.
    pub const CLEAR: u64 = 13;
}

interface! {
    /// Instruction memory, one per pipe. A request is taken in a cycle with
    /// `request` and `ready`; its reply comes in any later cycle, in any order.
    pub struct FetchPort [] [] {
        /// There is a request.
        pub request: Signal<Out, Bit>,
        /// Of this word.
        pub pc: Signal<Out, U<30>>,
        /// Comes back with the reply.
        pub tag: Signal<Out, U<8>>,
        /// The memory takes it.
        pub ready: Signal<In, Bit>,
        /// There is a reply, always taken.
        pub reply: Signal<In, Bit>,
        /// To this request.
        pub reply_tag: Signal<In, U<8>>,
        /// The instruction.
        pub reply_data: Signal<In, U<32>>,
        /// The bus failed: fatal.
        pub reply_error: Signal<In, Bit>,
    }
}

interface! {
    /// Data memory: blocks of T words. A request is performed, atomically, in
    /// the cycle with `request` and `ready`. Loads, LR, SC and AMO get a reply
    /// in any later cycle, in any order; stores and `CLEAR` get none. `ready`
    /// must not depend on `request`.
    pub struct DataPort [const T: usize] [T] {
        /// There is a request.
        pub request: Signal<Out, Bit>,
        /// Comes back with the reply.
        pub tag: Signal<Out, U<4>>,
        /// One of [`memory_op`].
        pub op: Signal<Out, U<4>>,
        /// Whose harts (reservations).
        pub warp: Signal<Out, U<5>>,
        /// Word address of word 0, aligned to T words.
        pub block: Signal<Out, U<30>>,
        /// Byte enables per word: what is written or, for loads, wanted.
        pub enable: [Signal<Out, U<4>>; T],
        /// Data per word; the operand of an AMO.
        pub data: [Signal<Out, U<32>>; T],
        /// Lanes served.
        pub lanes: Signal<Out, U<T>>,
        /// Word within the block, per lane.
        pub word: [Signal<Out, U<6>>; T],
        /// The memory takes a request in this cycle.
        pub ready: Signal<In, Bit>,
        /// There is a reply.
        pub reply: Signal<In, Bit>,
        /// The core takes the reply in this cycle.
        pub reply_ready: Signal<Out, Bit>,
        /// To this request.
        pub reply_tag: Signal<In, U<4>>,
        /// Data per word.
        pub reply_data: [Signal<In, U<32>>; T],
        /// The bus failed: fatal.
        pub reply_error: Signal<In, Bit>,
    }
}

interface! {
    /// What the words of a request of the data port are put together from, lane by lane, for a memory
    /// that does so itself, a cycle later: with it [`Scatter`](super::scatter::Scatter) makes the
    /// same `enable` and `data`. Not of a core whose lanes pass one after the other.
    pub struct SpreadPort [const T: usize] [T] {
        /// Lanes that load or store.
        pub served: Signal<Out, U<T>>,
        /// One of [`size`](super::control::size).
        pub size: Signal<Out, U<2>>,
        /// Address bits 1:0 of a lane, aligned to the size.
        pub byte: [Signal<Out, U<2>>; T],
        /// What a lane stores.
        pub operand: [Signal<Out, U<32>>; T],
    }
}

interface! {
    /// What one pipe retires in this cycle (stage 8): an instruction that at
    /// least one thread completed, or trapped on.
    pub struct RetirePort [const T: usize] [T] {
        /// There is one.
        pub valid: Signal<Out, Bit>,
        /// Whose.
        pub warp: Signal<Out, U<5>>,
        /// See `warp`.
        pub slot: Signal<Out, U<3>>,
        /// Where.
        pub pc: Signal<Out, U<30>>,
        /// Call depth before.
        pub depth: Signal<Out, U<8>>,
        /// The instruction word (0 if its fetch faulted).
        pub insn: Signal<Out, U<32>>,
        /// Threads of the path.
        pub mask: Signal<Out, U<T>>,
        /// Threads that completed.
        pub done: Signal<Out, U<T>>,
        /// Threads that trapped.
        pub trapped: Signal<Out, U<T>>,
        /// Their cause.
        pub cause: Signal<Out, U<4>>,
        /// Destination register, 0 for none.
        pub rd: Signal<Out, U<5>>,
        /// Its values come later ([`LatePort`]).
        pub open: Signal<Out, Bit>,
        /// A memory or device request was made.
        pub access: Signal<Out, Bit>,
        /// It writes.
        pub write: Signal<Out, Bit>,
        /// Successors, as the unit gets them.
        pub go_mask: Signal<Out, U<T>>,
        /// See `go_mask`.
        pub go_pc: Signal<Out, U<30>>,
        /// See `go_mask`.
        pub go_depth: Signal<Out, U<8>>,
        /// See `go_mask`.
        pub other_mask: Signal<Out, U<T>>,
        /// See `go_mask`.
        pub other_pc: Signal<Out, U<30>>,
        /// See `go_mask`.
        pub other_depth: Signal<Out, U<8>>,
        /// Threads that parked.
        pub halt_mask: Signal<Out, U<T>>,
        /// The pass woke threads (it released a barrier or woke by hand).
        pub wake: Signal<Out, Bit>,
    }
}

interface! {
    /// Lane data of the instructions that retire in this cycle; a lane belongs
    /// to at most one of them.
    pub struct RetireLanes [const T: usize] [T] {
        /// `mtval` of threads that trap.
        pub tval: [Signal<Out, U<32>>; T],
        /// Value written to rd, unless open.
        pub value: [Signal<Out, U<32>>; T],
        /// Byte address of an access.
        pub addr: [Signal<Out, U<32>>; T],
        /// Its operand (rs2).
        pub operand: [Signal<Out, U<32>>; T],
    }
}

interface! {
    /// Late write-back: values of a register that an earlier record left open.
    pub struct LatePort [const T: usize] [T] {
        /// There is one.
        pub valid: Signal<Out, Bit>,
        /// Whose.
        pub warp: Signal<Out, U<5>>,
        /// Register.
        pub rd: Signal<Out, U<5>>,
        /// Lanes.
        pub mask: Signal<Out, U<T>>,
        /// Values.
        pub value: [Signal<Out, U<32>>; T],
    }
}

/// Why a pipe issued nothing in a cycle.
pub mod idle {
    /// It issued.
    pub const ISSUED: u64 = 0;
    /// No slot holds a path: all threads are parked or gone.
    pub const NO_WARP: u64 = 1;
    /// Every live slot waits for instructions (fetch or redirect).
    pub const FETCH: u64 = 2;
    /// Waits for a result still in the pipeline.
    pub const DEPENDENCE: u64 = 3;
    /// Waits for a load, AMO or divide.
    pub const MEMORY: u64 = 4;
    /// The divergence unit is busy or says not eligible.
    pub const UNIT: u64 = 5;
    /// Memory port, load table, divider or write port is taken.
    pub const STRUCTURAL: u64 = 6;
}

interface! {
    /// Events of one pipe in one cycle, for statistics.
    pub struct StatPort [] [] {
        /// One of [`idle`].
        pub idle: Signal<Out, U<3>>,
        /// An instruction was dropped at stage 7.
        pub dropped: Signal<Out, Bit>,
        /// An instruction reached stage 8 and nobody completed it.
        pub stalled: Signal<Out, Bit>,
    }
}
