//! Signals of a circuit as a value change dump. Inputs, outputs and registers
//! (the outputs of register groups) only: blocks do not keep the values of local
//! signals (see `hdl/src/rtl/block.rs`).

use crate::error::BadInput;
use crate::output::Output;
use hdl::rtl::{Watch, Watcher};
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
    signals: Vec<(IdCode, Option<u64>)>,
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
    pub fn sample(&mut self, cycle: u64, circuit: &dyn Watch) {
        let wrote = if self.signals.is_empty() { self.declare(circuit) } else { Ok(()) };
        let wrote = wrote.and_then(|()| self.text.timestamp(PERIOD * cycle));
        let mut changes = Changes { dump: self, next: 0, wrote };
        circuit.watch("core", &mut changes);
        changes.wrote.expect("writing to memory");
        let mut text = self.buffer.0.borrow_mut();
        if self.failed.is_ok() {
            self.failed = self.output.write(&text);
        }
        text.clear();
    }

    fn declare(&mut self, circuit: &dyn Watch) -> std::io::Result<()> {
        self.text.timescale(1, TimescaleUnit::NS)?;
        let mut header = Header { dump: self, wrote: Ok(()) };
        circuit.watch("core", &mut header);
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

impl Watcher for Header<'_> {
    fn open(&mut self, name: &str) {
        self.then(|text| text.add_module(name));
    }

    fn close(&mut self) {
        self.then(|text| text.upscope());
    }

    fn signal(&mut self, name: &str, width: usize, _: u64) {
        match self.dump.text.add_wire(width.max(1) as u32, name) {
            Ok(code) => self.dump.signals.push((code, None)),
            Err(e) => self.wrote = Err(e),
        }
    }
}

struct Changes<'a> {
    dump: &'a mut Dump,
    next: usize,
    wrote: std::io::Result<()>,
}

impl Watcher for Changes<'_> {
    fn open(&mut self, _: &str) {}

    fn close(&mut self) {}

    fn signal(&mut self, _: &str, width: usize, value: u64) {
        let (code, before) = &mut self.dump.signals[self.next];
        self.next += 1;
        if *before == Some(value) || self.wrote.is_err() {
            return;
        }
        *before = Some(value);
        let bit = |i: usize| if value >> i & 1 == 1 { Value::V1 } else { Value::V0 };
        let text = &mut self.dump.text;
        self.wrote = match width {
            0 | 1 => text.change_scalar(*code, bit(0)),
            width => text.change_vector(*code, &(0..width).rev().map(bit).collect::<Vec<_>>()),
        };
    }
}
