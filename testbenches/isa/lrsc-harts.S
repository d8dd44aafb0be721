# weft: isa=rv32ima harts=any order=free progress=barrier
# weft: expect=pass
/* Reservations between two harts: hart 2i reserves a word and parks, hart
   2i + 1 does something and wakes it, then hart 2i stores conditionally. */
#include "weft_test.h"

#define OLD 0x11111111
#define NEW 0x22222222

        /* Wakes the partner of this hart. */
        .macro  wake_partner
        sw      s3, 0(s2)
        .endm

/* The partner's part finds the reserved word at a0, the next at a1. */
#define PAIR(fails, memory, ...) \
        li gp, __LINE__; beqz s1, 92f; \
        li a2, OLD; sw a2, 0(a0); sw a2, 0(a1); li a4, NEW; \
        lr.w a3, (a0); \
        wake_partner; \
        wfi; \
        sc.w a5, a4, (a0); \
        CHECK(a5, fails); CHECK_MEM(0, a0, memory); \
        j 93f; \
        92: wfi; \
        li a2, OLD; \
        __VA_ARGS__; \
        wake_partner; \
        93:

        weft_begin
        HERE
        /* s1 = first of the pair?, s2 and s3 = the partner's wake word and
           bit, a0 = a word in the first one's scratch area. */
        andi    s1, s0, 1
        xori    s1, s1, 1
        xori    s4, s0, 1
        load_device a2, INFO_HARTS
        bgeu    s4, a2, alone
        srli    s2, s4, 5
        slli    s2, s2, 2
        li      a2, WAKE
        add     s2, s2, a2
        li      s3, 1
        sll     s3, s3, s4
        mv      a0, tp
        bnez    s1, 1f
        li      a2, SCRATCH_SIZE
        sub     a0, a0, a2
1:      addi    a1, a0, 4

        PAIR(0, NEW, nop)
        PAIR(0, NEW, lw a3, 0(a0))
        PAIR(0, NEW, lr.w a3, (a0))
        PAIR(0, NEW, sw x0, 0(a1))
        PAIR(0, NEW, sb x0, 7(a0))
        PAIR(0, NEW, sc.w a3, x0, (a0))
        PAIR(0, NEW, amoadd.w a3, a2, (a1))
        PAIR(1, OLD, sw a2, 0(a0))
        PAIR(1, 0x11111100, sb x0, 0(a0))
        PAIR(1, 0x00111111, sb x0, 3(a0))
        PAIR(1, 0x00001111, sh x0, 2(a0))
        PAIR(1, 0x22222222, amoadd.w a3, a2, (a0))
        PAIR(1, OLD, amoand.w a3, a2, (a0))
        PAIR(1, 0, lr.w a3, (a0); sc.w a3, x0, (a0))
alone:
        weft_end
