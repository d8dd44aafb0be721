// weft: order=free progress=barrier
// Parking barriers in divergent flow: harts reach the same barrier at two
// places of the code and after loops of different length.
#include "weft.h"

#ifndef SIZE
#define SIZE 8
#endif

static u32 cell[2048];

int kernel(u32 id, u32 n) {
    u32 expected = 0;
    for (u32 round = 1; round <= SIZE; round++) {
        for (u32 wait = weft_hash(id + round) % 8; wait; wait--) weft_opaque(0);
        if ((id ^ round) & 1) {
            cell[id] += weft_opaque(round);
            weft_barrier();
        } else {
            cell[id] += weft_opaque(round) + 1;
            weft_barrier();
        }
        // The neighbour's word is final only if everybody has arrived.
        u32 other = id + 1 == n ? 0 : id + 1;
        expected += round + (((other ^ round) & 1) == 0);
        CHECK(cell[other] == expected, 1);
        weft_barrier();
    }
    return 0;
}
