//! The Verilog of the CSR file: what is common to all lanes, then the lanes.
//!
//! What happens seldom stands below one condition for all lanes, not one in each: a
//! simulator then passes it by.
//!
//! Long, because it is one text: a process for the sequencer, and what it does in each step
//! in every lane.

use super::state::{Build, COUNTERS, kind, step, word};
use crate::config::Counters;
use crate::core::control::csr_op;
use crate::core::text::{concat, lanes};
use crate::isa::csr::*;
use crate::rtl::address_bits;

/// The body of the module. `instret` is in the words of that at power-up.
pub fn text(t: usize, build: &Build, instret: [u32; 2]) -> String {
    let mut text = declare(t, build);
    text += &control(t, build);
    text += &sequence(t, build);
    if build.serial {
        text += &turns(t, build);
    }
    text += &match build.has_counters() {
        true => counts(t, build) + &now(),
        false => "always @(*) hold = reset & 1'b0;\n".to_string(),
    };
    text += &lane_steps(t, build, instret);
    text += &vectors(t, build);
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

/// The bits of a warp's number, at least one.
fn warp_bits(build: &Build) -> usize {
    (build.warps.trailing_zeros() as usize).max(1)
}

/// The bits of a warp's number that exist.
fn warp_of(build: &Build, name: &str) -> String {
    match build.warps {
        1 => "1'd0".to_string(),
        _ => format!("{name}[{}:0]", warp_bits(build) - 1),
    }
}

/// Address of word `at` of the warp, and serially of the lane, that it is about.
fn address(t: usize, build: &Build, at: &str) -> String {
    let at = format!("{at}[{}:0]", word_bits(build) - 1);
    let warp = if build.warps == 1 { "" } else { ", warp_now" };
    let lane = if lane_bits(t, build) == 0 { "" } else { ", lane_now" };
    match (warp, lane) {
        ("", "") => at,
        _ => format!("{{{at}{warp}{lane}}}"),
    }
}

/// Bits of a lane's number in an address.
fn lane_bits(t: usize, build: &Build) -> usize {
    if build.serial { t.trailing_zeros() as usize } else { 0 }
}

/// Lanes that make a step at a time: so many sets of registers there are.
fn at_once(t: usize, build: &Build) -> usize {
    if build.serial { 1 } else { t }
}

fn word_bits(build: &Build) -> usize {
    if build.has_counters() { 5 } else { 3 }
}

fn declare(t: usize, build: &Build) -> String {
    let top = t - 1;
    let one = warp_bits(build);
    let mut turns = String::new();
    if build.serial {
        let bits = lane_bits(t, build).max(1);
        turns = format!(
            "reg [2:0] turn, next_turn;\n\
             reg [{top}:0] rest, chosen;\n\
             reg [{}:0] lane_now;\n\
             reg live;\n\
             reg [31:0] handed;\n\
             {}\
             initial begin\n\
             turn = 3'd0; rest = {t}'d0; chosen = {t}'d0; lane_now = {bits}'d0; live = 1'b0;\n\
             handed = 32'd0;\n\
             {}\
             end\n\
             wire finds = turn == 3'd1;\n\
             wire picks = turn == 3'd2;\n\
             wire aims = turn == 3'd3;\n\
             wire lanes_left = |rest;\n\
             wire lane_done = (turn == 3'd4) & (step == 5'd{});\n",
            bits - 1,
            lanes(t, "reg [31:0] came_#;\n"),
            lanes(t, "came_# = 32'd0;\n"),
            step::IDLE,
        );
        if build.has_counters() {
            let bits = build.count_bits;
            turns += "reg takes_counts, sweeps_counts;\n\
                      initial begin takes_counts = 1'b0; sweeps_counts = 1'b0; end\n";
            turns += &lanes(
                t,
                &format!("reg [{}:0] saved_#;\ninitial saved_# = {bits}'d0;\n", bits - 1),
            );
            turns += &format!("reg [{}:0] kept_0;\n", bits - 1);
        }
    }
    let mut text = lanes(at_once(t, build), "reg [31:0] held_#, acc_#, read_#, shown_#;\n");
    text += &format!(
        "integer at;\n\
         reg [4:0] step, follows, next_step;\n\
         reg [1:0] kind_now, op_now, op_step;\n\
         reg [{wtop}:0] warp_now;\n\
         reg [{top}:0] lanes_now;\n\
         reg [11:0] number_now;\n\
         reg writes_now, wants_now, in_memory, is_counter, is_hart, begun, decoding;\n\
         reg [4:0] word_now, word_first, word_next, read_word, write_word;\n\
         reg [31:0] mask_now, base;\n\
         reg [2:0] counter;\n\
         reg [29:0] pc_now;\n\
         reg [3:0] cause_now;\n\
         reg use_read, use_acc, subtract, is_top, write_sum, adds_lane, is_status, reading;\n\
         reg keep_carry, load_acc, writing, if_changed, takes_low, takes_high, takes_pc, holds;\n\
         initial begin\n\
         step = 5'd0; kind_now = 2'd0; op_now = 2'd0; warp_now = {one}'d0; lanes_now = {t}'d0;\n\
         number_now = 12'd0; writes_now = 1'b0; wants_now = 1'b0; in_memory = 1'b0;\n\
         is_counter = 1'b0; is_hart = 1'b0; word_now = 5'd0; word_first = 5'd0; mask_now = 32'd0; base = 32'd0;\n\
         counter = 3'd0; pc_now = 30'd0; cause_now = 4'd0; begun = 1'b0; decoding = 1'b0;\n\
         use_read = 1'b0; use_acc = 1'b0; subtract = 1'b0; is_top = 1'b0; write_sum = 1'b0;\n\
         adds_lane = 1'b0; is_status = 1'b0; op_step = 2'd0; read_word = 5'd0; write_word = 5'd0;\n\
         reading = 1'b0; keep_carry = 1'b0; load_acc = 1'b0; writing = 1'b0; if_changed = 1'b0;\n\
         takes_low = 1'b0; takes_high = 1'b0; takes_pc = 1'b0; holds = 1'b0;\n\
         end\n\
         wire idle = ~busy;\n\
         reg is_done;\n\
         initial is_done = 1'b0;\n\
         wire begins = idle & start;\n\
         wire is_high = number_now[7];\n\
         wire is_machine = ~number_now[10];\n\
         initial begin busy = 1'b0; ready = 1'b0; end\n\
         {turns}",
        wtop = one - 1,
    );
    if build.has_counters() {
        let snap = each(|k| format!("3'd{k}: counter_now = now_{k};\n"));
        text += &each(|k| format!("reg [63:0] now_{k};\n"));
        // The time is that of counter 0.
        let which = match build.serial {
            true => "(ordinal <= 5'd1) ? 3'd0 : ~has_x ? 3'd7 : ordinal[2:0] - 3'd2",
            false => "~has_x ? 3'd7 : (ordinal == 5'd0) ? 3'd0 : ordinal[2:0] - 3'd2",
        };
        text += &format!(
            "reg [63:0] snap, counter_now;\n\
             reg urgent, half, is_instret, is_time, sets_instret, sets_inhibit, sweep_now;\n\
             reg [{waited_top}:0] waited;\n\
             initial begin\n\
             snap = 64'd0; urgent = 1'b0; half = 1'b0; waited = {drain_bits}'d0; is_instret = 1'b0;\n\
             is_time = 1'b0; sets_instret = 1'b0; sets_inhibit = 1'b0; sweep_now = 1'b0;\n\
             end\n\
             wire in_block = ((number[11:8] == 4'd11) | (number[11:8] == 4'd12))\n\
             & (number[6:5] == 2'd0);\n\
             wire [4:0] ordinal = number[4:0];\n\
             wire is_event = (ordinal >= 5'd3) & (ordinal <= 5'd8);\n\
             wire has_x = in_block & (is_event | (ordinal == 5'd0));\n\
             wire [2:0] which = {which};\n\
             always @(*) begin\n\
             counter_now = 64'd0;\n\
             case (counter)\n\
             {snap}\
             default: counter_now = 64'd0;\n\
             endcase\n\
             hold = urgent;\n\
             end\n",
            waited_top = build.drain_bits() - 1,
            drain_bits = build.drain_bits(),
        );
    }
    text
}

/// What each step makes of the registers of the lanes: registers themselves, by the step that
/// follows this one. They do not know which step follows `IDLE` or `DONE`: so the first step of
/// all kinds reads a word, as `DONE` does, whether it needs it or not.
fn control(t: usize, build: &Build) -> String {
    // 8 + 2 * counter, and the word after.
    let x = "{counter[2], ~counter[2], counter[1:0], 1'b0}";
    let x_high = "{counter[2], ~counter[2], counter[1:0], 1'b1}";
    let set = csr_op::WRITE;
    let read = |at: &str| format!("reading <= 1'b1; read_word <= {at}; ");
    let write = |at: &str| format!("writing <= 1'b1; write_word <= {at}; ");
    let sum = |at: &str| format!("write_sum <= 1'b1; {}", write(at));
    let mut rows: Vec<(u64, String)> = Vec::new();
    let number = |at: u64| format!("5'd{at}");
    let sub = "use_read <= 1'b1; subtract <= 1'b1; ";
    rows.push((step::READ, "holds <= 1'b1; ".into()));
    rows.push((
        step::SHOW,
        "use_read <= in_memory; adds_lane <= is_hart; load_acc <= 1'b1; ".into(),
    ));
    let mut done = "write_word <= word_now; ".to_string();
    let (mut writes, mut clock) = ("writes_now & in_memory", "");
    // What is added to what is read: of what is decoded, and of a step. One of them at a time, so
    // that an OR joins them.
    let mut bases = vec![
        ("decoding & is_status_csr".to_string(), "32'h1800".to_string()),
        ("decoding & is_isa".into(), format!("32'd{}", build.misa)),
    ];
    let mut sums: Vec<(String, String)> = Vec::new();
    if build.has_counters() {
        let (lo, hi) = (number(word::INSTRET), number(word::INSTRET + 1));
        let (low, high) = ("takes_low <= 1'b1; ", "takes_high <= 1'b1; ");
        let top = "is_top <= 1'b1; ";
        rows.push((step::COUNTER, read(x)));
        rows.push((step::STANDS, read(x_high) + low));
        let first = format!("{sub}keep_carry <= 1'b1; {high}");
        rows.push((step::LOW, format!("{first}load_acc <= ~is_high; ")));
        rows.push((step::HIGH, format!("{sub}{top}load_acc <= is_high; ")));
        rows.push((step::INSTRET, read(&hi)));
        rows.push((
            step::ADD_LOW,
            format!(
                "use_read <= 1'b1; use_acc <= 1'b1; keep_carry <= 1'b1; load_acc <= 1'b1; {}",
                sum(&lo)
            ),
        ));
        rows.push((
            step::ADD_HIGH,
            format!("use_read <= 1'b1; {top}load_acc <= is_high; {}", sum(&hi)),
        ));
        // What `SET` needs is there, too; its own read is that of the other half.
        done =
            format!("{}{low}write_word <= in_memory ? word_now : is_high ? {hi} : {lo}; ", read(x));
        writes = "(writes_now & in_memory) | sets_instret";
        rows.push((step::OLD_LOW, format!("{first}load_acc <= 1'b1; ")));
        rows.push((step::OLD_HIGH, format!("{sub}{top}load_acc <= ~is_high; {low}")));
        rows.push((
            step::NEW_LOW,
            format!(
                "subtract <= 1'b1; keep_carry <= 1'b1; op_step <= is_high ? 2'd0 : 2'd{set}; \
                 {}{high}",
                sum(x)
            ),
        ));
        rows.push((
            step::NEW_HIGH,
            format!("subtract <= 1'b1; {top}op_step <= is_high ? 2'd{set} : 2'd0; {}", sum(x_high)),
        ));
        rows.push((step::WALK_READ, read(x)));
        rows.push((step::WALK_WAIT, read(x_high) + low));
        let walk = "op_step <= op_now; if_changed <= 1'b1; ";
        rows.push((step::WALK_LOW, format!("{first}{walk}{}", sum(x))));
        rows.push((step::WALK_HIGH, format!("{sub}{top}{walk}{}", sum(x_high))));
        clock = "wire is_clock = decoding & is_time & ~(is_status_csr | is_isa | is_id);\n";
        let now = if build.serial { "snap" } else { "now_0" };
        bases.push(("is_clock & is_high".into(), format!("{now}[63:32]")));
        bases.push(("is_clock & ~is_high".into(), format!("{now}[31:0]")));
        sums.push(("takes_low".into(), "snap[31:0]".into()));
        sums.push(("takes_high".into(), "snap[63:32]".into()));
    }
    rows.push((step::DONE, format!("op_step <= op_now; {done}")));
    if build.traps {
        let cause = read(&number(word::STATUS)) + &sum(&number(word::CAUSE));
        rows.push((step::TRAP_CAUSE, format!("takes_pc <= 1'b1; {cause}")));
        rows.push((step::TRAP_RETURN, sum(&number(word::RETURN))));
        rows.push((
            step::TRAP_FAULT,
            format!(
                "use_read <= 1'b1; load_acc <= 1'b1; op_step <= 2'd{set}; {}",
                write(&number(word::FAULT))
            ),
        ));
        rows.push((step::STATUS, format!("is_status <= 1'b1; {}", write(&number(word::STATUS)))));
        rows.push((step::RETURN_STATUS, "use_read <= 1'b1; load_acc <= 1'b1; ".into()));
        let begins = format!("begun & (kind_now == 2'd{})", kind::TRAP);
        sums.insert(0, (begins, "{28'd0, cause_now}".into()));
        sums.insert(1, ("takes_pc".into(), "{pc_now, 2'd0}".into()));
    }
    let rows = before(build, &rows);
    let hart = match build.warps {
        1 => "32'd0".to_string(),
        _ => format!("{{{}'d0, warp_now}} << {}", 32 - warp_bits(build), t.trailing_zeros()),
    };
    bases.push(("decoding & is_id".into(), hart));
    bases.extend(sums.into_iter().map(|(when, value)| (format!("~decoding & {when}"), value)));
    let base: Vec<String> =
        bases.iter().map(|(when, value)| format!("({{32{{{when}}}}} & ({value}))")).collect();
    let base = base.join("\n| ");
    let (reads, mut place, mut first) =
        ("reading | begun", "read_word".to_string(), "word_first".to_string());
    let mut reads = reads.to_string();
    if build.has_counters() {
        let sweep = format!("(step == 5'd{})", step::SWEEP);
        reads += &format!(" | {sweep}");
        place = format!("read_word | {{4'd0, step == 5'd{}}}", step::SET);
        first = format!(
            "({sweep} | is_instret) ? 5'd{} : is_counter ? 5'd{} : {first}",
            word::INSTRET,
            word::INHIBIT
        );
        first = format!("({sweep} | decoding) ? ({first}) : 5'd{}", word::STATUS);
    } else {
        first = format!("decoding ? {first} : 5'd{}", word::STATUS);
    }
    format!(
        "wire reads = {reads};\n\
         wire [4:0] first_word = {first};\n\
         wire [4:0] read_place = reading ? {place} : first_word;\n\
         wire do_write = writing | (is_done & ({writes}));\n\
         wire is_status_csr = number_now == 12'd{MSTATUS};\n\
         wire is_isa = number_now == 12'd{MISA};\n\
         wire is_id = number_now == 12'd{MHARTID};\n\
         {clock}\
         always @(posedge clock) begin\n\
         use_read <= 1'b0; use_acc <= 1'b0; subtract <= 1'b0; is_top <= 1'b0;\n\
         write_sum <= 1'b0; adds_lane <= 1'b0; is_status <= 1'b0; op_step <= 2'd0;\n\
         reading <= 1'b0; read_word <= 5'd{status}; writing <= 1'b0; write_word <= 5'd0;\n\
         keep_carry <= 1'b0; load_acc <= 1'b0; if_changed <= 1'b0;\n\
         takes_low <= 1'b0; takes_high <= 1'b0; takes_pc <= 1'b0; holds <= 1'b0;\n\
         case (step)\n\
         {rows}\
         default: ;\n\
         endcase\n\
         if (reset) writing <= 1'b0;\n\
         if (~holds) base <= {base};\n\
         end\n",
        status = word::STATUS,
    )
}

/// The rows of steps, each below the steps that may come before it.
fn before(build: &Build, rows: &[(u64, String)]) -> String {
    let mut texts = vec![String::new(); 32];
    let no_sweep = format!("kind_now != 2'd{}", kind::SWEEP);
    for (at, text) in rows {
        let from: &[(u64, &str)] = match *at {
            step::READ if build.has_counters() => &[(step::DECODE, "~is_counter & ~is_instret")],
            step::COUNTER => &[(step::DECODE, "is_counter")],
            step::INSTRET => &[(step::DECODE, "~is_counter & is_instret"), (step::SWEEP, "")],
            step::DONE => {
                &[(step::SHOW, ""), (step::HIGH, ""), (step::ADD_HIGH, &no_sweep), (step::DONE, "")]
            }
            step::STATUS => &[(step::TRAP_FAULT, ""), (step::RETURN_STATUS, "")],
            at => &[(at - 1, "")],
        };
        for (from, condition) in from {
            texts[*from as usize] += &match *condition {
                "" => text.clone(),
                condition => format!("if ({condition}) begin {text}end\n"),
            };
        }
    }
    let texts = texts.iter().enumerate().filter(|(_, text)| !text.is_empty());
    texts.map(|(at, text)| format!("5'd{at}: begin {text}end\n")).collect()
}

/// The first step of an access, a trap, a return or a sweep.
fn first_step(build: &Build, kind: &str) -> String {
    let mut first = format!("5'd{}", step::DECODE);
    if build.traps {
        first = format!(
            "({kind} == 2'd{}) ? 5'd{} : ({kind} == 2'd{}) ? 5'd{} : {first}",
            kind::TRAP,
            step::TRAP,
            kind::MRET,
            step::RETURN
        );
    }
    if build.serial && build.has_counters() {
        first = format!("({kind} == 2'd{}) ? 5'd{} : {first}", kind::SWEEP, step::SWEEP);
    }
    first
}

/// The next step, and the registers common to all lanes.
fn sequence(t: usize, build: &Build) -> String {
    let row = |at: u64, text: &str| format!("5'd{at}: follows = {text};\n");
    let to = |at: u64| format!("5'd{at}");
    let (idle, done) = (to(step::IDLE), to(step::DONE));
    let mut rows = String::new();
    let first = first_step(build, if build.serial { "kind_now" } else { "kind" });
    rows += &row(step::SHOW, &done);
    if build.traps {
        rows += &row(step::STATUS, &idle);
        rows += &row(step::RETURN_STATUS, &to(step::STATUS));
    }
    let (mut rest, mut after, mut counters, mut sweeps) =
        (idle.clone(), idle.clone(), String::new(), String::new());
    let (mut wakes, mut goes_on, mut begin) = ("1'b0".to_string(), "1'b0", String::new());
    // The steps before `DONE`, and those before `IDLE`.
    let mut enters = format!("(step == 5'd{})", step::SHOW);
    let mut ends = format!("(step == 5'd{})", step::STATUS);
    if build.has_counters() {
        wakes = format!("waited == {}'d{}", build.drain_bits(), build.drain);
        rest = format!("({wakes}) ? 5'd{} : {idle}", step::SWEEP);
        goes_on = "sets_cycle | walks";
        after = format!("sets_cycle ? 5'd{} : walks ? 5'd{} : {idle}", step::SET, step::WALK);
        rows += &row(
            step::DECODE,
            &format!(
                "is_counter ? 5'd{} : is_instret ? 5'd{} : 5'd{}",
                step::COUNTER,
                step::INSTRET,
                step::READ
            ),
        );
        let last = build.warps - 1;
        let bits = warp_bits(build);
        enters += &format!(
            " | (step == 5'd{}) | ((step == 5'd{}) & (kind_now != 2'd{}))",
            step::HIGH,
            step::ADD_HIGH,
            kind::SWEEP
        );
        let all_warps = match build.serial {
            true => String::new(),
            false => format!(" & (warp_now == {bits}'d{last})"),
        };
        ends += &format!(
            " | (step == 5'd{}) | ((step == 5'd{}) & (counter == 3'd{})) |\n\
             ((step == 5'd{}) & (kind_now == 2'd{}){all_warps})",
            step::NEW_HIGH,
            step::WALK_HIGH,
            COUNTERS - 1,
            step::ADD_HIGH,
            kind::SWEEP
        );
        rows += &row(step::HIGH, &done);
        rows += &row(
            step::ADD_HIGH,
            &match build.serial {
                true => format!("(kind_now != 2'd{}) ? {done} : {idle}", kind::SWEEP),
                false => format!(
                    "(kind_now != 2'd{}) ? {done} :\n(warp_now == {bits}'d{last}) ? {idle} : 5'd{}",
                    kind::SWEEP,
                    step::SWEEP
                ),
            },
        );
        rows += &row(step::NEW_HIGH, &idle);
        rows += &row(
            step::WALK_HIGH,
            &format!("(counter == 3'd{}) ? {idle} : 5'd{}", COUNTERS - 1, step::WALK),
        );
        rows += &row(step::SWEEP, &to(step::INSTRET));
        counters = format!(
            "if (is_done & walks) counter <= 3'd0;\n\
             if (step == 5'd{walk_high}) counter <= counter + 3'd1;\n\
             if ({snaps} | (step == 5'd{walk})) snap <= counter_now;\n\
             sweep_now <= ~reset & (step == 5'd{sweep});\n",
            snaps = if build.serial { "finds" } else { "decoding" },
            walk = step::WALK,
            walk_high = step::WALK_HIGH,
            sweep = step::SWEEP,
        );
        begin = format!(
            "counter <= which;\n\
             is_counter <= has_x;\n\
             is_instret <= in_block & (ordinal == 5'd2);\n\
             is_time <= in_block & (ordinal == 5'd1);\n\
             sets_instret <= writes & in_block & (ordinal == 5'd2) & ~number[10];\n\
             sets_inhibit <= writes & (number == 12'd{MCOUNTINHIBIT});\n"
        );
        let next_warp = match build.warps {
            1 => "1'd0".to_string(),
            _ => format!("warp_now + {bits}'d1"),
        };
        sweeps = format!(
            "if (idle & ~start & ({wakes})) begin\n\
             kind_now <= 2'd{kind};\n\
             warp_now <= {bits}'d0;\n\
             lanes_now <= {{{t}{{1'b1}}}};\n\
             end\n\
             if ({swept} & (kind_now == 2'd{kind})) warp_now <= {next_warp};\n",
            swept = match build.serial {
                true => "lane_done & ~lanes_left".to_string(),
                false => format!("(step == 5'd{})", step::ADD_HIGH),
            },
            kind = kind::SWEEP,
        );
    }
    let plain: String = build
        .plain()
        .into_iter()
        .map(|(csr, _, _)| format!("12'd{csr}: in_memory <= 1'b1;\n"))
        .collect();
    let masks: String = build
        .plain()
        .into_iter()
        .filter(|(.., mask)| *mask != !0)
        .map(|(_, word, mask)| format!("5'd{word}: mask_now <= 32'd{mask};\n"))
        .collect();
    let words: String = build
        .plain()
        .into_iter()
        .map(|(csr, word, _)| format!("12'd{csr}: word_next = 5'd{word};\n"))
        .collect();
    let tests = match build.has_counters() {
        true => format!(
            "wire sets_cycle = writes_now & is_counter & (counter == 3'd0) & is_machine;\n\
             wire walks = writes_now & in_memory & (word_now == 5'd{});\n",
            word::INHIBIT
        ),
        false => String::new(),
    };
    // All others are followed by the next.
    let others: String = (step::DECODE..step::SWEEP)
        .filter(|at| *at != step::DONE && !rows.contains(&format!("5'd{at}: ")))
        .map(|at| row(at, &to(at + 1)))
        .collect();
    // Serially a lane begins in its turn, and is not held up by who takes the values.
    let (begins, stays) = match build.serial {
        true => (format!("if (step == {idle}) next_step = aims ? ({first}) : {idle};\n"), "1'b0"),
        false => {
            (format!("if (idle) next_step = start ? ({first}) : ({rest});\n"), "wants_now & ~take")
        }
    };
    let (begun, decoding, ready, busy) = match build.serial {
        true => (
            format!("aims & (kind_now != 2'd{})", kind::SWEEP),
            "aims".to_string(),
            "next_turn == 3'd5".to_string(),
            "(next_turn != 3'd0)".to_string(),
        ),
        false => (
            "begins".to_string(),
            "begins".to_string(),
            format!("wants_now & (is_done ? ~take : {enters})"),
            format!(
                "(idle ? start | ({wakes}) :\n\
                 is_done ? (wants_now & ~take) | ({goes_on}) : ~({ends}))"
            ),
        ),
    };
    let serial = match build.serial {
        true => format!(
            "wire decodes_now = ({first}) == 5'd{};\n\
             wire wakes = {wakes};\n",
            step::DECODE
        ),
        false => String::new(),
    };
    format!(
        "{tests}{serial}\
         always @(*) begin\n\
         follows = {idle};\n\
         case (step)\n\
         {rows}\
         {others}\
         default: follows = {idle};\n\
         endcase\n\
         next_step = follows;\n\
         {begins}\
         if (is_done) next_step = ({stays}) ? {done} : ({after});\n\
         word_next = 5'd0;\n\
         case (number)\n\
         {words}\
         default: ;\n\
         endcase\n\
         end\n\
         always @(posedge clock) begin\n\
         step <= next_step;\n\
         begun <= ~reset & {begun};\n\
         decoding <= ~reset & {decoding} & (({first}) == 5'd{decode});\n\
         if (begun) mask_now <= 32'hffffffff;\n\
         if ((step == 5'd{read}) & in_memory)\n\
         case (word_now)\n\
         {masks}\
         default: ;\n\
         endcase\n\
         if (decoding) begin\n\
         in_memory <= 1'b0;\n\
         word_now <= word_first;\n\
         is_hart <= number_now == 12'd{MHARTID};\n\
         case (number_now)\n\
         {plain}\
         default: ;\n\
         endcase\n\
         end\n\
         {counters}\
         if (idle) begin\n\
         kind_now <= kind;\n\
         op_now <= op;\n\
         warp_now <= {warp};\n\
         lanes_now <= start_lanes;\n\
         writes_now <= writes;\n\
         wants_now <= wants;\n\
         pc_now <= trap_pc;\n\
         cause_now <= trap_cause;\n\
         {begin}\
         end\n\
         if (idle) word_first <= word_next;\n\
         if (begins) number_now <= number;\n\
         {sweeps}\
         busy <= ~reset & {busy};\n\
         is_done <= ~reset & (is_done ? {stays} : {enters});\n\
         ready <= ~reset & {ready};\n\
         if (reset) step <= {idle};\n\
         end\n",
        decode = step::DECODE,
        read = step::READ,
        warp = warp_of(build, "start_warp"),
    )
}

/// One lane after the other: whose turn it is, what each came with, and what it gets.
fn turns(t: usize, build: &Build) -> String {
    let bits = lane_bits(t, build).max(1);
    let sweeps = match build.has_counters() {
        true => format!("(kind_now == 2'd{})", kind::SWEEP),
        false => "1'b0".to_string(),
    };
    let number: String = (0..bits)
        .map(|bit| {
            let lanes = (0..t).filter(|lane| lane >> bit & 1 != 0);
            let lanes: Vec<_> = lanes.map(|lane| format!("chosen[{lane}]")).collect();
            match lanes.is_empty() {
                true => format!("lane_now[{bit}] <= 1'b0;\n"),
                false => format!("lane_now[{bit}] <= {};\n", lanes.join(" | ")),
            }
        })
        .collect();
    // All lanes hear of these two, so they are registers: a CSR access finds its first lane, and a
    // sweep picks it.
    let kept = match build.has_counters() {
        true => format!(
            "always @(posedge clock) begin\n\
             takes_counts <= ~reset & begins & (({decodes}) == 5'd{decode});\n\
             sweeps_counts <= ~reset & finds & {sweeps};\n\
             end\n\
             wire keeps = takes_counts | sweeps_counts;\n\
             always @(posedge clock) begin\n{}end\n\
             always @(*) begin\nkept_0 = {}'d0;\n{}end\n",
            when("keeps", t, "saved_# <= value_9_#;\n"),
            build.count_bits,
            lanes(t, &format!("if (lane_now == {bits}'d#) kept_0 = saved_#;\n")),
            decodes = first_step(build, "kind"),
            decode = step::DECODE,
        ),
        false => String::new(),
    };
    format!(
        "wire sweeps_on = {sweeps}{not_last};\n\
         always @(*) begin\n\
         next_turn = turn + 3'd1;\n\
         if (turn == 3'd0) next_turn = (start | wakes) ? 3'd1 : 3'd0;\n\
         if (turn == 3'd4) next_turn = ~lane_done ? 3'd4 : (wants_now & decodes_now) ? 3'd5 :\n\
         lanes_left ? 3'd2 : sweeps_on ? 3'd1 : 3'd6;\n\
         if (turn == 3'd5) next_turn = ~take ? 3'd5 : lanes_left ? 3'd2 : 3'd6;\n\
         end\n\
         always @(posedge clock) begin\n\
         turn <= reset ? 3'd0 : next_turn;\n\
         chosen <= rest & ~(rest - {t}'d1);\n\
         if (idle) rest <= start ? start_lanes : {{{t}{{1'b1}}}};\n\
         if (picks) begin\n\
         live <= lanes_left;\n\
         rest <= rest & ~chosen;\n\
         {number}\
         end\n\
         if (lane_done & ~lanes_left & {sweeps}) rest <= {{{t}{{1'b1}}}};\n\
         {came}\
         if (is_done) handed <= acc_0;\n\
         end\n\
         {shown}\
         always @(*) begin\n\
         part$0 = (ready & live) ? {t}'d1 << lane_now : {t}'d0;\n\
         last$0 = ready & ~lanes_left;\n\
         end\n\
         reg [31:0] came_now;\n\
         always @(*) begin\n\
         came_now = 32'd0;\n\
         {come}\
         end\n\
         {kept}",
        not_last = match build.warps {
            1 => " & 1'b0".to_string(),
            n => format!(" & (warp_now != {}'d{})", warp_bits(build), n - 1),
        },
        came = when("idle", t, &format!("came_# <= {};\n", operand(build))),
        shown = lanes(t, "always @(*) result$# = handed;\n"),
        come = lanes(t, &format!("if (lane_now == {bits}'d#) came_now = came_#;\n")),
    )
}

/// What a lane comes with.
fn operand(build: &Build) -> String {
    match build.traps {
        true => format!("(kind == 2'd{}) ? trap_value$# : operand$#", kind::TRAP),
        false => "operand$#".to_string(),
    }
}

/// The memory and the registers of each lane. What a step writes is in memory a cycle later, out of
/// registers; no step reads what the one before it wrote.
fn lane_steps(t: usize, build: &Build, instret: [u32; 2]) -> String {
    // What is in a memory of each word.
    let each = if build.serial { build.warps * t } else { build.warps };
    let (depth, first) = (build.words() * each, word::INSTRET as usize * each);
    let mut initial = format!("for (at = 0; at < {depth}; at = at + 1) memory_#[at] = 32'd0;\n");
    if instret != [0; 2] {
        for (i, value) in instret.into_iter().enumerate() {
            let from = first + i * each;
            initial += &format!(
                "for (at = {from}; at < {}; at = at + 1) memory_#[at] = 32'd{value};\n",
                from + each
            );
        }
    }
    let (writes, lane) = match (build.serial, lane_bits(t, build)) {
        (false, _) => ("lanes_now[#]", "32'd#".to_string()),
        (true, bits) => ("live", format!("{{{}'d0, lane_now}}", 32 - bits.max(1))),
    };
    let counters = build.has_counters();
    let (minus, stands, sum) = if counters {
        (
            "wire minus_# = subtract & ~stands_#;\n",
            "reg carry_#, stands_#;\ninitial begin carry_# = 1'b0; stands_# = 1'b0; end\n",
            "wire [33:0] total_# = {1'b0, first_#, 1'b1}\n\
             + {1'b0, second_#, is_top ? carry_# : minus_#};\n\
             wire [31:0] sum_# = total_#[32:1];\n",
        )
    } else {
        ("", "", "wire [31:0] sum_# = first_# | second_#;\n")
    };
    let first_addend =
        if counters { "use_acc ? acc_# : stands_# ? 32'd0 : base_#" } else { "base_#" };
    let second_addend = if counters {
        "(use_read ? shown_# : new_#) ^ {32{minus_#}}"
    } else {
        "use_read ? shown_# : new_#"
    };
    let changed = if counters {
        format!(
            "wire [31:0] change_# = acc_# ^ new_#;\n\
             wire [7:0] changes_# = {{1'b0, change_#[8:3], change_#[0]}};\n\
             wire [7:0] inhibits_# = {{1'b0, shown_#[8:3], shown_#[0]}};\n\
             wire writes_# = {writes} & do_write & (~if_changed | changes_#[counter]);\n"
        )
    } else {
        format!("wire writes_# = {writes} & do_write;\n")
    };
    let data = if build.traps {
        format!(
            "wire [31:0] data_# = is_status ?\n\
             {{24'd0, (kind_now == 2'd{trap}) ? acc_#[3] : 1'b1, 3'd0,\n\
             (kind_now == 2'd{trap}) ? 1'b0 : acc_#[7], 3'd0}} :\n\
             write_sum ? sum_# : new_# & mask_now;\n",
            trap = kind::TRAP,
        )
    } else {
        "wire [31:0] data_# = write_sum ? sum_# : new_# & mask_now;\n".to_string()
    };
    let declare = format!(
        "(* no_rw_check *) reg [31:0] memory_# [0:{last}];\n\
         reg writes_9_#;\n\
         reg [31:0] data_9_#;\n\
         {stands}\
         initial begin\n\
         {initial}\
         held_# = 32'd0; acc_# = 32'd0; read_# = 32'd0; shown_# = 32'd0;\n\
         writes_9_# = 1'b0; data_9_# = 32'd0;\n\
         end\n\
         wire [31:0] base_# = base | {{32{{adds_lane}}}} & {lane};\n\
         wire [31:0] new_# = (op_step == 2'd{write}) ? held_# :\n\
         (op_step == 2'd{set}) ? acc_# | held_# :\n\
         (op_step == 2'd{clear}) ? acc_# & ~held_# : acc_#;\n\
         {minus}\
         wire [31:0] first_# = {first_addend};\n\
         wire [31:0] second_# = {second_addend};\n\
         {sum}\
         {changed}\
         {data}\
         {result}",
        result = if build.serial { "" } else { "always @(*) result$# = acc_#;\n" },
        last = depth - 1,
        write = csr_op::WRITE,
        set = csr_op::SET,
        clear = csr_op::CLEAR,
    );
    let mut registers = "shown_# <= read_#;\nif (load_acc) acc_# <= sum_#;\n".to_string();
    if counters {
        registers += &format!(
            "else if (begun | sweep_now)\n\
             acc_# <= {{{rest}'d0, {value}_# & {{{bits}{{sweep_now | (decoding & is_instret)}}}}}};\n\
             if (keep_carry) carry_# <= total_#[33];\n\
             if (begun) stands_# <= 1'b0;\n\
             if (step == 5'd{stands}) stands_# <= inhibits_#[counter];\n\
             if (step == 5'd{set}) held_# <= new_#;\n",
            value = if build.serial { "kept" } else { "value_9" },
            stands = step::STANDS,
            set = step::SET,
            rest = 32 - build.count_bits,
            bits = build.count_bits,
        );
    } else {
        registers += "else if (begun) acc_# <= 32'd0;\n";
    }
    let at_once = at_once(t, build);
    let begins = match build.serial {
        true => "if (aims) held_0 <= came_now;\n".to_string(),
        false => when("idle", t, &format!("held_# <= {};\n", operand(build))),
    };
    format!(
        "{common}{declare}always @(posedge clock) begin\n\
         {steps}{begins}{reads}{writes}\
         writing_9 <= do_write;\n\
         place_9 <= {place};\n\
         end\n",
        common = format_args!(
            "reg writing_9;\nreg [{}:0] place_9;\n\
             initial begin writing_9 = 1'b0; place_9 = {}'d0; end\n",
            address_bits(depth) - 1,
            address_bits(depth),
        ),
        place = address(t, build, "write_word"),
        declare = lanes(at_once, &declare),
        steps = when("busy", at_once, &registers),
        reads = when(
            "reads",
            at_once,
            &format!("read_# <= memory_#[{}];\n", address(t, build, "read_place"))
        ),
        writes = when("do_write", at_once, "writes_9_# <= writes_#;\ndata_9_# <= data_#;\n")
            + &when("writing_9", at_once, "if (writes_9_#) memory_#[place_9] <= data_9_#;\n"),
    )
}

/// The counts beside `minstret`: inhibited, and how many.
fn counts(t: usize, build: &Build) -> String {
    let (bits, one) = (build.count_bits, warp_bits(build));
    let top = t - 1;
    let done = if build.counters == Counters::Warp { "warp_issue" } else { "done" };
    // That there are any goes to all lanes out of a register.
    let any = build.late() && build.counters == Counters::Thread;
    let (counting, done_9) = match any {
        true => (
            format!(
                "reg any_done;\ninitial any_done = 1'b0;\n\
                 always @(posedge clock) any_done <= counted$0;\n\
                 wire [{top}:0] done_now = done_9 & {{{t}{{any_done}}}};\n"
            ),
            "done_now",
        ),
        false => (String::new(), "done_9"),
    };
    let stands = if build.counters == Counters::Warp { "" } else { " & ~stands_9_#" };
    // Serially all lanes are looked at in the turn of the first.
    let sweep = format!("(kind_now == 2'd{})", kind::SWEEP);
    let (decodes, sweeps, came, aims, ends) = match build.serial {
        true => (
            "takes_counts",
            "sweeps_counts".to_string(),
            "came",
            format!("(finds & {sweep})"),
            " & ~lanes_left",
        ),
        false => {
            ("decoding", "sweep_now".into(), "held", format!("(step == 5'd{})", step::SWEEP), "")
        }
    };
    let declare = format!(
        "reg [{bits}:0] count_# [0:{last}];\n\
         reg [{wtop}:0] lane_9_#;\n\
         initial begin\n\
         for (at = 0; at < {warps}; at = at + 1) count_#[at] = {wide}'d0;\n\
         lane_9_# = {one}'d0;\n\
         end\n\
         wire [{bits}:0] entry_# = count_#[lane_9_#];\n\
         wire [{vtop}:0] value_9_# = entry_#[{vtop}:0];\n\
         wire decodes_# = {decodes} & lanes_now[#];\n\
         wire stops_# = decodes_# & sets_inhibit & {came}_#[2] &\n\
         ((op_now == 2'd{write}) | (op_now == 2'd{set}));\n\
         wire starts_# = decodes_# & sets_inhibit &\n\
         ({came}_#[2] ? (op_now == 2'd{clear}) : (op_now == 2'd{write}));\n\
         wire stands_9_# = stops_# | (entry_#[{bits}] & ~starts_#);\n\
         wire may_count_# = {done_9}[#] & ~{sweeps} & ~(decodes_# & sets_instret);\n\
         wire counts_# = may_count_#{stands};\n\
         wire clears_# = {sweeps} | (decodes_# & is_instret);\n\
         wire [{vtop}:0] next_# = (value_9_# & {{{bits}{{~clears_#}}}}) + {{{rest}'d0, counts_#}};\n",
        last = build.warps - 1,
        warps = build.warps,
        wtop = one - 1,
        wide = bits + 1,
        vtop = bits - 1,
        rest = bits - 1,
        write = csr_op::WRITE,
        set = csr_op::SET,
        clear = csr_op::CLEAR,
    );
    let store = "if (counts_# | clears_# | (decodes_# & sets_inhibit))\n\
                 count_#[lane_9_#] <= {stands_9_#, next_#};\n";
    let full = concat(t, |i| format!("counts_{i} & value_9_{i}[{}]", bits - 1));
    let warp = match build.warps {
        1 => "1'd0".to_string(),
        _ => format!("lane_warp$#[{}:0]", one - 1),
    };
    format!(
        "reg [{top}:0] done_9;\n\
         initial done_9 = {t}'d0;\n\
         {counting}\
         {declare}\
         {half_full}\
         always @(posedge clock) begin\n\
         done_9 <= {done};\n\
         {warps}\
         {store}\
         half <= half_full;\n\
         if (half) urgent <= 1'b1;\n\
         waited <= ~urgent ? {wide}'d0 : (waited == {wide}'d{drain}) ? waited : waited + {wide}'d1;\n\
         if ((step == 5'd{add}) & (kind_now == 2'd{sweep}) & (warp_now == {one}'d{top_warp}){ends}) begin\n\
         urgent <= 1'b0;\n\
         waited <= {wide}'d0;\n\
         end\n\
         if (reset) begin\n\
         half <= 1'b0;\n\
         urgent <= 1'b0;\n\
         waited <= {wide}'d0;\n\
         end\n\
         end\n",
        declare = lanes(t, &declare),
        warps = lanes(t, &format!("lane_9_# <= ({aims} & ~reset) ? warp_now : {warp};\n")),
        store = when(&format!("(|{done_9}) | {sweeps} | {decodes}"), t, store),
        add = step::ADD_HIGH,
        sweep = kind::SWEEP,
        top_warp = build.warps - 1,
        wide = build.drain_bits(),
        drain = build.drain,
        half_full = match build.late() {
            true => format!(
                "reg [{top}:0] fulls;\ninitial fulls = {t}'d0;\n\
                 always @(posedge clock) fulls <= {full} & {{{t}{{~reset}}}};\n\
                 wire half_full = |fulls;\n"
            ),
            false => format!("wire half_full = |{full};\n"),
        },
    )
}

/// The counters of the core.
fn now() -> String {
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
        "always @(posedge clock) begin\n\
         {count}\
         if (reset) begin\n\
         {clear}\
         end\n\
         end\n",
        count = each(|k| format!("now_{k} <= now_{k} + {};\n", events[k])),
        clear = each(|k| format!("now_{k} <= 64'd0;\n")),
    )
}

