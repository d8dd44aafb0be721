//! A core's Verilog as a library for this machine: translated by Verilator, compiled
//! by the C++ compiler, and kept under a name that says all it was made from.
//!
//! A library appears whole or not at all. Beside it lies the hash of its bytes: one
//! that was damaged is built again instead of being loaded.

use super::bench;
use crate::interrupt::{self, Folder};
use hdl::generate::sha256;
use hdl::rtl::Design;
use hdl::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How Verilator translates. Registers without reset begin with zero, as in process.
/// Processes stay whole: what they write below one condition then has one flag.
const TRANSLATE: [&str; 13] = [
    "--cc",
    "--prefix",
    "Vmodel",
    "--Mdir",
    ".",
    "-O3",
    "-fno-split",
    "--x-assign",
    "fast",
    "--x-initial",
    "0",
    "--output-split",
    "20000",
];

/// How the compiler does: quickly in a build for tests, else for speed.
const OPTIMISE: &str = if cfg!(debug_assertions) { "-O1" } else { "-O2" };
const COMPILE: [&str; 7] = [
    "-std=c++17",
    OPTIMISE,
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
    "-pthread",
    "-DVL_IGNORE_UNKNOWN_ARCH",
];

/// Verilator's own sources that a model needs.
const RUNTIME: [&str; 2] = ["verilated.cpp", "verilated_threads.cpp"];

/// The library of a design, built if it is not there yet.
pub fn library(design: &Design, name: &str, waves: bool) -> Result<PathBuf, String> {
    let text = design.text.clone() + &bench::verilog(design, name);
    let shim = bench::shim(design, waves);
    let root = tools::verilator_root()?;
    let compiler = compiler_version()?;
    // Says which Verilator it is; the program itself does not.
    let config = root.join("include/verilated_config.h");
    let version = fs::read_to_string(&config).map_err(|e| failed(&config, e))?;
    let root_name = root.display();
    let options = format!("{TRANSLATE:?} {COMPILE:?} {waves} {compiler} {root_name} {version}");
    let key = sha256::hex(format!("{text}\0{shim}\0{options}").as_bytes());
    let folder = models()?;
    fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
    let library = folder.join(format!("{name}-{}.so", &key[..24]));
    if whole(&library) {
        return Ok(library);
    }
    let work = tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(&folder)
        .map(Folder::new)
        .map_err(|e| failed(&folder, e))?;
    let runtime = format!("-{}.o", &sha256::hex(options.as_bytes())[..24]);
    build(work.path(), &root, (&text, &shim), waves, &runtime)?;
    keep(&work.path().join("model.so"), &library)?;
    Ok(library)
}

/// Moves what was built to its place, and its hash beside it.
fn keep(built: &Path, place: &Path) -> Result<(), String> {
    let bytes = fs::read(built).map_err(|e| failed(built, e))?;
    let hash = hash_of(built);
    fs::write(&hash, sha256::hex(&bytes)).map_err(|e| failed(&hash, e))?;
    // Without its hash a file counts for nothing, so that comes last.
    for (from, to) in [(built, place), (&hash, &hash_of(place))] {
        fs::rename(from, to).map_err(|e| failed(to, e))?;
    }
    Ok(())
}

fn failed(path: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

fn hash_of(file: &Path) -> PathBuf {
    file.with_extension("sha256")
}

/// Is the file there, as it was built?
fn whole(file: &Path) -> bool {
    match (fs::read(file), fs::read_to_string(hash_of(file))) {
        (Ok(bytes), Ok(hash)) => sha256::hex(&bytes) == hash,
        _ => false,
    }
}

/// `target/<profile>/verilator`, found from the running program.
fn models() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let profile = program.ancestors().find(|path| path.join("deps").is_dir());
    Ok(profile
        .map_or_else(|| std::env::temp_dir().join("weft"), Path::to_path_buf)
        .join("verilator"))
}

fn compiler() -> Command {
    Command::new(std::env::var_os("CXX").unwrap_or("c++".into()))
}

fn compiler_version() -> Result<String, String> {
    let output = compiler().arg("--version").output().map_err(|e| {
        format!("the C++ compiler does not run ({e}): install one, or name it in CXX")
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_string())
}

fn run(command: &mut Command, what: &str) -> Result<(), String> {
    let fail = |e| format!("{what} does not run: {e}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, _guard) = interrupt::spawn(command).map_err(fail)?;
    let output = child.wait_with_output().map_err(fail)?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors.lines().find(|line| line.to_lowercase().contains("error"));
    Err(format!("{what} failed ({}): {}", output.status, first.unwrap_or("no message").trim()))
}

/// From the two texts to `model.so` in the folder. Objects of Verilator's runtime, whose
/// names end with `runtime`, are kept for the next library.
fn build(
    folder: &Path,
    root: &Path,
    (text, shim): (&str, &str),
    waves: bool,
    runtime: &str,
) -> Result<(), String> {
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| failed(&path, e))
    };
    put("model.v", text)?;
    put("shim.cc", shim)?;
    // What a tool leaves when it is stopped goes with the folder.
    let inside = |mut command: Command| {
        command.env("TMPDIR", folder).current_dir(folder);
        command
    };
    let mut translate = inside(Command::new(root.join("bin/verilator_bin")));
    translate.env("VERILATOR_ROOT", root).args(TRANSLATE);
    translate.args(["-Wno-fatal", "-Wno-lint", "--quiet", "--default-language", "1364-2001"]);
    translate.args(["--top-module", bench::TOP]).args(waves.then_some("--trace-vcd"));
    run(translate.arg("model.v"), "Verilator")?;

    let mut sources: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| failed(folder, e))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "cpp" || e == "cc"))
        .collect();
    sources.extend(RUNTIME.map(|name| root.join("include").join(name)));
    sources.extend(waves.then(|| root.join("include/verilated_vcd_c.cpp")));
    let include = root.join("include");
    let compile = |number: usize, source: &PathBuf| {
        let object = folder.join(format!("{number}.o"));
        let kept = source.starts_with(&include).then(|| {
            let name = source.file_stem().unwrap_or_default().to_string_lossy();
            folder.with_file_name(name.into_owned() + runtime)
        });
        if let Some(kept) = kept.as_ref().filter(|kept| whole(kept)) {
            return Ok(kept.clone());
        }
        let mut compile = inside(compiler());
        compile.args(COMPILE).arg("-I.").arg("-I").arg(&include);
        compile.arg("-I").arg(include.join("vltstd"));
        compile.arg("-c").arg(source).arg("-o").arg(&object);
        run(&mut compile, "the C++ compiler")?;
        let Some(kept) = kept else { return Ok(object) };
        keep(&object, &kept).map(|()| kept)
    };
    let objects = each(&sources, compile).into_iter().collect::<Result<Vec<_>, String>>()?;
    let mut link = inside(compiler());
    link.args(["-shared", "-pthread", "-o", "model.so"]).args(&objects);
    run(link.arg("-latomic"), "the linker")
}

/// All of them, several at a time. Not by rayon: whoever builds holds a lock, and a
/// thread of rayon that waits takes up other work, which may want the same lock.
fn each<T: Sync, R: Send>(items: &[T], f: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let work = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len());
        std::iter::from_fn(|| take().map(|at| (at, f(at, &items[at])))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("compiling does not panic")).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn each_is_done_once_and_in_order() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(each(&items, |at, item| at + item), (0..200).step_by(2).collect::<Vec<_>>());
        assert!(each(&[0; 0], |_, _| ()).is_empty());
    }
}
