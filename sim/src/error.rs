//! Bad input: one line for the user and exit code 2.

use std::fmt;

/// What the user gave cannot be used; the text is one line that says why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadInput(pub String);

impl BadInput {
    /// About a file.
    pub fn file(path: &std::path::Path, why: impl fmt::Display) -> BadInput {
        BadInput(format!("{}: {why}", path.display()))
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

impl From<hdl::config::ConfigError> for BadInput {
    fn from(e: hdl::config::ConfigError) -> BadInput {
        BadInput(e.0)
    }
}
