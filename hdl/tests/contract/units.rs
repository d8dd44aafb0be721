//! Every unit that must keep the contract: one line each.

use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::port::Unit;
use hdl::divergence::testing::pair::Pair;

/// What the suite knows about a unit.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name here.
    pub name: &'static str,
    /// Does it promise to execute the deepest, then lowest path?
    pub order: bool,
}

macro_rules! units {
    ($($name:literal $order:literal |$warps:ident, $masks:ident, $pc:ident| $make:expr;)*) => {
        /// All of them.
        pub const UNITS: &[Info] = &[$(Info { name: $name, order: $order },)*];

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
                    Box::new($make)
                })*
                _ => panic!("no unit {name}"),
            }
        }
    };
}

units! {
    "arbiter" true |w, m, pc| Arbiter::<T>::new(w, m, pc, 0);
    "arbiter-1" true |w, m, pc| Arbiter::<T>::new(w, m, pc, 1);
    "arbiter-2" true |w, m, pc| Arbiter::<T>::new(w, m, pc, 2);
    "arbiter-4" true |w, m, pc| Arbiter::<T>::new(w, m, pc, 4);
    "pair" false |w, m, pc| Pair::<T>::new(w, m, pc);
}

/// The unit of that name.
pub fn info(name: &str) -> Info {
    *UNITS.iter().find(|u| u.name == name).expect("a unit of the list")
}
