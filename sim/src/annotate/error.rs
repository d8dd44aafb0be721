//! The one error of `annotate`: a message for the user, on one line.

use std::fmt;

/// Bad input; the program prints it and exits with 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl Error {
    /// An error at a place of the assembly file, lines counted from 1.
    pub fn at(file: &str, line: usize, message: impl fmt::Display) -> Error {
        Error(format!("{file}:{line}: {message}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
