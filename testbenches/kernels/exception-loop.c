// weft: order=free progress=none
// An exception that may leave a divergent loop for a catch block behind it
// (Diamos et al. 2011, exception-loop). As there, written with goto and not
// thrown in the default run: the mere edge moves the post-dominator of the
// loop's branches behind the catch. -D THROW_EVERY=k throws for one item in k.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif
#ifndef THROW_EVERY
#define THROW_EVERY 0
#endif

static u32 item[SIZE] ALIGNED;

// Top bit: the item is bad. It is read back from memory, so that the compiler
// cannot know that there is none.
static u32 make_item(u32 i) {
    u32 bad = THROW_EVERY && i % (THROW_EVERY + 1) == THROW_EVERY;
    return (weft_hash(i) & 0x7fffffffu) | bad << 31;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) item[i] = make_item(i);
    weft_fence();
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = item[i], v = x & 0xffff, caught = 0;
        for (u32 k = x & 15; k; k--) {
            v = weft_opaque(v * 3 + k);
            if (x >> 31 && k == 3) goto catch;
            v = weft_opaque(v ^ (v >> 4));
        }
        v = weft_opaque(v + 5);
        goto after;
    catch:
        caught = 1;
        v = weft_opaque(v ^ 0xffff);
    after:
        v += 7;

        // The reference has no exception, only a loop that ends early.
        u32 h = make_item(i), w = h & 0xffff, steps = h & 15;
        u32 throws = h >> 31 && steps >= 3;
        for (u32 k = steps; k > (throws ? 3 : 0); k--) {
            w = w * 3 + k;
            w ^= w >> 4;
        }
        w = throws ? ((w * 3 + 3) ^ 0xffff) + 7 : w + 12;
        CHECK(caught == throws, 1);
        CHECK(v == w, 2);
    }
    return 0;
}
