// weft: order=free progress=barrier
// Needleman-Wunsch alignment of two sequences: the score matrix by
// anti-diagonals, a parking barrier after each, a three-way maximum per cell.
// (Rodinia's nw; Klashtorny 2022 saw the best speed-up on it.)
#include "weft.h"

#ifndef SIZE
#define SIZE 48
#endif
#define GAP 2

static i32 score[SIZE + 1][SIZE + 1] ALIGNED;
static i32 row[SIZE + 1]; // the check's

static i32 similarity(u32 i, u32 j) { return weft_hash(i) % 4 == weft_hash(j + 1000) % 4 ? 3 : -1; }

int kernel(u32 id, u32 n) {
    for (u32 i = id; i <= SIZE; i += n) {
        score[i][0] = -GAP * (i32)i;
        score[0][i] = -GAP * (i32)i;
    }
    for (u32 diagonal = 2; diagonal <= 2 * SIZE; diagonal++) {
        weft_barrier();
        u32 first = diagonal > SIZE ? diagonal - SIZE : 1;
        u32 last = diagonal > SIZE ? SIZE : diagonal - 1;
        for (u32 i = first + id; i <= last; i += n) {
            u32 j = diagonal - i;
            i32 best = score[i - 1][j - 1] + similarity(i, j);
            if (best < score[i - 1][j] - GAP) best = score[i - 1][j] - GAP;
            if (best < score[i][j - 1] - GAP) best = score[i][j - 1] - GAP;
            score[i][j] = best;
        }
    }
    weft_barrier();
    // Hart 0 fills the matrix once more, row by row in a single row.
    if (id == 0) {
        for (u32 j = 0; j <= SIZE; j++) row[j] = -GAP * (i32)j;
        for (u32 i = 1; i <= SIZE; i++) {
            i32 diagonal = row[0];
            row[0] = -GAP * (i32)i;
            for (u32 j = 1; j <= SIZE; j++) {
                i32 match = diagonal + similarity(i, j);
                i32 gap = (row[j - 1] > row[j] ? row[j - 1] : row[j]) - GAP;
                diagonal = row[j];
                row[j] = match > gap ? match : gap;
                CHECK(score[i][j] == row[j], 1);
            }
        }
    }
    return 0;
}
