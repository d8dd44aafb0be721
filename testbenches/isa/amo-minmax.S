# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* amomin, amomax, amominu, amomaxu. */
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
        AMO_FORMS(amomin.w, 12, -10, -10, 0)
        AMO_FORMS(amomax.w, -12, 10, 10, 0)
        AMO_FORMS(amominu.w, -12, 10, 10, 0)
        AMO_FORMS(amomaxu.w, 12, -10, -10, 12)
        RUN_AMO(amomin.w, 0)
        RUN_AMO(amomax.w, 1)
        RUN_AMO(amominu.w, 2)
        RUN_AMO(amomaxu.w, 3)
        weft_end

/* memory, operand, then memory after min, max, minu, maxu */
TABLE(operands)
        ROW(0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000)
        ROW(0x00000000, 0x00000001, 0x00000000, 0x00000001, 0x00000000, 0x00000001)
        ROW(0x00000000, 0xffffffff, 0xffffffff, 0x00000000, 0x00000000, 0xffffffff)
        ROW(0x00000000, 0x7fffffff, 0x00000000, 0x7fffffff, 0x00000000, 0x7fffffff)
        ROW(0x00000000, 0x80000000, 0x80000000, 0x00000000, 0x00000000, 0x80000000)
        ROW(0x00000000, 0x55555555, 0x00000000, 0x55555555, 0x00000000, 0x55555555)
        ROW(0x00000001, 0x00000000, 0x00000000, 0x00000001, 0x00000000, 0x00000001)
        ROW(0x00000001, 0x00000001, 0x00000001, 0x00000001, 0x00000001, 0x00000001)
        ROW(0x00000001, 0xffffffff, 0xffffffff, 0x00000001, 0x00000001, 0xffffffff)
        ROW(0x00000001, 0x7fffffff, 0x00000001, 0x7fffffff, 0x00000001, 0x7fffffff)
        ROW(0x00000001, 0x80000000, 0x80000000, 0x00000001, 0x00000001, 0x80000000)
        ROW(0x00000001, 0x55555555, 0x00000001, 0x55555555, 0x00000001, 0x55555555)
        ROW(0xffffffff, 0x00000000, 0xffffffff, 0x00000000, 0x00000000, 0xffffffff)
        ROW(0xffffffff, 0x00000001, 0xffffffff, 0x00000001, 0x00000001, 0xffffffff)
        ROW(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff)
        ROW(0xffffffff, 0x7fffffff, 0xffffffff, 0x7fffffff, 0x7fffffff, 0xffffffff)
        ROW(0xffffffff, 0x80000000, 0x80000000, 0xffffffff, 0x80000000, 0xffffffff)
        ROW(0xffffffff, 0x55555555, 0xffffffff, 0x55555555, 0x55555555, 0xffffffff)
        ROW(0x7fffffff, 0x00000000, 0x00000000, 0x7fffffff, 0x00000000, 0x7fffffff)
        ROW(0x7fffffff, 0x00000001, 0x00000001, 0x7fffffff, 0x00000001, 0x7fffffff)
        ROW(0x7fffffff, 0xffffffff, 0xffffffff, 0x7fffffff, 0x7fffffff, 0xffffffff)
        ROW(0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff)
        ROW(0x7fffffff, 0x80000000, 0x80000000, 0x7fffffff, 0x7fffffff, 0x80000000)
        ROW(0x7fffffff, 0x55555555, 0x55555555, 0x7fffffff, 0x55555555, 0x7fffffff)
        ROW(0x80000000, 0x00000000, 0x80000000, 0x00000000, 0x00000000, 0x80000000)
        ROW(0x80000000, 0x00000001, 0x80000000, 0x00000001, 0x00000001, 0x80000000)
        ROW(0x80000000, 0xffffffff, 0x80000000, 0xffffffff, 0x80000000, 0xffffffff)
        ROW(0x80000000, 0x7fffffff, 0x80000000, 0x7fffffff, 0x7fffffff, 0x80000000)
        ROW(0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000)
        ROW(0x80000000, 0x55555555, 0x80000000, 0x55555555, 0x55555555, 0x80000000)
        ROW(0x55555555, 0x00000000, 0x00000000, 0x55555555, 0x00000000, 0x55555555)
        ROW(0x55555555, 0x00000001, 0x00000001, 0x55555555, 0x00000001, 0x55555555)
        ROW(0x55555555, 0xffffffff, 0xffffffff, 0x55555555, 0x55555555, 0xffffffff)
        ROW(0x55555555, 0x7fffffff, 0x55555555, 0x7fffffff, 0x55555555, 0x7fffffff)
        ROW(0x55555555, 0x80000000, 0x80000000, 0x55555555, 0x55555555, 0x80000000)
        ROW(0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555, 0x55555555)
        ROW(0x00000002, 0x00000003, 0x00000002, 0x00000003, 0x00000002, 0x00000003)
        ROW(0x80000001, 0xffffffff, 0x80000001, 0xffffffff, 0x80000001, 0xffffffff)
        ROW(0x7fffffff, 0x80000001, 0x80000001, 0x7fffffff, 0x7fffffff, 0x80000001)
        ROW(0xaaaaaaaa, 0x55555555, 0xaaaaaaaa, 0x55555555, 0x55555555, 0xaaaaaaaa)
        ROW(0x0000ffff, 0xffff0000, 0xffff0000, 0x0000ffff, 0x0000ffff, 0xffff0000)
        ROW(0x00010000, 0x00010000, 0x00010000, 0x00010000, 0x00010000, 0x00010000)
        ROW(0xdeadbeef, 0x12345678, 0xdeadbeef, 0x12345678, 0x12345678, 0xdeadbeef)
        ROW(0x12345678, 0xdeadbeef, 0xdeadbeef, 0x12345678, 0x12345678, 0xdeadbeef)
        ROW(0x0000007f, 0xffffff80, 0xffffff80, 0x0000007f, 0x0000007f, 0xffffff80)
        ROW(0xfffffffe, 0x00000002, 0xfffffffe, 0x00000002, 0x00000002, 0xfffffffe)
        ROW(0xe7d80068, 0xb9096a04, 0xb9096a04, 0xe7d80068, 0xb9096a04, 0xe7d80068)
        ROW(0xafae5a3b, 0xc963cfe0, 0xafae5a3b, 0xc963cfe0, 0xafae5a3b, 0xc963cfe0)
        ROW(0xc439f34a, 0xe1454c40, 0xc439f34a, 0xe1454c40, 0xc439f34a, 0xe1454c40)
        ROW(0xe794ee14, 0x26b563b1, 0xe794ee14, 0x26b563b1, 0x26b563b1, 0xe794ee14)
        ROW(0x42840d2b, 0xac8be7d7, 0xac8be7d7, 0x42840d2b, 0x42840d2b, 0xac8be7d7)
        ROW(0xa2beee31, 0xd96e5adf, 0xa2beee31, 0xd96e5adf, 0xa2beee31, 0xd96e5adf)
TABLE_END(operands)
