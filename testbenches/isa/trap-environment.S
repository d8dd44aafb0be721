# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Causes 3 and 11: ebreak (mtval = pc) and ecall (mtval = 0); mret. */
#include "weft_test.h"

        weft_begin
        TRAP_AT(CAUSE_EBREAK, ebreak)
        CHECK_EQ(s10, s9)
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)

        /* ecall clears an mtval that was not zero. */
        HERE
        li      a0, -1
        csrw    mtval, a0
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)

        /* No register but those of the handler changes. */
        HERE
        li      a0, 0x1234
        li      a1, -1
        mv      a2, tp
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)
        TRAP_AT(CAUSE_EBREAK, ebreak)
        CHECK(a0, 0x1234)
        CHECK(a1, -1)
        CHECK_EQ(a2, tp)

        /* Many in a row. */
        HERE
        li      a0, 20
1:      la      s11, 2f
        ecall
        FAIL
2:      addi    a0, a0, -1
        bnez    a0, 1b

        /* mret goes to mepc, whose low bits are clear; nothing else moves. */
        HERE
        la      a0, 1f
        csrw    mepc, a0
        mret
        FAIL
1:      HERE
        la      a0, 1f
        addi    a0, a0, 3
        csrw    mepc, a0
        mret
        FAIL
1:      HERE
        la      a0, 2f
        j       3f
2:      j       4f
3:      csrw    mepc, a0
        mret                            /* backwards */
        FAIL
4:      csrr    a1, mepc
        CHECK_EQ(a1, a0)

        /* A handler that returns to the instruction itself: the trap repeats
           until the handler has patched the cause away. */
        HERE
        la      a0, again
        csrw    mtvec, a0
        li      a1, 0
        addi    a2, tp, 2
        lw      a3, 0(a2)
        la      a0, weft_trap
        csrw    mtvec, a0
        CHECK(a1, 1)
        CHECK_EQ(a2, tp)
        j       weft_pass

        .balign 4
again:  addi    a1, a1, 1
        mv      a2, tp
        mret
        weft_end
