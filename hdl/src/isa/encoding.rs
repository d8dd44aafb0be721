//! The encoding table: one row per instruction, read by the decoder, the
//! assembler of the random programs and the disassembler.
//!
//! A row says which bits select the instruction (`mask`, `bits`), how its
//! operands are laid out and which extension brings it.

/// The operand layout of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `rd, rs1, rs2`
    R,
    /// `rd, rs1, imm`
    I,
    /// `rd, rs1, shamt`
    Shift,
    /// `rd, imm(rs1)`
    Load,
    /// `rs2, imm(rs1)`
    S,
    /// `rs1, rs2, target`
    B,
    /// `rd, imm20`
    U,
    /// `rd, target`
    J,
    /// `rd, rs2, (rs1)`
    Amo,
    /// `rd, (rs1)`
    Lr,
    /// `rd, csr, rs1`
    Csr,
    /// `rd, csr, uimm`
    CsrImm,
    /// no operands
    None,
}

/// The extension an instruction belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ext {
    /// RV32I with Zicsr and Zifencei: in every build.
    Base,
    /// Multiply and divide.
    M,
    /// Atomics.
    A,
}

/// One row of the table.
#[derive(Debug)]
pub struct Encoding {
    /// The instruction.
    pub op: Op,
    /// Its mnemonic.
    pub name: &'static str,
    /// Bits that select it.
    pub mask: u32,
    /// Their values.
    pub bits: u32,
    /// Its operands.
    pub format: Format,
    /// Where it comes from.
    pub ext: Ext,
}

macro_rules! encodings {
    ($($op:ident $name:literal $mask:literal $bits:literal $format:ident $ext:ident;)*) => {
        /// Every instruction of the platform, and `Illegal` for the rest.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Op { $($op,)* Illegal }

        /// The table, in the order of [`Op`].
        pub static ENCODINGS: &[Encoding] = &[$(Encoding {
            op: Op::$op,
            name: $name,
            mask: $mask,
            bits: $bits,
            format: Format::$format,
            ext: Ext::$ext,
        },)*];
    };
}