/// What stage 6 reads.
fn vectors(t: usize, build: &Build) -> String {
    if !build.traps {
        return lanes(t, "always @(*) vector$# = {30{reset & look & 1'b0}};\n");
    }
    let address = |kind: &str, warp: &str| match build.warps {
        1 => kind.to_string(),
        _ => format!("{{{kind}, {warp}}}"),
    };
    let low = lane_bits(t, build);
    let place = match build.warps {
        1 => format!("place_9[{}]", low + 1),
        _ => format!(
            "{{place_9[{}], place_9[{}:{low}]}}",
            low + warp_bits(build) + 1,
            low + warp_bits(build) - 1
        ),
    };
    let writes = match (build.serial, low) {
        (false, _) => "writes_9_#".to_string(),
        (true, 0) => "writes_9_0".to_string(),
        (true, _) => format!("writes_9_0 & (place_9[{}:0] == {low}'d#)", low - 1),
    };
    let data = if build.serial { "data_9_0" } else { "data_9_#" };
    let look = address("read_return[#]", &warp_of(build, "read_warp$#"));
    // Out of the registers before the memory; `mepc` is the upper half.
    format!(
        "reg sets_vector;\n\
         initial sets_vector = 1'b0;\n\
         {declare}\
         always @(posedge clock) begin\n\
         sets_vector <= do_write &\n\
         ((write_word == 5'd{vector}) | (write_word == 5'd{back}));\n\
         {write}{read}end\n",
        vector = word::VECTOR,
        back = word::RETURN,
        declare = lanes(
            t,
            &format!(
                "reg [29:0] vectors_# [0:{}];\n\
                 initial for (at = 0; at < {n}; at = at + 1) vectors_#[at] = 30'd0;\n",
                2 * build.warps - 1,
                n = 2 * build.warps,
            )
        ),
        write =
            when("sets_vector", t, &format!("if ({writes}) vectors_#[{place}] <= {data}[31:2];\n")),
        read = when("look", t, &format!("vector$# <= vectors_#[{look}];\n")),
    )
}
