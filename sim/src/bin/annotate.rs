//! `annotate`: join hints into compiler assembly (`docs/hints.md`).

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use sim::annotate::{Error, annotate, check};

/// Inserts join hints into compiler assembly, or checks those of a program.
///
/// Exit code: 0 done, 1 a hint is wrong (--check), 2 bad input.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Assembly to annotate; with --check, a linked program
    input: PathBuf,
    /// Verify every join hint of a linked program
    #[arg(long, conflicts_with_all = ["output", "report", "no_return"])]
    check: bool,
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
    let result =
        if args.check { check(&args.input) } else { insert(&args).map(|()| ExitCode::SUCCESS) };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("annotate: {error}");
            ExitCode::from(2)
        }
    }
}

fn check(path: &Path) -> Result<ExitCode, Error> {
    let name = path.display();
    let data = fs::read(path).map_err(|error| Error(format!("{name}: {error}")))?;
    let findings = check::check(&data).map_err(|error| Error(format!("{name}: {error}")))?;
    for wrong in &findings.wrong {
        eprintln!("annotate: {name}: {wrong}");
    }
    println!("{name}: {}", findings.summary());
    Ok(ExitCode::from(u8::from(!findings.wrong.is_empty())))
}

fn insert(args: &Args) -> Result<(), Error> {
    let name = args.input.display().to_string();
    let text = fs::read(&args.input).map_err(|error| Error(format!("{name}: {error}")))?;
    let text = String::from_utf8(text).map_err(|_| Error(format!("{name}: not a text file")))?;
    let annotated = annotate(&name, &text, &args.no_return)?;
    let assembly = args.output.as_deref().unwrap_or(Path::new("-"));
    let mut outputs = vec![(assembly, &annotated.assembly)];
    if let Some(report) = &args.report {
        if report == assembly {
            let message = "assembly and report cannot go to the same place (give -o)";
            return Err(Error(format!("{}: {message}", report.display())));
        }
        outputs.push((report, &annotated.report));
    }
    write_all(&outputs)
}

/// Writes every output or, when one cannot be written, none. Files appear
/// whole, by renaming; standard output, devices and pipes are written to last
/// and in place, never replaced.
fn write_all(outputs: &[(&Path, &String)]) -> Result<(), Error> {
    let failed = |path: &Path, error: &dyn Display| {
        Error(format!("{}: cannot write: {error}", path.display()))
    };
    let mut files = Vec::new();
    let mut streams = Vec::new();
    for &(path, text) in outputs {
        if path == Path::new("-") {
            streams.push((path, text));
            continue;
        }
        // Through symbolic links, so that those stay what they are.
        let target = match fs::metadata(path) {
            Ok(found) if found.is_file() => fs::canonicalize(path),
            Ok(found) if found.is_dir() => return Err(failed(path, &"is a directory")),
            Ok(_) => {
                streams.push((path, text));
                continue;
            }
            Err(_) => Ok(path.to_path_buf()),
        };
        let target = target.map_err(|error| failed(path, &error))?;
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        let file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file))
            .map_err(|error| failed(path, &error))?;
        files.push((path, target, file));
    }
    let mut open = Vec::new();
    for (path, text) in streams {
        let stream: Box<dyn Write> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            let file = fs::OpenOptions::new().write(true).open(path);
            Box::new(file.map_err(|error| failed(path, &error))?)
        };
        open.push((path, text, stream));
    }
    for (path, target, file) in files {
        file.persist(target).map_err(|error| failed(path, &error.error))?;
    }
    for (path, text, mut stream) in open {
        stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.flush())
            .map_err(|error| failed(path, &error))?;
    }
    Ok(())
}
