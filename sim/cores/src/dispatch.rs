//! The core of a configuration, boxed for the harness.

use super::adapter::RtlCore;
use super::core::Core;
use hdl::config::CoreConfig;
use hdl::cores::{self, Visit};
use hdl::divergence::port::Unit;

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
    cores::build(config, Boxed)
}

/// The core of a configuration around any unit.
pub fn around<const T: usize, U: Unit<T> + 'static>(config: &CoreConfig, unit: U) -> Box<dyn Core> {
    cores::around(config, unit, Boxed)
}
