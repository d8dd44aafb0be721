//! [`RtlCore`]: a circuit with the ports of `hdl/src/core/port.rs` as a
//! [`Core`]. One evaluation of the circuit a cycle: what the last edge left and the
//! inputs of the cycle go through it together.

use super::core::{Core, DataIn, FetchIn, Inputs, Outputs, Retire, Shape, Successor};
use crate::{Lanes, MAX_LANES};
use hdl::core::port::{DataPort, FetchPort, LatePort, RetireLanes, RetirePort, StatPort};
use hdl::divergence::port::Unit;
use hdl::rtl::prelude::{Bit, Block, In, Out, Signal};
use hdl::rtl::{Tick, U, Watch};

/// The ports of a core's top block, to read.
pub struct Ports<'a, const T: usize> {
    /// See the port.
    pub fetch: &'a [FetchPort],
    /// See the port.
    pub data: &'a DataPort<T>,
    /// See the port.
    pub retire: &'a [RetirePort<T>],
    /// See the port.
    pub lanes: &'a RetireLanes<T>,
    /// See the port.
    pub late: &'a LatePort<T>,
    /// See the port.
    pub stat: &'a [StatPort],
    /// The bus failed.
    pub fatal: &'a Signal<Out, Bit>,
}

/// The ports with inputs, to drive.
pub struct Drive<'a, const T: usize> {
    /// Synchronous reset.
    pub reset: &'a mut Signal<In, Bit>,
    /// See the port.
    pub fetch: &'a mut [FetchPort],
    /// See the port.
    pub data: &'a mut DataPort<T>,
}

/// A block that is the top of a core.
pub trait CoreBlock<const T: usize>: Block + Tick + Watch {
    /// Its ports.
    fn ports(&self) -> Ports<'_, T>;
    /// How often its kernel ran.
    fn sweeps(&self) -> u64;
    /// Its inputs.
    fn drive(&mut self) -> Drive<'_, T>;
}

/// Implements [`CoreBlock`] for a block with the fields `reset`,
/// `fetch`, `data`, `retire`, `lanes`, `late`, `stat` and `fatal`.
#[macro_export]
macro_rules! core_block {
    ([$($generics:tt)*] $name:ty, $t:tt) => {
        impl<$($generics)*> $crate::CoreBlock<$t> for $name {
            fn ports(&self) -> $crate::Ports<'_, $t> {
                $crate::Ports {
                    fetch: &self.fetch,
                    data: &self.data,
                    retire: &self.retire,
                    lanes: &self.lanes,
                    late: &self.late,
                    stat: &self.stat,
                    fatal: &self.fatal,
                }
            }

            fn sweeps(&self) -> u64 {
                self._state.rounds
            }

            fn drive(&mut self) -> $crate::Drive<'_, $t> {
                $crate::Drive {
                    reset: &mut self.reset,
                    fetch: &mut self.fetch,
                    data: &mut self.data,
                }
            }
        }
    };
}

core_block!([const T: usize, D: Unit<T>] hdl::core::core::Core<T, D>, T);

/// A circuit with W warps and S slots, simulated in process.
pub struct RtlCore<const T: usize, B> {
    circuit: B,
    warps: usize,
    slots: usize,
}

impl<const T: usize, B: CoreBlock<T>> RtlCore<T, B> {
    /// Around a circuit as built.
    pub fn new(mut circuit: B, warps: usize, slots: usize) -> Self {
        circuit.connect_all();
        RtlCore { circuit, warps, slots }
    }
}

/// Copies the lanes of a signal array.
#[inline]
fn lanes<const T: usize>(to: &mut Lanes, from: &[Signal<Out, U<32>>; T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.val().low();
    }
}

fn drive_fetch(port: &mut FetchPort, input: &FetchIn) {
    port.ready.next = input.ready;
    port.reply.next = input.reply;
    if input.reply {
        port.reply_tag.next = u64::from(input.tag).into();
        port.reply_data.next = u64::from(input.data).into();
    }
    port.reply_error.next = input.error;
}

fn drive_data<const T: usize>(port: &mut DataPort<T>, input: &DataIn) {
    port.ready.next = input.ready;
    port.reply.next = input.reply;
    if input.reply {
        port.reply_tag.next = u64::from(input.tag).into();
        for (signal, word) in port.reply_data.iter_mut().zip(input.words) {
            signal.next = u64::from(word).into();
        }
    }
    port.reply_error.next = input.error;
}

