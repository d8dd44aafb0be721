//! Verilator from `.venv`, and the test bench that feeds vectors from a file.
//!
//! Verilator's runtime is compiled once per target folder, so that a leaf costs
//! under a second: one run of Verilator and one of the compiler.

use super::PinInfo;
use crate::tools::verilator_root;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Warnings that do not matter; all others are errors. Of the widths only cutting
/// is allowed (the end of `to_bits`, an index): what extends silently is a mistake.
const WAIVED: [&str; 5] = ["WIDTHTRUNC", "UNUSEDSIGNAL", "UNUSEDPARAM", "DECLFILENAME", "ALWNEVER"];

/// Not optimised: building takes longer than running. All that defines a macro is
/// here, or the precompiled header is not what the compiler wants.
const COMPILE: [&str; 4] = ["-std=c++17", "-O0", "-w", "-pthread"];

/// One block's Verilog and what is built of it.
pub(super) struct Bench {
    root: PathBuf,
    folder: PathBuf,
    main: String,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Bench {
    /// Writes the Verilog into a new folder.
    pub(super) fn new(verilog: &str, pins: &[PinInfo], cycles: usize) -> Result<Bench, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let root = verilator_root()?;
        let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = build_folder()?.join(name);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let bench = Bench { root, folder, main: main_text(pins, cycles) };
        bench.write("leaf.v", verilog.as_bytes())?;
        Ok(bench)
    }

