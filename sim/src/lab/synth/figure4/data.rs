//! The rows with eight warps, to be asked for by what they are of.

use super::super::timing::{self, median};
use super::super::{area, which};
use crate::error::BadInput;
use crate::lab::{hardware, store};
use clap::{Args, Command, FromArgMatches};
use cores::Part;
use hdl::config::{CoreConfig, RawConfig};
use hdl::rtl::Design;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a figure is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Of<'a> {
    /// The target.
    pub target: &'a str,
    /// `core` or `unit`.
    pub part: &'a str,
    /// The unit and what is not at its default: `hct --cct paper`.
    pub variant: &'a str,
}

/// The rows.
pub struct Data {
    /// Of `lab area`.
    pub areas: Vec<area::Row>,
    /// Of `lab timing`.
    pub timings: Vec<timing::Row>,
    /// Of `lab units`, of each core and kernel one; of today's hardware if there is one.
    pub orders: Vec<hardware::Row>,
    /// Names of hardware that is made no more.
    pub older: BTreeSet<String>,
}

/// The configuration of such flags, if it still is one.
pub fn config(flags: &str) -> Option<CoreConfig> {
    let command = RawConfig::augment_args(Command::new("row").no_binary_name(true));
    let matches = command.try_get_matches_from(flags.split_whitespace()).ok()?;
    RawConfig::from_arg_matches(&matches).ok()?.validate().ok()
}

/// What of these is the Verilog of no such part and flags any more.
fn older<'a>(
    rows: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
    design: impl Fn(&CoreConfig, Part) -> Result<Design, String> + Sync,
) -> Vec<String> {
    let rows: BTreeSet<_> = rows.collect();
    let is_made = |(hardware, part, flags): (&str, &str, &str)| {
        let part = which::part(part).ok()?;
        let design = design(&config(flags)?, part).ok()?;
        (which::hardware(&design) == hardware).then_some(())
    };
    let older = rows.into_par_iter().filter(|row| is_made(*row).is_none());
    older.map(|(hardware, ..)| hardware.to_string()).collect()
}

/// The rows of a file, none if it is not there.
fn rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, BadInput> {
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        other => other.map_err(|e| BadInput::file(path, e))?,
    };
    let (rows, _, notice) = store::parse(path, &text)?;
    if let Some(notice) = notice {
        eprintln!("lab: {notice}");
    }
    Ok(rows)
}

/// Target, part and flags of a row.
type Place = (String, String, String);

/// Takes earlier rows out where there are some of today's hardware. Of two kinds of earlier
/// hardware at one place nobody knows which to take.
fn latest<R>(
    folder: &Path,
    older: &BTreeSet<String>,
    rows: &mut Vec<R>,
    of: impl Fn(&R) -> (Place, &str),
) -> Result<(), BadInput> {
    let mut found: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for (place, hardware) in rows.iter().map(&of) {
        found.entry(place).or_default().insert(hardware.to_string());
    }
    let is_older = |hardware: &String| older.contains(hardware);
    for (place, hardware) in &mut found {
        if hardware.len() > 1 && !hardware.iter().all(is_older) {
            hardware.retain(|name| !is_older(name));
        }
        if hardware.len() > 1 {
            let all = hardware.iter().map(String::as_str).collect::<Vec<_>>().join(" and ");
            let (target, part, flags) = place;
            let why = format!(
                "rows of hardware {all} for {part} {flags} on {target}: run it again, or take the \
                 earlier ones out"
            );
            return Err(BadInput::file(folder, why));
        }
    }
    rows.retain(|row| {
        let (place, hardware) = of(row);
        found[&place].contains(hardware)
    });
    Ok(())
}

/// The unit and its options, if there are eight warps.
pub fn variant(options: &str) -> Option<&str> {
    let (shape, variant) = options.split_once(" --divergence ")?;
    shape.ends_with("--warps 8").then_some(variant)
}

