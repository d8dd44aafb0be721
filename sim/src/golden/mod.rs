//! The golden model: one thread at a time, by the book.
//!
//! [`Model::pass`] executes the instruction of some threads of one warp as the
//! rules P3 and M1 to M3 say. Given single threads it is the *mimd* oracle
//! ([`mimd`]); given the threads of an engine's record it is the checker's
//! reference. It shares no semantics with the vector engine in `crate::warp`.

pub mod mimd;
mod thread;

pub use thread::{CsrWrite, Hart, MemoryOp, Want};

use crate::csr::{self, CoreCounts};
use crate::platform::{End, Platform, Region};
use crate::program::Program;
use crate::record::lanes;
use crate::report::{WarpReport, group};
use hdl::config::{CoreConfig, Counters};
use hdl::isa::csr::{cause, is_read_only};
use hdl::isa::{Insn, Op};

/// What one pass did to one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// Register written and its value.
    pub rd: Option<(u8, u32)>,
    /// Address and size of a load (AMO and LR too).
    pub load: Option<(u32, u32)>,
    /// Address, size and value of a store (AMO and SC that succeeded too).
    pub store: Option<(u32, u32, u32)>,
    /// CSR written and its new value.
    pub csr: Option<(u16, u32)>,
    /// Cause and value of the trap it took.
    pub trap: Option<(u32, u32)>,
    /// Where it goes on.
    pub next_pc: u32,
}

/// What one pass did.
#[derive(Clone, Debug)]
pub struct Effects {
    /// PC and depth of the threads before it.
    pub pc: u32,
    /// See `pc`.
    pub depth: u32,
    /// The instruction.
    pub insn: Insn,
    /// Threads that completed it.
    pub done: u64,
    /// Threads that took a trap.
    pub trapped: u64,
    /// Threads that parked.
    pub parked: u64,
    /// Did it wake threads?
    pub woke: bool,
    /// Per lane.
    pub lanes: Vec<Effect>,
}

/// A value that the model cannot know: of a counter of cycles or events.
pub type Given<'a> = Option<&'a dyn Fn(usize) -> u32>;

/// All harts and their platform.
pub struct Model {
    /// The configuration.
    pub config: CoreConfig,
    /// By hart number.
    pub harts: Vec<Hart>,
    /// RAM, devices, HTIF.
    pub platform: Platform,
    /// What the counters read when nothing is given.
    pub counts: CoreCounts,
    /// By lane; entries outside the threads of a pass are left from earlier ones.
    wants: Vec<Want>,
    /// Effects that were given back, all of them none again.
    spare: Vec<Effect>,
}

impl Model {
    /// Reset state with the program loaded.
    pub fn new(config: &CoreConfig, program: &Program) -> Model {
        let start =
            |hart| Hart { pc: config.reset_pc, parked: hart >= config.harts, ..Hart::default() };
        Model {
            config: config.clone(),
            harts: (0..config.total_harts()).map(start).collect(),
            platform: Platform::new(config, program),
            counts: CoreCounts::default(),
            wants: vec![Want::Nop; config.threads_per_warp as usize],
            spare: Vec::new(),
        }
    }

    /// Takes the effects of a pass back, so that the next one need not allocate:
    /// one thread of 64 does not touch the 63 others.
    pub fn recycle(&mut self, effects: Effects) {
        let Effects { done, trapped, lanes: mut spare, .. } = effects;
        for lane in lanes(done | trapped) {
            spare[lane] = Effect::default();
        }
        self.spare = spare;
    }

    /// Live and parked threads by place, for the report of a stuck run.
    pub fn report(&self) -> Vec<WarpReport> {
        let lanes = self.config.threads_per_warp;
        let of = |w: u32, parked: bool| {
            let first = w * lanes;
            let alive =
                (first..(first + lanes).min(self.config.harts)).map(move |h| (h, h - first));
            group(alive.map(|(h, lane)| (&self.harts[h as usize], lane)).filter_map(|(h, lane)| {
                (h.parked == parked).then_some((lane as usize, h.depth, h.pc))
            }))
        };
        let warp = |w| WarpReport { warp: w, paths: of(w, false), waiting: 0, parked: of(w, true) };
        (0..self.config.warps).map(warp).collect()
    }

    fn hart_id(&self, warp: u32, lane: usize) -> usize {
        (warp * self.config.threads_per_warp) as usize + lane
    }

    /// The hart of a lane.
    pub fn hart(&self, warp: u32, lane: usize) -> &Hart {
        &self.harts[self.hart_id(warp, lane)]
    }

    fn lane(&mut self, warp: u32, lane: usize) -> &mut Hart {
        let id = self.hart_id(warp, lane);
        &mut self.harts[id]
    }

    /// The word that a thread at `pc` fetches now.
    pub fn fetch(&mut self, pc: u32) -> Option<Insn> {
        self.platform.ram.contains(pc).then(|| self.platform.ram.insn(pc))
    }

