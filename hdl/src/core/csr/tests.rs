//! Instruction streams against one plain record per thread, and directed tests of the
//! counters that stand and run. Counts are short, so that there are many sweeps.
//!
//! Long, because the streams and the directed tests share their records.

use super::state::kind;
use super::*;
use crate::config::{Counters, RawConfig};
use crate::core::control::csr_op;
use crate::isa::csr::*;
use proptest::prelude::*;

impl<const T: usize> Sim for CsrFile<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }
    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}

fn config(t: usize, warps: usize, counters: &str, traps: bool, csrs: &str) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(warps.to_string()),
        counters: Some(counters.into()),
        traps: Some(if traps { "on" } else { "off" }.into()),
        csrs: Some(csrs.into()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
}

fn in_beats(config: &CoreConfig) -> CoreConfig {
    CoreConfig { lanes: config.threads_per_warp / 4, ..config.clone() }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Plain,
    Csr,
    Trap,
    Mret,
    /// Nothing is issued.
    Bubble,
}

#[derive(Clone, Copy, Debug)]
struct Insn {
    kind: Kind,
    warp: usize,
    number: u16,
    op: u64,
    operand: u32,
    mask: u64,
}

const BUBBLE: Insn = Insn { kind: Kind::Bubble, warp: 0, number: 0, op: 1, operand: 0, mask: 0 };

/// CSRs whose value a thread's own instructions determine.
const NUMBERS: [u16; 22] = [
    MSTATUS,
    MSTATUS,
    MISA,
    MIE,
    MTVEC,
    MSCRATCH,
    MEPC,
    MCAUSE,
    MTVAL,
    SPLIT,
    MHARTID,
    MINSTRET,
    MINSTRETH,
    MINSTRET,
    INSTRET,
    INSTRETH,
    MCOUNTINHIBIT,
    MCOUNTINHIBIT,
    MVENDORID,
    0xb09,
    0xb9f,
    MHPMEVENT3,
];

fn insn() -> impl Strategy<Value = Insn> {
    let kinds = [Kind::Plain, Kind::Plain, Kind::Csr, Kind::Csr, Kind::Trap, Kind::Mret];
    let kind = prop::sample::select(kinds.to_vec());
    let number = prop::sample::select(NUMBERS.to_vec());
    let operand = prop_oneof![any::<u32>(), Just(u32::MAX), 0..8u32];
    (kind, any::<usize>(), number, 0..4u64, operand, any::<u64>()).prop_map(
        |(kind, warp, number, op, operand, mask)| Insn { kind, warp, number, op, operand, mask },
    )
}

/// A thread, by the book.
#[derive(Clone, Default)]
struct Thread {
    traps: bool,
    csr: std::collections::BTreeMap<u16, u32>,
    instret: u64,
}

impl Thread {
    fn get(&self, number: u16) -> u32 {
        self.csr.get(&number).copied().unwrap_or_default()
    }

    fn value(&self, number: u16, hart: usize) -> u32 {
        match number {
            MISA => 0x4000_1101,
            MHARTID => hart as u32,
            MSTATUS => self.get(MSTATUS) | 0x1800,
            MINSTRET | INSTRET => self.instret as u32,
            MINSTRETH | INSTRETH => (self.instret >> 32) as u32,
            _ => self.get(number),
        }
    }

    /// True if the instruction counts.
    fn write(&mut self, number: u16, value: u32) -> bool {
        let mask = match number {
            MSTATUS | MTVEC | MEPC | MSCRATCH | MCAUSE | MTVAL if !self.traps => 0,
            MSTATUS => 0x88,
            MTVEC | MEPC => !3,
            MSCRATCH | MCAUSE | MTVAL => !0,
            SPLIT => 1,
            MCOUNTINHIBIT => 0x1fd,
            _ => 0,
        };
        match number {
            MINSTRET => self.instret = self.instret >> 32 << 32 | u64::from(value),
            MINSTRETH => self.instret = self.instret << 32 >> 32 | u64::from(value) << 32,
            _ if mask != 0 => drop(self.csr.insert(number, value & mask)),
            _ => {}
        }
        !matches!(number, MINSTRET | MINSTRETH)
    }

