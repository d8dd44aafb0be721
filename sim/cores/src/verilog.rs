//! The Verilog of a core, of its divergence unit alone, or of the core with memory
//! on the chip: plain text for simulators and synthesis.

use crate::dispatch::no_cache;
use hdl::config::CoreConfig;
use hdl::cores::{self, Visit};
use hdl::divergence::port::Unit;
use hdl::generate::{Print, Printed};
use hdl::rtl::design;
use hdl::soc::SocOptions;

/// How much of a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The core.
    Core,
    /// Its divergence unit.
    Unit,
}

struct Printer {
    part: Part,
    name: String,
}

impl Visit for Printer {
    type Out = Result<Printed, String>;

    fn visit<const T: usize, U: Unit<T> + 'static>(
        self,
        config: &CoreConfig,
        core: hdl::core::core::Core<T, U>,
    ) -> Self::Out {
        match self.part {
            Part::Core => Print::core(self.name).visit(config, core),
            Part::Unit => Ok(Printed {
                design: design(&core.unit, &self.name, &[])?,
                shape: core.unit.shape(),
                state_bits: core.unit.state_bits(),
            }),
        }
    }
}

/// A part of a configuration as Verilog with that name for its top module; or
/// one line that says why there is none.
pub fn verilog(config: &CoreConfig, part: Part, name: &str) -> Result<Printed, String> {
    no_cache(config)?;
    cores::build(config, Printer { part, name: name.to_string() })?
}

/// A core with memory on the chip as Verilog, likewise.
pub fn soc(config: &CoreConfig, options: SocOptions, name: &str) -> Result<Printed, String> {
    no_cache(config)?;
    cores::build(config, Print::soc(name.to_string(), options))?
}
