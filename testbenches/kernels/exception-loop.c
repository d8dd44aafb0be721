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

static NOINLINE void work(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = item[i], v = x & 0xffff;
        for (u32 k = x & 15; k; k--) {
            v = weft_opaque(v * 3 + k);
            if (x >> 31 && k == 3) goto catch;
            v = weft_opaque(v ^ (v >> 4));
        }
        v = weft_opaque(v + 5);
        goto after;
    catch:
        v = weft_opaque(v ^ 0xffff);
    after:
        item[i] = v + 7;
    }
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) item[i] = make_item(i);
    weft_fence();
    work(id, n);
    // The reference walks all 15 steps and masks those that are not taken.
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = make_item(i), w = x & 0xffff, steps = x & 15;
        u32 throws = x >> 31 & (steps >= 3);
        u32 last = weft_choose(throws, 4, 1);
        for (u32 k = 15; k; k--) {
            u32 next = w * 3 + k;
            w = weft_choose(k <= steps && k >= last, next ^ (next >> 4), w);
        }
        w = weft_choose(throws, (w * 3 + 3) ^ 0xffff, w + 5) + 7;
        CHECK(item[i] == w, 1);
    }
    return 0;
}
