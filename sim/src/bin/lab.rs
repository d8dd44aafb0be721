//! `lab`: see `lab --help`.

fn main() -> std::process::ExitCode {
    sim::lab::main().into()
}
