// weft: order=free progress=none
// Every structured shape at once: nested ifs, a switch with fall-through, a
// select, loops with divergent trip counts, break and continue.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static NOINLINE u32 divergent(u32 h) {
    u32 v = h;
    if (h & 1) {
        v = weft_opaque(v + 3);
        if (h & 2) {
            v = weft_opaque(v * 5);
        } else {
            v = weft_opaque(v ^ 0x55);
            if (h & 4) v = weft_opaque(v - 9);
        }
        v = weft_opaque(v + 1);
    } else if (h & 8) {
        v = weft_opaque(~v);
    }
    switch (h >> 4 & 7) {
    case 0: v = weft_opaque(v + 100); // falls through
    case 1: v = weft_opaque(v + 10); break;
    case 2: v = weft_opaque(v * 3); break;
    case 3: v = weft_opaque(v << 1); // falls through
    case 4: v = weft_opaque(v ^ 7); // falls through
    case 5: v = weft_opaque(v - 1); break;
    case 6: break;
    default: v = weft_opaque(v + h);
    }
    u32 select = h & 0x80 ? v : h;
    for (u32 k = h >> 8 & 15; k; k--) {
        if (k == 11) break;
        if (k & 1) continue;
        for (u32 m = 0; m < (k & 3); m++) v = weft_opaque(v * 2 + 1);
        v = weft_opaque(v + select);
    }
    return v;
}

// The same function by masks.
static NOINLINE u32 reference(u32 h) {
    u32 b1 = h >> 1, b2 = h >> 2, b3 = h >> 3;
    u32 odd = h + 3;
    odd = weft_choose(b1, odd * 5, weft_choose(b2, (odd ^ 0x55) - 9, odd ^ 0x55)) + 1;
    u32 v = weft_choose(h, odd, weft_choose(b3, ~h, h));
    u32 s = h >> 4 & 7;
    v += (s == 0) * 100u + (s <= 1) * 10u;
    v *= 1 + 2 * (u32)(s == 2);
    v <<= s == 3;
    v ^= 7 * (u32)(s == 3 || s == 4);
    v -= s >= 3 && s <= 5;
    v += weft_choose(s == 7, h, 0);
    u32 select = weft_choose(h >> 7, v, h);
    u32 running = 1;
    for (u32 step = 0; step < 15; step++) {
        u32 k = 15 - step; // counts of 15 down to 1; those above the start are skipped
        u32 in = running & (k <= (h >> 8 & 15));
        running &= !(in & (k == 11));
        in &= running & ~k & 1;
        u32 inner = k & 3;
        u32 grown = ((v + 1) << inner) - 1;
        v = weft_choose(in, grown + select, v);
    }
    return v;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 h = weft_hash(i);
        CHECK(divergent(h) == reference(h), 1);
    }
    return 0;
}
