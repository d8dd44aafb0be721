//! Front-end, pipeline and wakes around one unit, with every clause checked.
//!
//! One cycle: stage 8 updates and a wake, stage 7 looks up (both settle), the
//! clauses, stage 3 issues, then the redirects of this cycle reach the fetch
//! state of the slots. Who issues what and what comes of it is up to a
//! [`Player`]; a [`Fault`] may bend what the unit answers.
//!
//! Long, because the clauses all look at the same cycle of the same bench.

use crate::clause::{Breach, Clause};
use crate::model::{Model, Outcome, State, lanes};
use crate::units::Info;
use hdl::divergence::port::{Unit, kind};
use hdl::rtl::U;
use std::collections::VecDeque;

/// Fetch state of a slot.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Does it fetch?
    pub alive: bool,
    /// The next instruction.
    pub pc: u64,
    /// See the port.
    pub epoch: u64,
    /// It does not know its next PC and waits for a redirect.
    pub waits: bool,
    /// The instruction is there from this cycle on.
    pub ready: u64,
    /// Since when a current instruction was dropped without a redirect.
    pub dropped: Option<u64>,
}

/// An instruction in flight.
#[derive(Clone, Debug)]
pub struct Instr {
    /// Whose.
    pub warp: usize,
    /// See `warp`.
    pub slot: usize,
    /// Where.
    pub pc: u64,
    /// Fetched in.
    pub epoch: u64,
    /// Where its slot goes on fetching.
    pub next: Option<u64>,
    /// Owner mask when it issued.
    pub collect: u64,
    /// Cycle of its lookup.
    pub look_at: u64,
}

/// An instruction that executes.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Which.
    pub instr: Instr,
    /// For these threads.
    pub mask: u64,
    /// At this depth.
    pub depth: u64,
}

/// What the unit says of one lookup.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// See the port.
    pub hit: bool,
    /// See the port.
    pub mask: u64,
    /// See the port.
    pub depth: u64,
}

/// See the port.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Redirect {
    pub warp: usize,
    pub slot: usize,
    pub alive: bool,
    pub pc: u64,
    pub epoch: u64,
    pub from: u64,
}

/// Everything the unit says in one cycle.
#[derive(Clone, Debug)]
pub struct Answers {
    /// See the port.
    pub busy: u32,
    /// Per pipe.
    pub pipe: Vec<Answer>,
    /// The valid ones.
    pub redirects: Vec<Redirect>,
    /// Per slot.
    pub eligible: Vec<u32>,
    /// Per slot.
    pub priority: Vec<u32>,
}

/// What a fault can look at.
pub struct Seen<'a> {
    /// The cycle.
    pub cycle: u64,
    /// After this cycle's updates.
    pub model: &'a Model,
    /// Instructions at stage 7, by pipe.
    pub looks: &'a [Option<Instr>],
    /// Fetch state before this cycle's redirects.
    pub slots: &'a [Vec<Slot>],
    /// Instructions at stage 8.
    pub updates: &'a [(Instr, Outcome)],
}

/// Makes a good unit a broken one.
pub trait Fault {
    /// Bends the answers.
    fn bend(&mut self, answers: &mut Answers, seen: &Seen);
    /// Does the unit take no wake in this cycle?
    fn is_deaf(&mut self, _cycle: u64) -> bool {
        false
    }
    /// Bends the owner masks of a warp's slots.
    fn bend_owners(&mut self, _owners: &mut [u64]) {}
}

/// Nothing is broken.
pub struct Good;
impl Fault for Good {
    fn bend(&mut self, _answers: &mut Answers, _seen: &Seen) {}
}

/// Decides everything that is not the unit's decision.
pub trait Player {
    /// What became of an executed instruction.
    fn outcome(&mut self, hit: &Hit, model: &Model) -> Outcome;
    /// Parked threads to wake.
    fn wake(&mut self, model: &Model) -> Option<(usize, u64)>;
    /// Which of these slots issues, and where it goes on fetching.
    fn issue(&mut self, ready: &[(usize, usize)], flying: usize) -> Option<usize>;
    /// Where the front-end goes on after the instruction at `pc`, if it knows.
    fn predict(&mut self, pc: u64) -> Option<u64>;
    /// Cycles until an instruction at a new PC can issue.
    fn fetch(&mut self) -> u64;
    /// A value that must not matter.
    fn noise(&mut self) -> u64;
}

