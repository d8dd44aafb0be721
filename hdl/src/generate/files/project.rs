//! `.f`, `.core`, `.sdc`, `.vlt`: what tools want beside the Verilog.

use super::banner;
use crate::generate::Product;

/// `.f`: for `verilator -F` and for `iverilog -f` in the folder itself.
pub fn file_list(product: &Product) -> String {
    banner(product, "files in the order of compilation", "//") + &format!("{}.v\n", product.name)
}

/// `.core`: FuseSoC's description (CAPI 2).
pub fn fusesoc(product: &Product) -> String {
    let name = &product.name;
    let version = env!("CARGO_PKG_VERSION");
    // The first line is the format's signature.
    format!("CAPI=2:\n{}", banner(product, "core description for FuseSoC", "#"))
        + &format!(
            "\
name: ::{name}:{version}
description: Weft SIMT {what} with divergence unit {unit}

filesets:
  rtl:
    files:
      - {name}.v
    file_type: verilogSource
  waivers:
    files:
      - {name}.vlt
    file_type: vlt
  constraints:
    files:
      - {name}.sdc
    file_type: SDC

targets:
  default:
    filesets: [rtl]
    toplevel: {name}
  lint:
    filesets: [waivers, rtl]
    toplevel: {name}
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
  sim:
    filesets: [rtl]
    toplevel: {name}
    default_tool: icarus
  synth:
    filesets: [rtl, constraints]
    toplevel: {name}
    default_tool: yosys
    tools:
      yosys:
        arch: ecp5
",
            unit = product.config.divergence.name,
            what = match product.system {
                None => "core",
                Some(_) => "system on a chip",
            }
        )
}

/// `.sdc`: the clock.
pub fn constraints(product: &Product) -> String {
    let ports = match product.system {
        None => "every port belongs to it, and so does reset",
        Some(_) => "the button may change at any time, and nobody samples the outputs with it",
    };
    let mut text = banner(product, "timing constraints", "#")
        + &format!(
            "\
# One clock; {ports}. 20 ns are a place to
# start from: put the period of your design.
create_clock -name clock -period 20.000 [get_ports clock]
"
        );
    if product.system.is_some() {
        text += "set_false_path -from [get_ports reset]\n\
                 set_false_path -to [get_ports {uart_tx done fail}]\n";
    }
    text
}

/// `.vlt`: what Verilator's -Wall says of the text and is meant.
pub fn waivers(product: &Product) -> String {
    let file = format!("{}.v", product.name);
    let mut text = "`verilator_config\n".to_string()
        + &banner(product, "Verilator warnings that are meant", "//");
    let config = &product.config;
    let one_load = config.loads == 1 || !config.bypass && config.warps == 1;
    for (rule, matching, why) in WAIVERS.iter().chain(one_load.then_some(&WAIVER_OF_ONE_LOAD)) {
        text.push('\n');
        for line in why.lines() {
            text += &format!("// {line}\n");
        }
        text += &format!("lint_off -rule {rule} -file \"*{file}\" -match \"{matching}\"\n");
    }
    text
}

/// Rules, texts of the warnings, and reasons.
const WAIVERS: &[(&str, &str, &str)] = &[
    (
        "DECLFILENAME",
        "*does not match MODULE name*",
        "All modules are in one file, so that it can be taken anywhere.",
    ),
    (
        "UNUSEDSIGNAL",
        "*Bits of * are not used*",
        "Numbers of warps, views, slots and lanes have one width in every configuration:
smaller cores leave the upper bits alone. Instruction words and sums are cut.",
    ),
    (
        "UNUSEDSIGNAL",
        "*Signal is not used*",
        "What a part offers and this configuration does not need: ports of the divergence
unit that others use, the trace without --trace, resets of registers that need none.",
    ),
];

/// Likewise of a core that never has more than one load under way.
const WAIVER_OF_ONE_LOAD: (&str, &str, &str) = (
    "UNSIGNED",
    "*Comparison is constant due to unsigned arithmetic*",
    "How many loads are under way is compared with how many there may be for one more to
fit behind the next: where there may be one alone that is none.",
);
