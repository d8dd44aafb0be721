# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* amoswap, amoadd, amoand, amoor, amoxor. */
#include "weft_test.h"

/* The old value is returned, the new one is in memory, the operand stays. */
#define RUN_AMO(op, column) \
        FOR_ROWS(operands, column, sw a0, 4(tp); addi a4, tp, 4; mv a5, a1; \
                op a2, a1, (a4); lw a6, 4(tp); \
                beq a2, a0, 93f; j weft_fail; 93: \
                beq a6, a3, 94f; j weft_fail; 94: \
                beq a5, a1, 95f; j weft_fail; 95:)
/* rd = rs2, rd = rs1, rs1 = rs2, rd = x0, rs2 = x0, acquire and release. */
#define AMO_FORMS(op, old, operand, new, with_zero) \
        HERE; li a0, old; sw a0, 0(tp); li a1, operand; \
        op a1, a1, (tp); CHECK(a1, old); CHECK_MEM(0, tp, new); \
        li a0, old; sw a0, 0(tp); li a1, operand; mv a2, tp; \
        op a2, a1, (a2); CHECK(a2, old); CHECK_MEM(0, tp, new); \
        li a0, old; sw a0, 0(tp); li a1, operand; \
        op x0, a1, (tp); CHECK(x0, 0); CHECK_MEM(0, tp, new); \
        li a0, old; sw a0, 0(tp); \
        op a2, x0, (tp); CHECK(a2, old); CHECK_MEM(0, tp, with_zero); \
        li a0, old; sw a0, 0(tp); li a1, operand; \
        op.aq a2, a1, (tp); CHECK(a2, old); CHECK_MEM(0, tp, new); \
        li a0, old; sw a0, 0(tp); \
        op.rl a2, a1, (tp); CHECK(a2, old); CHECK_MEM(0, tp, new); \
        li a0, old; sw a0, 0(tp); \
        op.aqrl a2, a1, (tp); CHECK(a2, old); CHECK_MEM(0, tp, new); \
        sw tp, 0(tp); mv a3, tp; \
        op a2, a3, (a3); CHECK_EQ(a2, tp); CHECK_EQ(a3, tp)

        weft_begin
        AMO_FORMS(amoswap.w, 12, 10, 10, 0)
        AMO_FORMS(amoadd.w, 12, 10, 22, 12)
        AMO_FORMS(amoand.w, 12, 10, 8, 0)
        AMO_FORMS(amoor.w, 12, 10, 14, 12)
        AMO_FORMS(amoxor.w, 12, 10, 6, 12)
        RUN_AMO(amoswap.w, 0)
        RUN_AMO(amoadd.w, 1)
        RUN_AMO(amoand.w, 2)
        RUN_AMO(amoor.w, 3)
        RUN_AMO(amoxor.w, 4)

        /* Neighbouring words are left alone. */
        HERE
        li      a0, -1
        sw      a0, 0(tp)
        sw      a0, 4(tp)
        sw      a0, 8(tp)
        addi    a1, tp, 4
        li      a2, 2
        amoadd.w a3, a2, (a1)
        CHECK_MEM(0, tp, -1)
        CHECK_MEM(4, tp, 1)
        CHECK_MEM(8, tp, -1)
        weft_end

