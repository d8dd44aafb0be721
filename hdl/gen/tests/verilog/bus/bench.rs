//! Memories on a bus that answer when and in what order they like, and hold the core to
//! the bus's rules.

use hdl::bus::axi4::Axi4;
use hdl::bus::port::AxiPort;
use hdl::bus::wishbone::Wishbone;
use hdl::divergence::port::Unit;
use hdl::platform::RAM_BASE;
use hdl::rtl::prelude::*;
use hdl::soc::boot::Boot;
use std::collections::VecDeque;

/// Numbers that decide what is slow.
pub struct Dice(pub u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// RAM with the end of a run at `tohost`.
pub struct Ram {
    pub words: Vec<u32>,
    tohost: usize,
}

impl Ram {
    pub fn new(image: Boot) -> Ram {
        let tohost = (image.tohost.unwrap() - RAM_BASE) as usize / 4;
        Ram { words: image.words, tohost }
    }

    fn at(&self, address: u64) -> usize {
        let place = (address - u64::from(RAM_BASE)) as usize / 4;
        assert!(place < self.words.len(), "{address:#x} is not in RAM");
        place
    }

    /// From the start, zero where `words` end.
    pub fn of(words: &[u32]) -> Ram {
        let mut ram = Ram { words: words.to_vec(), tohost: 1023 };
        ram.words.resize(1024, 0);
        ram
    }

    fn store(&mut self, address: u64, data: u64, enable: u64) {
        let place = self.at(address);
        for byte in (0..4).filter(|byte| enable >> byte & 1 != 0) {
            let mask = 0xff << (8 * byte);
            self.words[place] = self.words[place] & !mask | data as u32 & mask;
        }
    }

    /// The exit code.
    fn end(&self) -> Option<u32> {
        let low = self.words[self.tohost];
        (low & 1 != 0).then_some(low >> 1)
    }
}

/// What memory refuses.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub enum Refuses {
    #[default]
    Nothing,
    Fetches,
    Loads,
    Stores,
}

/// Data is behind the code where something is refused.
pub const DATA: u64 = RAM_BASE as u64 + 256;

/// A circuit with a bus, and the memory on it.
pub trait Bench: Sim {
    type Memory: Default;
    fn refuse(memory: &mut Self::Memory, what: Refuses);
    /// AMOs that were written under the lock.
    fn locked(memory: &Self::Memory) -> usize;
    /// Nothing is asked for.
    fn quiet(&self) -> bool;
    /// Sets the inputs of a cycle.
    fn drive(&mut self, memory: &mut Self::Memory, dice: &mut Dice);
    /// Takes what was asked for in it.
    fn look(&mut self, memory: &mut Self::Memory, ram: &mut Ram, dice: &mut Dice);
    fn fatal(&self) -> bool;
}

pub struct Read {
    id: u64,
    address: u64,
    left: u64,
}

/// What an AXI memory owes.
#[derive(Default)]
pub struct AxiMemory {
    reads: Vec<Read>,
    /// The read whose word is on the bus.
    offered: Option<usize>,
    /// Of writes: addresses with the words that still belong to them, and words (data,
    /// enable, last) whose address has not been taken.
    addresses: VecDeque<(u64, u64)>,
    words: VecDeque<(u64, u64, bool)>,
    /// Which of both this memory wants first.
    order: u64,
    /// Address, data, enable.
    writes: Vec<(u64, u64, u64)>,
    /// The words that were read under the lock.
    under_lock: Option<(u64, u64)>,
    locked: usize,
    refuses: Refuses,
    /// Bursts of which all words have come.
    owed: usize,
    before: Vec<(bool, u64)>,
}

/// Valid with what must stay until ready.
pub fn channels(axi: &AxiPort) -> Vec<(bool, u64)> {
    let address =
        |a: &Signal<Out, U<32>>, len: &Signal<Out, U<8>>| a.val().raw() << 8 | len.val().raw();
    vec![
        (axi.arvalid.val(), address(&axi.araddr, &axi.arlen) << 5 | axi.arid.val().raw()),
        (axi.awvalid.val(), address(&axi.awaddr, &axi.awlen)),
        (
            axi.wvalid.val(),
            axi.wdata.val().raw() << 5 | axi.wstrb.val().raw() << 1 | u64::from(axi.wlast.val()),
        ),
    ]
}

impl<const T: usize, U: Unit<T>> Bench for Axi4<T, U> {
    type Memory = AxiMemory;

    fn refuse(memory: &mut AxiMemory, what: Refuses) {
        memory.refuses = what;
    }