    /// Keeps the folder, under the name of the test.
    pub(super) fn keep(&self) -> PathBuf {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("unnamed").replace("::", "-");
        let kept = self.folder.with_file_name(format!("failed-{test}"));
        let _ = fs::remove_dir_all(&kept);
        match fs::rename(&self.folder, &kept) {
            Ok(()) => kept,
            Err(_) => self.folder.clone(),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.folder.join(name);
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Lints and compiles.
    pub(super) fn build(&self) -> Result<(), String> {
        let mut translate = verilator(&self.root, &self.folder, "leaf");
        translate.args(["--cc", "--prefix", "Vleaf", "--Mdir", "."]);
        translate.args(["--x-assign", "0", "--x-initial", "0", "leaf.v"]);
        run(&mut translate, "Verilator")?;

        let mut unity = String::new();
        let entries = fs::read_dir(&self.folder).map_err(|e| e.to_string())?;
        let mut files: Vec<String> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.ends_with(".cpp")) {
            let _ = writeln!(unity, "#include \"{file}\"");
        }
        self.write("main.cc", (unity + &self.main).as_bytes())?;
        let runtime = Runtime::new(&self.root)?;
        let mut compile = compiler(&self.root);
        compile.current_dir(&self.folder).arg("-include").arg(&runtime.header);
        compile.args(["-I.", "main.cc"]).args(&runtime.objects);
        compile.args(["-o", "leaf", "-latomic"]);
        run(&mut compile, "the C++ compiler")
    }

    /// Runs the vectors; returns `count` output values.
    pub(super) fn run(&self, inputs: &[u64], count: usize) -> Result<Vec<u64>, String> {
        let bytes: Vec<u8> = inputs.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.write("inputs", &bytes)?;
        run(Command::new(self.folder.join("leaf")).current_dir(&self.folder), "the test bench")?;
        let bytes = fs::read(self.folder.join("outputs")).map_err(|e| format!("outputs: {e}"))?;
        let values: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        match values.len() == count {
            true => Ok(values),
            false => Err(format!("{} values came out, not {count}", values.len())),
        }
    }
}

/// Verilator with our warnings.
fn verilator(root: &Path, folder: &Path, top: &str) -> Command {
    let mut command = strict(root, folder, top);
    command.args(WAIVED.map(|warning| format!("-Wno-{warning}")));
    command
}

/// Verilator with all warnings.
fn strict(root: &Path, folder: &Path, top: &str) -> Command {
    let mut command = Command::new(root.join("bin/verilator_bin"));
    command.env("VERILATOR_ROOT", root).current_dir(folder);
    command.args(["-Wall", "--quiet", "--default-language", "1364-2001", "--top-module", top]);
    command
}

/// Verilator's opinion of these files, all warnings on. Without the pass that quietly cuts circles.
pub fn lint(folder: &Path, top: &str, files: &[String]) -> Result<(), String> {
    let mut lint = strict(&verilator_root()?, folder, top);
    run(lint.args(["--lint-only", "-fno-dfg"]).args(files), "Verilator")
}

fn run(command: &mut Command, what: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{what} does not run ({program}): {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{what} failed:\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// `target/<profile>/leaves`, found from the running test.
fn build_folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let profile = program.ancestors().find(|path| path.join("deps").is_dir());
    Ok(profile.ok_or("not run from a target folder")?.join("leaves"))
}

fn compiler(root: &Path) -> Command {
    let mut compile = Command::new(std::env::var_os("CXX").unwrap_or("c++".into()));
    let include = root.join("include");
    compile.args(COMPILE).arg("-I").arg(&include).arg("-I").arg(include.join("vltstd"));
    compile
}

/// Verilator's runtime, compiled if it is not there yet.
struct Runtime {
    objects: Vec<PathBuf>,
    /// Its header, precompiled beside it: reading the text takes a second.
    header: PathBuf,
}

impl Runtime {
    fn new(root: &Path) -> Result<Runtime, String> {
        static BUILDING: Mutex<()> = Mutex::new(());
        let _one = BUILDING.lock().unwrap_or_else(|e| e.into_inner());
        let objects = ["verilated.cpp", "verilated_threads.cpp"]
            .map(|source| compiled(root, source, "o", &["-c"]))
            .into_iter()
            .collect::<Result<_, _>>()?;
        let precompiled = compiled(root, "verilated.h", "h.gch", &["-x", "c++-header"])?;
        let header = precompiled.with_extension("");
        let text = "#include \"verilated.h\"\n";
        fs::write(&header, text).map_err(|e| format!("{}: {e}", header.display()))?;
        Ok(Runtime { objects, header })
    }
}

/// What the compiler makes of a file of the runtime, again if that is newer.
fn compiled(root: &Path, name: &str, end: &str, options: &[&str]) -> Result<PathBuf, String> {
    let source = root.join("include").join(name);
    let stamp = fs::metadata(&source).map_err(|e| format!("{}: {e}", source.display()))?;
    let age = stamp.modified().ok().and_then(|t| t.elapsed().ok());
    let object = build_folder()?.join(format!("{name}-{}.{end}", stamp.len()));
    let fresh =
        fs::metadata(&object).and_then(|o| o.modified()).is_ok_and(|o| o.elapsed().ok() < age);
    if !fresh {
        // Other test programs may do the same at the same time.
        let mine = object.with_extension(format!("{}.o", std::process::id()));
        let mut compile = compiler(root);
        run(compile.args(options).arg(&source).arg("-o").arg(&mine), "the C++ compiler")?;
        fs::rename(&mine, &object).map_err(|e| format!("{}: {e}", object.display()))?;
    }
    Ok(object)
}

/// The test bench: reads a row of inputs per cycle, writes a row of outputs
/// before the edge and, if there is a clock, one after it.
fn main_text(pins: &[PinInfo], cycles: usize) -> String {
    let names = |wanted: &dyn Fn(&&PinInfo) -> bool| -> Vec<String> {
        pins.iter().filter(wanted).map(|pin| pin.name.replace("__", "___05F")).collect()
    };
    let clocks = names(&|pin| pin.clock);
    let inputs = names(&|pin| pin.input && !pin.clock);
    let outputs = names(&|pin| !pin.input);
    let mut text = String::from(
        "#include <cstdint>\n#include <cstdio>\nint main() {\n\
         FILE* in = fopen(\"inputs\", \"rb\"); FILE* out = fopen(\"outputs\", \"wb\");\n\
         if (!in || !out) return 2;\nVleaf leaf;\n",
    );
    let set = |text: &mut String, level: u32| {
        for clock in &clocks {
            let _ = writeln!(text, "leaf.{clock} = {level};");
        }
    };
    let put = |text: &mut String| {
        *text += "leaf.eval();\n";
        for name in &outputs {
            let _ = writeln!(text, "{{ uint64_t v = leaf.{name}; fwrite(&v, 8, 1, out); }}");
        }
    };
    set(&mut text, 0);
    text += "leaf.eval();\n";
    let _ = writeln!(text, "uint64_t row[{}];", inputs.len().max(1));
    let _ = writeln!(text, "for (long cycle = 0; cycle < {cycles}; cycle++) {{");
    let _ = writeln!(text, "if (fread(row, 8, {0}, in) != {0}) return 3;", inputs.len());
    for (at, name) in inputs.iter().enumerate() {
        let _ = writeln!(text, "leaf.{name} = row[{at}];");
    }
    put(&mut text);
    if !clocks.is_empty() {
        set(&mut text, 1);
        put(&mut text);
        set(&mut text, 0);
        text += "leaf.eval();\n";
    }
    text + "}\nleaf.final();\nreturn fclose(out);\n}\n"
}
