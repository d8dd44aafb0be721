//! Makes a failing case as small as it gets: statements go, blocks take the
//! place of what encloses them, threads and warps become fewer, as long as it
//! still fails.

use super::check::Case;
use super::hardware::Hardware;
use super::tree::Stmt;
use crate::engine::Engine;
use crate::rtl::Timing;
use hdl::config::RawConfig;

/// Every block that is one step smaller than `block`.
fn smaller(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    // Halves first: most of a program has nothing to do with the failure.
    if block.len() > 3 {
        out.push(block[block.len() / 2..].to_vec());
        out.push(block[..block.len() / 2].to_vec());
    }
    for i in 0..block.len() {
        let replaced = |with: Vec<Stmt>| {
            let mut b = block[..i].to_vec();
            b.extend(with);
            b.extend_from_slice(&block[i + 1..]);
            b
        };
        out.push(replaced(Vec::new()));
        for inner in inner_blocks(&block[i]) {
            out.push(replaced(inner.clone()));
        }
        out.extend(simpler(&block[i]).into_iter().map(|s| replaced(vec![s])));
    }
    out
}

fn inner_blocks(stmt: &Stmt) -> Vec<&Vec<Stmt>> {
    match stmt {
        Stmt::If(_, a, b) | Stmt::Irreducible(_, _, a, b) => vec![a, b],
        Stmt::Loop(.., body) => vec![body],
        Stmt::Switch(_, _, arms) => arms.iter().collect(),
        _ => Vec::new(),
    }
}

/// The same statement with less inside.
fn simpler(stmt: &Stmt) -> Vec<Stmt> {
    let both = |a: &[Stmt], b: &[Stmt], f: &dyn Fn(Vec<Stmt>, Vec<Stmt>) -> Stmt| {
        let left = smaller(a).into_iter().map(|a| f(a, b.to_vec()));
        let right = smaller(b).into_iter().map(|b| f(a.to_vec(), b));
        left.chain(right).collect()
    };
    match stmt {
        Stmt::If(c, a, b) => both(a, b, &|a, b| Stmt::If(c.clone(), a, b)),
        Stmt::Irreducible(c, n, a, b) => both(a, b, &|a, b| Stmt::Irreducible(c.clone(), *n, a, b)),
        Stmt::Loop(r, mask, h, body) => {
            let mut out: Vec<_> =
                smaller(body).into_iter().map(|b| Stmt::Loop(*r, *mask, *h, b)).collect();
            if *mask > 0 {
                out.push(Stmt::Loop(*r, mask / 2, *h, body.clone()));
            }
            out
        }
        Stmt::Switch(r, h, arms) => (0..arms.len())
            .flat_map(|i| {
                smaller(&arms[i]).into_iter().map(move |arm| {
                    let mut arms = arms.clone();
                    arms[i] = arm;
                    Stmt::Switch(*r, *h, arms)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The same hardware with one option less.
fn plainer(hardware: &Hardware) -> Vec<Hardware> {
    let (mut out, one) = (Vec::new(), hardware.options.clone());
    let mut push = |options: RawConfig| {
        if options != one {
            out.push(Hardware { options, ..hardware.clone() });
        }
    };
    push(RawConfig { isa: None, ..one.clone() });
    push(RawConfig { traps: None, ..one.clone() });
    push(RawConfig { counters: None, ..one.clone() });
    push(RawConfig { bypass: None, ..one.clone() });
    push(RawConfig { loads: None, ..one.clone() });
    push(RawConfig { crossbar: None, dividers: None, csrs: None, ..one.clone() });
    push(RawConfig { lanes: None, ..one.clone() });
    push(RawConfig { ccs: None, cct: None, arbiter_stages: None, ..one.clone() });
    out
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut out = Vec::new();
    let [t, w, harts, depth] = case.shape;
    // Another core would have to be compiled.
    let fixed = case.hardware.as_ref().is_some_and(|h| h.engine != Engine::Rtl);
    for (t2, w2) in [(t, w / 2), (t / 2, w)] {
        if t2 > 0 && w2 > 0 && !fixed {
            let mut c = Case { shape: [t2, w2, harts.min(t2 * w2), depth], ..case.clone() };
            // Of these there are fewer with fewer lanes.
            if let Some(hardware) = c.hardware.as_mut().filter(|_| t2 < t) {
                let options = &mut hardware.options;
                (options.crossbar, options.dividers, options.lanes) = (None, None, None);
            }
            out.push(c);
        }
    }
    if let Some(hardware) = &case.hardware
        && hardware.timing != (Timing { seed: hardware.timing.seed, ..Timing::default() })
    {
        let mut c = case.clone();
        let timing = Timing { seed: hardware.timing.seed, ..Timing::default() };
        c.hardware = Some(Hardware { timing, ..hardware.clone() });
        out.push(c);
    }
    out.extend(case.hardware.iter().filter(|_| !fixed).flat_map(plainer).map(|h| {
        let hardware = Some(h);
        Case { hardware, ..case.clone() }
    }));
    for (i, phase) in case.tree.phases.iter().enumerate() {
        if case.tree.phases.len() > 1 {
            let mut c = case.clone();
            c.tree.phases.remove(i);
            out.push(c);
        }
        for block in smaller(phase) {
            let mut c = case.clone();
            c.tree.phases[i] = block;
            out.push(c);
        }
    }
    for (i, body) in case.tree.functions.iter().enumerate() {
        for block in smaller(body) {
            let mut c = case.clone();
            c.tree.functions[i] = block;
            out.push(c);
        }
    }
    out
}

/// The smallest case found that still fails, within `tries` runs.
pub fn shrink(mut case: Case, mut tries: usize, fails: impl Fn(&Case) -> bool) -> Case {
    loop {
        let next = candidates(&case).into_iter().find(|c| {
            tries = tries.saturating_sub(1);
            tries > 0 && fails(c)
        });
        match next {
            Some(smaller) => case = smaller,
            None => return case,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::isa::Op;

    fn divides(block: &[Stmt]) -> bool {
        block.iter().any(|s| {
            matches!(s, Stmt::Alu(Op::Div, ..)) || inner_blocks(s).into_iter().any(|b| divides(b))
        })
    }

    #[test]
    fn a_single_statement_remains() {
        let found = (0..200).map(|seed| Case::new(seed, false));
        let fails = |c: &Case| c.tree.phases.iter().any(|p| divides(p));
        let case = found.into_iter().find(|c| fails(c) && c.shape[0] > 4).expect("div is common");
        let small = shrink(case, 100_000, fails);
        assert_eq!(small.shape[..2], [1, 1]);
        assert_eq!(small.tree.phases.len(), 1);
        assert!(matches!(small.tree.phases[0][..], [Stmt::Alu(Op::Div, ..)]));
        // Not `run`, which would compile every core into the unit tests.
        let config = small.config();
        let program = small.program().expect("it is small");
        assert!(small.oracle(&config, &program).is_ok());
    }
}
