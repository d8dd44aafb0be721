//! The Verilog of the CSRs: small memories per lane, and one set of counters.
//!
//! What happens seldom stands below one condition for all lanes, not one in each: a
//! simulator then passes it by.

use super::state::{Build, COUNTERS, INHIBIT, LAST_STEP};
use crate::config::Counters;
use crate::core::control::csr_op;
use crate::core::text::{concat, lanes};
use crate::isa::csr::*;

/// The body of the module.
pub fn text(t: usize, build: &Build) -> String {
    let has_counters = build.counters != Counters::None;
    let mut text = "integer at;\n".to_string();
    if has_counters {
        text += &declare_core();
    }
    text += &lanes(t, &addresses(build));
    text += &writes(t, build);
    text += &storage(t, build);
    if has_counters {
        text += &counters(t, build);
    }
    text += &plain_read(t, build);
    text += &if has_counters { core() } else { "always @(*) busy = reset & 1'b0;\n".to_string() };
    text
}

/// `text` for every lane below `condition`.
fn when(condition: &str, t: usize, text: &str) -> String {
    format!("if ({condition}) begin\n{}end\n", lanes(t, text))
}

/// `f` of every counter.
fn each(f: impl Fn(usize) -> String) -> String {
    (0..COUNTERS).map(f).collect()
}

/// What there is once of the counters.
fn declare_core() -> String {
    format!(
        "{now}\
         reg [3:0] step;\n\
         initial step = 4'd0;\n\
         wire reading = (step != 4'd0) & (step <= 4'd{COUNTERS});\n\
         wire was_reading = (step >= 4'd2) & (step <= 4'd{after});\n\
         wire [2:0] reading_index = step[2:0] - 3'd1;\n\
         wire [2:0] writing_index = step[2:0] - 3'd3;\n\
         wire writing = (step >= 4'd3) & (step <= 4'd{last});\n",
        now = each(|k| format!("reg [63:0] now_{k};\n")),
        after = COUNTERS + 1,
        last = COUNTERS + 2,
    )
}

