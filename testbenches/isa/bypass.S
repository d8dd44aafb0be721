# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* Dependences at distances 1 to 3 on either source, from every kind of
   producer, and two writes of one register by units of different latency. */
#include "weft_test.h"

/* The producer leaves 12345 in a2; a3 is 1. */
#define TEST_DISTANCE(...) \
        HERE; __VA_ARGS__; add a4, a2, a3; CHECK(a4, 12346); \
        __VA_ARGS__; add a4, a3, a2; CHECK(a4, 12346); \
        __VA_ARGS__; nop; sub a4, a2, a3; CHECK(a4, 12344); \
        __VA_ARGS__; nop; sub a4, a3, a2; CHECK(a4, -12344); \
        __VA_ARGS__; nop; nop; xor a4, a2, a3; CHECK(a4, 12344); \
        __VA_ARGS__; nop; nop; add a4, a2, a2; CHECK(a4, 24690); \
        __VA_ARGS__; add a2, a2, a2; CHECK(a2, 24690)

        weft_begin
        li      a0, 12345
        li      a1, 15
        li      a3, 1
        sw      a0, 0(tp)
        csrw    mscratch, a0
        li      a5, 823
        li      a6, 185175
        TEST_DISTANCE(mv a2, a0)
        TEST_DISTANCE(lw a2, 0(tp))
        TEST_DISTANCE(lhu a2, 0(tp))
        TEST_DISTANCE(mul a2, a5, a1)
        TEST_DISTANCE(div a2, a6, a1)
        TEST_DISTANCE(csrr a2, mscratch)
        TEST_DISTANCE(amoor.w a2, x0, (tp))
        TEST_DISTANCE(lr.w a2, (tp))

        /* Store data and address straight from a producer. */
        HERE
        addi    a2, a0, 1
        sw      a2, 4(tp)
        addi    a4, tp, 4
        lw      a5, 0(a4)
        CHECK(a5, 12346)
        lw      a2, 0(tp)
        sw      a2, 8(tp)
        CHECK_MEM(8, tp, 12345)
        sw      tp, 12(tp)
        lw      a4, 12(tp)
        lw      a5, 8(a4)
        CHECK(a5, 12345)

        /* A branch straight after its operand. */
        HERE
        lw      a2, 0(tp)
        beq     a2, a0, 1f
        FAIL
1:      li      a5, 823
        mul     a2, a5, a1
        bne     a2, a0, 2f
        j       3f
2:      FAIL
3:
        /* The later write of a register wins, whichever unit is faster. */
        HERE
        div     a2, a0, a1
        li      a2, 7
        CHECK(a2, 7)
        lw      a2, 0(tp)
        li      a2, 8
        nop
        nop
        nop
        nop
        nop
        nop
        CHECK(a2, 8)
        li      a2, 9
        lw      a2, 0(tp)
        CHECK(a2, 12345)
        div     a2, a0, a1
        lw      a2, 0(tp)
        CHECK(a2, 12345)
        div     a2, a0, a1
        mul     a2, a1, a1
        CHECK(a2, 225)
        lw      a2, 0(tp)
        div     a2, a0, a1
        CHECK(a2, 823)

        /* A source is read before a later write of it. */
        HERE
        mv      a4, a0
        div     a2, a4, a1
        li      a4, 0
        CHECK(a2, 823)
        mv      a4, a0
        sw      a4, 16(tp)
        li      a4, 0
        CHECK_MEM(16, tp, 12345)

        /* A long chain through every unit. */
        HERE
        li      a2, 3
        mul     a2, a2, a2
        add     a2, a2, a2
        div     a2, a2, a3
        sw      a2, 20(tp)
        lw      a2, 20(tp)
        slli    a2, a2, 2
        csrw    mscratch, a2
        csrr    a2, mscratch
        rem     a2, a2, a1
        amoadd.w a4, a2, (tp)
        lw      a2, 0(tp)
        sub     a2, a2, a4
        CHECK(a2, 12)
        weft_end