    fn trap(&mut self, pc: u32, cause: u32, value: u32) {
        self.csr.insert(MEPC, pc);
        self.csr.insert(MCAUSE, cause);
        self.csr.insert(MTVAL, value);
        let status = self.get(MSTATUS);
        self.csr.insert(MSTATUS, (status & 8) << 4);
    }

    fn mret(&mut self) {
        if !self.traps {
            return;
        }
        let status = self.get(MSTATUS);
        self.csr.insert(MSTATUS, (status & 0x80) >> 4 | 0x80);
    }
}

/// `minstret` of all threads at the start: both halves are near their end.
const INSTRET_AT_START: u64 = 0xffff_fffe_ffff_fff0;

/// Instructions come to stage 8 as they do in the core: one that finds the sequencer busy
/// comes again, and after a CSR instruction, trap or return its warp has a pause.
fn check<const T: usize>(config: &CoreConfig, stream: &[Insn]) {
    let (warps, traps) = (config.warps as usize, config.traps);
    let mut c = CsrFile::<T>::new(config).with_count_bits(6);
    let mut threads = vec![Thread { traps, ..Thread::default() }; T * warps];
    if config.counters != Counters::None {
        c = c.with_instret(INSTRET_AT_START as u32, (INSTRET_AT_START >> 32) as u32);
        threads.iter_mut().for_each(|thread| thread.instret = INSTRET_AT_START);
    }
    c.power_up();
    let mut free_at = vec![0; warps];
    let mut left = stream.iter();
    let mut waiting = None;
    let mut looked = false;
    let mut owed: Option<(u64, Vec<u32>)> = None;
    let mut drain = 200 + 60 * T;
    for cycle in 0u64.. {
        assert!(cycle < 1_000_000);
        let mut now = BUBBLE;
        if let Some(mut insn) = waiting.take().or_else(|| left.next().copied()) {
            insn.warp %= warps;
            if config.counters == Counters::None
                && !matches!(insn.number, 0x300..0x320 | 0x340..0x350 | 0x7c0 | 0xf00..)
            {
                insn.number = MSCRATCH;
            }
            let mut may_go = free_at[insn.warp] <= cycle && !c.hold.val();
            if matches!(insn.kind, Kind::Csr | Kind::Trap | Kind::Mret) {
                may_go &= !c.busy.val() && looked;
                c.look.next = true;
                looked = free_at[insn.warp] <= cycle;
            }
            for i in 0..T {
                c.read_warp[i].next = (insn.warp as u64).into();
            }
            c.read_return.next = if insn.kind == Kind::Mret { u64::MAX } else { 0 }.into();
            (now, waiting) = if may_go { (insn, None) } else { (BUBBLE, Some(insn)) };
        } else if drain == 0 {
            assert!(owed.is_none());
            break;
        } else {
            drain -= 1;
        }
        if now.kind == Kind::Bubble {
            now.mask = 0;
        } else {
            looked = false;
        }
        let active = now.mask & (u64::MAX >> (64 - T));
        if !matches!(now.kind, Kind::Plain | Kind::Bubble) {
            free_at[now.warp] = cycle + 6;
        }
        let writes = now.kind == Kind::Csr && (now.op < 2 || now.operand != 0);
        let wants = now.kind == Kind::Csr && now.mask >> 63 & 1 != 0;
        let mut done = 0;
        let mut expected = vec![0; T];
        for (i, wanted) in expected.iter_mut().enumerate() {
            let operand = now.operand.rotate_left(i as u32);
            c.lane_warp[i].next = (now.warp as u64).into();
            c.operand[i].next = u64::from(operand).into();
            c.trap_value[i].next = u64::from(!operand).into();
            if active >> i & 1 == 0 {
                continue;
            }
            let hart = now.warp * T + i;
            let thread = &mut threads[hart];
            let mut counted = now.kind != Kind::Trap;
            match now.kind {
                Kind::Csr => {
                    let old = thread.value(now.number, hart);
                    *wanted = old;
                    let new = match now.op {
                        2 => old | operand,
                        3 => old & !operand,
                        _ => operand,
                    };
                    if writes {
                        counted &= thread.write(now.number, new);
                    }
                }
                Kind::Trap if traps => {
                    let vector = thread.get(MTVEC) >> 2;
                    assert_eq!(c.vector[i].val().low(), vector);
                    thread.trap(now.operand & !3, now.operand >> 7 & 15, !operand);
                }
                Kind::Mret if traps => {
                    assert_eq!(c.vector[i].val().low(), thread.get(MEPC) >> 2);
                    thread.mret();
                }
                _ => {}
            }
            if counted && config.counters == Counters::Thread && thread.get(MCOUNTINHIBIT) & 4 == 0
            {
                thread.instret = thread.instret.wrapping_add(1);
            }
            done |= u64::from(now.kind != Kind::Trap) << i;
        }
        c.start.next = match now.kind {
            Kind::Csr => true,
            Kind::Trap | Kind::Mret => traps,
            _ => false,
        };
        c.kind.next = match now.kind {
            Kind::Trap => kind::TRAP,
            Kind::Mret => kind::MRET,
            _ => 0,
        }
        .into();
        c.start_warp.next = (now.warp as u64).into();
        c.start_lanes.next = active.into();
        c.number.next = u64::from(now.number).into();
        c.op.next = now.op.max(1).into();
        (c.writes.next, c.wants.next) = (writes, wants);
        c.trap_pc.next = u64::from(now.operand >> 2).into();
        c.trap_cause.next = u64::from(now.operand >> 7 & 15).into();
        // In beats, whoever does not count may look as if he did.
        let some = now.kind != Kind::Bubble;
        c.done.next = if some || c.counted.is_empty() { done } else { u64::MAX }.into();
        c.counted.iter_mut().for_each(|counted| counted.next = some);
        if wants {
            owed = Some((active, expected));
        }
        c.take.next = c.ready.val() && cycle % 3 == 0;
        if c.take.next {
            let (lanes, expected) = owed.take().expect("nobody has asked");
            let part = c.part.first().map_or(lanes, |part| part.val().raw());
            assert_eq!(part & !lanes, 0);
            for i in bits(part) {
                assert_eq!(c.result[i].val().low(), expected[i], "{:#x}", c._s.number);
            }
            assert!(c.last.first().is_none_or(|last| last.val() == (lanes == part)));
            owed = Some((lanes & !part, expected)).filter(|(left, _)| *left != 0);
        }
        c.settle();
        c.tick();
        c.look.next = false;
    }
}

