//! Targets of synthesis: a script of `scripts/synth/` and what its cells count for,
//! one row each.

use super::netlist::Cells;
use super::tool::Tool;
use crate::error::BadInput;
use crate::lab::kernels::fnv1a;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The top module.
pub const TOP: &str = "weft";
/// The line of a script that makes one module of all.
const FLATTEN: &str = "flatten";
/// What a script does that takes memories for zeros at power-up.
const DROPS: &str = "delete t:$meminit";

/// What a cell is, by the beginning of its type, and how many it counts for.
type Counts = &'static [(&'static str, u64)];

/// Names and texts.
pub type Files = &'static [(&'static str, &'static str)];

/// A way to map a design.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// What the script reads beside it: names and texts.
    pub files: Files,
    /// What the script says, and what it says in this way instead.
    pub instead: Option<(&'static str, &'static str)>,
}

/// A target.
pub struct Target {
    /// The value of `--target`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What logic is counted in.
    pub logic_unit: &'static str,
    /// What RAM is counted in.
    pub ram_unit: &'static str,
    /// For Yosys; it reads `dut.v`, whose top module is `weft`.
    pub script: &'static str,
    /// What the script reads beside it: names and texts. There may be several ways to map; the first
    /// is that of `lab area`.
    files: &'static [Files],
    /// What the script says, and what it says instead to map a large design once more with each of
    /// these.
    pub again: Option<(&'static str, &'static str)>,
    logic: Counts,
    ram: Counts,
    flip_flops: &'static [&'static str],
    /// Does a flip-flop without logic of its own take an element that logic is
    /// counted in?
    elements: bool,
}

macro_rules! script {
    ($name:literal) => {
        include_str!(concat!("../../../../scripts/synth/", $name))
    };
}

/// Every target.
pub static TARGETS: &[Target] = &[
    Target {
        name: "cycloneive",
        summary: "Cyclone IV E, by the model of logic elements of docs/synthesis.md",
        logic_unit: "LE",
        ram_unit: "M9K",
        script: script!("cycloneive.ys"),
        files: &[&[
            ("cycloneive_alu.v", script!("cycloneive_alu.v")),
            ("cycloneive_carry.v", script!("cycloneive_carry.v")),
        ]],
        again: None,
        logic: &[("$lut", 1), ("$_NOT_", 1), ("weft_carry", 1)],
        ram: &[("altsyncram", 1)],
        flip_flops: &["$_DFF", "$_SDFF"],
        elements: true,
    },
    Target {
        name: "ecp5",
        summary: "Lattice ECP5",
        logic_unit: "LUT4",
        ram_unit: "DP16KD",
        script: script!("ecp5.ys"),
        files: &[
            &[("ecp5_times.v", script!("ecp5_carry.v"))],
            &[("ecp5_times.v", concat!(script!("ecp5_carry.v"), script!("ecp5_memory.v")))],
        ],
        again: Some(("-W 900", "-W 1000")),
        logic: &[("LUT4", 1), ("CCU2C", 2), ("TRELLIS_DPR16X4", 4)],
        ram: &[("DP16KD", 1)],
        flip_flops: &["TRELLIS_FF"],
        elements: false,
    },
    Target {
        name: "ice40",
        summary: "Lattice iCE40",
        logic_unit: "LUT4",
        ram_unit: "RAM40",
        script: script!("ice40.ys"),
        files: &[&[]],
        again: None,
        logic: &[("SB_LUT4", 1)],
        ram: &[("SB_RAM40", 1)],
        flip_flops: &["SB_DFF"],
        elements: false,
    },
    Target {
        name: "gowin",
        summary: "Gowin LittleBee and Arora",
        logic_unit: "LUT4",
        ram_unit: "BSRAM",
        script: script!("gowin.ys"),
        files: &[&[]],
        again: None,
        logic: &[("LUT", 1), ("ALU", 1), ("RAM16S", 4)],
        ram: &[("SDP", 1), ("DP", 1), ("SP", 1), ("pROM", 1)],
        flip_flops: &["DFF"],
        elements: false,
    },
    Target {
        name: "xilinx",
        summary: "Xilinx 7 series",
        logic_unit: "LUT6",
        ram_unit: "RAMB18",
        script: script!("xilinx.ys"),
        files: &[&[]],
        again: None,
        logic: &[("LUT", 1), ("INV", 1), ("SRL", 1), ("RAM32M", 4), ("RAM64M", 4), ("RAM", 2)],
        ram: &[("RAMB18E1", 1), ("RAMB36E1", 2)],
        flip_flops: &["FD"],
        elements: false,
    },
];