    fn locked(memory: &AxiMemory) -> usize {
        memory.locked
    }

    fn quiet(&self) -> bool {
        !self.axi.arvalid.val() && !self.axi.awvalid.val() && !self.axi.wvalid.val()
    }

    fn drive(&mut self, memory: &mut AxiMemory, dice: &mut Dice) {
        let axi = &mut self.axi;
        axi.arready.next = dice.roll(3) != 0;
        // Address and words are taken in any order, or the one after all of the other.
        let (addresses, words) = (&memory.addresses, &memory.words);
        if addresses.is_empty() && words.is_empty() {
            memory.order = dice.roll(3);
        }
        let whole = words.iter().any(|word| word.2);
        axi.awready.next = dice.roll(3) != 0 && (memory.order != 1 || whole);
        axi.wready.next = dice.roll(3) != 0
            && !(memory.order == 2 && addresses.is_empty())
            && !(whole && addresses.is_empty());
        // Any of the bursts goes on, but of one ID the oldest.
        memory.offered = None;
        if !memory.reads.is_empty() && dice.roll(4) != 0 {
            let pick = dice.roll(memory.reads.len() as u64) as usize;
            let id = memory.reads[pick].id;
            memory.offered = memory.reads.iter().position(|read| read.id == id);
        }
        axi.rvalid.next = memory.offered.is_some();
        axi.bvalid.next = memory.owed > 0 && dice.roll(4) == 0;
        let refused = memory.refuses == Refuses::Stores;
        axi.bresp.next = (2 * u64::from(refused)).into();
    }

    fn look(&mut self, memory: &mut AxiMemory, ram: &mut Ram, dice: &mut Dice) {
        let axi = &mut self.axi;
        for ((was, held), (is, now)) in memory.before.iter().zip(channels(axi)) {
            assert!(!was || (is && *held == now), "a request has changed before it was taken");
        }
        let ready = [axi.arready.next, axi.awready.next, axi.wready.next];
        memory.before = channels(axi);
        for (channel, ready) in memory.before.iter_mut().zip(ready) {
            channel.0 &= !ready;
        }
        // A write takes effect at any time before its response.
        while memory.writes.len() > 4
            || (!memory.writes.is_empty() && (axi.bvalid.next || dice.roll(2) == 0))
        {
            let (address, data, enable) = memory.writes.remove(0);
            ram.store(address, data, enable);
        }
        memory.owed -= usize::from(axi.bvalid.next);
        if axi.arvalid.val() && axi.arready.next {
            let read = Read {
                id: axi.arid.val().raw(),
                address: axi.araddr.val().raw(),
                left: axi.arlen.val().raw() + 1,
            };
            assert!(read.address % 4096 + 4 * read.left <= 4096, "a burst over 4 KB");
            if read.id < 16 {
                let same = memory.reads.iter().any(|other| other.id == read.id);
                let written = memory.addresses.is_empty() && memory.words.is_empty();
                assert!(!same && written && memory.owed == 0, "read before a write");
                if self.lock.val() {
                    assert!(memory.under_lock.is_none(), "an AMO reads once");
                    memory.under_lock = Some((read.address, read.left));
                }
            }
            memory.reads.push(read);
        }
        let (address, word) =
            (axi.awvalid.val() && axi.awready.next, axi.wvalid.val() && axi.wready.next);
        if address || word {
            assert!(memory.reads.iter().all(|read| read.id == 16), "written before a read");
        }
        if address {
            let burst = (axi.awaddr.val().raw(), axi.awlen.val().raw() + 1);
            if self.lock.val() {
                assert_eq!(memory.under_lock, Some(burst), "an AMO writes what it read");
                memory.locked += 1;
            }
            memory.addresses.push_back(burst);
        }
        if word {
            let (data, enable) = (axi.wdata.val().raw(), axi.wstrb.val().raw());
            memory.words.push_back((data, enable, axi.wlast.val()));
        }
        if !self.lock.val() {
            memory.under_lock = None;
        }
        while let (Some((address, left)), false) =
            (memory.addresses.front_mut(), memory.words.is_empty())
        {
            let (data, enable, last) = memory.words.pop_front().unwrap();
            memory.writes.push((*address, data, enable));
            assert_eq!(last, *left == 1);
            (*address, *left) = (*address + 4, *left - 1);
            if last {
                memory.addresses.pop_front();
                memory.owed += 1;
            }
        }
        if let Some(at) = memory.offered {
            let read = &mut memory.reads[at];
            read.address += 4;
            read.left -= 1;
            if read.left == 0 {
                memory.reads.remove(at);
            }
        }
    }

