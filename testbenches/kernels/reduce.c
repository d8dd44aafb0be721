// weft: order=free progress=barrier
// Sum of a vector: partial sums per hart, then a tree over the harts with a
// parking barrier per level. Works for any number of harts.
#include "weft.h"

#ifndef SIZE
#define SIZE 8192
#endif

static u32 x[SIZE] ALIGNED;
static u32 partial[2048] ALIGNED;

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) x[i] = weft_hash(i);
    weft_barrier();
    u32 sum = 0;
    for (u32 i = id; i < SIZE; i += n) sum += x[i];
    partial[id] = sum;
    u32 half = 1;
    while (2 * half < n) half *= 2;
    for (; half; half /= 2) {
        weft_barrier();
        if (id < half && id + half < n) partial[id] += partial[id + half];
    }
    weft_barrier();
    if (id == 0) {
        u32 expected = 0;
        for (u32 i = 0; i < SIZE; i++) expected += weft_hash(i);
        CHECK(partial[0] == expected, 1);
    }
    return 0;
}
