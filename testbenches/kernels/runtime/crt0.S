// Start and end of every hart.
//
// Start: stack, gp, trap vector, then kernel(hart, harts). The loader zeroes
// .bss; stacks lie below the end of RAM, hart 0 on top.
// End: a result other than 0 is reported through tohost at once. With 0 the
// hart joins the others at the parking barrier; then hart 0 reports a pass and
// the rest park for good. Nothing here spins, reads a shared word or depends
// on the order in which harts run.
//
// Never annotated: the branches here are taken once, on the way out.

#include "platform.h"

    .section .text.init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    csrr a0, mhartid
    li t0, DEVICE_BASE
    lw t1, INFO_RAM_SIZE(t0)
    lw a1, INFO_HARTS(t0)
    li t2, RAM_BASE
    add sp, t2, t1
    slli t3, a0, STACK_SHIFT
    sub sp, sp, t3
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la t1, weft_trap
    csrw mtvec, t1
    call kernel

    bnez a0, weft_exit
    li t0, DEVICE_BASE
    csrr a1, mhartid
    bnez a1, .Lother
    sw zero, BARRIER_ARRIVE(t0)
    wfi
    j weft_exit
.Lother:
    sw zero, BARRIER_ARRIVE(t0)
.Lparked:                       // the barrier wakes the first wfi, nobody the second
    wfi
    wfi
    j .Lparked
    .size _start, . - _start

// void weft_exit(unsigned code): ends the run, 0 is a pass. The stores repeat
// because another hart may be printing and use the high word in between.
    .globl weft_exit
    .type weft_exit, @function
weft_exit:
    slli a0, a0, 1
    ori a0, a0, 1
    la t0, tohost
.Lreport:
    sw zero, 4(t0)
    sw a0, 0(t0)
    j .Lreport
    .size weft_exit, . - weft_exit

// unsigned weft_try(struct weft_try *t): returns 0 and arms t; the hart's next
// trap returns here a second time with mcause + 1 and disarms it. The frame of
// the caller must still be live then, as with setjmp. mscratch holds the armed
// frame. Throw from the function that called weft_try: a trap raised in a
// deeper call leaves the hardware's call depth higher than the code's, which
// is harmless but keeps the hart from merging with others.
    .globl weft_try
    .type weft_try, @function
weft_try:
    sw ra, 0(a0)
    sw sp, 4(a0)
    sw s0, 8(a0)
    sw s1, 12(a0)
    sw s2, 16(a0)
    sw s3, 20(a0)
    sw s4, 24(a0)
    sw s5, 28(a0)
    sw s6, 32(a0)
    sw s7, 36(a0)
    sw s8, 40(a0)
    sw s9, 44(a0)
    sw s10, 48(a0)
    sw s11, 52(a0)
    csrw mscratch, a0
    li a0, 0
    ret
    .size weft_try, . - weft_try

// The trap vector.
    .p2align 2
    .globl weft_trap
    .type weft_trap, @function
weft_trap:
    csrrw t0, mscratch, zero
    csrr a0, mcause
    beqz t0, .Luncaught
    addi a0, a0, 1
    lw ra, 0(t0)
    lw sp, 4(t0)
    lw s0, 8(t0)
    lw s1, 12(t0)
    lw s2, 16(t0)
    lw s3, 20(t0)
    lw s4, 24(t0)
    lw s5, 28(t0)
    lw s6, 32(t0)
    lw s7, 36(t0)
    lw s8, 40(t0)
    lw s9, 44(t0)
    lw s10, 48(t0)
    lw s11, 52(t0)
    csrw mepc, ra
    mret
.Luncaught:
    addi a0, a0, FAIL_TRAP
    j weft_exit
    .size weft_trap, . - weft_trap

// High word first, then the low word, which acts. See docs/platform.md.
    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
    .type tohost, @object
    .size tohost, 8
tohost:
    .dword 0
    .p2align 6
    .globl fromhost
    .type fromhost, @object
    .size fromhost, 8
fromhost:
    .dword 0

    .section .note.GNU-stack, "", @progbits
