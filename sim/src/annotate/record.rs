//! The section `.weft.join` of an annotated object: what was meant, for
//! `--check`. It is not loaded. Records of three words, a kind and two
//! addresses; those of a function follow its `FUNCTION` record.

pub const SECTION: &str = ".weft.join";

/// Start and end of a function.
pub const FUNCTION: u32 = 0x5746_0001;
/// A hint and its reconvergence PC.
pub const HINT: u32 = 0x5746_0002;
/// An indirect jump and one of its targets.
pub const EDGE: u32 = 0x5746_0003;
/// A call that does not return (twice).
pub const NO_RETURN: u32 = 0x5746_0004;
/// A branch that has no reconvergence PC in its function (twice).
pub const NO_HINT: u32 = 0x5746_0005;
/// Start and end of data inside a function.
pub const DATA: u32 = 0x5746_0006;
