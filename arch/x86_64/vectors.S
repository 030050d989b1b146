/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points of all 256 vectors in the quiet section, its stack switch, and the exit after a
 * fault. NMIs, and #GP of the two labelled MSR instructions, are resumed here by a few instructions
 * that cannot fault themselves, so no NMI can interrupt an unfinished one, and no SSE register is
 * touched. Everything else goes to quiet_exception and never returns here. Stack frames and error
 * codes: Intel SDM volume 3, 6.13 and 6.14. */

    .text

/* One stub every 16 bytes, so that quiet.c can compute their addresses. */
    .hidden quiet_vectors
    .globl quiet_vectors
    .balign 16
quiet_vectors:
    .set vector, 0
    .rept 256
    .balign 16
    .if vector == 2
    jmp vector_nmi
    .elseif vector == 13
    jmp vector_protection
    .else
    /* vectors 8, 10 to 14, 17, 21, 29 and 30 push an error code; the others get a zero */
    .if !((vector == 8) || ((vector >= 10) && (vector <= 14)) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30))
    pushq $0
    .endif
    pushq $vector
    jmp vector_common
    .endif
    .set vector, vector + 1
    .endr

vector_nmi:
    incq quiet_nmi_count(%rip)
    iretq

/* On the stack: error code, RIP, CS, RFLAGS, RSP, SS. */
vector_protection:
    pushq %rax
    leaq msr_read_instruction(%rip), %rax
    cmpq %rax, 16(%rsp)
    je 1f
    leaq msr_write_instruction(%rip), %rax
    cmpq %rax, 16(%rsp)
    je 1f
    popq %rax
    pushq $13
    jmp vector_common
1:  addq $2, 16(%rsp)              /* MSR_INSTRUCTION_BYTES */
    movq $1, msr_faulted(%rip)
    popq %rax
    addq $8, %rsp
    iretq

/* Completes a struct x86_64_fault_frame: fifteen registers below vector and error code, 22 words in
 * total below a stack pointer that the CPU has aligned to 16. */
vector_common:
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rbx
    pushq %rbp
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    cld
    movq %rsp, %rdi
    call quiet_exception
    ud2

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

/* uint64_t quiet_catch(void (*function)(void *), void *argument): returns 0 if the function
 * returned, 1 if quiet_unwind ended it. */
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
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, quiet_resume(%rip)
    movq %rdi, %rax
    movq %rsi, %rdi
    call *%rax
    xorl %eax, %eax
1:  movq $0, quiet_resume(%rip)
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret

/* void quiet_unwind(void): returns as if the function of the running quiet_catch had returned. */
    .hidden quiet_unwind
    .globl quiet_unwind
    .type quiet_unwind, @function
quiet_unwind:
    movq quiet_resume(%rip), %rsp
    movl $1, %eax
    jmp 1b
    .size quiet_unwind, . - quiet_unwind
    .size quiet_catch, . - quiet_catch

    .data
    .balign 8
    .hidden quiet_resume, quiet_nmi_count
    .globl quiet_resume, quiet_nmi_count
quiet_resume:                      /* stack pointer of the running quiet_catch, 0 outside of it */
    .quad 0
quiet_nmi_count:
    .quad 0

    .section .note.GNU-stack, "", %progbits
