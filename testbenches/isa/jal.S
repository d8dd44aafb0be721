# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* jal: link, x0, both directions, the ends of what one file can reach. */
#include "weft_test.h"

        weft_begin
        HERE
        li      a0, 0
        jal     a0, 1f
here:   FAIL
1:      la      a1, here
        CHECK_EQ(a0, a1)

        /* rd = x0 links nothing. */
        HERE
        jal     x0, 1f
        FAIL
1:      CHECK(x0, 0)

        /* Backwards, and the link of the jump back. */
        HERE
        j       2f
1:      la      a1, back
        CHECK_EQ(t3, a1)
        j       3f
2:      jal     t3, 1b
back:   FAIL
3:
        /* To itself + 4: falls on, but links. */
        HERE
        jal     a2, 1f
1:      la      a1, 1b
        CHECK_EQ(a2, a1)

        /* Nothing is executed between. */
        HERE
        li      a3, 1
        j       1f
        addi    a3, a3, 1
        addi    a3, a3, 1
1:      addi    a3, a3, 4
        CHECK(a3, 5)

        /* 64 KiB there and back. */
        HERE
        jal     a4, far
        FAIL
near:   la      a1, far_end
        CHECK_EQ(a4, a1)
        j       1f
        .space  65536
far:    jal     a4, near
far_end:
        FAIL
1:
        weft_end
