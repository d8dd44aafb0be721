//! The control and status registers of one hart.

use hdl::config::{CoreConfig, Counters, Isa};
use hdl::isa::csr::*;

/// What counter CSRs read from outside the hart.
#[derive(Clone, Copy, Default, Debug)]
pub struct CoreCounts {
    /// Cycles of the core.
    pub cycle: u64,
    /// `mhpmcounter3..8`: warp instructions, thread instructions, divergences,
    /// merges, idle cycles, memory transactions.
    pub events: [u64; 6],
}

/// CSR state of one hart. Counters that stand still hold their value; running
/// ones hold the difference to the core's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CsrFile {
    /// mstatus.MIE and mstatus.MPIE.
    pub mie: bool,
    /// See `mie`.
    pub mpie: bool,
    /// Trap vector, direct mode.
    pub mtvec: u32,
    /// `mscratch`
    pub mscratch: u32,
    /// `mepc`
    pub mepc: u32,
    /// `mcause`
    pub mcause: u32,
    /// `mtval`
    pub mtval: u32,
    /// `mcountinhibit`
    pub inhibit: u32,
    /// Split marks.
    pub split: u32,
    /// `mcycle` minus the core's cycle, or its value while inhibited.
    cycle: u64,
    /// Likewise `mhpmcounter3..8` while inhibited.
    frozen: [u64; 6],
    skipped: [u64; 6],
}

/// The writable bits of `mcountinhibit`.
const INHIBIT: u32 = 0b1_1111_1101;

/// Which counter and which half a number in a counter range names.
fn counter(csr: u16, base: u16) -> Option<(u16, bool)> {
    match csr.wrapping_sub(base) {
        n @ 0..=31 => Some((n, false)),
        n @ 0x80..=0x9f => Some((n - 0x80, true)),
        _ => None,
    }
}

fn half(value: u64, high: bool) -> u32 {
    (if high { value >> 32 } else { value }) as u32
}

fn with_half(value: u64, high: bool, word: u32) -> u64 {
    if high {
        value & 0xffff_ffff | u64::from(word) << 32
    } else {
        value >> 32 << 32 | u64::from(word)
    }
}

/// Is the value of this CSR one that only the engine knows (cycles, events)?
/// A checker takes such values from the record.
pub fn is_unpredictable(config: &CoreConfig, csr: u16) -> bool {
    let counter = counter(csr, MCYCLE).or(counter(csr, CYCLE));
    match counter {
        Some((2, _)) => config.counters != Counters::Thread,
        Some((n, _)) => n < 9,
        None => false,
    }
}

/// Is it a counter, or a view of one?
pub fn is_counter(csr: u16) -> bool {
    counter(csr, MCYCLE).or(counter(csr, CYCLE)).is_some()
}

impl CsrFile {
    fn mcycle(&self, core: &CoreCounts) -> u64 {
        if self.inhibit & 1 != 0 { self.cycle } else { self.cycle.wrapping_add(core.cycle) }
    }

    fn event(&self, n: u16, core: &CoreCounts) -> u64 {
        let i = usize::from(n).wrapping_sub(3);
        match core.events.get(i) {
            None => 0,
            Some(_) if self.inhibit >> n & 1 != 0 => self.frozen[i],
            Some(now) => now.wrapping_sub(self.skipped[i]),
        }
    }

    /// Reads a CSR; `None` if it is absent.
    pub fn read(
        &self,
        config: &CoreConfig,
        number: u16,
        hart: u32,
        instret: u64,
        core: &CoreCounts,
    ) -> Option<u32> {
        Some(match number {
            MISA => match config.isa {
                Isa::Rv32i => 0x4000_0100,
                Isa::Rv32im => 0x4000_1100,
                Isa::Rv32ima => 0x4000_1101,
            },
            MVENDORID | MARCHID | MIMPID | MSTATUSH | MIE | MIP => 0,
            MHARTID => hart,
            MSTATUS if !config.traps => 0x1800,
            MSTATUS => 0x1800 | u32::from(self.mie) << 3 | u32::from(self.mpie) << 7,
            MTVEC => self.mtvec,
            MSCRATCH => self.mscratch,
            MEPC => self.mepc,
            MCAUSE => self.mcause,
            MTVAL => self.mtval,
            SPLIT => self.split,
            _ if config.counters == Counters::None => return None,
            MCOUNTINHIBIT => self.inhibit,
            _ if (MHPMEVENT3..MHPMEVENT3 + HPM_COUNT).contains(&number) => 0,
            _ => {
                let user = counter(number, CYCLE);
                let (n, high) = user.or(counter(number, MCYCLE))?;
                let value = match n {
                    0 => self.mcycle(core),
                    1 if user.is_some() => core.cycle,
                    1 => return None,
                    2 => instret,
                    _ => self.event(n, core),
                };
                half(value, high)
            }
        })
    }

