# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* Absent CSRs: reading, writing and probing them is an illegal instruction
   with the instruction in mtval, and rd keeps its value. */
#include "weft_test.h"

        /* Read, write and set-nothing forms of one absent CSR. */
        .macro  absent csr
        la      s11, 1f
        li      a0, 0x5a5
81:     csrr    a0, \csr
        j       weft_fail
1:      la      a1, 81b
        jal     a7, check
        la      s11, 2f
82:     csrw    \csr, a0
        j       weft_fail
2:      la      a1, 82b
        jal     a7, check
        la      s11, 3f
83:     csrrsi  a0, \csr, 0
        j       weft_fail
3:      la      a1, 83b
        jal     a7, check
        la      s11, 4f
84:     csrrwi  x0, \csr, 1
        j       weft_fail
4:      la      a1, 84b
        jal     a7, check
        .endm

        weft_begin
        /* Floating point, user trap, supervisor. */
        HERE
        .irp csr, 0x000,0x001,0x002,0x003,0x004,0x005,0x015,0x040,0x041,0x044
        absent  \csr
        .endr
        HERE
        .irp csr, 0x100,0x104,0x105,0x106,0x10a,0x140,0x141,0x142,0x143,0x144,0x14d,0x15d,0x180,0x5a8
        absent  \csr
        .endr
        /* Hypervisor. */
        HERE
        .irp csr, 0x200,0x600,0x602,0x603,0x606,0x680
        absent  \csr
        .endr
        /* Machine: delegation, counter enable, environment and state enable,
           events without a counter. */
        HERE
        .irp csr, 0x302,0x303,0x306,0x307,0x30a,0x30c,0x30d,0x312,0x31a,0x321,0x322,0x345,0x346,0x34a,0x34b
        absent  \csr
        .endr
        /* PMP and its address registers. */
        HERE
        .irp csr, 0x3a0,0x3a1,0x3a2,0x3a3,0x3a4,0x3af,0x3b0,0x3b1,0x3b7,0x3bf,0x3c0,0x3ef
        absent  \csr
        .endr
        /* Resumable NMI, machine security, trigger and debug. */
        HERE
        .irp csr, 0x740,0x741,0x742,0x744,0x747,0x757,0x7a0,0x7a1,0x7a2,0x7a3,0x7a8,0x7b0,0x7b1,0x7b2
        absent  \csr
        .endr
        /* Neighbours of what is there, and the custom spaces. */
        HERE
        .irp csr, 0x7c1,0x7bf,0x7ff,0x800,0x8ff,0x9c0,0xac0,0xb01,0xb81,0xb20,0xba0,0xbc0
        absent  \csr
        .endr
        HERE
        .irp csr, 0xc20,0xca0,0xcc0,0xdc0,0xda0,0xec0,0xf00,0xf10,0xf16,0xfc0,0xfff
        absent  \csr
        .endr
        j       weft_pass

        /* mcause, mepc (in a1), mtval of the last trap, and rd. */
check:  li      a2, CAUSE_ILLEGAL
        bne     s8, a2, 1f
        bne     s9, a1, 1f
        lw      a3, 0(a1)
        bne     s10, a3, 1f
        li      a3, 0x5a5
        bne     a0, a3, 1f
        jr      a7
1:      j       weft_fail
        weft_end
