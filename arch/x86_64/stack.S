/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack switch of the quiet section, and the exit after a fault. */

    .text

/* void quiet_on_stack(void (*function)(void *), void *argument, void *stack_top) */
    .hidden quiet_on_stack
    .globl quiet_on_stack
    .type quiet_on_stack, @function
quiet_on_stack:
    pushq %rbp
    movq %rsp, %rbp
    movq %rdx, %rsp
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    movq %rbp, %rsp
    popq %rbp
    ret
    .size quiet_on_stack, . - quiet_on_stack

/* uint64_t quiet_catch(void (*function)(void *), void *argument, volatile uint64_t *resume):
 * returns 0 if the function returned, 1 if quiet_unwind ended it. */
    .hidden quiet_catch
    .globl quiet_catch
    .type quiet_catch, @function
quiet_catch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $24, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rdx, 8(%rsp)
    movq %rsp, (%rdx)
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    xorl %eax, %eax
1:  movq 8(%rsp), %rdx
    movq $0, (%rdx)
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $24, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret

/* void quiet_unwind(uint64_t resume): returns as if the function of that quiet_catch had returned. */
    .hidden quiet_unwind
    .globl quiet_unwind
    .type quiet_unwind, @function
quiet_unwind:
    movq %rdi, %rsp
    movl $1, %eax
    jmp 1b
    .size quiet_unwind, . - quiet_unwind
    .size quiet_catch, . - quiet_catch

    .data
    .balign 8
    .hidden quiet_nmi_count
    .globl quiet_nmi_count
quiet_nmi_count:
    .quad 0

    .section .note.GNU-stack, "", %progbits
