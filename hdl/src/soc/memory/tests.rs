//! Random requests against a plain array of words and one of reservations; replies
//! are taken late, fetches come in between.

use super::*;
use crate::config::RawConfig;
use crate::platform::RAM_BASE;
use std::collections::VecDeque;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }

    /// Often a corner of the range.
    fn word(&mut self) -> u32 {
        let any = self.below(1 << 31) as u32 ^ (self.below(2) as u32) << 31;
        [any, 0, 1, u32::MAX, 1 << 31, i32::MAX as u32][self.below(6)]
    }
}

/// What memory must be.
struct Model {
    words: Vec<u32>,
    /// By hart: the word that is reserved.
    reserved: Vec<Option<usize>>,
}

impl Model {
    fn store(&mut self, at: usize, data: u32, enable: u32) {
        let mask = (0..4).filter(|b| enable >> b & 1 != 0).fold(0, |m, b| m | 0xff << (8 * b));
        self.words[at] = self.words[at] & !mask | data & mask;
        self.reserved.iter_mut().for_each(|r| *r = r.filter(|word| *word != at));
    }
}

fn amo(op: usize, old: u32, operand: u32) -> u32 {
    let (a, b) = (old as i32, operand as i32);
    match op {
        4 => operand,
        5 => old.wrapping_add(operand),
        6 => old ^ operand,
        7 => old & operand,
        8 => old | operand,
        9 => a.min(b) as u32,
        10 => a.max(b) as u32,
        11 => old.min(operand),
        _ => old.max(operand),
    }
}

struct Bench<const T: usize> {
    memory: Memory<T>,
    model: Model,
    random: Random,
    warps: usize,
    /// What the reply must be, and the words that count.
    owed: Option<(u64, Vec<(usize, u32)>)>,
    closed: bool,
    one_port: bool,
    /// The place of the fetch that was taken and has no reply, and once it could be read the
    /// word that was there.
    fetching: Option<(usize, Option<u32>)>,
    /// The words of replies, the next one first.
    due: VecDeque<Option<u32>>,
    again: usize,
    replies: usize,
    won: usize,
    fetches: usize,
    cleared: usize,
}

/// Does an SC or AMO work on its words?
fn under_way<const T: usize>(m: &Memory<T>) -> bool {
    let owed = &m.owed.q;
    let in_turn = m.in_turn.iter().any(|turns| turns.busy.val());
    owed.change.val() || owed.combine.val() || owed.finish.val() || in_turn
}

impl<const T: usize> Bench<T> {
    /// Words that requests touch, from the start of RAM; the rest is never written.
    const WORDS: usize = if T > 16 { T } else { 16 };

    fn new(warps: usize, two_ports: bool) -> Self {
        let raw = RawConfig {
            threads_per_warp: Some(T.to_string()),
            warps: Some(warps.to_string()),
            ram_size: Some("4K".into()),
            ..RawConfig::default()
        };
        let image: Vec<u32> = (0..1024_u32).map(|i| i.wrapping_mul(0x0123_4567)).collect();
        let model = Model { words: image.clone(), reserved: vec![None; warps * T] };
        let options = SocOptions { image, tohost: RAM_BASE, uart_divisor: 1, two_ports };
        let mut memory = Memory::new(&raw.validate().unwrap(), &options);
        memory.reset.next = true;
        memory.update_all();
        for _ in 0..2 {
            memory.clock.next = memory.clock.val().tick();
            memory.update_all();
        }
        memory.reset.next = false;
        // It takes fetches from the cycle after reset on.
        memory.clock.next = memory.clock.val().tick();
        memory.update_all();
        let random = Random(T as u64);
        Bench {
            memory,
            model,
            random,
            warps,
            owed: None,
            closed: false,
            one_port: !two_ports,
            fetching: None,
            due: vec![None; 1 + fetch_registers(T)].into(),
            again: 0,
            replies: 0,
            won: 0,
            fetches: 0,
            cleared: 0,
        }
    }

    /// A request of lanes on words, as the core makes them.
    fn ask(&mut self) {
        let (m, random) = (&mut self.memory, &mut self.random);
        // What is worked on in turn stays at the port.
        let stays = !m.in_turn.is_empty() && under_way(m);
        let op = [random.below(14), 2, 3][random.below(3)];
        let block = random.below(Self::WORDS / T) * T;
        m.request.next = random.below(4) != 0;
        m.op.next = (op as u64).into();
        m.tag.next = (random.below(16) as u64).into();
        m.warp.next = (random.below(self.warps) as u64).into();
        m.block.next = (u64::from(RAM_BASE / 4) + block as u64).into();
        let mut lanes = 0u64;
        m.enable.iter_mut().for_each(|enable| enable.next = 0.into());
        for lane in 0..T {
            let word = random.below(T);
            if stays {
                continue;
            }
            m.word[lane].next = (word as u64).into();
            // AMO and SC: one lane per word.
            let taken = (3..13).contains(&op) && m.enable[word].next.any();
            if taken || random.below(4) == 0 {
                continue;
            }
            lanes |= 1 << lane;
            if op != 13 {
                let part = if op == 1 { 1 + random.below(15) } else { 15 };
                m.enable[word].next = (part as u64).into();
                m.data[word].next = u64::from(random.word()).into();
            }
        }
        m.lanes.next = lanes.into();
        m.request.next &= lanes != 0;
        m.reply_ready.next = random.below(3) != 0;
        // Now and then the port is closed, and a word cleared once no reply is owed.
        self.closed = m.closing.val();
        m.closing.next = random.below(16) == 0;
        let clears = self.closed && self.owed.is_none() && !under_way(m) && random.below(2) == 0;
        m.clear.next = clears;
        m.clear_word.next = (u64::from(RAM_BASE / 4) + random.below(Self::WORDS) as u64).into();
        m.fetch.next = random.below(4) != 0;
        m.fetch_word.next = (u64::from(RAM_BASE / 4) + random.below(Self::WORDS) as u64).into();
    }

