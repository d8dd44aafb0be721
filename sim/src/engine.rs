//! What stands for the hardware in a run: `--engine rtl`, `verilator` or `twin`.

use crate::rtl::{self, Core};
use crate::verilator::{self, Twin};
use hdl::config::CoreConfig;

/// A way of simulating a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The rust-hdl circuit.
    Rtl,
    /// Its Verilog, compiled by Verilator.
    Verilator,
    /// Both on the same inputs: every output of every cycle must be the same.
    Twin,
}

impl Engine {
    /// Every engine by name.
    pub const ALL: [(&str, Engine); 3] =
        [("rtl", Engine::Rtl), ("verilator", Engine::Verilator), ("twin", Engine::Twin)];

    /// The engine of that name.
    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, engine)| engine)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Engine::ALL.into_iter().find(|(_, engine)| *engine == self).expect("all are there").0
    }

    /// Builds a core; an error is one line that says why there is none.
    pub fn core(self, config: &CoreConfig) -> Result<Box<dyn Core>, String> {
        match self {
            Engine::Rtl => rtl::build(config),
            Engine::Verilator => verilator::build(config, None),
            Engine::Twin => {
                Ok(Box::new(Twin::new(rtl::build(config)?, verilator::build(config, None)?)))
            }
        }
    }
}
