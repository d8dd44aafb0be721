//! The Verilog of the device window: vectors with a bit per hart. Whether the barrier is
//! full, or lacks one, is known before somebody arrives.

use super::{Devices, word_of};
use crate::core::text::concat;
use crate::platform as map;

/// The lanes of warp `name` in a vector over harts.
fn lanes_of(vector: &str, name: &str, t: usize, warp_bits: usize) -> String {
    match warp_bits {
        0 => vector.to_string(),
        n => format!("{vector}[{name}[{}:0] * {t} +: {t}]", n - 1),
    }
}

/// The body of the module.
pub fn text<const T: usize>(t: usize, pipes: usize, of: &Devices<T>) -> String {
    let (sets, harts, info, ahead) = (&of._sets, of._harts, &of._info, of._ahead);
    let warps = sets.alive.len();
    let (all, top) = (t * warps, t * warps - 1);
    let (warp_bits, lane_bits) = (warps.trailing_zeros() as usize, t.trailing_zeros() as usize);
    let words = all.div_ceil(32);
    // Bits that count all harts, and those of the limit that must be 0.
    let (count_top, above) = (all.ilog2(), all.ilog2() + 1);
    let is_warp = |w: usize| match warp_bits {
        0 => "1'b1".to_string(),
        n => format!("warp[{}:0] == {n}'d{w}", n - 1),
    };
    let my_lane = match lane_bits {
        0 => "1'b1".to_string(),
        n => format!("{t}'d1 << lane[{}:0]", n - 1),
    };
    let my_warp = concat(warps, is_warp);
    let each = |mask: &str| concat(warps, |w| format!("{{{t}{{my_warp[{w}]}}}} & {mask}"));
    let alive = concat(warps, |w| format!("{t}'h{:x}", sets.alive[w]));
    let store_bits = all.min(32);
    // Of the store of this cycle, and of the one of the cycle before.
    let by_register = |data: &str, offset: &str, is: &str| {
        concat(words, |i| {
            format!(
                "{data}[{}:0] & {{{store_bits}{{{is} & ({offset} == 7'd{i})}}}}",
                store_bits - 1
            )
        })
    };
    let info_rows: String = info
        .iter()
        .map(|(address, value)| {
            format!(" | ({{32{{offset == 7'd{}}}}} & 32'd{value})\n", word_of(*address))
        })
        .collect();
    let read_rows: String = (0..words)
        .map(|i| {
            let high = (32 * i + 31).min(top);
            let zeros = 32 * i + 31 - high;
            let zeros = if zeros == 0 { String::new() } else { format!("{zeros}'d0, ") };
            let is = format!("{{32{{offset == 7'd{i}}}}}");
            format!(" | ({is} & {{{zeros}is_parked[{high}:{}]}})\n", 32 * i)
        })
        .collect();
    let any = concat(warps, |w| format!("|waking[{}:{}]", w * t + t - 1, w * t));
    let before = |w: usize| -> String {
        (0..w / 4).map(|four| format!(" & ~(|left[{}:{}])", 4 * four + 3, 4 * four)).collect()
    };
    let first = concat(warps, |w| match w {
        0 => "left[0]".to_string(),
        // By fours, so that it is a tree.
        _ if w % 4 == 0 => format!("left[{w}]{}", before(w)),
        _ => format!("left[{w}] & ~(|left[{}:{}]){}", w - 1, w / 4 * 4, before(w)),
    });
    let next_warp = concat(5, |bit| {
        let those = (0..warps).filter(|w| w >> bit & 1 != 0).map(|w| format!(" | first[{w}]"));
        format!("1'b0{}", those.collect::<String>())
    });
    let next_mask: Vec<String> = (0..warps)
        .map(|w| format!("({{{t}{{first[{w}]}}}} & waking[{}:{}])", w * t + t - 1, w * t))
        .collect();
    let next_mask = next_mask.join(" | ");
    let warp_of = |name: &str| match warp_bits {
        0 => "1'd0".to_string(),
        n => format!("{name}[{}:0]", n - 1),
    };
    let in_beats = ahead && !of.soon_lane.is_empty();
    let arrived_before: String = match ahead {
        _ if in_beats => "reg arrived_0;\n".to_string(),
        true => (0..pipes).map(|p| format!("reg [{}:0] arrived_{p};\n", t - 1)).collect(),
        false => String::new(),
    };
    let arrived_lanes = match ahead {
        // Of the last pipe, if not of another.
        true => (0..pipes - 1).rev().fold(format!("arrived_{}", pipes - 1), |rest, p| {
            format!("(pipe == 3'd{p} ? arrived_{p} : {rest})")
        }),
        false => lanes_of("arrived", "warp", t, warp_bits),
    };
    let look = |p: usize| {
        let soon = format!("soon_warp${p}");
        let lanes = lanes_of("arrived", &soon, t, warp_bits);
        let same = format!("{} == {}", warp_of("warp"), warp_of(&soon));
        let all = format!("{lanes} | (mine & {{{t}{{{same}}}}})");
        match lane_bits {
            n if in_beats => {
                format!("arrived_{p} <= |(({all}) & ({t}'d1 << soon_lane$0[{}:0]));\n", n - 1)
            }
            _ => format!("arrived_{p} <= {all};\n"),
        }
    };
    let looks: String = (0..if ahead { pipes } else { 0 }).map(look).collect();
    let next_bits = concat(warps, |w| format!("{{{t}{{first[{w}] & hand}}}}"));
    format!(
        "reg [{top}:0] is_parked, pending, arrived, waking;\n\
         reg [{count_top}:0] arrivals;\n\
         reg full, last;\n\
         wire [{above}:0] one_more = {{1'b0, arrivals}} + {above_bits}'d1;\n\
         wire [{above}:0] two_more = {{1'b0, arrivals}} + {above_bits}'d2;\n\
         reg [31:0] barrier_count;\n\
         wire [{count_top}:0] limit = barrier_count[{count_top}:0];\n\
         wire can_fill = ~(|barrier_count[31:{above}]);\n\
         {arrived_before}\
         wire store = access & write & ~park;\n\
         wire arrive = store & (offset == 7'd{arrive});\n\
         wire counts = store & (offset == 7'd{count});\n\
         reg recount;\n\
         wire [{warp_top}:0] my_warp = {my_warp};\n\
         wire [{t_top}:0] my_lane = {my_lane};\n\
         wire [{t_top}:0] mine = my_lane & {{{t}{{arrive}}}};\n\
         wire [{top}:0] me = {me};\n\
         reg is_new, release_now;\n\
         reg [{count_top}:0] arrivals_now;\n\
         always @(*) begin\n\
         is_new = 1'bx;\n\
         arrivals_now = {above}'bx;\n\
         release_now = 1'b0;\n\
         if (arrive) begin\n\
         is_new = {is_new};\n\
         arrivals_now = arrivals + {one_more};\n\
         release_now = full | (last & is_new);\n\
         end\n\
         end\n\
         wire [{t_top}:0] asking = park_mask & {{{t}{{park}}}};\n\
         wire [{top}:0] asks = {asks};\n\
         reg due, release_due;\n\
         reg [6:0] offset_due;\n\
         reg [31:0] data_due;\n\
         reg [{top}:0] target, woken;\n\
         always @(*) begin\n\
         target = {all}'d0;\n\
         if (due) target = {alive} & (release_due ? arrived : {later});\n\
         woken = {all}'d0;\n\
         if (store) woken = {alive} & is_parked\n\
         & (release_now ? arrived | me : {at_once});\n\
         end\n\
         wire could_wake = release_now | (store & (offset < 7'd{arrive}));\n\
         wire hand = ~wake | wake_ready;\n\
         wire [{warp_top}:0] any = {any};\n\
         reg [{warp_top}:0] first;\n\
         wire [{warp_top}:0] left = any & ~first;\n\
         reg [4:0] next_warp;\n\
         reg [{t_top}:0] next_mask;\n\
         reg [{top}:0] next_bits;\n\
         always @(*) begin\n\
         next_warp = 5'bx;\n\
         next_mask = {t}'bx;\n\
         next_bits = {all}'d0;\n\
         if (|first) begin\n\
         next_warp = {next_warp};\n\
         next_mask = {next_mask};\n\
         if (hand) next_bits = {next_bits};\n\
         end\n\
         end\n\
         always @(*) begin\n\
         wakes = |woken;\n\
         value = ((({{32{{offset == 7'd{count}}}}} & barrier_count)\n\
         | ({{32{{offset == 7'd{arrive}}}}} & {{{zeros}'d0, arrivals}}))\n\
         | (32'd0\n\
         {read_rows}))\n\
         | (32'd0\n\
         {info_rows});\n\
         end\n\
         always @(posedge clock) begin\n\
         is_parked <= reset ? {all}'d0 : (is_parked & ~target) | ({alive} & asks & ~pending);\n\
         pending <= reset ? {all}'d0 : (pending & ~asks) | (target & ~is_parked);\n\
         waking <= reset ? {all}'d0 : (waking & ~next_bits) | (target & is_parked);\n\
         busy <= ~reset & ((|(any & ~(first & {{{warps}{{hand}}}}))) | could_wake | counts | due\n\
         | (hand ? |first : wake));\n\
         {waits}\
         {looks}\
         recount <= ~reset & counts;\n\
         due <= ~reset & could_wake;\n\
         release_due <= ~reset & release_now;\n\
         offset_due <= offset;\n\
         data_due <= data;\n\
         arrived <= reset ? {all}'d0 : (arrived & ~{{{all}{{release_due}}}}) | me;\n\
         if (reset | arrive) arrivals <= reset | release_now ? {above}'d0 : arrivals_now;\n\
         if (reset | arrive | recount) begin\n\
         full <= ~reset & can_fill & (arrive ? release_now & (limit == {above}'d0)\n\
         : arrivals >= limit);\n\
         last <= reset ? 1'b{one_hart} : can_fill & (~arrive ? one_more >= {{1'b0, limit}}\n\
         : release_now ? {single}\n\
         : is_new ? two_more >= {{1'b0, limit}} : last);\n\
         end\n\
         if (reset | counts) barrier_count <= reset ? 32'd{harts} : data;\n\
         if (reset | hand) wake <= ~reset & (|first);\n\
         if (reset | hand) first <= reset ? {warps}'d0 : {first};\n\
         if (hand & (|first)) begin\n\
         wake_warp <= next_warp;\n\
         wake_mask <= next_mask;\n\
         end\n\
         end\n",
        is_new = match in_beats {
            true => "~arrived_0".to_string(),
            false => format!("~(|({arrived_lanes} & my_lane))"),
        },
        arrive = word_of(map::BARRIER_ARRIVE),
        count = word_of(map::BARRIER_COUNT),
        t_top = t - 1,
        warp_top = warps - 1,
        zeros = 31 - count_top,
        one_hart = u8::from(harts <= 1),
        above_bits = above + 1,
        single = match count_top {
            0 => "1'b1".to_string(),
            n => format!("~(|limit[{n}:1])"),
        },
        one_more = match count_top {
            0 => "is_new".to_string(),
            n => format!("{{{n}'d0, is_new}}"),
        },
        me = each("mine"),
        asks = each("asking"),
        later = by_register("data_due", "offset_due", "due"),
        at_once = by_register("data", "offset", "store"),
        waits = (0..pipes)
            .map(|p| {
                let pending = lanes_of("pending", &format!("soon_warp${p}"), t, warp_bits);
                format!("waits${p} <= {pending};\n")
            })
            .collect::<String>(),
    )
}
