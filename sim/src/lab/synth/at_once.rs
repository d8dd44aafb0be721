//! Several of the same kind at once, where one would leave processors idle.

use std::sync::mpsc;
use std::thread;

/// Does something with each of `all`, with as many at a time as there are runs at a time (`--jobs`); in their
/// order, what came of it, or the first error. `tell` hears from each.
pub fn at_once<T: Sync, R: Send>(
    all: &[T],
    tell: &mut dyn FnMut(&str),
    act: impl Fn(&T, &mut dyn FnMut(&str)) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let mut done = Vec::new();
    for some in all.chunks(rayon::current_num_threads()) {
        let (told, hears) = mpsc::channel::<String>();
        let made: Result<Vec<R>, String> = thread::scope(|scope| {
            let begin = |one| {
                let (told, act) = (told.clone(), &act);
                // Who does not listen any more has an error of another.
                scope.spawn(move || act(one, &mut |how| told.send(how.to_string()).unwrap_or(())))
            };
            let threads: Vec<_> = some.iter().map(begin).collect();
            drop(told);
            hears.iter().for_each(|how| tell(&how));
            let ends = threads.into_iter().map(|thread| thread.join().expect("no step panics"));
            ends.collect()
        });
        done.extend(made?);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    fn with_threads<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(act)
    }

    #[test]
    fn two_at_a_time_meet_and_keep_their_order() {
        let (made, mut heard) = with_threads(2, || {
            let (meet, mut heard) = (Barrier::new(2), Vec::new());
            let made = at_once(&[3, 1, 4, 1], &mut |how| heard.push(how.to_string()), |n, tell| {
                // Alone they would wait here for ever.
                meet.wait();
                tell(&format!("at {n}"));
                Ok(n * 10)
            });
            (made, heard)
        });
        assert_eq!(made, Ok(vec![30, 10, 40, 10]));
        heard.sort();
        assert_eq!(heard, ["at 1", "at 1", "at 3", "at 4"]);
    }

    #[test]
    fn one_at_a_time_is_not_beside_another() {
        let count = std::sync::atomic::AtomicUsize::new(0);
        let order = std::sync::atomic::Ordering::SeqCst;
        let most = with_threads(1, || {
            at_once(&[(); 3], &mut |_| (), |(), _| {
                let now = count.fetch_add(1, order) + 1;
                let until = Instant::now() + Duration::from_millis(20);
                while Instant::now() < until {}
                count.fetch_sub(1, order);
                Ok(now)
            })
        });
        assert_eq!(most, Ok(vec![1, 1, 1]));
    }

    #[test]
    fn the_first_error_is_that_of_all() {
        let made = with_threads(2, || {
            at_once(
                &[1, 2, 3],
                &mut |_| (),
                |n, _| if *n == 1 { Ok(()) } else { Err(format!("{n}")) },
            )
        });
        assert_eq!(made, Err("2".to_string()));
    }
}
