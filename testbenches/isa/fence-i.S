# weft: isa=rv32i harts=any order=free progress=none
# weft: expect=pass
/* fence.i: code that the hart writes itself is what it then executes. Every
   hart patches its own copy in its scratch area. */
#include "weft_test.h"

        weft_begin
        /* addi a0, a0, 1; ret, called before and after the immediate is
           patched. */
        HERE
        li      a1, 0x00150513
        sw      a1, 0(tp)
        li      a1, 0x00008067
        sw      a1, 4(tp)
        fence.i
        li      a0, 10
        jalr    tp
        CHECK(a0, 11)
        li      a1, 0x00550513          /* addi a0, a0, 5 */
        sw      a1, 0(tp)
        fence.i
        jalr    tp
        CHECK(a0, 16)

        /* The instruction right after fence.i, patched by a byte store. */
        HERE
        la      a2, patch
        la      a3, patch_end
        addi    a4, tp, 64
1:      lw      a5, 0(a2)
        sw      a5, 0(a4)
        addi    a2, a2, 4
        addi    a4, a4, 4
        bltu    a2, a3, 1b
        fence.i
        addi    a4, tp, 64
        li      a0, 0
        li      a1, 0x70                /* top byte of li a0, 0x700 */
        la      a2, 1f
        jr      a4
1:      CHECK(a0, 0x700)

        /* In a loop, the code differs in each turn and in each hart. */
        HERE
        li      a3, 8
        li      a0, 0
        li      a4, 0
        andi    a5, s0, 63
1:      add     a6, a5, a3              /* addi a0, a0, a6 */
        add     a4, a4, a6
        slli    a6, a6, 20
        li      a1, 0x00050513
        or      a1, a1, a6
        sw      a1, 0(tp)
        fence.i
        jalr    tp
        addi    a3, a3, -1
        bnez    a3, 1b
        CHECK_EQ(a0, a4)

        /* Fields that are reserved for finer fences are ignored. */
        HERE
        li      a0, 0x1234
        li      a1, 0x567
        .word   0xfff5158f              /* fence.i with every field set */
        CHECK(a0, 0x1234)
        CHECK(a1, 0x567)
        weft_end

        /* Sets a0 to 0x000, or 0x700 when the top byte of its own third
           instruction has been replaced. Position independent. */
        .section .data
        .balign 4
patch:  sb      a1, 11(a4)
        fence.i
        li      a0, 0
        jr      a2
patch_end:
