//! The system on a chip: its parts against their Verilog, and whole with programs,
//! whose console comes out of the UART.

use hdl::config::{CoreConfig, RawConfig};
use hdl::core::core::Core;
use hdl::core::shape::CoreShape;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::port::Unit;
use hdl::platform::RAM_BASE;
use hdl::rtl::prelude::*;
use hdl::rtl::{Pins, Vector, equivalent};
use hdl::soc::SocOptions;
use hdl::soc::amo::Amo;
use hdl::soc::ask::Ask;
use hdl::soc::bank::BankRam;
use hdl::soc::boot::{self, Boot};
use hdl::soc::htif::Htif;
use hdl::soc::memory::Memory;
use hdl::soc::merge::Merge;
use hdl::soc::power_up::PowerUp;
use hdl::soc::reservations::Reservations;
use hdl::soc::soc::Soc;
use hdl::soc::swept::Swept;
use hdl::soc::uart::Uart;
use std::path::Path;

/// Resets rarely, so that there is some state to compare.
pub fn check<B: Block + Pins>(mut block: B, mut constrain: impl FnMut(&mut Vector)) {
    let mut cycle = 0;
    let rarely = |v: &mut Vector| {
        constrain(v);
        cycle += 1;
        if cycle % 61 != 0 && v.paths().any(|path| path == "reset") {
            v.set("reset", 0);
        }
    };
    equivalent(&mut block, 800, 1, rarely).unwrap();
}

pub fn config(t: u32, warps: u32, change: impl Fn(&mut RawConfig)) -> CoreConfig {
    let mut raw = RawConfig {
        threads_per_warp: Some(t.to_string()),
        warps: Some(warps.to_string()),
        ram_size: Some("4K".into()),
        ..RawConfig::default()
    };
    change(&mut raw);
    raw.validate().unwrap()
}

/// Every word holds its number; `tohost` is word 5.
fn options(two_ports: bool) -> SocOptions {
    let image = (0..1024).collect();
    SocOptions { image, tohost: RAM_BASE + 20, uart_divisor: 3, two_ports }
}

#[test]
fn bank() {
    for two_ports in [true, false] {
        check(BankRam::new((0..16).map(|i| i * 0x0101_0101).collect(), two_ports), |v| {
            v.limit("row", 16);
            v.limit("fetch_row", 16);
            // What it forbids: a row written and fetched, and with one port both reads.
            let writes = v.get("access") == 1 && v.get("write") != 0;
            let reads = v.get("access") == 1 && v.get("write") == 0;
            if (writes && v.get("row") == v.get("fetch_row")) || (reads && !two_ports) {
                v.set("fetch", 0);
            }
        });
    }
}

#[test]
fn amo() {
    let operations = |v: &mut Vector| v.set("op", 3 + v.get("op") % 10);
    check(Amo::<1>::new(), operations);
    check(Amo::<4>::new(), operations);
}

#[test]
fn ask() {
    for (scatters, stays) in [(false, false), (true, false), (false, true), (true, true)] {
        check(Ask::<1>::new(scatters, stays), |_| {});
        check(Ask::<4>::new(scatters, stays), |_| {});
        check(Ask::<8>::new(scatters, stays), |_| {});
    }
}

#[test]
fn reservations() {
    let few = |warps, words| {
        move |v: &mut Vector| {
            v.limit("warp", warps);
            v.limit("block", words);
        }
    };
    check(Reservations::<1>::new(1, 10), few(1, 4));
    check(Reservations::<4>::new(4, 10), few(4, 8));
    check(Reservations::<64>::new(1, 10), few(1, 128));
    check(Swept::<4>::new(32, 10), few(32, 8));
    check(Swept::<16>::new(8, 10), few(2, 32));
    check(Swept::<64>::new(2, 10), few(2, 128));
}

