# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* lr.w and sc.w by one hart on its own words: what makes sc succeed or fail,
   what it writes, and what clears a reservation. */
#include "weft_test.h"

#define OLD 0x11111111
#define NEW 0x22222222

/* lr, something, sc that must succeed (0) or fail (1); memory after it. */
#define TEST_LRSC(fails, memory, ...) \
        li gp, __LINE__; li a0, OLD; sw a0, 0(tp); sw a0, 4(tp); \
        li a1, NEW; addi a4, tp, 4; li a3, -1; \
        lr.w a2, (tp); \
        __VA_ARGS__; \
        sc.w a3, a1, (tp); \
        CHECK(a2, OLD); CHECK(a3, fails); CHECK_MEM(0, tp, memory)

        weft_begin
        /* No reservation at all: the first sc of the program. */
        HERE
        li      a0, OLD
        li      a1, NEW
        sc.w    a3, a1, (tp)
        CHECK(a3, 1)

        TEST_LRSC(0, NEW, nop)
        TEST_LRSC(0, NEW, lr.w a2, (tp))

        /* Used up by an sc, whether it succeeded or failed. */
        TEST_LRSC(1, NEW, sc.w a5, a1, (tp))
        CHECK(a5, 0)
        TEST_LRSC(1, OLD, sc.w a5, a1, (a4))
        CHECK(a5, 1)
        CHECK_MEM(4, tp, OLD)

        /* One reservation: the last lr counts. */
        TEST_LRSC(1, OLD, lr.w a5, (a4))
        HERE
        lr.w    a2, (tp)
        lr.w    a2, (a4)
        sc.w    a3, a1, (a4)
        CHECK(a3, 0)
        CHECK_MEM(4, tp, NEW)

        /* An own store to the word clears it, whatever its width and value. */
        TEST_LRSC(1, 0x11111100, sb x0, 0(tp))
        TEST_LRSC(1, 0x00111111, sb x0, 3(tp))
        TEST_LRSC(1, 0x00001111, sh x0, 2(tp))
        TEST_LRSC(1, NEW, amoswap.w a5, a1, (tp))
#ifndef WEFT_REFERENCE  /* Some compare values instead of reserving. */
        TEST_LRSC(1, OLD, sw a0, 0(tp))
        TEST_LRSC(1, OLD, amoor.w a5, x0, (tp))
#endif

        /* Loads, fences and stores elsewhere do not. */
        TEST_LRSC(0, NEW, lw a5, 0(tp))
        TEST_LRSC(0, NEW, fence)
        TEST_LRSC(0, NEW, sw a0, 4(tp))
        TEST_LRSC(0, NEW, sb a0, 4(tp))
        TEST_LRSC(0, NEW, amoadd.w a5, a0, (a4))

#ifndef WEFT_REFERENCE  /* Not all clear it on a trap. */
        /* A trap clears it, even one whose instruction does nothing. */
        HERE
        li      a0, OLD
        sw      a0, 0(tp)
        lr.w    a2, (tp)
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)
        sc.w    a3, a1, (tp)
        CHECK(a3, 1)
        CHECK_MEM(0, tp, OLD)
        lr.w    a2, (tp)
        EXPECT_ILLEGAL(csrr a5, satp)
        sc.w    a3, a1, (tp)
        CHECK(a3, 1)
        CHECK_MEM(0, tp, OLD)
#endif

        /* x0: the result or the loaded word is thrown away. */
        HERE
        lr.w    x0, (tp)
        sc.w    x0, a1, (tp)
        CHECK(x0, 0)
        CHECK_MEM(0, tp, NEW)
        sc.w    x0, a0, (tp)
        CHECK(x0, 0)
        CHECK_MEM(0, tp, NEW)

        /* rd = rs2 and rd = rs1; acquire and release. */
        HERE
        lr.w.aq a2, (tp)
        li      a3, 77
        sc.w.rl a3, a3, (tp)
        CHECK(a3, 0)
        CHECK_MEM(0, tp, 77)
        mv      a4, tp
        lr.w.aqrl a4, (a4)
        CHECK(a4, 77)
        mv      a4, tp
        sc.w.aqrl a4, a0, (a4)
        CHECK(a4, 0)
        CHECK_MEM(0, tp, OLD)
        mv      a4, tp
        sc.w    a4, a1, (a4)
        CHECK(a4, 1)
        CHECK_MEM(0, tp, OLD)

        /* lr sign: the whole word. */
        HERE
        li      a0, 0x80000001
        sw      a0, 0(tp)
        lr.w    a2, (tp)
        CHECK(a2, 0x80000001)

        /* The retry loop that everyone writes. */
        HERE
        sw      x0, 0(tp)
        andi    a5, s0, 7
        addi    a5, a5, 1
        mv      a4, a5
1:      lr.w    a2, (tp)
        addi    a2, a2, 1
        sc.w    a3, a2, (tp)
        bnez    a3, 1b
        addi    a4, a4, -1
        bnez    a4, 1b
        lw      a2, 0(tp)
        CHECK_EQ(a2, a5)
        weft_end
