/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack switch of the quiet section, and the exit after a fault. */

#define LEVEL_2 8                   /* CurrentEL at EL2 */

    .text

/* void quiet_on_stacks(void (*function)(void *), void *argument, void *body, void *exception) */
    .hidden quiet_on_stacks
    .globl quiet_on_stacks
    .type quiet_on_stacks, %function
quiet_on_stacks:
    stp x29, x30, [sp, #-32]!
    mov x29, sp
    mrs x9, sp_el0
    str x9, [sp, #16]
    msr sp_el0, x2
    mov sp, x3
    msr spsel, #0
    mov x9, x0
    mov x0, x1
    blr x9
    msr spsel, #1
    mov sp, x29
    ldr x9, [sp, #16]
    msr sp_el0, x9
    ldp x29, x30, [sp], #32
    ret
    .size quiet_on_stacks, . - quiet_on_stacks

/* void quiet_go(void (*function)(void *), void *argument, void *stack_top) */
    .hidden quiet_go
    .globl quiet_go
    .type quiet_go, %function
quiet_go:
    msr spsel, #1
    mov sp, x2
    mov x9, x0
    mov x0, x1
    blr x9
    b .
    .size quiet_go, . - quiet_go

/* uint64_t quiet_catch(void (*function)(void *), void *argument, volatile uint64_t *resume):
 * returns 0 if the function returned, 1 if quiet_unwind ended it. */
    .hidden quiet_catch
    .globl quiet_catch
    .type quiet_catch, %function
quiet_catch:
    stp x29, x30, [sp, #-176]!
    mov x29, sp
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mrs x9, fpcr
    stp x9, x2, [sp, #160]
    mov x10, sp
    str x10, [x2]
    mov x9, x0
    mov x0, x1
    blr x9
    mov x0, #0
1:  ldp x9, x10, [sp, #160]
    str xzr, [x10]
    msr fpcr, x9
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #176
    ret

/* void quiet_unwind(uint64_t spsr, uint64_t resume, void *exception_top): returns as if the function
 * of that quiet_catch had returned. Only an exception return sets all of PSTATE. Drops the frame on
 * the exception stack. */
    .hidden quiet_unwind
    .globl quiet_unwind
    .type quiet_unwind, %function
quiet_unwind:
    msr sp_el0, x1
    mov sp, x2
    adr x11, 1b
    mrs x9, CurrentEL
    cmp x9, #LEVEL_2
    b.eq 2f
    msr elr_el1, x11
    msr spsr_el1, x0
    b 3f
2:  msr elr_el2, x11
    msr spsr_el2, x0
3:
    mov x0, #1
    eret
    .size quiet_unwind, . - quiet_unwind
    .size quiet_catch, . - quiet_catch

    .data
    .balign 8
    .hidden quiet_exception_top
    .globl quiet_exception_top
quiet_exception_top:
    .quad 0

    .section .note.GNU-stack, "", %progbits
