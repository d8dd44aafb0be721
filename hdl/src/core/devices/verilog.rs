//! The Verilog of the device window: vectors with a bit per hart.

use super::{Sets, word_of};
use crate::core::text::concat;
use crate::platform as map;

/// `{a[high:0], b[..]}` of two numbers of `bits.0` and `bits.1` bits, either
/// of which may be none.
fn joined(a: &str, b: &str, bits: (usize, usize)) -> String {
    let part = |name: &str, bits: usize| format!("{name}[{}:0]", bits - 1);
    match bits {
        (0, 0) => "1'b0".to_string(),
        (0, n) => part(b, n),
        (n, 0) => part(a, n),
        (n, m) => format!("{{{}, {}}}", part(a, n), part(b, m)),
    }
}

/// The lanes of warp `name` in a vector over harts.
fn lanes_of(vector: &str, name: &str, t: usize, warp_bits: usize) -> String {
    match warp_bits {
        0 => vector.to_string(),
        n => format!("{vector}[{name}[{}:0] * {t} +: {t}]", n - 1),
    }
}

/// The body of the module.
pub fn text(t: usize, sets: &Sets, harts: u32, info: &[(u32, u32); 4]) -> String {
    let warps = sets.alive.len();
    let (all, top) = (t * warps, t * warps - 1);
    let (warp_bits, lane_bits) = (warps.trailing_zeros() as usize, t.trailing_zeros() as usize);
    let words = all.div_ceil(32);
    let me = joined("warp", "lane", (warp_bits, lane_bits));
    // As wide as the vector, so that the shift cuts nothing off.
    let one = match top {
        0 => "arrive".to_string(),
        n => format!("{{{{{n}{{1'b0}}}}, arrive}}"),
    };
    let alive = concat(warps, |w| format!("{t}'h{:x}", sets.alive[w]));
    let store_bits = all.min(32) - 1;
    let by_register = concat(words, |i| {
        format!("(store & (offset == 7'd{i})) ? data[{store_bits}:0] : {}'d0", store_bits + 1)
    });
    let at_warp = |name: &str, mask: &str| match warp_bits {
        0 => mask.to_string(),
        n => concat(warps, |w| format!("({name}[{}:0] == {n}'d{w}) ? {mask} : {t}'d0", n - 1)),
    };
    let info_rows: String = info
        .iter()
        .map(|(address, value)| format!("7'd{}: value = 32'd{value};\n", word_of(*address)))
        .collect();
    let read_rows: String = (0..words)
        .map(|i| {
            let high = (32 * i + 31).min(top);
            let zeros = 32 * i + 31 - high;
            let zeros = if zeros == 0 { String::new() } else { format!("{zeros}'d0, ") };
            format!("7'd{i}: value = {{{zeros}is_parked[{high}:{}]}};\n", 32 * i)
        })
        .collect();
    let next_warp: String = (0..warps)
        .rev()
        .map(|w| {
            let (low, high) = (w * t, w * t + t - 1);
            format!(
                "if (|waking[{high}:{low}]) begin\n\
                 next_warp = 5'd{w};\n\
                 next_mask = waking[{high}:{low}];\n\
                 next_bits = {{{all}{{1'b0}}}};\n\
                 next_bits[{high}:{low}] = {{{t}{{1'b1}}}};\n\
                 end\n"
            )
        })
        .collect();
    format!(
        "reg [{top}:0] is_parked, pending, arrived, waking;\n\
         reg [11:0] arrivals;\n\
         reg [31:0] barrier_count;\n\
         wire store = access & write;\n\
         wire arrive = store & (offset == 7'd{arrive});\n\
         wire [{top}:0] me = {one} << {me};\n\
         wire [{top}:0] arrived_now = arrived | me;\n\
         wire [11:0] arrivals_now = arrivals + {{11'd0, |(me & ~arrived)}};\n\
         wire release_now = arrive & ({{20'd0, arrivals_now}} >= barrier_count);\n\
         wire [{top}:0] by_register = {by_register};\n\
         wire [{top}:0] target = {alive}\n\
         & (by_register | (arrived_now & {{{all}{{release_now}}}}));\n\
         wire [{t_top}:0] wait_mask = {pending_lanes};\n\
         wire [{t_top}:0] asking = park_mask & {{{t}{{park}}}};\n\
         wire [{top}:0] parking = {parking};\n\
         wire [{top}:0] asked = {asked};\n\
         wire [{top}:0] parked_now = is_parked | parking;\n\
         wire [{top}:0] woken = target & parked_now;\n\
         wire hand = ~wake | wake_ready;\n\
         reg [4:0] next_warp;\n\
         reg [{t_top}:0] next_mask;\n\
         reg [{top}:0] next_bits;\n\
         always @(*) begin\n\
         next_warp = 5'd0;\n\
         next_mask = {{{t}{{1'b0}}}};\n\
         next_bits = {{{all}{{1'b0}}}};\n\
         {next_warp}\
         end\n\
         always @(*) begin\n\
         parked = asking & ~wait_mask;\n\
         wakes = |woken;\n\
         busy = wake | (|waking);\n\
         case (offset)\n\
         {read_rows}\
         7'd{arrive}: value = {{20'd0, arrivals}};\n\
         7'd{count}: value = barrier_count;\n\
         {info_rows}\
         default: value = 32'd0;\n\
         endcase\n\
         end\n\
         always @(posedge clock) begin\n\
         is_parked <= parked_now & ~woken;\n\
         pending <= (pending & ~asked) | (target & ~parked_now);\n\
         waking <= (waking & ~(hand ? next_bits : {{{all}{{1'b0}}}})) | woken;\n\
         arrived <= release_now ? {{{all}{{1'b0}}}} : arrived_now;\n\
         if (arrive) arrivals <= release_now ? 12'd0 : arrivals_now;\n\
         if (store & (offset == 7'd{count})) barrier_count <= data;\n\
         if (hand) begin\n\
         wake <= |waking;\n\
         wake_warp <= next_warp;\n\
         wake_mask <= next_mask;\n\
         end\n\
         if (reset) begin\n\
         is_parked <= {{{all}{{1'b0}}}};\n\
         pending <= {{{all}{{1'b0}}}};\n\
         waking <= {{{all}{{1'b0}}}};\n\
         arrived <= {{{all}{{1'b0}}}};\n\
         arrivals <= 12'd0;\n\
         barrier_count <= 32'd{harts};\n\
         wake <= 1'b0;\n\
         end\n\
         end\n",
        arrive = word_of(map::BARRIER_ARRIVE),
        count = word_of(map::BARRIER_COUNT),
        t_top = t - 1,
        pending_lanes = lanes_of("pending", "park_warp", t, warp_bits),
        parking = at_warp("park_warp", "parked"),
        asked = at_warp("park_warp", "asking"),
    )
}
