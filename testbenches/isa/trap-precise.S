# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* Precise traps: an instruction that traps has done nothing, what comes before
   it is complete, what comes after has not begun; the reservation is gone. */
#include "weft_test.h"

        weft_begin
        /* Around a trap: a store and a slow operation before it are done, the
           store behind it is not. */
        HERE
        li      a0, 1000
        li      a1, 7
        li      a2, 0x40000000
        li      a5, -1
        sw      a5, 0(tp)
        sw      a5, 4(tp)
        la      s11, 1f
        div     a3, a0, a1
        sw      a1, 0(tp)
        lw      a4, 0(a2)
        sw      a0, 4(tp)
        addi    a3, a3, 1
        FAIL
1:      CHECK(s8, CAUSE_LOAD_FAULT)
        CHECK(a3, 142)
        CHECK_MEM(0, tp, 7)
        CHECK_MEM(4, tp, -1)

        /* Base = destination of a load that traps. */
        HERE
        li      a2, 0x40000001
        EXPECT_TRAP_REG(CAUSE_MISALIGNED_LOAD, a2, lw a2, 0(a2))
        CHECK(a2, 0x40000001)
        li      a2, 0x40000000
        EXPECT_TRAP_REG(CAUSE_LOAD_FAULT, a2, lw a2, 0(a2))
        CHECK(a2, 0x40000000)
        EXPECT_TRAP_REG(CAUSE_STORE_FAULT, a2, amoadd.w a2, a2, (a2))
        CHECK(a2, 0x40000000)

        /* A pending load of rd is not lost when the next write of rd traps. */
        HERE
        li      a4, 0x600d
        sw      a4, 8(tp)
        li      a3, 0
        lw      a3, 8(tp)
        EXPECT_TRAP_REG(CAUSE_LOAD_FAULT, a2, lw a3, 0(a2))
        CHECK(a3, 0x600d)
        li      a0, 100
        div     a3, a0, a1
        EXPECT_ILLEGAL(csrr a3, satp)
        CHECK(a3, 14)

        /* A csrrw that traps writes neither rd nor the CSR. */
        HERE
        li      a3, 0x77
        EXPECT_ILLEGAL(csrrw a3, mhartid, a3)
        CHECK(a3, 0x77)

        /* A jump that traps does not link; mscratch, mtvec stay. */
        HERE
        csrw    mscratch, a3
        li      ra, 0x123
        TRAP_AT(CAUSE_MISALIGNED_FETCH, jal ra, 6)
        CHECK(ra, 0x123)
        csrr    a4, mscratch
        CHECK_EQ(a4, a3)
        csrr    a4, mtvec
        la      a5, weft_trap
        CHECK_EQ(a4, a5)

        /* Every trap clears the reservation, those of lr and sc too. */
#ifndef WEFT_REFERENCE
#define LOSES_RESERVATION(...) \
        li gp, __LINE__; sw x0, 12(tp); addi a0, tp, 12; addi a4, tp, 14; \
        li a5, 5; lr.w a3, (a0); \
        la s11, 98f; __VA_ARGS__; j weft_fail; \
        98: sc.w a3, a5, (a0); CHECK(a3, 1); CHECK_MEM(12, tp, 0)
        LOSES_RESERVATION(ecall)
        LOSES_RESERVATION(ebreak)
        LOSES_RESERVATION(.word 0)
        LOSES_RESERVATION(csrr a1, satp)
        LOSES_RESERVATION(lw a1, 0(a4))
        LOSES_RESERVATION(lw a1, 0(a2))
        LOSES_RESERVATION(sw a1, 0(a4))
        LOSES_RESERVATION(sw a1, 0(a2))
        LOSES_RESERVATION(lr.w a1, (a4))
        LOSES_RESERVATION(sc.w a1, a5, (a4))
        LOSES_RESERVATION(sc.w a1, a5, (a2))
        LOSES_RESERVATION(amoadd.w a1, a5, (a4))
        LOSES_RESERVATION(jal a1, 6)
        LOSES_RESERVATION(jr 0(a2))
#endif
        weft_end
