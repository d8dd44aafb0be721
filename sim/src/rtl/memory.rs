//! The memory around a core: instruction and data side over one [`Platform`],
//! so that HTIF, console, reservations, `--load` and `--dump` are those of the
//! emulator. A data request is performed at acceptance (rule M1); only its
//! reply is late.
//!
//! The device window lives in the core and never appears here. A fetch outside
//! RAM reads zero (the core makes none); a data request outside RAM, or one that
//! breaks the rules of the port, is a fault of the core.

use super::core::{DataOut, Inputs, Outputs, Shape};
use super::timing::{DATA_TAGS, Queue, Timing};
use crate::platform::Platform;
use crate::record::{Lanes, MAX_LANES, lanes};
use crate::torture::Rng;
use hdl::core::port::memory_op as op;

/// What the data port did in a cycle.
#[derive(Clone, Debug)]
pub struct Performed {
    /// Was a request accepted?
    pub accepted: bool,
    /// Lanes that wrote, of an AMO or SC.
    pub wrote: u64,
    /// The word each of them left.
    pub left: Lanes,
}

struct Reply {
    tag: u8,
    words: Lanes,
}

/// The memory and the replies it owes.
pub struct Memory {
    /// RAM, HTIF, reservations.
    pub platform: Platform,
    shape: Shape,
    timing: Timing,
    rng: Rng,
    fetch: Vec<Queue<(u8, u32)>>,
    data: Queue<Reply>,
    performed: Performed,
}

impl Memory {
    /// Around a core of that shape.
    pub fn new(platform: Platform, shape: Shape, timing: Timing) -> Memory {
        Memory {
            platform,
            shape,
            timing,
            rng: Rng::new(timing.seed),
            fetch: (0..shape.pipes).map(|_| Queue::new(timing.requests)).collect(),
            data: Queue::new(timing.requests.min(DATA_TAGS)),
            performed: Performed { accepted: false, wrote: 0, left: [0; MAX_LANES] },
        }
    }

    /// Replies and readiness of cycle `now`, before the core settles. When
    /// `closed` nothing new is taken.
    pub fn offer(&mut self, now: u64, inputs: &mut Inputs, closed: bool) {
        let Memory { timing, rng, .. } = self;
        for (queue, input) in self.fetch.iter_mut().zip(&mut inputs.fetch) {
            input.ready = queue.ready(timing, rng) && !closed;
            let reply = queue.offer(now, timing, rng);
            input.reply = reply.is_some();
            if let Some((tag, data)) = reply {
                (input.tag, input.data) = (*tag, *data);
            }
        }
        let input = &mut inputs.data;
        input.ready = self.data.ready(timing, rng) && !closed;
        let before = input.reply;
        let reply = self.data.offer(now, timing, rng);
        input.reply = reply.is_some();
        if let Some(reply) = reply
            && !(before && input.tag == reply.tag && input.words == reply.words)
        {
            (input.tag, input.words) = (reply.tag, reply.words);
        }
    }

    /// Takes what the core asks for in cycle `now`, after it has settled. An
    /// error is a request that breaks the rules.
    pub fn accept(
        &mut self,
        now: u64,
        inputs: &Inputs,
        out: &Outputs,
    ) -> Result<&Performed, String> {
        for (pipe, request) in out.fetch.iter().enumerate() {
            if inputs.fetch[pipe].reply {
                self.fetch[pipe].taken();
            }
            if request.request && inputs.fetch[pipe].ready {
                let addr = request.pc << 2;
                let known = self.platform.ram.contains(addr);
                let word = if known { self.platform.ram.word(addr) } else { 0 };
                let reply = (request.tag, word);
                self.fetch[pipe].push(now, reply, &self.timing, &mut self.rng);
            }
        }
        if inputs.data.reply && out.data.reply_ready {
            self.data.taken();
        }
        self.performed.accepted = out.data.request && inputs.data.ready;
        self.performed.wrote = 0;
        if self.performed.accepted {
            let d = &out.data;
            self.check(d).map_err(|why| format!("data port: {why} ({})", describe(d)))?;
            self.perform(now, d);
        }
        Ok(&self.performed)
    }

