// weft: order=free progress=none
// Divergent calls through function pointers; half of the callees call one
// shared function. Its post-dominator is the return of the first call, so a
// stack runs the shared code once per callee, an order by depth and PC once
// (Diamos et al. 2011, split-merge).
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static NOINLINE u32 shared(u32 v) {
    for (u32 k = 0; k < 8; k++) v = weft_opaque(v * 5 + k);
    return v;
}

static NOINLINE u32 f0(u32 v) { return shared(weft_opaque(v + 1)) ^ 0x10; }
static NOINLINE u32 f1(u32 v) { return weft_opaque(v * 3); }
static NOINLINE u32 f2(u32 v) { return shared(weft_opaque(v ^ 2)) + 0x20; }
static NOINLINE u32 f3(u32 v) { return weft_opaque(v - 3); }
static NOINLINE u32 f4(u32 v) { return shared(weft_opaque(v * 7)) - 0x30; }
static NOINLINE u32 f5(u32 v) { return weft_opaque(v << 1); }
static NOINLINE u32 f6(u32 v) { return shared(weft_opaque(~v)) ^ 0x40; }
static NOINLINE u32 f7(u32 v) { return weft_opaque(v); }

static u32 (*const table[8])(u32) = {f0, f1, f2, f3, f4, f5, f6, f7};

// v * 5^8 + sum of k * 5^(7-k).
static u32 shared_closed(u32 v) { return v * 390625u + 24412u; }

static u32 reference(u32 f, u32 v) {
    const u32 in[8] = {v + 1, v * 3, v ^ 2, v - 3, v * 7, v << 1, ~v, v};
    u32 w = f & 1 ? in[f] : shared_closed(in[f]);
    return f == 0 ? w ^ 0x10 : f == 2 ? w + 0x20 : f == 4 ? w - 0x30 : f == 6 ? w ^ 0x40 : w;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 f = weft_hash(i) % 8;
        CHECK(table[f](i) == reference(f, i), 1);
    }
    return 0;
}
