// weft: order=dependent progress=lock
// A barrier as one writes it where nothing parks: an atomic counter and a
// generation that the waiting threads spin on. It finishes only if the last
// thread of a warp to arrive is not starved by the ones that wait.
#include "weft.h"

// Rounds.
#ifndef SIZE
#define SIZE 4
#endif

static struct weft_spin_barrier barrier;
static u32 cell[2048];

int kernel(u32 id, u32 n) {
    for (u32 round = 1; round <= SIZE; round++) {
        cell[id] = round * weft_hash(id);
        weft_spin_wait(&barrier, n);
        u32 other = id + 1 == n ? 0 : id + 1;
        CHECK(*(volatile u32 *)&cell[other] == round * weft_hash(other), 1);
        weft_spin_wait(&barrier, n);
    }
    return 0;
}
