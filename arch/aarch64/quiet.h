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

/* Stack pointer for a fault in the handler of the section; set by quiet.c. */
extern void *quiet_exception_top;

/* Where the exception stack ends in the memory of a CPU beside the section: from there up to its
 * end is the stack of its body. */
#define QUIET_ASIDE_EXCEPTION_TOP 0x2000

/* Calls function(argument) on the stack body_top with PSTATE.SP 0; exceptions use exception_top.
 * Both are aligned to 16. The caller has PSTATE.SP 1; its SP_EL0 is restored on return. */
void quiet_on_stacks(void (*function)(void *argument), void *argument, void *body_top,
                     void *exception_top);
/* Calls function(argument) on another stack and never returns; PSTATE.SP 1. */
_Noreturn void quiet_go(void (*function)(void *argument), void *argument, void *stack_top);
/* Calls function(argument). Returns 0 if it returned, 1 if quiet_unwind ended it. *resume is what
 * quiet_unwind takes, and 0 unless it is running. Not reentrant. */
uint64_t quiet_catch(void (*function)(void *argument), void *argument, volatile uint64_t *resume);
/* Returns from the exception to the end of that quiet_catch, with this processor state; leaves the
 * exception stack empty up to its top. */
_Noreturn void quiet_unwind(uint64_t spsr, uint64_t resume, void *exception_top);

/* ---- quiet_switch.c */

/* The firmware's values on one CPU. */
struct quiet_was {
    uint64_t vbar, hcr, ttbr0;
    bool switched;
};

/* enter loads our vectors and routes SErrors to this level; leave restores the firmware's. */
void quiet_vectors_enter(struct quiet_was *was, uintptr_t vectors);
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
    void *exception_top;      /* of the stack for exceptions */
    bool recording;
    struct aarch64_fault_frame fault; /* the last one */
};
/* That of the quiet section; CPUs beside it have theirs at the foot of their stacks (aside.c). */
extern struct quiet_state quiet_section;

/* Where those are; read by vectors.S too. */
struct quiet_stacks {
    uintptr_t begin, end;
};
extern struct quiet_stacks quiet_beside;

/* Takes the arguments of arch_quiet_prepare. */
void quiet_fault_prepare(uintptr_t image_base, arch_fatal *fatal);
/* Where the stacks of other CPUs are from now on (aside.c), each of ARCH_ASIDE_BYTES, aligned to as
 * much, with a struct quiet_state at its foot. */
void quiet_fault_beside(uintptr_t begin, uintptr_t end);
/* Resets the record at the start of a section. */
void quiet_fault_start(struct quiet_state *state, void *firmware_stack);
/* Stores the last fault; report, with its text, that of the section. */
void quiet_fault_info(const struct quiet_state *state, struct fault_info *fault);
void quiet_fault_report(struct arch_quiet_result *result);
/* Called by vectors.S on the exception stack, with the frame it stored. */
_Noreturn void quiet_exception(const struct aarch64_fault_frame *frame);
/* Called by vectors.S when the handler itself faulted. */
_Noreturn void quiet_nested(void);

/* ---- quiet.c */

/* Calls body(argument) with SErrors unmasked, and takes those that it caused. Returns true if a
 * fault ended it: the first one is in *state. */
bool quiet_body(struct quiet_state *state, void (*body)(void *argument), void *argument);

#endif
