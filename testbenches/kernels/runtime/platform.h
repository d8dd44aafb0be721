// Addresses of the platform (docs/platform.md), for C and for assembly.
#ifndef WEFT_PLATFORM_H
#define WEFT_PLATFORM_H

#define RAM_BASE 0x80000000

#define DEVICE_BASE 0x10000000
#define WAKE 0x000
#define BARRIER_ARRIVE 0x100
#define BARRIER_COUNT 0x104
#define INFO_HARTS 0x110
#define INFO_LANES 0x114
#define INFO_WARPS 0x118
#define INFO_RAM_SIZE 0x11c

#define HTIF_CONSOLE 0x01010000

// Bytes of stack per hart. 2048 harts then take 8 MiB, half of the default RAM.
#define STACK_SHIFT 12

// Fail code of a trap nobody catches: this plus mcause.
#define FAIL_TRAP 128

#endif
