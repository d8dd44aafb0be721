//! `policies.md`: tables of kernels by policies, from the rows alone.

use super::claims;
use super::row::{Counts, End};
use super::view::{BASE, View, geometric_mean};
use crate::policy::PolicyKind;
use std::fmt::Write;

/// What counts as the fewest.
const NEARLY: f64 = 1.01;

/// One line of a table.
pub fn line(s: &mut String, cells: impl IntoIterator<Item = String>) {
    for cell in cells {
        let _ = write!(s, "| {cell} ");
    }
    s.push_str("|\n");
}

/// Heading and alignment: the first column left, the others right.
pub fn head(s: &mut String, first: &str, columns: &[&str]) {
    line(s, [first].iter().chain(columns).map(|c| c.to_string()));
    line(s, (0..=columns.len()).map(|i| if i == 0 { "---" } else { "---:" }.to_string()));
}

/// A table of kernels by policies; `cell` sees runs that finished.
fn grid(s: &mut String, view: &View<'_>, cell: impl Fn(&str, &str, &Counts) -> String) {
    head(s, "kernel", &view.policies);
    for kernel in &view.kernels {
        let cells = view.policies.iter().map(|policy| match view.row(kernel, policy) {
            Some(row) if row.outcome == End::Finishes => cell(kernel, policy, &row.counts),
            Some(row) if row.outcome == End::Stuck => "stuck".to_string(),
            Some(_) => "fails".to_string(),
            None => "-".to_string(),
        });
        line(s, [kernel.to_string()].into_iter().chain(cells));
    }
}

/// The issued warp instructions of the base, the others relative to it; those
/// within 1 % of the fewest in bold.
fn instructions(s: &mut String, view: &View<'_>) {
    let policies = || view.policies.iter();
    grid(s, view, |kernel, policy, counts| {
        let issued = |p: &&str| view.counts(kernel, p).map(Counts::issued);
        let fewest = policies().filter_map(issued).min().unwrap_or(0);
        let text = match view.relative(kernel, policy) {
            Some(ratio) if policy != BASE => format!("{ratio:.2}"),
            _ => counts.issued().to_string(),
        };
        if counts.issued() as f64 <= NEARLY * fewest as f64 { format!("**{text}**") } else { text }
    });
    let everywhere = view.everywhere();
    let mean = |policy: &&str| {
        let ratios = everywhere.iter().filter_map(|k| view.relative(k, policy));
        geometric_mean(ratios).map_or("-".to_string(), |m| format!("{m:.3}"))
    };
    let first = format!("*geometric mean of {}*", everywhere.len());
    line(s, [first].into_iter().chain(policies().map(mean)));
}

fn summary(s: &mut String, view: &View<'_>) {
    let everywhere = view.everywhere();
    let lanes = view.shape.threads_per_warp;
    let columns = [
        "finishes",
        "warp instructions",
        "range",
        "activity",
        "memory efficiency",
        "live paths",
        "hints",
    ];
    head(s, "policy", &columns);
    for policy in &view.policies {
        let counts: Vec<_> = everywhere.iter().filter_map(|k| view.counts(k, policy)).collect();
        let finishes = view.kernels.iter().filter(|k| view.counts(k, policy).is_some()).count();
        let ratios: Vec<_> = everywhere.iter().filter_map(|k| view.relative(k, policy)).collect();
        let mean = |values: &[f64]| geometric_mean(values.iter().copied()).unwrap_or(f64::NAN);
        let of = |f: fn(&Counts, u32) -> f64| {
            mean(&counts.iter().map(|c| f(c, lanes)).collect::<Vec<_>>())
        };
        let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ratios.iter().copied().fold(0.0, f64::max);
        let most = counts.iter().map(|c| c.most_paths()).max().unwrap_or(0);
        let hints: u64 = counts.iter().map(|c| c.hint_warp_instructions).sum();
        let issued: u64 = counts.iter().map(|c| c.issued()).sum();
        line(
            s,
            [
                policy.to_string(),
                format!("{finishes} of {}", view.kernels.len()),
                format!("{:.3}", mean(&ratios)),
                format!("{low:.2} to {high:.2}"),
                format!("{:.3}", of(Counts::activity)),
                format!("{:.3}", of(Counts::memory_efficiency)),
                most.to_string(),
                format!("+{:.1} %", 100.0 * hints as f64 / issued as f64),
            ],
        );
    }
}

