//! Inputs: corner cases first, then a mixture of random kinds.

use super::PinInfo;

/// The inputs of one cycle, clocks apart.
pub struct Vector {
    paths: std::rc::Rc<Vec<(String, usize)>>,
    values: Vec<u64>,
}

impl Vector {
    fn position(&self, path: &str) -> usize {
        let found = self.paths.iter().position(|p| p.0 == path);
        found.unwrap_or_else(|| panic!("there is no input {path}"))
    }

    /// The value of an input.
    pub fn get(&self, path: &str) -> u64 {
        self.values[self.position(path)]
    }

    /// Changes an input.
    pub fn set(&mut self, path: &str, value: u64) {
        let at = self.position(path);
        self.put_value(at, value);
    }

    /// Keeps an input below `end`.
    pub fn limit(&mut self, path: &str, end: u64) {
        let at = self.position(path);
        self.values[at] %= end;
    }

    /// The paths of all inputs.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|p| p.0.as_str())
    }

    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }

    fn put_value(&mut self, at: usize, value: u64) {
        self.values[at] = value & ones(self.paths[at].1);
    }
}

fn ones(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

/// Makes vectors.
pub(super) struct Vectors {
    paths: std::rc::Rc<Vec<(String, usize)>>,
    last: Vec<u64>,
    random: Random,
}

impl Vectors {
    pub(super) fn new(pins: &[PinInfo], seed: u64) -> Vectors {
        let inputs = pins.iter().filter(|pin| pin.input && !pin.clock);
        let paths: Vec<_> = inputs.map(|pin| (pin.path.clone(), pin.width)).collect();
        Vectors { last: vec![0; paths.len()], paths: paths.into(), random: Random(seed) }
    }

    /// The vector of a cycle.
    pub(super) fn next(&mut self, cycle: usize) -> Vector {
        let mut vector = Vector { paths: self.paths.clone(), values: self.last.clone() };
        let any = self.random.next();
        for at in 0..self.last.len() {
            let value = match cycle {
                0 => 0,
                1 => u64::MAX,
                // Equal operands, in every width.
                2..=7 => any,
                // One bit each, walking.
                8..=71 => 1 << ((cycle - 8 + at) % self.paths[at].1),
                // The ends of the range in every combination.
                72..=135 => (0u64).wrapping_sub(self.random.next() & 1),
                _ => self.mixed(at, any),
            };
            vector.put_value(at, value);
        }
        self.last.clone_from(&vector.values);
        vector
    }

    fn mixed(&mut self, at: usize, shared: u64) -> u64 {
        let width = self.paths[at].1;
        let random = self.random.next();
        match self.random.next() % 16 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (random % width as u64),
            3 => !(1 << (random % width as u64)),
            4 => random % 8,
            5 => 1 << (width - 1),
            6 => self.last[at],
            7 => self.last[at].wrapping_add(1),
            8 => self.last[random as usize % self.last.len()],
            9 | 10 => shared,
            11 => ones(width) >> (random % width as u64),
            _ => random,
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}
