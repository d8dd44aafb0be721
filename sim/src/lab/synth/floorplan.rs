//! Where the lanes of a core lie on an LFE5U-85F: multipliers and register banks side by
//! side, lane by lane in two rows, around the middle of the device. If nobody says so, the
//! placer spreads them over all of it, and everything else lies between them.
//!
//! A group is nine columns of tiles with four multipliers in some rows, four block RAMs in others.

use serde_json::Value;

/// First columns of the groups in the middle.
const GROUPS: [u32; 10] = [13, 22, 31, 40, 49, 58, 69, 78, 87, 96];
/// Rows of the multipliers of the lower and of the upper half of the lanes, and of the block
/// RAMs between them.
const MULTIPLIERS: [u32; 2] = [34, 58];
const BLOCK_RAMS: u32 = 46;

/// All that the places depend on, for who keeps results.
pub fn what() -> String {
    format!("{GROUPS:?} {MULTIPLIERS:?} {BLOCK_RAMS}")
}

/// The group of a lane of `lanes`, or none if they are too many.
fn group(lane: usize, lanes: usize) -> Option<u32> {
    let row = lanes.div_ceil(2);
    let stride = if row <= GROUPS.len() / 2 { 2 } else { 1 };
    let first = (GROUPS.len() - 1).checked_sub((row - 1) * stride)? / 2;
    Some(GROUPS[first + lane % row * stride])
}

/// Which half a lane is of.
fn half(lane: usize, lanes: usize) -> usize {
    lane / lanes.div_ceil(2)
}

/// The number behind `prefix`, and what follows it.
fn numbered<'a>(name: &'a str, prefix: &str) -> Option<(usize, &'a str)> {
    let rest = &name[name.find(prefix)? + prefix.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

/// The place of a cell that has one.
fn place(name: &str, lanes: usize) -> Option<String> {
    // Columns behind the first one of the group, and numbers.
    const IN_GROUP: [(u32, u32); 4] = [(0, 0), (1, 1), (4, 4), (5, 5)];
    for (part, (column, number)) in ["low", "cross_a", "cross_b", "top"].iter().zip(IN_GROUP) {
        if let Some((lane, rest)) = numbered(name, &format!(".multiply_0.{part}_"))
            && rest.starts_with("_MULT18X18D")
        {
            let (x, y) = (group(lane, lanes)? + column, MULTIPLIERS[half(lane, lanes)]);
            return Some(format!("X{x}/Y{y}/MULT18_{number}"));
        }
    }
    for (bank, part) in ["a", "b"].iter().zip(0..) {
        if let Some((lane, rest)) = numbered(name, &format!(".registers.bank_{bank}_"))
            && rest == ".0.0"
        {
            let number = 2 * half(lane, lanes) as u32 + part;
            let x = group(lane, lanes)? + 2 * number;
            return Some(format!("X{x}/Y{BLOCK_RAMS}/EBR{number}"));
        }
    }
    None
}

/// The netlist with places for the cells of the lanes.
pub fn apply(netlist: &str, top: &str, lanes: usize) -> Result<String, String> {
    let mut netlist: Value =
        serde_json::from_str(netlist).map_err(|e| format!("netlist of Yosys: {e}"))?;
    let cells = netlist
        .pointer_mut(&format!("/modules/{top}/cells"))
        .and_then(Value::as_object_mut)
        .ok_or_else(|| format!("netlist of Yosys: no module {top}"))?;
    for (name, cell) in cells {
        let wanted = match cell["type"].as_str() {
            Some("MULT18X18D" | "DP16KD") => place(name, lanes),
            _ => None,
        };
        if let Some(place) = wanted {
            cell["attributes"]["BEL"] = place.into();
        }
    }
    Ok(netlist.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(lanes: usize) -> Vec<String> {
        let of = |lane: usize| {
            let multipliers = ["low", "cross_a", "cross_b", "top"]
                .map(|part| format!("dut.core.multiply_0.{part}_{lane}_MULT18X18D_P9"));
            let banks =
                ["a", "b"].map(|bank| format!("dut.core.collect.registers.bank_{bank}_{lane}.0.0"));
            multipliers.into_iter().chain(banks)
        };
        (0..lanes).flat_map(of).collect()
    }

    #[test]
    fn no_two_cells_have_one_place() {
        for lanes in [1, 2, 4, 8, 16] {
            let names = names(lanes);
            let places: BTreeSet<_> = names.iter().map(|name| place(name, lanes)).collect();
            assert_eq!(places.len(), names.len(), "T = {lanes}");
            assert!(!places.contains(&None), "T = {lanes}");
        }
        assert!(names(32).iter().all(|name| place(name, 32).is_none()), "it goes on no device");
    }

    #[test]
    fn lanes_lie_side_by_side_and_nothing_else_has_a_place() {
        let at = |name: &str| place(name, 8);
        let mult = |part: &str, lane| {
            at(&format!("dut.core.multiply_0.{part}_{lane}_MULT18X18D_P9")).unwrap()
        };
        assert_eq!(mult("low", 0), "X22/Y34/MULT18_0");
        assert_eq!(mult("top", 3), "X83/Y34/MULT18_5");
        assert_eq!(mult("cross_b", 5), "X44/Y58/MULT18_4");
        let bank = |bank: &str, lane| {
            at(&format!("dut.core.collect.registers.bank_{bank}_{lane}.0.0")).unwrap()
        };
        assert_eq!(bank("a", 1), "X40/Y46/EBR0");
        assert_eq!(bank("b", 5), "X46/Y46/EBR3");
        for name in [
            "dut.core.collect.registers.bank_a_1.0.1",
            "dut.memory.banks_1.mem.0.0",
            "dut.core.multiply_0.low_1_TRELLIS_FF_Q",
        ] {
            assert_eq!(at(name), None);
        }
    }

    #[test]
    fn a_netlist_keeps_all_else() {
        let netlist = r#"{"modules":{"weft":{"cells":{
            "dut.core.multiply_0.low_0_MULT18X18D_P9":{"type":"MULT18X18D","attributes":{"src":"a"}},
            "x":{"type":"LUT4","attributes":{}}}}}}"#;
        let placed: Value = serde_json::from_str(&apply(netlist, "weft", 8).unwrap()).unwrap();
        let mut wanted: Value = serde_json::from_str(netlist).unwrap();
        wanted["modules"]["weft"]["cells"]["dut.core.multiply_0.low_0_MULT18X18D_P9"]["attributes"]
            ["BEL"] = "X22/Y34/MULT18_0".into();
        assert_eq!(placed, wanted);
        for wrong in ["", "{}", "[]", r#"{"modules":{"weft":[]}}"#] {
            assert!(apply(wrong, "weft", 8).is_err(), "{wrong}");
        }
    }
}
