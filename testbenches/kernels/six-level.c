// weft: order=free progress=none
// Six nested levels of conditional blocks on the bits of the thread index, each
// block different: of 64 threads every one takes a path of its own. Conditions
// depend on the index only, never on data (Klashtorny 2022, synthetic
// benchmark of section 6.3.1).
#include "weft.h"

// How often the tree is walked.
#ifndef SIZE
#define SIZE 4
#endif

// The block at each node of the tree; k is 1 at the root, 2k and 2k + 1 below.
// Everything is inlined, so k is a constant and each block its own code.
#define INLINE static inline __attribute__((always_inline))

INLINE u32 block(u32 k, u32 v) {
    v = weft_opaque(v * (2 * k + 1) + k);
    return weft_opaque(v ^ (v >> 7));
}
INLINE u32 level0(u32 k, u32 path, u32 v) {
    (void)path;
    return block(k, v);
}
#define LEVEL(name, bit, below) \
    INLINE u32 name(u32 k, u32 path, u32 v) { \
        v = block(k, v); \
        if (path & bit) return below(2 * k + 1, path, v); \
        return below(2 * k, path, v); \
    }
LEVEL(level1, 1, level0)
LEVEL(level2, 2, level1)
LEVEL(level3, 4, level2)
LEVEL(level4, 8, level3)
LEVEL(level5, 16, level4)
LEVEL(level6, 32, level5)

static NOINLINE u32 tree(u32 path, u32 v) { return level6(1, path, v); }

static NOINLINE u32 reference(u32 path, u32 v) {
    for (u32 level = 0; level <= 6; level++) {
        u32 k = (64 | path) >> (6 - level);
        v = v * (2 * k + 1) + k;
        v ^= v >> 7;
    }
    return v;
}

int kernel(u32 id, u32 n) {
    (void)n;
    // With fewer than 64 harts each takes several paths.
    for (u32 walk = 0; walk < SIZE; walk++) {
        for (u32 path = id % 64; path < 64; path += n < 64 ? n : 64) {
            CHECK(tree(path, id + walk) == reference(path, id + walk), 1);
        }
    }
    return 0;
}
