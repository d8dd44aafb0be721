# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Cause 0: a taken branch or a jump to an address that is not a multiple of
   four. mepc is the jump, mtval the target, rd keeps its value; a branch that
   is not taken does not trap. */
#include "weft_test.h"

/* mtval is mepc + offset. */
#define MISALIGNED(offset, ...) \
        TRAP_AT(CAUSE_MISALIGNED_FETCH, __VA_ARGS__); \
        li s7, offset; add s7, s7, s9; beq s10, s7, 99f; j weft_fail; 99:
/* mtval is the value of a register. */
#define MISALIGNED_REG(target, ...) \
        EXPECT_TRAP_REG(CAUSE_MISALIGNED_FETCH, target, __VA_ARGS__)

        weft_begin
        li      a0, 0x1234
        MISALIGNED(6, jal a0, 6)
        MISALIGNED(-2, jal a0, -2)
        MISALIGNED(2, jal a0, 2)
        MISALIGNED(0xffffe, jal a0, 0xffffe)
        MISALIGNED(10, jal x0, 10)
        CHECK(a0, 0x1234)

        HERE
        la      a1, target
        addi    a2, a1, 2
        MISALIGNED_REG(a2, jalr a0, 2(a1))
        MISALIGNED_REG(a2, jalr a0, 3(a1))
        MISALIGNED_REG(a2, jalr a0, 0(a2))
        MISALIGNED_REG(a2, jalr a0, 1(a2))
        MISALIGNED_REG(a2, jalr x0, 0(a2))
        CHECK(a0, 0x1234)
        CHECK(x0, 0)

        /* rd = rs1 keeps the base; the link registers keep theirs. */
        HERE
        mv      a3, a2
        MISALIGNED_REG(a2, jalr a3, 0(a3))
        CHECK_EQ(a3, a2)
        mv      ra, a2
        MISALIGNED_REG(a2, jalr ra, 0(ra))
        CHECK_EQ(ra, a2)
        MISALIGNED_REG(a2, ret)
        MISALIGNED(6, jal ra, 6)
        CHECK_EQ(ra, a2)

        /* Wins over the fetch fault: a target in a hole. */
        HERE
        li      a2, 2
        MISALIGNED_REG(a2, jalr a0, 0(a2))
        li      a2, 0xfffffffe
        MISALIGNED_REG(a2, jalr a0, 0(a2))
        CHECK(a0, 0x1234)

        /* Branches: taken traps, not taken does not. */
        HERE
        li      a4, 5
        li      a5, -5
        MISALIGNED(6, beq a4, a4, 6)
        MISALIGNED(-6, bne a4, a5, -6)
        MISALIGNED(10, blt a5, a4, 10)
        MISALIGNED(4094, bge a4, a5, 4094)
        MISALIGNED(-4094, bltu a4, a5, -4094)
        MISALIGNED(2, bgeu a5, a4, 2)
        HERE
        beq     a4, a5, .+6
        bne     a4, a4, .+6
        blt     a4, a5, .+6
        bge     a5, a4, .+6
        bltu    a5, a4, .+6
        bgeu    a4, a5, .+6

        /* Half of the harts take it. */
        HERE
        andi    a4, s0, 1
        la      s11, 1f
        li      s8, -1
        bnez    a4, .+6
        li      s11, 0
        j       2f
1:      CHECK(a4, 1)
        CHECK(s8, CAUSE_MISALIGNED_FETCH)
        j       3f
2:      CHECK(a4, 0)
        CHECK(s8, -1)
3:
        j       weft_pass
        .balign 4
target: FAIL
        weft_end