impl Data {
    /// Those of a folder.
    pub fn read(folder: &Path) -> Result<Data, BadInput> {
        let mut areas: Vec<area::Row> = rows(&folder.join("area.jsonl"))?;
        let mut timings: Vec<timing::Row> = rows(&folder.join("timing.jsonl"))?;
        let mut orders: Vec<hardware::Row> = rows(&folder.join("units.jsonl"))?;
        orders.sort_by_key(|row| row.version != hdl::HARDWARE);
        let mut seen = BTreeSet::new();
        orders.retain(|row| seen.insert((row.core.clone(), row.kernel.clone())));
        areas.retain(|row| variant(&row.options).is_some());
        timings.retain(|row| variant(&row.options).is_some());
        if areas.is_empty() && timings.is_empty() {
            return Err(BadInput::file(folder, "no rows with eight warps: run lab area first"));
        }
        // What changed in between is not compared without a word.
        let rows = areas.iter().map(|row| (&*row.hardware, &*row.part, &*row.options));
        let mut older = older(rows, area::design);
        let rows = timings.iter().map(|row| (&*row.hardware, &*row.part, &*row.options));
        older.extend(self::older(rows, timing::design));
        let older: BTreeSet<_> = older.into_iter().collect();
        latest(folder, &older, &mut areas, |row| {
            ((row.target.clone(), row.part.clone(), row.options.clone()), &row.hardware)
        })?;
        latest(folder, &older, &mut timings, |row| {
            ((row.target.clone(), row.part.clone(), row.options.clone()), &row.hardware)
        })?;
        Ok(Data { areas, timings, orders, older })
    }

    /// The row of an area.
    pub fn area(&self, of: Of<'_>, threads: u32) -> Option<&area::Row> {
        self.areas.iter().find(|row| {
            (row.target.as_str(), row.part.as_str()) == (of.target, of.part)
                && row.threads_per_warp == threads
                && variant(&row.options) == Some(of.variant)
        })
    }

    /// The seed in the middle, and how many there are.
    pub fn timing(&self, of: Of<'_>, threads: u32) -> Option<(&timing::Row, usize)> {
        let mine = |row: &&timing::Row| {
            (row.target.as_str(), row.part.as_str()) == (of.target, of.part)
                && row.threads_per_warp == threads
                && variant(&row.options) == Some(of.variant)
        };
        let rows: Vec<_> = self.timings.iter().filter(mine).collect();
        Some((median(rows.iter().copied())?, rows.len()))
    }

    /// Every T of any row.
    pub fn threads(&self) -> BTreeSet<u32> {
        let areas = self.areas.iter().map(|row| row.threads_per_warp);
        areas.chain(self.timings.iter().map(|row| row.threads_per_warp)).collect()
    }

    /// Targets that have rows.
    pub fn targets(&self) -> BTreeSet<&str> {
        let areas = self.areas.iter().map(|row| row.target.as_str());
        areas.chain(self.timings.iter().map(|row| row.target.as_str())).collect()
    }

    /// Variants that a part has on a target.
    pub fn variants(&self, target: &str, part: &str) -> BTreeSet<&str> {
        let areas = self.areas.iter().map(|row| (&row.target, &row.part, &row.options));
        let timings = self.timings.iter().map(|row| (&row.target, &row.part, &row.options));
        areas
            .chain(timings)
            .filter(|(t, p, _)| (t.as_str(), p.as_str()) == (target, part))
            .filter_map(|(_, _, options)| variant(options))
            .collect()
    }

    /// Which tools made the rows.
    pub fn tools(&self) -> BTreeSet<&str> {
        let areas = self.areas.iter().map(|row| row.tool.as_str());
        areas.chain(self.timings.iter().map(|row| row.tools.as_str())).collect()
    }

    /// A mark for what was measured on hardware that is made no more.
    pub fn mark(&self, hardware: &str) -> &'static str {
        if self.older.contains(hardware) { "°" } else { "" }
    }
}
