# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=fail:42
/* Any hart's fail code ends the run: the last hart reports, the others wait
   for it in vain. */
#include "weft_test.h"

        weft_begin
        load_device a0, INFO_HARTS
        addi    a0, a0, -1
        bne     s0, a0, 1f
        li      gp, 42
        j       weft_fail
1:
        weft_end
