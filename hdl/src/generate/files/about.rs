//! `.json`: everything a script wants to know about the core.

use super::File;
use crate::generate::map::{self, Latency, OwnCsr, Register};
use crate::generate::{Product, sha256, system};
use crate::platform;
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize)]
struct About<'a> {
    name: &'a str,
    version: &'static str,
    command: String,
    top: &'static str,
    bus: &'static str,
    /// Values of the command's options.
    configuration: Map<String, Value>,
    slots_per_warp: usize,
    pipes: usize,
    /// What is around the core, of a soc.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a system::About>,
    port_groups: Map<String, Value>,
    ports: Vec<Port<'a>>,
    memory_map: Vec<Region>,
    device_registers: &'static [Register],
    csrs: Vec<OwnCsr>,
    state_bits_per_warp: StateBits,
    latencies: Vec<Latency>,
    files: Vec<Hash<'a>>,
}

#[derive(Serialize)]
struct Port<'a> {
    name: &'a str,
    direction: &'static str,
    width: usize,
    group: &'a str,
}

#[derive(Serialize)]
struct Region {
    name: &'static str,
    address: u32,
    size: u32,
}

/// Of the divergence unit.
#[derive(Serialize)]
struct StateBits {
    tables: Vec<Table>,
    total: usize,
}

#[derive(Serialize)]
struct Table {
    name: &'static str,
    bits: usize,
}

#[derive(Serialize)]
struct Hash<'a> {
    name: &'a str,
    bytes: usize,
    sha256: String,
}

/// The file; `files` are the others.
pub fn json(product: &Product, files: &[File]) -> String {
    let config = product.config;
    let printed = &product.printed;
    let ports = printed.design.ports.iter().map(|port| Port {
        name: &port.name,
        direction: if port.input { "input" } else { "output" },
        width: port.width,
        group: port.path.split('$').next().unwrap_or_default(),
    });
    let ports: Vec<Port> = ports.collect();
    let used = product.groups().filter(|(group, _)| ports.iter().any(|p| p.group == *group));
    let about = About {
        name: &product.name,
        version: env!("CARGO_PKG_VERSION"),
        command: product.command(),
        top: product.top.name,
        bus: product.bus.name,
        configuration: config.resolved().into_iter().map(|(key, v)| (key.into(), v)).collect(),
        slots_per_warp: printed.shape.slots,
        pipes: printed.shape.pipes,
        system: product.system.as_ref().map(|system| &system.about),
        port_groups: used.map(|(group, what)| ((*group).into(), (*what).into())).collect(),
        ports,
        memory_map: vec![
            Region { name: "devices", address: platform::DEVICE_BASE, size: platform::DEVICE_SIZE },
            Region { name: "ram", address: platform::RAM_BASE, size: config.ram_size },
        ],
        device_registers: map::REGISTERS,
        csrs: map::csrs(config),
        state_bits_per_warp: StateBits {
            tables: printed.state_bits.iter().map(|&(name, bits)| Table { name, bits }).collect(),
            total: printed.state_bits.iter().map(|(_, bits)| bits).sum(),
        },
        latencies: map::latencies(config),
        files: files
            .iter()
            .map(|file| Hash {
                name: &file.name,
                bytes: file.text.len(),
                sha256: sha256::hex(file.text.as_bytes()),
            })
            .collect(),
    };
    serde_json::to_string_pretty(&about).expect("plain data") + "\n"
}