/// Warps take turns.
#[derive(Default)]
pub struct Turns {
    /// The warp that issued last.
    last: usize,
}

impl Turns {
    /// Which of these comes next.
    pub fn next(&mut self, ready: &[(usize, usize)]) -> Option<usize> {
        let next = ready.iter().position(|(w, _)| *w > self.last).unwrap_or(0);
        self.last = ready.get(next)?.0;
        Some(next)
    }
}

/// What a run has seen, so that no test passes for nothing.
#[derive(Clone, Copy, Default, Debug)]
#[allow(missing_docs)]
pub struct Seldom {
    pub cycles: u64,
    pub hits: u64,
    pub drops: u64,
    pub redirects: u64,
    pub busy: u64,
    pub parks: u64,
    pub wakes: u64,
    pub wakes_with_update: u64,
    pub second_slot: u64,
    pub double_hits: u64,
    pub longest_wait: u64,
    pub most_paths: usize,
    pub deepest_flight: usize,
}

/// The bench.
pub struct Bench<const T: usize> {
    unit: Box<dyn Unit<T>>,
    info: Info,
    /// Stages 3 to 7; at least 2, for `soon`.
    latency: u64,
    /// A live thread executes at least this often.
    bound: u64,
    /// The threads.
    pub model: Model,
    slots: Vec<Vec<Slot>>,
    pipes: usize,
    flying: Vec<VecDeque<Instr>>,
    executed: Vec<Option<Hit>>,
    /// Who issued in the last cycle, by pipe.
    told: Vec<Option<(usize, usize)>>,
    was_busy: u32,
    /// A wake that the unit has not taken yet, and since when.
    waking: Option<(usize, u64)>,
    asked: u64,
    /// Updates of the cycle before, and whom it woke: the redirects belong to these if
    /// the unit says that they come late.
    before: (Vec<(Instr, Outcome)>, Option<usize>),
    /// Per warp and lane: writes so far; per warp, slot and lane: those that
    /// the slot's view knows of.
    writes: Vec<Vec<u64>>,
    views: Vec<Vec<Vec<u64>>>,
    /// Last cycle in which something happened to a warp.
    touched: Vec<u64>,
    /// The current cycle.
    pub cycle: u64,
    /// See [`Seldom`].
    pub seen: Seldom,
}

/// A drop must be followed by a redirect within this many cycles.
const DROP: u64 = 40;
/// A wake is taken within as many cycles, and so many more per thread of a warp.
const WAKE: [u64; 2] = [100, 24];
/// A redirect has a cause in its warp at most this many cycles per warp ago.
const CAUSE: u64 = 64;

impl<const T: usize> Bench<T> {
    /// The unit, reset, with threads of `masks` alive at `pc`.
    pub fn new(unit: Box<dyn Unit<T>>, info: Info, masks: &[u64], pc: u64, latency: u64) -> Self {
        let (shape, warps) = (unit.shape(), masks.len());
        let mut bench = Bench {
            unit,
            info,
            latency,
            bound: u64::MAX,
            model: Model::new(T, masks, pc),
            slots: Vec::new(),
            pipes: shape.pipes,
            flying: vec![VecDeque::new(); shape.pipes],
            executed: vec![None; shape.pipes],
            told: vec![None; shape.pipes],
            was_busy: 0,
            waking: None,
            asked: 0,
            before: Default::default(),
            writes: vec![vec![0; T]; warps],
            views: vec![vec![vec![0; T]; shape.slots]; warps],
            touched: vec![0; warps],
            cycle: 0,
            seen: Seldom::default(),
        };
        bench.unit.connect_all();
        bench.reset(masks, pc);
        bench
    }

    /// A live thread must execute at least once in so many cycles.
    pub fn bound(&mut self, cycles: u64) {
        self.bound = cycles;
    }

