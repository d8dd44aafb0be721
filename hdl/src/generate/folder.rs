//! The folder of a product: it appears whole or not at all.
//!
//! Files go to a temporary folder beside the place, which is renamed when all of
//! them are there. An older folder of the same name is moved aside first, and back
//! if that fails; a folder that holds anything that is not ours is left alone.

use super::files::File;
use super::unfinished::Unfinished;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn failed(path: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: cannot write: {why}", path.display())
}

/// Puts the files into `out/name`; the path of that folder.
pub fn write(out: &Path, name: &str, files: &[File]) -> Result<PathBuf, String> {
    let target = out.join(name);
    match fs::symlink_metadata(&target) {
        Ok(found) if !found.is_dir() => return Err(failed(&target, "it is not a folder")),
        Ok(_) => refuse_foreign(&target, files)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(failed(&target, e)),
    }
    fs::create_dir_all(out).map_err(|e| failed(out, e))?;
    let beside = |end: &str| out.join(format!(".{name}.{}.{end}", std::process::id()));
    let new = Unfinished::new(beside("new")).map_err(|e| failed(out, e))?;
    for file in files {
        let path = new.path().join(&file.name);
        fs::write(path, &file.text).map_err(|e| failed(&target.join(&file.name), e))?;
    }
    new.finish(|| replace(&target, new.path(), &beside("old")).map_err(|e| failed(&target, e)))?;
    Ok(target)
}

/// Puts a folder in place of another one, which is moved aside first.
fn replace(target: &Path, new: &Path, old: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(old);
    match fs::rename(target, old) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    if let Err(e) = fs::rename(new, target) {
        let _ = fs::rename(old, target);
        return Err(e);
    }
    let _ = fs::remove_dir_all(old);
    Ok(())
}

/// Refuses a folder that holds what we would not write.
fn refuse_foreign(folder: &Path, files: &[File]) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|e| failed(folder, e))? {
        let name = entry.map_err(|e| failed(folder, e))?.file_name();
        if !files.iter().any(|file| name == file.name.as_str()) {
            let name = name.display();
            return Err(failed(folder, format!("it holds {name}, which gen did not write")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{File, fs, write as put};
    use std::path::Path;

    fn files(text: &str) -> Vec<File> {
        ["a", "b"].map(|name| File { name: name.into(), text: text.into() }).into()
    }

    #[test]
    fn whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let entries = |path: &Path| fs::read_dir(path).unwrap().count();
        let out = dir.path().join("new/out");
        let write = |name: &str, files: &[File]| put(&out, name, files);

        write("x", &files("one")).unwrap();
        assert_eq!(write("x", &files("two")).unwrap(), out.join("x"));
        assert_eq!(fs::read(out.join("x/b")).unwrap(), b"two");
        assert_eq!((entries(&out), entries(&out.join("x"))), (1, 2));

        // A file that cannot be written: what was there stays.
        let mut bad = files("three");
        bad.push(File { name: "no/such/folder".into(), text: String::new() });
        assert!(write("x", &bad).is_err() && write("y", &bad).is_err());
        assert_eq!(fs::read(out.join("x/a")).unwrap(), b"two");
        assert_eq!((entries(&out), entries(&out.join("x"))), (1, 2));

        // Somebody's notes, and a file in the way.
        fs::write(out.join("x/notes"), "").unwrap();
        let refused = write("x", &files("four")).unwrap_err();
        assert!(refused.contains("it holds notes"), "{refused}");
        fs::write(out.join("file"), "").unwrap();
        assert!(write("file", &files("five")).unwrap_err().contains("it is not a folder"));
        assert_eq!((entries(&out), entries(&out.join("x"))), (2, 3));
    }
}
