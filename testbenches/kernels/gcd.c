// weft: order=free progress=none
// Greatest common divisor by remainders: a loop whose trip count differs from
// lane to lane, and divisions. Checked by the binary algorithm.
#include "weft.h"

#ifndef SIZE
#define SIZE 1024
#endif

static NOINLINE u32 euclid(u32 a, u32 b) {
    while (b) {
        u32 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static NOINLINE u32 binary(u32 a, u32 b) {
    u32 shift = 0;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        shift++;
    }
    while (a) {
        while ((a & 1) == 0) a >>= 1;
        while ((b & 1) == 0) b >>= 1;
        if (a >= b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    return b << shift;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        u32 a = weft_hash(i) % 20000 + 1, b = weft_hash(i + SIZE) % 20000 + 1;
        u32 common = i % 12 + 1;
        u32 g = euclid(a * common, b * common);
        CHECK(g % common == 0, 1);
        CHECK(g == binary(a * common, b * common), 2);
    }
    return 0;
}
