//! Blocks and units against their own Verilog under Verilator. Here and not in
//! `hdl`, because this package is not optimised: they simulate a few hundred cycles.

mod blocks;
mod bus;
mod leaves;
mod parts;
mod soc;
mod units;
