//! The files of a run: what is loaded before it and written after it.

use super::run::RunArgs;
use crate::error::BadInput;
use crate::output::Output;
use crate::platform::Platform;
use crate::program::{self, Program, Segment};
use crate::rtl::vcd::Dump;
use hdl::config::CoreConfig;
use hdl::platform::RAM_BASE;
use std::path::{Path, PathBuf};

struct Region {
    addr: u32,
    len: u32,
    output: Output,
}

/// Is `addr .. addr + len` inside RAM?
fn in_ram(config: &CoreConfig, addr: u64, len: u64) -> bool {
    let base = u64::from(RAM_BASE);
    addr >= base && addr.saturating_add(len) <= base + u64::from(config.ram_size)
}

fn ram_text(config: &CoreConfig) -> String {
    format!("RAM {RAM_BASE:#x}..{:#x}", u64::from(RAM_BASE) + u64::from(config.ram_size))
}

pub(super) fn parse_load(config: &CoreConfig, text: &str) -> Result<Segment, BadInput> {
    let bad = |why: String| BadInput(format!("--load {text}: {why}"));
    let (file, addr) = text.rsplit_once('@').ok_or_else(|| bad("use FILE@ADDR".into()))?;
    let addr = hdl::config::number(addr).ok_or_else(|| bad(format!("{addr} is no address")))?;
    let bytes = program::read_file(Path::new(file))?;
    if !in_ram(config, addr, bytes.len() as u64) {
        let n = bytes.len();
        return Err(bad(format!("{n} bytes at {addr:#x} are not in {}", ram_text(config))));
    }
    Ok(Segment { addr: addr as u32, bytes })
}

fn parse_dump(config: &CoreConfig, text: &str) -> Result<Region, BadInput> {
    let bad = |why: String| BadInput(format!("--dump {text}: {why}"));
    let parts: Vec<_> = text.splitn(3, ':').collect();
    let [addr, len, file] = parts[..] else {
        return Err(bad("use ADDR:LEN:FILE".into()));
    };
    let number = |t: &str| hdl::config::number(t).ok_or_else(|| bad(format!("{t} is no number")));
    let (addr, len) = (number(addr)?, number(len)?);
    if !in_ram(config, addr, len) {
        return Err(bad(format!("{len} bytes at {addr:#x} are not in {}", ram_text(config))));
    }
    let output = Output::open(Path::new(file))?;
    Ok(Region { addr: addr as u32, len: len as u32, output })
}

/// Outputs of a run, opened before it starts.
pub(super) struct Files {
    stats: Option<Output>,
    pub(super) log: Option<Output>,
    pub(super) vcd: Option<Dump>,
    pub(super) fst: Option<Output>,
    signature: Option<(u32, u32, Output)>,
    dumps: Vec<Region>,
}

impl Files {
    pub(super) fn open(
        args: &RunArgs,
        config: &CoreConfig,
        program: &Program,
    ) -> Result<Files, BadInput> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::open).transpose();
        let signature = match &args.signature {
            None => None,
            Some(path) => {
                let symbol = |name: &str| {
                    let value = program.symbols.get(name);
                    value.ok_or_else(|| BadInput(format!("--signature: no symbol '{name}'")))
                };
                let (begin, end) = (symbol("begin_signature")?, symbol("end_signature")?);
                let len = u64::from(end.wrapping_sub(begin));
                if begin % 4 != 0 || len % 4 != 0 || !in_ram(config, u64::from(begin), len) {
                    let why = format!("{begin:#x}..{end:#x} is not a range of words in RAM");
                    return Err(BadInput(format!("--signature: {why}")));
                }
                Some((begin, end, Output::open(path)?))
            }
        };
        let files = Files {
            stats: open(&args.stats)?,
            log: open(&args.commit_log)?,
            vcd: args.rtl.vcd.as_deref().map(Dump::open).transpose()?,
            fst: open(&args.rtl.fst)?,
            signature,
            dumps: args.dump.iter().map(|d| parse_dump(config, d)).collect::<Result<_, _>>()?,
        };
        let signature = files.signature.iter().map(|(_, _, out)| out);
        let dumps = files.dumps.iter().map(|d| &d.output);
        let vcd = files.vcd.iter().map(Dump::output);
        let outputs = files.stats.iter().chain(&files.log).chain(vcd).chain(&files.fst);
        let outputs = outputs.chain(signature).chain(dumps);
        let loads = args.load.iter().filter_map(|l| Some(Path::new(l.rsplit_once('@')?.0)));
        let inputs: Vec<&Path> =
            args.program.iter().chain(&args.config).map(PathBuf::as_path).chain(loads).collect();
        Output::all_differ(outputs, &inputs)?;
        Ok(files)
    }

    /// Writes what a finished run leaves.
    pub(super) fn finish(
        self,
        platform: &Platform,
        stats: &serde_json::Value,
    ) -> Result<(), BadInput> {
        let mut outputs = Vec::from_iter(self.log);
        outputs.extend(self.vcd.map(Dump::finish).transpose()?);
        outputs.extend(self.fst);
        if let Some(mut out) = self.stats {
            let text = serde_json::to_string_pretty(stats).expect("plain data");
            out.write(text.as_bytes())?;
            out.write(b"\n")?;
            outputs.push(out);
        }
        if let Some((begin, end, mut out)) = self.signature {
            for addr in (begin..end).step_by(4) {
                out.write(format!("{:08x}\n", platform.ram.word(addr)).as_bytes())?;
            }
            outputs.push(out);
        }
        for mut dump in self.dumps {
            dump.output.write(&platform.ram.read_bytes(dump.addr, dump.len))?;
            outputs.push(dump.output);
        }
        Output::finish_all(outputs)
    }
}
