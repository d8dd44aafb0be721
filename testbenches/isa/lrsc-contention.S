# weft: isa=rv32ima harts=any order=dependent progress=barrier
# weft: expect=pass
/* All harts increment one word with lr/sc: the total is right and every hart
   gets its turn. Neighbouring words in the same block are fought over too. */
#include "weft_test.h"

#define ROUNDS 2

        weft_begin
        HERE
        la      a0, total
        li      a1, ROUNDS
1:      lr.w    a2, (a0)
        addi    a2, a2, 1
        sc.w    a3, a2, (a0)
        bnez    a3, 1b
        addi    a1, a1, -1
        bnez    a1, 1b

        /* Eight counters, hart i uses number i % 8. */
        HERE
        la      a0, counters
        andi    a1, s0, 7
        slli    a1, a1, 2
        add     a0, a0, a1
1:      lr.w    a2, (a0)
        addi    a2, a2, 1
        sc.w    a3, a2, (a0)
        bnez    a3, 1b

        barrier_wait
        HERE
        load_device a4, INFO_HARTS
        la      a0, total
        lw      a1, 0(a0)
        slli    a2, a4, 1       /* ROUNDS times the harts */
        CHECK_EQ(a1, a2)
        la      a0, counters
        li      a1, 8
        li      a3, 0
1:      lw      a2, 0(a0)
        add     a3, a3, a2
        addi    a0, a0, 4
        addi    a1, a1, -1
        bnez    a1, 1b
        CHECK_EQ(a3, a4)

        /* Counter 0 belongs to harts 0, 8, 16, ... */
        HERE
        la      a0, counters
        lw      a1, 0(a0)
        addi    a2, a4, 7
        srli    a2, a2, 3
        CHECK_EQ(a1, a2)
        weft_end

        .section .data
        .balign 64
total:  .word   0
        .space  60
counters:
        .space  32
