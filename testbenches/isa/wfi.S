# weft: isa=rv32i harts=any order=dependent progress=none
# weft: expect=pass
/* wfi and the wake-pending bit of one hart: a wake before the wfi is kept, so
   the wfi does not park; wakes do not add up; wfi counts as one instruction. */
#include "weft_test.h"

        weft_begin
        /* a4 = address of this hart's wake word, a5 = its bit. */
        HERE
        srli    a4, s0, 5
        slli    a4, a4, 2
        li      a0, WAKE
        add     a4, a4, a0
        li      a5, 1
        sll     a5, a5, s0

        /* Running: the bit reads clear, before and after a wake. */
        HERE
        lw      a0, 0(a4)
        and     a0, a0, a5
        CHECK(a0, 0)
        sw      a5, 0(a4)
        lw      a0, 0(a4)
        and     a0, a0, a5
        CHECK(a0, 0)

        /* The pending wake lets one wfi through; registers keep. */
        HERE
        li      a1, 0x1234
        csrw    mscratch, a1
        wfi
        CHECK(a1, 0x1234)
        csrr    a0, mscratch
        CHECK(a0, 0x1234)

        /* Again, wake and wfi next to each other, and some turns of it. */
        HERE
        li      a1, 5
1:      sw      a5, 0(a4)
        wfi
        addi    a1, a1, -1
        bnez    a1, 1b

        /* wfi is one instruction for minstret, and no trap. */
        HERE
        sw      a5, 0(a4)
        csrw    minstret, x0
        wfi
        csrr    a0, minstret
        CHECK(a0, 1)

        /* A zero wakes nobody; neither does a bit of harts that are not there
           (word 63, above the number of harts unless it is full). */
        HERE
        sw      x0, 0(a4)
        load_device a0, INFO_HARTS
        li      a1, 63 * 32
        bltu    a1, a0, 1f
        li      a2, WAKE + 4 * 63
        li      a1, -1
        sw      a1, 0(a2)
        lw      a1, 0(a2)
        CHECK(a1, 0)
1:
        /* A trap in between does not lose the pending wake. */
        HERE
        sw      a5, 0(a4)
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)
        wfi
        HERE
        weft_end
