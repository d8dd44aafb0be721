//! A core that is no hardware: it executes with a golden model of its own, one
//! instruction after the other per warp, but fetches, loads and stores through
//! the ports like hardware, with late write-backs, replays and refused requests.
//! And it makes a mistake on purpose when told to.
//!
//! Long, because each mistake sits where a correct core does the right thing.

use hdl::config::CoreConfig;
use hdl::core::port::{idle, memory_op};
use hdl::isa::{Insn, Op};
use sim::golden::{Effects, MemoryOp, Model};
use sim::path::{Kind, Path, Update};
use sim::policy::{Policy, PolicyKind};
use sim::program::Program;
use sim::record::{Lanes, MAX_LANES, lanes};
use sim::rtl::core::{FetchOut, Stat, Successor};
use sim::rtl::{Core, Inputs, Outputs, Shape};

/// Mistakes that the harness must report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    /// A computed value is wrong.
    Value,
    /// A loaded value is wrong.
    LateValue,
    /// A load never comes back.
    LostLate,
    /// A load comes back that nobody waits for.
    StrayLate,
    /// A thread is left out of those that completed.
    DoneMask,
    /// A successor's PC is wrong.
    NextPc,
    /// A trap shows the wrong cause.
    Cause,
    /// The word at the data port is not what the record says.
    StoreData,
    /// The byte enables neither.
    StoreEnable,
    /// A store retires, its request was never made.
    NoRequest,
    /// A request that no instruction made.
    StrayRequest,
    /// A request outside RAM.
    Outside,
    /// Nothing retires any more.
    Hang,
    /// One warp retires nothing any more.
    WarpHangs,
    /// The bus fails.
    Bus,
    /// A wake is not reported.
    NoWake,
    /// Another instruction than the one in memory.
    Instruction,
}

enum State {
    Fetch,
    /// For the instruction at this PC.
    Waits(u32),
    /// PC and instruction.
    Has(u32, u32),
}

struct Warp {
    policy: Box<dyn Policy>,
    state: State,
    /// Registers with values outstanding, how many of each.
    owed: [u8; 32],
    /// The last pass left threads that execute it again.
    replays: bool,
}

/// A register that is late.
struct Owed {
    tag: Option<u8>,
    due: u64,
    warp: u32,
    insn: Insn,
    mask: u64,
    /// Addresses of loads, values of divisions.
    lanes: Lanes,
}

/// The core.
pub struct Fake {
    model: Model,
    shape: Shape,
    warps: Vec<Warp>,
    owed: Vec<Owed>,
    out: Outputs,
    now: u64,
    retired: u64,
    /// Whose turn it is.
    turn: usize,
    fault: Fault,
    /// Retired instructions after which the fault may happen.
    after: u64,
}

fn successor(p: &Path) -> Successor {
    Successor { mask: p.mask, pc: p.pc >> 2, depth: p.depth }
}

/// Instructions that neither ask memory nor trap.
fn only_computes(insn: &Insn) -> bool {
    let control = matches!(insn.op, Op::Jal | Op::Jalr | Op::Illegal);
    let format = insn.op.encoding().map(|e| e.format);
    use hdl::isa::encoding::Format;
    !control && matches!(format, Some(Format::R | Format::I | Format::Shift | Format::U))
}

impl Fake {
    pub fn new(config: &CoreConfig, program: &Program, pipes: usize) -> Fake {
        let warp = |w| {
            let start = Path { depth: 0, pc: config.reset_pc, mask: config.initial_mask(w) };
            let policy = PolicyKind::DepthPc.start(start);
            Warp { policy, state: State::Fetch, owed: [0; 32], replays: false }
        };
        Fake {
            model: Model::new(config, program),
            shape: Shape {
                threads: config.threads_per_warp as usize,
                warps: config.warps as usize,
                slots: 1,
                pipes,
            },
            warps: (0..config.warps).map(warp).collect(),
            owed: Vec::new(),
            out: Outputs::new(pipes),
            now: 0,
            retired: 0,
            turn: 0,
            fault: Fault::None,
            after: 0,
        }
    }

    /// Makes a mistake at the first occasion after `after` instructions.
    pub fn with(mut self, fault: Fault, after: u64) -> Fake {
        (self.fault, self.after) = (fault, after);
        self
    }

    /// Is it time for this mistake? It happens once.
    fn errs(&mut self, fault: Fault) -> bool {
        let now = self.fault == fault && self.retired >= self.after;
        if now {
            self.fault = Fault::None;
        }
        now
    }

    fn hangs(&self, warp: usize) -> bool {
        let now = self.retired >= self.after;
        now && (self.fault == Fault::Hang || self.fault == Fault::WarpHangs && warp == 1)
    }

