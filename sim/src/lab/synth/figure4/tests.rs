//! Pages from rows that are made up.

use super::super::route::Stretch;
use super::super::target::Area;
use super::super::{area, timing, which};
use super::data::{Data, config, variant};
use super::{chart, page, tradeoff};
use crate::lab::hardware::{Phase, Row};
use cores::Part;
use std::collections::{BTreeMap, BTreeSet};

fn area(part: &str, t: u32, variant: &str, logic: u64) -> area::Row {
    let area = |logic| Area { logic, logic_least: Some(logic - 1), ram: 7, ..Area::default() };
    let modules = [("unit_rows", 10), ("unit_rows_used", 20), ("fetch", 270)];
    area::Row {
        target: "cycloneive".into(),
        part: part.into(),
        threads_per_warp: t,
        core: format!("weft_t{t} {variant}"),
        divergence: String::new(),
        options: format!("--threads-per-warp {t} --warps 8 --divergence {variant}"),
        hardware: "0.1.0+0".into(),
        tool: "yosys 0.70".into(),
        script: String::new(),
        total: area(logic),
        modules: modules.map(|(name, logic)| (name.to_string(), area(logic))).into(),
    }
}

fn timing(t: u32, variant: &str, seed: u64, fmax: f64) -> timing::Row {
    timing::Row {
        target: "ecp5".into(),
        part: "core".into(),
        threads_per_warp: t,
        core: String::new(),
        divergence: String::new(),
        options: format!("--threads-per-warp {t} --warps 8 --divergence {variant}"),
        hardware: "0.1.0+0".into(),
        tools: "yosys 0.70, nextpnr-ecp5 0.11.1".into(),
        script: String::new(),
        seed,
        fmax,
        path: vec![Stretch { module: "unit.rows".into(), ns: 3.25 }],
        used: BTreeMap::new(),
    }
}

/// What was measured before a change of the hardware is marked, and gives way to what came after.
#[test]
fn rows_of_earlier_hardware_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--threads-per-warp 2 --warps 8 --divergence hct";
    let config = config(options).unwrap();
    let hardware = which::hardware(&area::design(&config, Part::Unit).unwrap());
    let row = |hardware: &str, logic| {
        let row = area::Row { hardware: hardware.into(), ..area("unit", 2, "hct", logic) };
        serde_json::to_string(&row).unwrap() + "\n"
    };
    let read = |rows: &[String]| {
        std::fs::write(folder.path().join("area.jsonl"), rows.concat()).unwrap();
        Data::read(folder.path()).map(|data| page::page(&data)).map_err(|e| e.to_string())
    };
    let page = read(&[row("0.1.0+1", 900)]).unwrap();
    assert!(page.contains("| `hct` | 899 to 900 (0; 7)° |") && page.contains("What has °"));
    let page = read(&[row("0.1.0+1", 900), row(&hardware, 800)]).unwrap();
    assert!(page.contains("| `hct` | 799 to 800 (0; 7) |"), "{page}");
    let error = read(&[row("0.1.0+1", 900), row("0.1.0+0", 800)]).unwrap_err();
    assert!(error.contains("rows of hardware 0.1.0+0 and 0.1.0+1 for unit"), "{error}");
}

const ORIGINAL: &str = "--isa rv32i --traps off --counters none --bypass none";

