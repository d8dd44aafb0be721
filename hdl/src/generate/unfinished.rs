//! What is half-written: it goes when the work fails, and when `gen` is told to end by Ctrl-C or SIGTERM, which it says
//! in one line.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ALL.lock().expect("nobody panics who has it")
}

/// A temporary folder, gone when this is, unless it was renamed.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes it.
    pub fn new(path: PathBuf) -> io::Result<Unfinished> {
        let mut all = all();
        // (One that was killed had the number of this process.)
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        all.insert(path.clone());
        Ok(Unfinished(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Work that is done as a whole, whatever the program is told.
    pub fn finish<R>(&self, work: impl FnOnce() -> R) -> R {
        let _all = all();
        work()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        all().remove(&self.0);
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// From now on the program ends in order.
#[cfg(unix)]
pub fn watch() -> Result<(), String> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
    let mut signals = signals.map_err(|e| format!("signals cannot be waited for: {e}"))?;
    std::thread::spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        // Nobody makes, renames or drops one any more; files may still be put into one that is there.
        let all = all();
        for path in all.iter() {
            while fs::remove_dir_all(path)
                .is_err_and(|e| e.kind() == io::ErrorKind::DirectoryNotEmpty)
            {}
        }
        eprintln!("gen: stopped by {}", if signal == SIGINT { "SIGINT" } else { "SIGTERM" });
        std::process::exit(128 + signal)
    });
    Ok(())
}

/// (Elsewhere there are no signals.)
#[cfg(not(unix))]
pub fn watch() -> Result<(), String> {
    Ok(())
}
