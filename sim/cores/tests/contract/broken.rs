//! Broken units: a good one whose answers are bent after a while, at the first
//! cycle in which that is a breach of the one clause. The suite must name it.

use crate::bench::{Answers, Bench, Fault, Redirect, Seen};
use crate::clause::Clause;
use crate::model::{State, Thread};
use crate::random::Random;
use crate::units::{build, info};
use crate::{PC, masks};

/// The first cycles are good, so that there is something to break.
const GOOD: u64 = 300;

/// Bends the answers; true when it has.
type Bend = fn(&mut Answers, &Seen) -> bool;

struct Broken {
    bend: Bend,
    /// Bend at every opportunity, not only once.
    always: bool,
    owners: Option<fn(&mut [u64])>,
    deaf: bool,
    cycle: u64,
    /// When it bent first.
    bent: Option<u64>,
}

impl Fault for Broken {
    fn bend(&mut self, answers: &mut Answers, seen: &Seen) {
        self.cycle = seen.cycle;
        if seen.cycle > GOOD && (self.always || self.bent.is_none()) && (self.bend)(answers, seen) {
            self.bent.get_or_insert(seen.cycle);
        }
    }

    fn is_deaf(&mut self, cycle: u64) -> bool {
        let deaf = self.deaf && cycle > GOOD;
        if deaf {
            self.bent.get_or_insert(cycle);
        }
        deaf
    }

    fn bend_owners(&mut self, owners: &mut [u64]) {
        if let (true, Some(bend)) = (self.cycle > GOOD, self.owners) {
            bend(owners);
            self.bent.get_or_insert(self.cycle);
        }
    }
}

fn none(_: &mut Answers, _: &Seen) -> bool {
    false
}

/// The hits: pipe, warp, PC.
fn hits(a: &Answers, seen: &Seen) -> Vec<(usize, usize, u64)> {
    let looks = seen.looks.iter().enumerate();
    looks
        .filter(|(p, _)| a.pipe[*p].hit)
        .filter_map(|(p, look)| look.as_ref().map(|i| (p, i.warp, i.pc)))
        .collect()
}

/// Adds the first thread for which `f` to a hit.
fn add(a: &mut Answers, seen: &Seen, f: impl Fn(&Thread, u64, u64) -> bool) -> bool {
    for (p, w, pc) in hits(a, seen) {
        let depth = a.pipe[p].depth;
        let more = seen.model.mask(w, |t| f(t, pc, depth)) & !a.pipe[p].mask;
        if more != 0 {
            a.pipe[p].mask |= more & more.wrapping_neg();
            return true;
        }
    }
    false
}

/// Runs one on a unit until it is found out.
fn caught(unit: &str, order: bool, broken: Broken, clause: Clause) {
    let mut broken = broken;
    let (masks, mut info) = (masks(4, 4, false), info(unit));
    info.order = order;
    let mut bench = Bench::<4>::new(build(unit, 4, &masks, PC), info, &masks, PC, 4);
    bench.bound(2500);
    let mut player = Random::new(3);
    player.calm = true;
    player.asleep = Some(2);
    for _ in 0..20_000 {
        if let Err(breach) = bench.cycle(&mut player, &mut broken) {
            let bent = broken.bent.unwrap_or_else(|| panic!("not broken yet: {breach}"));
            assert_eq!(breach.clause, clause, "{unit}: bent in cycle {bent}, {breach}");
            return;
        }
    }
    panic!("{unit}: {clause:?} not noticed, bent {:?}", broken.bent);
}

fn once(bend: Bend) -> Broken {
    Broken { bend, always: false, owners: None, deaf: false, cycle: 0, bent: None }
}

fn always(bend: Bend) -> Broken {
    Broken { bend, always: true, owners: None, deaf: false, cycle: 0, bent: None }
}

#[test]
fn a_thread_from_elsewhere() {
    let bend = |a: &mut Answers, seen: &Seen| {
        add(a, seen, |t, pc, _| t.state == State::Live && !t.replayed && t.pc != pc)
    };
    caught("arbiter", true, once(bend), Clause::Place);
}

#[test]
fn a_wrong_depth() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let hits = hits(a, seen);
        hits.iter().for_each(|(p, _, _)| a.pipe[*p].depth ^= 1);
        !hits.is_empty() && {
            let (p, w, _) = hits[0];
            seen.model.mask(w, |t| t.replayed) & a.pipe[p].mask == 0 || {
                hits.iter().for_each(|(p, _, _)| a.pipe[*p].depth ^= 1);
                false
            }
        }
    };
    caught("arbiter", true, once(bend), Clause::Place);
}