    /// What the data port did in the last cycle.
    pub fn performed(&self) -> &Performed {
        &self.performed
    }

    fn check(&self, d: &DataOut) -> Result<(), String> {
        let t = self.shape.threads;
        if d.op > op::CLEAR {
            return Err(format!("no operation {}", d.op));
        }
        if d.warp as usize >= self.shape.warps {
            return Err(format!("no warp {}", d.warp));
        }
        if d.lanes == 0 {
            return Err("a request for nobody".to_string());
        }
        if d.op == op::CLEAR {
            return Ok(());
        }
        let (first, last) = (d.block << 2, (d.block + t as u32 - 1) << 2);
        if !(d.block as usize).is_multiple_of(t) {
            return Err(format!("the block at {first:#010x} is not aligned"));
        }
        if !self.platform.ram.contains(first) || !self.platform.ram.contains(last) {
            return Err(format!("the block at {first:#010x} is not in RAM"));
        }
        if lanes(d.lanes).any(|lane| usize::from(d.word[lane]) >= t) {
            return Err("a word outside the block".to_string());
        }
        let mut used = 0u64;
        let exclusive = d.op >= op::SC;
        for lane in lanes(if exclusive { d.lanes } else { 0 }) {
            let word = 1 << d.word[lane];
            if used & word != 0 {
                return Err(format!("word {} used twice in one pass", d.word[lane]));
            }
            used |= word;
        }
        Ok(())
    }

    fn perform(&mut self, now: u64, d: &DataOut) {
        let t = self.shape.threads;
        let first = d.warp * t as u32;
        let at = |word: usize| (d.block + word as u32) << 2;
        match d.op {
            op::CLEAR => {
                for lane in lanes(d.lanes) {
                    self.platform.unreserve(first + lane as u32, 0);
                }
            }
            op::STORE => {
                for word in (0..t).filter(|word| d.enable[*word] != 0) {
                    self.platform.store_ram(at(word), d.data[word], d.enable[word]);
                }
            }
            _ => {
                let mut words = [0; MAX_LANES];
                words[..t].copy_from_slice(self.platform.ram.block(at(0), t));
                if d.op != op::LOAD {
                    for lane in lanes(d.lanes) {
                        self.exclusive(d, lane, first + lane as u32, &mut words);
                    }
                }
                let reply = Reply { tag: d.tag, words };
                self.data.push(now, reply, &self.timing, &mut self.rng);
            }
        }
        self.platform.finish_pass();
    }

    /// LR, SC or AMO of one lane; `words` becomes the reply.
    fn exclusive(&mut self, d: &DataOut, lane: usize, hart: u32, words: &mut Lanes) {
        let word = usize::from(d.word[lane]);
        let addr = (d.block + word as u32) << 2;
        let (old, operand) = (self.platform.ram.word(addr), d.data[word]);
        let signed = |f: fn(i32, i32) -> i32| f(old as i32, operand as i32) as u32;
        let new = match d.op {
            op::LR => {
                self.platform.reserve(hart, addr);
                return;
            }
            op::SC => {
                let held = self.platform.unreserve(hart, addr);
                words[word] = u32::from(!held);
                if !held {
                    return;
                }
                operand
            }
            op::AMO_SWAP => operand,
            op::AMO_ADD => old.wrapping_add(operand),
            op::AMO_XOR => old ^ operand,
            op::AMO_AND => old & operand,
            op::AMO_OR => old | operand,
            op::AMO_MIN => signed(i32::min),
            op::AMO_MAX => signed(i32::max),
            op::AMO_MINU => old.min(operand),
            _ => old.max(operand),
        };
        self.platform.store_ram(addr, new, 15);
        self.performed.wrote |= 1 << lane;
        self.performed.left[lane] = new;
    }
}