    fn late(&mut self, inputs: &Inputs) {
        self.out.late.valid = false;
        // Now and then the write port is taken.
        self.out.data.reply_ready = !self.now.is_multiple_of(5);
        let tag = (inputs.data.reply && self.out.data.reply_ready).then_some(inputs.data.tag);
        let now = self.now;
        let ready = |o: &Owed| if tag.is_some() { o.tag == tag } else { o.due <= now };
        let Some(i) = self.owed.iter().position(ready) else {
            assert!(tag.is_none(), "a reply that nobody waits for");
            return;
        };
        let o = self.owed.swap_remove(i);
        if o.insn.rd == 0 {
            return;
        }
        if o.tag.is_some() && self.errs(Fault::LostLate) {
            return;
        }
        self.warps[o.warp as usize].owed[usize::from(o.insn.rd)] -= 1;
        let wrong = o.tag.is_some() && self.errs(Fault::LateValue);
        let late = &mut self.out.late;
        (late.valid, late.warp, late.rd, late.mask) = (true, o.warp, o.insn.rd, o.mask);
        for lane in lanes(o.mask) {
            let addr = o.lanes[lane];
            late.value[lane] = if o.tag.is_none() {
                addr
            } else {
                let word = inputs.data.words[(addr / 4) as usize % self.shape.threads];
                MemoryOp { op: o.insn.op, addr, data: 0 }.extract(word)
            };
            late.value[lane] ^= u32::from(wrong) << 4;
        }
    }

    fn pipe(&mut self, pipe: usize, inputs: &Inputs, port_free: &mut bool) {
        let pipes = self.shape.pipes;
        let mine = |w: &usize| w % pipes == pipe;
        let first = self.turn;
        let order: Vec<usize> =
            (0..self.shape.warps).map(|i| (first + i) % self.shape.warps).filter(mine).collect();
        self.out.retire[pipe].valid = false;
        let mut stat = Stat { idle: idle::NO_WARP, ..Stat::default() };
        for w in order {
            let Some(path) = self.warps[w].policy.current() else { continue };
            let State::Has(pc, raw) = self.warps[w].state else {
                stat.idle = idle::FETCH;
                continue;
            };
            if pc != path.pc {
                // Threads were woken that go first.
                (stat.idle, stat.dropped) = (idle::ISSUED, true);
                self.warps[w].state = State::Fetch;
                break;
            }
            let insn = self.model.platform.ram.decode(raw);
            let owed = |r: u8| self.warps[w].owed[usize::from(r)] != 0;
            let waits = owed(insn.rs1) || owed(insn.rs2) || owed(insn.rd);
            if self.hangs(w) || waits && !self.warps[w].replays || self.owed.len() >= 12 {
                stat.idle = idle::MEMORY;
                continue;
            }
            stat.idle = idle::ISSUED;
            let asks = !only_computes(&insn);
            if asks && !(*port_free && inputs.data.ready) {
                self.out.data.request |= *port_free;
                stat.stalled = true;
                continue;
            }
            self.execute(pipe, w, path, insn, port_free);
            self.turn = (w + 1) % self.shape.warps;
            break;
        }
        self.out.stat[pipe] = stat;
        self.out.fetch[pipe] = FetchOut::default();
        let first = (self.now as usize) % self.shape.warps;
        let order = (0..self.shape.warps).map(|i| (first + i) % self.shape.warps);
        for w in order.filter(mine).filter(|w| !self.hangs(*w)).collect::<Vec<_>>() {
            if let (State::Fetch, Some(path)) =
                (&self.warps[w].state, self.warps[w].policy.current())
            {
                let request = FetchOut { request: true, pc: path.pc >> 2, tag: w as u8 };
                self.out.fetch[pipe] = request;
                if inputs.fetch[pipe].ready {
                    self.warps[w].state = State::Waits(path.pc);
                }
                break;
            }
        }
    }

