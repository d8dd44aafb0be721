//! The list states of Collange & Brunie 2017, Fig. 1, and laws that every
//! policy keeps on random graphs.
//!
//! The figure runs `if(A && B) C; else D; E;`: thread 0 takes A B C E, thread
//! 1 takes A D E, threads 2 and 3 take A B D E. Saved entries stand in
//! parentheses, those that wait at a synchronisation
//! point in brackets. Masks are written thread 0 first, as in the figure.

use super::*;
use crate::path::Kind;
use expect_test::{Expect, expect};

/// One instruction per block, a join hint before each of the two branches: A
/// branches to D, B branches to D, C jumps to E, and threads park after E.
fn step(path: Path) -> Update {
    let at = |pc: u32, mask: u64| Path { depth: 0, pc, mask };
    let all = path.mask;
    let (kind, go, other) = match path.pc {
        4 => (Kind::Branch, at(8, all & 0b1101), at(20, all & 0b0010)),
        12 => (Kind::Branch, at(16, all & 0b0001), at(20, all & 0b1100)),
        16 => (Kind::Jump, at(24, all), Path::default()),
        24 => (Kind::Halt, Path::default(), Path::default()),
        pc => (Kind::Plain, at(pc + 4, all), Path::default()),
    };
    let hint = matches!(path.pc, 0 | 8).then_some(24);
    Update { kind, from: path, go, other, replay: false, hint }
}

/// The lists seen at the start of each block, one a line.
fn states(kind: PolicyKind) -> String {
    let mut policy = kind.start(Path { depth: 0, pc: 0, mask: 0b1111 });
    let mut lines = Vec::new();
    while let Some(current) = policy.current() {
        if !matches!(current.pc, 4 | 12) {
            lines.push(show(&policy.paths(), policy.waiting()));
        }
        policy.update(&step(current));
        assert!(lines.len() < 20, "{lines:?}");
    }
    lines.join("\n")
}

fn show(paths: &[Path], waiting: usize) -> String {
    let text = |p: &Path| {
        let block = match p.pc {
            0 | 4 => 'A',
            8 | 12 => 'B',
            16 => 'C',
            20 => 'D',
            _ => 'E',
        };
        let bit = |i: u32| if p.mask >> i & 1 != 0 { '1' } else { '0' };
        format!("{block}{}", (0..4).map(bit).collect::<String>())
    };
    let runs = paths.len() - waiting;
    let saved = paths[1..runs].iter().map(|p| format!(" ({})", text(p)));
    let waits = paths[runs..].iter().map(|p| format!(" [{}]", text(p)));
    text(&paths[0]) + &saved.chain(waits).collect::<String>()
}

fn check(kind: PolicyKind, expected: Expect) {
    expected.assert_eq(&states(kind));
}

