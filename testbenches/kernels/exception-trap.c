// weft: order=free progress=none
// Exceptions by real traps: some threads of a warp trap on an illegal
// instruction, a misaligned load, an access fault, ecall or ebreak, all at the
// same time, and each lands in its own catch block; the others go on.
#include "weft.h"

#ifndef SIZE
#define SIZE 512
#endif

static u32 word[2] = {0x11223344, 0x55667788};

int kernel(u32 id, u32 n) {
    for (u32 i = id; i < SIZE; i += n) {
        struct weft_try frame;
        volatile u32 progress = 0; // lives through the second return
        u32 kind = weft_hash(i) % 8;
        u32 cause = weft_try(&frame);
        if (cause == 0) {
            progress = 1;
            switch (kind) {
            case 0: __asm__ volatile(".word 0" ::: "memory"); break;
            case 1: __asm__ volatile("lw zero, 1(%0)" ::"r"(word) : "memory"); break;
            case 2: __asm__ volatile("sw zero, 0(zero)" ::: "memory"); break;
            case 3: weft_throw(); break;
            case 4: __asm__ volatile("ebreak" ::: "memory"); break;
            default: break;
            }
            progress = 2;
        }
        static const u8 expected[8] = {2, 4, 7, 11, 3};
        if (kind < 5) {
            CHECK(cause == expected[kind] + 1u, 1);
            CHECK(progress == 1, 2);
        } else {
            CHECK(cause == 0, 3);
            CHECK(progress == 2, 4);
        }
    }
    CHECK(word[0] == 0x11223344, 5);
    return 0;
}