#[test]
fn tables_and_claims_come_from_the_rows() {
    let data = Data {
        areas: vec![
            area("core", 2, "hct", 1000),
            area("core", 2, "arbiter", 900),
            area("core", 4, "hct", 2000),
            area("core", 4, "arbiter", 3000),
            area("core", 4, "hct --isa rv32i", 1500),
            area("core", 4, "hct --isa rv32i --cct paper", 1400),
            area("core", 4, &format!("hct {ORIGINAL} --cct paper"), 500),
            area("core", 4, &format!("arbiter {ORIGINAL}"), 600),
        ],
        timings: vec![
            timing(4, "arbiter", 1, 52.0),
            timing(4, "arbiter", 2, 47.0),
            timing(4, "arbiter", 3, 49.0),
        ],
        orders: Vec::new(),
        older: BTreeSet::new(),
    };
    let page = page::page(&data);
    for text in [
        "| `hct` | 999 to 1000 (0; 7) | 1999 to 2000 (0; 7) |",
        "| `hct --isa rv32i` | - | 1499 to 1500 (0; 7) |",
        "| `arbiter` | - | 49.0 (3) |",
        "T=2: -10.0 %, T=4: +50.0 %; the sorted list is smaller from T=4",
        "the arbiter is below 50 MHz from T=4",
        "`hct` T=2: 30 (10.0 %), T=4: 30 (10.0 %)",
        "(core with the features of the original).\n  *Observed:* arbiter against hct: T=4: +20.0 %;",
        "| `--isa` rv32i to default | `hct --isa rv32i` | 4 | +500 | +33.3 % | +0 |",
        "| `--cct` paper to default | `hct --isa rv32i --cct paper` | 4 | +100 | +7.1 % | +0 |",
        "| `arbiter` | core | 4 | 49.0 | unit.rows 3.2 ns |",
        "no rows yet",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
    let figure = chart::draw(&data);
    assert!(figure.starts_with("<svg") && figure.contains("threads per warp"));
}

#[test]
fn verdicts_come_from_the_rows() {
    let cold = |t, modules: [u64; 3]| area::Row {
        modules: ["unit_cold_r", "unit_y_rings", "fetch"]
            .into_iter()
            .zip(modules)
            .map(|(name, logic)| (name.to_string(), Area { logic, ..Area::default() }))
            .collect(),
        ..area("core", t, &format!("hct {ORIGINAL} --cct paper"), 80_000)
    };
    let data = Data {
        areas: vec![
            area("core", 8, "hct", 1000),
            area("core", 8, "arbiter", 1030),
            area("unit", 8, "hct", 100),
            area("unit", 8, "arbiter", 90),
            area("unit", 16, "hct", 100),
            area("unit", 16, "arbiter", 120),
            area("core", 64, "hct", 200_000),
            area("core", 64, "arbiter", 202_000),
            cold(2, [20, 0, 80]),
            cold(64, [5, 5, 190]),
            area("core", 64, &format!("arbiter {ORIGINAL}"), 90_000),
        ],
        timings: vec![
            timing(8, "hct", 1, 100.0),
            timing(8, "arbiter", 1, 40.0),
            timing(8, "arbiter --arbiter-stages 1", 1, 70.0),
            timing(8, "arbiter --arbiter-stages 2", 1, 60.0),
            timing(8, "hct --ccs network", 1, 45.0),
        ],
        orders: Vec::new(),
        older: BTreeSet::new(),
    };
    let page = page::page(&data);
    for text in [
        "*Verdict:* refuted: +3.0 % from 8 threads on at most.",
        "*Verdict:* by +5.0 % or more from 16 threads on only.",
        "*Verdict:* reproduced.",
        "*Verdict:* no rows yet.",
        "*Verdict:* with the features of the original refuted: both fit; with all options it does not, nor does hct.",
        "T=2: 20 (20.0 %), T=64: 10 (5.0 %); `hct`",
        "reproduced (that its share falls to half or less: from 20.0 to 5.0 %); `hct` refuted",
        "*Verdict:* core with all options: reproduced; core with the features of the original: no rows yet; unit",
        "*Verdict:* of what lies between arbiter and hct the best recovers: core with all options T=8: 50 %.",
        "*Verdict:* core with all options T=8: reproduced (below 50 MHz); with the features of the original no rows yet",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}

#[test]
fn only_eight_warps_count() {
    let options = "--threads-per-warp 4 --warps 8 --divergence hct --cct paper";
    assert_eq!(variant(options), Some("hct --cct paper"));
    assert_eq!(variant(&options.replace("--warps 8", "--warps 4")), None);
}

/// What a unit issues too much stands beside its area, of programs that all units finish and in
/// which no thread races, and of today's hardware where there are rows of both.
#[test]
fn area_stands_beside_what_is_issued_too_much() {
    let order = |variant: &str, kernel: &str, issued: u64, cycles: u64| {
        let config = config(&format!("--threads-per-warp 4 --warps 8 --divergence {variant}"));
        Row {
            kernel: kernel.into(),
            order_free: kernel != "races",
            core: config.unwrap().name(),
            threads_per_warp: 4,
            warps: 8,
            latency: 1,
            version: hdl::HARDWARE.into(),
            elf: String::new(),
            outcome: if kernel == "spins" { "stuck" } else { "pass" }.into(),
            ideal: 100,
            same_end: true,
            sweeps: 0,
            dropped: 0,
            stalled: 0,
            phases: vec![Phase { cycles, issued, replays: 0 }],
        }
    };
    let mut rows = Vec::new();
    for (variant, extra) in [("arbiter", 0), ("hct", 2), ("hct --cct paper", 44)] {
        rows.extend([
            order(variant, "sort", 100 + extra, 200 + extra),
            order(variant, "search", 100, 200),
            order(variant, "races", 190, 200),
            order(variant, "spins", 190, 200),
            order(variant, "(many paths, blocks of 2)", 100 + 2 * extra, 900),
        ]);
    }
    rows.push(Row { version: "earlier".into(), ..order("hct", "sort", 170, 200) });
    rows.push(order("arbiter", "of one unit", 170, 200));
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: Vec<String>| {
        std::fs::write(folder.path().join(name), rows.join("\n") + "\n").unwrap();
    };
    let line = |row: &Row| serde_json::to_string(row).unwrap();
    let areas = ["arbiter", "hct", "hct --cct paper"].map(|v| area("unit", 4, v, 900));
    write("area.jsonl", areas.iter().map(|row| serde_json::to_string(row).unwrap()).collect());
    write("units.jsonl", rows.iter().map(line).collect());
    let data = Data::read(folder.path()).unwrap();
    let page = page::page(&data);
    for text in [
        "| `arbiter`° | 4 | 899 to 900 | 7 | 0 | 0 | 0 | 1.000 |",
        "| `hct`° | 4 | 899 to 900 | 7 | +2.00 % (sort) | +1.00 % | +4.00 % | 1.005 |",
        "| `hct --cct paper`° | 4 | 899 to 900 | 7 | +44.00 % (sort) | +20.00 % | +88.00 % | 1.105 |",
        "![Area against extra warp instructions](tradeoff.svg)",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
    let figure = tradeoff::draw(&data).unwrap();
    assert!(figure.starts_with("<svg") && figure.contains("hct --cct paper"));

    // Without rows of the order there is neither.
    std::fs::remove_file(folder.path().join("units.jsonl")).unwrap();
    let data = Data::read(folder.path()).unwrap();
    assert!(tradeoff::draw(&data).is_none() && !page::page(&data).contains("tradeoff.svg"));
}
