//! From a configuration to a core: the only place that chooses T and the unit.

use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::core::shape::CoreShape;
use crate::divergence::UNITS;
use crate::divergence::arbiter::Arbiter;
use crate::divergence::hct::Hct;
use crate::divergence::port::Unit;

/// What to do with a core of any width around any unit.
pub trait Visit {
    /// What comes of it.
    type Out;

    /// Does it.
    fn visit<const T: usize, U: Unit<T> + 'static>(
        self,
        config: &CoreConfig,
        core: Core<T, U>,
    ) -> Self::Out;
}

/// Builds the core of a configuration and shows it to the visitor; an error is
/// one line that says why there is none. (An instruction cache is what the visitor
/// puts around the core.)
pub fn build<V: Visit>(config: &CoreConfig, visitor: V) -> Result<V::Out, String> {
    match config.threads_per_warp {
        1 => lanes::<1, V>(config, visitor),
        2 => lanes::<2, V>(config, visitor),
        4 => lanes::<4, V>(config, visitor),
        8 => lanes::<8, V>(config, visitor),
        16 => lanes::<16, V>(config, visitor),
        32 => lanes::<32, V>(config, visitor),
        64 => lanes::<64, V>(config, visitor),
        t => unreachable!("validate() lets no {t} threads per warp pass"),
    }
}

fn lanes<const T: usize, V: Visit>(config: &CoreConfig, visitor: V) -> Result<V::Out, String> {
    match config.divergence.name {
        "hct" => Ok(around(config, Hct::<T>::new(config), visitor)),
        "arbiter" => Ok(around(config, arbiter::<T>(config), visitor)),
        name => Err(format!(
            "--divergence {name}: not in hardware (those that are: {})",
            in_hardware().join(", ")
        )),
    }
}

fn arbiter<const T: usize>(config: &CoreConfig) -> Arbiter<T> {
    let masks: Vec<u64> = (0..config.warps).map(|w| config.initial_mask(w)).collect();
    let (warps, stages) = (config.warps as usize, config.arbiter_stages as usize);
    Arbiter::new(warps, &masks, u64::from(config.reset_pc / 4), stages)
}

/// The unit of a configuration, without a core around it.
pub fn unit<const T: usize>(config: &CoreConfig) -> Box<dyn Unit<T>> {
    match config.divergence.name {
        "hct" => Box::new(Hct::<T>::new(config)),
        "arbiter" => Box::new(arbiter::<T>(config)),
        name => panic!("{name} is not in hardware"),
    }
}

/// The core of a configuration around any unit.
pub fn around<const T: usize, U: Unit<T> + 'static, V: Visit>(
    config: &CoreConfig,
    unit: U,
    visitor: V,
) -> V::Out {
    let shape = CoreShape::new(config, unit.shape());
    visitor.visit(config, Core::new(shape, unit))
}

/// Names of the units with hardware.
pub fn in_hardware() -> Vec<&'static str> {
    UNITS.iter().filter(|u| u.hardware).map(|u| u.name).collect()
}
