//! Exported Verilog, compiled by Verilator, beside the hardware in process.
//!
//! Needs `scripts/setup.sh`, and a C++ compiler. What runs on both in the whole is
//! `lab matrix --engine twin`, a part of which `scripts/test.sh` runs.

use crate::common::{fail, sim};
use hdl::config::{CoreConfig, RawConfig};
use sim::engine::Engine;
use sim::limits::Outcome;
use sim::program::Program;
use sim::rtl::{self, Core, Inputs, Outputs, RunOptions, Shape, Timing};
use sim::verilator::Twin;
use std::path::{Path, PathBuf};
