# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Indirect jumps, calls and returns to another place in every lane. */
#include "weft_test.h"

        weft_begin
        la      s1, table
        /* A switch through a table of eight addresses. */
        HERE
        andi    a0, s0, 7
        slli    a1, a0, 2
        add     a1, a1, s1
        lw      a1, 0(a1)
        jr      a1
case_0: li      a2, 100
        j       1f
case_1: li      a2, 101
        j       1f
case_2: li      a2, 102
        j       1f
case_3: li      a2, 103
        j       1f
case_4: li      a2, 104
        j       1f
case_5: li      a2, 105
case_6: addi    a2, a0, 100             /* 5 falls through to 6 */
        j       1f
case_7: li      a2, 107
1:      addi    a3, a0, 100
        CHECK_EQ(a2, a3)

        /* Function pointers: the same call, another function, one return. */
        HERE
        li      s2, 0
        li      s3, 8
        mv      s4, s0
2:      andi    a0, s4, 3
        slli    a1, a0, 2
        la      a2, functions
        add     a1, a1, a2
        lw      a1, 0(a1)
        jalr    a1
        add     s2, s2, a0
        addi    s4, s4, 1
        addi    s3, s3, -1
        bnez    s3, 2b
        CHECK(s2, 2 * (10 + 21 + 34 + 49))

        /* One function called from four places: divergent returns. */
        HERE
        andi    a1, s0, 3
        li      a0, 1
        beqz    a1, 3f
        li      a2, 1
        beq     a1, a2, 4f
        li      a2, 2
        beq     a1, a2, 5f
        call    double
        addi    a0, a0, 30
        j       6f
3:      call    double
        j       6f
4:      call    double
        addi    a0, a0, 10
        j       6f
5:      call    double
        addi    a0, a0, 20
6:      li      a3, 10
        li      a2, 2
7:      beqz    a1, 8f
        add     a2, a2, a3
        addi    a1, a1, -1
        j       7b
8:      CHECK_EQ(a0, a2)

        /* Return addresses of their own: ra is computed, not linked. */
        HERE
        andi    a0, s0, 1
        slli    a0, a0, 3
        la      ra, 1f
        add     ra, ra, a0
        li      a1, 0
        ret
        FAIL
1:      addi    a1, a1, 1
        nop
        addi    a1, a1, 2
        srli    a0, a0, 3
        li      a2, 3
        sub     a2, a2, a0
        CHECK_EQ(a1, a2)

        /* Link by jal in both register conventions, divergent afterwards. */
        HERE
        andi    a0, s0, 1
        li      a1, 0
        jal     t0, 1f
        j       3f
1:      jal     ra, 2f
        addi    a1, a1, 16
        jr      t0
2:      addi    a1, a1, 1
        bnez    a0, 4f
        ret
4:      jr      t0                      /* odd harts skip a frame */
3:      li      a2, 17
        beqz    a0, 5f
        li      a2, 1
5:      CHECK_EQ(a1, a2)

        /* A threaded interpreter: every lane runs its own byte code. */
        HERE
        andi    a0, s0, 3
        slli    a0, a0, 3
        la      s2, programs
        add     s2, s2, a0
        li      s3, 1
next:   lbu     a0, 0(s2)
        addi    s2, s2, 1
        slli    a0, a0, 2
        la      a1, operations
        add     a0, a0, a1
        lw      a0, 0(a0)
        jr      a0
op_increment:
        addi    s3, s3, 1
        j       next
op_double:
        slli    s3, s3, 1
        j       next
op_square:
        mv      a0, s3
        li      a1, 0
        mv      a2, s3
9:      add     a1, a1, a2
        addi    a0, a0, -1
        bnez    a0, 9b
        mv      s3, a1
        j       next
op_halt:
        andi    a0, s0, 3
        slli    a0, a0, 2
        la      a1, outcomes
        add     a1, a1, a0
        lw      a1, 0(a1)
        CHECK_EQ(s3, a1)
        j       weft_pass

double: slli    a0, a0, 1
        ret
add_10: addi    a0, a0, 10
        ret
add_20: addi    a0, a0, 20
        ret
add_32: addi    a0, a0, 32
        ret
add_46: addi    a0, a0, 46
        ret
        weft_end

        .section .data
        .balign 4
table:  .word   case_0, case_1, case_2, case_3, case_4, case_5, case_6, case_7
functions:
        .word   add_10, add_20, add_32, add_46
operations:
        .word   op_halt, op_increment, op_double, op_square
programs:
        .byte   1, 2, 1, 0, 0, 0, 0, 0
        .byte   2, 2, 3, 1, 0, 0, 0, 0
        .byte   0, 0, 0, 0, 0, 0, 0, 0
        .byte   1, 3, 3, 2, 1, 1, 0, 0
        .balign 4
outcomes:
        .word   5, 17, 1, 34