#[test]
fn a_replayed_thread_that_went_on() {
    let bend = |a: &mut Answers, seen: &Seen| {
        add(a, seen, |t, pc, _| t.state == State::Live && t.replayed && t.pc != pc)
    };
    caught("arbiter", false, once(bend), Clause::Replay);
}

#[test]
fn a_parked_thread() {
    let bend = |a: &mut Answers, seen: &Seen| add(a, seen, |t, _, _| t.state == State::Parked);
    caught("arbiter", true, once(bend), Clause::Parked);
}

#[test]
fn an_old_epoch() {
    let bend = |a: &mut Answers, seen: &Seen| {
        for (p, look) in seen.looks.iter().enumerate() {
            if let Some(i) = look
                && !a.pipe[p].hit
                && a.busy >> i.warp & 1 == 0
                && i.epoch != seen.slots[i.warp][i.slot].epoch
            {
                a.pipe[p].hit = true;
                return true;
            }
        }
        false
    };
    caught("arbiter", true, once(bend), Clause::Stale);
}

#[test]
fn a_hit_while_busy() {
    let bend = |a: &mut Answers, seen: &Seen| {
        for (p, look) in seen.looks.iter().enumerate() {
            if let Some(i) = look
                && a.busy >> i.warp & 1 != 0
            {
                a.pipe[p].hit = true;
                return true;
            }
        }
        false
    };
    caught("arbiter-2", true, once(bend), Clause::Busy);
}

#[test]
fn no_redirect_after_busy() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let all = a.redirects.len();
        let quiet = |w: usize| seen.updates.iter().all(|(i, _)| i.warp != w);
        let fallen = |r: &Redirect| quiet(r.warp) && seen.slots[r.warp][r.slot].alive;
        a.redirects.retain(|r| !fallen(r));
        a.redirects.len() != all
    };
    caught("arbiter-2", true, once(bend), Clause::Release);
}

#[test]
fn no_redirect_after_an_update() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let all = a.redirects.len();
        a.redirects.retain(|r| seen.updates.iter().all(|(i, _)| i.warp != r.warp));
        a.redirects.len() != all
    };
    caught("arbiter", true, once(bend), Clause::Required);
    caught("arbiter-1", true, always(bend), Clause::Required);
}

#[test]
fn a_redirect_to_where_it_goes_anyway() {
    let bend = |a: &mut Answers, seen: &Seen| {
        for (i, o) in seen.updates {
            let stays = a.redirects.iter().all(|r| r.warp != i.warp);
            if stays && i.next == Some(o.go_pc) && o.go_mask != 0 && a.busy >> i.warp & 1 == 0 {
                let (warp, slot, pc) = (i.warp, i.slot, o.go_pc);
                let epoch = (i.epoch + 1) % 16;
                a.redirects.push(Redirect { warp, slot, alive: true, pc, epoch, from: 1 });
                return true;
            }
        }
        false
    };
    caught("arbiter", true, once(bend), Clause::Needless);
}

#[test]
fn two_redirects_of_one_slot() {
    let bend = |a: &mut Answers, _: &Seen| {
        let first = a.redirects.first().copied();
        a.redirects.extend(first);
        first.is_some()
    };
    caught("arbiter", true, once(bend), Clause::Named);
}

#[test]
fn a_redirect_of_no_slot() {
    let bend = |a: &mut Answers, _: &Seen| {
        a.redirects.iter_mut().for_each(|r| r.slot = 1);
        !a.redirects.is_empty()
    };
    caught("arbiter", true, once(bend), Clause::Named);
}

#[test]
fn an_epoch_that_stays() {
    let bend = |a: &mut Answers, seen: &Seen| {
        a.redirects.iter_mut().for_each(|r| r.epoch = seen.slots[r.warp][r.slot].epoch);
        !a.redirects.is_empty()
    };
    caught("arbiter", true, once(bend), Clause::Epoch);
}

