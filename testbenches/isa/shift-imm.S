# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* slli, srli, srai. */
#include "weft_test.h"

        weft_begin
        TEST_RI(slli, 0x80000001, 0x80000001, 0)
        TEST_RI(slli, 2, 0x80000001, 1)
        TEST_RI(slli, 0x90909080, 0x21212121, 7)
        TEST_RI(slli, 0x48484000, 0x21212121, 14)
        TEST_RI(slli, 0x80000000, 0xffffffff, 31)
        TEST_RI(slli, 0, 0xfffffffe, 31)
        TEST_RI(srli, 0x80000001, 0x80000001, 0)
        TEST_RI(srli, 0x40000000, 0x80000001, 1)
        TEST_RI(srli, 0x00424242, 0x21212121, 7)
        TEST_RI(srli, 0x00008484, 0x21212121, 14)
        TEST_RI(srli, 1, 0xffffffff, 31)
        TEST_RI(srli, 0, 0x7fffffff, 31)
        TEST_RI(srai, 0x80000001, 0x80000001, 0)
        TEST_RI(srai, 0xc0000000, 0x80000001, 1)
        TEST_RI(srai, 0xff030303, 0x81818181, 7)
        TEST_RI(srai, 0xfffe0606, 0x81818181, 14)
        TEST_RI(srai, 0x00424242, 0x21212121, 7)
        TEST_RI(srai, -1, 0x80000000, 31)
        TEST_RI(srai, 0, 0x7fffffff, 31)

        HERE
        li      a0, 0x81
        slli    a0, a0, 24
        CHECK(a0, 0x81000000)
        srai    a0, a0, 4
        CHECK(a0, 0xf8100000)
        srli    a0, a0, 20
        CHECK(a0, 0xf81)

        HERE
        ori     a0, s0, 1
        slli    a1, a0, 16
        srli    a2, a1, 16
        CHECK_EQ(a2, a0)
        slli    a1, a0, 31
        srai    a1, a1, 31
        CHECK(a1, -1)
        weft_end
