//! Every ISA test and every kernel on hardware, in lockstep: T = 4, one and eight
//! warps, fast, slow and random memory, and the outcomes of
//! `testbenches/progress.toml`. A small part of the matrix that
//! `scripts/matrix-rtl.sh` runs: other T are only there.
//!
//! Needs `scripts/isa.sh` and `scripts/kernels-small.sh`; `scripts/test.sh` runs them.

use rayon::prelude::*;
use sim::lab::matrix::{Setting, everything, jobs};
use std::collections::BTreeSet;
use std::path::Path;

/// For kernels.
const SETTINGS: &[Setting] = &[(4, 8, (1, 0)), (4, 1, (20, 0))];

/// For ISA tests.
const ISA: &[Setting] = &[(4, 1, (1, 49))];

#[test]
fn every_program_on_some_hardware() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let kernels = jobs(&root, SETTINGS).unwrap().into_iter().filter(|job| job.kernel);
    let tests = jobs(&root, ISA).unwrap().into_iter().filter(|job| !job.kernel);
    let jobs: Vec<_> = kernels.chain(tests).collect();
    assert!(jobs.len() > 200, "only {} runs", jobs.len());
    let rows: Vec<_> = jobs.par_iter().map(|job| job.run().unwrap()).collect();
    let programs: BTreeSet<_> = rows.iter().map(|row| &row.program).collect();
    assert!(programs.len() > 60, "only {} programs", programs.len());
    let mut wrong: Vec<_> = rows
        .iter()
        .filter_map(|r| {
            Some(format!("{} {} {:?}: {}", r.program, r.core, r.memory, r.wrong.as_ref()?))
        })
        .collect();
    wrong.sort();
    assert!(wrong.is_empty(), "{} runs differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_whole_matrix_has_every_shape_with_every_memory() {
    let all: BTreeSet<_> = everything().into_iter().collect();
    for memory in [(1, 0), (20, 0), (1, 49)] {
        for t in [1, 2, 4, 8, 16, 32, 64] {
            assert!(all.contains(&(t, 8, memory)));
        }
        for w in [1, 2, 4, 16, 32] {
            assert!(all.contains(&(4, w, memory)));
        }
    }
}
