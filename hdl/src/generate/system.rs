//! The options of `--top soc`: boot image, host interface, UART, ports of RAM.

use super::sha256;
use crate::config::{CoreConfig, RawConfig, number};
use crate::platform::RAM_BASE;
use crate::soc::{SocOptions, boot};
use serde::Serialize;
use std::path::PathBuf;

/// 115200 baud at 25 MHz.
const DIVISOR: u32 = 217;
/// What the counter of the UART can hold.
const DIVISORS: (u32, u32) = (1, (1 << 20) - 1);

#[derive(clap::Args)]
pub struct SystemFlags {
    /// What RAM holds when power comes up: an ELF file, or a raw image for the start of RAM; soc only
    #[arg(long, value_name = "FILE")]
    boot: Option<PathBuf>,
    /// Address of `tohost`, where the console is; soc only [default: the symbol of the ELF file]
    #[arg(long, value_name = "ADDR")]
    tohost: Option<String>,
    /// Clock cycles per bit of the UART; soc only [default: 217, which is 115200 baud at 25 MHz]
    #[arg(long, value_name = "N")]
    uart_divisor: Option<String>,
    /// Read ports of RAM: 2, or 1 where block RAM has no more (iCE40); soc only [default: 2]
    #[arg(long, value_name = "N")]
    ram_ports: Option<String>,
}

/// What there is around the core.
pub struct System {
    pub options: SocOptions,
    pub about: About,
}

/// The same for the `.json`.
#[derive(Serialize)]
pub struct About {
    /// Name of the file, without its folder.
    boot: String,
    boot_sha256: String,
    pub tohost: u32,
    pub uart_divisor: u32,
    ram_ports: u32,
}

impl SystemFlags {
    /// One of them that somebody gave.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--boot", self.boot.is_some()),
            ("--tohost", self.tohost.is_some()),
            ("--uart-divisor", self.uart_divisor.is_some()),
            ("--ram-ports", self.ram_ports.is_some()),
        ];
        flags.iter().find(|(_, given)| *given).map(|(name, _)| *name)
    }

    /// Reads the boot image. The first PC is its entry, unless another one was given.
    pub fn resolve(&self, mut raw: RawConfig) -> Result<(CoreConfig, System), String> {
        let Some(path) = &self.boot else {
            return Err("--top soc: needs a program, --boot FILE".into());
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.chars().any(char::is_control) {
            return Err(format!(
                "--boot {name:?}: the name is in every file, and is no line of text"
            ));
        }
        let config = raw.validate().map_err(|e| e.to_string())?;
        if config.trace {
            return Err("--trace on: the soc has no trace ports, leave it out".into());
        }
        let failed = |why: String| format!("{}: {why}", path.display());
        let data = std::fs::read(path).map_err(|e| failed(e.to_string()))?;
        let image = boot::read(&data, config.ram_size).map_err(failed)?;
        if let (None, Some(entry)) = (&raw.reset_pc, image.entry) {
            raw.reset_pc = Some(format!("{entry:#x}"));
        }
        let config = raw.validate().map_err(|e| failed(format!("its entry: {e}")))?;
        let tohost = self.tohost(image.tohost, &config).map_err(failed)?;
        let uart_divisor = within("uart-divisor", &self.uart_divisor, DIVISOR, DIVISORS)?;
        let ram_ports = within("ram-ports", &self.ram_ports, 2, (1, 2))?;
        Ok((
            config,
            System {
                options: SocOptions {
                    image: image.words,
                    tohost,
                    uart_divisor,
                    two_ports: ram_ports == 2,
                },
                about: About {
                    boot: name,
                    boot_sha256: sha256::hex(&data),
                    tohost,
                    uart_divisor,
                    ram_ports,
                },
            },
        ))
    }

    /// Two words of RAM.
    fn tohost(&self, symbol: Option<u32>, config: &CoreConfig) -> Result<u32, String> {
        let given = match &self.tohost {
            None => symbol.ok_or("no symbol 'tohost': give its address, --tohost ADDR")?,
            Some(text) => number(text)
                .and_then(|n| u32::try_from(n).ok())
                .ok_or_else(|| format!("--tohost {text}: not an address"))?,
        };
        let start = given.wrapping_sub(RAM_BASE);
        if !given.is_multiple_of(4) || start > config.ram_size - 8 {
            return Err(format!("tohost at {given:#x} is not an aligned address in RAM"));
        }
        Ok(given)
    }
}

fn within(
    option: &str,
    given: &Option<String>,
    default: u32,
    (low, high): (u32, u32),
) -> Result<u32, String> {
    let Some(text) = given else { return Ok(default) };
    match number(text).and_then(|n| u32::try_from(n).ok()) {
        Some(n) if (low..=high).contains(&n) => Ok(n),
        _ => Err(format!("--{option} {text}: not supported, use {low} to {high}")),
    }
}

impl System {
    /// Suffixes of the name: what is not at its default.
    pub fn suffix(&self) -> String {
        let mut text = String::new();
        if self.about.uart_divisor != DIVISOR {
            text += &format!("_uart{}", self.about.uart_divisor);
        }
        if self.about.ram_ports != 2 {
            text += "_oneport";
        }
        text
    }

    /// The flags that give this system, the file without its folder.
    pub fn flags(&self) -> String {
        let About { boot, tohost, uart_divisor, ram_ports, .. } = &self.about;
        let boot = quoted(boot);
        format!(
            " --boot {boot} --tohost {tohost:#010x} --uart-divisor {uart_divisor} \
             --ram-ports {ram_ports}"
        )
    }
}

/// As a shell reads it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-+=:@%/".contains(c);
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_string(),
        false => format!("'{}'", name.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_boot_files_are_one_word_of_a_command() {
        assert_eq!(quoted("hello-2.elf"), "hello-2.elf");
        assert_eq!(quoted("a b;c.elf"), "'a b;c.elf'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        let boot = Some(PathBuf::from("no/such/x\nline.elf"));
        let flags = SystemFlags { boot, tohost: None, uart_divisor: None, ram_ports: None };
        let why = flags.resolve(RawConfig::default()).err().unwrap();
        assert!(why.contains("is no line of text") && !why.contains('\n'), "{why}");
    }
}
