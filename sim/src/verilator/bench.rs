//! What stands around the Verilog of a core in a model: a module that takes the
//! inputs at the rising edge, and C++ that puts them there and reads the outputs.
//!
//! ```text
//! Rust --RawIn--> cycle() --> inputs --registers--> core --> outputs --RawOut--> Rust
//! ```
//!
//! Since inputs change with the edge that begins their cycle, one evaluation per
//! cycle is enough, and nothing depends on a pin but registers.

use super::raw::{self, place};
use hdl::rtl::{Design, Port};
use std::fmt::Write;

/// Name of the module around the core, and `V` before it of its class.
pub const TOP: &str = "model";

/// The ports but the clock.
fn ports(design: &Design) -> impl Iterator<Item = &Port> {
    design.ports.iter().filter(|port| port.path != "clock")
}

fn range(port: &Port) -> String {
    if port.width == 1 { String::new() } else { format!("[{}:0] ", port.width - 1) }
}

/// The module around the core, to follow its text.
pub fn verilog(design: &Design, core: &str) -> String {
    let (mut pins, mut registers, mut take) = (String::new(), String::new(), String::new());
    let mut connections = vec![".clock(clock)".to_string()];
    for port in ports(design) {
        let (range, name) = (range(port), &port.name);
        if port.input {
            let _ = write!(pins, ",\n    input wire {range}{name}");
            let reset = if port.path == "reset" { " = 1'b1" } else { "" };
            let _ = writeln!(registers, "    reg {range}{name}_now{reset};");
            let _ = writeln!(take, "        {name}_now <= {name};");
            connections.push(format!(".{name}({name}_now)"));
        } else {
            let _ = write!(pins, ",\n    output wire {range}{name}");
            connections.push(format!(".{name}({name})"));
        }
    }
    format!(
        "module {TOP} (\n    input wire clock{pins}\n);\n{registers}    always @(posedge clock) \
         begin\n{take}    end\n    {core} core (\n        {}\n    );\nendmodule\n",
        connections.join(",\n        ")
    )
}

/// A list of lanes and when it is worth looking at.
const GATED: [(&str, &str); 9] = [
    ("data.enable", "out.data.request"),
    ("data.data", "out.data.request"),
    ("data.word", "out.data.request"),
    ("lanes.tval", "trapped"),
    ("lanes.value", "written"),
    ("lanes.addr", "access"),
    ("lanes.operand", "access"),
    ("late.value", "out.late.valid"),
    ("data.reply_data", "in.data.reply"),
];

/// Whose lanes `lane` is one of.
fn list(place: &str) -> Option<&str> {
    place.strip_suffix(']')?.rsplit_once('[').map(|(list, _)| list)
}

/// The functions that Rust calls.
pub fn shim(design: &Design, waves: bool) -> String {
    let pin = |port: &Port| format!("model.{}", port.name.replace("__", "___05F"));
    let (mut set, mut get) = (String::new(), String::new());
    let mut gated: Vec<String> = vec![String::new(); GATED.len()];
    let pipes = ports(design)
        .filter(|port| port.path.ends_with("$rd") && port.path.contains("retire"))
        .count();
    for port in ports(design) {
        let (place, pin) = (place(&port.path), pin(port));
        let line = match port.input {
            true => format!("{pin} = in.{place};\n"),
            false => format!("out.{place} = {pin};\n"),
        };
        match GATED.iter().position(|(gate, _)| list(&place) == Some(gate)) {
            Some(at) => gated[at] += &line,
            None if port.input => set += &line,
            None => get += &line,
        }
    }
    for ((list, when), lines) in GATED.iter().zip(gated) {
        let to = if list.ends_with("reply_data") { &mut set } else { &mut get };
        let _ = write!(to, "if ({when}) {{\n{lines}}}\n");
    }
    let any = |what: &str| {
        let pipes: Vec<String> = (0..pipes)
            .map(|p| format!("(out.retire[{p}].valid && out.retire[{p}].{what})"))
            .collect();
        pipes.join(" || ")
    };
    // The gates come after what they look at.
    let gates = format!(
        "const bool trapped = {}, written = {}, access = {};\n",
        any("trapped"),
        any("rd"),
        any("access")
    );
    let at = get.find("if (").unwrap_or(get.len());
    get.insert_str(at, &gates);
    let structures = raw::structures();
    let waves = if waves { WAVES } else { NO_WAVES };
    format!(
        "#include \"V{TOP}.h\"\n#include \"verilated.h\"\n#include <cstddef>\n#include <cstdint>\n\
         namespace {{\n{structures}{waves}\
         struct Model {{\nVerilatedContext context;\nV{TOP} model{{&context}};\nWaves waves;\n\
         void cycle(const RawIn& in, RawOut& out) {{\n{set}\
         model.clock = 1;\nmodel.eval();\nwaves.sample();\n\
         model.clock = 0;\nmodel.eval();\nwaves.sample();\n{get}}}\n}};\n}}\n\
         #define EXPORT extern \"C\" __attribute__((visibility(\"default\")))\n\
         EXPORT size_t weft_sizes(size_t* in) {{ *in = sizeof(RawIn); return sizeof(RawOut); }}\n\
         EXPORT void* weft_new(Write write, void* to) {{\n\
         Model* m = new Model; m->model.clock = 0; m->waves.open(m->context, m->model, write, to); \
         m->model.eval(); return m;\n}}\n\
         EXPORT void weft_delete(void* m) {{ delete static_cast<Model*>(m); }}\n\
         EXPORT void weft_cycle(void* m, const RawIn* in, RawOut* out) {{\n\
         static_cast<Model*>(m)->cycle(*in, *out);\n}}\n"
    )
}

const NO_WAVES: &str = "\
typedef void (*Write)(void*, const char*, size_t);
struct Waves {
void open(VerilatedContext&, Vmodel&, Write, void*) {}
void sample() {}
};
";

/// A value change dump whose text goes to `write`. Half a cycle is five units of time.
const WAVES: &str = "\
}
#include \"verilated_vcd_c.h\"
namespace {
typedef void (*Write)(void*, const char*, size_t);
struct Stream final : VerilatedVcdFile {
Write write_to = nullptr;
void* to = nullptr;
bool open(const std::string&) override { return true; }
void close() override {}
ssize_t write(const char* text, ssize_t length) override {
write_to(to, text, static_cast<size_t>(length));
return length;
}
};
struct Waves {
Stream stream;
VerilatedVcdC vcd{&stream};
uint64_t now = 0;
void open(VerilatedContext& context, Vmodel& model, Write write, void* to) {
stream.write_to = write;
stream.to = to;
context.traceEverOn(true);
model.trace(&vcd, 99);
vcd.open(\"\");
}
void sample() { vcd.dump(now); now += 5; }
~Waves() { vcd.close(); }
};
";
