// weft: order=dependent progress=barrier
// Histogram with atomic adds. Bin 0 takes half of the samples, so lanes of one
// warp meet on the same word. The final sums do not
// depend on the order, what each add leaves in memory does.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif
#define BINS 16

static u32 bin[BINS] ALIGNED;

static u32 sample(u32 i) {
    u32 h = weft_hash(i);
    return (h & 0x100) ? 0 : h % BINS;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) weft_add(&bin[sample(i)], 1);
    weft_barrier();
    for (u32 b = id; b < BINS; b += n) {
        u32 count = 0;
        for (u32 i = 0; i < SIZE; i++) count += sample(i) == b;
        CHECK(bin[b] == count, 1);
    }
    return 0;
}
