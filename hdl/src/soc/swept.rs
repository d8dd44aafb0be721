//! The reservations of LR/SC of many harts, for [memory](super::memory): like
//! [`Reservations`](super::reservations::Reservations) to who looks, at a third of the size.
//!
//! Flip-flops have the row of each hart's word only. The word is in a memory per lane, which is read
//! for one warp at a time: whether a store to that row was one to that word takes a sweep over
//! warps, for which memory waits.
//!
//! ```text
//! cycle   c       c+1           c+2 ..
//!         stored  whose row?    a warp per cycle, of those with a hart in that row
//! ```
//!
//! With many lanes there is a register behind each hart's row, so that the sweep begins a cycle
//! later, and which warp it is is found a cycle ahead. While there is no reservation nothing waits.

use crate::rtl::Clocked;
use crate::rtl::prelude::*;
use std::fmt::Write;

block! {
    /// See the module. `bits` of a word's address count. While `busy` nothing is reserved,
    /// cancelled or stored, and what is `held` is not known.
    pub struct Swept [const T: usize] [T] fn new(warps: usize, bits: usize) {
        input {
            pub clock: Signal<In, Clk>,
            pub reset: Signal<In, Bit>,
            pub warp: Signal<In, U<5>>,
            /// Word address of word 0, a multiple of T.
            pub block: Signal<In, U<30>>,
            pub lanes: Signal<In, U<T>>,
            pub word: [Signal<In, U<6>>; T],
            /// These lanes reserve their word.
            pub reserve: Signal<In, Bit>,
            /// They lose what they have.
            pub cancel: Signal<In, Bit>,
            /// Something may be stored in this cycle: ...
            pub stores: Signal<In, Bit>,
            /// ... these words of the block at...
            pub stored: Signal<In, U<T>>,
            /// ... this address.
            pub stored_block: Signal<In, U<30>>,
        }
        output {
            /// Lanes whose hart has reserved their word.
            pub held: Signal<Out, U<T>>,
            /// In the next cycle it is not known who holds what.
            pub busy: Signal<Out, Bit>,
        }
        plain {
            /// By hart.
            pub _at: Vec<Option<u64>> = vec![None; warps * T],
            pub _bits: usize = bits,
            /// Some hart had a reservation a cycle before.
            pub _some: bool = false,
            /// What was stored last: words, and their row.
            pub _stored: (u64, u64) = (0, 0),
            /// That was in the cycle before.
            pub _looks: bool = false,
            /// Warps that are still to be looked at.
            pub _left: u64 = 0,
            /// With many lanes: the warps that are to be looked at, if that has been found out.
            pub _hits: Option<u64> = None,
            /// Then, too: the warp that is looked at, and which hart of the one before loses what it
            /// has.
            pub _pick: Option<usize> = None,
            pub _gone: Option<(usize, u64)> = None,
        }
    }
}

impl<const T: usize> Swept<T> {
    /// Is there a register behind each hart's row, and is the warp found a cycle ahead?
    const AHEAD: bool = T >= 32;

    /// The word of a lane.
    fn address(&self, lane: usize) -> u64 {
        let word = self.word[lane].val().raw() % T as u64;
        (self.block.val().raw() / T as u64 * T as u64 + word) & ((1 << self._bits) - 1)
    }

    fn first_hart(&self) -> usize {
        self.warp.val().index() * T % self._at.len()
    }

