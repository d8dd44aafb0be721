//! Everything outside the harts: RAM, device window, HTIF and reservations.
//!
//! Both ways of interpreting a program stand on this; the rules of a *pass*
//! (which lanes are served together) are theirs, single accesses are here.

mod devices;
mod htif;
mod ram;

pub use devices::Devices;
pub use htif::{End, Htif};
pub use ram::Ram;

use crate::program::Program;
use hdl::config::CoreConfig;
use hdl::platform as map;

/// Where an address leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Region {
    /// RAM.
    Ram,
    /// The device window.
    Device,
    /// Nowhere: an access fault.
    Hole,
}

/// The platform around the harts.
pub struct Platform {
    /// Main memory.
    pub ram: Ram,
    /// Device window.
    pub devices: Devices,
    /// Host interface.
    pub htif: Htif,
    /// Per hart the word it has reserved.
    reservations: Vec<Option<u32>>,
    reserved: u32,
    /// Per word, when it was last stored; kept for a checker only.
    stored_at: Option<Vec<u64>>,
    /// Counts stores while `stored_at` is kept.
    pub store_clock: u64,
}

impl Platform {
    /// A platform with the program loaded.
    pub fn new(config: &CoreConfig, program: &Program) -> Platform {
        let mut ram = Ram::new(config.ram_size, config.isa);
        for segment in &program.segments {
            ram.write_bytes(segment.addr, &segment.bytes);
        }
        Platform {
            ram,
            devices: Devices::new(config),
            htif: Htif::new(program.tohost, program.fromhost),
            reservations: vec![None; config.total_harts() as usize],
            reserved: 0,
            stored_at: None,
            store_clock: 0,
        }
    }

    /// Remembers from now on when each word was stored.
    pub fn keep_store_times(&mut self) {
        self.stored_at = Some(vec![0; self.ram.bytes() as usize / 4]);
    }

    /// When the word at `addr` was last stored by a hart; 0 = never.
    pub fn stored_at(&self, addr: u32) -> u64 {
        self.stored_at.as_ref().map_or(0, |t| t[Ram::index(addr)])
    }

    /// Where an address leads.
    #[inline]
    pub fn region(&self, addr: u32) -> Region {
        if self.ram.contains(addr) {
            Region::Ram
        } else if addr.wrapping_sub(map::DEVICE_BASE) < map::DEVICE_SIZE {
            Region::Device
        } else {
            Region::Hole
        }
    }

    /// Loads the aligned word that holds `addr`.
    pub fn load_word(&self, addr: u32) -> u32 {
        match self.region(addr) {
            Region::Ram => self.ram.word(addr),
            Region::Device => self.devices.load(addr & !3),
            Region::Hole => unreachable!("access faults are found before"),
        }
    }

    /// A store to RAM, with what follows from it.
    #[inline]
    pub fn store_ram(&mut self, addr: u32, data: u32, enable: u8) {
        self.ram.store(addr, data, enable);
        if self.reserved != 0 {
            self.clear_reservations(addr & !3);
        }
        self.htif.note(addr & !3);
        if let Some(times) = &mut self.stored_at {
            self.store_clock += 1;
            times[Ram::index(addr)] = self.store_clock;
        }
    }

    /// A store of whole consecutive words to RAM, all of them quiet.
    #[inline]
    pub fn store_ram_block(&mut self, addr: u32, data: &[u32]) {
        debug_assert!(self.stored_at.is_none());
        debug_assert!(self.is_quiet(addr, data.len() as u32));
        self.ram.store_block(addr, data);
    }

    /// Can these words be stored as a block: nothing watches one of them?
    #[inline]
    pub fn is_quiet(&self, addr: u32, words: u32) -> bool {
        self.reserved == 0 && !self.htif.listens(addr, words)
    }

    fn clear_reservations(&mut self, addr: u32) {
        for slot in &mut self.reservations {
            if *slot == Some(addr) {
                *slot = None;
                self.reserved -= 1;
            }
        }
    }

    /// LR.
    pub fn reserve(&mut self, hart: u32, addr: u32) {
        let slot = &mut self.reservations[hart as usize];
        self.reserved += u32::from(slot.is_none());
        *slot = Some(addr);
    }

    /// Gives up the hart's reservation (SC, trap); was it for `addr`?
    pub fn unreserve(&mut self, hart: u32, addr: u32) -> bool {
        if self.reserved == 0 {
            return false;
        }
        let slot = self.reservations[hart as usize].take();
        self.reserved -= u32::from(slot.is_some());
        slot == Some(addr)
    }

    /// All reservations, to compare states.
    pub fn reservations(&self) -> &[Option<u32>] {
        &self.reservations
    }

    /// Lets a store to `tohost` act; to be called once after each pass.
    #[inline]
    pub fn finish_pass(&mut self) {
        if self.htif.pending() {
            self.htif.act(&mut self.ram);
        }
    }
}
