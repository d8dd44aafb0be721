//! The Verilog of the CSRs: small memories per lane, and one set of counters.

use super::state::{Build, COUNTERS, INHIBIT, LAST_STEP};
use crate::config::Counters;
use crate::core::control::csr_op;
use crate::core::text::concat;
use crate::isa::csr::*;

/// The body of the module.
pub fn text(t: usize, build: &Build) -> String {
    let lanes: String = (0..t).map(|lane| one_lane(t, lane, build)).collect();
    let (before, after) = if build.counters == Counters::None {
        (String::new(), "always @(*) busy = reset & 1'b0;\n".to_string())
    } else {
        core(t)
    };
    format!("integer at;\n{before}{lanes}{after}")
}

/// What there is once of the counters: declarations, and the process that
/// follows the lanes.
fn core(t: usize) -> (String, String) {
    let events = [
        "64'd1",
        "{61'd0, event_issue}",
        "{56'd0, event_threads}",
        "{61'd0, event_diverge}",
        "{61'd0, event_merge}",
        "{63'd0, event_idle}",
        "{62'd0, event_memory}",
    ];
    let each = |f: &dyn Fn(usize) -> String| (0..COUNTERS).map(f).collect::<String>();
    let before = format!(
        "{declare}\
         reg [3:0] step;\n\
         initial step = 4'd0;\n\
         wire reading = (step != 4'd0) & (step <= 4'd{COUNTERS});\n\
         wire was_reading = (step >= 4'd2) & (step <= 4'd{after});\n\
         wire [2:0] reading_index = step[2:0] - 3'd1;\n\
         wire [2:0] writing_index = step[2:0] - 3'd3;\n\
         wire writing = (step >= 4'd3) & (step <= 4'd{last});\n",
        declare = each(&|k| format!("reg [63:0] now_{k};\n")),
        after = COUNTERS + 1,
        last = COUNTERS + 2,
    );
    let after = format!(
        "wire start = |{all};\n\
         always @(*) busy = step != 4'd0;\n\
         always @(posedge clock) begin\n\
         {count}\
         if (start) step <= 4'd1;\n\
         else if (step == 4'd{LAST_STEP}) step <= 4'd0;\n\
         else if (step != 4'd0) step <= step + 4'd1;\n\
         if (reset) begin\n\
         {clear}\
         step <= 4'd0;\n\
         end\n\
         end\n",
        all = concat(t, |lane| format!("to_walk_{lane}")),
        count = each(&|k| format!("now_{k} <= now_{k} + {};\n", events[k])),
        clear = each(&|k| format!("now_{k} <= 64'd0;\n")),
    );
    (before, after)
}

/// Memory `name` of `bits` bits; indices are those of the warp.
fn memory(name: &str, bits: usize, depth: usize) -> String {
    format!(
        "reg [{}:0] {name}_# [0:{}];\n\
         initial for (at = 0; at < {depth}; at = at + 1) {name}_#[at] = {bits}'d0;\n",
        bits - 1,
        depth - 1
    )
}

fn one_lane(t: usize, lane: usize, build: &Build) -> String {
    let bits = build.warps.trailing_zeros() as usize;
    let index = |name: &str| match bits {
        0 => "1'd0".to_string(),
        n => format!("{name}[{}:0]", n - 1),
    };
    let (at_6, at_8) = (index("read_warp$#"), index("write_warp$#"));
    let has_counters = build.counters != Counters::None;
    let mut text = format!(
        "wire [{top}:0] at_6_# = {at_6};\n\
         wire [{top}:0] at_8_# = {at_8};\n\
         wire [31:0] new_# = (csr_op$# == 2'd{set}) ? csr_old$# | csr_operand$# :\n\
         (csr_op$# == 2'd{clear}) ? csr_old$# & ~csr_operand$# : csr_operand$#;\n",
        top = bits.max(1) - 1,
        set = csr_op::SET,
        clear = csr_op::CLEAR,
    );
    text += &storage(build);
    text += &plain_read(t, lane, build);
    if has_counters {
        text += &counters(build, bits);
    }
    text.replace('#', &lane.to_string())
}

