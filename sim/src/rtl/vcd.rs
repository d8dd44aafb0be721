//! Signals of a circuit as a value change dump. Inputs, outputs and registers
//! (the outputs of register groups) only: blocks do not keep the values of local
//! signals (see `hdl/src/rtl/block.rs`).

use crate::error::BadInput;
use crate::output::Output;
use rust_hdl::core::prelude::{Atom, AtomKind, Block, Probe, VCDValue};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use vcd::{IdCode, TimescaleUnit, Value, Writer};

/// Time units of a cycle.
const PERIOD: u64 = 10;

/// A dump under way. Problems of the file are reported at the end.
pub struct Dump {
    output: Output,
    failed: Result<(), BadInput>,
    /// Of each signal in order of the visit: its code and its last value.
    signals: Vec<(IdCode, VCDValue)>,
    text: Writer<Buffer>,
    buffer: Buffer,
}

/// What the writer has written: it does not give its target back.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Dump {
    /// Into a file that appears at the end.
    pub fn open(path: &Path) -> Result<Dump, BadInput> {
        let (output, buffer) = (Output::open(path)?, Buffer::default());
        let text = Writer::new(buffer.clone());
        Ok(Dump { output, failed: Ok(()), signals: Vec::new(), text, buffer })
    }

    /// The signals of one cycle, which has settled.
    pub fn sample(&mut self, cycle: u64, circuit: &dyn Block) {
        let wrote = if self.signals.is_empty() { self.declare(circuit) } else { Ok(()) };
        let wrote = wrote.and_then(|()| self.text.timestamp(PERIOD * cycle));
        let mut changes = Changes { dump: self, next: 0, wrote };
        circuit.accept("core", &mut changes);
        changes.wrote.expect("writing to memory");
        let mut text = self.buffer.0.borrow_mut();
        if self.failed.is_ok() {
            self.failed = self.output.write(&text);
        }
        text.clear();
    }

    fn declare(&mut self, circuit: &dyn Block) -> std::io::Result<()> {
        self.text.timescale(1, TimescaleUnit::NS)?;
        let mut header = Header { dump: self, wrote: Ok(()) };
        circuit.accept("core", &mut header);
        header.wrote?;
        self.text.enddefinitions()
    }

    /// The output, to be put in place.
    pub fn finish(self) -> Result<Output, BadInput> {
        self.failed.map(|()| self.output)
    }

    /// The output, to be compared with others.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

fn is_kept(signal: &dyn Atom) -> bool {
    !matches!(signal.kind(), AtomKind::LocalSignal | AtomKind::Constant)
}

struct Header<'a> {
    dump: &'a mut Dump,
    wrote: std::io::Result<()>,
}

impl Header<'_> {
    fn then(&mut self, f: impl FnOnce(&mut Writer<Buffer>) -> std::io::Result<()>) {
        if self.wrote.is_ok() {
            self.wrote = f(&mut self.dump.text);
        }
    }
}

impl Probe for Header<'_> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.then(|text| text.add_module(name));
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.then(|text| text.add_module(name));
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if !is_kept(signal) {
            return;
        }
        let width = signal.bits().max(1) as u32;
        match self.dump.text.add_wire(width, name) {
            // No signal has an empty value, so the first cycle shows them all.
            Ok(code) => self.dump.signals.push((code, VCDValue::Vector(Vec::new()))),
            Err(e) => self.wrote = Err(e),
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.then(|text| text.upscope());
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.then(|text| text.upscope());
    }
}

struct Changes<'a> {
    dump: &'a mut Dump,
    next: usize,
    wrote: std::io::Result<()>,
}

impl Probe for Changes<'_> {
    fn visit_atom(&mut self, _: &str, signal: &dyn Atom) {
        if !is_kept(signal) {
            return;
        }
        let (code, before) = &mut self.dump.signals[self.next];
        self.next += 1;
        let value = signal.vcd();
        if value == *before || self.wrote.is_err() {
            return;
        }
        let text = &mut self.dump.text;
        self.wrote = match &value {
            VCDValue::Single(bit) => text.change_scalar(*code, *bit),
            VCDValue::Vector(bits) => change(text, *code, bits),
            // Words and bits are all that our circuits have.
            VCDValue::String(_) | VCDValue::Composite(_) => Ok(()),
        };
        *before = value;
    }
}

fn change(text: &mut Writer<Buffer>, code: IdCode, bits: &[Value]) -> std::io::Result<()> {
    match bits {
        [bit] => text.change_scalar(code, *bit),
        bits => text.change_vector(code, bits),
    }
}