/// Bits of a mask, lowest first.
fn bits(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| mask >> i & 1 != 0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn streams_of_instructions(stream in prop::collection::vec(insn(), 1..200)) {
        check::<1>(&config(1, 1, "thread", true, "parallel"), &stream);
        check::<4>(&config(4, 8, "thread", true, "parallel"), &stream);
        check::<4>(&config(4, 2, "none", true, "parallel"), &stream);
        check::<2>(&config(2, 2, "thread", false, "parallel"), &stream);
        check::<64>(&config(64, 32, "thread", true, "parallel"), &stream);
    }

    #[test]
    fn one_lane_after_the_other(stream in prop::collection::vec(insn(), 1..100)) {
        check::<1>(&config(1, 1, "thread", true, "serial"), &stream);
        check::<4>(&config(4, 8, "thread", true, "serial"), &stream);
        check::<4>(&config(4, 2, "none", true, "serial"), &stream);
        check::<2>(&config(2, 2, "thread", false, "serial"), &stream);
        check::<64>(&config(64, 2, "thread", true, "serial"), &stream);
        check::<4>(&in_beats(&config(4, 2, "thread", true, "serial")), &stream);
        check::<16>(&in_beats(&config(16, 2, "thread", true, "parallel")), &stream);
    }
}

/// One lane with hand-made accesses.
struct Bench {
    c: CsrFile<1>,
    cycle: u64,
}

