/* Frame and macros of the directed ISA tests (see README.md).
 *
 * A test is `weft_begin`, its code, `weft_end`. Every hart runs all of it in
 * its own scratch area, so a test works on one hart and on all harts at once.
 *
 *   gp   line of the check that runs; the fail code of a check that fails
 *   tp   scratch area of this hart      s0   mhartid
 *   s7   temporary of the macros
 *   s8 s9 s10   mcause, mepc, mtval of the last expected trap
 *   s11  where an expected trap goes on; 0: a trap is a failure
 *
 * Everything else belongs to the test. Numeric labels 90 to 99 are the macros'. */
#ifndef WEFT_TEST_H
#define WEFT_TEST_H

#define SCRATCH_SHIFT   12
#define SCRATCH_SIZE    (1 << SCRATCH_SHIFT)

#define RAM_BASE        0x80000000
#define DEVICE_BASE     0x10000000
#define WAKE            0x10000000
#define BARRIER_ARRIVE  0x10000100
#define BARRIER_COUNT   0x10000104
#define INFO_HARTS      0x10000110
#define INFO_LANES      0x10000114
#define INFO_WARPS      0x10000118
#define INFO_RAM_SIZE   0x1000011c

#define CAUSE_MISALIGNED_FETCH  0
#define CAUSE_FETCH_FAULT       1
#define CAUSE_ILLEGAL           2
#define CAUSE_EBREAK            3
#define CAUSE_MISALIGNED_LOAD   4
#define CAUSE_LOAD_FAULT        5
#define CAUSE_MISALIGNED_STORE  6
#define CAUSE_STORE_FAULT       7
#define CAUSE_ECALL             11

        /* Exact code: the linker must not shorten or move anything. */
        .option norelax
        .option norvc

        .macro weft_begin
        .section .text.init, "ax"
        .globl  _start
_start: la      t0, weft_trap
        csrw    mtvec, t0
        csrr    s0, mhartid
        slli    tp, s0, SCRATCH_SHIFT
        la      t0, _scratch
        add     tp, tp, t0
        li      s11, 0
        li      gp, 0
        .endm

        /* The macros jump to weft_fail from afar, so it is reached by `j`. */
        .macro weft_end
        .globl  weft_pass, weft_join, weft_fail, weft_trap, tohost, fromhost
weft_pass:
        barrier_wait
weft_join:
        bnez    s0, 2f
        li      gp, 1
        j       weft_report
2:      wfi
        j       2b

weft_fail:
        slli    gp, gp, 1
        ori     gp, gp, 1
weft_report:
        la      t0, tohost
        sw      x0, 4(t0)
1:      sw      gp, 0(t0)
        sw      x0, 4(t0)
        j       1b

        /* An expected trap goes on at s11; any other fails with code
           10000 * (mcause + 1) + line of the last check. */
        .balign 4
weft_trap:
        beqz    s11, 1f
        csrr    s8, mcause
        csrr    s9, mepc
        csrr    s10, mtval
        csrw    mepc, s11
        li      s11, 0
        mret
1:      csrr    s8, mcause
        andi    s8, s8, 15
        li      s7, 10000
2:      add     gp, gp, s7
        addi    s8, s8, -1
        bgez    s8, 2b
        j       weft_fail

        .section .tohost, "aw"
        .balign 8
        .type   tohost, @object
        .size   tohost, 8
        .type   fromhost, @object
        .size   fromhost, 8
tohost: .dword  0
fromhost:
        .dword  0
        .endm

        /* All harts meet: arrive and park; the last arrival wakes all. Needs
           a clear wake-pending bit. Clobbers s7. With WEFT_REFERENCE, for
           simulators without the device window, the one hart just goes on. */
        .macro barrier_wait
#ifndef WEFT_REFERENCE
        li      s7, BARRIER_ARRIVE
        sw      x0, 0(s7)
        wfi
#endif
        .endm

        /* The word of the device window at this address; 1 on a reference. */
        .macro load_device rd, address
#ifndef WEFT_REFERENCE
        li      \rd, \address
        lw      \rd, 0(\rd)
#else
        li      \rd, 1
#endif
        .endm

#define FAIL            li gp, __LINE__; j weft_fail
#define HERE            li gp, __LINE__