/// What a netlist or a module takes of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// In the target's unit.
    pub logic: u64,
    /// If every flip-flop shared an element with logic; of targets that count elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logic_least: Option<u64>,
    /// Flip-flops.
    pub flip_flops: u64,
    /// In the target's blocks.
    pub ram: u64,
    /// Cells by type.
    pub cells: BTreeMap<String, u64>,
}

fn weight(counts: Counts, kind: &str) -> Option<u64> {
    counts.iter().find(|(start, _)| kind.starts_with(start)).map(|(_, weight)| *weight)
}

impl Target {
    /// The target of that name.
    pub fn named(name: &str) -> Result<&'static Target, BadInput> {
        TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            BadInput(format!("--target {name}: not supported, use {}", names.join(", ")))
        })
    }

    /// FNV-1a of the script and its files.
    pub fn hash(&self) -> String {
        let files = self.files.iter().copied().flatten().flat_map(|(name, text)| [*name, *text]);
        let all: String = [self.script].into_iter().chain(files).collect();
        format!("{:016x}", fnv1a(all.as_bytes()))
    }

    /// The script for a design, as one module or by module.
    ///
    /// By module it is flattened all the same, so that what a module need not do
    /// where it stands is left out, and then taken apart again: every cell is marked
    /// with the module that it comes from. All instances of a module come together.
    fn script(&self, verilog: &str, whole: bool) -> String {
        let prefix = format!("{TOP}__");
        let mut script = String::new();
        for line in self.script.lines() {
            if line == FLATTEN && !whole {
                let names = verilog.lines().filter_map(|line| line.strip_prefix("module "));
                for name in names.filter_map(|name| name.split_whitespace().next()) {
                    if let Some(short) = name.strip_prefix(&prefix) {
                        script +=
                            &format!("setattr -set submod \"{short}\" {name}/c:* {name}/m:*\n");
                    }
                }
                script += "flatten\nopt -full\nmemory -nomap\nsubmod\n";
            } else {
                script += line;
                script.push('\n');
            }
        }
        script + "write_json netlist.json\n"
    }

    /// Ways to map a design; and those for which it has to be large.
    pub fn ways(&self) -> [Vec<Way>; 2] {
        let all = |instead| self.files.iter().map(|files| Way { files, instead }).collect();
        [all(None), self.again.map_or_else(Vec::new, |again| all(Some(again)))]
    }

    /// The netlist of a design, as one module or by module, mapped in this way; it is left in the
    /// folder, too, as `netlist.json`.
    pub fn synthesise(
        &self,
        yosys: &Tool,
        folder: &Path,
        verilog: &str,
        whole: bool,
        way: Way,
    ) -> Result<String, String> {
        if let Some(line) = begins_with(verilog).filter(|_| self.script.contains(DROPS)) {
            return Err(format!("{} drops what a memory begins with: {line}", self.name));
        }
        let mut script = self.script(verilog, whole);
        if let Some((said, says)) = way.instead {
            script = script.replace(said, says);
        }
        for (name, text) in [("dut.v", verilog), ("run.ys", &script)].iter().chain(way.files) {
            fs::write(folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
        }
        yosys.run(folder, &["-q", "-s", "run.ys"])?;
        let netlist = folder.join("netlist.json");
        fs::read_to_string(netlist).map_err(|e| format!("yosys wrote no netlist: {e}"))
    }

    /// Is it a block of RAM?
    fn is_ram(&self, kind: &str) -> bool {
        weight(self.ram, kind).is_some()
    }

    /// Does it compute something, so that a flip-flop fits behind it?
    pub fn is_logic(&self, kind: &str) -> bool {
        !self.is_ram(kind) && weight(self.logic, kind).is_some()
    }

    /// Is it a flip-flop?
    pub fn is_flip_flop(&self, kind: &str) -> bool {
        self.flip_flops.iter().any(|start| kind.starts_with(start))
    }

    /// What these cells take.
    pub fn area(&self, cells: &Cells) -> Area {
        let mut area = Area { cells: cells.kinds.clone(), ..Area::default() };
        for (kind, count) in &cells.kinds {
            area.ram += count * weight(self.ram, kind).unwrap_or(0);
            if self.is_logic(kind) {
                area.logic += count * weight(self.logic, kind).unwrap_or(0);
            }
            if self.is_flip_flop(kind) {
                area.flip_flops += count;
            }
        }
        if self.elements {
            area.logic_least = Some(area.logic.max(area.flip_flops));
            area.logic += area.flip_flops - cells.packed;
        }
        area
    }
}

