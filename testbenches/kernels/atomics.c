// weft: order=dependent progress=barrier
// Every atomic operation by all threads on the same words, LR/SC too; what a
// thread gets back depends on the order, the final values do not.
#include "weft.h"

// Rounds per hart.
#ifndef SIZE
#define SIZE 6
#endif

static u32 sum, any, all = 0xffffffffu, parity, swapped, by_cas;
static i32 least = 0x7fffffff, greatest = -0x7fffffff - 1;
static u32 least_u = 0xffffffffu, greatest_u;
static u32 returned; // of the swaps

int kernel(u32 id, u32 n) {
    for (u32 round = 0; round < SIZE; round++) {
        u32 i = id * SIZE + round, h = weft_hash(i);
        CHECK(weft_add(&sum, 1) < n * SIZE, 1);
        weft_or(&any, 1u << (i & 31));
        weft_and(&all, ~(1u << (i & 15)));
        weft_xor(&parity, h);
        weft_min(&least, (i32)h);
        weft_max(&greatest, (i32)h);
        weft_minu(&least_u, h);
        weft_maxu(&greatest_u, h);
        // What is put in comes out, except for the last.
        weft_add(&returned, weft_swap(&swapped, i + 1));
        u32 old;
        do old = *(volatile u32 *)&by_cas;
        while (!weft_cas(&by_cas, old, old + 3));
    }
    weft_barrier();
    if (id == 0) {
        u32 x_any = 0, x_all = 0xffffffffu, x_parity = 0, x_sum = 0;
        u32 min_u = 0xffffffffu, max_u = 0;
        i32 min_i = 0x7fffffff, max_i = -0x7fffffff - 1;
        for (u32 i = 0; i < n * SIZE; i++) {
            u32 h = weft_hash(i);
            x_any |= 1u << (i & 31);
            x_all &= ~(1u << (i & 15));
            x_parity ^= h;
            x_sum += i + 1;
            if (h < min_u) min_u = h;
            if (h > max_u) max_u = h;
            if ((i32)h < min_i) min_i = (i32)h;
            if ((i32)h > max_i) max_i = (i32)h;
        }
        CHECK(sum == n * SIZE, 2);
        CHECK(any == x_any && all == x_all && parity == x_parity, 3);
        CHECK(least == min_i && greatest == max_i, 4);
        CHECK(least_u == min_u && greatest_u == max_u, 5);
        CHECK(returned + swapped == x_sum, 6);
        CHECK(by_cas == 3 * n * SIZE, 7);
    }
    return 0;
}
