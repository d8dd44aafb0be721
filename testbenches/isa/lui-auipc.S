# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* lui, auipc. */
#include "weft_test.h"

        weft_begin
        HERE
        li      a0, -1
        lui     a0, 0
        CHECK(a0, 0)
        lui     a0, 1
        srli    a0, a0, 12
        CHECK(a0, 1)
        lui     a0, 0x7ffff
        addi    a0, a0, 2047
        CHECK(a0, 0x7ffff7ff)
        lui     a0, 0x80000
        srai    a0, a0, 31
        CHECK(a0, -1)
        lui     a0, 0xfffff
        srai    a0, a0, 12
        CHECK(a0, -1)
        lui     x0, 0xfffff
        CHECK(x0, 0)

        /* auipc against the link of a jal beside it. */
        HERE
        jal     a1, 1f
1:      auipc   a0, 0
        CHECK_EQ(a0, a1)
        HERE
        jal     a1, 1f
1:      auipc   a0, 0x12345
        sub     a0, a0, a1
        li      a2, 0x12345000
        CHECK_EQ(a0, a2)
        HERE
        jal     a1, 1f
1:      auipc   a0, 0xfffff
        sub     a0, a0, a1
        CHECK(a0, -4096)
        HERE
        jal     a1, 1f
1:      auipc   a0, 0x80000
        sub     a0, a0, a1
        CHECK(a0, 0x80000000)
        auipc   x0, 1
        CHECK(x0, 0)
        weft_end
