//! From a configuration to a core: the only place that chooses T and the unit.

use super::core::Core;
use hdl::config::CoreConfig;

/// Divergence units with hardware behind them.
pub const UNITS: &[&str] = &[];

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
    let name = config.divergence.name;
    let units = if UNITS.is_empty() { "none yet".to_string() } else { UNITS.join(", ") };
    Err(format!("--divergence {name}: not in hardware at T = {T} (those that are: {units})"))
}