    fn execute(&mut self, pipe: usize, w: usize, path: Path, insn: Insn, port_free: &mut bool) {
        let t = self.shape.threads;
        let known = self.model.platform.ram.contains(path.pc);
        let parked: Vec<bool> = self.model.harts.iter().map(|h| h.parked).collect();
        let register = |lane: usize, r: u8| self.model.hart(w as u32, lane).x[usize::from(r)];
        let operands: Vec<u32> = (0..t).map(|lane| register(lane, insn.rs2)).collect();
        // Those of atomics, which have no offset; others are in the effects.
        let addresses: Vec<u32> = (0..t).map(|lane| register(lane, insn.rs1)).collect();
        self.model.counts.cycle = self.now;
        let effects = self.model.pass(w as u32, path.mask, known.then_some(insn), None);
        let insn = effects.insn;
        let (go, other) = self.successors(w as u32, &path, &effects);
        let rest = path.mask & !effects.done & !effects.trapped;
        self.retired += 1;
        let events = &mut self.model.counts.events;
        events[0] = self.retired;
        events[1] += u64::from(effects.done.count_ones());
        events[2] += u64::from(rest == 0 && go.mask != 0 && other.mask != 0);
        events[4] = self.now.saturating_sub(self.retired);
        events[5] += u64::from(sim::rtl::retire::is_memory(insn.op));

        let r = &mut self.out.retire[pipe];
        (r.valid, r.warp, r.slot) = (true, w as u32, 0);
        r.path = successor(&path);
        r.insn = if known { insn.raw } else { 0 };
        (r.done, r.trapped, r.halt) = (effects.done, effects.trapped, effects.parked);
        (r.go, r.other, r.wake) = (successor(&go), successor(&other), effects.woke);
        let wrote = effects.lanes.iter().find_map(|e| e.rd).map_or(0, |(rd, _)| rd);
        r.rd = wrote;
        for (lane, e) in effects.lanes.iter().enumerate() {
            r.value[lane] = e.rd.map_or(0, |(_, v)| v);
            r.operand[lane] = operands[lane];
            let known = e.load.map(|l| l.0).or(e.store.map(|s| s.0));
            r.addr[lane] = known.unwrap_or(addresses[lane]);
            if let Some((cause, tval)) = e.trap {
                (r.cause, r.tval[lane]) = (cause, tval);
            }
        }
        let memory = sim::rtl::retire::is_memory(insn.op) && effects.done != 0;
        (r.access, r.write, r.open) = (memory, false, false);
        if memory {
            self.memory(pipe, w, &insn, &effects, port_free);
        } else if effects.trapped != 0 {
            let d = &mut self.out.data;
            (d.request, d.op, d.warp, d.lanes) =
                (true, memory_op::CLEAR, w as u32, effects.trapped);
            *port_free = false;
        } else if matches!(insn.op, Op::Div | Op::Divu | Op::Rem | Op::Remu) && wrote != 0 {
            let r = &mut self.out.retire[pipe];
            let due = self.now + 7;
            let (mask, lanes) = (effects.done, std::mem::replace(&mut r.value, [0; MAX_LANES]));
            r.open = true;
            self.warps[w].owed[usize::from(wrote)] += 1;
            self.owed.push(Owed { tag: None, due, warp: w as u32, insn, mask, lanes });
        }
        let update =
            Update { kind: Kind::Plain, from: path, go, other, replay: rest != 0, hint: None };
        let warp = &mut self.warps[w];
        warp.policy.update(&update);
        warp.replays = rest != 0;
        warp.state = State::Fetch;
        for h in (0..self.model.harts.len()).filter(|h| parked[*h] && !self.model.harts[*h].parked)
        {
            let hart = &self.model.harts[h];
            let path = Path { depth: hart.depth, pc: hart.pc, mask: 1 << (h % t) };
            self.warps[h / t].policy.wake(path);
        }
        self.spoil(pipe, &insn);
    }

    fn successors(&self, w: u32, path: &Path, effects: &Effects) -> (Path, Path) {
        let at = |lane: usize| (self.model.hart(w, lane).pc, self.model.hart(w, lane).depth);
        let moved = (effects.done | effects.trapped) & !effects.parked;
        let group = |place: (u32, u32)| {
            let mask = lanes(moved).filter(|l| at(*l) == place).fold(0, |m, l| m | 1 << l);
            Path { pc: place.0, depth: place.1, mask }
        };
        let mut go = group((path.pc.wrapping_add(4), path.depth));
        if go.mask == 0 && moved != 0 {
            go = group(at(moved.trailing_zeros() as usize));
        }
        let rest = path.mask & !moved & !effects.parked;
        let other = if rest != 0 {
            Path { mask: rest, ..*path }
        } else {
            match moved & !go.mask {
                0 => Path { mask: 0, ..*path },
                left => group(at(left.trailing_zeros() as usize)),
            }
        };
        (go, other)
    }

