//! `annotate --check`: every hint of a linked program against what was meant
//! (the records) and against the program's own control flow.

mod decode;
mod function;
mod image;

use std::collections::BTreeSet;

use super::record;
use function::Function;
use image::Image;

/// What the check found.
#[derive(Debug, Default)]
pub struct Findings {
    /// One line per wrong hint.
    pub wrong: Vec<String>,
    /// Functions looked at, and recorded ones that the linker dropped.
    pub functions: usize,
    pub dropped: usize,
    pub hints: usize,
    /// Branches that are meant to have no hint.
    pub without: usize,
}

impl Findings {
    pub fn summary(&self) -> String {
        let dropped = match self.dropped {
            0 => String::new(),
            n => format!(", {n} functions dropped by the linker"),
        };
        format!(
            "{} functions, {} hints, {} branches without, {} wrong{dropped}",
            self.functions,
            self.hints,
            self.without,
            self.wrong.len()
        )
    }
}

/// Checks the program in `data`; the error says why it cannot be read.
pub fn check(data: &[u8]) -> Result<Findings, String> {
    let image = Image::parse(data)?;
    let mut findings = Findings::default();
    let mut functions = recorded(&image, &mut findings)?;
    let strict = image.records.is_some();
    functions.extend(unrecorded(&image, &functions));
    for function in &functions {
        function.check(&image, strict, &mut findings);
    }
    Ok(findings)
}

/// The functions that the records speak of.
fn recorded(image: &Image, findings: &mut Findings) -> Result<Vec<Function>, String> {
    let mut functions: Vec<Function> = Vec::new();
    // Records of a function that was dropped are skipped.
    let mut current = None;
    for (index, &[kind, a, b]) in image.records.iter().flatten().enumerate() {
        if kind == record::FUNCTION {
            let last = b.wrapping_sub(4);
            let present = a < b && image.word(a).is_some() && image.word(last).is_some();
            current = present.then(|| {
                functions.push(Function::new(a, b, true));
                functions.len() - 1
            });
            findings.dropped += usize::from(!present);
            continue;
        }
        if index == 0 {
            return Err(format!("section {} is damaged", record::SECTION));
        }
        let Some(current) = current else { continue };
        let function = &mut functions[current];
        match kind {
            record::HINT => {
                function.hints.insert(a, b);
            }
            record::EDGE => {
                function.edges.entry(a).or_default().insert(b);
            }
            record::NO_RETURN => {
                function.no_return.insert(a);
            }
            record::NO_HINT => {
                function.no_hint.insert(a);
            }
            _ => {
                let inside = function.start.max(a & !3)..function.end.min(b);
                function.data.extend(inside.step_by(4));
            }
        }
    }
    Ok(functions)
}

/// The functions that only symbols speak of.
fn unrecorded(image: &Image, recorded: &[Function]) -> Vec<Function> {
    let mut functions = Vec::new();
    let starts: BTreeSet<u32> = image
        .functions
        .iter()
        .map(|symbol| symbol.address)
        .chain(recorded.iter().map(|function| function.start))
        .collect();
    let mut seen = BTreeSet::new();
    for symbol in &image.functions {
        let start = symbol.address;
        let covered =
            recorded.iter().any(|function| (function.start..function.end).contains(&start));
        if covered || !seen.insert(start) {
            continue;
        }
        let next = starts.range(start.saturating_add(1)..).next().copied();
        let mut end = match symbol.size {
            0 => next.unwrap_or(u32::MAX),
            size => start.saturating_add(size),
        };
        // Without a size the function may end with its section.
        if let Some(stop) = (start..end).step_by(4).find(|pc| image.word(*pc).is_none()) {
            end = stop;
        }
        if start < end {
            functions.push(Function::new(start, end, false));
        }
    }
    functions
}
