# weft: isa=rv32ima harts=any order=dependent progress=barrier
# weft: expect=pass
/* Stores of many harts to one word, one half, one byte, and atomics on words
   that are stored to: what is left is something that somebody wrote. */
#include "weft_test.h"

        weft_begin
        HERE
        load_device s1, INFO_HARTS
        la      s2, words
        addi    s3, s0, 1               /* 1 .. harts */

        /* All to one word. */
        sw      s3, 0(s2)

        /* Each hart to byte mhartid % 4, a value that tells so. */
        andi    a0, s0, 3
        add     a1, s2, a0
        andi    a2, s0, 0xfc
        or      a2, a2, a0
        xori    a2, a2, 0x80
        sb      a2, 4(a1)

        /* Half-words: the same value in both bytes of it. */
        andi    a0, s0, 1
        slli    a0, a0, 1
        add     a1, s2, a0
        andi    a2, s0, 0xff
        slli    a3, a2, 8
        or      a2, a2, a3
        sh      a2, 8(a1)

        /* Even harts store a word, odd harts add a multiple of 2**16 to it. */
        andi    a0, s0, 1
        bnez    a0, 1f
        addi    a2, s0, 2
        sw      a2, 12(s2)
        j       2f
1:      lui     a2, 0x10
        addi    a1, s2, 12
        amoadd.w a3, a2, (a1)
2:
        /* A table with a stride of a word: no conflict, many words a block. */
        la      a4, table
        slli    a0, s0, 2
        add     a4, a4, a0
        sw      s3, 0(a4)

        /* The other way round, and with a stride of 20 words. */
        la      a4, backwards
        sub     a1, s1, s3
        slli    a1, a1, 2
        add     a4, a4, a1
        sw      s3, 0(a4)
        la      a4, scattered
        slli    a1, s0, 6
        add     a4, a4, a1
        slli    a1, s0, 4
        add     a4, a4, a1
        sw      s3, 0(a4)

        barrier_wait

        HERE
        lw      a0, 0(s2)
        CHECK_NE(a0, x0)
        CHECK_LEU(a0, s1)

        /* Bytes: those that some hart wrote carry their number. */
        HERE
        li      a1, 0
        li      a2, 4
3:      bgeu    a1, s1, 4f
        add     a3, s2, a1
        lbu     a3, 4(a3)
        andi    a4, a3, 3
        CHECK_EQ(a4, a1)
        xori    a3, a3, 0x80
        CHECK_LTU(a3, s1)
        addi    a1, a1, 1
        bltu    a1, a2, 3b
4:
        /* Halves: never a mixture of two stores. */
        HERE
        li      a1, 0
        li      a2, 4
        mv      a5, s2
5:      lbu     a3, 8(a5)
        lbu     a4, 9(a5)
        CHECK_EQ(a3, a4)
        addi    a5, a5, 2
        addi    a1, a1, 2
        bltu    a1, a2, 5b

        /* The word under stores and additions: the low half is from a store. */
        HERE
        lhu     a3, 12(s2)
        CHECK_NE(a3, x0)
        andi    a4, a3, 1
        CHECK(a4, 0)
        addi    a4, s1, 2
        CHECK_LTU(a3, a4)
        lhu     a3, 14(s2)
        srli    a4, s1, 1
        CHECK_LEU(a3, a4)

        /* The tables, read by another hart than wrote. */
        HERE
        sub     a0, s1, s3              /* the mirror hart */
        addi    a5, a0, 1
        la      a4, table
        slli    a1, a0, 2
        add     a4, a4, a1
        lw      a3, 0(a4)
        CHECK_EQ(a3, a5)
        la      a4, backwards
        slli    a1, s0, 2
        add     a4, a4, a1
        lw      a3, 0(a4)
        CHECK_EQ(a3, a5)
        la      a4, scattered
        slli    a1, a0, 6
        add     a4, a4, a1
        slli    a1, a0, 4
        add     a4, a4, a1
        lw      a3, 0(a4)
        CHECK_EQ(a3, a5)

        /* All read one word: the same for everybody. */
        HERE
        la      a4, constant
        lw      a3, 0(a4)
        CHECK(a3, 0x600dcafe)
        weft_end

        .section .data
        .balign 64
constant:
        .word   0x600dcafe
        .balign 64
words:  .space  64
table:  .space  4 * 2048
backwards:
        .space  4 * 2048
        .section .bss
        .balign 64
scattered:
        .space  80 * 2048
