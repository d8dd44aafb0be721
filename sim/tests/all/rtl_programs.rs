//! Which programs run on which hardware: what `scripts/test.sh` and
//! `scripts/matrix-rtl.sh` run is not less than it should be.
//!
//! Needs `scripts/isa.sh` and `scripts/kernels-small.sh`; `scripts/test.sh` runs them.

use sim::engine::Engine;
use sim::lab::matrix::{Job, SMALL, everything, jobs, quick};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn the_quick_part_has_every_program_for_every_unit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let names = |jobs: &[Job]| -> BTreeSet<(&str, Option<&str>, PathBuf)> {
        jobs.iter().map(|job| (job.unit, job.cct, job.file.clone())).collect()
    };
    let rtl = Engine::Rtl;
    let quick = quick(&root, rtl).unwrap();
    let all = jobs(&root, rtl, SMALL, &everything(rtl)).unwrap();
    assert!(quick.len() > 900 && all.len() > 10_500, "{} and {} runs", quick.len(), all.len());
    for unit in [("hct", None), ("hct", Some("paper")), ("arbiter", None)] {
        assert!(quick.iter().any(|job| (job.unit, job.cct) == unit && job.kernel), "{unit:?}");
    }
    let left_out: Vec<_> = names(&all).difference(&names(&quick)).cloned().collect();
    // Hints do nothing in these units.
    let hinted =
        |(.., f): &(&str, Option<&str>, PathBuf)| f.to_string_lossy().ends_with(".hints.elf");
    assert!(left_out.iter().all(hinted), "{left_out:?}");
    for t in [1, 4, 32] {
        for one in [false, true] {
            assert!(quick.iter().any(|j| j.setting.0 == t && j.one == one));
        }
    }
}

#[test]
fn the_whole_matrix_has_every_shape_with_every_memory() {
    let all: BTreeSet<_> = everything(Engine::Rtl).into_iter().collect();
    for memory in [(1, 0), (20, 0), (1, 49)] {
        for t in [1, 2, 4, 8, 16, 32, 64] {
            assert!(all.contains(&(t, 8, memory)));
        }
        for w in [1, 2, 4, 16, 32] {
            assert!(all.contains(&(4, w, memory)));
        }
    }
}