encodings! {
    Lui     "lui"       0x0000_007f 0x0000_0037 U      Base;
    Auipc   "auipc"     0x0000_007f 0x0000_0017 U      Base;
    Jal     "jal"       0x0000_007f 0x0000_006f J      Base;
    Jalr    "jalr"      0x0000_707f 0x0000_0067 Load   Base;
    Beq     "beq"       0x0000_707f 0x0000_0063 B      Base;
    Bne     "bne"       0x0000_707f 0x0000_1063 B      Base;
    Blt     "blt"       0x0000_707f 0x0000_4063 B      Base;
    Bge     "bge"       0x0000_707f 0x0000_5063 B      Base;
    Bltu    "bltu"      0x0000_707f 0x0000_6063 B      Base;
    Bgeu    "bgeu"      0x0000_707f 0x0000_7063 B      Base;
    Lb      "lb"        0x0000_707f 0x0000_0003 Load   Base;
    Lh      "lh"        0x0000_707f 0x0000_1003 Load   Base;
    Lw      "lw"        0x0000_707f 0x0000_2003 Load   Base;
    Lbu     "lbu"       0x0000_707f 0x0000_4003 Load   Base;
    Lhu     "lhu"       0x0000_707f 0x0000_5003 Load   Base;
    Sb      "sb"        0x0000_707f 0x0000_0023 S      Base;
    Sh      "sh"        0x0000_707f 0x0000_1023 S      Base;
    Sw      "sw"        0x0000_707f 0x0000_2023 S      Base;
    Addi    "addi"      0x0000_707f 0x0000_0013 I      Base;
    Slti    "slti"      0x0000_707f 0x0000_2013 I      Base;
    Sltiu   "sltiu"     0x0000_707f 0x0000_3013 I      Base;
    Xori    "xori"      0x0000_707f 0x0000_4013 I      Base;
    Ori     "ori"       0x0000_707f 0x0000_6013 I      Base;
    Andi    "andi"      0x0000_707f 0x0000_7013 I      Base;
    Slli    "slli"      0xfe00_707f 0x0000_1013 Shift  Base;
    Srli    "srli"      0xfe00_707f 0x0000_5013 Shift  Base;
    Srai    "srai"      0xfe00_707f 0x4000_5013 Shift  Base;
    Add     "add"       0xfe00_707f 0x0000_0033 R      Base;
    Sub     "sub"       0xfe00_707f 0x4000_0033 R      Base;
    Sll     "sll"       0xfe00_707f 0x0000_1033 R      Base;
    Slt     "slt"       0xfe00_707f 0x0000_2033 R      Base;
    Sltu    "sltu"      0xfe00_707f 0x0000_3033 R      Base;
    Xor     "xor"       0xfe00_707f 0x0000_4033 R      Base;
    Srl     "srl"       0xfe00_707f 0x0000_5033 R      Base;
    Sra     "sra"       0xfe00_707f 0x4000_5033 R      Base;
    Or      "or"        0xfe00_707f 0x0000_6033 R      Base;
    And     "and"       0xfe00_707f 0x0000_7033 R      Base;
    Fence   "fence"     0x0000_707f 0x0000_000f None   Base;
    FenceI  "fence.i"   0x0000_707f 0x0000_100f None   Base;
    Ecall   "ecall"     0xffff_ffff 0x0000_0073 None   Base;
    Ebreak  "ebreak"    0xffff_ffff 0x0010_0073 None   Base;
    Mret    "mret"      0xffff_ffff 0x3020_0073 None   Base;
    Wfi     "wfi"       0xffff_ffff 0x1050_0073 None   Base;
    Csrrw   "csrrw"     0x0000_707f 0x0000_1073 Csr    Base;
    Csrrs   "csrrs"     0x0000_707f 0x0000_2073 Csr    Base;
    Csrrc   "csrrc"     0x0000_707f 0x0000_3073 Csr    Base;
    Csrrwi  "csrrwi"    0x0000_707f 0x0000_5073 CsrImm Base;
    Csrrsi  "csrrsi"    0x0000_707f 0x0000_6073 CsrImm Base;
    Csrrci  "csrrci"    0x0000_707f 0x0000_7073 CsrImm Base;
    Mul     "mul"       0xfe00_707f 0x0200_0033 R      M;
    Mulh    "mulh"      0xfe00_707f 0x0200_1033 R      M;
    Mulhsu  "mulhsu"    0xfe00_707f 0x0200_2033 R      M;
    Mulhu   "mulhu"     0xfe00_707f 0x0200_3033 R      M;
    Div     "div"       0xfe00_707f 0x0200_4033 R      M;
    Divu    "divu"      0xfe00_707f 0x0200_5033 R      M;
    Rem     "rem"       0xfe00_707f 0x0200_6033 R      M;
    Remu    "remu"      0xfe00_707f 0x0200_7033 R      M;
    Lr      "lr.w"      0xf9f0_707f 0x1000_202f Lr     A;
    Sc      "sc.w"      0xf800_707f 0x1800_202f Amo    A;
    Amoswap "amoswap.w" 0xf800_707f 0x0800_202f Amo    A;
    Amoadd  "amoadd.w"  0xf800_707f 0x0000_202f Amo    A;
    Amoxor  "amoxor.w"  0xf800_707f 0x2000_202f Amo    A;
    Amoand  "amoand.w"  0xf800_707f 0x6000_202f Amo    A;
    Amoor   "amoor.w"   0xf800_707f 0x4000_202f Amo    A;
    Amomin  "amomin.w"  0xf800_707f 0x8000_202f Amo    A;
    Amomax  "amomax.w"  0xf800_707f 0xa000_202f Amo    A;
    Amominu "amominu.w" 0xf800_707f 0xc000_202f Amo    A;
    Amomaxu "amomaxu.w" 0xf800_707f 0xe000_202f Amo    A;
}

impl Op {
    /// The row of this instruction; `None` for `Illegal`.
    pub fn encoding(self) -> Option<&'static Encoding> {
        ENCODINGS.get(self as usize)
    }

    /// The mnemonic.
    pub fn name(self) -> &'static str {
        self.encoding().map_or("illegal", |e| e.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_op_and_never_overlap() {
        for (i, a) in ENCODINGS.iter().enumerate() {
            assert_eq!(a.op as usize, i);
            assert_eq!(a.bits & !a.mask, 0, "{}", a.name);
            for b in &ENCODINGS[i + 1..] {
                let common = a.mask & b.mask;
                assert_ne!(a.bits & common, b.bits & common, "{} and {}", a.name, b.name);
            }
        }
    }
}
