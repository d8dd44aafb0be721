//! Statements of Collange & Brunie 2017 (§3.2, §3.3), each with what the rows show,
//! and what each option costs. Every number is computed from the rows.

use super::super::target::Area;
use super::data::{Data, Of};
use crate::lab::table::{head, line};
use std::collections::BTreeMap;
use std::fmt::Write;

const CYCLONE: &str = "cycloneive";
const ECP5: &str = "ecp5";
/// Logic elements of the EP4CE115.
const ELEMENTS: u64 = 114_480;
/// The units in cores with the features of the original Simty.
const ORIGINAL: [&str; 2] = [
    "hct --isa rv32i --traps off --counters none --bypass none --cct paper",
    "arbiter --isa rv32i --traps off --counters none --bypass none",
];
/// The published target frequency.
const TARGET_MHZ: f64 = 50.0;
/// The number of threads from which the statements speak.
const FROM: u32 = 8;
/// What is significant: a twentieth of the logic, a tenth of the frequency.
const SIGNIFICANT: f64 = 0.05;
const SLOWER: f64 = 0.1;
/// Modules of the cold table: rings and states lie beside the unit's memories where these have no room for them.
const COLD: [&[&str]; 2] = [&["unit_cold", "unit_y_rings"], &["unit_rows"]];

/// `T=2: a, T=4: b`, or that there is nothing.
fn by_threads(data: &Data, say: impl Fn(u32) -> Option<String>) -> String {
    let says: Vec<_> =
        data.threads().iter().filter_map(|t| Some(format!("T={t}: {}", say(*t)?))).collect();
    if says.is_empty() { "no rows yet".into() } else { says.join(", ") }
}

fn more(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

/// Logic of the modules that begin so, and its share of all modules.
fn share(modules: &BTreeMap<String, Area>, starts: &[&str]) -> (u64, f64) {
    let sum: u64 = modules.values().map(|area| area.logic).sum();
    let mine = modules.iter().filter(|(name, _)| starts.iter().any(|s| name.starts_with(s)));
    let mine: u64 = mine.map(|(_, area)| area.logic).sum();
    (mine, mine as f64 / sum.max(1) as f64)
}

struct Claims<'a> {
    data: &'a Data,
    text: String,
}

