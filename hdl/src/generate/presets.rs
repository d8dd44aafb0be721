//! Configurations with a name. One row each; options given beside a preset win.

use crate::config::RawConfig;

/// What a preset stands for.
pub struct Preset {
    /// The value of `--preset`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    threads_per_warp: &'static str,
    warps: &'static str,
}

/// Every preset.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "tiny",
        summary: "the smallest core that diverges",
        threads_per_warp: "2",
        warps: "2",
    },
    Preset {
        name: "default",
        summary: "what is built without any option",
        threads_per_warp: "8",
        warps: "8",
    },
    Preset {
        name: "paper",
        summary: "warps as wide as published",
        threads_per_warp: "32",
        warps: "8",
    },
];

impl Preset {
    /// Its options.
    pub fn options(&self) -> RawConfig {
        RawConfig {
            threads_per_warp: Some(self.threads_per_warp.into()),
            warps: Some(self.warps.into()),
            ..RawConfig::default()
        }
    }

    /// One line: what it is and its shape.
    pub fn about(&self) -> String {
        let (t, w) = (self.threads_per_warp, self.warps);
        format!("{t} threads per warp, {w} warps: {}", self.summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_configurations() {
        let default = RawConfig::default().validate().unwrap();
        for preset in PRESETS {
            let config = preset.options().validate().unwrap();
            assert_eq!(preset.name == "default", config == default, "{}", preset.name);
        }
    }
}
