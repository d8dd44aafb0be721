//! CSR numbers and names, and the causes of traps.

macro_rules! csrs {
    ($($name:ident $number:literal $text:literal;)*) => {
        $(#[doc = concat!("`", $text, "`")] pub const $name: u16 = $number;)*
        static NAMES: &[(u16, &str)] = &[$(($number, $text),)*];
    };
}

csrs! {
    MSTATUS       0x300 "mstatus";
    MISA          0x301 "misa";
    MIE           0x304 "mie";
    MTVEC         0x305 "mtvec";
    MSTATUSH      0x310 "mstatush";
    MCOUNTINHIBIT 0x320 "mcountinhibit";
    MSCRATCH      0x340 "mscratch";
    MEPC          0x341 "mepc";
    MCAUSE        0x342 "mcause";
    MTVAL         0x343 "mtval";
    MIP           0x344 "mip";
    SPLIT         0x7c0 "split";
    MCYCLE        0xb00 "mcycle";
    MINSTRET      0xb02 "minstret";
    MCYCLEH       0xb80 "mcycleh";
    MINSTRETH     0xb82 "minstreth";
    CYCLE         0xc00 "cycle";
    TIME          0xc01 "time";
    INSTRET       0xc02 "instret";
    CYCLEH        0xc80 "cycleh";
    TIMEH         0xc81 "timeh";
    INSTRETH      0xc82 "instreth";
    MVENDORID     0xf11 "mvendorid";
    MARCHID       0xf12 "marchid";
    MIMPID        0xf13 "mimpid";
    MHARTID       0xf14 "mhartid";
}

/// The first of the counters 3..31, their upper halves and read-only views.
pub const MHPMCOUNTER3: u16 = 0xb03;
/// See [`MHPMCOUNTER3`].
pub const MHPMCOUNTER3H: u16 = 0xb83;
/// See [`MHPMCOUNTER3`].
pub const HPMCOUNTER3: u16 = 0xc03;
/// See [`MHPMCOUNTER3`].
pub const HPMCOUNTER3H: u16 = 0xc83;
/// The first of the event selectors 3..31.
pub const MHPMEVENT3: u16 = 0x323;
/// Counters 3..31.
pub const HPM_COUNT: u16 = 29;

/// The name of a CSR, or its number.
pub fn name(csr: u16) -> String {
    let ranges = [
        (MHPMCOUNTER3, "mhpmcounter", ""),
        (MHPMCOUNTER3H, "mhpmcounter", "h"),
        (HPMCOUNTER3, "hpmcounter", ""),
        (HPMCOUNTER3H, "hpmcounter", "h"),
        (MHPMEVENT3, "mhpmevent", ""),
    ];
    if let Some((_, text)) = NAMES.iter().find(|(n, _)| *n == csr) {
        return (*text).to_string();
    }
    for (base, stem, half) in ranges {
        if (base..base + HPM_COUNT).contains(&csr) {
            return format!("{stem}{}{half}", csr - base + 3);
        }
    }
    format!("{csr:#05x}")
}

/// Writes to these CSRs trap.
pub fn is_read_only(csr: u16) -> bool {
    csr >> 10 == 3
}

/// Trap causes, as `mcause` shows them.
pub mod cause {
    /// Branch or jump target not 4-aligned.
    pub const FETCH_MISALIGNED: u32 = 0;
    /// Fetch outside RAM.
    pub const FETCH_FAULT: u32 = 1;
    /// Illegal instruction or CSR access.
    pub const ILLEGAL: u32 = 2;
    /// `ebreak`
    pub const BREAKPOINT: u32 = 3;
    /// Misaligned load or LR.
    pub const LOAD_MISALIGNED: u32 = 4;
    /// Load or LR outside RAM and devices.
    pub const LOAD_FAULT: u32 = 5;
    /// Misaligned store, SC or AMO.
    pub const STORE_MISALIGNED: u32 = 6;
    /// Store, SC or AMO outside RAM and devices.
    pub const STORE_FAULT: u32 = 7;
    /// `ecall` from machine mode.
    pub const ECALL: u32 = 11;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(name(0x305), "mtvec");
        assert_eq!(name(0xb03), "mhpmcounter3");
        assert_eq!(name(0xc9f), "hpmcounter31h");
        assert_eq!(name(0x33f), "mhpmevent31");
        assert_eq!(name(0x3a0), "0x3a0");
        assert!(is_read_only(CYCLE) && is_read_only(MHARTID) && !is_read_only(MCYCLE));
    }
}
