// weft: order=free progress=barrier
// Matrix transpose: reads coalesce, writes are SIZE words apart, so a warp's
// store takes as many passes as it has lanes.
#include "weft.h"

#ifndef SIZE
#define SIZE 64
#endif

static u32 from[SIZE][SIZE] ALIGNED;
static u32 to[SIZE][SIZE] ALIGNED;

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE * SIZE; i += n) (&from[0][0])[i] = weft_hash(i);
    weft_barrier();
    for (u32 i = id; i < SIZE * SIZE; i += n) to[i % SIZE][i / SIZE] = (&from[0][0])[i];
    weft_barrier();
    for (u32 i = id; i < SIZE * SIZE; i += n) {
        u32 row = i / SIZE, column = i % SIZE;
        CHECK(to[row][column] == weft_hash(column * SIZE + row), 1);
    }
    return 0;
}
