// weft: order=free progress=none
// Every thread sorts segments of its own by quicksort with an explicit stack:
// each step moves the left or the right hand, an if/else with two balanced
// sides on data (Rhu & Erez 2013, QSort).
#include "weft.h"

// Segments.
#ifndef SIZE
#define SIZE 64
#endif
#define LENGTH 32

static u32 key[SIZE * LENGTH] ALIGNED;

static NOINLINE void sort(u32 *k, i32 length) {
    // The longer half is kept for later, so the depth is at most log2(LENGTH).
    i32 later[2 * 8], depth = 0, low = 0, high = length - 1;
    for (;;) {
        if (low >= high) {
            if (depth == 0) return;
            high = later[--depth];
            low = later[--depth];
            continue;
        }
        u32 pivot = k[(low + high) / 2];
        i32 left = low, right = high;
        while (left <= right) {
            if (k[left] < pivot) {
                left++;
            } else if (k[right] > pivot) {
                right--;
            } else {
                u32 swap = k[left];
                k[left++] = k[right];
                k[right--] = swap;
            }
        }
        if (right - low < high - left) {
            later[depth++] = left;
            later[depth++] = high;
            high = right;
        } else {
            later[depth++] = low;
            later[depth++] = right;
            low = left;
        }
    }
}

int kernel(u32 id, u32 n) {
    for (u32 s = id; s < SIZE; s += n) {
        u32 *k = &key[s * LENGTH];
        u32 keys = 0, hashes = 0;
        for (u32 i = 0; i < LENGTH; i++) {
            u32 value = weft_hash(s * LENGTH + i) % 100;
            k[i] = value;
            keys += value;
            hashes += weft_hash(value);
        }
        sort(k, LENGTH);
        for (u32 i = 0; i < LENGTH; i++) {
            CHECK(i == 0 || k[i - 1] <= k[i], 1);
            keys -= k[i];
            hashes -= weft_hash(k[i]);
        }
        CHECK(keys == 0 && hashes == 0, 2);
    }
    return 0;
}
