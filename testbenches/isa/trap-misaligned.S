# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* Causes 4 and 6: misaligned loads, stores and atomics, in RAM and outside,
   where they win over the access fault. rd and memory keep their values. */
#include "weft_test.h"

/* The address is a0 + offset. */
#define MISALIGNED(cause, offset, ...) \
        addi a4, a0, offset; TRAP_AT(cause, __VA_ARGS__); CHECK_EQ(s10, a4)

        .macro  all_misaligned
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 1, lh a1, 1(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 3, lh a1, 3(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 1, lhu a1, 1(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, -1, lhu a1, -1(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 1, lw a1, 1(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 2, lw a1, 2(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 3, lw a1, 3(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 3, lw x0, 3(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 1, lr.w a1, (a4))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, 2, lr.w a1, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, sh a2, 1(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 3, sh a2, 3(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, sw a2, 1(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 2, sw a2, 2(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 3, sw a2, 3(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, -2, sw a2, -2(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, sc.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 2, sc.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, amoswap.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 2, amoadd.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 3, amoand.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, amoor.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 2, amoxor.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 3, amomin.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 1, amomax.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 2, amominu.w a1, a2, (a4))
        MISALIGNED(CAUSE_MISALIGNED_STORE, 3, amomaxu.w a1, a2, (a4))
        CHECK(a1, 0x1111)
        .endm

        weft_begin
        li      a1, 0x1111
        li      a2, 0x2222
        li      a3, 0x33333333
        addi    a0, tp, 64
        sw      a3, -4(a0)
        sw      a3, 0(a0)
        sw      a3, 4(a0)
        all_misaligned
        CHECK_MEM(-4, a0, 0x33333333)
        CHECK_MEM(0, a0, 0x33333333)
        CHECK_MEM(4, a0, 0x33333333)

        /* A hole, the device window, both ends of the address space. */
        HERE
        li      a0, 0x40000000
        all_misaligned
        li      a0, BARRIER_ARRIVE
        all_misaligned
        li      a0, 0
        all_misaligned
        li      a0, 0xfffffff8
        all_misaligned

        /* Across the end of RAM. */
        HERE
        load_device a4, INFO_RAM_SIZE
        li      a0, RAM_BASE
        add     a0, a0, a4
        MISALIGNED(CAUSE_MISALIGNED_LOAD, -2, lw a1, -2(a0))
        MISALIGNED(CAUSE_MISALIGNED_LOAD, -1, lh a1, -1(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, -2, sw a2, -2(a0))
        MISALIGNED(CAUSE_MISALIGNED_STORE, -1, sh a2, -1(a0))
        weft_end
