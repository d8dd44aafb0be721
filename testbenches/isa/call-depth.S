# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Calls and returns with both link registers, tail calls, returns that skip
   frames, jumps that look like calls: whatever the call depth becomes, the
   program is the same. */
#include "weft_test.h"

        weft_begin
        /* Nested three deep with ra, saved in the scratch area. */
        HERE
        li      a0, 0
        addi    sp, tp, 1024
        call    outer
        CHECK(a0, 0x111)

        /* A millicode call with t0 inside a function. */
        HERE
        li      a0, 0
        call    with_millicode
        CHECK(a0, 0x30)

        /* Half of the harts call, the others go on; they meet again. */
        HERE
        li      a0, 0
        andi    a1, s0, 1
        beqz    a1, 1f
        call    leaf
1:      addi    a0, a0, 1
        slli    a1, a1, 8
        addi    a1, a1, 1
        CHECK_EQ(a0, a1)

        /* Tail call: the callee returns to the first caller. */
        HERE
        li      a0, 0
        call    tail_caller
        CHECK(a0, 0x101)

        /* A way out of two frames at once. */
        HERE
        li      a0, 0
        la      a2, 1f
        call    skip_outer
        FAIL
1:      CHECK(a0, 1)

        /* Calls that never return, many more than the depth can count. */
        HERE
        li      a1, 600
2:      jal     ra, 3f
3:      addi    a1, a1, -1
        bnez    a1, 2b
        CHECK(a1, 0)

        /* Returns that were never called. */
        HERE
        li      a1, 600
        la      ra, 4f
4:      addi    a1, a1, -1
        beqz    a1, 5f
        ret
5:      CHECK(a1, 0)

        /* Coroutines: jalr swaps between two threads of control. */
        HERE
        li      a0, 0
        li      a1, 4
        la      t0, 7f
6:      addi    a0, a0, 1
        jalr    t0, 0(t0)
        addi    a1, a1, -1
        bnez    a1, 6b
        j       8f
7:      addi    a0, a0, 16
        jalr    t0, 0(t0)
        j       7b
8:      CHECK(a0, 0x44)

        /* ra and t0 swapped in one jump. */
        HERE
        la      t0, 9f
        jalr    ra, 0(t0)
        FAIL
9:      la      a1, 10f
        mv      ra, a1
        jalr    t0, 0(ra)
        FAIL
10:
        /* A trap and mret inside a function. */
        HERE
        li      a0, 0
        call    trapping
        CHECK(a0, 0x77)
        j       weft_pass

outer:  addi    sp, sp, -16
        sw      ra, 0(sp)
        addi    a0, a0, 1
        call    middle
        lw      ra, 0(sp)
        addi    sp, sp, 16
        ret
middle: addi    sp, sp, -16
        sw      ra, 0(sp)
        addi    a0, a0, 0x10
        call    leaf
        lw      ra, 0(sp)
        addi    sp, sp, 16
        ret
leaf:   addi    a0, a0, 0x100
        ret

with_millicode:
        jal     t0, millicode
        addi    a0, a0, 0x10
        jal     t0, millicode
        ret
millicode: addi    a0, a0, 0x10
        jr      t0

tail_caller:
        addi    a0, a0, 1
        tail    leaf

skip_outer:
        addi    a0, a0, 1
        call    skip_inner
        addi    a0, a0, 2
        ret
skip_inner:
        mv      ra, a2
        ret

trapping:
        addi    a0, a0, 0x70
        la      s11, 1f
        ecall
1:      addi    a0, a0, 7
        ret
        weft_end