#[test]
fn fig_1b_depth_first() {
    check(
        PolicyKind::DepthFirst,
        expect![[r#"
        A1111
        B1011 (D0100)
        C1000 (D0111)
        D0111 (E1000)
        E1111"#]],
    );
}

#[test]
fn fig_1c_fork_join_runs_d_twice() {
    check(
        PolicyKind::ForkJoin,
        expect![[r#"
        A1111
        D0100 (B1011)
        B1011 (E0100)
        C1000 (D0011) (E0100)
        D0011 (E1100)
        E1111"#]],
    );
}

#[test]
fn fig_1d_breadth_first() {
    check(
        PolicyKind::BreadthFirst,
        expect![[r#"
            A1111
            B1011 (D0100)
            D0111 (C1000)
            C1000 [E0111]
            E1111"#]],
    );
}

#[test]
fn fig_1e_priority_orders() {
    check(
        PolicyKind::DepthPc,
        expect![[r#"
        A1111
        B1011 (D0100)
        C1000 (D0111)
        D0111 (E1000)
        E1111"#]],
    );
    check(
        PolicyKind::Maven,
        expect![[r#"
        A1111
        B1011 (D0100)
        C1000 (D0111)
        D0111 (E1000)
        E1111"#]],
    );
    check(
        PolicyKind::Majority,
        expect![[r#"
        A1111
        B1011 (D0100)
        D0111 (C1000)
        E0111 (C1000)
        C1000
        E1000"#]],
    );
    check(
        PolicyKind::Minority,
        expect![[r#"
        A1111
        D0100 (B1011)
        E0100 (B1011)
        B1011
        C1000 (D0011)
        E1000 (D0011)
        D0011
        E0011"#]],
    );
}

#[test]
fn a_post_dominator_stack_runs_d_twice_too() {
    check(
        PolicyKind::Stack,
        expect![[r#"
        A1111
        B1011 (D0100)
        C1000 (D0011) (D0100)
        D0011 (D0100) (E1000)
        D0100 (E1011)
        E1111"#]],
    );
}

/// A random walk: every policy keeps each thread in exactly one path at its
/// own PC, merges only equal places, and ends.
#[test]
fn threads_are_neither_lost_nor_duplicated() {
    use proptest::test_runner::{Config, TestRunner};
    let mut runner = TestRunner::new(Config::with_cases(300));
    let choices = proptest::collection::vec(proptest::num::u64::ANY, 200);
    runner
        .run(&choices, |choices| {
            for (kind, name, _) in PolicyKind::ALL {
                walk(kind, name, &choices);
            }
            Ok(())
        })
        .unwrap();
}

fn walk(kind: PolicyKind, name: &str, choices: &[u64]) {
    const ALL: u64 = 0xff;
    let mut policy = kind.start(Path { depth: 0, pc: 0, mask: ALL });
    // Place of every thread; None while parked, with the place to wake at.
    let mut place = [(0u32, 0u32); 8];
    let mut parked = 0u64;
    for choice in choices {
        let Some(path) = policy.current() else {
            let (depth, pc) = place[0];
            let mask = (0..8).filter(|l| place[*l] == (depth, pc)).fold(0, |m, l| m | 1u64 << l);
            parked &= !mask;
            policy.wake(Path { depth, pc, mask });
            continue;
        };
        let part = path.mask & (choice >> 8 | 1 << path.mask.trailing_zeros());
        let rest = path.mask & !part;
        let at = |pc, depth, mask| Path { depth, pc, mask };
        let next = path.pc + 4;
        let target = (choice >> 16) as u32 % 16 * 4;
        let (kind, go, other, replay) = match choice % 8 {
            0 | 1 => {
                (Kind::Branch, at(next, path.depth, part), at(target, path.depth, rest), false)
            }
            2 => {
                (Kind::Call, at(target, path.depth + 1, part), at(path.pc, path.depth, rest), true)
            }
            3 if path.depth > 0 => (
                Kind::Return,
                at(target, path.depth - 1, part),
                at(path.pc, path.depth, rest),
                true,
            ),
            4 => (Kind::Plain, at(next, path.depth, part), at(path.pc, path.depth, rest), true),
            5 => {
                parked |= part;
                (Kind::Halt, at(next, path.depth, rest), Path::default(), false)
            }
            _ => (Kind::Plain, at(next, path.depth, path.mask), Path::default(), false),
        };
        let hint = (choice >> 32 & 1 != 0).then_some(target);
        for (lane, place) in place.iter_mut().enumerate() {
            let bit = 1u64 << lane;
            if go.mask & bit != 0 {
                *place = (go.depth, go.pc);
            } else if other.mask & bit != 0 {
                *place = (other.depth, other.pc);
            } else if path.mask & bit != 0 {
                *place = (path.depth, next);
            }
        }
        policy.update(&Update { kind, from: path, go, other, replay, hint });
        let mut seen = 0;
        let paths = policy.paths();
        assert_eq!(paths.len(), policy.live(), "{name}");
        assert_eq!(paths.first().copied(), policy.current(), "{name}");
        for p in &paths {
            assert_eq!(seen & p.mask, 0, "{name}: a thread stands in two paths");
            seen |= p.mask;
            for lane in (0..8).filter(|l| p.mask >> l & 1 != 0) {
                assert_eq!((p.depth, p.pc), place[lane], "{name}: lane {lane}");
            }
        }
        assert_eq!(seen, ALL & !parked, "{name}: a thread is lost");
    }
}
