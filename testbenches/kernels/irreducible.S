// weft: order=free progress=none
// A loop with two entries: half of the harts jump into the middle of its body,
// which no structured language can say and no loop transformation undoes.
//
// For x = id, id + n, .. < SIZE: a walk of steps A (v = 3v + 1), B (v = v ^ (v >> 3))
// in turn, 1 + (x & 15) steps in all; it starts with A when bit 4 of x is clear
// and with B otherwise. The reference takes the same steps by selecting with a
// mask, no branch but the loop's.

#ifndef SIZE
#define SIZE 2048
#endif

    .text
    .globl kernel
    .type kernel, @function
    .p2align 2
kernel:
    li a2, SIZE
    bgeu a0, a2, .Lpass
.Lnext:
    mv t0, a0               // v
    andi t1, a0, 15
    addi t1, t1, 1          // steps to go
    andi t2, a0, 16
    bnez t2, .Lstep_b
.Lstep_a:
    slli t3, t0, 1
    add t0, t0, t3
    addi t0, t0, 1
    addi t1, t1, -1
    beqz t1, .Ldone
.Lstep_b:
    srli t3, t0, 3
    xor t0, t0, t3
    addi t1, t1, -1
    bnez t1, .Lstep_a
.Ldone:

    mv t4, a0               // reference v
    andi t1, a0, 15
    addi t1, t1, 1
    srli t2, a0, 4
    andi t2, t2, 1
    neg t2, t2              // all ones: this step is B
.Lreference:
    slli t3, t4, 1
    add t3, t3, t4
    addi t3, t3, 1
    srli t5, t4, 3
    xor t5, t5, t4
    xor t5, t5, t3
    and t5, t5, t2
    xor t4, t3, t5
    not t2, t2
    addi t1, t1, -1
    bnez t1, .Lreference
    bne t0, t4, .Lfail

    add a0, a0, a1
    bltu a0, a2, .Lnext
.Lpass:
    li a0, 0
    ret
.Lfail:
    li a0, 1
    ret
    .size kernel, . - kernel
