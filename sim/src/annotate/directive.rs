//! Assembler directives, as far as they matter here. What could hide code is
//! refused; what is unknown is refused in code and taken for data elsewhere.

use super::parse::split_outside;

/// What a section may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    pub is_code: bool,
    /// Part of the program, so its words may be a jump table.
    pub is_data: bool,
}

impl Flags {
    pub const CODE: Flags = Flags { is_code: true, is_data: true };
}

/// The effect of a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    Section(String, Flags),
    Push(String, Flags),
    Pop,
    Previous,
    /// Gives a symbol a value.
    Assign(String),
    /// `.size`: the symbol's function or object ends here.
    Size(String),
    /// Padding up to so many bytes, if that can be told.
    Align(Option<u32>),
    /// Bytes of data, if their number can be told.
    Data(Option<u32>),
    /// Puts nothing into the section.
    Silent,
    Unknown,
}

const SILENT: &[&str] = &[
    ".globl",
    ".global",
    ".weak",
    ".local",
    ".hidden",
    ".protected",
    ".internal",
    ".type",
    ".file",
    ".loc",
    ".ident",
    ".attribute",
    ".addrsig",
    ".addrsig_sym",
    ".comm",
    ".lcomm",
    ".end",
    ".option",
];
const OPAQUE: &[&str] = &[
    ".macro",
    ".endm",
    ".rept",
    ".endr",
    ".irp",
    ".irpc",
    ".include",
    ".incbin",
    ".else",
    ".elseif",
    ".endif",
    ".altmacro",
    ".subsection",
];

/// Classifies the directive `name` with the rest `args` of its statement.
pub fn classify(name: &str, args: &str) -> Result<Directive, String> {
    let parts = split_outside(args, ',');
    let first = parts[0].trim();
    let count = parts.len() as u32;
    Ok(match name {
        _ if OPAQUE.contains(&name) || name.starts_with(".if") => {
            return Err(format!("`{name}` is not understood; expand it first"));
        }
        ".text" | ".data" | ".bss" | ".rodata" => {
            Directive::Section(name.to_string(), flags(name, None))
        }
        ".section" | ".pushsection" => {
            let section = first.trim_matches('"').to_string();
            let flags = flags(&section, parts.get(1).map(|flags| flags.trim()));
            if section == super::record::SECTION {
                return Err("the file is annotated already".to_string());
            }
            match name {
                ".section" => Directive::Section(section, flags),
                _ => Directive::Push(section, flags),
            }
        }
        ".popsection" => Directive::Pop,
        ".previous" => Directive::Previous,
        ".option" if ["relax", "rvc"].contains(&first) => {
            return Err(format!("`.option {first}` would move hints"));
        }
        ".set" | ".equ" | ".equiv" => Directive::Assign(first.to_string()),
        ".size" => Directive::Size(first.to_string()),
        ".balign" => Directive::Align(first.parse().ok()),
        ".p2align" | ".align" => {
            let power = first.parse().ok();
            Directive::Align(power.and_then(|power| 1u32.checked_shl(power)))
        }
        ".byte" => Directive::Data(Some(count)),
        ".half" | ".short" | ".2byte" | ".hword" => Directive::Data(Some(2 * count)),
        ".word" | ".long" | ".4byte" | ".int" => Directive::Data(Some(4 * count)),
        ".quad" | ".dword" | ".8byte" => Directive::Data(Some(8 * count)),
        ".zero" | ".space" | ".skip" => Directive::Data(first.parse().ok()),
        ".ascii" | ".asciz" | ".string" => Directive::Data(Some(args.len() as u32 + 1)),
        _ if SILENT.contains(&name) || name.starts_with(".cfi_") => Directive::Silent,
        _ => Directive::Unknown,
    })
}

/// What the section `name` holds, given the flags of its directive.
fn flags(name: &str, given: Option<&str>) -> Flags {
    let code_name = [".text", ".init", ".fini"].contains(&name) || name.starts_with(".text.");
    let metadata =
        [".debug", ".eh_frame", ".gcc_except_table"].iter().any(|prefix| name.starts_with(prefix));
    Flags {
        is_code: code_name || given.is_some_and(|flags| flags.contains('x')),
        is_data: !metadata && given.is_none_or(|flags| flags.contains('a')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_apart() {
        let data = Flags { is_code: false, is_data: true };
        let neither = Flags { is_code: false, is_data: false };
        assert_eq!(flags(".text.unlikely", None), Flags::CODE);
        assert_eq!(flags("mine", Some("\"ax\"")), Flags::CODE);
        assert_eq!(flags(".rodata", None), data);
        assert_eq!(flags(".debug_info", Some("\"\"")), neither);
        assert_eq!(flags(".eh_frame", Some("\"a\"")), neither);
        let expected = Directive::Section("mine".into(), Flags::CODE);
        let found = classify(".section", "\"mine\", \"ax\", @progbits");
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn what_hides_code_is_refused() {
        for name in [".macro", ".rept", ".include", ".ifdef", ".incbin"] {
            assert!(classify(name, "x").is_err(), "{name}");
        }
        assert!(classify(".option", "relax").is_err());
        assert_eq!(classify(".option", "push"), Ok(Directive::Silent));
        assert_eq!(classify(".insn", "4, 0x13"), Ok(Directive::Unknown));
    }

    #[test]
    fn sizes() {
        let size = |name, args| classify(name, args).unwrap();
        assert_eq!(size(".p2align", "4, 0x0"), Directive::Align(Some(16)));
        assert_eq!(size(".word", "1, 2, .L3 - .L4"), Directive::Data(Some(12)));
        assert_eq!(size(".zero", "8 * 4"), Directive::Data(None));
    }
}