impl Bench {
    fn new(counters: &str, csrs: &str) -> Bench {
        let mut c = CsrFile::new(&config(1, 4, counters, true, csrs));
        c.power_up();
        // A different number of events each.
        c.event_issue.next = 1.into();
        c.event_threads.next = 64.into();
        c.event_diverge.next = 2.into();
        c.event_merge.next = 3.into();
        c.event_idle.next = true;
        c.event_memory.next = 2.into();
        c.settle();
        Bench { c, cycle: 0 }
    }

    fn tick(&mut self) {
        self.c.tick();
        self.cycle += 1;
    }

    /// The value, and the cycle it is of.
    fn access(&mut self, warp: u64, number: u16, value: Option<u32>) -> (u32, u64) {
        while self.c.busy.val() {
            self.tick();
        }
        self.c.start.next = true;
        self.c.wants.next = true;
        self.c.start_lanes.next = 1.into();
        self.c.start_warp.next = warp.into();
        self.c.number.next = u64::from(number).into();
        self.c.op.next = csr_op::WRITE.into();
        self.c.writes.next = value.is_some();
        self.c.operand[0].next = u64::from(value.unwrap_or(77)).into();
        self.c.settle();
        self.tick();
        let at = self.cycle;
        self.c.start.next = false;
        self.c.take.next = true;
        self.c.settle();
        while !self.c.ready.val() {
            self.tick();
        }
        let result = self.c.result[0].val().low();
        self.tick();
        (result, at)
    }

    fn read(&mut self, warp: u64, number: u16) -> (u32, u64) {
        self.access(warp, number, None)
    }

    fn write(&mut self, warp: u64, number: u16, value: u32) {
        self.access(warp, number, Some(value));
    }
}

const RATES: [(u16, u64); 7] =
    [(MCYCLE, 1), (0xb03, 1), (0xb04, 64), (0xb05, 2), (0xb06, 3), (0xb07, 1), (0xb08, 2)];

const BOTH: [&str; 2] = ["parallel", "serial"];

#[test]
fn counters_run_stand_and_run_on() {
    BOTH.into_iter().for_each(runs_stands_and_runs_on);
}

fn runs_stands_and_runs_on(csrs: &str) {
    let mut b = Bench::new("thread", csrs);
    for (number, rate) in RATES {
        let (value, at) = b.read(1, number);
        assert_eq!(u64::from(value), rate * at, "{number:#x}");
    }
    // Odd counters of warp 1 stand still; those of warp 2 do not.
    b.write(1, MCOUNTINHIBIT, 0xa9);
    let stood: Vec<_> = RATES.iter().map(|(number, _)| b.read(1, *number).0).collect();
    (0..50).for_each(|_| b.tick());
    for ((number, rate), stood) in RATES.into_iter().zip(&stood) {
        let (value, at) = b.read(1, number);
        if 0xa9 >> (number & 31) & 1 != 0 {
            assert_eq!(value, *stood, "{number:#x} stands");
        } else {
            assert_eq!(u64::from(value), rate * at, "{number:#x} runs");
        }
        let (value, at) = b.read(2, number);
        assert_eq!(u64::from(value), rate * at, "{number:#x} of the other warp");
    }
    b.write(1, MCOUNTINHIBIT, 0);
    let since = b.cycle;
    for ((number, rate), stood) in RATES.into_iter().zip(stood) {
        let (first, t0) = b.read(1, number);
        (0..9).for_each(|_| b.tick());
        let (second, t1) = b.read(1, number);
        assert_eq!(u64::from(second - first), rate * (t1 - t0), "{number:#x} runs on");
        if 0xa9 >> (number & 31) & 1 != 0 {
            let ran = u64::from(first - stood);
            // Serially the value comes when all lanes have walked.
            let walk = 5 * COUNTERS as u64;
            let (walked, walks) = if csrs == "serial" { (walk + 5, 0) } else { (0, walk) };
            let range = rate * (t0 - since - walks)..=rate * (t0 - since + walked);
            assert!(range.contains(&ran), "{ran}");
        }
    }
    let (time, at) = b.read(1, TIME);
    assert_eq!(u64::from(time), at);
}