#[test]
fn another_warp_is_redirected() {
    // Warp 2 sleeps: nothing has happened to it for long.
    let bend = |a: &mut Answers, seen: &Seen| {
        let sleeps = |t: &Thread| t.state == State::Parked && seen.cycle - t.seen > 200;
        let quiet = seen.model.warps[2].iter().all(sleeps);
        let first = a.redirects.iter_mut().next().filter(|_| quiet);
        first.map(|r| (r.warp, r.epoch) = (2, seen.slots[2][0].epoch ^ 8)).is_some()
    };
    caught("arbiter", true, once(bend), Clause::Disturbed);
}

#[test]
fn a_warp_gets_the_mask_of_another() {
    let bend = |a: &mut Answers, seen: &Seen| {
        for (p, w, pc) in hits(a, seen) {
            let other = (w + 1) % 4;
            if let Some((_, _, mask)) = seen.model.first(other)
                && seen.model.mask(w, |t| t.state == State::Live && !t.replayed && t.pc != pc)
                    & mask
                    != 0
                && seen.model.mask(w, |t| t.state != State::Live || t.replayed) & mask == 0
            {
                a.pipe[p].mask = mask;
                return true;
            }
        }
        false
    };
    caught("arbiter", true, once(bend), Clause::Place);
}

#[test]
fn an_execution_outside_the_owned_lanes() {
    let mut broken = once(none);
    broken.owners = Some(|owners| owners.iter_mut().for_each(|o| *o &= 0b0111));
    caught("arbiter", true, broken, Clause::Owner);
}

#[test]
fn a_path_that_leaves_threads_behind() {
    let bend = |a: &mut Answers, seen: &Seen| {
        for (p, ..) in hits(a, seen) {
            if a.pipe[p].mask.count_ones() > 1 {
                a.pipe[p].mask &= a.pipe[p].mask - 1;
                return true;
            }
        }
        false
    };
    caught("arbiter", true, once(bend), Clause::Order);
}

#[test]
fn inherited_writes_are_forgotten() {
    let bend = |a: &mut Answers, _: &Seen| {
        a.redirects.iter_mut().for_each(|r| r.from = 0);
        a.redirects.iter().any(|r| r.alive)
    };
    caught("arbiter", true, once(bend), Clause::From);
}

#[test]
fn a_lost_thread() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let hits = hits(a, seen);
        let mut lost = false;
        for (p, w, _) in hits {
            lost |= w == 1 && a.pipe[p].mask & 4 != 0;
            a.pipe[p].mask &= if w == 1 { !4 } else { u64::MAX };
        }
        lost
    };
    caught("arbiter", false, always(bend), Clause::Live);
}

#[test]
fn a_starved_warp() {
    let bend = |a: &mut Answers, _: &Seen| {
        a.eligible[0] &= !2;
        true
    };
    caught("arbiter", true, always(bend), Clause::Live);
}

#[test]
fn a_wake_that_is_never_taken() {
    let mut broken = once(none);
    broken.deaf = true;
    caught("arbiter", true, broken, Clause::Wake);
}

#[test]
fn two_pipes_execute_one_thread() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let hits = hits(a, seen);
        let both = hits.len() == 2 && hits[0].1 == hits[1].1;
        if both {
            a.pipe[1].mask |= a.pipe[0].mask;
        }
        both
    };
    caught("shuffle", false, once(bend), Clause::Twice);
}

#[test]
fn slots_own_the_same_lanes() {
    let mut broken = once(none);
    broken.owners = Some(|owners| owners[1] |= owners[0]);
    caught("shuffle", false, broken, Clause::Owner);
}

#[test]
fn lanes_that_come_from_the_other_slot_without_its_writes() {
    let bend = |a: &mut Answers, _: &Seen| {
        let mixed = a.redirects.iter_mut().filter(|r| r.from == 3);
        mixed.map(|r| r.from = 1 << r.slot).count() != 0
    };
    caught("shuffle", false, always(bend), Clause::From);
    caught("pair", false, always(bend), Clause::From);
}

#[test]
fn a_slot_forgets_to_tell_that_its_lanes_have_changed() {
    let bend = |a: &mut Answers, seen: &Seen| {
        let quiet = |r: &Redirect| {
            seen.updates.iter().all(|(i, _)| (i.warp, i.slot) != (r.warp, r.slot))
                && seen.updates.iter().any(|(i, _)| i.warp == r.warp)
                && r.alive
                && seen.slots[r.warp][r.slot].alive
        };
        let all = a.redirects.len();
        a.redirects.retain(|r| !quiet(r));
        a.redirects.len() != all
    };
    caught("shuffle", false, once(bend), Clause::Required);
}
