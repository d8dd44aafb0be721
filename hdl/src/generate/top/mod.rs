//! The top modules by name: one file and one row each, and an arm in [`Print`].

mod core;
mod soc;

use super::bus::{self, BUSES, Bus};
use crate::config::CoreConfig;
use crate::core::core::Core;
use crate::cores::Visit;
use crate::divergence::port::{Shape, Unit};
use crate::rtl::Design;
use crate::soc::SocOptions;

/// What a top says about itself.
#[derive(Debug)]
pub struct Top {
    /// The value of `--top`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its groups of ports, by the first field of their path.
    pub groups: &'static [(&'static str, &'static str)],
}

/// Every top of this build; the first is the default.
pub static TOPS: &[Top] = &[core::TOP, soc::TOP];

/// Shows a core as Verilog.
pub struct Print {
    /// What to put around it.
    pub top: &'static Top,
    /// On which bus.
    pub bus: &'static Bus,
    /// Name of the top module.
    pub name: String,
    /// Of a soc.
    pub system: Option<SocOptions>,
}

impl Print {
    /// The core alone, with its own ports.
    pub fn core(name: String) -> Print {
        Print { top: &TOPS[0], bus: &BUSES[0], name, system: None }
    }

    /// The core with memory on the chip.
    pub fn soc(name: String, system: SocOptions) -> Print {
        Print { top: &soc::TOP, bus: &BUSES[0], name, system: Some(system) }
    }
}

/// What comes of it.
pub struct Printed {
    /// All modules.
    pub design: Design,
    /// Slots, pipes, redirects.
    pub shape: Shape,
    /// State bits of one warp, by table of the divergence unit.
    pub state_bits: Vec<(&'static str, usize)>,
}

impl Visit for Print {
    type Out = Result<Printed, String>;

    fn visit<const T: usize, U: Unit<T> + 'static>(
        self,
        config: &CoreConfig,
        core: Core<T, U>,
    ) -> Self::Out {
        let (shape, state_bits) = (core.unit.shape(), core.unit.state_bits());
        let design = match (self.top.name, self.bus.name) {
            ("core", "native") => core::print(config, &core, &self.name)?,
            ("core", "axi4") => bus::print_axi4(config, core, &self.name)?,
            ("core", "wishbone") => bus::print_wishbone(config, core, &self.name)?,
            ("soc", "native") => {
                let system = self.system.as_ref().expect("a soc has its options");
                soc::print(config, system, core, &self.name)?
            }
            (top, bus) => unreachable!("no arm for the top {top} on {bus}"),
        };
        Ok(Printed { design, shape, state_bits })
    }
}
