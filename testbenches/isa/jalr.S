# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* jalr: link, rd = rs1, offset signs, low bit cleared, x0, back to back. */
#include "weft_test.h"

/* jalr rd, offset(rs1) to the local label 1, whose address less `offset` was
   put in rs1; the link must be the address after the jump. */
#define TEST_JALR(rd, rs1, offset) \
        li gp, __LINE__; la rs1, 1f - (offset); \
        jalr rd, offset(rs1); \
        96: j weft_fail; \
        1: la a7, 96b; CHECK_EQ(rd, a7)

        weft_begin
        TEST_JALR(a0, a1, 0)
        TEST_JALR(a0, a1, 4)
        TEST_JALR(a0, a1, -4)
        TEST_JALR(a0, a1, 2044)
        TEST_JALR(a0, a1, -2048)
        TEST_JALR(a0, a0, 0)
        TEST_JALR(a0, a0, -16)
        TEST_JALR(t0, t0, 0)
        TEST_JALR(ra, t0, 0)
        TEST_JALR(t0, ra, 0)
        TEST_JALR(ra, ra, 0)
        TEST_JALR(t2, ra, 8)

        /* Bit 0 of the sum is cleared, wherever it comes from. */
        TEST_JALR(a0, a1, 1)
        TEST_JALR(a0, a1, -2047)
        HERE
        la      a1, 1f
        addi    a1, a1, 1
        jalr    a0, 0(a1)
        FAIL
1:      HERE
        la      a1, 1f
        addi    a1, a1, 3
        jalr    a0, -3(a1)
        FAIL
1:      HERE
        la      a1, 1f
        addi    a1, a1, 1
        jalr    a1, 0(a1)
0:      FAIL
1:      la      a2, 0b
        CHECK_EQ(a1, a2)

        /* rd = x0 links nothing; rs1 keeps its value. */
        HERE
        la      a1, 1f
        mv      a2, a1
        jr      a1
        FAIL
1:      CHECK_EQ(a1, a2)
        CHECK(x0, 0)

        /* Targets computed just before, by an ALU operation and by a load. */
        HERE
        auipc   a1, 0
        addi    a1, a1, 20
        jr      a1
        FAIL
        HERE
        la      a1, 1f
        sw      a1, 0(tp)
        lw      a2, 0(tp)
        jr      a2
        FAIL
1:
        /* A jalr in a loop, with the same and another base register. */
        HERE
        li      a3, 0
        li      a4, 4
        la      a5, 2f
1:      jalr    a6, 0(a5)
        addi    a4, a4, -1
        bnez    a4, 1b
        j       3f
2:      addi    a3, a3, 5
        jr      a6
3:      CHECK(a3, 20)
        weft_end
