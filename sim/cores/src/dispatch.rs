//! The core of a configuration, boxed for the harness.

use super::adapter::RtlCore;
use super::core::Core;
use hdl::config::CoreConfig;
use hdl::cores::{self, Visit};
use hdl::divergence::port::Unit;
use std::any::Any;

struct Boxed;

impl Visit for Boxed {
    type Out = Box<dyn Core>;

    fn visit<const T: usize, U: Unit<T> + 'static>(
        self,
        config: &CoreConfig,
        core: hdl::core::core::Core<T, U>,
    ) -> Box<dyn Core> {
        let slots = core.unit.shape().slots;
        Box::new(RtlCore::<T, _>::new(core, config.warps as usize, slots))
    }
}

/// The core of a configuration, or one line that says why there is none.
pub fn build(config: &CoreConfig) -> Result<Box<dyn Core>, String> {
    no_cache(config)?;
    cores::build(config, Boxed)
}

/// An instruction cache is around a core, and none is here.
pub(crate) fn no_cache(config: &CoreConfig) -> Result<(), String> {
    match config.icache {
        0 => Ok(()),
        n => Err(format!("--icache {n}: only gen puts a cache around the core, leave it out")),
    }
}

/// The core of a configuration around any unit.
pub fn around<const T: usize, U: Unit<T> + 'static>(config: &CoreConfig, unit: U) -> Box<dyn Core> {
    cores::around(config, unit, Boxed)
}

/// The unit of a configuration, without a core around it: a `Box<dyn Unit<T>>` of
/// its T. Compiled here, where its code is already, and not where it is tested.
pub fn unit(config: &CoreConfig) -> Box<dyn Any> {
    match config.threads_per_warp {
        1 => Box::new(cores::unit::<1>(config)),
        2 => Box::new(cores::unit::<2>(config)),
        4 => Box::new(cores::unit::<4>(config)),
        8 => Box::new(cores::unit::<8>(config)),
        16 => Box::new(cores::unit::<16>(config)),
        32 => Box::new(cores::unit::<32>(config)),
        64 => Box::new(cores::unit::<64>(config)),
        t => unreachable!("validate() lets no {t} threads per warp pass"),
    }
}
