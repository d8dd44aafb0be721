//! Few pins around many ports, for place and route: a shift register drives every
//! input, and every output goes into a signature that is shifted out. Paths begin and
//! end in registers, none of which is more than a LUT away from the ports.

use hdl::rtl::{Design, Port};
use std::fmt::Write;

/// The last field of a port's path.
fn field(port: &Port) -> &str {
    port.path.rsplit('$').next().unwrap_or_default()
}

/// Clock or reset, which are pins.
fn is_pin(port: &Port) -> bool {
    port.input && port.width == 1 && matches!(field(port), "clock" | "reset")
}

/// The design `inner` as the part `dut` of a module `top`, which comes last.
pub fn around(design: &Design, inner: &str, top: &str) -> String {
    let mut wires = [0, 0];
    let mut connections = Vec::new();
    for port in &design.ports {
        let outer = if is_pin(port) {
            field(port).to_string()
        } else {
            let (bus, width) =
                if port.input { ("given", &mut wires[0]) } else { ("seen", &mut wires[1]) };
            *width += port.width;
            format!("{bus}[{}:{}]", *width - 1, *width - port.width)
        };
        connections.push(format!("        .{}({outer})", port.name));
    }
    // Two bits at least, so that both can be shifted.
    let [given, seen] = wires.map(|width| width.max(2) - 1);
    let mut text = design.text.clone();
    let _ = write!(
        text,
        "module {top} (input wire clock, input wire reset_pin, input wire in, output wire out);
    reg reset;
    reg [{given}:0] given;
    wire [{seen}:0] seen;
    reg [{seen}:0] signature;
    assign out = signature[{seen}];
    always @(posedge clock) begin
        reset <= reset_pin;
        given <= {{given[{given} - 1:0], in}};
        signature <= {{signature[{seen} - 1:0], signature[{seen}]}} ^ seen;
    end
    {inner} dut (
{}
    );
endmodule
",
        connections.join(",\n")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_port_is_connected_once() {
        let port = |path: &str, width, input| Port {
            path: path.into(),
            name: path.replace('$', "_"),
            width,
            input,
        };
        let ports = vec![
            port("io$clock", 1, true),
            port("io$reset", 1, true),
            port("data$a", 8, true),
            port("data$b", 1, true),
            port("q", 4, false),
        ];
        let text = around(&Design { text: "// design\n".into(), ports }, "inner", "weft");
        for part in [
            "// design\nmodule weft (",
            "reg [8:0] given;",
            "wire [3:0] seen;",
            ".io_clock(clock)",
            ".io_reset(reset)",
            ".data_a(given[7:0])",
            ".data_b(given[8:8])",
            ".q(seen[3:0])",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
