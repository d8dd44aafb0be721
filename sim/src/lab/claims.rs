//! Statements of the papers that the study of policies bears on, each with what
//! the rows show. Every number is computed from the rows.

use super::row::Counts;
use super::view::{BASE, View, geometric_mean};
use std::fmt::Write;

/// Differences below this share are called none.
const SAME: f64 = 0.01;

/// The kernels after the microbenchmarks and programs of Diamos et al.
const DIAMOS: [&str; 7] = [
    "short-circuit",
    "split-merge",
    "exception-loop",
    "exception-cond",
    "exception-call",
    "mandelbrot-early",
    "path-finding",
];

/// `kernel x 1.23` for each kernel, or `none`.
fn list(pairs: &[(&str, f64)]) -> String {
    let texts: Vec<_> = pairs.iter().map(|(k, v)| format!("{k} {v:.2}")).collect();
    if texts.is_empty() { "none".to_string() } else { texts.join(", ") }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A measure of `policy` over that of the base, where both finish.
fn against<'a>(
    view: &View<'a>,
    kernels: &[&'a str],
    policy: &str,
    f: impl Fn(&Counts) -> f64,
) -> Vec<(&'a str, f64)> {
    let ratio = |k: &&'a str| Some((*k, f(view.counts(k, policy)?) / f(view.counts(k, BASE)?)));
    kernels.iter().filter_map(ratio).collect()
}

/// Those above 1, about 1 and below 1.
fn sorted<'a>(pairs: &[(&'a str, f64)]) -> [Vec<(&'a str, f64)>; 3] {
    let of = |f: &dyn Fn(f64) -> bool| pairs.iter().copied().filter(|(_, v)| f(*v)).collect();
    [of(&|v| v > 1.0 + SAME), of(&|v| (v - 1.0).abs() <= SAME), of(&|v| v < 1.0 - SAME)]
}

struct Text(String);

impl Text {
    fn claim(&mut self, source: &str, says: &str, observed: &str) {
        let _ = write!(self.0, "- **{source}** {says}\n  *Observed:* {observed}\n");
    }
}

fn counts_of_instructions(t: &mut Text, view: &View<'_>) {
    let all = against(view, &view.kernels, "stack", |c| c.issued() as f64);
    let [more, same, fewer] = sorted(&all);
    let instructions = |c: &Counts| (c.issued() - c.replays.memory) as f64;
    let [more_bare, _, fewer_bare] = sorted(&against(view, &view.kernels, "stack", instructions));
    let mut observed = format!(
        "not everywhere. `stack` needs more passes than `depth-pc` in {} kernels ({}), the same \
         within 1 % in {}, and fewer in {} ({}). With replays for memory left out, as an \
         instruction count has them, more in {} and fewer in {} ({}).",
        more.len(),
        list(&more),
        same.len(),
        fewer.len(),
        list(&fewer),
        more_bare.len(),
        fewer_bare.len(),
        list(&fewer_bare),
    );
    if fewer.is_empty() && fewer_bare.is_empty() {
        observed = format!("yes: more passes with `stack` in {}.", list(&more));
    } else {
        observed += " There, the compiler numbers the blocks in reverse post order (section 4); \
                     here the priority is the address that clang -O2 gave to the code. In \
                     exception-loop the code behind the inner loop lies before it: threads \
                     that leave the loop early run ahead, alone, into their next item.";
    }
    let says = "TF-STACK executes the fewest dynamic instructions in all applications, 1.5 % to \
                633 % fewer than the alternatives. (`depth-pc` is its order with the call depth \
                added; `stack` is PDOM.)";
    t.claim("Diamos et al. 2011, Fig. 6.", says, &observed);

    let theirs = against(view, &DIAMOS, "stack", |c| c.issued() as f64);
    let mean = geometric_mean(theirs.iter().map(|(_, v)| *v))
        .map_or("-".to_string(), |m| format!("{m:.2}"));
    t.claim(
        "Diamos et al. 2011, section 6.4.2.",
        "A throw that is never executed degrades PDOM, not TF-STACK; a function shared by \
         divergent calls is executed together with TF-STACK.",
        &format!(
            "passes of `stack` relative to `depth-pc` in the kernels modelled on that paper: {}; \
             geometric mean {mean}.",
            list(&theirs)
        ),
    );
}

fn activity_and_memory(t: &mut Text, view: &View<'_>) {
    let lanes = view.shape.threads_per_warp;
    let all = against(view, &view.kernels, "stack", |c| c.issued() as f64);
    let idle = |k: &str| view.counts(k, "stack").is_some_and(|c| c.activity(lanes) < 0.2);
    let mean = |low: bool| {
        let gains: Vec<_> = all.iter().filter(|(k, _)| idle(k) == low).map(|(_, v)| *v).collect();
        let n = gains.len();
        let mean = geometric_mean(gains).map_or("-".to_string(), |m| format!("{m:.3}"));
        format!("{mean} over {n} kernels")
    };
    t.claim(
        "Diamos et al. 2011, Fig. 7.",
        "Applications with a very low activity factor gain most from TF-STACK.",
        &format!(
            "passes of `stack` relative to `depth-pc`, geometric mean: {} with an activity below \
             20 % under `stack`, {} with a higher one. Activity here includes passes that memory \
             serialises, which no order of traversal can avoid.",
            mean(true),
            mean(false)
        ),
    );
    let efficiency = |c: &Counts| c.memory_efficiency(lanes);
    let [worse, same, better] = sorted(&against(view, &view.kernels, "stack", efficiency));
    t.claim(
        "Diamos et al. 2011, Fig. 8.",
        "Early reconvergence improves memory efficiency too.",
        &format!(
            "`depth-pc` has the higher memory efficiency in {} kernels (`stack` relative to it: \
             {}), the same within 1 % in {}, the lower in {} ({}).",
            better.len(),
            list(&better),
            same.len(),
            worse.len(),
            list(&worse)
        ),
    );
}

fn lists(t: &mut Text, view: &View<'_>) {
    let finished = |policy: &str| {
        let counts = view.kernels.iter().filter_map(|k| Some((*k, view.counts(k, policy)?)));
        counts.collect::<Vec<_>>()
    };
    let base = finished(BASE);
    let passes: u64 = base.iter().map(|(_, c)| c.warp_instructions).sum();
    let beyond: f64 = base.iter().map(|(_, c)| c.beyond(3) * c.warp_instructions as f64).sum();
    let mut long: Vec<_> = base.iter().filter(|(_, c)| c.most_paths() > 3).collect();
    long.sort_by_key(|(k, c)| (u32::MAX - c.most_paths(), *k));
    let longest: Vec<_> =
        long.iter().take(5).map(|(k, c)| format!("{k} {}", c.most_paths())).collect();
    let often = base.iter().filter(|(_, c)| c.beyond(3) > 0.05).count();
    t.claim(
        "Diamos et al. 2011, section 5.2.",
        "The sorted stack never holds more than three entries in real workloads.",
        &format!(
            "under `depth-pc` more than three paths are live in \
             {} of all passes; {} of {} kernels exceed three at some time (most: {}), {often} of \
             them in more than 5 % of their passes. A path that memory has served in part counts \
             as two here.",
            percent(beyond / passes as f64),
            long.len(),
            base.len(),
            longest.join(", "),
        ),
    );

    let bound = view.shape.threads_per_warp.ilog2() + 1;
    let fork = finished("fork-join");
    let over: Vec<_> = fork
        .iter()
        .filter(|(_, c)| c.most_paths() > bound)
        .map(|(k, c)| format!("{k} {}", c.most_paths()))
        .collect();
    let order: Vec<_> = view
        .kernels
        .iter()
        .filter_map(|k| {
            let (a, b) = (view.counts(k, "stack")?.issued(), view.counts(k, "fork-join")?.issued());
            (a.abs_diff(b) as f64 > SAME * a as f64).then_some(*k)
        })
        .collect();
    let short = view.relative("short-circuit", "fork-join");
    let short = short.map_or(String::new(), |r| {
        format!(" short-circuit, whose blocks are shared like D there, takes {r:.2} times the passes of `depth-pc`.")
    });
    t.claim(
        "Collange & Brunie 2017, section 2.2.",
        "Minority first keeps log2(T) saved entries for one region; nothing reconverges before \
         the join, so block D of Fig. 1c is run twice.",
        &format!(
            "with the running path at most log2(T) + 1 = {bound} under `fork-join`, but for {} \
             (nested regions and calls add theirs). Number of kernels whose passes differ by more \
             than 1 % between `stack` and `fork-join`: {}: which side goes first matters little \
             when all meet at the join only.{short}",
            if over.is_empty() { "none".to_string() } else { over.join(", ") },
            order.len()
        ),
    );
}

fn fairness_and_calls(t: &mut Text, view: &View<'_>) {
    let mut stuck: Vec<_> = view
        .kernels
        .iter()
        .filter(|k| view.policies.iter().any(|p| view.counts(k, p).is_none()))
        .map(|k| {
            let finish: Vec<_> =
                view.policies.iter().filter(|p| view.counts(k, p).is_some()).copied().collect();
            let by = if finish.is_empty() { "none".to_string() } else { finish.join(", ") };
            format!("{k} only under {by}")
        })
        .collect();
    if stuck.is_empty() {
        stuck.push("every kernel here finishes under every policy".to_string());
    }
    t.claim(
        "Collange & Brunie 2017, section 2.3.",
        "Depth-first traversal deadlocks where a thread spins on a lock that another path holds; \
         breadth first is fair.",
        &format!("{}.", stuck.join("; ")),
    );
    let maven = against(view, &view.kernels, "maven", |c| c.issued() as f64);
    let [more, same, fewer] = sorted(&maven);
    t.claim(
        "Collange & Brunie 2017, section 2.4.",
        "The lowest PC alone cannot arbitrate between functions; call depth first does.",
        &format!(
            "`maven` needs more passes than `depth-pc` in {}; fewer in {}; the same within 1 % in \
             the other {}.",
            list(&more),
            list(&fewer),
            same.len()
        ),
    );
}

/// The list of statements.
pub fn text(view: &View<'_>) -> String {
    let mut t = Text(
        "The programs are not those of the papers, the compiler is another one, and the problem \
         sizes are small: agreement of direction is what can be expected, not of figures.\n\n"
            .to_string(),
    );
    counts_of_instructions(&mut t, view);
    activity_and_memory(&mut t, view);
    lists(&mut t, view);
    fairness_and_calls(&mut t, view);
    t.0
}
