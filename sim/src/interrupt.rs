//! Programs that are told to end, by Ctrl-C, SIGTERM or a terminal that closes: they stop the tools they run and all that
//! these have started, remove what is temporary, and say so in one line. (Rows, steps and outputs that are there are
//! whole at any time.)

use crate::error::BadInput;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a tool that was killed may take to be gone.
const GONE: Duration = Duration::from_secs(2);

/// What must not outlive the program.
#[derive(Debug)]
enum Temporary {
    /// With all it has started, a group of processes of that number.
    Tool(Pid),
    Path(PathBuf),
}

/// All there is, by number.
#[derive(Debug)]
struct All {
    known: BTreeMap<u64, Temporary>,
    last: u64,
}

static ALL: Mutex<All> = Mutex::new(All { known: BTreeMap::new(), last: 0 });

fn all() -> MutexGuard<'static, All> {
    ALL.lock().expect("nobody panics who has it")
}

impl All {
    fn add(&mut self, what: Temporary) -> Guard {
        self.last += 1;
        self.known.insert(self.last, what);
        Guard(self.last)
    }
}

/// As long as it is there, something is stopped or removed if the program is told to end.
#[derive(Debug)]
pub struct Guard(u64);

impl Guard {
    /// Of a file or folder.
    pub fn of(path: &Path) -> Guard {
        all().add(Temporary::Path(path.to_path_buf()))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        all().known.remove(&self.0);
    }
}

/// A folder for the files of a run, gone with it.
#[derive(Debug)]
pub struct Folder {
    // The guard is the last to go.
    folder: TempDir,
    _guard: Guard,
}

impl Folder {
    /// Of one that is there.
    pub fn new(folder: TempDir) -> Folder {
        let guard = Guard::of(folder.path());
        Folder { folder, _guard: guard }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Starts a tool, which is stopped as long as there is a guard.
pub fn spawn(command: &mut Command) -> io::Result<(Child, Guard)> {
    // Not when the program ends just then.
    let mut all = all();
    let child = command.process_group(0).spawn()?;
    let guard = all.add(Temporary::Tool(Pid::from_child(&child)));
    Ok((child, guard))
}

/// Stops a tool that `spawn` has started, and all that it has; it may have ended by itself.
pub fn stop(tool: &Child) {
    let _ = kill_process_group(Pid::from_child(tool), Signal::KILL);
}

/// Was the program told (`nohup`) that a terminal that closes is no reason to end?
fn outlives_terminal() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// From now on a program that is told to end does so in order.
pub fn watch(program: &'static str) -> Result<(), BadInput> {
    let hangs_up = (!outlives_terminal()).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangs_up))
        .map_err(|e| BadInput(format!("signals cannot be waited for: {e}")))?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(program, signal);
        }
    });
    Ok(())
}

fn end(program: &str, signal: i32) -> ! {
    // Nobody starts anything any more.
    let all = all();
    let stopped = Instant::now();
    for what in all.known.values() {
        if let Temporary::Tool(pid) = *what {
            // It may have ended by itself.
            let _ = kill_process_group(pid, Signal::KILL);
            while test_kill_process_group(pid).is_ok() && stopped.elapsed() < GONE {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    for what in all.known.values() {
        if let Temporary::Path(path) = what {
            let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        }
    }
    let name = match signal {
        SIGINT => "SIGINT",
        SIGHUP => "SIGHUP",
        _ => "SIGTERM",
    };
    // Progress may be in that line.
    let begin = if io::stderr().is_terminal() { "\n" } else { "" };
    eprintln!("{begin}{program}: stopped by {name}");
    std::process::exit(128 + signal)
}
