//! The divergence units by name. One row per unit; command line, help,
//! reports and tests read this list and nothing else.

pub mod arbiter;
pub mod hct;
pub mod port;
pub mod testing;

/// What a unit says about itself.
#[derive(PartialEq, Eq, Debug)]
pub struct UnitInfo {
    /// The value of `--divergence`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// Does it merge only where join hints say?
    pub needs_join_hints: bool,
    /// Is it in hardware (else in the emulator only)?
    pub hardware: bool,
}

/// Every unit of this build.
pub static UNITS: &[UnitInfo] = &[
    UnitInfo {
        name: "hct",
        summary: "hot and cold context tables sorted by (depth, PC)",
        citation: "Collange & Brunie 2017, section 3.2",
        needs_join_hints: false,
        hardware: true,
    },
    UnitInfo {
        name: "arbiter",
        summary: "one PC per thread, reduction tree over (depth, PC)",
        citation: "Collange & Brunie 2017, section 3.1",
        needs_join_hints: false,
        hardware: true,
    },
    UnitInfo {
        name: "stack",
        summary: "single-path post-dominator stack",
        citation: "Rhu & Erez 2013; Diamos et al. 2011",
        needs_join_hints: true,
        hardware: false,
    },
];

/// The unit of that name.
pub fn unit(name: &str) -> Option<&'static UnitInfo> {
    UNITS.iter().find(|u| u.name == name)
}
