// weft: order=free progress=barrier
// A reduction in which some items need an expensive call. The callee lies
// behind the loop, so an order by lowest PC alone lets the other threads run
// ahead through the loop and calls with few lanes each time; an order that
// puts call depth first does not.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static u32 partial[2048] ALIGNED;

static u32 expensive(u32 x);
static u32 needs_call(u32 h) { return (h & 3) == 0; }

NOINLINE int kernel(u32 id, u32 n) {
    u32 sum = 0;
    for (u32 i = id; i < SIZE; i += n) {
        u32 h = weft_hash(i);
        if (needs_call(h)) h = expensive(h);
        sum += h;
    }
    partial[id] = sum;
    weft_barrier();
    if (id == 0) {
        for (u32 i = 0; i < n; i++) sum += i ? partial[i] : 0;
        // The call is 48 steps of v * 5 + 3: v * 5^48 + 3 * (5^48 - 1) / 4.
        u32 power = 1, series = 0;
        for (u32 k = 0; k < 48; k++) {
            series = series * 5 + 3;
            power *= 5;
        }
        for (u32 i = 0; i < SIZE; i++) {
            u32 h = weft_hash(i);
            sum -= needs_call(h) ? h * power + series : h;
        }
        CHECK(sum == 0, 1);
    }
    return 0;
}

// Behind the kernel on purpose.
static NOINLINE u32 expensive(u32 x) {
    for (u32 k = 0; k < 48; k++) x = weft_opaque(x * 5 + 3);
    return x;
}
