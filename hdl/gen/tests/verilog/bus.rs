//! Cores on a bus: the parts against their Verilog, and programs on memory that
//! answers when and in what order it likes, as far as the bus allows.

mod bench;

use super::soc::{arbiter, check, config, image};
use bench::{Dice, Ram, Refuses, Words, run};
use hdl::bus::axi4::Axi4;
use hdl::bus::data::BusData;
use hdl::bus::icache::Icache;
use hdl::bus::wishbone::Wishbone;
use hdl::config::CoreConfig;
use hdl::core::core::Core;
use hdl::core::shape::CoreShape;
use hdl::divergence::arbiter::Arbiter;
use hdl::divergence::hct::Hct;
use hdl::divergence::port::Unit;
use hdl::rtl::{Vector, equivalent};

#[test]
fn icache() {
    // Few lines, and few words: hits, misses, and stores to lines that come.
    let few = |v: &mut Vector| {
        v.limit("fetch_word", 160);
        v.limit("store_word", 160);
    };
    check(Icache::new(256, 1), few);
    check(Icache::new(1024, 16), few);
}

/// An error ends all, so that there is little to compare after it: one in 512 cycles
/// may have one, `good` values of `errors` mean none.
fn errors_are_rare(v: &mut Vector, die: &str, errors: &[&str], good: u64) {
    if !v.get(die).is_multiple_of(512) {
        errors.iter().for_each(|path| v.limit(path, good));
    }
}

#[test]
fn data() {
    let shape = |t: u64| {
        move |v: &mut Vector| {
            v.limit("warp", 1);
            errors_are_rare(v, "beat_data", &["beat_error", "written_error"], 1);
            v.limit("op", 14);
            v.set("block", v.get("block") % 64 / t * t);
            let words: Vec<_> =
                v.paths().filter(|p| p.starts_with("word$")).map(str::to_owned).collect();
            words.iter().for_each(|path| v.limit(path, t));
        }
    };
    check(BusData::<1>::new(&config(1, 1, |_| {})), shape(1));
    check(BusData::<4>::new(&config(4, 1, |_| {})), shape(4));
    check(BusData::<4>::new(&config(4, 1, |raw| raw.isa = Some("rv32i".into()))), shape(4));
}

/// addi, lw, sw, amoadd.w, lr.w, sc.w, fence.i, jal backwards; some with bad addresses.
const INSTRUCTIONS: [u64; 8] = [
    0x0010_8093,
    0x0000_a103,
    0x0020_a023,
    0x0020_a1af,
    0x1000_a1af,
    0x1820_a1af,
    0x0000_100f,
    0xff5f_f06f,
];

#[test]
fn masters() {
    let config = config(2, 1, |raw| raw.icache = Some("256".into()));
    let core = || {
        let unit = Hct::<2>::new(&config);
        Core::new(CoreShape::new(&config, unit.shape()), unit)
    };
    equivalent(&mut Axi4::around(&config, core()), 1500, 1, |v| {
        v.set("reset", 0);
        let word = v.get("axi$rdata");
        errors_are_rare(v, "axi$rdata", &["axi$rresp", "axi$bresp"], 2);
        v.set("axi$rdata", INSTRUCTIONS[word as usize % 8]);
        // Tags that exist.
        if v.get("axi$rid") < 16 {
            v.limit("axi$rid", 12);
        }
    })
    .unwrap();
    equivalent(&mut Wishbone::new(&config, core()), 1500, 1, |v| {
        v.set("reset", 0);
        let word = v.get("wb$dat_i");
        errors_are_rare(v, "wb$dat_i", &["wb$err"], 1);
        v.set("wb$dat_i", INSTRUCTIONS[word as usize % 8]);
    })
    .unwrap();
}

fn core<const T: usize, U: Unit<T>>(config: &CoreConfig, unit: U) -> Core<T, U> {
    Core::new(CoreShape::new(config, unit.shape()), unit)
}

const PROGRAMS: [&str; 5] = ["amo-contention", "lrsc-contention", "lrsc-harts", "fence-i", "store"];

#[test]
fn programs_on_axi4() {
    let config = config(4, 2, |raw| {
        raw.ram_size = Some("64K".into());
        raw.icache = Some("1K".into());
    });
    for (seed, program) in (1..).zip(PROGRAMS) {
        let image = image(&config, &format!("isa/{program}.elf"));
        let master = Axi4::around(&config, core::<4, Arbiter<4>>(&config, arbiter(&config)));
        let (code, locked) = run(master, image, seed);
        assert_eq!(code, 0, "{program}");
        assert!(locked > 0 || program != "amo-contention", "no AMO has taken the lock");
    }
}

#[test]
fn programs_on_wishbone() {
    let config = config(2, 1, |raw| {
        raw.ram_size = Some("64K".into());
        raw.icache = Some("1K".into());
    });
    for (seed, program) in (1..).zip(PROGRAMS) {
        let image = image(&config, &format!("isa/{program}.elf"));
        let master = Wishbone::new(&config, core::<2, _>(&config, Hct::new(&config)));
        let (code, locked) = run(master, image, seed);
        assert_eq!(code, 0, "{program}");
        assert!(locked > 0 || program != "amo-contention", "no AMO has taken the lock");
    }
}

/// Runs `instruction` on the word at `DATA`, whose address is in x1, again and again.
fn refuse<B: Words>(mut bench: B, what: Refuses, instruction: u32) {
    // lui x1, 0x80000; addi x1, x1, 256; jal x0, -4 at the end.
    let mut ram = Ram::of(&[0x8000_00b7, 0x1000_8093, instruction, 0xffdf_f06f]);
    let (mut memory, mut dice) = (B::Memory::default(), Dice(1));
    B::refuse(&mut memory, what);
    bench.power_up();
    let mut quiet = 0;
    for _ in 0..2_000 {
        bench.drive(&mut memory, &mut dice);
        bench.word(&memory, &ram);
        bench.settle();
        bench.look(&mut memory, &mut ram, &mut dice);
        quiet = if bench.quiet() { quiet + 1 } else { 0 };
        bench.tick();
    }
    assert!(bench.fatal() && quiet > 1_000, "{what:?} {instruction:#x}: quiet for {quiet} cycles");
    // What could not be read is not written.
    assert!(what == Refuses::Stores || ram.words[64] == 0);
}

/// An error stops the core for good.
#[test]
fn errors_are_fatal() {
    let config = config(2, 1, |raw| raw.icache = Some("256".into()));
    let hct = || core::<2, _>(&config, Hct::new(&config));
    // lw x2, 0(x1); sw x1, 0(x1); amoadd.w x3, x1, (x1)
    let (load, store, amo) = (0x0000_a103, 0x0010_a023, 0x0010_a1af);
    for (what, instruction) in [
        (Refuses::Fetches, load),
        (Refuses::Loads, load),
        (Refuses::Loads, amo),
        (Refuses::Stores, store),
        (Refuses::Stores, amo),
    ] {
        refuse(Axi4::around(&config, hct()), what, instruction);
        refuse(Wishbone::new(&config, hct()), what, instruction);
    }
}
