//! Steps of long runs, kept so that a run that was interrupted goes on behind the last one.

use crate::error::BadInput;
use crate::interrupt::Folder;
use crate::lab::kernels::fnv1a;
use std::fs;
use std::path::{Path, PathBuf};

/// Where steps are kept, if at all.
pub struct Steps(Option<PathBuf>);

impl Steps {
    /// In a folder, which is made.
    pub fn new(folder: Option<&Path>) -> Result<Steps, BadInput> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder)
                .map_err(|e| BadInput::file(folder, format_args!("cannot create: {e}")))?;
        }
        Ok(Steps(folder.map(Path::to_path_buf)))
    }

    /// Does a step, unless it has been done before from the same texts, which are all that it depends on.
    pub fn step<const N: usize>(
        &self,
        name: &str,
        from: &[&str],
        make: impl FnOnce() -> Result<[String; N], String>,
    ) -> Result<[String; N], String> {
        let Some(folder) = &self.0 else {
            return make();
        };
        let all: String =
            from.iter().map(|text| format!("{:x} ", fnv1a(text.as_bytes()))).collect();
        let folder = folder.join(format!("{name}-{:016x}", fnv1a(all.as_bytes())));
        if folder.exists() {
            return read(&folder);
        }
        let made = make()?;
        write(&folder, &made)?;
        Ok(made)
    }
}

/// The names of the texts.
fn names(count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(|number| number.to_string())
}

fn read<const N: usize>(folder: &Path) -> Result<[String; N], String> {
    let text = |name: &str| {
        let file = folder.join(name);
        fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))
    };
    let texts = names(N).map(|name| text(&name)).collect::<Result<Vec<_>, _>>()?;
    Ok(texts.try_into().expect("N texts"))
}

/// Under another name until all is written.
fn write(folder: &Path, texts: &[String]) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    let all = folder.parent().expect("a folder in that of all steps");
    let partial = Folder::new(tempfile::tempdir_in(all).map_err(fail)?);
    for (name, text) in names(texts.len()).zip(texts) {
        fs::write(partial.path().join(name), text).map_err(fail)?;
    }
    match fs::rename(partial.path(), folder) {
        // Another run was faster, with the same texts.
        Err(_) if folder.exists() => Ok(()),
        other => other.map_err(fail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_step_is_done_once() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        let done = Cell::new(0);
        let step = |steps: &Steps, name: &str, from: &[&str]| {
            let make = || {
                done.set(done.get() + 1);
                Ok([format!("{name} {from:?}"), "second".to_string()])
            };
            let made = steps.step(name, from, make).unwrap();
            assert_eq!(made, [format!("{name} {from:?}"), "second".to_string()]);
        };
        // The same boundaries between texts, and other ones.
        for (from, times) in [(["ab", "c"], 1), (["a", "bc"], 2), (["ab", "c"], 2)] {
            step(&Steps::new(Some(&inner)).unwrap(), "place", &from);
            assert_eq!(done.get(), times);
        }
        step(&Steps::new(Some(&inner)).unwrap(), "route", &["ab", "c"]);
        assert_eq!((done.get(), fs::read_dir(&inner).unwrap().count()), (3, 3));
        let none = Steps::new(None).unwrap();
        step(&none, "place", &["ab", "c"]);
        step(&none, "place", &["ab", "c"]);
        assert_eq!(done.get(), 5);
    }

    #[test]
    fn a_step_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Steps::new(Some(folder.path())).unwrap();
        let why = steps.step::<1>("bad", &[], || Err("no tool".into())).unwrap_err();
        assert_eq!(why, "no tool");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_damaged_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Steps::new(Some(folder.path())).unwrap();
        let step = || steps.step("one", &[], || Ok(["text".to_string()]));
        step().unwrap();
        let kept = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let file = kept.join("1");
        fs::remove_file(&file).unwrap();
        assert!(step().unwrap_err().starts_with(&format!("{}: ", file.display())));
        fs::write(&file, "no folder").unwrap();
        let why = Steps::new(Some(&file)).err().unwrap().0;
        assert!(why.starts_with(&format!("{}: cannot create", file.display())), "{why}");
    }
}
