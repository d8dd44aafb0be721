// weft: order=free progress=barrier
// C = A*B of SIZE x SIZE words: consecutive lanes own consecutive columns, so
// A is one word for the row, B and C coalesce. A speed benchmark.
#include "weft.h"

#ifndef SIZE
#define SIZE 24
#endif

static u32 a[SIZE][SIZE] ALIGNED;
static u32 b[SIZE][SIZE] ALIGNED;
static u32 c[SIZE][SIZE] ALIGNED;
static u32 br[SIZE];

static u32 random_vector(u32 j) { return weft_hash(j + 77); }

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE * SIZE; i += n) {
        (&a[0][0])[i] = weft_hash(i);
        (&b[0][0])[i] = weft_hash(i + SIZE * SIZE);
    }
    weft_barrier();
    for (u32 i = id; i < SIZE * SIZE; i += n) {
        const u32 *row = a[i / SIZE];
        const u32 *column = &b[0][i % SIZE];
        u32 sum = 0;
        for (u32 k = 0; k < SIZE; k++) sum += row[k] * column[k * SIZE];
        (&c[0][0])[i] = sum;
    }
    weft_barrier();
    // Freivalds: with a vector r of its own, C*r must be A*(B*r).
    for (u32 i = id; i < SIZE; i += n) {
        u32 sum = 0;
        for (u32 j = 0; j < SIZE; j++) sum += b[i][j] * random_vector(j);
        br[i] = sum;
    }
    weft_barrier();
    for (u32 i = id; i < SIZE; i += n) {
        u32 left = 0, right = 0;
        for (u32 j = 0; j < SIZE; j++) {
            left += c[i][j] * random_vector(j);
            right += a[i][j] * br[j];
        }
        CHECK(left == right, 1);
    }
    return 0;
}