    /// Executes one pass of the threads of `mask`, which stand at one PC and
    /// depth. `insn` replaces the word in memory; `given` supplies counters.
    pub fn pass(&mut self, warp: u32, mask: u64, insn: Option<Insn>, given: Given<'_>) -> Effects {
        let leader = mask.trailing_zeros() as usize;
        let Hart { pc, depth, .. } = *self.hart(warp, leader);
        let fetched = insn.or_else(|| self.fetch(pc));
        let insn = fetched.unwrap_or_else(|| self.platform.ram.decode(0));
        let mut wants = std::mem::take(&mut self.wants);
        let mut spare = std::mem::take(&mut self.spare);
        spare.resize(wants.len(), Effect::default());
        for lane in lanes(mask) {
            wants[lane] = match fetched {
                None => Want::Trap(cause::FETCH_FAULT, pc),
                Some(_) => self.want(warp, lane, &insn),
            };
        }
        let mut effects =
            Effects { pc, depth, insn, done: 0, trapped: 0, parked: 0, woke: false, lanes: spare };
        let trap_of = |lane: usize| match wants[lane] {
            Want::Trap(cause, _) => Some(cause),
            _ => None,
        };
        if let Some(first) = lanes(mask).find(|lane| trap_of(*lane).is_some()) {
            let key = |m: &Model, lane| trap_of(lane).map(|c| (c, m.hart(warp, lane).csr.mtvec));
            let wanted = key(self, first);
            for lane in lanes(mask).filter(|l| key(self, *l) == wanted).collect::<Vec<_>>() {
                self.trap(warp, lane, wants[lane], &mut effects);
            }
        } else {
            for lane in self.served(warp, mask, &wants) {
                self.commit(warp, lane, wants[lane], &mut effects, given);
            }
        }
        self.wants = wants;
        self.platform.finish_pass();
        while let Some((w, woken)) = self.platform.devices.take_woken() {
            effects.woke = true;
            for lane in lanes(woken) {
                self.lane(w, lane).parked = false;
            }
        }
        effects
    }

    /// What the thread wants, traps of memory and CSR accesses included.
    fn want(&self, warp: u32, lane: usize, insn: &Insn) -> Want {
        let hart = self.hart(warp, lane);
        let want = thread::evaluate(hart, insn);
        match want {
            Want::Memory(op) => {
                let region = self.platform.region(op.addr);
                let ok = region == Region::Ram || region == Region::Device && op.fits_device();
                if op.addr % op.size() != 0 {
                    let load = cause::LOAD_MISALIGNED;
                    Want::Trap(if op.is_load() { load } else { cause::STORE_MISALIGNED }, op.addr)
                } else if !ok {
                    let load = cause::LOAD_FAULT;
                    Want::Trap(if op.is_load() { load } else { cause::STORE_FAULT }, op.addr)
                } else {
                    want
                }
            }
            Want::Csr(number, write) => {
                let known = self.read_csr(warp, lane, number).is_some();
                let read_only = is_read_only(number) && write != CsrWrite::None;
                if known && !read_only { want } else { Want::Trap(cause::ILLEGAL, insn.raw) }
            }
            _ => want,
        }
    }

    fn read_csr(&self, warp: u32, lane: usize, number: u16) -> Option<u32> {
        let hart = self.hart(warp, lane);
        let id = self.hart_id(warp, lane) as u32;
        hart.csr.read(&self.config, number, id, hart.instret, &self.counts)
    }

    /// The threads that this pass can complete, in order (P3, M2).
    fn served(&self, warp: u32, mask: u64, wants: &[Want]) -> Vec<usize> {
        let leader = mask.trailing_zeros() as usize;
        let target = |lane: usize| match wants[lane] {
            Want::Jump(target) => Some(target),
            Want::Mret => Some(self.hart(warp, lane).csr.mepc),
            _ => None,
        };
        let Want::Memory(first) = wants[leader] else {
            return lanes(mask).filter(|lane| target(*lane) == target(leader)).collect();
        };
        if self.platform.region(first.addr) == Region::Device {
            return vec![leader];
        }
        let bytes = 4 * self.config.threads_per_warp;
        let mut used = Vec::new();
        lanes(mask)
            .filter(|lane| {
                let Want::Memory(op) = wants[*lane] else { return false };
                let word = op.addr & !3;
                let here = self.platform.region(op.addr) == Region::Ram
                    && op.addr / bytes == first.addr / bytes;
                if !here || op.is_exclusive() && used.contains(&word) {
                    return false;
                }
                used.push(word);
                true
            })
            .collect()
    }