#[test]
fn memory() {
    let shape = |t: u64, warps| {
        move |v: &mut Vector| {
            v.limit("warp", warps);
            v.limit("op", 14);
            v.set("block", v.get("block") % 64 / t * t);
            v.set("fetch_word", v.get("fetch_word") % 64);
            v.set("clear_word", v.get("clear_word") % 64);
            let words: Vec<_> =
                v.paths().filter(|p| p.starts_with("word$")).map(str::to_owned).collect();
            words.iter().for_each(|path| v.limit(path, t));
            // A word is cleared when memory is quiet: not in these vectors, but for one.
            v.set("clear", 0);
        }
    };
    check(Memory::<1>::new(&config(1, 1, |_| {}), &options(true)), shape(1, 1));
    check(Memory::<4>::new(&config(4, 2, |_| {}), &options(true)), shape(4, 2));
    check(Memory::<4>::new(&config(4, 2, |_| {}), &options(false)), shape(4, 2));
    check(Memory::<16>::new(&config(16, 8, |_| {}), &options(true)), shape(16, 8));
    check(Memory::<16>::new(&config(16, 8, |_| {}), &options(false)), shape(16, 8));
    check(Memory::<32>::new(&config(32, 4, |_| {}), &options(true)), shape(32, 4));
    let small = config(2, 1, |raw| raw.isa = Some("rv32i".into()));
    check(Memory::<2>::new(&small, &options(false)), shape(2, 1));
}

#[test]
fn host() {
    for far in [false, true] {
        check(Merge::new(1, far, 0), |_| {});
        check(Merge::new(3, far, 0), |_| {});
    }
    check(Merge::new(3, true, 1), |_| {});
    check(Uart::new(1), |_| {});
    check(Uart::new(7), |_| {});
    check(PowerUp::new(), |v| v.set("button", u64::from(v.get("button") == 1)));
    let few = |v: &mut Vector| {
        v.limit("row", 8);
        for i in 0..2 {
            let path = format!("data${i}");
            if v.paths().any(|p| p == path) {
                let value = v.get(&path);
                v.set(&path, [0, 1, 0x0101_0000, value][value as usize % 4]);
            }
        }
    };
    check(Htif::<1>::new(&options(true)), few);
    check(Htif::<2>::new(&options(true)), few);
}

/// A program, which starts where the core does.
pub fn image(config: &CoreConfig, program: &str) -> Boot {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target").join(program);
    let data = std::fs::read(&path);
    let data = data.unwrap_or_else(|e| {
        panic!("{}: {e}: run scripts/kernels.sh and scripts/isa.sh", path.display())
    });
    let boot = boot::read(&data, config.ram_size).unwrap();
    assert_eq!(boot.entry, Some(config.reset_pc));
    boot
}

/// A soc that runs a program.
fn boot(config: &CoreConfig, program: &str, two_ports: bool) -> SocOptions {
    let Boot { words: image, tohost, .. } = image(config, program);
    SocOptions { image, tohost: tohost.unwrap(), uart_divisor: 3, two_ports }
}

fn soc<const T: usize, U: Unit<T>>(
    config: &CoreConfig,
    unit: U,
    options: &SocOptions,
) -> Soc<T, U> {
    let core = Core::new(CoreShape::new(config, unit.shape()), unit);
    Soc::around(config, options, core)
}

/// Listens to a line, a bit per `divisor` cycles.
struct Listener {
    divisor: usize,
    bits: Vec<bool>,
}

impl Listener {
    /// What was sent; panics on a frame without its stop bit.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut at = 0;
        while at < self.bits.len() {
            if self.bits[at] {
                at += 1;
                continue;
            }
            let bit = |n: usize| self.bits[at + n * self.divisor + self.divisor / 2];
            assert!(!bit(0) && bit(9), "a frame is broken");
            text.push((0..8).fold(0u8, |byte, n| byte | u8::from(bit(n + 1)) << n) as char);
            at += 9 * self.divisor + self.divisor / 2 + 1;
        }
        text
    }
}