    /// Starts again from reset.
    pub fn reset(&mut self, masks: &[u64], pc: u64) {
        let shape = self.unit.shape();
        self.quiet();
        self.unit.port.io.reset.next = true;
        self.unit.update_all();
        self.tick();
        self.tick();
        self.unit.port.io.reset.next = false;
        self.unit.update_all();
        let slot = |w: usize, s: usize| Slot {
            alive: self.unit.alive_at_reset(s) >> w & 1 != 0,
            pc,
            epoch: 0,
            waits: false,
            ready: 0,
            dropped: None,
        };
        self.slots =
            (0..masks.len()).map(|w| (0..shape.slots).map(|s| slot(w, s)).collect()).collect();
        self.model = Model::new(T, masks, pc);
        self.flying.iter_mut().for_each(VecDeque::clear);
        self.executed.fill(None);
        self.told.fill(None);
        self.was_busy = 0;
        self.waking = None;
        self.before = Default::default();
        self.writes.iter_mut().flatten().for_each(|n| *n = 0);
        self.views.iter_mut().flatten().flatten().for_each(|n| *n = 0);
        self.touched.fill(0);
        self.cycle = 0;
    }

    fn quiet(&mut self) {
        for pipe in &mut self.unit.port.pipe {
            pipe.issued.next = false;
            pipe.soon.next = false;
            pipe.look.next = false;
            pipe.update.next = false;
        }
        self.unit.port.io.wake.next = false;
    }

    fn tick(&mut self) {
        let clock = &mut self.unit.port.io.clock;
        clock.next = clock.val().tick();
        self.unit.update_all();
    }

    fn breach<R>(&self, clause: Clause, what: String) -> Result<R, Breach> {
        Err(Breach { clause, cycle: self.cycle, what })
    }

    /// One cycle.
    pub fn cycle(&mut self, player: &mut impl Player, fault: &mut dyn Fault) -> Result<(), Breach> {
        let updates = self.update(player);
        let woken = self.wake(player, fault)?;
        if let Some(w) = woken {
            self.touched[w] = self.cycle;
            self.seen.wakes += 1;
            self.seen.wakes_with_update += u64::from(updates.iter().any(|(i, _)| i.warp == w));
        }
        let looks = self.look(player);
        self.unit.update_all();
        let mut answers = self.answers();
        let seen = Seen {
            cycle: self.cycle,
            model: &self.model,
            looks: &looks,
            slots: &self.slots,
            updates: &updates,
        };
        fault.bend(&mut answers, &seen);
        for (instr, _) in &updates {
            self.touched[instr.warp] = self.cycle;
        }
        let now = (updates, woken);
        let told = match self.unit.redirects_late() {
            true => std::mem::replace(&mut self.before, now),
            false => now,
        };
        self.check_redirects(&answers, &told.0, &looks, told.1)?;
        self.inherit(&answers);
        self.check_lookups(&answers, looks)?;
        self.check_live()?;
        self.issue(player, fault, &answers)?;
        self.follow(player, &answers);
        self.was_busy = answers.busy;
        self.seen.busy += u64::from(answers.busy.count_ones());
        self.unit.update_all();
        self.tick();
        self.cycle += 1;
        self.seen.cycles += 1;
        Ok(())
    }

