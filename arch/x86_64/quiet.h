/* SPDX-License-Identifier: BSD-2-Clause */
/* What quiet.c and vectors.S know of each other; the contract for everybody else is arch/arch.h. */
#ifndef ARCH_X86_64_QUIET_H
#define ARCH_X86_64_QUIET_H

#include <stdint.h>

#include "arch/x86_64/pure_fault.h"

/* Stub of vector n at quiet_vectors + n * QUIET_VECTOR_BYTES. */
#define QUIET_VECTOR_BYTES 16
#define QUIET_VECTORS      256
extern const char quiet_vectors[];

/* NMIs that came while our vectors were loaded, since the start. */
extern volatile uint64_t quiet_nmi_count;
/* 0 when no quiet_catch is running. */
extern volatile uint64_t quiet_resume;

/* Calls function(argument) on another stack; stack_top is aligned to 16. */
void quiet_on_stack(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument); 0 when it returned, 1 when quiet_unwind ended it. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument);
_Noreturn void quiet_unwind(void);

/* Called by vectors.S with what it has pushed. */
_Noreturn void quiet_exception(const struct x86_64_fault_frame *frame);

#endif
