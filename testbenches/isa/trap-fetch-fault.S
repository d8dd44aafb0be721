# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Cause 1: a fetch outside RAM. mepc and mtval are the address that was to be
   fetched, the jump there has been done and has linked. */
#include "weft_test.h"

        /* Jump to the address in a0, expect the fault there. */
#define FETCH_FAULT() \
        li gp, __LINE__; la s11, 98f; li s8, -1; li a1, -1; \
        jalr a1, 0(a0); \
        97: j weft_fail; \
        98: CHECK(s8, CAUSE_FETCH_FAULT); CHECK_EQ(s9, a0); CHECK_EQ(s10, a0); \
        la s7, 97b; beq a1, s7, 99f; j weft_fail; 99:

#define FETCH_FAULT_AT(address) \
        li a0, address; FETCH_FAULT()

        weft_begin
        FETCH_FAULT_AT(0)
        FETCH_FAULT_AT(4)
        FETCH_FAULT_AT(0x7ffffffc)
        FETCH_FAULT_AT(0x40000000)
        FETCH_FAULT_AT(0xfffffffc)
        FETCH_FAULT_AT(0xc0000000)

        /* The device window is no place to fetch from. */
        FETCH_FAULT_AT(0x0ffffffc)
        FETCH_FAULT_AT(WAKE)
        FETCH_FAULT_AT(BARRIER_ARRIVE)
        FETCH_FAULT_AT(INFO_LANES)
        FETCH_FAULT_AT(0x10000200)

        /* The first word after RAM, by a jump .. */
        HERE
        load_device a2, INFO_RAM_SIZE
        li      a0, RAM_BASE
        add     a0, a0, a2
        FETCH_FAULT()

        /* .. and by falling off the last word, which is a nop that all harts
           put there. */
        HERE
        li      a3, 0x00000013
        sw      a3, -4(a0)
        fence.i
        la      s11, 1f
        li      s8, -1
        jr      -4(a0)
        FAIL
1:      CHECK(s8, CAUSE_FETCH_FAULT)
        CHECK_EQ(s9, a0)
        CHECK_EQ(s10, a0)

        /* mret to a hole: mret is done, the fetch faults. */
        HERE
        li      a0, 0x20000000
        csrw    mepc, a0
        la      s11, 1f
        li      s8, -1
        mret
        FAIL
1:      CHECK(s8, CAUSE_FETCH_FAULT)
        CHECK_EQ(s9, a0)
        CHECK_EQ(s10, a0)

        /* A different hole in every hart. */
        HERE
        slli    a0, s0, 2
        li      a2, 0x30000000
        add     a0, a0, a2
        FETCH_FAULT()
        weft_end
