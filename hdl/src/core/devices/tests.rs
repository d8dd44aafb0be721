//! Against a model with one record per hart, in random traffic.

use super::*;
use crate::config::RawConfig;
use proptest::prelude::*;

impl<const T: usize> Sim for Devices<T> {
    fn clock(&mut self) -> &mut Signal<In, Clk> {
        &mut self.clock
    }
    fn reset(&mut self) -> &mut Signal<In, Bit> {
        &mut self.reset
    }
}

fn config(t: usize, warps: u32, harts: u32) -> CoreConfig {
    let raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(warps.to_string()),
        harts: Some(harts.to_string()),
        ..RawConfig::default()
    };
    raw.validate().unwrap()
}

#[derive(Clone, Default)]
struct Hart {
    parked: bool,
    pending: bool,
    arrived: bool,
    /// Woken and not yet reported.
    waking: bool,
}

/// What the window does to harts, one at a time.
struct Model {
    harts: Vec<Hart>,
    alive: usize,
    count: u32,
}

impl Model {
    fn park(&mut self, hart: usize) -> bool {
        let h = &mut self.harts[hart];
        let parks = !h.pending;
        h.parked |= parks;
        h.pending = false;
        parks
    }

    fn wake(&mut self, hart: usize) -> bool {
        if hart >= self.alive {
            return false;
        }
        let h = &mut self.harts[hart];
        let woke = h.parked;
        h.waking |= woke;
        h.pending |= !woke;
        h.parked = false;
        woke
    }

    fn arrived(&self) -> u32 {
        self.harts.iter().filter(|h| h.arrived).count() as u32
    }

    fn store(&mut self, offset: usize, data: u32, hart: usize) -> bool {
        let mut woke = false;
        match offset {
            0..64 => {
                for bit in (0..32).filter(|bit| data >> bit & 1 != 0) {
                    woke |= self.wake(32 * offset + bit);
                }
            }
            0x40 => {
                self.harts[hart].arrived = true;
                if self.arrived() >= self.count {
                    for hart in 0..self.harts.len() {
                        if std::mem::take(&mut self.harts[hart].arrived) {
                            woke |= self.wake(hart);
                        }
                    }
                }
            }
            0x41 => self.count = data,
            _ => {}
        }
        woke
    }

    fn load(&self, offset: usize, config: &CoreConfig) -> u32 {
        match offset {
            0..64 => {
                let parked =
                    |bit: &usize| self.harts.get(32 * offset + bit).is_some_and(|h| h.parked);
                (0..32).filter(parked).map(|bit| 1 << bit).sum()
            }
            0x40 => self.arrived(),
            0x41 => self.count,
            0x44 => config.harts,
            0x45 => config.threads_per_warp,
            0x46 => config.warps,
            0x47 => config.ram_size,
            _ => 0,
        }
    }
}

/// One cycle of traffic, before it is cut to the configuration.
#[derive(Clone, Debug)]
struct Cycle {
    kind: u8,
    offset: u8,
    data: u32,
    hart: u16,
    park: bool,
    park_mask: u64,
    ready: bool,
}

fn cycle() -> impl Strategy<Value = Cycle> {
    let park = (any::<bool>(), any::<u64>(), any::<bool>());
    (0..10u8, any::<u8>(), any::<u32>(), any::<u16>(), park).prop_map(
        |(kind, offset, data, hart, (park, park_mask, ready))| Cycle {
            kind,
            offset,
            data,
            hart,
            park,
            park_mask,
            ready,
        },
    )
}

