// weft: order=free progress=barrier
// Divergent calls through function pointers; half of the callees call one
// shared function, which lies behind them all. Post-dominators and orders that
// put call depth first run it once per callee, because the callees meet only
// after their return; an order by PC alone lets all callers gather there first
// (Diamos et al. 2011, split-merge).
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static u32 result[SIZE] ALIGNED;

static u32 shared(u32 v);

static NOINLINE u32 f0(u32 v) { return shared(weft_opaque(v + 1)) ^ 0x10; }
static NOINLINE u32 f1(u32 v) { return weft_opaque(v * 3); }
static NOINLINE u32 f2(u32 v) { return shared(weft_opaque(v ^ 2)) + 0x20; }
static NOINLINE u32 f3(u32 v) { return weft_opaque(v - 3); }
static NOINLINE u32 f4(u32 v) { return shared(weft_opaque(v * 7)) - 0x30; }
static NOINLINE u32 f5(u32 v) { return weft_opaque(v << 1); }
static NOINLINE u32 f6(u32 v) { return shared(weft_opaque(~v)) ^ 0x40; }
static NOINLINE u32 f7(u32 v) { return weft_opaque(v); }

static u32 (*const table[8])(u32) = {f0, f1, f2, f3, f4, f5, f6, f7};

// Behind its callers on purpose.
static NOINLINE u32 shared(u32 v) {
    for (u32 k = 0; k < 16; k++) v = weft_opaque(v * 5 + k);
    return v;
}

// v * 5^16 + sum of k * 5^(15-k).
static u32 shared_closed(u32 v) { return v * 2264035265u + 946808568u; }

static u32 reference(u32 f, u32 v) {
    u32 in = weft_choose(f == 0, v + 1, weft_choose(f == 2, v ^ 2, weft_choose(f == 4, v * 7, ~v)));
    u32 w = shared_closed(in);
    w = weft_choose(f == 0, w ^ 0x10, w);
    w = weft_choose(f == 2, w + 0x20, w);
    w = weft_choose(f == 4, w - 0x30, w);
    w = weft_choose(f == 6, w ^ 0x40, w);
    w = weft_choose(f == 1, v * 3, w);
    w = weft_choose(f == 3, v - 3, w);
    w = weft_choose(f == 5, v << 1, w);
    return weft_choose(f == 7, v, w);
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) result[i] = table[weft_hash(i) % 8](i);
    weft_barrier(); // or threads that are done early check by themselves
    for (u32 i = id; i < SIZE; i += n) CHECK(result[i] == reference(weft_hash(i) % 8, i), 1);
    return 0;
}
