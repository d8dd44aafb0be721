//! Where control goes after an instruction, from its mnemonic and operands.
//! Every mnemonic that is not listed here is refused: it might be a jump.

/// What an instruction does to the flow of control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flow {
    /// Goes on with the next instruction.
    Next,
    /// Conditional branch to a label.
    Branch(String),
    /// Jump to a label or, when that is another function, a tail call.
    Jump(String),
    /// Call of a symbol.
    Call(String),
    /// Call through a register.
    CallRegister,
    /// Jump through a register other than `ra`.
    JumpRegister(u8),
    Return,
    /// `mret`: leaves the function, nobody knows where to.
    TrapReturn,
    /// Never goes on.
    Stop,
}

const NEXT: &[&str] = &[
    "lui",
    "auipc",
    "addi",
    "slti",
    "sltiu",
    "xori",
    "ori",
    "andi",
    "slli",
    "srli",
    "srai",
    "add",
    "sub",
    "sll",
    "slt",
    "sltu",
    "xor",
    "srl",
    "sra",
    "or",
    "and",
    "lb",
    "lh",
    "lw",
    "lbu",
    "lhu",
    "sb",
    "sh",
    "sw",
    "fence",
    "fence.i",
    "fence.tso",
    "pause",
    "ecall",
    "ebreak",
    "scall",
    "sbreak",
    "wfi",
    "csrrw",
    "csrrs",
    "csrrc",
    "csrrwi",
    "csrrsi",
    "csrrci",
    "csrr",
    "csrw",
    "csrs",
    "csrc",
    "csrwi",
    "csrsi",
    "csrci",
    "rdcycle",
    "rdcycleh",
    "rdtime",
    "rdtimeh",
    "rdinstret",
    "rdinstreth",
    "mul",
    "mulh",
    "mulhsu",
    "mulhu",
    "div",
    "divu",
    "rem",
    "remu",
    "nop",
    "mv",
    "move",
    "li",
    "la",
    "lla",
    "lga",
    "not",
    "neg",
    "seqz",
    "snez",
    "sltz",
    "sgtz",
    "sgt",
    "sgtu",
    "zext.b",
    "zext.h",
    "sext.b",
    "sext.h",
];
const ATOMIC: &[&str] = &[
    "lr.w",
    "sc.w",
    "amoswap.w",
    "amoadd.w",
    "amoxor.w",
    "amoand.w",
    "amoor.w",
    "amomin.w",
    "amomax.w",
    "amominu.w",
    "amomaxu.w",
];
const BRANCH: &[&str] = &["beq", "bne", "blt", "bge", "bltu", "bgeu", "bgt", "ble", "bgtu", "bleu"];
const BRANCH_ZERO: &[&str] = &["beqz", "bnez", "blez", "bgez", "bltz", "bgtz"];
/// Expand to more than one machine instruction.
const LONG: &[&str] =
    &["li", "la", "lla", "lga", "call", "tail", "jump", "zext.h", "sext.b", "sext.h"];
const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];
const RA: u8 = 1;

/// The number of the register `name`.
pub fn register(name: &str) -> Option<u8> {
    if name == "fp" {
        return Some(8);
    }
    if let Some(at) = ABI.iter().position(|abi| *abi == name) {
        return Some(at as u8);
    }
    let number: u8 = name.strip_prefix('x')?.parse().ok()?;
    (number < 32).then_some(number)
}

/// Does the register keep its value over a call?
pub fn is_preserved(register: u8) -> bool {
    matches!(register, 0 | 2..=4 | 8 | 9 | 18..=27)
}

/// No more than this many bytes come out of the assembler. A branch out of
/// reach becomes an inverted branch and a jump.
pub fn size_bound(mnemonic: &str, operands: &[String]) -> u32 {
    let is_branch = BRANCH.contains(&mnemonic) || BRANCH_ZERO.contains(&mnemonic);
    let is_access = matches!(mnemonic, "lb" | "lh" | "lw" | "lbu" | "lhu" | "sb" | "sh" | "sw");
    let by_symbol = is_access && !operands.iter().any(|o| o.contains('('));
    if is_branch || by_symbol || LONG.contains(&mnemonic) { 8 } else { 4 }
}

