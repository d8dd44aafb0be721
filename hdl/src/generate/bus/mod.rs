//! The memory interfaces by name: one file and one row each.

mod native;

/// What a bus says about itself.
#[derive(Debug)]
pub struct Bus {
    /// The value of `--bus`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its groups of ports, by the first field of their path.
    pub groups: &'static [(&'static str, &'static str)],
}

/// Every bus of this build; the first is the default.
pub static BUSES: &[Bus] = &[native::BUS];
