# weft: isa=rv32ima harts=any order=dependent progress=barrier
# weft: expect=pass
/* All harts update the same words with each AMO: no update is lost. */
#include "weft_test.h"

/* Offsets in the block of shared words. */
#define TOTAL            0
#define LARGEST          4
#define SMALLEST         8
#define LARGEST_SIGNED   12
#define SMALLEST_SIGNED  16
#define BITS_SET         20
#define BITS_CLEARED     24
#define PARITY           28
#define HAND             32
#define TAKEN            36
#define PUT              40

        weft_begin
        HERE
        sw      x0, 64(tp)
        barrier_wait
        li      a1, 1
        la      a6, totals
        amoadd.w a2, a1, (a6)

        /* The returned numbers are a ticket: nobody else draws it. */
        HERE
        load_device a4, INFO_HARTS
        CHECK_LTU(a2, a4)
        la      a0, _scratch
        slli    a3, a2, SCRATCH_SHIFT
        add     a0, a0, a3
        addi    a0, a0, 64
        amoadd.w a3, a1, (a0)
        CHECK(a3, 0)

        HERE
        addi    a0, a6, LARGEST
        amomaxu.w x0, s0, (a0)
        addi    a0, a6, SMALLEST
        amominu.w x0, s0, (a0)
        addi    a0, a6, LARGEST_SIGNED
        neg     a3, s0
        amomax.w x0, a3, (a0)
        addi    a0, a6, SMALLEST_SIGNED
        amomin.w x0, a3, (a0)

        /* Bit i % 32: set by or, cleared by and, toggled by xor. */
        HERE
        sll     a3, a1, s0
        addi    a0, a6, BITS_SET
        amoor.w x0, a3, (a0)
        addi    a0, a6, BITS_CLEARED
        not     a5, a3
        amoand.w x0, a5, (a0)
        addi    a0, a6, PARITY
        amoxor.w x0, a3, (a0)

        /* A swap hands values on: the sum of what was put in and what is left
           equals the sum of what was taken out. */
        HERE
        addi    a0, a6, HAND
        addi    a3, s0, 1
        amoswap.w a2, a3, (a0)
        addi    a0, a6, TAKEN
        amoadd.w x0, a2, (a0)
        addi    a0, a6, PUT
        amoadd.w x0, a3, (a0)

        barrier_wait
        HERE
        mv      a0, a6
        lw      a1, 0(a0)
        CHECK_EQ(a1, a4)
        addi    a3, a4, -1
        lw      a1, LARGEST(a0)
        CHECK_EQ(a1, a3)
        lw      a1, SMALLEST(a0)
        CHECK(a1, 0)
        lw      a1, LARGEST_SIGNED(a0)
        CHECK(a1, 0)
        lw      a1, SMALLEST_SIGNED(a0)
        neg     a3, a3
        CHECK_EQ(a1, a3)

        /* Bits 0 to min(harts, 32) - 1. */
        HERE
        li      a3, -1
        li      a2, 32
        bgeu    a4, a2, 1f
        li      a3, 1
        sll     a3, a3, a4
        addi    a3, a3, -1
1:      lw      a1, BITS_SET(a0)
        CHECK_EQ(a1, a3)
        lw      a1, BITS_CLEARED(a0)
        not     a1, a1
        CHECK_EQ(a1, a3)

        /* Bit i is the parity of the number of harts that are i modulo 32;
           for a multiple of 64 harts all are even. */
        HERE
        andi    a2, a4, 63
        bnez    a2, 1f
        lw      a1, PARITY(a0)
        CHECK(a1, 0)
1:
        HERE
        lw      a1, PUT(a0)
        addi    a2, a4, 1
        mul     a2, a2, a4
        srli    a2, a2, 1
        CHECK_EQ(a1, a2)
        lw      a1, TAKEN(a0)
        lw      a2, HAND(a0)
        add     a1, a1, a2
        lw      a2, PUT(a0)
        CHECK_EQ(a1, a2)

        HERE
        lw      a1, 64(tp)
        CHECK(a1, 1)
        weft_end

        .section .data
        .balign 64
totals: .word   0, 0, -1, 0x80000000, 0x7fffffff, 0, -1, 0, 0, 0, 0
