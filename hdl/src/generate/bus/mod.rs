//! The memory interfaces by name: one file and one row each, and an arm in `Print`.

mod axi4;
mod native;
mod wishbone;

pub use axi4::print as print_axi4;
pub use wishbone::print as print_wishbone;

/// What a bus says about itself.
#[derive(Debug)]
pub struct Bus {
    /// The value of `--bus`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Bytes of the instruction cache when nobody says, 0 if it can have none.
    pub icache: u32,
    /// Its groups of ports, by the first field of their path.
    pub groups: &'static [(&'static str, &'static str)],
}

/// Every bus of this build; the first is the default.
pub static BUSES: &[Bus] = &[native::BUS, axi4::BUS, wishbone::BUS];
