//! Decides on every hint and writes the annotated assembly and the report.
//!
//! A hint is a `.word` whose value the assembler computes from the distance
//! of two labels, so it holds whatever sizes the assembler chooses.

use std::collections::BTreeMap;
use std::fmt::Write;

use hdl::isa::hint::JOIN_RANGE;

use super::error::Error;
use super::flow::Flow;
use super::graph::{self, Graph};
use super::parse::{self, Line};
use super::program::{self, At, Function, Kind, Program, text_at};
use super::record;

/// The two texts that `annotate` makes.
#[derive(Debug)]
pub struct Annotated {
    pub assembly: String,
    pub report: String,
}

/// Annotates `text`, the contents of `file`.
pub fn annotate(file: &str, text: &str, no_return: &[String]) -> Result<Annotated, Error> {
    let lines = parse::parse(file, text)?;
    let mut program = program::build(file, &lines)?;
    let mut writer = Writer {
        file,
        lines: &lines,
        before: BTreeMap::new(),
        after: BTreeMap::new(),
        replaced: BTreeMap::new(),
        records: String::new(),
        report: String::new(),
        labels: 0,
    };
    for index in 0..program.functions.len() {
        writer.share_exit(&mut program, index);
    }
    let graphs = graph::build(file, &lines, &program, no_return)?;
    for (index, graph) in graphs.iter().enumerate() {
        writer.function(&program, index, graph)?;
    }
    Ok(Annotated { assembly: writer.assembly(), report: writer.report })
}

struct Writer<'a> {
    file: &'a str,
    lines: &'a [Line],
    /// Lines to add before and after an item, lines to put in its place.
    before: BTreeMap<At, Vec<String>>,
    after: BTreeMap<At, Vec<String>>,
    replaced: BTreeMap<At, String>,
    records: String,
    report: String,
    labels: usize,
}

