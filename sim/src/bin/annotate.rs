//! `annotate`: join hints into compiler assembly (`docs/hints.md`).

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use sim::annotate::{Error, annotate};

/// Inserts join hints into compiler assembly.
///
/// Exit code: 0 done, 2 bad input.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Assembly to annotate
    input: PathBuf,
    /// Where the annotated assembly goes [default: standard output]
    #[arg(short)]
    output: Option<PathBuf>,
    /// One line per branch: function, place, branch, post-dominator, hint; `-` is standard output
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// A function that does not return (may be repeated)
    #[arg(long, value_name = "NAME")]
    no_return: Vec<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match insert(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("annotate: {error}");
            ExitCode::from(2)
        }
    }
}

fn insert(args: &Args) -> Result<(), Error> {
    let name = args.input.display().to_string();
    let text = fs::read(&args.input).map_err(|error| Error(format!("{name}: {error}")))?;
    let text = String::from_utf8(text).map_err(|_| Error(format!("{name}: not a text file")))?;
    let annotated = annotate(&name, &text, &args.no_return)?;
    let assembly = args.output.as_deref().unwrap_or(Path::new("-"));
    let mut outputs = vec![(assembly, &annotated.assembly)];
    if let Some(report) = &args.report {
        outputs.push((report, &annotated.report));
    }
    write_all(&outputs)
}

/// Writes every output or, when one cannot be written, none.
fn write_all(outputs: &[(&Path, &String)]) -> Result<(), Error> {
    let failed = |path: &Path, error: &dyn std::fmt::Display| {
        Error(format!("{}: cannot write: {error}", path.display()))
    };
    let mut files = Vec::new();
    for (path, text) in outputs.iter().filter(|(path, _)| *path != Path::new("-")) {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file))
            .map_err(|error| failed(path, &error))?;
        if path.is_dir() {
            return Err(failed(path, &"is a directory"));
        }
        files.push((path, file));
    }
    for (path, file) in files {
        file.persist(path)
            .map_err(|error| failed(path, &error.error))?;
    }
    for (path, text) in outputs.iter().filter(|(path, _)| *path == Path::new("-")) {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|error| failed(path, &error))?;
    }
    Ok(())
}
