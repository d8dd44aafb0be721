//! Many runs of tools: what has no row yet is run, and a run that fails does not
//! hold up the others.

use super::which::Which;
use crate::cli::exit;
use crate::error::BadInput;
use crate::lab::policies::pool;
use crate::lab::store::{Keyed, Store};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Where there is no terminal, a run says how far it is when it has not for so long.
const PLAIN: Duration = Duration::from_secs(60);

/// A run that may not have happened yet.
pub trait Run: Sync {
    /// What comes of it.
    type Row: Keyed<Key: Send> + Clone + Send + Serialize + DeserializeOwned;

    /// The key of its row.
    fn key(&self) -> <Self::Row as Keyed>::Key;

    /// For the user.
    fn name(&self) -> String;

    /// Does it; `tell` hears how far it is, and an error is one line.
    fn measure(&self, tell: &mut dyn FnMut(&str)) -> Result<Self::Row, String>;
}

/// Sees to it that every run has a row in a file of the results; the rows that
/// there are, and the exit code.
pub fn fill<R: Run>(which: &Which, file: &str, runs: &[R]) -> Result<(Vec<R::Row>, u8), BadInput> {
    let pool = pool(which.jobs.as_deref())?;
    std::fs::create_dir_all(&which.out)
        .map_err(|e| BadInput::file(&which.out, format_args!("cannot create: {e}")))?;
    let path = which.out.join(file);
    let store: Store<R::Row> = Store::open(&path)?;
    if let Some(notice) = &store.notice {
        eprintln!("lab: {notice}");
    }
    let known = |run: &&R| store.get(&run.key()).is_some() && !which.fresh;
    let missing: Vec<_> = runs.iter().filter(|run| !known(run)).collect();
    let taken_over = runs.len() - missing.len();

    let bar = ProgressBar::new(missing.len() as u64);
    let style = "{bar:40} {pos}/{len} runs, {elapsed} {msg}";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    bar.enable_steady_tick(Duration::from_secs(1));
    let store = Mutex::new(store);
    let failures = Mutex::new(Vec::new());
    let began = Instant::now();
    let done = pool.install(|| {
        missing.par_iter().try_for_each(|run| {
            bar.set_message(run.name());
            let mut told = began;
            let row = run.measure(&mut |how| {
                bar.set_message(format!("{}: {how}", run.name()));
                if bar.is_hidden() && told.elapsed() >= PLAIN {
                    told = Instant::now();
                    eprintln!("lab: {} s: {}: {how}", began.elapsed().as_secs(), run.name());
                }
            });
            bar.inc(1);
            match row {
                Ok(row) => store.lock().expect("no run panics").add(row),
                Err(why) => {
                    let why = format!("lab: {}: {why}", run.name());
                    failures.lock().expect("no run panics").push(why);
                    Ok(())
                }
            }
        })
    });
    bar.finish_and_clear();
    done?;
    let store = store.into_inner().expect("no run panics");
    let mut failures = failures.into_inner().expect("no run panics");
    let rows: Vec<_> = runs.iter().filter_map(|run| store.get(&run.key())).cloned().collect();
    store.finish(&rows)?;
    failures.sort();
    failures.iter().for_each(|why| eprintln!("{why}"));
    println!("lab: {} runs, {taken_over} rows taken over", missing.len() - failures.len());
    println!("lab: {}", path.display());
    Ok((rows, if failures.is_empty() { exit::PASS } else { exit::FAIL }))
}
