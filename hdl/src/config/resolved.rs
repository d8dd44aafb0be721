//! A configuration as options again: what every option came to.

use super::raw::UNIT_OPTIONS;
use super::{CoreConfig, Isa, KEYS, RawConfig};
use serde_json::{Value, json};
use std::fmt::Write;

/// An option as on the command line.
fn text(value: &Value) -> String {
    match value {
        Value::Bool(on) => (if *on { "on" } else { "off" }).into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl CoreConfig {
    /// What every option came to, in the order of the help: numbers, texts and booleans. An
    /// option of another unit, or of a part that is left out, is not among them.
    pub fn resolved(&self) -> Vec<(&'static str, Value)> {
        let fields = serde_json::to_value(self).expect("a configuration is plain data");
        let mut options = vec![];
        for &key in KEYS {
            let foreign =
                |(option, unit): &(&str, &str)| *option == key && *unit != self.divergence.name;
            let without = (key == "icache" && self.icache == 0)
                || (key == "dividers" && self.isa == Isa::Rv32i);
            if UNIT_OPTIONS.iter().any(foreign) || without {
                continue;
            }
            let value = match key {
                "bypass" => json!(if self.bypass { "full" } else { "none" }),
                "reset-pc" => json!(format!("{:#010x}", self.reset_pc)),
                _ => fields[key.replace('-', "_")].clone(),
            };
            options.push((key, value));
        }
        options
    }

    /// Of these, without a crossbar or a number of lanes or dividers that follows from the
    /// others, and without CSRs in parallel.
    pub fn options(&self) -> Vec<(&'static str, Value)> {
        let usual = |key| match key {
            "crossbar" => self.usual_crossbar(),
            "lanes" => self.beats() == 1,
            "dividers" => !self.shared_dividers(),
            "csrs" => !self.serial_csrs(),
            _ => false,
        };
        self.resolved().into_iter().filter(|&(key, _)| !usual(key)).collect()
    }

    /// A file for `--config` that gives this configuration.
    pub fn to_toml(&self) -> String {
        let mut toml = String::new();
        for (key, value) in self.options() {
            // JSON's plain texts, numbers and booleans are TOML's.
            let _ = writeln!(toml, "{key} = {value}");
        }
        toml
    }

    /// The shortest flags that give this configuration; shape and unit are
    /// always among them.
    pub fn flags(&self) -> String {
        let shape = RawConfig {
            threads_per_warp: Some(self.threads_per_warp.to_string()),
            warps: Some(self.warps.to_string()),
            divergence: Some(self.divergence.name.into()),
            ..RawConfig::default()
        };
        let default = shape.validate().expect("the shape of a valid configuration").options();
        let mut flags = vec![];
        for (at, option) in self.options().iter().enumerate() {
            if at < 3 || !default.contains(option) {
                flags.push(format!("--{} {}", option.0, text(&option.1)));
            }
        }
        flags.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn parse(flags: &str) -> CoreConfig {
        let command = RawConfig::augment_args(clap::Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(flags.split_whitespace()).unwrap();
        RawConfig::from_arg_matches(&matches).unwrap().validate().unwrap()
    }

    #[test]
    fn options_give_the_same_configuration_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.toml");
        for flags in [
            "",
            "--threads-per-warp 4 --divergence arbiter --arbiter-stages 2 --trace --icache 4K",
            "--isa rv32i --traps off --counters none --bypass none --depth-bits 3 --harts 5",
            "--crossbar serial --dividers 2 --loads 3 --lanes 2",
            "--csrs serial --traps off",
            "--bypass none --crossbar full",
            "--ram-size 64K --reset-pc 0x80000040 --trace off --ccs network --cct paper",
        ] {
            let config = parse(flags);
            assert_eq!(parse(&config.flags()), config, "{}", config.flags());
            std::fs::write(&file, config.to_toml()).unwrap();
            assert_eq!(RawConfig::from_toml(&file).unwrap().validate().unwrap(), config);
            let all = config.resolved();
            let all = all.iter().map(|(key, value)| format!("--{key} {}", text(value)));
            assert_eq!(parse(&all.collect::<Vec<_>>().join(" ")), config, "all of {flags:?}");
        }
    }

    #[test]
    fn what_follows_from_other_options_is_resolved() {
        let shown = |flags, key| {
            let all = parse(flags).resolved();
            all.iter().find(|option| option.0 == key).map(|option| text(&option.1))
        };
        assert_eq!(shown("", "lanes").as_deref(), Some("8"));
        assert_eq!(shown("--bypass none", "crossbar").as_deref(), Some("serial"));
        assert_eq!(shown("--threads-per-warp 4", "dividers").as_deref(), Some("4"));
        assert_eq!(shown("", "csrs").as_deref(), Some("parallel"));
        assert_eq!(shown("--isa rv32i", "dividers"), None);
        assert_eq!(shown("--divergence arbiter", "cct"), None);
    }

    #[test]
    fn flags_are_short() {
        let flags = |text| parse(text).flags();
        assert_eq!(flags(""), "--threads-per-warp 8 --warps 8 --divergence hct");
        assert_eq!(
            flags("--divergence arbiter --traps off --trace --threads-per-warp 2 --warps 1"),
            "--threads-per-warp 2 --warps 1 --divergence arbiter --traps off --trace on"
        );
        assert!(parse("").to_toml().contains("\nreset-pc = \"0x80000000\"\n"));
    }
}
