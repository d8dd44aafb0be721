# weft: isa=rv32ima harts=any order=free progress=none
# weft: expect=pass
/* Causes 5 and 7: loads, stores and atomics outside RAM, at its edges, and
   those that the device window does not take. rd keeps its value. */
#include "weft_test.h"

#define FAULT(cause, offset, ...) \
        addi a4, a0, offset; TRAP_AT(cause, __VA_ARGS__); CHECK_EQ(s10, a4)

        .macro  sub_word_and_atomic_faults
        FAULT(CAUSE_LOAD_FAULT, 0, lb a1, 0(a0))
        FAULT(CAUSE_LOAD_FAULT, 1, lbu a1, 1(a0))
        FAULT(CAUSE_LOAD_FAULT, 3, lb a1, 3(a0))
        FAULT(CAUSE_LOAD_FAULT, 0, lh a1, 0(a0))
        FAULT(CAUSE_LOAD_FAULT, 2, lhu a1, 2(a0))
        FAULT(CAUSE_LOAD_FAULT, 0, lr.w a1, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, sb a2, 0(a0))
        FAULT(CAUSE_STORE_FAULT, 3, sb a2, 3(a0))
        FAULT(CAUSE_STORE_FAULT, 0, sh a2, 0(a0))
        FAULT(CAUSE_STORE_FAULT, 2, sh a2, 2(a0))
        FAULT(CAUSE_STORE_FAULT, 0, sc.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amoswap.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amoadd.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amoand.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amoor.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amoxor.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amomin.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amomax.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amominu.w a1, a2, (a0))
        FAULT(CAUSE_STORE_FAULT, 0, amomaxu.w a1, a2, (a0))
        CHECK(a1, 0x1111)
        .endm

        .macro  all_faults
        FAULT(CAUSE_LOAD_FAULT, 0, lw a1, 0(a0))
        FAULT(CAUSE_LOAD_FAULT, 0, lw x0, 0(a0))
        FAULT(CAUSE_STORE_FAULT, 0, sw a2, 0(a0))
        FAULT(CAUSE_STORE_FAULT, 0, sw x0, 0(a0))
        sub_word_and_atomic_faults
        .endm

        weft_begin
        li      a1, 0x1111
        li      a2, 0x2222

        /* Holes: below RAM, far above it, around the device window. */
        .irp address, 0, 0x0ffffffc, 0x10000200, 0x40000000, 0x7ffffffc, 0xfffffffc
        HERE
        li      a0, \address
        all_faults
        .endr

        /* The device window takes whole words only. */
        .irp address, WAKE, BARRIER_ARRIVE, BARRIER_COUNT, INFO_HARTS, 0x100001fc
        HERE
        li      a0, \address
        sub_word_and_atomic_faults
        .endr

        /* The first address after RAM. */
        HERE
        load_device a4, INFO_RAM_SIZE
        li      a0, RAM_BASE
        add     a0, a0, a4
        all_faults

        /* The last word, halves and bytes of RAM are there. */
        HERE
        sw      a2, -4(a0)
        lw      a3, -4(a0)
        CHECK_EQ(a3, a2)
        lhu     a3, -4(a0)
        CHECK_EQ(a3, a2)
        lh      a3, -2(a0)
        CHECK(a3, 0)
        lb      a3, -1(a0)
        CHECK(a3, 0)
        sb      x0, -1(a0)
        sh      x0, -2(a0)
        FAULT(CAUSE_LOAD_FAULT, 0, lb a1, 0(a0))
        FAULT(CAUSE_STORE_FAULT, 0, sb a2, 0(a0))
        CHECK(a1, 0x1111)

        /* The first word of RAM is this program. */
        HERE
        li      a0, RAM_BASE
        lw      a3, 0(a0)
        la      a4, _start
        lw      a4, 0(a4)
        CHECK_EQ(a3, a4)
        FAULT(CAUSE_LOAD_FAULT, -1, lb a1, -1(a0))
        FAULT(CAUSE_STORE_FAULT, -2, sh a2, -2(a0))

        /* The address wraps around. */
        HERE
        li      a0, 0xfffffff0
        FAULT(CAUSE_LOAD_FAULT, 16, lw a1, 16(a0))
        li      a0, 4
        FAULT(CAUSE_LOAD_FAULT, -8, lw a1, -8(a0))
        CHECK(a1, 0x1111)
        weft_end