/// The flow after an instruction; the error says why it is not understood.
pub fn flow(mnemonic: &str, operands: &[String]) -> Result<Flow, String> {
    let operand =
        |at: usize| operands.get(at).ok_or_else(|| format!("`{mnemonic}` has too few operands"));
    let exactly = |n: usize| {
        if operands.len() == n { Ok(()) } else { Err(format!("`{mnemonic}` takes {n} operands")) }
    };
    if BRANCH.contains(&mnemonic) {
        exactly(3)?;
        return Ok(Flow::Branch(operand(2)?.clone()));
    }
    if BRANCH_ZERO.contains(&mnemonic) {
        exactly(2)?;
        return Ok(Flow::Branch(operand(1)?.clone()));
    }
    match mnemonic {
        "slti" | "sltiu" if register(operand(0)?) == Some(0) => {
            Err("a join hint is already there".to_string())
        }
        "j" => Ok(Flow::Jump(operand(0)?.clone())),
        "tail" | "jump" => Ok(Flow::Jump(plt_free(operand(0)?))),
        "call" => Ok(Flow::Call(plt_free(operands.last().ok_or("`call` of nothing")?))),
        "jal" if operands.len() < 2 => Ok(Flow::Call(operand(0)?.clone())),
        "jal" => match register(operand(0)?) {
            Some(0) => Ok(Flow::Jump(operand(1)?.clone())),
            Some(_) => Ok(Flow::Call(operand(1)?.clone())),
            None => Err(format!("`{}` is not a register", operand(0)?)),
        },
        "jr" => jump_register(0, operand(0)?),
        "jalr" if operands.len() < 2 => jump_register(RA, operand(0)?),
        "jalr" => match register(operand(0)?) {
            Some(rd) => jump_register(rd, operand(1)?),
            // `jalr rs, offset` of GNU as: the link register is understood.
            None => Err(format!("`{}` is not a register", operand(0)?)),
        },
        "ret" => Ok(Flow::Return),
        "mret" => Ok(Flow::TrapReturn),
        "unimp" => Ok(Flow::Stop),
        _ if NEXT.contains(&mnemonic) || is_atomic(mnemonic) => Ok(Flow::Next),
        _ => Err(format!("unknown instruction `{mnemonic}`")),
    }
}

fn jump_register(rd: u8, operand: &str) -> Result<Flow, String> {
    let name = match operand.rsplit_once('(') {
        Some((_, rest)) => rest.trim_end().trim_end_matches(')').trim(),
        None => operand,
    };
    let rs = register(name).ok_or_else(|| format!("`{name}` is not a register"))?;
    Ok(match (rd, rs) {
        (0, RA) => Flow::Return,
        (0, _) => Flow::JumpRegister(rs),
        _ => Flow::CallRegister,
    })
}

fn plt_free(symbol: &str) -> String {
    symbol.trim_end_matches("@plt").to_string()
}

fn is_atomic(mnemonic: &str) -> bool {
    let orders = [".aqrl", ".aq", ".rl"];
    let order = orders.iter().find(|order| mnemonic.ends_with(*order));
    let base = &mnemonic[..mnemonic.len() - order.map_or(0, |order| order.len())];
    ATOMIC.contains(&base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mnemonic: &str, operands: &[&str]) -> Result<Flow, String> {
        let operands: Vec<String> = operands.iter().map(|o| o.to_string()).collect();
        flow(mnemonic, &operands)
    }

    #[test]
    fn every_form_of_jalr_is_recognised() {
        assert_eq!(of("jr", &["ra"]), Ok(Flow::Return));
        assert_eq!(of("jalr", &["x0", "0(x1)"]), Ok(Flow::Return));
        assert_eq!(of("jalr", &["zero", "ra", "0"]), Ok(Flow::Return));
        assert_eq!(of("jr", &["a5"]), Ok(Flow::JumpRegister(15)));
        assert_eq!(of("jalr", &["zero", "4(t0)"]), Ok(Flow::JumpRegister(5)));
        assert_eq!(of("jalr", &["a5"]), Ok(Flow::CallRegister));
        assert_eq!(of("jalr", &["%lo(f)(t1)"]), Ok(Flow::CallRegister));
        assert_eq!(of("jalr", &["ra", "a5"]), Ok(Flow::CallRegister));
    }

    #[test]
    fn direct_jumps_and_calls() {
        assert_eq!(of("jal", &["x0", "a"]), Ok(Flow::Jump("a".into())));
        assert_eq!(of("jal", &["a"]), Ok(Flow::Call("a".into())));
        assert_eq!(of("call", &["t0", "a"]), Ok(Flow::Call("a".into())));
        assert_eq!(of("call", &["a@plt"]), Ok(Flow::Call("a".into())));
        assert_eq!(of("jump", &[".L3", "t0"]), Ok(Flow::Jump(".L3".into())));
    }

    #[test]
    fn unknown_mnemonics_and_present_hints_are_refused() {
        assert!(of("c.beqz", &["a0", "x"]).is_err());
        assert!(of("vadd.vv", &[]).is_err());
        assert!(of("slti", &["x0", "x1", "5"]).is_err());
        assert!(of("beq", &["a0", "x"]).is_err());
        assert_eq!(of("slti", &["a0", "x1", "5"]), Ok(Flow::Next));
        assert_eq!(of("amoadd.w.aqrl", &[]), Ok(Flow::Next));
    }
}
