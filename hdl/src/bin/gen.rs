//! `gen`: see `gen --help`. The cores are instantiated here and not in the
//! library, so that nobody else compiles them.

fn main() -> std::process::ExitCode {
    hdl::generate::main(hdl::cores::build).into()
}
