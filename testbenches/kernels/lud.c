// weft: order=free progress=barrier
// LU decomposition in place, modulo a prime, with the shape of Rodinia's lud:
// half of the threads update the row of the pivot, the others its column, an
// if/else whose two sides take about the same time and can be interleaved
// (Rhu & Erez 2013, LUD).
#include "weft.h"

#ifndef SIZE
#define SIZE 16
#endif
#define PRIME 65521

static u32 a[SIZE][SIZE] ALIGNED;
static u32 inverse;

// A product of two triangular matrices, so that no pivot is zero.
static u32 factor(u32 i, u32 j) { return weft_hash(i * SIZE + j) % (PRIME - 1) + 1; }
static u32 lower(u32 i, u32 j) { return i == j ? 1 : i > j ? factor(i, j) : 0; }
static u32 upper(u32 i, u32 j) { return i <= j ? factor(i, j) : 0; }

static NOINLINE u32 power(u32 base, u32 exponent) {
    u32 result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = result * base % PRIME;
        base = base * base % PRIME;
    }
    return result;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE * SIZE; i += n) {
        u32 row = i / SIZE, column = i % SIZE, sum = 0;
        for (u32 k = 0; k < SIZE; k++) sum = (sum + lower(row, k) * upper(k, column)) % PRIME;
        a[row][column] = sum;
    }
    // Crout-like, one pivot at a time: row k of U and column k of L from the
    // finished part. Threads 0..SIZE-1 are for the row, the rest for the column.
    for (u32 k = 0; k < SIZE; k++) {
        weft_barrier();
        if (id == 0) {
            u32 pivot = a[k][k];
            for (u32 m = 0; m < k; m++) pivot = (pivot + (PRIME - a[k][m]) * a[m][k]) % PRIME;
            inverse = power(pivot, PRIME - 2);
        }
        weft_barrier();
        for (u32 t = id; t < 2 * SIZE; t += n) {
            u32 index = t % SIZE;
            if (index < k) continue;
            if (t < SIZE) {
                u32 value = a[k][index];
                for (u32 m = 0; m < k; m++) value = (value + (PRIME - a[k][m]) * a[m][index]) % PRIME;
                a[k][index] = value;
            } else if (index > k) {
                u32 value = a[index][k];
                for (u32 m = 0; m < k; m++) value = (value + (PRIME - a[index][m]) * a[m][k]) % PRIME;
                a[index][k] = value * inverse % PRIME;
            }
        }
    }
    weft_barrier();
    for (u32 i = id; i < SIZE * SIZE; i += n) {
        u32 row = i / SIZE, column = i % SIZE;
        CHECK(a[row][column] == (row > column ? lower(row, column) : upper(row, column)), 1);
    }
    return 0;
}
