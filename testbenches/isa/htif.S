# weft: isa=rv32i harts=any order=free progress=barrier
# weft: expect=pass
/* HTIF by hart 0: console bytes, the write system call, and stores to tohost
   that do nothing. Prints two lines. */
#include "weft_test.h"

        weft_begin
        barrier_wait
        bnez    s0, done

        /* The high word alone acts on nothing, whatever it holds. */
        HERE
        la      s1, tohost
        li      a0, 1
        sw      a0, 4(s1)
        CHECK_MEM(4, s1, 1)
        sw      x0, 4(s1)
        CHECK_MEM(4, s1, 0)

        /* Both words zero: nothing. */
        HERE
        sw      x0, 0(s1)
        CHECK_MEM(0, s1, 0)

        /* Console bytes; tohost reads zero after each. */
        HERE
        la      a1, line
1:      lbu     a2, 0(a1)
        beqz    a2, 2f
        li      a0, 0x01010000
        sw      a0, 4(s1)
        sw      a2, 0(s1)
        CHECK_MEM(0, s1, 0)
        CHECK_MEM(4, s1, 0)
        addi    a1, a1, 1
        j       1b
2:
        /* Only the low byte is printed, and an odd value is no exit. */
        HERE
        li      a0, 0x01010000
        sw      a0, 4(s1)
        li      a2, 0xffffff21          /* ! */
        sw      a2, 0(s1)
        sw      a0, 4(s1)
        li      a2, 10
        sw      a2, 0(s1)
        CHECK_MEM(0, s1, 0)
        CHECK_MEM(4, s1, 0)

        /* write(1, text, length): the length in word 0, 1 in fromhost. */
        HERE
        la      s2, block
        la      s3, fromhost
        sw      x0, 0(s3)
        li      a0, 64
        sw      a0, 0(s2)
        li      a0, 1
        sw      a0, 8(s2)
        la      a0, text
        sw      a0, 16(s2)
        li      a0, text_end - text
        sw      a0, 24(s2)
        sw      x0, 4(s1)
        sw      s2, 0(s1)
        lw      a0, 0(s2)
        CHECK(a0, text_end - text)
        CHECK_MEM(4, s2, 0)
        CHECK_MEM(0, s3, 1)
        CHECK_MEM(0, s1, 0)
        CHECK_MEM(4, s1, 0)

        /* Nothing to write. */
        HERE
        sw      x0, 0(s3)
        li      a0, 64
        sw      a0, 0(s2)
        sw      x0, 24(s2)
        sw      s2, 0(s1)
        CHECK_MEM(0, s2, 0)
        CHECK_MEM(0, s3, 1)
done:
        j       weft_pass
        weft_end

        .section .data
line:   .asciz  "htif: console"
text:   .ascii  "htif: write\n"
text_end:
        .balign 8
block:  .space  64
