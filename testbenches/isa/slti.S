# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* slti, sltiu: the immediate is sign-extended in both. */
#include "weft_test.h"

        weft_begin
        TEST_RI(slti, 0, 0, 0)
        TEST_RI(slti, 1, 0, 1)
        TEST_RI(slti, 0, 0, -1)
        TEST_RI(slti, 1, -1, 0)
        TEST_RI(slti, 1, 0x80000000, -2048)
        TEST_RI(slti, 0, 0x7fffffff, -2048)
        TEST_RI(slti, 0, 0x7fffffff, 2047)
        TEST_RI(slti, 1, 0x80000000, 2047)
        TEST_RI(slti, 0, -2048, -2048)
        TEST_RI(slti, 1, -2049, -2048)
        TEST_RI(slti, 1, 2046, 2047)
        TEST_RI(slti, 0, 2047, 2047)
        TEST_RI(sltiu, 0, 0, 0)
        TEST_RI(sltiu, 1, 0, 1)
        TEST_RI(sltiu, 0, 1, 1)
        TEST_RI(sltiu, 1, 0, -1)
        TEST_RI(sltiu, 0, -1, -1)
        TEST_RI(sltiu, 1, -2, -1)
        TEST_RI(sltiu, 1, 0x7fffffff, -2048)
        TEST_RI(sltiu, 1, 0x80000000, -2048)
        TEST_RI(sltiu, 0, 0x80000000, 2047)
        TEST_RI(sltiu, 0, 0xfffff800, -2048)
        TEST_RI(sltiu, 1, 0xfffff7ff, -2048)

        HERE
        li      a0, 3
        slti    a0, a0, 4
        CHECK(a0, 1)
        li      a0, 3
        sltiu   a0, a0, 2
        CHECK(a0, 0)

        /* Lanes differ: harts below 3 in a group of 8. */
        HERE
        andi    a0, s0, 7
        slti    a1, a0, 3
        sltiu   a2, a0, 3
        CHECK_EQ(a1, a2)
        li      a3, 7
        srl     a3, a3, a0
        snez    a3, a3
        CHECK_EQ(a1, a3)
        weft_end
