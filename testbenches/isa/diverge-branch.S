# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Threads of one warp take different branches: nested ifs, switches, loops
   with different trip counts and early exits, short circuits, unstructured
   jumps, with and without join hints. */
#include "weft_test.h"

        weft_begin
        /* A tree of four levels by the bits of mhartid: a1 becomes the bit
           reversal of the low four. */
        HERE
        li      a1, 0
        andi    a2, s0, 1
        beqz    a2, 1f
        ori     a1, a1, 8
        andi    a2, s0, 2
        beqz    a2, 3f
        ori     a1, a1, 4
        j       2f
1:      andi    a2, s0, 2
        beqz    a2, 2f
        ori     a1, a1, 4
2:      andi    a2, s0, 4
        bnez    a2, 4f
        j       5f
3:      andi    a2, s0, 4
        beqz    a2, 5f
4:      ori     a1, a1, 2
5:      andi    a2, s0, 8
        beqz    a2, 6f
        ori     a1, a1, 1
6:      la      a3, reversed
        andi    a2, s0, 15
        add     a3, a3, a2
        lbu     a3, 0(a3)
        CHECK_EQ(a1, a3)

        /* A chain of compares: sixteen ways. */
        HERE
        andi    a0, s0, 15
        li      a1, 0
        .irp    k, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        li      a2, \k
        bne     a0, a2, 1f
        addi    a1, a1, 3 * \k + 1
1:
        .endr
        slli    a2, a0, 1
        add     a2, a2, a0
        addi    a2, a2, 1
        CHECK_EQ(a1, a2)

        /* Nested loops, both bounds by hart. */
        HERE
        andi    a0, s0, 3
        addi    a0, a0, 1
        srli    a1, s0, 2
        andi    a1, a1, 7
        addi    a1, a1, 1
        li      a2, 0
        mv      a3, a0
1:      mv      a4, a1
2:      addi    a2, a2, 1
        addi    a4, a4, -1
        bnez    a4, 2b
        addi    a3, a3, -1
        bnez    a3, 1b
3:      sub     a2, a2, a1
        addi    a0, a0, -1
        bnez    a0, 3b
        CHECK(a2, 0)

        /* continue and break: turns 0 .. 31, odd ones skipped by odd harts,
           the loop left at the hart's own turn. */
        HERE
        andi    a0, s0, 31
        andi    a1, s0, 1
        li      a2, 0
        li      a3, 0
1:      and     a4, a2, a1
        bnez    a4, 2f
        beq     a2, a0, 3f
        addi    a3, a3, 1
2:      addi    a2, a2, 1
        li      a4, 32
        bltu    a2, a4, 1b
3:      mv      a5, a0
        beqz    a1, 4f
        li      a5, 16          /* an odd hart never meets its own turn */
4:      CHECK_EQ(a3, a5)

        /* (bit 0 and bit 1) or (bit 2 and not bit 3), by short circuit. */
        HERE
        andi    a0, s0, 1
        andi    a1, s0, 2
        andi    a2, s0, 4
        andi    a3, s0, 8
        beqz    a0, 1f
        bnez    a1, 2f
1:      beqz    a2, 3f
        bnez    a3, 3f
2:      li      a4, 1
        j       4f
3:      li      a4, 0
4:      srli    a1, a1, 1
        and     a0, a0, a1
        srli    a2, a2, 2
        srli    a3, a3, 3
        xori    a3, a3, 1
        and     a2, a2, a3
        or      a0, a0, a2
        CHECK_EQ(a4, a0)

        /* Unstructured: two loops that jump into each other. Each turn takes
           1 or 2 off; both count turns. */
        HERE
        andi    a0, s0, 15
        addi    a0, a0, 3
        mv      a1, a0
        li      a2, 0
        andi    a3, s0, 1
        bnez    a3, 2f
1:      addi    a0, a0, -1
        addi    a2, a2, 1
        blez    a0, 3f
        andi    a3, a0, 1
        bnez    a3, 2f
        j       1b
2:      addi    a0, a0, -2
        addi    a2, a2, 2
        blez    a0, 3f
        andi    a3, a0, 2
        bnez    a3, 1b
        j       2b
3:      add     a0, a0, a2
        CHECK_EQ(a0, a1)

        /* The same diamond with join hints on its branches. */
        HERE
        li      a1, 0
        andi    a2, s0, 1
        andi    a3, s0, 2
        slti    x0, x0, 10              /* to 5 */
        beqz    a2, 2f
        slti    x0, x0, 3               /* to 1 */
        beqz    a3, 1f
        addi    a1, a1, 1
1:      addi    a1, a1, 2
        j       5f
2:      slti    x0, x0, 3               /* to 5: nobody else is on this path */
        beqz    a3, 5f
        addi    a1, a1, 4
5:      li      a4, 0
        beqz    a2, 6f
        li      a4, 2
6:      beqz    a3, 7f
        addi    a4, a4, 1
        bnez    a2, 7f
        li      a4, 4
7:      CHECK_EQ(a1, a4)

        /* Memory written on both sides of a branch, then read by all. */
        HERE
        andi    a2, s0, 1
        beqz    a2, 1f
        sw      a2, 0(tp)
        li      a3, 11
        sw      a3, 4(tp)
        j       2f
1:      li      a3, 22
        sw      a3, 4(tp)
        sw      a2, 0(tp)
2:      lw      a4, 0(tp)
        CHECK_EQ(a4, a2)
        lw      a4, 4(tp)
        CHECK_EQ(a4, a3)
        weft_end

        .section .data
reversed:
        .byte   0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15