    fn fatal(&self) -> bool {
        self.fatal.val()
    }
}

/// What a Wishbone memory owes, in order: whether it reads, and where.
#[derive(Default)]
pub struct WishboneMemory {
    owed: VecDeque<Option<u64>>,
    /// The words that were read under the lock.
    under_lock: Vec<u64>,
    locked: usize,
    refuses: Refuses,
}

impl<const T: usize, U: Unit<T>> Bench for Wishbone<T, U> {
    type Memory = WishboneMemory;

    fn refuse(memory: &mut WishboneMemory, what: Refuses) {
        memory.refuses = what;
    }

    fn locked(memory: &WishboneMemory) -> usize {
        memory.locked
    }

    fn quiet(&self) -> bool {
        !self.wb.stb.val()
    }

    fn drive(&mut self, memory: &mut WishboneMemory, dice: &mut Dice) {
        self.wb.stall.next = dice.roll(3) == 0;
        let answers = !memory.owed.is_empty() && dice.roll(4) != 0;
        let refused = memory.refuses
            == match memory.owed.front() {
                Some(Some(address)) if *address < DATA => Refuses::Fetches,
                Some(Some(_)) => Refuses::Loads,
                _ => Refuses::Stores,
            };
        self.wb.err.next = answers && refused;
        self.wb.ack.next = answers && !refused;
    }

    fn look(&mut self, memory: &mut WishboneMemory, ram: &mut Ram, _: &mut Dice) {
        let wb = &self.wb;
        if wb.ack.next || wb.err.next {
            memory.owed.pop_front();
        }
        let lock = self.master.lock.val();
        if !lock {
            memory.under_lock.clear();
        }
        assert!(wb.cyc.val() || !lock, "the bus is let go between the halves of an AMO");
        assert!(wb.cyc.val() || memory.owed.is_empty(), "the cycle ends before its answers");
        if wb.cyc.val() && wb.stb.val() && !wb.stall.next {
            let address = wb.adr.val().raw() << 2;
            ram.at(address);
            if lock && !wb.we.val() {
                memory.under_lock.push(address);
            }
            if wb.we.val() {
                assert!(!lock || memory.under_lock.contains(&address), "written unread");
                memory.locked += usize::from(lock);
                ram.store(address, wb.dat_o.val().raw(), wb.sel.val().raw());
            }
            memory.owed.push_back((!wb.we.val()).then_some(address));
        }
    }

    fn fatal(&self) -> bool {
        self.fatal.val()
    }
}

/// The word that is on the bus, which depends on RAM.
pub trait Words: Bench {
    fn word(&mut self, memory: &Self::Memory, ram: &Ram);
}

impl<const T: usize, U: Unit<T>> Words for Axi4<T, U> {
    fn word(&mut self, memory: &AxiMemory, ram: &Ram) {
        if let Some(at) = memory.offered {
            let read = &memory.reads[at];
            self.axi.rid.next = read.id.into();
            self.axi.rdata.next = u64::from(ram.words[ram.at(read.address)]).into();
            self.axi.rlast.next = read.left == 1;
            let kind = if read.id == 16 { Refuses::Fetches } else { Refuses::Loads };
            self.axi.rresp.next = (2 * u64::from(memory.refuses == kind)).into();
        }
    }
}

impl<const T: usize, U: Unit<T>> Words for Wishbone<T, U> {
    fn word(&mut self, memory: &WishboneMemory, ram: &Ram) {
        if let (true, Some(Some(address))) = (self.wb.ack.next, memory.owed.front()) {
            self.wb.dat_i.next = u64::from(ram.words[ram.at(*address)]).into();
        }
    }
}

/// Runs a program to its end: the exit code, and how many AMOs took the lock.
pub fn run<B: Words>(mut bench: B, image: Boot, seed: u64) -> (u32, usize) {
    let mut ram = Ram::new(image);
    let (mut memory, mut dice) = (B::Memory::default(), Dice(seed));
    bench.power_up();
    for _ in 0..400_000 {
        bench.drive(&mut memory, &mut dice);
        bench.word(&memory, &ram);
        bench.settle();
        assert!(!bench.fatal());
        bench.look(&mut memory, &mut ram, &mut dice);
        if let Some(code) = ram.end() {
            return (code, B::locked(&memory));
        }
        bench.tick();
    }
    panic!("the program has not ended");
}