    fn update(&mut self, player: &mut impl Player) -> Vec<(Instr, Outcome)> {
        let mut updates = Vec::new();
        for p in 0..self.pipes {
            let Some(hit) = self.executed[p].take() else {
                self.unit.port.pipe[p].update.next = false;
                self.unit.port.pipe[p].halt_mask.next = 0.into();
                continue;
            };
            let o = player.outcome(&hit, &self.model);
            let all = [o.go_mask, o.other_mask, o.halt_mask];
            assert_eq!(all.iter().fold(0, |m, x| m | x), hit.mask, "everybody is somewhere");
            assert_eq!(all.iter().map(|m| m.count_ones()).sum::<u32>(), hit.mask.count_ones());
            assert!(all.iter().filter(|m| **m != 0).count() <= 2, "two outcomes");
            let i = &hit.instr;
            let noise = player.noise();
            let late = self.unit.late_refusal();
            let pipe = &mut self.unit.port.pipe[p];
            pipe.update.next = true;
            pipe.up_warp.next = U::new(i.warp as u64);
            pipe.up_slot.next = U::new(i.slot as u64);
            pipe.up_kind.next = U::new(o.kind);
            pipe.exec_mask.next = U::new(hit.mask);
            pipe.go_mask.next = U::new(o.go_mask);
            pipe.go_pc.next = U::new(o.go_pc);
            pipe.go_depth.next = U::new(o.go_depth);
            pipe.other_mask.next = U::new(o.other_mask);
            pipe.other_pc.next = U::new(o.other_pc);
            pipe.other_depth.next = U::new(o.other_depth);
            pipe.halt_mask.next = U::new(o.halt_mask);
            pipe.predicted.next = i.next.is_some();
            pipe.next_pc.next = U::new(i.next.unwrap_or(noise));
            pipe.splits.next = o.other_mask != 0;
            // Half of the replays are known late: then kind, go and `splits` are anything.
            let refused = o.kind == kind::REPLAY && noise & 1 != 0;
            pipe.refused.next = refused;
            if refused && late {
                pipe.up_kind.next = U::new(kind::PLAIN);
                pipe.go_mask.next = U::new(noise >> 1 & hit.mask);
                pipe.splits.next = noise & 2 != 0;
                pipe.halt_mask.next = U::new(noise >> 9 & hit.mask);
            }
            self.model.apply(i.warp, i.pc, &o);
            self.seen.parks += u64::from(o.halt_mask.count_ones());
            self.seen.most_paths = self.seen.most_paths.max(self.model.paths(i.warp));
            updates.push((hit.instr, o));
        }
        updates
    }

    fn wake(
        &mut self,
        player: &mut impl Player,
        fault: &mut dyn Fault,
    ) -> Result<Option<usize>, Breach> {
        if self.waking.is_none() {
            self.waking = player.wake(&self.model);
            self.asked = self.cycle;
        }
        let (noise, cycle) = (player.noise(), self.cycle);
        let io = &mut self.unit.port.io;
        io.wake.next = self.waking.is_some();
        io.wake_warp.next = U::new(noise % self.slots.len() as u64);
        io.wake_mask.next = U::new(noise);
        io.load_done.next = noise & 1 != 0;
        io.load_mask.next = U::new(noise);
        let Some((warp, mask)) = self.waking else { return Ok(None) };
        io.wake_warp.next = U::new(warp as u64);
        io.wake_mask.next = U::new(mask);
        let waits = cycle - self.asked;
        if fault.is_deaf(cycle) || !io.wake_ready.val() {
            return match waits > WAKE[0] + WAKE[1] * T as u64 {
                true => self.breach(Clause::Wake, format!("not of {mask:x} of warp {warp}")),
                false => Ok(None),
            };
        }
        self.waking = None;
        self.model.wake(warp, mask, cycle);
        Ok(Some(warp))
    }

    fn look(&mut self, player: &mut impl Player) -> Vec<Option<Instr>> {
        let mut looks = Vec::new();
        for p in 0..self.pipes {
            let due = self.flying[p].front().is_some_and(|i| i.look_at <= self.cycle);
            let instr = if due { self.flying[p].pop_front() } else { None };
            let noise = player.noise();
            let soon = self.flying[p].front().filter(|i| i.look_at <= self.cycle + 1);
            let pipe = &mut self.unit.port.pipe[p];
            pipe.soon.next = soon.is_some();
            pipe.soon_warp.next = U::new(soon.map_or(noise, |i| i.warp as u64));
            pipe.soon_slot.next = U::new(soon.map_or(0, |i| i.slot as u64));
            pipe.look.next = due;
            pipe.look_warp.next = U::new(noise % self.slots.len() as u64);
            pipe.look_pc.next = U::new(noise);
            if let Some(i) = &instr {
                pipe.look_warp.next = U::new(i.warp as u64);
                pipe.look_slot.next = U::new(i.slot as u64);
                pipe.look_pc.next = U::new(i.pc);
                pipe.look_epoch.next = U::new(i.epoch);
            }
            looks.push(instr);
        }
        looks
    }

