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

/* Calls function(argument) on another stack; stack_top is aligned to 16. */
void quiet_on_stack(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument). Returns 0 if it returned, 1 if quiet_unwind ended it. *resume is what
 * quiet_unwind takes, and 0 unless it is running. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument, volatile uint64_t *resume);
_Noreturn void quiet_unwind(uint64_t resume);

/* ---- quiet.c */

/* Our vectors. False: they name another code segment than the calling CPU's. */
bool quiet_gates(struct descriptor_register *ours);

/* ---- quiet_switch.c */

/* The firmware's values on one CPU. */
struct quiet_was {
    struct descriptor_register idt;
    uint64_t cr3, cr4;
    bool switched;
};

/* enter loads our vectors; leave restores the firmware's. */
void quiet_vectors_enter(struct quiet_was *was, const struct descriptor_register *ours);
void quiet_vectors_leave(const struct quiet_was *was);
/* The same for the page tables. leave does nothing without enter, or when called twice. */
void quiet_tables_enter(struct quiet_was *was, uint64_t root);
void quiet_tables_leave(struct quiet_was *was);

/* ---- quiet_fault.c */

/* What each CPU has of its own whose vectors are ours. */
struct quiet_state {
    struct quiet_was was;
    volatile uint64_t resume; /* of its quiet_catch */
    void *firmware_stack;     /* a fatal fault ends on it, aligned to 16 */
    bool recording;
    struct x86_64_fault fault; /* the last one */
};
/* That of the quiet section; CPUs beside it have theirs at the foot of their stacks (aside.c). */
extern struct quiet_state quiet_section;

/* Takes the arguments of arch_quiet_prepare. */
void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal);
/* Where the stacks of other CPUs are (aside.c), each of ARCH_ASIDE_BYTES, aligned to as much, with
 * a struct quiet_state at its foot. */
void quiet_fault_beside(uintptr_t begin, uintptr_t end);
/* Resets the record at the start of a section. */
void quiet_fault_start(struct quiet_state *state, void *firmware_stack);
/* Stores the last fault; report, with its text, that of the section. */
void quiet_fault_info(const struct quiet_state *state, struct fault_info *fault);
void quiet_fault_report(struct arch_quiet_result *result);

/* Called by vectors.S with the frame it pushed. */
_Noreturn void quiet_exception(const struct x86_64_fault_frame *frame);

#endif
