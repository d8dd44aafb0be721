//! Instruction streams through stages 6 to 8 against one plain record per
//! thread, and directed tests of the counters that stand and run.
//!
//! Long by two lines, because the streams and the directed tests share their records.

use super::state::LAST_STEP;
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

fn config(t: usize, warps: usize, counters: &str, traps: bool) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(warps.to_string()),
        counters: Some(counters.into()),
        traps: Some(if traps { "on" } else { "off" }.into()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
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

/// Issues the stream, one instruction per cycle unless its warp must wait.
fn check<const T: usize>(warps: usize, counters: &str, traps: bool, stream: &[Insn]) {
    let config = config(T, warps, counters, traps);
    let mut c = CsrFile::<T>::new(&config);
    c.power_up();
    let mut threads = vec![Thread { traps, ..Thread::default() }; T * warps];
    let mut stages = [BUBBLE; 2];
    let mut old_7 = [0; T];
    let mut trap_addresses = [(0, 0); T];
    let mut free_at = vec![0; warps];
    let mut left = stream.iter();
    let mut waiting = None;
    let mut drain = 4;
    for cycle in 0.. {
        let next = waiting.take().or_else(|| left.next().copied());
        let mut now = BUBBLE;
        match next {
            Some(mut insn) => {
                insn.warp %= warps;
                if config.counters == Counters::None
                    && !matches!(insn.number, 0x300..0x320 | 0x340..0x350 | 0x7c0 | 0xf00..)
                {
                    insn.number = MSCRATCH;
                }
                let may_go = insn.kind == Kind::Plain || free_at[insn.warp] <= cycle;
                (now, waiting) = if may_go { (insn, None) } else { (BUBBLE, Some(insn)) };
            }
            None if drain == 0 => break,
            None => drain -= 1,
        }
        if !matches!(now.kind, Kind::Plain | Kind::Bubble) {
            free_at[now.warp] = cycle + 2 + 6;
        }
        let [at_7, at_8] = stages;

        let mut done = 0;
        let writes = at_8.kind == Kind::Csr && (at_8.op < 2 || at_8.operand != 0);
        let replays = at_8.kind == Kind::Csr && c.busy.val();
        let active = if replays || at_8.kind == Kind::Bubble { 0 } else { at_8.mask };
        for i in 0..T {
            c.read_warp[i].next = (now.warp as u64).into();
            c.read_number[i].next = u64::from(now.number).into();
            c.write_warp[i].next = (at_8.warp as u64).into();
            c.csr_op[i].next = at_8.op.max(1).into();
            c.csr_number[i].next = u64::from(at_8.number).into();
            let operand = at_8.operand.rotate_left(i as u32);
            c.csr_operand[i].next = u64::from(operand).into();
            c.csr_old[i].next = u64::from(old_7[i]).into();
            c.trap_pc[i].next = u64::from(operand >> 2).into();
            c.trap_cause[i].next = u64::from(operand >> 7).into();
            c.trap_value[i].next = u64::from(!operand).into();
            if active >> i & 1 == 0 {
                continue;
            }
            let hart = at_8.warp * T + i;
            let thread = &mut threads[hart];
            let mut counted = at_8.kind != Kind::Trap;
            match at_8.kind {
                Kind::Csr => {
                    let old = thread.value(at_8.number, hart);
                    assert_eq!(old_7[i], old, "{:#x} of hart {hart}", at_8.number);
                    let new = match at_8.op {
                        2 => old | operand,
                        3 => old & !operand,
                        _ => operand,
                    };
                    if writes {
                        counted &= thread.write(at_8.number, new);
                    }
                }
                Kind::Trap if traps => thread.trap(operand & !3, operand >> 7 & 15, !operand),
                Kind::Mret => {
                    assert_eq!(trap_addresses[i].1, thread.get(MEPC) >> 2);
                    thread.mret();
                }
                _ => {}
            }
            if counted && config.counters == Counters::Thread && thread.get(MCOUNTINHIBIT) & 4 == 0
            {
                thread.instret = thread.instret.wrapping_add(1);
            }
            done |= u64::from(at_8.kind != Kind::Trap) << i;
        }
        let when = |yes: bool| if yes { active } else { 0 };
        c.look.next = now.kind != Kind::Bubble;
        c.read.next = if now.kind == Kind::Csr { now.mask } else { 0 }.into();
        c.csr_write.next = when(writes).into();
        c.trap.next = when(at_8.kind == Kind::Trap).into();
        c.mret.next = when(at_8.kind == Kind::Mret).into();
        c.done.next = done.into();
        c.settle();
        for i in 0..T {
            old_7[i] = c.old[i].val().low();
            trap_addresses[i] = (c.mtvec[i].val().low(), c.mepc[i].val().low());
            if at_7.kind != Kind::Csr || at_7.mask >> i & 1 == 0 {
                assert_eq!(old_7[i], 0);
            }
            if at_7.kind == Kind::Trap {
                let vector = threads[at_7.warp * T + i].get(MTVEC);
                assert_eq!(trap_addresses[i].0, vector >> 2);
            }
        }
        c.tick();
        stages = [now, at_7];
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn streams_of_instructions(stream in prop::collection::vec(insn(), 1..200)) {
        check::<1>(1, "thread", true, &stream);
        check::<4>(8, "thread", true, &stream);
        check::<4>(2, "none", true, &stream);
        check::<2>(2, "thread", false, &stream);
        check::<4>(8, "none", false, &stream);
        check::<64>(32, "thread", true, &stream);
    }
}

/// One lane with hand-made accesses, far enough apart.
struct Bench {
    c: CsrFile<1>,
    cycle: u64,
}

impl Bench {
    fn new(counters: &str) -> Bench {
        let mut c = CsrFile::new(&config(1, 4, counters, true));
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

    /// The value, and the cycle it was seen in.
    fn read(&mut self, warp: u64, number: u16) -> (u32, u64) {
        while self.c.busy.val() {
            self.tick();
        }
        self.c.read.next = 1.into();
        self.c.read_warp[0].next = warp.into();
        self.c.read_number[0].next = u64::from(number).into();
        self.c.settle();
        self.tick();
        self.c.read.next = 0.into();
        self.c.settle();
        (self.c.old[0].val().low(), self.cycle)
    }

    fn write(&mut self, warp: u64, number: u16, value: u32) {
        let (old, _) = self.read(warp, number);
        self.tick();
        self.c.csr_write.next = 1.into();
        self.c.csr_op[0].next = csr_op::WRITE.into();
        self.c.write_warp[0].next = warp.into();
        self.c.csr_number[0].next = u64::from(number).into();
        self.c.csr_operand[0].next = u64::from(value).into();
        self.c.csr_old[0].next = u64::from(old).into();
        self.c.settle();
        self.tick();
        self.c.csr_write.next = 0.into();
        self.c.settle();
    }
}

const RATES: [(u16, u64); 7] =
    [(MCYCLE, 1), (0xb03, 1), (0xb04, 64), (0xb05, 2), (0xb06, 3), (0xb07, 1), (0xb08, 2)];

#[test]
fn counters_run_stand_and_run_on() {
    let mut b = Bench::new("thread");
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
            let walk = u64::from(LAST_STEP);
            assert!(ran <= rate * (t0 - since) && ran >= rate * (t0 - since - walk), "{ran}");
        }
    }
    assert_eq!(b.read(1, TIME), (b.cycle as u32, b.cycle));
}

#[test]
fn mcycle_takes_both_halves() {
    for inhibit in [0, 1] {
        let mut b = Bench::new("thread");
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
        assert_eq!(b.read(0, MCYCLE), (b.cycle as u32, b.cycle), "another hart's");
        b.write(3, 0xb03, 99);
        assert_eq!(b.read(3, 0xb03), (b.cycle as u32, b.cycle), "writes are ignored");
    }
}

#[test]
fn issued_instructions_count_with_warp_counters() {
    let mut b = Bench::new("warp");
    b.c.write_warp[0].next = 1.into();
    b.c.warp_issue.next = 1.into();
    b.c.settle();
    (0..10).for_each(|_| b.tick());
    b.c.warp_issue.next = 0.into();
    b.c.settle();
    assert_eq!((b.read(1, MINSTRET).0, b.read(2, MINSTRET).0), (10, 0));
}
