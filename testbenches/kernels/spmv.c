// weft: order=free progress=barrier
// Sparse matrix times vector, CSR, a row per thread: rows of 0..15 entries and
// a few of 60 make trip counts diverge, columns are scattered.
#include "weft.h"

#ifndef SIZE
#define SIZE 256
#endif
#define LONGEST 60

static u32 start[SIZE + 1] ALIGNED;
static u32 column[SIZE * LONGEST] ALIGNED;
static u32 value[SIZE * LONGEST] ALIGNED;
static u32 x[SIZE] ALIGNED;
static u32 y[SIZE] ALIGNED;

static u32 entries(u32 row) {
    u32 h = weft_hash(row);
    return h % 64 == 0 ? LONGEST : h / 64 % 16;
}
static u32 entry_column(u32 row, u32 k) { return weft_hash(row * LONGEST + k) % SIZE; }
static u32 entry_value(u32 row, u32 k) { return row ^ (k << 8); }
static u32 input(u32 i) { return weft_hash(i + 12345); }

int kernel(u32 id, u32 n) {
    if (id == 0) {
        u32 total = 0;
        for (u32 r = 0; r < SIZE; r++) {
            start[r] = total;
            total += entries(r);
        }
        start[SIZE] = total;
    }
    for (u32 i = id; i < SIZE; i += n) x[i] = input(i);
    weft_barrier();
    for (u32 r = id; r < SIZE; r += n) {
        for (u32 k = 0; start[r] + k < start[r + 1]; k++) {
            column[start[r] + k] = entry_column(r, k);
            value[start[r] + k] = entry_value(r, k);
        }
    }
    weft_barrier();

    for (u32 r = id; r < SIZE; r += n) {
        u32 sum = 0;
        for (u32 k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[column[k]];
        y[r] = sum;
    }
    weft_barrier();

    // Backwards and from the generating functions, not from the arrays.
    for (u32 r = n - 1 - id; r < SIZE; r += n) {
        u32 rest = y[r];
        for (u32 k = entries(r); k; k--) rest -= entry_value(r, k - 1) * input(entry_column(r, k - 1));
        CHECK(rest == 0, 1);
    }
    return 0;
}
