//! HTIF: what a store to `tohost` does.

use super::Ram;
use hdl::platform::{HTIF_CONSOLE, RAM_BASE, SYS_EXIT, SYS_WRITE};

/// How a program ended itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Exit code, 0 is a pass.
    Exit(u32),
    /// It used the interface wrongly.
    Error(String),
}

/// The host interface.
#[derive(Clone, Debug)]
pub struct Htif {
    tohost: u32,
    fromhost: Option<u32>,
    stored: bool,
    /// Set when the program has ended.
    pub end: Option<End>,
    /// Console output not yet taken.
    pub console: Vec<u8>,
}

impl Htif {
    /// Listens at `tohost`.
    pub fn new(tohost: u32, fromhost: Option<u32>) -> Htif {
        Htif { tohost, fromhost, stored: false, end: None, console: Vec::new() }
    }

    /// Is the low word of `tohost` among the `words` words at `addr`?
    #[inline]
    pub fn listens(&self, addr: u32, words: u32) -> bool {
        self.tohost.wrapping_sub(addr) < 4 * words
    }

    /// Notes a store to the word at `addr`.
    #[inline]
    pub fn note(&mut self, addr: u32) {
        self.stored |= self.listens(addr, 1);
    }

    /// Was `tohost` stored in this pass?
    #[inline]
    pub fn pending(&self) -> bool {
        self.stored
    }

    /// Reacts to the value now in memory.
    pub fn act(&mut self, ram: &mut Ram) {
        self.stored = false;
        let (low, high) = (ram.word(self.tohost), ram.word(self.tohost + 4));
        match (high, low) {
            (0, 0) => return,
            (0, exit) if exit & 1 != 0 => {
                self.end = Some(End::Exit(exit >> 1));
                return;
            }
            (0, block) => self.syscall(ram, block),
            (HTIF_CONSOLE, byte) => self.console.push(byte as u8),
            _ => {
                self.end = Some(End::Error(format!(
                    "tohost = {high:#010x}_{low:08x} is no command of the host interface"
                )));
            }
        }
        ram.store(self.tohost, 0, 15);
        ram.store(self.tohost + 4, 0, 15);
    }

    fn syscall(&mut self, ram: &mut Ram, block: u32) {
        let inside = |addr: u32, len: u32| {
            let start = u64::from(addr.wrapping_sub(RAM_BASE));
            start + u64::from(len) <= u64::from(ram.bytes())
        };
        if !block.is_multiple_of(8) || !inside(block, 64) {
            self.end = Some(End::Error(format!("system call block at {block:#x} is not in RAM")));
            return;
        }
        let [number, fd, addr, len] = [0, 8, 16, 24].map(|offset| ram.word(block + offset));
        match number {
            SYS_WRITE if !matches!(fd, 1 | 2) => {
                self.end = Some(End::Error(format!("write to file descriptor {fd}, only 1 and 2")));
            }
            SYS_WRITE if !inside(addr, len) => {
                self.end = Some(End::Error(format!("write of {len} bytes at {addr:#x}, not RAM")));
            }
            SYS_WRITE => {
                self.console.extend(ram.read_bytes(addr, len));
                ram.store(block, len, 15);
                ram.store(block + 4, 0, 15);
                if let Some(fromhost) = self.fromhost {
                    ram.store(fromhost, 1, 15);
                }
            }
            SYS_EXIT => self.end = Some(End::Exit(fd)),
            _ => {
                self.end = Some(End::Error(format!("system call {number} is not supported")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::config::Isa;

    const TOHOST: u32 = RAM_BASE + 64;

    fn run(high: u32, low: u32, setup: impl Fn(&mut Ram)) -> (Htif, Ram) {
        let mut ram = Ram::new(4096, Isa::Rv32ima);
        let mut htif = Htif::new(TOHOST, Some(TOHOST + 8));
        setup(&mut ram);
        ram.store(TOHOST + 4, high, 15);
        htif.note(TOHOST + 4);
        assert!(!htif.pending(), "the high word does nothing");
        ram.store(TOHOST, low, 15);
        htif.note(TOHOST);
        assert!(htif.pending());
        htif.act(&mut ram);
        (htif, ram)
    }

    #[test]
    fn exits_and_console() {
        assert_eq!(run(0, 1, |_| ()).0.end, Some(End::Exit(0)));
        assert_eq!(run(0, 15, |_| ()).0.end, Some(End::Exit(7)));
        assert_eq!(run(0, 0, |_| ()).0.end, None);
        let (htif, ram) = run(HTIF_CONSOLE, u32::from(b'x'), |_| ());
        assert_eq!((htif.console.as_slice(), ram.word(TOHOST + 4)), (&b"x"[..], 0));
        assert!(matches!(run(5, 1, |_| ()).0.end, Some(End::Error(_))));
    }

    #[test]
    fn system_calls() {
        let block = RAM_BASE + 128;
        let call = |words: [u32; 4]| {
            run(0, block, |ram| {
                for (i, word) in (0..).zip(words) {
                    ram.store(block + 8 * i, word, 15);
                }
                ram.write_bytes(RAM_BASE + 256, b"hello");
            })
        };
        let (htif, ram) = call([SYS_WRITE, 1, RAM_BASE + 256, 5]);
        assert_eq!(htif.console, b"hello");
        assert_eq!((ram.word(block), ram.word(TOHOST), ram.word(TOHOST + 8)), (5, 0, 1));
        assert_eq!(call([SYS_EXIT, 3, 0, 0]).0.end, Some(End::Exit(3)));
        for wrong in [[SYS_WRITE, 3, 0, 0], [SYS_WRITE, 1, 0, 5], [1000, 0, 0, 0]] {
            assert!(matches!(call(wrong).0.end, Some(End::Error(_))));
        }
    }
}
