// Console and the memory functions a freestanding compiler may call.
// Compiled with -fno-builtin, or memset would become a call of itself.
#include "weft.h"

extern volatile u32 tohost[2];

void weft_putc(char c) {
    tohost[1] = HTIF_CONSOLE;
    tohost[0] = (u8)c;
}

void weft_puts(const char *s) {
    for (; *s; s++) weft_putc(*s);
}

void weft_put_hex(u32 x) {
    for (int shift = 28; shift >= 0; shift -= 4) weft_putc("0123456789abcdef"[(x >> shift) & 15]);
}

void weft_put_dec(u32 x) {
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    while (count) weft_putc(digits[--count]);
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    u8 *t = to;
    const u8 *f = from;
    if ((((uintptr_t)t | (uintptr_t)f) & 3) == 0) {
        for (; bytes >= 4; bytes -= 4, t += 4, f += 4) *(u32 *)t = *(const u32 *)f;
    }
    while (bytes--) *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
    u8 *t = to;
    const u8 *f = from;
    if (t <= f) {
        while (bytes--) *t++ = *f++;
    } else {
        while (bytes--) t[bytes] = f[bytes];
    }
    return to;
}

void *memset(void *to, int byte, size_t bytes) {
    u8 *t = to;
    if (((uintptr_t)t & 3) == 0) {
        for (; bytes >= 4; bytes -= 4, t += 4) *(u32 *)t = (u8)byte * 0x01010101u;
    }
    while (bytes--) *t++ = (u8)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes) {
    const u8 *x = a, *y = b;
    for (; bytes; bytes--, x++, y++) {
        if (*x != *y) return *x < *y ? -1 : 1;
    }
    return 0;
}
