# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* misa, mvendorid, marchid, mimpid, mhartid: values, ignored or refused
   writes, and mhartid = warp * T + lane is a number of its own per hart. */
#include "weft_test.h"

        weft_begin
        HERE
        csrr    a0, misa
        CHECK(a0, 0x40001101)           /* RV32, I, M, A */
        li      a1, -1
        csrw    misa, a1
        csrr    a0, misa
        CHECK(a0, 0x40001101)
        csrw    misa, x0
        csrr    a0, misa
        CHECK(a0, 0x40001101)
        csrrsi  a1, misa, 4
        CHECK(a1, 0x40001101)
        csrr    a0, misa
        CHECK(a0, 0x40001101)
        HERE
        csrr    a0, mvendorid
        CHECK(a0, 0)
        csrr    a0, marchid
        CHECK(a0, 0)
        csrr    a0, mimpid
        CHECK(a0, 0)

        /* No writes: trap, except csrrs and csrrc with x0 or 0. */
        EXPECT_ILLEGAL(csrw mvendorid, x0)
        EXPECT_ILLEGAL(csrw marchid, x0)
        EXPECT_ILLEGAL(csrw mimpid, x0)
        EXPECT_ILLEGAL(csrw mhartid, x0)
        EXPECT_ILLEGAL(csrwi mhartid, 0)
        EXPECT_ILLEGAL(csrrwi a0, mhartid, 1)
        HERE
        li      a0, 0x5a
        li      a1, 0
        EXPECT_ILLEGAL(csrrs a0, mhartid, a1)
        EXPECT_ILLEGAL(csrrc a0, mhartid, a1)
        EXPECT_ILLEGAL(csrrsi a0, mhartid, 1)
        EXPECT_ILLEGAL(csrrci a0, mhartid, 31)
        CHECK(a0, 0x5a)
        HERE
        csrrs   a0, mhartid, x0
        CHECK_EQ(a0, s0)
        csrrc   a0, mhartid, x0
        CHECK_EQ(a0, s0)
        csrrsi  a0, mhartid, 0
        CHECK_EQ(a0, s0)
        csrrci  a0, mhartid, 0
        CHECK_EQ(a0, s0)

        /* Below the number of harts, and nobody else has it. */
        HERE
        load_device a1, INFO_HARTS
        CHECK_LTU(s0, a1)
        la      a2, taken
        slli    a3, s0, 2
        add     a2, a2, a3
        li      a4, 1
        amoadd.w a5, a4, (a2)
        CHECK(a5, 0)
        weft_end

        .section .data
        .balign 64
taken:  .space  4 * 2048
