//! Lines into functions: which section each instruction is in, where
//! functions begin and end, what labels mean, which data hold code labels.

use std::collections::{HashMap, HashSet};

use super::directive::{self, Directive, Flags};
use super::error::Error;
use super::flow::{self, Flow};
use super::parse::{self, Item, Line, is_name_char, split_outside};

/// Place of an item in the file: line and item on it, both from 0.
pub type At = (usize, usize);

/// What a place in a code section holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Code(Flow),
    /// Padding; control runs through it.
    Align,
    /// Not executable.
    Data,
}

/// An instruction (or padding, or data) of a function.
#[derive(Debug, Clone)]
pub struct Place {
    pub at: At,
    pub kind: Kind,
    /// Upper bound of its size; `None` when it cannot be told.
    pub size: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    pub places: Vec<Place>,
    /// Label to the index of the place after it (may be one past the last).
    pub labels: HashMap<String, usize>,
    /// Numeric labels in order of appearance.
    numeric: Vec<(String, usize)>,
}

impl Function {
    /// Resolves a label used at place `from`, numeric ones included.
    pub fn find(&self, label: &str, from: usize) -> Option<usize> {
        let digits = label.trim_end_matches(['f', 'b']);
        if digits.len() + 1 != label.len() || !is_number(digits) {
            return self.labels.get(label).copied();
        }
        let mut named = self.numeric.iter().filter(|(name, _)| name == digits);
        let found = if label.ends_with('f') {
            named.find(|(_, at)| *at > from)
        } else {
            named.rfind(|(_, at)| *at <= from)
        };
        found.map(|(_, at)| *at)
    }
}

/// Everything the analysis needs to know about a file.
#[derive(Debug, Default)]
pub struct Program {
    pub functions: Vec<Function>,
    /// The function that each label in code belongs to.
    pub owner: HashMap<String, usize>,
    /// Data label to the code labels of the words that follow it.
    pub tables: HashMap<String, Vec<String>>,
    /// Labels that begin a function: declared so, global, or called.
    pub starts: HashSet<String>,
    /// Symbols that are given a value by `.set` and the like.
    pub assigned: HashSet<String>,
}

struct Section {
    is_code: bool,
    /// Its labels and data may be jump tables.
    is_data: bool,
    /// The function that the next instruction belongs to.
    function: Option<usize>,
    /// Labels seen since the last function ended.
    pending: Vec<String>,
    data_label: Option<String>,
}

struct Builder {
    starts: HashSet<String>,
    sections: HashMap<String, Section>,
    current: String,
    previous: String,
    stack: Vec<(String, String)>,
    program: Program,
}

/// Sorts `lines` into functions.
pub fn build(file: &str, lines: &[Line]) -> Result<Program, Error> {
    let mut builder = Builder {
        starts: function_labels(lines),
        sections: HashMap::new(),
        current: ".text".into(),
        previous: ".text".into(),
        stack: Vec::new(),
        program: Program::default(),
    };
    builder.enter(".text", Flags::CODE);
    for (line, content) in lines.iter().enumerate() {
        for (item, what) in content.items.iter().enumerate() {
            builder
                .add((line, item), what)
                .map_err(|message| Error::at(file, line + 1, message))?;
        }
    }
    let is_code = |place: &Place| matches!(place.kind, Kind::Code(_));
    let has_code = |function: &Function| function.places.iter().any(is_code);
    builder.program.functions.retain(has_code);
    let mut program = builder.program;
    program.starts = builder.starts;
    for (index, function) in program.functions.iter().enumerate() {
        for label in function.labels.keys() {
            program.owner.insert(label.clone(), index);
        }
    }
    Ok(program)
}

/// Collects [`Program::starts`].
fn function_labels(lines: &[Line]) -> HashSet<String> {
    let mut starts = HashSet::new();
    let items = lines.iter().flat_map(|line| &line.items);
    for item in items {
        match item {
            Item::Directive(name, args) => match name.as_str() {
                ".type" if args.ends_with("function") => {
                    starts.extend(args.split(',').next().map(|s| s.trim().to_string()));
                }
                ".globl" | ".global" | ".weak" => {
                    starts.extend(args.split(',').map(|s| s.trim().to_string()));
                }
                _ => {}
            },
            Item::Insn(mnemonic, operands) => {
                if let Ok(Flow::Call(symbol)) = flow::flow(mnemonic, operands) {
                    starts.insert(symbol);
                }
            }
            Item::Label(_) => {}
        }
    }
    starts
}

impl Builder {
    fn add(&mut self, at: At, item: &Item) -> Result<(), String> {
        match item {
            Item::Label(name) => self.label(name),
            Item::Directive(name, args) => self.directive(at, name, args),
            Item::Insn(mnemonic, operands) => {
                if !self.section().is_code {
                    let section = &self.current;
                    return Err(format!("instruction in section {section}, which is not code"));
                }
                let kind = Kind::Code(flow::flow(mnemonic, operands)?);
                let size = Some(flow::size_bound(mnemonic, operands));
                self.place(Place { at, kind, size })
            }
        }
    }

