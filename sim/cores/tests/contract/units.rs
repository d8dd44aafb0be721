//! Every unit that must keep the contract: one line each.

use hdl::config::RawConfig;
use hdl::divergence::port::Unit;
use hdl::divergence::testing::pair::Pair;
use hdl::divergence::testing::shuffle::Shuffle;

/// What the suite knows about a unit.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name here.
    pub name: &'static str,
    /// Slots and pipes.
    pub shape: (usize, usize),
    /// Does it promise to execute the deepest, then lowest path?
    pub order: bool,
}

macro_rules! units {
    ($($name:literal $slots:literal / $pipes:literal $order:literal |$warps:ident, $masks:ident, $pc:ident| $make:expr;)*) => {
        /// All of them.
        pub const UNITS: &[Info] = &[$(Info { name: $name, shape: ($slots, $pipes), order: $order },)*];

        /// The unit of that name, of any T.
        pub fn build<const T: usize>(
            name: &str,
            warps: usize,
            masks: &[u64],
            pc: u64,
        ) -> Box<dyn Unit<T>> {
            match name {
                $($name => {
                    let ($warps, $masks, $pc) = (warps, masks, pc);
                    $make
                })*
                _ => panic!("no unit {name}"),
            }
        }
    };
}

units! {
    "hct" 1/1 false |w, m, pc| ours(w, m, pc, |_| ());
    "hct-paper" 1/1 false |w, m, pc| ours(w, m, pc, |c| c.cct = Some("paper".into()));
    "hct-network" 1/1 false |w, m, pc| ours(w, m, pc, |c| c.ccs = Some("network".into()));
    "arbiter" 1/1 true |w, m, pc| ours(w, m, pc, |c| stages(c, 0));
    "arbiter-1" 1/1 true |w, m, pc| ours(w, m, pc, |c| stages(c, 1));
    "arbiter-2" 1/1 true |w, m, pc| ours(w, m, pc, |c| stages(c, 2));
    "arbiter-4" 1/1 true |w, m, pc| ours(w, m, pc, |c| stages(c, 4));
    "pair" 2/1 false |w, m, pc| Box::new(Pair::<T>::new(w, m, pc));
    "halves" 2/2 false |w, m, pc| Box::new(Shuffle::<T>::new(w, m, pc, false));
    "shuffle" 2/2 false |w, m, pc| Box::new(Shuffle::<T>::new(w, m, pc, true));
}

/// The unit of that name.
pub fn info(name: &str) -> Info {
    *UNITS.iter().find(|u| u.name == name).expect("a unit of the list")
}

#[test]
fn no_unit_of_the_generator_is_missing() {
    for unit in hdl::cores::in_hardware() {
        assert!(UNITS.iter().any(|u| u.name == unit), "{unit} is not in the suite");
    }
}

/// A unit of the generator, of the configuration with these threads.
fn ours<const T: usize>(
    warps: usize,
    masks: &[u64],
    pc: u64,
    change: impl FnOnce(&mut RawConfig),
) -> Box<dyn Unit<T>> {
    let mut raw = RawConfig::default();
    change(&mut raw);
    let mut config = raw.validate().expect("it is valid");
    config.threads_per_warp = T as u32;
    config.warps = warps as u32;
    config.harts = masks.iter().map(|m| m.count_ones()).sum();
    config.reset_pc = (pc << 2) as u32;
    for (warp, &mask) in (0..).zip(masks) {
        assert_eq!(config.initial_mask(warp), mask);
    }
    *cores::unit(&config).downcast().expect("it has T lanes")
}

fn stages(raw: &mut RawConfig, stages: u32) {
    raw.divergence = Some("arbiter".into());
    raw.arbiter_stages = Some(stages.to_string());
}
