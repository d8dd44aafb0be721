//! [`Model`]: a compiled model as a [`Core`].

// A library is code of ours that Rust cannot see into: what it must keep to is said
// where it is called.
#![allow(unsafe_code)]

use super::raw::{RawIn, RawOut, RetireOut};
use super::waves::Waves;
use cores::core::{Core, Inputs, Outputs, Retire, Shape, Successor};
use libloading::{Library, Symbol};
use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

type Write = unsafe extern "C" fn(*mut c_void, *const u8, usize);
type Sizes = unsafe extern "C" fn(*mut usize) -> usize;
type New = unsafe extern "C" fn(Write, *mut c_void) -> *mut c_void;
type Delete = unsafe extern "C" fn(*mut c_void);
type Cycle = unsafe extern "C" fn(*mut c_void, *const RawIn, *mut RawOut);

/// A core that Verilator has compiled.
pub struct Model {
    handle: *mut c_void,
    delete: Delete,
    cycle: Cycle,
    shape: Shape,
    input: Box<RawIn>,
    output: Box<RawOut>,
    // Dropped in this order, after the handle is deleted.
    _waves: Option<Arc<Waves>>,
    _library: Library,
}

/// Takes a piece of a value change dump.
unsafe extern "C" fn write(to: *mut c_void, text: *const u8, length: usize) {
    // SAFETY: `to` is what `open` has handed over, and the model passes `length`
    // readable bytes; a model without waves never calls this.
    unsafe { (*to.cast_const().cast::<Waves>()).write(std::slice::from_raw_parts(text, length)) }
}

impl Model {
    /// Loads a library that [`super::library`] has built.
    pub fn open(library: &Path, shape: Shape, waves: Option<Waves>) -> Result<Model, String> {
        let fail = |e: libloading::Error| format!("{}: {e}", library.display());
        let waves = waves.map(Arc::new);
        let to = waves.as_ref().map_or(std::ptr::null(), Arc::as_ptr).cast_mut().cast();
        // SAFETY: the library is ours, whole (its hash was compared) and exports these
        // functions with these types; `weft_sizes` says whether it means the same
        // structures. It is dropped after the handle. What waves go to is shared with the
        // model, stays where it is, and outlives the handle.
        unsafe {
            let code = Library::new(library).map_err(fail)?;
            let sizes: Symbol<'_, Sizes> = code.get(b"weft_sizes\0").map_err(fail)?;
            let mut input = 0;
            let output = sizes(&raw mut input);
            if (input, output) != (size_of::<RawIn>(), size_of::<RawOut>()) {
                return Err(format!("{}: of another version", library.display()));
            }
            let new: Symbol<'_, New> = code.get(b"weft_new\0").map_err(fail)?;
            let delete = *code.get::<Delete>(b"weft_delete\0").map_err(fail)?;
            let cycle = *code.get::<Cycle>(b"weft_cycle\0").map_err(fail)?;
            let handle = new(write, to);
            Ok(Model {
                handle,
                delete,
                cycle,
                shape,
                input: Box::default(),
                output: Box::default(),
                _waves: waves,
                _library: code,
            })
        }
    }

    fn cycle(&mut self) {
        // SAFETY: the handle is live, and the structures are of the size it knows.
        unsafe { (self.cycle)(self.handle, &raw const *self.input, &raw mut *self.output) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nobody uses it any more.
        unsafe { (self.delete)(self.handle) }
    }
}

fn retire(raw: &RawOut, port: &RetireOut, out: &mut Retire, threads: usize) {
    out.valid = port.valid != 0;
    if !out.valid {
        return;
    }
    let successor = |mask, pc, depth| Successor { mask, pc, depth };
    out.warp = port.warp;
    out.slot = port.slot;
    out.path = successor(port.mask, port.pc, port.depth);
    out.insn = port.insn;
    out.done = port.done;
    out.trapped = port.trapped;
    out.cause = port.cause;
    out.rd = port.rd as u8;
    out.open = port.open != 0;
    out.access = port.access != 0;
    out.write = port.write != 0;
    out.go = successor(port.go_mask, port.go_pc, port.go_depth);
    out.other = successor(port.other_mask, port.other_pc, port.other_depth);
    out.halt = port.halt_mask;
    out.wake = port.wake != 0;
    let lanes = &raw.lanes;
    if out.trapped != 0 {
        out.tval[..threads].copy_from_slice(&lanes.tval[..threads]);
    }
    if out.rd != 0 {
        out.value[..threads].copy_from_slice(&lanes.value[..threads]);
    }
    if out.access {
        out.addr[..threads].copy_from_slice(&lanes.addr[..threads]);
        out.operand[..threads].copy_from_slice(&lanes.operand[..threads]);
    }
}

impl Core for Model {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn reset(&mut self) {
        self.input.reset = 1;
        for _ in 0..2 {
            self.cycle();
        }
        self.input.reset = 0;
    }

    fn settle(&mut self, inputs: &Inputs) {
        for (raw, port) in self.input.fetch.iter_mut().zip(&inputs.fetch) {
            raw.ready = port.ready.into();
            raw.reply = port.reply.into();
            raw.reply_error = port.error.into();
            raw.reply_tag = port.tag.into();
            raw.reply_data = port.data;
        }
        let (raw, port) = (&mut self.input.data, &inputs.data);
        raw.ready = port.ready.into();
        raw.reply = port.reply.into();
        raw.reply_error = port.error.into();
        if port.reply {
            raw.reply_tag = port.tag.into();
            let threads = self.shape.threads;
            raw.reply_data[..threads].copy_from_slice(&port.words[..threads]);
        }
        self.cycle();
    }

    fn outputs(&self, out: &mut Outputs) {
        let (raw, threads) = (&*self.output, self.shape.threads);
        for (out, port) in out.fetch.iter_mut().zip(&raw.fetch) {
            out.request = port.request != 0;
            out.pc = port.pc;
            out.tag = port.tag as u8;
        }
        let (data, port) = (&mut out.data, &raw.data);
        data.request = port.request != 0;
        data.reply_ready = port.reply_ready != 0;
        if data.request {
            data.tag = port.tag as u8;
            data.op = port.op.into();
            data.warp = port.warp;
            data.block = port.block;
            data.lanes = port.lanes;
            data.data[..threads].copy_from_slice(&port.data[..threads]);
            for i in 0..threads {
                data.enable[i] = port.enable[i] as u8;
                data.word[i] = port.word[i] as u8;
            }
        }
        for (out, port) in out.retire.iter_mut().zip(&raw.retire) {
            retire(raw, port, out, threads);
        }
        out.late.valid = raw.late.valid != 0;
        if out.late.valid {
            out.late.warp = raw.late.warp;
            out.late.rd = raw.late.rd as u8;
            out.late.mask = raw.late.mask;
            out.late.value[..threads].copy_from_slice(&raw.late.value[..threads]);
        }
        for (out, port) in out.stat.iter_mut().zip(&raw.stat) {
            out.idle = port.idle.into();
            out.dropped = port.dropped != 0;
            out.stalled = port.stalled != 0;
        }
        out.fatal = raw.fatal != 0;
    }

    // The edge that ends a cycle is the one that begins the next (see `bench`).
    fn edge(&mut self) {}
}
