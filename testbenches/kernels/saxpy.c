// weft: order=free progress=none
// y = a*x + y over a vector: no divergence but in the last round, all accesses
// coalesced. A speed benchmark; ROUNDS repeats it.
#include "weft.h"

#ifndef SIZE
#define SIZE 4096
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif
#define A 37

static u32 x[SIZE] ALIGNED;
static u32 y[SIZE] ALIGNED;

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        x[i] = weft_hash(i);
        y[i] = i;
    }
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u32 i = id; i < SIZE; i += n) y[i] = A * x[i] + y[i];
        weft_fence();
    }
    for (u32 i = id; i < SIZE; i += n) CHECK(y[i] == i + ROUNDS * A * weft_hash(i), 1);
    return 0;
}
