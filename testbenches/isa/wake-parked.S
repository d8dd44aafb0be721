# weft: isa=rv32i harts=any order=dependent progress=lock
# weft: expect=pass
/* The parked bit of WAKE: hart 0 reads of each other hart until it is set
   and wakes it. It spins, so a policy that
   lets the spinner starve its warp does not finish. */
#include "weft_test.h"

        weft_begin
        HERE
        j       start
park:   wfi
        HERE
        la      a4, flag
        lw      a5, 0(a4)
        CHECK(a5, 0x600d)
        j       weft_pass
start:  bnez    s0, park

        /* s1 = hart to look at, s2 = harts, a4 = its word, a5 = its bit. */
        load_device s2, INFO_HARTS
        la      a4, flag
        li      a5, 0x600d
        sw      a5, 0(a4)
        li      s1, 1
next:   bgeu    s1, s2, done
        srli    a4, s1, 5
        slli    a4, a4, 2
        li      a0, WAKE
        add     a4, a4, a0
        li      a5, 1
        sll     a5, a5, s1
2:      lw      a0, 0(a4)
        and     a0, a0, a5
        beqz    a0, 2b
        sw      a5, 0(a4)
        addi    s1, s1, 1
        j       next
done:
        weft_end

        .section .data
        .balign 64
flag:   .word   0
