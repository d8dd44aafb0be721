// weft: order=free progress=none
// Compound conditions with && and || in a loop: the branches of one condition
// jump over each other, so their post-dominators lie late
// (Diamos et al. 2011, microbenchmark short-circuit).
//
// Each hart walks x = id, id + n, .. < SIZE and counts, with h = x * 0x9e3779b1:
//   if ((h & 1 && h & 2) || (h & 4 && (h & 8 || h & 16))) count += 1
//   else if (h & 32 || (h & 64 && h & 128))               count += 256
//   else                                                  count += 65536
// and the same once more with bit operations only. The counts must agree.

#ifndef SIZE
#define SIZE 4096
#endif

    .text
    .globl kernel
    .type kernel, @function
    .p2align 2
kernel:
    li a2, SIZE
    li a3, 0x9e3779b1
    li a4, 0                // count by branches
    li a5, 0                // count by bit operations
    li a6, 65536
    bgeu a0, a2, .Lcompare
.Lnext:
    mul t0, a0, a3

    andi t1, t0, 1
    beqz t1, .Lsecond
    andi t1, t0, 2
    bnez t1, .Lfirst_true
.Lsecond:
    andi t1, t0, 4
    beqz t1, .Lfirst_false
    andi t1, t0, 8
    bnez t1, .Lfirst_true
    andi t1, t0, 16
    beqz t1, .Lfirst_false
.Lfirst_true:
    addi a4, a4, 1
    j .Lreference
.Lfirst_false:
    andi t1, t0, 32
    bnez t1, .Lelse_true
    andi t1, t0, 64
    beqz t1, .Lelse_false
    andi t1, t0, 128
    beqz t1, .Lelse_false
.Lelse_true:
    addi a4, a4, 256
    j .Lreference
.Lelse_false:
    add a4, a4, a6

.Lreference:
    srli t1, t0, 1
    and t1, t0, t1          // bit 0: b0 & b1
    srli t2, t0, 3
    srli t3, t0, 4
    or t2, t2, t3
    srli t3, t0, 2
    and t2, t2, t3          // bit 0: b2 & (b3 | b4)
    or t1, t1, t2
    andi t1, t1, 1          // the first condition
    srli t2, t0, 6
    srli t3, t0, 7
    and t2, t2, t3
    srli t3, t0, 5
    or t2, t2, t3
    andi t2, t2, 1          // the second condition
    xori t3, t1, 1          // not the first
    and t4, t3, t2
    slli t4, t4, 8
    xori t2, t2, 1
    and t3, t3, t2
    slli t3, t3, 16
    add a5, a5, t1
    add a5, a5, t4
    add a5, a5, t3

    add a0, a0, a1
    bltu a0, a2, .Lnext
.Lcompare:
    xor a0, a4, a5
    snez a0, a0
    ret
    .size kernel, . - kernel
