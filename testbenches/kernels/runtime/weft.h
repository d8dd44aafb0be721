// What a kernel sees of the machine: who am I, parking and spinning
// synchronisation, atomics, a small console, traps as exceptions.
//
// A kernel defines `int kernel(u32 id, u32 n)`; every hart runs it once with
// its own id in 0..n-1. A result of 0 is a pass; any other ends the run as a
// failure with that code. Work is divided by grid-stride loops, so that any
// number of harts and of elements fit.
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>
#include "platform.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint8_t u8;

int kernel(u32 id, u32 n);

// Fails the hart with `code` (1..127) unless `condition` holds.
#define CHECK(condition, code) \
    do { \
        if (!(condition)) return (code); \
    } while (0)

// The widest block of the data port, so that arrays coalesce at every T.
#define ALIGNED __attribute__((aligned(256)))
#define NOINLINE __attribute__((noinline))

static inline volatile u32 *weft_device(u32 offset) {
    return (volatile u32 *)(DEVICE_BASE + offset);
}
static inline u32 weft_harts(void) { return *weft_device(INFO_HARTS); }
static inline u32 weft_lanes(void) { return *weft_device(INFO_LANES); }
static inline u32 weft_warps(void) { return *weft_device(INFO_WARPS); }
// The number of lanes is a power of two.
static inline u32 weft_lane(u32 id) { return id & (weft_lanes() - 1); }
static inline u32 weft_warp(u32 id) { return id / weft_lanes(); }

// Returns x; the compiler may not reason about the result. It keeps branches
// as branches, where a select would do.
static inline u32 weft_opaque(u32 x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}
// `yes` where bit 0 of `bit` is set, else `no`, without a branch: references
// are written with it, so that checking does not diverge.
static inline u32 weft_choose(u32 bit, u32 yes, u32 no) {
    return no ^ ((yes ^ no) & weft_opaque(0 - (bit & 1)));
}
// The compiler keeps memory accesses on their side of this.
static inline void weft_fence(void) { __asm__ volatile("" ::: "memory"); }

// ---- Parking: no spinning, finishes under every traversal order.

// Waits until every hart has come here. Order-free: a store and a wfi.
static inline void weft_barrier(void) {
    __asm__ volatile("sw zero, %0(%1)\n\twfi" ::"i"(BARRIER_ARRIVE), "r"(DEVICE_BASE) : "memory");
}
// Sleeps until woken; returns at once if a wake is pending.
static inline void weft_park(void) { __asm__ volatile("wfi" ::: "memory"); }
static inline void weft_wake(u32 hart) {
    weft_fence();
    *weft_device(WAKE + 4 * (hart / 32)) = 1u << (hart % 32);
}

// ---- Atomics. What they return and what they leave in memory depends on the
// order as soon as two harts meet on a word: kernels that do are order=dependent.
// A result that is not used costs no register (rd = x0).

static inline u32 weft_add(u32 *p, u32 x) { return __atomic_fetch_add(p, x, __ATOMIC_RELAXED); }
static inline u32 weft_or(u32 *p, u32 x) { return __atomic_fetch_or(p, x, __ATOMIC_RELAXED); }
static inline u32 weft_and(u32 *p, u32 x) { return __atomic_fetch_and(p, x, __ATOMIC_RELAXED); }
static inline u32 weft_xor(u32 *p, u32 x) { return __atomic_fetch_xor(p, x, __ATOMIC_RELAXED); }
static inline u32 weft_swap(u32 *p, u32 x) { return __atomic_exchange_n(p, x, __ATOMIC_RELAXED); }
#define WEFT_AMO(name, type, operation) \
    static inline type name(type *p, type x) { \
        type old; \
        __asm__ volatile(operation " %0, %2, (%1)" : "=&r"(old) : "r"(p), "r"(x) : "memory"); \
        return old; \
    }
WEFT_AMO(weft_min, i32, "amomin.w")
WEFT_AMO(weft_max, i32, "amomax.w")
WEFT_AMO(weft_minu, u32, "amominu.w")
WEFT_AMO(weft_maxu, u32, "amomaxu.w")
#undef WEFT_AMO

// Compare and swap by LR/SC; returns whether p held `expected`. It tries again
// when the SC fails, and of the harts that contend one always succeeds.
static inline int weft_cas(u32 *p, u32 expected, u32 desired) {
    return __atomic_compare_exchange_n(p, &expected, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// ---- Spinning: only in kernels that declare progress=lock.

// Spin lock in the usual form: the loop first, what it protects after it. A
// traversal order that prefers the loop starves the holder (docs/platform.md
// says nothing about fairness between the threads of a warp, on purpose).
static inline void weft_lock(u32 *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
}
static inline void weft_unlock(u32 *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

// Central barrier with a generation, as one writes it where nothing parks. The
// waiting loop lies before the release in the code, like in weft_lock; without
// weft_opaque the compiler would choose.
struct weft_spin_barrier {
    u32 arrived;
    u32 generation;
};
static inline void weft_spin_wait(struct weft_spin_barrier *b, u32 n) {
    u32 generation = __atomic_load_n(&b->generation, __ATOMIC_ACQUIRE);
    u32 last = __atomic_fetch_add(&b->arrived, 1, __ATOMIC_ACQ_REL) == n - 1;
    while (!last && __atomic_load_n(&b->generation, __ATOMIC_ACQUIRE) == generation) {
    }
    if (weft_opaque(last)) {
        __atomic_store_n(&b->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&b->generation, generation + 1, __ATOMIC_RELEASE);
    }
}

// ---- Traps as exceptions; see crt0.S.

struct weft_try {
    u32 saved[14];
};
u32 weft_try(struct weft_try *t) __attribute__((returns_twice));
// Traps with mcause 11.
static inline void weft_throw(void) { __asm__ volatile("ecall" ::: "memory"); }

// ---- Console. One hart at a time: a byte takes two stores.

void weft_putc(char c);
void weft_puts(const char *s);
void weft_put_hex(u32 x);
void weft_put_dec(u32 x);

// Ends the run; 0 is a pass.
_Noreturn void weft_exit(u32 code);

// ---- Data. A fixed function of the index stands in for input files.

static inline u32 weft_hash(u32 x) {
    x = (x ^ 0x5bd1u) * 0x9e3779b1u;
    x = (x ^ (x >> 15)) * 0x85ebca77u;
    return x ^ (x >> 13);
}

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

#endif
