//! The kernels a study runs: what `scripts/kernels.sh` left in a folder.

use crate::error::BadInput;
use crate::program::{self, Program};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Entry {
    name: String,
    hints_elf: Option<String>,
    elf: Option<String>,
    order: Option<String>,
}

/// Which of a kernel's two programs?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// As compiled.
    Plain,
    /// With join hints.
    Hints,
}

/// A kernel, ready to run.
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Is what it issues independent of which thread runs first?
    pub order_free: bool,
    /// FNV-1a of the file.
    pub elf: String,
    /// The program.
    pub program: Program,
}

/// 64-bit FNV-1a, to tell files apart.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Reads the kernels of a folder, sorted by name.
pub fn load(dir: &Path, ram_size: u32, build: Build) -> Result<Vec<Kernel>, BadInput> {
    let index = dir.join("index.json");
    if !index.is_file() {
        let why = "no kernels here (index.json is missing), run scripts/kernels.sh";
        return Err(BadInput::file(dir, why));
    }
    let text = program::read_file(&index)?;
    let broken = |e| BadInput::file(&index, format_args!("not a list of kernels: {e}"));
    let mut entries: Vec<Entry> = serde_json::from_slice(&text).map_err(broken)?;
    if entries.is_empty() {
        return Err(BadInput::file(&index, "lists no kernel, run scripts/kernels.sh"));
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let kernel = |entry: Entry| {
        let file = match build {
            Build::Plain => entry.elf,
            Build::Hints => entry.hints_elf,
        };
        let file = file.ok_or_else(|| {
            BadInput::file(&index, format_args!("names no file of {}", entry.name))
        })?;
        let path = dir.join(file);
        let order_free = entry.order.as_deref() == Some("free");
        let elf = format!("{:016x}", fnv1a(&program::read_file(&path)?));
        Ok(Kernel { name: entry.name, order_free, elf, program: Program::load(&path, ram_size)? })
    };
    entries.into_iter().map(kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_folder_without_kernels_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let why = |dir: &Path| load(dir, 1 << 24, Build::Hints).err().unwrap().0;
        assert!(why(dir.path()).ends_with("run scripts/kernels.sh"));
        assert!(why(&dir.path().join("none")).ends_with("run scripts/kernels.sh"));
        let index = dir.path().join("index.json");
        std::fs::write(&index, "[]").unwrap();
        assert!(why(dir.path()).contains("lists no kernel"));
        std::fs::write(&index, "{").unwrap();
        assert!(why(dir.path()).contains("not a list of kernels"));
        std::fs::write(&index, r#"[{"name": "a", "hints_elf": "a.hints.elf"}]"#).unwrap();
        assert!(why(dir.path()).contains("a.hints.elf"));
    }
}
