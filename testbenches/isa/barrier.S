# weft: isa=rv32i harts=any order=free progress=barrier
# weft: expect=pass
/* The parking barrier: what was stored before it is seen by all behind it,
   round after round; a hart that arrives twice counts once; BARRIER_COUNT can
   be changed. */
#include "weft_test.h"

#define ROUNDS 4

        weft_begin
        /* s1 = harts, s2 = scratch area of the next hart. */
        HERE
        load_device s1, INFO_HARTS
        load_device a0, BARRIER_COUNT
        CHECK_EQ(a0, s1)
        addi    a0, s0, 1
        bltu    a0, s1, 1f
        li      a0, 0
1:      slli    a0, a0, SCRATCH_SHIFT
        la      s2, _scratch
        add     s2, s2, a0

        li      s3, ROUNDS
2:      HERE
        sw      s3, 0(tp)
        barrier_wait
        lw      a0, 0(s2)
        CHECK_EQ(a0, s3)
        barrier_wait
        addi    s3, s3, -1
        bnez    s3, 2b

        /* Harts reach the barrier at different times. */
        HERE
        andi    a0, s0, 31
3:      addi    a0, a0, -1
        bgez    a0, 3b
        sw      s0, 0(tp)
        barrier_wait
        lw      a0, 0(s2)
        addi    a1, s0, 1
        bltu    a1, s1, 4f
        li      a1, 0
4:      CHECK_EQ(a0, a1)
        barrier_wait

        /* The barrier is not one instruction pair: arrive, work, park. */
        HERE
        li      a0, BARRIER_ARRIVE
        li      a1, 0x55
        sw      a1, 0(a0)
        li      a2, 10
5:      addi    a2, a2, -1
        bnez    a2, 5b
        wfi

        /* Hart 0 arrives twice before the others may arrive at all, and sees
           itself counted once. Alone it would be released at once. */
        HERE
        li      a1, 1
        beq     s1, a1, 8f
        li      a0, BARRIER_ARRIVE
        bnez    s0, 6f
        sw      x0, 0(a0)
        lw      a2, 0(a0)
        CHECK_EQ(a2, a1)
        sw      x0, 0(a0)
        lw      a2, 0(a0)
        CHECK_EQ(a2, a1)
        sw      a1, 4(tp)
        jal     a7, wake_others
        wfi
        lw      a2, 4(s2)
        CHECK(a2, 2)
        j       8f
6:      wfi
        li      a2, 2
        sw      a2, 4(tp)
        sw      x0, 0(a0)
        wfi
8:
        /* Hart 0 sets the count to 1 and is released by its own arrival, while
           the others wait for it. */
        HERE
        barrier_wait
        li      a0, BARRIER_COUNT
        bnez    s0, 9f
        li      a1, 1
        sw      a1, 0(a0)
        lw      a2, 0(a0)
        CHECK_EQ(a2, a1)
        barrier_wait
        load_device a2, BARRIER_ARRIVE
        CHECK(a2, 0)
        barrier_wait
        li      a0, BARRIER_COUNT
        sw      s1, 0(a0)
        lw      a2, 0(a0)
        CHECK_EQ(a2, s1)
        jal     a7, wake_others
        j       10f
9:      wfi
10:     HERE
        barrier_wait
        j       weft_pass

        /* Wakes every hart but this one, which is hart 0. */
wake_others:
        li      a3, WAKE
        li      a4, -2
        li      a5, 64
11:     sw      a4, 0(a3)
        li      a4, -1
        addi    a3, a3, 4
        addi    a5, a5, -1
        bnez    a5, 11b
        jr      a7
        weft_end
