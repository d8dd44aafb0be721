# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* andi, ori, xori. */
#include "weft_test.h"

        weft_begin
        TEST_RI(andi, 0, -1, 0)
        TEST_RI(andi, 0x12345678, 0x12345678, -1)
        TEST_RI(andi, 0x12345000, 0x12345678, -2048)
        TEST_RI(andi, 0x678, 0x12345678, 2047)
        TEST_RI(andi, 0xfffff800, 0xffffffff, -2048)
        TEST_RI(andi, 0x70f, 0xff00ff0f, 0x70f)
        TEST_RI(ori, 0x12345678, 0x12345678, 0)
        TEST_RI(ori, -1, 0x12345678, -1)
        TEST_RI(ori, 0xfffffe78, 0x12345678, -2048)
        TEST_RI(ori, 0x123457ff, 0x12345678, 2047)
        TEST_RI(xori, 0x12345678, 0x12345678, 0)
        TEST_RI(xori, 0xedcba987, 0x12345678, -1)
        TEST_RI(xori, 0xedcbae78, 0x12345678, -2048)
        TEST_RI(xori, 0x12345187, 0x12345678, 2047)

        HERE
        li      a0, 0xff
        andi    a0, a0, 0x3c
        CHECK(a0, 0x3c)
        ori     a0, a0, 0x43
        CHECK(a0, 0x7f)
        xori    a0, a0, 0x55
        CHECK(a0, 0x2a)
        not     a0, a0
        CHECK(a0, 0xffffffd5)

        /* Against the register forms, different in every hart. */
        HERE
        slli    a0, s0, 9
        xor     a0, a0, s0
        li      a1, -1366
        andi    a2, a0, -1366
        and     a3, a0, a1
        CHECK_EQ(a2, a3)
        ori     a2, a0, -1366
        or      a3, a0, a1
        CHECK_EQ(a2, a3)
        xori    a2, a0, -1366
        xor     a3, a0, a1
        CHECK_EQ(a2, a3)
        weft_end
