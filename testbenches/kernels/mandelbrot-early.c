// weft: order=free progress=none
// Mandelbrot set, unstructured: one loop in which a thread either goes on with
// its pixel or, from two exits, takes the next one; lanes drift apart and meet
// again in the middle of the body (Diamos et al. 2011, mandelbrot).
#ifndef SIZE
#define SIZE 20
#endif
#include "mandelbrot.h"

static u32 image[SIZE * SIZE] ALIGNED;

int kernel(u32 id, u32 n) {
    u32 pixel = id, count;
    i32 x, y, cx, cy;

next_pixel:
    if (pixel >= SIZE * SIZE) goto check;
    x = y = 0;
    count = 0;
    cx = real_part(pixel);
    cy = imaginary_part(pixel);
    for (;;) {
        i32 xx = x * x / ONE, yy = y * y / ONE;
        if (xx + yy > 4 * ONE) {
            image[pixel] = count;
            pixel += n;
            goto next_pixel;
        }
        if (++count == LIMIT) {
            image[pixel] = LIMIT;
            pixel += n;
            goto next_pixel;
        }
        y = 2 * x * y / ONE + cy;
        x = xx - yy + cx;
    }

check:
    for (pixel = id; pixel < SIZE * SIZE; pixel += n) CHECK(image[pixel] == reference(pixel), 1);
    return 0;
}