impl Claims<'_> {
    fn claim(&mut self, says: &str, observed: &str, verdict: &str) {
        let _ = write!(self.text, "- {says}\n  *Observed:* {observed}\n  *Verdict:* {verdict}.\n");
    }

    fn logic(&self, part: &str, variant: &str, t: u32) -> Option<f64> {
        let row = self.data.area(Of { target: CYCLONE, part, variant }, t)?;
        Some(row.total.logic as f64)
    }

    fn fmax(&self, part: &str, variant: &str, t: u32) -> Option<f64> {
        Some(self.data.timing(Of { target: ECP5, part, variant }, t)?.0.fmax)
    }

    /// The variant with one more option, if there are rows of it.
    fn with(&self, part: &str, variant: &str, name: &str, value: &str) -> Option<&str> {
        let mut wanted = options(variant);
        wanted.insert(name, value);
        let mut targets = [ECP5, CYCLONE].into_iter();
        targets.find_map(|target| {
            let all = self.data.variants(target, part);
            all.into_iter().find(|variant| options(variant) == wanted)
        })
    }

    fn area(&mut self) {
        let [hct, arbiter] = ORIGINAL;
        for (part, what, hct, arbiter) in [
            ("core", "core with all options", "hct", "arbiter"),
            ("core", "core with the features of the original", hct, arbiter),
            ("unit", "unit alone", "hct", "arbiter"),
            ("unit", "unit alone, `--cct paper`", "hct --cct paper", "arbiter"),
        ] {
            let ratio = |t| Some(self.logic(part, arbiter, t)? / self.logic(part, hct, t)? - 1.0);
            let all = by_threads(self.data, |t| ratio(t).map(more));
            let wins = self.data.threads().into_iter().find(|t| ratio(*t).is_some_and(|r| r > 0.0));
            let wins = match wins {
                Some(t) => format!("; the sorted list is smaller from T={t}"),
                None => String::new(),
            };
            let ratios = self.data.threads().into_iter().filter(|t| *t >= FROM);
            let ratios: Vec<_> = ratios.filter_map(|t| Some((t, ratio(t)?))).collect();
            let verdict = match ratios.iter().find(|(_, ratio)| *ratio >= SIGNIFICANT) {
                _ if ratios.is_empty() => "no rows yet".into(),
                None => {
                    let most = ratios.iter().map(|(_, ratio)| *ratio).fold(f64::MIN, f64::max);
                    format!("refuted: {} from {FROM} threads on at most", more(most))
                }
                Some((t, _)) if *t == ratios[0].0 => "reproduced".into(),
                Some((t, _)) => {
                    format!("by {} or more from {t} threads on only", more(SIGNIFICANT))
                }
            };
            self.claim(
                &format!(
                    "From 8 threads per warp the arbiter costs significantly more logic ({what})."
                ),
                &format!("arbiter against hct: {all}{wins}."),
                &verdict,
            );
        }
        let large = |variant| {
            by_threads(self.data, |t| {
                let logic = self.logic("core", variant, t)?;
                Some(format!("{:.0} %", 100.0 * logic / ELEMENTS as f64))
            })
        };
        let observed = format!(
            "of its {ELEMENTS} elements: arbiter {}; hct {}; with the features of the original \
             arbiter {}; hct {}.",
            large("arbiter"),
            large("hct"),
            large(arbiter),
            large(hct)
        );
        let fits = |variant| Some(self.logic("core", variant, 64)? <= ELEMENTS as f64);
        let both = |arbiter, hct| match (fits(arbiter), fits(hct)) {
            (Some(true), Some(true)) => "refuted: both fit",
            (Some(true), Some(false)) => "refuted: it fits, hct does not",
            (Some(false), Some(true)) => "reproduced",
            (Some(false), Some(false)) => "it does not, nor does hct",
            _ => "no rows yet",
        };
        let verdict = format!(
            "with the features of the original {}; with all options {}",
            both(arbiter, hct),
            both("arbiter", "hct")
        );
        self.claim(
            "With 64 threads per warp the arbiter does not fit an EP4CE115 (about 91,000 elements).",
            &observed,
            &verdict,
        );
    }

    fn cold_table(&mut self) {
        let (mut all, mut verdicts) = (Vec::new(), Vec::new());
        for (variant, modules) in [ORIGINAL[0], "hct"].into_iter().zip(COLD) {
            let of = |t| {
                let row = self.data.area(Of { target: CYCLONE, part: "core", variant }, t)?;
                Some(share(&row.modules, modules))
            };
            let text = by_threads(self.data, |t| {
                of(t).map(|(logic, share)| format!("{logic} ({:.1} %)", 100.0 * share))
            });
            all.push(format!("`{variant}` {text}"));
            let rows: Vec<_> = self.data.threads().into_iter().filter_map(of).collect();
            let ((Some(first), Some(last)), true) = ((rows.first(), rows.last()), rows.len() > 1)
            else {
                verdicts.push(format!("`{variant}` no rows yet"));
                continue;
            };
            let falls = if last.1 <= first.1 / 2.0 { "reproduced" } else { "refuted" };
            verdicts.push(format!(
                "`{variant}` {falls} (that its share falls to half or less: from {:.1} to {:.1} %)",
                100.0 * first.1,
                100.0 * last.1
            ));
        }
        self.claim(
            "The control of the cold table takes 316 elements with 2 threads per warp and 633 with \
             64: 6 % and 1 % of the core.",
            &format!("elements of its modules, and share of the core: {}.", all.join("; ")),
            &verdicts.join("; "),
        );
    }

    fn frequency(&mut self) {
        let of = |part: &str, variant: &str| {
            by_threads(self.data, |t| self.fmax(part, variant, t).map(|mhz| format!("{mhz:.1}")))
        };
        let (mut drops, mut stages) = (Vec::new(), Vec::new());
        let (mut falls, mut recovers) = (Vec::new(), Vec::new());
        let [original_hct, original_arbiter] = ORIGINAL;
        for (part, what, hct, arbiter) in [
            ("core", "core with all options", "hct", "arbiter"),
            ("core", "core with the features of the original", original_hct, original_arbiter),
            ("unit", "unit alone", "hct", "arbiter"),
        ] {
            let below = |t: &u32| self.fmax(part, arbiter, *t).is_some_and(|mhz| mhz < TARGET_MHZ);
            let below = self.data.threads().into_iter().find(below);
            falls.push(match below {
                Some(t) if t < FROM => format!("{what}: reproduced, from {t} threads already"),
                Some(FROM) => format!("{what}: reproduced"),
                _ if self.fmax(part, arbiter, FROM).is_none() => format!("{what}: no rows yet"),
                _ => format!("{what}: refuted"),
            });
            let below = match below {
                Some(t) => format!("; the arbiter is below {TARGET_MHZ:.0} MHz from T={t}"),
                None => String::new(),
            };
            drops.push(format!(
                "{what}: hct {}; arbiter {}{below}",
                of(part, hct),
                of(part, arbiter)
            ));
            let with: Vec<_> = (1..=4)
                .filter_map(|n| self.with(part, arbiter, "--arbiter-stages", &n.to_string()))
                .collect();
            if with.is_empty() {
                stages.push(format!("{what}: no rows yet"));
                continue;
            }
            let each = with.iter().map(|variant| format!("`{variant}` {}", of(part, variant)));
            stages.push(format!("{what}: {}", each.collect::<Vec<_>>().join("; ")));
            let recovered = by_threads(self.data, |t| {
                let mhz = |variant| self.fmax(part, variant, t);
                let best = with.iter().filter_map(|variant| mhz(variant)).reduce(f64::max)?;
                let (none, sorted) = (mhz(arbiter)?, mhz(hct)?);
                Some(format!("{:.0} %", 100.0 * (best - none) / (sorted - none)))
            });
            recovers.push(format!("{what} {recovered}"));
        }
        self.claim(
            "The arbiter's frequency falls below 50 MHz from 8 threads per warp.",
            &format!("MHz on another device, ECP5. {}.", drops.join(". ")),
            &falls.join("; "),
        );
        self.claim(
            "Stages in the arbitration would recover the cycle time.",
            &format!("MHz. {}.", stages.join(". ")),
            &format!(
                "of what lies between arbiter and hct the best recovers: {}",
                recovers.join("; ")
            ),
        );
    }

    fn compact_sort(&mut self) {
        let text = |part: &str, hct: &str| {
            let network = self.with(part, hct, "--ccs", "network").unwrap_or_default();
            by_threads(self.data, |t| {
                let ratio = |a: Option<f64>, b: Option<f64>| Some(more(a? / b? - 1.0));
                let mhz = ratio(self.fmax(part, network, t), self.fmax(part, hct, t));
                let logic = ratio(self.logic(part, network, t), self.logic(part, hct, t));
                if mhz.is_none() && logic.is_none() {
                    return None;
                }
                let [mhz, logic] = [mhz, logic].map(|share| share.unwrap_or("-".into()));
                Some(format!("frequency {mhz}, logic {logic}"))
            })
        };
        let verdict = |what: &str, part: &str, hct: &str| {
            let network = self.with(part, hct, "--ccs", "network").unwrap_or_default();
            let too_slow = by_threads(self.data, |t| {
                let (with, without) = (self.fmax(part, network, t)?, self.fmax(part, hct, t)?);
                let too_slow = with < TARGET_MHZ && without >= TARGET_MHZ;
                let slower = with <= (1.0 - SLOWER) * without;
                Some(match (too_slow, slower) {
                    (true, _) => format!("reproduced (below {TARGET_MHZ:.0} MHz)"),
                    (false, true) if with >= TARGET_MHZ => {
                        format!("slower, yet above {TARGET_MHZ:.0} MHz")
                    }
                    (false, true) => "slower, but both are too slow".into(),
                    (false, false) => "refuted".into(),
                })
            });
            format!("{what} {too_slow}")
        };
        let verdict = [
            verdict("core with all options", "core", "hct"),
            verdict("with the features of the original", "core", ORIGINAL[0]),
            verdict("unit", "unit", "hct"),
        ];
        let verdict = verdict.join("; ");
        let observed = format!(
            "network against parallel: core with all options {}; with the features of the \
             original {}; unit {}.",
            text("core", "hct"),
            text("core", ORIGINAL[0]),
            text("unit", "hct")
        );
        self.claim(
            "Compact-sort as a network of three levels is too slow; comparing in parallel is not.",
            &observed,
            &verdict,
        );
    }
}