/* memory, operand, then memory after swap, add, and, or, xor */
TABLE(operands)
        ROW(0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000)
        ROW(0x00000000, 0x00000001, 0x00000001, 0x00000001, 0x00000000, 0x00000001, 0x00000001)
        ROW(0x00000000, 0xffffffff, 0xffffffff, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0x00000000, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x00000000, 0x7fffffff, 0x7fffffff)
        ROW(0x00000000, 0x80000000, 0x80000000, 0x80000000, 0x00000000, 0x80000000, 0x80000000)
        ROW(0x00000000, 0x55555555, 0x55555555, 0x55555555, 0x00000000, 0x55555555, 0x55555555)
        ROW(0x00000001, 0x00000000, 0x00000000, 0x00000001, 0x00000000, 0x00000001, 0x00000001)
        ROW(0x00000001, 0x00000001, 0x00000001, 0x00000002, 0x00000001, 0x00000001, 0x00000000)
        ROW(0x00000001, 0xffffffff, 0xffffffff, 0x00000000, 0x00000001, 0xffffffff, 0xfffffffe)
        ROW(0x00000001, 0x7fffffff, 0x7fffffff, 0x80000000, 0x00000001, 0x7fffffff, 0x7ffffffe)
        ROW(0x00000001, 0x80000000, 0x80000000, 0x80000001, 0x00000000, 0x80000001, 0x80000001)
        ROW(0x00000001, 0x55555555, 0x55555555, 0x55555556, 0x00000001, 0x55555555, 0x55555554)
        ROW(0xffffffff, 0x00000000, 0x00000000, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0xffffffff, 0x00000001, 0x00000001, 0x00000000, 0x00000001, 0xffffffff, 0xfffffffe)
        ROW(0xffffffff, 0xffffffff, 0xffffffff, 0xfffffffe, 0xffffffff, 0xffffffff, 0x00000000)
        ROW(0xffffffff, 0x7fffffff, 0x7fffffff, 0x7ffffffe, 0x7fffffff, 0xffffffff, 0x80000000)
        ROW(0xffffffff, 0x80000000, 0x80000000, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffff)
        ROW(0xffffffff, 0x55555555, 0x55555555, 0x55555554, 0x55555555, 0xffffffff, 0xaaaaaaaa)
        ROW(0x7fffffff, 0x00000000, 0x00000000, 0x7fffffff, 0x00000000, 0x7fffffff, 0x7fffffff)
        ROW(0x7fffffff, 0x00000001, 0x00000001, 0x80000000, 0x00000001, 0x7fffffff, 0x7ffffffe)
        ROW(0x7fffffff, 0xffffffff, 0xffffffff, 0x7ffffffe, 0x7fffffff, 0xffffffff, 0x80000000)
        ROW(0x7fffffff, 0x7fffffff, 0x7fffffff, 0xfffffffe, 0x7fffffff, 0x7fffffff, 0x00000000)
        ROW(0x7fffffff, 0x80000000, 0x80000000, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0x7fffffff, 0x55555555, 0x55555555, 0xd5555554, 0x55555555, 0x7fffffff, 0x2aaaaaaa)
        ROW(0x80000000, 0x00000000, 0x00000000, 0x80000000, 0x00000000, 0x80000000, 0x80000000)
        ROW(0x80000000, 0x00000001, 0x00000001, 0x80000001, 0x00000000, 0x80000001, 0x80000001)
        ROW(0x80000000, 0xffffffff, 0xffffffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffff)
        ROW(0x80000000, 0x7fffffff, 0x7fffffff, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0x80000000, 0x80000000, 0x80000000, 0x00000000, 0x80000000, 0x80000000, 0x00000000)
        ROW(0x80000000, 0x55555555, 0x55555555, 0xd5555555, 0x00000000, 0xd5555555, 0xd5555555)
        ROW(0x55555555, 0x00000000, 0x00000000, 0x55555555, 0x00000000, 0x55555555, 0x55555555)
        ROW(0x55555555, 0x00000001, 0x00000001, 0x55555556, 0x00000001, 0x55555555, 0x55555554)
        ROW(0x55555555, 0xffffffff, 0xffffffff, 0x55555554, 0x55555555, 0xffffffff, 0xaaaaaaaa)
        ROW(0x55555555, 0x7fffffff, 0x7fffffff, 0xd5555554, 0x55555555, 0x7fffffff, 0x2aaaaaaa)
        ROW(0x55555555, 0x80000000, 0x80000000, 0xd5555555, 0x00000000, 0xd5555555, 0xd5555555)
        ROW(0x55555555, 0x55555555, 0x55555555, 0xaaaaaaaa, 0x55555555, 0x55555555, 0x00000000)
        ROW(0x00000002, 0x00000003, 0x00000003, 0x00000005, 0x00000002, 0x00000003, 0x00000001)
        ROW(0x80000001, 0xffffffff, 0xffffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7ffffffe)
        ROW(0x7fffffff, 0x80000001, 0x80000001, 0x00000000, 0x00000001, 0xffffffff, 0xfffffffe)
        ROW(0xaaaaaaaa, 0x55555555, 0x55555555, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0x0000ffff, 0xffff0000, 0xffff0000, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0x00010000, 0x00010000, 0x00010000, 0x00020000, 0x00010000, 0x00010000, 0x00000000)
        ROW(0xdeadbeef, 0x12345678, 0x12345678, 0xf0e21567, 0x12241668, 0xdebdfeff, 0xcc99e897)
        ROW(0x12345678, 0xdeadbeef, 0xdeadbeef, 0xf0e21567, 0x12241668, 0xdebdfeff, 0xcc99e897)
        ROW(0x0000007f, 0xffffff80, 0xffffff80, 0xffffffff, 0x00000000, 0xffffffff, 0xffffffff)
        ROW(0xfffffffe, 0x00000002, 0x00000002, 0x00000000, 0x00000002, 0xfffffffe, 0xfffffffc)
        ROW(0xe7d80068, 0xb9096a04, 0xb9096a04, 0xa0e16a6c, 0xa1080000, 0xffd96a6c, 0x5ed16a6c)
        ROW(0xafae5a3b, 0xc963cfe0, 0xc963cfe0, 0x79122a1b, 0x89224a20, 0xefefdffb, 0x66cd95db)
        ROW(0xc439f34a, 0xe1454c40, 0xe1454c40, 0xa57f3f8a, 0xc0014040, 0xe57dff4a, 0x257cbf0a)
        ROW(0xe794ee14, 0x26b563b1, 0x26b563b1, 0x0e4a51c5, 0x26946210, 0xe7b5efb5, 0xc1218da5)
        ROW(0x42840d2b, 0xac8be7d7, 0xac8be7d7, 0xef0ff502, 0x00800503, 0xee8fefff, 0xee0feafc)
        ROW(0xa2beee31, 0xd96e5adf, 0xd96e5adf, 0x7c2d4910, 0x802e4a11, 0xfbfefeff, 0x7bd0b4ee)
TABLE_END(operands)