impl Writer<'_> {
    /// Makes all returns but the last jump to the last one. At a return the
    /// frame is gone whatever the epilogue was, so this is always right.
    fn share_exit(&mut self, program: &mut Program, index: usize) {
        let function = &mut program.functions[index];
        let is_return = |kind: &Kind| *kind == Kind::Code(Flow::Return);
        let count = function.places.len();
        let mut returns: Vec<usize> =
            (0..count).filter(|&at| is_return(&function.places[at].kind)).collect();
        let Some(shared) = returns.pop() else { return };
        if returns.is_empty() {
            return;
        }
        let label = format!(".Lweft_exit{index}");
        for at in returns {
            let place = &mut function.places[at];
            let was = text_at(self.lines, place.at);
            place.kind = Kind::Code(Flow::Jump(label.clone()));
            self.replaced.insert(place.at, format!("\tj\t{label}\t# {was}"));
        }
        self.insert_before(function.places[shared].at, format!("{label}:"));
        function.labels.insert(label.clone(), shared);
        program.owner.insert(label, index);
    }

    fn function(&mut self, program: &Program, index: usize, graph: &Graph) -> Result<(), Error> {
        let function = &program.functions[index];
        let (first, last) = (
            function.places.first().expect("functions are not empty").at,
            function.places.last().expect("functions are not empty").at,
        );
        self.insert_before(first, format!(".Lweft_begin{index}:"));
        let end = format!(".Lweft_end{index}:");
        self.after.entry(last).or_default().push(end);
        let (begin, end) = (format!(".Lweft_begin{index}"), format!(".Lweft_end{index}"));
        self.record(record::FUNCTION, &begin, &end);

        self.data(function);
        let post_dominators = graph.cfg.post_dominators();
        // Labels of targets come before the hints of the targets themselves.
        let mut labels = BTreeMap::new();
        let mut branches = Vec::new();
        for (at, place) in function.places.iter().enumerate() {
            let Kind::Code(flow) = &place.kind else {
                continue;
            };
            if matches!(flow, Flow::Branch(_) | Flow::CallRegister | Flow::JumpRegister(_)) {
                branches.push(at);
                if let Some(target) = post_dominators[at] {
                    self.label(function, target, &mut labels);
                }
            }
        }
        for targets in graph.jump_tables.values() {
            for &target in targets {
                self.label(function, target, &mut labels);
            }
        }
        for at in branches {
            match post_dominators[at] {
                Some(target) => {
                    self.check_reach(function, at, target)?;
                    self.hint(function, at, target, &labels[&target]);
                }
                None => self.no_hint(function, graph, at),
            }
        }
        for &at in &graph.no_return {
            let label = self.new_label("call", function.places[at].at);
            self.record(record::NO_RETURN, &label, &label);
        }
        for (&jump, targets) in &graph.jump_tables {
            let label = self.new_label("jump", function.places[jump].at);
            for target in targets {
                self.record(record::EDGE, &label, &labels[target]);
            }
        }
        Ok(())
    }

    /// Records which places are not code.
    fn data(&mut self, function: &Function) {
        for place in function.places.iter().filter(|p| p.kind == Kind::Data) {
            let start = self.new_label("data", place.at);
            let end = format!("{start}_end");
            self.after.entry(place.at).or_default().push(format!("{end}:"));
            self.record(record::DATA, &start, &end);
        }
    }

    fn insert_before(&mut self, at: At, text: String) {
        self.before.entry(at).or_default().push(text);
    }

    fn record(&mut self, kind: u32, a: &str, b: &str) {
        writeln!(self.records, "\t.word\t{kind:#x}, {a}, {b}").expect("strings take writes");
    }

    fn new_label(&mut self, role: &str, at: At) -> String {
        let label = format!(".Lweft_{role}{}", self.labels);
        self.labels += 1;
        self.insert_before(at, format!("{label}:"));
        label
    }

    fn label(&mut self, function: &Function, at: usize, labels: &mut BTreeMap<usize, String>) {
        labels.entry(at).or_insert_with(|| self.new_label("join", function.places[at].at));
    }

    fn hint(&mut self, function: &Function, at: usize, target: usize, label: &str) {
        let hint = self.new_label("hint", function.places[at].at);
        let distance = format!("({label} - {hint})");
        let word = format!(
            "\t.word\t0x2013 | ((({distance} >> 2) & 0xfff) << 20) | ((({distance} >> 14) & 31) << 15)"
        );
        self.insert_before(function.places[at].at, word);
        self.record(record::HINT, &hint, label);
        let name = self.describe(function, target);
        self.report_row(function, at, &name, &format!("{label} - {hint}"));
    }

    fn no_hint(&mut self, function: &Function, graph: &Graph, at: usize) {
        let label = self.new_label("none", function.places[at].at);
        self.record(record::NO_HINT, &label, &label);
        let reachable = graph.cfg.reachable(at);
        let exits: Vec<String> = graph
            .exits
            .iter()
            .filter(|(exit, _)| reachable[**exit])
            .map(|(exit, why)| format!("{why} (line {})", function.places[*exit].at.0 + 1))
            .collect();
        let reason = if graph.no_return.contains(&at) {
            "none: does not return".to_string()
        } else if exits.is_empty() {
            "none: never leaves the function".to_string()
        } else {
            format!("none: leaves by {}", exits.join(", "))
        };
        self.report_row(function, at, &reason, "-");
    }

    fn report_row(&mut self, function: &Function, at: usize, target: &str, hint: &str) {
        let place = function.places[at].at;
        let (name, file, line) = (&function.name, self.file, place.0 + 1);
        let branch = text_at(self.lines, place);
        writeln!(self.report, "{name}\t{file}:{line}\t{branch}\t{target}\t{hint}")
            .expect("strings take writes");
    }

    /// `.LBB0_3 (line 17)`, or the line alone where there is no label.
    fn describe(&self, function: &Function, at: usize) -> String {
        let line = function.places[at].at.0 + 1;
        let mut names: Vec<_> = function
            .labels
            .iter()
            .filter(|(name, to)| **to == at && !name.starts_with(".Ltmp"))
            .map(|(name, _)| name)
            .collect();
        names.sort_by_key(|name| (name.starts_with(".Lweft_"), *name));
        match names.first() {
            Some(name) => format!("{name} (line {line})"),
            None => format!("line {line}"),
        }
    }

    /// The distance is not known before assembly, but cannot exceed this sum.
    fn check_reach(&self, function: &Function, at: usize, target: usize) -> Result<(), Error> {
        let mut bytes: u64 = 8;
        let line = function.places[at].at.0 + 1;
        for place in &function.places[at.min(target)..at.max(target)] {
            let size = place.size.ok_or_else(|| {
                let message =
                    format!("cannot tell the size of line {}, which a hint spans", place.at.0 + 1);
                Error::at(self.file, line, message)
            })?;
            bytes += u64::from(size) + 4;
        }
        let reach = u64::from(JOIN_RANGE.1.unsigned_abs()) * 4;
        if bytes > reach {
            let target = self.describe(function, target);
            let message = format!(
                "the hint may not reach {target}: up to {bytes} bytes away, {reach} at most"
            );
            return Err(Error::at(self.file, line, message));
        }
        Ok(())
    }

    fn assembly(&self) -> String {
        let mut out = String::from("\t.option\tnorelax\n\t.option\tnorvc\n");
        for (number, line) in self.lines.iter().enumerate() {
            let range = (number, 0)..(number + 1, 0);
            let before = self.before.range(range.clone());
            let simple = line.items.len() <= 1;
            if simple {
                before.for_each(|(_, added)| push_lines(&mut out, added));
                match self.replaced.get(&(number, 0)) {
                    Some(text) => push_line(&mut out, text),
                    None => push_line(&mut out, &line.raw),
                }
                let after = self.after.range(range);
                after.for_each(|(_, added)| push_lines(&mut out, added));
                continue;
            }
            let touched = before.count()
                + self.after.range(range.clone()).count()
                + self.replaced.range(range).count();
            if touched == 0 {
                push_line(&mut out, &line.raw);
                continue;
            }
            for (index, item) in line.items.iter().enumerate() {
                let at = (number, index);
                push_lines(&mut out, self.before.get(&at).map_or(&[][..], |v| v));
                match self.replaced.get(&at) {
                    Some(text) => push_line(&mut out, text),
                    None => push_line(&mut out, &parse::render(item)),
                }
                push_lines(&mut out, self.after.get(&at).map_or(&[][..], |v| v));
            }
        }
        let section = record::SECTION;
        writeln!(out, "\t.section\t{section},\"\",@progbits\n\t.p2align\t2")
            .expect("strings take writes");
        out.push_str(&self.records);
        out
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn push_lines(out: &mut String, lines: &[String]) {
    lines.iter().for_each(|line| push_line(out, line));
}
