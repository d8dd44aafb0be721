//! `annotate`: join hints into compiler assembly (`docs/hints.md`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use sim::annotate::{Error, annotate, check};
use sim::error::BadInput;
use sim::output::Output;
use sim::program::read_file;

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
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) if !e.use_stderr() => {
            let _ = e.print();
            return ExitCode::SUCCESS;
        }
        Err(e) => {
            eprintln!("annotate: {}", sim::cli::one_line(&e));
            return ExitCode::from(2);
        }
    };
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
    let data = read_file(path).map_err(|error| Error(error.0))?;
    let findings = check::check(&data).map_err(|error| Error(format!("{name}: {error}")))?;
    for wrong in &findings.wrong {
        eprintln!("annotate: {name}: {wrong}");
    }
    println!("{name}: {}", findings.summary());
    Ok(ExitCode::from(u8::from(!findings.wrong.is_empty())))
}

fn insert(args: &Args) -> Result<(), Error> {
    let name = args.input.display().to_string();
    let text = read_file(&args.input).map_err(|error| Error(error.0))?;
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
    write_all(&outputs, &args.input).map_err(|error| Error(error.0))
}

/// Writes every output or, when one cannot be written, none.
fn write_all(outputs: &[(&Path, &String)], input: &Path) -> Result<(), BadInput> {
    let open = outputs.iter().map(|(path, _)| Output::open(path));
    let mut open = open.collect::<Result<Vec<_>, _>>()?;
    Output::all_differ(&open, &[input])?;
    for (output, (_, text)) in open.iter_mut().zip(outputs) {
        output.write(text.as_bytes())?;
    }
    Output::finish_all(open)
}
