// weft: order=free progress=none
// A 16-way switch through a jump table, as in the inner loop of an
// interpreter: one indirect jump, as many paths as the warp has opcodes.
#include "weft.h"

// Programs; each runs STEPS operations.
#ifndef SIZE
#define SIZE 256
#endif
#define STEPS 24

// Operation k is v = (v * multiply[k] + add[k]) rotated right by k.
#define OPERATION(k, multiply, add) \
    case k: \
        v = weft_opaque(v * multiply + add); \
        v = v >> k | v << (32 - k) % 32; \
        break;
#define OPERATIONS(_) \
    _(0, 3, 1) _(1, 5, 2) _(2, 7, 3) _(3, 9, 5) _(4, 11, 8) _(5, 13, 13) _(6, 15, 21) _(7, 17, 34) \
    _(8, 19, 55) _(9, 21, 89) _(10, 23, 144) _(11, 25, 233) _(12, 27, 377) _(13, 29, 610) \
    _(14, 31, 987) _(15, 33, 1597)

static u32 opcode(u32 program, u32 step) { return weft_hash(program * STEPS + step) % 16; }

int kernel(u32 id, u32 n) {
#define MULTIPLY(k, multiply, add) multiply,
#define ADD(k, multiply, add) add,
    static const u32 multiply[16] = {OPERATIONS(MULTIPLY)};
    static const u32 add[16] = {OPERATIONS(ADD)};
    for (u32 i = id; i < SIZE; i += n) {
        u32 v = i;
        for (u32 step = 0; step < STEPS; step++) {
            switch (opcode(i, step)) {
                OPERATIONS(OPERATION)
            }
        }
        // The same from tables, without a branch.
        u32 w = i;
        for (u32 step = 0; step < STEPS; step++) {
            u32 k = opcode(i, step);
            w = w * multiply[k] + add[k];
            w = w >> k | w << (32 - k) % 32;
        }
        CHECK(v == w, 1);
    }
    return 0;
}
