# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* csrrw, csrrs, csrrc and their immediate forms on mscratch: old value, new
   value, x0 on either side, rd = rs1, 5-bit immediates are zero-extended. */
#include "weft_test.h"

#define TEST_CSR(old, new, ...) \
        li gp, __LINE__; li a1, old; csrw mscratch, a1; li a0, -1; \
        __VA_ARGS__; \
        CHECK(a0, old); csrr a2, mscratch; CHECK(a2, new)
/* rd = x0, and the value in a1 stays. */
#define TEST_CSR_X0(old, new, ...) \
        li gp, __LINE__; li a1, old; csrw mscratch, a1; \
        __VA_ARGS__; \
        CHECK(x0, 0); csrr a2, mscratch; CHECK(a2, new)

        weft_begin
        li      a3, 0xf0f0f0f0
        TEST_CSR(0x12345678, 0xf0f0f0f0, csrrw a0, mscratch, a3)
        TEST_CSR(0x12345678, 0xf2f4f6f8, csrrs a0, mscratch, a3)
        TEST_CSR(0x12345678, 0x02040608, csrrc a0, mscratch, a3)
        TEST_CSR(0x12345678, 0, csrrw a0, mscratch, x0)
        TEST_CSR(0x12345678, 0x12345678, csrrs a0, mscratch, x0)
        TEST_CSR(0x12345678, 0x12345678, csrrc a0, mscratch, x0)
        TEST_CSR(0x80000000, 31, csrrwi a0, mscratch, 31)
        TEST_CSR(0x80000000, 0x8000001f, csrrsi a0, mscratch, 31)
        TEST_CSR(-1, 0xffffffe0, csrrci a0, mscratch, 31)
        TEST_CSR(-1, 0, csrrwi a0, mscratch, 0)
        TEST_CSR(-1, -1, csrrsi a0, mscratch, 0)
        TEST_CSR(-1, -1, csrrci a0, mscratch, 0)
        TEST_CSR(5, 21, csrrsi a0, mscratch, 16)
        TEST_CSR(21, 5, csrrci a0, mscratch, 16)
        TEST_CSR_X0(0x12345678, 0xf0f0f0f0, csrrw x0, mscratch, a3)
        TEST_CSR_X0(0x12345678, 0xf2f4f6f8, csrrs x0, mscratch, a3)
        TEST_CSR_X0(0x12345678, 0x02040608, csrrc x0, mscratch, a3)
        TEST_CSR_X0(0x12345678, 0, csrrw x0, mscratch, x0)
        TEST_CSR_X0(0x12345678, 9, csrrwi x0, mscratch, 9)
        TEST_CSR_X0(0x12345678, 0x12345679, csrrsi x0, mscratch, 9)
        TEST_CSR_X0(0x12345678, 0x12345670, csrrci x0, mscratch, 9)
        CHECK(a3, 0xf0f0f0f0)

        /* rd = rs1: the old value in rd, the old rd in the CSR. */
        HERE
        li      a0, 0x11
        li      a1, 0x22
        csrw    mscratch, a1
        csrrw   a0, mscratch, a0
        CHECK(a0, 0x22)
        csrrs   a0, mscratch, a0
        CHECK(a0, 0x11)
        csrrc   a0, mscratch, a0
        CHECK(a0, 0x33)
        csrr    a0, mscratch
        CHECK(a0, 0x22)

        /* Back to back, and a value of its own in every hart. */
        HERE
        csrw    mscratch, s0
        csrrw   a0, mscratch, x0
        csrrw   a1, mscratch, a0
        csrrw   a2, mscratch, a1
        csrr    a3, mscratch
        CHECK_EQ(a0, s0)
        CHECK(a1, 0)
        CHECK_EQ(a2, s0)
        CHECK(a3, 0)
        weft_end