/// The whole page.
pub fn page(view: &View<'_>) -> String {
    let (shape, lanes) = (view.shape, view.shape.threads_per_warp);
    let mut s = String::new();
    let _ = write!(
        s,
        "# Traversal policies\n\n\
         Every kernel of `testbenches/kernels`, built with join hints, under every traversal \
         policy, on the emulator: {lanes} threads per warp, {} warps, Weft {}. Written by\n\n\
         ```\nscripts/kernels.sh\n\
         cargo run --release --bin lab -- policies --threads-per-warp {lanes} --warps {}\n```\n\n\
         from the rows of [policies.jsonl](policies.jsonl), which record the configuration, the \
         hash of each program and all counts. Do not edit.\n\n\
         ![Warp instructions by kernel and policy](policies.svg)\n\n",
        shape.warps, view.version, shape.warps,
    );
    s += "A *warp instruction* is one pass: one issue of one instruction for one path of one \
          warp. Threads that memory could not serve in a pass need another one, and it counts. \
          **Join hints are not counted** except where a column is named for them: only `stack`, \
          `fork-join` and `breadth-first` use them, all policies run the same program, and the \
          others would not need them. `stuck` is a livelock that the watchdog has proved; \
          [progress.toml](../../testbenches/progress.toml) gives the reasons. Warps take turns, \
          one pass each. Passes are not cycles: latencies, and how warps hide them, are outside this study.\n\n";
    for (kind, name, help) in PolicyKind::ALL {
        let unit = match kind {
            PolicyKind::DepthPc => " (units `hct`, `arbiter`)",
            PolicyKind::Stack => " (unit `stack`)",
            _ => "",
        };
        let _ = writeln!(s, "- `{name}`: {help}{unit}");
    }
    s += "\n## Summary\n\nMeans are geometric, over the kernels that finish under every policy; \
          warp instructions relative to `depth-pc`. Live paths: the most at any time. Hints: \
          passes that were join hints, on top of the others.\n\n";
    summary(&mut s, view);
    s += "\n## Warp instructions\n\n`depth-pc` in passes, the others relative to it; in \
          bold what is within 1 % of the fewest of a kernel.\n\n";
    instructions(&mut s, view);
    s += "\n## Activity factor\n\nThreads that complete an instruction in an average pass, as a \
          share of T.\n\n";
    grid(&mut s, view, |_, _, c| format!("{:.3}", c.activity(lanes)));
    s += "\n## Live paths\n\nThe most a warp had at any time, the running one included. Stack \
          entries without threads, which wait for the first arrival, are not paths.\n\n";
    grid(&mut s, view, |_, _, c| c.most_paths().to_string());
    s += "\nPasses with more than three live paths in their warp:\n\n";
    grid(&mut s, view, |_, _, c| match 100.0 * c.beyond(3) {
        0.0 => "0".to_string(),
        share => format!("{share:.1} %"),
    });
    s += "\n## Memory efficiency\n\nThread accesses that an average transaction serves, as a \
          share of T.\n\n";
    grid(&mut s, view, |_, _, c| format!("{:.3}", c.memory_efficiency(lanes)));
    s += "\n## What join hints cost\n\nPasses that were hints, on top of the others. The \
          policies that ignore hints would run the build without them.\n\n";
    grid(&mut s, view, |_, _, c| format!("+{:.1} %", 100.0 * c.hint_cost()));
    s += "\n## Beside what the papers say\n\n";
    s += &claims::text(view);
    s
}