/// The statements.
pub fn text(data: &Data) -> String {
    let mut claims = Claims { data, text: String::new() };
    claims.area();
    claims.cold_table();
    claims.frequency();
    claims.compact_sort();
    claims.text
}

/// The options of a variant by name, its unit under the empty name.
fn options(variant: &str) -> BTreeMap<&str, &str> {
    let mut words = variant.split(' ');
    let mut all = BTreeMap::from([("", words.next().unwrap_or_default())]);
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        all.insert(name, value);
    }
    all
}

/// The option in which two variants differ, if it is one of a core, and its values.
fn only<'a>(a: &'a str, b: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let (a, b) = (options(a), options(b));
    let mut names: Vec<_> = a.keys().chain(b.keys()).copied().collect();
    names.retain(|name| a.get(name) != b.get(name));
    names.sort();
    names.dedup();
    let [name] = names[..] else { return None };
    let value = |of: &BTreeMap<&str, &'a str>| of.get(name).copied().unwrap_or("default");
    (!name.is_empty()).then_some((name, value(&a), value(&b)))
}

/// What options cost: every core against those that differ from it in one option.
pub fn features(data: &Data) -> String {
    let mut lines = Vec::new();
    let variants = data.variants(CYCLONE, "core");
    let pairs = variants.iter().flat_map(|a| variants.iter().map(move |b| (*a, *b)));
    for (small, large) in pairs {
        let Some((name, from, to)) = only(small, large) else { continue };
        for t in data.threads() {
            let of = |variant| data.area(Of { target: CYCLONE, part: "core", variant }, t);
            let Some((small_row, large_row)) = of(small).zip(of(large)) else { continue };
            let [less, more_logic] = [small_row, large_row].map(|row| row.total.logic);
            if less > more_logic || (less == more_logic && small > large) {
                continue;
            }
            lines.push([
                format!("`{name}` {from} to {to}"),
                format!("`{small}`"),
                t.to_string(),
                format!("{:+}", more_logic - less),
                more(more_logic as f64 / less as f64 - 1.0),
                format!("{:+}", large_row.total.ram as i64 - small_row.total.ram as i64),
            ]);
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    lines.sort();
    let mut s = "\n## What options cost\n\nCores on Cyclone IV that differ in one option: what \
                 the larger one takes more than the smaller one.\n\n"
        .to_string();
    head(&mut s, "option", &["the smaller core", "T", "elements", "of the core", "M9K"]);
    lines.into_iter().for_each(|cells| line(&mut s, cells));
    s
}
