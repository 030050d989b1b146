/* SPDX-License-Identifier: BSD-2-Clause */
/* What quiet.c and vectors.S know of each other; the contract for everybody else is arch/arch.h.
 *
 * Two stacks: the body runs on SP_EL0 (PSTATE.SP 0), and an exception moves to SP_ELx by itself.
 * So a body that has run out of its stack still has its fault written down, and a fault in the
 * handler (PSTATE.SP 1) comes in by another slot of the vector table. */
#ifndef ARCH_AARCH64_QUIET_H
#define ARCH_AARCH64_QUIET_H

#include <stdint.h>

#include "arch/aarch64/pure_fault.h"

/* The vector table: 16 slots of 128 bytes, aligned to 2 KiB (DDI 0487, D1.3.1.5). */
#define QUIET_SLOT_BYTES  128
#define QUIET_SLOT_SERROR 3 /* with PSTATE.SP 0 */
extern const char quiet_vectors[] __attribute__((visibility("hidden")));

/* 0 when no quiet_catch is running. */
extern volatile uint64_t quiet_resume;
/* Where a fault of the handler puts its stack pointer; quiet.c sets it. */
extern void *quiet_exception_top;

/* Calls function(argument) on body_top with PSTATE.SP 0; exceptions get exception_top. Both are
 * aligned to 16. Called with PSTATE.SP 1; SP_EL0 is the caller's again afterwards. */
void quiet_on_stacks(void (*function)(void *argument), void *argument, void *body_top,
                     void *exception_top);
/* Calls function(argument) on another stack and never returns; PSTATE.SP 1. */
_Noreturn void quiet_go(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument); 0 when it returned, 1 when quiet_unwind ended it. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument);
/* Returns from the exception to where the running quiet_catch ends, in this processor state. */
_Noreturn void quiet_unwind(uint64_t spsr);

/* Called by vectors.S with what it has stored, on the exception stack. */
_Noreturn void quiet_exception(const struct aarch64_fault_frame *frame);
/* Called by vectors.S when the handler itself faulted. */
_Noreturn void quiet_nested(void);

#endif
