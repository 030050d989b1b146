/* SPDX-License-Identifier: BSD-2-Clause */
/* Private interface between the parts of the quiet section; the public one is arch/arch.h. There
 * are two stacks: the body runs on SP_EL0 (PSTATE.SP 0), and an exception switches to SP_ELx. So a
 * stack overflow in the body is still recorded, and a fault in the handler (PSTATE.SP 1) enters
 * through another slot of the vector table. */
#ifndef ARCH_AARCH64_QUIET_H
#define ARCH_AARCH64_QUIET_H

#include <stdint.h>

#include "arch/aarch64/pure_fault.h"
#include "arch/arch.h"

/* ---- vectors.S */

/* The vector table: 16 slots of 128 bytes, aligned to 2 KiB (DDI 0487, D1.3.1.5). */
#define QUIET_SLOT_BYTES  128
#define QUIET_SLOT_SERROR 3 /* with PSTATE.SP 0 */
extern const char quiet_vectors[] __attribute__((visibility("hidden")));

/* ---- stack.S */

/* 0 unless a quiet_catch is running. */
extern volatile uint64_t quiet_resume;
/* Stack pointer for a fault in the handler; set by quiet.c. */
extern void *quiet_exception_top;

/* Calls function(argument) on the stack body_top with PSTATE.SP 0; exceptions use exception_top.
 * Both are aligned to 16. The caller has PSTATE.SP 1; its SP_EL0 is restored on return. */
void quiet_on_stacks(void (*function)(void *argument), void *argument, void *body_top,
                     void *exception_top);
/* Calls function(argument) on another stack and never returns; PSTATE.SP 1. */
_Noreturn void quiet_go(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument). Returns 0 if it returned, 1 if quiet_unwind ended it. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument);
/* Returns from the exception to the end of the running quiet_catch, with this processor state. */
_Noreturn void quiet_unwind(uint64_t spsr);

/* ---- quiet_switch.c */

/* enter loads our vectors and routes SErrors to this level; leave restores the firmware's. */
void quiet_vectors_enter(uintptr_t vectors);
void quiet_vectors_leave(void);
/* The same for the page tables. leave does nothing without enter, or when called twice. */
void quiet_tables_enter(uint64_t root);
void quiet_tables_leave(void);

/* ---- quiet_fault.c */

/* The last fault. */
extern struct aarch64_fault_frame quiet_fault;
/* Takes the arguments of arch_quiet_prepare. */
void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal);
/* Resets the record at the start of a section. A fatal fault ends on firmware_stack, aligned to
 * 16. */
void quiet_fault_start(void *firmware_stack);
/* Stores the last fault in *result. */
void quiet_fault_report(struct arch_quiet_result *result);
/* Called by vectors.S on the exception stack, with the frame it stored. */
_Noreturn void quiet_exception(const struct aarch64_fault_frame *frame);
/* Called by vectors.S when the handler itself faulted. */
_Noreturn void quiet_nested(void);

#endif
