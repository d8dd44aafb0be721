//! Which CSRs exist (combinational).

use crate::config::{CoreConfig, Counters};
use crate::isa::csr::*;
use crate::rtl::prelude::*;

block! {
    /// Legality of one CSR access.
    pub struct CsrCheck [] [] fn new(config: &CoreConfig) {
        input {
            pub number: Signal<In, U<12>>,
            /// The instruction writes it.
            pub writes: Signal<In, Bit>,
        }
        output {
            /// It exists, and is not written although read-only.
            pub legal: Signal<Out, Bit>,
            /// A counter or a view of one.
            pub is_counter: Signal<Out, Bit>,
            /// `minstret` or `minstreth`.
            pub is_minstret: Signal<Out, Bit>,
        }
        plain { pub _counters: bool = config.counters != Counters::None, }
    }
}

/// CSRs of every build.
const ALWAYS: [u16; 16] = [
    MSTATUS,
    MISA,
    MIE,
    MTVEC,
    MSTATUSH,
    MSCRATCH,
    MEPC,
    MCAUSE,
    MTVAL,
    MIP,
    SPLIT,
    MVENDORID,
    MARCHID,
    MIMPID,
    MHARTID,
    MCOUNTINHIBIT,
];

/// The last of [`ALWAYS`] goes with the counters.
const WITHOUT_COUNTERS: usize = ALWAYS.len() - 1;

/// Counters come in blocks of 32: low and high halves, and their views.
const COUNTERS: [u16; 4] = [MCYCLE, MCYCLEH, CYCLE, CYCLEH];

impl Logic for CsrCheck {
    fn update(&mut self) {
        let number = self.number.val().low() as u16;
        let block = COUNTERS.into_iter().find(|base| number & !31 == *base);
        // `time` has no machine-mode name.
        let is_absent = number & 31 == 1 && block.is_some_and(|base| base < CYCLE);
        let events = MHPMEVENT3..MHPMEVENT3 + HPM_COUNT;
        let exists = ALWAYS[..WITHOUT_COUNTERS].contains(&number)
            || self._counters
                && (number == MCOUNTINHIBIT
                    || events.contains(&number)
                    || block.is_some() && !is_absent);
        self.legal.next = exists && !(self.writes.val() && number >> 10 == 3);
        self.is_counter.next = block.is_some();
        self.is_minstret.next = number == MINSTRET || number == MINSTRETH;
    }

    fn hdl(&self) -> Verilog {
        let known = if self._counters { &ALWAYS[..] } else { &ALWAYS[..WITHOUT_COUNTERS] };
        let list = |numbers: &[u16]| {
            let texts: Vec<String> = numbers.iter().map(|n| format!("12'd{n}")).collect();
            texts.join(", ")
        };
        let blocks: Vec<String> =
            COUNTERS.iter().map(|base| format!("number[11:5] == 7'd{}", base >> 5)).collect();
        let more = if self._counters {
            format!(
                "is_counter & (number[11] & number[10] | number[4:0] != 5'd1)\n\
                 | number[11:5] == 7'd{} & number[4:0] >= 5'd3",
                MHPMEVENT3 >> 5
            )
        } else {
            "1'b0".to_string()
        };
        Verilog::Custom(format!(
            "reg exists;\n\
             always @(*) begin\n\
             is_counter = {};\n\
             is_minstret = number == 12'd{MINSTRET} | number == 12'd{MINSTRETH};\n\
             case (number)\n\
             {}: exists = 1'b1;\n\
             default: exists = {more};\n\
             endcase\n\
             legal = exists & ~(writes & number[11] & number[10]);\n\
             end\n",
            blocks.join(" | "),
            list(known),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;

    /// Numbers of the table in `docs/platform.md`.
    fn listed(counters: bool) -> Vec<u16> {
        let mut all = vec![0x300, 0x301, 0x304, 0x305, 0x310, 0x7c0];
        all.extend(0x340..=0x344);
        all.extend(0xf11..=0xf14);
        if counters {
            all.extend([0x320, 0xb00, 0xb02, 0xb80, 0xb82]);
            all.extend(0x323..=0x33f);
            for base in [0xb00, 0xb80] {
                all.extend(base + 3..=base + 31);
            }
            all.extend(0xc00..=0xc1f);
            all.extend(0xc80..=0xc9f);
        }
        all
    }

    #[test]
    fn every_number() {
        for counters in ["none", "warp", "thread"] {
            let raw = RawConfig { counters: Some(counters.into()), ..RawConfig::default() };
            let mut c = CsrCheck::new(&raw.validate().unwrap());
            c.connect_all();
            let listed = listed(counters != "none");
            for number in 0..0x1000u16 {
                for writes in [false, true] {
                    c.number.next = u64::from(number).into();
                    c.writes.next = writes;
                    c.update_all();
                    let legal = listed.contains(&number) && !(writes && is_read_only(number));
                    assert_eq!(c.legal.val(), legal, "{number:#x} {writes} {counters}");
                }
                let low = number & 0xf7f;
                let is_counter = (0xb00..=0xb1f).contains(&low) || (0xc00..=0xc1f).contains(&low);
                assert_eq!(c.is_counter.val(), is_counter, "{number:#x}");
                assert_eq!(c.is_minstret.val(), low == 0xb02, "{number:#x}");
            }
        }
    }
}
