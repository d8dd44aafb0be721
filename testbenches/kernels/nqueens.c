// weft: order=free progress=barrier
// Solutions of the SIZE-queens problem: recursion to different depths in every
// lane, through function pointers that alternate the direction of the search.
#include "weft.h"

#ifndef SIZE
#define SIZE 8
#endif
_Static_assert(SIZE <= 12, "known counts end at 12 queens");

static u32 found[2048] ALIGNED;

typedef u32 search(u32 row, u32 columns, u32 left, u32 right);
static search from_left, from_right;
static search *const direction[2] = {from_left, from_right};
#define FULL ((1u << SIZE) - 1)

static NOINLINE u32 from_left(u32 row, u32 columns, u32 left, u32 right) {
    if (row == SIZE) return 1;
    u32 count = 0;
    for (u32 free = FULL & ~(columns | left | right); free; free &= free - 1) {
        u32 bit = free & -free;
        search *next = direction[weft_opaque(row & 1)];
        count += next(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

static NOINLINE u32 from_right(u32 row, u32 columns, u32 left, u32 right) {
    if (row == SIZE) return 1;
    u32 count = 0;
    for (u32 bit = 1u << (SIZE - 1); bit; bit >>= 1) {
        if (bit & (columns | left | right)) continue;
        search *next = direction[weft_opaque(row & 1)];
        count += next(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

int kernel(u32 id, u32 n) {
    static const u32 known[13] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    // The queens of the first two rows number the tasks.
    u32 count = 0;
    for (u32 task = id; task < SIZE * SIZE; task += n) {
        u32 a = 1u << task / SIZE, b = 1u << task % SIZE;
        u32 left = a << 1, right = a >> 1;
        if (SIZE > 1 && !(b & (a | left | right))) {
            count += from_left(2, a | b, (left | b) << 1, (right | b) >> 1);
        }
    }
    found[id] = count;
    weft_barrier();
    if (id == 0 && SIZE > 1) {
        count = 0;
        for (u32 i = 0; i < n; i++) count += found[i];
        CHECK(count == known[SIZE], 1);
    }
    return 0;
}
