# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* CSR 0x7c0, the split mark: bit 0 is writable, the rest reads zero, and
   setting it changes nothing that a thread can see. */
#include "weft_test.h"

        weft_begin
        HERE
        csrr    a0, 0x7c0
        CHECK(a0, 0)
        li      a0, -1
        csrw    0x7c0, a0
        csrr    a0, 0x7c0
        CHECK(a0, 1)
        csrrci  a0, 0x7c0, 1
        CHECK(a0, 1)
        csrrsi  a0, 0x7c0, 30
        CHECK(a0, 0)
        csrrsi  a0, 0x7c0, 1
        CHECK(a0, 0)
        csrr    a0, 0x7c0
        CHECK(a0, 1)

        /* A divergent branch between set and clear. */
        HERE
        andi    a1, s0, 3
        li      a2, 0
        csrwi   0x7c0, 1
        beqz    a1, 1f
        csrwi   0x7c0, 0
        li      a2, 100
        j       2f
1:      csrwi   0x7c0, 0
        li      a2, 200
2:      li      a3, 200
        beqz    a1, 3f
        li      a3, 100
3:      CHECK_EQ(a2, a3)
        csrr    a0, 0x7c0
        CHECK(a0, 0)
        weft_end
