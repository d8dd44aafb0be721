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
        addi    a0, s0, 1
        bltu    a0, s1, 1f
        li      a0, 0
1:      slli    a0, a0, SCRATCH_SHIFT
        la      s2, _scratch
        add     s2, s2, a0

        /* While all others wait for a single wake (a second one could meet the
           first still pending), hart 0 sets the count to 1 and is released by
           its own arrival .. */
        HERE
        li      s3, BARRIER_ARRIVE
        bnez    s0, 3f
        li      s4, BARRIER_COUNT
        lw      a2, 0(s4)
        CHECK_EQ(a2, s1)
        li      a1, 1
        sw      a1, 0(s4)
        lw      a2, 0(s4)
        CHECK_EQ(a2, a1)
        barrier_wait
        lw      a2, 0(s3)
        CHECK(a2, 0)
        barrier_wait
        sw      s1, 0(s4)
        lw      a2, 0(s4)
        CHECK_EQ(a2, s1)

        /* .. then arrives twice and sees itself counted once. Alone it would
           be released at once. */
        HERE
        beq     s1, a1, 4f
        sw      x0, 0(s3)
        lw      a2, 0(s3)
        CHECK_EQ(a2, a1)
        sw      x0, 0(s3)
        lw      a2, 0(s3)
        CHECK_EQ(a2, a1)

        /* Wake every hart but this one, and wait for their arrival. */
        li      a3, WAKE
        li      a4, -2
        li      a5, 64
2:      sw      a4, 0(a3)
        li      a4, -1
        addi    a3, a3, 4
        addi    a5, a5, -1
        bnez    a5, 2b
        wfi
        lw      a2, 4(s2)
        CHECK(a2, 2)
        j       4f
3:      wfi
        li      a2, 2
        sw      a2, 4(tp)
        sw      x0, 0(s3)
        wfi
4:
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
        weft_end
