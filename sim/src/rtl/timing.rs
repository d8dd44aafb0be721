//! When the test-bench memory answers: each reply after L cycles plus a random
//! 0..=jitter, in any order when there is jitter, with a bound on requests in
//! flight.

use crate::torture::Rng;

/// Most cycles that latency and jitter may have.
pub const MAX_LATENCY: u32 = 1000;

/// Latency of both memory ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Cycles from request to reply, at least 1.
    pub latency: u32,
    /// A random number of further cycles, up to this; also makes `ready` low at
    /// random and replies come in any order.
    pub jitter: u32,
    /// Of the random numbers.
    pub seed: u64,
    /// Requests that each port has under way, at most.
    pub requests: usize,
}

/// Tags of the ports, the most requests that can be told apart.
pub const FETCH_TAGS: usize = 256;
pub const DATA_TAGS: usize = 16;

impl Default for Timing {
    fn default() -> Timing {
        Timing { latency: 1, jitter: 0, seed: 1, requests: FETCH_TAGS }
    }
}

impl Timing {
    /// From `L` or `L:jitter`.
    pub fn parse(text: &str, seed: u64) -> Result<Timing, String> {
        let (latency, jitter) = text.split_once(':').unwrap_or((text, "0"));
        let number = |text: &str, low| {
            hdl::config::number(text)
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| (low..=MAX_LATENCY).contains(n))
        };
        match (number(latency, 1), number(jitter, 0)) {
            (Some(latency), Some(jitter)) => {
                Ok(Timing { latency, jitter, seed, ..Timing::default() })
            }
            _ => Err(format!(
                "not supported, use L or L:JITTER with L from 1 and both up to {MAX_LATENCY}"
            )),
        }
    }

    /// The longest that a reply can take once it is alone.
    pub fn worst(&self) -> u64 {
        u64::from(self.latency) + u64::from(self.jitter)
    }
}

/// Replies on their way to one port.
pub struct Queue<R> {
    waiting: Vec<(u64, R)>,
    limit: usize,
    /// The one on offer until it is taken.
    offered: Option<usize>,
}

impl<R> Queue<R> {
    /// For at most `limit` requests in flight.
    pub fn new(limit: usize) -> Queue<R> {
        Queue { waiting: Vec::with_capacity(limit), limit, offered: None }
    }

    /// Does it take a request in this cycle?
    pub fn ready(&self, timing: &Timing, rng: &mut Rng) -> bool {
        self.waiting.len() < self.limit && (timing.jitter == 0 || !rng.chance(10))
    }

    /// A request was taken in cycle `now`.
    pub fn push(&mut self, now: u64, reply: R, timing: &Timing, rng: &mut Rng) {
        let jitter = if timing.jitter == 0 { 0 } else { rng.below(timing.jitter as usize + 1) };
        self.waiting.push((now + u64::from(timing.latency) + jitter as u64, reply));
    }

    /// The reply of cycle `now`, if one is due.
    pub fn offer(&mut self, now: u64, timing: &Timing, rng: &mut Rng) -> Option<&R> {
        if self.offered.is_none() {
            let due = |(at, _): &(u64, R)| *at <= now;
            self.offered = if timing.jitter == 0 {
                self.waiting.first().is_some_and(due).then_some(0)
            } else {
                let count = self.waiting.iter().filter(|w| due(w)).count();
                let pick = if count > 1 { rng.below(count) } else { 0 };
                let mut due = self.waiting.iter().enumerate().filter(|(_, w)| due(w));
                due.nth(pick).map(|(i, _)| i)
            };
        }
        self.offered.map(|i| &self.waiting[i].1)
    }

    /// The reply on offer was taken.
    pub fn taken(&mut self) -> Option<R> {
        self.offered.take().map(|i| self.waiting.remove(i).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        assert_eq!(Timing::parse("20", 1), Ok(Timing { latency: 20, ..Timing::default() }));
        let random = Timing { latency: 1, jitter: 49, seed: 7, ..Timing::default() };
        assert_eq!(Timing::parse("1:49", 7), Ok(random));
        for wrong in ["", "0", "x", "1:", ":1", "1:2:3", "1001", "1:1001", "-1", "1.5"] {
            assert!(Timing::parse(wrong, 1).is_err(), "{wrong}");
        }
    }

    #[test]
    fn without_jitter_replies_keep_order_and_distance() {
        let timing = Timing { latency: 3, ..Timing::default() };
        let mut rng = Rng::new(1);
        let mut queue = Queue::new(2);
        queue.push(10, 'a', &timing, &mut rng);
        queue.push(11, 'b', &timing, &mut rng);
        assert!(!queue.ready(&timing, &mut rng), "two are in flight");
        assert_eq!(queue.offer(12, &timing, &mut rng), None);
        assert_eq!(queue.offer(13, &timing, &mut rng), Some(&'a'));
        assert_eq!(queue.offer(14, &timing, &mut rng), Some(&'a'), "until it is taken");
        assert_eq!(queue.taken(), Some('a'));
        assert!(queue.ready(&timing, &mut rng));
        assert_eq!(queue.offer(15, &timing, &mut rng), Some(&'b'));
    }

    #[test]
    fn with_jitter_replies_overtake_and_all_come() {
        let timing = Timing { latency: 1, jitter: 20, seed: 0, ..Timing::default() };
        let mut rng = Rng::new(5);
        let mut queue = Queue::new(64);
        let (mut came, mut refused) = (Vec::new(), 0);
        for now in 0..2000u64 {
            if now < 1000 {
                if queue.ready(&timing, &mut rng) {
                    queue.push(now, now, &timing, &mut rng);
                } else {
                    refused += 1;
                }
            }
            if let Some(asked) = queue.offer(now, &timing, &mut rng) {
                assert!(now > *asked);
                came.extend(queue.taken());
            }
        }
        assert_eq!(came.len() + refused, 1000);
        assert!(refused > 50 && !came.is_sorted());
        came.sort();
        came.dedup();
        assert_eq!(came.len() + refused, 1000);
    }
}
