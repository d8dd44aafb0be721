# weft: isa=rv32i harts=any order=dependent progress=none
# weft: expect=pass
/* mcycle(h), cycle(h), time(h), mcountinhibit, mhpmcounter3..31(h),
   hpmcounter3..31(h), mhpmevent3..31: monotonic, WARL, refused writes. */
#include "weft_test.h"

/* Two reads in program order do not go backwards. */
#define TEST_MONOTONIC(csr) \
        li gp, __LINE__; csrr a0, csr; nop; csrr a1, csr; CHECK_LEU(a0, a1)
/* Writes to the machine name are ignored: the counter is not lower after. */
#define TEST_HPM(machine, user) \
        TEST_MONOTONIC(machine); csrw machine, x0; csrr a2, machine; \
        CHECK_LEU(a1, a2); csrr a3, user; CHECK_LEU(a2, a3); \
        EXPECT_ILLEGAL(csrw user, x0); \
        li a0, -1; csrw machine, a0; csrr a2, machine; CHECK_NE(a2, a0)

        .macro  test_zero csr
        li      a0, -1
        csrr    a1, \csr
        bnez    a1, 1f
        csrw    \csr, a0
        csrr    a1, \csr
        beqz    a1, 2f
1:      j       weft_fail
2:
        .endm

        .macro  test_zero_view csr
        csrr    a1, \csr
        beqz    a1, 2f
        j       weft_fail
2:
        .endm

        weft_begin
        TEST_MONOTONIC(mcycle)
        TEST_MONOTONIC(cycle)
        TEST_MONOTONIC(time)
        HERE
        csrr    a0, time
        csrr    a1, time
        CHECK_LTU(a0, a1)

        /* mcycle counts on from what is written, and the views follow. */
        HERE
        li      a0, 0x40000000
        csrw    mcycle, a0
        csrr    a1, mcycle
        CHECK_LEU(a0, a1)
        csrr    a2, cycle
        CHECK_LEU(a1, a2)
        li      a3, 0x50000000
        CHECK_LTU(a2, a3)
        csrr    a4, time                /* time does not see the write */
        CHECK_LTU(a4, a0)

        /* Carry into the high half. */
        HERE
        csrwi   mcycleh, 5
        li      a0, -1
        csrw    mcycle, a0
        nop
        nop
        csrr    a1, mcycleh
        CHECK(a1, 6)
        csrr    a1, cycleh
        CHECK(a1, 6)
        csrr    a1, timeh
        CHECK(a1, 0)

        /* mcountinhibit: bits 0, 2 to 8; stops mcycle, not time. */
        HERE
        li      a0, -1
        csrw    mcountinhibit, a0
        csrr    a1, mcountinhibit
        CHECK(a1, 0x1fd)
        csrr    a1, time
        nop
        csrr    a2, time
        CHECK_LTU(a1, a2)
        csrwi   mcountinhibit, 2
        csrr    a1, mcountinhibit
        CHECK(a1, 0)
        csrwi   mcountinhibit, 1
        csrr    a1, mcountinhibit
        CHECK(a1, 1)
        li      a0, 0x12345678
        csrw    mcycle, a0
        csrw    mcycleh, a0
        nop
        nop
        csrr    a1, mcycle
        CHECK_EQ(a1, a0)
        csrr    a1, mcycleh
        CHECK_EQ(a1, a0)
        csrr    a1, cycle
        CHECK_EQ(a1, a0)
        csrr    a1, cycleh
        CHECK_EQ(a1, a0)
        csrw    mcountinhibit, x0
        nop
        csrr    a1, mcycle
        CHECK_LTU(a0, a1)

        EXPECT_ILLEGAL(csrw cycle, x0)
        EXPECT_ILLEGAL(csrw time, x0)
        EXPECT_ILLEGAL(csrw cycleh, x0)
        EXPECT_ILLEGAL(csrw timeh, x0)
        EXPECT_ILLEGAL(csrwi time, 0)
        EXPECT_ILLEGAL(csrsi cycle, 1)

        /* Event counters 3 to 8. Warp and thread instructions have been
           counted, since this is running. */
        TEST_HPM(mhpmcounter3, hpmcounter3)
        TEST_HPM(mhpmcounter4, hpmcounter4)
        TEST_HPM(mhpmcounter5, hpmcounter5)
        TEST_HPM(mhpmcounter6, hpmcounter6)
        TEST_HPM(mhpmcounter7, hpmcounter7)
        TEST_HPM(mhpmcounter8, hpmcounter8)
        HERE
        csrr    a0, mhpmcounter3
        CHECK_NE(a0, x0)
        csrr    a1, mhpmcounter4
        CHECK_NE(a1, x0)
        csrr    a0, mhpmcounter8
        lw      a1, 0(tp)
        sw      a1, 0(tp)
        lw      a1, 0(tp)
        CHECK_EQ(a1, a1)
        csrr    a1, mhpmcounter8
        CHECK_LTU(a0, a1)               /* memory transactions */

        /* The high halves; nothing runs for 2**32 of anything. */
        HERE
        .irp n, 3, 4, 5, 6, 7, 8
        test_zero 0xb80+\n
        test_zero_view 0xc80+\n
        .endr

        /* 9 to 31 read zero. */
        HERE
        .irp n, 9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        test_zero 0xb00+\n
        test_zero 0xb80+\n
        test_zero_view 0xc00+\n
        test_zero_view 0xc80+\n
        .endr
        EXPECT_ILLEGAL(csrw hpmcounter9, x0)
        EXPECT_ILLEGAL(csrw hpmcounter31, x0)
        EXPECT_ILLEGAL(csrw hpmcounter3h, x0)

        /* No event is selectable. */
        HERE
        .irp n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        test_zero 0x320+\n
        .endr
        weft_end
