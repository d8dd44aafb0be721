//! `figure4.md`: tables of variants by T.

use super::super::target::Target;
use super::super::timing::words;
use super::claims;
use super::data::{Data, Of};
use super::tradeoff;
use crate::lab::table::{head, line};
use std::collections::BTreeSet;

fn join(texts: &BTreeSet<&str>) -> String {
    texts.iter().copied().collect::<Vec<_>>().join("; ")
}

/// A table of variants by T; nothing if no cell says anything.
fn table(
    s: &mut String,
    data: &Data,
    (target, part): (&str, &str),
    title: &str,
    cell: impl Fn(Of<'_>, u32) -> Option<String>,
) {
    let threads = data.threads();
    let lines = data.variants(target, part).into_iter().map(|variant| {
        let of = Of { target, part, variant };
        (variant, threads.iter().map(|t| cell(of, *t)).collect::<Vec<_>>())
    });
    let lines: Vec<_> = lines.filter(|(_, cells)| cells.iter().any(Option::is_some)).collect();
    if lines.is_empty() {
        return;
    }
    *s += &format!("\n{title}\n\n");
    let columns: Vec<_> = threads.iter().map(|t| format!("T={t}")).collect();
    head(s, "unit", &columns.iter().map(String::as_str).collect::<Vec<_>>());
    for (variant, cells) in lines {
        let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".into()));
        line(s, [format!("`{variant}`")].into_iter().chain(cells));
    }
}

fn of_target(s: &mut String, data: &Data, target: &'static Target) {
    let Target { name, logic_unit, ram_unit, .. } = target;
    *s += &format!("\n## {}\n", target.summary);
    for (part, what) in [("core", "Core"), ("unit", "Divergence unit alone")] {
        let title = format!("{what}: {logic_unit} (flip-flops; {ram_unit})");
        table(s, data, (name, part), &title, |of, t| {
            let row = data.area(of, t)?;
            let (total, mark) = (&row.total, data.mark(&row.hardware));
            let logic = match total.logic_least {
                Some(least) => format!("{least} to {}", total.logic),
                None => total.logic.to_string(),
            };
            Some(format!("{logic} ({}; {}){mark}", total.flip_flops, total.ram))
        });
        let title = format!("{what}: MHz after place and route (median; number of seeds)");
        table(s, data, (name, part), &title, |of, t| {
            let (row, seeds) = data.timing(of, t)?;
            Some(format!("{:.1} ({seeds}){}", row.fmax, data.mark(&row.hardware)))
        });
    }
}

fn paths(s: &mut String, data: &Data) {
    if data.timings.is_empty() {
        return;
    }
    *s += "\n## Critical paths\n\nOf the median seed, module by module from register to register, \
           with the wires that lead to each.\n\n";
    head(s, "unit", &["part", "T", "MHz", "path"]);
    for target in data.targets() {
        for part in ["core", "unit"] {
            for variant in data.variants(target, part) {
                for t in data.threads() {
                    if let Some((row, _)) = data.timing(Of { target, part, variant }, t) {
                        let cells = [format!("`{variant}`"), part.into(), t.to_string()];
                        let figures = [format!("{:.1}", row.fmax), words(&row.path)];
                        line(s, cells.into_iter().chain(figures));
                    }
                }
            }
        }
    }
}

/// The whole page.
pub fn page(data: &Data) -> String {
    let mut s = format!(
        "# Area and frequency against T\n\n\
         Eight warps, as in Fig. 4 of Collange & Brunie 2017. {}. How things are \
         counted: [synthesis.md](../synthesis.md). Written by\n\n\
         ```\ncargo run --release --bin lab -- figure4\n```\n\n\
         from the rows of [area.jsonl](area.jsonl) and [timing.jsonl](timing.jsonl), which \
         `lab area`, `lab timing` and `scripts/sweep.sh` make. Do not edit.\n\n\
         ![Area and frequency against T](figure4.svg)\n\n\
         A unit is named with the options that are not at their defaults.{}\n",
        join(&data.tools()),
        match data.older.is_empty() {
            true => "",
            false =>
                " What has ° was measured on earlier hardware than `gen` writes now; so was the \
                 figure's, and what the sections below draw from it.",
        },
    );
    for target in super::super::target::TARGETS {
        if data.targets().contains(target.name) {
            of_target(&mut s, data, target);
        }
    }
    s += &tradeoff::section(data);
    s += &claims::features(data);
    paths(&mut s, data);
    s += "\n## Beside what the paper says\n\n";
    s + &claims::text(data)
}
