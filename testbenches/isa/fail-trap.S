# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=fail:60012
/* A trap that the test did not ask for is reported with its cause: an ordinary
   load fault at the check of line 12 gives 10000 * (5 + 1) + 12. */
#include "weft_test.h"

        weft_begin
        load_device a0, INFO_HARTS
        li      gp, 0
        beqz    s0, 1f
        j       weft_pass
1:      HERE
        lw      a0, 0(x0)
        weft_end