    fn answers(&self) -> Answers {
        let port = &self.unit.port;
        let pipe = port.pipe.iter().map(|p| Answer {
            hit: p.hit.val(),
            mask: p.mask.val().raw(),
            depth: p.depth.val().raw(),
        });
        let valid = port.redirect.iter().filter(|r| r.valid.val());
        let redirects = valid.map(|r| Redirect {
            warp: r.warp.val().index(),
            slot: r.slot.val().index(),
            alive: r.alive.val(),
            pc: r.pc.val().raw(),
            epoch: r.epoch.val().raw(),
            from: r.from.val().raw(),
        });
        Answers {
            busy: port.io.busy.val().low(),
            pipe: pipe.collect(),
            redirects: redirects.collect(),
            eligible: port.slot.iter().map(|s| s.eligible.val().low()).collect(),
            priority: port.slot.iter().map(|s| s.priority.val().low()).collect(),
        }
    }

    fn check_redirects(
        &mut self,
        a: &Answers,
        updates: &[(Instr, Outcome)],
        looks: &[Option<Instr>],
        woken: Option<usize>,
    ) -> Result<(), Breach> {
        self.seen.redirects += a.redirects.len() as u64;
        for (n, r) in a.redirects.iter().enumerate() {
            let name = (r.warp, r.slot);
            if r.warp >= self.slots.len() || r.slot >= self.slots[0].len() {
                return self.breach(Clause::Named, format!("{r:?}: no such slot"));
            }
            if a.redirects[..n].iter().any(|o| (o.warp, o.slot) == name) {
                return self.breach(Clause::Named, format!("{r:?}: a second one"));
            }
            let busy = (self.was_busy | a.busy) >> r.warp & 1 != 0;
            if self.cycle - self.touched[r.warp] > CAUSE + 4 * (T * self.slots.len()) as u64
                && !busy
            {
                return self
                    .breach(Clause::Disturbed, format!("{r:?}: nothing happened to the warp"));
            }
            let slot = &self.slots[r.warp][r.slot];
            let mut old = looks.iter().flatten().chain(self.flying.iter().flatten());
            let carried = old.any(|i| (i.warp, i.slot) == name && i.epoch == r.epoch);
            if r.epoch == slot.epoch || carried {
                return self.breach(Clause::Epoch, format!("{r:?}: that epoch is in use"));
            }
            let update = updates.iter().find(|(i, _)| (i.warp, i.slot) == name);
            if let Some((i, o)) = update
                && self.slots[0].len() == 1
                && !busy
                && woken != Some(r.warp)
                && r.alive
                && i.next == Some(r.pc)
                && o.kind <= kind::RETURN
                && o.go_mask != 0
                && o.go_pc == r.pc
            {
                return self.breach(Clause::Needless, format!("{r:?}: it is fetching there"));
            }
        }
        let redirected = |w, s| a.redirects.iter().any(|r| (r.warp, r.slot) == (w, s));
        for (w, slots) in self.slots.iter().enumerate() {
            let falls = self.was_busy & !a.busy;
            for (s, slot) in slots.iter().enumerate() {
                if falls >> w & 1 != 0 && slot.alive && !redirected(w, s) {
                    return self.breach(Clause::Release, format!("warp {w} slot {s}: no redirect"));
                }
                if slot.dropped.is_some_and(|c| self.cycle - c > DROP)
                    && a.busy >> w & 1 == 0
                    && !redirected(w, s)
                {
                    let what = format!("warp {w} slot {s}: dropped, and no redirect came");
                    return self.breach(Clause::Required, what);
                }
            }
        }
        for (i, o) in updates {
            let must =
                i.next.is_none() || [kind::TRAP, kind::REPLAY, kind::FENCE].contains(&o.kind);
            if must && !redirected(i.warp, i.slot) && a.busy >> i.warp & 1 == 0 {
                return self.breach(Clause::Required, format!("{i:?}, {o:?}: no redirect"));
            }
        }
        Ok(())
    }

