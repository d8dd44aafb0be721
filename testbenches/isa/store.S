# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* sb, sh, sw: sub-word stores merge into their word and leave its neighbours,
   both ends of the offset, store then load of another width. */
#include "weft_test.h"

/* Store into a word of 0xa1a2a3a4 between two guards. */
#define TEST_STORE(op, value, offset, word) \
        li gp, __LINE__; addi a0, tp, 64; li a1, 0xa1a2a3a4; \
        sw a1, -4(a0); sw a1, 0(a0); sw a1, 4(a0); \
        li a2, value; op a2, offset(a0); \
        CHECK_MEM(0, a0, word); CHECK_MEM(-4, a0, 0xa1a2a3a4); \
        CHECK_MEM(4, a0, 0xa1a2a3a4)
#define TEST_STORE_AT(op, value, offset, shift, word) \
        li gp, __LINE__; addi a0, tp, 64; li a1, 0xa1a2a3a4; sw a1, 0(a0); \
        li a2, value; li a3, (offset) - (shift); add a3, a3, a0; \
        op a2, shift(a3); CHECK_MEM(0, a0, word)

        weft_begin
        TEST_STORE(sb, 0x11223344, 0, 0xa1a2a344)
        TEST_STORE(sb, 0x11223344, 1, 0xa1a244a4)
        TEST_STORE(sb, 0x11223344, 2, 0xa144a3a4)
        TEST_STORE(sb, 0x11223344, 3, 0x44a2a3a4)
        TEST_STORE(sb, 0, 3, 0x00a2a3a4)
        TEST_STORE(sb, -1, 2, 0xa1ffa3a4)
        TEST_STORE(sh, 0x11223344, 0, 0xa1a23344)
        TEST_STORE(sh, 0x11223344, 2, 0x3344a3a4)
        TEST_STORE(sh, 0x00008000, 2, 0x8000a3a4)
        TEST_STORE(sw, 0x11223344, 0, 0x11223344)
        TEST_STORE(sw, 0, 0, 0)
        TEST_STORE(sw, -1, 0, 0xffffffff)

        TEST_STORE_AT(sw, 0x11223344, 0, 2047, 0x11223344)
        TEST_STORE_AT(sw, 0x11223344, 0, -2048, 0x11223344)
        TEST_STORE_AT(sh, 0x11223344, 2, 2045, 0x3344a3a4)
        TEST_STORE_AT(sb, 0x11223344, 1, -2047, 0xa1a244a4)

        /* x0 as the value; the base as the value. */
        HERE
        li      a1, -1
        sw      a1, 0(tp)
        sb      x0, 1(tp)
        CHECK_MEM(0, tp, 0xffff00ff)
        sh      x0, 2(tp)
        CHECK_MEM(0, tp, 0x000000ff)
        sw      x0, 0(tp)
        CHECK_MEM(0, tp, 0)
        sw      tp, 0(tp)
        lw      a1, 0(tp)
        CHECK_EQ(a1, tp)

        /* Build a word from bytes and halves, last store wins. */
        HERE
        li      a1, 0x11
        sb      a1, 0(tp)
        li      a1, 0x22
        sb      a1, 1(tp)
        li      a1, 0x33
        sb      a1, 2(tp)
        li      a1, 0x44
        sb      a1, 3(tp)
        CHECK_MEM(0, tp, 0x44332211)
        li      a1, 0xbeef
        sh      a1, 2(tp)
        lhu     a2, 2(tp)
        CHECK_EQ(a1, a2)
        lb      a2, 3(tp)
        CHECK(a2, 0xffffffbe)
        lw      a2, 0(tp)
        CHECK(a2, 0xbeef2211)

        /* Store and load at once, with and without a gap. */
        HERE
        ori     a1, s0, 0x400
        sw      a1, 8(tp)
        lw      a2, 8(tp)
        CHECK_EQ(a1, a2)
        not     a1, a1
        sw      a1, 8(tp)
        nop
        nop
        lw      a2, 8(tp)
        CHECK_EQ(a1, a2)

        /* A walk whose length and stride differ between harts. */
        HERE
        andi    a0, s0, 15
        addi    a0, a0, 1
        addi    a1, tp, 256
        mv      a2, a0
        andi    a4, s0, 3
        addi    a4, a4, 1
        slli    a4, a4, 2
1:      sw      a2, 0(a1)
        add     a1, a1, a4
        addi    a2, a2, -1
        bnez    a2, 1b
        li      a2, 1
2:      sub     a1, a1, a4
        lw      a3, 0(a1)
        CHECK_EQ(a3, a2)
        addi    a2, a2, 1
        bge     a0, a2, 2b
        addi    a3, tp, 256
        CHECK_EQ(a1, a3)
        weft_end