    fn memory(&mut self, pipe: usize, w: usize, insn: &Insn, e: &Effects, port_free: &mut bool) {
        let t = self.shape.threads as u32;
        let r = &mut self.out.retire[pipe];
        r.write = matches!(insn.op, Op::Sb | Op::Sh | Op::Sw);
        if sim::rtl::retire::is_device(r.addr[e.done.trailing_zeros() as usize]) {
            return;
        }
        let d = &mut self.out.data;
        let tag = (0..16u8).find(|tag| self.owed.iter().all(|o| o.tag != Some(*tag)));
        d.tag = tag.expect("at most twelve are under way");
        d.request = true;
        d.op = match insn.op {
            Op::Sb | Op::Sh | Op::Sw => memory_op::STORE,
            Op::Lr => memory_op::LR,
            Op::Sc => memory_op::SC,
            Op::Amoswap => memory_op::AMO_SWAP,
            Op::Amoadd => memory_op::AMO_ADD,
            Op::Amoxor => memory_op::AMO_XOR,
            Op::Amoand => memory_op::AMO_AND,
            Op::Amoor => memory_op::AMO_OR,
            Op::Amomin => memory_op::AMO_MIN,
            Op::Amomax => memory_op::AMO_MAX,
            Op::Amominu => memory_op::AMO_MINU,
            Op::Amomaxu => memory_op::AMO_MAXU,
            _ => memory_op::LOAD,
        };
        d.warp = w as u32;
        d.block = r.addr[e.done.trailing_zeros() as usize] / 4 / t * t;
        d.lanes = e.done;
        d.enable = [0; MAX_LANES];
        for lane in lanes(e.done) {
            let word = (r.addr[lane] / 4 - d.block) as usize;
            d.word[lane] = word as u8;
            let op = MemoryOp { op: insn.op, addr: r.addr[lane], data: r.operand[lane] };
            let (enable, data) = op.place();
            for byte in (0..4).filter(|b| enable >> b & 1 != 0) {
                d.enable[word] |= 1 << byte;
                d.data[word] = d.data[word] & !(0xff << (8 * byte)) | data & 0xff << (8 * byte);
            }
        }
        *port_free = false;
        if d.op != memory_op::STORE {
            r.open = r.rd != 0;
            let tag = Some(d.tag);
            let owed = Owed {
                tag,
                due: u64::MAX,
                warp: w as u32,
                insn: *insn,
                mask: e.done,
                lanes: r.addr,
            };
            self.owed.push(owed);
            self.warps[w].owed[usize::from(insn.rd)] += u8::from(insn.rd != 0);
        }
    }

    /// Makes the mistake, if this instruction gives the occasion.
    fn spoil(&mut self, pipe: usize, insn: &Insn) {
        let r = &self.out.retire[pipe];
        let store = r.access && r.write && self.out.data.request;
        let plain = !r.access && r.rd != 0 && !r.open && !matches!(insn.op, Op::Csrrs);
        let lane = r.path.mask.trailing_zeros() as usize;
        let (several, traps, wakes) = (r.done.count_ones() > 1, r.trapped != 0, r.wake);
        if plain && self.errs(Fault::Value) {
            self.out.retire[pipe].value[lane] ^= 1;
        }
        if plain && several && self.errs(Fault::DoneMask) {
            self.out.retire[pipe].done &= !(1 << lane);
        }
        if plain && self.errs(Fault::NextPc) {
            self.out.retire[pipe].go.pc += 1;
        }
        if plain && self.errs(Fault::Instruction) {
            self.out.retire[pipe].insn ^= 1 << 20;
        }
        if traps && self.errs(Fault::Cause) {
            self.out.retire[pipe].cause ^= 1;
        }
        if wakes && self.errs(Fault::NoWake) {
            self.out.retire[pipe].wake = false;
        }
        let d = &mut self.out.data;
        let word = usize::from(d.word[lane]);
        if store && self.errs(Fault::StoreData) {
            self.out.data.data[word] ^= u32::MAX;
        }
        if store && self.errs(Fault::StoreEnable) {
            self.out.data.enable[word] ^= 0b0110;
        }
        if store && self.errs(Fault::NoRequest) {
            self.out.data.request = false;
        }
        if store && self.errs(Fault::Outside) {
            self.out.data.block = 0;
        }
    }
}

impl Core for Fake {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn reset(&mut self) {}

    /// To be called once a cycle: it has all the effects of the cycle.
    fn settle(&mut self, inputs: &Inputs) {
        self.out.data.request = false;
        self.late(inputs);
        for fetch in inputs.fetch.iter().filter(|f| f.reply) {
            let state = &mut self.warps[usize::from(fetch.tag)].state;
            let State::Waits(pc) = *state else { panic!("a fetch that nobody waits for") };
            *state = State::Has(pc, fetch.data);
        }
        let mut port_free = true;
        for i in 0..self.shape.pipes {
            let pipe = (i + self.now as usize) % self.shape.pipes;
            self.pipe(pipe, inputs, &mut port_free);
        }
        if port_free && inputs.data.ready && self.errs(Fault::StrayRequest) {
            let d = &mut self.out.data;
            (d.request, d.op, d.warp, d.lanes) = (true, memory_op::STORE, 0, 1);
            d.block = hdl::platform::RAM_BASE / 4;
        }
        self.out.fatal |= self.errs(Fault::Bus);
        if !self.out.late.valid && self.errs(Fault::StrayLate) {
            let late = &mut self.out.late;
            (late.valid, late.warp, late.rd, late.mask) = (true, 0, 31, 1);
        }
    }

    fn outputs(&self, out: &mut Outputs) {
        out.clone_from(&self.out);
    }

    fn edge(&mut self) {
        self.now += 1;
    }
}
