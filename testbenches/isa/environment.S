# weft: isa=rv32i harts=one order=free progress=none
# weft: expect=pass
/* The start-up, trap handling and exit of the usual single-hart test
   environment: other harts spin on mhartid, optional CSRs are probed by
   pointing mtvec behind them, mret starts the test, results go to the handler
   by ecall, and tohost is stored low word first, again and again. */
#include "weft_test.h"

#define TESTNUM gp

        .section .text.init, "ax"
        .globl  _start, tohost, fromhost
_start: j       reset_vector

        /* At a fixed place, far from the code that traps. */
        .balign 64
trap_vector:
        csrr    t5, mcause
        li      t6, 8                   /* ecall from user */
        beq     t5, t6, write_tohost
        li      t6, 9                   /* ecall from supervisor */
        beq     t5, t6, write_tohost
        li      t6, 11                  /* ecall from machine */
        beq     t5, t6, write_tohost
        la      t5, mtvec_handler
        beqz    t5, 1f
        jr      t5
1:      ori     TESTNUM, TESTNUM, 1337
write_tohost:
        la      t5, tohost
        sw      TESTNUM, 0(t5)
        sw      x0, 4(t5)
        j       write_tohost

        .balign 4
reset_vector:
        .irp    n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        li      x\n, 0
        .endr

        csrr    a0, mhartid
1:      bnez    a0, 1b

        /* Resumable NMI. */
        la      t0, 1f
        csrw    mtvec, t0
        csrwi   0x744, 8
        .balign 4
1:      /* Address translation. */
        la      t0, 1f
        csrw    mtvec, t0
        csrwi   satp, 0
        .balign 4
1:      /* Memory protection. */
        la      t0, 1f
        csrw    mtvec, t0
        li      t0, -1
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
        .balign 4
1:      csrwi   mie, 0
        /* Delegation. */
        la      t0, 1f
        csrw    mtvec, t0
        csrwi   medeleg, 0
        csrwi   mideleg, 0
        .balign 4
1:      li      TESTNUM, 0
        la      t0, trap_vector
        csrw    mtvec, t0

        /* A vectored mtvec does not stick: this core is direct. */
        addi    t0, t0, 1
        csrw    mtvec, t0
        csrr    t1, mtvec
        addi    t0, t0, -1
        li      TESTNUM, 2
        bne     t0, t1, fail

        csrwi   mstatus, 0
        la      t0, 1f
        csrw    mepc, t0
        csrr    a0, mhartid
        mret
1:
        /* Features that are asked for before they are tested. */
        li      TESTNUM, 3
        csrr    a0, misa
        li      a1, (1 << 2) | (1 << 3) | (1 << 5) | (1 << 18) | (1 << 20)
        and     a0, a0, a1              /* C, D, F, S, U */
        bnez    a0, fail
        csrsi   misa, 1 << 2
        csrr    a0, misa
        andi    a0, a0, 1 << 2
        bnez    a0, fail

        /* Interrupt bits of a machine without interrupts, timer and all. */
        li      TESTNUM, 4
        li      a0, 0x888
        csrs    mie, a0
        csrsi   mstatus, 8
        nop
        nop
        csrci   mstatus, 8
        csrr    a0, mip
        bnez    a0, fail

        /* A handler of the test's own: skip the instruction. */
        li      TESTNUM, 5
        li      a3, 0
        .word   0
        li      a4, 1
        bne     a3, a4, fail
        li      TESTNUM, 6
        csrw    cycle, x0
        li      a4, 2
        bne     a3, a4, fail

        /* A jump to an address without instructions aligned to it. */
        li      TESTNUM, 7
        la      t0, 1f
        addi    t0, t0, 2
        jalr    t1, 0(t0)
        .balign 4
1:      li      a4, 3
        bne     a3, a4, fail

        li      TESTNUM, 1
        fence
        li      a7, 93
        li      a0, 0
        ecall

fail:   fence
1:      beqz    TESTNUM, 1b
        slli    TESTNUM, TESTNUM, 1
        ori     TESTNUM, TESTNUM, 1
        li      a7, 93
        mv      a0, TESTNUM
        ecall

        .balign 4
mtvec_handler:
        csrr    t5, mepc
        addi    t5, t5, 4
        csrw    mepc, t5
        addi    a3, a3, 1
        mret

        .section .tohost, "aw"
        .balign 64
        .type   tohost, @object
        .size   tohost, 8
        .type   fromhost, @object
        .size   fromhost, 8
tohost: .dword  0
        .balign 64
fromhost:
        .dword  0
