// weft: order=free progress=barrier
// Threads park and wake each other along a ring: every hart adds its part to
// what the hart before it left, so each works while all others sleep. A wake
// that comes before its wfi must not be lost.
#include "weft.h"

// Rounds.
#ifndef SIZE
#define SIZE 3
#endif

static u32 sum[2048];

int kernel(u32 id, u32 n) {
    u32 before = id ? id - 1 : n - 1, next = id + 1 == n ? 0 : id + 1;
    for (u32 round = 0; round < SIZE; round++) {
        if (id || round) weft_park();
        sum[id] = sum[before] + id + 1;
        weft_wake(next);
    }
    if (id == 0) {
        weft_park();
        u32 expected = 0;
        for (u32 i = 0; i < n; i++) expected += i + 1;
        CHECK(sum[n - 1] == SIZE * expected, 1);
    }
    return 0;
}
