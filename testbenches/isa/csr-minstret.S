# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* minstret(h) and instret(h): one count per completed instruction of the hart;
   a write suppresses its own, a trap counts nothing, carry into the high half,
   mcountinhibit stops it. Exact on every engine that counts threads. */
#include "weft_test.h"

        weft_begin
        /* A write to either half is not counted itself; a read is, after it
           has read. */
        HERE
        li      a0, 100
        csrw    minstret, a0
        csrr    a1, minstret
        csrr    a2, minstret
        nop
        nop
        csrr    a3, minstret
        CHECK(a1, 100)
        CHECK(a2, 101)
        CHECK(a3, 104)
        csrw    minstret, x0
        csrw    minstreth, x0
        csrr    a1, minstret
        CHECK(a1, 0)

        /* The read of a read-modify-write is before the write; csrrs with x0
           does not write, so it is counted. */
        HERE
        li      a0, 50
        csrw    minstret, a0
        nop
        csrrwi  a1, minstret, 7
        csrrs   a2, minstret, x0
        csrrsi  a3, minstret, 0
        csrrc   a4, minstret, x0
        CHECK(a1, 51)
        CHECK(a2, 7)
        CHECK(a3, 8)
        CHECK(a4, 9)
        HERE
        csrw    minstret, x0
        csrrsi  a1, minstret, 16
        csrr    a2, minstret
        CHECK(a1, 0)
        CHECK(a2, 16)

        /* Every kind of instruction counts once: taken and not taken
           branches, jumps, loads, stores, HINTs, fences. */
        HERE
        csrw    minstret, x0
        beq     x0, x0, 1f
1:      bne     x0, x0, 1b
        jal     a2, 2f
2:      sw      x0, 0(tp)
        lw      a3, 0(tp)
        slti    x0, x0, 3
        add     x0, x0, x0
        fence
        fence.i
        csrr    a4, mscratch
        csrr    a1, minstret
        CHECK(a1, 10)

        /* The read-only view. */
        HERE
        li      a0, 1000
        csrw    minstret, a0
        csrr    a1, instret
        csrr    a2, instret
        CHECK(a1, 1000)
        CHECK(a2, 1001)

        /* Carry into the high half. */
        HERE
        li      a0, 5
        csrw    minstreth, a0
        li      a0, -1
        csrw    minstret, a0
        csrr    a1, minstret
        csrr    a2, minstreth
        csrr    a3, minstret
        csrr    a4, instreth
        CHECK(a1, -1)
        CHECK(a2, 6)
        CHECK(a3, 1)
        CHECK(a4, 6)

        /* The write of the high half suppresses the count too: no carry. */
        HERE
        li      a0, -1
        li      a1, 9
        csrw    minstret, a0
        csrw    minstreth, a1
        csrr    a2, minstreth
        csrr    a3, minstreth
        csrr    a4, minstret
        CHECK(a2, 9)
        CHECK(a3, 10)
        CHECK(a4, 1)

        /* All ones wraps to all zero. */
        HERE
        csrw    minstreth, a0
        csrw    minstret, a0
        nop
        csrr    a2, minstreth
        csrr    a3, minstret
        CHECK(a2, 0)
        CHECK(a3, 1)

        /* An instruction that traps does not count; the handler's do. */
        HERE
        la      a0, handler
        csrw    mtvec, a0
        csrw    minstret, x0
        ecall
        csrr    a2, minstret
        CHECK(a1, 0)
        CHECK(a2, 6)            /* the handler's six */
        csrw    minstret, x0
        .word   0
        csrr    a2, minstret
        CHECK(a1, 0)
        CHECK(a2, 6)
        la      a0, weft_trap
        csrw    mtvec, a0

        /* Divergent: a loop of 1 to 8 turns of two instructions. */
        HERE
        andi    a0, s0, 7
        addi    a0, a0, 1
        slli    a2, a0, 1
        csrw    minstret, x0
1:      addi    a0, a0, -1
        bnez    a0, 1b
        csrr    a1, minstret
        CHECK_EQ(a1, a2)

        /* Inhibited: frozen, still writable, per hart. */
        HERE
        csrwi   mcountinhibit, 4
        li      a0, 0x12345678
        csrw    minstret, a0
        nop
        nop
        csrr    a1, minstret
        CHECK_EQ(a1, a0)
        csrw    minstreth, a0
        csrr    a1, minstreth
        CHECK_EQ(a1, a0)
        csrr    a1, minstret
        CHECK_EQ(a1, a0)
        csrr    a1, instret
        CHECK_EQ(a1, a0)
        csrw    mcountinhibit, x0
        nop
        csrr    a1, minstret
        CHECK_LTU(a0, a1)

        EXPECT_ILLEGAL(csrw instret, x0)
        EXPECT_ILLEGAL(csrw instreth, x0)
        j       weft_pass

        .balign 4
handler:
        csrr    a1, minstret
        csrr    a0, mepc
        addi    a0, a0, 4
        csrw    mepc, a0
        nop
        mret
        weft_end
