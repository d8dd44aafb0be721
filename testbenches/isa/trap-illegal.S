# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Cause 2: encodings that are no instruction of RV32IMA_Zicsr_Zifencei. mtval
   is the instruction; registers and memory keep their values. */
#include "weft_test.h"

        /* This word must trap and leave a0 to a5 as they are. */
        .macro  illegal word
        la      s11, 1f
80:     .word   \word
        j       weft_fail
1:      la      a7, 80b
        jal     a6, check
        .endm

        weft_begin
        li      a0, 0x100
        li      a1, 0x101
        li      a2, 0x102
        mv      a3, tp
        li      a4, 0x104
        li      a5, 0x105

        /* Nothing and everything; 16-bit encodings. */
        HERE
        .irp w, 0xffffffff,0x0000ffff
        illegal \w
        .endr
#ifndef WEFT_REFERENCE  /* Some report half of these. */
        .irp w, 0x00000000,0x00000001,0x00000002,0x45014501,0x00010001,0x9002852e,0xfffffffc
        illegal \w
        .endr
#endif

        /* Major opcodes that are not there: FP load and store, custom-0,
           misc 64-bit, custom-1, FP fused, op-fp, op-v, custom-2 and 3,
           reserved. */
        HERE
        .irp w, 0x0006a507,0x00a6a027,0x00b5050b,0x00b5051b,0x0000003f,0x00b5052b,0x00b5053b,0x58b57543,0x58b57547,0x58b5754b,0x58b5754f
        illegal \w
        .endr
        HERE
        .irp w, 0x00b57553,0xe0050553,0xf0050553,0x00b50557,0x02b50557,0x00b5055b,0x0000005f,0x00b5056b,0x00b50577,0x00b5057b,0x0000007f,0x0000001f
        illegal \w
        .endr

        /* jalr, branches, loads and stores of other sizes. */
        HERE
        .irp w, 0x000695e7,0x0006a567,0x0006f567,0x00002063,0x00b52463,0x00b53463,0x0006b503,0x0006e503,0x0006f503,0x00a6b023,0x00a6c023,0x00a6d023,0x00a6e023,0x00a6f023
        illegal \w
        .endr

        /* Immediate shifts: amount 32 and more, other funct7. */
        HERE
        .irp w, 0x02051513,0x02055513,0x42055513,0x40051513,0x20051513,0x60051513,0x60055513,0x80051513,0x80055513,0x10055513,0x28551513,0x69855513,0x05051513
        illegal \w
        .endr

        /* Register operations: alternate funct7 where there is none, and the
           funct7 of other extensions. */
        HERE
        .irp w, 0x40b51533,0x40b52533,0x40b53533,0x40b54533,0x40b56533,0x40b57533
        illegal \w
        .endr
        HERE
        .irp w, 0x04b50533,0x0ab51533,0x0ab54533,0x08b54533,0x0eb55533,0x0eb57533,0x20b52533,0x20b54533,0x20b56533,0x60b51533,0x60b55533,0x80b50533,0xfeb50533,0x42b50533
        illegal \w
        .endr

        /* fence family beyond fence and fence.i. */
        HERE
        .irp w, 0x0006a00f,0x0016a00f,0x0000300f,0x0000400f,0x0000500f,0x0000600f,0x0000700f
        illegal \w
        .endr

        /* Atomics: other sizes, unused functions, lr with a source. */
        HERE
        .irp w, 0x00b6852f,0x00b6952f,0x00b6b52f,0x1006b52f,0x18b6b52f,0x00b6c52f,0x00b6f52f,0x10b6a52f,0x28b6a52f,0x38b6a52f,0x48b6a52f,0x50b6a52f,0x68b6a52f,0x90b6a52f,0xa8b6a52f,0xf8b6a52f,0x1016a52f,0x11f6a52f
        illegal \w
        .endr

        /* System: returns and fences of modes that are not there, debug
           return, waits, and the five instructions with stray fields. */
        HERE
        .irp w, 0x00200073,0x10200073,0x20200073,0x70200073,0x7b200073,0x12000073,0x12b50073,0x16b50073,0x22000073,0x62000073,0x00d00073,0x01d00073,0x00300073
        illegal \w
        .endr
        HERE
        .irp w, 0x000000f3,0x00050073,0x001000f3,0x00150073,0x302000f3,0x30250073,0x105000f3,0x10550073,0x10600073,0x30300073,0x80000073
        illegal \w
        .endr
        HERE
        .irp w, 0x6006c573,0x0000c073,0x6836c573
        illegal \w
        .endr

        /* A bad CSR number, and a write to a read-only one. */
        EXPECT_ILLEGAL(csrr a0, 0xfff)
        EXPECT_ILLEGAL(csrw mhartid, a1)
        EXPECT_ILLEGAL(csrw cycle, a1)
        CHECK(a0, 0x100)

        /* What is legal right beside them still works. */
        HERE
        .word   0x00b51533              /* sll a0, a0, a1 */
        CHECK(a0, 0x100 << 1)
        .word   0x01f55513              /* srli a0, a0, 31 */
        CHECK(a0, 0)
        .word   0x0ff0000f              /* fence */
        .word   0x0000100f              /* fence.i */
        j       weft_pass

        /* cause, mepc (in a7), mtval of the last trap, and the registers. */
check:  li      t0, CAUSE_ILLEGAL
        bne     s8, t0, 1f
        bne     s9, a7, 1f
        lw      t0, 0(a7)
        bne     s10, t0, 1f
        li      t0, 0x100
        bne     a0, t0, 1f
        li      t0, 0x101
        bne     a1, t0, 1f
        li      t0, 0x102
        bne     a2, t0, 1f
        bne     a3, tp, 1f
        li      t0, 0x104
        bne     a4, t0, 1f
        li      t0, 0x105
        bne     a5, t0, 1f
        jr      a6
1:      j       weft_fail
        weft_end
