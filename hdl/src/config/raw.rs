//! Raw configuration values: texts from flags or a TOML file, not yet checked.
//!
//! Long by a few lines: the table of options, their checks, and tests of both.

use super::{Ccs, Cct, ConfigError, CoreConfig, Counters, Crossbar, Csrs, Isa, THREADS, WARPS};
use crate::divergence::{self, UNITS};
use crate::platform;
use std::path::Path;

macro_rules! options {
    ($($field:ident $flag:literal $value:literal $help:literal $($alone:literal)?;)*) => {
        /// One text per option, absent when nobody gave it.
        #[derive(Clone, Default, Debug, PartialEq, Eq)]
        #[derive(clap::Args)]
        pub struct RawConfig {
            $(
                #[doc = $help]
                #[arg(long = $flag, value_name = $value)]
                $(#[arg(num_args = 0..=1, default_missing_value = $alone)])?
                pub $field: Option<String>,
            )*
        }

        /// Every option as a TOML key, in order.
        pub const KEYS: &[&str] = &[$($flag),*];

        impl RawConfig {
            fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
                match key {
                    $($flag => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            fn get(&self, key: &str) -> Option<&String> {
                match key {
                    $($flag => self.$field.as_ref(),)*
                    _ => None,
                }
            }

            /// These values, and those of `base` where this has none.
            pub fn over(self, base: RawConfig) -> RawConfig {
                RawConfig { $($field: self.$field.or(base.$field),)* }
            }
        }
    };
}

options! {
    threads_per_warp "threads-per-warp" "T" "Lanes of a warp [default: 8]";
    warps "warps" "W" "Warps of the core [default: 8]";
    divergence "divergence" "UNIT" "Divergence unit [default: hct]";
    isa "isa" "ISA" "rv32i, rv32im or rv32ima [default: rv32ima]";
    traps "traps" "on|off" "Trap support [default: on]";
    counters "counters" "KIND" "none, warp or thread [default: thread]";
    bypass "bypass" "KIND" "full, or none: no bypass, no scoreboard, one instruction of a warp at a time; timing only [default: full]";
    depth_bits "depth-bits" "D" "Call depth saturates at 2^D - 1, D in 0..=8 [default: 8]";
    harts "harts" "N" "Threads alive after reset [default: T x W]";
    ram_size "ram-size" "BYTES" "RAM, with suffix K, M or G [default: 16M]";
    reset_pc "reset-pc" "ADDR" "First PC [default: start of RAM; the simulator takes the entry of the program]";
    loads "loads" "N" "Memory operations under way, 1 to 15 (with --bypass none one of a warp at most); timing only [default: 12]";
    lanes "lanes" "N" "Lanes of the ALU, a power of two up to T: a warp takes T / N beats through it; timing only [default: T]";
    dividers "dividers" "N" "Lanes that divide at once, a power of two up to T; timing only [default: T]";
    crossbar "crossbar" "KIND" "full, every lane reaches every word of memory at once; or serial, lanes out of line pass one after the other; timing only [default: full; serial if --bypass none and T >= 4]";
    csrs "csrs" "KIND" "CSR accesses, traps and returns of a warp: parallel, all lanes in step; or serial, one lane after the other; timing only [default: parallel]";
    icache "icache" "BYTES" "Instruction cache of gen --bus axi4 or wishbone, a power of two from 256 to 64K; timing only [default: 4K there]";
    trace "trace" "on|off" "Retirement trace ports; hardware only [default: off; on if alone]" "on";
    ccs "ccs" "KIND" "Compact-sort of hct, parallel or network; hardware only [default: parallel]";
    cct "cct" "KIND" "Cold table of hct, rows or paper; hardware only [default: rows]";
    arbiter_stages "arbiter-stages" "N" "Pipeline stages of arbiter, N in 0..=4; hardware only [default: 0]";
}

/// Options that only one unit has, and which.
pub(super) const UNIT_OPTIONS: &[(&str, &str)] =
    &[("ccs", "hct"), ("cct", "hct"), ("arbiter-stages", "arbiter")];

/// A number in decimal or hexadecimal, with `_` and a K, M or G suffix.
pub fn number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return if hex.starts_with('+') { None } else { u64::from_str_radix(hex, 16).ok() };
    }
    let (digits, shift) = match text.char_indices().last()? {
        (i, 'K' | 'k') => (&text[..i], 10),
        (i, 'M' | 'm') => (&text[..i], 20),
        (i, 'G' | 'g') => (&text[..i], 30),
        _ => (&text[..], 0),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn bad<T>(option: &str, got: &str, supported: impl std::fmt::Display) -> Result<T, ConfigError> {
    Err(ConfigError(format!("--{option} {got}: not supported, use {supported}")))
}

fn choice<T: Copy>(
    option: &str,
    given: &Option<String>,
    default: T,
    choices: &[(&str, T)],
) -> Result<T, ConfigError> {
    let Some(text) = given else { return Ok(default) };
    match choices.iter().find(|(name, _)| name == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            bad(option, text, names.join(", "))
        }
    }
}

fn one_of(
    option: &str,
    given: &Option<String>,
    default: u32,
    set: &[u32],
) -> Result<u32, ConfigError> {
    let Some(text) = given else { return Ok(default) };
    match number(text).and_then(|n| set.iter().find(|s| u64::from(**s) == n)) {
        Some(n) => Ok(*n),
        None => {
            let names: Vec<_> = set.iter().map(u32::to_string).collect();
            bad(option, text, names.join(", "))
        }
    }
}

fn within(
    option: &str,
    given: &Option<String>,
    default: u32,
    low: u32,
    high: u32,
    multiple: u32,
) -> Result<u32, ConfigError> {
    let Some(text) = given else { return Ok(default) };
    match number(text).and_then(|n| u32::try_from(n).ok()) {
        Some(n) if (low..=high).contains(&n) && n % multiple == 0 => Ok(n),
        _ if low >= platform::RAM_BASE => {
            bad(option, text, format_args!("a multiple of {multiple} from {low:#x} to {high:#x}"))
        }
        _ if multiple > 1 => {
            bad(option, text, format_args!("a multiple of {multiple} from {low} to {high}"))
        }
        _ => bad(option, text, format_args!("{low} to {high}")),
    }
}

impl RawConfig {
    /// Reads a TOML file of the same keys as the flags.
    pub fn from_toml(path: &Path) -> Result<RawConfig, ConfigError> {
        let fail = |why: String| ConfigError(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
            let line = e.span().map_or(0, |s| text[..s.start].matches('\n').count() + 1);
            fail(format!("line {line}: {}", e.message().replace('\n', " ")))
        })?;
        let mut raw = RawConfig::default();
        for (key, value) in table {
            let Some(slot) = raw.slot(&key) else {
                return Err(fail(format!("unknown key '{key}', use one of {}", KEYS.join(", "))));
            };
            *slot = Some(match value {
                toml::Value::String(s) => s,
                toml::Value::Integer(n) => n.to_string(),
                toml::Value::Boolean(on) => (if on { "on" } else { "off" }).to_string(),
                other => {
                    let kind = other.type_str();
                    return Err(fail(format!(
                        "key '{key}': expected a text or number, got {kind}"
                    )));
                }
            });
        }
        Ok(raw)
    }

    /// Every combination of the values of options that have several, with commas
    /// between.
    pub fn combinations(&self) -> Vec<RawConfig> {
        let given = KEYS.iter().filter_map(|key| Some((key, self.get(key)?)));
        given.fold(vec![RawConfig::default()], |all, (key, values)| {
            let with = |raw: &RawConfig, value: &str| {
                let mut raw = raw.clone();
                *raw.slot(key).expect("a known key") = Some(value.to_string());
                raw
            };
            all.iter().flat_map(|raw| values.split(',').map(|value| with(raw, value))).collect()
        })
    }

    /// Checks every value; the first one that is not supported is the error.
    pub fn validate(&self) -> Result<CoreConfig, ConfigError> {
        let threads_per_warp = one_of("threads-per-warp", &self.threads_per_warp, 8, &THREADS)?;
        let warps = one_of("warps", &self.warps, 8, &WARPS)?;
        let units: Vec<_> = UNITS.iter().map(|u| (u.name, u)).collect();
        let hct = divergence::unit("hct").expect("hct is registered");
        let total = threads_per_warp * warps;
        let on_off = [("on", true), ("off", false)];
        let ram_size = within(
            "ram-size",
            &self.ram_size,
            platform::RAM_SIZE,
            platform::RAM_LIMITS.0,
            platform::RAM_LIMITS.1,
            4096,
        )?;
        let ram_end = platform::RAM_BASE + (ram_size - 4);
        let isas = [("rv32i", Isa::Rv32i), ("rv32im", Isa::Rv32im), ("rv32ima", Isa::Rv32ima)];
        let kinds =
            [("none", Counters::None), ("warp", Counters::Warp), ("thread", Counters::Thread)];
        let icache = within("icache", &self.icache, 0, 256, 64 << 10, 256)?;
        if icache != 0 && !icache.is_power_of_two() {
            return bad("icache", &icache.to_string(), "a power of two from 256 to 64K");
        }
        let divergence = choice("divergence", &self.divergence, hct, &units)?;
        let bypass = choice("bypass", &self.bypass, true, &[("none", false), ("full", true)])?;
        let up_to: Vec<u32> = THREADS.into_iter().filter(|n| *n <= threads_per_warp).collect();
        let lanes = one_of("lanes", &self.lanes, threads_per_warp, &up_to)?;
        if lanes < threads_per_warp && !bypass {
            return bad("lanes", &lanes.to_string(), "T with --bypass none");
        }
        let dividers = one_of("dividers", &self.dividers, threads_per_warp, &up_to)?;
        let crossbar = choice(
            "crossbar",
            &self.crossbar,
            CoreConfig::default_crossbar(bypass, threads_per_warp),
            &[("full", Crossbar::Full), ("serial", Crossbar::Serial)],
        )?;
        if crossbar == Crossbar::Serial && threads_per_warp < 4 {
            return bad("crossbar", "serial", "full with fewer than 4 threads per warp");
        }
        let config = CoreConfig {
            threads_per_warp,
            warps,
            divergence,
            isa: choice("isa", &self.isa, Isa::Rv32ima, &isas)?,
            traps: choice("traps", &self.traps, true, &on_off)?,
            counters: choice("counters", &self.counters, Counters::Thread, &kinds)?,
            bypass,
            depth_bits: within("depth-bits", &self.depth_bits, 8, 0, 8, 1)?,
            harts: match &self.harts {
                None => total,
                given => within("harts", given, total, 1, total, 1)?,
            },
            ram_size,
            reset_pc: within(
                "reset-pc",
                &self.reset_pc,
                platform::RAM_BASE,
                platform::RAM_BASE,
                ram_end,
                4,
            )?,
            icache,
            loads: within("loads", &self.loads, 12, 1, 15, 1)?,
            lanes,
            dividers,
            crossbar,
            csrs: choice(
                "csrs",
                &self.csrs,
                Csrs::Parallel,
                &[("parallel", Csrs::Parallel), ("serial", Csrs::Serial)],
            )?,
            trace: choice("trace", &self.trace, false, &on_off)?,
            ccs: choice(
                "ccs",
                &self.ccs,
                Ccs::Parallel,
                &[("parallel", Ccs::Parallel), ("network", Ccs::Network)],
            )?,
            cct: choice(
                "cct",
                &self.cct,
                Cct::Rows,
                &[("rows", Cct::Rows), ("paper", Cct::Paper)],
            )?,
            arbiter_stages: within("arbiter-stages", &self.arbiter_stages, 0, 0, 4, 1)?,
        };
        if config.csrs == Csrs::Serial && !config.traps && config.counters == Counters::None {
            return bad("csrs", "serial", "parallel where traps and counters are left out");
        }
        for (option, unit) in UNIT_OPTIONS {
            if let Some(text) = self.get(option)
                && divergence.name != *unit
            {
                return bad(option, text, format_args!("--divergence {unit} with it"));
            }
        }
        if let (Some(text), Isa::Rv32i) = (&self.dividers, config.isa) {
            return bad("dividers", text, "--isa rv32im or rv32ima with it");
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str, value: &str) -> RawConfig {
        let mut raw = RawConfig::default();
        *raw.slot(key).expect("a known key") = Some(value.to_string());
        raw
    }

    #[test]
    fn defaults_and_names() {
        let c = RawConfig::default().validate().unwrap();
        assert_eq!(c.name(), "weft_hct_t8w8");
        assert_eq!((c.harts, c.ram_size, c.max_depth()), (64, 16 << 20, 255));
        let c = with("isa", "rv32im").over(with("harts", "1")).validate().unwrap();
        assert_eq!(c.name(), "weft_hct_t8w8_rv32im_h1");
        assert_eq!((c.initial_mask(0), c.initial_mask(1)), (1, 0));
    }

    #[test]
    fn a_crossbar_follows_from_bypass_and_lanes() {
        let name = |bypass, crossbar: Option<&str>, t| {
            let mut raw = with("bypass", bypass).over(with("threads-per-warp", t));
            raw.crossbar = crossbar.map(str::to_string);
            raw.validate().unwrap().name()
        };
        for (bypass, suffix, usual, other) in
            [("full", "", "full", "serial"), ("none", "_nobypass", "serial", "full")]
        {
            let plain = format!("weft_hct_t8w8{suffix}");
            assert_eq!(name(bypass, None, "8"), plain);
            assert_eq!(name(bypass, Some(usual), "8"), plain);
            let suffix = if other == "full" { "crossbar" } else { "serial" };
            assert_eq!(name(bypass, Some(other), "8"), format!("{plain}_{suffix}"));
        }
        assert_eq!(name("none", Some("full"), "2"), "weft_hct_t2w8_nobypass");
    }

    #[test]
    fn options_of_a_unit() {
        let name = |raw: RawConfig| raw.validate().map(|c| c.name()).map_err(|e| e.to_string());
        let hct = with("ccs", "network").over(with("cct", "paper"));
        assert_eq!(name(hct.clone()).unwrap(), "weft_hct_t8w8_network_paper");
        let plain = with("ccs", "parallel").over(with("cct", "rows"));
        assert_eq!(name(plain).unwrap(), "weft_hct_t8w8");
        let arbiter = with("divergence", "arbiter");
        let stages = |n| with("arbiter-stages", n).over(arbiter.clone());
        assert_eq!(name(stages("2")).unwrap(), "weft_arbiter_t8w8_stages2");
        assert_eq!(name(stages("0")).unwrap(), "weft_arbiter_t8w8");
        assert!(name(stages("5")).is_err());
        for (raw, option) in [
            (with("ccs", "network").over(arbiter.clone()), "--ccs network"),
            (with("cct", "rows").over(arbiter.clone()), "--cct rows"),
            (with("arbiter-stages", "0"), "--arbiter-stages 0"),
        ] {
            let e = name(raw).unwrap_err();
            assert!(
                e.starts_with(option) && e.contains("--divergence") && !e.contains('\n'),
                "{e}"
            );
        }
    }

    #[test]
    fn every_key_refuses_nonsense_and_says_what_it_takes() {
        for key in KEYS {
            for value in ["", "-1", "bogus", "99999999999999"] {
                let e = with(key, value).validate().expect_err(key).to_string();
                assert!(e.starts_with(&format!("--{key} ")) && !e.contains('\n'), "{e}");
            }
        }
        assert!(with("threads-per-warp", "3").validate().is_err());
        assert!(with("harts", "65").validate().is_err());
        assert!(with("reset-pc", "0x80000002").validate().is_err());
        assert!(with("icache", "768").validate().is_err());
        assert!(with("dividers", "16").validate().is_err());
        assert!(with("lanes", "16").validate().is_err());
        assert!(with("lanes", "4").over(with("bypass", "none")).validate().is_err());
        let serial = with("crossbar", "serial").over(with("threads-per-warp", "2"));
        assert!(serial.validate().is_err());
    }

    #[test]
    fn combinations() {
        let raw = with("threads-per-warp", "2,4").over(with("isa", "rv32i,rv32im"));
        let names = raw.combinations().iter().map(|raw| raw.validate().unwrap().name()).collect();
        let names: Vec<String> = names;
        let expected = ["t2w8_rv32i", "t2w8_rv32im", "t4w8_rv32i", "t4w8_rv32im"];
        assert_eq!(names, expected.map(|name| format!("weft_hct_{name}")));
        assert_eq!(RawConfig::default().combinations(), [RawConfig::default()]);
        assert!(with("warps", "1,").combinations()[1].validate().is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!(number("64K"), Some(65536));
        assert_eq!(number("0x8000_0000"), Some(0x8000_0000));
        for wrong in ["", "K", "+1", "0x", "1KK", "1.5", "99999999999G"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn toml_keys_are_the_flags() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, "threads-per-warp = 32\nram-size = \"64K\"\ntraps = false\n")
            .unwrap();
        let c = RawConfig::from_toml(&path).unwrap().validate().unwrap();
        assert_eq!((c.threads_per_warp, c.ram_size, c.traps), (32, 65536, false));
        for (text, needle) in [
            ("width = 4", "unknown key 'width'"),
            ("warps = [1]", "got array"),
            ("warps = ", "line 1"),
        ] {
            std::fs::write(&path, text).unwrap();
            let e = RawConfig::from_toml(&path).unwrap_err().to_string();
            assert!(e.contains(needle) && !e.contains('\n'), "{e}");
        }
    }
}
