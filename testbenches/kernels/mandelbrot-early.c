// weft: order=free progress=none
// Mandelbrot set, unstructured: one loop in which a thread either goes on with
// its pixel or, from one of two early exits, takes the next one at once; lanes
// drift apart over the pixels but share the loop (Diamos et al. 2011,
// mandelbrot). The end of the work is found at each exit, so no branch of the
// loop has its post-dominator inside.
#ifndef SIZE
#define SIZE 20
#endif
#include "mandelbrot.h"

static u32 image[SIZE * SIZE] ALIGNED;

static NOINLINE void work(u32 id, u32 n) {
    u32 pixel = id, count = 0;
    i32 x = 0, y = 0;
    if (pixel >= SIZE * SIZE) return;
    for (;;) {
        i32 xx = x * x / ONE, yy = y * y / ONE;
        if (xx + yy > 4 * ONE) { // escaped
            image[pixel] = count;
            pixel += n;
            if (pixel >= SIZE * SIZE) return;
            count = 0, x = 0, y = 0;
            continue;
        }
        if (weft_opaque(count) == LIMIT - 1) { // stays inside
            image[pixel] = LIMIT;
            pixel += n;
            if (pixel >= SIZE * SIZE) return;
            count = 0, x = 0, y = 0;
            continue;
        }
        count++;
        y = 2 * x * y / ONE + imaginary_part(pixel);
        x = xx - yy + real_part(pixel);
    }
}

int kernel(u32 id, u32 n) {
    work(id, n);
    for (u32 pixel = id; pixel < SIZE * SIZE; pixel += n) CHECK(image[pixel] == reference(pixel), 1);
    return 0;
}