#[test]
fn mcycle_takes_both_halves() {
    for (inhibit, csrs) in [0, 1].into_iter().flat_map(|i| BOTH.map(|csrs| (i, csrs))) {
        let mut b = Bench::new("thread", csrs);
        b.write(3, MCOUNTINHIBIT, inhibit);
        b.write(3, MCYCLE, 0xffff_ff00);
        b.write(3, MCYCLEH, 5);
        let (low, t0) = b.read(3, MCYCLE);
        assert!((0xffff_ff00..0xffff_ff40).contains(&low), "{low:#x}");
        assert_eq!(b.read(3, CYCLEH).0, 5);
        (0..0x100).for_each(|_| b.tick());
        let (low_again, t1) = b.read(3, CYCLE);
        if inhibit == 1 {
            assert_eq!(low_again, low);
            assert_eq!(b.read(3, MCYCLEH).0, 5);
        } else {
            assert_eq!(u64::from(low_again.wrapping_sub(low)), t1 - t0);
            assert_eq!(b.read(3, MCYCLEH).0, 6, "the low half has wrapped");
        }
        let (value, at) = b.read(0, MCYCLE);
        assert_eq!(u64::from(value), at, "another hart's");
        b.write(3, 0xb03, 99);
        let (value, at) = b.read(3, 0xb03);
        assert_eq!(u64::from(value), at, "writes are ignored");
    }
}

#[test]
fn issued_instructions_count_with_warp_counters() {
    BOTH.into_iter().for_each(issued_instructions_count);
}

fn issued_instructions_count(csrs: &str) {
    let mut b = Bench::new("warp", csrs);
    b.c.lane_warp[0].next = 1.into();
    b.c.warp_issue.next = 1.into();
    b.c.settle();
    (0..10).for_each(|_| b.tick());
    b.c.warp_issue.next = 0.into();
    b.c.settle();
    assert_eq!((b.read(1, MINSTRET).0, b.read(2, MINSTRET).0), (10, 0));
}

/// The count beside `minstret` is added to its words before it is full, whatever else
/// goes on, and nothing is lost on the way from one half to the other.
#[test]
fn a_sweep_comes_in_time() {
    BOTH.into_iter().for_each(sweeps_in_time);
}

fn sweeps_in_time(csrs: &str) {
    let config = config(2, 4, "thread", true, csrs);
    let mut c = CsrFile::<2>::new(&config).with_instret(u32::MAX - 9, 6);
    c.power_up();
    let mut counted = [0u64; 4];
    let mut sweeps = 0;
    let mut in_flight = 0;
    for cycle in 0u64..100_000 {
        let warp = if cycle % 5 == 0 { cycle / 5 % 4 } else { 1 };
        // What has been issued still comes.
        in_flight = if c.hold.val() { in_flight + 1 } else { 0 };
        let comes = in_flight < 7;
        sweeps += u64::from(in_flight == 1);
        counted[warp as usize] += u64::from(comes);
        (0..2).for_each(|i| c.lane_warp[i].next = warp.into());
        c.done.next = if comes { 3 } else { 0 }.into();
        // A sequencer that is nearly always busy.
        c.start.next = comes && !c.busy.val();
        c.number.next = u64::from(MCOUNTINHIBIT).into();
        c.writes.next = true;
        c.op.next = csr_op::SET.into();
        c.start_lanes.next = 0.into();
        c.settle();
        c.tick();
    }
    assert!((4..8).contains(&sweeps), "{sweeps}");
    for (warp, counted) in counted.into_iter().enumerate() {
        let at = |word: u64| c._memory[(word as usize * 4 + warp) * 2 + 1];
        let words = u64::from(at(22)) | u64::from(at(23)) << 32;
        let beside = u64::from(c._counts[warp * 2 + 1].value);
        let pending = u64::from(warp == 3);
        let sum = words + beside;
        let expected = (6 << 32 | u64::from(u32::MAX - 9)) + counted;
        assert!(expected - sum <= pending.max(1), "warp {warp}: {sum:#x} of {expected:#x}");
    }
}
