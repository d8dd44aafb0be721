//! `gen`: see `gen --help`; the work is done in `hdl::generate`. What is here are
//! the cores, for every T and unit: in a package of their own they cost nobody
//! else the time to compile them, and need no optimisation.

fn main() -> std::process::ExitCode {
    hdl::generate::main(hdl::cores::build).into()
}