fn read_retire<const T: usize>(port: &RetirePort<T>, data: &RetireLanes<T>, out: &mut Retire) {
    out.valid = port.valid.val();
    if !out.valid {
        return;
    }
    let successor = |mask: U<T>, pc: U<30>, depth: U<8>| Successor {
        mask: mask.raw(),
        pc: pc.low(),
        depth: depth.low(),
    };
    out.warp = port.warp.val().low();
    out.slot = port.slot.val().low();
    out.path = successor(port.mask.val(), port.pc.val(), port.depth.val());
    out.insn = port.insn.val().low();
    out.done = port.done.val().raw();
    out.trapped = port.trapped.val().raw();
    out.cause = port.cause.val().low();
    out.rd = port.rd.val().low() as u8;
    out.open = port.open.val();
    out.access = port.access.val();
    out.write = port.write.val();
    out.go = successor(port.go_mask.val(), port.go_pc.val(), port.go_depth.val());
    out.other = successor(port.other_mask.val(), port.other_pc.val(), port.other_depth.val());
    out.halt = port.halt_mask.val().raw();
    out.wake = port.wake.val();
    if out.trapped != 0 {
        lanes(&mut out.tval, &data.tval);
    }
    if out.rd != 0 {
        lanes(&mut out.value, &data.value);
    }
    if out.access {
        lanes(&mut out.addr, &data.addr);
        lanes(&mut out.operand, &data.operand);
    }
}

impl<const T: usize, B: CoreBlock<T>> Core for RtlCore<T, B> {
    fn shape(&self) -> Shape {
        let pipes = self.circuit.ports().retire.len();
        Shape { threads: T, warps: self.warps, slots: self.slots, pipes }
    }

    fn reset(&mut self) {
        self.circuit.drive().reset.next = true;
        for _ in 0..2 {
            self.circuit.update_all();
            self.edge();
        }
        self.circuit.drive().reset.next = false;
        self.circuit.update_all();
    }

    fn settle(&mut self, inputs: &Inputs) {
        let drive = self.circuit.drive();
        for (port, input) in drive.fetch.iter_mut().zip(&inputs.fetch) {
            drive_fetch(port, input);
        }
        drive_data(drive.data, &inputs.data);
        self.circuit.update_all();
    }

    fn outputs(&self, out: &mut Outputs) {
        let ports = self.circuit.ports();
        for (out, port) in out.fetch.iter_mut().zip(ports.fetch) {
            out.request = port.request.val();
            out.pc = port.pc.val().low();
            out.tag = port.tag.val().low() as u8;
        }
        let (data, port) = (&mut out.data, ports.data);
        data.request = port.request.val();
        data.reply_ready = port.reply_ready.val();
        if data.request {
            data.tag = port.tag.val().low() as u8;
            data.op = port.op.val().raw();
            data.warp = port.warp.val().low();
            data.block = port.block.val().low();
            data.lanes = port.lanes.val().raw();
            lanes(&mut data.data, &port.data);
            for i in 0..T.min(MAX_LANES) {
                data.enable[i] = port.enable[i].val().low() as u8;
                data.word[i] = port.word[i].val().low() as u8;
            }
        }
        for (out, port) in out.retire.iter_mut().zip(ports.retire) {
            read_retire(port, ports.lanes, out);
        }
        out.late.valid = ports.late.valid.val();
        if out.late.valid {
            out.late.warp = ports.late.warp.val().low();
            out.late.rd = ports.late.rd.val().low() as u8;
            out.late.mask = ports.late.mask.val().raw();
            lanes(&mut out.late.value, &ports.late.value);
        }
        for (out, port) in out.stat.iter_mut().zip(ports.stat) {
            out.idle = port.idle.val().raw();
            out.dropped = port.dropped.val();
            out.stalled = port.stalled.val();
        }
        out.fatal = ports.fatal.val();
    }

    fn edge(&mut self) {
        self.circuit.edge_only();
    }

    fn sweeps(&self) -> u64 {
        self.circuit.sweeps()
    }

    fn circuit(&self) -> Option<&dyn Watch> {
        Some(&self.circuit)
    }
}