fn describe(d: &DataOut) -> String {
    let addr = d.block << 2;
    format!("operation {}, warp {}, block {addr:#010x}, lanes {:#x}", d.op, d.warp, d.lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::End;
    use crate::program::Program;
    use crate::rtl::timing::FETCH_TAGS;
    use hdl::config::RawConfig;
    use hdl::platform::RAM_BASE;

    const SHAPE: Shape = Shape { threads: 4, warps: 2, slots: 1, pipes: 2 };
    const TOHOST: u32 = RAM_BASE + 0x100;

    struct Bench {
        memory: Memory,
        inputs: Inputs,
        out: Outputs,
        now: u64,
    }

    impl Bench {
        fn new(timing: Timing) -> Bench {
            let raw = RawConfig {
                threads_per_warp: Some("4".into()),
                warps: Some("2".into()),
                ram_size: Some("4K".into()),
                ..RawConfig::default()
            };
            let program = Program { tohost: TOHOST, ..Program::default() };
            let mut platform = Platform::new(&raw.validate().unwrap(), &program);
            for i in 0..16 {
                platform.ram.store(RAM_BASE + 4 * i, 0x100 + i, 15);
            }
            let mut out = Outputs::new(2);
            out.data.reply_ready = true;
            let memory = Memory::new(platform, SHAPE, timing);
            Bench { memory, inputs: Inputs::new(2), out, now: 0 }
        }

        fn cycle(&mut self) -> Result<Performed, String> {
            self.memory.offer(self.now, &mut self.inputs, false);
            let done = self.memory.accept(self.now, &self.inputs, &self.out).cloned();
            self.now += 1;
            done
        }

        /// One accepted request: what it did, and the reply in the next cycle.
        fn ask(&mut self, op: u64, warp: u32, lanes: &[(usize, u8, u32)]) -> (Performed, Lanes) {
            self.request(op, warp, lanes);
            let done = self.cycle().unwrap();
            assert!(done.accepted);
            self.out.data.request = false;
            self.cycle().unwrap();
            assert_eq!(self.inputs.data.reply, op != op::STORE && op != op::CLEAR);
            (done, self.inputs.data.words)
        }

        fn request(&mut self, op: u64, warp: u32, lanes: &[(usize, u8, u32)]) {
            let d = &mut self.out.data;
            (d.request, d.op, d.warp, d.block, d.lanes) = (true, op, warp, RAM_BASE >> 2, 0);
            d.enable = [0; MAX_LANES];
            for (lane, word, data) in lanes {
                d.lanes |= 1 << lane;
                d.word[*lane] = *word;
                d.enable[usize::from(*word)] = 15;
                d.data[usize::from(*word)] = *data;
            }
        }
    }

    #[test]
    fn loads_stores_and_atomics() {
        let mut b = Bench::new(Timing::default());
        let (_, words) = b.ask(op::LOAD, 0, &[(0, 1, 0)]);
        assert_eq!(words[..4], [0x100, 0x101, 0x102, 0x103]);
        b.ask(op::STORE, 0, &[(0, 2, 7), (3, 3, 8)]);
        let (done, words) = b.ask(op::AMO_ADD, 1, &[(0, 2, 5), (1, 0, 1)]);
        assert_eq!(words[..4], [0x100, 0x101, 7, 8], "the words before it");
        assert_eq!((done.wrote, done.left[0], done.left[1]), (3, 12, 0x101));
        let (done, _) = b.ask(op::AMO_MIN, 1, &[(0, 2, u32::MAX)]);
        assert_eq!(done.left[0], u32::MAX);
        let (done, _) = b.ask(op::AMO_MINU, 1, &[(0, 2, 9)]);
        assert_eq!(done.left[0], 9);
        assert_eq!(b.memory.platform.ram.word(RAM_BASE + 8), 9);
    }

    #[test]
    fn one_reservation_wins_and_traps_lose_theirs() {
        let mut b = Bench::new(Timing::default());
        b.ask(op::LR, 0, &[(0, 0, 0), (1, 0, 0), (2, 1, 0)]);
        b.ask(op::LR, 1, &[(0, 0, 0), (1, 2, 0)]);
        let (done, words) = b.ask(op::SC, 0, &[(0, 0, 5), (2, 1, 6)]);
        assert_eq!((done.wrote, &words[..2]), (5, &[0, 0][..]));
        let (done, words) = b.ask(op::SC, 1, &[(0, 0, 9), (3, 3, 9)]);
        assert_eq!((done.wrote, words[0], words[3]), (0, 1, 1), "lost by the store, never had");
        b.ask(op::CLEAR, 1, &[(1, 0, 0)]);
        assert_eq!(b.ask(op::SC, 1, &[(1, 2, 9)]).0.wrote, 0);
        assert_eq!(b.memory.platform.ram.block(RAM_BASE, 4), [5, 6, 0x102, 0x103]);
    }

    #[test]
    fn stores_reach_the_host_interface() {
        let mut b = Bench::new(Timing::default());
        b.request(op::STORE, 0, &[(0, 0, 7)]);
        b.out.data.block = TOHOST >> 2;
        b.cycle().unwrap();
        assert_eq!(b.memory.platform.htif.end, Some(End::Exit(3)));
    }

    #[test]
    fn fetches_of_two_pipes() {
        let mut b = Bench::new(Timing { latency: 2, ..Timing::default() });
        for (pipe, pc) in [(0, RAM_BASE >> 2), (1, 0x1000)] {
            b.out.fetch[pipe] = super::super::core::FetchOut { request: true, pc, tag: 9 };
        }
        b.cycle().unwrap();
        b.out.fetch.iter_mut().for_each(|f| f.request = false);
        b.cycle().unwrap();
        assert!(b.inputs.fetch.iter().all(|f| !f.reply));
        b.cycle().unwrap();
        assert!(b.inputs.fetch.iter().all(|f| f.reply && f.tag == 9 && !f.error));
        assert_eq!([b.inputs.fetch[0].data, b.inputs.fetch[1].data], [0x100, 0]);
        b.cycle().unwrap();
        assert!(b.inputs.fetch.iter().all(|f| !f.reply));
    }

    #[test]
    fn a_reply_waits_for_the_core() {
        let mut b = Bench::new(Timing::default());
        b.request(op::LOAD, 0, &[(0, 0, 0)]);
        b.out.data.reply_ready = false;
        b.cycle().unwrap();
        b.out.data.request = false;
        for _ in 0..3 {
            b.cycle().unwrap();
            assert!(b.inputs.data.reply);
        }
        b.out.data.reply_ready = true;
        b.cycle().unwrap();
        b.cycle().unwrap();
        assert!(!b.inputs.data.reply);
    }

    #[test]
    fn requests_in_flight_are_bounded() {
        for (requests, most) in [(FETCH_TAGS, DATA_TAGS), (3, 3)] {
            let mut b = Bench::new(Timing { latency: 100, requests, ..Timing::default() });
            b.request(op::LOAD, 0, &[(0, 0, 0)]);
            b.out.fetch[0] = super::super::core::FetchOut { request: true, pc: 0, tag: 9 };
            let (mut loads, mut fetches) = (0, 0);
            for _ in 0..50 {
                loads += usize::from(b.cycle().unwrap().accepted);
                fetches += usize::from(b.inputs.fetch[0].ready);
            }
            assert_eq!((loads, fetches), (most, requests.min(50)));
        }
    }

    #[test]
    fn rules_of_the_port() {
        let wrong = |change: &dyn Fn(&mut DataOut)| {
            let mut b = Bench::new(Timing::default());
            b.request(op::AMO_ADD, 0, &[(0, 0, 0), (1, 1, 0)]);
            change(&mut b.out.data);
            b.cycle().unwrap_err()
        };
        assert!(wrong(&|d| d.block += 1).contains("not aligned"));
        assert!(wrong(&|d| d.block = 0x1000_0000 >> 2).contains("not in RAM"));
        assert!(wrong(&|d| d.lanes = 0).contains("nobody"));
        assert!(wrong(&|d| d.warp = 2).contains("no warp 2"));
        assert!(wrong(&|d| d.word[1] = 0).contains("used twice"));
        assert!(wrong(&|d| d.word[1] = 4).contains("outside the block"));
        assert!(wrong(&|d| d.op = 14).contains("no operation 14"));
    }
}
