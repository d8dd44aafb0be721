// weft: order=free progress=barrier
// Bitonic sort, a parking barrier per step: compare-exchange diverges on data,
// and strides below the number of lanes share blocks.
#include "weft.h"

// A power of two.
#ifndef SIZE
#define SIZE 256
#endif
_Static_assert((SIZE & (SIZE - 1)) == 0, "SIZE must be a power of two");

static u32 key[SIZE] ALIGNED;

static u32 input(u32 i) { return weft_hash(i) % (2 * SIZE); }

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) key[i] = input(i);
    for (u32 run = 2; run <= SIZE; run *= 2) {
        for (u32 stride = run / 2; stride; stride /= 2) {
            weft_barrier();
            for (u32 i = id; i < SIZE / 2; i += n) {
                u32 low = 2 * i - (i & (stride - 1));
                u32 high = low + stride;
                u32 a = key[low], b = key[high];
                if ((a > b) == ((low & run) == 0)) {
                    key[low] = b;
                    key[high] = a;
                }
            }
        }
    }
    weft_barrier();
    for (u32 i = id; i + 1 < SIZE; i += n) CHECK(key[i] <= key[i + 1], 1);
    // Sorted; and the same multiset, by the sum of a hash and of the keys.
    if (id == 0) {
        u32 keys = 0, hashes = 0;
        for (u32 i = 0; i < SIZE; i++) {
            keys += key[i] - input(i);
            hashes += weft_hash(key[i]) - weft_hash(input(i));
        }
        CHECK(keys == 0 && hashes == 0, 2);
    }
    return 0;
}
