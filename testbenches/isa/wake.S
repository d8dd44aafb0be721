# weft: isa=rv32i harts=any order=free progress=barrier
# weft: expect=pass
/* Parking and waking between harts. A token goes round the ring of all harts,
   each wakes the next and parks; then one store wakes everybody. */
#include "weft_test.h"

#define ROUNDS 3

        /* Wakes the hart in a0. Clobbers a1, a2. */
        .macro  wake_hart
        li      a2, 1
        sll     a2, a2, a0
        srli    a1, a0, 5
        slli    a1, a1, 2
        li      a0, WAKE
        add     a1, a1, a0
        sw      a2, 0(a1)
        .endm

        weft_begin
        /* s1 = harts, s2 = next hart, s3 = what the token must be. */
        HERE
        load_device s1, INFO_HARTS
        addi    s2, s0, 1
        bltu    s2, s1, 1f
        li      s2, 0
1:      la      s4, token
        mv      s3, s0
        li      s5, ROUNDS

        bnez    s0, wait                /* hart 0 has the token */
pass_on:
        HERE
        lw      a3, 0(s4)
        CHECK_EQ(a3, s3)
        addi    a3, a3, 1
        sw      a3, 0(s4)
        add     s3, s3, s1
        mv      a0, s2
        wake_hart
        addi    s5, s5, -1
        beqz    s5, ring_done
wait:   wfi
        j       pass_on
ring_done:
        /* Hart 0 has not waited for the last token: it takes it here. */
        HERE
        bnez    s0, 1f
        wfi
        lw      a3, 0(s4)
        CHECK_EQ(a3, s3)

        /* Hart 0 wakes all with full words, itself too. A hart that has not
           parked yet finds its wake pending. Bits of harts that are not there
           are ignored. */
        HERE
        la      a4, flag
        li      a5, 0x600d
        sw      a5, 0(a4)
        li      a0, WAKE
        li      a1, -1
        li      a2, 64
2:      sw      a1, 0(a0)
        addi    a0, a0, 4
        addi    a2, a2, -1
        bnez    a2, 2b
1:      wfi
        HERE
        la      a4, flag
        lw      a5, 0(a4)
        CHECK(a5, 0x600d)
        weft_end

        .section .data
        .balign 64
token:  .word   0
flag:   .word   0
