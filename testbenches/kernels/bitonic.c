// weft: order=free progress=barrier
// Bitonic sort, a parking barrier per step: compare-exchange diverges on data,
// and strides below the number of lanes share blocks. Sizes between powers of
// two are filled up with the largest key.
#include "weft.h"

#ifndef SIZE
#define SIZE 256
#endif
#define FILL1(x) ((x) | (x) >> 1)
#define FILL2(x) (FILL1(x) | FILL1(x) >> 2)
#define FILL4(x) (FILL2(x) | FILL2(x) >> 4)
#define FILL8(x) (FILL4(x) | FILL4(x) >> 8)
// The next power of two.
#define KEYS (FILL8((SIZE - 1u)) + 1)

static u32 key[KEYS] ALIGNED;

static u32 input(u32 i) { return i < SIZE ? weft_hash(i) % (2 * SIZE) : 0xffffffffu; }

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < KEYS; i += n) key[i] = input(i);
    for (u32 run = 2; run <= KEYS; run *= 2) {
        for (u32 stride = run / 2; stride; stride /= 2) {
            weft_barrier();
            for (u32 i = id; i < KEYS / 2; i += n) {
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
    for (u32 i = id; i + 1 < KEYS; i += n) CHECK(key[i] <= key[i + 1], 1);
    // Sorted; and the same multiset, by the sum of a hash and of the keys.
    if (id == 0) {
        u32 keys = 0, hashes = 0;
        for (u32 i = 0; i < KEYS; i++) {
            keys += key[i] - input(i);
            hashes += weft_hash(key[i]) - weft_hash(input(i));
        }
        CHECK(keys == 0 && hashes == 0, 2);
    }
    return 0;
}
