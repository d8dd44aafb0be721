// weft: order=dependent progress=lock
// The smallest case of the lock deadlock: every thread takes one spin lock and
// adds to a counter behind it.
#include "weft.h"

// Rounds per hart.
#ifndef SIZE
#define SIZE 2
#endif

static u32 lock;
static volatile u32 counter;

int kernel(u32 id, u32 n) {
    for (u32 round = 0; round < SIZE; round++) {
        weft_lock(&lock);
        counter = counter + 1;
        weft_unlock(&lock);
    }
    weft_barrier();
    if (id == 0) CHECK(counter == SIZE * n, 1);
    return 0;
}