    fn section(&mut self) -> &mut Section {
        let current = &self.current;
        self.sections.get_mut(current).expect("entered before use")
    }

    fn enter(&mut self, name: &str, flags: Flags) {
        self.previous = std::mem::replace(&mut self.current, name.to_string());
        self.sections.entry(name.to_string()).or_insert(Section {
            is_code: flags.is_code,
            is_data: flags.is_data,
            function: None,
            pending: Vec::new(),
            data_label: None,
        });
    }

    fn label(&mut self, name: &str) -> Result<(), String> {
        if name.starts_with(".Lweft_") {
            return Err("the file is annotated already".to_string());
        }
        let numeric = is_number(name);
        let starts_function = self.starts.contains(name);
        let section = self.section();
        section.data_label = Some(name.to_string());
        if !section.is_code {
            return Ok(());
        }
        let Some(current) = section.function.filter(|_| !starts_function) else {
            section.function = None;
            section.pending.push(name.to_string());
            return Ok(());
        };
        let function = &mut self.program.functions[current];
        let next = function.places.len();
        if numeric {
            function.numeric.push((name.to_string(), next));
        } else if function.labels.insert(name.to_string(), next).is_some() {
            return Err(format!("label `{name}` is defined twice"));
        }
        Ok(())
    }

    fn place(&mut self, place: Place) -> Result<(), String> {
        let section = self.section();
        if section.function.is_none() {
            if place.kind == Kind::Align {
                return Ok(());
            }
            let pending = std::mem::take(&mut section.pending);
            let is_data = place.kind == Kind::Data;
            if pending.is_empty() && is_data {
                return Ok(());
            }
            let starts = &self.starts;
            let name = pending
                .iter()
                .find(|label| starts.contains(*label))
                .or(pending.iter().find(|label| !label.starts_with('.')))
                .or(pending.first())
                .ok_or("code before any label")?;
            let mut function = Function { name: name.clone(), ..Function::default() };
            for label in &pending {
                if is_number(label) {
                    function.numeric.push((label.clone(), 0));
                } else {
                    function.labels.insert(label.clone(), 0);
                }
            }
            self.program.functions.push(function);
            let index = self.program.functions.len() - 1;
            self.section().function = Some(index);
        }
        let index = self.section().function.expect("set above");
        self.program.functions[index].places.push(place);
        Ok(())
    }

    fn directive(&mut self, at: At, name: &str, args: &str) -> Result<(), String> {
        match directive::classify(name, args)? {
            Directive::Section(name, flags) => self.enter(&name, flags),
            Directive::Push(name, flags) => {
                let saved = (self.current.clone(), self.previous.clone());
                self.stack.push(saved);
                self.enter(&name, flags);
            }
            Directive::Pop => {
                let saved = self.stack.pop().ok_or("`.popsection` without a push")?;
                (self.current, self.previous) = saved;
            }
            Directive::Previous => std::mem::swap(&mut self.current, &mut self.previous),
            Directive::Assign(symbol) => {
                self.program.assigned.insert(symbol);
            }
            Directive::Size(symbol) => self.end_function(&symbol),
            Directive::Align(size) if self.section().is_code => {
                let kind = Kind::Align;
                self.place(Place { at, kind, size })?;
            }
            Directive::Align(_) | Directive::Silent => {}
            Directive::Data(size) => self.data(at, args, size)?,
            Directive::Unknown if self.section().is_code => {
                return Err(format!("`{name}` in code is not understood"));
            }
            Directive::Unknown => self.data(at, args, None)?,
        }
        Ok(())
    }

    fn end_function(&mut self, symbol: &str) {
        let Some(index) = self.section().function else {
            return;
        };
        if self.program.functions[index].labels.get(symbol) == Some(&0) {
            let section = self.section();
            section.function = None;
            section.pending.clear();
        }
    }

    fn data(&mut self, at: At, args: &str, size: Option<u32>) -> Result<(), String> {
        let section = self.section();
        let is_code = section.is_code;
        let label = section.data_label.clone().filter(|_| section.is_data);
        if let Some(label) = label {
            for value in split_outside(args, ',') {
                let value = value.trim();
                let end = value.find(|c| !is_name_char(c)).unwrap_or(value.len());
                let symbol = &value[..end];
                if symbol.starts_with(|c: char| !c.is_ascii_digit()) {
                    let table = self.program.tables.entry(label.clone()).or_default();
                    table.push(symbol.to_string());
                }
            }
        }
        if is_code {
            let kind = Kind::Data;
            self.place(Place { at, kind, size })?;
        }
        Ok(())
    }
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit())
}

/// The instruction text at `at`.
pub fn text_at(lines: &[Line], at: At) -> String {
    parse::insn_text(&lines[at.0].items[at.1])
}

/// Mnemonic and operands at `at`; nothing for what is not an instruction.
pub fn insn_at(lines: &[Line], at: At) -> (&str, &[String]) {
    match &lines[at.0].items[at.1] {
        Item::Insn(mnemonic, operands) => (mnemonic, operands),
        _ => ("", &[]),
    }
}
