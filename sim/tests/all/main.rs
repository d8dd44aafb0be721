//! All tests of emulator, checker, commands and hardware in process: one program,
//! because linking each by itself takes longer than most of them run. One file:
//! `cargo test -p sim rtl_order::`.

mod common;

mod annotate;
mod annotate_link;
mod annotate_refusals;
mod checker;
mod checker_rules;
mod cli;
mod cli_options;
mod isa;
mod kernels;
mod lab;
mod lab_synth;
mod rtl_circuit;
mod rtl_counters;
mod rtl_harness;
mod rtl_order;
mod rtl_programs;
mod rtl_rates;
mod rtl_torture;
mod rtl_units;
mod run;
mod run_records;
mod verilator;
