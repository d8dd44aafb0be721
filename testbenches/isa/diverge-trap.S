# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* Lanes of one warp trap with different causes, some at the same instruction,
   some not at all, into different handlers, and return to different places. */
#include "weft_test.h"

/* One instruction that does something else in every lane. After it: a5 = the
   expected mcause or -1, a6 = the expected mtval. s8 is -1 if it did not trap. */
#define MIXED(...) \
        li gp, __LINE__; li s8, -1; la s11, 98f; \
        97: __VA_ARGS__; \
        li s11, 0; \
        98: CHECK_EQ(s8, a5); li s7, -1; beq a5, s7, 96f; \
        la s7, 97b; CHECK_EQ(s9, s7); CHECK_EQ(s10, a6); 96:

        /* rd = word `index` of a row of four, chosen by mhartid % 4. */
        .macro  pick rd, row
        andi    \rd, s0, 3
        slli    \rd, \rd, 2
        la      s7, \row
        add     \rd, \rd, s7
        lw      \rd, 0(\rd)
        .endm

        weft_begin
        /* Loads: good, misaligned, in a hole, sub-word of a device. */
        HERE
        li      a3, 0x1234
        sw      a3, 64(tp)
        andi    a0, s0, 3
        addi    a1, tp, 64
        beqz    a0, 1f
        pick    a1, load_addresses
1:      mv      a6, a1
        pick    a5, load_causes
        li      a2, 0x77
        MIXED(lhu a2, 0(a1))
        li      a4, 0x1234
        beqz    a0, 2f
        li      a4, 0x77
2:      CHECK_EQ(a2, a4)

        /* Stores: the good one is done, whatever the others do. */
        HERE
        addi    a1, tp, 64
        beqz    a0, 1f
        pick    a1, load_addresses
1:      mv      a6, a1
        pick    a5, store_causes
        li      a2, 0x5678
        MIXED(sh a2, 0(a1))
        li      a4, 0x5678
        beqz    a0, 2f
        li      a4, 0x1234
2:      lw      a3, 64(tp)
        CHECK_EQ(a3, a4)

        /* Atomics. */
        HERE
        li      a2, 1000
        sw      a2, 64(tp)
        addi    a1, tp, 64
        beqz    a0, 1f
        pick    a1, load_addresses
1:      mv      a6, a1
        pick    a5, store_causes
        li      a2, 5
        MIXED(amoadd.w a2, a2, (a1))
        li      a4, 1005
        beqz    a0, 2f
        li      a4, 1000
2:      lw      a3, 64(tp)
        CHECK_EQ(a3, a4)
        li      a4, 1000
        beqz    a0, 3f
        li      a4, 5
3:      CHECK_EQ(a2, a4)

        /* Jumps: two good ones, a misaligned one, one into a hole. The hole
           is noticed by the fetch, so its mepc is the hole. */
        HERE
        pick    a1, jump_addresses
        pick    a5, jump_causes
        mv      a6, a1
        li      s8, -1
        la      s11, 4f
        li      a2, 0
jump:   jalr    a2, 0(a1)
jump_link:
        FAIL
jump_good:
        li      s11, 0
4:      CHECK_EQ(s8, a5)
        li      a4, 2
        bltu    a0, a4, 6f              /* good: linked, no trap */
        CHECK_EQ(s10, a6)
        beq     a0, a4, 5f
        CHECK_EQ(s9, a1)
        j       6f
5:      la      a4, jump
        CHECK_EQ(s9, a4)
        CHECK(a2, 0)
        j       7f
6:      la      a4, jump_link
        CHECK_EQ(a2, a4)
7:
        /* A different instruction and cause in each of four branches. */
        HERE
        beqz    a0, 1f
        li      a2, 1
        beq     a0, a2, 2f
        li      a2, 2
        beq     a0, a2, 3f
        TRAP_AT(CAUSE_EBREAK, ebreak)
        j       4f
1:      EXPECT_TRAP(CAUSE_ECALL, 0, ecall)
        j       4f
2:      EXPECT_ILLEGAL(.word 0)
        j       4f
3:      li      a3, 6
        EXPECT_TRAP_REG(CAUSE_MISALIGNED_LOAD, a3, lw a2, 0(a3))
4:
        /* A handler of its own for odd and even harts, at one ecall. */
        HERE
        andi    a0, s0, 1
        la      a1, handler_even
        beqz    a0, 1f
        la      a1, handler_odd
1:      csrw    mtvec, a1
        li      a2, 0
        ecall
        addi    a2, a2, 100
        slli    a3, a0, 1
        addi    a3, a3, 101             /* 101 even, 103 odd */
        CHECK_EQ(a2, a3)

        /* mret to four different places at once, and mstatus by hart. */
        HERE
        la      a1, weft_trap
        csrw    mtvec, a1
        andi    a0, s0, 1
        slli    a1, a0, 7
        csrw    mstatus, a1             /* MPIE in odd harts */
        pick    a1, return_places
        csrw    mepc, a1
        li      a2, 0
        mret
        FAIL
place_0:
        addi    a2, a2, 1
place_1:
        addi    a2, a2, 1
place_2:
        addi    a2, a2, 1
place_3:
        addi    a2, a2, 1
        csrr    a3, mstatus
        srli    a3, a3, 3
        andi    a3, a3, 1
        CHECK_EQ(a3, a0)                /* MIE = MPIE */
        andi    a3, s0, 3
        li      a4, 4
        sub     a4, a4, a3
        CHECK_EQ(a2, a4)

        /* Trap CSRs are the hart's own: each wrote its mepc and mscratch. */
        HERE
        csrw    mscratch, s0
        csrr    a3, mepc
        CHECK_EQ(a3, a1)
        csrr    a3, mscratch
        CHECK_EQ(a3, s0)

        /* A loop in which only the hart whose turn it is traps. */
        HERE
        li      a4, 0
        li      a5, 0
        andi    a1, s0, 15
1:      la      s11, 3f
        bne     a4, a1, 2f
        ecall
        FAIL
3:      addi    a5, a5, 1
2:      li      s11, 0
        addi    a4, a4, 1
        li      a2, 16
        bne     a4, a2, 1b
        CHECK(a5, 1)
        j       weft_pass

        .balign 4
handler_even:
        csrr    a3, mepc
        addi    a3, a3, 4
        csrw    mepc, a3
        addi    a2, a2, 1
        mret
        .balign 4
handler_odd:
        csrr    a3, mepc
        addi    a3, a3, 4
        csrw    mepc, a3
        addi    a2, a2, 1
        addi    a2, a2, 2
        mret
        weft_end

        .section .data
        .balign 4
load_addresses:
        .word   0, 0x40000001, 0x40000000, WAKE
load_causes:
        .word   -1, CAUSE_MISALIGNED_LOAD, CAUSE_LOAD_FAULT, CAUSE_LOAD_FAULT
store_causes:
        .word   -1, CAUSE_MISALIGNED_STORE, CAUSE_STORE_FAULT, CAUSE_STORE_FAULT
jump_addresses:
        .word   jump_good, jump_good, jump_good + 2, 0x40000000
jump_causes:
        .word   -1, -1, CAUSE_MISALIGNED_FETCH, CAUSE_FETCH_FAULT
return_places:
        .word   place_0, place_1, place_2, place_3
