/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector table of the quiet section. An inaccessible system register is skipped here (sysreg.h)
 * by a few instructions that touch no vector register. Everything else goes to quiet_exception and
 * never returns here. Vector offsets, PSTATE on entry: Arm Architecture Reference Manual (DDI
 * 0487), D1.3.1. */

#define FRAME_BYTES  304            /* struct aarch64_fault_frame */
#define CLASS_UNDEF  0x00
#define CLASS_SYSREG 0x18
#define LEVEL_2      8              /* CurrentEL at EL2 */
#define ASIDE_BYTES  16384          /* ARCH_ASIDE_BYTES */
#define ASIDE_EXCEPTION_TOP 0x2000  /* QUIET_ASIDE_EXCEPTION_TOP */

/* At the start of the code, so that the table's alignment needs no padding. */
    .section .text.first, "ax"

/* One 128-byte slot: allocates the frame and puts the slot's number into x0. */
    .macro slot number, target
    .balign 128
    sub sp, sp, #FRAME_BYTES
    stp x0, x1, [sp]
    mov x0, #\number
    b \target
    .endm

/* A slot for exceptions in the handler, whose stack may be the cause. */
    .macro slot_nested
    .balign 128
    b vector_nested
    .endm

/* Selects the current level's register of two; use after `level_test`. */
    .macro level_test scratch
    mrs \scratch, CurrentEL
    cmp \scratch, #LEVEL_2
    .endm
    .macro read_banked to, name
    b.eq 8f
    mrs \to, \name\()_el1
    b 9f
8:  mrs \to, \name\()_el2
9:
    .endm
    .macro write_banked name, from
    b.eq 8f
    msr \name\()_el1, \from
    b 9f
8:  msr \name\()_el2, \from
9:
    .endm

    .hidden quiet_vectors
    .globl quiet_vectors
    .balign 2048
quiet_vectors:
    slot 0, vector_synchronous
    slot 1, vector_common
    slot 2, vector_common
    slot 3, vector_common
    slot_nested
    slot_nested
    slot_nested
    slot_nested
    /* nothing runs at lower levels */
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    slot \number, vector_common
    .endr
    .balign 128

vector_synchronous:
    stp x2, x3, [sp, #16]
    level_test x1
    read_banked x1, esr
    read_banked x2, elr
    lsr x1, x1, #26
    cmp w1, #CLASS_UNDEF
    b.eq 1f
    cmp w1, #CLASS_SYSREG
    b.ne 2f
1:  adrp x3, sysreg_guard_begin
    add x3, x3, :lo12:sysreg_guard_begin
    cmp x2, x3
    b.lo 2f
    adrp x3, sysreg_guard_end
    add x3, x3, :lo12:sysreg_guard_end
    cmp x2, x3
    b.hs 2f
    adrp x3, sysreg_faulted
    mov x1, #1
    str x1, [x3, :lo12:sysreg_faulted]
    add x2, x2, #4                      /* SYSREG_INSTRUCTION_BYTES */
    level_test x1
    write_banked elr, x2
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp]
    add sp, sp, #FRAME_BYTES
    eret
2:  ldp x2, x3, [sp, #16]
    b vector_common

/* Completes a struct aarch64_fault_frame: x0 and x1 are already stored, x0 holds the slot. */
vector_common:
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    stp x12, x13, [sp, #96]
    stp x14, x15, [sp, #112]
    stp x16, x17, [sp, #128]
    stp x18, x19, [sp, #144]
    stp x20, x21, [sp, #160]
    stp x22, x23, [sp, #176]
    stp x24, x25, [sp, #192]
    stp x26, x27, [sp, #208]
    stp x28, x29, [sp, #224]
    stp x30, x0, [sp, #240]
    level_test x1
    read_banked x2, esr
    read_banked x3, elr
    read_banked x4, far
    read_banked x5, spsr
    mrs x6, sp_el0
    stp x2, x3, [sp, #256]
    stp x4, x5, [sp, #272]
    stp x6, xzr, [sp, #288]
    mov x0, sp
    bl quiet_exception
    b .

/* A second one in a row cannot be reported. */
vector_nested:
    msr daifset, #15
    adrp x0, nested
    ldr x1, [x0, :lo12:nested]
    cbnz x1, .
    mov x1, #1
    str x1, [x0, :lo12:nested]
    adrp x0, quiet_exception_top
    ldr x0, [x0, :lo12:quiet_exception_top]
    /* A CPU beside the section goes on where its own exception stack begins. */
    adrp x1, quiet_beside
    add x1, x1, :lo12:quiet_beside
    ldp x2, x3, [x1]
    mov x1, sp
    cmp x1, x2
    b.lo 1f
    cmp x1, x3
    b.hs 1f
    and x0, x1, #~(ASIDE_BYTES - 1)
    add x0, x0, #ASIDE_EXCEPTION_TOP
1:  mov sp, x0
    bl quiet_nested
    b .

    .data
    .balign 8
nested:
    .quad 0

    .section .note.GNU-stack, "", %progbits
