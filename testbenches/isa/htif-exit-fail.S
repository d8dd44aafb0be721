# weft: isa=rv32i harts=any order=free progress=barrier
# weft: expect=fail:43
/* The exit system call with another code ends the run as a fail. */
#include "weft_test.h"

        weft_begin
        barrier_wait
        bnez    s0, 1f
        la      a0, tohost
        la      a1, block
        sw      x0, 4(a0)
        sw      a1, 0(a0)
        FAIL
1:      wfi
        j       1b
        weft_end

        .section .data
        .balign 8
block:  .dword  93, 43, 0, 0, 0, 0, 0, 0
