//! Files that are written whole or not at all.

use crate::error::BadInput;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

enum Target {
    /// Renamed into place at the end.
    Whole(NamedTempFile),
    /// A device or pipe that exists: nothing to rename.
    Direct(File),
    /// `-`
    Stdout,
}

/// An output that was asked for; opened before the run so that a mistake costs
/// nothing.
pub struct Output {
    path: PathBuf,
    writer: BufWriter<Target>,
}

impl Write for Target {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Target::Whole(file) => file.write(buf),
            Target::Direct(file) => file.write(buf),
            Target::Stdout => io::stdout().write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Whole(file) => file.flush(),
            Target::Direct(file) => file.flush(),
            Target::Stdout => io::stdout().flush(),
        }
    }
}

impl Output {
    /// Opens an output; `-` is standard output.
    pub fn open(path: &Path) -> Result<Output, BadInput> {
        let fail = |e: io::Error| BadInput::file(path, format_args!("cannot write: {e}"));
        let target = match std::fs::metadata(path) {
            _ if path == Path::new("-") => Target::Stdout,
            Ok(meta) if meta.is_dir() => {
                return Err(BadInput::file(path, "cannot write: is a directory"));
            }
            Ok(meta) if !meta.is_file() => {
                Target::Direct(File::options().write(true).open(path).map_err(fail)?)
            }
            _ => {
                let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
                let dir = parent.unwrap_or(Path::new("."));
                let prefix = format!(".{}.", path.file_name().unwrap_or_default().display());
                Target::Whole(
                    tempfile::Builder::new().prefix(&prefix).tempfile_in(dir).map_err(fail)?,
                )
            }
        };
        Ok(Output { path: path.to_path_buf(), writer: BufWriter::new(target) })
    }

    /// Appends.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), BadInput> {
        self.writer
            .write_all(bytes)
            .map_err(|e| BadInput::file(&self.path, format_args!("cannot write: {e}")))
    }

    /// Puts the file in place.
    pub fn finish(self) -> Result<(), BadInput> {
        let path = self.path;
        let fail = |e: io::Error| BadInput::file(&path, format_args!("cannot write: {e}"));
        let target = self.writer.into_inner().map_err(|e| fail(e.into_error()))?;
        if let Target::Whole(file) = target {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            file.as_file().set_permissions(mode).map_err(fail)?;
            file.persist(&path).map_err(|e| fail(e.error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_appears_before_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mut out = Output::open(&path).unwrap();
        out.write(b"half").unwrap();
        drop(out);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut out = Output::open(&path).unwrap();
        out.write(b"whole").unwrap();
        assert!(!path.exists());
        out.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert!(Output::open(dir.path()).is_err());
        assert!(Output::open(&dir.path().join("no/such/dir")).is_err());
        Output::open(Path::new("/dev/null")).unwrap().finish().unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    }
}