    /// Writes a CSR that [`CsrFile::read`] knows and that is not read-only.
    /// True when the write replaced `instret`: the writer is not counted. A build
    /// without traps has no place for what they need.
    pub fn write(
        &mut self,
        traps: bool,
        number: u16,
        value: u32,
        instret: &mut u64,
        core: &CoreCounts,
    ) -> bool {
        match number {
            MSTATUS | MTVEC | MSCRATCH | MEPC | MCAUSE | MTVAL if !traps => {}
            MSTATUS => {
                self.mie = value >> 3 & 1 != 0;
                self.mpie = value >> 7 & 1 != 0;
            }
            MTVEC => self.mtvec = value & !3,
            MSCRATCH => self.mscratch = value,
            MEPC => self.mepc = value & !3,
            MCAUSE => self.mcause = value,
            MTVAL => self.mtval = value,
            SPLIT => self.split = value & 1,
            MCOUNTINHIBIT => self.set_inhibit(value & INHIBIT, core),
            MCYCLE | MCYCLEH => {
                let new = with_half(self.mcycle(core), number == MCYCLEH, value);
                let running = self.inhibit & 1 == 0;
                self.cycle = if running { new.wrapping_sub(core.cycle) } else { new };
            }
            MINSTRET | MINSTRETH => {
                *instret = with_half(*instret, number == MINSTRETH, value);
                return true;
            }
            _ => {}
        }
        false
    }

    fn set_inhibit(&mut self, new: u32, core: &CoreCounts) {
        let changed = self.inhibit ^ new;
        if changed & 1 != 0 {
            self.cycle =
                if new & 1 != 0 { self.mcycle(core) } else { self.cycle.wrapping_sub(core.cycle) };
        }
        for (n, now) in (3u16..).zip(core.events) {
            let i = usize::from(n) - 3;
            if changed >> n & 1 == 0 {
            } else if new >> n & 1 != 0 {
                self.frozen[i] = now.wrapping_sub(self.skipped[i]);
            } else {
                self.skipped[i] = now.wrapping_sub(self.frozen[i]);
            }
        }
        self.inhibit = new;
    }

    /// Is `minstret` running?
    pub fn counts_instructions(&self) -> bool {
        self.inhibit & 4 == 0
    }

    /// Takes a trap; the new PC.
    pub fn trap(&mut self, pc: u32, cause: u32, tval: u32) -> u32 {
        self.mpie = self.mie;
        self.mie = false;
        self.mepc = pc;
        self.mcause = cause;
        self.mtval = tval;
        self.mtvec
    }

    /// Returns from a trap; the new PC.
    pub fn mret(&mut self) -> u32 {
        self.mie = self.mpie;
        self.mpie = true;
        self.mepc
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::config::RawConfig;

    #[test]
    fn counters_stop_go_on_and_take_writes() {
        let config = RawConfig::default().validate().unwrap();
        let mut f = CsrFile::default();
        let mut instret = 5;
        let at = |cycle| CoreCounts { cycle, events: [cycle; 6] };
        let read = |f: &CsrFile, n, cycle| f.read(&config, n, 3, 5, &at(cycle)).unwrap();
        assert_eq!((read(&f, MCYCLE, 10), read(&f, 0xb03, 10), read(&f, MHARTID, 0)), (10, 10, 3));
        f.write(true, MCOUNTINHIBIT, u32::MAX, &mut instret, &at(10));
        assert_eq!(read(&f, MCOUNTINHIBIT, 10), INHIBIT);
        assert_eq!((read(&f, MCYCLE, 90), read(&f, 0xb08, 90), read(&f, TIME, 90)), (10, 10, 90));
        f.write(true, MCOUNTINHIBIT, 0, &mut instret, &at(100));
        assert_eq!((read(&f, MCYCLE, 101), read(&f, 0xb08, 101)), (11, 11));
        f.write(true, MCYCLEH, 7, &mut instret, &at(101));
        assert_eq!((read(&f, MCYCLEH, 102), read(&f, MCYCLE, 102)), (7, 12));
        assert!(f.write(true, MINSTRETH, 1, &mut instret, &at(0)) && instret == 5 | 1 << 32);
    }

    #[test]
    fn absent_ones_are_absent() {
        let config = RawConfig::default().validate().unwrap();
        let f = CsrFile::default();
        for n in [0x180, 0x302, 0x303, 0x306, 0x3a0, 0x3b0, 0x740, 0xb01, 0xb81, 0xf15, 0x7c1] {
            assert_eq!(f.read(&config, n, 0, 0, &CoreCounts::default()), None, "{n:#x}");
        }
        for n in [0xb1f, 0xb9f, 0xc1f, 0xc9f, 0x323, 0x33f] {
            assert_eq!(f.read(&config, n, 0, 0, &CoreCounts::default()), Some(0), "{n:#x}");
        }
    }
}
