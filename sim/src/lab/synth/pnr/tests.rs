//! Tests of the flow with the real tools, on a small design.

use super::*;
use clap::{Args, FromArgMatches};
use serde_json::Value;
use std::collections::BTreeSet;

/// Tables, carry chains and a small memory.
const DESIGN: &str = "
    module weft(input clk, input d, output q);
        reg [31:0] a = 1, b = 3, s = 0;
        reg [7:0] m [0:15], r;
        always @(posedge clk) begin
            a <= {a[30:0], a[31] ^ a[21] ^ a[1] ^ a[0] ^ d};
            b <= b + (a ^ {s[15:0], s[31:16]});
            s <= a[3] ? s ^ b : s + {24'b0, r};
            m[a[3:0]] <= b[7:0];
            r <= m[a[7:4]];
        end
        assign q = ^s;
    endmodule";

/// Registers with six enables, and registers with a reset in common.
const SHARED: &str = "
    module weft(input clk, input d, output reg q);
        reg clear;
        reg [39:0] all, turned;
        wire [39:0] sums [0:6];
        assign sums[0] = 0;
        genvar i;
        generate for (i = 0; i < 6; i = i + 1) begin : each
            reg enable;
            reg [39:0] kept;
            always @(posedge clk) begin
                enable <= all[i + 5] & all[i + 9];
                if (enable) kept <= {all[38 - i:0], all[39:39 - i]};
            end
            assign sums[i + 1] = sums[i] ^ kept;
        end endgenerate
        always @(posedge clk) begin
            all <= {all[38:0], d ^ all[39]};
            clear <= all[0];
            turned <= clear ? 0 : sums[6];
            q <= ^turned;
        end
    endmodule";

fn flow(patient: bool) -> Flow {
    let command = Which::augment_args(clap::Command::new("test").no_binary_name(true));
    let matches = command.try_get_matches_from([""; 0]).unwrap();
    let which = Which::from_arg_matches(&matches).unwrap();
    Flow::new(&which, Target::named("ecp5").unwrap(), None, patient, Default::default()).unwrap()
}

/// By net, the wires and switches of its way.
type Ways = Vec<(String, BTreeSet<[String; 2]>)>;

fn ways(json: &str) -> Ways {
    let value: Value = serde_json::from_str(json).unwrap();
    let module = value["modules"].as_object().unwrap().values().next().unwrap();
    let way = |net: &Value| {
        let text = net["attributes"]["ROUTING"].as_str().unwrap_or_default().trim();
        let words: Vec<_> = text.split(';').collect();
        let steps = words.chunks_exact(3);
        steps.map(|step| [step[0].to_string(), step[1].to_string()]).collect()
    };
    let nets = module["netnames"].as_object().unwrap();
    nets.iter().map(|(name, net)| (name.clone(), way(net))).collect()
}

/// A netlist is placed and routed; what was said, its ways, and nextpnr's when it has checked them, with what it says
/// of them.
fn routed(flow: &Flow, netlist: &str) -> (Vec<String>, [Ways; 2], String) {
    let mut said = Vec::new();
    let mut tell = |text: &str| said.push(text.to_string());
    let [placed, delays] = flow.place(netlist, 1, ["", ""], &mut tell).unwrap();
    let placing = Placing::anneal(&placed, &delays, 1, &mut tell).unwrap();
    let wired = flow.wire(placing, &mut tell).unwrap();
    let options = [CHECK, &["--write", "checked.json"]].concat();
    let from = ("better.json", &*wired);
    let [report, checked] =
        flow.nextpnr((&options, 1), from, ["report.json", "checked.json"]).unwrap();
    (said, [ways(&wired), ways(&checked)], report)
}

fn longest(said: &[String]) -> f64 {
    let longest = |text: &String| {
        let text = text.strip_prefix("longest paths: ")?.strip_suffix(" ns, routed")?;
        text.parse::<f64>().ok()
    };
    said.iter().filter_map(longest).fold(f64::INFINITY, f64::min)
}

#[test]
fn nextpnr_takes_all_ways_over_as_they_are_and_agrees_on_how_long_they_take() {
    [false, true].into_iter().for_each(takes_over);
}

fn takes_over(patient: bool) {
    let flow = flow(patient);
    let netlist = flow.netlist(DESIGN, false, &mut |_| ()).unwrap();
    let (said, [ours, nextpnrs], report) = routed(&flow, &netlist);
    assert_eq!(said.iter().any(|text| text == "all wires, 1 of 1"), patient, "{said:?}");
    let longest = longest(&said);
    let thought = 1000.0 / route::read(&report).unwrap().fmax;
    // (From a table to the register behind it, which lies where the longest path ends, it takes 130 ps at most.)
    assert!((longest - 0.1..longest + 0.01).contains(&thought), "{thought} {longest}");
    let ours: Vec<_> = ours.iter().filter(|(_, way)| !way.is_empty()).collect();
    assert!(ours.len() > 200, "{}", ours.len());
    for (name, way) in ours {
        let other = nextpnrs.iter().find(|(other, _)| other == name).unwrap();
        assert_eq!(way, &other.1, "{name}");
    }
}

#[test]
fn nextpnr_takes_enables_and_resets_by_the_network_of_the_clock() {
    let flow = flow(false);
    let netlist = flow.netlist(SHARED, false, &mut |_| ()).unwrap();
    let mut netlist = serde_json::from_str(&netlist).unwrap();
    assert_eq!(network::promote_of(&mut netlist, 1, 41), Ok(0));
    assert_eq!(network::promote_of(&mut netlist, 10_000, 40), Ok(0));
    assert_eq!(network::promote_of(&mut netlist, 1, 40), Ok(7 * 40));
    let (said, [ours, nextpnrs], _) = routed(&flow, &netlist.to_string());
    // From the register to the buffer, and from there.
    assert!(longest(&said) > f64::from(network::DELAY) / 1000.0 + 0.5, "{said:?}");
    for (line, port) in [(8, "LSR"), (9, "CE"), (11, "CE"), (14, "CE")] {
        let find = |ways: &Ways| {
            let name = format!("network_{line}$net");
            ways.iter().find(|(net, _)| *net == name).unwrap().1.clone()
        };
        let [way, other] = [&ours, &nextpnrs].map(find);
        let from = format!("0_0_G_HPBX{line:02}00->0_0_{port}");
        let ends = way.iter().filter(|[_, switch]| switch.contains(&from)).count();
        assert!((5..=40).contains(&ends), "{ends} at {port}");
        // nextpnr adds a line of its own choice, which leads nowhere.
        assert!(way.is_subset(&other), "{port}");
        let more: Vec<_> = other.difference(&way).map(|[wire, _]| wire).collect();
        assert!(more.iter().all(|wire| wire.contains("PCLK")), "{more:?}");
    }
}
