//! A name for the hardware that is in this build: measurements of another one are
//! not its own. FNV-1a of the sources of core, units and leaves, without comments.

use std::path::{Path, PathBuf};

const HARDWARE: [&str; 3] = ["src/core", "src/divergence", "src/rtl"];
/// What prints, compares and tests it.
const BESIDE: [&str; 8] = [
    "emit",
    "equivalence",
    "testing",
    "bench.rs",
    "compact_tests.rs",
    "faults.rs",
    "quality.rs",
    "tests.rs",
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if BESIDE.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// FNV-1a of the sources in these folders, without comments.
fn hash(folders: &[&str]) -> u64 {
    let mut files = Vec::new();
    for folder in folders {
        println!("cargo:rerun-if-changed={folder}");
        sources(Path::new(folder), &mut files);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let lines = text.lines().map(str::trim).filter(|l| !l.starts_with("//"));
        for byte in lines.flat_map(|l| l.bytes().chain([b'\n'])) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}

fn main() {
    println!("cargo:rustc-env=WEFT_HARDWARE={:016x}", hash(&HARDWARE));
}