fn check<const T: usize>(warps: u32, harts: u32, ahead: bool, traffic: &[Cycle]) {
    let config = config(T, warps, harts);
    let total = T * warps as usize;
    let mut model =
        Model { harts: vec![Hart::default(); total], alive: harts as usize, count: harts };
    let mut d = Devices::<T>::new(&config, 1, ahead);
    d.power_up();
    // In the last cycle, and in the one before.
    let mut could_wake = [false; 2];
    // The barrier's count was written in the last cycle.
    let mut recounts = false;
    let idle = Cycle { kind: 9, park: false, ready: true, ..traffic[0].clone() };
    let drain = std::iter::repeat_n(&idle, warps as usize + 3);
    let mut last_park = None;
    let cycles: Vec<&Cycle> = traffic.iter().chain(drain).collect();
    for (k, c) in cycles.iter().enumerate() {
        let offset = match c.kind {
            0..4 => usize::from(c.offset) % (total / 32 + 1),
            4..7 => 0x40,
            7 => 0x41,
            _ => usize::from(c.offset) % 128,
        };
        let data = if offset == 0x41 { c.data % (harts + 2) } else { c.data };
        let hart = usize::from(c.hart) % total;
        // One instruction has the window, and it has one warp.
        // A warp does not execute twice in a row.
        let free = !d.busy.val();
        let rested = last_park != Some(hart / T);
        let (access, write, park) =
            (c.kind < 9 && !c.park && free, c.data % 7 != 0, c.park && free && rested);
        last_park = park.then_some(hart / T);
        let next = usize::from(cycles.get(k + 1).unwrap_or(c).hart) % total;
        d.soon_warp[0].next = ((next / T) as u64).into();
        let park_warp = hart / T;
        d.access.next = access;
        d.write.next = write;
        d.offset.next = (offset as u64).into();
        d.data.next = u64::from(data).into();
        d.warp.next = ((hart / T) as u64).into();
        d.lane.next = ((hart % T) as u64).into();
        d.park.next = park;
        // Only threads that live and run execute a wfi.
        let runs = |lane: &usize| {
            let hart = &model.harts[park_warp * T + lane];
            let alive = park_warp * T + lane < harts as usize;
            c.park_mask >> lane & 1 != 0 && alive && !hart.parked && !hart.waking
        };
        let park_mask = (0..T).filter(runs).fold(0, |mask, lane| mask | 1u64 << lane);
        d.park_mask.next = park_mask.into();
        d.wake_ready.next = c.ready;
        d.settle();

        if free {
            assert_eq!(d.value.val().low(), model.load(offset, &config), "load {offset:#x}");
        }
        let mut parks = 0;
        for lane in (0..T).filter(|lane| park && park_mask >> lane & 1 != 0) {
            parks |= u64::from(model.park(park_warp * T + lane)) << lane;
        }
        if park {
            assert_eq!((d.park_mask.val() & !d.waits[0].val()).raw(), parks);
        }
        let waking = model.harts.iter().any(|h| h.waking) || d.wake.val();
        assert_eq!(d.busy.val(), waking || recounts || could_wake != [false; 2]);
        let woke = access && write && model.store(offset, data, hart);
        assert_eq!(d.wakes.val(), woke);
        // A barrier that nobody has arrived at has just let them go.
        let could = access && write && (offset < 0x40 || offset == 0x40 && model.arrived() == 0);
        could_wake = [could, could_wake[0]];
        recounts = access && write && offset == 0x41;
        if d.wake.val() && c.ready {
            assert!(d.wake_mask.val().any());
            let first = d.wake_warp.val().index() * T;
            for lane in (0..T).filter(|lane| d.wake_mask.val().get_bit(*lane)) {
                assert!(std::mem::take(&mut model.harts[first + lane].waking), "woken once");
            }
        }
        d.tick();
    }
    assert!(model.harts.iter().all(|h| !h.waking), "every wake came out");
}

#[test]
fn a_barrier_over_two_warps() {
    let mut d = Devices::<2>::new(&config(2, 2, 3), 1, true);
    d.power_up();
    d.park.next = true;
    d.park_mask.next = 1.into();
    d.settle();
    assert!(!d.waits[0].val().get_bit(0));
    d.tick();
    d.park.next = false;
    d.access.next = true;
    d.write.next = true;
    d.offset.next = 0x40.into();
    for (warp, lane, next, wakes) in
        [(0, 0, 0, false), (0, 1, 0, false), (0, 1, 1, false), (1, 0, 1, true)]
    {
        d.warp.next = warp.into();
        d.soon_warp[0].next = next.into();
        d.lane.next = lane.into();
        d.settle();
        assert_eq!(d.wakes.val(), wakes, "only hart 0 has parked");
        d.tick();
    }
    d.access.next = false;
    d.settle();
    assert!(d.busy.val());
    d.tick();
    d.soon_warp[0].next = 1.into();
    d.settle();
    d.tick();
    d.park.next = true;
    d.warp.next = 1.into();
    d.settle();
    assert!(d.waits[0].val().get_bit(0), "the last one too falls through");
    d.tick();
    assert_eq!((d.wake.val(), d.wake_warp.val().raw(), d.wake_mask.val().raw()), (true, 0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_traffic(traffic in prop::collection::vec(cycle(), 1..150)) {
        for ahead in [false, true] {
            check::<1>(1, 1, ahead, &traffic);
            check::<1>(32, 31, ahead, &traffic);
            check::<4>(2, 7, ahead, &traffic);
            check::<32>(2, 64, ahead, &traffic);
            check::<64>(1, 64, ahead, &traffic);
            check::<64>(4, 200, ahead, &traffic);
        }
    }
}
