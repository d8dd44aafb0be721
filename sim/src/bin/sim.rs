//! `sim`: see `sim --help`.

fn main() -> std::process::ExitCode {
    sim::cli::main().into()
}
