//! Refusals: one line on standard error, nothing on standard output, exit code
//! 2, and no output file, not even a part or a temporary.

use super::{Asm, Elf, Place, sim, text};
use std::fs;

/// A program that passes.
pub fn good() -> Elf {
    let mut asm = Asm::default();
    asm.label("_start").exit(0);
    asm.elf()
}

impl Place {
    /// With a good program and an empty folder for outputs.
    pub fn for_refusals() -> Place {
        let place = Place::new();
        fs::create_dir(place.at("out")).unwrap();
        place.write("good.elf", &good().bytes());
        place
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        fs::write(self.at(name), bytes).unwrap();
        self.at(name).display().to_string()
    }

    /// Runs `sim` with outputs of every kind beside `args`, and expects a
    /// refusal that speaks of `about`. `@` stands for the folder.
    pub fn refuses(&self, args: &[&str], about: &str) {
        let folder = self.0.path().display().to_string();
        let mut all = args.to_vec();
        for (option, file) in [("--stats", "@/out/stats"), ("--commit-log", "@/out/log")] {
            if !args.contains(&option) {
                all.extend([option, file]);
            }
        }
        all.extend(["--dump", "0x80000000:8:@/out/dump"]);
        let out = sim(all.iter().map(|a| a.replacen('@', &folder, 1)));
        let errors = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
        assert!(errors.starts_with("sim: ") && errors.ends_with('\n'), "{args:?}: {errors}");
        assert!(errors.contains(about), "{args:?}: {about} is not in: {errors}");
        assert_eq!(text(&out.stdout), "", "{args:?}");
        let left: Vec<_> = fs::read_dir(self.at("out")).unwrap().map(|e| e.unwrap()).collect();
        assert!(left.is_empty(), "{args:?} left {left:?}");
    }

    pub fn refuses_elf(&self, elf: &Elf, about: &str) {
        self.write("bad.elf", &elf.bytes());
        self.refuses(&["@/bad.elf"], about);
    }
}