    /// Views of redirected slots take over what the redirect says.
    fn inherit(&mut self, a: &Answers) {
        let view = |r: &Redirect| {
            let from =
                || self.views[r.warp].iter().enumerate().filter(|(f, _)| r.from >> f & 1 != 0);
            (0..T).map(|i| from().map(|(_, view)| view[i]).max().unwrap_or(0)).collect()
        };
        let new: Vec<Vec<u64>> = a.redirects.iter().map(view).collect();
        for (r, view) in a.redirects.iter().zip(new) {
            self.views[r.warp][r.slot] = view;
        }
    }

    fn check_lookups(&mut self, a: &Answers, looks: Vec<Option<Instr>>) -> Result<(), Breach> {
        for (p, look) in looks.into_iter().enumerate() {
            let Some(instr) = look else { continue };
            let (w, s, answer) = (instr.warp, instr.slot, a.pipe[p]);
            let new = a.redirects.iter().find(|r| (r.warp, r.slot) == (w, s));
            let slot = &self.slots[w][s];
            let (alive, epoch) = new.map_or((slot.alive, slot.epoch), |r| (r.alive, r.epoch));
            let current = alive && epoch == instr.epoch;
            let busy = a.busy >> w & 1 != 0;
            let what = |why: &str| format!("{instr:?} executes for {:x}: {why}", answer.mask);
            if !answer.hit {
                self.seen.drops += 1;
                if current && !busy {
                    self.slots[w][s].dropped.get_or_insert(self.cycle);
                }
                continue;
            }
            if busy {
                return self.breach(Clause::Busy, what("its warp is busy"));
            }
            if !current {
                return self.breach(Clause::Stale, what(&format!("the epoch is {epoch}")));
            }
            let mut others = self.executed[..p].iter().flatten().filter(|h| h.instr.warp == w);
            if others.any(|h| h.mask & answer.mask != 0) {
                return self.breach(Clause::Twice, what("so does another pipe"));
            }
            for i in lanes(answer.mask) {
                let t = &self.model.warps[w][i];
                if t.state != State::Live {
                    return self
                        .breach(Clause::Parked, what(&format!("thread {i} is {:?}", t.state)));
                }
                if (t.pc, t.depth) != (instr.pc, answer.depth) {
                    let clause = if t.replayed { Clause::Replay } else { Clause::Place };
                    return self.breach(clause, what(&format!("thread {i} is at {t:?}")));
                }
                if self.views[w][s][i] != self.writes[w][i] {
                    return self
                        .breach(Clause::From, what(&format!("writes of thread {i} are lost")));
                }
            }
            if answer.mask & !instr.collect != 0 {
                return self.breach(Clause::Owner, what("it does not own these lanes"));
            }
            if self.info.order && self.model.first(w) != Some((answer.depth, instr.pc, answer.mask))
            {
                let first = self.model.first(w);
                return self.breach(Clause::Order, what(&format!("{first:x?} is first")));
            }
            self.seen.hits += 1;
            self.seen.second_slot += u64::from(s > 0);
            let mut others = self.executed[..p].iter().flatten();
            self.seen.double_hits += u64::from(others.any(|h| h.instr.warp == w));
            for i in lanes(answer.mask) {
                let t = &mut self.model.warps[w][i];
                self.seen.longest_wait = self.seen.longest_wait.max(self.cycle - t.seen);
                t.seen = self.cycle;
                self.writes[w][i] += 1;
                self.views[w][s][i] = self.writes[w][i];
            }
            self.executed[p] = Some(Hit { instr, mask: answer.mask, depth: answer.depth });
        }
        Ok(())
    }

    fn check_live(&self) -> Result<(), Breach> {
        if !self.cycle.is_multiple_of(16) {
            return Ok(());
        }
        for (w, threads) in self.model.warps.iter().enumerate() {
            for (i, t) in threads.iter().enumerate() {
                if t.state == State::Live && self.cycle - t.seen > self.bound {
                    let slots = &self.slots[w];
                    let what = format!("warp {w} thread {i}: {t:?}; {slots:?}");
                    return self.breach(Clause::Live, what);
                }
            }
        }
        Ok(())
    }

