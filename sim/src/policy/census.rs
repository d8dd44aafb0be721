//! Majority and minority: the path with most or fewest threads runs (the DWF
//! orders of section 2.4). Equal numbers: path order decides. Paths merge
//! wherever they meet. Threads that memory did not serve go on first.

use super::Policy;
use crate::path::{Kind, Path, Update};

/// An unordered list of paths; the one to run stands first.
pub struct Census {
    most: bool,
    list: Vec<Path>,
}

impl Census {
    /// Starts with one path.
    pub fn new(most: bool, path: Path) -> Census {
        Census { most, list: if path.mask == 0 { Vec::new() } else { vec![path] } }
    }

    fn add(&mut self, path: Path) -> u32 {
        if path.mask == 0 {
            return 0;
        }
        match self.list.iter_mut().find(|p| p.same_place(&path)) {
            Some(same) => {
                same.mask |= path.mask;
                1
            }
            None => {
                self.list.push(path);
                0
            }
        }
    }

    fn elect(&mut self) {
        let key =
            |p: &Path| (if self.most { u32::MAX - p.threads() } else { p.threads() }, p.order());
        let best = (0..self.list.len()).min_by_key(|i| key(&self.list[*i]));
        if let Some(best) = best {
            self.list.swap(0, best);
        }
    }
}

impl Policy for Census {
    fn current(&self) -> Option<Path> {
        self.list.first().copied()
    }

    fn update(&mut self, update: &Update) -> u32 {
        self.list.swap_remove(0);
        let merges = self.add(update.go) + self.add(update.other);
        if update.replay && update.kind == Kind::Plain {
            let last = self.list.len() - 1;
            self.list.swap(0, last);
        } else {
            self.elect();
        }
        merges
    }

    fn wake(&mut self, path: Path) -> u32 {
        let merges = self.add(path);
        self.elect();
        merges
    }

    fn paths(&self) -> Vec<Path> {
        let mut paths = self.list.clone();
        if let Some((_, rest)) = paths.split_first_mut() {
            rest.sort_by_key(Path::order);
        }
        paths
    }

    fn live(&self) -> usize {
        self.list.len()
    }
}
