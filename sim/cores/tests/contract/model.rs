//! The plain array of threads that every unit is compared with.

/// Bits of a mask, as indices.
pub fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| mask >> i & 1 != 0)
}

/// May a thread execute?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not alive after reset, never.
    Absent,
    /// Yes.
    Live,
    /// Not before it is woken.
    Parked,
}

/// One thread.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// Word address.
    pub pc: u64,
    /// Call depth.
    pub depth: u64,
    /// See [`State`].
    pub state: State,
    /// Its last instruction has to be executed again.
    pub replayed: bool,
    /// When it executed or was woken last.
    pub seen: u64,
}

/// What became of the threads that executed an instruction.
#[derive(Clone, Copy, Default, Debug)]
pub struct Outcome {
    /// One of `port::kind`.
    pub kind: u64,
    /// Successor.
    pub go_mask: u64,
    /// See `go_mask`.
    pub go_pc: u64,
    /// See `go_mask`.
    pub go_depth: u64,
    /// The other successor, or the threads to replay.
    pub other_mask: u64,
    /// See `other_mask`.
    pub other_pc: u64,
    /// See `other_mask`.
    pub other_depth: u64,
    /// Threads that park.
    pub halt_mask: u64,
}

/// All threads, by warp and lane.
pub struct Model {
    /// See the type.
    pub warps: Vec<Vec<Thread>>,
}

impl Model {
    /// Threads of `masks` at `pc`.
    pub fn new(lanes: usize, masks: &[u64], pc: u64) -> Model {
        let thread = |mask: u64, i| Thread {
            pc,
            depth: 0,
            state: if mask >> i & 1 != 0 { State::Live } else { State::Absent },
            replayed: false,
            seen: 0,
        };
        let warp = |mask: &u64| (0..lanes).map(|i| thread(*mask, i)).collect();
        Model { warps: masks.iter().map(warp).collect() }
    }

    /// Threads of a warp for which `f`.
    pub fn mask(&self, warp: usize, f: impl Fn(&Thread) -> bool) -> u64 {
        self.warps[warp].iter().enumerate().fold(0, |m, (i, t)| m | u64::from(f(t)) << i)
    }

    /// Parked threads.
    pub fn parked(&self, warp: usize) -> u64 {
        self.mask(warp, |t| t.state == State::Parked)
    }

    /// Depth, PC and mask of the deepest, then lowest path.
    pub fn first(&self, warp: usize) -> Option<(u64, u64, u64)> {
        let live = self.warps[warp].iter().filter(|t| t.state == State::Live);
        let (depth, pc) =
            live.map(|t| (t.depth, t.pc)).max_by_key(|(d, pc)| (*d, u64::MAX - pc))?;
        let here = |t: &Thread| t.state == State::Live && (t.depth, t.pc) == (depth, pc);
        Some((depth, pc, self.mask(warp, here)))
    }

    /// Different places of live threads.
    pub fn paths(&self, warp: usize) -> usize {
        let live = self.warps[warp].iter().filter(|t| t.state == State::Live);
        let mut places: Vec<_> = live.map(|t| (t.depth, t.pc)).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    }

    /// Threads move.
    pub fn apply(&mut self, warp: usize, from_pc: u64, o: &Outcome) {
        for (i, t) in self.warps[warp].iter_mut().enumerate() {
            let bit = |mask: u64| mask >> i & 1 != 0;
            if bit(o.go_mask | o.halt_mask) {
                (t.pc, t.depth, t.replayed) = (o.go_pc, o.go_depth, false);
            }
            if bit(o.other_mask) {
                let replayed = o.other_pc == from_pc && o.other_depth == t.depth;
                (t.pc, t.depth, t.replayed) = (o.other_pc, o.other_depth, replayed);
            }
            if bit(o.halt_mask) {
                t.state = State::Parked;
            }
        }
    }

    /// Parked threads go on.
    pub fn wake(&mut self, warp: usize, mask: u64, cycle: u64) {
        for i in lanes(mask) {
            let t = &mut self.warps[warp][i];
            assert_eq!(t.state, State::Parked, "the bench wakes only parked threads");
            (t.state, t.seen) = (State::Live, cycle);
        }
    }
}