    fn issue(
        &mut self,
        player: &mut impl Player,
        fault: &mut dyn Fault,
        a: &Answers,
    ) -> Result<(), Breach> {
        let mut issued = vec![None; self.pipes];
        let alone = self.slots.iter().all(|slots| slots.len() == 1);
        for (p, issued) in issued.iter_mut().enumerate() {
            let mut ready = Vec::new();
            for (w, slots) in self.slots.iter().enumerate() {
                for s in (p..slots.len()).step_by(self.pipes) {
                    let slot = &slots[s];
                    let go = slot.alive && !slot.waits && slot.ready <= self.cycle;
                    if go && a.eligible[s] >> w & 1 != 0 {
                        ready.push((w, s));
                    }
                }
            }
            if ready.iter().any(|(w, s)| a.priority[*s] >> w & 1 != 0) {
                ready.retain(|(w, s)| a.priority[*s] >> w & 1 != 0);
            }
            let Some(n) = player.issue(&ready, self.flying[p].len()) else { continue };
            let (w, s) = ready[n];
            *issued = Some((w, s));
            let owners = self.owners(w, fault)?;
            let slot = &mut self.slots[w][s];
            let next = player.predict(slot.pc);
            self.flying[p].push_back(Instr {
                warp: w,
                slot: s,
                pc: slot.pc,
                epoch: slot.epoch,
                next,
                collect: owners[s],
                look_at: self.cycle + self.latency,
            });
            slot.waits = next.is_none();
            slot.pc = next.unwrap_or(slot.pc);
            // No slot issues in two cycles in a row. Of several slots some do here, so that
            // more is under way.
            slot.ready = self.cycle + 1 + u64::from(alone);
            let flight =
                self.flying.iter().flatten().filter(|i| (i.warp, i.slot) == (w, s)).count();
            self.seen.deepest_flight = self.seen.deepest_flight.max(flight);
        }
        for (p, told) in self.told.iter().enumerate() {
            let noise = player.noise();
            let pipe = &mut self.unit.port.pipe[p];
            pipe.issued.next = told.is_some();
            pipe.long_latency.next = noise & 1 != 0;
            let (w, s) = told.unwrap_or((noise as usize >> 1, 0));
            pipe.issued_warp.next = U::new(w as u64);
            pipe.issued_slot.next = U::new(s as u64);
        }
        self.told = issued;
        Ok(())
    }

    /// Owner masks of a warp's slots.
    fn owners(&mut self, warp: usize, fault: &mut dyn Fault) -> Result<Vec<u64>, Breach> {
        let slots = self.slots[warp].len();
        let mut owners = vec![0; slots];
        for first in (0..slots).step_by(self.pipes) {
            for p in 0..self.pipes {
                let pipe = &mut self.unit.port.pipe[p];
                pipe.own_warp.next = U::new(warp as u64);
                pipe.own_slot.next = U::new((first + p) as u64);
            }
            self.unit.update_all();
            for (s, owner) in owners.iter_mut().enumerate().skip(first).take(self.pipes) {
                *owner = self.unit.port.pipe[s % self.pipes].owner.val().raw();
            }
        }
        fault.bend_owners(&mut owners);
        for s in 0..slots {
            let others = (0..s).filter(|o| (s - o) % self.pipes != 0);
            if others.fold(0, |m, o| m | owners[o]) & owners[s] != 0 {
                return self.breach(Clause::Owner, format!("warp {warp}: {owners:x?} overlap"));
            }
        }
        Ok(owners)
    }

    fn follow(&mut self, player: &mut impl Player, a: &Answers) {
        for r in &a.redirects {
            let slot = &mut self.slots[r.warp][r.slot];
            slot.alive = r.alive;
            slot.pc = r.pc;
            slot.epoch = r.epoch;
            slot.waits = false;
            slot.ready = self.cycle + 1 + player.fetch();
            slot.dropped = None;
        }
    }
}
