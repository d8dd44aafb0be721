//! Reports of nextpnr: frequency, what is used of the device, and the critical path,
//! module by module.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A stretch of a path within a module.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// Instances from the top of the design, with dots; empty for the top itself.
    pub module: String,
    /// Nanoseconds, with the wires that lead there.
    pub ns: f64,
}

/// What place and route came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Routed {
    /// Megahertz.
    pub fmax: f64,
    /// The critical path.
    pub path: Vec<Stretch>,
    /// Of the device.
    pub used: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Clock>,
    critical_paths: Vec<Path>,
    utilization: BTreeMap<String, Used>,
}

#[derive(Deserialize)]
struct Clock {
    achieved: f64,
}

#[derive(Deserialize)]
struct Path {
    from: String,
    to: String,
    path: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    delay: f64,
    to: Place,
}

#[derive(Deserialize)]
struct Place {
    cell: String,
}

#[derive(Deserialize)]
struct Used {
    used: u64,
}

/// The instance that a cell belongs to: its path without its own name, below `dut`.
fn module(cell: &str) -> &str {
    let path = cell.rsplit_once('.').map_or("", |(path, _)| path);
    path.strip_prefix("dut.").unwrap_or(if path == "dut" { "" } else { path })
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Reads a report.
pub fn read(json: &str) -> Result<Routed, String> {
    let report: Report =
        serde_json::from_str(json).map_err(|e| format!("not a report of nextpnr: {e}"))?;
    let (clock, fmax) = report.fmax.first_key_value().ok_or("nextpnr reports no clock")?;
    let edge = format!("posedge {clock}");
    let critical = report.critical_paths.iter().find(|path| path.from == edge && path.to == edge);
    let mut path: Vec<Stretch> = Vec::new();
    for step in critical.map_or(&[][..], |path| &path.path) {
        let module = module(&step.to.cell);
        match path.last_mut() {
            Some(last) if last.module == module => last.ns += step.delay,
            _ => path.push(Stretch { module: module.to_string(), ns: step.delay }),
        }
    }
    path.iter_mut().for_each(|stretch| stretch.ns = round(stretch.ns));
    let used = report.utilization.into_iter().map(|(name, used)| (name, used.used));
    let used = used.filter(|(_, count)| *count != 0).collect();
    Ok(Routed { fmax: round(fmax.achieved), path, used })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_frequency_path_and_use() {
        let step = |cell: &str, delay: f64| {
            format!(
                "{{\"delay\":{delay},\"type\":\"logic\",\"from\":{{\"cell\":\"x\",\"port\":\"A\",\
                 \"loc\":[1,2]}},\"to\":{{\"cell\":\"{cell}\",\"port\":\"Q\",\"loc\":[1,2]}}}}"
            )
        };
        let steps = [
            step("dut.unit.q_TRELLIS_FF_Q", 0.5),
            step("dut.unit.rows.a_LUT4_Z", 1.254),
            step("dut.unit.rows.b_LUT4_Z", 1.0),
            step("dut.window_LUT4_Z", 0.25),
            step("signature_TRELLIS_FF_Q", 0.1),
        ];
        let text = format!(
            "{{\"fmax\":{{\"$glbnet$clock\":{{\"achieved\":47.126,\"constraint\":50.0}}}},\
             \"critical_paths\":[{{\"from\":\"<async>\",\"to\":\"posedge $glbnet$clock\",\"path\":[]}},\
             {{\"from\":\"posedge $glbnet$clock\",\"to\":\"posedge $glbnet$clock\",\"path\":[{}]}}],\
             \"utilization\":{{\"DP16KD\":{{\"available\":208,\"used\":13}},\
             \"EHXPLLL\":{{\"available\":4,\"used\":0}}}}}}",
            steps.join(",")
        );
        let routed = read(&text).unwrap();
        assert_eq!(routed.fmax, 47.13);
        let path: Vec<_> = routed.path.iter().map(|s| (s.module.as_str(), s.ns)).collect();
        assert_eq!(path, [("unit", 0.5), ("unit.rows", 2.25), ("", 0.35)]);
        assert_eq!(routed.used, BTreeMap::from([("DP16KD".to_string(), 13)]));
        assert!(read("{}").unwrap_err().contains("not a report"));
    }
}
