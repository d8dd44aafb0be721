# weft: isa=rv32im harts=any order=free progress=none
# weft: expect=pass
/* Loads from the device window among divides, reads of CSRs and loads from
   memory, whose results all come late: each its own, and the last write of a
   register stands. */
#include "weft_test.h"

        weft_begin
        li      a4, INFO_HARTS
        lw      s1, 0(a4)
        lw      s2, 4(a4)
        lw      s3, 8(a4)
        lw      s4, 12(a4)
        sw      s4, 0(tp)
        li      a0, 1000
        li      a1, 7
        li      s5, 40

        /* All at once. */
1:      HERE
        div     a2, a0, a1
        lw      a3, 0(a4)
        rem     a5, a0, a1
        lw      a6, 4(a4)
        lw      a7, 0(tp)
        csrr    t0, mhartid
        lw      t1, 8(a4)
        lw      t3, 12(a4)
        divu    t4, a0, a1
        CHECK(a2, 142)
        CHECK_EQ(a3, s1)
        CHECK(a5, 6)
        CHECK_EQ(a6, s2)
        CHECK_EQ(a7, s4)
        CHECK_EQ(t0, s0)
        CHECK_EQ(t1, s3)
        CHECK_EQ(t3, s4)
        CHECK(t4, 142)

        /* Two writes of a register, either way round. */
        HERE
        div     a2, a0, a1
        lw      a2, 0(a4)
        CHECK_EQ(a2, s1)
        lw      a2, 4(a4)
        div     a2, a0, a1
        CHECK(a2, 142)
        lw      a2, 0(tp)
        lw      a2, 4(a4)
        CHECK_EQ(a2, s2)
        lw      a2, 4(a4)
        lw      a2, 0(tp)
        CHECK_EQ(a2, s4)
        csrr    a2, mhartid
        lw      a2, 4(a4)
        CHECK_EQ(a2, s2)
        lw      a2, 8(a4)
        li      a2, 5
        CHECK(a2, 5)

        /* Odd lanes read the device window, even ones memory, in one instruction;
           then what depends on it. */
        HERE
        andi    a5, s0, 1
        addi    a5, a5, -1              /* -1 in even lanes */
        xor     a6, tp, a4
        and     a6, a6, a5
        xor     a6, a6, a4              /* tp, or a4 */
        lw      a2, 0(a6)
        div     a3, a2, a1
        xor     a7, s4, s1
        and     a7, a7, a5
        xor     a7, a7, s1
        CHECK_EQ(a2, a7)
        div     a7, a7, a1
        CHECK_EQ(a3, a7)
        addi    s5, s5, -1
        bnez    s5, 1b
        weft_end
