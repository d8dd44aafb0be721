//! Lockstep: every record of an engine against the golden model, executed for
//! the same threads in the same order.
//!
//! The first difference ends the check; its report names instruction, symbol,
//! warp, lane and both values, and lists what the warp did before.
//!
//! Long, because one record is compared in one place, field by field.

use crate::csr::is_unpredictable;
use crate::golden::{Effect, Effects, Given, Model};
use crate::path::Path;
use crate::program::{Program, Symbols};
use crate::record::{Lanes, MAX_LANES, Record, lanes};
use hdl::config::CoreConfig;
use hdl::isa::csr::MCOUNTINHIBIT;
use hdl::isa::encoding::Format;
use hdl::isa::{Insn, Op};
use std::collections::{HashMap, VecDeque};

/// Records of a warp that a report shows.
const HISTORY: usize = 20;

#[derive(Clone, Copy)]
struct Past {
    cycle: u64,
    path: Path,
    insn: u32,
    done: u64,
    trapped: u64,
}

/// Values of a register that the engine still owes.
struct Open {
    /// Lanes.
    mask: u64,
    expected: Box<Lanes>,
    /// The counter that was read in some of them, which only the engine knows.
    counter: Option<u16>,
    counted: u64,
}

/// Follows an engine.
pub struct Checker {
    model: Model,
    symbols: Symbols,
    history: Vec<VecDeque<Past>>,
    /// Register values that the engine still owes, by (warp, rd).
    open: HashMap<(u32, u8), Open>,
    /// Of these, what it owed when the program ended.
    debts: Option<HashMap<(u32, u8), u64>>,
    /// Last value seen of a counter, by (hart, CSR).
    seen: HashMap<(u32, u16), u32>,
    last: (u64, u32),
    /// What the model did last.
    effects: Option<Effects>,
    /// Records checked so far.
    pub records: u64,
}

