# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* The way start-up code finds out what a core has: point mtvec behind a CSR
   access and go on there whether it traps or not. */
#include "weft_test.h"

/* Afterwards a0 tells if the access trapped. */
#define PROBE(...) \
        li gp, __LINE__; csrw mcause, x0; la t0, 1f; csrw mtvec, t0; \
        __VA_ARGS__; \
        .balign 4; \
        1: csrr a0, mcause
#define ABSENT(...)     PROBE(__VA_ARGS__); CHECK(a0, CAUSE_ILLEGAL)
#define PRESENT(...)    PROBE(__VA_ARGS__); CHECK(a0, 0)

        weft_begin
        ABSENT(csrwi 0x744, 8)                          /* mnstatus */
        ABSENT(csrwi satp, 0)
        ABSENT(li t1, -1; csrw pmpaddr0, t1; li t1, 31; csrw pmpcfg0, t1)
        ABSENT(csrwi medeleg, 0)
        ABSENT(csrwi mideleg, 0)
        ABSENT(csrr a1, tselect)
        PRESENT(csrwi mie, 0)
        PRESENT(csrw mscratch, x0)
        PRESENT(csrr a1, misa)
        PRESENT(csrr a1, mhartid)

        /* Supervisor and user modes are not there either. */
        HERE
        csrr    a0, misa
        li      a1, (1 << 18) | (1 << 20)
        and     a0, a0, a1
        CHECK(a0, 0)

        /* mstatus = 0, then mret to the next label: machine mode still. */
        HERE
        la      t0, weft_trap
        csrw    mtvec, t0
        csrwi   mstatus, 0
        la      t0, 1f
        csrw    mepc, t0
        mret
        FAIL
1:      HERE
        csrr    a0, mhartid
        CHECK_EQ(a0, s0)
        csrr    a0, mstatus
        li      a1, 0x1800
        and     a0, a0, a1
        CHECK(a0, 0x1800)
        EXPECT_TRAP(CAUSE_ECALL, 0, ecall)

        /* Harts probe different things at the same time. */
        HERE
        csrw    mcause, x0
        la      t0, 2f
        csrw    mtvec, t0
        andi    a1, s0, 1
        beqz    a1, 1f
        csrr    a2, satp
        FAIL
1:      csrr    a2, mscratch
        .balign 4
2:      csrr    a0, mcause
        slli    a1, a1, 1
        CHECK_EQ(a0, a1)
        la      t0, weft_trap
        csrw    mtvec, t0
        weft_end
