//! The rows of one study as a grid of kernels and policies, and the measures
//! that tables, figure and text share.
//!
//! Join hints are left out of every measure but the one of their cost: some
//! policies use them and some do not, and all run the same program.

use super::row::{Counts, End, Row, Shape};
use std::collections::BTreeMap;

/// The policy that the others are compared with.
pub const BASE: &str = "depth-pc";

/// Kernels by policies.
pub struct View<'a> {
    /// The configuration of all rows.
    pub shape: &'a Shape,
    /// The version of all rows.
    pub version: &'a str,
    /// Kernel names, sorted.
    pub kernels: Vec<&'a str>,
    /// Policy names in the order of the rows.
    pub policies: Vec<&'a str>,
    cells: BTreeMap<(&'a str, &'a str), &'a Row>,
}

impl Counts {
    /// Issued warp instructions without hints.
    pub fn issued(&self) -> u64 {
        self.warp_instructions - self.hint_warp_instructions
    }

    /// Active lanes of an average pass without hints, as a share of T.
    pub fn activity(&self, lanes: u32) -> f64 {
        let threads = self.thread_instructions - self.hint_thread_instructions;
        ratio(threads, self.issued() * u64::from(lanes))
    }

    /// Thread accesses of an average transaction, as a share of T.
    pub fn memory_efficiency(&self, lanes: u32) -> f64 {
        ratio(self.memory_accesses, self.memory_transactions * u64::from(lanes))
    }

    /// Most live paths of a warp at any time.
    pub fn most_paths(&self) -> u32 {
        self.live_paths.last_key_value().map_or(0, |(n, _)| *n)
    }

    /// Share of the passes with more than `n` live paths in their warp.
    pub fn beyond(&self, n: u32) -> f64 {
        ratio(self.live_paths.range(n + 1..).map(|(_, c)| c).sum(), self.warp_instructions)
    }

    /// Hints as a share of the other issued warp instructions.
    pub fn hint_cost(&self) -> f64 {
        ratio(self.hint_warp_instructions, self.issued())
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.into_iter().fold((0, 0.0), |(n, sum), v| (n + 1, sum + v.ln()));
    (n != 0).then(|| f64::exp(sum / f64::from(n)))
}

impl<'a> View<'a> {
    /// A grid of rows that all have the same configuration and version.
    pub fn new(rows: &'a [Row]) -> View<'a> {
        let first = rows.first().expect("a study has rows");
        let mut kernels: Vec<_> = rows.iter().map(|r| r.kernel.as_str()).collect();
        kernels.sort();
        kernels.dedup();
        let mut policies: Vec<&str> = Vec::new();
        for row in rows {
            if !policies.contains(&row.policy.as_str()) {
                policies.push(&row.policy);
            }
        }
        let cells = rows.iter().map(|r| ((r.kernel.as_str(), r.policy.as_str()), r)).collect();
        View { shape: &first.configuration, version: &first.version, kernels, policies, cells }
    }

    /// The run of a kernel under a policy.
    pub fn row(&self, kernel: &str, policy: &str) -> Option<&'a Row> {
        self.cells.get(&(kernel, policy)).copied()
    }

    /// What a run counted, if it finished.
    pub fn counts(&self, kernel: &str, policy: &str) -> Option<&'a Counts> {
        self.row(kernel, policy).filter(|r| r.outcome == End::Finishes).map(|r| &r.counts)
    }

    /// Issued warp instructions relative to the base policy, without hints.
    pub fn relative(&self, kernel: &str, policy: &str) -> Option<f64> {
        let base = self.counts(kernel, BASE)?.issued();
        Some(self.counts(kernel, policy)?.issued() as f64 / base as f64)
    }

    /// The kernels that finish under every policy.
    pub fn everywhere(&self) -> Vec<&'a str> {
        let all = |k: &&str| self.policies.iter().all(|p| self.counts(k, p).is_some());
        self.kernels.iter().copied().filter(all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means() {
        assert_eq!(geometric_mean([]), None);
        assert!((geometric_mean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
    }
}
