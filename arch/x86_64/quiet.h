/* SPDX-License-Identifier: BSD-2-Clause */
/* Private interface between quiet.c and vectors.S; the public one is arch/arch.h. */
#ifndef ARCH_X86_64_QUIET_H
#define ARCH_X86_64_QUIET_H

#include <stdint.h>

#include "arch/x86_64/pure_fault.h"

/* The stub of vector n is at quiet_vectors + n * QUIET_VECTOR_BYTES. */
#define QUIET_VECTOR_BYTES 16
#define QUIET_VECTORS      256
extern const char quiet_vectors[];

/* Number of NMIs since the start that arrived while our vectors were loaded. */
extern volatile uint64_t quiet_nmi_count;
/* 0 unless a quiet_catch is running. */
extern volatile uint64_t quiet_resume;

/* Calls function(argument) on another stack; stack_top is aligned to 16. */
void quiet_on_stack(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument). Returns 0 if it returned, 1 if quiet_unwind ended it. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument);
_Noreturn void quiet_unwind(void);

/* Called by vectors.S with the frame it pushed. */
_Noreturn void quiet_exception(const struct x86_64_fault_frame *frame);

#endif
