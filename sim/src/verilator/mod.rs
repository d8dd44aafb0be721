//! Exported Verilog in this process: `--engine verilator`, and beside the hardware
//! in process: `--engine twin`.
//!
//! ```text
//! configuration -> Verilog -+- Verilator, C++ compiler -> library -> Model -> Core
//!                  bench  --+                             library.rs  model.rs
//! ```

mod bench;
mod library;
mod model;
mod raw;
mod twin;
mod waves;

pub use twin::Twin;
pub use waves::Conversion;

use cores::core::Shape;
use cores::{Core, Part};
use hdl::config::CoreConfig;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use waves::Waves;

/// A library and the shape of its core, once somebody has asked for it.
type Known = Arc<Mutex<Option<(PathBuf, Shape)>>>;

/// Those of this process, by configuration: who asks for one that is being built
/// waits for it.
static KNOWN: LazyLock<Mutex<HashMap<(String, bool), Known>>> = LazyLock::new(Mutex::default);

/// A core of exported Verilog, built if need be; with waves, if they have somewhere
/// to go.
pub fn build(config: &CoreConfig, waves: Option<Waves>) -> Result<Box<dyn Core>, String> {
    let key = (config.to_toml(), waves.is_some());
    let known =
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let (library, shape) = match &*known {
        Some(found) => found.clone(),
        None => known.insert(find(config, waves.is_some())?).clone(),
    };
    drop(known);
    Ok(Box::new(model::Model::open(&library, shape, waves)?))
}

/// The library of a configuration, and the shape of its core.
fn find(config: &CoreConfig, waves: bool) -> Result<(PathBuf, Shape), String> {
    let mut config = config.clone();
    config.trace = true;
    let name = config.name();
    let printed = cores::verilog(&config, Part::Core, &name)?;
    let library = library::library(&printed.design, &name, waves)?;
    let shape = Shape {
        threads: config.threads_per_warp as usize,
        warps: config.warps as usize,
        slots: printed.shape.slots,
        pipes: printed.shape.pipes,
    };
    Ok((library, shape))
}