/// The memories that CSR instructions, traps and mret write.
fn storage(build: &Build) -> String {
    let w = build.warps;
    let writes = |number: u16| format!("csr_write[#] & (csr_number$# == 12'd{number})");
    let mark = format!("if ({}) mark_#[at_8_#] <= new_#[0];\n", writes(SPLIT));
    if !build.traps {
        let text = format!("{}always @(posedge clock) {mark}", memory("mark", 1, w));
        return text + "always @(*) begin mtvec$# = {30{reset & 1'b0}}; mepc$# = mtvec$#; end\n";
    }
    let mut text = String::new();
    for (name, bits) in [
        ("status", 2),
        ("vector", 30),
        ("scratch", 32),
        ("return", 30),
        ("cause", 32),
        ("fault", 32),
        ("mark", 1),
    ] {
        text += &memory(name, bits, w);
    }
    let both = |name: &str, number: u16, trapped: &str, new: &str| {
        let own = writes(number);
        format!("if (trap[#] | {own}) {name}_#[at_8_#] <= trap[#] ? {trapped} : {new};\n")
    };
    text + &format!(
        "wire [1:0] status_8_# = status_#[at_8_#];\n\
         always @(posedge clock) begin\n\
         if (trap[#] | mret[#] | ({mstatus})) status_#[at_8_#] <=\n\
         trap[#] ? {{status_8_#[0], 1'b0}} :\n\
         mret[#] ? {{1'b1, status_8_#[1]}} : {{new_#[7], new_#[3]}};\n\
         if ({mtvec}) vector_#[at_8_#] <= new_#[31:2];\n\
         if ({mscratch}) scratch_#[at_8_#] <= new_#;\n\
         {mepc}{mcause}{mtval}{mark}\
         mtvec$# <= vector_#[at_6_#];\n\
         mepc$# <= return_#[at_6_#];\n\
         end\n",
        mstatus = writes(MSTATUS),
        mtvec = writes(MTVEC),
        mscratch = writes(MSCRATCH),
        mepc = both("return", MEPC, "trap_pc$#", "new_#[31:2]"),
        mcause = both("cause", MCAUSE, "{28'd0, trap_cause$#}", "new_#"),
        mtval = both("fault", MTVAL, "trap_value$#", "new_#"),
    )
}

/// Stage 6 of the CSRs that are no counters, and the value in stage 7.
fn plain_read(t: usize, lane: usize, build: &Build) -> String {
    let (warp_bits, lane_bits) = (build.warps.trailing_zeros() as usize, t.trailing_zeros());
    let hart = if warp_bits == 0 {
        format!("32'd{lane}")
    } else {
        let warp = format!("{{{}'d0, at_6_#}}", 32 - warp_bits);
        format!("({warp} << {lane_bits}) | 32'd{lane}")
    };
    let has_counters = build.counters != Counters::None;
    let (inhibit, hold, counter) = if has_counters {
        (
            format!("12'd{MCOUNTINHIBIT}: word_6_# = {{23'd0, inhibit_#[at_6_#]}};\n"),
            " & ~reading",
            "is_counter_7_# ? counter_7_# : ",
        )
    } else {
        (String::new(), "", "")
    };
    let traps = if build.traps {
        format!(
            "12'd{MSTATUS}: word_6_# =\n\
             {{19'd0, 2'd3, 3'd0, status_6_#[1], 3'd0, status_6_#[0], 3'd0}};\n\
             12'd{MTVEC}: word_6_# = {{vector_#[at_6_#], 2'd0}};\n\
             12'd{MSCRATCH}: word_6_# = scratch_#[at_6_#];\n\
             12'd{MEPC}: word_6_# = {{return_#[at_6_#], 2'd0}};\n\
             12'd{MCAUSE}: word_6_# = cause_#[at_6_#];\n\
             12'd{MTVAL}: word_6_# = fault_#[at_6_#];\n"
        )
    } else {
        format!("12'd{MSTATUS}: word_6_# = 32'h1800;\n")
    };
    let status = if build.traps { "wire [1:0] status_6_# = status_#[at_6_#];\n" } else { "" };
    format!(
        "reg [31:0] word_6_#, word_7_#;\n\
         reg valid_7_#;\n\
         initial begin valid_7_# = 1'b0; word_7_# = 32'd0; end\n\
         {status}\
         always @(*) case (read_number$#)\n\
         {traps}\
         12'd{MISA}: word_6_# = 32'd{misa};\n\
         12'd{SPLIT}: word_6_# = {{31'd0, mark_#[at_6_#]}};\n\
         12'd{MHARTID}: word_6_# = {hart};\n\
         {inhibit}\
         default: word_6_# = 32'd0;\n\
         endcase\n\
         always @(posedge clock) begin\n\
         valid_7_# <= read[#]{hold};\n\
         if (read[#]{hold}) word_7_# <= word_6_#;\n\
         end\n\
         always @(*) old$# = valid_7_# ? {counter}word_7_# : 32'd0;\n",
        misa = build.misa,
    )
}