/// The process that follows the lanes.
fn core() -> String {
    let events = [
        "64'd1",
        "{61'd0, event_issue}",
        "{56'd0, event_threads}",
        "{61'd0, event_diverge}",
        "{61'd0, event_merge}",
        "{63'd0, event_idle}",
        "{62'd0, event_memory}",
    ];
    format!(
        "always @(*) busy = step != 4'd0;\n\
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
        count = each(|k| format!("now_{k} <= now_{k} + {};\n", events[k])),
        clear = each(|k| format!("now_{k} <= 64'd0;\n")),
    )
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

/// The bits of a warp's number, at least one.
fn warp_bits(build: &Build) -> usize {
    (build.warps.trailing_zeros() as usize).max(1)
}

/// The warps of a lane in stages 6 and 8.
fn addresses(build: &Build) -> String {
    let top = warp_bits(build) - 1;
    let index = |name: &str| match build.warps {
        1 => "1'd0".to_string(),
        _ => format!("{name}[{top}:0]"),
    };
    format!(
        "wire [{top}:0] at_6_# = {};\nwire [{top}:0] at_8_# = {};\n",
        index("read_warp$#"),
        index("write_warp$#")
    )
}

/// What CSR instructions write, and which of the CSRs that stand beside a counter.
fn writes(t: usize, build: &Build) -> String {
    let new = format!(
        "new_# = (csr_op$# == 2'd{set}) ? csr_old$# | csr_operand$# :\n\
         (csr_op$# == 2'd{clear}) ? csr_old$# & ~csr_operand$# : csr_operand$#;\n",
        set = csr_op::SET,
        clear = csr_op::CLEAR,
    );
    let mut text = lanes(t, "reg [31:0] new_#;\n");
    if build.counters == Counters::None {
        let unknown = lanes(t, "new_# = 32'bx;\n");
        return text + "always @(*) begin\n" + &unknown + &when("|csr_write", t, &new) + "end\n";
    }
    let top = t - 1;
    text += &lanes(t, &memory("inhibit", 9, build.warps));
    text += &lanes(t, "reg [6:0] to_walk_#;\nwire [8:0] inhibit_8_# = inhibit_#[at_8_#];\n");
    let (counts, inhibits) = match build.counters {
        Counters::Warp => ("inhibited = warp_issue;\ncounts = inhibited;\n".to_string(), ""),
        _ => {
            let inhibited = concat(t, |i| format!("inhibit_8_{i}[2]"));
            let own = "if (sets_inhibit[#]) counts[#] = done[#] & ~new_#[2];\n";
            // What is inhibited only matters where something is done.
            let look = format!("inhibited = {t}'bx;\nif (|done) inhibited = {inhibited};\n");
            (look + "counts = done & ~inhibited;\n", own)
        }
    };
    let counters = format!(
        "sets_inhibit[#] = csr_write[#] & (csr_number$# == 12'd{MCOUNTINHIBIT});\n\
         sets_cycle[#] = csr_write[#] & ((csr_number$# & 12'hf7f) == 12'd{MCYCLE});\n\
         sets_instret[#] = csr_write[#] & ((csr_number$# & 12'hf7f) == 12'd{MINSTRET});\n\
         changed = (inhibit_8_# ^ new_#[8:0]) & 9'd{INHIBIT};\n\
         to_walk_# = sets_inhibit[#] ? {{changed[8:3], changed[0]}} :\n\
         {{6'd0, sets_cycle[#] & ~inhibit_8_#[0]}};\n\
         start = start | (|to_walk_#);\n\
         {inhibits}\
         if (sets_instret[#]) counts[#] = 1'b0;\n"
    );
    text + &format!(
        "reg [{top}:0] sets_inhibit, sets_cycle, sets_instret, counts, inhibited;\n\
         reg [8:0] changed;\n\
         reg start;\n\
         always @(*) begin\n\
         {unknown}\
         changed = 9'bx;\n\
         start = 1'b0;\n\
         sets_inhibit = {t}'d0;\n\
         sets_cycle = {t}'d0;\n\
         sets_instret = {t}'d0;\n\
         {counts}\
         {when}\
         end\n",
        unknown = lanes(t, "new_# = 32'bx;\nto_walk_# = 7'bx;\n"),
        when = when("|csr_write", t, &(new + &counters)),
    )
}

/// The memories that CSR instructions, traps and mret write. Those that keep their word
/// write it again: so all of them have one condition for a simulator, and synthesis makes
/// an enable of it (Yosys: `opt_mem_feedback`).
fn storage(t: usize, build: &Build) -> String {
    let w = build.warps;
    let writes = |number: u16| format!("(csr_write[#] & (csr_number$# == 12'd{number}))");
    let mark = format!("mark_#[at_8_#] <= {} ? new_#[0] : mark_#[at_8_#];\n", writes(SPLIT));
    if !build.traps {
        return format!(
            "{}always @(posedge clock) {}{}",
            lanes(t, &memory("mark", 1, w)),
            when("|csr_write", t, &mark),
            lanes(
                t,
                "always @(*) begin mtvec$# = {30{reset & look & 1'b0}}; mepc$# = mtvec$#; end\n"
            )
        );
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
    text += "wire [1:0] status_8_# = status_#[at_8_#];\n";
    let own = |name: &str, number: u16, new: &str| {
        format!("{name}_#[at_8_#] <= {} ? {new} : {name}_#[at_8_#];\n", writes(number))
    };
    let both = |name: &str, number: u16, trapped: &str, new: &str| {
        let own = writes(number);
        format!("{name}_#[at_8_#] <= trap[#] ? {trapped} : {own} ? {new} : {name}_#[at_8_#];\n")
    };
    let stores = format!(
        "status_#[at_8_#] <= trap[#] ? {{status_8_#[0], 1'b0}} :\n\
         mret[#] ? {{1'b1, status_8_#[1]}} :\n\
         {mstatus} ? {{new_#[7], new_#[3]}} : status_8_#;\n\
         {mtvec}{mscratch}{mepc}{mcause}{mtval}{mark}",
        mstatus = writes(MSTATUS),
        mtvec = own("vector", MTVEC, "new_#[31:2]"),
        mscratch = own("scratch", MSCRATCH, "new_#"),
        mepc = both("return", MEPC, "trap_pc$#", "new_#[31:2]"),
        mcause = both("cause", MCAUSE, "{28'd0, trap_cause$#}", "new_#"),
        mtval = both("fault", MTVAL, "trap_value$#", "new_#"),
    );
    format!(
        "{}always @(posedge clock) begin\n{}{}end\n",
        lanes(t, &text),
        when("(|csr_write) | (|trap) | (|mret)", t, &stores),
        when("look", t, "mtvec$# <= vector_#[at_6_#];\nmepc$# <= return_#[at_6_#];\n"),
    )
}

/// Stage 6 of the CSRs that are no counters, and the value in stage 7.
fn plain_read(t: usize, build: &Build) -> String {
    let lane_bits = t.trailing_zeros();
    let hart = match build.warps.trailing_zeros() {
        0 => "32'd#".to_string(),
        n => format!("({{{}'d0, at_6_#}} << {lane_bits}) | 32'd#", 32 - n),
    };
    let has_counters = build.counters != Counters::None;
    let (inhibit, hold, show) = if has_counters {
        (
            format!("12'd{MCOUNTINHIBIT}: word_7_# <= {{23'd0, inhibit_#[at_6_#]}};\n"),
            "~reading & ",
            String::new(),
        )
    } else {
        let show = when("|valid_7", t, "if (valid_7[#]) old$# = word_7_#;\n");
        (
            String::new(),
            "",
            format!("always @(*) begin\n{}{show}end\n", lanes(t, "old$# = 32'd0;\n")),
        )
    };
    let traps = if build.traps {
        format!(
            "12'd{MSTATUS}: word_7_# <=\n\
             {{19'd0, 2'd3, 3'd0, status_6_#[1], 3'd0, status_6_#[0], 3'd0}};\n\
             12'd{MTVEC}: word_7_# <= {{vector_#[at_6_#], 2'd0}};\n\
             12'd{MSCRATCH}: word_7_# <= scratch_#[at_6_#];\n\
             12'd{MEPC}: word_7_# <= {{return_#[at_6_#], 2'd0}};\n\
             12'd{MCAUSE}: word_7_# <= cause_#[at_6_#];\n\
             12'd{MTVAL}: word_7_# <= fault_#[at_6_#];\n"
        )
    } else {
        format!("12'd{MSTATUS}: word_7_# <= 32'h1800;\n")
    };
    let status = if build.traps { "wire [1:0] status_6_# = status_#[at_6_#];\n" } else { "" };
    let read = format!(
        "if (read[#]) case (read_number$#)\n\
         {traps}\
         12'd{MISA}: word_7_# <= 32'd{misa};\n\
         12'd{SPLIT}: word_7_# <= {{31'd0, mark_#[at_6_#]}};\n\
         12'd{MHARTID}: word_7_# <= {hart};\n\
         {inhibit}\
         default: word_7_# <= 32'd0;\n\
         endcase\n",
        misa = build.misa,
    );
    format!(
        "reg [{top}:0] valid_7;\n\
         initial valid_7 = {t}'d0;\n\
         {declare}\
         always @(posedge clock) begin\n\
         valid_7 <= {{{t}{{{hold}1'b1}}}} & read;\n\
         {read}\
         end\n\
         {show}",
        top = t - 1,
        declare = lanes(t, &format!("reg [31:0] word_7_#;\ninitial word_7_# = 32'd0;\n{status}")),
        read = when(&format!("{hold}(|read)"), t, &read),
    )
}

/// `x`, inhibit bits and `minstret` of a lane.
fn counters(t: usize, build: &Build) -> String {
    let w = build.warps;
    let memories = memory("instret", 64, w) + "(* no_rw_check *) " + &memory("x", 64, 8 * w);
    let address = |warp: &str, k: &str| match w {
        1 => k.to_string(),
        _ => format!("{{{warp}, {k}}}"),
    };
    let one = warp_bits(build);
    let top = one - 1;
    let declare = format!(
        "{memories}\
         reg [6:0] todo_#;\n\
         reg [{top}:0] whose_#, at_7_#;\n\
         reg [11:0] number_7_#;\n\
         reg [2:0] index_7_#;\n\
         reg [63:0] x_7_#, hold_8_#, now_7_#, value_7_#, instret_7_#, shown_#;\n\
         reg [31:0] counter_7_#;\n\
         reg inhibited_7_#, is_counter_7_#;\n\
         initial begin\n\
         todo_# = 7'd0; whose_# = {one}'d0; at_7_# = {one}'d0; number_7_# = 12'd0;\n\
         index_7_# = 3'd0; x_7_# = 64'd0; hold_8_# = 64'd0; inhibited_7_# = 1'b0;\n\
         end\n\
         wire [4:0] ordinal_# = read_number$#[4:0];\n\
         wire is_event_# = (ordinal_# >= 5'd3) & (ordinal_# <= 5'd8);\n\
         wire [2:0] index_6_# = reading ? reading_index : (ordinal_# == 5'd0) ? 3'd0 :\n\
         is_event_# ? ordinal_#[2:0] - 3'd2 : 3'd{COUNTERS};\n\
         wire [{top}:0] x_warp_# = reading ? whose_# : at_6_#;\n\
         wire [8:0] inhibit_6_# = inhibit_#[at_6_#];\n\
         wire takes_6_# = reading ? |todo_# : read[#];\n\
         wire [63:0] instret_8_# = instret_#[at_8_#];\n\
         wire [63:0] next_instret_# = instret_8_# + 64'd1;\n\
         wire [63:0] cycle_8_# = csr_number$#[7] ? {{new_#, hold_8_#[31:0]}} :\n\
         {{hold_8_#[63:32], new_#}};\n"
    );
    let unknown = "now_7_# = 64'bx;\nvalue_7_# = 64'bx;\ninstret_7_# = 64'bx;\nshown_# = 64'bx;\n\
                   is_counter_7_# = 1'bx;\ncounter_7_# = 32'bx;\nold$# = 32'd0;\n";
    let now = each(|k| format!("3'd{k}: now_7_# = now_{k};\n"));
    let value = format!(
        "case (index_7_#)\n\
         {now}\
         default: now_7_# = 64'd0;\n\
         endcase\n\
         value_7_# = (index_7_# == 3'd{COUNTERS}) ? 64'd0 :\n\
         (inhibited_7_# & ~was_reading) ? x_7_# : now_7_# - x_7_#;\n\
         instret_7_# = (counts[#] & (at_7_# == at_8_#)) ? next_instret_# : instret_#[at_7_#];\n\
         shown_# = (number_7_#[4:0] == 5'd1) ? now_0 :\n\
         (number_7_#[4:0] == 5'd2) ? instret_7_# : value_7_#;\n\
         is_counter_7_# = (number_7_#[11:8] == 4'd11 | number_7_#[11:8] == 4'd12)\n\
         & (number_7_#[6:5] == 2'd0);\n\
         counter_7_# = number_7_#[7] ? shown_#[63:32] : shown_#[31:0];\n\
         if (valid_7[#]) old$# = is_counter_7_# ? counter_7_# : word_7_#;\n"
    );
    let look = format!(
        "if (takes_6_#) x_7_# <= x_#[{x_read}];\n\
         index_7_# <= index_6_#;\n\
         number_7_# <= read_number$#;\n\
         at_7_# <= at_6_#;\n\
         inhibited_7_# <= (ordinal_# == 5'd0) ? inhibit_6_#[0] : |(inhibit_6_# >> ordinal_# & 9'd1);\n",
        x_read = address("x_warp_#", "index_6_#"),
    );
    let change = format!(
        "if (writing ? todo_#[writing_index] : sets_cycle[#])\n\
         x_#[writing ? {x_walk} : {x_cycle}] <= writing ? hold_8_# : cycle_8_#;\n",
        x_walk = address("whose_#", "writing_index"),
        x_cycle = address("at_8_#", "3'd0"),
    );
    let count = "instret_#[at_8_#] <= counts[#] ? next_instret_# :\n\
                 ~sets_instret[#] ? instret_8_# :\n\
                 csr_number$#[7] ? {new_#, instret_8_#[31:0]} : {instret_8_#[63:32], new_#};\n";
    format!(
        "wire shows = (|valid_7) | was_reading;\n\
         {declare}\
         always @(*) begin\n\
         {unknown}\
         {value}\
         end\n\
         always @(posedge clock) begin\n\
         {look}{hold}{change}{inhibit}{count}{walk}{rest}\
         end\n",
        declare = lanes(t, &declare),
        unknown = lanes(t, unknown),
        value = when("shows", t, &value),
        look = when("reading | (|read)", t, &look),
        hold =
            when("shows", t, "if (valid_7[#] | (was_reading & |todo_#)) hold_8_# <= value_7_#;\n"),
        change = when("writing | (|sets_cycle)", t, &change),
        inhibit = when(
            "|sets_inhibit",
            t,
            &format!(
                "inhibit_#[at_8_#] <= sets_inhibit[#] ? new_#[8:0] & 9'd{INHIBIT} : inhibit_8_#;\n"
            )
        ),
        count = when("(|counts) | (|sets_instret)", t, count),
        walk = when(
            "start",
            t,
            "if (|to_walk_#) begin\ntodo_# <= to_walk_#;\nwhose_# <= at_8_#;\nend\n"
        ),
        rest = when(
            &format!("step == 4'd{LAST_STEP} | reset"),
            t,
            &format!("todo_# <= 7'd0;\nwhose_# <= {one}'d0;\n")
        ),
    )
}
