//! The folder of a product: it appears whole or not at all.
//!
//! Files go to a temporary folder beside the place, which is renamed when all of
//! them are there. An older folder of the same name is moved aside first, and back
//! if that fails; a folder that holds anything that is not ours is left alone.

use super::files::File;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where a product goes.
pub struct Place {
    target: PathBuf,
    /// Gone when we are, unless it was renamed.
    temporary: Temporary,
}

struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn failed(path: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: cannot write: {why}", path.display())
}

impl Place {
    /// Claims `out/name`; the files in an older one must be among `ours`.
    pub fn new(out: &Path, name: &str, ours: &[String]) -> Result<Place, String> {
        let target = out.join(name);
        match fs::symlink_metadata(&target) {
            Ok(found) if !found.is_dir() => return Err(failed(&target, "it is not a folder")),
            Ok(_) => foreign(&target, ours)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(&target, e)),
        }
        fs::create_dir_all(out).map_err(|e| failed(out, e))?;
        let temporary = Temporary(out.join(format!(".{name}.{}.new", std::process::id())));
        let _ = fs::remove_dir_all(&temporary.0);
        fs::create_dir(&temporary.0).map_err(|e| failed(out, e))?;
        Ok(Place { target, temporary })
    }

    /// Writes everything and puts it in place; the path of the folder.
    pub fn write(self, files: &[File]) -> Result<String, String> {
        let (target, new) = (&self.target, &self.temporary.0);
        for file in files {
            fs::write(new.join(&file.name), &file.text)
                .map_err(|e| failed(&target.join(&file.name), e))?;
        }
        let old = Temporary(new.with_extension("old"));
        match fs::rename(target, &old.0) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(target, e)),
        }
        if let Err(e) = fs::rename(new, target) {
            let _ = fs::rename(&old.0, target);
            return Err(failed(target, e));
        }
        Ok(target.display().to_string())
    }
}

/// Refuses a folder that holds what we would not write.
fn foreign(folder: &Path, ours: &[String]) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|e| failed(folder, e))? {
        let entry = entry.map_err(|e| failed(folder, e))?;
        let name = entry.file_name();
        if !ours.iter().any(|our| name == our.as_str()) {
            let name = name.display();
            return Err(failed(folder, format!("it holds {name}, which gen did not write")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<File> {
        ["a", "b"].map(|name| File { name: name.into(), text: text.into() }).into()
    }

    #[test]
    fn whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let entries = |path: &Path| fs::read_dir(path).unwrap().count();
        let ours = ["a".to_string(), "b".to_string()];
        let out = dir.path().join("new/out");
        let claim = |name: &str| Place::new(&out, name, &ours);

        drop(claim("x").unwrap());
        assert_eq!(entries(&out), 0);
        claim("x").unwrap().write(&files("one")).unwrap();
        claim("x").unwrap().write(&files("two")).unwrap();
        assert_eq!(fs::read(out.join("x/b")).unwrap(), b"two");
        assert_eq!((entries(&out), entries(&out.join("x"))), (1, 2));

        // A file that cannot be written: what was there stays.
        let mut bad = files("three");
        bad[1].name = "no/such/folder".into();
        assert!(claim("x").unwrap().write(&bad).is_err());
        assert_eq!(fs::read(out.join("x/a")).unwrap(), b"two");
        assert_eq!((entries(&out), entries(&out.join("x"))), (1, 2));

        // Somebody's notes.
        fs::write(out.join("x/notes"), "").unwrap();
        let refused = claim("x").err().unwrap();
        assert!(refused.contains("it holds notes"), "{refused}");
        fs::write(out.join("file"), "").unwrap();
        assert!(claim("file").err().unwrap().contains("it is not a folder"));
        assert_eq!(entries(&out), 2);
    }
}
