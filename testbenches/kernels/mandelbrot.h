// Common to the two Mandelbrot kernels: fixed point with 12 fraction bits, the
// plane, and the reference for one pixel.
// The kernel defines SIZE, pixels per side.
#include "weft.h"

#define LIMIT 32
#define ONE 4096

static i32 real_part(u32 pixel) { return -2 * ONE + (i32)(pixel % SIZE) * (3 * ONE / SIZE); }
static i32 imaginary_part(u32 pixel) { return -3 * ONE / 2 + (i32)(pixel / SIZE) * (3 * ONE / SIZE); }

// Iterations until |z| > 2, at most LIMIT. Keeps iterating with a mask instead
// of leaving the loop, so its control flow is uniform.
static NOINLINE u32 reference(u32 pixel) {
    i32 x = 0, y = 0, cx = real_part(pixel), cy = imaginary_part(pixel);
    u32 count = 0, inside = 1;
    for (u32 k = 0; k < LIMIT; k++) {
        i32 xx = x * x / ONE, yy = y * y / ONE;
        inside &= xx + yy <= 4 * ONE;
        count += inside;
        y = (2 * x * y / ONE + cy) & -(i32)inside;
        x = (xx - yy + cx) & -(i32)inside;
    }
    return count;
}