/// What differs: lane (if one), what, the engine's and the model's value.
type Difference = (Option<usize>, &'static str, String, String);

fn hex(v: impl std::fmt::LowerHex) -> String {
    format!("{v:#x}")
}

fn masks(what: &'static str, engine: u64, golden: u64) -> Result<(), Difference> {
    if engine == golden { Ok(()) } else { Err((None, what, hex(engine), hex(golden))) }
}

fn values(lane: usize, what: &'static str, engine: u32, golden: u32) -> Result<(), Difference> {
    if engine == golden {
        return Ok(());
    }
    Err((Some(lane), what, format!("{engine:#010x}"), format!("{golden:#010x}")))
}

impl Checker {
    /// Starts from reset.
    pub fn new(config: &CoreConfig, program: &Program) -> Checker {
        let mut model = Model::new(config, program);
        model.platform.keep_store_times();
        Checker {
            model,
            symbols: program.symbols.clone(),
            history: vec![VecDeque::new(); config.warps as usize],
            open: HashMap::new(),
            debts: None,
            seen: HashMap::new(),
            last: (0, 0),
            effects: None,
            records: 0,
        }
    }

    /// Checks one record and returns what the model did.
    pub fn check(&mut self, record: &Record) -> Result<&Effects, String> {
        if let Some(effects) = self.effects.take() {
            self.model.recycle(effects);
        }
        match self.compare(record) {
            Ok(effects) => Ok(self.effects.insert(effects)),
            Err(difference) => Err(self.report(record, difference)),
        }
    }

    /// What the model did for the last record, if it agreed.
    pub fn last(&self) -> Option<&Effects> {
        self.effects.as_ref()
    }

    fn compare(&mut self, r: &Record) -> Result<Effects, Difference> {
        let now = (r.cycle, r.pipe);
        if self.records != 0 && now <= self.last {
            return Err((
                None,
                "order (cycle, pipe)",
                format!("{now:?}"),
                format!("after {:?}", self.last),
            ));
        }
        self.last = now;
        self.records += 1;
        self.before(r)?;
        let insn = self.instruction(r)?;
        let given = |lane: usize| r.rd_values[lane];
        // A counter that comes late is put into the model when it is there.
        let given: Given<'_> = if r.open { None } else { Some(&given) };
        let effects = self.model.pass(r.warp, r.path.mask, insn, given);
        masks("threads that completed", r.done, effects.done)?;
        masks("threads that trapped", r.trapped, effects.trapped)?;
        masks("threads that parked", r.events.park, effects.parked)?;
        let rest = r.path.mask & !effects.done & !effects.trapped;
        masks("threads to replay", r.events.replay, rest)?;
        let flag = |what, engine: bool, golden: bool| masks(what, engine.into(), golden.into());
        flag("event hint", r.events.hint, effects.insn.is_hint())?;
        flag("event wake", r.events.wake, effects.woke)?;
        let both = rest == 0 && r.go.mask != 0 && r.other.mask != 0;
        flag("event diverge", r.events.diverge, both)?;
        for lane in lanes(effects.trapped) {
            let (cause, tval) = effects.lanes[lane].trap.expect("it trapped");
            values(lane, "trap cause", r.cause, cause)?;
            values(lane, "trap value", r.tval[lane], tval)?;
        }
        self.registers(r, &effects)?;
        request(r, &effects)?;
        for lane in lanes(effects.done) {
            memory(r, lane, &effects.lanes[lane])?;
        }
        self.successors(r, &effects)?;
        self.monotonic(r, &effects)?;
        let past =
            Past { cycle: r.cycle, path: r.path, insn: r.insn, done: r.done, trapped: r.trapped };
        let history = &mut self.history[r.warp as usize];
        history.push_back(past);
        if history.len() > HISTORY {
            history.pop_front();
        }
        Ok(effects)
    }

    /// Threads must stand where the path says, and be live.
    fn before(&self, r: &Record) -> Result<(), Difference> {
        let total = self.model.config.threads_per_warp as usize;
        if r.warp >= self.model.config.warps {
            return Err((None, "warp", r.warp.to_string(), "no such warp".into()));
        }
        if r.path.mask == 0 || total < MAX_LANES && r.path.mask >> total != 0 {
            return Err((None, "active lanes", hex(r.path.mask), format!("1..{total} lanes")));
        }
        for lane in lanes(r.path.mask) {
            let hart = self.model.hart(r.warp, lane);
            if hart.parked {
                return Err((Some(lane), "thread", "executes".into(), "is parked".into()));
            }
            values(lane, "PC", r.path.pc, hart.pc)?;
            values(lane, "call depth", r.path.depth, hart.depth)?;
        }
        Ok(())
    }

    /// The word executed: that of memory, or an older one as long as a thread
    /// has had no `fence.i` since the store.
    fn instruction(&mut self, r: &Record) -> Result<Option<Insn>, Difference> {
        let Some(insn) = self.model.fetch(r.path.pc) else { return Ok(None) };
        if insn.raw != r.insn {
            let stored = self.model.platform.stored_at(r.path.pc);
            let stale = |lane| stored > self.model.hart(r.warp, lane).fence_i;
            if !lanes(r.path.mask).all(stale) {
                let (a, b) = (hex(r.insn), hex(insn.raw));
                return Err((None, "instruction", a, b));
            }
        }
        Ok(Some(self.model.platform.ram.decode(r.insn)))
    }

    fn registers(&mut self, r: &Record, effects: &Effects) -> Result<(), Difference> {
        let of = |lane: usize| effects.lanes[lane].rd.map(|(rd, _)| rd);
        let written = lanes(effects.done).find_map(of).unwrap_or(0);
        if written != r.rd {
            return Err((
                None,
                "destination register",
                format!("x{}", r.rd),
                format!("x{written}"),
            ));
        }
        if written == 0 {
            return Ok(());
        }
        let writers = lanes(effects.done).filter(|l| effects.lanes[*l].rd.is_some());
        if r.open {
            let number = effects.insn.imm as u16;
            let is_counter =
                is_csr(effects.insn.op) && is_unpredictable(&self.model.config, number);
            let entry = self.open.entry((r.warp, r.rd)).or_insert_with(|| Open {
                mask: 0,
                expected: Box::new([0; MAX_LANES]),
                counter: None,
                counted: 0,
            });
            for lane in writers {
                if entry.mask >> lane & 1 != 0 {
                    let (a, b) = ("outstanding twice".into(), "once".into());
                    return Err((Some(lane), "destination register", a, b));
                }
                entry.mask |= 1 << lane;
                entry.expected[lane] = effects.lanes[lane].rd.map_or(0, |(_, v)| v);
                if is_counter {
                    // What was written meanwhile is not compared with what was before.
                    entry.counter = effects.lanes[lane].csr.is_none().then_some(number);
                    entry.counted |= 1 << lane;
                }
            }
            return Ok(());
        }
        for lane in writers {
            let (_, value) = effects.lanes[lane].rd.expect("filtered");
            values(lane, "register value", r.rd_values[lane], value)?;
        }
        Ok(())
    }

    fn successors(&self, r: &Record, effects: &Effects) -> Result<(), Difference> {
        let leaves = r.go.mask | r.other.mask;
        masks("threads in both successors", r.go.mask & r.other.mask, 0)?;
        masks("threads in a successor", leaves, r.path.mask & !effects.parked)?;
        for lane in lanes(leaves) {
            let path = if r.go.mask >> lane & 1 != 0 { &r.go } else { &r.other };
            let hart = self.model.hart(r.warp, lane);
            values(lane, "next PC", path.pc, hart.pc)?;
            values(lane, "next call depth", path.depth, hart.depth)?;
        }
        Ok(())
    }

    /// Counters the model takes from the record must not run backwards.
    fn monotonic(&mut self, r: &Record, effects: &Effects) -> Result<(), Difference> {
        if !is_csr(effects.insn.op) {
            return Ok(());
        }
        let number = effects.insn.imm as u16;
        let counter = is_unpredictable(&self.model.config, number);
        for lane in lanes(effects.done) {
            let hart = r.warp * self.model.config.threads_per_warp + lane as u32;
            if effects.lanes[lane].csr.is_some() {
                // A write may set a counter, or stop it and start it again.
                if counter || number == MCOUNTINHIBIT {
                    self.seen.retain(|(h, _), _| *h != hart);
                }
            } else if counter && effects.insn.rd != 0 && !r.open {
                let value = r.rd_values[lane];
                if let Err(bound) = self.goes_on(hart, number, value) {
                    return Err((Some(lane), "counter", hex(value), bound));
                }
            }
        }
        Ok(())
    }

    /// A counter has a value; if less than the last one, what it should be.
    fn goes_on(&mut self, hart: u32, number: u16, value: u32) -> Result<(), String> {
        let before = self.seen.insert((hart, number), value);
        match before.filter(|b| value.wrapping_sub(*b) > i32::MAX as u32) {
            Some(before) => Err(format!("at least {before:#x}")),
            None => Ok(()),
        }
    }

    /// The engine delivers values of an open record.
    pub fn complete(&mut self, warp: u32, rd: u8, mask: u64, got: &Lanes) -> Result<(), String> {
        let head = format!("lockstep: write-back of x{rd}, warp {warp}");
        let Some(open) = self.open.get_mut(&(warp, rd)) else {
            return Err(format!("{head}: nothing is outstanding"));
        };
        let (counter, counted) = (open.counter, open.counted & mask);
        for lane in lanes(mask) {
            if open.mask >> lane & 1 == 0 {
                return Err(format!("{head}, lane {lane}: nothing is outstanding"));
            }
            if counted >> lane & 1 == 0 && got[lane] != open.expected[lane] {
                let (a, b) = (got[lane], open.expected[lane]);
                return Err(format!("{head}, lane {lane}: engine {a:#010x}, golden {b:#010x}"));
            }
        }
        open.mask &= !mask;
        open.counted &= !mask;
        if open.mask == 0 {
            self.open.remove(&(warp, rd));
        }
        for lane in lanes(counted) {
            let hart = warp * self.model.config.threads_per_warp + lane as u32;
            self.model.harts[hart as usize].x[usize::from(rd)] = got[lane];
            if let Some(number) = counter
                && let Err(bound) = self.goes_on(hart, number, got[lane])
            {
                return Err(format!("{head}, lane {lane}: counter {:#x}, {bound}", got[lane]));
            }
        }
        if let Some(debts) = &mut self.debts
            && let Some(debt) = debts.get_mut(&(warp, rd))
        {
            *debt &= !mask;
            if *debt == 0 {
                debts.remove(&(warp, rd));
            }
        }
        Ok(())
    }

    /// The program has ended: what is opened from now on is not owed.
    pub fn close(&mut self) {
        self.debts = Some(self.open.iter().map(|(key, open)| (*key, open.mask)).collect());
    }

    /// At the end of a run: does the engine still owe values?
    pub fn finish(&self) -> Result<(), String> {
        let open = || self.open.iter().map(|(key, open)| (*key, open.mask));
        let owed = match &self.debts {
            None => open().min(),
            Some(debts) => debts.iter().map(|(key, mask)| (*key, *mask)).min(),
        };
        match owed {
            None => Ok(()),
            Some(((warp, rd), mask)) => Err(format!(
                "lockstep: x{rd} of warp {warp} was never written back (lanes {mask:#x})"
            )),
        }
    }

    /// The model, to compare final memory.
    pub fn model(&self) -> &Model {
        &self.model
    }

    fn report(&self, r: &Record, difference: Difference) -> String {
        use std::fmt::Write;
        let (lane, what, engine, golden) = difference;
        let text = |raw: u32, pc| self.model.platform.ram.decode(raw).disassemble(pc);
        let mut s = String::new();
        let lane = lane.map_or(String::new(), |l| format!(", lane {l}"));
        let place = self.symbols.describe(r.path.pc);
        let _ = writeln!(s, "lockstep: {what} differs: engine {engine}, golden {golden}");
        let _ = writeln!(s, "  at {place}: {}", text(r.insn, r.path.pc));
        let _ = writeln!(
            s,
            "  warp {}{lane}, cycle {}, pipe {}, lanes {:#x}, depth {}",
            r.warp, r.cycle, r.pipe, r.path.mask, r.path.depth
        );
        let _ = write!(s, "  before it in this warp:");
        for p in self.history.get(r.warp as usize).into_iter().flatten() {
            let trapped =
                if p.trapped == 0 { String::new() } else { format!(" trap {:#x}", p.trapped) };
            let _ = write!(
                s,
                "\n    {:>8}  {}  lanes {:#x} done {:#x}{trapped}  {}",
                p.cycle,
                self.symbols.describe(p.path.pc),
                p.path.mask,
                p.done,
                text(p.insn, p.path.pc),
            );
        }
        s
    }
}

/// Does it access a CSR?
fn is_csr(op: Op) -> bool {
    matches!(op, Op::Csrrw | Op::Csrrs | Op::Csrrc | Op::Csrrwi | Op::Csrrsi | Op::Csrrci)
}

/// A request when there should be one, and no store but those of threads that
/// completed it.
fn request(r: &Record, effects: &Effects) -> Result<(), Difference> {
    let op = effects.insn.op;
    let format = op.encoding().map(|e| e.format).filter(|_| op != Op::Jalr);
    let memory = matches!(format, Some(Format::Load | Format::S | Format::Amo | Format::Lr));
    let wanted = memory && effects.done != 0;
    let writes = lanes(effects.done).any(|lane| effects.lanes[lane].store.is_some());
    let differs = |what, engine: bool, golden: bool| {
        Err((None, what, engine.to_string(), golden.to_string()))
    };
    if r.has_access != wanted {
        return differs("memory request", r.has_access, wanted);
    }
    if r.has_access && r.access.write != writes {
        return differs("write request", r.access.write, writes);
    }
    for lane in lanes(if r.has_access { !effects.done } else { 0 }) {
        values(
            lane,
            "byte enables of a thread that does not complete",
            r.access.enable[lane].into(),
            0,
        )?;
    }
    Ok(())
}

fn memory(r: &Record, lane: usize, effect: &Effect) -> Result<(), Difference> {
    let wanted = effect.load.map(|(a, _)| a).or(effect.store.map(|(a, ..)| a));
    if let Some(addr) = wanted {
        values(lane, "address", r.access.addr[lane], addr)?;
    }
    let (enable, data) = match effect.store {
        Some((addr, size, value)) => {
            (((1u32 << size) - 1) << (addr & 3), value << (8 * (addr & 3)))
        }
        None => (0, 0),
    };
    let got = if r.has_access { u32::from(r.access.enable[lane]) } else { 0 };
    if got != enable {
        return Err((Some(lane), "byte enables", format!("{got:04b}"), format!("{enable:04b}")));
    }
    let bits = (0..4).filter(|b| enable >> b & 1 != 0).fold(0, |m, b| m | 0xffu32 << (8 * b));
    values(lane, "stored data", r.access.data[lane] & bits, data & bits)
}
