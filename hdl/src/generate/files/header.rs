//! `.h`: constants for C and assembly.

use super::banner;
use crate::generate::{Product, map};
use crate::platform;
use std::fmt::Write;

/// The header file.
pub fn header(product: &Product) -> String {
    let config = product.config;
    let guard = format!("{}_H", product.name.to_uppercase());
    let mut text = banner(product, "constants for software, C or assembly", "//");
    let _ = writeln!(text, "#ifndef {guard}\n#define {guard}\n");
    let mut define = |name: &str, value: String, meaning: &str| {
        let _ = writeln!(text, "#define WEFT_{name} {value} // {meaning}");
    };
    define("LANES", config.threads_per_warp.to_string(), "threads per warp");
    define("WARPS", config.warps.to_string(), "warps");
    define("HARTS", config.harts.to_string(), "alive after reset; mhartid = warp * LANES + lane");
    define("RAM_BASE", hex(platform::RAM_BASE), "first byte of RAM");
    define("RAM_SIZE", hex(config.ram_size), "bytes of RAM");
    define("RESET_PC", hex(config.reset_pc), "first instruction of every hart");
    if let Some(system) = &product.system {
        define("TOHOST", hex(system.about.tohost), "host interface: console and exit code");
        let divisor = system.about.uart_divisor.to_string();
        define("UART_DIVISOR", divisor, "clock cycles per bit");
    }
    define("DEVICE_BASE", hex(platform::DEVICE_BASE), "first byte of the device window");
    define("DEVICE_SIZE", hex(platform::DEVICE_SIZE), "bytes of the device window");
    for register in map::REGISTERS {
        let words = match register.words {
            1 => String::new(),
            n => format!("{n} words; "),
        };
        let meaning = format!("{}; {words}{}", register.access, register.meaning);
        define(&format!("DEVICE_{}", register.name), hex(register.address), &meaning);
    }
    for csr in map::csrs(config) {
        define(&format!("CSR_{}", csr.name), format!("{:#05x}", csr.number), csr.meaning);
    }
    let _ = writeln!(text, "\n#endif");
    text
}

fn hex(value: u32) -> String {
    format!("{value:#010x}")
}
