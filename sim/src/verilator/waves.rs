//! Waves of a compiled model as an FST file: the model writes a value change dump,
//! whose text a thread turns into the compact form as it comes.

use crate::error::BadInput;
use crate::output::Output;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use vcd::{Command, IdCode, Parser, ScopeItem, Value};

/// Pieces of text that may wait for the thread.
const WAITING: usize = 64;
/// Bytes of changes that are kept in memory.
const BUFFER: usize = 64 << 20;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Where a model writes to.
pub struct Waves(SyncSender<Vec<u8>>);

impl Waves {
    /// A piece of text. If the thread has failed that is said at the end.
    pub fn write(&self, text: &[u8]) {
        let _ = self.0.send(text.to_vec());
    }
}

/// The thread, and the file that it writes: a temporary one, since the form wants
/// to go back in it.
pub struct Conversion(JoinHandle<Result<File, Failure>>);

impl Conversion {
    /// Starts the thread.
    pub fn start() -> (Waves, Conversion) {
        let (sender, receiver) = sync_channel(WAITING);
        let thread = std::thread::spawn(move || convert(Text { receiver, piece: vec![], at: 0 }));
        (Waves(sender), Conversion(thread))
    }

    /// Copies the file, once the model is gone.
    pub fn finish(self, to: &mut Output) -> Result<(), BadInput> {
        let failed = |e: &dyn std::fmt::Display| BadInput(format!("--fst: {e}"));
        let mut file = self.0.join().expect("the thread does not panic").map_err(|e| failed(&e))?;
        let mut piece = vec![0; 1 << 16];
        loop {
            match file.read(&mut piece).map_err(|e| failed(&e))? {
                0 => return Ok(()),
                n => to.write(&piece[..n])?,
            }
        }
    }
}

/// The text of all pieces, to read.
struct Text {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Text {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match self.receiver.recv() {
                Ok(piece) => (self.piece, self.at) = (piece, 0),
                Err(_) => return Ok(0),
            }
        }
        let n = into.len().min(self.piece.len() - self.at);
        into[..n].copy_from_slice(&self.piece[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// A signal: its name in the new file, its bits.
type Signals = HashMap<IdCode, (FstSignalId, usize)>;

fn convert(text: Text) -> Result<File, Failure> {
    let file = tempfile::tempfile()?;
    let mut parser = Parser::new(BufReader::new(text));
    let header = parser.parse_header()?;
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: -9,
        version: concat!("Weft ", env!("CARGO_PKG_VERSION")).to_string(),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let mut head = FstHeaderWriter::new(BufWriter::new(file), &info)?;
    let mut signals = Signals::new();
    declare(&mut head, &header.items, &mut signals)?;
    let mut body = head.finish()?;
    for command in &mut parser {
        change(&mut body, &signals, command?)?;
        if body.size() > BUFFER {
            body.flush()?;
        }
    }
    let mut file = body.finish()?.into_inner()?;
    file.rewind()?;
    Ok(file)
}

fn declare(
    head: &mut FstHeaderWriter<BufWriter<File>>,
    items: &[ScopeItem],
    signals: &mut Signals,
) -> Result<(), Failure> {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => {
                head.scope(&scope.identifier, "", FstScopeType::Module)?;
                declare(head, &scope.children, signals)?;
                head.up_scope()?;
            }
            ScopeItem::Var(var) => {
                let alias = signals.get(&var.code).map(|known| known.0);
                let kind = FstSignalType::bit_vec(var.size);
                let (wire, none) = (FstVarType::Wire, FstVarDirection::Implicit);
                let id = head.var(&var.reference, kind, wire, none, alias)?;
                signals.insert(var.code, (id, var.size as usize));
            }
        }
    }
    Ok(())
}

fn change(
    body: &mut FstBodyWriter<BufWriter<File>>,
    signals: &Signals,
    command: Command,
) -> Result<(), Failure> {
    let digit = |value: &Value| match value {
        Value::V0 => b'0',
        Value::V1 => b'1',
        Value::X => b'x',
        Value::Z => b'z',
    };
    let (code, values) = match command {
        Command::Timestamp(time) => return Ok(body.time_change(time)?),
        Command::ChangeScalar(code, value) => (code, vec![digit(&value)]),
        Command::ChangeVector(code, values) => (code, values.iter().map(digit).collect()),
        _ => return Ok(()),
    };
    let (id, bits) = signals.get(&code).ok_or("a change of no signal")?;
    let mut text = vec![b'0'; bits.saturating_sub(values.len())];
    text.extend(values);
    Ok(body.signal_change(*id, &text)?)
}