    fn clocked(&mut self) {
        let some = self._at.iter().any(Option::is_some);
        let (stored, row) = self._stored;
        let lanes = self.lanes.val().raw();
        let mut hits = self._looks.then(|| {
            let hit = |harts: &[Option<u64>]| harts.iter().flatten().any(|at| at / T as u64 == row);
            self._at.chunks(T).enumerate().fold(0, |m, (w, h)| m | u64::from(hit(h)) << w)
        });
        if Self::AHEAD {
            std::mem::swap(&mut hits, &mut self._hits);
        }
        let left = hits.unwrap_or(self._left & self._left.wrapping_sub(1));
        let next = (self._left != 0).then(|| self._left.trailing_zeros() as usize);
        let picked = if Self::AHEAD { self._pick } else { next };
        let gone = picked.map(|warp| {
            let gone = |at: &Option<u64>| {
                at.is_some_and(|at| at / T as u64 == row && stored >> (at % T as u64) & 1 != 0)
            };
            let harts = self._at[warp * T..][..T].iter().enumerate();
            (warp, harts.fold(0, |mask, (i, at)| mask | u64::from(gone(at)) << i))
        });
        let now = if Self::AHEAD { self._gone } else { gone };
        (self._pick, self._gone) = (next, gone);
        if let Some((warp, gone)) = now {
            for lane in (0..T).filter(|lane| gone >> lane & 1 != 0) {
                self._at[warp * T + lane] = None;
            }
        }
        let first = self.first_hart();
        for lane in (0..T).filter(|lane| lanes >> lane & 1 != 0) {
            if self.cancel.val() {
                self._at[first + lane] = None;
            }
            if self.reserve.val() {
                self._at[first + lane] = Some(self.address(lane));
            }
        }
        self._looks = self.stores.val() && self._some;
        if self.stores.val() {
            let rows = (1 << self._bits) / T as u64;
            self._stored =
                (self.stored.val().raw(), self.stored_block.val().raw() / T as u64 % rows);
        }
        (self._left, self._some) = (left, some);
        if self.reset.val() {
            self._at.fill(None);
            (self._looks, self._hits, self._left) = (false, None, 0);
            (self._pick, self._gone) = (None, None);
        }
    }
}

impl<const T: usize> Logic for Swept<T> {
    fn update(&mut self) {
        if self.clock.edge() {
            self.clocked();
        }
        let first = self.first_hart();
        let held = |lane: &usize| self._at[first + lane] == Some(self.address(*lane));
        let (left, picks) = (self._left, Self::AHEAD && self._pick.is_some());
        let late = picks || (Self::AHEAD && self._gone.is_some());
        let held = match left {
            0 if !late => (0..T).filter(held).fold(0, |mask, lane| mask | 1 << lane),
            _ => 0,
        };
        self.held.next = held.into();
        let more = if Self::AHEAD { left } else { left & left.wrapping_sub(1) };
        let looks = self._looks || self._hits.is_some();
        self.busy.next = (self.stores.val() && self._some) || looks || more != 0 || picks;
    }

