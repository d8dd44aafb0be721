//! Results files: one JSON row per line, appended as runs end.
//!
//! An interrupted study leaves whole lines and at most one half line at the
//! end, which is cut off with a message when the file is opened again. A line
//! that is broken anywhere else is bad input: nobody but an editor makes those.
//! Who adds rows has the file for himself: two studies at a time would each put
//! what they know in the place of what the other found.

use crate::error::BadInput;
use crate::output::Output;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A row that knows which run it is of.
pub trait Keyed {
    /// What tells runs apart; rows are sorted by it.
    type Key: Ord;

    /// Of this row.
    fn key(&self) -> Self::Key;

    /// Is `older` the same measurement, of a program or a version that is gone?
    fn replaces(&self, older: &Self) -> bool;
}

/// The rows of a text, in their order; how much of it they take, and what is to be said of the rest.
pub fn parse<R: DeserializeOwned>(
    path: &Path,
    text: &str,
) -> Result<(Vec<R>, usize, Option<String>), BadInput> {
    let (mut rows, mut whole) = (Vec::new(), 0);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str::<R>(line) {
            Ok(row) => rows.push(row),
            Err(_) if !line.ends_with('\n') && line.starts_with('{') => {
                let n = i + 1;
                let notice = format!(
                    "{}: line {n} is cut short by an interruption and left out",
                    path.display()
                );
                return Ok((rows, whole, Some(notice)));
            }
            Err(e) => {
                let why = format!("line {}: not a row of this study: {e}", i + 1);
                return Err(BadInput::file(path, why));
            }
        }
        whole += line.len();
    }
    Ok((rows, whole, None))
}

/// Opens or creates a file to which nobody else adds rows meanwhile.
fn locked(path: &Path) -> Result<File, BadInput> {
    let fail = |e: io::Error| BadInput::file(path, format_args!("cannot write: {e}"));
    loop {
        let file = File::options().create(true).append(true).open(path).map_err(fail)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let why = "another run is adding rows to it: wait for that, or use another folder";
                return Err(BadInput::file(path, why));
            }
            Err(TryLockError::Error(e)) => return Err(fail(e)),
            Ok(()) => {}
        }
        // What had the lock may have put another file there.
        let same = |there: Metadata| file.metadata().map(|here| here.ino() == there.ino());
        if std::fs::metadata(path).and_then(same).unwrap_or(false) {
            return Ok(file);
        }
    }
}

/// The rows of a file.
pub struct Store<R: Keyed> {
    path: PathBuf,
    file: File,
    rows: BTreeMap<R::Key, R>,
    /// What had to be repaired, for the user.
    pub notice: Option<String>,
}

