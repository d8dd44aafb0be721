//! The rows with eight warps, to be asked for by what they are of.

use super::super::area;
use super::super::timing::{self, median};
use crate::error::BadInput;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
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
}

/// The rows of a file, none if it is not there.
fn rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, BadInput> {
    let text = match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        other => other.map_err(|e| BadInput::file(path, e))?,
    };
    let row = |(at, line)| {
        serde_json::from_str(line).map_err(|e| {
            BadInput::file(path, format_args!("line {}: not a row of this study: {e}", at + 1))
        })
    };
    text.lines().enumerate().map(row).collect()
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
        areas.retain(|row| variant(&row.options).is_some());
        timings.retain(|row| variant(&row.options).is_some());
        if areas.is_empty() && timings.is_empty() {
            return Err(BadInput::file(folder, "no rows with eight warps: run lab area first"));
        }
        // Of two kinds of hardware a figure would compare nothing.
        let data = Data { areas, timings };
        let (hardware, _) = data.origin();
        if hardware.len() > 1 {
            let all: Vec<_> = hardware.into_iter().collect();
            let all = all.join(" and ");
            return Err(BadInput::file(
                folder,
                format_args!(
                    "rows of hardware {all}: run all of \
                 lab area and lab timing again, or take the older ones out"
                ),
            ));
        }
        Ok(data)
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

    /// What the rows were measured on, if it is one thing, and by which tools.
    pub fn origin(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let areas = self.areas.iter().map(|row| (row.hardware.as_str(), row.tool.as_str()));
        let timings = self.timings.iter().map(|row| (row.hardware.as_str(), row.tools.as_str()));
        areas.chain(timings).unzip()
    }
}
