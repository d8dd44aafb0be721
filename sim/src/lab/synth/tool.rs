//! A tool and its runs: bounded in time, with one line for whatever goes wrong.

use crate::interrupt::{self, Folder};
use hdl::tools::Tools;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a run is looked after.
const POLL: Duration = Duration::from_millis(20);

/// A tool that is there.
#[derive(Clone, Debug)]
pub struct Tool {
    name: &'static str,
    program: PathBuf,
    limit: Duration,
    /// Its name and version: `yosys 0.70`.
    pub version: String,
}

impl Tool {
    /// Finds a tool and asks for its version; its runs end after `limit`.
    pub fn new(tools: &Tools, name: &'static str, limit: Duration) -> Result<Tool, String> {
        let program = tools.find(name)?;
        // Its runs are in other folders.
        let program = std::path::absolute(&program).map_err(|e| format!("{name}: {e}"))?;
        let mut tool = Tool { name, program, limit, version: String::new() };
        let folder = work_folder()?;
        let said = tool.run(folder.path(), &["--version"])?;
        tool.version = version(name, &said).ok_or_else(|| format!("{name} says no version"))?;
        Ok(tool)
    }

    /// Runs it in a folder; what it printed.
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> Result<String, String> {
        let name = self.name;
        let fail = |e: std::io::Error| format!("{name} does not run: {e}");
        let log = folder.join(format!("{name}.log"));
        let out = File::create(&log).map_err(fail)?;
        let both = out.try_clone().map_err(fail)?;
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(folder);
        let status = bounded(command.stdin(Stdio::null()).stdout(out).stderr(both), self.limit);
        let said = String::from_utf8_lossy(&fs::read(&log).map_err(fail)?).into_owned();
        match status.map_err(fail)? {
            Some(status) if status.success() => Ok(said),
            Some(status) => Err(format!("{name} failed: {}", complaint(&said, status))),
            None => Err(format!("{name} was stopped after {} s", self.limit.as_secs())),
        }
    }
}

/// A folder for the files of a run, gone with it.
pub fn work_folder() -> Result<Folder, String> {
    tempfile::tempdir().map(Folder::new).map_err(|e| format!("no folder for temporary files: {e}"))
}

/// How a program ended; nothing if it had to be stopped.
fn bounded(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let (mut child, _guard) = interrupt::spawn(command)?;
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            interrupt::stop(&child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// The line of a log that says why.
fn complaint(log: &str, status: ExitStatus) -> String {
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().find(|line| line.starts_with("ERROR")).or_else(|| lines().next_back());
    line.map_or_else(|| status.to_string(), str::to_string)
}

/// The version among other words: `Yosys 0.70 (...)`, `... (Version nextpnr-0.11.1)`.
fn version(name: &str, said: &str) -> Option<String> {
    said.lines().find_map(|line| {
        if let Some((_, version)) = line.split_once("(Version ") {
            let version = version.trim_end_matches(')').trim_start_matches("nextpnr-");
            return Some(format!("{name} {version}"));
        }
        let version = line.strip_prefix("Yosys ")?.split_whitespace().next()?;
        Some(format!("{name} {version}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn tools(script: &str) -> (tempfile::TempDir, Tools) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("yosys");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let tools = Tools::of(dir.path());
        (dir, tools)
    }

    fn error(script: &str) -> String {
        let (_dir, tools) = tools(script);
        Tool::new(&tools, "yosys", Duration::from_millis(300)).unwrap_err()
    }

    #[test]
    fn versions() {
        let (_dir, tools) = tools("echo 'Yosys 0.70 (git sha1 28ba3cb92, Release)'");
        let tool = Tool::new(&tools, "yosys", Duration::from_secs(5)).unwrap();
        assert_eq!(tool.version, "yosys 0.70");
        let said = "A notice.\n\"x\" -- Next Generation Place and Route (Version nextpnr-0.11.1)\n";
        assert_eq!(version("nextpnr-ecp5", said).unwrap(), "nextpnr-ecp5 0.11.1");
    }

    #[test]
    fn whatever_goes_wrong_is_one_line() {
        assert_eq!(error("echo hello"), "yosys says no version");
        assert_eq!(
            error("echo noise; echo 'ERROR: no such module'; echo more; exit 1"),
            "yosys failed: ERROR: no such module"
        );
        assert_eq!(error("exit 3"), "yosys failed: exit status: 3");
        assert_eq!(error("exec sleep 5"), "yosys was stopped after 0 s");
        let nowhere = Tools::of(Path::new("no/such/folder"));
        let missing = Tool::new(&nowhere, "yosys", Duration::ZERO).unwrap_err();
        assert_eq!(missing, "yosys is missing: run scripts/setup.sh");
    }
}
