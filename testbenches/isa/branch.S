# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* All six conditional branches: taken, not taken, forwards and backwards. The
   lanes of a warp are at different rows, so the branches diverge. */
#include "weft_test.h"

/* a2 = taken?; the expected flag is a3, inverted when `invert` is 1. */
#define RUN_BRANCH(op, column, invert) \
        FOR_ROWS(operands, column, xori a3, a3, invert; \
                li a2, 1; op a0, a1, 93f; li a2, 0; \
                93: beq a2, a3, 94f; j weft_fail; 94:)

/* Jumps over a block to a branch that goes back into it, when taken. */
#define RUN_BACKWARDS(op, column, invert) \
        FOR_ROWS(operands, column, xori a3, a3, invert; \
                li a2, 0; j 94f; \
                93: li a2, 1; j 95f; \
                94: op a0, a1, 93b; \
                95: beq a2, a3, 96f; j weft_fail; 96:)

        weft_begin
        RUN_BRANCH(beq, 0, 0)
        RUN_BRANCH(bne, 0, 1)
        RUN_BRANCH(blt, 1, 0)
        RUN_BRANCH(bge, 1, 1)
        RUN_BRANCH(bltu, 2, 0)
        RUN_BRANCH(bgeu, 2, 1)
        RUN_BACKWARDS(beq, 0, 0)
        RUN_BACKWARDS(bne, 0, 1)
        RUN_BACKWARDS(blt, 1, 0)
        RUN_BACKWARDS(bge, 1, 1)
        RUN_BACKWARDS(bltu, 2, 0)
        RUN_BACKWARDS(bgeu, 2, 1)

        /* x0 as an operand, and both operands the same register. */
        HERE
        li      a0, -1
        bltu    a0, x0, 1f
        blt     x0, a0, 1f
        bne     a0, a0, 1f
        bltu    a0, a0, 1f
        blt     a0, a0, 1f
        bge     a0, x0, 1f
        bgeu    x0, a0, 1f
        beq     a0, x0, 1f
        beq     a0, a0, 2f
1:      FAIL
2:      bge     a0, a0, 3f
        FAIL
3:      bgeu    a0, a0, 4f
        FAIL
4:
        /* A branch to the next instruction, taken or not, is harmless. */
        HERE
        li      a1, 0
        beq     x0, x0, 1f
1:      bne     x0, x0, 2f
2:      addi    a1, a1, 1
        CHECK(a1, 1)

        /* The ends of the reach: -4096 and 4092 bytes. */
        HERE
        li      a2, 0
        j       far_low
        .balign 4
far_high:
        addi    a2, a2, 1
        j       far_done
        .space  4096 - 8
far_low:
        beq     x0, x0, far_high
        FAIL
far_done:
        CHECK(a2, 1)
        beq     x0, x0, 1f
        .space  4092 - 4
1:      CHECK(a2, 1)

        /* A loop with a different trip count in every hart. */
        HERE
        andi    a0, s0, 31
        addi    a0, a0, 1
        mv      a1, a0
        li      a2, 0
1:      add     a2, a2, a1
        addi    a1, a1, -1
        bnez    a1, 1b
        slli    a2, a2, 1
        addi    a3, a0, 1
2:      sub     a2, a2, a3
        addi    a0, a0, -1
        bnez    a0, 2b
        CHECK(a2, 0)
        weft_end

/* a, b, a == b, a < b (signed), a < b (unsigned) */
TABLE(operands)
        ROW(0x00000000, 0x00000000, 1, 0, 0)
        ROW(0x00000000, 0x00000001, 0, 1, 1)
        ROW(0x00000000, 0xffffffff, 0, 0, 1)
        ROW(0x00000000, 0x7fffffff, 0, 1, 1)
        ROW(0x00000000, 0x80000000, 0, 0, 1)
        ROW(0x00000000, 0x55555555, 0, 1, 1)
        ROW(0x00000001, 0x00000000, 0, 0, 0)
        ROW(0x00000001, 0x00000001, 1, 0, 0)
        ROW(0x00000001, 0xffffffff, 0, 0, 1)
        ROW(0x00000001, 0x7fffffff, 0, 1, 1)
        ROW(0x00000001, 0x80000000, 0, 0, 1)
        ROW(0x00000001, 0x55555555, 0, 1, 1)
        ROW(0xffffffff, 0x00000000, 0, 1, 0)
        ROW(0xffffffff, 0x00000001, 0, 1, 0)
        ROW(0xffffffff, 0xffffffff, 1, 0, 0)
        ROW(0xffffffff, 0x7fffffff, 0, 1, 0)
        ROW(0xffffffff, 0x80000000, 0, 0, 0)
        ROW(0xffffffff, 0x55555555, 0, 1, 0)
        ROW(0x7fffffff, 0x00000000, 0, 0, 0)
        ROW(0x7fffffff, 0x00000001, 0, 0, 0)
        ROW(0x7fffffff, 0xffffffff, 0, 0, 1)
        ROW(0x7fffffff, 0x7fffffff, 1, 0, 0)
        ROW(0x7fffffff, 0x80000000, 0, 0, 1)
        ROW(0x7fffffff, 0x55555555, 0, 0, 0)
        ROW(0x80000000, 0x00000000, 0, 1, 0)
        ROW(0x80000000, 0x00000001, 0, 1, 0)
        ROW(0x80000000, 0xffffffff, 0, 1, 1)
        ROW(0x80000000, 0x7fffffff, 0, 1, 0)
        ROW(0x80000000, 0x80000000, 1, 0, 0)
        ROW(0x80000000, 0x55555555, 0, 1, 0)
        ROW(0x55555555, 0x00000000, 0, 0, 0)
        ROW(0x55555555, 0x00000001, 0, 0, 0)
        ROW(0x55555555, 0xffffffff, 0, 0, 1)
        ROW(0x55555555, 0x7fffffff, 0, 1, 1)
        ROW(0x55555555, 0x80000000, 0, 0, 1)
        ROW(0x55555555, 0x55555555, 1, 0, 0)
        ROW(0x00000002, 0x00000003, 0, 1, 1)
        ROW(0x80000001, 0xffffffff, 0, 1, 1)
        ROW(0x7fffffff, 0x80000001, 0, 0, 1)
        ROW(0xaaaaaaaa, 0x55555555, 0, 1, 0)
        ROW(0x0000ffff, 0xffff0000, 0, 0, 1)
        ROW(0x00010000, 0x00010000, 1, 0, 0)
        ROW(0xdeadbeef, 0x12345678, 0, 1, 0)
        ROW(0x12345678, 0xdeadbeef, 0, 0, 1)
        ROW(0x0000007f, 0xffffff80, 0, 0, 1)
        ROW(0xfffffffe, 0x00000002, 0, 1, 0)
        ROW(0xe7d80068, 0xb9096a04, 0, 0, 0)
        ROW(0xafae5a3b, 0xc963cfe0, 0, 1, 1)
        ROW(0xc439f34a, 0xe1454c40, 0, 1, 1)
        ROW(0xe794ee14, 0x26b563b1, 0, 1, 0)
        ROW(0x42840d2b, 0xac8be7d7, 0, 0, 1)
        ROW(0xa2beee31, 0xd96e5adf, 0, 1, 1)
TABLE_END(operands)
