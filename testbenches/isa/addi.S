# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* addi. */
#include "weft_test.h"

        weft_begin
        TEST_RI(addi, 0, 0, 0)
        TEST_RI(addi, 1, 1, 0)
        TEST_RI(addi, 0x7ff, 0, 2047)
        TEST_RI(addi, 0xfffff800, 0, -2048)
        TEST_RI(addi, 0x80000000, 0x7fffffff, 1)
        TEST_RI(addi, 0x800007fe, 0x7fffffff, 2047)
        TEST_RI(addi, 0x7ffff800, 0x80000000, -2048)
        TEST_RI(addi, 0x7fffffff, 0x80000000, -1)
        TEST_RI(addi, 0, -1, 1)
        TEST_RI(addi, -2, -1, -1)

        HERE
        li      a0, 11
        addi    a0, a0, 13
        CHECK(a0, 24)
        addi    x0, a0, 1
        CHECK(x0, 0)
        mv      a1, a0
        CHECK(a1, 24)

        /* The same sum by the register form, different in every hart. */
        HERE
        slli    a0, s0, 20
        addi    a1, a0, -1234
        li      a2, -1234
        add     a2, a2, a0
        CHECK_EQ(a1, a2)
        weft_end
