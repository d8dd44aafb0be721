//! The post-dominator stack, and Fork/Join as a variant of it.
//!
//! A divergence with a reconvergence point leaves an entry that waits there
//! and pushes both directions above it; each comes off when it reaches the
//! point and its threads join the waiting entry. So a waiting entry holds the
//! threads that have *arrived*, never those still under way or parked.
//!
//! A divergence without a hint splits its entry in two with the same point:
//! without any hint nothing merges before the threads park. Threads that are
//! woken come back as an entry of their own on top, which merges with the one
//! below should they meet. Threads that memory did not serve run first and meet
//! the others at the next instruction, where those wait in one entry.

use super::Policy;
use crate::path::{Kind, Path, Update};

/// Which direction of a divergence runs first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The leading successor: fall-through before taken.
    FallThrough,
    /// The one with fewer threads, so that the stack stays within log2 T
    /// entries for one region.
    Minority,
}

#[derive(Clone, Copy)]
struct Entry {
    path: Path,
    /// Where it comes off, at the depth it has there.
    point: Option<(u32, u32)>,
    /// Has no point but may merge with the entry below: threads that woke.
    woken: bool,
}

/// Entries of one warp, the top at the end.
pub struct Stack {
    order: Order,
    entries: Vec<Entry>,
    /// A join hint that applies to the instruction at `.0`.
    hint: Option<(u32, u32)>,
}

impl Stack {
    /// Starts with one path.
    pub fn new(order: Order, path: Path) -> Stack {
        Stack { order, entries: vec![Entry { path, point: None, woken: false }], hint: None }
            .settled()
            .0
    }

    fn settled(mut self) -> (Stack, u32) {
        let merges = self.settle();
        (self, merges)
    }

    /// Takes off whatever has arrived or become empty.
    fn settle(&mut self) -> u32 {
        let mut merges = 0;
        while let Some(top) = self.entries.last().copied() {
            let below = self.entries.len().checked_sub(2).map(|i| self.entries[i].path);
            let meets = top.woken && below.is_some_and(|b| b.same_place(&top.path));
            if top.path.mask != 0 && !meets {
                break;
            }
            self.entries.pop();
            if top.path.mask != 0 {
                let below = &mut self.entries.last_mut().expect("it meets one").path;
                merges += u32::from(below.mask != 0);
                below.mask |= top.path.mask;
            }
        }
        merges
    }

    /// A direction comes off at once if it stands at its point already.
    fn arrive(&mut self) -> u32 {
        let Some(top) = self.entries.last().copied() else { return 0 };
        let Some((depth, pc)) = top.point else { return 0 };
        if top.path.mask == 0 || (top.path.depth, top.path.pc) != (depth, pc) {
            return 0;
        }
        let waiting = self.entries.iter_mut().rev().skip(1);
        let mut waiting =
            waiting.filter(|e| (e.path.depth, e.path.pc) == (depth, pc) && e.point != top.point);
        let Some(parent) = waiting.next() else { return 0 };
        let merges = u32::from(parent.path.mask != 0);
        parent.path.mask |= top.path.mask;
        self.entries.pop();
        merges
    }

    fn unwind(&mut self) -> u32 {
        let mut merges = 0;
        loop {
            let before = self.entries.len();
            merges += self.arrive() + self.settle();
            if self.entries.len() == before {
                return merges;
            }
        }
    }
}

impl Policy for Stack {
    fn current(&self) -> Option<Path> {
        self.entries.last().map(|e| e.path)
    }

    fn update(&mut self, update: &Update) -> u32 {
        let hint = self.hint.take().filter(|(pc, _)| *pc == update.from.pc);
        if let Some(target) = update.hint {
            self.hint = Some((update.from.pc.wrapping_add(4), target));
        }
        let Some(top) = self.entries.last_mut() else { return 0 };
        if update.other.mask == 0 || update.go.mask == 0 {
            top.path = if update.go.mask == 0 && update.other.mask != 0 {
                update.other
            } else {
                update.go
            };
            return self.unwind();
        }
        let mut point = top.point;
        if update.replay && update.kind == Kind::Plain {
            top.path = update.go;
            let merges = self.unwind();
            let point = Some((update.go.depth, update.go.pc));
            self.entries.push(Entry { path: update.other, point, woken: false });
            return merges;
        }
        if let Some((_, pc)) = hint {
            let depth = update.from.depth;
            let new = Some((depth, pc));
            if new != point {
                // This entry waits at the new point, with nobody arrived yet.
                top.path = Path { depth, pc, mask: 0 };
                point = new;
            } else {
                self.entries.pop();
            }
        } else {
            self.entries.pop();
        }
        let (first, second) = match self.order {
            Order::Minority if update.other.threads() < update.go.threads() => {
                (update.other, update.go)
            }
            _ => (update.go, update.other),
        };
        self.entries.push(Entry { path: second, point, woken: false });
        let mut merges = self.arrive();
        self.entries.push(Entry { path: first, point, woken: false });
        merges += self.unwind();
        merges
    }

    fn wake(&mut self, path: Path) -> u32 {
        self.hint = None;
        self.entries.push(Entry { path, point: None, woken: true });
        self.unwind()
    }

    fn paths(&self) -> Vec<Path> {
        self.entries.iter().rev().map(|e| e.path).filter(|p| p.mask != 0).collect()
    }

    fn live(&self) -> usize {
        self.entries.iter().filter(|e| e.path.mask != 0).count()
    }

    fn fingerprint(&self, out: &mut Vec<u64>) {
        for e in &self.entries {
            let point = e.point.map_or(u64::MAX, |(d, pc)| u64::from(d) << 32 | u64::from(pc));
            let place = u64::from(e.path.depth) << 32 | u64::from(e.path.pc);
            out.extend([point, place, e.path.mask]);
        }
        out.push(self.hint.map_or(u64::MAX, |(a, b)| u64::from(a) << 32 | u64::from(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 threads that memory serves one by one are two paths, not 32.
    #[test]
    fn served_threads_wait_together() {
        let path = Path { depth: 0, pc: 0x100, mask: 0xffff_ffff };
        let mut stack = Stack::new(Order::FallThrough, path);
        let mut merges = 0;
        for lane in 0..31 {
            let from = stack.current().unwrap();
            let go = Path { pc: 0x104, mask: 1 << lane, ..from };
            let other = Path { mask: from.mask & !go.mask, ..from };
            merges += stack.update(&Update { from, go, other, replay: true, ..Update::default() });
            assert_eq!(stack.live(), 2);
        }
        merges += stack.advance();
        assert_eq!(stack.paths(), [Path { pc: 0x104, ..path }]);
        assert_eq!(merges, 31);
    }
}
