// weft: order=free progress=barrier
// A reduction in which some items need an expensive call of divergent length.
// The callee lies behind the loop, so an order by lowest PC alone lets each
// thread that returns run ahead through the loop by itself: the warp splinters.
// An order that puts call depth first keeps the loop together.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static u32 partial[2048] ALIGNED;
static u32 expected[2048] ALIGNED;

static u32 expensive(u32 x, u32 steps);
static u32 needs_call(u32 h) { return h >> 8 & 1; }
static u32 steps_of(u32 h) { return 1 + (h >> 9 & 15); }

static NOINLINE u32 sum_of(u32 id, u32 n) {
    u32 sum = 0;
    for (u32 i = id; i < SIZE; i += n) {
        u32 h = weft_hash(i);
        // Said to be likely, so that the call lies before what follows it: else
        // any order by PC collects the callers before the call.
        if (__builtin_expect(needs_call(h), 1)) h = expensive(h, steps_of(h));
        // What the loop itself does.
        sum += weft_hash(h) ^ weft_hash(sum);
    }
    return sum;
}

// Steps of x -> p * x + q by the bits of their number: doubling p and q.
static NOINLINE u32 reference(u32 id, u32 n) {
    u32 sum = 0;
    for (u32 i = id; i < SIZE; i += n) {
        u32 h = weft_hash(i), steps = steps_of(h) & (0 - needs_call(h)), p = 5, q = 3;
        for (u32 bit = 0; bit < 5; bit++) {
            h = weft_choose(steps >> bit, p * h + q, h);
            q += p * q;
            p *= p;
        }
        sum += weft_hash(h) ^ weft_hash(sum);
    }
    return sum;
}

int kernel(u32 id, u32 n) {
    partial[id] = sum_of(id, n);
    weft_barrier();
    expected[id] = reference(id, n);
    weft_barrier();
    if (id == 0) {
        u32 difference = 0;
        for (u32 i = 0; i < n; i++) difference += partial[i] - expected[i];
        CHECK(difference == 0, 1);
    }
    return 0;
}

// Behind the loop on purpose.
static NOINLINE u32 expensive(u32 x, u32 steps) {
    for (; steps; steps--) x = weft_opaque(x * 5 + 3);
    return x;
}
