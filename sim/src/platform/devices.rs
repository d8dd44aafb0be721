//! The device window: wake register, barrier, information words; and which
//! harts are parked.

use hdl::config::CoreConfig;
use hdl::platform as map;

/// State of the device window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Devices {
    lanes: u32,
    info: [u32; 4],
    /// Per warp: harts alive after reset.
    alive: Vec<u64>,
    /// Per warp: parked harts.
    parked: Vec<u64>,
    /// Per warp: harts whose next `wfi` falls through.
    pending: Vec<u64>,
    /// Per warp: harts that have arrived at the barrier.
    arrived: Vec<u64>,
    arrivals: u32,
    barrier_count: u32,
    /// Harts that were woken since the engine last looked.
    woken: Vec<(u32, u64)>,
}

impl Devices {
    /// Reset state.
    pub fn new(config: &CoreConfig) -> Devices {
        let warps = config.warps as usize;
        Devices {
            lanes: config.threads_per_warp,
            info: [config.harts, config.threads_per_warp, config.warps, config.ram_size],
            alive: (0..config.warps).map(|w| config.initial_mask(w)).collect(),
            parked: vec![0; warps],
            pending: vec![0; warps],
            arrived: vec![0; warps],
            arrivals: 0,
            barrier_count: config.harts,
            woken: Vec::new(),
        }
    }

    /// Parked harts of a warp.
    pub fn parked(&self, warp: u32) -> u64 {
        self.parked[warp as usize]
    }

    /// `wfi` by the harts of `mask`: those that park are returned.
    pub fn park(&mut self, warp: u32, mask: u64) -> u64 {
        let w = warp as usize;
        let park = mask & !self.pending[w];
        self.pending[w] &= !mask;
        self.parked[w] |= park;
        park
    }

    /// Takes one group of harts of one warp that have been woken.
    pub fn take_woken(&mut self) -> Option<(u32, u64)> {
        self.woken.pop()
    }

    fn wake(&mut self, warp: usize, mask: u64) {
        let mask = mask & self.alive[warp];
        let wake = mask & self.parked[warp];
        self.pending[warp] |= mask & !wake;
        self.parked[warp] &= !wake;
        if wake != 0 {
            match self.woken.iter_mut().find(|(w, _)| *w as usize == warp) {
                Some((_, m)) => *m |= wake,
                None => self.woken.push((warp as u32, wake)),
            }
        }
    }

    /// Bits `32 * i ..` of a per-warp set, as one word.
    fn word_of(&self, set: &[u64], i: u32) -> u32 {
        let total = self.lanes * set.len() as u32;
        (0..32).map(|bit| (bit, 32 * i + bit)).filter(|(_, hart)| *hart < total).fold(
            0,
            |word, (bit, hart)| {
                let lane = set[(hart / self.lanes) as usize] >> (hart % self.lanes) & 1;
                word | (lane as u32) << bit
            },
        )
    }

    /// A load of an aligned word of the window.
    pub fn load(&self, addr: u32) -> u32 {
        match addr {
            map::BARRIER_ARRIVE => self.arrivals,
            map::BARRIER_COUNT => self.barrier_count,
            map::INFO_HARTS => self.info[0],
            map::INFO_LANES => self.info[1],
            map::INFO_WARPS => self.info[2],
            map::INFO_RAM_SIZE => self.info[3],
            _ if addr < map::BARRIER_ARRIVE => self.word_of(&self.parked, (addr - map::WAKE) / 4),
            _ => 0,
        }
    }

    /// A store to an aligned word of the window.
    pub fn store(&mut self, addr: u32, data: u32, warp: u32, lane: u32) {
        match addr {
            map::BARRIER_ARRIVE => self.arrive(warp as usize, lane),
            map::BARRIER_COUNT => self.barrier_count = data,
            _ if addr < map::BARRIER_ARRIVE => {
                let first = (addr - map::WAKE) / 4 * 32;
                for hart in (first..first + 32).filter(|h| data >> (h - first) & 1 != 0) {
                    if let warp @ 0.. = (hart / self.lanes) as usize
                        && warp < self.alive.len()
                    {
                        self.wake(warp, 1 << (hart % self.lanes));
                    }
                }
            }
            _ => {}
        }
    }

    fn arrive(&mut self, warp: usize, lane: u32) {
        self.arrived[warp] |= 1 << lane;
        self.arrivals = self.arrived.iter().map(|m| m.count_ones()).sum();
        if self.arrivals >= self.barrier_count {
            self.arrivals = 0;
            for w in 0..self.arrived.len() {
                let mask = std::mem::take(&mut self.arrived[w]);
                self.wake(w, mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::config::RawConfig;

    fn devices(t: u32, w: u32, harts: u32) -> Devices {
        let text = |n: u32| Some(n.to_string());
        let raw = RawConfig {
            threads_per_warp: text(t),
            warps: text(w),
            harts: text(harts),
            ..RawConfig::default()
        };
        Devices::new(&raw.validate().unwrap())
    }

    #[test]
    fn a_wake_is_never_lost() {
        let mut d = devices(4, 2, 8);
        d.store(map::WAKE, 0b10_0000, 0, 0);
        assert_eq!(d.take_woken(), None, "hart 5 was awake");
        assert_eq!(d.park(1, 0b0011), 0b0001, "its next wfi falls through");
        assert_eq!(d.park(1, 0b0010), 0b0010);
        assert_eq!(d.load(map::WAKE), 0b0011_0000);
        d.store(map::WAKE, 0xff, 0, 0);
        assert_eq!(d.take_woken(), Some((1, 0b0011)));
        assert_eq!(d.parked(1), 0);
    }

    #[test]
    fn the_last_arrival_wakes_all_that_arrived() {
        let mut d = devices(2, 2, 3);
        d.store(map::BARRIER_ARRIVE, 0, 0, 0);
        assert_eq!(d.park(0, 1), 1);
        d.store(map::BARRIER_ARRIVE, 0, 0, 0);
        d.store(map::BARRIER_ARRIVE, 0, 0, 1);
        assert_eq!((d.load(map::BARRIER_ARRIVE), d.load(map::BARRIER_COUNT)), (2, 3));
        d.store(map::BARRIER_ARRIVE, 0, 1, 0);
        assert_eq!(d.take_woken(), Some((0, 1)));
        assert_eq!(d.park(0, 2), 0, "arrived and not yet parked: falls through");
        assert_eq!(d.park(1, 1), 0, "the last one too");
        assert_eq!(d.load(map::BARRIER_ARRIVE), 0);
    }

    #[test]
    fn absent_harts_are_never_woken() {
        let mut d = devices(2, 2, 3);
        d.store(map::WAKE, u32::MAX, 0, 0);
        assert_eq!(d.pending, [0b11, 0b01]);
        assert_eq!(d.load(map::WAKE + 4), 0);
        assert_eq!(d.load(map::INFO_HARTS), 3);
    }
}
