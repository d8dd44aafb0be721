// weft: order=free progress=barrier
// Sum of a vector: partial sums per hart, then a tree over the harts with a
// parking barrier per level. Works for any number of harts. The vector is a
// progression: its sum is known, so that checking it takes no time.
#include "weft.h"

#ifndef SIZE
#define SIZE 8192
#endif

#define STEP 2654435761u
#define FIRST 12345u

static u32 x[SIZE] ALIGNED;
static u32 partial[2048] ALIGNED;

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) x[i] = FIRST + i * STEP;
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
        u32 steps = (u32)(SIZE * (SIZE - 1ull) / 2);
        u32 expected = SIZE * FIRST + steps * STEP;
        CHECK(partial[0] == expected, 1);
    }
    return 0;
}
