//! A list sorted by priority. Equal paths are neighbours, so a path merges
//! where it is inserted.

use super::Policy;
use crate::path::{Path, Update};

/// Smaller keys run first.
pub type Key = fn(&Path) -> (u32, u32);

/// Greater depth first, then lower PC.
pub fn depth_then_pc(path: &Path) -> (u32, u32) {
    path.order()
}

/// Lower PC first; depth only keeps unlike paths apart.
pub fn pc_then_depth(path: &Path) -> (u32, u32) {
    (path.pc, u32::MAX - path.depth)
}

/// The list, the first to run at its end.
pub struct Sorted {
    key: Key,
    list: Vec<Path>,
}

impl Sorted {
    /// Starts with one path.
    pub fn new(key: Key, path: Path) -> Sorted {
        Sorted { key, list: if path.mask == 0 { Vec::new() } else { vec![path] } }
    }

    fn insert(&mut self, path: Path) -> u32 {
        if path.mask == 0 {
            return 0;
        }
        let key = (self.key)(&path);
        let at = self.list.partition_point(|p| (self.key)(p) > key);
        match self.list.get_mut(at).filter(|p| p.same_place(&path)) {
            Some(same) => {
                same.mask |= path.mask;
                1
            }
            None => {
                self.list.insert(at, path);
                0
            }
        }
    }
}

impl Policy for Sorted {
    #[inline]
    fn current(&self) -> Option<Path> {
        self.list.last().copied()
    }

    fn update(&mut self, update: &Update) -> u32 {
        if update.other.mask == 0 && update.go.mask != 0 {
            let stays = match self.list.as_slice() {
                [.., runner_up, _] => (self.key)(&update.go) < (self.key)(runner_up),
                _ => true,
            };
            if stays {
                *self.list.last_mut().expect("it ran") = update.go;
                return 0;
            }
        }
        self.list.pop();
        self.insert(update.other) + self.insert(update.go)
    }

    fn advance(&mut self) -> u32 {
        let mut go = *self.list.last().expect("a path ran");
        go.pc = go.pc.wrapping_add(4);
        if let [.., runner_up, _] = self.list.as_slice()
            && (self.key)(&go) >= (self.key)(runner_up)
        {
            self.list.pop();
            return self.insert(go);
        }
        *self.list.last_mut().expect("a path ran") = go;
        0
    }

    fn horizon(&self) -> u32 {
        match self.list.as_slice() {
            [.., next, first] if next.pc > first.pc => next.pc,
            [.., next, first]
                if (self.key)(&Path { pc: u32::MAX, ..*first }) > (self.key)(next) =>
            {
                0
            }
            _ => u32::MAX,
        }
    }

    fn skip_to(&mut self, pc: u32) {
        self.list.last_mut().expect("a path runs").pc = pc;
    }

    fn wake(&mut self, path: Path) -> u32 {
        self.insert(path)
    }

    fn paths(&self) -> Vec<Path> {
        self.list.iter().rev().copied().collect()
    }

    fn live(&self) -> usize {
        self.list.len()
    }
}
