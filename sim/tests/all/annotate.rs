//! What `annotate` makes of small functions written the way clang and GCC
//! write them.

use expect_test::{Expect, expect};
use sim::annotate::annotate;

fn report(text: &str, expected: Expect) {
    let annotated = annotate("t.s", text, &[]).unwrap();
    expected.assert_eq(&annotated.report);
}

#[test]
fn if_else_as_clang_writes_it() {
    let text = "\
\t.text
\t.globl\tf                               # -- Begin function f
\t.p2align\t2
\t.type\tf,@function
f:                                      # @f
# %bb.0:
\tbeqz\ta0, .LBB0_2                     # either way
# %bb.1:
\taddi\ta0, a1, 1
\tj\t.LBB0_3
.LBB0_2:
\taddi\ta0, a1, 2
.LBB0_3:
\tslli\ta0, a0, 1
\tret
.Lfunc_end0:
\t.size\tf, .Lfunc_end0-f
";
    let annotated = annotate("t.s", text, &[]).unwrap();
    expect![[r#"
        	.option	norelax
        	.option	norvc
        	.text
        	.globl	f                               # -- Begin function f
        	.p2align	2
        	.type	f,@function
        f:                                      # @f
        # %bb.0:
        .Lweft_begin0:
        .Lweft_hint1:
        	.word	0x2013 | ((((.Lweft_join0 - .Lweft_hint1) >> 2) & 0xfff) << 20) | ((((.Lweft_join0 - .Lweft_hint1) >> 14) & 31) << 15)
        	beqz	a0, .LBB0_2                     # either way
        # %bb.1:
        	addi	a0, a1, 1
        	j	.LBB0_3
        .LBB0_2:
        	addi	a0, a1, 2
        .LBB0_3:
        .Lweft_join0:
        	slli	a0, a0, 1
        	ret
        .Lweft_end0:
        .Lfunc_end0:
        	.size	f, .Lfunc_end0-f
        	.section	.weft.join,"",@progbits
        	.p2align	2
        	.word	0x57460001, .Lweft_begin0, .Lweft_end0
        	.word	0x57460002, .Lweft_hint1, .Lweft_join0
    "#]].assert_eq(&annotated.assembly);
    expect![[r#"
        f	t.s:7	beqz a0, .LBB0_2	.LBB0_3 (line 14)	.Lweft_join0 - .Lweft_hint1
    "#]]
    .assert_eq(&annotated.report);
}

#[test]
fn loops() {
    let text = "\
    .globl f
    .type f, @function
f:  blez a1, .Ldone
.Lhead:
    lw a2, 0(a0)
    beqz a2, .Lnext
    addi a3, a3, 1
.Lnext:
    addi a0, a0, 4
    addi a1, a1, -1
    bnez a1, .Lhead
.Ldone:
    mv a0, a3
    ret
";
    report(
        text,
        expect![[r#"
        f	t.s:3	blez a1, .Ldone	.Ldone (line 13)	.Lweft_join0 - .Lweft_hint2
        f	t.s:6	beqz a2, .Lnext	.Lnext (line 9)	.Lweft_join1 - .Lweft_hint3
        f	t.s:11	bnez a1, .Lhead	.Ldone (line 13)	.Lweft_join0 - .Lweft_hint4
    "#]],
    );
}

#[test]
fn several_returns_share_one() {
    let text = "\
    .globl f
    .type f, @function
f:
    bltz a0, .L2
    li a0, 1
    ret
.L2: li a0, 2; jr ra
    .size f, .-f
";
    let annotated = annotate("t.s", text, &[]).unwrap();
    expect![[r#"
        	.option	norelax
        	.option	norvc
        .globl f
            .type f, @function
        f:
        .Lweft_begin0:
        .Lweft_hint1:
        	.word	0x2013 | ((((.Lweft_join0 - .Lweft_hint1) >> 2) & 0xfff) << 20) | ((((.Lweft_join0 - .Lweft_hint1) >> 14) & 31) << 15)
            bltz a0, .L2
            li a0, 1
        	j	.Lweft_exit0	# ret
        .L2:
        	li a0, 2
        .Lweft_exit0:
        .Lweft_join0:
        	jr ra
        .Lweft_end0:
            .size f, .-f
        	.section	.weft.join,"",@progbits
        	.p2align	2
        	.word	0x57460001, .Lweft_begin0, .Lweft_end0
        	.word	0x57460002, .Lweft_hint1, .Lweft_join0
    "#]].assert_eq(&annotated.assembly);
    expect![[r#"
        f	t.s:4	bltz a0, .L2	.Lweft_exit0 (line 7)	.Lweft_join0 - .Lweft_hint1
    "#]]
    .assert_eq(&annotated.report);
}

#[test]
fn a_jump_table_of_clang() {
    let text = "\
    .text
    .globl f
    .type f,@function
f:
    li a1, 2
    bltu a1, a0, .LBB0_4
    slli a0, a0, 2
    lui a1, %hi(.LJTI0_0)
    addi a1, a1, %lo(.LJTI0_0)
    add a0, a1, a0
    lw a0, 0(a0)
    jr a0
.LBB0_1:
    li a0, 10
    j .LBB0_5
.LBB0_2:
    li a0, 20
    j .LBB0_5
.LBB0_4:
    li a0, 30
.LBB0_5:
    addi a0, a0, 1
    ret
.Lfunc_end0:
    .size f, .Lfunc_end0-f
    .section .rodata,\"a\",@progbits
    .p2align 2, 0x0
.LJTI0_0:
    .word .LBB0_1
    .word .LBB0_2
    .word .LBB0_1
";
    report(
        text,
        expect![[r#"
        f	t.s:6	bltu a1, a0, .LBB0_4	.LBB0_5 (line 22)	.Lweft_join0 - .Lweft_hint3
        f	t.s:12	jr a0	.LBB0_5 (line 22)	.Lweft_join0 - .Lweft_hint4
    "#]],
    );
}

#[test]
fn a_relative_jump_table_of_gcc() {
    let text = "\
    .text
    .align 2
    .globl f
    .type f, @function
f:
    li a5, 2
    bgtu a0, a5, .L2
    lla a4, .L4
    slli a0, a0, 2
    add a0, a0, a4
    lw a5, 0(a0)
    add a5, a5, a4
    jr a5
    .section .rodata
    .align 2
.L4:
    .word .L6-.L4
    .word .L3-.L4
    .text
.L6:
    li a0, 1
.L3:
    addi a0, a0, 5
.L2:
    ret
    .size f, .-f
";
    report(
        text,
        expect![[r#"
        f	t.s:7	bgtu a0, a5, .L2	.L2 (line 25)	.Lweft_join0 - .Lweft_hint3
        f	t.s:13	jr a5	.L3 (line 23)	.Lweft_join1 - .Lweft_hint4
    "#]],
    );
}

#[test]
fn a_table_address_is_followed_through_the_stack_and_other_registers() {
    let text = "\
    .globl f
f:
    la a5, .L4
    sw a5, 12(sp)
    call g
    lw a4, 12(sp)
    mv s1, a4
    call g
    add s1, s1, a0
    lw t1, 0(s1)
    jr t1
.L6: nop
.L7: ret
    .section .rodata
.L4: .word .L6, .L7
";
    report(
        text,
        expect![[r#"
        f	t.s:11	jr t1	.L7 (line 13)	.Lweft_join0 - .Lweft_hint2
    "#]],
    );
}

#[test]
fn a_table_may_go_back_to_the_entry() {
    let text = "\
    .globl f
f:
.L2:
    lla a5, .L4
    add a5, a5, a0
    lw a5, 0(a5)
    beqz a1, .L3
    jr a5
.L3:
    ret
    .section .rodata
.L4: .word .L2, .L3
";
    report(
        text,
        expect![[r#"
        f	t.s:7	beqz a1, .L3	.L3 (line 10)	.Lweft_join0 - .Lweft_hint2
        f	t.s:8	jr a5	.L3 (line 10)	.Lweft_join0 - .Lweft_hint3
    "#]],
    );
}

#[test]
fn tail_calls_leave_the_function() {
    let text = "\
    .globl f
f:
    beqz a0, .L1
    bnez a1, .L2
    nop
.L2:
    tail g
.L1:
    beqz a2, .L3
    lw t1, 0(a3)
    jr t1
.L3:
    jalr a3
    ret
";
    report(
        text,
        expect![[r#"
        f	t.s:3	beqz a0, .L1	none: leaves by tail call of g (line 7), indirect tail call (line 11), return (line 14)	-
        f	t.s:4	bnez a1, .L2	.L2 (line 7)	.Lweft_join0 - .Lweft_hint3
        f	t.s:9	beqz a2, .L3	none: leaves by indirect tail call (line 11), return (line 14)	-
        f	t.s:11	jr t1	none: leaves by indirect tail call (line 11)	-
        f	t.s:13	jalr a3	line 14	.Lweft_join1 - .Lweft_hint6
    "#]],
    );
}

#[test]
fn calls_that_do_not_return_are_no_way_out() {
    let text = "\
    .globl f
f:
    bltz a0, .L1
    bnez a1, .L2
    call abort
.L2:
    beqz a2, .L3
    call die
.L3:
    beqz a2, .L4
    unimp
.L4:
    ret
.L1:
    call stuck
    .size f, .-f
    .globl stuck
stuck:
    beqz a0, .L5
    nop
.L5:
    j stuck
";
    let no_return = ["die".to_string()];
    let annotated = annotate("t.s", text, &no_return).unwrap();
    expect![[r#"
        f	t.s:3	bltz a0, .L1	line 4	.Lweft_join0 - .Lweft_hint4
        f	t.s:4	bnez a1, .L2	.L2 (line 7)	.Lweft_join1 - .Lweft_hint5
        f	t.s:7	beqz a2, .L3	.L3 (line 10)	.Lweft_join2 - .Lweft_hint6
        f	t.s:10	beqz a2, .L4	.L4 (line 13)	.Lweft_join3 - .Lweft_hint7
        stuck	t.s:19	beqz a0, .L5	.L5 (line 22)	.Lweft_join11 - .Lweft_hint12
    "#]]
    .assert_eq(&annotated.report);
}

#[test]
fn hand_written_code_with_numeric_labels_inline_assembly_and_an_endless_loop() {
    let text = "\
    .section .text.init, \"ax\", @progbits
    .globl _start
_start:
    csrr a0, mhartid  /* which hart */
1:  lr.w a1, (a2)
    bnez a1, 1b
    #APP
    sc.w.rl a1, a3, (a2); bnez a1, 1b
    #NO_APP
    call main
    beqz a0, 1f
    nop
1:  wfi
    j 1b
    .size _start, .-_start
helper:
    bnez a0, 2f
    j .
2:  ret
";
    report(
        text,
        expect![[r#"
            _start	t.s:6	bnez a1, 1b	line 8	.Lweft_join0 - .Lweft_hint3
            _start	t.s:8	bnez a1, 1b	line 10	.Lweft_join1 - .Lweft_hint4
            _start	t.s:11	beqz a0, 1f	line 13	.Lweft_join2 - .Lweft_hint5
            helper	t.s:17	bnez a0, 2f	line 19	.Lweft_join6 - .Lweft_hint7
        "#]],
    );
}