impl<R: Keyed + Serialize + DeserializeOwned> Store<R> {
    /// Opens or creates a file of rows.
    pub fn open(path: &Path) -> Result<Store<R>, BadInput> {
        let fail = |e: io::Error| BadInput::file(path, e);
        let mut file = locked(path)?;
        let text = std::fs::read_to_string(path).map_err(fail)?;
        let (rows, whole, notice) = parse::<R>(path, &text)?;
        let rows = rows.into_iter().map(|row| (row.key(), row)).collect();
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fail)?;
        } else if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(fail)?;
        }
        Ok(Store { path: path.to_path_buf(), file, rows, notice })
    }

    /// The row of a run.
    pub fn get(&self, key: &R::Key) -> Option<&R> {
        self.rows.get(key)
    }

    /// Adds a row, in the file too.
    pub fn add(&mut self, row: R) -> Result<(), BadInput> {
        let line = serde_json::to_string(&row).expect("rows are plain data") + "\n";
        // One write: an interruption leaves whole lines.
        self.file
            .write_all(line.as_bytes())
            .map_err(|e| BadInput::file(&self.path, format_args!("cannot write: {e}")))?;
        self.rows.insert(row.key(), row);
        Ok(())
    }

    /// Sorts the file, without what `current` rows replace.
    pub fn finish(self, current: &[R]) -> Result<(), BadInput> {
        let stale = |row: &R| current.iter().any(|c| c.replaces(row) && c.key() != row.key());
        let mut text = String::new();
        for row in self.rows.values().filter(|row| !stale(row)) {
            text += &serde_json::to_string(row).expect("rows are plain data");
            text.push('\n');
        }
        if std::fs::read_to_string(&self.path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        let mut output = Output::open(&self.path)?;
        output.write(text.as_bytes())?;
        output.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Row {
        name: String,
        version: u32,
    }

    impl Keyed for Row {
        type Key = (String, u32);

        fn key(&self) -> Self::Key {
            (self.name.clone(), self.version)
        }

        fn replaces(&self, older: &Row) -> bool {
            self.name == older.name
        }
    }

    fn row(name: &str, version: u32) -> Row {
        Row { name: name.to_string(), version }
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn rows_are_kept_as_they_come_and_sorted_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        let mut store = Store::open(&path).unwrap();
        store.add(row("b", 1)).unwrap();
        store.add(row("a", 1)).unwrap();
        drop(store);
        assert_eq!(read(&path), "{\"name\":\"b\",\"version\":1}\n{\"name\":\"a\",\"version\":1}\n");

        let mut store = Store::<Row>::open(&path).unwrap();
        let other = Store::<Row>::open(&path).err().unwrap().0;
        assert!(other.contains("another run is adding rows to it"), "{other}");
        assert_eq!(store.notice, None);
        assert!(store.get(&("b".to_string(), 1)).is_some());
        assert!(store.get(&("b".to_string(), 2)).is_none());
        store.add(row("b", 2)).unwrap();
        store.finish(&[row("b", 2)]).unwrap();
        let sorted = "{\"name\":\"a\",\"version\":1}\n{\"name\":\"b\",\"version\":2}\n";
        assert_eq!(read(&path), sorted, "a later row replaces, others stay");
        Store::<Row>::open(&path).unwrap().finish(&[]).unwrap();
        assert_eq!(read(&path), sorted);
    }

    #[test]
    fn half_a_last_line_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        let whole = "{\"name\":\"a\",\"version\":1}\n";
        std::fs::write(&path, format!("{whole}{{\"name\":\"b\",\"ver")).unwrap();
        let mut store = Store::<Row>::open(&path).unwrap();
        assert!(store.notice.as_ref().unwrap().contains("line 2 is cut short"));
        assert_eq!(read(&path), whole);
        store.add(row("c", 1)).unwrap();
        assert_eq!(read(&path), format!("{whole}{{\"name\":\"c\",\"version\":1}}\n"));
        drop(store);

        // Only the end of the line is missing: nothing is lost.
        std::fs::write(&path, whole.trim_end()).unwrap();
        let store = Store::<Row>::open(&path).unwrap();
        assert_eq!((store.rows.len(), read(&path).as_str()), (1, whole));
        assert_eq!(store.notice, None);
    }

    #[test]
    fn a_broken_line_elsewhere_is_bad_input_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        let text = "{\"name\":\"a\",\"version\":1}\n{\"na\n{\"name\":\"b\",\"version\":1}\n";
        std::fs::write(&path, text).unwrap();
        let why = Store::<Row>::open(&path).err().unwrap().0;
        assert!(why.contains("line 2: not a row of this study"), "{why}");
        assert!(!why.contains('\n'));
        assert_eq!(read(&path), text);
        assert!(Store::<Row>::open(dir.path()).is_err());

        // No row at all, and no end of line either.
        std::fs::write(&path, "my notes").unwrap();
        let why = Store::<Row>::open(&path).err().unwrap().0;
        assert!(why.contains("line 1: not a row of this study"), "{why}");
        assert_eq!(read(&path), "my notes");
    }
}