/// The line of the text by which a memory begins with other words than zeros.
fn begins_with(verilog: &str) -> Option<&str> {
    let other = |line: &&str| line.rsplit_once("] = ").is_some_and(|(_, to)| !to.ends_with("'d0;"));
    verilog.lines().map(str::trim).filter(|line| line.contains("for (")).find(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::tools::Tools;
    use std::os::unix::fs::PermissionsExt;

    fn area(target: &str, cells: &[(&str, u64)], packed: u64) -> Area {
        let kinds = cells.iter().map(|(kind, count)| (kind.to_string(), *count)).collect();
        Target::named(target).unwrap().area(&Cells { kinds, packed })
    }

    #[test]
    fn elements_hold_logic_and_a_flip_flop() {
        let cells = [("$lut", 10), ("weft_carry", 4), ("$_DFFE_PP_", 9), ("altsyncram", 2)];
        let Area { logic, logic_least, flip_flops, ram, .. } = area("cycloneive", &cells, 6);
        assert_eq!((logic, logic_least, flip_flops, ram), (10 + 4 + 9 - 6, Some(14), 9, 2));
        let few = area("cycloneive", &[("$lut", 1), ("$_DFF_P_", 5)], 0);
        assert_eq!((few.logic, few.logic_least), (6, Some(5)));
    }

    #[test]
    fn cells_count_once() {
        let ecp5 = [("LUT4", 5), ("CCU2C", 2), ("TRELLIS_DPR16X4", 1), ("DP16KD", 3)];
        let Area { logic, logic_least, ram, .. } = area("ecp5", &ecp5, 0);
        assert_eq!((logic, logic_least, ram), (13, None, 3));
        let xilinx =
            [("RAMB36E1", 2), ("RAMB18E1", 1), ("RAM32M", 1), ("RAM64X1D", 1), ("LUT6", 3)];
        let Area { logic, ram, .. } = area("xilinx", &xilinx, 0);
        assert_eq!((logic, ram), (9, 5));
    }

    #[test]
    fn every_script_can_keep_modules_apart() {
        let verilog = "module weft__alu (\nendmodule\nmodule weft (\nendmodule\n";
        for target in TARGETS {
            let (whole, apart) = (target.script(verilog, true), target.script(verilog, false));
            assert!(whole.contains("\nflatten\n") && !whole.contains("submod"), "{whole}");
            assert!(apart.contains("submod \"alu\" weft__alu/c:* weft__alu/m:*\n"), "{apart}");
            assert_eq!(apart.matches("setattr").count(), 1);
        }
    }

    #[test]
    fn what_further_ways_to_map_say_instead_is_said_once() {
        for target in TARGETS {
            if let Some((said, says)) = target.again {
                assert_eq!(target.script.matches(said).count(), 1, "{}", target.name);
                assert!(!target.script.contains(says), "{}", target.name);
            }
        }
    }

    #[test]
    fn what_a_memory_begins_with_is_not_dropped_in_silence() {
        let line = |value| format!("for (at = 0; at < 9; at = at + 1) words[at] = {value};");
        let text = |value| format!("initial begin\n  {}\nend\n", line(value));
        assert_eq!(begins_with(&text("32'd0")), None);
        assert_eq!(begins_with(&text("32'd10")), Some(&*line("32'd10")));
        let dropping = |target: &&Target| target.script.contains(DROPS);
        assert_eq!(TARGETS.iter().filter(dropping).count(), 1);

        // A tool that would make a netlist of anything.
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("yosys");
        fs::write(&tool, "#!/bin/sh\necho 'Yosys 0.70 (git sha1 0)'\necho {} > netlist.json\n")
            .unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let limit = std::time::Duration::from_secs(60);
        let yosys = Tool::new(&Tools::of(folder.path()), "yosys", limit).unwrap();
        let made = |target, value| {
            let folder = tempfile::tempdir().unwrap();
            let target = Target::named(target).unwrap();
            target.synthesise(&yosys, folder.path(), &text(value), true, target.ways()[0][0])
        };
        assert_eq!(made("cycloneive", "32'd0").unwrap(), "{}\n");
        assert_eq!(made("ecp5", "32'd10").unwrap(), "{}\n");
        let why = format!("cycloneive drops what a memory begins with: {}", line("32'd10"));
        assert_eq!(made("cycloneive", "32'd10").unwrap_err(), why);
    }

    #[test]
    fn an_unknown_target_is_one_line() {
        let why = Target::named("virtex").err().unwrap().0;
        assert!(why.starts_with("--target virtex: not supported, use cycloneive, ecp5"), "{why}");
    }
}