    fn trap(&mut self, warp: u32, lane: usize, want: Want, effects: &mut Effects) {
        let Want::Trap(cause, value) = want else { return };
        let max_depth = self.config.max_depth();
        let id = self.hart_id(warp, lane) as u32;
        if !self.config.traps {
            let pc = effects.pc;
            let why = format!(
                "hart {id} traps at {pc:#010x} (cause {cause}, value {value:#x}) in a build without traps"
            );
            self.platform.htif.end.get_or_insert(End::Error(why));
        }
        self.platform.unreserve(id, 0);
        let hart = self.lane(warp, lane);
        hart.pc = hart.csr.trap(hart.pc, cause, value);
        hart.depth = (hart.depth + 1).min(max_depth);
        effects.trapped |= 1 << lane;
        effects.lanes[lane].trap = Some((cause, value));
        effects.lanes[lane].next_pc = hart.pc;
    }

    fn commit(&mut self, warp: u32, lane: usize, want: Want, out: &mut Effects, given: Given<'_>) {
        let (insn, pc) = (out.insn, out.pc);
        let mut next = pc.wrapping_add(4);
        let mut value = None;
        let mut counted = true;
        let effect = &mut out.lanes[lane];
        match want {
            Want::Value(v) => value = Some(v),
            Want::Jump(target) => {
                value = Some(next);
                next = target;
            }
            Want::Branch(taken, target) => {
                if taken {
                    next = target;
                }
            }
            Want::Memory(op) => value = self.access(warp, lane, op, effect),
            Want::Csr(number, write) => {
                let mut old = self.read_csr(warp, lane, number).expect("checked by want()");
                if let Some(given) = given
                    && csr::is_unpredictable(&self.config, number)
                    && insn.rd != 0
                {
                    old = given(lane);
                }
                value = Some(old);
                if let Some(new) = write.apply(old) {
                    counted = !self.write_csr(warp, lane, number, new);
                    let now = self.read_csr(warp, lane, number).expect("still there");
                    out.lanes[lane].csr = Some((number, now));
                }
            }
            Want::Mret => {
                next = self.lane(warp, lane).csr.mret();
                let status = self.read_csr(warp, lane, hdl::isa::csr::MSTATUS);
                out.lanes[lane].csr = status.map(|v| (hdl::isa::csr::MSTATUS, v));
            }
            Want::Wfi => {
                if self.platform.devices.park(warp, 1 << lane) != 0 {
                    out.parked |= 1 << lane;
                }
            }
            Want::FenceI => {
                let now = self.platform.store_clock;
                self.lane(warp, lane).fence_i = now;
            }
            Want::Nop | Want::Trap(..) => {}
        }
        if self.config.counters == Counters::Thread {
            counted &= self.hart(warp, lane).csr.counts_instructions();
        }
        let max_depth = self.config.max_depth();
        let parked = out.parked >> lane & 1 != 0;
        let hart = self.lane(warp, lane);
        if let Some(v) = value
            && insn.rd != 0
        {
            hart.x[usize::from(insn.rd)] = v;
            out.lanes[lane].rd = Some((insn.rd, v));
        }
        if insn.is_call() {
            hart.depth = (hart.depth + 1).min(max_depth);
        } else if insn.is_return() || insn.op == Op::Mret {
            hart.depth = hart.depth.saturating_sub(1);
        }
        hart.instret = hart.instret.wrapping_add(u64::from(counted));
        hart.parked = parked;
        hart.pc = next;
        out.lanes[lane].next_pc = next;
        out.done |= 1 << lane;
    }

    fn write_csr(&mut self, warp: u32, lane: usize, number: u16, value: u32) -> bool {
        let counts = self.counts;
        let traps = self.config.traps;
        let hart = self.lane(warp, lane);
        hart.csr.write(traps, number, value, &mut hart.instret, &counts)
    }

    /// One thread's access, checked before; the value for rd.
    fn access(&mut self, warp: u32, lane: usize, op: MemoryOp, effect: &mut Effect) -> Option<u32> {
        let hart = self.hart_id(warp, lane) as u32;
        let word = self.platform.load_word(op.addr);
        let size = op.size();
        if self.platform.region(op.addr) == Region::Device && !op.is_load() {
            self.platform.devices.store(op.addr, op.data, warp, lane as u32);
            effect.store = Some((op.addr, size, op.data));
            return None;
        }
        if op.is_load() {
            effect.load = Some((op.addr, size));
            if op.op == Op::Lr {
                self.platform.reserve(hart, op.addr);
            }
            return Some(op.extract(word));
        }
        if op.op == Op::Sc && !self.platform.unreserve(hart, op.addr) {
            return Some(1);
        }
        if op.is_exclusive() && op.op != Op::Sc {
            effect.load = Some((op.addr, size));
            let new = op.combine(word);
            effect.store = Some((op.addr, size, new));
            self.platform.store_ram(op.addr, new, 15);
            return Some(word);
        }
        let (enable, data) = op.place();
        self.platform.store_ram(op.addr, data, enable);
        effect.store = Some((op.addr, size, op.data & (u32::MAX >> (32 - 8 * size))));
        (op.op == Op::Sc).then_some(0)
    }
}
