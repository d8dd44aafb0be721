//! From a configuration to a core: the only place that chooses T and the unit.

use super::adapter::RtlCore;
use super::core::Core;
use hdl::config::CoreConfig;
use hdl::core::shape::CoreShape;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::port::Unit;

/// Divergence units with hardware behind them.
pub const UNITS: &[&str] = &["hct", "arbiter"];

/// The core of a configuration, or one line that says why there is none.
pub fn build(config: &CoreConfig) -> Result<Box<dyn Core>, String> {
    match config.threads_per_warp {
        1 => lanes::<1>(config),
        2 => lanes::<2>(config),
        4 => lanes::<4>(config),
        8 => lanes::<8>(config),
        16 => lanes::<16>(config),
        32 => lanes::<32>(config),
        64 => lanes::<64>(config),
        t => unreachable!("validate() lets no {t} threads per warp pass"),
    }
}

fn lanes<const T: usize>(config: &CoreConfig) -> Result<Box<dyn Core>, String> {
    let masks: Vec<u64> = (0..config.warps).map(|w| config.initial_mask(w)).collect();
    match config.divergence.name {
        "hct" => Ok(core(config, Hct::<T>::new(config))),
        "arbiter" => {
            let stages = config.arbiter_stages as usize;
            let pc = u64::from(config.reset_pc / 4);
            Ok(core(config, Arbiter::<T>::new(config.warps as usize, &masks, pc, stages)))
        }
        name => {
            let units = UNITS.join(", ");
            Err(format!("--divergence {name}: not in hardware (those that are: {units})"))
        }
    }
}

/// The core of a configuration around any unit.
pub fn core<const T: usize, U: Unit<T> + 'static>(config: &CoreConfig, unit: U) -> Box<dyn Core> {
    let shape = CoreShape::new(config, unit.shape());
    let (warps, slots) = (shape.warps, shape.slots);
    Box::new(RtlCore::<T, _>::new(hdl::core::core::Core::new(shape, unit), warps, slots))
}