    fn hdl(&self) -> Verilog {
        let warps = self._at.len() / T;
        let (top, row, warp_bits) = (self._bits - 1, T.ilog2(), warps.ilog2());
        let last = warps - 1;
        // A lane or a warp has no bits if there is only one.
        let number = |of: String, bits: u32| match bits {
            0 => "1'b0".to_string(),
            n => format!("{of}[{}:0]", n - 1),
        };
        let warp = number("warp".into(), warp_bits);
        let mut text = format!(
            "reg some, looks;\n\
             reg [{lanes}:0] stored_1;\n\
             reg [{top}:{row}] row_1;\n\
             reg [{last}:0] left;\n\
             wire [{last}:0] others = left & (left - 1'b1);\n\
             wire [{last}:0] pick = left & ~others;\n\
             reg [{last}:0] hits;\n\
             reg [4:0] seen;\n\
             reg any;\n\
             {ahead}\
             always @(*) busy = (stores & some) | looks | (|{more});\n\
             always @(posedge clock) begin\n\
             some <= any;\n\
             looks <= stores & some & ~reset;\n\
             left <= reset ? {warps}'d0 : {looked} ? hits : others;\n\
             if (stores) begin\n\
             stored_1 <= stored;\n\
             row_1 <= stored_block[{top}:{row}];\n\
             end\n\
             end\n\
             always @(*) begin\n\
             seen = {{{{(5-{bits}){{1'b0}}}}, {warp}}};\n",
            lanes = T - 1,
            bits = warp_bits.max(1),
            more = if Self::AHEAD { "left) | (|picked) | (looked" } else { "others" },
            looked = if Self::AHEAD { "looked" } else { "looks" },
            ahead = match Self::AHEAD {
                true => format!(
                    "reg looked;\n\
                     reg [{last}:0] picked, loses;\n\
                     reg [4:0] next_seen, seen_1;\n\
                     reg picks_1;\n\
                     always @(*) begin\n\
                     next_seen = 5'd0;\n{}\
                     end\n\
                     reg [{}:0] gone_1;\n\
                     always @(posedge clock) begin\n\
                     looked <= looks & ~reset;\n\
                     picked <= pick & {{{warps}{{~reset}}}};\n\
                     seen_1 <= next_seen;\n\
                     picks_1 <= |left;\n\
                     loses <= picked & {{{warps}{{~reset}}}};\n\
                     end\n",
                    (0..warps)
                        .map(|w| format!("if (pick[{w}]) next_seen = 5'd{w};\n"))
                        .collect::<String>(),
                    T - 1
                ),
                false => String::new(),
            },
        );
        let (loses, gone, hides) = match Self::AHEAD {
            true => ("loses", "gone_1", "(|left) | (|picked) | (|loses)"),
            false => ("pick", "gone", "|left"),
        };
        if Self::AHEAD {
            text += "if (picks_1) seen = seen_1;\n";
        } else {
            for w in 0..warps {
                let _ = writeln!(text, "if (pick[{w}]) seen = 5'd{w};");
            }
        }
        text += "end\n";
        for w in 0..warps {
            let _ = write!(
                text,
                "reg [{0}:0] valid_{w};\nwire [{0}:0] mine_{w};\n{2} [{0}:0] same_{w};\n\
                 assign mine_{w} = lanes & {{{T}{{{warp} == {1}'d{w}}}}};\n",
                T - 1,
                warp_bits.max(1),
                if Self::AHEAD { "reg" } else { "wire" },
            );
        }
        let at = number("seen".into(), warp_bits);
        let _ = writeln!(text, "reg [{}:0] gone;\nreg [{}:0] shows;", T - 1, T - 1);
        if Self::AHEAD {
            text += "always @(posedge clock) gone_1 <= gone;\n";
        }
        for i in 0..T {
            let low = match row {
                0 => String::new(),
                n => format!(", word${i}[{}:0]", n - 1),
            };
            let word = number(format!("shown_{i}"), row);
            let _ = write!(
                text,
                "wire [{top}:0] at_{i} = {{block[{top}:{row}]{low}}};\n\
                 reg [{top}:0] kept_{i} [0:{last}];\n\
                 reg [{top}:0] shown_{i};\n\
                 always @(*) begin\n\
                 shown_{i} = kept_{i}[{at}];\n\
                 gone[{i}] = stored_1[{word}] & (shown_{i}[{top}:{row}] == row_1);\n\
                 held[{i}] = shows[{i}] & (shown_{i} == at_{i});\n\
                 end\n\
                 always @(posedge clock) if (reserve & lanes[{i}]) kept_{i}[{warp}] <= at_{i};\n"
            );
        }
        for w in 0..warps {
            for i in 0..T {
                let _ = write!(
                    text,
                    "reg [{top}:{row}] row_{w}_{i};\n\
                     {is_same} valid_{w}[{i}] & (row_{w}_{i} == row_1);\n\
                     always @(posedge clock) if (reserve & mine_{w}[{i}]) row_{w}_{i} <= block[{top}:{row}];\n",
                    is_same = match Self::AHEAD {
                        true => format!("always @(posedge clock) same_{w}[{i}] <="),
                        false => format!("assign same_{w}[{i}] ="),
                    },
                );
            }
        }
        let _ = writeln!(text, "always @(*) begin\nany = 1'b0;\nshows = {T}'d0;");
        for w in 0..warps {
            let _ = write!(
                text,
                "hits[{w}] = |same_{w};\n\
                 any = any | (|valid_{w});\n\
                 shows = shows | (valid_{w} & {{{T}{{{warp} == {}'d{w}}}}});\n",
                warp_bits.max(1)
            );
        }
        let _ = write!(text, "if ({hides}) shows = {T}'d0;\nend\nalways @(posedge clock) begin\n");
        for w in 0..warps {
            let all = format!("{{{T}{{reserve}}}}");
            let _ = writeln!(
                text,
                "valid_{w} <= {{{T}{{~reset}}}} & (({all} & mine_{w}) | (valid_{w} & \
                 ~({{{T}{{cancel}}}} & mine_{w}) & ~({{{T}{{{loses}[{w}]}}}} & {gone})));"
            );
        }
        text += "end\n";
        Verilog::Custom(text)
    }
}
