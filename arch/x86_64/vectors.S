/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points of all 256 vectors in the quiet section. NMIs, and #GP of the two labelled MSR
 * instructions, are resumed here by a few instructions that cannot fault themselves, so no NMI can
 * interrupt an unfinished one, and no SSE register is touched. Everything else goes to
 * quiet_exception and never returns here. Stack frames and error codes: Intel SDM volume 3, 6.13
 * and 6.14. */

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

    .section .note.GNU-stack, "", %progbits
