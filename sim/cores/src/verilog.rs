//! The Verilog of a core, or of its divergence unit alone: plain text for
//! simulators and synthesis.

use hdl::config::CoreConfig;
use hdl::cores::{self, Visit};
use hdl::divergence::port::Unit;
use hdl::generate::{Print, TOPS};
use hdl::rtl::{Design, design};

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
    type Out = Result<Design, String>;

    fn visit<const T: usize, U: Unit<T> + 'static>(
        self,
        config: &CoreConfig,
        core: hdl::core::core::Core<T, U>,
    ) -> Self::Out {
        match self.part {
            Part::Core => {
                let print = Print { top: &TOPS[0], name: self.name };
                print.visit(config, core).map(|printed| printed.design)
            }
            Part::Unit => design(&core.unit, &self.name, &[]),
        }
    }
}

/// A part of a configuration as Verilog with that name for its top module; or
/// one line that says why there is none.
pub fn verilog(config: &CoreConfig, part: Part, name: &str) -> Result<Design, String> {
    cores::build(config, Printer { part, name: name.to_string() })?
}
