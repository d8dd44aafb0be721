# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Every register holds its own value, x0 holds none. */
#include "weft_test.h"

        weft_begin
        HERE
        csrw    mscratch, tp

        /* Register i gets i * 0x01010101 + mhartid; then each becomes the
           difference to its right neighbour. */
        mv      x31, s0
        li      x1, 0x01010101
        add     x1, x1, x31
        li      x2, 0x02020202
        add     x2, x2, x31
        li      x3, 0x03030303
        add     x3, x3, x31
        li      x4, 0x04040404
        add     x4, x4, x31
        li      x5, 0x05050505
        add     x5, x5, x31
        li      x6, 0x06060606
        add     x6, x6, x31
        li      x7, 0x07070707
        add     x7, x7, x31
        li      x8, 0x08080808
        add     x8, x8, x31
        li      x9, 0x09090909
        add     x9, x9, x31
        li      x10, 0x0a0a0a0a
        add     x10, x10, x31
        li      x11, 0x0b0b0b0b
        add     x11, x11, x31
        li      x12, 0x0c0c0c0c
        add     x12, x12, x31
        li      x13, 0x0d0d0d0d
        add     x13, x13, x31
        li      x14, 0x0e0e0e0e
        add     x14, x14, x31
        li      x15, 0x0f0f0f0f
        add     x15, x15, x31
        li      x16, 0x10101010
        add     x16, x16, x31
        li      x17, 0x11111111
        add     x17, x17, x31
        li      x18, 0x12121212
        add     x18, x18, x31
        li      x19, 0x13131313
        add     x19, x19, x31
        li      x20, 0x14141414
        add     x20, x20, x31
        li      x21, 0x15151515
        add     x21, x21, x31
        li      x22, 0x16161616
        add     x22, x22, x31
        li      x23, 0x17171717
        add     x23, x23, x31
        li      x24, 0x18181818
        add     x24, x24, x31
        li      x25, 0x19191919
        add     x25, x25, x31
        li      x26, 0x1a1a1a1a
        add     x26, x26, x31
        li      x27, 0x1b1b1b1b
        add     x27, x27, x31
        li      x28, 0x1c1c1c1c
        add     x28, x28, x31
        li      x29, 0x1d1d1d1d
        add     x29, x29, x31
        li      x30, 0x1e1e1e1e
        add     x30, x30, x31
        li      x0, -1
        mv      x0, x31
        sub     x1, x2, x1
        sub     x2, x3, x2
        sub     x3, x4, x3
        sub     x4, x5, x4
        sub     x5, x6, x5
        sub     x6, x7, x6
        sub     x7, x8, x7
        sub     x8, x9, x8
        sub     x9, x10, x9
        sub     x10, x11, x10
        sub     x11, x12, x11
        sub     x12, x13, x12
        sub     x13, x14, x13
        sub     x14, x15, x14
        sub     x15, x16, x15
        sub     x16, x17, x16
        sub     x17, x18, x17
        sub     x18, x19, x18
        sub     x19, x20, x19
        sub     x20, x21, x20
        sub     x21, x22, x21
        sub     x22, x23, x22
        sub     x23, x24, x23
        sub     x24, x25, x24
        sub     x25, x26, x25
        sub     x26, x27, x26
        sub     x27, x28, x27
        sub     x28, x29, x28
        sub     x29, x30, x29

        /* x1 to x29 are now all 0x01010101. */
        csrr    x31, mscratch
        sw      x1, 4(x31)
        sw      x2, 8(x31)
        sw      x3, 12(x31)
        sw      x4, 16(x31)
        sw      x5, 20(x31)
        sw      x6, 24(x31)
        sw      x7, 28(x31)
        sw      x8, 32(x31)
        sw      x9, 36(x31)
        sw      x10, 40(x31)
        sw      x11, 44(x31)
        sw      x12, 48(x31)
        sw      x13, 52(x31)
        sw      x14, 56(x31)
        sw      x15, 60(x31)
        sw      x16, 64(x31)
        sw      x17, 68(x31)
        sw      x18, 72(x31)
        sw      x19, 76(x31)
        sw      x20, 80(x31)
        sw      x21, 84(x31)
        sw      x22, 88(x31)
        sw      x23, 92(x31)
        sw      x24, 96(x31)
        sw      x25, 100(x31)
        sw      x26, 104(x31)
        sw      x27, 108(x31)
        sw      x28, 112(x31)
        sw      x29, 116(x31)
        sw      x0, 0(x31)
        mv      tp, x31
        csrr    s0, mhartid
        li      s11, 0
        HERE
        lw      a0, 0(tp)
        CHECK(a0, 0)
        li      a1, 0x01010101
        addi    a2, tp, 4
        addi    a3, tp, 4 * 29
1:      lw      a0, 0(a2)
        CHECK_EQ(a0, a1)
        addi    a2, a2, 4
        bgeu    a3, a2, 1b
        li      a1, 0x1e1e1e1e
        add     a1, a1, s0
        CHECK_EQ(x30, a1)

        /* A write to x0 is not forwarded to the next reader. */
        HERE
        li      a0, 7
        addi    x0, a0, 1
        add     a1, x0, x0
        CHECK(a1, 0)
        lw      x0, 4(tp)
        mv      a1, x0
        CHECK(a1, 0)
        weft_end
