//! Breadth first: the list is a queue (section 2.3). A path runs until its
//! next control transfer and goes to the end (threads that memory did not serve
//! go on first); so every path runs again and again, and a thread that spins
//! cannot starve the one it waits for. Paths merge wherever they meet.
//!
//! Join hints are the synchronisation points: threads that a hinted branch
//! split wait at its reconvergence point for the others. To wait without end
//! would bring the deadlock back, so a wait is bounded by [`PATIENCE`].

use super::Policy;
use crate::path::{Kind, Path, Update};
use std::collections::VecDeque;

/// Passes of the warp after which threads stop waiting for the others.
const PATIENCE: u32 = 256;

/// A reconvergence point with threads that are due there.
struct Sync {
    depth: u32,
    pc: u32,
    expected: u64,
    waiting: u64,
    /// Passes since the first thread waits.
    age: u32,
}

impl Sync {
    fn path(&self) -> Path {
        Path { depth: self.depth, pc: self.pc, mask: self.waiting }
    }
}

/// The queue, the running path at its front, and the paths that wait.
pub struct Breadth {
    queue: VecDeque<Path>,
    syncs: Vec<Sync>,
    /// A join hint that applies to the instruction at `.0`.
    hint: Option<(u32, u32)>,
}

impl Breadth {
    /// Starts with one path.
    pub fn new(path: Path) -> Breadth {
        let queue = if path.mask == 0 { VecDeque::new() } else { [path].into() };
        Breadth { queue, syncs: Vec::new(), hint: None }
    }

    fn join(&mut self, path: Path) -> Option<u32> {
        if path.mask == 0 {
            return Some(0);
        }
        let due = |s: &&mut Sync| {
            (s.depth, s.pc) == (path.depth, path.pc) && path.mask & !s.expected == 0
        };
        if let Some(sync) = self.syncs.iter_mut().find(due) {
            let merges = u32::from(sync.waiting != 0);
            sync.expected &= !path.mask;
            sync.waiting |= path.mask;
            return Some(merges);
        }
        let same = self.queue.iter_mut().find(|p| p.same_place(&path))?;
        same.mask |= path.mask;
        Some(1)
    }

    fn append(&mut self, path: Path) -> u32 {
        self.join(path).unwrap_or_else(|| {
            self.queue.push_back(path);
            0
        })
    }

    /// Lets threads go that wait for nobody, or have waited long enough.
    fn release(&mut self) -> u32 {
        let mut merges = 0;
        let mut i = 0;
        for sync in self.syncs.iter_mut().filter(|s| s.waiting != 0) {
            sync.age += 1;
        }
        while i < self.syncs.len() {
            let s = &self.syncs[i];
            let alone = self.queue.is_empty() && s.waiting != 0;
            if s.expected == 0 || s.age > PATIENCE || alone {
                let sync = self.syncs.remove(i);
                merges += self.append(sync.path());
            } else {
                i += 1;
            }
        }
        merges
    }

    fn expect(&mut self, update: &Update, pc: u32) {
        let depth = update.from.depth;
        let mask = update.go.mask | update.other.mask;
        match self.syncs.iter_mut().find(|s| (s.depth, s.pc) == (depth, pc)) {
            Some(sync) => sync.expected |= mask,
            None => self.syncs.push(Sync { depth, pc, expected: mask, waiting: 0, age: 0 }),
        }
    }
}

impl Policy for Breadth {
    fn current(&self) -> Option<Path> {
        self.queue.front().copied()
    }

    fn update(&mut self, update: &Update) -> u32 {
        let hint = self.hint.take().filter(|(pc, _)| *pc == update.from.pc);
        if let Some(target) = update.hint {
            self.hint = Some((update.from.pc.wrapping_add(4), target));
        }
        self.queue.pop_front();
        let parked = update.from.mask & !(update.go.mask | update.other.mask);
        for sync in &mut self.syncs {
            sync.expected &= !parked;
        }
        if let Some((_, pc)) = hint
            && update.go.mask != 0
            && update.other.mask != 0
        {
            self.expect(update, pc);
        }
        let mut merges;
        if update.kind == Kind::Plain {
            merges = self.join(update.go).unwrap_or_else(|| {
                self.queue.push_front(update.go);
                0
            });
            if update.other.mask != 0 {
                self.queue.push_front(update.other);
            }
        } else {
            merges = self.append(update.go);
            merges += self.append(update.other);
        }
        merges + self.release()
    }

    fn wake(&mut self, path: Path) -> u32 {
        self.hint = None;
        self.append(path)
    }

    fn paths(&self) -> Vec<Path> {
        let waiting = self.syncs.iter().map(Sync::path).filter(|p| p.mask != 0);
        self.queue.iter().copied().chain(waiting).collect()
    }

    fn live(&self) -> usize {
        self.queue.len() + self.waiting()
    }

    fn waiting(&self) -> usize {
        self.syncs.iter().filter(|s| s.waiting != 0).count()
    }

    fn fingerprint(&self, out: &mut Vec<u64>) {
        let place = |depth: u32, pc: u32| u64::from(depth) << 32 | u64::from(pc);
        for p in &self.queue {
            out.extend([place(p.depth, p.pc), p.mask]);
        }
        for s in &self.syncs {
            out.extend([place(s.depth, s.pc), s.expected, s.waiting, u64::from(s.age)]);
        }
        out.push(self.hint.map_or(u64::MAX, |(a, b)| place(a, b)));
    }
}
