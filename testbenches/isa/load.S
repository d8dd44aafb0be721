# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* lb, lbu, lh, lhu, lw: every byte lane, sign extension, both ends of the
   offset, x0, loads of different words by the lanes of a warp. */
#include "weft_test.h"

#define TEST_LOAD(op, result, offset) \
        li gp, __LINE__; la a0, bytes; li a1, 0x5aa5a55a; \
        op a1, offset(a0); CHECK(a1, result)
/* The same word with the base elsewhere, and base = destination. */
#define TEST_LOAD_AT(op, result, offset, shift) \
        li gp, __LINE__; la a0, bytes + (offset) - (shift); \
        op a1, shift(a0); CHECK(a1, result); \
        op a0, shift(a0); CHECK(a0, result)

/* Bytes of one table row: a is the offset, the columns are the results. */
#define RUN_LOAD(op, table, column) \
        FOR_ROWS(table, column, la a2, bytes; add a2, a2, a0; \
                op a2, 0(a2); beq a2, a3, 93f; j weft_fail; 93:)

        weft_begin
        TEST_LOAD(lb, 0, 0)
        TEST_LOAD(lb, 0x7f, 1)
        TEST_LOAD(lb, -128, 2)
        TEST_LOAD(lb, -1, 3)
        TEST_LOAD(lbu, 0, 0)
        TEST_LOAD(lbu, 0x7f, 1)
        TEST_LOAD(lbu, 0x80, 2)
        TEST_LOAD(lbu, 0xff, 3)
        TEST_LOAD(lh, 0x7f00, 0)
        TEST_LOAD(lh, 0xffffff80, 2)
        TEST_LOAD(lhu, 0x7f00, 0)
        TEST_LOAD(lhu, 0xff80, 2)
        TEST_LOAD(lw, 0xff807f00, 0)
        TEST_LOAD(lw, 0x80000000, 4)
        TEST_LOAD(lh, 0x8000 - 0x10000, 6)
        TEST_LOAD(lh, 0x7fff, 8)
        TEST_LOAD(lh, 1, 10)
        TEST_LOAD(lw, 0x00017fff, 8)
        TEST_LOAD(lw, 0x12345678, -4)
        TEST_LOAD(lbu, 0x12, -1)

        TEST_LOAD_AT(lw, 0xff807f00, 0, 2047)
        TEST_LOAD_AT(lw, 0xff807f00, 0, -2048)
        TEST_LOAD_AT(lh, 0xffffff80, 2, 2046)
        TEST_LOAD_AT(lb, -128, 2, -2047)
        TEST_LOAD_AT(lbu, 0xff, 3, 1)
        TEST_LOAD_AT(lhu, 0xff80, 2, -2)

        /* x0 as destination. */
        HERE
        la      a0, bytes
        lw      x0, 0(a0)
        lb      x0, 3(a0)
        CHECK(x0, 0)

        /* Every lane at another offset. */
        RUN_LOAD(lb, byte_rows, 0)
        RUN_LOAD(lbu, byte_rows, 1)
        RUN_LOAD(lh, half_rows, 0)
        RUN_LOAD(lhu, half_rows, 1)
        RUN_LOAD(lw, word_rows, 0)
        weft_end

        .section .data
        .space  4096
        .balign 4
        .word   0x12345678
bytes:  .byte   0x00, 0x7f, 0x80, 0xff, 0x00, 0x00, 0x00, 0x80
        .byte   0xff, 0x7f, 0x01, 0x00, 0xfe, 0x81, 0x55, 0xaa
        .space  4096

/* offset, unused, signed, unsigned */
TABLE(byte_rows)
        ROW(0, 0, 0, 0)
        ROW(1, 0, 0x7f, 0x7f)
        ROW(2, 0, 0xffffff80, 0x80)
        ROW(3, 0, 0xffffffff, 0xff)
        ROW(4, 0, 0, 0)
        ROW(7, 0, 0xffffff80, 0x80)
        ROW(8, 0, 0xffffffff, 0xff)
        ROW(9, 0, 0x7f, 0x7f)
        ROW(10, 0, 1, 1)
        ROW(12, 0, 0xfffffffe, 0xfe)
        ROW(13, 0, 0xffffff81, 0x81)
        ROW(14, 0, 0x55, 0x55)
        ROW(15, 0, 0xffffffaa, 0xaa)
TABLE_END(byte_rows)
TABLE(half_rows)
        ROW(0, 0, 0x7f00, 0x7f00)
        ROW(2, 0, 0xffffff80, 0xff80)
        ROW(4, 0, 0, 0)
        ROW(6, 0, 0xffff8000, 0x8000)
        ROW(8, 0, 0x7fff, 0x7fff)
        ROW(10, 0, 1, 1)
        ROW(12, 0, 0xffff81fe, 0x81fe)
        ROW(14, 0, 0xffffaa55, 0xaa55)
TABLE_END(half_rows)
TABLE(word_rows)
        ROW(-4, 0, 0x12345678)
        ROW(0, 0, 0xff807f00)
        ROW(4, 0, 0x80000000)
        ROW(8, 0, 0x00017fff)
        ROW(12, 0, 0xaa5581fe)
TABLE_END(word_rows)
