//! `.v`: the design in Verilog-2001.

use super::banner;
use crate::generate::Product;

/// Header and modules, the top module last. Undeclared names are errors.
pub fn verilog(product: &Product) -> String {
    let mut text = banner(
        product,
        match product.system {
            None => "SIMT core in Verilog-2001",
            Some(_) => "SIMT system on a chip in Verilog-2001",
        },
        "//",
    );
    text += "//\n// Configuration:\n";
    for line in product.config.to_toml().lines() {
        text += &format!("//   {line}\n");
    }
    text + "\n`default_nettype none\n\n" + &product.printed.design.text + "`default_nettype wire\n"
}
