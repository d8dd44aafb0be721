//! Outputs of all programs here: files appear whole or not at all.
//!
//! An output is opened before the work, so that a mistake costs nothing, and
//! put in place by renaming when all is well. Symbolic links, devices and
//! pipes stay what they are. `-` is standard output.

use crate::error::BadInput;
use crate::interrupt::Guard;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Symbolic links that a path may go through, as in the kernel.
const MAX_LINKS: usize = 40;
/// Bytes that are kept back before they are written.
const BUFFER: usize = 1 << 16;

enum Target {
    /// Renamed into place at the end.
    Whole(NamedTempFile, PathBuf, Guard),
    /// A device or pipe that exists: nothing to rename.
    Direct(File),
    Stdout,
}

/// An output that was asked for.
pub struct Output {
    path: PathBuf,
    target: Target,
    /// Not yet written. Unlike that of a `BufWriter` it is forgotten when an
    /// output is dropped before its end.
    buffer: Vec<u8>,
}

impl Write for Target {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Target::Whole(file, ..) => file.write(buf),
            Target::Direct(file) => file.write(buf),
            Target::Stdout => io::stdout().write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Whole(file, ..) => file.flush(),
            Target::Direct(file) => file.flush(),
            Target::Stdout => io::stdout().flush(),
        }
    }
}

/// Is it the name of standard output?
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

fn failed(path: &Path, why: impl std::fmt::Display) -> BadInput {
    BadInput::file(path, format_args!("cannot write: {why}"))
}

/// The folder and name of the file that `path` leads to, through links, which
/// need not lead to a file that exists.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut file = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&file) else {
            let folder = folder(&file);
            let folder = if folder == Path::new("") { PathBuf::from(".") } else { folder };
            let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            return Ok(folder.canonicalize()?.join(name));
        };
        file = folder(&file).join(to);
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

impl Output {
    /// Opens an output; `-` is standard output.
    pub fn open(path: &Path) -> Result<Output, BadInput> {
        let target = if is_stdout(path) {
            Target::Stdout
        } else {
            Output::target(path).map_err(|e| failed(path, e))?
        };
        Ok(Output { path: path.to_path_buf(), target, buffer: Vec::new() })
    }

    fn target(path: &Path) -> io::Result<Target> {
        let directory = || io::Error::other("is a directory");
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(directory()),
            Ok(found) if !found.is_file() => {
                return Ok(Target::Direct(File::options().write(true).open(path)?));
            }
            Err(_) if path.as_os_str().as_bytes().ends_with(b"/") => return Err(directory()),
            _ => {}
        }
        let place = resolve(path)?;
        let prefix = format!(".{}.", place.file_name().unwrap_or(OsStr::new("")).display());
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(place.parent().expect("it has a folder"))?;
        let guard = Guard::of(file.path());
        Ok(Target::Whole(file, place, guard))
    }

    /// Appends.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), BadInput> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), BadInput> {
        let buffer = std::mem::take(&mut self.buffer);
        let written = self.target.write_all(&buffer).and_then(|()| self.target.flush());
        written.map_err(|e| failed(&self.path, e))
    }

    /// Refuses outputs that would overwrite an input, or overwrite or interleave
    /// each other.
    pub fn all_differ<'a>(
        outputs: impl IntoIterator<Item = &'a Output>,
        inputs: &[&Path],
    ) -> Result<(), BadInput> {
        let inputs: Vec<_> = inputs.iter().filter_map(|p| p.canonicalize().ok()).collect();
        let mut seen: Vec<&Path> = Vec::new();
        for output in outputs {
            let place = match &output.target {
                Target::Whole(_, place, _) => place,
                Target::Direct(_) => continue,
                Target::Stdout => output.path.as_path(),
            };
            if place.canonicalize().is_ok_and(|p| inputs.contains(&p)) {
                return Err(failed(&output.path, "it is an input of this run"));
            }
            if seen.contains(&place) {
                return Err(failed(&output.path, "two outputs cannot go to the same place"));
            }
            seen.push(place);
        }
        Ok(())
    }

    /// Puts the file in place.
    pub fn finish(self) -> Result<(), BadInput> {
        Output::finish_all([self])
    }

    /// Puts all files in place, or none when one of them cannot be written.
    pub fn finish_all(outputs: impl IntoIterator<Item = Output>) -> Result<(), BadInput> {
        let (mut files, mut streams): (Vec<_>, Vec<_>) =
            outputs.into_iter().partition(|o| matches!(o.target, Target::Whole(..)));
        for output in files.iter_mut().chain(&mut streams) {
            output.flush()?;
        }
        for Output { path, target, .. } in files {
            if let Target::Whole(file, place, _guard) = target {
                file.persist(place).map_err(|e| failed(&path, e.error))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn save(path: &Path, text: &str) -> Result<(), BadInput> {
        let mut out = Output::open(path)?;
        out.write(text.as_bytes())?;
        out.finish()
    }

    #[test]
    fn nothing_appears_before_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mut out = Output::open(&path).unwrap();
        out.write(b"half").unwrap();
        drop(out);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut out = Output::open(&path).unwrap();
        out.write(b"whole").unwrap();
        assert!(!path.exists());
        out.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        for wrong in ["", "no/such/dir", "new/", "out/", ".."] {
            let wrong = if wrong.is_empty() { PathBuf::new() } else { dir.path().join(wrong) };
            assert!(Output::open(&wrong).is_err(), "{wrong:?}");
        }
        Output::open(Path::new("/dev/null")).unwrap().finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn links_stay_links() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/file"), "old").unwrap();
        symlink("sub/file", at("one")).unwrap();
        symlink("one", at("two")).unwrap();
        symlink("sub/new", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        save(&at("two"), "new").unwrap();
        save(&at("dangling"), "made").unwrap();
        assert!(save(&at("loop"), "").is_err());
        assert_eq!(fs::read(at("sub/file")).unwrap(), b"new");
        assert_eq!(fs::read(at("sub/new")).unwrap(), b"made");
        assert!(["one", "two", "dangling"].iter().all(|name| at(name).is_symlink()));
    }

    #[test]
    fn all_or_none_and_never_two_in_one_place() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mut full = Output::open(Path::new("/dev/full")).unwrap();
        full.write(b"x").unwrap();
        let file = Output::open(&at("file")).unwrap();
        assert!(Output::finish_all([file, full]).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        symlink("file", at("link")).unwrap();
        let open = |path: &Path| Output::open(path).unwrap();
        let (a, b, c) = (open(&at("file")), open(&at("./link")), open(&at("other")));
        assert!(Output::all_differ([&a, &c], &[]).is_ok());
        assert!(Output::all_differ([&a, &c, &b], &[]).is_err());
        let dash = [open(Path::new("-")), open(Path::new("-"))];
        assert!(Output::all_differ(&dash, &[]).is_err());
    }
}
