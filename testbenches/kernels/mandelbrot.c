// weft: order=free progress=none
// Mandelbrot set, structured: one pixel at a time, a loop with a single exit
// whose trip count diverges, then the next pixel together.
#ifndef SIZE
#define SIZE 20
#endif
#include "mandelbrot.h"

static u32 image[SIZE * SIZE] ALIGNED;

int kernel(u32 id, u32 n) {
    for (u32 pixel = id; pixel < SIZE * SIZE; pixel += n) {
        i32 x = 0, y = 0, xx = 0, yy = 0, cx = real_part(pixel), cy = imaginary_part(pixel);
        u32 count = 0;
        while ((count < LIMIT) & (xx + yy <= 4 * ONE)) {
            y = 2 * x * y / ONE + cy;
            x = xx - yy + cx;
            xx = x * x / ONE;
            yy = y * y / ONE;
            count++;
        }
        image[pixel] = count;
    }
    for (u32 pixel = id; pixel < SIZE * SIZE; pixel += n) CHECK(image[pixel] == reference(pixel), 1);
    return 0;
}
