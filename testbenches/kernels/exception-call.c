// weft: order=free progress=barrier
// An exception thrown inside a divergent call: each level returns a status
// that the caller tests and passes on (Diamos et al. 2011, exception-call).
// Not thrown in the default run, as there; -D THROW_EVERY=k throws for one
// item in k. The kernel exception-trap throws by real traps.
#include "weft.h"

#ifndef SIZE
#define SIZE 2048
#endif
#ifndef THROW_EVERY
#define THROW_EVERY 0
#endif

static u32 item[SIZE] ALIGNED;

// Top bit: the item is bad.
static u32 make_item(u32 i) {
    u32 bad = THROW_EVERY && i % (THROW_EVERY + 1) == THROW_EVERY;
    return (weft_hash(i) & 0x7fffffffu) | bad << 31;
}

// Both return whether they threw.
static NOINLINE int inner(u32 x, u32 *v) {
    *v = weft_opaque(*v * 5);
    if (x >> 31) return 1;
    *v = weft_opaque(*v + 3);
    return 0;
}

static NOINLINE int outer(u32 x, u32 *v) {
    if (x & 4) {
        *v = weft_opaque(*v ^ 0x33);
        if (inner(x, v)) return 1;
        *v = weft_opaque(*v - 1);
    } else {
        *v = weft_opaque(*v + 8);
    }
    return 0;
}

static NOINLINE void work(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = item[i], v = x & 0xffff;
        if (x & 1) {
            if (outer(x, &v)) goto catch;
            v = weft_opaque(v + 2);
        } else if (x & 2) {
            if (inner(x, &v)) goto catch;
            v = weft_opaque(v * 7);
        }
        v = weft_opaque(v ^ 1);
        goto after;
    catch:
        v = weft_opaque(v ^ 0xffff);
    after:
        item[i] = v + 9;
    }
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) item[i] = make_item(i);
    weft_fence();
    work(id, n);
    weft_barrier();
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = make_item(i), w = x & 0xffff;
        u32 by_outer = x & x >> 2, by_inner = ~x & x >> 1;
        u32 throws = x >> 31 & (by_outer | by_inner);
        u32 thrown = (w ^ weft_choose(by_outer, 0x33, 0)) * 5;
        w = weft_choose(by_outer, thrown + 4, weft_choose(x, w + 10, w));
        w = weft_choose(by_inner, (thrown + 3) * 7, w);
        w = weft_choose(throws, thrown ^ 0xffff, w ^ 1) + 9;
        CHECK(item[i] == w, 1);
    }
    return 0;
}