/* reg == value, reg == reg. */
#define CHECK(reg, value) \
        li gp, __LINE__; li s7, value; beq reg, s7, 99f; j weft_fail; 99:
#define CHECK_EQ(r1, r2) \
        li gp, __LINE__; beq r1, r2, 99f; j weft_fail; 99:
#define CHECK_NE(r1, r2) \
        li gp, __LINE__; bne r1, r2, 99f; j weft_fail; 99:
#define CHECK_LTU(r1, r2) \
        li gp, __LINE__; bltu r1, r2, 99f; j weft_fail; 99:
#define CHECK_LEU(r1, r2) \
        li gp, __LINE__; bgeu r2, r1, 99f; j weft_fail; 99:
/* Memory word at offset(base) == value. Clobbers s8. */
#define CHECK_MEM(offset, base, value) \
        li gp, __LINE__; lw s8, offset(base); li s7, value; \
        beq s8, s7, 99f; j weft_fail; 99:

/* One operation, the same on every hart. */
#define TEST_RR(op, result, a, b) \
        li gp, __LINE__; li a0, a; li a1, b; op a2, a0, a1; CHECK(a2, result)
#define TEST_RI(op, result, a, imm) \
        li gp, __LINE__; li a0, a; op a2, a0, imm; CHECK(a2, result)

/* The same with the destination equal to a source, and x0. */
#define TEST_RR_ALIAS(op, result, a, b, twice) \
        li gp, __LINE__; li a0, a; li a1, b; op a0, a0, a1; CHECK(a0, result); \
        li a0, a; op a1, a0, a1; CHECK(a1, result); \
        li a0, a; op a0, a0, a0; CHECK(a0, twice); \
        li a0, a; li a1, b; op x0, a0, a1; \
        CHECK(x0, 0); CHECK(a0, a); CHECK(a1, b)

/* Tables: TABLE(name), ROW(a, b, results...), .., TABLE_END(name). At most
   five results. Each hart starts at another row, so that the lanes of a warp
   work on different operands. A failing row reports its own line. */
#define TABLE(name)     .section .data; .balign 32; name:
#define ROW(a, b, ...)  .word __LINE__, a, b, __VA_ARGS__; .balign 32, 0
#define TABLE_END(name) name##_end: .section .text.init, "ax"

/* Loop over a table; `body` gets the operands in a0 and a1 and the expected
   result of `column` in a3, and falls through when it is content. */
#define FOR_ROWS(table, column, ...) \
        la t0, table; la t1, table##_end; sub t3, t1, t0; \
        andi t2, s0, 31; slli t2, t2, 5; \
        90: blt t2, t3, 91f; sub t2, t2, t3; j 90b; \
        91: add t2, t2, t0; mv t4, t2; \
        92: lw gp, 0(t2); lw a0, 4(t2); lw a1, 8(t2); \
        lw a3, (12 + 4 * column)(t2); \
        __VA_ARGS__; \
        addi t2, t2, 32; bne t2, t1, 98f; mv t2, t0; 98: bne t2, t4, 92b

#define RUN_RR(op, table, column) \
        FOR_ROWS(table, column, op a2, a0, a1; beq a2, a3, 93f; j weft_fail; 93:)

/* An instruction that must trap with this cause at itself. Then s8, s9, s10
   hold mcause, mepc, mtval. s8 starts as -1. */
#define TRAP_AT(cause, ...) \
        li gp, __LINE__; la s11, 98f; li s8, -1; \
        97: __VA_ARGS__; \
        j weft_fail; \
        98: CHECK(s8, cause); la s7, 97b; beq s9, s7, 99f; j weft_fail; 99:
/* .. and mtval is this value, this register, or the instruction itself. */
#define EXPECT_TRAP(cause, tval, ...) \
        TRAP_AT(cause, __VA_ARGS__); CHECK(s10, tval)
#define EXPECT_TRAP_REG(cause, tval, ...) \
        TRAP_AT(cause, __VA_ARGS__); CHECK_EQ(s10, tval)
#define EXPECT_ILLEGAL(...) \
        TRAP_AT(CAUSE_ILLEGAL, __VA_ARGS__); lw s7, 0(s9); \
        beq s10, s7, 99f; j weft_fail; 99:

#endif
