/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception frame as vectors.S stores it on the stack, and its description. Pure. */
#ifndef ARCH_AARCH64_PURE_FAULT_H
#define ARCH_AARCH64_PURE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lowest address first, as vector_common in vectors.S stores it. */
struct aarch64_fault_frame {
    uint64_t x[31];
    uint64_t slot; /* in the vector table, 0 to 15: Arm ARM (DDI 0487), D1.3.1.5 */
    uint64_t esr, elr, far, spsr;
    uint64_t sp; /* SP_EL0: the interrupted stack */
    uint64_t unused;
};

/* Slots from 0 on: with PSTATE.SP 0; from FAULT_SLOT_NESTED on: with PSTATE.SP 1 (our handler was
 * running); from FAULT_SLOT_LOWER on: from a lower level. */
#define FAULT_SLOT_NESTED 4
#define FAULT_SLOT_LOWER  8

enum fault_kind { FAULT_SYNCHRONOUS, FAULT_IRQ, FAULT_FIQ, FAULT_SERROR };

/* Returns the kind of exception of a slot: its two low bits. */
enum fault_kind aarch64_fault_kind(uint64_t slot);
/* Returns "data abort", "undefined instruction", "SError", ..., from the slot and ESR's exception
 * class. Static, never NULL. */
const char *aarch64_fault_name(uint64_t slot, uint64_t esr);
/* True if FAR holds the faulting address: aborts and misaligned fetches. */
bool aarch64_fault_has_address(uint64_t slot, uint64_t esr);
/* True for exceptions that must not be resumed, not even at an exit path: an uncontainable SError
 * (ESR_ELx.AET, with FEAT_RAS). */
bool aarch64_fault_is_fatal(uint64_t slot, uint64_t esr);
/* Describes the cause, the address (relative to image_base if inside an image of at most 1 MiB),
 * ESR, ELR, FAR and the registers, which are unknown for a fault in the handler; truncated to
 * capacity. */
void aarch64_fault_describe(const struct aarch64_fault_frame *frame, uintptr_t image_base,
                            char *buffer, size_t capacity);

#endif
