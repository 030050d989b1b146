/* SPDX-License-Identifier: BSD-2-Clause */
/* Private interface between the parts of the quiet section; the public one is arch/arch.h. */
#ifndef ARCH_X86_64_QUIET_H
#define ARCH_X86_64_QUIET_H

#include <stdint.h>

#include "arch/arch.h"
#include "arch/x86_64/pure_fault.h"
#include "arch/x86_64/registers.h"

/* ---- vectors.S */

/* The stub of vector n is at quiet_vectors + n * QUIET_VECTOR_BYTES. */
#define QUIET_VECTOR_BYTES 16
#define QUIET_VECTORS      256
extern const char quiet_vectors[];

/* ---- stack.S */

/* Number of NMIs since the start that arrived while our vectors were loaded. */
extern volatile uint64_t quiet_nmi_count;
/* 0 unless a quiet_catch is running. */
extern volatile uint64_t quiet_resume;

/* Calls function(argument) on another stack; stack_top is aligned to 16. */
void quiet_on_stack(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument). Returns 0 if it returned, 1 if quiet_unwind ended it. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument);
_Noreturn void quiet_unwind(void);

/* ---- quiet_switch.c */

/* enter loads our vectors; leave restores the firmware's. */
void quiet_vectors_enter(const struct descriptor_register *ours);
void quiet_vectors_leave(void);
/* The same for the page tables. leave does nothing without enter, or when called twice. */
void quiet_tables_enter(uint64_t root);
void quiet_tables_leave(void);

/* ---- quiet_fault.c */

/* Takes the arguments of arch_quiet_prepare. */
void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal);
/* Resets the record at the start of a section. A fatal fault ends on firmware_stack, aligned to
 * 16. */
void quiet_fault_start(void *firmware_stack);
/* Stores the last fault in *result. */
void quiet_fault_report(struct arch_quiet_result *result);
/* Called by vectors.S with the frame it pushed. */
_Noreturn void quiet_exception(const struct x86_64_fault_frame *frame);

#endif