/// `x`, inhibit bits and `minstret` of a lane.
fn counters(build: &Build, bits: usize) -> String {
    let w = build.warps;
    let mut text = memory("inhibit", 9, w) + &memory("instret", 64, w);
    text += &format!("(* no_rw_check *) {}", memory("x", 64, 8 * w));
    let address = |warp: &str, k: &str| match bits {
        0 => k.to_string(),
        _ => format!("{{{warp}, {k}}}"),
    };
    let top = bits.max(1) - 1;
    let now: String = (0..COUNTERS).map(|k| format!("3'd{k}: now_7_# = now_{k};\n")).collect();
    let counts = match build.counters {
        Counters::Warp => "warp_issue[#]",
        _ => "done[#] & ~(sets_inhibit_# ? new_#[2] : inhibit_8_#[2])",
    };
    text + &format!(
        "wire sets_inhibit_# = csr_write[#] & (csr_number$# == 12'd{MCOUNTINHIBIT});\n\
         wire sets_cycle_# = csr_write[#] & ((csr_number$# & 12'hf7f) == 12'd{MCYCLE});\n\
         wire sets_instret_# = csr_write[#] & ((csr_number$# & 12'hf7f) == 12'd{MINSTRET});\n\
         wire [8:0] inhibit_8_# = inhibit_#[at_8_#];\n\
         wire [8:0] changed_# = (inhibit_8_# ^ new_#[8:0]) & 9'd{INHIBIT};\n\
         wire [6:0] to_walk_# = sets_inhibit_# ? {{changed_#[8:3], changed_#[0]}} :\n\
         {{6'd0, sets_cycle_# & ~inhibit_8_#[0]}};\n\
         reg [6:0] todo_#;\n\
         reg [{top}:0] whose_#, at_7_#;\n\
         reg [11:0] number_7_#;\n\
         reg [2:0] index_7_#;\n\
         reg [63:0] x_7_#, hold_8_#, now_7_#;\n\
         reg inhibited_7_#;\n\
         initial begin\n\
         todo_# = 7'd0; whose_# = {one}'d0; at_7_# = {one}'d0; number_7_# = 12'd0;\n\
         index_7_# = 3'd0; x_7_# = 64'd0; hold_8_# = 64'd0; inhibited_7_# = 1'b0;\n\
         end\n\
         wire [4:0] ordinal_# = read_number$#[4:0];\n\
         wire is_event_# = (ordinal_# >= 5'd3) & (ordinal_# <= 5'd8);\n\
         wire [2:0] own_index_# = (ordinal_# == 5'd0) ? 3'd0 :\n\
         is_event_# ? ordinal_#[2:0] - 3'd2 : 3'd{COUNTERS};\n\
         wire [2:0] index_6_# = reading ? reading_index : own_index_#;\n\
         wire [{top}:0] x_warp_# = reading ? whose_# : at_6_#;\n\
         wire [8:0] inhibit_6_# = inhibit_#[at_6_#];\n\
         wire takes_6_# = reading ? |todo_# : read[#];\n\
         always @(*) case (index_7_#)\n\
         {now}\
         default: now_7_# = 64'd0;\n\
         endcase\n\
         wire stands_# = inhibited_7_# & ~was_reading;\n\
         wire [63:0] value_7_# = ~(valid_7_# | was_reading) ? 64'bx :\n\
         (index_7_# == 3'd{COUNTERS}) ? 64'd0 : stands_# ? x_7_# : now_7_# - x_7_#;\n\
         wire [63:0] instret_8_# = instret_#[at_8_#];\n\
         wire [63:0] next_instret_# = instret_8_# + 64'd1;\n\
         wire counts_# = ~sets_instret_# & {counts};\n\
         wire forward_# = counts_# & (at_7_# == at_8_#);\n\
         wire [63:0] instret_7_# = forward_# ? next_instret_# : instret_#[at_7_#];\n\
         wire [63:0] shown_# = (number_7_#[4:0] == 5'd1) ? now_0 :\n\
         (number_7_#[4:0] == 5'd2) ? instret_7_# : value_7_#;\n\
         wire is_counter_7_# = (number_7_#[11:8] == 4'd11 | number_7_#[11:8] == 4'd12)\n\
         & (number_7_#[6:5] == 2'd0);\n\
         wire [31:0] counter_7_# = number_7_#[7] ? shown_#[63:32] : shown_#[31:0];\n\
         wire walk_write_# = writing & todo_#[writing_index];\n\
         wire [63:0] cycle_8_# = csr_number$#[7] ? {{new_#, hold_8_#[31:0]}} :\n\
         {{hold_8_#[63:32], new_#}};\n\
         always @(posedge clock) begin\n\
         if (takes_6_#) x_7_# <= x_#[{x_read}];\n\
         index_7_# <= index_6_#;\n\
         number_7_# <= read_number$#;\n\
         at_7_# <= at_6_#;\n\
         inhibited_7_# <= (ordinal_# == 5'd0) ? inhibit_6_#[0] : |(inhibit_6_# >> ordinal_# & 9'd1);\n\
         if (valid_7_# | (was_reading & |todo_#)) hold_8_# <= value_7_#;\n\
         if (walk_write_#) x_#[{x_walk}] <= hold_8_#;\n\
         else if (sets_cycle_#) x_#[{x_cycle}] <= cycle_8_#;\n\
         if (sets_inhibit_#) inhibit_#[at_8_#] <= new_#[8:0] & 9'd{INHIBIT};\n\
         if (counts_# | sets_instret_#) instret_#[at_8_#] <=\n\
         ~sets_instret_# ? next_instret_# :\n\
         csr_number$#[7] ? {{new_#, instret_8_#[31:0]}} : {{instret_8_#[63:32], new_#}};\n\
         if (|to_walk_#) begin\n\
         todo_# <= to_walk_#;\n\
         whose_# <= at_8_#;\n\
         end\n\
         if (step == 4'd{LAST_STEP} | reset) begin\n\
         todo_# <= 7'd0;\n\
         whose_# <= {one}'d0;\n\
         end\n\
         end\n",
        one = bits.max(1),
        x_read = address("x_warp_#", "index_6_#"),
        x_walk = address("whose_#", "writing_index"),
        x_cycle = address("at_8_#", "3'd0"),
    )
}
