//! Units that exist for tests only: they show that the divergence port, the
//! core and the contract suite carry several slots and several pipes. They are
//! not in the list of units that a user can choose from.

pub mod pair;
pub mod shuffle;
pub mod store;
