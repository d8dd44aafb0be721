// weft: order=free progress=none
// An exception that may leave nested divergent conditionals (Diamos et al.
// 2011, exception-cond). Written with goto and not thrown in the default run,
// as there; -D THROW_EVERY=k throws for one item in k.
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

static NOINLINE void work(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = item[i], v = x & 0xffff;
        if (x & 1) {
            v = weft_opaque(v + 11);
            if (x & 2) {
                v = weft_opaque(v * 13);
                if (x >> 31) goto catch;
                v = weft_opaque(v - 17);
            } else {
                v = weft_opaque(v ^ 19);
            }
            v = weft_opaque(v + (v >> 3));
        } else {
            v = weft_opaque(v * 23);
        }
        v = weft_opaque(v + 29);
        goto after;
    catch:
        v = weft_opaque(v ^ 0xffff);
    after:
        item[i] = v ^ 31;
    }
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) item[i] = make_item(i);
    weft_fence();
    work(id, n);
    for (u32 i = id; i < SIZE; i += n) {
        u32 x = make_item(i), w = x & 0xffff;
        u32 throws = x >> 31 & x >> 1 & x;
        u32 deep = (w + 11) * 13;
        u32 odd = weft_choose(x >> 1, deep - 17, (w + 11) ^ 19);
        w = weft_choose(x, odd + (odd >> 3), w * 23) + 29;
        w = weft_choose(throws, deep ^ 0xffff, w) ^ 31;
        CHECK(item[i] == w, 1);
    }
    return 0;
}
