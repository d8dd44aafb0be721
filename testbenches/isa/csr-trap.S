# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* mstatus, mstatush, mie, mip, mtvec, mscratch, mepc, mcause, mtval: reset
   value, what can be written, what a trap and mret do to mstatus. */
#include "weft_test.h"

#define MSTATUS_MIE     0x8
#define MSTATUS_MPIE    0x80
#define MSTATUS_MPP     0x1800

/* Write, read back. */
#define TEST_WARL(csr, written, value) \
        li gp, __LINE__; li a0, written; csrw csr, a0; csrr a1, csr; \
        CHECK(a1, value)

        weft_begin
        /* Reset: everything is zero, MPP reads 3. */
        HERE
        csrr    a0, mstatus
        CHECK(a0, MSTATUS_MPP)
        csrr    a0, mscratch
        CHECK(a0, 0)
        csrr    a0, mepc
        CHECK(a0, 0)
        csrr    a0, mcause
        CHECK(a0, 0)
        csrr    a0, mtval
        CHECK(a0, 0)
        csrr    a0, mtvec
        la      a1, weft_trap
        CHECK_EQ(a0, a1)

        TEST_WARL(mstatus, 0, MSTATUS_MPP)
        TEST_WARL(mstatus, -1, MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP)
        TEST_WARL(mstatus, 0xffffe777, MSTATUS_MPP)
        TEST_WARL(mstatus, MSTATUS_MIE, MSTATUS_MIE | MSTATUS_MPP)
        TEST_WARL(mstatus, MSTATUS_MPIE, MSTATUS_MPIE | MSTATUS_MPP)
        HERE
        csrw    mstatus, x0
        csrsi   mstatus, MSTATUS_MIE
        csrr    a0, mstatus
        CHECK(a0, MSTATUS_MIE | MSTATUS_MPP)
        csrrci  a0, mstatus, 31
        CHECK(a0, MSTATUS_MIE | MSTATUS_MPP)
        csrr    a0, mstatus
        CHECK(a0, MSTATUS_MPP)

        TEST_WARL(mstatush, -1, 0)
        TEST_WARL(mie, -1, 0)
        TEST_WARL(mip, -1, 0)
        HERE
        csrrsi  a0, mip, 31
        CHECK(a0, 0)
        TEST_WARL(mscratch, -1, -1)
        TEST_WARL(mscratch, 0x80000001, 0x80000001)
        TEST_WARL(mepc, -1, 0xfffffffc)
        TEST_WARL(mepc, 0x80000001, 0x80000000)
        TEST_WARL(mepc, 0x80000002, 0x80000000)
        TEST_WARL(mepc, 0x12345674, 0x12345674)
        TEST_WARL(mtval, -1, -1)
        TEST_WARL(mtval, 0x80000001, 0x80000001)
        TEST_WARL(mtval, 0, 0)
        TEST_WARL(mcause, -1, -1)
        TEST_WARL(mcause, 0x7fffffff, 0x7fffffff)
        TEST_WARL(mcause, 0x80000000, 0x80000000)
        TEST_WARL(mcause, 0, 0)
        /* Direct mode only. */
        TEST_WARL(mtvec, 0x80000001, 0x80000000)
        TEST_WARL(mtvec, -1, 0xfffffffc)
        TEST_WARL(mtvec, 3, 0)
        /* csrrs and csrrc go through the same rules. */
        HERE
        csrw    mepc, x0
        li      a0, 7
        csrs    mepc, a0
        csrr    a1, mepc
        CHECK(a1, 4)
        csrci   mepc, 4
        csrr    a1, mepc
        CHECK(a1, 0)

        HERE
        la      a0, weft_trap
        csrw    mtvec, a0

        /* A trap: MPIE = MIE, MIE = 0; mret: MIE = MPIE, MPIE = 1. The handler
           looks at mstatus and clears it. */
        HERE
        la      a0, look
        csrw    mtvec, a0
        csrwi   mstatus, MSTATUS_MIE
        ecall
        li      a3, MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP
        and     a1, a1, a3
        CHECK(a1, MSTATUS_MPIE | MSTATUS_MPP)
        csrr    a2, mstatus
        and     a2, a2, a3
        li      a4, MSTATUS_MPP
        not     a4, a4
        and     a2, a2, a4
        CHECK(a2, MSTATUS_MIE | MSTATUS_MPIE)

        HERE
        csrw    mstatus, x0
        ecall
        and     a1, a1, a3
        CHECK(a1, MSTATUS_MPP)
        csrr    a2, mstatus
        and     a2, a2, a3
        and     a2, a2, a4
        CHECK(a2, MSTATUS_MPIE)

        /* A second trap inside the handler loses MIE for good. */
        HERE
        li      a0, MSTATUS_MIE | MSTATUS_MPIE
        csrw    mstatus, a0
        la      a0, twice
        csrw    mtvec, a0
        ecall
        and     a1, a1, a3
        CHECK(a1, MSTATUS_MPP)

        HERE
        la      a0, weft_trap
        csrw    mtvec, a0
        csrw    mstatus, x0
        j       weft_pass

        /* a1 = mstatus in the handler; go on behind the ecall. */
        .balign 4
look:   csrr    a1, mepc
        addi    a1, a1, 4
        csrw    mepc, a1
        csrr    a1, mstatus
        mret

        /* The first time: remember the way back and trap again. */
        .balign 4
twice:  csrr    a5, mepc
        la      a1, 1f
        csrw    mtvec, a1
        ecall
        .balign 4
1:      csrr    a1, mstatus
        addi    a5, a5, 4
        csrw    mepc, a5
        mret
        weft_end
