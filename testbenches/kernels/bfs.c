// weft: order=free progress=barrier
// Breadth-first search, level by level: an if without else around a loop of
// divergent length (Rhu & Erez 2013 show it as not interleavable). Neighbours
// are only ever marked with the same value, so no order is visible.
#include "weft.h"

#ifndef SIZE
#define SIZE 512
#endif
#define ROOT (1 % SIZE)
#define UNREACHED 0xffffffffu

static u32 level[SIZE] ALIGNED;
static u8 frontier[SIZE] ALIGNED;
static u8 marked[SIZE] ALIGNED;
static u8 active[SIZE + 1]; // level has nodes
static u32 expected[SIZE];  // the check's
static u32 queue[SIZE];

// A tree, so that most is reached, and shortcuts; a few nodes have no edge.
static u32 degree(u32 node) { return weft_hash(node) % 8; }
static u32 neighbour(u32 node, u32 k) {
    return k < 2 ? (2 * node + k + 1) % SIZE : weft_hash(node * 8 + k) % SIZE;
}

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        level[i] = i == ROOT ? 0 : UNREACHED;
        frontier[i] = i == ROOT;
    }
    for (u32 depth = 1;; depth++) {
        weft_barrier();
        for (u32 i = id; i < SIZE; i += n) {
            if (frontier[i]) {
                frontier[i] = 0;
                for (u32 k = 0; k < degree(i); k++) marked[neighbour(i, k)] = 1;
            }
        }
        weft_barrier();
        for (u32 i = id; i < SIZE; i += n) {
            if (marked[i]) {
                marked[i] = 0;
                if (level[i] == UNREACHED) {
                    level[i] = depth;
                    frontier[i] = 1;
                    active[depth] = 1;
                }
            }
        }
        weft_barrier();
        if (!active[depth]) break;
    }
    // Hart 0 searches with a queue.
    if (id == 0) {
        for (u32 i = 0; i < SIZE; i++) expected[i] = i == ROOT ? 0 : UNREACHED;
        u32 head = 0, tail = 0;
        queue[tail++] = ROOT;
        while (head < tail) {
            u32 node = queue[head++];
            for (u32 k = 0; k < degree(node); k++) {
                u32 next = neighbour(node, k);
                if (expected[next] == UNREACHED) {
                    expected[next] = expected[node] + 1;
                    queue[tail++] = next;
                }
            }
        }
        CHECK(tail > 1 || SIZE == 1, 1);
        for (u32 i = 0; i < SIZE; i++) CHECK(level[i] == expected[i], 2);
    }
    return 0;
}
