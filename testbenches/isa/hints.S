# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* HINT encodings do nothing: every integer operation with rd = x0, join hints
   (slti x0) and their reserved neighbour (sltiu x0), fences with odd fields. */
#include "weft_test.h"

/* A hint with live operands; afterwards no register has changed. */
#define HINT(...) \
        li gp, __LINE__; li a0, 0x1234; li a1, 0x567; \
        __VA_ARGS__; \
        CHECK(x0, 0); CHECK(a0, 0x1234); CHECK(a1, 0x567)

        weft_begin
        HINT(addi x0, a0, 0)
        HINT(addi x0, a0, 1)
        HINT(addi x0, a0, -1)
        HINT(addi x0, a0, 2047)
        HINT(addi x0, a0, -2048)
        HINT(slti x0, a0, 0)
        HINT(slti x0, a0, 1)
        HINT(slti x0, a0, -1)
        HINT(slti x0, a0, 2047)
        HINT(slti x0, a0, -2048)
        HINT(sltiu x0, a0, 0)
        HINT(sltiu x0, a0, 1)
        HINT(sltiu x0, a0, -1)
        HINT(sltiu x0, a0, 2047)
        HINT(sltiu x0, a0, -2048)
        HINT(xori x0, a0, 0)
        HINT(xori x0, a0, 1)
        HINT(xori x0, a0, -1)
        HINT(xori x0, a0, 2047)
        HINT(xori x0, a0, -2048)
        HINT(ori x0, a0, 0)
        HINT(ori x0, a0, 1)
        HINT(ori x0, a0, -1)
        HINT(ori x0, a0, 2047)
        HINT(ori x0, a0, -2048)
        HINT(andi x0, a0, 0)
        HINT(andi x0, a0, 1)
        HINT(andi x0, a0, -1)
        HINT(andi x0, a0, 2047)
        HINT(andi x0, a0, -2048)
        HINT(slli x0, a0, 0)
        HINT(slli x0, a0, 1)
        HINT(slli x0, a0, 31)
        HINT(srli x0, a0, 0)
        HINT(srli x0, a0, 1)
        HINT(srli x0, a0, 31)
        HINT(srai x0, a0, 0)
        HINT(srai x0, a0, 1)
        HINT(srai x0, a0, 31)
        HINT(addi x0, x0, 5)
        HINT(slti x0, x0, 5)
        HINT(sltiu x0, x31, -5)
        HINT(slli x0, x0, 31)
        HINT(srai x0, x0, 7)
        HINT(add x0, a0, a1)
        HINT(add x0, x0, x2)
        HINT(sub x0, a0, a1)
        HINT(sub x0, x0, x0)
        HINT(sll x0, a0, a1)
        HINT(sll x0, x0, x0)
        HINT(slt x0, a0, a1)
        HINT(slt x0, x0, x0)
        HINT(sltu x0, a0, a1)
        HINT(sltu x0, x0, x0)
        HINT(xor x0, a0, a1)
        HINT(xor x0, x0, x0)
        HINT(srl x0, a0, a1)
        HINT(srl x0, x0, x0)
        HINT(sra x0, a0, a1)
        HINT(sra x0, x0, x0)
        HINT(or x0, a0, a1)
        HINT(or x0, x0, x0)
        HINT(and x0, a0, a1)
        HINT(and x0, x0, x0)
        HINT(lui x0, 0xfffff)
        HINT(auipc x0, 0x80000)

        /* fence: any predecessor and successor set, and fields that are
           reserved for finer fences. */
        HINT(fence)
        HINT(fence r, w)
        HINT(fence.tso)
        HINT(.word 0x0000000f)
        HINT(.word 0x0100000f)
        HINT(.word 0x0ff5058f)
        HINT(.word 0xfff5858f)

        /* Join hints in front of the branch they are for; `{rs1, imm12}` is an
           offset in words from the hint. The promised point is the join, or a
           later one that every thread passes as well. */
#define BRANCH_AFTER_HINT(...) \
        li gp, __LINE__; andi a2, s0, 1; li a3, 5; \
        __VA_ARGS__; \
        beqz a2, 2f; \
        addi a3, a3, 3; \
        2: addi a3, a3, 1; \
        li a4, 6; beqz a2, 3f; li a4, 9; 3: CHECK_EQ(a3, a4)

        BRANCH_AFTER_HINT(slti x0, x0, 3)
        BRANCH_AFTER_HINT(slti x0, x0, 4)
        BRANCH_AFTER_HINT(slti x0, x0, 5)
        BRANCH_AFTER_HINT(sltiu x0, x0, 3)

        /* A hint without a branch behind it is kept for nothing. */
        HERE
        li      a2, 1
        slti    x0, x0, 4
        addi    a2, a2, 1
        andi    a3, s0, 1
        bnez    a3, 1f
        addi    a2, a2, 1
1:      li      a4, 3
        sub     a4, a4, a3
        CHECK_EQ(a2, a4)
        weft_end
