# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* The device window: the four information words, words without a name, and
   writes that are ignored. */
#include "weft_test.h"

        weft_begin
        /* Harts, lanes and warps: powers of two that fit together. */
        HERE
        load_device s1, INFO_HARTS
        load_device s2, INFO_LANES
        load_device s3, INFO_WARPS
        load_device s4, INFO_RAM_SIZE
        CHECK_NE(s1, x0)
        CHECK_NE(s2, x0)
        CHECK_NE(s3, x0)
        addi    a0, s2, -1
        and     a0, a0, s2
        CHECK(a0, 0)
        addi    a0, s3, -1
        and     a0, a0, s3
        CHECK(a0, 0)
        li      a1, 65
        CHECK_LTU(s2, a1)
        li      a1, 33
        CHECK_LTU(s3, a1)
        li      a0, 0
        mv      a2, s3
1:      add     a0, a0, s2              /* lanes * warps */
        addi    a2, a2, -1
        bnez    a2, 1b
        CHECK_LEU(s1, a0)
        CHECK_LTU(s0, s1)

        /* RAM is at least this image and all scratch areas. */
        HERE
        la      a0, _scratch
        li      a1, RAM_BASE
        sub     a0, a0, a1
        slli    a1, s1, SCRATCH_SHIFT
        add     a0, a0, a1
        CHECK_LEU(a0, s4)

        /* Writes to the information words are ignored. */
        HERE
        li      a4, INFO_HARTS
        sw      x0, 0(a4)
        lw      a0, 0(a4)
        CHECK_EQ(a0, s1)
        sw      x0, 4(a4)
        lw      a0, 4(a4)
        CHECK_EQ(a0, s2)
        sw      x0, 8(a4)
        lw      a0, 8(a4)
        CHECK_EQ(a0, s3)
        sw      x0, 12(a4)
        lw      a0, 12(a4)
        CHECK_EQ(a0, s4)

        /* Words without a name read zero, whatever is written. */
        HERE
        li      a1, -1
        li      a0, 0x10000108
        lw      a2, 0(a0)
        CHECK(a2, 0)
        sw      a1, 0(a0)
        lw      a2, 0(a0)
        CHECK(a2, 0)
        sw      a1, 4(a0)
        lw      a2, 4(a0)
        CHECK(a2, 0)
        li      a0, 0x10000120
        li      a3, 0x10000200
2:      lw      a2, 0(a0)
        CHECK(a2, 0)
        sw      a1, 0(a0)
        lw      a2, 0(a0)
        CHECK(a2, 0)
        addi    a0, a0, 4
        bltu    a0, a3, 2b

        /* Each lane reads another information word in one instruction. */
        HERE
        andi    a0, s0, 3
        slli    a0, a0, 2
        add     a1, a4, a0
        lw      a2, 0(a1)
        add     a3, tp, a0
        sw      s1, 0(tp)
        sw      s2, 4(tp)
        sw      s3, 8(tp)
        sw      s4, 12(tp)
        lw      a3, 0(a3)
        CHECK_EQ(a2, a3)
        lw      x0, 0(a4)
        CHECK(x0, 0)
        weft_end