    /// Whether the row of `place` is one that is stored to, or about to be, or the only read port
    /// is in use: what a fetch reads now does not count.
    fn meets(&self, place: usize) -> bool {
        let m = &self.memory;
        let (op, owed) = (m.op.val().index(), &m.owed.q);
        let row = |word: usize| (word - RAM_BASE as usize / 4) / T == place / T;
        let asked = m.request.val() && op != 0 && op != 2 && row(m.block.val().index());
        let changes = under_way(m) && owed.row.val().index() % (1024 / T) == place / T;
        let clears = m.clear.val() && row(m.clear_word.val().index());
        let reads = m.request.val() && m.ready.val() && !matches!(op, 1 | 3 | 13);
        let works = !m.in_turn.is_empty() && under_way(m);
        let needed = self.one_port && (reads || works || m.reply.val() && !m.reply_ready.val());
        asked || changes || clears || needed
    }

    /// What the taken request does to the model.
    fn perform(&mut self) {
        let (m, model) = (&self.memory, &mut self.model);
        let op = m.op.val().index();
        let block = m.block.val().index() - RAM_BASE as usize / 4;
        let mut reply = vec![];
        for word in 0..T {
            let (enable, data) = (m.enable[word].val().low(), m.data[word].val().low());
            if enable == 0 || op == 3 {
                continue;
            }
            let old = model.words[block + word];
            match op {
                1 => model.store(block + word, data, enable),
                4..13 => model.store(block + word, amo(op, old, data), 15),
                _ => {}
            }
            reply.push((word, old));
        }
        for lane in (0..T).filter(|lane| m.lanes.val().get_bit(*lane)) {
            let (hart, word) = (m.warp.val().index() * T + lane, m.word[lane].val().index());
            match op {
                2 => model.reserved[hart] = Some(block + word),
                3 => {
                    let held = model.reserved[hart] == Some(block + word);
                    model.reserved[hart] = None;
                    if held {
                        model.store(block + word, m.data[word].val().low(), 15);
                        self.won += 1;
                    }
                    reply.push((word, u32::from(!held)));
                }
                13 => model.reserved[hart] = None,
                _ => {}
            }
        }
        if op != 1 && op != 13 {
            self.owed = Some((m.tag.val().raw(), reply));
        }
    }

    fn cycle(&mut self) {
        self.ask();
        self.memory.update_all();
        let m = &self.memory;
        // An SC replies when it has worked on its words, if that takes turns.
        let waits = !m.in_turn.is_empty() && m.owed.q.op.val() == 3 && under_way(m);
        assert_eq!(m.reply.val(), self.owed.is_some() && !waits);
        let word = self.fetching.and_then(|(_, word)| word);
        let due = self.due.pop_front().unwrap();
        assert_eq!(m.fetch_reply.val(), due.is_some());
        if let Some(due) = due {
            assert_eq!(m.insn.val().low(), due);
            self.fetches += 1;
        }
        self.due.push_back(word);
        if word.is_some() {
            self.fetching = None;
        }
        if let Some((tag, words)) = self.owed.as_ref().filter(|_| !waits) {
            assert_eq!(m.reply_tag.val().raw(), *tag);
            for (word, value) in words {
                assert_eq!(m.reply_data[*word].val().low(), *value, "{:?}", m.op);
            }
            assert!(!m.ready.val(), "one reply at a time");
            if m.reply_ready.val() {
                self.owed = None;
                self.replies += 1;
            }
        }
        // A fetch gets what was there before this cycle, or reads again in the next.
        assert_eq!(m.fetch_ready.val(), self.fetching.is_none());
        if m.fetch.val() && m.fetch_ready.val() {
            self.fetching = Some((m.fetch_word.val().index() - RAM_BASE as usize / 4, None));
        }
        if let Some((place, _)) = self.fetching {
            let word = (!self.meets(place)).then_some(self.model.words[place]);
            self.fetching = Some((place, word));
            self.again += usize::from(word.is_none());
        }
        let m = &self.memory;
        assert!(!self.closed || !m.ready.val());
        if m.clear.val() {
            self.model.words[m.clear_word.val().index() - RAM_BASE as usize / 4] = 0;
            self.cleared += 1;
        }
        if self.memory.request.val() && self.memory.ready.val() {
            self.perform();
        }
        self.memory.clock.next = self.memory.clock.val().tick();
        self.memory.update_all();
        if self.owed.is_none() && !under_way(&self.memory) {
            let place = self.random.below(Self::WORDS);
            assert_eq!(self.memory.banks[place % T]._mem[place / T], self.model.words[place]);
        }
    }
}

fn check<const T: usize>(warps: usize, two_ports: bool) {
    let mut bench = Bench::<T>::new(warps, two_ports);
    for _ in 0..30_000 {
        bench.cycle();
    }
    let Bench { replies, won, fetches, cleared, again, .. } = bench;
    assert!(replies > 2_000 && won > 50 && fetches > 2_000, "{replies} {won} {fetches}");
    assert!(cleared > 100 && again > 1_000, "{cleared} {again}");
}

#[test]
fn every_operation_is_that_of_the_port() {
    check::<1>(1, true);
    check::<4>(2, true);
    check::<4>(2, false);
    check::<16>(4, true);
    // Reservations are swept.
    check::<8>(16, true);
    check::<8>(16, false);
    check::<16>(8, true);
    check::<32>(4, true);
}
