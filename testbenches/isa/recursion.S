# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Recursion deeper than an 8-bit call depth, and to another depth in every
   hart, so that a warp returns in many steps. */
#include "weft_test.h"

        weft_begin
        /* sum(n) = n + sum(n - 1), n = 260 .. 291: 8 bytes per frame. */
        HERE
        andi    a0, s0, 31
        addi    a0, a0, 260
        mv      s1, a0
        li      s2, SCRATCH_SIZE
        add     sp, tp, s2
        mv      s3, sp
        call    sum
        CHECK_EQ(sp, s3)

        /* n * (n + 1) / 2 by addition. */
        HERE
        li      a1, 0
        mv      a2, s1
1:      add     a1, a1, a2
        addi    a2, a2, -1
        bnez    a2, 1b
        CHECK_EQ(a0, a1)

        /* Fibonacci: two calls per frame; n = 3 .. 10. */
        HERE
        andi    a0, s0, 7
        addi    a0, a0, 3
        mv      s1, a0
        call    fib
        CHECK_EQ(sp, s3)
        slli    s1, s1, 2
        la      a1, fib_table
        add     a1, a1, s1
        lw      a1, 0(a1)
        CHECK_EQ(a0, a1)

        /* Even and odd call each other, the depth differs by hart. */
        HERE
        andi    a0, s0, 15
        addi    a0, a0, 1
        mv      s1, a0
        call    is_even
        andi    s1, s1, 1
        xori    s1, s1, 1
        CHECK_EQ(a0, s1)
        j       weft_pass

sum:    beqz    a0, 1f
        addi    sp, sp, -8
        sw      ra, 4(sp)
        sw      a0, 0(sp)
        addi    a0, a0, -1
        call    sum
        lw      a1, 0(sp)
        add     a0, a0, a1
        lw      ra, 4(sp)
        addi    sp, sp, 8
1:      ret

fib:    li      a1, 2
        bltu    a0, a1, 1f
        addi    sp, sp, -16
        sw      ra, 12(sp)
        sw      a0, 8(sp)
        addi    a0, a0, -1
        call    fib
        sw      a0, 4(sp)
        lw      a0, 8(sp)
        addi    a0, a0, -2
        call    fib
        lw      a1, 4(sp)
        add     a0, a0, a1
        lw      ra, 12(sp)
        addi    sp, sp, 16
1:      ret

is_even:
        beqz    a0, yes
        addi    sp, sp, -8
        sw      ra, 4(sp)
        addi    a0, a0, -1
        call    is_odd
        lw      ra, 4(sp)
        addi    sp, sp, 8
        ret
is_odd: beqz    a0, no
        addi    sp, sp, -8
        sw      ra, 4(sp)
        addi    a0, a0, -1
        call    is_even
        lw      ra, 4(sp)
        addi    sp, sp, 8
        ret
yes:    li      a0, 1
        ret
no:     li      a0, 0
        ret
        weft_end

        .section .data
fib_table:
        .word   0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55