/// Runs a program to its end; what it said, and whether it failed.
fn run<const T: usize, U: Unit<T>>(mut soc: Soc<T, U>, most: usize) -> (String, bool) {
    let mut listener = Listener { divisor: 3, bits: vec![] };
    soc.settle();
    for _ in 0..most {
        soc.settle();
        listener.bits.push(soc.uart_tx.val());
        if soc.done.val() {
            return (listener.text(), soc.fail.val());
        }
        soc.tick();
    }
    panic!("the program has not ended after {most} cycles: {}", listener.text());
}

pub fn arbiter<const T: usize>(config: &CoreConfig) -> Arbiter<T> {
    let masks: Vec<u64> = (0..config.warps).map(|w| config.initial_mask(w)).collect();
    Arbiter::new(config.warps as usize, &masks, u64::from(config.reset_pc / 4), 0)
}

#[test]
fn prints_on_the_uart() {
    // As on the smallest board: `scripts/board.sh`.
    let small = config(2, 1, |raw| {
        raw.isa = Some("rv32im".into());
        raw.counters = Some("none".into());
        raw.bypass = Some("none".into());
        raw.ram_size = Some("16K".into());
    });
    let whole = config(2, 1, |raw| raw.ram_size = Some("16K".into()));
    for (config, two_ports) in [(small, false), (whole, true)] {
        let options = boot(&config, "kernels/hello.elf", two_ports);
        let (text, failed) = run(soc::<2, _>(&config, Hct::new(&config), &options), 20_000);
        assert_eq!((text.as_str(), failed), ("hello from 2 harts\n", false));
    }
}

/// The shape of the smallest board: one thread, 8 KiB, one port of memory.
#[test]
fn the_smallest_prints_too() {
    let config = config(1, 1, |raw| {
        raw.isa = Some("rv32im".into());
        raw.counters = Some("none".into());
        raw.bypass = Some("none".into());
        raw.ram_size = Some("8K".into());
    });
    let options = boot(&config, "kernels/hello.elf", false);
    let (text, failed) = run(soc::<1, _>(&config, Hct::new(&config), &options), 20_000);
    assert_eq!((text.as_str(), failed), ("hello from 1 harts\n", false));
}

/// The same program on the Verilog: every cycle alike, to its end.
#[test]
fn prints_on_the_uart_in_verilog() {
    let config = config(2, 1, |raw| raw.ram_size = Some("16K".into()));
    let options = boot(&config, "kernels/hello.elf", true);
    let mut soc = soc::<2, _>(&config, Hct::new(&config), &options);
    equivalent(&mut soc, 4_000, 1, |v| v.set("reset", 0)).unwrap();
    assert!(soc.done.val() && !soc.fail.val());
}

fn runs<const T: usize>(warps: u32, programs: &[(&str, bool)]) {
    // Each hart has 4 KiB of it, and the program.
    let ram = format!("{}K", 8 * T as u32 * warps);
    let config = config(T as u32, warps, |raw| raw.ram_size = Some(ram.clone()));
    for (program, fails) in programs {
        let options = boot(&config, &format!("{program}.elf"), true);
        let (text, failed) = run(soc::<T, _>(&config, arbiter(&config), &options), 200_000);
        assert_eq!((text.as_str(), failed), ("", *fails), "{program}, {T} threads");
    }
}

/// Atomic instructions, by harts that want the same words.
const ATOMICS: [(&str, bool); 4] = [
    ("isa/amo-contention", false),
    ("isa/lrsc", false),
    ("isa/lrsc-contention", false),
    ("isa/lrsc-harts", false),
];

#[test]
fn runs_programs() {
    runs::<4>(2, &ATOMICS);
    runs::<4>(2, &[("isa/fence-i", false), ("isa/store", false), ("isa/fail-code", true)]);
}

/// Reservations are swept, and words changed in turn.
#[test]
fn many_harts_run_programs() {
    runs::<4>(32, &ATOMICS[..2]);
    runs::<32>(4, &ATOMICS[..1]);
}
